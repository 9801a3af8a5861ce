//! Intel MPI, whose messages within a machine go through its own shared memory.
//!
//! Each posted receive is a request on a list. Each unexpected message is a request, too, with an
//! element on a list of messages. Any other request in use is a send, or a receive that has
//! matched, or one that libfabric has. Sends do not keep their envelopes; synchronous messages name
//! the requests of their sends. The readers report what is missing. Messages through the network
//! are read from libfabric ([`ofi`](super::ofi)), unless all processes are on this machine and use
//! its shared memory.

use super::active::Active;
use super::layout::{IntelMessage, IntelRequest, active, context, mpi, request};
use super::lists::Links;
use super::pass::{Keeps, Pass, impossible, narrow};
use super::pools::Objects;
use crate::alloc::{AddressSet, push};
use crate::error::{Code, Result};
use crate::layout::{Record, Structure};
use crate::queues::{Details, Lacking, Message, Operation, Peer, Status};
use crate::runtimes::kept::{senders_request, unknown_send};
use crate::text::Text;
use mqs_abi::notes;

/// What a request is.
enum Kind {
    Posted,
    Message(u64),
    /// A receive whose data are arriving. It stays on its list and is not shown.
    Matched,
    /// It is not shown.
    Other,
    /// The second request of a receive, posted for the network.
    Twin,
}

impl Pass<'_, '_> {
    /// Reads the messages that go through shared memory and through the network.
    pub(super) fn intel_messages(&mut self, requests: &Objects) -> Result<()> {
        let Some((fields, message)) = self.layout.intel else { return Ok(()) };
        let by_memory = self.intel_rings()?;
        let network = if by_memory { None } else { self.intel_network(requests)? };
        let is_shown =
            |request: u64| network.as_ref().is_some_and(|shown| shown.contains(&request));
        let (mut found, mut links) = (Vec::new(), Vec::new());
        let (mut sends, mut others) = (false, false);
        for (address, bytes) in requests.iter() {
            let record = Record { bytes, target: self.memory.target };
            if record.get(self.layout.request.cc)? == 0 {
                continue;
            }
            match record.get(self.layout.request.kind)? {
                request::SEND if is_shown(address) => {}
                request::SEND => sends |= !self.intel_send(address)?,
                request::RECEIVE => match self.intel_kind(&fields, &record)? {
                    Kind::Twin => {}
                    Kind::Other => others |= !is_shown(address),
                    Kind::Matched => {
                        push(
                            &mut links,
                            (record.get(fields.extension)?, record.get(fields.next)?),
                        )?;
                        others |= !is_shown(address);
                    }
                    kind => {
                        let one = (address, bytes, &kind);
                        match self.intel_receive(&fields, &message, one, &mut links) {
                            Ok(Some(one)) => push(&mut found, one)?,
                            Ok(None) => {}
                            Err(error) => self.keep(Err(error.within("MPIR_Request", address)))?,
                        }
                    }
                },
                _ => {}
            }
        }
        self.deliver_active(found, &links)?;
        if sends {
            // Some of these sends may be the library's own. That is not known either.
            self.snapshot.hides_sends = true;
        }
        let (is_read, way) = match network {
            Some(_) => (true, "shared memory, ofi"),
            None if by_memory => (true, "shared memory"),
            None => (false, "network not read"),
        };
        self.snapshot.lacking.receives |= others;
        if !is_read {
            self.snapshot.lacking = Lacking::ALL;
        }
        let table = self.roots.table.as_str();
        let source = format_args!("Intel MPI, {way}, layout table {table}");
        push(&mut self.snapshot.sources, Text::format(source))?;
        // The network's comes after it.
        self.snapshot.sources.rotate_right(1);
        let unseen = match (sends, others, is_read) {
            (true, _, true) => "sends, as Intel MPI keeps no envelopes",
            (true, _, false) => {
                "sends, as Intel MPI keeps no envelopes, and messages through the network"
            }
            (false, true, true) => "receives that are matched",
            (false, true, false) => "receives that are matched, and messages through the network",
            (false, false, false) => "messages through the network",
            (false, false, true) => return Ok(()),
        };
        self.not_seen(unseen)
    }

