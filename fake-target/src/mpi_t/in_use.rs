//! Whether the interface is in use (MPI 3.1, section 14.3.4).

use crate::abi::MPI_T_ERR_NOT_INITIALIZED;
use crate::error::{Error, Result};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Calls of `MPI_T_init_thread` less calls of `MPI_T_finalize`.
pub(super) static USERS: AtomicUsize = AtomicUsize::new(0);

/// `MPI_T_ERR_NOT_INITIALIZED` unless the interface is in use.
#[inline]
pub(crate) fn check() -> Result {
    if USERS.load(Ordering::Relaxed) > 0 { Ok(()) } else { Err(not_initialized()) }
}

/// The error of every function while the interface is not in use.
#[cold]
pub(super) fn not_initialized() -> Error {
    Error::new(MPI_T_ERR_NOT_INITIALIZED, "MPI_T_init_thread has not been called")
}
