//! Sends, receives and unexpected messages of the netmod ucx, which leaves them to UCX.
//!
//! UCX keeps a tag of 64 bits with each of them. From its high bits down it holds the context id of
//! the communicator (16 bits), the sender's rank there (16 bits) and the tag of MPI (32 bits, of
//! which the lowest 28 or 30 are the program's). The receiver of a send is known by its endpoint,
//! which is also in MPICH's table of addresses. UCX keeps only the number of bytes of an operation,
//! not its count and datatype.

use super::active::NUMBER_BITS;
use super::layout::{Address, AddressTable, Layout, context, handle, mpi, packing};
use super::library::{Library, Roots};
use super::pass::{Keeps, Pass, Placed, impossible, narrow, size};
use super::pools::{HANDLE, HANDLE_BYTES, Objects, object};
use crate::alloc::{AddressMap, AddressSet, insert, mark, push};
use crate::error::{Code, Error, OrUnreadable, Result};
use crate::layout::{Field, Pointer, Record, Structure};
use crate::memory::Memory;
use crate::queues::{Lacking, Message, Operation, Peer, Status};
use crate::runtimes::values::peer;
use crate::transports::ucx::{Request, RequestKind, Requests, UcxMessage, Worker};
use mqs_abi::notes;

/// The parts of a tag of UCX.
#[derive(Clone, Copy)]
struct Tags {
    /// The bits of the program's tag.
    tag: u64,
    /// The library's own messages have this bit, or a context id of their own.
    internal: u64,
    /// Bits that no receive asks for. They tell that the sender has had an error.
    ignored: u64,
    /// The bit of messages between the leaders of groups that make an intercommunicator. Both sides
    /// use the same tag, so it does not have the sender's rank.
    leaders: u64,
}

impl Tags {
    const RANK_SHIFT: u32 = 32;
    const CONTEXT_SHIFT: u32 = 48;
    const FIELD: u64 = 0xffff;
    const RANK: u64 = Self::FIELD << Self::RANK_SHIFT;

    fn of(layout: &Layout) -> Self {
        let internal = 1 << layout.tag_bits();
        let ignored = if layout.has_error_bits() { 0b11 << 29 } else { 0 };
        let leaders = if layout.has_messages_of_leaders() { 1 << 31 } else { 0 };
        Self { tag: internal - 1, internal, ignored, leaders }
    }

    fn context(self, tag: u64) -> u64 {
        tag >> Self::CONTEXT_SHIFT & !context::COLLECTIVE
    }

    fn is_internal(self, tag: u64) -> bool {
        tag & self.internal != 0 || tag >> Self::CONTEXT_SHIFT & context::COLLECTIVE != 0
    }

    /// The sender's rank in the communicator. None: the tag does not have it.
    fn source(self, tag: u64) -> Option<i64> {
        let source = (tag >> Self::RANK_SHIFT & Self::FIELD).cast_signed();
        (tag & self.leaders == 0).then_some(source)
    }

    fn number(self, tag: u64) -> i64 {
        (tag & self.tag).cast_signed()
    }

    /// The tag as it is shown. Those of the library's own messages are shown as negative numbers.
    fn shown(self, tag: u64) -> i64 {
        if self.is_internal(tag) { shown_internal(self.number(tag)) } else { self.number(tag) }
    }
}

/// A receive whose data come to a buffer of MPICH first.
#[derive(Clone, Copy)]
struct Packed {
    /// UCX's request.
    request: u64,
    /// The program's buffer; 0 if it is not known.
    buffer: u64,
}

/// What the operations of a pass have in common.
struct Ucx {
    tags: Tags,
    /// Ranks in `MPI_COMM_WORLD` by endpoint.
    endpoints: AddressMap<i32>,
    /// Receives that are posted for shared memory, too: that request of MPICH, by UCX's request.
    twice: AddressMap<u64>,
    /// Receives whose data come to a buffer of MPICH first, by that buffer. MPICH leaves UCX's
    /// request in an object that it reuses for a message to the process itself, so that several
    /// objects can have the same one.
    packed: AddressMap<Packed>,
    /// It is known which buffers of receives are MPICH's own.
    knows_buffers: bool,
    /// All posted receives are known.
    all_posted: bool,
    /// There are several workers.
    has_several: bool,
}

