//! `MPI_Dims_create`: balanced grids (MPI 5.0, section 8.5.2).

use std::collections::HashMap;
use std::ffi::c_int;

use crate::abi::*;
use crate::arguments::array_mut;
use crate::error::{Error, Result};

/// `MPI_Dims_create`: the free dimensions (0) as close to each other as possible, the largest
/// first.
pub(crate) fn dims_create(nnodes: c_int, ndims: c_int, dims: *mut c_int) -> Result {
    let n = usize::try_from(ndims)
        .map_err(|_| Error::new(MPI_ERR_DIMS, format!("{ndims} dimensions")))?;
    let dims = array_mut(dims, n, "dims")?;
    if nnodes < 1 || dims.iter().any(|&length| length < 0) {
        return Err(Error::new(MPI_ERR_DIMS, format!("{nnodes} processes in dimensions {dims:?}")));
    }
    let fixed = dims
        .iter()
        .filter(|&&length| length > 0)
        .fold(1i64, |p, &length| p.saturating_mul(length.into()));
    let mut free = vec![1; dims.iter().filter(|&&length| length == 0).count()];
    if i64::from(nnodes) % fixed != 0 || (free.is_empty() && n > 0 && fixed != i64::from(nnodes)) {
        return Err(Error::new(
            MPI_ERR_DIMS,
            format!("{nnodes} processes cannot be a grid with the dimensions {dims:?}"),
        ));
    }
    balance((i64::from(nnodes) / fixed) as c_int, &mut free);
    for (length, free) in dims.iter_mut().filter(|length| **length == 0).zip(free) {
        *length = free;
    }
    Ok(())
}

/// Fills in the lengths of a grid of so many processes, in descending order: each as small as the
/// divisors allow.
fn balance(processes: c_int, lengths: &mut [c_int]) {
    let divisors: Vec<c_int> = divisors(processes);
    let mut known = HashMap::new();
    let (mut rest, mut left) = (processes, lengths.len());
    for length in lengths {
        *length = smallest(rest, left, &divisors, &mut known);
        rest /= *length;
        left -= 1;
    }
}

/// The smallest longest side of a grid of so many processes in so many dimensions.
fn smallest(
    processes: c_int,
    dimensions: usize,
    divisors: &[c_int],
    known: &mut HashMap<(c_int, usize), c_int>,
) -> c_int {
    if dimensions == 1 || processes == 1 {
        return processes;
    }
    if let Some(length) = known.get(&(processes, dimensions)) {
        return *length;
    }
    let fits = |&&length: &&c_int| {
        processes % length == 0
            && f64::from(length).powi(dimensions as i32) > f64::from(processes) - 0.5
            && smallest(processes / length, dimensions - 1, divisors, known) <= length
    };
    let length = divisors.iter().find(fits).copied().unwrap_or(processes);
    known.insert((processes, dimensions), length);
    length
}

/// The divisors of a number, in ascending order.
fn divisors(number: c_int) -> Vec<c_int> {
    let small = (1..).take_while(|&d| i64::from(d) * i64::from(d) <= i64::from(number));
    let mut divisors: Vec<c_int> = small.filter(|d| number % d == 0).collect();
    let large = divisors
        .iter()
        .rev()
        .map(|d| number / d)
        .filter(|d| i64::from(*d) * i64::from(*d) > i64::from(number));
    let large: Vec<c_int> = large.collect();
    divisors.extend(large);
    divisors
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least difference between the longest and the shortest side, by trying all grids.
    fn least_longest(processes: c_int, dimensions: usize) -> c_int {
        if dimensions == 1 {
            return processes;
        }
        let all = (1..=processes).filter(|d| processes % d == 0);
        all.map(|d| d.max(least_longest(processes / d, dimensions - 1))).min().unwrap()
    }

    #[test]
    fn grids_are_balanced() {
        for (processes, expected) in [(72, [9, 8]), (12, [4, 3]), (7, [7, 1]), (1, [1, 1])] {
            let mut lengths = [0; 2];
            balance(processes, &mut lengths);
            assert_eq!(lengths, expected);
        }
        for dimensions in 1..5 {
            for processes in 1..200 {
                let mut lengths = vec![0; dimensions];
                balance(processes, &mut lengths);
                assert_eq!(lengths.iter().product::<c_int>(), processes);
                assert!(lengths.is_sorted_by(|a, b| a >= b), "{lengths:?}");
                assert_eq!(lengths[0], least_longest(processes, dimensions), "{lengths:?}");
            }
        }
        // A number with as many divisors as any.
        let mut lengths = [0; 9];
        balance(2_095_133_040, &mut lengths);
        assert_eq!(lengths.iter().map(|&n| i64::from(n)).product::<i64>(), 2_095_133_040);
    }
}
