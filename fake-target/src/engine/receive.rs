//! Receives: posted, matched, and how their data come.

use super::message::{Incoming, Message};
use super::observe::{self, Event};
use super::payload::copy;
use super::request::{Operation, Owner, Queue, Request};
use super::state::Engine;
use super::variables::SINGLE_COPY_MINIMUM;
use crate::abi::{MPI_ERR_TRUNCATE, MPI_ERR_TYPE};
use crate::debug::queues::{OperationKind, OperationState, Protocol};
use crate::transport::envelope::{Envelope, Packet};
use crate::transport::system;
use crate::variables::counters;

impl Engine {
    /// Starts a receive.
    #[inline]
    pub(crate) fn receive(&'static self, operation: &Operation, owner: Owner) -> &'static Request {
        let request = self.make(operation, owner);
        self.start_receive(request);
        request
    }

    /// Starts the receive that `request` describes. A persistent one may be started repeatedly.
    #[inline]
    pub(crate) fn start_receive(&'static self, request: &'static Request) {
        let Some(context) = request.context.get() else { return };
        observe::request(Event::ReqActivate, request);
        match observe::search_unexpected(context, request) {
            Some(message) => {
                observe::request(Event::ReqMatchUnex, request);
                context.unexpected().remove(message);
                observe::message(Event::MsgRemoveFromUnexQ, message);
                self.deliver(request, message);
            }
            None => {
                request.head.state.set(OperationState::Pending);
                if let Some(code) = self.refusal(context, request.head.tag.get()) {
                    return self.end_refused(request, code);
                }
                request.queue.set(Some(Queue::Posted));
                context.posted().append(request);
                self.note_posted(context, request);
                observe::request(Event::ReqInsertInPostedQ, request);
            }
        }
    }

    /// Starts the receive of a message that a probe has matched (`MPI_Mrecv`).
    pub(crate) fn receive_message(
        &'static self,
        operation: &Operation,
        message: &'static Message,
        owner: Owner,
    ) -> &'static Request {
        debug_assert_eq!(operation.kind, OperationKind::MatchedReceive);
        let request = self.make(operation, owner);
        observe::request(Event::ReqActivate, request);
        observe::request(Event::ReqMatchUnex, request);
        self.deliver(request, message);
        // The message has held a reference to the communicator. The request holds one now.
        self.leave(operation.context);
        request
    }

    /// A receive and a message have met; the message is on no list any more.
    fn deliver(&'static self, request: &'static Request, message: &'static Message) {
        if let (Some(context), Some(incoming)) = (request.context.get(), message.incoming.get()) {
            request.matched(
                incoming.source,
                incoming.tag,
                incoming.length,
                message.head.protocol.get(),
            );
            context.match_receive(request);
            self.note_match(context, &incoming, true);
            let data = message.data.borrow();
            self.accept(request, &incoming, self.bounced(&incoming).unwrap_or(&data));
        }
        self.discard(message);
    }

    /// A message has come out of a ring.
    #[inline]
    pub(super) fn arrive(&'static self, envelope: &Envelope, world: usize, data: &[u8]) {
        let incoming = Incoming {
            source: envelope.source,
            tag: envelope.tag,
            length: envelope.length as usize,
            world,
            mode: envelope.mode.mode(),
            eager: envelope.packet == Packet::Eager,
            id: envelope.id,
            address: envelope.address,
            bounce: envelope.bounce,
        };
        let data = self.bounced(&incoming).unwrap_or(data);
        let protocol = if incoming.eager { Protocol::Eager } else { Protocol::Rendezvous };
        let context = self.context(envelope.context);
        let mut id = 0;
        if let Some(context) = context {
            id = observe::arrived(context, &incoming);
            if let Some(request) = observe::search_posted(context, &incoming) {
                observe::matched_posted(context, &incoming, id);
                request.matched(incoming.source, incoming.tag, incoming.length, protocol);
                context.match_receive(request);
                context.note_arrived(incoming.source);
                self.note_match(context, &incoming, false);
                observe::request(Event::ReqRemoveFromPostedQ, request);
                self.accept(request, &incoming, data);
                return self.leave_bounce(&incoming);
            }
        }
        if let Some(context) = context
            && self.refusal(context, incoming.tag).is_some()
        {
            context.note_arrived(incoming.source);
            self.leave_bounce(&incoming);
            return self.settle_refused(&incoming);
        }
        let message = self.messages.take();
        message.id.set(id);
        if incoming.bounce == 0 {
            message.set(incoming, protocol, |kept| kept.extend_from_slice(data));
        } else {
            // The data stay where they are until a receive matches.
            message.set(incoming, protocol, |_| ());
            message.head.buffer.set(data.as_ptr().cast_mut().cast());
        }
        match context {
            Some(context) => {
                message.arrive(context);
                context.unexpected().append(message);
                context.note_arrived(incoming.source);
                self.note_unexpected(context, &incoming);
                observe::message(Event::MsgInsertInUnexQ, message);
                self.wake_threads();
            }
            None => self.early.borrow_mut().entry(envelope.context).or_default().push(message),
        }
    }

