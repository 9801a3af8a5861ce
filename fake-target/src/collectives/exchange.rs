//! The exchange of messages that operations are made of.

use std::ffi::c_int;

use super::buffer::Elements;
use crate::communicator::team::tag;
use crate::engine::internal::{Partner, Transfers};
use crate::engine::payload::Payload;
use crate::error::Result;

/// The sender of a block of an all-to-all operation helps with the copy from this size on, in
/// bytes. Only one receiver reads such a block.
const HELPED: usize = 256 << 10;

/// The rank that comes this many steps after another one, if the last is followed by the first.
/// There are not more steps than ranks. A division would take longer.
#[inline]
pub(super) fn after(rank: c_int, steps: c_int, size: c_int) -> c_int {
    let next = rank + steps;
    if next < size { next } else { next - size }
}

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
    let outgoing = outgoing.iter().map(|Outgoing { to, elements }| (*to, elements.payload()));
    let incoming = incoming.iter().map(|(from, elements)| (*from, elements.payload()));
    exchange_each(tag, outgoing, incoming, meanwhile)
}

/// The same with data that need not be on a list: lists take longer than small messages.
#[inline]
pub(super) fn exchange_each(
    tag: c_int,
    outgoing: impl Iterator<Item = (Partner, Payload)>,
    incoming: impl Iterator<Item = (Partner, Payload)>,
    meanwhile: impl FnOnce() -> Result,
) -> Result {
    let mut transfers = Transfers::default();
    for (to, data) in outgoing {
        transfers.add(to.isend_data(tag, data));
    }
    let mut result = meanwhile();
    for (from, data) in incoming {
        let is_helped = tag == tag::ALLTOALL && data.length() >= HELPED;
        let data = if is_helped { data } else { data.alone() };
        result = result.and(from.receive_data(tag, data));
    }
    result.and(transfers.wait())
}
