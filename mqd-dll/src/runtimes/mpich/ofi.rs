//! Receives and unexpected messages of the netmod ofi, which leaves them to libfabric.
//!
//! libfabric keeps a tag of 64 bits with each of them. From its low bits up it holds the tag of MPI
//! (31 bits, of which the lowest 28 to 30 are the program's), the context id of the communicator
//! (20 bits) and the protocol. The sender's rank is sent beside the tag. A receive names its sender
//! by an address of libfabric, which is also in MPICH's table of addresses.

use super::active::NUMBER_BITS;
use super::layout::{context, mpi, request};
use super::pass::{Pass, Placed, impossible, narrow, size};
use super::pools::Objects;
use super::ucx::{gone, shown_internal};
use crate::alloc::{AddressMap, AddressSet, insert, mark, push};
use crate::error::{Code, Error, Result};
use crate::layout::{Field, Int, Record, Structure, Unsigned};
use crate::queues::{Details, Message, Operation, Peer, Status};
use crate::transports::libfabric::{
    ANY_ADDRESS, Endpoint, FabricMessage, FabricQueues, FabricSend, Posted,
};
use mqs_abi::notes;

/// No table of addresses has more users.
const MOST_USERS: i64 = 1 << 16;

/// The parts of a tag of libfabric.
#[derive(Clone, Copy)]
struct Tags {
    /// The bits of the program's tag.
    tag: u64,
    /// The library's own messages have this bit, or a context id of their own.
    internal: u64,
    /// The bit of synchronous messages. 0: releases differ.
    synchronous: u64,
}

impl Tags {
    /// The bits of all tags, including the library's own.
    const ALL: u64 = 0x7fff_ffff;
    const CONTEXT_SHIFT: u32 = 31;
    const CONTEXT: u64 = 0xf_ffff;
    const PROTOCOL_SHIFT: u32 = 51;
    /// The answer to a synchronous message.
    const ANSWER: u64 = 1;

    fn context(tag: u64) -> u64 {
        tag >> Self::CONTEXT_SHIFT & Self::CONTEXT & !context::COLLECTIVE
    }

    fn protocol(tag: u64) -> u64 {
        tag >> Self::PROTOCOL_SHIFT
    }

    fn is_internal(self, tag: u64) -> bool {
        tag & self.internal != 0 || tag >> Self::CONTEXT_SHIFT & context::COLLECTIVE != 0
    }

    fn number(self, tag: u64) -> i64 {
        (tag & self.tag).cast_signed()
    }

    /// The tag as it is shown. Those of the library's own messages are shown as negative numbers.
    fn shown(self, tag: u64) -> i64 {
        if self.is_internal(tag) { shown_internal(self.number(tag)) } else { self.number(tag) }
    }
}

/// What the operations of a pass have in common.
struct Ofi {
    tags: Tags,
    /// Ranks in `MPI_COMM_WORLD` by address.
    ranks: AddressMap<i32>,
    /// The communicators of MPICH's receives, by the request that libfabric was given.
    receives: AddressMap<u64>,
    /// For receives that are posted for shared memory, too: the other request.
    twice: AddressMap<u64>,
}

impl Pass<'_, '_> {
    /// Reads all queues of the netmod ofi.
    pub(super) fn ofi_queues(&mut self, objects: &Objects) -> Result<()> {
        let unseen = "messages between machines, which go through no UCX or libfabric that libmqd \
                      knows";
        let unseen = Error::on(Code::NotSeen, unseen);
        if self.layout.ofi.is_none() {
            return Err(unseen);
        }
        let (variables, target) = (&self.roots.variables, self.memory.target);
        let words = || variables.objects(target);
        let endpoint = match Endpoint::find(self.memory, &self.library.image, words) {
            Err(error) if error.code == Code::NoTransportLayout => return Err(unseen),
            endpoint => endpoint?,
        };
        push(&mut self.snapshot.sources, endpoint.source)?;
        let synchronous = if self.layout.has_error_bits() { 0 } else { 1 << 3 };
        let internal = 1 << self.layout.tag_bits();
        let mut ofi = Ofi {
            tags: Tags { tag: internal - 1, internal, synchronous },
            ranks: self.ofi_ranks()?,
            receives: AddressMap::default(),
            twice: AddressMap::default(),
        };
        self.ofi_receives(objects, &mut ofi)?;
        let mut queues = FabricQueues::default();
        let result = endpoint.queues(self.memory, &mut queues);
        self.keep(result)?;
        self.check_tags(&ofi, &queues.posted)?;
        let mut hides_sends = queues.sends.is_none();
        for posted in &queues.posted {
            if Tags::protocol(posted.tag) == Tags::ANSWER {
                hides_sends = true;
                continue;
            }
            let result = self.ofi_posted(&ofi, posted);
            self.keep(result.map_err(|error| error.within("MPIR_Request", posted.context)))?;
        }
        for (place, message) in queues.messages.iter().enumerate() {
            let result = self.ofi_message(&ofi, place as u64, message);
            self.keep(result)?;
        }
        for send in queues.sends.iter().flatten() {
            let result = self.ofi_send(&ofi, send);
            self.keep(result)?;
        }
        if queues.has_matched {
            let unseen = "receives whose messages are on their way";
            self.keep(Err(Error::on(Code::NotSeen, unseen)))?;
        }
        if hides_sends {
            self.snapshot.hides_sends = true;
            let unseen = "sends that libfabric may not keep";
            self.keep(Err(Error::on(Code::NotSeen, unseen)))?;
        }
        Ok(())
    }

