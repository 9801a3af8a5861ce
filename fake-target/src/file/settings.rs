//! Queries and settings of a file (MPI 5.0, sections 14.2.4 to 14.2.8, 14.5.1 and 14.6).

use std::ffi::c_int;
use std::os::fd::AsRawFd;
use std::sync::atomic::Ordering;

use super::agreement::{begin, by_leader, settle};
use super::errors::system;
use super::object::resolve;
use super::open;
use crate::abi::*;
use crate::arguments::{CountOut, Out};
use crate::collectives::Collective;
use crate::datatype;
use crate::error::{Error, Result};
use crate::group::calls::register;
use crate::info;

/// `MPI_File_get_size`
pub(crate) fn get_size(fh: MPI_File, size: Out<MPI_Offset>) -> Result {
    size.set(resolve(fh)?.size()?);
    Ok(())
}

fn not_negative(size: MPI_Offset) -> Result<u64> {
    u64::try_from(size).map_err(|_| Error::new(MPI_ERR_ARG, format!("the size {size} is negative")))
}

/// `MPI_File_set_size`
pub(crate) fn set_size(fh: MPI_File, size: MPI_Offset) -> Result {
    let file = resolve(fh)?;
    let _under_way = begin(&file, Collective::FileSetSize);
    let checked = file.needs_write().and_then(|()| not_negative(size));
    let bytes = settle(&file.team(), checked, [size, 0])?;
    by_leader(&file.team(), || {
        file.descriptor
            .set_len(bytes)
            .map_err(|error| system("set the size of", &file.path, &error))
    })
}

/// `MPI_File_preallocate`
pub(crate) fn preallocate(fh: MPI_File, size: MPI_Offset) -> Result {
    let file = resolve(fh)?;
    let _under_way = begin(&file, Collective::FilePreallocate);
    let checked = file.needs_write().and_then(|()| not_negative(size));
    let bytes = settle(&file.team(), checked, [size, 0])?;
    by_leader(&file.team(), || {
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: an open descriptor and numbers.
        match unsafe { libc::posix_fallocate(file.descriptor.as_raw_fd(), 0, size) } {
            0 => Ok(()),
            code => {
                let error = std::io::Error::from_raw_os_error(code);
                Err(system("allocate room for", &file.path, &error))
            }
        }
    })
}

/// `MPI_File_get_amode`
pub(crate) fn get_amode(fh: MPI_File, amode: Out<c_int>) -> Result {
    amode.set(resolve(fh)?.amode);
    Ok(())
}

/// `MPI_File_get_group`
pub(crate) fn get_group(fh: MPI_File, group: Out<MPI_Group>) -> Result {
    group.set(register(resolve(fh)?.communicator.local().clone()));
    Ok(())
}

/// `MPI_File_set_info`: no hint can be changed while the file is open.
pub(crate) fn set_info(fh: MPI_File, hints: MPI_Info) -> Result {
    let file = resolve(fh)?;
    let _under_way = begin(&file, Collective::FileSetInfo);
    settle(&file.team(), info::check_hints(hints), [0, 0])
}

/// `MPI_File_get_info`: the hints that were given and that this MPI follows.
pub(crate) fn get_info(fh: MPI_File, info_used: Out<MPI_Info>) -> Result {
    let file = resolve(fh)?;
    let hints = file.state().hints.clone();
    let hints = hints.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    info::create_with(info_used, hints.chain([info::MEMORY_KINDS]))
}

/// `MPI_File_set_atomicity`
pub(crate) fn set_atomicity(fh: MPI_File, flag: c_int) -> Result {
    let file = resolve(fh)?;
    let _under_way = begin(&file, Collective::FileSetAtomicity);
    settle(&file.team(), Ok(()), [(flag != 0).into(), 0])?;
    file.is_atomic.store(flag != 0, Ordering::Relaxed);
    Ok(())
}

/// `MPI_File_get_atomicity`
pub(crate) fn get_atomicity(fh: MPI_File, flag: Out<c_int>) -> Result {
    flag.set(resolve(fh)?.is_atomic.load(Ordering::Relaxed).into());
    Ok(())
}

/// `MPI_File_sync`: what all processes have written before is on the storage device when this
/// returns.
pub(crate) fn sync(fh: MPI_File) -> Result {
    let file = resolve(fh)?;
    let _under_way = begin(&file, Collective::FileSync);
    file.team().barrier()?;
    by_leader(&file.team(), || {
        if file.amode & MPI_MODE_RDONLY != 0 {
            return Ok(());
        }
        match file.descriptor.sync_all() {
            // Pipes and the like have no storage.
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => Ok(()),
            other => other.map_err(|error| system("synchronize", &file.path, &error)),
        }
    })
}

/// `MPI_File_get_type_extent`
pub(crate) fn get_type_extent(fh: MPI_File, datatype: MPI_Datatype, extent: CountOut) -> Result {
    let file = resolve(fh)?;
    extent.set(file.view().representation.in_file(&datatype::find(datatype)?)?.extent());
    Ok(())
}

/// `MPI_File_delete`
pub(crate) fn delete(filename: &std::ffi::CStr, hints: MPI_Info) -> Result {
    info::check_hints(hints)?;
    let path = open::path_of(filename);
    std::fs::remove_file(&path).map_err(|error| system("delete", &path, &error))
}
