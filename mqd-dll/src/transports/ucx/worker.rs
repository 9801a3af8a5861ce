//! A worker: where it is, and the layout that fits it.

use super::layout::{Layout, WorkerFields};
use super::version;
use crate::alloc::{AddressMap, insert, push};
use crate::debugger::{Image, Target};
use crate::error::{Code, Error, OrUnreadable, Result};
use crate::layout::{Field, Pointer, Record, Structure};
use crate::memory::Memory;
use crate::tables::{TableName, choose, layout_for_target};
use crate::text::Text;

/// The name of the library in tables.
const LIBRARY: &str = "ucx";
/// Queues of the hash of posted receives: `UCP_TAG_MATCH_HASH_SIZE`, which is 1021, rounded up to a
/// power of two.
pub(super) const HASH_QUEUES: usize = 1024;
/// The name of the pool of requests.
const POOL: &[u8] = b"ucp_requests";
/// No library has more workers.
const MOST_WORKERS: usize = 64;
/// The fewest and the most words from one worker to the next in an array of structures.
const SMALLEST_STEP: usize = 2;
const LARGEST_STEP: usize = 32;
/// Bytes in front of an element of a pool.
pub(super) const ELEMENT_HEADER: u64 = 8;

/// A worker whose structures are known.
pub(crate) struct Worker {
    pub(super) address: u64,
    pub(super) layout: Layout,
    /// The release and the layout table, for people.
    pub(crate) source: Text<64>,
}

/// The numbers of the pool of requests.
pub(super) struct RequestPool {
    /// Where the pool is.
    pub(super) address: u64,
    pub(super) first_chunk: u64,
    /// From one element to the next.
    pub(super) stride: u64,
}