    /// Moves the data of a matched message into the receive's buffer, or begins to.
    #[inline]
    fn accept(&'static self, request: &'static Request, incoming: &Incoming, data: &[u8]) {
        if incoming.eager {
            observe::transfer(request, || request.payload.borrow().scatter(0, data));
            if incoming.id != 0 {
                self.acknowledge(incoming);
            }
            self.finish_receive(request);
        } else if incoming.world == self.rank {
            if let Some(send) = self.request(incoming.id as usize) {
                let copy = || copy(&send.payload.borrow(), &request.payload.borrow());
                observe::transfer(send, || observe::transfer(request, copy));
            }
            self.settle_self(incoming);
            self.finish_receive(request);
        } else if self.fetch(request, incoming) {
            observe::request(Event::ReqXferEnd, request);
            self.answer(incoming.world, Envelope::of(Packet::Fetched, incoming.id));
            self.finish_receive(request);
        } else {
            let clear = Envelope {
                address: request.handle() as u64,
                ..Envelope::of(Packet::Clear, incoming.id)
            };
            self.answer(incoming.world, clear);
        }
    }

    /// Tells a synchronous send that its eager message is matched.
    fn acknowledge(&'static self, incoming: &Incoming) {
        if incoming.world == self.rank {
            self.settle_self(incoming);
        } else {
            self.answer(incoming.world, Envelope::of(Packet::Matched, incoming.id));
        }
    }

    /// Fetches the data from the sender's memory; false if that is not possible.
    fn fetch(&'static self, request: &'static Request, incoming: &Incoming) -> bool {
        if incoming.address == 0
            || !self.single_copy()
            || incoming.length < SINGLE_COPY_MINIMUM.size()
        {
            return false;
        }
        if request.payload.borrow().is_dense() {
            observe::transfer_begins(request);
        }
        let mut payload = request.payload.borrow_mut();
        let length = incoming.length.min(payload.length());
        let alone = payload.is_alone();
        let Some(block) = payload.block(length) else { return false };
        let pid = self.peer(incoming.world).pid();
        let fetched = !alone && self.fetch_with_help(pid, incoming, block)
            || system::read_process(pid, incoming.address, block).is_ok();
        if !fetched {
            // The system forbids it, now and later: the data come through the ring.
            self.single_copy_forbidden.set(true);
        } else {
            counters::SINGLE_COPIES.add(1);
            counters::SINGLE_COPY_BYTES.add(length as u64);
        }
        fetched
    }

    /// Fetches the data while the sender, if it waits, copies some of them. False if not all data
    /// could be copied.
    fn fetch_with_help(&'static self, pid: i32, incoming: &Incoming, block: &mut [u8]) -> bool {
        // A sender that needs this processor cannot help.
        if self.crowded {
            return false;
        }
        let assist = self.peer(incoming.world).assist();
        let address = block.as_ptr().addr() as u64;
        let Some(shared) =
            assist.open(self.segment.pid(self.rank), incoming.id, address, block.len())
        else {
            return false;
        };
        let mut good = true;
        while good && let Some((offset, length)) = shared.take_first() {
            let piece = &mut block[offset..offset + length];
            good = system::read_process(pid, incoming.address + offset as u64, piece).is_ok();
        }
        shared.close() && good
    }

    /// A piece of a stream has come.
    pub(super) fn receive_piece(&'static self, request: &'static Request, data: &[u8]) {
        observe::transfer_begins(request);
        request.payload.borrow().scatter(request.moved.get(), data);
        request.moved.set(request.moved.get() + data.len());
        if request.moved.get() as i64 == request.head.actual_length.get() {
            observe::request(Event::ReqXferEnd, request);
            self.finish_receive(request);
        }
    }

    /// All data of a receive are there.
    #[inline]
    pub(super) fn finish_receive(&'static self, request: &'static Request) {
        let (actual, room) = (request.head.actual_length.get(), request.head.length.get());
        if actual > room {
            request.error.set(MPI_ERR_TRUNCATE);
        } else if actual < room && !request.payload.borrow().is_whole(actual) {
            request.error.set(MPI_ERR_TYPE);
        }
        self.note_received(request);
        self.complete(request);
    }
}
