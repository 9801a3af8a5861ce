//! Messages through shared memory. These are active messages, and their requests have all that is
//! known.
//!
//! Each posted receive and each unexpected message is a request on a list of its kind. When the
//! message of a receive comes, it overwrites what the receive has asked for. A send does not keep
//! its tag, and only a long one keeps its receiver. If there is a send, the send queues are not
//! known.

use super::layout::{
    ActiveMessages, Envelope, Listing, Members, active as bits, context, mpi, request,
};
use super::lists::{Links, places};
use super::pass::{Keeps, Pass, Placed, impossible, narrow, size};
use super::pools::Objects;
use super::ucx::shown_internal;
use crate::alloc::{AddressMap, AddressSet, insert, mark, push};
use crate::error::{Code, Error, OrUnreadable, Result};
use crate::layout::{Record, Structure};
use crate::queues::{Details, Message, Operation, Peer, Status};
use crate::runtimes::kept::{ON_THEIR_WAY, senders_request, unknown_send};
use mqs_abi::notes;

/// The bits of a place that hold the number among active messages. The higher bits hold the place
/// among the receives of the network.
pub(super) const NUMBER_BITS: u32 = 24;

/// A receive or an unexpected message with its place in its list.
pub(super) struct Active {
    /// Of its request.
    pub(super) address: u64,
    pub(super) links: Links,
    pub(super) is_message: bool,
    pub(super) index: usize,
    pub(super) operation: Operation,
}

impl Pass<'_, '_> {
    /// Reads the messages that go through shared memory.
    pub(super) fn active_messages(&mut self, requests: &Objects) -> Result<()> {
        let Some(active) = self.layout.active else { return Ok(()) };
        let empty = self.empty_requests(&active, requests)?;
        let (mut found, mut links) = (Vec::new(), Vec::new());
        let mut sends = false;
        for (address, bytes) in requests.iter() {
            let record = Record { bytes, target: self.memory.target };
            if record.get(self.layout.request.cc)? == 0
                || !active.is_active(&record)?
                || empty.contains(&address)
            {
                continue;
            }
            let what = record.get(self.layout.request.kind)?;
            if what == request::SEND {
                sends |= !self.active_send(&active, address, &record)?;
            }
            if what != request::RECEIVE {
                continue;
            }
            match self.active_receive(&active, address, record, &mut links) {
                Ok(Some(one)) => push(&mut found, one)?,
                Ok(None) => {}
                Err(error) => self.keep(Err(error.within("MPIR_Request", address)))?,
            }
        }
        self.deliver_active(found, &links)?;
        if sends {
            // Some of these sends may be the library's own. That is not known either.
            self.hide_sends("sends through shared memory, because MPICH does not keep their tags")?;
        }
        Ok(())
    }

    /// Puts receives and messages into their queues, in the order of their lists. `links` are those
    /// of all elements, also of those that are not shown.
    pub(super) fn deliver_active(&mut self, mut found: Vec<Active>, links: &[Links]) -> Result<()> {
        let places = places(links)?;
        let place = |one: &Active| places.get(&one.links.0).copied().unwrap_or(0);
        found.sort_unstable_by_key(place);
        let mut last_of_network = AddressMap::default();
        for (number, Active { address, is_message, index, operation, .. }) in (1..).zip(found) {
            // Receives that are not posted for the network come after the last one of the
            // communicator that is.
            let communicator = index as u64;
            let mut after = last_of_network.get(&communicator).copied().unwrap_or(0);
            if let Some(&place) = self.network_places.get(&address) {
                insert(&mut last_of_network, communicator, place)?;
                after = place;
            }
            let found = &mut self.found[index];
            // A receive that has its message comes first.
            let queue = if is_message { &mut found.unexpected } else { &mut found.receives };
            let place = match is_message {
                true => number,
                false => after << NUMBER_BITS | number,
            };
            let place = (u64::from(operation.status == Status::Pending), place);
            push(queue, Placed { place, operation })?;
        }
        Ok(())
    }