    /// Reads the messages that go through the network. The result are the requests whose operations
    /// were found. None: the network cannot be read.
    fn intel_network(&mut self, requests: &Objects) -> Result<Option<AddressSet>> {
        match self.ofi_queues(requests) {
            Ok(shown) => Ok(Some(shown)),
            // Other words for this follow.
            Err(error) if error.code == Code::NotSeen => Ok(None),
            Err(error) => self.keep(Err(error)).map(|()| None),
        }
    }

    /// Whether a request is the second one of a receive, posted for the network.
    pub(super) fn is_twin(&self, fields: &IntelRequest, record: &Record<'_>) -> Result<bool> {
        Ok(matches!(self.intel_kind(fields, record)?, Kind::Twin))
    }

    /// Puts a pending send into a queue, for those who can find its message at the receiver: it
    /// names the send. Its communicator is not known before. False: it is not shown.
    fn intel_send(&mut self, address: u64) -> Result<bool> {
        let world = self.by_address.get(&self.roots.predefined).copied();
        let names = self.internal && self.layout.intel_status.is_some();
        let Some(index) = world.filter(|_| names) else { return Ok(false) };
        let mut send = unknown_send(address);
        send.operation.details.notes[1] = notes::NO_COMMUNICATOR;
        push(&mut self.found[index].sends, send)?;
        Ok(true)
    }

    fn intel_receive(
        &mut self,
        fields: &IntelRequest,
        message: &IntelMessage,
        (address, bytes, kind): (u64, &[u8], &Kind),
        all: &mut Vec<Links>,
    ) -> Result<Option<Active>> {
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
        push(all, links)?;
        let number = record.get(fields.context_id)?;
        let is_internal = number & context::COLLECTIVE != 0;
        let Some(index) = self.received_on(number & !context::COLLECTIVE, is_internal)? else {
            return Ok(None);
        };
        let (source, tag) = (record.get(fields.source)?, record.get(fields.tag)?);
        // Collective operations within a machine may do without messages. Those of nonblocking ones
        // would seem to be what a blocking one waits for.
        if self.found[index].hidden || is_internal {
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
        let tag = (!is_any_tag).then(|| narrow(tag, "tag")).transpose()?;
        let length = self.bytes_of(record.get(fields.datatype)?, record.get(fields.count)?)?;
        let sender = record.get(fields.sender)?;
        let is_held = is_message && sender != 0;
        // `sender` is not cleared. After an earlier use of the request it would name another send.
        let is_synchronous = match self.layout.intel_status {
            Some(fields) => record.get(fields.status)? & active::SYNCHRONOUS != 0,
            None => false,
        };
        let names = self.internal && is_held && is_synchronous;
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
                request: senders_request(names, Some(sender)),
                ..Details::default()
            },
        };
        Ok(Some(Active { address, links, is_message, index, operation }))
    }

    fn intel_kind(&self, fields: &IntelRequest, record: &Record<'_>) -> Result<Kind> {
        const TAKEN: u64 = active::PROBED | active::CLAIMED | active::MATCHED;
        // Only this field is cleared when a request is used again. If it is 0, libfabric has the
        // request.
        if record.get(fields.extension)? == 0 {
            let is_twin = record.get(fields.partner)? != 0;
            return Ok(if is_twin { Kind::Twin } else { Kind::Other });
        }
        let (message, is_linked) = (record.get(fields.message)?, record.get(fields.previous)? != 0);
        // Requests are used again. Only the status tells which fields are left from an earlier use.
        let status = match self.layout.intel_status {
            Some(fields) => record.get(fields.status)?,
            None if is_linked => 0,
            None => active::UNEXPECTED,
        };
        let is_message = status & active::UNEXPECTED != 0;
        // A receive whose data are arriving, or a message that something has taken.
        let is_over = status & if is_message { TAKEN } else { active::IN_PROGRESS } != 0;
        Ok(match (is_message, is_linked) {
            (false, true) if is_over => Kind::Matched,
            _ if is_over => Kind::Other,
            (true, _) if message != 0 => Kind::Message(message),
            (false, true) => Kind::Posted,
            _ if record.get(fields.partner)? != 0 => Kind::Twin,
            _ => Kind::Other,
        })
    }
}
