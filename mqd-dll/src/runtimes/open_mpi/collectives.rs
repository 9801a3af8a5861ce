//! Collective operations under way, by the messages that Open MPI makes them of.
//!
//! Blocking ones use a tag of their own each, from -10 down to -26 (`coll_tags.h`; the same in 4.1
//! and 5.0). What is under way is the algorithm: an `MPI_Allreduce` that is made of a reduction and
//! a broadcast shows as these, and so does what a function like `MPI_Comm_split` needs. The library
//! does not count calls. Nonblocking operations take their tags in turn, which tell nothing.

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
    /// Notes what a message of the library itself tells that is not finished.
    pub(super) fn note_collective(&mut self, tag: i64) -> Result<()> {
        let place = FIRST_TAG.checked_sub(tag).and_then(|place| usize::try_from(place).ok());
        let Some(&number) = place.and_then(|place| BY_TAG.get(place)) else { return Ok(()) };
        if self.collectives.iter().any(|known| known.number == number) {
            return Ok(());
        }
        push(&mut self.collectives, Collective { number, calls: None, active: true })
    }
}
