//! The device ch3, with the channel nemesis.
//!
//! Posted receives and unexpected messages are requests on two lists. Four variables name the first
//! and the last elements of both. A request shows on which list it may be: a message has no
//! communicator, and a receive has the way of its message only when it is matched. An element that
//! has left a list still names the next one. So the lists are followed from the variables.
//!
//! Pending sends have their whole envelopes. A short blocking send that the channel could not take
//! yet has them only in its packet. When the packet is sent, and the data are not, the envelope is
//! gone; then the queues of sends are not known.
//!
//! Messages in shared memory and in sockets are not seen; [`nemesis`](super::nemesis) tells
//! whether there are any in shared memory.

use super::layout::{Ch3, Ch3Request, ch3 as bits, context, mpi, packet, request};
use super::lists::Links;
use super::pass::{Keeps, Pass, Placed, impossible, narrow};
use super::pools::Objects;
use super::ucx::shown_internal;
use crate::alloc::{AddressMap, insert, push};
use crate::error::{Code, Error, Result};
use crate::layout::{Field, Pointer, Record, Structure};
use crate::queues::{Message, Operation, Peer, Status};
use crate::runtimes::values::on_communicator;
use mqs_abi::notes;

/// The most variables that name elements of one list. There are two, or a few more by chance.
const MAX_NAMES: usize = 16;
/// Bits of a message's tag which say that the sender has had an error.
const ERROR_BITS: i64 = 0b11 << 29;

/// What a request for a receive or a message is.
enum Kind {
    Posted,
    /// A receive whose data are arriving.
    Matched,
    Message,
    /// It is complete, or still being made.
    Other,
}

/// The places of the elements of a list.
type Places = AddressMap<u64>;

/// Where an operation belongs.
struct Envelope {
    index: usize,
    is_internal: bool,
}

impl Pass<'_, '_> {
    /// Reads all messages of the device ch3.
    pub(super) fn ch3_messages(&mut self, ch3: &Ch3, requests: &Objects) -> Result<()> {
        let (mut posted, mut messages) = (Vec::new(), Vec::new());
        for (address, bytes) in requests.iter() {
            let record = Record { bytes, target: self.memory.target };
            let links = (address, record.get(ch3.request.next)?);
            match self.ch3_kind(&ch3.request, &record)? {
                Some(Kind::Posted) => push(&mut posted, links)?,
                Some(Kind::Message) => push(&mut messages, links)?,
                _ => {}
            }
        }
        let posted = self.ch3_list(&posted, "the list of posted receives")?;
        let messages = self.ch3_list(&messages, "the list of unexpected messages")?;
        for (address, bytes) in requests.iter() {
            let record = Record { bytes, target: self.memory.target };
            let result = match self.ch3_kind(&ch3.request, &record)? {
                None => self.ch3_send(ch3, address, record),
                Some(Kind::Matched) => self.ch3_matched(&ch3.request, address, record),
                Some(Kind::Posted) => self.ch3_posted(&ch3.request, posted.get(&address), record),
                Some(Kind::Message) => match messages.get(&address) {
                    Some(place) => self.ch3_message(&ch3.request, *place, record),
                    // It is just being taken in.
                    None => Ok(()),
                },
                Some(Kind::Other) => Ok(()),
            };
            self.keep(result.map_err(|error| error.within("MPIR_Request", address)))?;
        }
        Ok(())
    }

    /// What a request is. None: it is no receive and no message.
    fn ch3_kind(&self, fields: &Ch3Request, record: &Record<'_>) -> Result<Option<Kind>> {
        if record.get(self.layout.request.kind)? != request::RECEIVE {
            return Ok(None);
        }
        let is_complete = record.get(self.layout.request.cc)? == 0;
        let has_way = record.get(fields.state)? & bits::WAY != 0;
        Ok(Some(match (record.get(fields.comm)?, has_way) {
            // It is complete as soon as its data are there.
            (0, true) => Kind::Message,
            (0, false) => Kind::Other,
            _ if is_complete => Kind::Other,
            (_, false) => Kind::Posted,
            (_, true) => Kind::Matched,
        }))
    }

    /// The places of the elements of one of the two lists, among requests that may be on it.
    fn ch3_list(&mut self, elements: &[Links], what: &'static str) -> Result<Places> {
        if elements.is_empty() {
            return Ok(Places::default());
        }
        let found = self.ch3_named_list(elements)?;
        let unknown = Error::on(Code::Impossible, what);
        self.keep(if found.is_some() { Ok(()) } else { Err(unknown) })?;
        Ok(found.unwrap_or_default())
    }

