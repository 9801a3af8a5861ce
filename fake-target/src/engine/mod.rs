//! The matching engine: sends, receives and probes of this process, and the messages that arrive
//! for them.
//!
//! - [`context`]: the queues of a communicator and the rules of matching; [`request`] and
//!   [`message`] are what stands in them, [`list`] and [`slab`] what they are made of.
//! - [`send`], [`receive`], [`probe`], [`cancel`]: operations, from their call to their end.
//! - [`progress`]: what arrives from the other ranks, one [`peer`] each, and what waits for room on
//!   its way to them.
//! - [`wait`]: how a call waits.
//! - [`internal`]: the runtime's own messages, for collective operations and the making of
//!   communicators.
//!
//! *Invariant*: one lock, [`enter`], guards everything here; it is taken only in programs with
//! `MPI_THREAD_MULTIPLE`, and never kept while a thread waits. *Invariant*: at any instruction the
//! lists that debuggers read are whole, and what they show is true.

mod accounts;
pub(crate) mod attached;
mod cancel;
pub(crate) mod context;
pub(crate) mod internal;
mod list;
pub(crate) mod message;
pub(crate) mod payload;
mod peer;
mod probe;
mod progress;
mod receive;
pub(crate) mod request;
mod send;
mod slab;
#[cfg(test)]
mod tests;
pub(crate) mod wait;

use crate::abi::{MPI_ANY_TAG, MPI_PROC_NULL};
use crate::communicator;
use crate::debug::queues::{Kind, State, mqdrt_process, mqdrt_root, phase};
use crate::mpi_t::cvar::storage::{Boolean, Int};
use crate::mpi_t::pvar::counters;
use crate::peruse::{self, Event};
use crate::transport::bootstrap::Job;
use crate::transport::segment::Segment;
use crate::transport::system;
use attached::Buffer;
use context::{Context, ContextId};
use list::List;
use message::Message;
use peer::Peer;
use request::{Owner, Queue, Request};
use slab::Slab;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::c_int;
use std::io;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};

crate::mpi_t::describe::category! {
    name: PROTOCOL
    parent: TRANSFER
    description: "How the data of messages get from the sender to the receiver."
}

crate::mpi_t::describe::category! {
    name: TRANSFER
    description: "The transfer of messages."
}

crate::mpi_t::describe::category! {
    name: QUEUES
    parent: TRANSFER
    description: "The queues of receives, messages and sends."
}

crate::mpi_t::describe::category! {
    name: MATCHING
    parent: TRANSFER
    description: "How receives and messages meet."
}

crate::mpi_t::describe::category! {
    name: TRAFFIC
    parent: TRANSFER
    description: "How many messages and bytes go where."
}

crate::mpi_t::describe::category! {
    name: RESOURCES
    description: "Objects of MPI that are alive."
}

crate::mpi_t::describe::cvar! {
    name: EAGER_LIMIT
    category: PROTOCOL
    type: int
    default: 8192
    range: 0:1048576
    class: device
    verbosity: USER_BASIC
    scope: LOCAL
    writable: always
    description: "Messages up to this size, in bytes, travel with their envelopes. A message has to fit a record of the ring, whatever the limit: see RING_SIZE and RECORD_SHARE. It
        concerns the sends of this process that start later, and need not be the same anywhere else."
}

crate::mpi_t::describe::cvar! {
    name: SINGLE_COPY
    category: PROTOCOL
    type: boolean
    default: true
    class: device
    verbosity: USER_BASIC
    scope: LOCAL
    writable: always
    description: "Receivers fetch messages above the eager limit from the sender's memory; else these go through the rings in pieces. It holds for a message if it is true in
        both processes. A process that the system forbids it does without, whatever the value."
}

crate::mpi_t::describe::cvar! {
    name: SINGLE_COPY_MINIMUM
    category: PROTOCOL
    type: int
    default: 0
    range: 0:2147483647
    class: device
    verbosity: TUNER_BASIC
    scope: LOCAL
    writable: always
    description: "Messages above the eager limit, but shorter than this, in bytes, go through the ring although they could be fetched. The receiver's value counts."
}

