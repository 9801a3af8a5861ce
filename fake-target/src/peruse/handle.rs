//! Event handles: an event of a communicator, window or file with a callback (PERUSE 2.0, section
//! 5.1.1).
//!
//! Any number of them may watch the same event of the same object. Each is attached to its object
//! and, where it propagates, to the duplicates made of a communicator. It ends with its release;
//! once its object is freed it is inactive for good. A window or file is known here by the context
//! of its own communicator.

use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::sync::Arc;

use super::active;
use super::callback::{Callback, Specification};
use super::event::{self, Event};
use super::types::*;
use super::upcall;
use crate::abi::{MPI_Aint, MPI_Comm, MPI_File, MPI_Win};
use crate::communicator::{self, Communicator};
use crate::engine::context::{Context, ContextId};
use crate::file::{self, File};
use crate::handles::{HandleKind, Table};
use crate::phase::{self, Checked};
use crate::window::{self, Window};

/// What an event handle is registered with.
#[derive(Clone, Copy)]
pub(super) enum Watched {
    Communicator(MPI_Comm),
    Window(MPI_Win),
    File(MPI_File),
}

impl Watched {
    /// Its handle.
    pub(super) fn raw(self) -> usize {
        match self {
            Watched::Communicator(comm) => comm.0,
            Watched::Window(win) => win.0,
            Watched::File(file) => file.0,
        }
    }

    fn exists(self) -> bool {
        match self {
            Watched::Communicator(comm) => communicator::resolve(comm).is_ok(),
            Watched::Window(win) => window::resolve(win).is_ok(),
            Watched::File(file) => file::resolve(file).is_ok(),
        }
    }
}

/// What an event handle names.
pub(super) struct EventHandle {
    event: Event,
    watched: Watched,
    /// The context by which the watched object is known here.
    home: ContextId,
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

static HANDLES: Table<EventHandle> = Table::new(HandleKind::PeruseEvent);

/// The event handles attached to a communicator: for each event those that watch it, in the order
/// of their registration. So an event need not look at the handles of all other events.
struct Handles([Vec<Arc<EventHandle>>; event::ALL.len()]);

impl Handles {
    fn new() -> Handles {
        Handles([const { Vec::new() }; event::ALL.len()])
    }

    fn add(&mut self, handle: Arc<EventHandle>) {
        self.0[event::index(handle.event)].push(handle);
    }

    fn iter(&self) -> impl Iterator<Item = &Arc<EventHandle>> {
        self.0.iter().flatten()
    }
}

/// The event handles of all communicators, by the contexts of these.
struct Attached {
    contexts: RefCell<Vec<(ContextId, Handles)>>,
    /// Where the last look has found its context.
    recent: Cell<usize>,
}

// SAFETY: the engine's lock guards it, as it does the handles.
unsafe impl Sync for Attached {}

static ATTACHED: Attached = Attached { contexts: RefCell::new(Vec::new()), recent: Cell::new(0) };

impl Attached {
    /// The place of a context in the list.
    #[inline]
    fn find(&self, contexts: &[(ContextId, Handles)], context: ContextId) -> Option<usize> {
        let recent = self.recent.get();
        if contexts.get(recent).is_some_and(|(id, _)| *id == context) {
            return Some(recent);
        }
        let found = contexts.iter().position(|(id, _)| *id == context)?;
        self.recent.set(found);
        Some(found)
    }

    /// Attaches handles to a context.
    fn add(&self, context: ContextId, added: Vec<Arc<EventHandle>>) {
        let mut contexts = self.contexts.borrow_mut();
        let place = self.find(&contexts, context).unwrap_or_else(|| {
            contexts.push((context, Handles::new()));
            contexts.len() - 1
        });
        added.into_iter().for_each(|handle| contexts[place].1.add(handle));
    }
}

impl Watched {
    /// A communicator and the context by which it is known here.
    pub(super) fn communicator(communicator: &'static Communicator) -> (Watched, ContextId) {
        (Watched::Communicator(communicator.handle()), communicator.program.id())
    }

    /// A window and the context by which it is known here.
    pub(super) fn window(win: MPI_Win, window: &Window) -> (Watched, ContextId) {
        (Watched::Window(win), window.context_id())
    }

