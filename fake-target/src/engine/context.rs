//! A matching context: the queues and counters of one communicator (MPI 5.0, section 3.5).

use super::buffer::BsendBuffer;
use super::list::Node;
use super::notice::Notice;
use super::variables::COMM_EAGER_LIMIT;
use crate::abi::{MPI_COMM_NULL, MPI_Comm};
use crate::debug::queues::{
    MQDRT_COLLECTIVES, mqdrt_collective, mqdrt_communicator, mqdrt_message, mqdrt_peer,
    mqdrt_request, name_field, publish,
};
use crate::variables::control::Int;
use crate::variables::counters;
use crate::variables::performance::{Level, Traffic};
use std::cell::{Cell, RefCell};
use std::ffi::c_int;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};

/// The number of a context: four times the communicator's context id, plus the number of the
/// [`Purpose`].
pub(crate) type ContextId = u32;

/// What the messages of a context are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    /// Those of the program.
    Program = 0,
    /// The runtime's own; in an intercommunicator those between the groups.
    Hidden = 1,
    /// The runtime's own within a group of an intercommunicator. The two groups have no process in
    /// common, so they use the same number.
    Within = 2,
}

/// Kinds of messages of a blocking collective operation are below this number, and larger than 0.
pub(crate) const KINDS: c_int = 16;

/// What distinguishes for debuggers the context within a group from its intercommunicator. No
/// context id of a communicator is as large.
const WITHIN: u32 = 1 << 30;

/// The owner of a context: a communicator. The engine knows no more about it than this.
pub(crate) trait ContextOwner: Sync {
    /// The communicator's handle.
    fn handle(&self) -> MPI_Comm;

    /// The context of the program's messages, that of the runtime's own, and in an
    /// intercommunicator that of the runtime's own within the group.
    fn contexts(&'static self) -> [Option<&'static Context>; 3];

