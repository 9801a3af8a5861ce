//! Sends, receives and unexpected messages of the PML cm with the MTL ofi, which leaves them to
//! libfabric.
//!
//! libfabric keeps a tag of 64 bits with each of them. From its low bits up it holds the tag of
//! MPI, the protocol (2 bits), the sender's rank if the provider cannot send it beside the tag, and
//! the communicator. The number of bits of each part is read from the MTL's module. A receive names
//! its sender by an address of libfabric, which is also in Open MPI's process objects. A
//! synchronous send has posted a receive for its answer.

use super::layout::{self, mpi};
use super::library::Library;
use super::pass::{Keeps, Pass, Placed, impossible, narrow, size};
use crate::alloc::{AddressMap, insert, push};
use crate::error::{Code, Error, OrUnreadable, Result};
use crate::layout::{Field, Int, Pointer, Record, Structure, Unsigned};
use crate::memory::Memory;
use crate::queues::{Message, Operation, Peer};
use crate::runtimes::kept::{senders_request, unknown_send};
use crate::runtimes::values::on_communicator;
use crate::transports::libfabric::{Endpoint, FabricMessage, FabricQueues, FabricSend, Posted};
use mqs_abi::notes;

/// Bytes of the module that are searched. All that is needed is at its beginning.
const MODULE_BYTES: usize = 512;
/// Endpoints of a process object: one for each kind of component.
const ENDPOINTS: u64 = 5;

/// The offsets of fields in structures of the MTL, in words. They are the same in 4.1 and 5.0.
mod place {
    /// Of an endpoint: its module and its address.
    pub(super) const MODULE: u64 = 5;
    pub(super) const ADDRESS: u64 = 6;
    /// Of a pair of contexts: the one that receives.
    pub(super) const RECEIVING: u64 = 1;
    /// Of a request: its type, what libfabric is given, its communicator, the library's buffer for
    /// data that are not contiguous, its length, its tag, and the request that an answer is for.
    pub(super) const TYPE: usize = 2;
    pub(super) const CONTEXT: u64 = 3;
    pub(super) const COMMUNICATOR: usize = 18;
    pub(super) const PACKED: usize = 20;
    pub(super) const LENGTH: usize = 21;
    pub(super) const TAG: usize = 24;
    pub(super) const PARENT: usize = 27;
    /// The number of words that are read of a request.
    pub(super) const WORDS: usize = 28;
}

/// The type of a request that receives.
const RECEIVES: i64 = 1;

/// The parts of a tag of libfabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tags {
    tag_bits: u32,
    /// 0: the rank of the sender is sent beside the tag.
    source_bits: u32,
}

impl Tags {
    const PROTOCOL_BITS: u32 = 2;

    /// Finds the parts in the module. It has the masks of the sender's rank and of the tag, then
    /// the two bits of the protocol, with the numbers of bits between them.
    fn find(module: Record<'_>) -> Result<Option<Self>> {
        let word = size_of::<u64>();
        let number = |place: usize| module.get(Field::<Unsigned<8>>::at(place));
        let mut found = None;
        for at in (0..MODULE_BYTES - 8 * word).step_by(word) {
            let (mask, synchronous, answer) =
                (number(at + 3 * word)?, number(at + 5 * word)?, number(at + 6 * word)?);
            let bits = mask.count_ones();
            let (source, protocol) = (number(at)?, number(at + 7 * word)?);
            let is_it = (16..=32).contains(&bits)
                && mask == (1 << bits) - 1
                && synchronous == mask + 1
                && answer == synchronous << 1
                && protocol == synchronous | answer
                && (source == 0 || source.trailing_zeros() == bits + Self::PROTOCOL_BITS);
            let tags = Self { tag_bits: bits, source_bits: source.count_ones() };
            // The bits above are those of the communicator.
            if is_it && tags.lowest_of_communicator() < u64::BITS && source == tags.source() {
                if found.is_some_and(|before| before != tags) {
                    return Ok(None);
                }
                found = Some(tags);
            }
        }
        Ok(found)
    }

    fn number(self, tag: u64) -> i64 {
        let unused = u64::BITS - self.tag_bits;
        (tag << unused).cast_signed() >> unused
    }