    /// A file and the context by which it is known here.
    pub(super) fn file(file: &File) -> (Watched, ContextId) {
        (Watched::File(file.handle()), file.context_id())
    }
}

impl EventHandle {
    /// Makes an inactive handle.
    pub(super) fn register(
        event: Event,
        (watched, home): (Watched, ContextId),
        callback: Callback,
        param: *mut c_void,
    ) -> peruse_event_h {
        let object = Arc::new(EventHandle {
            event,
            watched,
            home,
            handle: Cell::new(0),
            callback: Cell::new((callback, param)),
            active: Cell::new(false),
            propagates: Cell::new(false),
        });
        let handle = HANDLES.insert(object.clone()) as peruse_event_h;
        object.handle.set(handle);
        ATTACHED.add(home, vec![object]);
        handle
    }

    /// The object of a handle: `PERUSE_ERR_EVENT_HANDLE` if there is none, `PERUSE_ERR_MPI_OBJECT`
    /// if its communicator, window or file has been freed (section 5.6).
    pub(super) fn find(handle: peruse_event_h) -> Result<Arc<EventHandle>, Failure> {
        let object = HANDLES.get(handle as usize).ok_or(Failure(PERUSE_ERR_EVENT_HANDLE))?;
        match object.watched.exists() {
            true => Ok(object),
            false => Err(Failure(PERUSE_ERR_MPI_OBJECT)),
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

    /// What it was registered with.
    pub(super) fn watched(&self) -> Watched {
        self.watched
    }

    /// The callback and its parameter; `PERUSE_ERR_EVENT_HANDLE` if it is of another kind.
    pub(super) fn callback<S: Specification>(
        &self,
    ) -> Result<(CallbackFunction<S>, *mut c_void), Failure> {
        let (callback, param) = self.callback.get();
        let function = S::function(callback).ok_or(Failure(PERUSE_ERR_EVENT_HANDLE))?;
        Ok((function, param))
    }

    /// Replaces both; `PERUSE_ERR_EVENT_HANDLE` if the new one is of another kind.
    pub(super) fn set_callback<S: Specification>(
        &self,
        function: CallbackFunction<S>,
        param: *mut c_void,
    ) -> Outcome {
        self.callback::<S>()?;
        self.callback.set((S::callback(function), param));
        Ok(())
    }

    /// Whether duplicates of the communicator are watched too.
    pub(super) fn set_propagation(&self, propagates: bool) {
        self.propagates.set(propagates);
    }

    /// Opens or closes the activation window.
    pub(super) fn set_active(&self, active: bool) {
        if self.active.replace(active) != active {
            let any = active::count(self.event, active);
            phase::check_calls(Checked::Callbacks, any);
        }
    }

    /// Ends the handle and detaches it everywhere.
    pub(super) fn release(&self) {
        self.set_active(false);
        ATTACHED.contexts.borrow_mut().retain_mut(|(_, handles)| {
            handles.0[event::index(self.event)]
                .retain(|handle| !std::ptr::eq(&raw const **handle, self));
            handles.iter().next().is_some()
        });
        HANDLES.remove(self.handle.get() as usize);
    }
}

/// Calls the callbacks of all handles that watch the event in a context. Each gets a copy of the
/// specification, which it may change.
#[inline]
pub(super) fn tell<S: Specification>(event: Event, context: ContextId, id: MPI_Aint, spec: &S) {
    // Callbacks change no handles, so the list stays as it is meanwhile.
    let contexts = ATTACHED.contexts.borrow();
    let Some(place) = ATTACHED.find(&contexts, context) else { return };
    for handle in &contexts[place].1.0[event::index(event)] {
        let (callback, param) = handle.callback.get();
        if handle.active.get()
            && let Some(function) = S::function(callback)
        {
            upcall::call((function, param), event, handle.handle.get(), id, *spec);
        }
    }
}

/// A communicator has been duplicated. Handles that propagate watch the duplicate, too. Returns
/// whether there are any.
pub(super) fn propagate(from: &Context, to: &Context) -> bool {
    let propagating: Vec<_> = {
        let contexts = ATTACHED.contexts.borrow();
        let Some(place) = ATTACHED.find(&contexts, from.id()) else { return false };
        contexts[place].1.iter().filter(|handle| handle.propagates.get()).cloned().collect()
    };
    let any = !propagating.is_empty();
    if any {
        ATTACHED.add(to.id(), propagating);
    }
    any
}

/// A communicator is freed, or a window or file with its communicator. Its handles are inactive
/// from now on, and handles of other communicators no longer watch it.
pub(super) fn communicator_freed(context: &Context) {
    let mut contexts = ATTACHED.contexts.borrow_mut();
    let Some(place) = ATTACHED.find(&contexts, context.id()) else { return };
    let (_, handles) = contexts.swap_remove(place);
    let home = context.id();
    handles.iter().filter(|handle| handle.home == home).for_each(|handle| handle.set_active(false));
}
