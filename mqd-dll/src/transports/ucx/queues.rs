//! The queues of a worker: posted receives and unexpected messages.

use super::layout::{Layout, message_flags};
use super::requests::{RequestKind, Requests, note};
use super::worker::{HASH_QUEUES, Worker};
use crate::alloc::{AddressSet, mark, push};
use crate::error::{Code, Error, Result};
use crate::layout::{Field, Record, Structure, Unsigned};
use crate::memory::Memory;
use mqs_abi::notes;

/// Bytes of a message's header that are read.
const HEADER_BYTES: u64 = 48;

/// A message that no receive has taken.
pub(crate) struct UcxMessage {
    pub(crate) tag: u64,
    pub(crate) length: u64,
    /// 0: the data are not here, or not contiguous.
    pub(crate) buffer: u64,
    protocol: Protocol,
    /// It is eager, and its sender waits until a receive takes it.
    synchronous: bool,
}

/// How a message travels.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Protocol {
    Eager,
    /// In several fragments. Some may still be on their way.
    EagerFragments,
    Rendezvous,
}

impl UcxMessage {
    /// How it travels, for people.
    pub(crate) fn notes(&self) -> [&'static str; 2] {
        match (self.protocol, self.synchronous) {
            (Protocol::Rendezvous, _) => [notes::RENDEZVOUS, ""],
            (_, true) => [notes::SYNCHRONOUS, notes::EAGER],
            (Protocol::Eager, false) => [notes::EAGER, ""],
            (Protocol::EagerFragments, false) => [notes::EAGER, "in several fragments"],
        }
    }
}

impl Worker {
    /// Marks the posted receives among `requests`, and adds those that are not in the pool. After
    /// an error the other queues are still read; the first error is the result.
    pub(crate) fn posted_receives(
        &self,
        memory: &mut Memory<'_>,
        requests: &mut Requests,
    ) -> Result<()> {
        let Layout { worker, request_queue, queue, .. } = &self.layout;
        let mut seen = AddressSet::default();
        let mut first_error = None;
        let hash = memory.pointer(worker.hash.address(self.address))?;
        let bytes = memory.record(hash, HASH_QUEUES * request_queue.bytes())?;
        let of_hash =
            bytes.chunks_exact(request_queue.bytes()).enumerate().map(|(index, bytes)| {
                let address = hash.wrapping_add((index * request_queue.bytes()) as u64);
                (request_queue.queue.address(address), bytes)
            });
        let address = worker.wildcard.address(self.address);
        let wildcard = memory.record(address, queue.bytes())?;
        for (address, bytes) in of_hash.chain([(address, &*wildcard)]) {
            let record = Record { bytes, target: memory.target };
            let (head, tail) = (record.get(queue.head)?, record.get(queue.ptail)?);
            if tail == queue.head.address(address) {
                continue;
            }
            let result = self.posted_queue(memory, head, tail, &mut seen, requests);
            let here = |error: Error| error.within("ucp_request_queue_t", address);
            note(&mut first_error, result.map_err(here))?;
        }
        first_error.map_or(Ok(()), Err)
    }

    /// Walks one queue from its first element to the one whose link is at `tail`.
    fn posted_queue(
        &self,
        memory: &mut Memory<'_>,
        mut element: u64,
        tail: u64,
        seen: &mut AddressSet,
        requests: &mut Requests,
    ) -> Result<()> {
        let fields = &self.layout.receive;
        loop {
            memory.step()?;
            let address = element.wrapping_sub(fields.queue.address(0));
            let here = |error: Error| error.within("ucp_request_t", address);
            if !mark(seen, element)? {
                return Err(here(Error::new(Code::Cycle)));
            }
            if !requests.by_address.contains_key(&address) {
                let bytes = memory.record(address, self.request_bytes()).map_err(here)?;
                let record = Record { bytes: &bytes, target: memory.target };
                if record.get(fields.worker)? != self.address {
                    return Err(here(Error::new(Code::Impossible).part("recv.worker")));
                }
                self.add(memory, address, record, None, requests)?;
            }
            let impossible = here(Error::new(Code::Impossible).part("flags"));
            let (place, next) = *requests.by_address.get(&address).ok_or(impossible)?;
            let request = requests.all.get_mut(place).ok_or(impossible)?;
            match &mut request.kind {
                RequestKind::Receive { posted, .. } if !request.complete => *posted = true,
                // Something else, or complete although it is posted: nothing is known about it.
                _ => {
                    request.complete = true;
                    request.released = true;
                    return Err(impossible);
                }
            }
            if element == tail {
                return Ok(());
            }
            element = next;
        }
    }

