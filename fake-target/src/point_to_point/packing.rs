//! `MPI_Pack` and `MPI_Unpack` (MPI 5.0, section 5.2). The packed form is the data stream of the
//! datatypes, one after the other.

use std::ffi::{c_int, c_void};

use crate::abi::*;
use crate::arguments::{CountOut, array, array_mut};
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
