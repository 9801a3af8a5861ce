//! The error handlers of files (MPI 5.0, section 14.7). `MPI_FILE_NULL` has the one for what
//! happens without a file, which is also that of new files.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::abi::*;

static DEFAULT: AtomicUsize = AtomicUsize::new(MPI_ERRORS_RETURN.0);

/// The handler of a file; that of `MPI_FILE_NULL` if it is none.
pub(crate) fn errhandler(_file: MPI_File) -> MPI_Errhandler {
    MPI_Errhandler(DEFAULT.load(Ordering::Acquire))
}
