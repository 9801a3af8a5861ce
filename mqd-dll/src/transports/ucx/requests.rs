//! Sends and receives: the requests in use, in the worker's pool and on the stack.

use super::layout::{ReceiveData, class, operation, request_flags, status};
use super::worker::{ELEMENT_HEADER, Worker};
use crate::alloc::{AddressMap, AddressSet, insert, mark, push};
use crate::error::{Code, Error, OrUnreadable, Result};
use crate::layout::{Field, Pointer, Record, Structure};
use crate::memory::Memory;

/// The most elements of one chunk of a pool.
const MAX_CHUNK: u64 = 1 << 20;
/// Bytes of a chunk that are read at a time.
const PIECE: u64 = 1 << 20;
/// Bytes of a stack that are read at a time, and in all.
const STACK_PIECE: u64 = 64 * 1024;
const MAX_STACK: u64 = 64 * 1024 * 1024;

/// A send or a receive of tagged messages.
#[derive(Clone, Copy)]
pub(crate) struct Request {
    /// Where the part begins that belongs to the user of the library.
    pub(crate) user: u64,
    /// The words of that part which the user has asked for. None: the request has no such part.
    pub(crate) words: Option<[u64; 2]>,
    pub(crate) tag: u64,
    /// 0: the data are not contiguous and are described elsewhere.
    pub(crate) buffer: u64,
    pub(crate) length: u64,
    pub(crate) complete: bool,
    pub(crate) cancelled: bool,
    /// The user has released it.
    pub(crate) released: bool,
    pub(crate) kind: RequestKind,
}

/// The fields that only sends or only receives have.
#[derive(Clone, Copy)]
pub(crate) enum RequestKind {
    Send {
        endpoint: u64,
        synchronous: bool,
    },
    Receive {
        /// The bits of the tag that are compared in matching.
        mask: u64,
        /// Grows with each receive of the worker.
        sequence: u64,
        /// No message has matched it.
        posted: bool,
        /// Tag and length of the message that has matched it.
        message: (u64, u64),
    },
}

/// The requests of a worker.
#[derive(Default)]
pub(crate) struct Requests {
    pub(crate) all: Vec<Request>,
    /// There are sends under way whose tag is not known any more.
    pub(crate) without_tag: bool,
    /// The place in `all`, and the next element of the queue that the request may be on.
    pub(super) by_address: AddressMap<(usize, u64)>,
}

impl Worker {
    /// Reads the requests in use of the worker's pool, with two words of the user's part of each.
    /// A request that cannot be read is left out, and what was read before an error is kept; the
    /// first error is the result.
    pub(crate) fn pool_requests(
        &self,
        memory: &mut Memory<'_>,
        words: [Field<Pointer>; 2],
        requests: &mut Requests,
    ) -> Result<()> {
        let pool = self.request_pool(memory)?;
        let fields = self.layout.chunk;
        let mut seen = AddressSet::default();
        let mut first_error = None;
        let mut chunk = pool.first_chunk;
        while chunk != 0 {
            let here = |error: Error| error.within("ucs_mpool_chunk_t", chunk);
            memory.step().map_err(here)?;
            if !mark(&mut seen, chunk)? {
                return Err(here(Error::new(Code::Cycle)));
            }
            let bytes = memory.record(chunk, fields.bytes()).map_err(here)?;
            let record = Record { bytes: &bytes, target: memory.target };
            let number = record.get(fields.num_elems).map_err(here)?;
            let (elements, next) = (record.get(fields.elems)?, record.get(fields.next)?);
            if number > MAX_CHUNK {
                return Err(here(Error::new(Code::Impossible).part("num_elems")));
            }
            let per_piece = (PIECE / pool.stride).max(1);
            let mut first = 0;
            while first < number {
                let count = per_piece.min(number - first);
                let start = elements.wrapping_add(first * pool.stride);
                let bytes = memory.record(start, (count * pool.stride) as usize).map_err(here)?;
                for (index, bytes) in bytes.chunks_exact(pool.stride as usize).enumerate() {
                    let element = start.wrapping_add(index as u64 * pool.stride);
                    let record = Record { bytes, target: memory.target };
                    // The word in front of an element is the pool's address while it is in use, and
                    // a link of the list of free elements otherwise.
                    if record.get(Field::<Pointer>::at(0))? != pool.address {
                        continue;
                    }
                    let bytes = &bytes[ELEMENT_HEADER as usize..];
                    let record = Record { bytes, target: memory.target };
                    let address = element.wrapping_add(ELEMENT_HEADER);
                    let added = self.add(memory, address, record, Some(words), requests);
                    let here = |error: Error| error.within("ucp_request_t", address);
                    note(&mut first_error, added.map_err(here))?;
                }
                first += count;
            }
            chunk = next;
        }
        first_error.map_or(Ok(()), Err)
    }