    /// The list whose first and last element variables name. None: there is none, or there are
    /// several.
    fn ch3_named_list(&mut self, elements: &[Links]) -> Result<Option<Places>> {
        let mut next = AddressMap::default();
        for &(address, following) in elements {
            insert(&mut next, address, following)?;
        }
        // Some requests are among the variables, and they name each other.
        let (start, size) = self.roots.request_variables(self.memory, self.layout)?;
        let mut names: AddressMap<u32> = AddressMap::default();
        let (target, variables) = (self.memory.target, &self.roots.variables);
        for (at, bytes) in variables.places(target.pointer, target.pointer) {
            let word = Record { bytes, target }.get(Field::<Pointer>::at(0))?;
            if next.contains_key(&word) && at.wrapping_sub(start) >= size {
                let number = names.get(&word).copied().unwrap_or(0);
                insert(&mut names, word, number.saturating_add(1))?;
            }
        }
        if names.len() > MAX_NAMES {
            return Ok(None);
        }
        let mut found: Option<(u64, Places)> = None;
        for (&first, &number) in &names {
            let Some((last, places)) = self.ch3_follow(&next, first)? else { continue };
            let is_list = if first == last { number > 1 } else { names.contains_key(&last) };
            match &found {
                _ if !is_list => {}
                Some((other, _)) if *other != last => return Ok(None),
                // A variable that names an element in the middle.
                Some((_, longer)) if longer.len() > places.len() => {}
                _ => found = Some((last, places)),
            }
        }
        Ok(found.map(|(_, places)| places))
    }

    /// Follows a list. The result is its last element, and the places of all. None: it leads
    /// somewhere else.
    fn ch3_follow(&mut self, next: &AddressMap<u64>, first: u64) -> Result<Option<(u64, Places)>> {
        let mut places = Places::default();
        let mut address = first;
        while let Some(&following) = next.get(&address).filter(|_| !places.contains_key(&address)) {
            self.memory.step()?;
            let place = places.len() as u64;
            insert(&mut places, address, place)?;
            if following == 0 {
                return Ok(Some((address, places)));
            }
            address = following;
        }
        Ok(None)
    }

    /// The communicator of a request, which names it. None: it is not shown.
    fn ch3_call(
        &mut self,
        fields: &Ch3Request,
        record: &Record<'_>,
        is_send: bool,
    ) -> Result<Option<Envelope>> {
        let (number, tag) = (record.get(fields.context_id)?, record.get(fields.tag)?);
        let is_internal = number & context::COLLECTIVE != 0;
        let index = self.by_address.get(&record.get(fields.comm)?).copied();
        let Some(index) = on_communicator(index, is_internal)? else { return Ok(None) };
        let number = number & !context::COLLECTIVE;
        let is_right = match is_send {
            true => self.found[index].sent == number,
            false => self.received_by.get(&number) == Some(&index),
        };
        if !is_right {
            return Err(impossible("dev.match.parts.context_id"));
        }
        self.ch3_envelope(index, is_internal, tag)
    }

    /// Notes an operation of the library. None: it is not shown.
    fn ch3_envelope(
        &mut self,
        index: usize,
        is_internal: bool,
        tag: i64,
    ) -> Result<Option<Envelope>> {
        if is_internal {
            self.note_internal(index, tag)?;
        }
        let is_shown = !self.found[index].hidden && (!is_internal || self.internal);
        Ok(is_shown.then_some(Envelope { index, is_internal }))
    }

    /// A tag as it is shown.
    fn ch3_tag(&self, is_internal: bool, tag: i64, part: &'static str) -> Result<i32> {
        let tag = tag & !ERROR_BITS;
        if tag < 0 {
            return Err(impossible(part));
        }
        narrow(if is_internal { shown_internal(tag) } else { tag }, part)
    }

    /// A receive that may be on its list, at this place.
    fn ch3_posted(
        &mut self,
        fields: &Ch3Request,
        place: Option<&u64>,
        record: Record<'_>,
    ) -> Result<()> {
        let Some(place) = place else {
            self.snapshot.lacking.receives = true;
            let unseen = "receives that are just being posted or matched";
            return Err(Error::on(Code::NotSeen, unseen));
        };
        let Some(Envelope { index, is_internal }) = self.ch3_call(fields, &record, false)? else {
            return Ok(());
        };
        let operation = self.ch3_receive(fields, index, is_internal, &record)?;
        push(&mut self.found[index].receives, Placed { place: (1, *place), operation })
    }

