//! Buffered sends (MPI 5.0, section 3.6).

use super::buffer::BsendBuffer;
use super::context::Context;
use super::request::{Operation, Owner, Request};
use super::room::{Holder, Room};
use super::state::Engine;
use super::wait::{Awaited, wait_for};
use crate::abi::MPI_BSEND_OVERHEAD;
use crate::debug::queues::{OperationKind, OperationState};
use crate::engine;
use std::ffi::c_int;

impl Engine {
    /// Works on the buffer of a holder, if one is attached.
    pub(crate) fn with_buffer<R>(
        &self,
        holder: Holder,
        work: impl FnOnce(&mut Option<BsendBuffer>) -> R,
    ) -> R {
        match holder {
            Holder::Process => work(&mut self.attached.borrow_mut()),
            Holder::Session(session) => {
                work(self.of_sessions.borrow_mut().entry(session).or_default())
            }
            Holder::Communicator(context) => work(&mut context.attached.borrow_mut()),
        }
    }

    /// Whose buffer the sends of a communicator use: its own if it has one, otherwise that of its
    /// session, otherwise that of the process.
    fn holder_for(&self, context: &'static Context) -> Holder {
        let session = context.session.get();
        if context.attached.borrow().is_some() {
            return Holder::Communicator(context);
        }
        match self.of_sessions.borrow().get(&session) {
            Some(Some(_)) => Holder::Session(session),
            _ => Holder::Process,
        }
    }

    /// Whether the data of a send fit the buffer now.
    pub(crate) fn has_room(&self, operation: &Operation) -> bool {
        self.with_buffer(self.holder_for(operation.context), |buffer| {
            buffer.as_ref().is_some_and(|buffer| buffer.gap(operation.payload.length()).is_some())
        })
    }

    /// The number of the last message that was copied to a buffer. Numbers ascend over all buffers,
    /// so that a flush does not wait for the messages of a buffer that is attached later.
    pub(crate) fn last_buffered(&self) -> u64 {
        self.last_buffered.get()
    }

    /// Whether no message up to this number is left in a buffer.
    pub(crate) fn is_flushed(&self, holder: Holder, last: u64) -> bool {
        self.with_buffer(holder, |buffer| {
            buffer.as_ref().is_none_or(|buffer| buffer.is_free_of(last))
        })
    }

    /// Has a task woken when the next message has left a buffer.
    pub(crate) fn wake_when_room(&self, request: &'static Request) {
        self.flushes.borrow_mut().push(request);
    }

    /// A session has ended, so it has no buffer any more.
    pub(crate) fn forget_buffer(&self, session: usize) {
        self.of_sessions.borrow_mut().remove(&session);
    }

    /// Starts a send whose data are copied to the buffer; none when they do not fit.
    pub(crate) fn send_buffered(
        &'static self,
        operation: &Operation,
        destination: usize,
        owner: Owner,
    ) -> Option<&'static Request> {
        debug_assert_eq!(operation.kind, OperationKind::SendBuffered);
        let bytes = operation.payload.length();
        let holder = self.holder_for(operation.context);
        let message = self.last_buffered.get() + 1;
        let mut own = Vec::new();
        let address = self.with_buffer(holder, |buffer| {
            let buffer = buffer.as_mut()?;
            let offset = buffer.take(bytes, message)?;
            Some(match buffer {
                BsendBuffer::Attached { address, .. } => address.wrapping_byte_add(offset).cast(),
                BsendBuffer::Automatic(_) => {
                    own.resize(bytes, 0);
                    own.as_mut_ptr()
                }
            })
        })?;
        self.last_buffered.set(message);
        let data = operation.payload.buffer();
        let operation = Operation { payload: operation.payload.moved_to(address), ..*operation };
        let request = self.make(&operation, owner);
        request.own.replace(own);
        request.head.system_buffer.set(1);
        let taken = bytes + MPI_BSEND_OVERHEAD as usize;
        request.buffered.set(Some(Room { message, bytes: taken, holder, data }));
        self.start_send(request, &operation, destination);
        Some(request)
    }

    /// Starts a persistent send whose data are copied to the buffer, so that it is complete at
    /// once; none if they do not fit. A request of their own carries the data, since the persistent
    /// one may be started again before they have left.
    pub(crate) fn start_buffered(
        &'static self,
        request: &'static Request,
        operation: &Operation,
        destination: usize,
    ) -> Option<()> {
        let twin = self.send_buffered(operation, destination, Owner::Program)?;
        self.complete_nothing(request);
        request.stand_in.set(twin.handle());
        twin.twin.set(Some(request));
        request.twin.set(Some(twin));
        if twin.state() == OperationState::Complete {
            self.show_persistent(twin);
        }
        self.detach(twin);
        Some(())
    }

    /// In the list of sends, a persistent request replaces the one that has carried its data.
    fn show_persistent(&self, carrier: &'static Request) {
        let Some(persistent) = carrier.twin.take() else { return };
        persistent.twin.set(None);
        persistent.head.protocol.set(carrier.head.protocol.get());
        persistent.queue.set(carrier.queue.take());
        self.sends().replace(carrier, persistent);
    }

    /// The data of a buffered send have left the buffer. It becomes an ordinary complete send,
    /// whose data are where the program has them. False for other requests.
    #[inline]
    pub(super) fn leave_buffer(&self, request: &'static Request) -> bool {
        let Some(room) = request.buffered.take() else { return false };
        request.head.buffer.set(room.data);
        request.head.system_buffer.set(0);
        self.show_persistent(request);
        self.with_buffer(room.holder, |buffer| {
            if let Some(buffer) = buffer {
                buffer.give_back(room.message, room.bytes);
            }
        });
        let mut flushes = self.flushes.borrow_mut();
        self.show_going_on(flushes.len() as c_int);
        self.ready.borrow_mut().append(&mut flushes);
        true
    }
}

/// Waits until the messages that are in a buffer now have left it.
pub(crate) fn flush(holder: Holder) {
    let last = engine::enter().last_buffered();
    wait(holder, last);
}

/// Waits until no message is left in a buffer, not even one that another thread sends meanwhile.
pub(crate) fn empty(holder: Holder) {
    wait(holder, u64::MAX);
}

fn wait(holder: Holder, last: u64) {
    let is_over = |engine: &'static Engine| engine.is_flushed(holder, last).then_some(());
    wait_for(Awaited::Other, is_over);
}