    fn plain_send(&self, record: Record<'_>, synchronous: bool) -> Result<Parts> {
        let fields = &self.layout.send;
        let kind = RequestKind::Send { endpoint: record.get(fields.endpoint)?, synchronous };
        let (buffer, length) = (record.get(fields.buffer)?, record.get(fields.length)?);
        Ok((record.get(fields.tag)?, buffer, length, kind))
    }

    /// A request of the protocols of 1.16 and later. None: it is not, or is no longer, a send of a
    /// tagged message.
    fn protocol_send(
        &self,
        memory: &mut Memory<'_>,
        record: Record<'_>,
        flags: u64,
        requests: &mut Requests,
    ) -> Result<Option<Parts>> {
        let fields = &self.layout.send;
        let config = record.get(fields.protocol)?;
        let mut operation = [0];
        memory.read(self.layout.protocol.operation.address(config), &mut operation)?;
        let operation = u64::from(operation[0]) & operation::MASK;
        let synchronous = match operation {
            operation::TAG_SEND => false,
            operation::TAG_SEND_SYNCHRONOUS => true,
            _ => {
                // When the receiver has answered, a send continues as another operation, whose
                // fields overwrite the tag. If it is complete, nothing waits for it.
                let is_user = flags & request_flags::CALLBACK != 0;
                requests.without_tag |= is_user && flags & request_flags::COMPLETED == 0;
                return Ok(None);
            }
        };
        let kind = RequestKind::Send { endpoint: record.get(fields.endpoint)?, synchronous };
        let class = record.get(fields.class)? & 0xff;
        let buffer = in_one_piece(class, record.get(fields.iterator_buffer)?);
        let length = record.get(fields.iterator_length)?;
        Ok(Some((record.get(fields.tag)?, buffer, length, kind)))
    }

    fn receive(&self, record: Record<'_>) -> Result<Parts> {
        let fields = &self.layout.receive;
        let (buffer, length) = match &self.layout.data {
            ReceiveData::Plain(data) => (record.get(data.buffer)?, record.get(data.length)?),
            ReceiveData::Iterator(data) => {
                let class = record.get(data.class)? & 0xff;
                (in_one_piece(class, record.get(data.buffer)?), record.get(data.length)?)
            }
        };
        let kind = RequestKind::Receive {
            mask: record.get(fields.mask)?,
            sequence: record.get(fields.sequence)?,
            posted: false,
            message: (record.get(fields.sender_tag)?, record.get(fields.received)?),
        };
        Ok((record.get(fields.tag)?, buffer, length, kind))
    }

    /// Decodes a request and adds it, if it is for tagged messages.
    pub(super) fn add(
        &self,
        memory: &mut Memory<'_>,
        address: u64,
        record: Record<'_>,
        words: Option<[Field<Pointer>; 2]>,
        requests: &mut Requests,
    ) -> Result<()> {
        let flags = record.get(self.layout.request.flags)?;
        let is = |flag: u64| flags & flag != 0;
        let Some((tag, buffer, length, kind)) = (if is(request_flags::PROTOCOLS) {
            self.protocol_send(memory, record, flags, requests)?
        } else if is(request_flags::SEND_TAG) {
            Some(self.plain_send(record, is(request_flags::SYNCHRONOUS))?)
        } else if is(request_flags::RECEIVE_TAG) {
            Some(self.receive(record)?)
        } else {
            None
        }) else {
            return Ok(());
        };
        let user = self.request_bytes();
        let words = match words {
            Some([first, second]) => {
                let bytes = record.bytes.get(user..).unwrap_or_default();
                let part = Record { bytes, ..record };
                Some([part.get(first)?, part.get(second)?])
            }
            None => None,
        };
        let request = Request {
            user: address.wrapping_add(user as u64),
            words,
            tag,
            buffer,
            length,
            complete: is(request_flags::COMPLETED),
            cancelled: record.get(self.layout.request.status)? == status::CANCELLED,
            released: is(request_flags::RELEASED),
            kind,
        };
        let next = record.inner(self.layout.receive.queue)?.get(Field::<Pointer>::at(0))?;
        insert(&mut requests.by_address, address, (requests.all.len(), next))?;
        push(&mut requests.all, request)
    }