impl Worker {
    /// Finds the worker in the data of the library that uses it, which come in parts. The addresses
    /// of a context and of its worker are adjacent words there. `may_be_object` tells words that
    /// may be such addresses.
    ///
    /// # Errors
    /// [`Code::NoLayout`]: no table fits, so nothing may be read.
    pub(crate) fn find<'d>(
        memory: &mut Memory<'_>,
        image: &Image,
        data: impl IntoIterator<Item = &'d [u8]>,
        may_be_object: impl Fn(u64) -> bool,
    ) -> Result<Self> {
        let mut candidates = candidates(memory.target, data, may_be_object)?;
        let mut text = [0; 32];
        let version = version::version(memory, image, &mut text);
        let anchor = version::anchor(image).unwrap_or(0);
        let found = choose(memory, LIBRARY, version, anchor, |memory, table| {
            let Some(layout) = layout_for_target(memory, table, |types| Layout::resolve(types))?
            else {
                return Ok(None);
            };
            let contexts = contexts(memory, &layout, &candidates)?;
            candidates.retain(|(_, address)| contexts.contains_key(address));
            for &(context, address) in &candidates {
                let worker = Self { address, layout, source: Text::EMPTY };
                if contexts.get(&address) == Some(&context) && worker.fits(memory, context)? {
                    return Ok(Some(worker));
                }
            }
            Ok(None)
        })?;
        let (worker, table) = found.ok_or(Error::on(Code::NoTransportLayout, "ucp_worker_t"))?;
        Ok(Self { source: source(version, &table), ..worker })
    }

    /// The workers of the library that uses this one, this one first. Where several threads may
    /// communicate at a time, the library can have several, in an array of structures. `data` are
    /// the parts that [`Worker::find`] got. Error: [`Code::Impossible`] for a worker that is not as
    /// it should be.
    pub(crate) fn and_others<'d>(
        self,
        memory: &mut Memory<'_>,
        data: impl IntoIterator<Item = &'d [u8]>,
        may_be_object: impl Fn(u64) -> bool,
    ) -> Result<Vec<Self>> {
        let (layout, source) = (self.layout, self.source);
        let context = memory.pointer(layout.worker.context.address(self.address))?;
        let pair = [context, self.address];
        let mut array = Vec::new();
        for part in data {
            let words = part.chunks_exact(memory.target.pointer);
            let words = words.map(|bytes| memory.target.unsigned(bytes));
            let mut before = 0;
            let mut rest =
                words.skip_while(|&word| [std::mem::replace(&mut before, word), word] != pair);
            if rest.next().is_some() {
                rest.take(MOST_WORKERS * LARGEST_STEP)
                    .try_for_each(|word| push(&mut array, word))?;
                break;
            }
        }
        let mut workers = Vec::new();
        push(&mut workers, self)?;
        for step in SMALLEST_STEP..=LARGEST_STEP {
            for &address in array.iter().skip(step - 1).step_by(step) {
                let is_known = workers.iter().any(|worker: &Self| worker.address == address);
                if is_known
                    || !may_be_object(address)
                    || !has_context(memory, &layout, address, context)?
                {
                    break;
                }
                let worker = Self { address, layout, source };
                if !worker.fits(memory, context)? {
                    return Err(Error::on(Code::Impossible, "ucp_worker_t"));
                }
                push(&mut workers, worker)?;
            }
            if workers.len() > 1 {
                break;
            }
        }
        Ok(workers)
    }

    /// Whether the layout is that of the worker in memory.
    fn fits(&self, memory: &mut Memory<'_>, context: u64) -> Result<bool> {
        match self.check(memory, context) {
            Err(error) if matches!(error.code, Code::Unreadable | Code::WrongType) => Ok(false),
            result => result,
        }
    }

    /// The anchors. The first tells a worker from other objects. The second has the size of a
    /// request and the place of a field in the context, which differ between nearly all releases.
    /// The others have the places of the queues.
    fn check(&self, memory: &mut Memory<'_>, context: u64) -> Result<bool> {
        let Layout { worker, context: context_fields, queue, link, .. } = &self.layout;
        if memory.pointer(worker.context.address(self.address))? != context {
            return Ok(false);
        }
        let requested = memory.pointer(context_fields.request_size.address(context))?;
        let Some((_, elements)) = self.pool_data(memory)? else { return Ok(false) };
        let request = self.layout.request.bytes() as u64;
        if requested.checked_add(ELEMENT_HEADER + request) != Some(elements) {
            return Ok(false);
        }
        if let Some(fields) = self.layout.endpoint_size
            && memory.pointer(fields.size.address(self.address))?
                != self.layout.endpoint.bytes() as u64
        {
            return Ok(false);
        }
        let hash = memory.pointer(worker.hash.address(self.address))?;
        let size = self.layout.request_queue.bytes();
        let queues = memory.record(hash, HASH_QUEUES * size)?;
        let wildcard = worker.wildcard.address(self.address);
        let first = memory.record(wildcard, queue.bytes())?;
        let target = memory.target;
        let of_hash = queues
            .chunks_exact(size)
            .enumerate()
            .map(|(index, bytes)| (hash.wrapping_add((index * size) as u64), bytes));
        for (address, bytes) in of_hash.chain([(wildcard, &*first)]) {
            let record = Record { bytes, target };
            let (head, tail) = (record.get(queue.head)?, record.get(queue.ptail)?);
            // An empty queue points to itself.
            if tail != queue.head.address(address) && (head == 0 || tail == 0) {
                return Ok(false);
            }
        }
        let list = worker.unexpected.address(self.address);
        let next = memory.pointer(link.next.address(list))?;
        Ok(memory.pointer(link.prev.address(next))? == list)
    }

    /// The pool's data and the size of its elements; None if it is not the pool of requests.
    fn pool_data(&self, memory: &mut Memory<'_>) -> Result<Option<(Vec<u8>, u64)>> {
        let fields = &self.layout.pool_data;
        let data = memory.pointer(self.layout.pool.data.address(self.pool()))?;
        let bytes = memory.record(data, fields.bytes())?;
        let record = Record { bytes: &bytes, target: memory.target };
        let (elements, name) = (record.get(fields.elem_size)?, record.get(fields.name)?);
        let mut text = [0; POOL.len() + 1];
        let length = memory.read_string(name, &mut text)?;
        Ok((text.get(..length) == Some(POOL)).then_some((bytes, elements)))
    }

    fn pool(&self) -> u64 {
        self.layout.worker.req_mp.address(self.address)
    }

    pub(super) fn request_pool(&self, memory: &mut Memory<'_>) -> Result<RequestPool> {
        let wrong = |part| Error::on(Code::Impossible, "ucs_mpool_data_t").part(part);
        let (bytes, elements) = self.pool_data(memory)?.ok_or(wrong("name"))?;
        let record = Record { bytes: &bytes, target: memory.target };
        let alignment = record.get(self.layout.pool_data.alignment)?;
        if !alignment.is_power_of_two() || alignment > 4096 {
            return Err(wrong("alignment"));
        }
        Ok(RequestPool {
            address: self.pool(),
            first_chunk: record.get(self.layout.pool_data.chunks)?,
            stride: elements.next_multiple_of(alignment),
        })
    }

    /// Whether the network card matches messages itself. Then only the card knows some of them.
    pub(crate) fn offloads(&self, memory: &mut Memory<'_>) -> Result<bool> {
        let fields: &WorkerFields = &self.layout.worker;
        Ok(memory.pointer(fields.offload.address(self.address))? != 0)
    }

    /// Whether this may be an endpoint of the worker, through which messages to a process go.
    pub(crate) fn has_endpoint(&self, memory: &mut Memory<'_>, endpoint: u64) -> Result<bool> {
        let worker = memory.pointer(self.layout.endpoint.worker.address(endpoint));
        Ok(worker.or_unreadable()? == Some(self.address))
    }

    /// The size of a request in bytes. The part of the user of the library follows it.
    pub(super) fn request_bytes(&self) -> usize {
        self.layout.request.bytes()
    }
}

