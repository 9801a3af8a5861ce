//! Bounce buffers: shared memory through which data of a few pages travel. The sender copies its
//! data to one of its buffers and goes on. Each receiver copies them out when it needs them. This
//! takes two copies. But no process waits for another one, and no system call looks up pages.
//! Several receivers of the same data share one buffer.
//!
//! Each rank has its own buffers, and in its block of the segment one word for each: how many
//! receivers still need the data.

use std::sync::atomic::{AtomicU32, Ordering};

/// The number of buffers of a rank. All of them together should fit the cache of a processor.
pub(crate) const BUFFERS: usize = 4;

/// The most bytes of data in a buffer.
pub(crate) const BYTES: usize = 128 << 10;

/// Data in a buffer begin at the same distance from a multiple of this as at the sender. Copies
/// are several times slower if the two distances differ by a few bytes: the processor then takes
/// what it reads for what it has just written.
pub(crate) const ALIGNMENT: usize = 4096;

/// How many receivers need the data in each buffer of a rank; in shared memory. A buffer is free
/// when its word is zero.
#[repr(C, align(128))]
pub(crate) struct Readers([AtomicU32; BUFFERS]);

impl Readers {
    /// Takes a free buffer for data that `readers` processes will read. Only the rank whose buffers
    /// they are may call it, and one thread at a time. None: all are in use.
    pub(crate) fn take(&self, readers: u32) -> Option<usize> {
        // The first ones are likely to be in the cache. Acquire: all readers have read.
        let buffer = self.0.iter().position(|word| word.load(Ordering::Acquire) == 0)?;
        self.0[buffer].store(readers, Ordering::Relaxed);
        Some(buffer)
    }

    /// A reader needs the data no more.
    pub(crate) fn leave(&self, buffer: usize) {
        // Release: it has read them.
        self.0[buffer].fetch_sub(1, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_free_when_all_have_read() {
        let readers = Readers(Default::default());
        let taken: Vec<_> = (0..BUFFERS).map(|_| readers.take(2)).collect();
        assert_eq!(taken, (0..BUFFERS).map(Some).collect::<Vec<_>>());
        readers.leave(2);
        assert_eq!(readers.take(1), None);
        readers.leave(2);
        assert_eq!(readers.take(1), Some(2));
    }
}