crate::mpi_t::describe::cvar! {
    name: CROWDED
    category: WAITING
    type: enum
    values: auto, never, always
    default: auto
    class: device
    verbosity: TUNER_BASIC
    scope: LOCAL
    writable: before_init
    description: "Whether the ranks share processors, so that one that waits gives its processor away soon. auto: if the job has more ranks than this process may use processors."
}

/// Settings of a process.
pub(crate) struct Settings {
    /// The largest eager message, in bytes.
    eager_limit: &'static Int,
    /// Receivers fetch large messages from the sender's memory.
    single_copy: &'static Boolean,
}

impl Settings {
    /// The process's control variables.
    pub(crate) fn of_process() -> Settings {
        Settings { eager_limit: &EAGER_LIMIT, single_copy: &SINGLE_COPY }
    }
}

/// The state of the engine.
pub(crate) struct Engine {
    rank: usize,
    /// Where debuggers begin.
    root: &'static mqdrt_process,
    segment: Segment,
    peers: Vec<Peer>,
    /// Peers that have written to this rank: the rings to look at.
    heard: RefCell<Vec<&'static Peer>>,
    /// The same as a set: the words of [`Segment::announced`] seen so far.
    heard_words: Vec<Cell<u64>>,
    /// Peers with something that waits for room.
    busy: RefCell<Vec<&'static Peer>>,
    requests: Slab<Request>,
    messages: Slab<Message>,
    sends_last: Cell<Option<&'static Request>>,
    probes_last: Cell<Option<&'static Request>>,
    communicators_last: Cell<Option<&'static Context>>,
    contexts: RefCell<HashMap<ContextId, &'static Context>>,
    /// The context that the last message came for.
    recent: Cell<Option<&'static Context>>,
    /// The buffer for buffered sends.
    attached: RefCell<Option<Buffer>>,
    /// Messages for communicators that this process has not made yet.
    early: RefCell<HashMap<ContextId, Vec<&'static Message>>>,
    /// Sends that nobody waits for, still on their way.
    detached: Cell<usize>,
    settings: Settings,
    /// Bytes of data that fit a record.
    largest_record: usize,
    /// The system does not let this process read its senders' memory.
    single_copy_forbidden: Cell<bool>,
    /// There are more ranks than processors.
    crowded: bool,
    /// Waits so far: the number of the last one.
    waits: Cell<i64>,
    /// Waits in which the processor still counts as wanted by others.
    wanted: AtomicU32,
}

struct Shared(Engine);
// SAFETY: the engine is reached only by `enter`, which lets one thread in at a time; a program that
// did not ask for MPI_THREAD_MULTIPLE promises (MPI 5.0, section 11.6.2) the same.
unsafe impl Sync for Shared {}
// SAFETY: nothing in it belongs to the thread that made it.
unsafe impl Send for Shared {}

static ENGINE: OnceLock<Shared> = OnceLock::new();
static LOCK: Mutex<()> = Mutex::new(());
static THREADS: AtomicBool = AtomicBool::new(false);
/// Threads that want in while another is inside.
static QUEUED: AtomicUsize = AtomicUsize::new(0);

/// The engine, while nobody else is in it.
pub(crate) struct Guard {
    engine: &'static Engine,
    _lock: Option<MutexGuard<'static, ()>>,
}

impl Deref for Guard {
    type Target = &'static Engine;

    fn deref(&self) -> &&'static Engine {
        &self.engine
    }
}

/// Enters the engine, which must have been started. A thread that is inside must not enter again.
#[inline]
pub(crate) fn enter() -> Guard {
    let lock = THREADS.load(Ordering::Relaxed).then(lock);
    Guard {
        engine: &ENGINE.get().expect("MPI is running: the entry points have checked").0,
        _lock: lock,
    }
}

