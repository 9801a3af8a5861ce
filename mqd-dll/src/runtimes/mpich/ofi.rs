//! Receives and unexpected messages of the netmod ofi, which leaves them to libfabric.
//!
//! libfabric keeps a tag of 64 bits with each of them, which [`tags`](super::ofi_tags) divides. If
//! the tag has no room for the sender's rank, it is sent beside it, and a receive names its sender
//! by an address of libfabric, which is also in MPICH's table of addresses.

use super::active::NUMBER_BITS;
use super::layout::{mpi, request};
use super::library::{MOST_INTERFACES, Roots};
use super::ofi_tags::{Tags, tags_of};
use super::pass::{Keeps, Pass, Placed, impossible, narrow, size};
use super::pools::Objects;
use crate::alloc::{AddressMap, AddressSet, append, insert, mark, push};
use crate::debugger::Target;
use crate::error::{Code, Error, OrUnreadable, Result};
use crate::layout::{Field, Int, Record, Structure, Unsigned};
use crate::memory::Memory;
use crate::queues::{Lacking, Message, Operation, Peer};
use crate::runtimes::kept::{senders_request, unknown_send};
use crate::transports::libfabric::{
    ANY_ADDRESS, Endpoint, FabricMessage, FabricQueues, FabricSend, Posted,
};
use mqs_abi::notes;

/// No table of addresses has more users.
const MOST_USERS: i64 = 1 << 16;
/// If more places look like the table of addresses, none is taken.
const MOST_TABLES: usize = 8;

/// Bytes of what Intel MPI keeps that are searched for the addresses of its parts, and bytes of
/// each part that are searched for endpoints.
const ROOT_BYTES: usize = 4096;
const PART_BYTES: usize = 512;
/// Bytes of the context of an answer that are searched for the request of its send.
const ANSWER_BYTES: usize = 112;

/// What the operations of a pass have in common.
struct Ofi {
    tags: Tags,
    /// Requests of sends that are not complete.
    open_sends: AddressSet,
    /// Ranks in `MPI_COMM_WORLD` by address.
    ranks: AddressMap<i32>,
    /// The communicators of MPICH's receives, by the request that libfabric was given.
    receives: AddressMap<u64>,
    /// For receives that are posted for shared memory, too: the other request.
    twice: AddressMap<u64>,
}

impl Pass<'_, '_> {
    /// Reads all queues of the netmod ofi. The result are the requests whose operations they have.
    pub(super) fn ofi_queues(&mut self, objects: &Objects) -> Result<AddressSet> {
        // A queue that may have messages of another network is not known to be empty.
        let before = std::mem::replace(&mut self.snapshot.lacking, Lacking::ALL);
        let unseen = "messages between machines, which go through no UCX or libfabric that libmqd \
                      knows";
        let unseen = Error::on(Code::NotSeen, unseen);
        let Some(fields) = self.layout.ofi else { return Err(unseen) };
        let endpoints = match self.ofi_endpoints() {
            Err(error) if error.code == Code::NoTransportLayout => return Err(unseen),
            endpoints => endpoints?,
        };
        let (ranks, are_shared) = self.ofi_ranks(endpoints.len())?;
        let mut queues = FabricQueues { sends: Some(Vec::new()), ..FabricQueues::default() };
        let mut read = Ok(());
        for (number, endpoint) in endpoints.iter().enumerate() {
            let mut more = FabricQueues::default();
            read = read.and(endpoint.queues(self.memory, &mut more));
            if number > 0 && !are_shared {
                more.forget_addresses();
            }
            if endpoints.len() > 1 {
                more.forget_names();
            }
            queues.add(more)?;
        }
        let receives = self.ofi_requests(objects)?;
        let posted = queues.posted.iter().filter(|one| self.is_of_program(&receives, one));
        let variables = &self.roots.variables;
        let Some(tags) = tags_of(self.layout, variables, self.memory.target, posted)? else {
            let unseen = "messages between machines: how their tags are divided is not known";
            return Err(Error::on(Code::NotSeen, unseen));
        };
        let (open_sends, twice) = (self.ofi_open_sends(objects)?, self.ofi_twice(objects)?);
        let ofi = Ofi { tags, open_sends, ranks, receives, twice };
        self.check_tags(&ofi, &queues.posted)?;
        self.snapshot.lacking = before;
        self.keep(read)?;
        self.are_all_interfaces(endpoints.len())?;
        let request_of = |context: u64| context.wrapping_sub(fields.context.address(0));
        let mut shown = AddressSet::default();
        let are_receivers_in_answers = self.layout.is_receiver_in_answers();
        // An answer that names the receiver tells more than a send without its receiver.
        let is_late = |send: &&FabricSend| send.name.is_some() && are_receivers_in_answers;
        for send in queues.sends.iter().flatten().filter(|send| !is_late(send)) {
            mark(&mut shown, request_of(send.context))?;
            let result = self.ofi_send(&ofi, send);
            self.keep(result)?;
        }
        for posted in &queues.posted {
            if tags.protocol(posted.tag) == Tags::ANSWER {
                let request = self.ofi_sender_of(&ofi, posted)?;
                if request.is_none() {
                    // It is not known which send it answers.
                    queues.sends = None;
                }
                let is_new = request.map_or(Ok(true), |request| mark(&mut shown, request))?;
                if is_new {
                    let result = self.ofi_answer(&ofi, posted);
                    self.keep(result)?;
                }
                continue;
            }
            mark(&mut shown, request_of(posted.context))?;
            let result = self.ofi_posted(&ofi, posted);
            let result = result.map_err(|error| error.within("MPIR_Request", posted.context));
            self.keep(result)?;
        }
        for send in queues.sends.iter().flatten().filter(is_late) {
            if mark(&mut shown, request_of(send.context))? {
                let result = self.ofi_send(&ofi, send);
                self.keep(result)?;
            }
        }
        for (place, message) in queues.messages.iter().enumerate() {
            let result = self.ofi_message(&ofi, place as u64, message);
            self.keep(result)?;
        }
        self.note_fabric(&queues)?;
        Ok(shown)
    }

