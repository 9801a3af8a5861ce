//! The program's data of a send or a receive.

use std::ffi::{c_longlong, c_void};
use std::ptr;

/// Where the data of a message are in this process's memory.
///
/// The program promises (MPI 5.0, section 3.7.2) to leave the buffer in place until the operation is complete; every access relies on that.
#[derive(Clone)]
pub(crate) struct Payload {
    /// The buffer as the call gave it.
    buffer: *mut c_void,
    /// Elements as the call gave them.
    count: c_longlong,
    /// Bytes of data.
    length: usize,
}

impl Payload {
    /// No data.
    pub(crate) const EMPTY: Payload = Payload { buffer: ptr::null_mut(), count: 0, length: 0 };

    /// The runtime's own bytes.
    pub(crate) fn bytes(buffer: *mut u8, length: usize) -> Payload {
        Payload { buffer: buffer.cast(), count: length as c_longlong, length }
    }

    /// Bytes of data.
    pub(crate) fn length(&self) -> usize {
        self.length
    }
}
