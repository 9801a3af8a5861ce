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
pub(super) fn exchange(
    tag: c_int,
    outgoing: &[Outgoing],
    incoming: &[(Partner, Elements)],
) -> Result {
    let data: Vec<Cow<'_, [u8]>> = outgoing.iter().map(|message| message.elements.read()).collect();
    let transfers: Vec<_> =
        outgoing.iter().zip(&data).map(|(message, bytes)| message.to.isend(tag, bytes)).collect();
    incoming.iter().try_for_each(|(from, elements)| elements.receive(*from, tag))?;
    transfers.into_iter().try_for_each(|transfer| transfer.wait())
}
