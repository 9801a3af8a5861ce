//! One pass over a process of Open MPI: its communicators, and with them everything else.

use super::composed::{Needs, known};
use super::layout::{self, CommunicatorName, Layout, communicator_assertions, communicator_flags};
use super::library::{Library, MAX_PROCESSES, Pml};
use super::objects::{class_of, read_record};
use super::pass::{Awaited, Found, Keeps, Pass, impossible};
use super::{pml_cm, pml_ucx};
use crate::alloc::{AddressMap, AddressSet, insert, push};
use crate::environment;
use crate::error::{Error, Result};
use crate::layout::{Record, Structure};
use crate::memory::Memory;
use crate::queues::{self, Communicator, Snapshot, Waits};
use crate::runtimes::values::Ranks;
use crate::runtimes::{Told, kept};
use crate::text::{Text, until_nul};

/// Checks that MPI is running in the process, with queues that can be read.
pub(crate) fn check(library: &Library, memory: &mut Memory<'_>) -> Result<()> {
    match library.layout(memory)? {
        (_, Pml::Ob1, _) => Ok(()),
        (_, Pml::Cm, _) => pml_cm::check(library, memory),
        (_, Pml::Ucx, _) => pml_ucx::worker(library, memory).map(|_| ()),
    }
}

/// Reads everything. On an error `snapshot` holds what could be read.
pub(crate) fn read(
    library: &Library,
    memory: &mut Memory<'_>,
    told: Told,
    snapshot: &mut Snapshot,
) -> Result<()> {
    let (layout, pml, table) = library.layout(memory)?;
    let name = pml.name();
    let source = match table {
        Some(table) => {
            Text::format(format_args!("Open MPI, PML {name}, layout table {}", table.as_str()))
        }
        None => Text::format(format_args!("Open MPI, PML {name}, its debug information")),
    };
    push(&mut snapshot.sources, source)?;
    Pass::new(library, &layout, memory, snapshot)?.run(pml, told)
}

impl<'p, 'm> Pass<'p, 'm> {
    fn new(
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
            strangers: AddressMap::default(),
            datatypes: AddressMap::default(),
            requests: AddressMap::default(),
            seen: AddressSet::default(),
            awaited: Awaited::default(),
            needs: Needs::default(),
            job: 0,
            world_size: 0,
            communicator_class,
            fragment_class: None,
            internal: environment::wants(environment::INTERNAL),
            ranks: Ranks::default(),
            first_error: None,
        };
        pass.own_job(first)?;
        Ok(pass)
    }

    /// Reads everything. The first error is the one returned.
    fn run(mut self, pml: Pml, told: Told) -> Result<()> {
        let ended = self.queues(pml, told);
        let ended = self.keep(ended);
        // The number of awaited operations is known only if everything was read.
        let told = match self.first_error {
            None => self.awaited_operations(told.word),
            Some(_) => Ok(()),
        };
        let told = self.optional(told).map(drop);
        let delivered = self.deliver();
        let delivered = self.keep(delivered);
        self.first_error.map_or(ended.and(told).and(delivered), Err)
    }

    fn queues(&mut self, pml: Pml, told: Told) -> Result<()> {
        self.snapshot.stack_hints = self.stack_hints(pml);
        if pml == Pml::Ob1 {
            self.composed(told.word)?;
        }
        self.communicators()?;
        match pml {
            Pml::Ob1 => self.ob1_queues(),
            Pml::Ucx => self.ucx_queues(told),
            Pml::Cm => self.cm_queues(),
        }
    }

    /// Finds out what the process waits for.
    fn awaited_operations(&mut self, word: Option<u64>) -> Result<()> {
        let windows = self.add_windows(word);
        let windows = known(windows)?.flatten();
        self.snapshot.waits = self.waits(word, windows)?;
        Ok(())
    }

    fn ob1_queues(&mut self) -> Result<()> {
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

    fn communicators(&mut self) -> Result<()> {
        let result = self.array_of_communicators();
        self.keep(result)
    }

    fn array_of_communicators(&mut self) -> Result<()> {
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
            // An odd pointer means that a communicator is being made.
            if address == 0 || !address.is_multiple_of(2) {
                continue;
            }
            let here = |error: Error| error.within(layout::CommunicatorType::NAME, address);
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
        // MPI_COMM_NULL is in the array, too. It is the only communicator without members.
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
        // A communicator without a name has a text of the library's there, which MPI_Comm_get_name
        // does not return either.
        let name = match fields.name(record)? {
            _ if flags & communicator_flags::NAME_IS_SET == 0 => queues::Name::default(),
            CommunicatorName::Here(name) => self.snapshot.names.add(name)?,
            CommunicatorName::At(address) => {
                let mut text = [0; layout::NAME_BYTES];
                let read = self.memory.read_string(address, &mut text);
                self.optional(read)?;
                self.snapshot.names.add(until_nul(&text))?
            }
        };
        let communicator = Communicator {
            unique_id: fields.id(record, place)?,
            local_rank: record.get(fields.common.c_my_rank)?.max(-1),
            name,
            group,
            peers,
            ..Communicator::default()
        };
        let found = Found {
            place,
            pml: record.get(fields.common.c_pml_comm)?,
            internal: if inter { record.get(fields.common.c_local_comm)? } else { 0 },
            hidden: false,
            // Messages that may overtake each other are not numbered.
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

    /// Puts everything found into its queue, in order.
    fn deliver(&mut self) -> Result<()> {
        for (found, communicator) in self.found.iter_mut().zip(&mut self.snapshot.communicators) {
            let queues = [&mut found.sends, &mut found.receives, &mut found.unexpected];
            kept::deliver(queues, std::mem::take(&mut found.collectives), communicator)?;
        }
        if !matches!(self.snapshot.waits, Waits::Call(_)) {
            for communicator in &mut self.snapshot.communicators {
                let receives = communicator.receives.iter_mut();
                receives.chain(&mut communicator.sends).for_each(|one| one.awaited = None);
            }
        }
        let mut hidden = self.found.iter().map(|found| found.hidden);
        self.snapshot.communicators.retain(|_| !hidden.next().unwrap_or(false));
        Ok(())
    }
}
