//! Watermarks: their handles are registered here while they are started, and told when a level
//! moves.

use super::handle::PvarHandle;
use super::storage::Level;
use crate::mpi_t::watch;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

/// A started handle.
struct Watermark {
    /// The address of the level; compared, never followed.
    level: usize,
    handle: &'static PvarHandle,
    high: bool,
}

static STARTED: RwLock<Vec<Watermark>> = RwLock::new(Vec::new());

/// A mark takes notice of a level. Most of the time there is nothing to note.
fn note(mark: &AtomicU64, high: bool, now: u64) {
    let mark_now = mark.load(Ordering::Relaxed);
    if high && now > mark_now {
        mark.fetch_max(now, Ordering::Relaxed);
    } else if !high && now < mark_now {
        mark.fetch_min(now, Ordering::Relaxed);
    }
}

/// A level with started handles has changed.
pub(super) fn moved(level: &Level) {
    let address = std::ptr::from_ref(level).addr();
    let now = level.get();
    for watermark in STARTED.read().unwrap_or_else(PoisonError::into_inner).iter() {
        if watermark.level == address {
            note(&watermark.handle.mark, watermark.high, now);
        }
    }
}

/// A handle is started: from now on, the level of this moment included, its mark follows.
pub(super) fn start(handle: &'static PvarHandle, level: &Level, high: bool) {
    let mut started = STARTED.write().unwrap_or_else(PoisonError::into_inner);
    level.watch(true);
    started.push(Watermark { level: std::ptr::from_ref(level).addr(), handle, high });
    watch::set(watch::WATERMARKS, true);
    note(&handle.mark, high, level.get());
}

/// A handle is stopped: its mark stays.
pub(super) fn stop(handle: &'static PvarHandle, level: &Level) {
    let mut started = STARTED.write().unwrap_or_else(PoisonError::into_inner);
    level.watch(false);
    started.retain(|watermark| !std::ptr::eq(watermark.handle, handle));
    watch::set(watch::WATERMARKS, !started.is_empty());
}

/// Sets a mark to a value, or to the level of this moment; returns what it was. A level that moves
/// meanwhile is not missed by a started handle.
pub(super) fn set(
    handle: &'static PvarHandle,
    level: &Level,
    high: bool,
    running: bool,
    value: Option<u64>,
) -> u64 {
    let now = || level.get();
    let before = handle.mark.swap(value.unwrap_or_else(now), Ordering::Relaxed);
    if running {
        note(&handle.mark, high, now());
    }
    before
}