    /// The endpoints of the process. MPICH has one for each virtual communication interface. It is
    /// not known what Intel MPI has further ones for.
    fn ofi_endpoints(&mut self) -> Result<Vec<Endpoint>> {
        let roots = self.roots;
        let words = |memory: &mut Memory<'_>| words_of(memory, roots);
        let most = if self.layout.intel.is_some() { 1 } else { MOST_INTERFACES };
        let endpoints = Endpoint::find(self.memory, &self.library.image, most, words)?;
        if let Some(endpoint) = endpoints.first() {
            push(&mut self.snapshot.sources, endpoint.source)?;
        }
        Ok(endpoints)
    }

    /// The requests of sends that are not complete.
    fn ofi_open_sends(&self, objects: &Objects) -> Result<AddressSet> {
        let mut open = AddressSet::default();
        for (address, bytes) in objects.iter() {
            let record = Record { bytes, target: self.memory.target };
            if self.is_open(&record, request::SEND)? {
                mark(&mut open, address)?;
            }
        }
        Ok(open)
    }

    /// The request of the synchronous send that a receive awaits the answer for. The structure
    /// around the receive's context names it.
    fn ofi_sender_of(&mut self, ofi: &Ofi, answer: &Posted) -> Result<Option<u64>> {
        let Some(bytes) = self.memory.record(answer.context, ANSWER_BYTES).or_unreadable()? else {
            return Ok(None);
        };
        let target = self.memory.target;
        let mut words = bytes
            .chunks_exact(target.pointer)
            .map(|bytes| target.unsigned(bytes))
            .filter(|word| ofi.open_sends.contains(word));
        let (first, others) = (words.next(), words.next());
        Ok(first.filter(|_| others.is_none()))
    }

    /// The communicators of MPICH's receives, by the request that libfabric was given. They are 0
    /// if they are not known.
    fn ofi_requests(&self, objects: &Objects) -> Result<AddressMap<u64>> {
        let mut receives = AddressMap::default();
        let Some(fields) = self.layout.ofi else { return Ok(receives) };
        for (address, bytes) in objects.iter() {
            let record = Record { bytes, target: self.memory.target };
            if self.is_open(&record, request::RECEIVE)? {
                let place = self.layout.ofi_communicator;
                let communicator = place.map_or(Ok(0), |fields| record.get(fields.comm))?;
                insert(&mut receives, fields.context.address(address), communicator)?;
            }
        }
        Ok(receives)
    }

    /// The other requests of receives that are posted for shared memory, too.
    fn ofi_twice(&self, objects: &Objects) -> Result<AddressMap<u64>> {
        let mut twice = AddressMap::default();
        let Some(fields) = self.layout.ofi else { return Ok(twice) };
        for (address, bytes) in objects.iter() {
            let record = Record { bytes, target: self.memory.target };
            if self.is_open(&record, request::RECEIVE)? {
                let partner = match (self.layout.active, self.layout.intel) {
                    (Some(active), _) if !active.is_active(&record)? => {
                        record.get(active.request.partner)?
                    }
                    (_, Some((intel, _))) if self.is_twin(&intel, &record)? => {
                        record.get(intel.partner)?
                    }
                    _ => 0,
                };
                if partner != 0 {
                    insert(&mut twice, fields.context.address(address), partner)?;
                }
            }
        }
        Ok(twice)
    }

