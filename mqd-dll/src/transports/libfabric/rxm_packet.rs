//! What the provider `ofi_rxm` sends in front of a message.

use super::layout::{RxmPacket, rxm};
use crate::error::Result;
use crate::layout::Record;

/// An odd number, so that no product loses anything (the golden ratio of 2^64).
const MIXER: u64 = 0x9e37_79b9_7f4a_7c15;

impl RxmPacket {
    /// What stands for the send of a message, at the sender and in the message. None: the message
    /// is not announced. Numbers of sends are used again soon, so tag and length are mixed in.
    pub(super) fn announced(&self, packet: &Record<'_>) -> Result<Option<u64>> {
        if packet.get(self.kind)? != rxm::ANNOUNCED {
            return Ok(None);
        }
        let parts = [packet.get(self.number)?, packet.get(self.tag)?, packet.get(self.length)?];
        let mix = |mixed: u64, part: &u64| (mixed ^ part).wrapping_mul(MIXER).rotate_left(29);
        Ok(Some(parts.iter().fold(0, mix)))
    }

    /// Is it a part of a message, and not the first one?
    pub(super) fn is_later_part(&self, packet: &Record<'_>) -> Result<bool> {
        Ok(packet.get(self.kind)? == rxm::PART && packet.get(self.part)? != 0)
    }
}
