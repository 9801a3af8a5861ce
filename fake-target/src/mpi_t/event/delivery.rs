//! How an event gets from where it happens to its callbacks.
//!
//! In the engine a callback must not call MPI, so callbacks of the level
//! `MPI_T_CB_REQUIRE_MPI_RESTRICTED` and above are called at once, and events for others are kept
//! until the call of MPI ends. Outside the engine every callback can be called at once. The
//! engine's events come in order: as long as some are kept, the next ones are kept, too. Events
//! that do not fit into the queue are dropped, and the registration's dropped-event handler is
//! called at the end of the call.

use super::registration::{self, EventRegistration};
use super::types::{MOST_ELEMENTS, TYPES};
use crate::abi::*;
use crate::clock::nanoseconds;
use crate::engine::context::Context;
use crate::mpi_t::variables::EVENT_QUEUE_LENGTH;
use crate::variables::counters;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// One event.
#[derive(Clone, Copy)]
pub(super) struct Instance {
    /// The index of its type.
    pub(super) kind: usize,
    /// When it was observed, in nanoseconds.
    pub(super) timestamp: u64,
    /// Its elements.
    pub(super) elements: [i64; MOST_ELEMENTS],
}

thread_local! {
    /// The events whose callbacks this thread is in, by their handles.
    static CURRENT: RefCell<Vec<(usize, Instance)>> = const { RefCell::new(Vec::new()) };
}

/// Events that are kept, in the order of their timestamps.
static QUEUE: Mutex<VecDeque<(Arc<EventRegistration>, Instance)>> = Mutex::new(VecDeque::new());
/// There is something for [`deliver`] to do.
static PENDING: AtomicBool = AtomicBool::new(false);
/// A thread delivers.
static DELIVERING: AtomicBool = AtomicBool::new(false);

fn queue() -> MutexGuard<'static, VecDeque<(Arc<EventRegistration>, Instance)>> {
    QUEUE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The event that a handle names in the callback it was given to.
pub(super) fn current(handle: MPI_T_event_instance) -> Option<Instance> {
    let find = |current: &RefCell<Vec<(usize, Instance)>>| {
        current.borrow().iter().find(|(id, _)| *id == handle.0).map(|(_, instance)| *instance)
    };
    CURRENT.with(find)
}

/// Calls a callback for an event; false if the registration has none for the level.
fn call(registration: &EventRegistration, instance: &Instance, required: MPI_T_cb_safety) -> bool {
    static NEXT: AtomicUsize = AtomicUsize::new(1);
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    CURRENT.with(|current| current.borrow_mut().push((id, *instance)));
    let called = registration.call(MPI_T_event_instance(id), required);
    CURRENT.with(|current| current.borrow_mut().pop());
    if called {
        counters::EVENTS_RAISED.add_shared(1);
    }
    called
}

fn instance(kind: usize, elements: &[i64]) -> Instance {
    debug_assert_eq!(elements.len(), TYPES[kind].elements.len());
    let mut all = [0; MOST_ELEMENTS];
    all[..elements.len()].copy_from_slice(elements);
    Instance { kind, timestamp: nanoseconds(), elements: all }
}

/// Something has happened in the engine.
#[cold]
pub(in crate::mpi_t) fn raise_in_engine(kind: usize, context: Option<&Context>, elements: &[i64]) {
    let instance = instance(kind, elements);
    for registration in registration::interested(kind, context) {
        let in_order = !PENDING.load(Ordering::Acquire) && !DELIVERING.load(Ordering::Acquire);
        if in_order && call(&registration, &instance, MPI_T_CB_REQUIRE_MPI_RESTRICTED)
            || !registration.has_any()
        {
            continue;
        }
        let mut queue = queue();
        if queue.len() < EVENT_QUEUE_LENGTH.size() {
            queue.push_back((registration, instance));
        } else {
            registration.drop_event();
            counters::EVENTS_DROPPED.add_shared(1);
        }
        PENDING.store(true, Ordering::Release);
    }
}

/// Something has happened outside the engine.
#[cold]
pub(in crate::mpi_t) fn raise(kind: usize, context: Option<&Context>, elements: &[i64]) {
    let instance = instance(kind, elements);
    for registration in registration::interested(kind, context) {
        call(&registration, &instance, MPI_T_CB_REQUIRE_NONE);
    }
}

/// Whether events are kept for the end of the call.
#[inline(always)]
pub(crate) fn is_pending() -> bool {
    PENDING.load(Ordering::Relaxed)
}

/// Delivers what was kept, at the end of a call; one thread at a time does it, for all.
#[cold]
pub(crate) fn deliver() {
    // Another thread may keep an event after the last look at the queue, and leave it to this one.
    while PENDING.load(Ordering::Acquire) && !DELIVERING.swap(true, Ordering::AcqRel) {
        deliver_queue();
        // A swap: what the other thread did before its swap is seen here.
        DELIVERING.swap(false, Ordering::AcqRel);
    }
}

fn deliver_queue() {
    loop {
        for registration in registration::all() {
            registration.report_dropped(MPI_T_CB_REQUIRE_NONE);
        }
        let next = {
            let mut queue = queue();
            let next = queue.pop_front();
            PENDING.store(next.is_some(), Ordering::Release);
            next
        };
        let Some((registration, instance)) = next else { break };
        if !registration.is_freed() {
            call(&registration, &instance, MPI_T_CB_REQUIRE_NONE);
        }
    }
}

/// Forgets all events that were kept.
pub(super) fn forget() {
    let forgotten = std::mem::take(&mut *queue());
    PENDING.store(false, Ordering::Release);
    drop(forgotten);
}
