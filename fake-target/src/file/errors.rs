//! Errors of files (MPI 5.0, section 14.7): errors of the system as error classes of MPI, and error
//! handlers. The handler of `MPI_FILE_NULL` is for errors without a file, and is the initial
//! handler of new files.

use std::ffi::c_int;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::object::{File, resolve};
use crate::abi::*;
use crate::errhandler::{self, ErrorsOf};
use crate::error::{Error, Result};

static DEFAULT: AtomicUsize = AtomicUsize::new(MPI_ERRORS_RETURN.0);

/// The handler of new files.
pub(super) fn default_errhandler() -> MPI_Errhandler {
    MPI_Errhandler(DEFAULT.load(Ordering::Acquire))
}

/// The handler of a file; that of `MPI_FILE_NULL` if the file is not a valid one.
pub(crate) fn errhandler(file: MPI_File) -> MPI_Errhandler {
    resolve(file).map_or_else(|_| default_errhandler(), |file| file.errhandler())
}

/// Replaces the handler of a file, or of `MPI_FILE_NULL`.
pub(crate) fn set_errhandler(file: MPI_File, handler: MPI_Errhandler) -> Result {
    let own = match file {
        MPI_FILE_NULL => None,
        file => Some(resolve(file)?),
    };
    errhandler::retain_for(handler, ErrorsOf::Files)?;
    let place = own.as_deref().map_or(&DEFAULT, File::errhandler_place);
    errhandler::release(MPI_Errhandler(place.swap(handler.0, Ordering::AcqRel)));
    Ok(())
}

/// The class of an error of the system.
pub(super) fn class_of(error: &io::Error) -> c_int {
    match error.raw_os_error() {
        Some(libc::ENOENT) => MPI_ERR_NO_SUCH_FILE,
        Some(libc::EEXIST) => MPI_ERR_FILE_EXISTS,
        Some(libc::EACCES | libc::EPERM) => MPI_ERR_ACCESS,
        Some(libc::EROFS) => MPI_ERR_READ_ONLY,
        Some(libc::ENOSPC | libc::EFBIG) => MPI_ERR_NO_SPACE,
        Some(libc::EDQUOT) => MPI_ERR_QUOTA,
        Some(libc::EISDIR | libc::ENOTDIR | libc::ENAMETOOLONG | libc::ELOOP | libc::EINVAL) => {
            MPI_ERR_BAD_FILE
        }
        Some(libc::ETXTBSY | libc::EBUSY) => MPI_ERR_FILE_IN_USE,
        _ => MPI_ERR_IO,
    }
}

/// An error of the system while something was done: "write to".
pub(super) fn system(what: &str, path: &std::path::Path, error: &io::Error) -> Error {
    Error::new(class_of(error), format!("cannot {what} {}: {error}", path.display()))
}
