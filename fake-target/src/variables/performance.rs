//! The storage of performance variables: what the runtime updates, by one add each. Their metadata
//! are in the tool information interface.
//!
//! An update is a load and a store, not an atomic addition. The updating thread is in the engine,
//! where there is one thread at a time, or it uses the `_shared` variant. Any thread may read.

use super::{watch, watermark};
use crate::clock::nanoseconds;
use crate::process;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// A value that only grows, of the classes COUNTER and AGGREGATE.
#[derive(Default)]
pub(crate) struct Sum(AtomicU64);

impl Sum {
    /// Zero.
    pub(crate) const fn new() -> Sum {
        Sum(AtomicU64::new(0))
    }

    /// Adds, by a thread that is in the engine.
    #[inline(always)]
    pub(crate) fn add(&self, more: u64) {
        self.0.store(self.0.load(Ordering::Relaxed).wrapping_add(more), Ordering::Relaxed);
    }

    /// Adds, by any thread that may call MPI.
    #[inline]
    pub(crate) fn add_shared(&self, more: u64) {
        if process::has_threads() {
            self.0.fetch_add(more, Ordering::Relaxed);
        } else {
            self.add(more);
        }
    }

    /// The sum since the program began.
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Where it is.
    pub(crate) fn cell(&self) -> &AtomicU64 {
        &self.0
    }
}

/// A value that rises and falls: of the class LEVEL, and the one that watermarks watch.
pub(crate) struct Level {
    now: AtomicU64,
    /// Marks that follow it.
    watermarks: AtomicU32,
    /// The level of the whole process that this one is part of.
    total: Option<&'static Level>,
}

impl Level {
    /// An empty level.
    pub(crate) const fn new() -> Level {
        Level { now: AtomicU64::new(0), watermarks: AtomicU32::new(0), total: None }
    }

    /// An empty level that is part of another.
    pub(crate) const fn part_of(total: &'static Level) -> Level {
        Level { now: AtomicU64::new(0), watermarks: AtomicU32::new(0), total: Some(total) }
    }

    /// It rises, by a thread that is in the engine.
    #[inline(always)]
    pub(crate) fn rise(&self, more: u64) {
        self.change(more);
    }

    /// It falls, by a thread that is in the engine.
    #[inline(always)]
    pub(crate) fn fall(&self, less: u64) {
        self.change(less.wrapping_neg());
    }

    #[inline(always)]
    fn change(&self, difference: u64) {
        let add = |cell: &AtomicU64| {
            cell.store(cell.load(Ordering::Relaxed).wrapping_add(difference), Ordering::Relaxed);
        };
        add(&self.now);
        if let Some(total) = self.total {
            add(&total.now);
        }
        if watch::is(watch::WATERMARKS) {
            self.moved();
        }
    }

    /// It rises or, with a negative number, falls, by a thread that need not be in the engine.
    #[inline]
    pub(crate) fn change_by(&self, difference: i64) {
        if !process::has_threads() {
            return self.change(difference as u64);
        }
        debug_assert!(self.total.is_none());
        self.now.fetch_add(difference as u64, Ordering::Relaxed);
        if watch::is(watch::WATERMARKS) {
            self.moved();
        }
    }

    #[cold]
    fn moved(&self) {
        for level in [Some(self), self.total].into_iter().flatten() {
            if level.watermarks.load(Ordering::Relaxed) > 0 {
                watermark::moved(level.address(), level.get());
            }
        }
    }

    /// A mark follows it from now on, including the current level. With `high` the mark is the
    /// highest value, otherwise the lowest.
    pub(crate) fn start_mark(&self, mark: &'static AtomicU64, high: bool) {
        watermark::start(self.address(), mark, high, || {
            self.watermarks.fetch_add(1, Ordering::Relaxed);
            self.get()
        });
    }

    /// A mark that follows it stays as it is.
    pub(crate) fn stop_mark(&self, mark: &'static AtomicU64) {
        watermark::stop(mark, || {
            self.watermarks.fetch_sub(1, Ordering::Relaxed);
        });
    }

    /// Sets a mark to a value, or to the current level; returns the old mark. A mark that `follows`
    /// the level does not miss a change meanwhile.
    pub(crate) fn set_mark(
        &self,
        mark: &AtomicU64,
        high: bool,
        follows: bool,
        value: Option<u64>,
    ) -> u64 {
        let before = mark.swap(value.unwrap_or_else(|| self.get()), Ordering::Relaxed);
        if follows {
            watermark::note(mark, high, self.get());
        }
        before
    }

    /// A number that distinguishes it from other levels.
    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// How high it is.
    pub(crate) fn get(&self) -> u64 {
        self.now.load(Ordering::Relaxed)
    }

    /// Where it is.
    pub(crate) fn cell(&self) -> &AtomicU64 {
        &self.now
    }
}

/// Time spent on something, of the class TIMER. The clock is looked at only while a handle of the
/// variable is started.
pub(crate) struct Timer {
    nanoseconds: Sum,
    /// The bit of [`watch`] that says that a handle is started.
    watched: u32,
    handles: Mutex<usize>,
}

impl Timer {
    /// A timer behind a bit of [`watch`].
    pub(crate) const fn new(watched: u32) -> Timer {
        Timer { nanoseconds: Sum::new(), watched, handles: Mutex::new(0) }
    }

    /// The section begins. The result is the time, or 0 if no handle is started.
    #[inline(always)]
    pub(crate) fn begin(&self) -> u64 {
        if watch::is(self.watched) { nanoseconds() } else { 0 }
    }

    /// The section that began at `begin` ends.
    #[inline(always)]
    pub(crate) fn end(&self, begin: u64) {
        if begin != 0 {
            self.add_since(begin);
        }
    }

    /// Adds a time that was measured anyway, if a handle is started.
    pub(crate) fn add_watched(&self, nanoseconds: u64) {
        if watch::is(self.watched) {
            self.nanoseconds.add_shared(nanoseconds);
        }
    }

    #[cold]
    fn add_since(&self, begin: u64) {
        self.nanoseconds.add_shared(nanoseconds() - begin);
    }

    /// One handle more, or one less, is started.
    pub(crate) fn watch(&self, started: bool) {
        let mut handles = self.handles.lock().unwrap_or_else(PoisonError::into_inner);
        *handles = if started { *handles + 1 } else { handles.saturating_sub(1) };
        watch::set(self.watched, *handles > 0);
    }

    /// Where the nanoseconds are.
    pub(crate) fn cell(&self) -> &AtomicU64 {
        self.nanoseconds.cell()
    }
}

/// The messages to and from one rank of a communicator.
#[derive(Default)]
pub(crate) struct Traffic {
    /// Messages of sends that were started.
    pub(crate) messages_sent: Sum,
    /// Their bytes.
    pub(crate) bytes_sent: Sum,
    /// Messages that were received.
    pub(crate) messages_received: Sum,
    /// Their bytes.
    pub(crate) bytes_received: Sum,
}
