//! Where the file pointers are (MPI 5.0, sections 14.4.3 and 14.4.4).

use std::ffi::c_int;

use super::agreement::{begin, settle};
use super::object::{File, resolve};
use crate::abi::*;
use crate::arguments::Out;
use crate::collectives::Collective;
use crate::error::{Error, Result};

/// The offset in etypes that a seek goes to.
fn target(
    file: &File,
    offset: MPI_Offset,
    whence: c_int,
    current: impl FnOnce() -> Result<MPI_Offset>,
) -> Result<MPI_Offset> {
    let base = match whence {
        MPI_SEEK_SET => 0,
        MPI_SEEK_CUR => current()?,
        MPI_SEEK_END => {
            let size = file.size()?;
            file.view().etypes_before(size)
        }
        _ => {
            let message =
                format!("{whence} is neither MPI_SEEK_SET, MPI_SEEK_CUR nor MPI_SEEK_END");
            return Err(Error::new(MPI_ERR_ARG, message));
        }
    };
    base.checked_add(offset).filter(|target| *target >= 0).ok_or_else(|| {
        let message = format!("the file pointer cannot go to {base} and {offset} etypes");
        Error::new(MPI_ERR_ARG, message)
    })
}

/// `MPI_File_seek`
pub(crate) fn seek(fh: MPI_File, offset: MPI_Offset, whence: c_int) -> Result {
    let file = resolve(fh)?;
    file.needs_random_access()?;
    let to = target(&file, offset, whence, || Ok(file.state().position))?;
    file.state().position = to;
    Ok(())
}

/// `MPI_File_get_position`
pub(crate) fn get_position(fh: MPI_File, offset: Out<MPI_Offset>) -> Result {
    let file = resolve(fh)?;
    file.needs_random_access()?;
    offset.set(file.state().position);
    Ok(())
}

/// `MPI_File_seek_shared`
pub(crate) fn seek_shared(fh: MPI_File, offset: MPI_Offset, whence: c_int) -> Result {
    let file = resolve(fh)?;
    file.needs_shared_position()?;
    let _under_way = begin(&file, Collective::FileSeekShared);
    let checked = target(&file, offset, whence, || file.pointer.get());
    let to = settle(&file.team(), checked, [offset, whence.into()])?;
    // All have read the pointer, and no process uses it before it is set.
    if file.leads() {
        file.pointer.set(to)?;
    }
    file.team().barrier()
}

/// `MPI_File_get_position_shared`
pub(crate) fn get_position_shared(fh: MPI_File, offset: Out<MPI_Offset>) -> Result {
    let file = resolve(fh)?;
    file.needs_shared_position()?;
    offset.set(file.pointer.get()?);
    Ok(())
}