    /// Finds what blocking calls wait for, whose requests are on the caller's stack: sends, and
    /// receives that have matched a message. Posted receives are in the worker's queues, which must
    /// have been read before. `top` is where the stack begins; it is read downwards as far as there
    /// is memory.
    ///
    /// The id of a pending send is its own address. A completed request has no id. So what an
    /// earlier call left on the stack is not taken for a send. A receive names its worker, and is
    /// not marked as complete. A part of it may have been overwritten since. `is_known` says
    /// whether there can be a receive with a tag and a mask.
    pub(crate) fn stack_requests(
        &self,
        memory: &mut Memory<'_>,
        top: u64,
        is_known: &dyn Fn(u64, u64) -> bool,
        requests: &mut Requests,
    ) -> Result<()> {
        let word = memory.target.pointer;
        let id = self.layout.request.id.address(0);
        let worker = self.layout.receive.worker.address(0);
        let mut end = top - top % word as u64;
        let lowest = end.saturating_sub(MAX_STACK);
        let mut size = STACK_PIECE;
        while end > lowest {
            // Pieces end at multiples of their size, as fetches do.
            let start = (end - 1) - (end - 1) % size;
            let bytes = memory.record(start, (end - start) as usize).or_unreadable()?;
            let Some(bytes) = bytes else {
                if size <= 4096 {
                    return Ok(());
                }
                size = 4096;
                continue;
            };
            for (index, value) in bytes.chunks_exact(word).enumerate() {
                let (value, place) =
                    (memory.target.unsigned(value), start.wrapping_add((index * word) as u64));
                if value == place.wrapping_sub(id) {
                    self.stack_send(memory, value, requests)?;
                }
                if value == self.address {
                    let address = place.wrapping_sub(worker);
                    self.stack_receive(memory, address, is_known, requests)?;
                }
            }
            end = start;
        }
        Ok(())
    }

    fn stack_send(
        &self,
        memory: &mut Memory<'_>,
        address: u64,
        requests: &mut Requests,
    ) -> Result<()> {
        let Some(bytes) = self.stack_request(memory, address)? else { return Ok(()) };
        let record = Record { bytes: &bytes, target: memory.target };
        let flags = record.get(self.layout.request.flags)?;
        let endpoint = record.get(self.layout.send.endpoint)?;
        let is_send = flags & (request_flags::SEND_TAG | request_flags::PROTOCOLS) != 0;
        let is_pending = is_send && flags & request_flags::COMPLETED == 0;
        if is_pending && self.has_endpoint(memory, endpoint)? {
            memory.step()?;
            let record = Record { bytes: &bytes, target: memory.target };
            self.add(memory, address, record, None, requests)?;
        }
        Ok(())
    }

    fn stack_receive(
        &self,
        memory: &mut Memory<'_>,
        address: u64,
        is_known: &dyn Fn(u64, u64) -> bool,
        requests: &mut Requests,
    ) -> Result<()> {
        if requests.by_address.contains_key(&address) {
            return Ok(());
        }
        let Some(bytes) = self.stack_request(memory, address)? else { return Ok(()) };
        let record = Record { bytes: &bytes, target: memory.target };
        let flags = record.get(self.layout.request.flags)?;
        let fields = self.layout.receive;
        let (tag, mask) = (record.get(fields.tag)?, record.get(fields.mask)?);
        let other = tag ^ record.get(fields.sender_tag)?;
        let is_pending = flags & request_flags::RECEIVE_TAG != 0
            && flags & (request_flags::COMPLETED | request_flags::RELEASED) == 0
            && record.get(self.layout.request.status)? == status::OK;
        // Where something else has been written over a request, these do not agree.
        if is_pending && other & mask == 0 && is_known(tag, mask) {
            memory.step()?;
            let record = Record { bytes: &bytes, target: memory.target };
            self.add(memory, address, record, None, requests)?;
        }
        Ok(())
    }

    /// The bytes of what may be a request on the stack. None: there is no memory.
    fn stack_request(&self, memory: &mut Memory<'_>, address: u64) -> Result<Option<Vec<u8>>> {
        memory.record(address, self.request_bytes()).or_unreadable()
    }
}

/// Remembers the first error and goes on, unless there is nothing left to go on with.
pub(super) fn note(first: &mut Option<Error>, result: Result<()>) -> Result<()> {
    match result {
        Err(error) if error.is_final() => return Err(error),
        Err(error) => *first = first.or(Some(error)),
        Ok(()) => {}
    }
    Ok(())
}

/// Tag, buffer, length, and what only sends or receives have.
type Parts = (u64, u64, u64, RequestKind);

/// The start of the data; 0 if they are in several pieces, which are described elsewhere.
fn in_one_piece(class: u64, buffer: u64) -> u64 {
    if matches!(class, class::CONTIGUOUS | class::GENERIC) { buffer } else { 0 }
}
