//! Counts sends and receives, and reports those of the program.

use super::context::Context;
use super::message::Incoming;
use super::observe::{Event, Subject, report};
use super::request::{Operation, Request};
use super::state::Engine;
use crate::variables::counters::*;
use std::ffi::c_int;

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
        let Operation { context, peer, payload, .. } = operation;
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
        report(Event::SendStarted, || {
            let small = bytes as usize <= self.eager_limit(context);
            let eager = way == Way::Eager || way == Way::Self_ && small;
            Subject::Send { operation, eager }
        });
    }

    /// A receive waits for its message.
    #[inline]
    pub(super) fn note_posted(&self, context: &Context, request: &'static Request) {
        if context.visible {
            report(Event::ReceivePosted, || Subject::Request(request));
        }
    }

    /// A message has met no receive.
    #[inline]
    pub(super) fn note_unexpected(&self, context: &'static Context, incoming: &Incoming) {
        if context.visible {
            UNEXPECTED.add(1);
            UNEXPECTED_BYTES_ARRIVED.add(incoming.length as u64);
            report(Event::MessageUnexpected, || Subject::Envelope { context, incoming, id: 0 });
        }
    }

    /// A message and a receive have met.
    #[inline]
    pub(super) fn note_match(&self, context: &Context, incoming: &Incoming, was_unexpected: bool) {
        if context.visible {
            if was_unexpected { &LATE_RECEIVES } else { &EXPECTED }.add(1);
            report(Event::MessageMatched, || Subject::Match { context, incoming, was_unexpected });
        }
    }

    /// All data of a receive are there.
    #[inline]
    pub(super) fn note_received(&self, request: &Request) {
        let Some(context) = request.context.get().filter(|context| context.visible) else { return };
        let bytes = request.head.actual_length.get() as u64;
        count_received(context, request.head.actual_source.get(), bytes);
    }

    /// A message has been received without a request. Nobody wants a report.
    #[inline]
    pub(super) fn note_direct(
        &self,
        context: &Context,
        source: c_int,
        length: usize,
        was_unexpected: bool,
    ) {
        if context.visible {
            if was_unexpected { &LATE_RECEIVES } else { &EXPECTED }.add(1);
            count_received(context, source, length as u64);
        }
    }

    /// A request is over.
    #[inline]
    pub(super) fn note_completed(&self, request: &'static Request) {
        if request.context.get().is_some_and(|context| context.visible) {
            report(Event::RequestCompleted, || Subject::Request(request));
        }
    }
}

/// Counts a message of the program that has been received.
#[inline]
fn count_received(context: &Context, source: c_int, bytes: u64) {
    MESSAGES_RECEIVED.add(1);
    BYTES_RECEIVED.add(bytes);
    if let Some(traffic) = context.traffic.get(source as usize) {
        traffic.messages_received.add(1);
        traffic.bytes_received.add(bytes);
    }
}
