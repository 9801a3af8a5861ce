//! The exchange of messages that operations are made of.

use std::borrow::Cow;
use std::ffi::c_int;

use super::buffer::Elements;
use crate::engine::internal::Partner;
use crate::error::Result;

/// Elements for a partner.
pub(super) struct Outgoing {
    pub(super) to: Partner,
    pub(super) elements: Elements,
}

/// Sends and receives at once: starts all sends, receives in the order given, waits for the sends.
/// An error does not end it, as other processes count on the rest; the first one is returned.
pub(super) fn exchange(
    tag: c_int,
    outgoing: &[Outgoing],
    incoming: &[(Partner, Elements)],
) -> Result {
    let data: Vec<Cow<'_, [u8]>> = outgoing.iter().map(|message| message.elements.read()).collect();
    let transfers: Vec<_> =
        outgoing.iter().zip(&data).map(|(message, bytes)| message.to.isend(tag, bytes)).collect();
    let received = incoming.iter().map(|(from, elements)| elements.receive(*from, tag));
    let received = received.fold(Ok(()), Result::and);
    transfers.into_iter().map(|transfer| transfer.wait()).fold(received, Result::and)
}