fn lock() -> MutexGuard<'static, ()> {
    match LOCK.try_lock() {
        Ok(guard) => guard,
        Err(TryLockError::Poisoned(guard)) => guard.into_inner(),
        Err(TryLockError::WouldBlock) => {
            if peruse::is_inside() {
                // It would wait for itself.
                peruse::check_call(c"a function of MPI");
            }
            let has_lock = peruse::has_lock();
            if has_lock {
                peruse::owner_blocked(true);
            }
            QUEUED.fetch_add(1, Ordering::Relaxed);
            let guard = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
            QUEUED.fetch_sub(1, Ordering::Relaxed);
            if has_lock {
                peruse::owner_blocked(false);
            }
            guard
        }
    }
}

/// Whether another thread wants in. One that looks for messages in a loop must let it, the lock
/// itself does not see to that.
fn is_wanted() -> bool {
    QUEUED.load(Ordering::Relaxed) > 0
}

/// Starts the engine; `threads` if several threads will use it at a time.
///
/// # Errors
/// When the job's shared memory cannot be had.
pub(crate) fn start(job: &Job, settings: Settings, threads: bool) -> io::Result<()> {
    THREADS.store(threads, Ordering::Relaxed);
    let engine = Engine::new(job, settings, &mqdrt_root)?;
    if ENGINE.set(Shared(engine)).is_err() {
        return Err(io::Error::other("MPI has been started before"));
    }
    mqdrt_root.phase.set(phase::RUNNING);
    Ok(())
}

/// Rank of this process in `MPI_COMM_WORLD`.
pub(crate) fn rank() -> c_int {
    ENGINE.get().map_or(0, |shared| shared.0.rank as c_int)
}

/// Ranks in the job.
pub(crate) fn ranks() -> usize {
    ENGINE.get().map_or(1, |shared| shared.0.peers.len())
}

/// Bytes of the ring between two ranks; 0 before the engine has been started.
pub(crate) fn ring_bytes() -> u64 {
    ENGINE.get().map_or(0, |shared| shared.0.segment.ring_bytes() as u64)
}

/// Bytes of the job's shared memory; 0 before the engine has been started.
pub(crate) fn segment_bytes() -> u64 {
    ENGINE.get().map_or(0, |shared| shared.0.segment.bytes() as u64)
}

/// How full the ring towards a rank is, from 0 to 1.
pub(crate) fn ring_use(rank: usize) -> f64 {
    let peer = ENGINE.get().and_then(|shared| shared.0.peers.get(rank));
    peer.map_or(0.0, |peer| peer.writer.fill())
}

/// Whether the engine has been started.
pub(crate) fn is_running() -> bool {
    ENGINE.get().is_some()
}

/// Whether several threads may be in MPI at a time.
pub(crate) fn threads() -> bool {
    THREADS.load(Ordering::Relaxed)
}

impl Engine {
    fn new(job: &Job, settings: Settings, root: &'static mqdrt_process) -> io::Result<Engine> {
        let segment = Segment::map(job)?;
        if system::ALLOW_READERS.get() {
            system::allow_readers();
        }
        let peers: Vec<Peer> =
            (0..job.size).map(|rank| Peer::new(&segment, job.rank, rank)).collect();
        root.world_rank.set(job.rank as c_int);
        root.world_size.set(job.size as c_int);
        root.threads.set(threads().into());
        let largest_record = peers.iter().map(|peer| peer.writer.max_data()).min().unwrap_or(0);
        Ok(Engine {
            rank: job.rank,
            root,
            segment,
            peers,
            heard: RefCell::default(),
            heard_words: vec![Cell::new(0); job.size.div_ceil(64)],
            busy: RefCell::default(),
            requests: Slab::new(),
            messages: Slab::new(),
            sends_last: Cell::new(None),
            probes_last: Cell::new(None),
            communicators_last: Cell::new(None),
            contexts: RefCell::default(),
            recent: Cell::new(None),
            attached: RefCell::new(None),
            early: RefCell::default(),
            detached: Cell::new(0),
            settings,
            largest_record,
            single_copy_forbidden: Cell::new(false),
            crowded: match CROWDED.get() {
                0 => job.size > system::processors(),
                always => always == 2,
            },
            waits: Cell::new(0),
            wanted: AtomicU32::new(0),
        })
    }

