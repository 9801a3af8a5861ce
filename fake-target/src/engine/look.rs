//! How a call that does not wait looks around: it makes progress, and lets others run.
//!
//! A program may call such functions in a loop until another rank has done something. If ranks
//! share processors, the loop must not keep that rank from running.

use super::entrance::{enter, is_wanted};
use super::state::Engine;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;

/// Looks once, and again after some progress. If ranks share processors, a program that calls this
/// in a loop lets others run.
#[inline]
pub(crate) fn look_for<R>(mut ready: impl FnMut(&'static Engine) -> Option<R>) -> Option<R> {
    let engine = enter();
    if let Some(result) = ready(&engine) {
        return Some(result);
    }
    engine.progress();
    let result = ready(&engine);
    if result.is_none() && (engine.crowded || is_wanted()) {
        drop(engine);
        thread::yield_now();
    }
    result
}

/// Makes progress, and lets others run.
pub(crate) fn look_around() {
    look_for(|_: &'static Engine| None::<()>);
}

/// The same after an operation that takes less time than a look: now and then. Giving the processor
/// to another process takes as long as 200 such operations, so this happens more rarely.
#[inline]
pub(crate) fn look_around_at_times() {
    const LOOK: u32 = 64;
    const YIELD: u32 = 16 * LOOK;
    // Threads may lose counts of each other: about that often is enough.
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let calls = CALLS.load(Relaxed).wrapping_add(1);
    CALLS.store(calls, Relaxed);
    if calls.is_multiple_of(LOOK) {
        look(calls.is_multiple_of(YIELD));
    }
}

#[cold]
fn look(and_yield: bool) {
    if and_yield {
        look_around();
    } else {
        enter().progress();
    }
}
