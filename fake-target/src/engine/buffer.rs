//! A buffer that the program has attached for buffered sends, and the room taken in it.

use crate::abi::MPI_BSEND_OVERHEAD;
use crate::variables::counters::{BUFFERED_BYTES, BUFFERED_MESSAGES};
use std::ffi::c_void;

/// The buffer for messages of buffered sends.
pub(crate) enum BsendBuffer {
    /// The program's memory.
    Attached {
        /// The address.
        address: *mut c_void,
        /// Bytes.
        size: usize,
        /// The places in use, in their order: offset and bytes.
        taken: Vec<(usize, usize)>,
    },
    /// `MPI_BUFFER_AUTOMATIC`: the runtime allocates memory for each message. The number of
    /// messages.
    Automatic(usize),
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

    pub(super) fn is_empty(&self) -> bool {
        match self {
            BsendBuffer::Attached { taken, .. } => taken.is_empty(),
            BsendBuffer::Automatic(messages) => *messages == 0,
        }
    }

    /// The first gap for `bytes` of data and the overhead that the standard allows for each
    /// message: its offset, and its index among the places.
    pub(super) fn gap(&self, bytes: usize) -> Option<(usize, usize)> {
        let BsendBuffer::Attached { size, taken, .. } = self else { return Some((0, 0)) };
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
            BsendBuffer::Attached { taken, .. } => {
                taken.insert(index, (offset, bytes + MPI_BSEND_OVERHEAD as usize))
            }
            BsendBuffer::Automatic(messages) => *messages += 1,
        }
        BUFFERED_MESSAGES.rise(1);
        BUFFERED_BYTES.rise((bytes + MPI_BSEND_OVERHEAD as usize) as u64);
        Some(offset)
    }

    /// Gives a place back: its offset, and the bytes taken.
    pub(super) fn give_back(&mut self, offset: usize, bytes: usize) {
        BUFFERED_MESSAGES.fall(1);
        BUFFERED_BYTES.fall(bytes as u64);
        match self {
            BsendBuffer::Attached { taken, .. } => taken.retain(|(taken, _)| *taken != offset),
            BsendBuffer::Automatic(messages) => *messages -= 1,
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
        let offsets = [100, 100, 100].map(|bytes| buffer.take(bytes));
        assert_eq!(offsets, [Some(0), Some(OVERHEAD + 100), Some(2 * OVERHEAD + 200)]);
        assert_eq!(buffer.take(0), None);
        buffer.give_back(OVERHEAD + 100, 0);
        assert_eq!(buffer.take(101), None);
        assert_eq!(buffer.take(40), Some(OVERHEAD + 100));
        for offset in [0, OVERHEAD + 100, 2 * OVERHEAD + 200] {
            assert!(!buffer.is_empty());
            buffer.give_back(offset, 0);
        }
        assert!(buffer.is_empty());
        assert_eq!(BsendBuffer::new(std::ptr::null_mut(), OVERHEAD - 1).take(0), None);
    }
}
