//! A send, a receive or a waiting probe, as the engine works on it.

use super::context::Context;
use super::list::Node;
use super::payload::Payload;
use super::room::Room;
use super::slab::{self, SlabObject, SlabPlace};
use super::task::Task;
use crate::abi::{MPI_SUCCESS, MPI_Status};
use crate::debug::queues::{
    OperationKind, OperationState, Protocol, mqdrt_communicator, mqdrt_request, publish,
};
use crate::error::Error;
use crate::handles;
use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_int};
use std::ptr;

/// Who ends a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Owner {
    /// The program, by a function that completes requests.
    Program,
    /// The function of the runtime that waits for it.
    Call,
    /// The task that it is a message of.
    Task,
    /// Nobody waits for it: the engine ends it once it is complete.
    Nobody,
}

/// The list that a request is on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Queue {
    /// `mqdrt_process.sends`
    Sends,
    /// `mqdrt_process.probes`
    Probes,
    /// `mqdrt_communicator.posted_receives`
    Posted,
    /// `mqdrt_communicator.matched_receives`
    Matched,
}

/// An operation: the arguments of the call that makes it.
pub(crate) struct Operation {
    /// The MPI function's name.
    pub(crate) call: &'static CStr,
    /// What it does.
    pub(crate) kind: OperationKind,
    /// Where.
    pub(crate) context: &'static Context,
    /// Destination or source, as in the call.
    pub(crate) peer: c_int,
    /// Tag, as in the call.
    pub(crate) tag: c_int,
    /// The buffer.
    pub(crate) payload: Payload,
}

/// An operation in progress.
#[repr(C)]
pub(crate) struct Request {
    /// What debuggers see.
    pub(crate) head: mqdrt_request,
    previous: Cell<Option<&'static Request>>,
    place: SlabPlace,
    /// The list it is on.
    pub(crate) queue: Cell<Option<Queue>>,
    /// The context in which it matches; none for an operation with `MPI_PROC_NULL`.
    pub(crate) context: Cell<Option<&'static Context>>,
    /// The program's data.
    pub(crate) payload: RefCell<Payload>,
    /// Who ends it.
    pub(crate) owner: Cell<Owner>,
    /// It can be started again.
    pub(crate) persistent: Cell<bool>,
    /// A send: the world rank of the destination.
    pub(crate) destination: Cell<usize>,
    /// A send: its envelope has left this process.
    pub(crate) on_wire: Cell<bool>,
    /// A send that streams: the receiver's request.
    pub(crate) partner: Cell<u64>,
    /// Bytes that a stream has moved.
    pub(crate) moved: Cell<usize>,
    /// A buffered send: where its data wait.
    pub(crate) buffered: Cell<Option<Room>>,
    /// For a persistent buffered send, the request that carries its data; in that request, the
    /// persistent one.
    pub(crate) twin: Cell<Option<&'static Request>>,
    /// The runtime's own copy of the data, of sends that outlive their buffer.
    pub(crate) own: RefCell<Vec<u8>>,
    /// Its cancellation has been asked for, and for all that is known it may succeed.
    pub(crate) cancelling: Cell<bool>,
    /// It was cancelled.
    pub(crate) cancelled: Cell<bool>,
    /// A receive of the runtime: the error code of a process that has refused the operation.
    pub(super) refused: Cell<c_int>,
    /// The beginning of its transfer has been reported.
    pub(crate) transferring: Cell<bool>,
    /// The handle of the request that carries out this persistent one. Both are observed under this
    /// handle. 0: none.
    pub(crate) stand_in: Cell<usize>,
    /// The error class it ended with.
    pub(crate) error: Cell<c_int>,
    /// The two operations of a combined send and receive, which this request stands for.
    pub(crate) parts: Cell<[Option<&'static Request>; 2]>,
    /// Its work is a task.
    pub(super) has_task: Cell<bool>,
    /// Debuggers see its task as one send or receive.
    pub(super) described: Cell<bool>,
    /// That task; none while it runs.
    pub(super) task: RefCell<Option<Box<dyn Task>>>,
    /// The first error of the task.
    pub(crate) failure: RefCell<Option<Error>>,
}

impl SlabObject for Request {
    const KIND: handles::HandleKind = handles::HandleKind::Request;

    fn vacant(place: SlabPlace) -> Request {
        Request {
            head: mqdrt_request {
                next: Cell::new(ptr::null()),
                communicator: Cell::new(ptr::null()),
                kind: Cell::new(OperationKind::Receive),
                state: Cell::new(OperationState::Inactive),
                peer: Cell::new(0),
                tag: Cell::new(0),
                buffer: Cell::new(ptr::null_mut()),
                count: Cell::new(0),
                datatype: Cell::new(ptr::null()),
                length: Cell::new(0),
                system_buffer: Cell::new(0),
                protocol: Cell::new(Protocol::None),
                actual_source: Cell::new(0),
                actual_tag: Cell::new(0),
                actual_length: Cell::new(0),
                call: Cell::new(ptr::null()),
                wait: Cell::new(0),
                whole: Cell::new(ptr::null()),
                open: Cell::new(0),
            },
            previous: Cell::new(None),
            place,
            queue: Cell::new(None),
            context: Cell::new(None),
            payload: RefCell::new(Payload::EMPTY),
            owner: Cell::new(Owner::Nobody),
            persistent: Cell::new(false),
            destination: Cell::new(0),
            on_wire: Cell::new(false),
            partner: Cell::new(0),
            moved: Cell::new(0),
            buffered: Cell::new(None),
            twin: Cell::new(None),
            own: RefCell::new(Vec::new()),
            cancelling: Cell::new(false),
            cancelled: Cell::new(false),
            refused: Cell::new(MPI_SUCCESS),
            transferring: Cell::new(false),
            stand_in: Cell::new(0),
            error: Cell::new(MPI_SUCCESS),
            parts: Cell::new([None; 2]),
            has_task: Cell::new(false),
            described: Cell::new(false),
            task: RefCell::new(None),
            failure: RefCell::new(None),
        }
    }

