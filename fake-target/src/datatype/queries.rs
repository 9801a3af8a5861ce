//! What a program asks about datatypes: sizes, extents, names; and about the data of a message.

use std::ffi::{CStr, c_char, c_int};

use super::lookup::find;
use crate::abi::*;
use crate::arguments::{CountOut, Out, status_at};
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
pub(crate) fn get_true_extent(
    datatype: MPI_Datatype,
    true_lb: CountOut,
    true_extent: CountOut,
) -> Result {
    let datatype = find(datatype)?;
    true_lb.set(datatype.true_lb());
    true_extent.set(datatype.true_extent());
    Ok(())
}

/// `MPI_Type_get_name`; the null handle has a name too.
pub(crate) fn get_name(
    datatype: MPI_Datatype,
    type_name: *mut c_char,
    resultlen: Out<c_int>,
) -> Result {
    let name = if datatype == MPI_DATATYPE_NULL {
        b"MPI_DATATYPE_NULL".to_vec()
    } else {
        find(datatype)?.bytes_of_name()
    };
    resultlen.set(crate::text::copy_out(&name, type_name, MPI_MAX_OBJECT_NAME as usize)?);
    Ok(())
}

/// `MPI_Type_set_name`
pub(crate) fn set_name(datatype: MPI_Datatype, type_name: &CStr) -> Result {
    find(datatype)?.set_name(type_name.to_bytes());
    Ok(())
}

/// `MPI_Get_count`: `MPI_UNDEFINED` if the data are not whole elements.
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
pub(crate) fn status_set_elements(
    status: *mut MPI_Status,
    datatype: MPI_Datatype,
    count: MPI_Count,
) -> Result {
    let datatype = find(datatype)?;
    let elements = datatype.elements();
    if count < 0 || (elements == 0 && count > 0) {
        return Err(Error::new(
            MPI_ERR_COUNT,
            format!("the datatype cannot have {count} elements"),
        ));
    }
    let whole = if elements == 0 { 0 } else { count / elements };
    let rest = if elements == 0 { 0 } else { datatype.bytes_of(count % elements) };
    let bytes = super::layout::plus(super::layout::times(whole, datatype.size())?, rest)?;
    status_at(status)?.set_bytes(bytes);
    Ok(())
}

/// `MPI_Type_match_size`: Fortran's datatype of a class and a size in bytes.
pub(crate) fn match_size(typeclass: c_int, size: c_int, datatype: Out<MPI_Datatype>) -> Result {
    datatype.set(match (typeclass, size) {
        (MPI_TYPECLASS_INTEGER, 1) => MPI_INTEGER1,
        (MPI_TYPECLASS_INTEGER, 2) => MPI_INTEGER2,
        (MPI_TYPECLASS_INTEGER, 4) => MPI_INTEGER4,
        (MPI_TYPECLASS_INTEGER, 8) => MPI_INTEGER8,
        (MPI_TYPECLASS_INTEGER, 16) => MPI_INTEGER16,
        (MPI_TYPECLASS_REAL, 2) => MPI_REAL2,
        (MPI_TYPECLASS_REAL, 4) => MPI_REAL4,
        (MPI_TYPECLASS_REAL, 8) => MPI_REAL8,
        (MPI_TYPECLASS_REAL, 16) => MPI_REAL16,
        (MPI_TYPECLASS_COMPLEX, 4) => MPI_COMPLEX4,
        (MPI_TYPECLASS_COMPLEX, 8) => MPI_COMPLEX8,
        (MPI_TYPECLASS_COMPLEX, 16) => MPI_COMPLEX16,
        (MPI_TYPECLASS_COMPLEX, 32) => MPI_COMPLEX32,
        _ => {
            return Err(Error::new(
                MPI_ERR_ARG,
                format!("no datatype of the class {typeclass} has {size} bytes"),
            ));
        }
    });
    Ok(())
}

/// `MPI_Type_get_value_index`: the pair of a value and an index, or `MPI_DATATYPE_NULL` if there is
/// none.
pub(crate) fn get_value_index(
    value_type: MPI_Datatype,
    index_type: MPI_Datatype,
    pair_type: Out<MPI_Datatype>,
) -> Result {
    find(value_type)?;
    find(index_type)?;
    pair_type.set(match (value_type, index_type) {
        (MPI_FLOAT, MPI_INT) => MPI_FLOAT_INT,
        (MPI_DOUBLE, MPI_INT) => MPI_DOUBLE_INT,
        (MPI_LONG, MPI_INT) => MPI_LONG_INT,
        (MPI_INT, MPI_INT) => MPI_2INT,
        (MPI_SHORT, MPI_INT) => MPI_SHORT_INT,
        (MPI_LONG_DOUBLE, MPI_INT) => MPI_LONG_DOUBLE_INT,
        (MPI_REAL, MPI_REAL) => MPI_2REAL,
        (MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION) => MPI_2DOUBLE_PRECISION,
        (MPI_INTEGER, MPI_INTEGER) => MPI_2INTEGER,
        _ => MPI_DATATYPE_NULL,
    });
    Ok(())
}
