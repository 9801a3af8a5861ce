//! The environment (MPI 5.0, chapter 9): versions, memory, the processor's name; and statuses.

mod fortran;
mod memory;
mod variables;

pub(crate) use fortran::*;
pub(crate) use memory::*;

use std::ffi::{c_char, c_int, c_void};

use crate::abi::*;
use crate::arguments::{Out, status_at};
use crate::error::Result;
use crate::text::copy_out;
use variables::PROCESSOR_NAME;

/// `MPI_Aint_add`
pub(crate) fn aint_add(base: MPI_Aint, disp: MPI_Aint) -> MPI_Aint {
    base.wrapping_add(disp)
}

/// `MPI_Aint_diff`
pub(crate) fn aint_diff(addr1: MPI_Aint, addr2: MPI_Aint) -> MPI_Aint {
    addr1.wrapping_sub(addr2)
}

/// `MPI_Get_version`
pub(crate) fn get_version(version: Out<c_int>, subversion: Out<c_int>) -> Result {
    version.set(MPI_VERSION);
    subversion.set(MPI_SUBVERSION);
    Ok(())
}

/// `MPI_Abi_get_version`
pub(crate) fn abi_get_version(major: Out<c_int>, minor: Out<c_int>) -> Result {
    major.set(MPI_ABI_VERSION);
    minor.set(MPI_ABI_SUBVERSION);
    Ok(())
}

/// `MPI_Get_hw_resource_info`: the resources that `MPI_Comm_split_type` can split by, and whether
/// this process is restricted to one of each (MPI 5.0, section 9.1.4).
pub(crate) fn get_hw_resource_info(hw_info: Out<MPI_Info>) -> Result {
    crate::info::create_with(hw_info, [("mpi_shared_memory", "true")])
}

/// `MPI_Abi_get_info`: the sizes of the ABI's integer types in bytes (MPI 5.0, section 20.3).
pub(crate) fn abi_get_info(info: Out<MPI_Info>) -> Result {
    let sizes = [
        (c"mpi_aint_size", size_of::<MPI_Aint>()),
        (c"mpi_count_size", size_of::<MPI_Count>()),
        (c"mpi_offset_size", size_of::<MPI_Offset>()),
    ];
    crate::info::create(info)?;
    for (key, size) in sizes {
        let value = std::ffi::CString::new(size.to_string()).expect("digits");
        crate::info::set(info.get(), key, &value)?;
    }
    Ok(())
}

/// `MPI_Get_library_version`
pub(crate) fn get_library_version(version: *mut c_char, resultlen: Out<c_int>) -> Result {
    let text = concat!(
        "mqd companion runtime ",
        env!("CARGO_PKG_VERSION"),
        " (MPI 5.0 standard ABI, one machine)"
    );
    resultlen.set(copy_out(text, version, MPI_MAX_LIBRARY_VERSION_STRING as usize)?);
    Ok(())
}

/// `MPI_Get_processor_name`: the host's name, unless a variable says something else.
pub(crate) fn get_processor_name(name: *mut c_char, resultlen: Out<c_int>) -> Result {
    let mut host = [0u8; MPI_MAX_PROCESSOR_NAME as usize];
    // SAFETY: writes no more than the array holds; its last byte stays zero.
    let failed = unsafe { libc::gethostname(host.as_mut_ptr().cast(), host.len() - 1) } != 0;
    let length = host.iter().position(|&byte| byte == 0).unwrap_or(0);
    let host = if failed { "localhost".into() } else { String::from_utf8_lossy(&host[..length]) };
    let own = PROCESSOR_NAME.get();
    let host = if own.is_empty() { host } else { own.into() };
    resultlen.set(copy_out(&*host, name, MPI_MAX_PROCESSOR_NAME as usize)?);
    Ok(())
}

/// `MPI_Pcontrol`: there is nothing to control.
pub(crate) fn pcontrol(_level: c_int) -> Result {
    Ok(())
}

/// `MPI_Get_address`
pub(crate) fn get_address(location: *const c_void, address: Out<MPI_Aint>) -> Result {
    address.set(location as MPI_Aint);
    Ok(())
}

/// `MPI_Status_get_source`
pub(crate) fn status_get_source(status: &MPI_Status, source: Out<c_int>) -> Result {
    source.set(status.MPI_SOURCE);
    Ok(())
}

/// `MPI_Status_get_tag`
pub(crate) fn status_get_tag(status: &MPI_Status, tag: Out<c_int>) -> Result {
    tag.set(status.MPI_TAG);
    Ok(())
}

/// `MPI_Status_get_error`
pub(crate) fn status_get_error(status: &MPI_Status, error: Out<c_int>) -> Result {
    error.set(status.MPI_ERROR);
    Ok(())
}

/// `MPI_Status_set_source`
pub(crate) fn status_set_source(status: *mut MPI_Status, source: c_int) -> Result {
    status_at(status)?.MPI_SOURCE = source;
    Ok(())
}

/// `MPI_Status_set_tag`
pub(crate) fn status_set_tag(status: *mut MPI_Status, tag: c_int) -> Result {
    status_at(status)?.MPI_TAG = tag;
    Ok(())
}

/// `MPI_Status_set_error`
pub(crate) fn status_set_error(status: *mut MPI_Status, error: c_int) -> Result {
    status_at(status)?.MPI_ERROR = error;
    Ok(())
}

/// `MPI_Status_set_cancelled`
pub(crate) fn status_set_cancelled(status: *mut MPI_Status, flag: c_int) -> Result {
    status_at(status)?.set_cancelled(flag != 0);
    Ok(())
}

/// `MPI_Test_cancelled`
pub(crate) fn test_cancelled(status: &MPI_Status, flag: Out<c_int>) -> Result {
    flag.set(status.cancelled().into());
    Ok(())
}
