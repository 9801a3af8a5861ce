//! A buffer that the program has attached for buffered sends, and the room taken in it.

use crate::abi::MPI_BSEND_OVERHEAD;
use crate::variables::counters::{BUFFERED_BYTES, BUFFERED_MESSAGES};
use std::collections::BTreeSet;
use std::ffi::c_void;

/// The buffer for messages of buffered sends.
pub(crate) enum BsendBuffer {
    /// The program's memory.
    Attached {
        /// The address.
        address: *mut c_void,
        /// Bytes.
        size: usize,
        /// The places in use, in their order.
        taken: Vec<Place>,
    },
    /// `MPI_BUFFER_AUTOMATIC`: the runtime allocates memory for each message. The numbers of the
    /// messages.
    Automatic(BTreeSet<u64>),
}

/// A place in the program's memory.
pub(crate) struct Place {
    offset: usize,
    bytes: usize,
    /// The number of the message.
    message: u64,
}

impl BsendBuffer {
    /// The program's memory as a buffer.
    pub(crate) fn new(address: *mut c_void, size: usize) -> BsendBuffer {
        BsendBuffer::Attached { address, size, taken: Vec::new() }
    }

    /// Bytes of the program's memory.
    pub(crate) fn size(&self) -> usize {
        if let BsendBuffer::Attached { size, .. } = self { *size } else { 0 }
    }

    /// Memory that the runtime allocates.
    pub(crate) fn automatic() -> BsendBuffer {
        BsendBuffer::Automatic(BTreeSet::new())
    }

    /// Whether no message up to this number is left.
    pub(super) fn is_free_of(&self, last: u64) -> bool {
        match self {
            BsendBuffer::Attached { taken, .. } => taken.iter().all(|place| place.message > last),
            BsendBuffer::Automatic(messages) => messages.first().is_none_or(|first| *first > last),
        }
    }

    /// The first gap for `bytes` of data and the overhead that the standard allows for each
    /// message: its offset, and its index among the places.
    pub(super) fn gap(&self, bytes: usize) -> Option<(usize, usize)> {
        let BsendBuffer::Attached { size, taken, .. } = self else { return Some((0, 0)) };
        let needed = bytes + MPI_BSEND_OVERHEAD as usize;
        let ends = std::iter::once(0).chain(taken.iter().map(|place| place.offset + place.bytes));
        let starts = taken.iter().map(|place| place.offset).chain(std::iter::once(*size));
        let gap = ends.zip(starts).enumerate().find(|(_, (end, start))| end + needed <= *start);
        gap.map(|(index, (end, _))| (end, index))
    }

    /// Takes a place for the message with that number; its offset.
    pub(super) fn take(&mut self, bytes: usize, message: u64) -> Option<usize> {
        let (offset, index) = self.gap(bytes)?;
        let bytes = bytes + MPI_BSEND_OVERHEAD as usize;
        match self {
            BsendBuffer::Attached { taken, .. } => {
                taken.insert(index, Place { offset, bytes, message });
            }
            BsendBuffer::Automatic(messages) => {
                messages.insert(message);
            }
        }
        BUFFERED_MESSAGES.rise(1);
        BUFFERED_BYTES.rise(bytes as u64);
        Some(offset)
    }

    /// Gives the place of a message back: its number, and the bytes taken.
    pub(super) fn give_back(&mut self, message: u64, bytes: usize) {
        BUFFERED_MESSAGES.fall(1);
        BUFFERED_BYTES.fall(bytes as u64);
        match self {
            BsendBuffer::Attached { taken, .. } => taken.retain(|place| place.message != message),
            BsendBuffer::Automatic(messages) => {
                messages.remove(&message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVERHEAD: usize = MPI_BSEND_OVERHEAD as usize;

    #[test]
    fn rooms_are_taken_and_given_back() {
        let mut buffer = BsendBuffer::new(std::ptr::null_mut(), 3 * OVERHEAD + 300);
        let offsets = [1, 2, 3].map(|message| buffer.take(100, message));
        assert_eq!(offsets, [Some(0), Some(OVERHEAD + 100), Some(2 * OVERHEAD + 200)]);
        assert_eq!(buffer.take(0, 4), None);
        buffer.give_back(2, 0);
        assert_eq!(buffer.take(101, 4), None);
        assert_eq!(buffer.take(40, 4), Some(OVERHEAD + 100));
        for message in [1, 4, 3] {
            assert!(!buffer.is_free_of(u64::MAX));
            buffer.give_back(message, 0);
        }
        assert!(buffer.is_free_of(u64::MAX));
        assert_eq!(BsendBuffer::new(std::ptr::null_mut(), OVERHEAD - 1).take(0, 5), None);
    }

    #[test]
    fn later_messages_do_not_matter() {
        for mut buffer in
            [BsendBuffer::new(std::ptr::null_mut(), 3 * OVERHEAD), BsendBuffer::automatic()]
        {
            assert!([1, 2, 3].into_iter().all(|message| buffer.take(0, message).is_some()));
            buffer.give_back(2, 0);
            assert!(!buffer.is_free_of(2));
            buffer.give_back(1, 0);
            assert!(buffer.is_free_of(2) && !buffer.is_free_of(3));
        }
    }
}