    /// The largest eager message of a communicator, in bytes.
    #[inline]
    fn eager_limit(&self, context: &Context) -> usize {
        let own = context.eager_limit.get();
        let limit = if own < 0 { self.settings.eager_limit.get() } else { own };
        (limit as usize).min(self.largest_record)
    }

    /// Whether large messages are fetched from their senders' memory.
    fn single_copy(&self) -> bool {
        self.settings.single_copy.get() && !self.single_copy_forbidden.get()
    }

    /// The active sends of the program.
    fn sends(&self) -> List<'_, Request> {
        List {
            first: &self.root.sends,
            last: &self.sends_last,
            length: &counters::SENDS,
            weight: None,
        }
    }

    /// The blocking probes that wait.
    fn probes(&self) -> List<'_, Request> {
        List {
            first: &self.root.probes,
            last: &self.probes_last,
            length: &counters::PROBES,
            weight: None,
        }
    }

    /// The communicators, seen as the contexts of the program.
    pub(crate) fn communicators(&self) -> List<'_, Context> {
        let (first, last) = (&self.root.communicators, &self.communicators_last);
        List { first, last, length: &counters::COMMUNICATORS, weight: None }
    }

    /// Takes a context into use: it is shown, if it is visible, and gets the messages that have
    /// come before it.
    pub(crate) fn open(&'static self, context: &'static Context) {
        if context.visible {
            self.communicators().append(context);
        }
        self.contexts.borrow_mut().insert(context.id, context);
        for message in self.early.borrow_mut().remove(&context.id).into_iter().flatten() {
            message.arrive(context);
            context.unexpected().append(message);
            if let Some(incoming) = message.incoming.get() {
                context.note_arrived(incoming.source);
                self.note_unexpected(context, &incoming);
            }
        }
    }

    /// Ends a context that has no operations in progress. Messages that nobody received are dropped
    /// with it.
    pub(crate) fn close(&'static self, context: &'static Context) {
        if context.visible {
            self.communicators().remove(context);
        }
        self.contexts.borrow_mut().remove(&context.id);
        self.recent.set(None);
        while let Some(message) = context.unexpected().first() {
            context.unexpected().remove(message);
            self.discard(message);
        }
    }

    /// The context of an envelope, if this process has made it already.
    #[inline]
    fn context(&self, id: ContextId) -> Option<&'static Context> {
        if let Some(context) = self.recent.get().filter(|context| context.id == id) {
            return Some(context);
        }
        let context = self.contexts.borrow().get(&id).copied();
        if context.is_some() {
            self.recent.set(context);
        }
        context
    }

    /// The request that a handle of the program, or a packet, names.
    #[inline]
    pub(crate) fn request(&self, handle: usize) -> Option<&'static Request> {
        self.requests.get(handle)
    }

    /// The handle of the request that Fortran and other languages know by that integer.
    pub(crate) fn request_from_int(&self, integer: i32) -> Option<usize> {
        self.requests.handle_of_int(integer)
    }

    /// The handle of the message that Fortran and other languages know by that integer.
    pub(crate) fn message_from_int(&self, integer: i32) -> Option<usize> {
        self.messages.handle_of_int(integer)
    }

    /// A request for an operation; it is on no list and holds its communicator.
    #[inline]
    pub(crate) fn make(&self, operation: &request::Operation, owner: Owner) -> &'static Request {
        let request = self.requests.take();
        counters::REQUESTS.rise(1);
        request.set(operation, owner);
        operation.context.uses.set(operation.context.uses.get() + 1);
        request
    }

    /// A request that is complete from the beginning and on no list: an operation with
    /// `MPI_PROC_NULL`, or one that stands for two others.
    pub(crate) fn make_bare(
        &self,
        kind: Kind,
        parts: [Option<&'static Request>; 2],
    ) -> &'static Request {
        let request = self.requests.take();
        counters::REQUESTS.rise(1);
        request.reset();
        request.head.kind.set(kind);
        request.head.actual_source.set(MPI_PROC_NULL);
        request.head.actual_tag.set(MPI_ANY_TAG);
        request.head.length.set(0);
        request.owner.set(Owner::Program);
        request.persistent.set(false);
        request.parts.set(parts);
        request.head.state.set(State::Complete);
        request
    }

    /// Takes a request off its list.
    #[inline]
    pub(crate) fn unlink(&self, request: &'static Request) {
        let context = request.context.get();
        if let Some(twin) = request.twin.take() {
            twin.twin.set(None);
        }
        match (request.queue.take(), context) {
            (Some(Queue::Sends), _) => self.sends().remove(request),
            (Some(Queue::Probes), _) => self.probes().remove(request),
            (Some(Queue::Posted), Some(context)) => context.posted().remove(request),
            (Some(Queue::Matched), Some(context)) => context.matched().remove(request),
            _ => {}
        }
    }

    /// Ends a request for good.
    #[inline]
    pub(crate) fn release(&'static self, request: &'static Request) {
        self.unlink(request);
        for part in request.parts.take().into_iter().flatten() {
            self.release(part);
        }
        request.payload.borrow_mut().forget();
        request.own.take();
        let context = request.context.take();
        self.requests.give_back(request);
        counters::REQUESTS.fall(1);
        if let Some(context) = context {
            self.leave(context);
        }
    }

    /// One operation less in a context.
    pub(crate) fn leave(&'static self, context: &'static Context) {
        context.uses.set(context.uses.get() - 1);
        if context.uses.get() == 0
            && context.head.freed.get() != 0
            && let Some(communicator) = context.owner.get()
        {
            communicator::end_if_unused(self, communicator);
        }
    }

    /// Marks an operation as finished; what nobody waits for ends here.
    #[inline]
    fn complete(&'static self, request: &'static Request) {
        request.head.state.set(State::Complete);
        // A buffered send was complete for the program when its data were in the buffer.
        if !self.leave_buffer(request) {
            peruse::request(Event::ReqComplete, request);
        }
        self.note_completed(request);
        if request.owner.get() == Owner::Nobody {
            if request.is_send() {
                self.detached.set(self.detached.get() - 1);
            }
            self.release(request);
        }
        self.wake_threads();
    }

    /// Something has happened that another thread of this process may sleep for.
    #[inline]
    fn wake_threads(&self) {
        if threads() {
            self.segment.ring_doorbell(self.rank);
        }
    }

    /// Marks a persistent request with nothing to do as finished.
    pub(crate) fn complete_nothing(&self, request: &'static Request) {
        if !request.is_send() {
            request.head.actual_source.set(MPI_PROC_NULL);
            request.head.actual_tag.set(MPI_ANY_TAG);
        }
        request.head.state.set(State::Complete);
    }

    /// The program will not wait for this request: the engine ends it.
    pub(crate) fn detach(&'static self, request: &'static Request) {
        for part in request.parts.take().into_iter().flatten() {
            self.detach(part);
        }
        if request.state() == State::Complete || request.state() == State::Inactive {
            self.release(request);
        } else {
            request.owner.set(Owner::Nobody);
            if request.is_send() {
                self.detached.set(self.detached.get() + 1);
            }
        }
    }

    /// Whether everything that the engine ends by itself has left this process.
    pub(crate) fn is_drained(&self) -> bool {
        self.detached.get() == 0 && self.busy.borrow().is_empty()
    }

    /// Gives the memory of a message back.
    fn discard(&self, message: &'static Message) {
        message.clear();
        self.messages.give_back(message);
    }
}
