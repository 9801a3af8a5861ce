//! The exchange of messages that operations are made of.

use std::ffi::c_int;

use super::buffer::Elements;
use crate::communicator::team::tag;
use crate::engine::internal::{Partner, Transfer};
use crate::error::Result;

/// Bytes of a block of an all-to-all operation from which on its sender helps with the copy: nobody
/// else reads it.
const HELPED: usize = 256 << 10;

/// Elements for a partner.
pub(super) struct Outgoing {
    pub(super) to: Partner,
    pub(super) elements: Elements,
}

/// Sends and receives at once: starts all sends, does what is to be done meanwhile, receives in the
/// order given, waits for the sends. An error does not end it, as other processes count on the
/// rest; the first one is returned.
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
