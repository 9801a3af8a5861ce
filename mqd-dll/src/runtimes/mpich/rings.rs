//! Messages on their way through the shared memory of Intel MPI.
//!
//! Each process of the machine has a ring of elements. A sender takes the next element of the
//! receiver's ring by counting what is filled, and then writes the message, or the announcement of
//! a long one, into it. The receiver counts an element as taken when it has handled it. Its message
//! is then in a queue, or has been received, or belongs to a receive that is matched.
//!
//! If the job has processes on other machines, messages to these go by the network. A ring is then
//! known by its place among those of the machine, and not by its rank.

use super::layout::{IntelControl, IntelRings};
use super::pass::Pass;
use crate::alloc::push;
use crate::error::Result;
use crate::layout::{Record, Structure};
use crate::queues::{Fifo, OF_HOST};

/// Bytes of an element. Both counts are in bytes.
const ELEMENT: u64 = 512;
/// The shared memory may be divided among threads. This is how many parts there may be.
const PARTS: usize = 64;
/// No machine has more processes of a job than this.
const MAX_PROCESSES: usize = 4096;

impl Pass<'_, '_> {
    /// Notes how many elements are in the rings. Whether all messages of the job go by them.
    pub(super) fn intel_rings(&mut self) -> Result<bool> {
        // Messages to processes of other jobs go by the network.
        if self.snapshot.groups.iter().any(|group| group.contains(&-1)) {
            return Ok(false);
        }
        // An element may be taken whose message is not whole.
        let rings = self.layout.rings.filter(|_| self.layout.intel_status.is_some());
        let fifos = match rings.zip(self.roots.rings) {
            Some(((rings, control), place)) => self.read_rings(&rings, &control, place),
            None => return Ok(false),
        };
        match fifos {
            Ok(Some((fifos, is_all))) => {
                self.snapshot.fifos = Some(fifos);
                Ok(is_all)
            }
            Ok(None) => Ok(false),
            // No queue of messages depends on these counts, so the error is dropped.
            Err(error) if !error.is_final() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The rings of the machine, and whether all messages of the job go by them. None: not all
    /// messages within the machine do, or something is not as it should be.
    fn read_rings(
        &mut self,
        rings: &IntelRings,
        control: &IntelControl,
        place: u64,
    ) -> Result<Option<(Vec<Fifo>, bool)>> {
        let target = self.memory.target;
        let parts = self.memory.record(place, PARTS * target.pointer)?;
        let (first, others) = parts.split_at(target.pointer);
        let first = target.unsigned(first);
        // Without shared memory there is no part. With several, other rings carry messages, too.
        if !target.may_be_object(first) || others.iter().any(|byte| *byte != 0) {
            return Ok(None);
        }
        let bytes = self.memory.record(first, rings.bytes())?;
        let record = Record { bytes: &bytes, target };
        let (own, controls) = (record.get(rings.own_control)?, record.get(rings.controls)?);
        let (rank, processes) = (record.get(rings.rank)?, record.get(rings.processes)?);
        let taken = record.get(rings.taken)?;
        let stride = control.bytes() as u64;
        // The place of this process among those of the machine.
        let place = i32::try_from(own.wrapping_sub(controls) / stride);
        let (Ok(place), Ok(number)) = (place, usize::try_from(processes)) else {
            return Ok(None);
        };
        let is_all = processes == self.world_size;
        let is_right = (1..=self.world_size).contains(&processes)
            && number <= MAX_PROCESSES
            && own.wrapping_sub(controls).is_multiple_of(stride)
            && i64::from(place) < processes
            && (!is_all || i64::from(place) == rank && self.own_rank() == Some(rank))
            && taken.is_multiple_of(ELEMENT);
        if !is_right {
            return Ok(None);
        }
        let mut fifos = Vec::new();
        // No queue has the number 0.
        let id = |place: i32| u64::from(place.unsigned_abs()) + 1;
        push(&mut fifos, Fifo { id: id(place), reader: None, elements: taken / ELEMENT })?;
        let all = self.memory.record(controls, number * control.bytes())?;
        for (reader, bytes) in (0..).zip(all.chunks_exact(control.bytes())) {
            let filled = Record { bytes, target }.get(control.filled)?;
            if !filled.is_multiple_of(ELEMENT) {
                return Ok(None);
            }
            let elements = filled / ELEMENT;
            let by = if is_all { reader } else { OF_HOST };
            push(&mut fifos, Fifo { id: id(reader), reader: Some(by), elements })?;
        }
        Ok(Some((fifos, is_all)))
    }

    /// The rank of this process in `MPI_COMM_WORLD`.
    fn own_rank(&mut self) -> Option<i64> {
        let fields = &self.layout.communicator;
        let bytes = self.memory.record(self.roots.predefined, fields.bytes()).ok()?;
        Record { bytes: &bytes, target: self.memory.target }.get(fields.rank).ok()
    }
}
