//! One pass over a process of Open MPI: its communicators, and with them everything else.

use super::layout::{self, Layout, Name, communicator_assertions, communicator_flags};
use super::library::{Library, MAX_PROCESSES};
use super::messages::Peer;
use super::objects::{class_of, read_record};
use super::waits::Awaited;
use crate::alloc::{AddressMap, AddressSet, insert, mark, push};
use crate::environment;
use crate::error::{Code, Error, Result};
use crate::layout::{Record, Structure};
use crate::memory::Memory;
use crate::queues::{
    self, Collective, Collectives, Communicator, Datatype, GroupId, Operation, Snapshot, Waits,
};
use crate::text::until_nul;

/// What the pass knows of a communicator besides its snapshot, which is at the same index there.
pub(super) struct Found {
    pub(super) pml: u64,
    /// Of an intercommunicator: its local communicator, which only the library uses.
    internal: u64,
    /// Is it one that only the library uses?
    pub(super) hidden: bool,
    /// Are messages to and from its peers counted?
    pub(super) counted: bool,
    /// The next receive's sequence number.
    pub(super) receive_sequence: u64,
    /// The rank that the last receive from any source took a message from.
    pub(super) last_probed: u64,
    /// The collective operations whose own messages are under way.
    pub(super) collectives: Vec<Collective>,
    /// Those that the process has to do with.
    pub(super) peers: Vec<Peer>,
    /// What was found for its queues, each with its place in the order.
    pub(super) sends: Vec<Placed>,
    pub(super) receives: Vec<Placed>,
    pub(super) unexpected: Vec<Placed>,
}

/// An operation with its place in its queue.
pub(super) struct Placed {
    pub(super) place: (u64, u64),
    pub(super) operation: Operation,
}

/// One pass. What was read before an error is kept: a damaged list ends where the damage is, and
/// the others are still read.
pub(super) struct Pass<'p, 'm> {
    pub(super) library: &'p Library,
    pub(super) layout: &'p Layout,
    pub(super) memory: &'p mut Memory<'m>,
    pub(super) snapshot: &'p mut Snapshot,
    pub(super) found: Vec<Found>,
    /// Communicators by address: their index in `found` and in the snapshot.
    pub(super) by_address: AddressMap<usize>,
    /// What is shared and read once, by address.
    pub(super) groups: AddressMap<GroupId>,
    pub(super) world_ranks: AddressMap<i32>,
    pub(super) datatypes: AddressMap<Datatype>,
    /// Requests in slabs by address: the next element of the list that they are on.
    pub(super) requests: AddressMap<u64>,
    /// The elements of all lists. An element is on one list only, so whatever comes up twice is
    /// damage.
    pub(super) seen: AddressSet,
    /// What the requests tell of what the process waits for.
    pub(super) awaited: Awaited,
    /// This process's job, and a bound on the ranks in it.
    pub(super) job: u64,
    pub(super) world_size: i64,
    /// The classes of objects that were seen to be what they should be.
    pub(super) communicator_class: u64,
    pub(super) fragment_class: Option<u64>,
    /// The library's own operations and communicators are asked for.
    pub(super) internal: bool,
    first_error: Option<Error>,
}

impl<'p, 'm> Pass<'p, 'm> {
    pub(super) fn new(
        library: &'p Library,
        layout: &'p Layout,
        memory: &'p mut Memory<'m>,
        snapshot: &'p mut Snapshot,
    ) -> Result<Self> {
        let first = library.first_communicator(memory, layout)?;
        let communicator_class = class_of(memory, layout, first)?;
        let mut pass = Self {
            library,
            layout,
            memory,
            snapshot,
            found: Vec::new(),
            by_address: AddressMap::default(),
            groups: AddressMap::default(),
            world_ranks: AddressMap::default(),
            datatypes: AddressMap::default(),
            requests: AddressMap::default(),
            seen: AddressSet::default(),
            awaited: Awaited::default(),
            job: 0,
            world_size: 0,
            communicator_class,
            fragment_class: None,
            internal: environment::wants_internal(),
            first_error: None,
        };
        pass.own_job(first)?;
        Ok(pass)
    }