    fn is_synchronous(self, tag: u64) -> bool {
        tag >> self.tag_bits & 1 != 0
    }

    fn is_answer(self, tag: u64) -> bool {
        tag >> self.tag_bits & 2 != 0
    }

    /// The bits that receives from any source and with any tag do not ask for.
    fn source(self) -> u64 {
        ((1 << self.source_bits) - 1) << (self.tag_bits + Self::PROTOCOL_BITS)
    }

    fn any_tag(self) -> u64 {
        (1 << (self.tag_bits - 1)) - 1
    }

    fn sender(self, tag: u64, data: u64) -> i64 {
        match self.source_bits {
            0 => data.cast_signed(),
            _ => ((tag & self.source()) >> (self.tag_bits + Self::PROTOCOL_BITS)).cast_signed(),
        }
    }

    fn communicator(self, tag: u64) -> u64 {
        tag >> self.lowest_of_communicator()
    }

    fn lowest_of_communicator(self) -> u32 {
        self.tag_bits + Self::PROTOCOL_BITS + self.source_bits
    }
}

/// What the operations of a pass have in common.
struct Ofi {
    tags: Tags,
    /// Communicators by their number in tags: their index in the pass.
    communicators: AddressMap<usize>,
    /// The processes by address, as groups name them.
    ranks: AddressMap<i32>,
}

impl Ofi {
    /// The communicator of a tag. None: the library's own message on one that is gone.
    fn communicator(&self, tag: u64) -> Result<Option<usize>> {
        let found = self.communicators.get(&self.tags.communicator(tag)).copied();
        on_communicator(found, self.tags.number(tag) < 0)
    }
}

/// Finds libfabric's endpoint by the MTL's module, and the parts of tags.
fn endpoint(library: &Library, memory: &mut Memory<'_>) -> Result<(Endpoint, Tags)> {
    let module = library.mtl_ofi.ok_or(Error::on(Code::OtherPml, "cm"))?;
    let data = memory.record(module, MODULE_BYTES)?;
    let target = memory.target;
    let tags = Tags::find(Record { bytes: &data, target })?;
    let tags = tags.ok_or(Error::on(Code::OtherBuild, "mca_mtl_ofi_module_t"))?;
    let mut words = Vec::new();
    for word in data.chunks_exact(target.pointer).map(|bytes| target.unsigned(bytes)) {
        if !target.may_be_object(word) {
            continue;
        }
        push(&mut words, word)?;
        // The word may be the address of the list of contexts.
        let context = word.wrapping_add(place::RECEIVING * target.pointer as u64);
        if let Some(receiving) = memory.pointer(context).or_unreadable()? {
            push(&mut words, receiving)?;
        }
    }
    let endpoint = Endpoint::find(memory, &library.image, 1, |_| Ok(words))?.into_iter().next();
    Ok((endpoint.ok_or(Error::on(Code::NoTransportLayout, "fid_ep"))?, tags))
}

/// Checks that the queues can be read.
pub(super) fn check(library: &Library, memory: &mut Memory<'_>) -> Result<()> {
    endpoint(library, memory).map(|_| ())
}

impl Pass<'_, '_> {
    /// Reads all queues of the PML cm.
    pub(super) fn cm_queues(&mut self) -> Result<()> {
        let (endpoint, tags) = endpoint(self.library, self.memory)?;
        push(&mut self.snapshot.sources, endpoint.source)?;
        let mut communicators = AddressMap::default();
        for (index, found) in self.found.iter().enumerate() {
            insert(&mut communicators, found.place, index)?;
        }
        let ranks = self.cm_ranks()?;
        let ofi = Ofi { tags, communicators, ranks };
        // Complete requests cannot be seen, so it is not known what is awaited.
        self.awaited.several = true;
        let mut queues = FabricQueues::default();
        let result = endpoint.queues(self.memory, &mut queues);
        self.keep(result)?;
        for posted in &queues.posted {
            let result = match tags.is_answer(posted.tag) {
                true => self.cm_synchronous(&ofi, posted),
                false => self.cm_posted(&ofi, posted),
            };
            self.keep(result.map_err(|error| error.within("ompi_mtl_ofi_request_t", 0)))?;
        }
        for (place, message) in queues.messages.iter().enumerate() {
            let result = self.cm_message(&ofi, place as u64, message);
            self.keep(result)?;
        }
        for send in queues.sends.iter().flatten() {
            // A synchronous send is found by the receive for its answer.
            if !tags.is_synchronous(send.tag) && !tags.is_answer(send.tag) {
                let result = self.cm_send(&ofi, send);
                self.keep(result)?;
            }
        }
        self.note_fabric(&queues)
    }

