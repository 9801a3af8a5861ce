//! The tool information interface as the engine and the chapters see it: what they report becomes
//! events.

use super::event::delivery::{raise, raise_in_engine};
use super::event::types::*;
use super::{cvar, event, pvar};
use crate::engine::context::Context;
use crate::engine::observe::{self, Event, Observer, Seat, Subject};
use crate::engine::request::Request;

struct ToolInformation;

/// Begins to observe. From now on handles that are bound to communicators have to hear of their
/// end.
pub(super) fn attach() {
    observe::attach(Seat::ToolInformation, &ToolInformation);
    observe::want(Seat::ToolInformation, Event::Closed.bit(), true);
}

impl Observer for ToolInformation {
    fn notice(&self, event: Event, subject: &Subject<'_>) {
        match (event, *subject) {
            (Event::SendStarted, Subject::Send { operation, eager }) => {
                let (peer, bytes) = (operation.peer.into(), operation.payload.length() as i64);
                let elements = [peer, operation.tag.into(), bytes, eager.into()];
                raise_in_engine(SEND_STARTED, Some(operation.context), &elements);
            }
            (Event::ReceivePosted, Subject::Request(request)) => {
                let head = &request.head;
                let elements = [head.peer.get().into(), head.tag.get().into(), head.length.get()];
                raise_in_engine(RECEIVE_POSTED, request.context.get(), &elements);
            }
            (Event::MessageUnexpected, Subject::Envelope { context, incoming, .. }) => {
                let (source, length) = (incoming.source.into(), incoming.length as i64);
                let elements = [source, incoming.tag.into(), length, incoming.eager.into()];
                raise_in_engine(UNEXPECTED_MESSAGE, Some(context), &elements);
            }
            (Event::MessageMatched, Subject::Match { context, incoming, was_unexpected }) => {
                let (source, length) = (incoming.source.into(), incoming.length as i64);
                let elements = [source, incoming.tag.into(), length, was_unexpected.into()];
                raise_in_engine(MESSAGE_MATCHED, Some(context), &elements);
            }
            (Event::RequestCompleted, Subject::Request(request)) => {
                raise_in_engine(REQUEST_COMPLETED, request.context.get(), &completed(request));
            }
            (Event::Opened, Subject::Communicator { context, size }) => {
                let elements = [id(context), size.into()];
                raise_in_engine(COMMUNICATOR_CREATED, Some(context), &elements);
            }
            (Event::Closed, Subject::Communicator { context, .. }) => {
                raise_in_engine(COMMUNICATOR_ENDED, Some(context), &[id(context)]);
                cvar::communicator_gone(context);
                pvar::communicator_gone(context);
                event::communicator_gone(context);
            }
            (Event::Slept, Subject::Sleeper(nanoseconds)) => {
                raise(THREAD_SLEPT, None, &[nanoseconds as i64]);
            }
            (Event::CollectiveEntered, Subject::Collective { context, family, .. }) => {
                raise(COLLECTIVE_ENTERED, Some(context), &[family]);
            }
            (Event::CollectiveLeft, Subject::Collective { context, family, nanoseconds }) => {
                raise(COLLECTIVE_LEFT, Some(context), &[family, nanoseconds as i64]);
            }
            _ => {}
        }
    }
}

fn id(context: &Context) -> i64 {
    context.head.context_id.get().into()
}

/// The elements of `request_completed`.
fn completed(request: &Request) -> [i64; 4] {
    let head = &request.head;
    match request.is_send() {
        true => [1, head.peer.get().into(), head.tag.get().into(), head.length.get()],
        false => [
            0,
            head.actual_source.get().into(),
            head.actual_tag.get().into(),
            head.actual_length.get(),
        ],
    }
}
