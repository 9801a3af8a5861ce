//! How a call waits: it makes progress, and gives the processor away when that leads to nothing.

use super::{Engine, Guard, enter};
use crate::environment::nanoseconds;
use crate::mpi_t::event::{self, types::THREAD_SLEPT};
use crate::mpi_t::pvar::counters;
use crate::transport::backoff::{Backoff, SLEEP_TIME, Step};
use std::thread;
use std::time::Duration;

crate::mpi_t::describe::cvar! {
    name: ROOM_SLEEP_TIME
    category: WAITING
    type: int
    default: 1000
    range: 1:1000000
    class: device
    verbosity: TUNER_DETAIL
    scope: LOCAL
    writable: always
    description: "The longest sleep of a waiting thread while a message waits for room in a ring, in microseconds: the doorbell for that is not always rung."
}

/// A thread that waits, as the tool information interface sees it.
struct Waiting {
    begin: u64,
}

impl Waiting {
    fn begin() -> Waiting {
        counters::WAITS.add(1);
        counters::THREADS_WAITING.change_by(1);
        Waiting { begin: counters::WAITING_TIME.begin() }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        counters::THREADS_WAITING.change_by(-1);
        counters::WAITING_TIME.end(self.begin);
    }
}

/// Waits until `ready` gives a result. The engine is free for other threads between two looks.
#[inline]
pub(crate) fn wait_for<R>(mut ready: impl FnMut(&'static Engine) -> Option<R>) -> R {
    let mut engine = enter();
    if let Some(result) = ready(&engine) {
        return result;
    }
    let _waiting = Waiting::begin();
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
                counters::YIELDS.add(1);
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
    counters::SLEEPS.add(1);
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
        let begin = nanoseconds();
        counters::THREADS_SLEEPING.change_by(1);
        let longest = match needs_room {
            true => Duration::from_micros(ROOM_SLEEP_TIME.size() as u64),
            false => Duration::from_millis(SLEEP_TIME.size() as u64),
        };
        sleeper.sleep(longest);
        counters::THREADS_SLEEPING.change_by(-1);
        let slept = nanoseconds() - begin;
        counters::SLEEPING_TIME.add_watched(slept);
        event::in_call(THREAD_SLEPT, None, &[slept as i64]);
    }
    None
}
