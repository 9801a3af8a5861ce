//! Communicators, and their groups as ranks in `MPI_COMM_WORLD`.

use super::layout::{
    CommunicatorFields, Connection, ConnectionTable, GroupFields, Members, RankMap, communicator,
    context, mode,
};
use super::library::MAX_PROCESSES;
use super::pass::{Found, Keeps, Pass, impossible};
use super::pools::Objects;
use crate::alloc::{insert, mark, push};
use crate::error::{Error, Result};
use crate::layout::{Field, Int, Record, Signed, Structure};
use crate::queues::{Communicator, GroupId};

/// The predefined communicators: `MPI_COMM_WORLD` and `MPI_COMM_SELF`.
const PREDEFINED: usize = 2;
/// A process of another job is described by two numbers: its job, and its rank there.
const MIXED: usize = 2;

impl Pass<'_, '_> {
    /// Reads all communicators. What was read before an error is kept.
    pub(super) fn communicators(&mut self) -> Result<()> {
        let size = self.layout.communicator.bytes();
        for index in 0..PREDEFINED {
            let address = self.roots.predefined + (index * size) as u64;
            let bytes = self.memory.record(address, size)?;
            let result = self.communicator(address, &bytes);
            self.keep(result.map_err(|error| error.within(CommunicatorFields::NAME, address)))?;
        }
        let mut objects = Objects::new(size);
        let pool = self.roots.communicators;
        let result = objects.read(self.memory, &self.layout.pool, pool, 0);
        self.keep(result)?;
        objects.leave_out_free(self.memory, pool)?;
        for (address, bytes) in objects.iter() {
            let result = self.communicator(address, bytes);
            self.keep(result.map_err(|error| error.within(CommunicatorFields::NAME, address)))?;
        }
        self.find_parents()
    }

    /// Finds the communicators of the program that those of the library are parts of. These have
    /// the context id of messages to the program's one, with further bits.
    fn find_parents(&mut self) -> Result<()> {
        if !self.internal {
            return Ok(());
        }
        for (part, found) in self.found.iter().enumerate() {
            let of_program = found.sent & !context::INTERNAL;
            let parent = self.received_by.get(&of_program).filter(|_| of_program != found.sent);
            let Some(&parent) = parent else { continue };
            let Communicator { unique_id, name, .. } = self.snapshot.communicators[parent];
            let name = self.snapshot.names.add_part(b"part of ", name, b"a communicator")?;
            let part = &mut self.snapshot.communicators[part];
            (part.parent, part.name) = (Some(unique_id), name);
        }
        Ok(())
    }

    fn communicator(&mut self, address: u64, bytes: &[u8]) -> Result<()> {
        let fields = &self.layout.communicator;
        let record = Record { bytes, target: self.memory.target };
        let (sent, received) = self.layout.contexts(&record)?;
        let (own, peers) = (record.get(fields.local_size)?, record.get(fields.remote_size)?);
        let rank = record.get(fields.rank)?;
        if self.is_being_made(&record)? {
            return Ok(());
        }
        let inter = match record.get(fields.comm_kind)? {
            communicator::INTRA => false,
            communicator::INTER => true,
            _ => return Err(impossible("comm_kind")),
        };
        if !(0..=MAX_PROCESSES).contains(&own) || !(-1..own).contains(&rank) {
            return Err(impossible("rank"));
        }
        if !inter && own != peers {
            return Err(impossible("remote_size"));
        }
        let name = self.snapshot.names.add(record.get(fields.name)?)?;
        let here = |error: Error| error.within(CommunicatorFields::NAME, address);
        let map = self.members(&record, inter, if inter { peers } else { own });
        let peers = self.optional(map.map_err(here))?;
        let group = if inter {
            let map = self.members(&record, false, own);
            self.optional(map.map_err(here))?
        } else {
            peers
        };
        // Both groups of an intercommunicator know the two context ids, in opposite order.
        // Communicators without a common member may have the same context id.
        let unique_id = match inter {
            true => 1 << 63 | sent.max(received) << 32 | sent.min(received),
            false => sent | self.lowest(group) << 32,
        };
        let index = self.found.len();
        insert(&mut self.by_address, address, index)?;
        insert(&mut self.received_by, received, index)?;
        if self.sent_by.contains_key(&sent) {
            mark(&mut self.ambiguous, sent)?;
        }
        insert(&mut self.sent_by, sent, index)?;
        let communicator = Communicator {
            unique_id,
            local_rank: rank,
            name,
            group,
            peers,
            ..Communicator::default()
        };
        push(&mut self.snapshot.communicators, communicator)?;
        let hidden = (sent | received) & context::INTERNAL != 0 && !self.internal;
        let found = Found {
            hidden,
            sent,
            collectives: Vec::new(),
            sends: Vec::new(),
            receives: Vec::new(),
            unexpected: Vec::new(),
        };
        push(&mut self.found, found)
    }