    /// Puts a pending send into its queue, for those who can find its message at the receiver: it
    /// names the send. False: it is not shown.
    fn active_send(
        &mut self,
        active: &ActiveMessages,
        address: u64,
        record: &Record<'_>,
    ) -> Result<bool> {
        let Some((fields, _)) = active.names.filter(|_| self.internal) else { return Ok(false) };
        let Some(&index) = self.by_address.get(&record.get(fields.comm)?) else { return Ok(false) };
        push(&mut self.found[index].sends, unknown_send(address))?;
        Ok(true)
    }

    /// Requests of receives whose message was there before the call. The request of the message
    /// names such a request and has all data. The fields of the named request are stale.
    fn empty_requests(
        &mut self,
        active: &ActiveMessages,
        requests: &Objects,
    ) -> Result<AddressSet> {
        let mut empty = AddressSet::default();
        for (_, bytes) in requests.iter() {
            let record = Record { bytes, target: self.memory.target };
            if !self.is_pending_receive(&record)? || !active.is_active(&record)? {
                continue;
            }
            let extension = record.get(active.request.extension)?;
            let bytes = self.memory.record(extension, active.extension.bytes());
            let Some(bytes) = bytes.or_unreadable()? else { continue };
            let record = Record { bytes: &bytes, target: self.memory.target };
            if record.get(active.extension.status)? & bits::MATCHED != 0 {
                mark(&mut empty, record.get(active.extension.match_)?)?;
            }
        }
        Ok(empty)
    }

    /// What a request keeps apart: its status, and its place in its list.
    fn active_extension(
        &mut self,
        active: &ActiveMessages,
        address: u64,
        request: Record<'_>,
    ) -> Result<(u64, Links)> {
        let extension = request.get(active.request.extension)?;
        let status = self.memory.record(active.extension.status.address(extension), 8)?;
        let links = match &active.listing {
            Listing::Requests(fields) => (address, request.get(fields.next)?),
            Listing::Extensions(_, fields) => {
                (extension, self.memory.pointer(fields.next.address(extension))?)
            }
        };
        Ok((self.memory.target.unsigned(&status), links))
    }

    /// The length of the message that a receive of `room` bytes has matched. Without it, the
    /// receive is not shown.
    fn received_length(
        &mut self,
        active: &ActiveMessages,
        request: Record<'_>,
        room: i64,
    ) -> Result<i64> {
        let length = self.kept_length(active, request, room);
        self.snapshot.lacking.receives |= length.is_err();
        length
    }

    fn kept_length(
        &mut self,
        active: &ActiveMessages,
        request: Record<'_>,
        room: i64,
    ) -> Result<i64> {
        match &active.envelope {
            Envelope::Status(fields) => {
                // The lowest bit would say that the request is cancelled, which it is not here.
                size(received(request.get(fields.length)?), "status.count_lo")
            }
            Envelope::Receive(_, parts) => {
                let unseen = Error::on(Code::NotSeen, ON_THEIR_WAY);
                let parts = parts.ok_or(unseen)?;
                let extension = request.get(active.request.extension)?;
                let bytes = self.memory.record(extension, parts.bytes())?;
                let record = Record { bytes: &bytes, target: self.memory.target };
                let (missing, here) = (record.get(parts.missing)?, record.get(parts.here)?);
                let length = missing.checked_add(here).filter(|length| *length >= 0);
                // Until the first part of the message comes, these fields are those of an earlier
                // message.
                match length.ok_or(impossible("recv_async"))? {
                    0 => Err(unseen),
                    length if here == 0 || length == room => Ok(length),
                    length if length > room && missing > 0 => Ok(missing),
                    _ => Err(unseen),
                }
            }
        }
    }

    /// The request of an unexpected message's sender, for those who ask for internals.
    fn sender_request(
        &mut self,
        active: &ActiveMessages,
        record: Record<'_>,
    ) -> Result<Option<(&'static str, u64)>> {
        let Some((_, names)) = active.names.filter(|_| self.internal) else { return Ok(None) };
        let extension = record.get(active.request.extension)?;
        let request = self.memory.pointer(names.sender.address(extension))?;
        Ok(senders_request(self.internal, Some(request).filter(|request| *request != 0)))
    }