    /// Whether a request is of this kind and not complete.
    fn is_open(&self, record: &Record<'_>, kind: i64) -> Result<bool> {
        let fields = &self.layout.request;
        Ok(record.get(fields.kind)? == kind && record.get(fields.cc)? != 0)
    }

    /// Whether a receive is one of the program. The others are the library's own, such as those for
    /// active messages. In Intel MPI the receive of a blocking call has no request.
    fn is_of_program(&self, receives: &AddressMap<u64>, posted: &Posted) -> bool {
        self.layout.intel.is_some() || receives.contains_key(&posted.context)
    }

    /// Ranks in `MPI_COMM_WORLD` by address, and whether they hold for all endpoints of this
    /// process. If not, they hold for the first one. The table of addresses has an entry for each
    /// process, which begins with an address for each of its endpoints. A variable of the library
    /// points to the table. If two candidates differ, nothing is known.
    fn ofi_ranks(&mut self, endpoints: usize) -> Result<(AddressMap<i32>, bool)> {
        let nothing = || Ok((AddressMap::default(), false));
        let Some((_, table, address)) = self.layout.ucx else { return nothing() };
        let (number, entry) = (self.world_size as usize, address.bytes());
        let target = self.memory.target;
        let mut found: Vec<(Vec<u64>, Vec<u8>)> = Vec::new();
        for object in self.address_tables(&table)? {
            let bytes = self.memory.record(object, table.bytes())?;
            let record = Record { bytes: &bytes, target };
            // If there is a field in front of the size, it is the number of users.
            let users = table.size.address(0).checked_sub(target.int as u64);
            let users = users.map(|place| record.get(Field::<Int>::at(place as usize)));
            let is_used = users.transpose()?.is_none_or(|users| (1..=MOST_USERS).contains(&users));
            if !is_used {
                continue;
            }
            let entries = self.memory.record(table.table.address(object), number * entry);
            let Some(entries) = entries.or_unreadable()? else { continue };
            let Some(addresses) = addresses_of(&entries, entry, number, target)? else { continue };
            if found.iter().all(|(others, _)| *others != addresses) {
                push(&mut found, (addresses, entries))?;
            }
            if found.len() > MOST_TABLES {
                return nothing();
            }
        }
        // Since MPI_Init a table has the addresses of all. Other memory that looks like one of few
        // processes often has not.
        let mut whole = found.iter().filter(|(addresses, _)| !addresses.contains(&ANY_ADDRESS));
        let (table, entries) = match (whole.next(), whole.next(), &found[..]) {
            (Some(one), None, _) | (None, None, [one]) => one,
            _ => return nothing(),
        };
        let mut ranks = AddressMap::default();
        for (rank, &address) in (0..).zip(table) {
            if address != ANY_ADDRESS {
                insert(&mut ranks, address, rank)?;
            }
        }
        for word in 1..endpoints {
            if (word + 1) * size_of::<u64>() > entry {
                return Ok((ranks, false));
            }
            let place = Field::<Unsigned<8>>::at(word * size_of::<u64>());
            let mut more = AddressMap::default();
            for (rank, bytes) in (0..).zip(entries.chunks_exact(entry)) {
                let address = Record { bytes, target }.get(place)?;
                if address < most_addresses(number, endpoints) && !ranks.contains_key(&address) {
                    insert(&mut more, address, rank)?;
                }
            }
            // MPICH 5.0 has other data at this place. Its further endpoints have addresses of their
            // own.
            if more.len() < number {
                return Ok((ranks, false));
            }
            for (address, rank) in more {
                insert(&mut ranks, address, rank)?;
            }
        }
        Ok((ranks, true))
    }

    /// Receives of MPICH name their communicators, whose context ids must be in the tags.
    fn check_tags(&self, ofi: &Ofi, posted: &[Posted]) -> Result<()> {
        for one in posted {
            let Some(communicator) = ofi.receives.get(&one.context) else { continue };
            let Some(index) = self.by_address.get(communicator) else { continue };
            if self.received_by.get(&ofi.tags.context(one.tag)) != Some(index) {
                return Err(impossible("match_bits"));
            }
        }
        Ok(())
    }