    /// Is the process still making this communicator, as after `MPI_Comm_idup`? Then it has no
    /// members yet, and no messages.
    fn is_being_made(&self, record: &Record<'_>) -> Result<bool> {
        const NOT_YET: i64 = -1;
        let own = record.get(self.layout.communicator.local_size)?;
        let has_no_members = match self.layout.members {
            Members::Maps(fields, map) => record.inner(fields.map)?.get(map.size)? == 0,
            Members::Groups(fields, _) => record.get(fields.local_group)? == 0,
            // The table may be of an earlier communicator at this place.
            Members::Connections(fields, ..) => record.get(fields.origin)? != 0,
        };
        Ok(own == NOT_YET || (own > 0 && has_no_members))
    }

    /// The lowest rank in `MPI_COMM_WORLD` of a group; 0 if it is not known.
    fn lowest(&self, group: Option<GroupId>) -> u64 {
        let ranks = group.and_then(|group| self.snapshot.groups.get(group.0));
        let lowest = ranks.and_then(|ranks| ranks.iter().copied().min());
        lowest.and_then(|rank| u64::try_from(rank).ok()).unwrap_or(0)
    }

    /// The members of a communicator, or those of the other side of an intercommunicator.
    fn members(&mut self, record: &Record<'_>, remote: bool, size: i64) -> Result<GroupId> {
        match self.layout.members {
            Members::Maps(fields, map) => {
                let inter = record.get(self.layout.communicator.comm_kind)? == communicator::INTER;
                let place = if inter && !remote { fields.local_map } else { fields.map };
                self.group(&map, record.inner(place)?, size)
            }
            Members::Groups(fields, group) => {
                let place = if remote { fields.remote_group } else { fields.local_group };
                self.group_object(&group, record.get(place)?, size)
            }
            Members::Connections(fields, table, connection) => {
                let inter = record.get(self.layout.communicator.comm_kind)? == communicator::INTER;
                let place = if inter && !remote { fields.local_table } else { fields.table };
                self.group_of_connections(&table, &connection, record.get(place)?, size)
            }
        }
    }

    /// The group that a group object describes, in the form of [`Self::group`].
    fn group_object(&mut self, fields: &GroupFields, address: u64, size: i64) -> Result<GroupId> {
        const WORD: usize = size_of::<i64>();
        let bytes = self.memory.record(address, fields.bytes())?;
        let record = Record { bytes: &bytes, target: self.memory.target };
        if record.get(fields.size)? != size || !(0..=MAX_PROCESSES).contains(&size) {
            return Err(impossible("size"));
        }
        self.memory.account(size as u64 * size_of::<i32>() as u64)?;
        let table = match record.get(fields.use_map)? {
            0 => None,
            1 => Some(self.memory.record(record.get(fields.map)?, size as usize * WORD)?),
            _ => return Err(impossible("use_map")),
        };
        let (offset, stride) = (record.get(fields.offset)?, record.get(fields.stride)?);
        let mut ranks = Vec::new();
        ranks.try_reserve_exact(size as usize)?;
        for rank in 0..size {
            let process = match &table {
                Some(table) => {
                    let bytes = table.get(rank as usize * WORD..).unwrap_or_default();
                    Record { bytes, target: self.memory.target }
                        .get(Field::<Signed<WORD>>::at(0))?
                }
                None => stride
                    .checked_mul(rank)
                    .and_then(|place| place.checked_add(offset))
                    .ok_or(impossible("stride"))?,
            };
            // The high half is the number of the job, and 0 is this one.
            let world = match i32::try_from(process) {
                Ok(process) if (0..self.world_size).contains(&process.into()) => process,
                Err(_) if process > 0 => -1,
                _ => return Err(impossible("lpid")),
            };
            push(&mut ranks, world)?;
        }
        let group = GroupId(self.snapshot.groups.len());
        push(&mut self.snapshot.groups, ranks)?;
        Ok(group)
    }

    /// The group that a table of connections describes, in the form of [`Self::group`].
    fn group_of_connections(
        &mut self,
        fields: &ConnectionTable,
        connection: &Connection,
        address: u64,
        size: i64,
    ) -> Result<GroupId> {
        let pointer = self.memory.target.pointer;
        let bytes = self.memory.record(address, fields.bytes())?;
        let record = Record { bytes: &bytes, target: self.memory.target };
        // The table may be that of a larger communicator, whose first members these are.
        if record.get(fields.size)? < size || !(0..=MAX_PROCESSES).contains(&size) {
            return Err(impossible("size"));
        }
        let first = fields.connections.address(address);
        let connections = self.memory.record(first, size as usize * pointer)?;
        let own_job = self.own_job(fields, connection)?;
        let mut ranks = Vec::new();
        ranks.try_reserve_exact(size as usize)?;
        for bytes in connections.chunks_exact(pointer) {
            let (job, rank) = self.process(connection, self.memory.target.unsigned(bytes))?;
            let world = match i32::try_from(rank) {
                Ok(rank) if job == own_job && (0..self.world_size).contains(&rank.into()) => rank,
                Ok(0..) if job != own_job => -1,
                _ => return Err(impossible("pg_rank")),
            };
            push(&mut ranks, world)?;
        }
        let group = GroupId(self.snapshot.groups.len());
        push(&mut self.snapshot.groups, ranks)?;
        Ok(group)
    }

