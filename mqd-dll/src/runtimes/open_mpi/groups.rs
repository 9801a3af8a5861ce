//! Groups in all their representations, as ranks in `MPI_COMM_WORLD`.

use super::layout::{self, group_flags};
use super::library::MAX_PROCESSES;
use super::objects::{read_pointer, read_record};
use super::pass::{Pass, impossible};
use crate::alloc::{insert, push};
use crate::error::{Error, Result};
use crate::layout::{Record, Structure};
use crate::queues::{GroupId, ProcessName};

/// The most groups that are described by their parents' ranks, one by the other. More means damage.
const MAX_DEPTH: u32 = 64;

impl Pass<'_, '_> {
    /// Finds out which job this process belongs to: ranks in `MPI_COMM_WORLD` are those of its job.
    pub(super) fn own_job(&mut self, first_communicator: u64) -> Result<()> {
        let fields = self.layout.communicator.common;
        let bytes = read_record(self.memory, first_communicator, fields.bytes())?;
        let group =
            Record { bytes: &bytes, target: self.memory.target }.get(fields.c_local_group)?;
        let here = |error: Error| error.within(layout::Group::NAME, group);
        let bytes = read_record(self.memory, group, self.layout.group.bytes()).map_err(here)?;
        let record = Record { bytes: &bytes, target: self.memory.target };
        // With sessions only, there is no world that tells their number.
        self.world_size = match record.get(self.layout.group.grp_proc_count).map_err(here)? {
            0 => MAX_PROCESSES,
            size => size,
        };
        let own = read_pointer(self.memory, self.library.local_process)?;
        let own = self.process_name(own)?;
        self.job = own.job;
        self.snapshot.own_name = Some(own);
        Ok(())
    }

    /// A process's name: its job, and its rank there.
    ///
    /// Processes that this one has not talked to have no object: their pointer is odd, and holds
    /// the name itself.
    fn process_name(&mut self, process: u64) -> Result<ProcessName> {
        if !process.is_multiple_of(2) {
            return Ok(match self.memory.target.pointer {
                // Bit 0, 15 bits of the job's number in its family, 16 bits of the family, the
                // rank.
                8 => {
                    let job = (process >> 16 & 0xffff) << 16 | (process >> 1 & 0x7fff);
                    ProcessName { job, rank: process >> 32 }
                }
                _ => ProcessName { job: self.job, rank: process >> 1 },
            });
        }
        let here = |error: Error| error.within(layout::Proc::NAME, process);
        let bytes = read_record(self.memory, process, self.layout.proc.bytes()).map_err(here)?;
        let name = Record { bytes: &bytes, target: self.memory.target };
        let name = name.inner(self.layout.proc.proc_name).map_err(here)?;
        let fields = self.layout.process_name;
        let (job, rank) = (name.get(fields.jobid), name.get(fields.vpid));
        Ok(ProcessName { job: job.map_err(here)?, rank: rank.map_err(here)? })
    }

    /// The rank in `MPI_COMM_WORLD` of a process; its number in groups if it belongs to another
    /// job.
    fn world_rank(&mut self, process: u64) -> Result<i32> {
        if let Some(rank) = self.world_ranks.get(&process) {
            return Ok(*rank);
        }
        let name = self.process_name(process)?;
        let rank = if name.job != self.job {
            self.stranger(name)?
        } else if name.rank < self.world_size as u64 {
            name.rank as i32
        } else {
            return Err(impossible("vpid").within(layout::ProcessName::NAME, process));
        };
        insert(&mut self.world_ranks, process, rank)?;
        Ok(rank)
    }

    /// The number in groups of a process of another job. It may have two places: its object, and
    /// its name where there was no object yet.
    fn stranger(&mut self, name: ProcessName) -> Result<i32> {
        let key = name.job << 32 | name.rank;
        if let Some(number) = self.strangers.get(&key) {
            return Ok(*number);
        }
        let number = self.snapshot.add_stranger(name)?;
        insert(&mut self.strangers, key, number)?;
        Ok(number)
    }

    pub(super) fn group(&mut self, address: u64) -> Result<GroupId> {
        self.nested_group(address, 0)
    }

