//! The marks of watermarks. They are listed here while they follow a level, and are updated when it
//! moves.

use super::watch;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

/// A mark that follows a level.
struct Watermark {
    /// The address of the level; compared, never followed.
    level: usize,
    mark: &'static AtomicU64,
    high: bool,
}

static STARTED: RwLock<Vec<Watermark>> = RwLock::new(Vec::new());

/// Updates a mark with a level. Most of the time there is nothing to update.
pub(super) fn note(mark: &AtomicU64, high: bool, now: u64) {
    let mark_now = mark.load(Ordering::Relaxed);
    if high && now > mark_now {
        mark.fetch_max(now, Ordering::Relaxed);
    } else if !high && now < mark_now {
        mark.fetch_min(now, Ordering::Relaxed);
    }
}

/// A level that marks follow has changed.
pub(super) fn moved(level: usize, now: u64) {
    for watermark in STARTED.read().unwrap_or_else(PoisonError::into_inner).iter() {
        if watermark.level == level {
            note(watermark.mark, watermark.high, now);
        }
    }
}

/// A mark begins to follow a level. `count` counts it, under the lock of all marks, and reads the
/// level.
pub(super) fn start(
    level: usize,
    mark: &'static AtomicU64,
    high: bool,
    count: impl FnOnce() -> u64,
) {
    let mut started = STARTED.write().unwrap_or_else(PoisonError::into_inner);
    let now = count();
    started.push(Watermark { level, mark, high });
    watch::set(watch::WATERMARKS, true);
    note(mark, high, now);
}

/// A mark stops following its level. `count` counts it, under the lock of all marks.
pub(super) fn stop(mark: &'static AtomicU64, count: impl FnOnce()) {
    let mut started = STARTED.write().unwrap_or_else(PoisonError::into_inner);
    count();
    started.retain(|watermark| !std::ptr::eq(watermark.mark, mark));
    watch::set(watch::WATERMARKS, !started.is_empty());
}
