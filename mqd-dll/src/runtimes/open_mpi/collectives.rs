//! Collective operations under way, by the messages that Open MPI makes them of.
//!
//! Each blocking operation has a tag of its own, from -10 down to -26 (`coll_tags.h`; the same in
//! 4.1 and 5.0). The tags show the algorithm: an `MPI_Allreduce` that is made of a reduction and a
//! broadcast shows as these. The same holds for the operations inside a function like
//! `MPI_Comm_split`. The library does not count calls. Nonblocking operations use successive tags,
//! which do not tell the operation.

use super::pass::Found;
use crate::alloc::push;
use crate::error::Result;
use crate::queues::Collective;

/// The tag of the first of [`BY_TAG`]; the others follow downwards.
const FIRST_TAG: i64 = -10;

/// The numbers of the operations in `mqs_get_comm_coll_state`: allgather, allgatherv, allreduce,
/// alltoall, alltoallv, alltoallw, barrier, bcast, exscan, gather, gatherv, reduce, reduce_scatter,
/// reduce_scatter_block, scan, scatter, scatterv.
const BY_TAG: [usize; 17] = [2, 3, 4, 5, 6, 14, 0, 1, 15, 9, 10, 8, 7, 16, 11, 12, 13];

impl Found {
    /// Notes the collective operation of an unfinished message of the library's own.
    pub(super) fn note_collective(&mut self, tag: i64) -> Result<()> {
        let place = FIRST_TAG.checked_sub(tag).and_then(|place| usize::try_from(place).ok());
        let Some(&number) = place.and_then(|place| BY_TAG.get(place)) else { return Ok(()) };
        if self.collectives.iter().any(|known| known.number == number) {
            return Ok(());
        }
        push(&mut self.collectives, Collective { number, calls: None, active: true })
    }
}