    fn nested_group(&mut self, address: u64, depth: u32) -> Result<GroupId> {
        if let Some(group) = self.groups.get(&address) {
            return Ok(*group);
        }
        let here = |error: Error| error.within(layout::Group::NAME, address);
        if depth > MAX_DEPTH {
            return Err(here(impossible("grp_parent_group_ptr")));
        }
        let fields = self.layout.group;
        let bytes = read_record(self.memory, address, fields.bytes()).map_err(here)?;
        let record = Record { bytes: &bytes, target: self.memory.target };
        let size = record.get(fields.grp_proc_count).map_err(here)?;
        // A group may hold processes of other jobs, so the world does not bound it.
        if !(0..=MAX_PROCESSES).contains(&size) {
            return Err(here(impossible("grp_proc_count")));
        }
        let flags = record.get(fields.grp_flags).map_err(here)?;
        let sparse =
            flags & (group_flags::SPORADIC | group_flags::STRIDED | group_flags::BITMAP) != 0;
        let world_ranks = if sparse {
            let parent = self
                .nested_group(record.get(fields.grp_parent_group_ptr).map_err(here)?, depth + 1)?;
            self.sparse(record, flags, parent, size as usize).map_err(here)?
        } else {
            self.dense(record.get(fields.grp_proc_pointers).map_err(here)?, size as usize)
                .map_err(here)?
        };
        let group = GroupId(self.snapshot.groups.len());
        push(&mut self.snapshot.groups, world_ranks)?;
        insert(&mut self.groups, address, group)?;
        Ok(group)
    }

    /// A group that lists its processes.
    fn dense(&mut self, pointers: u64, size: usize) -> Result<Vec<i32>> {
        let pointer = self.memory.target.pointer;
        let pointers = read_record(self.memory, pointers, size * pointer)?;
        let mut ranks = Vec::new();
        ranks.try_reserve_exact(size)?;
        for entry in pointers.chunks_exact(pointer) {
            let rank = self.world_rank(self.memory.target.unsigned(entry))?;
            push(&mut ranks, rank)?;
        }
        Ok(ranks)
    }

    /// A group that is described by its parent's ranks.
    fn sparse(
        &mut self,
        record: Record<'_>,
        flags: u64,
        parent: GroupId,
        size: usize,
    ) -> Result<Vec<i32>> {
        let layout = self.layout;
        let data = record.inner(layout.group.sparse_data)?;
        self.memory.account(size as u64 * size_of::<i32>() as u64)?;
        let mut ranks = Vec::new();
        ranks.try_reserve_exact(size)?;
        let of_parent = |pass: &Self, rank: i64| {
            let ranks = &pass.snapshot.groups[parent.0];
            usize::try_from(rank)
                .ok()
                .and_then(|rank| ranks.get(rank))
                .copied()
                .ok_or(impossible("sparse_data"))
        };
        if flags & group_flags::STRIDED != 0 {
            let (offset, stride) = (
                data.get(layout.strided.grp_strided_offset)?,
                data.get(layout.strided.grp_strided_stride)?,
            );
            for index in 0..size as i64 {
                push(
                    &mut ranks,
                    of_parent(self, offset.saturating_add(index.saturating_mul(stride)))?,
                )?;
            }
        } else if flags & group_flags::SPORADIC != 0 {
            let length = data.get(layout.sporadic.grp_sporadic_list_len)?;
            let length = usize::try_from(length).ok().filter(|length| *length <= size);
            let length = length.ok_or(impossible("grp_sporadic_list_len"))?;
            let list = data.get(layout.sporadic.grp_sporadic_list)?;
            let ranges = read_record(self.memory, list, length * layout.range.bytes())?;
            for range in ranges.chunks_exact(layout.range.bytes()) {
                let range = Record { bytes: range, target: self.memory.target };
                let (first, length) =
                    (range.get(layout.range.rank_first)?, range.get(layout.range.length)?);
                if !(0..=(size - ranks.len()) as i64).contains(&length) {
                    return Err(impossible("length"));
                }
                for rank in first..first.saturating_add(length) {
                    push(&mut ranks, of_parent(self, rank)?)?;
                }
            }
        } else {
            let length = data.get(layout.bitmap.grp_bitmap_array_len)?;
            if !(0..=MAX_PROCESSES / 8).contains(&length) {
                return Err(impossible("grp_bitmap_array_len"));
            }
            let bits = data.get(layout.bitmap.grp_bitmap_array)?;
            let bits = read_record(self.memory, bits, length as usize)?;
            for rank in (0..length * 8)
                .filter(|rank| bits[*rank as usize / 8] >> (rank % 8) & 1 != 0)
                .take(size)
            {
                push(&mut ranks, of_parent(self, rank)?)?;
            }
        }
        if ranks.len() == size { Ok(ranks) } else { Err(impossible("grp_proc_count")) }
    }
}
