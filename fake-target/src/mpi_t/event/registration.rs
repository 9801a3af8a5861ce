//! Registrations: which callbacks are for which events.

use super::types::{EventType, TYPES};
use crate::abi::*;
use crate::engine::context::Context;
use crate::engine::observe::{self, Event, Seat};
use crate::handles::HandleKind;
use crate::mpi_t::slots::Slots;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

/// The safety levels, the lowest first (MPI 5.0, table 15.5).
pub(super) const LEVELS: [MPI_T_cb_safety; 4] = [
    MPI_T_CB_REQUIRE_NONE,
    MPI_T_CB_REQUIRE_MPI_RESTRICTED,
    MPI_T_CB_REQUIRE_THREAD_SAFE,
    MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE,
];

/// A function of the program and its argument.
#[derive(Clone, Copy)]
pub(super) struct Callback<F> {
    pub(super) function: F,
    pub(super) user_data: *mut c_void,
}

// SAFETY: the pointer is the program's, and only handed back to it.
unsafe impl<F: Send> Send for Callback<F> {}

type Function = unsafe extern "C" fn(
    MPI_T_event_instance,
    MPI_T_event_registration,
    MPI_T_cb_safety,
    *mut c_void,
);
type FreeFunction = unsafe extern "C" fn(MPI_T_event_registration, MPI_T_cb_safety, *mut c_void);
type DroppedFunction =
    unsafe extern "C" fn(MPI_Count, MPI_T_event_registration, c_int, MPI_T_cb_safety, *mut c_void);

/// A registration.
pub(super) struct EventRegistration {
    /// Its handle.
    pub(super) handle: MPI_T_event_registration,
    /// What it is for.
    pub(super) kind: &'static EventType,
    /// The context of the communicator that it is bound to; null if there is none or it is gone.
    /// Compared, never dereferenced.
    context: AtomicPtr<Context>,
    /// One for each of [`LEVELS`].
    callbacks: Mutex<[Option<Callback<Function>>; 4]>,
    dropped_handler: Mutex<Option<DroppedFunction>>,
    /// Events dropped since the handler was last told.
    dropped: AtomicU64,
    /// Callbacks that run.
    running: AtomicUsize,
    /// Once freed: what is to be called when no callback runs any more.
    freed: Mutex<Option<Option<Callback<FreeFunction>>>>,
}

/// What a handle names.
#[derive(Default)]
struct Place(Mutex<Option<Arc<EventRegistration>>>);

