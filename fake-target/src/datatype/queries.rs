//! What a program asks about datatypes: sizes, extents, names; and about the data of a message.

use std::ffi::{CStr, c_char, c_int};

use super::find;
use crate::abi::*;
use crate::arguments::{CountOut, Out};
use crate::error::{Error, Result};

/// `MPI_Type_size`
pub(crate) fn type_size(datatype: MPI_Datatype, size: CountOut) -> Result {
    size.set(find(datatype)?.size());
    Ok(())
}

/// `MPI_Type_get_extent`
pub(crate) fn get_extent(datatype: MPI_Datatype, lb: CountOut, extent: CountOut) -> Result {
    let datatype = find(datatype)?;
    lb.set(datatype.lb());
    extent.set(datatype.extent());
    Ok(())
}

/// `MPI_Type_get_true_extent`
pub(crate) fn get_true_extent(datatype: MPI_Datatype, true_lb: CountOut, true_extent: CountOut) -> Result {
    let datatype = find(datatype)?;
    true_lb.set(datatype.true_lb());
    true_extent.set(datatype.true_extent());
    Ok(())
}

/// `MPI_Type_get_name`
pub(crate) fn get_name(datatype: MPI_Datatype, type_name: *mut c_char, resultlen: Out<c_int>) -> Result {
    let name = find(datatype)?.name();
    resultlen.set(crate::text::copy_out(&name, type_name, MPI_MAX_OBJECT_NAME as usize)?);
    Ok(())
}

/// `MPI_Type_set_name`
pub(crate) fn set_name(datatype: MPI_Datatype, type_name: &CStr) -> Result {
    find(datatype)?.set_name(&type_name.to_string_lossy());
    Ok(())
}

/// `MPI_Get_count`: `MPI_UNDEFINED` where the data are not whole elements.
pub(crate) fn get_count(status: &MPI_Status, datatype: MPI_Datatype, count: CountOut) -> Result {
    let (size, bytes) = (find(datatype)?.size(), status.bytes());
    count.set(match (bytes, size) {
        (0, _) => 0,
        (_, 0) => MPI_UNDEFINED.into(),
        _ if bytes % size != 0 => MPI_UNDEFINED.into(),
        _ => bytes / size,
    });
    Ok(())
}

/// `MPI_Get_elements`: counts the basic elements, also of a part of the last one.
pub(crate) fn get_elements(status: &MPI_Status, datatype: MPI_Datatype, count: CountOut) -> Result {
    let datatype = find(datatype)?;
    count.set(datatype.elements_in(status.bytes()).unwrap_or(MPI_UNDEFINED.into()));
    Ok(())
}

/// `MPI_Status_set_elements`
pub(crate) fn status_set_elements(status: *mut MPI_Status, datatype: MPI_Datatype, count: MPI_Count) -> Result {
    let datatype = find(datatype)?;
    let elements = datatype.elements();
    if count < 0 || (elements == 0 && count > 0) {
        return Err(Error::new(MPI_ERR_COUNT, format!("the datatype cannot have {count} elements")));
    }
    let whole = if elements == 0 { 0 } else { count / elements };
    let rest = if elements == 0 { 0 } else { datatype.bytes_of(count % elements) };
    let bytes = super::layout::plus(super::layout::times(whole, datatype.size())?, rest)?;
    crate::environment::status_at(status)?.set_bytes(bytes);
    Ok(())
}
