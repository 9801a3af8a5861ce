//! A matching context: where the messages of one communicator find their receives (MPI 5.0, section 3.5).

use super::attached::Buffer;
use super::list::{List, Node};
use super::message::Message;
use super::request::{Queue, Request};
use crate::abi::{MPI_ANY_SOURCE, MPI_ANY_TAG};
use crate::communicator::Communicator;
use crate::debug::queues::{mqdrt_communicator, name_field};
use crate::peruse::Observers;
use std::cell::{Cell, RefCell};
use std::ffi::c_int;
use std::ptr;
use std::sync::atomic::AtomicU32;

/// The number of a context: twice the communicator's context id, plus one for the runtime's own messages.
pub(crate) type ContextId = u32;

/// Queues and numbers of a context. Every communicator has two: one for the program, which debuggers see, and a hidden one for collective operations and
/// the making of communicators.
#[repr(C)]
pub(crate) struct Context {
    /// What debuggers see.
    pub(crate) head: mqdrt_communicator,
    previous: Cell<Option<&'static Context>>,
    posted_last: Cell<Option<&'static Request>>,
    matched_last: Cell<Option<&'static Request>>,
    unexpected_last: Cell<Option<&'static Message>>,
    /// Its number, in envelopes.
    pub(crate) id: ContextId,
    /// Whether the operations are the program's.
    pub(crate) visible: bool,
    /// This process's rank, as the receivers see it.
    pub(crate) rank: c_int,
    /// Operations in progress, and messages that a probe has taken.
    pub(crate) uses: Cell<usize>,
    /// The buffer for buffered sends of this communicator alone.
    pub(crate) attached: RefCell<Option<Buffer>>,
    /// The PERUSE event handles that watch it.
    pub(crate) observers: Observers,
    /// A hidden context: counts the collective operations.
    pub(crate) collectives: AtomicU32,
    /// Whose context it is.
    pub(crate) owner: Cell<Option<&'static Communicator>>,
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

impl Context {
    /// An empty context of the communicator with that id, in which this process has `rank`.
    pub(crate) fn new(communicator: u32, visible: bool, rank: c_int) -> Context {
        Context {
            head: mqdrt_communicator {
                next: Cell::new(ptr::null()),
                context_id: Cell::new(communicator as c_int),
                freed: Cell::new(0),
                local_group: Cell::new(ptr::null()),
                remote_group: Cell::new(ptr::null()),
                name: Cell::new(name_field("")),
                posted_receives: Cell::new(ptr::null()),
                matched_receives: Cell::new(ptr::null()),
                unexpected_messages: Cell::new(ptr::null()),
            },
            previous: Cell::new(None),
            posted_last: Cell::new(None),
            matched_last: Cell::new(None),
            unexpected_last: Cell::new(None),
            id: communicator * 2 + u32::from(!visible),
            visible,
            rank,
            uses: Cell::new(0),
            attached: RefCell::new(None),
            observers: Observers::default(),
            collectives: AtomicU32::new(0),
            owner: Cell::new(None),
        }
    }

    /// The receives without a message.
    pub(crate) fn posted(&self) -> List<'_, Request> {
        List { first: &self.head.posted_receives, last: &self.posted_last }
    }

    /// The receives with a message.
    pub(crate) fn matched(&self) -> List<'_, Request> {
        List { first: &self.head.matched_receives, last: &self.matched_last }
    }

    /// The messages without a receive.
    pub(crate) fn unexpected(&self) -> List<'_, Message> {
        List { first: &self.head.unexpected_messages, last: &self.unexpected_last }
    }

    /// The receive that a message from `source` with `tag` matches: the first that was posted.
    #[inline]
    pub(crate) fn find_posted(&self, source: c_int, tag: c_int) -> Option<&'static Request> {
        self.posted().iter().find(|receive| accepts(receive.head.peer.get(), receive.head.tag.get(), source, tag))
    }

    /// The message that a receive or probe for `source` and `tag` matches: the first that arrived.
    #[inline]
    pub(crate) fn find_unexpected(&self, source: c_int, tag: c_int) -> Option<&'static Message> {
        self.unexpected().iter().find(|message| accepts(source, tag, message.head.source.get(), message.head.tag.get()))
    }

    /// Moves a receive, whose message is noted already, to the matched ones.
    #[inline]
    pub(crate) fn match_receive(&self, receive: &'static Request) {
        if receive.queue.get() == Some(Queue::Posted) {
            self.posted().remove(receive);
        }
        receive.queue.set(Some(Queue::Matched));
        self.matched().append(receive);
    }
}

/// Whether what was asked for, wildcards included, covers a message.
#[inline]
fn accepts(wanted_source: c_int, wanted_tag: c_int, source: c_int, tag: c_int) -> bool {
    (wanted_source == source || wanted_source == MPI_ANY_SOURCE) && (wanted_tag == tag || wanted_tag == MPI_ANY_TAG)
}
