//! The room that a buffered send has taken, and whose buffer it is in.

use super::context::Context;
use std::ffi::c_void;

/// Whose sends a buffer is for.
#[derive(Clone, Copy)]
pub(crate) enum Holder {
    /// All of the process.
    Process,
    /// Those of the communicators that come from the session with this handle.
    Session(usize),
    /// Those of one communicator.
    Communicator(&'static Context),
}

/// The room of a message in a buffer.
#[derive(Clone, Copy)]
pub(crate) struct Room {
    /// The number of the message.
    pub(super) message: u64,
    /// Bytes taken, with the overhead.
    pub(super) bytes: usize,
    /// Whose buffer it is in.
    pub(super) holder: Holder,
    /// Where the program has the data.
    pub(super) data: *mut c_void,
}
