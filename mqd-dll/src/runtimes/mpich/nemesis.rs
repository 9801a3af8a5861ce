//! Messages on their way through the shared memory of the channel nemesis, which the device ch3
//! has.
//!
//! A message within a machine goes by cells, or by a box. A sender takes a free cell of its own,
//! fills it, and puts it into the receiver's queue. The receiver gives it back when it has handled
//! what is in it. A variable names a cell that the sender has taken in advance. From each process
//! to each other one there is a box for one short message, with a flag that says whether it is
//! full. So if all cells of a process are free and its boxes empty, none of its messages is on its
//! way, not even half taken in.

use super::cells::Used;
use super::layout::Nemesis;
use super::pass::Pass;
use crate::error::{Code, Error, OrUnreadable, Result};
use crate::layout::{Field, Int, Pointer, Record, Structure};

/// The cells of a process, and the size of a cell.
const CELLS: u64 = 64;
const CELL_BYTES: u64 = 64 << 10;

/// What a process keeps of the shared memory.
struct Region {
    /// The address of the variable.
    at: u64,
    shared: u64,
    /// The first cell of this process.
    cells: u64,
    /// The queue of its free cells.
    free: u64,
    /// The boxes for messages from this process.
    boxes: u64,
    own: u64,
    processes: u64,
}

impl Region {
    /// Whether one of the cells begins at this address.
    fn has_cell(&self, address: u64) -> bool {
        let offset = address.wrapping_sub(self.cells);
        offset < CELLS * CELL_BYTES && offset.is_multiple_of(CELL_BYTES)
    }
}

impl Pass<'_, '_> {
    /// How many cells and boxes of this process are in use. None: it is not known.
    pub(super) fn nemesis_used(&mut self, fields: &Nemesis) -> Result<Option<Used>> {
        let Some(region) = self.nemesis_region(fields)? else { return Ok(None) };
        let Some(free) = self.nemesis_free(fields, &region)? else { return Ok(None) };
        let Some(taken) = self.nemesis_taken(fields, &region)? else { return Ok(None) };
        let Some(used) = CELLS.checked_sub(free + taken) else { return Ok(None) };
        let full = self.nemesis_full_boxes(fields, &region)?;
        Ok(Some(Used { used: used + full, processes: region.processes }))
    }

    /// The variable that says where the shared memory is. None: there is none, or several
    /// variables look like it.
    fn nemesis_region(&mut self, fields: &Nemesis) -> Result<Option<Region>> {
        let (variables, target) = (&self.roots.variables, self.memory.target);
        let mut found = None;
        for (at, bytes) in variables.places(fields.region.bytes(), target.pointer) {
            let record = Record { bytes, target };
            let Some(region) = self.nemesis_region_at(fields, at, &record)? else { continue };
            if found.is_some() {
                return Ok(None);
            }
            found = Some(region);
        }
        Ok(found)
    }

    fn nemesis_region_at(
        &mut self,
        fields: &Nemesis,
        at: u64,
        record: &Record<'_>,
    ) -> Result<Option<Region>> {
        let fields = &fields.region;
        let (here, all) = (record.get(fields.processes_here)?, record.get(fields.processes)?);
        let own = record.get(fields.rank_here)?;
        let Some(world) = self.snapshot.communicators.first() else { return Ok(None) };
        let rank = record.get(fields.rank)?;
        let numbers_fit = all == self.world_size
            && rank == world.local_rank
            && (2..=all).contains(&here)
            && (0..here).contains(&own)
            && record.get(fields.processes_elsewhere)? == all - here;
        let pointer = self.memory.target.pointer as u64;
        let (cells, shared) = (record.get(fields.cells)?, record.get(fields.shared)?);
        let (free, boxes) = (record.get(fields.own_free_queue)?, record.get(fields.boxes)?);
        let (queues, tables) = (
            [free, record.get(fields.own_queue)?],
            [record.get(fields.free_queues)?, record.get(fields.queues)?],
        );
        let is_object = |address| self.roots.variables.may_be_object(self.memory.target, address);
        let addresses = [cells, shared, boxes, queues[0], queues[1], tables[0], tables[1]];
        if !numbers_fit || !addresses.into_iter().all(is_object) {
            return Ok(None);
        }
        for (queue, table) in queues.into_iter().zip(tables) {
            let place = table.wrapping_add(rank.cast_unsigned() * pointer);
            if self.memory.pointer(place).or_unreadable()? != Some(queue) {
                return Ok(None);
            }
        }
        let (own, processes) = (own.cast_unsigned(), here.cast_unsigned());
        Ok(Some(Region { at, shared, cells, free, boxes, own, processes }))
    }

    /// How many cells are free. None: their queue leads somewhere else.
    fn nemesis_free(&mut self, fields: &Nemesis, region: &Region) -> Result<Option<u64>> {
        let queue = &fields.queue;
        let bytes = self.memory.record(region.free, queue.bytes())?;
        let record = Record { bytes: &bytes, target: self.memory.target };
        let tail = record.get(queue.tail)?;
        let mut link = match record.get(queue.own_head)? {
            0 => record.get(queue.head)?,
            head => head,
        };
        // Links are addresses, or they count from where the shared memory begins.
        let bases = [0, region.shared];
        let base = bases.into_iter().find(|base| region.has_cell(base.wrapping_add(link)));
        let mut number = 0;
        while link != 0 {
            let cell = base.unwrap_or(0).wrapping_add(link);
            number += 1;
            if number > CELLS || !region.has_cell(cell) {
                return Ok(None);
            }
            self.memory.step()?;
            // A cell that is being given back may not be linked yet. It counts as used.
            link = if link == tail { 0 } else { self.memory.pointer(fields.next.address(cell))? };
        }
        Ok(Some(number))
    }

    /// How many cells are taken in advance. None: it is not known.
    fn nemesis_taken(&mut self, fields: &Nemesis, region: &Region) -> Result<Option<u64>> {
        let (variables, target) = (&self.roots.variables, self.memory.target);
        let size = fields.region.bytes() as u64;
        let mut number = 0;
        for (at, bytes) in variables.places(target.pointer, target.pointer) {
            let word = Record { bytes, target }.get(Field::<Pointer>::at(0))?;
            if region.has_cell(word) && at.wrapping_sub(region.at) >= size {
                number += 1;
            }
        }
        // One variable names such a cell.
        Ok(Some(number).filter(|number| *number <= 1))
    }

    /// How many messages of this process are in boxes.
    fn nemesis_full_boxes(&mut self, fields: &Nemesis, region: &Region) -> Result<u64> {
        let target = self.memory.target;
        let size = region.processes as usize * target.pointer;
        let boxes = self.memory.record(region.boxes, size)?;
        let mut full = 0;
        for (process, bytes) in (0..).zip(boxes.chunks_exact(target.pointer)) {
            let address = target.unsigned(bytes);
            if process == region.own {
                continue;
            }
            if address == 0 {
                return Err(Error::new(Code::Impossible).part("mailboxes.out"));
            }
            let flag: Field<Int> = fields.full;
            let bytes = self.memory.record(flag.address(address), target.int)?;
            full += u64::from(target.unsigned(&bytes) != 0);
        }
        Ok(full)
    }
}
