//! The MPI object that a variable or an event is bound to (MPI 3.1, section 14.3.2).

use crate::abi::*;
use crate::communicator;
use crate::engine::context::Context;
use crate::error::{Error, Result};
use std::ffi::{c_int, c_void};

/// The communicator at the address that a caller passes, as its context for the program's messages.
/// None for a variable or event that is not bound to an object, whatever is passed.
///
/// # Errors
/// `MPI_T_ERR_INVALID`: the text has no code of its own for a wrong object.
pub(super) fn resolve(bind: c_int, object: *mut c_void) -> Result<Option<&'static Context>> {
    if bind != MPI_T_BIND_MPI_COMM {
        return Ok(None);
    }
    // SAFETY: a caller of MPI passes null or the address of a variable with the handle of a
    // communicator.
    let handle = unsafe { object.cast::<MPI_Comm>().as_ref() };
    let handle = handle.ok_or_else(|| {
        Error::new(
            MPI_T_ERR_INVALID,
            "the variable is bound to a communicator, and obj_handle is null",
        )
    })?;
    let communicator = communicator::resolve(*handle);
    communicator
        .map(|communicator| Some(&communicator.program))
        .map_err(|error| error.with_code(MPI_T_ERR_INVALID))
}
