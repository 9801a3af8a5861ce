//! A buffer that the program has attached for buffered sends, and the room taken in it.

use super::context::Context;
use crate::abi::MPI_BSEND_OVERHEAD;
use crate::variables::counters::{BUFFERED_BYTES, BUFFERED_MESSAGES};
use std::ffi::c_void;

/// A buffer for messages that their sends have left behind.
pub(crate) enum Buffer {
    /// The program's memory.
    Attached {
        /// The address.
        address: *mut c_void,
        /// Bytes.
        size: usize,
        /// The places in use, in their order: offset and bytes.
        taken: Vec<(usize, usize)>,
    },
    /// `MPI_BUFFER_AUTOMATIC`: each message has memory of its own, the runtime's. The number of
    /// messages.
    Automatic(usize),
}

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
    /// Bytes from the buffer's address.
    pub(super) offset: usize,
    /// Bytes taken, with the overhead.
    pub(super) bytes: usize,
    /// Whose buffer it is in.
    pub(super) holder: Holder,
    /// Where the program has the data.
    pub(super) data: *mut c_void,
}

impl Buffer {
    /// The program's memory as a buffer.
    pub(crate) fn new(address: *mut c_void, size: usize) -> Buffer {
        Buffer::Attached { address, size, taken: Vec::new() }
    }

    /// Bytes of the program's memory.
    pub(crate) fn size(&self) -> usize {
        if let Buffer::Attached { size, .. } = self { *size } else { 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Buffer::Attached { taken, .. } => taken.is_empty(),
            Buffer::Automatic(messages) => *messages == 0,
        }
    }

    /// The first gap for `bytes` of data and the overhead that the standard lets each message have:
    /// its offset, and its number among the places.
    pub(super) fn gap(&self, bytes: usize) -> Option<(usize, usize)> {
        let Buffer::Attached { size, taken, .. } = self else { return Some((0, 0)) };
        let needed = bytes + MPI_BSEND_OVERHEAD as usize;
        let ends = std::iter::once(0).chain(taken.iter().map(|(offset, bytes)| offset + bytes));
        let starts = taken.iter().map(|(offset, _)| *offset).chain(std::iter::once(*size));
        let gap = ends.zip(starts).enumerate().find(|(_, (end, start))| end + needed <= *start);
        gap.map(|(index, (end, _))| (end, index))
    }

    /// Takes a place; its offset.
    pub(super) fn take(&mut self, bytes: usize) -> Option<usize> {
        let (offset, index) = self.gap(bytes)?;
        match self {
            Buffer::Attached { taken, .. } => {
                taken.insert(index, (offset, bytes + MPI_BSEND_OVERHEAD as usize))
            }
            Buffer::Automatic(messages) => *messages += 1,
        }
        BUFFERED_MESSAGES.rise(1);
        BUFFERED_BYTES.rise((bytes + MPI_BSEND_OVERHEAD as usize) as u64);
        Some(offset)
    }

    pub(super) fn give_back(&mut self, room: Room) {
        BUFFERED_MESSAGES.fall(1);
        BUFFERED_BYTES.fall(room.bytes as u64);
        match self {
            Buffer::Attached { taken, .. } => taken.retain(|(offset, _)| *offset != room.offset),
            Buffer::Automatic(messages) => *messages -= 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVERHEAD: usize = MPI_BSEND_OVERHEAD as usize;

    fn room(offset: usize) -> Room {
        Room { offset, bytes: 0, holder: Holder::Process, data: std::ptr::null_mut() }
    }

    #[test]
    fn rooms_are_taken_and_given_back() {
        let mut buffer = Buffer::new(std::ptr::null_mut(), 3 * OVERHEAD + 300);
        let offsets = [100, 100, 100].map(|bytes| buffer.take(bytes));
        assert_eq!(offsets, [Some(0), Some(OVERHEAD + 100), Some(2 * OVERHEAD + 200)]);
        assert_eq!(buffer.take(0), None);
        buffer.give_back(room(OVERHEAD + 100));
        assert_eq!(buffer.take(101), None);
        assert_eq!(buffer.take(40), Some(OVERHEAD + 100));
        for offset in [0, OVERHEAD + 100, 2 * OVERHEAD + 200] {
            assert!(!buffer.is_empty());
            buffer.give_back(room(offset));
        }
        assert!(buffer.is_empty());
        assert_eq!(Buffer::new(std::ptr::null_mut(), OVERHEAD - 1).take(0), None);
    }
}