    /// Finds the requests of MPICH that libfabric's may be for.
    fn ofi_receives(&self, objects: &Objects, ofi: &mut Ofi) -> Result<()> {
        let Some(fields) = self.layout.ofi else { return Ok(()) };
        for (address, bytes) in objects.iter() {
            let record = Record { bytes, target: self.memory.target };
            if record.get(self.layout.request.kind)? != request::RECEIVE
                || record.get(self.layout.request.cc)? == 0
            {
                continue;
            }
            let context = fields.context.address(address);
            insert(&mut ofi.receives, context, record.get(fields.comm)?)?;
            if let Some(active) = self.layout.active
                && !active.is_active(&record)?
                && let partner = record.get(active.request.partner)?
                && partner != 0
            {
                insert(&mut ofi.twice, context, partner)?;
            }
        }
        Ok(())
    }

    /// Ranks in `MPI_COMM_WORLD` by address. The table of addresses has one for each process. A
    /// variable of the library points to the table. If two candidates differ, nothing is known.
    fn ofi_ranks(&mut self) -> Result<AddressMap<i32>> {
        let Some((_, table, address)) = self.layout.ucx else { return Ok(AddressMap::default()) };
        let (number, entry) = (self.world_size as usize, address.bytes());
        let target = self.memory.target;
        let mut found: Option<Vec<u64>> = None;
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
            let entries = match self.memory.record(table.table.address(object), number * entry) {
                Ok(entries) => entries,
                Err(error) if error.code == Code::Unreadable => continue,
                Err(error) => return Err(error),
            };
            let Some(addresses) = addresses_of(&entries, entry, number, target)? else { continue };
            if found.as_ref().is_some_and(|before| *before != addresses) {
                return Ok(AddressMap::default());
            }
            found = Some(addresses);
        }
        let mut ranks = AddressMap::default();
        for (rank, address) in (0..).zip(found.into_iter().flatten()) {
            if address != ANY_ADDRESS {
                insert(&mut ranks, address, rank)?;
            }
        }
        Ok(ranks)
    }

    /// Receives of MPICH name their communicators, whose context ids must be in the tags. Other
    /// providers divide the tag differently.
    fn check_tags(&self, ofi: &Ofi, posted: &[Posted]) -> Result<()> {
        for one in posted {
            let Some(communicator) = ofi.receives.get(&one.context) else { continue };
            let Some(index) = self.by_address.get(communicator) else { continue };
            if self.received_by.get(&Tags::context(one.tag)) != Some(index) {
                return Err(impossible("match_bits"));
            }
        }
        Ok(())
    }

    fn ofi_posted(&mut self, ofi: &Ofi, posted: &Posted) -> Result<()> {
        let tags = ofi.tags;
        // The other receives are the library's own, such as those for active messages.
        if Tags::protocol(posted.tag) != 0 || !ofi.receives.contains_key(&posted.context) {
            return Ok(());
        }
        let order = posted.order + 1;
        if let Some(&partner) = ofi.twice.get(&posted.context) {
            return insert(&mut self.network_places, partner, order);
        }
        let is_internal = tags.is_internal(posted.tag);
        let Some(&index) = self.received_by.get(&Tags::context(posted.tag)) else {
            return gone(is_internal);
        };
        if is_internal {
            self.found[index].note_collective(tags.number(posted.tag))?;
        }
        if self.found[index].hidden || (is_internal && !self.internal) {
            return Ok(());
        }
        let any_tag = posted.ignore & Tags::ALL == Tags::ALL;
        if !any_tag && posted.ignore & tags.tag != 0 {
            return Err(impossible("mask_bits"));
        }
        let number = if any_tag { mpi::ANY_TAG } else { tags.shown(posted.tag) };
        let desired = match posted.source {
            None => Peer::ANY,
            Some(address) => self.ofi_peer(ofi, address, index).ok_or(Error::on(
                Code::NotSeen,
                "receives from processes whose addresses are not known",
            ))?,
        };
        let operation = Operation {
            status: Status::Pending,
            desired,
            tag: (!any_tag).then(|| narrow(number, "tag")).transpose()?,
            length: size(posted.length, "length")?,
            system_buffer: false,
            // It may be a buffer of the library, for data that are not contiguous.
            buffer: 0,
            message: None,
            awaited: None,
            details: Details::default(),
        };
        let place = (1, order << NUMBER_BITS);
        push(&mut self.found[index].receives, Placed { place, operation })
    }

    /// The process with an address, as a rank of a communicator.
    fn ofi_peer(&self, ofi: &Ofi, address: u64, index: usize) -> Option<Peer> {
        let &global = ofi.ranks.get(&address)?;
        let group = self.snapshot.communicators[index].peers?;
        let ranks = self.snapshot.groups.get(group.0)?;
        let place = ranks.iter().position(|rank| *rank == global)?;
        Some(Peer { local: i32::try_from(place).ok()?, global })
    }

    /// Puts an unexpected message into its queue.
    fn ofi_message(&mut self, ofi: &Ofi, place: u64, message: &FabricMessage) -> Result<()> {
        let (tags, tag) = (ofi.tags, message.tag);
        if Tags::protocol(tag) & Tags::ANSWER != 0 {
            return Ok(());
        }
        let is_internal = tags.is_internal(tag);
        let Some(&index) = self.received_by.get(&Tags::context(tag)) else {
            return gone(is_internal);
        };
        if self.found[index].hidden || (is_internal && !self.internal) {
            return Ok(());
        }
        let peer = self.peer(index, message.data.cast_signed(), "cq_data")?;
        let (number, length) = (narrow(tags.shown(tag), "tag")?, size(message.length, "length")?);
        let notes = match Tags::protocol(tag) & tags.synchronous {
            _ if message.is_announced => [notes::RENDEZVOUS, ""],
            0 => [notes::EAGER, ""],
            _ => [notes::SYNCHRONOUS, notes::EAGER],
        };
        let operation =
            Operation::unexpected(Message { peer, tag: number, length }, message.buffer, notes);
        push(&mut self.found[index].unexpected, Placed { place: (place, 0), operation })
    }

    /// Puts a send that the kernel has not taken yet into its queue.
    fn ofi_send(&mut self, ofi: &Ofi, send: &FabricSend) -> Result<()> {
        let tags = ofi.tags;
        if Tags::protocol(send.tag) & Tags::ANSWER != 0 {
            return Ok(());
        }
        let is_internal = tags.is_internal(send.tag);
        let sent = Tags::context(send.tag);
        let Some(&index) = self.sent_by.get(&sent) else { return gone(is_internal) };
        if self.found[index].hidden || (is_internal && !self.internal) {
            return Ok(());
        }
        if self.ambiguous.contains(&sent) {
            let unseen = "sends on an intercommunicator or another communicator, which have one \
                          number";
            return Err(Error::on(Code::NotSeen, unseen));
        }
        let peer = send.receiver.and_then(|address| self.ofi_peer(ofi, address, index));
        let peer = peer.unwrap_or(Peer::ANY);
        let (tag, length) = (narrow(tags.shown(send.tag), "tag")?, size(send.length, "length")?);
        let operation = Operation {
            status: Status::Pending,
            desired: peer,
            tag: Some(tag),
            length,
            system_buffer: false,
            buffer: 0,
            message: Some(Message { peer, tag, length }),
            awaited: None,
            details: Details::default(),
        };
        let place = (peer.local as u64, send.context);
        push(&mut self.found[index].sends, Placed { place, operation })
    }
}

/// The addresses of a table. None: it is not a table of addresses.
fn addresses_of(
    entries: &[u8],
    entry: usize,
    number: usize,
    target: &crate::debugger::Target,
) -> Result<Option<Vec<u64>>> {
    // Addresses are successive numbers that the provider assigns.
    let most = 16 * (number as u64 + 16);
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