    /// A pending receive: what it has asked for.
    fn ch3_receive(
        &mut self,
        fields: &Ch3Request,
        index: usize,
        is_internal: bool,
        record: &Record<'_>,
    ) -> Result<Operation> {
        let desired = match record.get(fields.rank)? {
            mpi::ANY_SOURCE => Peer::ANY,
            rank => self.peer(index, rank, "dev.match.parts.rank")?,
        };
        let tag = match record.get(fields.tag)? {
            mpi::ANY_TAG => None,
            tag => Some(self.ch3_tag(is_internal, tag, "dev.match.parts.tag")?),
        };
        let length = self.bytes_of(record.get(fields.datatype)?, record.get(fields.count)?)?;
        Ok(Operation::pending(desired, tag, length, record.get(fields.buffer)?))
    }

    /// A receive whose data are arriving.
    fn ch3_matched(&mut self, fields: &Ch3Request, address: u64, record: Record<'_>) -> Result<()> {
        let Some(Envelope { index, is_internal }) = self.ch3_call(fields, &record, false)? else {
            return Ok(());
        };
        let message = Message {
            peer: self.peer(index, record.get(fields.received_source)?, "status.MPI_SOURCE")?,
            tag: self.ch3_tag(is_internal, record.get(fields.received_tag)?, "status.MPI_TAG")?,
            length: self.ch3_length(record.get(fields.length)?)?,
        };
        let receive = self.ch3_receive(fields, index, is_internal, &record)?;
        let mut operation =
            Operation { status: Status::Matched, message: Some(message), ..receive };
        // A message that was there before its receive has overwritten what the receive asked for.
        if operation.desired != Peer::ANY && operation.tag.is_some() {
            operation.length = message.length;
            operation.details.notes[1] = "the matched message; the receive's arguments are lost";
        }
        push(&mut self.found[index].receives, Placed { place: (0, address), operation })
    }

    fn ch3_length(&self, length: i64) -> Result<i64> {
        if length < 0 { Err(impossible("dev.recv_data_sz")) } else { Ok(length) }
    }

    /// An unexpected message at this place of the list.
    fn ch3_message(&mut self, fields: &Ch3Request, place: u64, record: Record<'_>) -> Result<()> {
        let (number, tag) = (record.get(fields.context_id)?, record.get(fields.tag)?);
        let is_internal = number & context::COLLECTIVE != 0;
        let Some(index) = self.received_on(number & !context::COLLECTIVE, is_internal)? else {
            return Ok(());
        };
        if self.found[index].hidden || (is_internal && !self.internal) {
            return Ok(());
        }
        let state = record.get(fields.state)?;
        let is_synchronous = state & bits::SYNCHRONOUS != 0;
        let (buffer, length, notes) = match state & bits::WAY {
            bits::TO_ITSELF => {
                let (buffer, length) = self.ch3_own_data(fields, record.get(fields.partner)?)?;
                (buffer, length, [notes::TO_ITSELF, ""])
            }
            bits::RENDEZVOUS => (0, record.get(fields.length)?, [notes::RENDEZVOUS, ""]),
            bits::EAGER if is_synchronous => (
                record.get(fields.data)?,
                record.get(fields.length)?,
                [notes::SYNCHRONOUS, notes::EAGER],
            ),
            _ => (record.get(fields.data)?, record.get(fields.length)?, [notes::EAGER, ""]),
        };
        let message = Message {
            peer: self.peer(index, record.get(fields.rank)?, "dev.match.parts.rank")?,
            tag: self.ch3_tag(is_internal, tag, "dev.match.parts.tag")?,
            length: self.ch3_length(length)?,
        };
        let operation = Operation::unexpected(message, buffer, notes);
        push(&mut self.found[index].unexpected, Placed { place: (place, 0), operation })
    }

    /// The data of a message of the process to itself, which are those of its send.
    fn ch3_own_data(&mut self, fields: &Ch3Request, send: u64) -> Result<(u64, i64)> {
        let bytes = self.memory.record(send, fields.bytes())?;
        let record = Record { bytes: &bytes, target: self.memory.target };
        let length = self.bytes_of(record.get(fields.datatype)?, record.get(fields.count)?)?;
        Ok((record.get(fields.buffer)?, length))
    }

