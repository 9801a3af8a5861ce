//! The exchange of messages that operations are made of.

use std::ffi::c_int;

use super::buffer::Elements;
use crate::communicator::team::tag;
use crate::engine::internal::{Partner, Transfer};
use crate::error::Result;

/// The sender of a block of an all-to-all operation helps with the copy from this size on, in
/// bytes. Only one receiver reads such a block.
const HELPED: usize = 256 << 10;

/// Elements for a partner.
pub(super) struct Outgoing {
    pub(super) to: Partner,
    pub(super) elements: Elements,
}

/// Sends and receives at the same time: starts all sends, does other work meanwhile, receives in
/// the given order, and waits for the sends. An error does not end it, since other processes rely
/// on the rest. The first error is returned.
pub(super) fn exchange(
    tag: c_int,
    outgoing: &[Outgoing],
    incoming: &[(Partner, Elements)],
    meanwhile: impl FnOnce() -> Result,
) -> Result {
    let started = outgoing.iter().map(|message| message.elements.start_send(message.to, tag));
    let transfers: Vec<_> = started.filter(Transfer::is_under_way).collect();
    let done = meanwhile();
    let received = incoming.iter().map(|(from, elements)| match elements.bytes() {
        HELPED.. if tag == tag::ALLTOALL => elements.receive(*from, tag),
        _ => elements.receive_alone(*from, tag),
    });
    let received = received.fold(done, Result::and);
    transfers.into_iter().map(Transfer::wait).fold(received, Result::and)
}