impl Ucx {
    /// The program's buffer of an operation; 0 if it is not known.
    fn buffer(&self, request: &Request) -> u64 {
        if !self.knows_buffers && matches!(request.kind, RequestKind::Receive { .. }) {
            return 0;
        }
        let packed = self.packed.get(&request.buffer);
        let packed = packed.filter(|packed| packed.request == request.user);
        packed.map_or(request.buffer, |packed| packed.buffer)
    }
}

impl Library {
    /// Finds UCX's workers in the library's variables: one for each of MPICH's virtual
    /// communication interfaces (`MPIR_CVAR_CH4_NUM_VCIS`).
    pub(super) fn workers(&self, memory: &mut Memory<'_>, roots: &Roots) -> Result<Vec<Worker>> {
        let (variables, target) = (&roots.variables, memory.target);
        let may_be_object = |word| variables.may_be_object(target, word);
        let first = Worker::find(memory, &self.image, variables.parts(), may_be_object)?;
        first.and_others(memory, variables.parts(), may_be_object)
    }
}

impl Pass<'_, '_> {
    /// Reads all queues of the netmod ucx.
    pub(super) fn ucx_queues(&mut self, objects: &Objects) -> Result<()> {
        let workers = match self.library.workers(self.memory, self.roots) {
            Err(error) if error.code == Code::NoTransportLayout && self.layout.active.is_some() => {
                self.over_ofi = true;
                return self.ofi_queues(objects).map(drop);
            }
            workers => workers?,
        };
        self.are_all_interfaces(workers.len())?;
        if let Some(worker) = workers.first() {
            push(&mut self.snapshot.sources, worker.source)?;
            if let Some(transports) = worker.transports(self.memory)? {
                push(&mut self.snapshot.sources, transports)?;
            }
        }
        let endpoints = self.endpoints(&workers);
        let mut ucx = Ucx {
            tags: Tags::of(self.layout),
            endpoints: self.optional(endpoints)?.unwrap_or_default(),
            twice: self.posted_twice(objects)?,
            packed: self.packed(objects)?,
            knows_buffers: self.layout.packed.is_some() || !self.layout.unpacks_receives(),
            all_posted: true,
            has_several: workers.len() > 1,
        };
        // If messages have other ways, the elements of these queues are not all messages.
        if let ([worker], None) = (&workers[..], self.layout.active) {
            self.snapshot.fifos = worker.fifos(self.memory, &ucx.endpoints)?;
        }
        workers.iter().try_for_each(|worker| self.queues_of_worker(&mut ucx, worker))
    }

    /// Without a worker or an endpoint for each interface, no queue is known to be empty.
    pub(super) fn are_all_interfaces(&mut self, found: usize) -> Result<()> {
        let interfaces = self.roots.interfaces(self.memory, self.layout)?;
        if found >= interfaces || self.layout.intel.is_some() {
            return Ok(());
        }
        self.snapshot.lacking = Lacking::ALL;
        let unseen = "what goes through further interfaces of MPICH, as not all of them were found";
        self.not_seen(unseen)
    }

    /// Reads the queues of one worker. A communicator usually uses one, so the order of its
    /// operations is that within the worker.
    fn queues_of_worker(&mut self, ucx: &mut Ucx, worker: &Worker) -> Result<()> {
        let mut requests = Requests::default();
        let words = [Field::at(0), Field::at(0)];
        let result = worker.pool_requests(self.memory, words, &mut requests);
        self.keep(result)?;
        let posted = worker.posted_receives(self.memory, &mut requests);
        ucx.all_posted = posted.is_ok();
        self.keep(posted)?;
        self.note_ucx_sends(&requests)?;
        for request in requests.all {
            let result = self.ucx_request(ucx, &request);
            let result = result.map_err(|error| error.within("ucp_request_t", request.user));
            self.keep(result)?;
        }
        let mut messages = Vec::new();
        let result = worker.unexpected_messages(self.memory, &mut messages);
        self.keep(result)?;
        for (place, message) in messages.iter().enumerate() {
            let result = self.ucx_message(ucx, place as u64, message);
            self.keep(result.map_err(|error| error.within("ucp_recv_desc_t", 0)))?;
        }
        let offloads = worker.offloads(self.memory)?;
        self.note_offload(offloads)
    }

