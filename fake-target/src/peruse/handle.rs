//! Event handles: an event of a communicator with a callback (PERUSE 2.0, section 5.1.1).
//!
//! Any number of them may watch the same event of the same communicator. Each is attached to its
//! communicator and, where it propagates, to the duplicates made of that. It ends with its release;
//! once its communicator is freed it is inactive for good.

use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::sync::Arc;

use super::active::ACTIVE;
use super::event::Event;
use super::interface::*;
use super::upcall;
use crate::abi::{MPI_Aint, MPI_Comm};
use crate::communicator::{self, Communicator};
use crate::engine::{self, Engine};
use crate::entries::{self, Checked};
use crate::handles::{Kind, Table};

/// A callback that is there.
pub(super) type Callback = unsafe extern "C" fn(
    peruse_event_h,
    MPI_Aint,
    *mut peruse_comm_spec_t,
    *mut c_void,
) -> std::ffi::c_int;

/// What an event handle names.
pub(super) struct EventHandle {
    event: Event,
    comm: MPI_Comm,
    handle: Cell<peruse_event_h>,
    callback: Cell<(Callback, *mut c_void)>,
    active: Cell<bool>,
    propagates: Cell<bool>,
}

// SAFETY: the engine's lock guards the cells. Functions of the interface take it, and callbacks run
// under it.
unsafe impl Sync for EventHandle {}
// SAFETY: nothing in it belongs to a thread; the pointer is the tool's and is only handed back.
unsafe impl Send for EventHandle {}

static HANDLES: Table<EventHandle> = Table::new(Kind::PeruseEvent);

/// The event handles attached to a communicator, each with its event, in the order of their
/// registration.
#[derive(Default)]
pub(crate) struct Observers(RefCell<Vec<(Event, Arc<EventHandle>)>>);

impl EventHandle {
    /// Makes an inactive handle.
    pub(super) fn register(
        event: Event,
        communicator: &'static Communicator,
        callback: Callback,
        param: *mut c_void,
    ) -> peruse_event_h {
        let object = Arc::new(EventHandle {
            event,
            comm: communicator.handle(),
            handle: Cell::new(0),
            callback: Cell::new((callback, param)),
            active: Cell::new(false),
            propagates: Cell::new(false),
        });
        let handle = HANDLES.insert(object.clone()) as peruse_event_h;
        object.handle.set(handle);
        communicator.program.observers.0.borrow_mut().push((event, object));
        handle
    }

    /// The object of a handle: `PERUSE_ERR_EVENT_HANDLE` if there is none, `PERUSE_ERR_MPI_OBJECT`
    /// if its communicator has been freed (section 5.6).
    pub(super) fn find(handle: peruse_event_h) -> Result<Arc<EventHandle>, Failure> {
        let object = HANDLES.get(handle as usize).ok_or(Failure(PERUSE_ERR_EVENT_HANDLE))?;
        match communicator::resolve(object.comm) {
            Ok(_) => Ok(object),
            Err(_) => Err(Failure(PERUSE_ERR_MPI_OBJECT)),
        }
    }

    /// The same for what an active handle does not allow: `PERUSE_ERR_EVENT_HANDLE`.
    pub(super) fn find_inactive(handle: peruse_event_h) -> Result<Arc<EventHandle>, Failure> {
        Self::find(handle).and_then(|object| match object.active.get() {
            false => Ok(object),
            true => Err(Failure(PERUSE_ERR_EVENT_HANDLE)),
        })
    }

    /// The event.
    pub(super) fn event(&self) -> Event {
        self.event
    }

    /// The communicator that it was registered with.
    pub(super) fn comm(&self) -> MPI_Comm {
        self.comm
    }

    /// The callback and its parameter.
    pub(super) fn callback(&self) -> (Callback, *mut c_void) {
        self.callback.get()
    }

    /// Replaces both.
    pub(super) fn set_callback(&self, callback: Callback, param: *mut c_void) {
        self.callback.set((callback, param));
    }

    /// Whether duplicates of the communicator are watched too.
    pub(super) fn set_propagation(&self, propagates: bool) {
        self.propagates.set(propagates);
    }

    /// Opens or closes the activation window.
    pub(super) fn set_active(&self, active: bool) {
        if self.active.replace(active) != active {
            let any = ACTIVE.count(self.event, active);
            entries::check_calls(Checked::Callbacks, any);
        }
    }

    /// Ends the handle, wherever it is attached.
    pub(super) fn release(&self, engine: &'static Engine) {
        self.set_active(false);
        for context in engine.communicators().iter() {
            context
                .observers
                .0
                .borrow_mut()
                .retain(|(_, observer)| !std::ptr::eq(&**observer, self));
        }
        HANDLES.remove(self.handle.get() as usize);
    }
}

impl Observers {
    /// Calls whoever watches the event. Each callback has a specification of its own, which it may
    /// as well change.
    pub(super) fn tell(&self, event: Event, id: MPI_Aint, spec: &peruse_comm_spec_t) {
        // Callbacks change no handles, so the list stays as it is meanwhile.
        for (_, observer) in
            self.0.borrow().iter().filter(|(its, observer)| *its == event && observer.active.get())
        {
            upcall::call(observer.callback.get(), event, observer.handle.get(), id, *spec);
        }
    }
}

/// A communicator has been duplicated: what propagates watches the duplicate too. Messages that
/// have come for it by now have not been reported yet.
pub(crate) fn propagate(from: &'static Communicator, to: &'static Communicator) {
    let _engine = engine::enter();
    let observers: Vec<_> = from
        .program
        .observers
        .0
        .borrow()
        .iter()
        .filter(|(_, observer)| observer.propagates.get())
        .cloned()
        .collect();
    if observers.is_empty() {
        return;
    }
    *to.program.observers.0.borrow_mut() = observers;
    super::hooks::report_early(&to.program);
}

/// A communicator is freed: its handles are inactive from now on, and handles of others watch it no
/// more. Called under the engine's lock.
pub(crate) fn communicator_freed(communicator: &'static Communicator) {
    let observers = communicator.program.observers.0.take();
    for (_, observer) in
        observers.iter().filter(|(_, observer)| observer.comm == communicator.handle())
    {
        observer.set_active(false);
    }
}