    fn ofi_posted(&mut self, ofi: &Ofi, posted: &Posted) -> Result<()> {
        let tags = ofi.tags;
        if tags.protocol(posted.tag) != 0 || !self.is_of_program(&ofi.receives, posted) {
            return Ok(());
        }
        let order = posted.order.saturating_add(1);
        if let Some(&partner) = ofi.twice.get(&posted.context) {
            return insert(&mut self.network_places, partner, order);
        }
        let is_internal = tags.is_internal(posted.tag);
        let Some(index) = self.received_on(tags.context(posted.tag), is_internal)? else {
            return Ok(());
        };
        // It is not known how Intel MPI numbers the messages of its collective operations.
        if is_internal && self.layout.intel.is_none() {
            self.note_internal(index, tags.number(posted.tag))?;
        }
        if self.ofi_leaves_out(index, is_internal) {
            return Ok(());
        }
        let any_tag = tags.is_any(posted.ignore).ok_or(impossible("mask_bits"))?;
        let number = if any_tag { mpi::ANY_TAG } else { tags.shown(posted.tag) };
        let desired = match (tags.named(posted), posted.source) {
            (Some(rank), _) => self.peer(index, rank, "match_bits")?,
            (None, None) => Peer::ANY,
            (None, source) => match self.ofi_peer(ofi, index, source)? {
                Some(peer) => peer,
                None => {
                    self.snapshot.lacking.receives = true;
                    let unseen = "receives from processes whose addresses are not known";
                    return Err(Error::on(Code::NotSeen, unseen));
                }
            },
        };
        let tag = (!any_tag).then(|| narrow(number, "tag")).transpose()?;
        // The buffer may be one of the library, for data that are not contiguous.
        let operation = Operation::pending(desired, tag, size(posted.length, "length")?, 0);
        let place = (1, order << NUMBER_BITS);
        push(&mut self.found[index].receives, Placed { place, operation })
    }

    /// Puts a synchronous send into its queue, by the receive that it has posted for its answer.
    fn ofi_answer(&mut self, ofi: &Ofi, answer: &Posted) -> Result<()> {
        let tags = ofi.tags;
        let Some(index) = self.ofi_sent_on(ofi, answer.tag, answer.source)? else {
            return Ok(());
        };
        let known = self.ofi_peer(ofi, index, answer.source)?;
        let peer = match (known, tags.named(answer)) {
            (Some(peer), _) => peer,
            // The answer comes from the receiver.
            (None, Some(rank)) if self.layout.is_receiver_in_answers() => {
                self.peer(index, rank, "match_bits")?
            }
            _ => return self.unknown_receiver(),
        };
        let message = Message { peer, tag: narrow(tags.shown(answer.tag), "tag")?, length: 0 };
        let notes = [notes::SYNCHRONOUS, notes::LENGTH_NOT_KEPT];
        self.put_send(index, answer.order, message, notes)
    }

    /// The communicator that a send was made on. `receiver` is an address. None: the send is not
    /// shown.
    fn ofi_sent_on(&mut self, ofi: &Ofi, tag: u64, receiver: Option<u64>) -> Result<Option<usize>> {
        let is_internal = ofi.tags.is_internal(tag);
        let receiver = receiver.and_then(|address| ofi.ranks.get(&address).copied());
        let index = self.sent_on(ofi.tags.context(tag), is_internal, None, receiver)?;
        Ok(index.filter(|&index| !self.ofi_leaves_out(index, is_internal)))
    }