    /// The blocking collective operation that has begun sends or receives for the first time.
    fn goes_on(&'static self);

    /// A process, given by its world rank, tells something about a collective operation.
    fn hear(&'static self, notice: Notice, world: usize);

    /// Destroys the freed communicator. Its contexts are closed, and it is not used any more.
    fn end(&'static self);
}

/// The first and the last object of a list.
pub(super) struct Ends<Head> {
    pub(super) first: Cell<*const Head>,
    pub(super) last: Cell<*const Head>,
}

impl<Head> Ends<Head> {
    /// Those of an empty list.
    pub(super) fn none() -> Ends<Head> {
        Ends { first: Cell::new(ptr::null()), last: Cell::new(ptr::null()) }
    }
}

/// Queues and numbers of a context. Every communicator has two: one for the program, which
/// debuggers show, and a hidden one for collective operations and the making of communicators. An
/// intercommunicator has a third one.
#[repr(C)]
pub(crate) struct Context {
    /// What debuggers see.
    pub(crate) head: mqdrt_communicator,
    previous: Cell<Option<&'static Context>>,
    pub(super) posted_last: Cell<*const mqdrt_request>,
    pub(super) matched_last: Cell<*const mqdrt_request>,
    pub(super) unexpected_last: Cell<*const mqdrt_message>,
    /// The ends of each sender's list of messages without a receive. It grows as they arrive.
    pub(super) senders: RefCell<Vec<Ends<mqdrt_message>>>,
    /// Its number, in envelopes.
    id: Cell<ContextId>,
    purpose: Purpose,
    /// Whether the operations are the program's.
    pub(crate) visible: bool,
    /// This process's rank, as the receivers see it.
    pub(crate) rank: c_int,
    /// Operations in progress, and messages that a probe has taken.
    pub(crate) uses: Cell<usize>,
    /// The session that the communicator comes from, by its handle; 0: from none.
    pub(crate) session: Cell<usize>,
    /// The buffer for buffered sends of this communicator alone.
    pub(crate) attached: RefCell<Option<BsendBuffer>>,
    /// A hidden context: counts the collective operations.
    pub(crate) collectives: AtomicU32,
    /// A hidden context: what is added to the tags of the blocking collective operation. The
    /// complement of that, which is negative, until the operation sends or receives anything.
    first_tag: AtomicI32,
    /// A hidden context: whether there is anything to do about calls that were refused.
    is_disturbed: AtomicBool,
    /// Its owner.
    pub(crate) owner: Cell<Option<&'static dyn ContextOwner>>,
    /// Its receives without a message.
    pub(crate) receives_posted: Level,
    /// Its receives with a message.
    pub(crate) receives_matched: Level,
    /// Its messages without a receive.
    pub(crate) messages_unexpected: Level,
    /// The bytes of these messages.
    pub(crate) bytes_unexpected: Level,
    /// The messages to and from each rank; empty if they are not counted.
    pub(crate) traffic: Box<[Traffic]>,
    /// The same counted by envelopes, for debuggers.
    peers: Box<[mqdrt_peer]>,
    /// The collective operations, as debuggers see them.
    collectives_seen: Box<[mqdrt_collective]>,
    /// The largest eager message, in bytes; -1: the value of the process.
    pub(crate) eager_limit: Int,
}

// SAFETY: `repr(C)`, and the head is the first field.
unsafe impl Node for Context {
    type Head = mqdrt_communicator;

    fn next(&self) -> &Cell<*const mqdrt_communicator> {
        &self.head.next
    }

    fn previous(&self) -> &Cell<Option<&'static Context>> {
        &self.previous
    }
}

// SAFETY: the cells are used under the engine's lock only, everything else is constant or atomic.
unsafe impl Sync for Context {}
// SAFETY: nothing in it belongs to a thread.
unsafe impl Send for Context {}

impl Context {
    /// An empty context of the communicator with that id, in which this process has `rank`.
    pub(crate) fn new(communicator: u32, purpose: Purpose, rank: c_int) -> Context {
        let visible = purpose == Purpose::Program;
        Context {
            head: mqdrt_communicator {
                next: Cell::new(ptr::null()),
                context_id: Cell::new(shown_id(communicator, purpose)),
                freed: Cell::new(0),
                local_group: Cell::new(ptr::null()),
                remote_group: Cell::new(ptr::null()),
                name: Cell::new(name_field("")),
                posted_receives: Cell::new(ptr::null()),
                matched_receives: Cell::new(ptr::null()),
                unexpected_messages: Cell::new(ptr::null()),
                collectives: Cell::new(ptr::null()),
                peers: Cell::new(ptr::null()),
            },
            previous: Cell::new(None),
            posted_last: Cell::new(ptr::null()),
            matched_last: Cell::new(ptr::null()),
            unexpected_last: Cell::new(ptr::null()),
            senders: RefCell::default(),
            id: Cell::new(number(communicator, purpose)),
            purpose,
            visible,
            rank,
            uses: Cell::new(0),
            session: Cell::new(0),
            attached: RefCell::new(None),
            collectives: AtomicU32::new(0),
            first_tag: AtomicI32::new(0),
            is_disturbed: AtomicBool::new(false),
            owner: Cell::new(None),
            receives_posted: Level::part_of(if visible {
                &counters::POSTED
            } else {
                &counters::INTERNAL_POSTED
            }),
            receives_matched: Level::part_of(if visible {
                &counters::MATCHED
            } else {
                &counters::INTERNAL_MATCHED
            }),
            messages_unexpected: Level::part_of(if visible {
                &counters::UNEXPECTED_MESSAGES
            } else {
                &counters::INTERNAL_UNEXPECTED
            }),
            bytes_unexpected: Level::part_of(if visible {
                &counters::UNEXPECTED_BYTES
            } else {
                &counters::INTERNAL_UNEXPECTED_BYTES
            }),
            traffic: Box::default(),
            peers: Box::default(),
            collectives_seen: Box::default(),
            eager_limit: Int::new(COMM_EAGER_LIMIT.get()),
        }
    }

    /// Begins to count the messages to and from this number of processes, and the collective
    /// operations.
    pub(crate) fn count(&mut self, peers: usize) {
        self.count_envelopes(peers);
        let none = || mqdrt_collective { calls: Cell::new(0), active: Cell::new(0) };
        self.traffic = (0..peers).map(|_| Traffic::default()).collect();
        self.collectives_seen = (0..MQDRT_COLLECTIVES).map(|_| none()).collect();
        self.head.collectives.set(self.collectives_seen.as_ptr());
    }

    /// Begins to count the envelopes to and from this number of processes.
    pub(crate) fn count_envelopes(&mut self, peers: usize) {
        let zero = || mqdrt_peer { sent: Cell::new(0), received: Cell::new(0) };
        self.peers = (0..peers).map(|_| zero()).collect();
        self.head.peers.set(self.peers.as_ptr());
    }

    /// A message is about to leave for the process with this rank. The other side cannot have seen
    /// it yet.
    #[inline]
    pub(super) fn note_leaving(&self, rank: c_int) {
        if let Some(peer) = self.peers.get(rank as usize) {
            peer.sent.set(peer.sent.get() + 1);
            publish();
        }
    }

    /// The message could not leave.
    #[cold]
    pub(super) fn note_stayed(&self, rank: c_int) {
        if let Some(peer) = self.peers.get(rank as usize) {
            peer.sent.set(peer.sent.get() - 1);
        }
    }

    /// A message from the process with this rank has arrived and is on its list.
    #[inline]
    pub(super) fn note_arrived(&self, rank: c_int) {
        if let Some(peer) = self.peers.get(rank as usize) {
            publish();
            peer.received.set(peer.received.get() + 1);
        }
    }

    /// The handle of the communicator; `MPI_COMM_NULL` while it is being made.
    pub(crate) fn comm(&self) -> MPI_Comm {
        self.owner.get().map_or(MPI_COMM_NULL, ContextOwner::handle)
    }

    /// Its number, in envelopes.
    #[inline]
    pub(crate) fn id(&self) -> ContextId {
        self.id.get()
    }

    /// Sets its number from a communicator's context id, before it is opened.
    pub(crate) fn set_id(&self, communicator: u32) {
        self.head.context_id.set(shown_id(communicator, self.purpose));
        self.id.set(number(communicator, self.purpose));
    }

    /// The id of the context for the program's messages of the same communicator.
    pub(crate) fn program_id(&self) -> ContextId {
        self.id() & !3
    }

    /// A blocking collective operation begins, with this tag and those that follow it.
    #[inline]
    pub(crate) fn begin(&self, first_tag: c_int) {
        self.first_tag.store(!first_tag, Ordering::Relaxed);
    }

    /// The first tag of the blocking collective operation that has begun last.
    pub(crate) fn first_tag(&self) -> c_int {
        let first = self.first_tag.load(Ordering::Relaxed);
        if first < 0 { !first } else { first }
    }

    /// Whether the blocking collective operation has sent or received anything.
    pub(crate) fn has_begun(&self) -> bool {
        self.first_tag.load(Ordering::Relaxed) >= 0
    }

    /// Says whether there is anything to do about calls that were refused.
    pub(crate) fn disturb(&self, is_disturbed: bool) {
        self.is_disturbed.store(is_disturbed, Ordering::Relaxed);
    }

    /// What [`Context::disturb`] has said.
    #[inline]
    pub(crate) fn is_disturbed(&self) -> bool {
        self.is_disturbed.load(Ordering::Relaxed)
    }

    /// The tag of a message of the runtime. Each call of a blocking collective operation has tags
    /// of its own, one for each kind of its messages.
    #[inline]
    pub(super) fn tag_of(&self, kind: c_int) -> c_int {
        if !(0..KINDS).contains(&kind) {
            return kind;
        }
        let mut first = self.first_tag.load(Ordering::Relaxed);
        if first < 0 {
            first = !first;
            self.first_tag.store(first, Ordering::Relaxed);
            if self.is_disturbed() {
                self.go_on();
            }
        }
        kind + first
    }

    #[cold]
    fn go_on(&self) {
        if let Some(owner) = self.owner.get() {
            owner.goes_on();
        }
    }

    /// The counters of a collective operation, by its number.
    pub(crate) fn collective(&self, number: usize) -> Option<&mqdrt_collective> {
        self.collectives_seen.get(number)
    }
}

/// The number of a context of the communicator with that id.
fn number(communicator: u32, purpose: Purpose) -> ContextId {
    communicator * 4 + purpose as u32
}

/// The id that debuggers see.
fn shown_id(communicator: u32, purpose: Purpose) -> c_int {
    let within = if purpose == Purpose::Within { WITHIN } else { 0 };
    (communicator | within) as c_int
}