    /// A receive from any source is posted for shared memory and for the network.
    fn posted_twice(&self, objects: &Objects) -> Result<AddressMap<u64>> {
        let mut twice = AddressMap::default();
        let Some(active) = self.layout.active else { return Ok(twice) };
        let Some((ucx, ..)) = self.layout.ucx else { return Ok(twice) };
        for (_, bytes) in objects.iter() {
            let record = Record { bytes, target: self.memory.target };
            let partner = record.get(active.request.partner)?;
            if self.is_pending_receive(&record)? && !active.is_active(&record)? && partner != 0 {
                insert(&mut twice, record.get(ucx.ucp_request)?, partner)?;
            }
        }
        Ok(twice)
    }

    /// Receives of data that are not contiguous. MPICH unpacks them when they are complete.
    fn packed(&self, objects: &Objects) -> Result<AddressMap<Packed>> {
        let mut packed = AddressMap::default();
        let Some((fields, (ucx, ..))) = self.layout.packed.zip(self.layout.ucx) else {
            return Ok(packed);
        };
        for (_, bytes) in objects.iter() {
            let record = Record { bytes, target: self.memory.target };
            if self.is_pending_receive(&record)?
                && record.get(fields.type_)? == packing::UNPACKED_LATER
            {
                let (first, request) = (record.get(fields.packed)?, record.get(ucx.ucp_request)?);
                let is_known = !packed.contains_key(&first);
                let buffer = if is_known { record.get(fields.buffer)? } else { 0 };
                insert(&mut packed, first, Packed { request, buffer })?;
            }
        }
        Ok(packed)
    }

    /// Ranks in `MPI_COMM_WORLD` by endpoint. The table of addresses has an entry for each process,
    /// with an endpoint from each worker to each one there. It is recognised by its size and its
    /// endpoints.
    fn endpoints(&mut self, workers: &[Worker]) -> Result<AddressMap<i32>> {
        let unseen = "the receivers of sends, because no table of addresses was found";
        let Some((_, table, address)) = self.layout.ucx else {
            return Err(Error::on(Code::NotSeen, unseen));
        };
        let entries = self.world_size as usize * address.bytes();
        for object in self.address_tables(&table)? {
            let entries = self.memory.record(table.table.address(object), entries);
            let Some(entries) = entries.or_unreadable()? else { continue };
            if let Some(endpoints) = self.endpoints_of(&address, workers, &entries)? {
                return Ok(endpoints);
            }
        }
        Err(Error::on(Code::NotSeen, unseen))
    }

    /// What may be the table of addresses: objects that a variable of the library points to, and
    /// that are for as many processes as `MPI_COMM_WORLD` has.
    pub(super) fn address_tables(&mut self, table: &AddressTable) -> Result<Vec<u64>> {
        let (target, size) = (self.memory.target, self.world_size);
        let mut objects = self.roots.variables.objects(target)?;
        let mut tables = AddressSet::default();
        self.memory.visit(&objects, table.bytes(), |object, bytes| {
            if (Record { bytes, target }).get(table.size)? == size {
                mark(&mut tables, object)?;
            }
            Ok(())
        })?;
        // The library allocates its tables. Among its variables, such as the first communicators,
        // is much that looks like one of few processes.
        let variables = &self.roots.variables;
        objects.retain(|object| tables.contains(object) && !variables.contain(*object));
        let mut found = Vec::new();
        for object in objects {
            if !self.is_of_pool(object)? {
                push(&mut found, object)?;
            }
        }
        Ok(found)
    }