    /// A request that is no receive.
    fn ch3_send(&mut self, ch3: &Ch3, address: u64, record: Record<'_>) -> Result<()> {
        let fields = &ch3.request;
        if record.get(self.layout.request.kind)? != request::SEND
            || record.get(self.layout.request.cc)? == 0
        {
            return Ok(());
        }
        if record.get(fields.comm)? == 0 {
            return self.ch3_packet(ch3, address, record);
        }
        let Some(Envelope { index, is_internal }) = self.ch3_call(fields, &record, true)? else {
            return Ok(());
        };
        let message = Message {
            peer: self.peer(index, record.get(fields.rank)?, "dev.match.parts.rank")?,
            tag: self.ch3_tag(is_internal, record.get(fields.tag)?, "dev.match.parts.tag")?,
            length: self.bytes_of(record.get(fields.datatype)?, record.get(fields.count)?)?,
        };
        let note = match record.get(fields.state)? >> bits::MODE_SHIFT & bits::MODE {
            bits::SYNCHRONOUS_SEND => notes::SYNCHRONOUS,
            bits::READY => notes::READY,
            _ => "",
        };
        self.ch3_deliver_send(index, address, message, record.get(fields.buffer)?, note)
    }

    fn ch3_deliver_send(
        &mut self,
        index: usize,
        address: u64,
        message: Message,
        buffer: u64,
        note: &'static str,
    ) -> Result<()> {
        let mut operation = Operation::send(message, buffer, [note, ""]);
        self.note_buffered(&mut operation)?;
        push(&mut self.found[index].sends, Placed { place: (0, address), operation })
    }

    /// A packet that the channel could not take yet: that of a blocking send, or one of the
    /// library's own, such as the answer to a long message.
    fn ch3_packet(&mut self, ch3: &Ch3, address: u64, record: Record<'_>) -> Result<()> {
        let (waiting, fields, target) = (&ch3.waiting, &ch3.packet, self.memory.target);
        let parts = record.inner(waiting.parts)?;
        let first = parts.get(Field::<Pointer>::at(0))?;
        let packet = waiting.packet.address(address);
        // A part of the packet may have been sent.
        let is_whole = record.get(waiting.sent_parts)? == 0
            && first.wrapping_sub(packet) < fields.bytes() as u64;
        let record_of_packet = record.inner(waiting.packet)?;
        let length = match (is_whole, record_of_packet.get(fields.type_)?) {
            (true, packet::EAGER | packet::READY) => fields.length,
            (true, packet::EAGER_SHORT) => ch3.short_packet.length,
            (true, _) => return Ok(()),
            (false, _) => {
                self.snapshot.hides_sends = true;
                let unseen = "sends of which a part is sent, as MPICH keeps no envelopes of them";
                return Err(Error::on(Code::NotSeen, unseen));
            }
        };
        let length = self.ch3_length(record_of_packet.get(length)?)?;
        let number = record_of_packet.get(fields.context_id)?;
        let is_internal = number & context::COLLECTIVE != 0;
        let number = number & !context::COLLECTIVE;
        let receiver = self.world_rank(record.get(waiting.connection)?)?;
        let rank = record_of_packet.get(fields.rank)?;
        let Some(index) = self.sent_on(number, is_internal, Some(rank), receiver)? else {
            return Ok(());
        };
        let tag = record_of_packet.get(fields.tag)?;
        let Some(Envelope { index, is_internal }) = self.ch3_envelope(index, is_internal, tag)?
        else {
            return Ok(());
        };
        if rank != self.snapshot.communicators[index].local_rank {
            return Err(impossible("dev.pending_pkt"));
        }
        let peer = match receiver {
            Some(rank) => self.peer_of(index, rank)?,
            None => None,
        };
        let peer = peer.unwrap_or(Peer::ANY);
        let tag = self.ch3_tag(is_internal, tag, "dev.pending_pkt")?;
        let buffer = match record_of_packet.get(fields.type_)? {
            packet::EAGER_SHORT => 0,
            _ if length == 0 => 0,
            _ => parts.get(Field::<Pointer>::at(2 * target.pointer))?,
        };
        self.ch3_deliver_send(index, address, Message { peer, tag, length }, buffer, "")
    }
}
