//! Collective operations under way, by the messages that Open MPI makes them of.
//!
//! Each blocking operation has a tag of its own, from -10 down to -26 (`coll_tags.h`; the same in
//! 4.1 and 5.0). The tags show the algorithm: an `MPI_Allreduce` that is made of a reduction and a
//! broadcast shows as these. The same holds for the operations inside a function like
//! `MPI_Comm_split`. The library does not count calls. Nonblocking operations use successive tags,
//! which do not tell the operation.

use super::pass::Found;
use crate::error::Result;
use crate::runtimes::kept;

/// The numbers of the operations in `mqs_get_comm_coll_state` by tag.
const BY_TAG: [(i64, usize); 17] = [
    (-10, 2),  // allgather
    (-11, 3),  // allgatherv
    (-12, 4),  // allreduce
    (-13, 5),  // alltoall
    (-14, 6),  // alltoallv
    (-15, 14), // alltoallw
    (-16, 0),  // barrier
    (-17, 1),  // bcast
    (-18, 15), // exscan
    (-19, 9),  // gather
    (-20, 10), // gatherv
    (-21, 8),  // reduce
    (-22, 7),  // reduce_scatter
    (-23, 16), // reduce_scatter_block
    (-24, 11), // scan
    (-25, 12), // scatter
    (-26, 13), // scatterv
];

impl Found {
    /// Notes the collective operation of an unfinished message of the library's own.
    pub(super) fn note_collective(&mut self, tag: i64) -> Result<()> {
        kept::note_collective(&mut self.collectives, &BY_TAG, tag)
    }
}
