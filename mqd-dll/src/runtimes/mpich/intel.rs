//! Intel MPI, whose messages within a machine go through its own shared memory.
//!
//! Each posted receive is a request on a list. Each unexpected message is a request, too, with an
//! element on a list of messages. Any other request in use is a send, or a receive that has
//! matched. The places of their envelopes are not known, so the readers report that they are
//! missing. Messages through the network are reported as missing, too.

use super::layout::{IntelMessage, IntelRequest, context, mpi, request};
use super::lists::{Listed, places};
use super::pass::{Pass, Placed, impossible, narrow};
use super::pools::Objects;
use super::ucx::{gone, shown_internal};
use crate::alloc::push;
use crate::error::{Code, Error, Result};
use crate::layout::{Record, Structure};
use crate::queues::{Details, Message, Operation, Peer, Status};
use mqs_abi::notes;

/// A receive or an unexpected message with its place in its list.
struct Element {
    links: (u64, u64),
    is_message: bool,
    index: usize,
    operation: Operation,
}

impl Listed for Element {
    fn links(&self) -> (u64, u64) {
        self.links
    }
}

/// What a request is.
enum Kind {
    Posted,
    Message(u64),
    /// It is not shown.
    Other,
    /// The second request of a receive, posted for the network.
    Twin,
}

impl Pass<'_, '_> {
    /// Reads the messages that go through shared memory.
    pub(super) fn intel_messages(&mut self, requests: &Objects) -> Result<()> {
        let Some((fields, message)) = self.layout.intel else { return Ok(()) };
        let mut found = Vec::new();
        let (mut sends, mut others) = (false, false);
        for (address, bytes) in requests.iter() {
            let record = Record { bytes, target: self.memory.target };
            if record.get(self.layout.request.cc)? == 0 {
                continue;
            }
            match record.get(self.layout.request.kind)? {
                request::SEND => sends = true,
                request::RECEIVE => match intel_kind(&fields, &record)? {
                    Kind::Twin => {}
                    Kind::Other => others = true,
                    kind => match self.intel_receive(&fields, &message, address, bytes, &kind) {
                        Ok(Some(one)) => push(&mut found, one)?,
                        Ok(None) => {}
                        Err(error) => self.keep(Err(error.within("MPIR_Request", address)))?,
                    },
                },
                _ => {}
            }
        }
        let places = places(&found)?;
        for Element { links, is_message, index, operation } in found {
            let place = (places.get(&links.0).copied().unwrap_or(0), 0);
            let found = &mut self.found[index];
            let queue = if is_message { &mut found.unexpected } else { &mut found.receives };
            push(queue, Placed { place, operation })?;
        }
        if sends {
            // Some may be of the library itself, which cannot be told either.
            self.snapshot.hides_sends = true;
        }
        let unseen = match (sends, others) {
            (true, _) => "sends, as Intel MPI keeps no envelopes, and messages through the network",
            (_, true) => "receives that are matched, and messages through the network",
            _ => "messages through the network",
        };
        self.keep(Err(Error::on(Code::NotSeen, unseen)))
    }

    fn intel_receive(
        &mut self,
        fields: &IntelRequest,
        message: &IntelMessage,
        address: u64,
        bytes: &[u8],
        kind: &Kind,
    ) -> Result<Option<Element>> {
        let record = Record { bytes, target: self.memory.target };
        let (is_message, links) = match kind {
            Kind::Message(element) => {
                let bytes = self.memory.record(*element, message.bytes())?;
                let element_record = Record { bytes: &bytes, target: self.memory.target };
                if element_record.get(message.request)? != address {
                    return Err(impossible("unexpected"));
                }
                (true, (*element, element_record.get(message.next)?))
            }
            _ => (false, (record.get(fields.extension)?, record.get(fields.next)?)),
        };
        let number = record.get(fields.context_id)?;
        let is_internal = number & context::COLLECTIVE != 0;
        let Some(&index) = self.received_by.get(&(number & !context::COLLECTIVE)) else {
            return gone(is_internal).map(|()| None);
        };
        let (source, tag) = (record.get(fields.source)?, record.get(fields.tag)?);
        if is_internal && !is_message {
            self.found[index].note_collective(tag)?;
        }
        if self.found[index].hidden || (is_internal && !self.internal) {
            return Ok(None);
        }
        let desired = match source {
            mpi::ANY_SOURCE if !is_message => Peer::ANY,
            _ => self.peer(index, source, "source")?,
        };
        let is_any_tag = tag == mpi::ANY_TAG && !is_message;
        if !is_any_tag && tag < 0 {
            return Err(impossible("tag"));
        }
        let tag = if is_internal { shown_internal(tag) } else { tag };
        let tag = (!is_any_tag).then(|| narrow(tag, "tag")).transpose()?;
        let length = self.bytes_of(record.get(fields.datatype)?, record.get(fields.count)?)?;
        let is_held = is_message && record.get(fields.sender)? != 0;
        let operation = Operation {
            status: Status::Pending,
            desired,
            tag,
            length,
            system_buffer: is_message,
            buffer: record.get(fields.buffer)?,
            message: tag.filter(|_| is_message).map(|tag| Message { peer: desired, tag, length }),
            awaited: None,
            details: Details {
                notes: [if is_held { notes::SYNCHRONOUS } else { "" }, ""],
                ..Details::default()
            },
        };
        Ok(Some(Element { links, is_message, index, operation }))
    }
}

fn intel_kind(fields: &IntelRequest, record: &Record<'_>) -> Result<Kind> {
    let message = record.get(fields.message)?;
    if record.get(fields.previous)? != 0 {
        Ok(Kind::Posted)
    } else if message != 0 {
        Ok(Kind::Message(message))
    } else if record.get(fields.partner)? != 0 {
        Ok(Kind::Twin)
    } else {
        Ok(Kind::Other)
    }
}
