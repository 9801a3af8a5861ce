//! Messages of the runtime whose data travel through bounce buffers: see
//! [`crate::transport::bounce`]. They are eager: their sends are complete when their envelopes have
//! left.

use super::context::Context;
use super::message::Incoming;
use super::payload::Payload;
use super::request::Operation;
use super::state::Engine;
use super::variables::BOUNCE_SIZES;
use crate::transport::bounce::{ALIGNMENT, BYTES};
use crate::variables::counters::BOUNCES;

impl Engine {
    /// The same data in a bounce buffer, for `readers` other processes. None if the data stay where
    /// they are: they are too short or too long, or no buffer is free.
    pub(super) fn bounce(
        &'static self,
        context: &Context,
        payload: &Payload,
        readers: usize,
    ) -> Option<Payload> {
        let length = payload.length();
        let (low, high) = BOUNCE_SIZES.get();
        // One receiver that has a processor of its own is faster if it fetches long data itself.
        let most =
            if readers > 1 || self.crowded { BYTES } else { BYTES.min(high.max(0) as usize) };
        let is_suitable = high > 0 && (low.max(0) as usize..=most).contains(&length);
        if !is_suitable || length <= self.eager_limit(context) {
            return None;
        }
        let buffer = self.segment.take_bounce(readers as u32)?;
        BOUNCES.add(1);
        let begin = payload.address() as usize % ALIGNMENT;
        let memory = self.segment.bounce(self.rank, buffer).wrapping_add(begin);
        Some(payload.bounced_to(memory, buffer as u16 + 1))
    }

    /// Whether this process and another one can use the bounce buffers of each other.
    pub(super) fn is_near(&self, world: usize) -> bool {
        world < self.segment.ranks() && world != self.rank
    }

    /// Sends to another process through a bounce buffer. False: the message has not left, but its
    /// data may have been moved to the buffer.
    pub(super) fn send_bounced(
        &'static self,
        operation: &mut Operation,
        destination: usize,
    ) -> bool {
        if operation.payload.bounce() == 0 {
            let bounced = match self.is_near(destination) {
                true => self.bounce(operation.context, &operation.payload, 1),
                false => None,
            };
            let Some(payload) = bounced else { return false };
            operation.payload = payload;
        }
        self.push_eager(operation, destination, 0, operation.payload.address())
    }

    /// The data of a message, if they are in a bounce buffer of its sender.
    #[inline]
    pub(super) fn bounced(&'static self, incoming: &Incoming) -> Option<&'static [u8]> {
        let buffer = usize::from(incoming.bounce.checked_sub(1)?);
        let begin = incoming.address as usize % ALIGNMENT;
        let memory = self.segment.bounce(incoming.world, buffer).wrapping_add(begin);
        // SAFETY: the sender has written as many bytes there before it sent the envelope, and
        // leaves them alone until this process leaves the buffer. It has checked the length.
        Some(unsafe { std::slice::from_raw_parts(memory, incoming.length.min(BYTES)) })
    }

    /// The data of a message are not needed any more.
    #[inline]
    pub(super) fn leave_bounce(&self, incoming: &Incoming) {
        if let Some(buffer) = incoming.bounce.checked_sub(1) {
            self.segment.leave_bounce(incoming.world, buffer.into());
        }
    }
}
