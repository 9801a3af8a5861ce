//! Messages on their way through shared memory.
//!
//! A message within a machine goes by cells of shared memory. Its sender takes a free cell, fills
//! it, and puts it into the receiver's queue. The receiver gives it back when it has handled what
//! is in it. So if all cells are free, no message is on its way, not even half taken in.
//!
//! Each process has cells of its own. If MPICH uses the topology of the machine, a process also has
//! cells that distant senders take.

use super::layout::{CellHeader, CellQueue, Cells};
use super::pass::Pass;
use crate::alloc::push;
use crate::error::{Code, Error, OrUnreadable, Result};
use crate::layout::{Record, Structure};
use crate::queues::{Fifo, IN_HOST};

/// No pool has more cells than this for each process.
const MAX_CELLS: u64 = 1 << 16;
/// Nor more queues of free cells.
const MAX_FREE_QUEUES: u64 = 4;

/// Queues of free cells, and how many cells belong into each.
struct Free {
    first: u64,
    queues: u64,
    cells: u64,
    /// How many processes use them.
    processes: u64,
    /// Where the handles of cells count from.
    base: u64,
}

/// How many cells of this process are in use, and how many processes have such cells.
#[derive(Clone, Copy)]
pub(super) struct Used {
    pub(super) used: u64,
    pub(super) processes: u64,
}

impl Pass<'_, '_> {
    /// Notes how many cells of this process are in use, if all messages within the machine go by
    /// cells.
    pub(super) fn cells_in_use(&mut self) -> Result<()> {
        // Messages to processes of other jobs go by the network.
        if self.snapshot.groups.iter().any(|group| group.contains(&-1)) {
            return Ok(());
        }
        let used = match (self.layout.cells, self.layout.nemesis) {
            (Some(cells), _) => self.count_used(&cells),
            (None, Some(nemesis)) => self.nemesis_used(&nemesis),
            (None, None) => return Ok(()),
        };
        let Used { used, processes } = match used {
            Ok(Some(used)) => used,
            Ok(None) => return Ok(()),
            // No queue of messages depends on these counts, so the error is dropped.
            Err(error) if !error.is_final() => return Ok(()),
            Err(error) => return Err(error),
        };
        let mut fifos = Vec::new();
        let fifo = match processes == self.world_size.cast_unsigned() {
            true => Fifo { id: 0, reader: None, elements: used },
            false => Fifo { id: processes, reader: Some(IN_HOST), elements: used },
        };
        push(&mut fifos, fifo)?;
        self.snapshot.fifos = Some(fifos);
        Ok(())
    }

    /// The number of cells in use of all transports. None: there is none that processes share, or a
    /// list is not as it should be.
    fn count_used(&mut self, cells: &Cells) -> Result<Option<Used>> {
        let mut found: Option<Used> = None;
        let (variables, target) = (&self.roots.variables, self.memory.target);
        for (_, bytes) in variables.places(cells.transport.bytes(), target.pointer) {
            let transport = Record { bytes, target };
            let Some(free) = self.transport(cells, &transport)? else { continue };
            let Used { mut used, processes } =
                found.unwrap_or(Used { used: 0, processes: free.processes });
            if processes != free.processes {
                return Ok(None);
            }
            for number in 0..free.queues {
                let queue = free.first.wrapping_add(number * cells.queue.bytes() as u64);
                match self.free_cells(&cells.queue, &cells.header, queue, &free)? {
                    Some(number) => used += free.cells - number,
                    None => return Ok(None),
                }
            }
            found = Some(Used { used, processes });
        }
        Ok(found)
    }

    /// The free cells of this process, if there is a transport at this place, and several processes
    /// are on it.
    fn transport(&mut self, cells: &Cells, transport: &Record<'_>) -> Result<Option<Free>> {
        let fields = &cells.transport;
        let (number, size) = (transport.get(fields.cells)?, transport.get(fields.cell_size)?);
        let (terminals, own) =
            (transport.get(fields.terminals)?, transport.get(fields.own_terminal)?);
        let queue = cells.queue.bytes() as u64;
        let pool = transport.get(fields.pool)?;
        let target = self.memory.target;
        let looks_right = number > 0
            && size > 0
            && own >= terminals
            && (own - terminals).is_multiple_of(queue)
            && [terminals, own, pool]
                .into_iter()
                .all(|address| self.roots.variables.may_be_object(target, address));
        if !looks_right {
            return Ok(None);
        }
        let Some(bytes) = self.memory.record(pool, cells.pool.bytes()).or_unreadable()? else {
            return Ok(None);
        };
        let record = Record { bytes: &bytes, target };
        let (rank, processes) = (record.get(cells.pool.rank)?, record.get(cells.pool.processes)?);
        let queues = cells.free_queues.map_or(Ok(1), |fields| record.get(fields.number))?;
        let is_right = record.get(cells.pool.cell_size)? == size.cast_unsigned()
            && record.get(cells.pool.cells)? == number.cast_unsigned()
            && (2..=self.world_size.cast_unsigned()).contains(&processes)
            && u64::try_from(rank).is_ok_and(|rank| rank == (own - terminals) / queue)
            && number.cast_unsigned() <= MAX_CELLS
            && (1..=MAX_FREE_QUEUES).contains(&queues);
        if !is_right {
            return Ok(None);
        }
        let all = record.get(cells.pool.free_queues)?;
        let before = rank.cast_unsigned() * queues;
        Ok(Some(Free {
            first: all.wrapping_add(before * queue),
            queues,
            cells: number.cast_unsigned(),
            processes,
            base: record.get(cells.pool.base)?,
        }))
    }

    /// How many cells are in a queue of free cells. None: it leads somewhere else.
    fn free_cells(
        &mut self,
        queue: &CellQueue,
        header: &CellHeader,
        address: u64,
        free: &Free,
    ) -> Result<Option<u64>> {
        let target = self.memory.target;
        let bytes = self.memory.record(address, queue.bytes())?;
        let record = Record { bytes: &bytes, target };
        let (mut handle, tail) = (record.get(queue.head)?, record.get(queue.tail)?);
        let mut number = 0;
        while handle != 0 {
            number += 1;
            if number > free.cells {
                return Ok(None);
            }
            self.memory.step()?;
            let at = free.base.wrapping_add(handle).wrapping_sub(1);
            let bytes = self.memory.record(at, header.bytes())?;
            let record = Record { bytes: &bytes, target };
            if record.get(header.handle)? != handle {
                return Err(Error::new(Code::Impossible));
            }
            // A cell that is being given back may not be linked yet. It counts as used.
            handle = if handle == tail { 0 } else { record.get(header.next)? };
        }
        Ok(Some(number))
    }
}