static PLACES: Slots<Place> = Slots::new(HandleKind::EventRegistration);
static ALL: RwLock<Vec<Arc<EventRegistration>>> = RwLock::new(Vec::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes a registration; none when there are too many.
pub(super) fn make(
    kind: usize,
    context: Option<&'static Context>,
) -> Option<MPI_T_event_registration> {
    let handle = PLACES.take(|handle, place| {
        let registration = Arc::new(EventRegistration {
            handle: MPI_T_event_registration(handle),
            kind: &TYPES[kind],
            context: AtomicPtr::new(
                context.map_or(ptr::null_mut(), |one| ptr::from_ref(one).cast_mut()),
            ),
            callbacks: Mutex::new([None; 4]),
            dropped_handler: Mutex::new(None),
            dropped: AtomicU64::new(0),
            running: AtomicUsize::new(0),
            freed: Mutex::new(None),
        });
        *lock(&place.0) = Some(registration.clone());
        ALL.write().unwrap_or_else(PoisonError::into_inner).push(registration);
    });
    handle.map(MPI_T_event_registration)
}

/// The registration of a handle.
pub(super) fn find(handle: MPI_T_event_registration) -> Option<Arc<EventRegistration>> {
    lock(&PLACES.get(handle.0)?.0).clone()
}

/// The registrations for events of a type at an object.
pub(super) fn interested(kind: usize, context: Option<&Context>) -> Vec<Arc<EventRegistration>> {
    let all = ALL.read().unwrap_or_else(PoisonError::into_inner);
    let bound = TYPES[kind].bind == MPI_T_BIND_MPI_COMM;
    let concerns = |one: &&Arc<EventRegistration>| {
        ptr::eq(one.kind, &TYPES[kind])
            && (!bound
                || context.is_some_and(|its| ptr::eq(one.context.load(Ordering::Acquire), its)))
    };
    all.iter().filter(concerns).cloned().collect()
}

/// All registrations.
pub(super) fn all() -> Vec<Arc<EventRegistration>> {
    ALL.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// What the event types are made of.
const EVENTS: u64 = observe::set_of(&[
    Event::SendStarted,
    Event::ReceivePosted,
    Event::MessageUnexpected,
    Event::MessageMatched,
    Event::RequestCompleted,
    Event::Opened,
    Event::Slept,
    Event::CollectiveEntered,
    Event::CollectiveLeft,
]);

/// After a change, sets which events the engine and the chapters have to report.
fn watch_events() {
    let watched = all().iter().any(|registration| registration.highest().is_some());
    observe::want(Seat::ToolInformation, EVENTS, watched);
}

impl EventRegistration {
    /// Replaces, or removes, the callback of a level (an index of [`LEVELS`]).
    pub(super) fn set_callback(&self, level: usize, callback: Option<Callback<Function>>) {
        lock(&self.callbacks)[level] = callback;
        watch_events();
    }

    /// Whether there is a callback of a level.
    pub(super) fn has_callback(&self, level: usize) -> bool {
        lock(&self.callbacks)[level].is_some()
    }

    /// The callback of the lowest level that is at least `required`.
    fn select(&self, required: MPI_T_cb_safety) -> Option<Callback<Function>> {
        let callbacks = lock(&self.callbacks);
        LEVELS
            .iter()
            .zip(callbacks.iter())
            .filter(|(level, _)| **level >= required)
            .find_map(|(_, callback)| *callback)
    }

    /// The callback of the highest level.
    fn highest(&self) -> Option<Callback<Function>> {
        lock(&self.callbacks).iter().rev().find_map(|callback| *callback)
    }

    /// Whether there is any callback.
    pub(super) fn has_any(&self) -> bool {
        self.highest().is_some()
    }

    /// Calls the callback that fits; false if there is none.
    pub(super) fn call(&self, instance: MPI_T_event_instance, required: MPI_T_cb_safety) -> bool {
        let Some(callback) = self.select(required) else { return false };
        self.running.fetch_add(1, Ordering::AcqRel);
        // A registration that was freed meanwhile hears nothing more.
        if lock(&self.freed).is_none() {
            // SAFETY: the program registered the function for events; it stays as long as the
            // registration.
            unsafe { (callback.function)(instance, self.handle, required, callback.user_data) };
        }
        self.leave(required);
        true
    }

    /// A callback has returned. After the last one of a freed registration, the program is told.
    fn leave(&self, safety: MPI_T_cb_safety) {
        if self.running.fetch_sub(1, Ordering::AcqRel) != 1 {
            return;
        }
        let callback = lock(&self.freed).as_mut().and_then(Option::take);
        if let Some(callback) = callback {
            // SAFETY: the program gave the function to be called now.
            unsafe { (callback.function)(self.handle, safety, callback.user_data) };
        }
    }

    /// Ends the registration; `callback` is called once no callback of it runs.
    pub(super) fn free(&self, callback: Option<Callback<FreeFunction>>, safety: MPI_T_cb_safety) {
        PLACES.give_back(self.handle.0);
        ALL.write().unwrap_or_else(PoisonError::into_inner).retain(|one| !ptr::eq(&**one, self));
        watch_events();
        self.running.fetch_add(1, Ordering::AcqRel);
        *lock(&self.freed) = Some(callback);
        self.leave(safety);
    }

    /// Whether it was freed.
    pub(super) fn is_freed(&self) -> bool {
        lock(&self.freed).is_some()
    }

    /// Replaces, or removes, the handler for dropped events; counts from now on.
    pub(super) fn set_dropped_handler(&self, handler: Option<DroppedFunction>) {
        *lock(&self.dropped_handler) = handler;
        self.dropped.store(0, Ordering::Relaxed);
    }

    /// An event is lost. Without a handler it is not counted.
    pub(super) fn drop_event(&self) {
        if lock(&self.dropped_handler).is_some() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Tells the handler of lost events, if there are any.
    pub(super) fn report_dropped(&self, safety: MPI_T_cb_safety) {
        let Some(handler) = *lock(&self.dropped_handler) else { return };
        let count = self.dropped.swap(0, Ordering::Relaxed);
        if count > 0 && !self.is_freed() {
            let data = self.highest().map_or(ptr::null_mut(), |callback| callback.user_data);
            let count = MPI_Count::try_from(count).unwrap_or(MPI_Count::MAX);
            // SAFETY: the program registered the function for dropped events.
            unsafe { handler(count, self.handle, self.kind.source as c_int, safety, data) };
        }
    }

    /// A communicator ends, so there are no more events of it.
    pub(super) fn communicator_gone(&self, context: &Context) {
        let its = ptr::from_ref(context).cast_mut();
        let none = ptr::null_mut();
        let _ = self.context.compare_exchange(its, none, Ordering::AcqRel, Ordering::Relaxed);
    }
}