    /// Finds the addresses of all processes that the communicators name.
    fn cm_ranks(&mut self) -> Result<AddressMap<i32>> {
        let mut ranks = AddressMap::default();
        let (Some(endpoints), Some(module)) = (self.layout.proc_endpoints, self.library.mtl_ofi)
        else {
            return Ok(ranks);
        };
        let pointer = self.memory.target.pointer as u64;
        for (process, rank) in &self.world_ranks {
            // An odd pointer stands for a process that has no object.
            if !process.is_multiple_of(2) {
                continue;
            }
            let here = |error: Error| error.within(layout::Proc::NAME, *process);
            let (mut address, mut unread) = (None, None);
            for number in 0..ENDPOINTS {
                let place = process.wrapping_add(endpoints + number * pointer);
                let endpoint = self.memory.pointer(place).map_err(here)?;
                if !self.memory.target.may_be_object(endpoint) {
                    continue;
                }
                let of = |place: u64| endpoint.wrapping_add(place * pointer);
                match self.memory.pointer(of(place::MODULE)) {
                    Ok(named) if named == module => {
                        address = Some(self.memory.pointer(of(place::ADDRESS)).map_err(here)?);
                    }
                    Ok(_) => {}
                    // What is not the MTL's may be anything.
                    Err(error) if error.code == Code::Unreadable => unread = Some(here(error)),
                    Err(error) => return Err(error),
                }
            }
            match (address, unread) {
                (Some(address), _) => insert(&mut ranks, address, *rank)?,
                (None, Some(error)) => self.first_error = self.first_error.or(Some(error)),
                (None, None) => {}
            }
        }
        Ok(ranks)
    }

    /// The process with an address, as a rank of a communicator.
    fn cm_peer(&mut self, ofi: &Ofi, index: usize, address: Option<u64>) -> Result<Option<Peer>> {
        match address.and_then(|address| ofi.ranks.get(&address)) {
            Some(&global) => self.peer_of(index, global),
            None => Ok(None),
        }
    }

    /// Reads the request that libfabric was given with an operation.
    fn cm_request(&mut self, context: u64) -> Result<Vec<u8>> {
        let word = self.memory.target.pointer;
        let address = context.wrapping_sub(place::CONTEXT * word as u64);
        self.memory.record(address, place::WORDS * word)
    }

    /// A field of such a request.
    fn cm_word(&self, request: &[u8], place: usize) -> Result<u64> {
        let record = Record { bytes: request, target: self.memory.target };
        record.get(Field::<Pointer>::at(place * self.memory.target.pointer))
    }

    fn cm_posted(&mut self, ofi: &Ofi, posted: &Posted) -> Result<()> {
        let tags = ofi.tags;
        let Some(index) = ofi.communicator(posted.tag)? else { return Ok(()) };
        let request = self.cm_request(posted.context)?;
        let record = Record { bytes: &request, target: self.memory.target };
        let kind = record.get(Field::<Int>::at(place::TYPE * self.memory.target.pointer))?;
        let communicator = self.cm_word(&request, place::COMMUNICATOR)?;
        if kind != RECEIVES
            || self.by_address.get(&communicator) != Some(&index)
            || self.cm_word(&request, place::TAG)? != posted.tag
        {
            return Err(impossible("match_bits"));
        }
        let any_tag = posted.ignore & tags.any_tag() == tags.any_tag();
        let number = if any_tag { mpi::ANY_TAG } else { tags.number(posted.tag) };
        let of_program = any_tag || number >= 0;
        if !of_program {
            self.found[index].note_collective(number)?;
        }
        if self.found[index].hidden || !(self.internal || of_program) {
            return Ok(());
        }
        let is_any = match tags.source_bits {
            0 => posted.source.is_none(),
            _ => posted.ignore & tags.source() != 0,
        };
        let desired = match (is_any, tags.source_bits) {
            (true, _) => Peer::ANY,
            (false, 0) => match self.cm_peer(ofi, index, posted.source)? {
                Some(peer) => peer,
                None => {
                    self.snapshot.lacking.receives = true;
                    let unseen = "receives from processes whose addresses are not known";
                    return Err(Error::on(Code::NotSeen, unseen));
                }
            },
            (false, _) => self.peer(index, tags.sender(posted.tag, 0), "match_bits")?,
        };
        let is_packed = self.cm_word(&request, place::PACKED)? != 0;
        let tag = (!any_tag).then(|| narrow(number, "tag")).transpose()?;
        let length = size(self.cm_word(&request, place::LENGTH)?, "length")?;
        let buffer = if is_packed { 0 } else { posted.buffer };
        let operation = Operation::pending(desired, tag, length, buffer);
        let place = (1, posted.order);
        push(&mut self.found[index].receives, Placed { place, operation })
    }

