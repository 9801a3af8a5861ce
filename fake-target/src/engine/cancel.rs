//! Cancelling (MPI 5.0, section 3.8.4). A receive can be cancelled if nothing has matched it, a
//! send only if its message is still unmatched.

use super::context::Context;
use super::message::Message;
use super::observe::{self, Event};
use super::request::{Queue, Request};
use super::state::Engine;
use crate::abi::{MPI_ANY_TAG, MPI_PROC_NULL};
use crate::debug::queues::OperationState;
use crate::transport::envelope::{Envelope, Packet};
use crate::variables::counters::WAITING_FOR_ROOM;

impl Engine {
    /// Asks for the cancellation of an operation; it completes soon, cancelled or not.
    pub(crate) fn cancel(&'static self, request: &'static Request) {
        for part in request.parts.get().into_iter().flatten() {
            self.cancel(part);
        }
        let Some(context) =
            request.context.get().filter(|_| request.state() == OperationState::Pending)
        else {
            return;
        };
        if request.queue.get() == Some(Queue::Posted) {
            context.match_receive(request);
            observe::request(Event::ReqRemoveFromPostedQ, request);
            self.cancelled(request);
        } else if request.is_send() && !request.cancelling.replace(true) {
            self.cancel_send(request, context);
        }
    }

    fn cancel_send(&'static self, request: &'static Request, context: &'static Context) {
        let (destination, id) = (request.destination.get(), request.handle() as u64);
        if destination == self.rank {
            if let Some(message) = find(context, destination, id) {
                context.unexpected().remove(message);
                observe::message(Event::MsgRemoveFromUnexQ, message);
                self.discard(message);
                self.cancelled(request);
            } else {
                request.cancelling.set(false);
            }
        } else if request.on_wire.get() {
            self.answer(
                destination,
                Envelope { context: context.id(), ..Envelope::of(Packet::Cancel, id) },
            );
        } else {
            self.peer(destination)
                .waiting
                .borrow_mut()
                .retain(|waiting| !std::ptr::eq(*waiting, request));
            WAITING_FOR_ROOM.fall(1);
            self.cancelled(request);
        }
    }

    fn cancelled(&'static self, request: &'static Request) {
        request.cancelled.set(true);
        // The old value is from an earlier operation, since requests are reused.
        request.head.actual_source.set(MPI_PROC_NULL);
        request.head.actual_tag.set(MPI_ANY_TAG);
        request.head.actual_length.set(0);
        self.complete(request);
    }

    /// A sender wants its message back.
    pub(super) fn cancel_arrived(&'static self, world: usize, envelope: &Envelope) {
        let message = match self.context(envelope.context) {
            Some(context) => find(context, world, envelope.id).inspect(|message| {
                context.unexpected().remove(message);
                observe::message(Event::MsgRemoveFromUnexQ, message);
            }),
            None => self.early.borrow_mut().get_mut(&envelope.context).and_then(|early| {
                let index = early.iter().position(|message| is(message, world, envelope.id))?;
                Some(early.remove(index))
            }),
        };
        if let Some(message) = message {
            self.discard(message);
        }
        let packet = if message.is_some() { Packet::Cancelled } else { Packet::NotCancelled };
        self.answer(world, Envelope::of(packet, envelope.id));
    }
}

fn find(context: &Context, world: usize, id: u64) -> Option<&'static Message> {
    context.unexpected().iter().find(|message| is(message, world, id))
}

fn is(message: &Message, world: usize, id: u64) -> bool {
    message.incoming.get().is_some_and(|incoming| incoming.world == world && incoming.id == id)
}
