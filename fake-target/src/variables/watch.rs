//! What is being watched at the moment. It is one word, so that the cost is one load and a branch
//! if nothing is watched.

use std::sync::atomic::{AtomicU32, Ordering};

/// A handle of a watermark is started.
pub(crate) const WATERMARKS: u32 = 1;
/// A handle of the time in matching is started.
pub(crate) const MATCHING: u32 = 4;
/// A handle of the time in waiting calls is started.
pub(crate) const WAITING: u32 = 8;
/// A handle of the time asleep is started.
pub(crate) const SLEEPING: u32 = 16;
/// A handle of the time in collective operations is started.
pub(crate) const COLLECTIVES: u32 = 32;
/// A handle of the time in progress is started.
pub(crate) const PROGRESS: u32 = 64;

static WATCHED: AtomicU32 = AtomicU32::new(0);

/// Whether any of these is watched.
#[inline(always)]
pub(crate) fn is(what: u32) -> bool {
    WATCHED.load(Ordering::Relaxed) & what != 0
}

/// Sets whether something is watched. The caller holds the lock for what is counted.
pub(super) fn set(what: u32, watched: bool) {
    match watched {
        true => WATCHED.fetch_or(what, Ordering::Relaxed),
        false => WATCHED.fetch_and(!what, Ordering::Relaxed),
    };
}
