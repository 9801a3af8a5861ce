//! The state of the engine: the queues of the process, its contexts, requests and messages.

use super::buffer::BsendBuffer;
use super::context::{Context, ContextId, ContextOwner};
use super::list::List;
use super::message::Message;
use super::observe::{self, Event};
use super::peer::Peer;
use super::refusal::Refusal;
use super::request::{Operation, Owner, Queue, Request};
use super::slab::Slab;
use super::variables::{CROWDED, EAGER_LIMIT, SINGLE_COPY};
use crate::abi::{MPI_ANY_TAG, MPI_PROC_NULL};
use crate::debug::queues::{
    OperationKind, OperationState, mqdrt_communicator, mqdrt_process, mqdrt_request,
};
use crate::process;
use crate::transport::backoff::Experience;
use crate::transport::bootstrap::Job;
use crate::transport::envelope::Envelope;
use crate::transport::segment::Segment;
use crate::transport::system;
use crate::transport::variables::ALLOW_READERS;
use crate::variables::control::{Boolean, Int};
use crate::variables::counters;
use crate::variables::performance::Level;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::c_int;
use std::io;
use std::ptr;

/// Settings of a process.
pub(crate) struct Settings {
    /// The largest eager message, in bytes.
    pub(super) eager_limit: &'static Int,
    /// Receivers fetch large messages from the sender's memory.
    pub(super) single_copy: &'static Boolean,
}

impl Settings {
    /// The process's control variables.
    pub(crate) fn of_process() -> Settings {
        Settings { eager_limit: &EAGER_LIMIT, single_copy: &SINGLE_COPY }
    }
}

/// The state of the engine.
pub(crate) struct Engine {
    pub(super) rank: usize,
    /// Where debuggers begin.
    pub(super) root: &'static mqdrt_process,
    pub(super) segment: &'static Segment,
    /// The ranks of the job.
    pub(super) peers: Vec<Peer>,
    /// Processes of other jobs, in the order of their numbers. These follow the ranks of the job.
    pub(super) strangers: RefCell<Vec<&'static Peer>>,
    /// The segments of their jobs, by the numbers of these.
    pub(super) other_jobs: RefCell<HashMap<u64, &'static Segment>>,
    /// The set of strangers to listen to has changed.
    pub(super) strangers_changed: Cell<bool>,
    /// The place of this process in the launcher's table of processes.
    pub(super) number: c_int,
    /// Peers that have written to this rank: the rings to look at.
    pub(super) heard: RefCell<Vec<&'static Peer>>,
    /// The same as a set: the words of [`Segment::announced`] seen so far.
    pub(super) heard_words: Vec<Cell<u64>>,
    /// Peers with something that waits for room.
    pub(super) busy: RefCell<Vec<&'static Peer>>,
    requests: Slab<Request>,
    pub(super) messages: Slab<Message>,
    sends_last: Cell<*const mqdrt_request>,
    probes_last: Cell<*const mqdrt_request>,
    communicators_last: Cell<*const mqdrt_communicator>,
    internal_communicators_last: Cell<*const mqdrt_communicator>,
    internal_sends_last: Cell<*const mqdrt_request>,
    /// The number of elements on the lists of the runtime's own operations.
    internal: Level,
    contexts: RefCell<HashMap<ContextId, &'static Context>>,
    /// The context that the last message came for.
    recent: Cell<Option<&'static Context>>,
    /// The buffer for buffered sends.
    pub(super) attached: RefCell<Option<BsendBuffer>>,
    /// The same for sessions, by their handles.
    pub(super) of_sessions: RefCell<HashMap<usize, Option<BsendBuffer>>>,
    /// Messages for communicators that this process has not made yet.
    pub(super) early: RefCell<HashMap<ContextId, Vec<&'static Message>>>,
    /// Operations that processes have refused.
    pub(super) refusals: RefCell<Vec<Refusal>>,
    /// Notices of refused calls for communicators that this process has not made yet.
    pub(super) early_notices: RefCell<Vec<(Envelope, usize)>>,
    /// The number of the last message that was copied to a buffer.
    pub(super) last_buffered: Cell<u64>,
    /// Requests whose tasks wait for messages to leave a buffer.
    pub(super) flushes: RefCell<Vec<&'static Request>>,
    /// Requests whose tasks can go on.
    pub(super) ready: RefCell<Vec<&'static Request>>,
    /// Sends that nobody waits for, still on their way.
    detached: Cell<usize>,
    settings: Settings,
    /// Bytes of data that fit a record.
    pub(super) largest_record: Cell<usize>,
    /// The system does not let this process read its senders' memory.
    pub(super) single_copy_forbidden: Cell<bool>,
    /// There are more ranks than processors.
    pub(super) crowded: bool,
    /// Waits so far: the number of the last one.
    pub(super) waits: Cell<i64>,
    /// Receives that were tried without a request.
    pub(super) direct: Cell<u32>,
    /// What earlier waits have shown.
    pub(super) experience: Experience,
}

