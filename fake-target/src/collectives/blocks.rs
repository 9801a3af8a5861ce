//! Where in a buffer the elements of each rank are.

use std::ffi::c_int;

use super::buffer::Elements;
use crate::abi::MPI_Count;
use crate::arguments::Counts;
use crate::error::Result;

/// The positions of the blocks in a buffer that belong to the ranks of a group.
pub(super) enum Blocks {
    /// As many elements each, one after the other.
    Even(MPI_Count),
    /// Counts and displacements of their own.
    Listed(Vec<MPI_Count>, Vec<MPI_Count>),
}

impl Blocks {
    /// The blocks that two array arguments describe for this number of ranks.
    pub(super) fn listed(counts: Counts, displacements: Counts, ranks: c_int) -> Result<Self> {
        let ranks = ranks as usize;
        Ok(Blocks::Listed(counts.to_vec(ranks, "counts")?, displacements.to_vec(ranks, "displs")?))
    }

    /// The elements of a rank's block.
    pub(super) fn of(&self, base: &Elements, rank: c_int) -> Result<Elements> {
        match self {
            Blocks::Even(count) => base.part(MPI_Count::from(rank) * count, *count),
            Blocks::Listed(counts, displacements) => {
                base.part(displacements[rank as usize], counts[rank as usize])
            }
        }
    }
}
