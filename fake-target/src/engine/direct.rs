//! Receives from one sender without a request, if the message is there at once or nearly so, and
//! nobody looks: the data go from the ring into the buffer, or from an unexpected message. What
//! takes longer is a request on its list, where debuggers and tools see it.

use super::message::{Incoming, Message};
use super::observe;
use super::request::Operation;
use super::state::Engine;
use crate::abi::{MPI_ANY_TAG, MPI_Count};
use crate::process;
use crate::transport::envelope::{Envelope, Packet};
use crate::transport::ring::Front;
use crate::transport::variables::{SHARED_LOOKS, SPIN_LOOKS};
use crate::variables::{counters, watch};
use std::ffi::c_int;

/// Looks at one ring in the time of a look at all of them.
const LOOKS: usize = 10;

/// After this many receives the other rings get a look: somebody may wait for an answer.
const TURN: u32 = 16;

/// Whether a message is the one that an operation receives, and can be received here.
#[inline]
fn is_wanted(operation: &Operation, tag: c_int, length: usize) -> bool {
    let Operation { context, tag: wanted, payload, .. } = operation;
    let has_tag = tag == *wanted;
    // The runtime knows the tags and lengths of its own messages.
    has_tag && length == payload.length()
        || context.visible
            && (has_tag || *wanted == MPI_ANY_TAG)
            && length <= payload.length()
            && payload.is_whole(length as MPI_Count)
}

impl Engine {
    /// Receives a message of the runtime, which has exactly the length that is expected. False: it
    /// has not come, or something else comes first, and nothing has been done.
    #[inline]
    pub(super) fn receive_at_once(&'static self, operation: &Operation, world: usize) -> bool {
        self.receive_directly(operation, world).is_some()
    }

    /// The same for a message of the program. The result is its tag and length.
    #[inline]
    pub(crate) fn receive_directly(
        &'static self,
        operation: &Operation,
        world: usize,
    ) -> Option<(c_int, usize)> {
        let Operation { context, peer: source, payload, .. } = operation;
        if world == self.rank || process::has_threads() || self.is_watched() {
            return None;
        }
        let turn = self.direct.get().wrapping_add(1);
        self.direct.set(turn);
        if turn.is_multiple_of(TURN) {
            self.progress_besides(world);
        }
        // Earlier receives of this context would come first.
        if !context.head.posted_receives.get().is_null() || !self.busy.borrow().is_empty() {
            return None;
        }
        // So would earlier messages of this sender.
        if let Some(message) = context.first_unexpected_from(*source) {
            return self.receive_kept(operation, message);
        }
        let mut found = (0, 0);
        let mut wanted = |envelope: &Envelope| {
            found = (envelope.tag, envelope.length as usize);
            envelope.bounce == 0
                && envelope.packet == Packet::Eager
                && envelope.id == 0
                && (envelope.context, envelope.source) == (context.id(), *source)
                && is_wanted(operation, envelope.tag, envelope.length as usize)
        };
        let peer = self.peer(world);
        let looks = if self.crowded || self.experience.is_together() {
            SHARED_LOOKS.size()
        } else {
            LOOKS * SPIN_LOOKS.size()
        };
        for _ in 0..looks {
            match peer.reader.pop_if(&mut wanted, |data| payload.scatter(0, data)) {
                Front::Nothing => {}
                Front::Other => return None,
                Front::Taken => {
                    context.note_arrived(*source);
                    counters::RECORDS.add(1);
                    peer.room_made();
                    self.note_direct(context, *source, found.1, false);
                    return Some(found);
                }
            }
        }
        None
    }

    /// The same if the sender's first unexpected message is the one that is expected.
    fn receive_kept(
        &'static self,
        operation: &Operation,
        message: &'static Message,
    ) -> Option<(c_int, usize)> {
        let wanted = |incoming: &Incoming| {
            incoming.eager
                && incoming.id == 0
                && is_wanted(operation, incoming.tag, incoming.length)
        };
        let incoming = message.incoming.get().filter(wanted)?;
        let Incoming { source, tag, length, .. } = incoming;
        let data = message.data.borrow();
        operation.payload.scatter(0, self.bounced(&incoming).unwrap_or(&data));
        drop(data);
        operation.context.unexpected().remove(message);
        self.discard(message);
        self.note_direct(operation.context, source, length, true);
        Some((tag, length))
    }

    /// Whether a tool or a measurement follows what receives do.
    #[inline]
    fn is_watched(&self) -> bool {
        observe::wants(u64::MAX) || watch::is(u32::MAX)
    }
}
