//! The MPI tool information interface (MPI 3.1, section 14.3; events: MPI 5.0, section 15.3.8).
//!
//! - [`init`]: the counted beginning and end of the interface's use. [`strings`], [`enumerations`],
//!   [`objects`]: what all of it shares.
//! - [`cvar`]: control variables. Each is described next to its use by [`describe`]'s macros,
//!   `build.rs` gathers the descriptions into one table.
//! - [`pvar`]: performance variables: storage that the runtime updates, metadata apart from it,
//!   sessions and handles.
//! - [`category`]: how variables and events are grouped.
//! - [`event`]: event types, registrations, and how events reach their callbacks.
//! - [`watch`]: what is being watched at the moment. Where nothing is, the runtime pays for one
//!   load and a branch.
//!
//! The functions may be called before `MPI_Init` and after `MPI_Finalize`, by several threads at a
//! time, and their errors call no error handler.

pub(crate) mod category;
pub(crate) mod cvar;
pub(crate) mod describe;
pub(crate) mod enumerations;
pub(crate) mod event;
pub(crate) mod init;
mod objects;
pub(crate) mod pvar;
mod slots;
mod strings;
#[cfg(test)]
mod tests;
pub(crate) mod watch;

use crate::abi::MPI_T_ERR_INVALID;
use crate::communicator::Communicator;
use crate::error::{Error, Result};
use std::ffi::c_int;

/// A communicator ends: what is bound to it is good for nothing but to be freed.
pub(crate) fn communicator_gone(communicator: &'static Communicator) {
    cvar::communicator_gone(communicator);
    pvar::communicator_gone(communicator);
    event::communicator_gone(communicator);
}

/// Writes a caller's variable unless the caller does not want it: a null OUT argument is ignored by
/// the query functions.
fn give<T>(to: *mut T, value: T) {
    if !to.is_null() {
        // SAFETY: not null; a caller of MPI passes the address of a variable of this type, or null.
        unsafe { to.write(value) }
    }
}

/// Writes a caller's variable that must be there.
fn give_required<T>(to: *mut T, name: &str, value: T) -> Result {
    if to.is_null() {
        return Err(Error::new(
            MPI_T_ERR_INVALID,
            format!("the argument {name} is a null pointer"),
        ));
    }
    give(to, value);
    Ok(())
}

/// The element at an index that a caller gives; `code` is the error if there is none.
fn at<T: Copy>(elements: &[T], index: c_int, code: c_int) -> Result<T> {
    let found = usize::try_from(index).ok().and_then(|index| elements.get(index).copied());
    found.ok_or_else(|| {
        Error::new(code, format!("the index {index} is not in 0..{}", elements.len()))
    })
}
