//! Probes (MPI 5.0, section 3.8): they look for a message and leave it where it is, or take it for
//! a later receive.

use super::context::Context;
use super::message::Message;
use super::observe::{self, Event};
use super::request::{Operation, Owner, Queue, Request};
use super::state::Engine;
use crate::abi::MPI_Status;
use crate::debug::queues::OperationState;
use std::ffi::c_int;

impl Engine {
    /// The first message that matches, which stays where it is.
    pub(crate) fn probe(
        &'static self,
        context: &'static Context,
        source: c_int,
        tag: c_int,
    ) -> Option<MPI_Status> {
        observe::search_for_probe(context, source, tag).map(status)
    }

    /// The first message that matches, taken out of matching; its handle.
    pub(crate) fn probe_and_take(
        &'static self,
        context: &'static Context,
        source: c_int,
        tag: c_int,
    ) -> Option<(usize, MPI_Status)> {
        let message = observe::search_for_probe(context, source, tag)?;
        context.unexpected().remove(message);
        observe::message(Event::MsgRemoveFromUnexQ, message);
        context.uses.set(context.uses.get() + 1);
        Some((message.handle(), status(message)))
    }

    /// The message that a handle names, and its context; from now on the handle names nothing.
    pub(crate) fn message(
        &'static self,
        handle: usize,
    ) -> Option<(&'static Message, &'static Context)> {
        let message = self.messages.get(handle)?;
        Some((message, message.context.get()?))
    }

    /// Shows a probe that waits.
    pub(crate) fn begin_probe(&'static self, operation: &Operation) -> &'static Request {
        let request = self.make(operation, Owner::Call);
        request.head.state.set(OperationState::Pending);
        request.queue.set(Some(Queue::Probes));
        self.probes().append(request);
        request
    }
}

fn status(message: &'static Message) -> MPI_Status {
    let mut status = MPI_Status::EMPTY;
    status.MPI_SOURCE = message.head.source.get();
    status.MPI_TAG = message.head.tag.get();
    status.set_bytes(message.head.length.get());
    status
}