    /// Reads everything. The first error is the one returned.
    pub(super) fn run(mut self) -> Result<()> {
        self.snapshot.stack_hints = self.stack_hints();
        let ended = self.all();
        // Only what has been read whole says how many are awaited.
        if ended.is_ok() && self.first_error.is_none() {
            let waits = self.waits();
            self.snapshot.waits = self.optional(waits)?.unwrap_or_default();
        }
        let delivered = self.deliver();
        self.first_error.map_or(ended.and(delivered), Err)
    }

    fn all(&mut self) -> Result<()> {
        let result = self.communicators();
        self.keep(result)?;
        for index in 0..self.found.len() {
            let result = self.pml_communicator(index);
            self.keep(result)?;
        }
        let result = self.receive_requests();
        self.keep(result)?;
        let result = self.send_requests();
        self.keep(result)?;
        for index in 0..self.found.len() {
            let result = self.posted_receives(index);
            self.keep(result)?;
            let result = self.messages(index);
            self.keep(result)?;
        }
        Ok(())
    }

    /// Remembers the first error and goes on, unless there is nothing left to go on with.
    pub(super) fn keep(&mut self, result: Result<()>) -> Result<()> {
        match result {
            Err(error) => {
                let first = *self.first_error.get_or_insert(error);
                if matches!(error.code, Code::OutOfMemory | Code::TooMuch) {
                    Err(first)
                } else {
                    Ok(())
                }
            }
            Ok(()) => Ok(()),
        }
    }