impl Engine {
    pub(super) fn new(
        job: &Job,
        settings: Settings,
        root: &'static mqdrt_process,
    ) -> io::Result<Engine> {
        // It stays mapped for the process's life.
        let segment: &'static Segment = Box::leak(Box::new(Segment::map(job)?));
        if ALLOW_READERS.get() {
            system::allow_readers();
        }
        let peers: Vec<Peer> =
            (0..job.size).map(|rank| Peer::new(segment, job.rank, rank)).collect();
        // Debuggers see the ranks of all jobs of a launcher in one sequence.
        root.world_rank.set((job.first + job.rank) as c_int);
        root.world_size.set((job.first + job.size) as c_int);
        root.threads.set(process::has_threads().into());
        let largest_record = peers.iter().map(|peer| peer.writer.max_data()).min().unwrap_or(0);
        Ok(Engine {
            rank: job.rank,
            root,
            segment,
            peers,
            strangers: RefCell::default(),
            other_jobs: RefCell::default(),
            strangers_changed: Cell::new(false),
            number: (job.first + job.rank) as c_int,
            heard: RefCell::default(),
            heard_words: vec![Cell::new(0); job.size.div_ceil(64)],
            busy: RefCell::default(),
            requests: Slab::new(),
            messages: Slab::new(),
            sends_last: Cell::new(ptr::null()),
            probes_last: Cell::new(ptr::null()),
            communicators_last: Cell::new(ptr::null()),
            internal_sends_last: Cell::new(ptr::null()),
            internal_communicators_last: Cell::new(ptr::null()),
            internal: Level::new(),
            contexts: RefCell::default(),
            recent: Cell::new(None),
            attached: RefCell::new(None),
            of_sessions: RefCell::default(),
            early: RefCell::default(),
            refusals: RefCell::default(),
            early_notices: RefCell::default(),
            last_buffered: Cell::new(0),
            flushes: RefCell::default(),
            ready: RefCell::default(),
            detached: Cell::new(0),
            settings,
            largest_record: Cell::new(largest_record),
            single_copy_forbidden: Cell::new(false),
            crowded: match CROWDED.get() {
                0 => job.size > system::processors(),
                always => always == 2,
            },
            waits: Cell::new(0),
            direct: Cell::new(0),
            experience: Experience::default(),
        })
    }

    /// The process id of the process with this world rank.
    pub(crate) fn process(&'static self, world: usize) -> i32 {
        self.peer(world).pid()
    }

    /// Wakes a rank that waits for memory, after this process has changed it.
    #[inline]
    pub(crate) fn wake(&'static self, world: usize) {
        self.peer(world).wake();
    }

    /// The largest eager message of a communicator, in bytes.
    #[inline]
    pub(super) fn eager_limit(&self, context: &Context) -> usize {
        let own = context.eager_limit.get();
        let limit = if own < 0 { self.settings.eager_limit.get() } else { own };
        (limit as usize).min(self.largest_record.get())
    }

