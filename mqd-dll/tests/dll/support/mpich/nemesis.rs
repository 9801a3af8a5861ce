//! The shared memory of the channel nemesis.

use super::{HEAP, Writer};
use crate::support::process::Region;

/// The cells of a process, and the size of a cell.
pub const NEMESIS_CELLS: u64 = 64;
const CELL_BYTES: u64 = 64 << 10;
/// Where the shared memory is. It has the boxes and the cells of this process.
const SHARED: u64 = HEAP + (1 << 32);
const FIRST_CELL: u64 = SHARED + (1 << 20);
const PROCESSES: u64 = 4;

/// What rank 1 has on its way.
#[derive(Clone, Copy, Debug)]
pub struct Nemesis {
    pub free: u64,
    /// It has taken a cell in advance.
    pub takes_one: bool,
    pub full_boxes: u64,
    /// Links count from where the shared memory begins.
    pub is_relative: bool,
}

impl Nemesis {
    /// Nothing is on its way.
    pub const QUIET: Self =
        Self { free: NEMESIS_CELLS - 1, takes_one: true, full_boxes: 0, is_relative: true };
}

impl Writer {
    pub(super) fn nemesis(&mut self, nemesis: Nemesis) {
        let bytes = (FIRST_CELL - SHARED + NEMESIS_CELLS * CELL_BYTES) as usize;
        self.process.regions.push(Region { start: SHARED, bytes: vec![0; bytes] });
        let (ty, queue_ty) = ("MPID_nem_mem_region_t", "MPID_nem_queue_t");
        let region = self.variable(ty, self.size(ty));
        let taken = self.variable("prefetched", 8);
        let (free, receive) = (self.room(self.size(queue_ty)), self.room(self.size(queue_ty)));
        let tables = [free, receive].map(|queue| {
            let table = self.room(PROCESSES * 8);
            self.number(table + 8, queue as i64, 8);
            table
        });
        let boxes = self.room(PROCESSES * 8);
        for rank in (0..PROCESSES).filter(|rank| *rank != 1) {
            let at = SHARED + rank * 4096;
            self.number(boxes + rank * 8, at as i64, 8);
            let place = if rank == 0 { 0 } else { rank - 1 };
            self.number(at, i64::from(place < nemesis.full_boxes), 4);
        }
        for (field, value) in [
            ("shm_ptr", SHARED),
            ("num_local", PROCESSES),
            ("num_procs", PROCESSES),
            ("local_rank", 1),
            ("rank", 1),
            ("mailboxes.out", boxes),
            ("Elements", FIRST_CELL),
            ("FreeQ", tables[0]),
            ("RecvQ", tables[1]),
            ("my_freeQ", free),
            ("my_recvQ", receive),
        ] {
            self.put(region, ty, field, value as i64);
        }
        self.process.objects.push((queue_ty.to_owned(), free));
        let base = if nemesis.is_relative { SHARED } else { 0 };
        // The other way round.
        let cell = |index: u64| FIRST_CELL + (NEMESIS_CELLS - 1 - index) * CELL_BYTES;
        let link = |index: u64| if index < nemesis.free { cell(index) - base } else { 0 };
        let last = nemesis.free.checked_sub(1).map_or(0, link);
        self.put(free, queue_ty, "my_head", link(0) as i64);
        self.put(free, queue_ty, "tail", last as i64);
        for index in 0..nemesis.free {
            self.process.objects.push(("MPID_nem_cell_t".to_owned(), cell(index)));
            self.put(cell(index), "MPID_nem_cell_t", "next", link(index + 1) as i64);
        }
        if nemesis.takes_one {
            self.number(taken, FIRST_CELL as i64, 8);
        }
    }
}