    /// Puts a pending send into its queue. `order` is its place among those to one process.
    fn put_send(
        &mut self,
        index: usize,
        order: u64,
        message: Message,
        notes: [&'static str; 2],
    ) -> Result<()> {
        let operation = Operation::send(message, 0, notes);
        let place = (message.peer.local as u64, order);
        push(&mut self.found[index].sends, Placed { place, operation })
    }

    /// What is said of a send whose receiver is not known.
    pub(super) fn unknown_receiver(&mut self) -> Result<()> {
        self.snapshot.hides_sends = true;
        Err(Error::on(Code::NotSeen, "sends to processes whose addresses are not known"))
    }

    /// Whether an operation is not shown. Those of collective operations of Intel MPI never are, as
    /// in shared memory.
    fn ofi_leaves_out(&self, index: usize, is_internal: bool) -> bool {
        let shows_internal = self.internal && self.layout.intel.is_none();
        self.found[index].hidden || (is_internal && !shows_internal)
    }

    /// The process with an address, as a rank of a communicator.
    fn ofi_peer(&mut self, ofi: &Ofi, index: usize, address: Option<u64>) -> Result<Option<Peer>> {
        match address.and_then(|address| ofi.ranks.get(&address)) {
            Some(&global) => self.peer_of(index, global),
            None => Ok(None),
        }
    }

    /// Puts an unexpected message into its queue.
    fn ofi_message(&mut self, ofi: &Ofi, place: u64, message: &FabricMessage) -> Result<()> {
        let (tags, tag) = (ofi.tags, message.tag);
        if tags.protocol(tag) & Tags::ANSWER != 0 {
            return Ok(());
        }
        let is_internal = tags.is_internal(tag);
        let Some(index) = self.received_on(tags.context(tag), is_internal)? else {
            return Ok(());
        };
        if self.ofi_leaves_out(index, is_internal) {
            return Ok(());
        }
        let peer = self.peer(index, tags.sender(message).cast_signed(), "cq_data")?;
        let (number, length) = (narrow(tags.shown(tag), "tag")?, size(message.length, "length")?);
        let notes = match tags.protocol(tag) & tags.synchronous {
            _ if message.is_announced => [notes::RENDEZVOUS, ""],
            0 => [notes::EAGER, ""],
            _ => [notes::SYNCHRONOUS, notes::EAGER],
        };
        let mut operation =
            Operation::unexpected(Message { peer, tag: number, length }, message.buffer, notes);
        operation.details.request = senders_request(self.internal, message.send);
        push(&mut self.found[index].unexpected, Placed { place: (place, 0), operation })
    }

    /// Puts a send that libfabric has into its queue.
    fn ofi_send(&mut self, ofi: &Ofi, send: &FabricSend) -> Result<()> {
        let tags = ofi.tags;
        if tags.protocol(send.tag) & Tags::ANSWER != 0 {
            return Ok(());
        }
        let Some(index) = self.ofi_sent_on(ofi, send.tag, send.receiver)? else { return Ok(()) };
        let peer = self.ofi_peer(ofi, index, send.receiver)?;
        let peer = match (peer, send.name) {
            (Some(peer), _) => peer,
            (None, Some(name)) if self.internal => {
                return push(&mut self.found[index].sends, unknown_send(name));
            }
            (None, Some(_)) => return self.send_without_receiver(),
            (None, None) => return self.unknown_receiver(),
        };
        let (tag, length) = (narrow(tags.shown(send.tag), "tag")?, size(send.length, "length")?);
        self.put_send(index, send.context, Message { peer, tag, length }, ["", ""])
    }
}

/// Words that may be the addresses of endpoints. Intel MPI keeps them in blocks of the heap, which
/// a variable of it names.
fn words_of(memory: &mut Memory<'_>, roots: &Roots) -> Result<Vec<u64>> {
    let target = memory.target;
    let Some(root) = roots.network else { return roots.variables.objects(target) };
    let (mut parts, mut words) = (Vec::new(), Vec::new());
    let root = memory.record(root, ROOT_BYTES)?;
    candidates(&root, target, &mut parts)?;
    append(&mut words, &parts)?;
    memory.visit(&parts, PART_BYTES, |_, part| candidates(part, target, &mut words))?;
    Ok(words)
}

/// Adds the words that may be addresses of objects.
fn candidates(bytes: &[u8], target: &Target, words: &mut Vec<u64>) -> Result<()> {
    for bytes in bytes.chunks_exact(target.pointer) {
        let word = target.unsigned(bytes);
        if target.may_be_object(word) {
            push(words, word)?;
        }
    }
    Ok(())
}

/// The most that an address can be, if so many processes have as many endpoints each. Addresses are
/// successive numbers that the provider assigns.
const fn most_addresses(processes: usize, endpoints: usize) -> u64 {
    16 * (processes as u64 + 16) * endpoints as u64
}

/// The addresses of a table. None: it is not a table of addresses.
fn addresses_of(
    entries: &[u8],
    entry: usize,
    number: usize,
    target: &Target,
) -> Result<Option<Vec<u64>>> {
    let most = most_addresses(number, 1);
    let mut addresses: Vec<u64> = Vec::new();
    let mut seen = AddressSet::default();
    for bytes in entries.chunks_exact(entry).take(number) {
        let address = Record { bytes, target }.get(Field::<Unsigned<8>>::at(0))?;
        if address != ANY_ADDRESS && (address >= most || !mark(&mut seen, address)?) {
            return Ok(None);
        }
        push(&mut addresses, address)?;
    }
    Ok(Some(addresses))
}