    /// Whether large messages are fetched from their senders' memory.
    pub(super) fn single_copy(&self) -> bool {
        self.settings.single_copy.get() && !self.single_copy_forbidden.get()
    }

    /// The active sends of the program.
    pub(super) fn sends(&self) -> List<'_, Request> {
        List {
            first: &self.root.sends,
            last: &self.sends_last,
            length: Some(&counters::SENDS),
            weight: None,
        }
    }

    /// The blocking probes that wait.
    pub(super) fn probes(&self) -> List<'_, Request> {
        List {
            first: &self.root.probes,
            last: &self.probes_last,
            length: Some(&counters::PROBES),
            weight: None,
        }
    }

    /// The communicators, seen as the contexts of the program.
    pub(crate) fn communicators(&self) -> List<'_, Context> {
        let (first, last) = (&self.root.communicators, &self.communicators_last);
        List { first, last, length: Some(&counters::COMMUNICATORS), weight: None }
    }

    /// The contexts of the runtime's own messages.
    fn internal_communicators(&self) -> List<'_, Context> {
        let (first, last) = (&self.root.internal_communicators, &self.internal_communicators_last);
        List { first, last, length: Some(&self.internal), weight: None }
    }

    /// The active sends of the runtime itself.
    pub(super) fn internal_sends(&self) -> List<'_, Request> {
        let (first, last) = (&self.root.internal_sends, &self.internal_sends_last);
        List { first, last, length: Some(&self.internal), weight: None }
    }

    /// Takes a context into use. It gets the messages that have arrived before.
    pub(crate) fn open(&'static self, context: &'static Context) {
        if context.visible {
            self.communicators().append(context);
        } else {
            self.internal_communicators().append(context);
        }
        self.contexts.borrow_mut().insert(context.id(), context);
        for message in self.early.borrow_mut().remove(&context.id()).into_iter().flatten() {
            let Some(incoming) = message.incoming.get() else { continue };
            if self.refusal(context, incoming.tag).is_some() {
                context.note_arrived(incoming.source);
                self.drop_refused(message);
                continue;
            }
            message.arrive(context);
            context.unexpected().append(message);
            context.note_arrived(incoming.source);
            self.note_unexpected(context, &incoming);
        }
    }

    /// Ends a context that has no operations in progress. Messages that nobody received are dropped
    /// with it.
    fn close(&'static self, context: &'static Context) {
        if context.visible {
            self.communicators().remove(context);
        } else {
            self.internal_communicators().remove(context);
        }
        self.contexts.borrow_mut().remove(&context.id());
        self.recent.set(None);
        self.forget_refusals(context.program_id(), |_| true);
        while let Some(message) = context.unexpected().first() {
            context.unexpected().remove(message);
            self.discard(message);
        }
    }

    /// The context of an envelope, if this process has made it already.
    #[inline]
    pub(super) fn context(&self, id: ContextId) -> Option<&'static Context> {
        if let Some(context) = self.recent.get().filter(|context| context.id() == id) {
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
    pub(crate) fn make(&self, operation: &Operation, owner: Owner) -> &'static Request {
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
        kind: OperationKind,
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
        request.head.state.set(OperationState::Complete);
        request
    }

    /// A complete request of an operation without a message, with this number of bytes.
    pub(crate) fn make_done(&self, bytes: i64) -> &'static Request {
        let request = self.make_bare(OperationKind::Receive, [None; 2]);
        request.head.length.set(bytes);
        request.head.actual_length.set(bytes);
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
            (Some(Queue::Sends), Some(context)) if !context.visible => {
                self.internal_sends().remove(request);
            }
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
        if request.has_task.replace(false) {
            request.described.set(false);
            request.task.take();
            request.failure.take();
        }
        let context = request.context.take();
        self.requests.give_back(request);
        counters::REQUESTS.fall(1);
        if let Some(context) = context {
            self.leave(context);
        }
    }

    /// The requests that are under way in a context. Persistent requests that are not started, and
    /// complete ones that the program has not waited for yet, are not under way.
    pub(crate) fn under_way(&self, context: &'static Context) -> Vec<Option<&'static Request>> {
        if context.uses.get() == 0 {
            return Vec::new();
        }
        let is_under_way = |request: &Request| match request.state() {
            OperationState::Inactive => request.head.open.get() > 0,
            state => state != OperationState::Complete,
        };
        let is_of_it =
            |request: &Request| request.context.get().is_some_and(|its| std::ptr::eq(its, context));
        let found = self.requests.iter().filter(|one| is_of_it(one) && is_under_way(one));
        found.map(Some).collect()
    }

    /// One operation of a context has ended.
    pub(crate) fn leave(&'static self, context: &'static Context) {
        context.uses.set(context.uses.get() - 1);
        if context.uses.get() == 0
            && context.head.freed.get() != 0
            && let Some(owner) = context.owner.get()
        {
            self.end_if_unused(owner);
        }
    }

    /// Destroys an owner of contexts if it has been freed and has no operations in progress.
    pub(crate) fn end_if_unused(&'static self, owner: &'static dyn ContextOwner) {
        let contexts = || owner.contexts().into_iter().flatten();
        if contexts().all(|context| context.head.freed.get() != 0 && context.uses.get() == 0) {
            contexts().for_each(|context| self.close(context));
            owner.end();
        }
    }

    /// Marks an operation as finished. One that nobody waits for ends here.
    #[inline]
    pub(super) fn complete(&'static self, request: &'static Request) {
        request.head.state.set(OperationState::Complete);
        // A buffered send was complete for the program when its data were in the buffer.
        if !self.leave_buffer(request) {
            observe::request(Event::ReqComplete, request);
        }
        self.note_completed(request);
        match request.owner.get() {
            Owner::Nobody => {
                if request.is_send() {
                    self.detached.set(self.detached.get() - 1);
                }
                self.release(request);
            }
            Owner::Task => self.end_message(request),
            Owner::Program | Owner::Call => {}
        }
        self.wake_threads();
    }

    /// Something has happened that another thread of this process may sleep for.
    #[inline]
    pub(super) fn wake_threads(&self) {
        if process::has_threads() {
            self.segment.ring_doorbell(self.rank);
        }
    }

    /// Marks a persistent request with nothing to do as finished.
    pub(crate) fn complete_nothing(&self, request: &'static Request) {
        if !request.is_send() {
            request.head.actual_source.set(MPI_PROC_NULL);
            request.head.actual_tag.set(MPI_ANY_TAG);
        }
        request.head.state.set(OperationState::Complete);
    }

    /// The program will not wait for this request, so the engine ends it.
    pub(crate) fn detach(&'static self, request: &'static Request) {
        for part in request.parts.take().into_iter().flatten() {
            self.detach(part);
        }
        if request.head.open.get() > 0 && request.state() == OperationState::Inactive {
            // It was never started, so it ends with its messages.
            request.owner.set(Owner::Nobody);
        } else if request.state() == OperationState::Complete
            || request.state() == OperationState::Inactive
        {
            self.release(request);
        } else {
            request.owner.set(Owner::Nobody);
            if request.is_send() {
                self.detached.set(self.detached.get() + 1);
            }
        }
    }

    /// Ends a request that the program has detached, and that is complete now.
    pub(crate) fn end_detached(&'static self, request: &'static Request) {
        if request.is_send() {
            self.detached.set(self.detached.get() - 1);
        }
        self.release(request);
    }

    /// Whether everything that the engine ends by itself has left this process.
    pub(crate) fn is_drained(&self) -> bool {
        self.detached.get() == 0 && self.busy.borrow().is_empty()
    }

    /// Gives the memory of a message back.
    pub(super) fn discard(&self, message: &'static Message) {
        if let Some(incoming) = message.incoming.get() {
            self.leave_bounce(&incoming);
        }
        message.clear();
        self.messages.give_back(message);
    }
}