    /// A synchronous send, by the receive that it has posted for its answer.
    fn cm_synchronous(&mut self, ofi: &Ofi, posted: &Posted) -> Result<()> {
        let request = self.cm_request(posted.context)?;
        let parent = self.cm_word(&request, place::PARENT)?;
        let word = self.memory.target.pointer as u64;
        let sender = self.cm_request(parent.wrapping_add(place::CONTEXT * word))?;
        let length = self.cm_word(&sender, place::LENGTH)?;
        let Some(index) = ofi.communicator(posted.tag)? else { return Ok(()) };
        let context = posted.context;
        let receiver = posted.source;
        let send = FabricSend { tag: posted.tag, length, context, receiver, name: None };
        self.cm_add_send(ofi, &send, index, notes::SYNCHRONOUS)
    }

    fn cm_send(&mut self, ofi: &Ofi, send: &FabricSend) -> Result<()> {
        let Some(index) = ofi.communicator(send.tag)? else { return Ok(()) };
        self.cm_add_send(ofi, send, index, "")
    }

    fn cm_add_send(
        &mut self,
        ofi: &Ofi,
        send: &FabricSend,
        index: usize,
        note: &'static str,
    ) -> Result<()> {
        let number = ofi.tags.number(send.tag);
        if self.found[index].hidden || (number < 0 && !self.internal) {
            return Ok(());
        }
        let peer = self.cm_peer(ofi, index, send.receiver)?;
        let peer = match (peer, send.name) {
            (None, Some(name)) if self.internal => {
                return push(&mut self.found[index].sends, unknown_send(name));
            }
            (None, Some(_)) => return self.send_without_receiver(),
            (peer, _) => peer.unwrap_or(Peer::ANY),
        };
        let (tag, length) = (narrow(number, "tag")?, size(send.length, "length")?);
        let operation = Operation::send(Message { peer, tag, length }, 0, [note, ""]);
        let place = (peer.local as u64, send.context);
        push(&mut self.found[index].sends, Placed { place, operation })
    }

    /// Puts an unexpected message into its queue.
    fn cm_message(&mut self, ofi: &Ofi, place: u64, message: &FabricMessage) -> Result<()> {
        let tags = ofi.tags;
        if tags.is_answer(message.tag) {
            return Ok(());
        }
        let Some(index) = ofi.communicator(message.tag)? else { return Ok(()) };
        let number = tags.number(message.tag);
        if self.found[index].hidden || (number < 0 && !self.internal) {
            return Ok(());
        }
        let peer = self.peer(index, tags.sender(message.tag, message.data), "cq_data")?;
        let (tag, length) = (narrow(number, "tag")?, size(message.length, "length")?);
        let notes = match (message.is_announced, tags.is_synchronous(message.tag)) {
            (true, _) => [notes::RENDEZVOUS, ""],
            (_, true) => [notes::SYNCHRONOUS, notes::EAGER],
            _ => [notes::EAGER, ""],
        };
        let mut operation =
            Operation::unexpected(Message { peer, tag, length }, message.buffer, notes);
        operation.details.request = senders_request(self.internal, message.send);
        push(&mut self.found[index].unexpected, Placed { place: (place, 0), operation })
    }
}