    /// Is it an object of one of MPICH's pools, such as a group? A variable points to the first one
    /// that is free.
    fn is_of_pool(&mut self, address: u64) -> Result<bool> {
        let target = self.memory.target;
        let bytes = self.memory.record(address, HANDLE_BYTES)?;
        let handle = Record { bytes: &bytes, target }.get(HANDLE)?;
        let (kind, fields) = (handle >> handle::KIND_SHIFT & handle::KIND, &self.layout.pool);
        if handle & handle::WHERE != handle::INDIRECT {
            return Ok(false);
        }
        let Some(pool) = self.roots.variables.pool(target, fields, kind, None)? else {
            return Ok(false);
        };
        let found = object(self.memory, fields, pool, handle).or_unreadable()?;
        Ok(found.flatten() == Some(address))
    }

    /// The endpoints of a table of addresses. None: it is not such a table.
    fn endpoints_of(
        &mut self,
        fields: &Address,
        workers: &[Worker],
        entries: &[u8],
    ) -> Result<Option<AddressMap<i32>>> {
        let mut found = AddressMap::default();
        let target = self.memory.target;
        // The endpoints of an entry are a square: a row for each worker that there can be.
        let (side, first) =
            ((fields.bytes() / target.pointer).isqrt(), fields.endpoint.address(0) as usize);
        for (rank, bytes) in (0..).zip(entries.chunks_exact(fields.bytes())) {
            let record = Record { bytes, target };
            for (row, worker) in workers.iter().enumerate().take(side) {
                for column in 0..workers.len().min(side) {
                    let place = first + (row * side + column) * target.pointer;
                    let endpoint = record.get(Field::<Pointer>::at(place))?;
                    if endpoint == 0 {
                        continue;
                    }
                    if !worker.has_endpoint(self.memory, endpoint)? || found.contains_key(&endpoint)
                    {
                        return Ok(None);
                    }
                    insert(&mut found, endpoint, rank)?;
                }
            }
        }
        Ok(Some(found).filter(|found| !found.is_empty()))
    }

    fn ucx_request(&mut self, ucx: &Ucx, request: &Request) -> Result<()> {
        let tags = ucx.tags;
        // A completed request is about to vanish. If a queue of posted receives could not be read,
        // it is not known whether this one waits for a message.
        let is_posted = !matches!(request.kind, RequestKind::Receive { posted: false, .. });
        if request.complete || (!is_posted && !ucx.all_posted) {
            return Ok(());
        }
        if let RequestKind::Receive { sequence, .. } = request.kind
            && let Some(&partner) = ucx.twice.get(&request.user)
        {
            if is_posted {
                return insert(&mut self.network_places, partner, order(sequence));
            }
            mark(&mut self.matched_by_network, partner)?;
        }
        let Some(index) = self.ucx_communicator(ucx, request)? else { return Ok(()) };
        let any_tag =
            matches!(request.kind, RequestKind::Receive { mask, .. } if mask & tags.tag == 0);
        let number = if any_tag { mpi::ANY_TAG } else { tags.shown(request.tag) };
        let length = size(request.length, "length")?;
        let tag = (!any_tag).then(|| narrow(number, "tag")).transpose()?;
        let mut operation = Operation::pending(Peer::ANY, tag, length, ucx.buffer(request));
        match request.kind {
            RequestKind::Send { endpoint, synchronous } => {
                let own = self.snapshot.communicators[index].local_rank;
                if tags.source(request.tag).is_some_and(|source| source != own) {
                    return Err(impossible("tag"));
                }
                // The receiver is known by the endpoint that the send goes to.
                let peer = match ucx.endpoints.get(&endpoint) {
                    Some(&global) => self.peer_of(index, global)?,
                    // The receiver may have more workers than this process.
                    None if ucx.has_several => return self.unknown_receiver(),
                    None => None,
                };
                let peer = peer.unwrap_or(Peer::ANY);
                operation.desired = peer;
                operation.message = Some(Message { peer, tag: narrow(number, "tag")?, length });
                if synchronous {
                    operation.details.notes[0] = notes::SYNCHRONOUS;
                }
                self.note_buffered(&mut operation)?;
                let place = (peer.local as u64, request.user);
                push(&mut self.found[index].sends, Placed { place, operation })
            }
            RequestKind::Receive { mask, sequence, posted, message: (sender, received) } => {
                // A library that was built for more ranks divides the tag differently.
                if mask | tags.tag | Tags::RANK != !tags.ignored {
                    return Err(impossible("tag_mask"));
                }
                if mask & Tags::RANK != 0 {
                    operation.desired = self.ucx_sender(index, tags.source(request.tag), "tag")?;
                }
                if !posted {
                    operation.status = Status::Matched;
                    operation.message = Some(Message {
                        peer: self.ucx_sender(index, tags.source(sender), "sender_tag")?,
                        tag: narrow(tags.shown(sender), "sender_tag")?,
                        length: size(received, "length")?,
                    });
                    if (request.tag ^ sender) & mask != 0 {
                        self.forget_call(&mut operation);
                    }
                }
                let place = (u64::from(posted), order(sequence) << NUMBER_BITS);
                push(&mut self.found[index].receives, Placed { place, operation })
            }
        }
    }