    fn place(&self) -> &SlabPlace {
        &self.place
    }
}

// SAFETY: `repr(C)`, and the head is the first field.
unsafe impl Node for Request {
    type Head = mqdrt_request;

    fn next(&self) -> &Cell<*const mqdrt_request> {
        &self.head.next
    }

    fn previous(&self) -> &Cell<Option<&'static Request>> {
        &self.previous
    }
}

impl Request {
    /// Its handle, which also names it in packets.
    #[inline]
    pub(crate) fn handle(&'static self) -> usize {
        slab::handle(self)
    }

    /// Stores an operation in a request that is on no list. The request becomes inactive.
    /// Everything is filled except its progress.
    #[inline]
    pub(crate) fn set(&self, operation: &Operation, owner: Owner) {
        let Operation { call, kind, context, peer, tag, payload } = operation;
        let head = &self.head;
        head.communicator.set(ptr::from_ref(*context).cast::<mqdrt_communicator>());
        head.kind.set(*kind);
        head.state.set(OperationState::Inactive);
        head.peer.set(*peer);
        head.tag.set(*tag);
        head.buffer.set(payload.place());
        head.count.set(payload.count());
        head.datatype.set(payload.datatype());
        head.length.set(payload.length() as i64);
        head.call.set(call.as_ptr());
        self.context.set(Some(context));
        self.payload.borrow_mut().take_on(payload);
        self.owner.set(owner);
        self.persistent.set(false);
        self.reset();
    }

    /// Sets the operation back to its beginning.
    #[inline]
    pub(crate) fn reset(&self) {
        self.head.system_buffer.set(0);
        self.head.protocol.set(Protocol::None);
        self.head.actual_length.set(0);
        self.on_wire.set(false);
        self.moved.set(0);
        self.cancelling.set(false);
        self.cancelled.set(false);
        self.refused.set(MPI_SUCCESS);
        self.transferring.set(false);
        self.stand_in.set(0);
        self.error.set(MPI_SUCCESS);
    }

    /// The operation that it does, for a persistent request that is started.
    pub(crate) fn operation(&self) -> Option<Operation> {
        let head = &self.head;
        // SAFETY: `set` took it from a static string.
        let call = unsafe { CStr::from_ptr(head.call.get()) };
        let (kind, peer, tag) = (head.kind.get(), head.peer.get(), head.tag.get());
        let context = self.context.get()?;
        Some(Operation { call, kind, context, peer, tag, payload: self.payload.borrow().clone() })
    }

    /// How far it is.
    #[inline]
    pub(crate) fn state(&self) -> OperationState {
        self.head.state.get()
    }

    /// Whether it is a send.
    pub(crate) fn is_send(&self) -> bool {
        !matches!(
            self.head.kind.get(),
            OperationKind::Receive | OperationKind::MatchedReceive | OperationKind::Probe
        )
    }

    /// Whether the program may complete it now. A buffered send is complete for the program once
    /// its data are in the buffer, unless it is not known yet whether it is cancelled.
    #[inline]
    pub(crate) fn is_done(&self) -> bool {
        match self.parts.get() {
            [None, _] => {
                let buffered = self.head.system_buffer.get() != 0;
                self.state() == OperationState::Complete || buffered && !self.cancelling.get()
            }
            parts => parts.iter().flatten().all(|part| part.is_done()),
        }
    }

    /// Notes the message that a receive has matched; the receive is not linked as matched yet.
    #[inline]
    pub(crate) fn matched(&self, source: c_int, tag: c_int, length: usize, protocol: Protocol) {
        self.head.actual_source.set(source);
        self.head.actual_tag.set(tag);
        self.head.actual_length.set(length as i64);
        self.head.protocol.set(protocol);
        publish();
        self.head.state.set(OperationState::Matched);
    }

    /// Its status for the program (MPI 5.0, section 3.2.5).
    pub(crate) fn status(&self) -> MPI_Status {
        let mut status = MPI_Status::EMPTY;
        if let [Some(_), Some(receive)] = self.parts.get() {
            return receive.status();
        }
        if let Some(task) = &*self.task.borrow() {
            let mut status = task.status();
            status.MPI_ERROR = self.error.get();
            return status;
        }
        status.set_cancelled(self.cancelled.get());
        status.MPI_ERROR = self.error.get();
        if !self.is_send() && !self.cancelled.get() {
            status.MPI_SOURCE = self.head.actual_source.get();
            status.MPI_TAG = self.head.actual_tag.get();
            status.set_bytes(self.head.actual_length.get().min(self.head.length.get()));
        }
        status
    }
}
