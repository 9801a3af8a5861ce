//! What the processes of a window share to synchronise, at the beginning of the memory that all of
//! them map:
//!
//! ```text
//! meeting | an entry for each target | an entry for each pair of target and origin | data
//! ```
//!
//! Zeros are a valid state of every part.

use std::ffi::c_int;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};

use super::latch::Latch;
use super::memory::Mapping;
use crate::abi::MPI_SUCCESS;
use crate::transport::system;

/// The barrier of all processes.
#[repr(C, align(128))]
pub(super) struct Meeting {
    /// Processes that have come.
    arrived: AtomicU32,
    /// Meetings that are over.
    rounds: AtomicU32,
    /// The error codes of failed processes, or 0: of meetings with even and with odd numbers.
    failures: [AtomicI32; 2],
}

/// State of the memory of one process.
#[repr(C, align(128))]
pub(super) struct Target {
    /// Held while elements are combined.
    pub(super) accumulate: Latch,
    /// Held while the fields below change.
    pub(super) locks: Latch,
    /// Origins with a shared lock.
    pub(super) shared: AtomicU32,
    /// The origin with the exclusive lock: its rank and 1, or 0.
    pub(super) exclusive: AtomicU32,
    /// Origins that wait for a lock.
    pub(super) waiting: AtomicU32,
    /// The number for the next origin that has to wait.
    pub(super) next: AtomicU32,
    /// Changes of the list of attached memory: odd while it changes.
    pub(super) changes: AtomicU64,
    /// The address of that list in the target.
    pub(super) attached: AtomicU64,
    /// Its entries.
    pub(super) attachments: AtomicU64,
}

/// State of one origin at one target.
#[repr(C)]
pub(super) struct OriginLock {
    /// The origin's lock: one of the values of `passive`.
    pub(super) lock: AtomicU32,
    /// The origin's number among those that wait.
    pub(super) number: AtomicU32,
}

/// The shared part of a window.
pub(super) struct Control {
    mapping: Mapping,
    ranks: usize,
}

impl Control {
    /// Bytes before the data in a window with this number of processes: whole pages.
    pub(super) fn bytes(ranks: usize) -> usize {
        Control::pairs_at(ranks)
            .saturating_add(ranks * ranks * size_of::<OriginLock>())
            .next_multiple_of(system::page())
    }

    fn pairs_at(ranks: usize) -> usize {
        size_of::<Meeting>() + ranks * size_of::<Target>()
    }

    /// The shared part at the beginning of a mapping, which has at least that many bytes.
    pub(super) fn new(mapping: Mapping, ranks: usize) -> Control {
        Control { mapping, ranks }
    }

    /// The address of a byte of the mapping.
    pub(super) fn at(&self, offset: usize) -> *mut u8 {
        self.mapping.at(offset)
    }

    fn meeting(&self) -> &Meeting {
        // SAFETY: the beginning of the mapping, which is aligned to a page; all fields are atomic.
        unsafe { &*self.mapping.at(0).cast() }
    }

    /// The state of the memory of a process.
    #[inline]
    pub(super) fn target(&self, rank: usize) -> &Target {
        assert!(rank < self.ranks, "{rank} is one of {}", self.ranks);
        // SAFETY: inside of the mapping by `bytes`, and aligned; all fields are atomic.
        unsafe { &*self.mapping.at(size_of::<Meeting>()).cast::<Target>().add(rank) }
    }

    /// The state of an origin at a target.
    #[inline]
    pub(super) fn pair(&self, target: usize, origin: usize) -> &OriginLock {
        assert!(target < self.ranks && origin < self.ranks, "ranks below {}", self.ranks);
        let index = target * self.ranks + origin;
        // SAFETY: as for `target`.
        unsafe { &*self.mapping.at(Control::pairs_at(self.ranks)).cast::<OriginLock>().add(index) }
    }

    /// Arrives at a meeting, with an error code if this process has failed. The result is the
    /// number of the meeting, and whether this process was the last one.
    pub(super) fn arrive(&self, code: c_int) -> (u32, bool) {
        let meeting = self.meeting();
        let round = meeting.rounds.load(Ordering::Acquire);
        if code != MPI_SUCCESS {
            meeting.failures[round as usize % 2].store(code, Ordering::Relaxed);
        }
        if meeting.arrived.fetch_add(1, Ordering::AcqRel) + 1 < self.ranks as u32 {
            return (round, false);
        }
        meeting.arrived.store(0, Ordering::Relaxed);
        // All have come, so all have read the result of the meeting before this one.
        meeting.failures[(round as usize + 1) % 2].store(MPI_SUCCESS, Ordering::Relaxed);
        meeting.rounds.store(round.wrapping_add(1), Ordering::Release);
        (round, true)
    }

    /// Whether the meeting with that number is over.
    #[inline]
    pub(super) fn is_over(&self, round: u32) -> bool {
        self.meeting().rounds.load(Ordering::Acquire) != round
    }

    /// The error code of a process that has failed in the meeting with that number, which is over.
    /// This process has not arrived at the next one.
    pub(super) fn failure(&self, round: u32) -> c_int {
        self.meeting().failures[round as usize % 2].load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_has_its_own_place() {
        for ranks in [1, 2, 3, 64, 300] {
            let pairs = Control::pairs_at(ranks);
            assert!(pairs >= size_of::<Meeting>() + ranks * size_of::<Target>());
            assert!(pairs.is_multiple_of(align_of::<OriginLock>()));
            assert!(Control::bytes(ranks) >= pairs + ranks * ranks * size_of::<OriginLock>());
        }
    }

    #[test]
    fn a_failure_is_one_of_its_meeting() {
        let (mapping, _file) = Mapping::create(Control::bytes(2)).unwrap();
        let control = Control::new(mapping, 2);
        for (round, codes) in [[0, 7], [0, 0], [5, 0], [0, 6], [0, 0]].into_iter().enumerate() {
            for code in codes {
                control.arrive(code);
            }
            assert_eq!(control.failure(round as u32), codes.into_iter().sum::<c_int>());
        }
    }

    #[test]
    fn the_last_one_ends_a_meeting() {
        let (mapping, _file) = Mapping::create(Control::bytes(3)).unwrap();
        let control = Control::new(mapping, 3);
        for round in 0..4 {
            assert_eq!((control.arrive(0), control.is_over(round)), ((round, false), false));
            assert_eq!(control.arrive(0), (round, false));
            assert_eq!((control.arrive(0), control.is_over(round)), ((round, true), true));
            assert_eq!(control.failure(round), MPI_SUCCESS);
        }
    }
}
