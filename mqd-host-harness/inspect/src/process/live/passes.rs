//! Counts how often a thread reaches an address. The processor counts while the process runs.

use std::fs::File;
use std::io::{self, Read};

use super::sys;

/// Counts how often a thread has reached an address since the counter was made.
#[derive(Debug)]
pub struct Passes {
    counter: File,
}

impl Passes {
    /// Begins to count.
    ///
    /// # Errors
    /// The kernel forbids it (`perf_event_paranoid`), the machine has no such counters left, or the
    /// thread has ended.
    pub fn count(thread: u32, address: u64) -> io::Result<Passes> {
        sys::count_passes(thread, address).map(|counter| Passes { counter: counter.into() })
    }

    /// The number.
    ///
    /// # Errors
    /// The counter cannot be read, or the thread ran for a while without it.
    pub fn so_far(&self) -> io::Result<u64> {
        let mut number = [0; 8];
        (&self.counter).read_exact(&mut number)?;
        Ok(u64::from_ne_bytes(number))
    }
}