/// Whether a worker at this address would be one of the context.
fn has_context(
    memory: &mut Memory<'_>,
    layout: &Layout,
    address: u64,
    context: u64,
) -> Result<bool> {
    let found = memory.pointer(layout.worker.context.address(address)).or_unreadable()?;
    Ok(found == Some(context))
}

/// What a worker was read by.
fn source(version: Option<&str>, table: &TableName) -> Text<64> {
    let table = table.as_str();
    match version {
        Some(version) => Text::format(format_args!("UCX {version}, layout table {table}")),
        None => Text::format(format_args!("UCX, layout table {table}")),
    }
}

/// What would be the context of each candidate, if it were a worker. Most are something else; what
/// cannot be read is left out.
fn contexts(
    memory: &mut Memory<'_>,
    layout: &Layout,
    candidates: &[(u64, u64)],
) -> Result<AddressMap<u64>> {
    let place = layout.worker.context.address(0);
    let mut addresses = Vec::new();
    for (_, address) in candidates {
        push(&mut addresses, address.wrapping_add(place))?;
    }
    let mut contexts = AddressMap::default();
    let target = memory.target;
    memory.visit(&addresses, target.pointer, |address, bytes| {
        insert(&mut contexts, address.wrapping_sub(place), target.unsigned(bytes))
    })?;
    Ok(contexts)
}

/// Neighbouring words that may be addresses of objects.
fn candidates<'d>(
    target: &Target,
    data: impl IntoIterator<Item = &'d [u8]>,
    may_be_object: impl Fn(u64) -> bool,
) -> Result<Vec<(u64, u64)>> {
    let word = |part: &[u8], at: usize| {
        Record { bytes: part.get(at..).unwrap_or_default(), target }
            .get(Field::<Pointer>::at(0))
            .unwrap_or(0)
    };
    let mut found = Vec::new();
    for part in data {
        for at in (0..part.len()).step_by(target.pointer) {
            let (context, worker) = (word(part, at), word(part, at + target.pointer));
            if may_be_object(context) && may_be_object(worker) {
                push(&mut found, (context, worker))?;
            }
        }
    }
    Ok(found)
}
