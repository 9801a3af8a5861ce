//! Sends: eager, rendezvous, and to the process itself.

use super::accounts::Way;
use super::message::Incoming;
use super::observe::{self, Event};
use super::payload::copy;
use super::peer::Peer;
use super::request::{Operation, Owner, Queue, Request};
use super::state::Engine;
use crate::debug::queues::{OperationKind, OperationState, Protocol};
use crate::transport::envelope::{Envelope, Packet};
use crate::variables::counters::{IMMEDIATE_SENDS, WAITING_FOR_ROOM};

impl Engine {
    /// Sends without a request, if the whole message can leave at once and needs no answer.
    #[inline]
    pub(crate) fn send_at_once(&'static self, operation: &Operation, destination: usize) -> bool {
        let Operation { kind, context, payload, .. } = operation;
        if payload.length() > self.eager_limit(context) || *kind == OperationKind::SendSynchronous {
            return false;
        }
        if destination == self.rank {
            IMMEDIATE_SENDS.add(u64::from(context.visible));
            self.note_send(operation, Way::Self_);
            self.send_to_self(operation, true, 0, None);
            return true;
        }
        let sent = self.push_eager(operation, destination, payload.length(), 0);
        IMMEDIATE_SENDS.add(u64::from(sent && context.visible));
        sent
    }

    /// Writes the envelope of an eager send, and data of it, to a peer. False: other sends to it
    /// wait, or there is no room.
    #[inline(always)]
    pub(super) fn push_eager(
        &'static self,
        operation: &Operation,
        destination: usize,
        bytes: usize,
        address: u64,
    ) -> bool {
        let Operation { kind, context, tag, payload, .. } = operation;
        let peer = self.peer(destination);
        if peer.has_waiting() {
            return false;
        }
        let envelope = Envelope {
            context: context.id(),
            source: context.rank,
            tag: *tag,
            mode: (*kind).into(),
            length: payload.length() as u64,
            bounce: payload.bounce(),
            address,
            ..Envelope::of(Packet::Eager, 0)
        };
        context.note_leaving(operation.peer);
        let sent = peer.push(&envelope, bytes, |data| payload.gather(0, data));
        if sent {
            self.note_send(operation, Way::Eager);
        } else {
            context.note_stayed(operation.peer);
        }
        sent
    }

    /// Whether a message would leave at once.
    pub(crate) fn can_send_at_once(
        &'static self,
        operation: &Operation,
        destination: usize,
    ) -> bool {
        let length = operation.payload.length();
        let peer = self.peer(destination);
        length <= self.eager_limit(operation.context)
            && (destination == self.rank || !peer.has_waiting() && peer.writer.has_room_for(length))
    }