    /// The communicator of an operation. None: it is not shown.
    fn ucx_communicator(&mut self, ucx: &Ucx, request: &Request) -> Result<Option<usize>> {
        let tags = ucx.tags;
        let (context, is_internal) = (tags.context(request.tag), tags.is_internal(request.tag));
        let index = match request.kind {
            RequestKind::Send { endpoint, .. } => {
                let receiver = ucx.endpoints.get(&endpoint).copied();
                self.sent_on(context, is_internal, tags.source(request.tag), receiver)?
            }
            RequestKind::Receive { .. } => self.received_on(context, is_internal)?,
        };
        let Some(index) = index else { return Ok(None) };
        if is_internal {
            self.note_internal(index, tags.number(request.tag))?;
        }
        let is_shown = !self.found[index].hidden && (!is_internal || self.internal);
        Ok(is_shown.then_some(index))
    }

    /// A receive whose message was there before it. UCX may leave the fields for what the call
    /// asked for as an earlier receive has set them. Only the message is known for certain.
    fn forget_call(&self, operation: &mut Operation) {
        let Some(message) = operation.message else { return };
        operation.desired = message.peer;
        operation.tag = Some(message.tag);
        operation.length = message.length;
        operation.buffer = 0;
        operation.details.notes[1] = "the matched message; the receive's arguments are lost";
    }

    pub(super) fn peer(&self, index: usize, local: i64, part: &'static str) -> Result<Peer> {
        peer(self.snapshot, &self.snapshot.communicators[index], local, part)
    }

    /// The sender of a message, by its rank in the communicator, if the tag has that.
    fn ucx_sender(&self, index: usize, rank: Option<i64>, part: &'static str) -> Result<Peer> {
        rank.map_or(Ok(Peer::ANY), |rank| self.peer(index, rank, part))
    }

    /// The process with this rank in `MPI_COMM_WORLD`, as the other side of messages on a
    /// communicator.
    pub(super) fn peer_of(&mut self, index: usize, global: i32) -> Result<Option<Peer>> {
        self.ranks.peer(self.snapshot, &self.snapshot.communicators[index], global)
    }

    /// Puts an unexpected message into its queue.
    fn ucx_message(&mut self, ucx: &Ucx, place: u64, message: &UcxMessage) -> Result<()> {
        let (tags, tag) = (ucx.tags, message.tag);
        let is_internal = tags.is_internal(tag);
        let Some(index) = self.received_on(tags.context(tag), is_internal)? else {
            return Ok(());
        };
        if self.found[index].hidden || (is_internal && !self.internal) {
            return Ok(());
        }
        let peer = self.ucx_sender(index, tags.source(tag), "tag")?;
        let (number, length) = (narrow(tags.shown(tag), "tag")?, size(message.length, "length")?);
        let shown = Message { peer, tag: number, length };
        let operation = Operation::unexpected(shown, message.buffer, message.notes());
        push(&mut self.found[index].unexpected, Placed { place: (place, 0), operation })
    }
}

/// The place of a receive of UCX among those of the network. They begin at 1: receives that are not
/// posted for the network may come before the first.
const fn order(sequence: u64) -> u64 {
    sequence.saturating_add(1)
}

/// The tag of one of the library's own messages as it is shown: a negative number.
pub(super) fn shown_internal(number: i64) -> i64 {
    -1 - number
}
