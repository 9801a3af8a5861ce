//! `MPI_Pack` and `MPI_Unpack` (MPI 5.0, section 5.2). The packed form is the data stream of the
//! datatypes, one after the other; `MPI_Pack_external` (section 5.3) has its own representation.

use std::ffi::{CStr, c_char, c_int, c_void};

use crate::abi::*;
use crate::arguments::{CountOut, array, array_mut, text};
use crate::communicator;
use crate::datatype::{self, DatatypeRef};
use crate::error::{Error, Result};

fn checked(
    datatype: MPI_Datatype,
    count: MPI_Count,
    comm: MPI_Comm,
) -> Result<(DatatypeRef, MPI_Count)> {
    communicator::resolve(comm)?;
    if count < 0 {
        return Err(Error::new(MPI_ERR_COUNT, format!("the count {count} is negative")));
    }
    let datatype = datatype::resolve(datatype)?;
    let bytes = datatype::times(count, datatype.size())?;
    Ok((datatype, bytes))
}

/// `MPI_ERR_BUFFER` for `MPI_IN_PLACE`, which does not stand for data.
fn check_place(buffer: *const c_void) -> Result {
    if buffer == MPI_IN_PLACE.cast_const() {
        return Err(Error::new(MPI_ERR_BUFFER, "the buffer is MPI_IN_PLACE"));
    }
    Ok(())
}

/// The part of a pack buffer that `bytes` from `position` on take.
fn range(
    position: MPI_Count,
    bytes: MPI_Count,
    size: MPI_Count,
    code: c_int,
) -> Result<std::ops::Range<usize>> {
    match position.checked_add(bytes) {
        Some(end) if position >= 0 && end <= size => Ok(position as usize..end as usize),
        _ => Err(Error::new(
            code,
            format!(
                "{bytes} bytes from position {position} on are not within the buffer of {size} \
                 bytes"
            ),
        )),
    }
}

/// `MPI_Pack`
pub(crate) fn pack(
    inbuf: *const c_void,
    incount: MPI_Count,
    datatype: MPI_Datatype,
    outbuf: *mut c_void,
    outsize: MPI_Count,
    position: CountOut,
    comm: MPI_Comm,
) -> Result {
    check_place(inbuf)?;
    let (datatype, bytes) = checked(datatype, incount, comm)?;
    let range = range(position.get(), bytes, outsize, MPI_ERR_TRUNCATE)?;
    let out = array_mut(outbuf.cast::<u8>(), outsize.max(0) as usize, "outbuf")?;
    datatype.pack(inbuf, incount, 0, &mut out[range.clone()]);
    position.set(range.end as MPI_Count);
    Ok(())
}

/// `MPI_Unpack`
pub(crate) fn unpack(
    inbuf: *const c_void,
    insize: MPI_Count,
    position: CountOut,
    outbuf: *mut c_void,
    outcount: MPI_Count,
    datatype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result {
    check_place(outbuf)?;
    let (datatype, bytes) = checked(datatype, outcount, comm)?;
    let range = range(position.get(), bytes, insize, MPI_ERR_TRUNCATE)?;
    let data = array(inbuf.cast::<u8>(), insize.max(0) as usize, "inbuf")?;
    datatype.unpack(outbuf, outcount, 0, &data[range.clone()]);
    position.set(range.end as MPI_Count);
    Ok(())
}

/// `MPI_Pack_size`
pub(crate) fn pack_size(
    incount: MPI_Count,
    datatype: MPI_Datatype,
    comm: MPI_Comm,
    size: CountOut,
) -> Result {
    size.set(checked(datatype, incount, comm)?.1);
    Ok(())
}

/// `MPI_ERR_ARG` unless the representation is "external32", the only one.
fn check_representation(datarep: &CStr) -> Result {
    if datarep == c"external32" {
        return Ok(());
    }
    Err(Error::new(
        MPI_ERR_ARG,
        format!("the data representation {datarep:?} is not \"external32\""),
    ))
}

fn external(datatype: MPI_Datatype, count: MPI_Count) -> Result<(DatatypeRef, MPI_Count)> {
    if count < 0 {
        return Err(Error::new(MPI_ERR_COUNT, format!("the count {count} is negative")));
    }
    let datatype = datatype::resolve(datatype)?;
    let bytes = datatype::times(count, datatype.external_size()?)?;
    Ok((datatype, bytes))
}

/// `MPI_Pack_external`
pub(crate) fn pack_external(
    datarep: &CStr,
    inbuf: *const c_void,
    incount: MPI_Count,
    datatype: MPI_Datatype,
    outbuf: *mut c_void,
    outsize: MPI_Count,
    position: CountOut,
) -> Result {
    check_representation(datarep)?;
    check_place(inbuf)?;
    let (datatype, bytes) = external(datatype, incount)?;
    let range = range(position.get(), bytes, outsize, MPI_ERR_TRUNCATE)?;
    let out = array_mut(outbuf.cast::<u8>(), outsize.max(0) as usize, "outbuf")?;
    datatype.pack_external(inbuf, incount, &mut out[range.clone()]);
    position.set(range.end as MPI_Count);
    Ok(())
}

/// `MPI_Unpack_external`
pub(crate) fn unpack_external(
    datarep: *const c_char,
    inbuf: *const c_void,
    insize: MPI_Count,
    position: CountOut,
    outbuf: *mut c_void,
    outcount: MPI_Count,
    datatype: MPI_Datatype,
) -> Result {
    check_representation(text(datarep, "datarep")?)?;
    check_place(outbuf)?;
    let (datatype, bytes) = external(datatype, outcount)?;
    let range = range(position.get(), bytes, insize, MPI_ERR_TRUNCATE)?;
    let data = array(inbuf.cast::<u8>(), insize.max(0) as usize, "inbuf")?;
    datatype.unpack_external(outbuf, outcount, &data[range.clone()]);
    position.set(range.end as MPI_Count);
    Ok(())
}

/// `MPI_Pack_external_size`
pub(crate) fn pack_external_size(
    datarep: &CStr,
    incount: MPI_Count,
    datatype: MPI_Datatype,
    size: CountOut,
) -> Result {
    check_representation(datarep)?;
    size.set(external(datatype, incount)?.1);
    Ok(())
}