    /// Starts a send to a world rank.
    pub(crate) fn send(
        &'static self,
        operation: &Operation,
        destination: usize,
        owner: Owner,
    ) -> &'static Request {
        let request = self.make(operation, owner);
        self.start_send(request, operation, destination);
        request
    }

    /// Starts the send that `request` describes. A persistent one may be started repeatedly.
    pub(crate) fn start_send(
        &'static self,
        request: &'static Request,
        operation: &Operation,
        destination: usize,
    ) {
        request.destination.set(destination);
        request.head.state.set(OperationState::Pending);
        observe::request(Event::ReqActivate, request);
        if request.head.system_buffer.get() != 0 {
            observe::request(Event::ReqComplete, request);
        }
        let eager = operation.payload.bounce() != 0
            || operation.payload.length() <= self.eager_limit(operation.context);
        request.head.protocol.set(match (destination == self.rank, eager) {
            (true, _) => Protocol::SelfMessage,
            (false, true) => Protocol::Eager,
            (false, false) => Protocol::Rendezvous,
        });
        request.queue.set(Some(Queue::Sends));
        if operation.context.visible {
            self.sends().append(request);
        } else {
            self.internal_sends().append(request);
        }
        self.note_send(
            operation,
            match (destination == self.rank, eager) {
                (true, _) => Way::Self_,
                (false, true) => Way::Eager,
                (false, false) => Way::Rendezvous,
            },
        );
        if destination == self.rank {
            request.on_wire.set(true);
            let waits = !eager || operation.kind == OperationKind::SendSynchronous;
            self.send_to_self(
                operation,
                eager,
                if waits { request.handle() as u64 } else { 0 },
                Some(request),
            );
            if !waits {
                self.complete(request);
            }
            return;
        }
        let peer = self.peer(destination);
        if peer.has_waiting() || !self.transmit(peer, request) {
            peer.waiting.borrow_mut().push_back(request);
            WAITING_FOR_ROOM.rise(1);
            self.mark_busy(peer);
        }
    }

    /// Writes a send's envelope, with the data of an eager one; false if there is no room.
    pub(super) fn transmit(&'static self, peer: &Peer, request: &'static Request) -> bool {
        let Some(context) = request.context.get() else { return true };
        let payload = request.payload.borrow();
        let eager = request.head.protocol.get() == Protocol::Eager;
        let synchronous = request.head.kind.get() == OperationKind::SendSynchronous;
        let id = if eager && !synchronous { 0 } else { request.handle() as u64 };
        let has_address = payload.bounce() != 0 || !eager && self.single_copy();
        let envelope = Envelope {
            context: context.id(),
            source: context.rank,
            tag: request.head.tag.get(),
            mode: request.head.kind.get().into(),
            length: payload.length() as u64,
            address: if has_address { payload.address() } else { 0 },
            bounce: payload.bounce(),
            ..Envelope::of(if eager { Packet::Eager } else { Packet::Offer }, id)
        };
        let in_record = eager && payload.bounce() == 0;
        let bytes = if in_record { payload.length() } else { 0 };
        if eager && observe::follows_transfers() {
            // A transfer that has been reported must not have to wait.
            if !peer.writer.has_room_for(bytes) {
                return false;
            }
            observe::transfer_begins(request);
        }
        let rank = request.head.peer.get();
        context.note_leaving(rank);
        if !peer.push(&envelope, bytes, |data| payload.gather(0, data)) {
            context.note_stayed(rank);
            return false;
        }
        drop(payload);
        if eager {
            observe::request(Event::ReqXferEnd, request);
        }
        request.on_wire.set(true);
        if id == 0 {
            self.complete(request);
        }
        true
    }

    /// Delivers a message of the process to itself, its data at once if it is eager; `id` is the
    /// request that waits for its receive, or 0, and `send` the request if it has one.
    #[inline]
    fn send_to_self(
        &'static self,
        operation: &Operation,
        eager: bool,
        id: u64,
        send: Option<&'static Request>,
    ) {
        let length = operation.payload.length();
        let incoming = Incoming {
            source: operation.context.rank,
            tag: operation.tag,
            length,
            world: self.rank,
            mode: operation.kind,
            eager,
            id,
            address: 0,
            bounce: 0,
        };
        let context = operation.context;
        let message_id = observe::arrived(context, &incoming);
        context.note_leaving(operation.peer);
        match observe::search_posted(context, &incoming) {
            Some(receive) => {
                observe::matched_posted(context, &incoming, message_id);
                receive.matched(incoming.source, incoming.tag, length, Protocol::SelfMessage);
                context.match_receive(receive);
                context.note_arrived(incoming.source);
                self.note_match(context, &incoming, false);
                observe::request(Event::ReqRemoveFromPostedQ, receive);
                let copy = || copy(&operation.payload, &receive.payload.borrow());
                match send {
                    Some(send) => observe::transfer(send, || observe::transfer(receive, copy)),
                    None => observe::transfer(receive, copy),
                }
                self.settle_self(&incoming);
                self.finish_receive(receive);
            }
            None if self.refusal(context, incoming.tag).is_some() => {
                context.note_arrived(incoming.source);
                self.settle_refused(&incoming);
            }
            None => {
                let message = self.messages.take();
                message.id.set(message_id);
                let keep = || {
                    message.set(incoming, Protocol::SelfMessage, |data| {
                        if incoming.eager {
                            data.resize(length, 0);
                            operation.payload.gather(0, data);
                        }
                    });
                };
                // The data of a large message stay where they are until it is received.
                match send {
                    Some(send) if eager => observe::transfer(send, keep),
                    _ => keep(),
                }
                message.arrive(context);
                context.unexpected().append(message);
                context.note_arrived(incoming.source);
                observe::message(Event::MsgInsertInUnexQ, message);
                self.note_unexpected(context, &incoming);
                self.wake_threads();
            }
        }
    }

    /// A message to the process itself has been received: its send is complete.
    pub(super) fn settle_self(&'static self, incoming: &Incoming) {
        if let Some(send) = self.request(incoming.id as usize) {
            self.complete(send);
        }
    }
}