    /// The job and the rank there of the process that a connection leads to.
    fn process(&mut self, fields: &Connection, address: u64) -> Result<(u64, i64)> {
        let job = self.memory.pointer(fields.job.address(address))?;
        let int = self.memory.target.int;
        let rank = self.memory.record(fields.rank.address(address), int)?;
        Ok((job, self.memory.target.signed(&rank)))
    }

    /// The rank in `MPI_COMM_WORLD` of the process that a connection leads to. None: it is a
    /// process of another job.
    pub(super) fn world_rank(&mut self, address: u64) -> Result<Option<i32>> {
        let Members::Connections(_, table, connection) = self.layout.members else {
            return Err(impossible("vcrt"));
        };
        let own_job = self.own_job(&table, &connection)?;
        let (job, rank) = self.process(&connection, address)?;
        let is_own = job == own_job && (0..self.world_size).contains(&rank);
        Ok(i32::try_from(rank).ok().filter(|_| is_own))
    }

    /// The job of this process: that of the first member of `MPI_COMM_WORLD`.
    fn own_job(&mut self, table: &ConnectionTable, connection: &Connection) -> Result<u64> {
        let Members::Connections(fields, ..) = self.layout.members else {
            return Err(impossible("vcrt"));
        };
        let table_of_world = self.memory.pointer(fields.table.address(self.roots.predefined))?;
        let first = self.memory.pointer(table.connections.address(table_of_world))?;
        Ok(self.process(connection, first)?.0)
    }

    /// The group that a map describes: for each rank, the rank in `MPI_COMM_WORLD`, or -1 for a
    /// process of another job.
    fn group(&mut self, fields: &RankMap, map: Record<'_>, size: i64) -> Result<GroupId> {
        if map.get(fields.size)? != size || !(0..=MAX_PROCESSES).contains(&size) {
            return Err(impossible("size"));
        }
        self.memory.account(size as u64 * size_of::<i32>() as u64)?;
        let (offset, stride, block) =
            (map.get(fields.offset)?, map.get(fields.stride)?, map.get(fields.block)?);
        let way = map.get(fields.mode)?;
        // The maps of one job do not name it.
        let is_own = |job: i64| job == 0;
        let own = match way {
            mode::DIRECT | mode::OFFSET | mode::STRIDE | mode::STRIDE_BLOCK | mode::LUT => {
                is_own(map.get(fields.avtid)?)
            }
            _ => true,
        };
        let int = self.memory.target.int;
        let table = match way {
            mode::LUT | mode::LUT_INTRA => {
                self.memory.record(map.get(fields.table)?, size as usize * int)?
            }
            mode::MLUT => {
                self.memory.record(map.get(fields.mixed_table)?, size as usize * MIXED * int)?
            }
            _ => Vec::new(),
        };
        let number = |place: usize| {
            let bytes = table.get(place * int..).unwrap_or_default();
            Record { bytes, target: self.memory.target }.get(Field::<Int>::at(0))
        };
        let mut ranks = Vec::new();
        ranks.try_reserve_exact(size as usize)?;
        for rank in 0..size {
            let (own, process) = match way {
                mode::DIRECT | mode::DIRECT_INTRA => (own, rank),
                mode::OFFSET | mode::OFFSET_INTRA => (own, rank + offset),
                mode::STRIDE | mode::STRIDE_INTRA => (own, rank * stride + offset),
                mode::STRIDE_BLOCK | mode::STRIDE_BLOCK_INTRA if block > 0 => {
                    (own, rank / block * (stride - block) + rank + offset)
                }
                mode::LUT | mode::LUT_INTRA => (own, number(rank as usize)?),
                mode::MLUT => {
                    let entry = MIXED * rank as usize;
                    (is_own(number(entry)?), number(entry + 1)?)
                }
                _ => return Err(impossible("mode")),
            };
            let world = match i32::try_from(process) {
                Ok(process) if own && (0..self.world_size).contains(&process.into()) => process,
                Ok(0..) if !own => -1,
                _ => return Err(impossible("lpid")),
            };
            push(&mut ranks, world)?;
        }
        let group = GroupId(self.snapshot.groups.len());
        push(&mut self.snapshot.groups, ranks)?;
        Ok(group)
    }

    /// The number of processes in `MPI_COMM_WORLD`.
    pub(super) fn size_of_world(&mut self) -> Result<i64> {
        let fields = &self.layout.communicator;
        let here = |error: Error| error.within(CommunicatorFields::NAME, self.roots.predefined);
        let bytes = self.memory.record(self.roots.predefined, fields.bytes()).map_err(here)?;
        Record { bytes: &bytes, target: self.memory.target }.get(fields.local_size)
    }
}
