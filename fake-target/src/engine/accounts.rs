//! What is counted of sends and receives, and which events they raise for the tool information
//! interface.

use super::Engine;
use super::context::Context;
use super::message::Incoming;
use super::request::{Operation, Request};
use crate::mpi_t::event::{self, types};
use crate::mpi_t::pvar::counters::*;

/// How a message leaves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// To the process itself.
    Self_,
    /// Its data travel with the envelope.
    Eager,
    /// Its data travel after the match.
    Rendezvous,
}

impl Engine {
    /// A send starts.
    #[inline]
    pub(super) fn note_send(&self, operation: &Operation, way: Way) {
        let Operation { context, peer, tag, payload, .. } = operation;
        let bytes = payload.length() as u64;
        if !context.visible {
            INTERNAL_MESSAGES.add(1);
            INTERNAL_BYTES.add(bytes);
            return;
        }
        MESSAGES_SENT.add(1);
        BYTES_SENT.add(bytes);
        if let Some(traffic) = context.traffic.get(*peer as usize) {
            traffic.messages_sent.add(1);
            traffic.bytes_sent.add(bytes);
        }
        match way {
            Way::Self_ => SELF_SENDS.add(1),
            Way::Eager => EAGER_SENDS.add(1),
            Way::Rendezvous => RENDEZVOUS_SENDS.add(1),
        }
        let eager =
            way == Way::Eager || way == Way::Self_ && bytes as usize <= self.eager_limit(context);
        let elements = [(*peer).into(), (*tag).into(), bytes as i64, eager.into()];
        event::in_engine(types::SEND_STARTED, context.owner.get(), &elements);
    }

    /// A receive waits for its message.
    #[inline]
    pub(super) fn note_posted(&self, context: &Context, request: &Request) {
        if context.visible {
            let head = &request.head;
            let elements = [head.peer.get().into(), head.tag.get().into(), head.length.get()];
            event::in_engine(types::RECEIVE_POSTED, context.owner.get(), &elements);
        }
    }

    /// A message has met no receive.
    #[inline]
    pub(super) fn note_unexpected(&self, context: &Context, incoming: &Incoming) {
        if context.visible {
            let length = incoming.length as i64;
            UNEXPECTED.add(1);
            UNEXPECTED_BYTES_ARRIVED.add(length as u64);
            let elements =
                [incoming.source.into(), incoming.tag.into(), length, incoming.eager.into()];
            event::in_engine(types::UNEXPECTED_MESSAGE, context.owner.get(), &elements);
        }
    }

    /// A message and a receive have met.
    #[inline]
    pub(super) fn note_match(&self, context: &Context, incoming: &Incoming, was_unexpected: bool) {
        if context.visible {
            if was_unexpected { &LATE_RECEIVES } else { &EXPECTED }.add(1);
            let elements = [
                incoming.source.into(),
                incoming.tag.into(),
                incoming.length as i64,
                was_unexpected.into(),
            ];
            event::in_engine(types::MESSAGE_MATCHED, context.owner.get(), &elements);
        }
    }

    /// All data of a receive are there.
    #[inline]
    pub(super) fn note_received(&self, request: &Request) {
        let Some(context) = request.context.get().filter(|context| context.visible) else { return };
        let bytes = request.head.actual_length.get() as u64;
        MESSAGES_RECEIVED.add(1);
        BYTES_RECEIVED.add(bytes);
        if let Some(traffic) = context.traffic.get(request.head.actual_source.get() as usize) {
            traffic.messages_received.add(1);
            traffic.bytes_received.add(bytes);
        }
    }

    /// A request is over.
    #[inline]
    pub(super) fn note_completed(&self, request: &Request) {
        let Some(context) = request.context.get().filter(|context| context.visible) else { return };
        let head = &request.head;
        let elements = match request.is_send() {
            true => [1, head.peer.get().into(), head.tag.get().into(), head.length.get()],
            false => [
                0,
                head.actual_source.get().into(),
                head.actual_tag.get().into(),
                head.actual_length.get(),
            ],
        };
        event::in_engine(types::REQUEST_COMPLETED, context.owner.get(), &elements);
    }
}