    /// Reads the unexpected messages in the order of their arrival. A message that cannot be read
    /// is left out, and what was read before an error is kept; the first error is the result.
    pub(crate) fn unexpected_messages(
        &self,
        memory: &mut Memory<'_>,
        messages: &mut Vec<UcxMessage>,
    ) -> Result<()> {
        let Layout { worker, link, descriptor, .. } = &self.layout;
        // A message is on two lists: that of its tag, and that of all messages.
        let place = descriptor.tag_list.address(link.bytes() as u64);
        let list = worker.unexpected.address(self.address);
        let mut seen = AddressSet::default();
        let mut first_error = None;
        let mut element = memory.pointer(link.next.address(list))?;
        while element != list {
            let address = element.wrapping_sub(place);
            let here = |error: Error| error.within("ucp_recv_desc_t", address);
            memory.step().map_err(here)?;
            if !mark(&mut seen, element)? {
                return Err(first_error.unwrap_or(here(Error::new(Code::Cycle))));
            }
            let bytes = match memory.record(address, descriptor.bytes()) {
                Err(error) if !error.is_final() => {
                    return Err(first_error.unwrap_or(here(error)));
                }
                bytes => bytes.map_err(here)?,
            };
            let record = Record { bytes: &bytes, target: memory.target };
            let next = Record { bytes: bytes.get(place as usize..).unwrap_or_default(), ..record };
            let next = next.get(link.next).map_err(here)?;
            let message = self.message(memory, address, &bytes).map_err(here);
            note(&mut first_error, message.and_then(|message| push(messages, message)))?;
            element = next;
        }
        first_error.map_or(Ok(()), Err)
    }

    fn message(&self, memory: &mut Memory<'_>, address: u64, bytes: &[u8]) -> Result<UcxMessage> {
        let Layout { descriptor, first_header, rendezvous_header, .. } = &self.layout;
        let impossible = |part| Error::new(Code::Impossible).part(part);
        let record = Record { bytes, target: memory.target };
        let flags = record.get(descriptor.flags)?;
        let (size, offset) =
            (record.get(descriptor.length)?, record.get(descriptor.payload_offset)?);
        // What came over the wire follows the descriptor.
        let wire = address.wrapping_add(descriptor.bytes() as u64);
        let header = memory.record(wire, size.min(HEADER_BYTES) as usize)?;
        let header = Record { bytes: &header, target: memory.target };
        let short = |_| impossible("length");
        let tag = header.get(Field::<Unsigned<8>>::at(0)).map_err(short)?;
        let is = |flag: u64| flags & flag != 0;
        let (length, buffer, protocol) = if is(message_flags::RENDEZVOUS) {
            let length = header.get(rendezvous_header.size).map_err(short)?;
            (length, 0, Protocol::Rendezvous)
        } else if is(message_flags::EAGER_ONLY) {
            let length = size.checked_sub(offset).ok_or(impossible("payload_offset"))?;
            (length, wire.wrapping_add(offset), Protocol::Eager)
        } else if is(message_flags::EAGER) {
            let length = header.get(first_header.total_len).map_err(short)?;
            let here = size.checked_sub(offset).ok_or(impossible("payload_offset"))?;
            if here == length {
                (length, wire.wrapping_add(offset), Protocol::Eager)
            } else {
                (length, 0, Protocol::EagerFragments)
            }
        } else {
            return Err(impossible("flags"));
        };
        let synchronous = is(message_flags::EAGER_SYNCHRONOUS);
        Ok(UcxMessage { tag, length, buffer, protocol, synchronous })
    }
}