    /// A receive or an unexpected message. None: it is the library's own, or about to vanish. Its
    /// links are noted.
    fn active_receive(
        &mut self,
        active: &ActiveMessages,
        address: u64,
        record: Record<'_>,
        all: &mut Vec<Links>,
    ) -> Result<Option<Active>> {
        let fields = &active.request;
        let (status, links) = self.active_extension(active, address, record)?;
        let is = |flag: u64| status & flag != 0;
        let is_message = is(bits::UNEXPECTED) && !is(bits::MATCHED);
        let is_taken = is_message && (is(bits::PROBED) || is(bits::CLAIMED));
        let is_matched = !is_message && is(bits::IN_PROGRESS);
        // What has left its list still names the next element.
        if !is_taken && !is_matched && !is(bits::MATCHED) {
            push(all, links)?;
        }
        // A context id of 16 bits is followed by other fields.
        let number = match self.layout.members {
            Members::Maps(..) | Members::Connections(..) => record.get(fields.context_id)? & 0xffff,
            Members::Groups(..) => record.get(fields.context_id)?,
        };
        let is_internal = number & context::COLLECTIVE != 0;
        let Some(index) = self.received_on(number & !context::COLLECTIVE, is_internal)? else {
            return Ok(None);
        };
        let (source, tag) = match &active.envelope {
            Envelope::Receive(fields, _) => (record.get(fields.source)?, record.get(fields.tag)?),
            Envelope::Status(fields) => (record.get(fields.source)?, record.get(fields.tag)?),
        };
        if is_internal && !is_message {
            self.note_internal(index, tag)?;
        }
        let is_elsewhere = is_taken || self.matched_by_network.contains(&address);
        if is_elsewhere || self.found[index].hidden || (is_internal && !self.internal) {
            return Ok(None);
        }
        let length = self.bytes_of(record.get(fields.datatype)?, record.get(fields.count)?)?;
        let desired = match source {
            mpi::ANY_SOURCE if !is_message && !is_matched => Peer::ANY,
            _ => self.peer(index, source, "source")?,
        };
        let is_any_tag = tag == mpi::ANY_TAG && !is_message && !is_matched;
        if !is_any_tag && tag < 0 {
            return Err(impossible("tag"));
        }
        let tag = if is_internal { shown_internal(tag) } else { tag };
        let tag = (!is_any_tag).then(|| narrow(tag, "tag")).transpose()?;
        let received = match is_matched {
            true => self.received_length(active, record, length)?,
            false => length,
        };
        let has_message = is_message || is_matched;
        let message =
            tag.filter(|_| has_message).map(|tag| Message { peer: desired, tag, length: received });
        let notes = match (is_message, is(bits::RENDEZVOUS), is(bits::SYNCHRONOUS)) {
            (false, ..) if is_matched => {
                ["", "the matched message; the receive's arguments are lost"]
            }
            (false, ..) => ["", ""],
            (true, true, _) => [notes::RENDEZVOUS, ""],
            (true, false, true) => [notes::SYNCHRONOUS, notes::EAGER],
            (true, false, false) => [notes::EAGER, ""],
        };
        let buffer = record.get(fields.buffer)?;
        let holds = is(bits::RENDEZVOUS) || is(bits::SYNCHRONOUS);
        let request = if is_message && holds { self.sender_request(active, record)? } else { None };
        let operation = Operation {
            status: if is_matched { Status::Matched } else { Status::Pending },
            desired,
            tag,
            length: if is_matched { received } else { length },
            system_buffer: is_message,
            buffer: if is_matched || is(bits::RENDEZVOUS) { 0 } else { buffer },
            message,
            awaited: None,
            details: Details { notes, request, ..Details::default() },
        };
        Ok(Some(Active { address, links, is_message, index, operation }))
    }
}

/// The number of bytes in a status: its low 32 bits, then one bit of something else, then its high
/// bits.
fn received(count: u64) -> u64 {
    count & 0xffff_ffff | count >> 33 << 32
}
