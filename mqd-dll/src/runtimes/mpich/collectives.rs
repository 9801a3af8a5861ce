//! Collective operations under way, by the messages that MPICH makes them of.
//!
//! Each blocking operation has a tag of its own (`mpir_tags.h`; the same from 3.4 to 5.0). The tags
//! show the algorithm: an `MPI_Allreduce` that is made of a reduction and a broadcast shows as
//! these. The library does not count calls. Nonblocking operations use successive tags, which do
//! not tell the operation.

use super::pass::Found;
use crate::error::Result;
use crate::runtimes::kept;

/// The numbers of the operations in `mqs_get_comm_coll_state` by tag.
const BY_TAG: [(i64, usize); 17] = [
    (1, 0),   // barrier
    (2, 1),   // bcast
    (3, 9),   // gather
    (4, 10),  // gatherv
    (5, 12),  // scatter
    (6, 13),  // scatterv
    (7, 2),   // allgather
    (8, 3),   // allgatherv
    (9, 5),   // alltoall
    (10, 6),  // alltoallv
    (11, 8),  // reduce
    (14, 4),  // allreduce
    (17, 7),  // reduce_scatter
    (20, 11), // scan
    (24, 15), // exscan
    (25, 14), // alltoallw
    (28, 16), // reduce_scatter_block
];

impl Found {
    /// Notes the collective operation of an unfinished message of the library's own.
    pub(super) fn note_collective(&mut self, tag: i64) -> Result<()> {
        kept::note_collective(&mut self.collectives, &BY_TAG, tag)
    }
}
