//! How a call waits: it makes progress, and gives the processor away when that leads to nothing.

use super::{Engine, Guard, enter};
use crate::transport::backoff::{Backoff, SLEEP, Step};
use std::thread;
use std::time::Duration;

/// The longest sleep while something waits for room in a ring: the doorbell for that is not always rung.
const SHORT_SLEEP: Duration = Duration::from_millis(1);

/// Waits until `ready` gives a result. The engine is free for other threads between two looks.
#[inline]
pub(crate) fn wait_for<R>(mut ready: impl FnMut(&'static Engine) -> Option<R>) -> R {
    let mut engine = enter();
    if let Some(result) = ready(&engine) {
        return result;
    }
    let Engine { crowded, wanted, .. } = *engine;
    let mut backoff = Backoff::new(*crowded, wanted);
    loop {
        if engine.progress() {
            backoff.reset();
            if let Some(result) = ready(&engine) {
                return result;
            }
        } else if let Some(result) = super::threads().then(|| ready(&engine)).flatten() {
            return result;
        }
        match backoff.step() {
            Step::Spin if !super::threads() => continue,
            Step::Spin => {
                drop(engine);
                if super::is_wanted() {
                    thread::yield_now();
                }
            }
            Step::Yield => {
                drop(engine);
                thread::yield_now();
            }
            Step::Sleep => {
                if let Some(result) = sleep(engine, &mut ready) {
                    return result;
                }
            }
        }
        engine = enter();
    }
}

/// Looks once, after some progress if need be. A program that calls this in a loop lets others run where ranks share processors.
#[inline]
pub(crate) fn look_for<R>(mut ready: impl FnMut(&'static Engine) -> Option<R>) -> Option<R> {
    let engine = enter();
    if let Some(result) = ready(&engine) {
        return Some(result);
    }
    engine.progress();
    let result = ready(&engine);
    if result.is_none() && (engine.crowded || super::is_wanted()) {
        drop(engine);
        thread::yield_now();
    }
    result
}

/// Sleeps until something may have happened, unless it has happened just before.
#[cold]
fn sleep<R>(engine: Guard, ready: &mut impl FnMut(&'static Engine) -> Option<R>) -> Option<R> {
    let state: &'static Engine = &engine;
    let needs_room = !state.busy.borrow().is_empty();
    let sleeper = state.segment.prepare_to_sleep(needs_room);
    // What came before the mark rang no doorbell.
    let happened = state.progress();
    if let Some(result) = ready(state) {
        return Some(result);
    }
    drop(engine);
    if !happened {
        sleeper.sleep(if needs_room { SHORT_SLEEP } else { SLEEP });
    }
    None
}
