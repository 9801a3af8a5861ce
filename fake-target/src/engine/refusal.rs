//! Collective operations that a process refuses: it leaves them with an error, mostly since its
//! arguments are wrong. It tells all others. They receive nothing more of such an operation, and
//! drop its messages. So no process waits for ever, and later operations do not see what is left.

use std::ffi::c_int;
use std::ops::Range;

use super::context::{Context, ContextId};
use super::message::{Incoming, Message};
use super::notice::Notice;
use super::observe::{self, Event};
use super::request::Request;
use super::state::Engine;
use crate::abi::{MPI_ANY_TAG, MPI_PROC_NULL};
use crate::error::Error;
use crate::transport::envelope::{Envelope, Packet};

/// A call that a process has refused.
pub(crate) struct Refusal {
    /// The communicator, by its context for the program's messages.
    pub(crate) communicator: ContextId,
    /// The tags of the call's messages.
    pub(crate) tags: Range<c_int>,
    /// The error code of the process that refuses.
    pub(crate) code: c_int,
}

impl Refusal {
    fn covers(&self, context: &Context, tag: c_int) -> bool {
        !context.visible && context.program_id() == self.communicator && self.tags.contains(&tag)
    }
}

impl Engine {
    /// Tells another process, given by its world rank, about a call on a communicator.
    pub(crate) fn notify(&'static self, communicator: ContextId, world: usize, notice: Notice) {
        if world != self.rank {
            self.answer(world, notice.envelope(communicator));
        }
    }

    /// A notice has arrived.
    pub(super) fn notice_arrived(&'static self, envelope: &Envelope, world: usize) {
        match self.context(envelope.context).and_then(|context| context.owner.get()) {
            Some(owner) => owner.hear(Notice::of_envelope(envelope), world),
            None if envelope.packet == Packet::Refused => {
                self.early_notices.borrow_mut().push((*envelope, world));
            }
            None => {}
        }
    }

    /// Takes in the notices that have arrived before this process has made the communicator.
    pub(crate) fn hear_early_notices(&'static self, communicator: ContextId) {
        let is_of_it = |(envelope, _): &mut (Envelope, usize)| envelope.context == communicator;
        let early: Vec<_> = self.early_notices.borrow_mut().extract_if(.., is_of_it).collect();
        early.into_iter().for_each(|(envelope, world)| self.notice_arrived(&envelope, world));
    }

    /// A call is refused that this process has made, or makes now.
    pub(crate) fn note_refusal(&'static self, refusal: Refusal) {
        let program = self.context(refusal.communicator);
        let owner = program.and_then(|context| context.owner.get());
        let contexts = owner.into_iter().flat_map(|owner| owner.contexts().into_iter().flatten());
        let contexts: Vec<_> = contexts.filter(|context| !context.visible).collect();
        // What ends here may be the last that a freed communicator waits for.
        contexts.iter().for_each(|context| context.uses.set(context.uses.get() + 1));
        for context in &contexts {
            let receives = context
                .posted()
                .iter()
                .filter(|receive| refusal.covers(context, receive.head.tag.get()));
            for receive in receives.collect::<Vec<_>>() {
                context.match_receive(receive);
                observe::request(Event::ReqRemoveFromPostedQ, receive);
                self.end_refused(receive, refusal.code);
            }
            for message in context.unexpected().iter() {
                if refusal.covers(context, message.head.tag.get()) {
                    context.unexpected().remove(message);
                    observe::message(Event::MsgRemoveFromUnexQ, message);
                    self.drop_refused(message);
                }
            }
        }
        self.refusals.borrow_mut().push(refusal);
        contexts.into_iter().for_each(|context| self.leave(context));
    }

    /// The error code of a process that has refused the operation with this tag.
    #[inline]
    pub(super) fn refusal(&self, context: &Context, tag: c_int) -> Option<c_int> {
        let refusals = self.refusals.borrow();
        refusals.iter().find(|refusal| refusal.covers(context, tag)).map(|refusal| refusal.code)
    }

    /// Forgets refusals whose first tag is used again.
    pub(crate) fn forget_refusals(
        &self,
        communicator: ContextId,
        is_used_again: impl Fn(c_int) -> bool,
    ) {
        self.refusals.borrow_mut().retain(|refusal| {
            refusal.communicator != communicator || !is_used_again(refusal.tags.start)
        });
    }

    /// Ends a receive of a refused operation. It is on no list, or on that of the matched ones.
    pub(super) fn end_refused(&'static self, receive: &'static Request, code: c_int) {
        receive.refused.set(code);
        receive.head.actual_source.set(MPI_PROC_NULL);
        receive.head.actual_tag.set(MPI_ANY_TAG);
        receive.head.actual_length.set(0);
        self.complete(receive);
    }

    /// Drops a message of a refused operation. It is on no list.
    pub(super) fn drop_refused(&'static self, message: &'static Message) {
        if let Some(incoming) = message.incoming.get() {
            self.settle_refused(&incoming);
        }
        self.discard(message);
    }

    /// Tells the sender of a message of a refused operation that it need not wait.
    pub(super) fn settle_refused(&'static self, incoming: &Incoming) {
        if incoming.world == self.rank {
            self.settle_self(incoming);
        } else if !incoming.eager || incoming.id != 0 {
            self.answer(incoming.world, Envelope::of(Packet::Fetched, incoming.id));
        }
    }
}

/// Why a receive of a refused operation failed.
#[cold]
pub(super) fn refused(code: c_int) -> Error {
    Error::new(code, "another process has left the operation with this error").told_to_all()
}
