//! A grid of processes.

use std::ffi::c_int;

use crate::abi::MPI_ERR_DIMS;
use crate::arguments::array;
use crate::error::{Error, Result};

/// A grid of processes.
#[derive(Debug)]
pub(crate) struct Cartesian {
    pub(super) dimensions: Vec<Dimension>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Dimension {
    pub(super) length: c_int,
    pub(super) periodic: bool,
}

impl Cartesian {
    /// The grid that the arguments describe; `MPI_ERR_DIMS` if they do not.
    pub(super) fn new(ndims: c_int, dims: *const c_int, periods: *const c_int) -> Result<Self> {
        let n = usize::try_from(ndims)
            .map_err(|_| Error::new(MPI_ERR_DIMS, format!("{ndims} dimensions")))?;
        let (dims, periods) = (array(dims, n, "dims")?, array(periods, n, "periods")?);
        if let Some(length) = dims.iter().find(|&&length| length < 1) {
            return Err(Error::new(MPI_ERR_DIMS, format!("a dimension of {length} processes")));
        }
        let dimensions =
            dims.iter().zip(periods).map(|(&length, &p)| Dimension { length, periodic: p != 0 });
        Ok(Cartesian { dimensions: dimensions.collect() })
    }

    pub(super) fn processes(&self) -> i64 {
        self.dimensions.iter().fold(1, |product: i64, d| product.saturating_mul(d.length.into()))
    }

    /// The rank at distance `by` from another one in a dimension; none beyond the border.
    pub(super) fn neighbour(&self, rank: c_int, dimension: usize, by: i64) -> Option<c_int> {
        let mut coordinates = self.coordinates(rank);
        let Dimension { length, periodic } = self.dimensions[dimension];
        let moved = i64::from(coordinates[dimension]) + by;
        let moved = if periodic { moved.rem_euclid(length.into()) } else { moved };
        coordinates[dimension] = c_int::try_from(moved).unwrap_or(-1);
        self.rank(&coordinates)
    }

    pub(super) fn coordinates(&self, rank: c_int) -> Vec<c_int> {
        let mut rest = rank;
        let mut coordinates: Vec<c_int> = self
            .dimensions
            .iter()
            .rev()
            .map(|d| {
                let coordinate = rest % d.length;
                rest /= d.length;
                coordinate
            })
            .collect();
        coordinates.reverse();
        coordinates
    }

    /// The rank at coordinates. They wrap around in a periodic dimension. None if they are outside
    /// of another dimension.
    pub(super) fn rank(&self, coordinates: &[c_int]) -> Option<c_int> {
        self.dimensions.iter().zip(coordinates).try_fold(0, |rank, (d, &coordinate)| {
            let inside = if d.periodic { coordinate.rem_euclid(d.length) } else { coordinate };
            (0..d.length).contains(&inside).then(|| rank * d.length + inside)
        })
    }
}
