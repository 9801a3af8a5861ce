//! Receives of the runtime's own messages without a request, if the message is there at once or
//! nearly so, and nobody looks: the data go from the ring into the buffer, or from an unexpected
//! message. What takes longer is a request on its list, where debuggers and tools see it.

use super::message::{Incoming, Message};
use super::observe;
use super::request::Operation;
use super::state::Engine;
use crate::process;
use crate::transport::envelope::{Envelope, Packet};
use crate::transport::ring::Front;
use crate::transport::variables::{SHARED_LOOKS, SPIN_LOOKS};
use crate::variables::{counters, watch};

/// Looks at one ring in the time of a look at all of them.
const LOOKS: usize = 10;

/// After this many receives the other rings get a look: somebody may wait for an answer.
const TURN: u32 = 16;

impl Engine {
    /// Receives a message of exactly the length that is expected. False: it has not come, or
    /// something else comes first, and nothing has been done.
    #[inline]
    pub(super) fn receive_at_once(&'static self, operation: &Operation, world: usize) -> bool {
        let Operation { context, peer: source, tag, payload, .. } = operation;
        if world == self.rank || process::has_threads() || self.is_watched() {
            return false;
        }
        let turn = self.direct.get().wrapping_add(1);
        self.direct.set(turn);
        if turn.is_multiple_of(TURN) {
            self.progress_besides(world);
        }
        // Earlier receives of this context would come first.
        if !context.head.posted_receives.get().is_null() || !self.busy.borrow().is_empty() {
            return false;
        }
        // So would earlier messages of this sender.
        if let Some(message) = context.first_unexpected_from(*source) {
            return self.receive_kept(operation, message);
        }
        let wanted = |envelope: &Envelope| {
            envelope.packet == Packet::Eager
                && envelope.id == 0
                && (envelope.context, envelope.source) == (context.id(), *source)
                && envelope.tag == *tag
                && envelope.length == payload.length() as u64
        };
        let peer = self.peer(world);
        let looks = if self.crowded || self.experience.is_together() {
            SHARED_LOOKS.size()
        } else {
            LOOKS * SPIN_LOOKS.size()
        };
        for _ in 0..looks {
            match peer.reader.pop_if(wanted, |data| payload.scatter(0, data)) {
                Front::Nothing => {}
                Front::Other => return false,
                Front::Taken => {
                    context.note_arrived(*source);
                    counters::RECORDS.add(1);
                    peer.room_made();
                    return true;
                }
            }
        }
        false
    }

    /// The same if the sender's first unexpected message is the one that is expected.
    fn receive_kept(&'static self, operation: &Operation, message: &'static Message) -> bool {
        let wanted = |incoming: &Incoming| {
            incoming.eager
                && incoming.id == 0
                && incoming.tag == operation.tag
                && incoming.length == operation.payload.length()
        };
        let is_wanted = message.incoming.get().as_ref().is_some_and(wanted);
        if is_wanted {
            operation.payload.scatter(0, &message.data.borrow());
            operation.context.unexpected().remove(message);
            self.discard(message);
        }
        is_wanted
    }

    /// Whether a tool or a measurement follows what receives do.
    #[inline]
    fn is_watched(&self) -> bool {
        observe::wants(u64::MAX) || watch::is(u32::MAX)
    }
}
