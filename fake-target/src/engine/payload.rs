//! The program's data of a send or a receive.

use crate::debug::queues::mqdrt_datatype;
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
    /// The first byte, where the data are one block.
    block: *mut u8,
}

impl Payload {
    /// No data.
    pub(crate) const EMPTY: Payload = Payload { buffer: ptr::null_mut(), count: 0, length: 0, block: ptr::null_mut() };

    /// The runtime's own bytes.
    pub(crate) fn bytes(buffer: *mut u8, length: usize) -> Payload {
        Payload { buffer: buffer.cast(), count: length as c_longlong, length, block: buffer }
    }

    /// The buffer as the call gave it.
    pub(crate) fn buffer(&self) -> *mut c_void {
        self.buffer
    }

    /// Elements as the call gave them.
    pub(crate) fn count(&self) -> c_longlong {
        self.count
    }

    /// Bytes of data.
    #[inline]
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// The datatype, as debuggers see it.
    pub(crate) fn datatype(&self) -> *const mqdrt_datatype {
        ptr::null()
    }

    /// The address of the data, where they are one block; else 0.
    pub(crate) fn address(&self) -> u64 {
        self.block.addr() as u64
    }

    /// The bytes `start..end` of the data to receive, where they are one block.
    pub(crate) fn block(&mut self, start: usize, end: usize) -> Option<&mut [u8]> {
        if self.block.is_null() || end > self.length {
            return None;
        }
        // SAFETY: the program's buffer holds `length` bytes from `block`, and is the operation's own until that is complete.
        Some(unsafe { std::slice::from_raw_parts_mut(self.block.add(start), end - start) })
    }

    /// Copies the data from `offset` on into `to`.
    #[inline]
    pub(crate) fn gather(&self, offset: usize, to: &mut [u8]) {
        debug_assert!(offset + to.len() <= self.length);
        // SAFETY: as for `block`; a buffer to send is not written by anybody meanwhile.
        unsafe { ptr::copy_nonoverlapping(self.block.add(offset), to.as_mut_ptr(), to.len()) }
    }

    /// Copies `from` into the data at `offset`; what goes beyond the end is dropped.
    #[inline]
    pub(crate) fn scatter(&self, offset: usize, from: &[u8]) {
        let bytes = from.len().min(self.length.saturating_sub(offset));
        if bytes > 0 {
            // SAFETY: as for `block`.
            unsafe { ptr::copy_nonoverlapping(from.as_ptr(), self.block.add(offset), bytes) }
        }
    }

    /// The same data, copied to `to`, where there must be room for [`Payload::length`] bytes.
    pub(crate) fn moved_to(&self, to: *mut u8) -> Payload {
        if self.length > 0 {
            // SAFETY: the caller gives that much memory.
            self.gather(0, unsafe { std::slice::from_raw_parts_mut(to, self.length) });
        }
        Payload { buffer: to.cast(), block: to, ..self.clone() }
    }

    /// Forgets the datatype.
    pub(crate) fn forget(&mut self) {}
}