    /// What something can be shown without: None if it cannot be read, and the error is remembered.
    pub(super) fn optional<T>(&mut self, result: Result<T>) -> Result<Option<T>> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(error) => self.keep(Err(error)).map(|()| None),
        }
    }

    /// Accounts for an element of a list.
    pub(super) fn step(&mut self, address: u64) -> Result<()> {
        self.memory.step()?;
        if mark(&mut self.seen, address)? { Ok(()) } else { Err(Error::new(Code::Cycle)) }
    }

    /// Reads the array of communicators.
    fn communicators(&mut self) -> Result<()> {
        let (library, fields) = (self.library, self.layout.pointer_array);
        let here = |error: Error| error.within(layout::PointerArray::NAME, library.communicators);
        let bytes =
            read_record(self.memory, library.communicators, fields.bytes()).map_err(here)?;
        let record = Record { bytes: &bytes, target: self.memory.target };
        let (size, entries) =
            (record.get(fields.size).map_err(here)?, record.get(fields.addr).map_err(here)?);
        if !(0..=MAX_PROCESSES).contains(&size) {
            return Err(here(impossible("size")));
        }
        let pointer = self.memory.target.pointer;
        let entries = read_record(self.memory, entries, size as usize * pointer).map_err(here)?;
        for (index, entry) in entries.chunks_exact(pointer).enumerate() {
            let address = self.memory.target.unsigned(entry);
            // Odd: taken for a communicator that is being made.
            if address == 0 || !address.is_multiple_of(2) {
                continue;
            }
            let here = |error: Error| error.within(layout::Communicator::NAME, address);
            let result = self.communicator(address, index as u64).map_err(here);
            self.keep(result)?;
        }
        // Local communicators of intercommunicators carry nothing but the library's own messages.
        for index in 0..self.found.len() {
            if !self.internal
                && let Some(internal) = self.by_address.get(&self.found[index].internal).copied()
            {
                self.found[internal].hidden = true;
            }
        }
        Ok(())
    }

    fn communicator(&mut self, address: u64, place: u64) -> Result<()> {
        let fields = &self.layout.communicator;
        self.memory.step()?;
        let bytes = read_record(self.memory, address, fields.common.bytes())?;
        let record = Record { bytes: &bytes, target: self.memory.target };
        if record.get(self.layout.object.obj_class)? != self.communicator_class {
            return Err(impossible("obj_class"));
        }
        let flags = record.get(fields.common.c_flags)?;
        if flags & communicator_flags::INVALID != 0 || self.by_address.contains_key(&address) {
            return Ok(());
        }
        let group = self.group(record.get(fields.common.c_local_group)?);
        let group = self.optional(group)?;
        // Only MPI_COMM_NULL, which is in the array too, has not even this process in it.
        if group.is_some_and(|group| self.snapshot.groups[group.0].is_empty()) {
            return Ok(());
        }
        if fields.index(record)? != place {
            return Err(impossible("c_index"));
        }
        let inter = flags & communicator_flags::INTER != 0;
        let peers = if inter {
            let peers = self.group(record.get(fields.common.c_remote_group)?);
            self.optional(peers)?
        } else {
            group
        };
        // A communicator without a name has something of the library's there, which
        // MPI_Comm_get_name does not give either.
        let name = match fields.name(record)? {
            _ if flags & communicator_flags::NAME_IS_SET == 0 => queues::Name::default(),
            Name::Here(name) => self.snapshot.names.add(name)?,
            Name::At(address) => {
                let mut text = [0; layout::NAME_BYTES];
                let read = self.memory.read_string(address, &mut text).map(|_| ());
                self.keep(read)?;
                self.snapshot.names.add(until_nul(&text))?
            }
        };
        let communicator = Communicator {
            unique_id: place,
            local_rank: record.get(fields.common.c_my_rank)?.max(-1),
            name,
            group,
            peers,
            ..Communicator::default()
        };
        let found = Found {
            pml: record.get(fields.common.c_pml_comm)?,
            internal: if inter { record.get(fields.common.c_local_comm)? } else { 0 },
            hidden: false,
            // Where messages may overtake each other they are not numbered.
            counted: record.get(fields.common.c_assertions)?
                & communicator_assertions::ALLOW_OVERTAKE
                == 0,
            receive_sequence: 0,
            last_probed: 0,
            collectives: Vec::new(),
            peers: Vec::new(),
            sends: Vec::new(),
            receives: Vec::new(),
            unexpected: Vec::new(),
        };
        insert(&mut self.by_address, address, self.found.len())?;
        push(&mut self.snapshot.communicators, communicator)?;
        push(&mut self.found, found)
    }

    /// The peer of an operation with its rank in the world.
    pub(super) fn peer(
        &self,
        local: i64,
        index: usize,
        part: &'static str,
    ) -> Result<queues::Peer> {
        let rank = narrow(local, part)?;
        let Some(group) = self.snapshot.communicators[index].peers else {
            // The group is damaged, which has been noted: the rank is all there is.
            return Ok(queues::Peer { local: rank, global: -1 });
        };
        let ranks = &self.snapshot.groups[group.0];
        let global =
            usize::try_from(local).ok().and_then(|rank| ranks.get(rank)).ok_or(impossible(part))?;
        Ok(queues::Peer { local: rank, global: *global })
    }

    /// Puts everything found into its queue, in order.
    fn deliver(&mut self) -> Result<()> {
        let is_known = matches!(self.snapshot.waits, Waits::Call(_));
        for (found, communicator) in self.found.iter_mut().zip(&mut self.snapshot.communicators) {
            for (from, to) in [
                (&mut found.sends, &mut communicator.sends),
                (&mut found.receives, &mut communicator.receives),
                (&mut found.unexpected, &mut communicator.unexpected),
            ] {
                from.sort_unstable_by_key(|placed| placed.place);
                to.try_reserve_exact(from.len())?;
                for mut placed in from.drain(..) {
                    placed.operation.awaited = placed.operation.awaited.filter(|_| is_known);
                    push(to, placed.operation)?;
                }
            }
            if !found.collectives.is_empty() {
                let known = std::mem::take(&mut found.collectives);
                communicator.collectives = Some(Collectives { known, is_complete: false });
            }
        }
        let mut hidden = self.found.iter().map(|found| found.hidden);
        self.snapshot.communicators.retain(|_| !hidden.next().unwrap_or(false));
        Ok(())
    }
}

/// A field that holds what it cannot hold; the element is named by whoever reads it.
pub(super) fn impossible(part: &'static str) -> Error {
    Error::new(Code::Impossible).part(part)
}

pub(super) fn narrow(value: i64, part: &'static str) -> Result<i32> {
    i32::try_from(value).map_err(|_| impossible(part))
}

/// A count or a number of bytes.
pub(super) fn size(value: u64, part: &'static str) -> Result<i64> {
    i64::try_from(value).map_err(|_| impossible(part))
}
