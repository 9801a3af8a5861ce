//! A message that has arrived before anything matched it.

use super::context::Context;
use super::list::Node;
use super::slab::{self, SlabObject, SlabPlace};
use super::variables::KEPT_BUFFER;
use crate::abi::MPI_Aint;
use crate::debug::queues::{OperationKind, Protocol, mqdrt_communicator, mqdrt_message};
use crate::handles;
use bytemuck::TransparentWrapper;
use std::cell::{Cell, RefCell};
use std::ffi::c_int;
use std::ptr;

/// What is known about a message from its envelope.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Incoming {
    /// The sender's rank in the communicator.
    pub(crate) source: c_int,
    /// The tag.
    pub(crate) tag: c_int,
    /// Bytes of the whole message.
    pub(crate) length: usize,
    /// The sender's world rank.
    pub(crate) world: usize,
    /// The mode of the send.
    pub(crate) mode: OperationKind,
    /// Whether the data are here.
    pub(crate) eager: bool,
    /// The sender's request; 0 if the sender does not wait.
    pub(crate) id: u64,
    /// The address of the data in the sender, if this process may fetch them, or in its bounce
    /// buffer; otherwise 0.
    pub(crate) address: u64,
    /// The bounce buffer of the sender that holds the data, as in an envelope; 0: none.
    pub(crate) bounce: u16,
}

/// A message on an unexpected-message queue, or taken off it by a matched probe.
#[repr(C)]
pub(crate) struct Message {
    /// What debuggers see.
    pub(crate) head: mqdrt_message,
    previous: Cell<Option<&'static Message>>,
    /// The next message of its sender, and the one before: see [`OfSender`].
    next_of_sender: Cell<*const mqdrt_message>,
    previous_of_sender: Cell<Option<&'static OfSender>>,
    place: SlabPlace,
    /// Where it arrived.
    pub(crate) context: Cell<Option<&'static Context>>,
    /// Its envelope.
    pub(crate) incoming: Cell<Option<Incoming>>,
    /// The id under which it is observed; 0: its handle is the id.
    pub(crate) id: Cell<MPI_Aint>,
    /// Its data, if they are here.
    pub(crate) data: RefCell<Vec<u8>>,
}

impl SlabObject for Message {
    const KIND: handles::HandleKind = handles::HandleKind::Message;

    fn vacant(place: SlabPlace) -> Message {
        Message {
            head: mqdrt_message {
                next: Cell::new(ptr::null()),
                communicator: Cell::new(ptr::null()),
                source: Cell::new(0),
                tag: Cell::new(0),
                length: Cell::new(0),
                buffer: Cell::new(ptr::null_mut()),
                protocol: Cell::new(Protocol::None),
                mode: Cell::new(OperationKind::SendStandard),
            },
            previous: Cell::new(None),
            next_of_sender: Cell::new(ptr::null()),
            previous_of_sender: Cell::new(None),
            place,
            context: Cell::new(None),
            incoming: Cell::new(None),
            id: Cell::new(0),
            data: RefCell::new(Vec::new()),
        }
    }

    fn place(&self) -> &SlabPlace {
        &self.place
    }
}

// SAFETY: `repr(C)`, and the head is the first field.
unsafe impl Node for Message {
    type Head = mqdrt_message;

    fn next(&self) -> &Cell<*const mqdrt_message> {
        &self.head.next
    }

    fn previous(&self) -> &Cell<Option<&'static Message>> {
        &self.previous
    }

    fn weight(&self) -> u64 {
        self.head.length.get() as u64
    }
}

/// A message as an object on its sender's list.
#[repr(transparent)]
pub(super) struct OfSender(Message);

// SAFETY: `repr(transparent)`, and nothing is added to what a message guarantees.
unsafe impl TransparentWrapper<Message> for OfSender {}

// SAFETY: it is a message, which is `repr(C)` and begins with its head.
unsafe impl Node for OfSender {
    type Head = mqdrt_message;

    fn next(&self) -> &Cell<*const mqdrt_message> {
        &self.0.next_of_sender
    }

    fn previous(&self) -> &Cell<Option<&'static OfSender>> {
        &self.0.previous_of_sender
    }
}

impl Message {
    /// Its handle.
    pub(crate) fn handle(&'static self) -> usize {
        slab::handle(self)
    }

    /// Stores an envelope and, with `fill`, a copy of its data.
    pub(crate) fn set(
        &self,
        incoming: Incoming,
        protocol: Protocol,
        fill: impl FnOnce(&mut Vec<u8>),
    ) {
        let mut data = self.data.borrow_mut();
        data.clear();
        fill(&mut data);
        self.head.source.set(incoming.source);
        self.head.tag.set(incoming.tag);
        self.head.length.set(incoming.length as i64);
        self.head.buffer.set(if incoming.eager {
            data.as_mut_ptr().cast()
        } else {
            ptr::null_mut()
        });
        self.head.protocol.set(protocol);
        self.head.mode.set(incoming.mode);
        self.incoming.set(Some(incoming));
    }

    /// Notes where it has arrived.
    pub(crate) fn arrive(&self, context: &'static Context) {
        self.head.communicator.set(ptr::from_ref(context).cast::<mqdrt_communicator>());
        self.context.set(Some(context));
    }

    /// Forgets what the next use must not see, and gives back the memory of large data.
    pub(crate) fn clear(&self) {
        self.context.set(None);
        self.incoming.set(None);
        self.id.set(0);
        let mut data = self.data.borrow_mut();
        if data.capacity() > KEPT_BUFFER.size() {
            *data = Vec::new();
        }
    }
}
