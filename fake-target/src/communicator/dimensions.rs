//! `MPI_Dims_create`: balanced grids (MPI 5.0, section 8.5.2).

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

/// Fills in the lengths of a grid with this number of processes, in descending order.
///
/// The standard wants them "as close to each other as possible" and does not say how that is
/// measured. Here the longest and the shortest side differ as little as the divisors allow. Among
/// such grids, the one with the longest shortest side is chosen, then the one with the longest next
/// side, and so on. MPICH does the same.
fn balance(processes: c_int, lengths: &mut [c_int]) {
    if lengths.is_empty() {
        return;
    }
    let mut search = Search { divisors: divisors(processes), best: Vec::new() };
    search.extend(&mut Vec::with_capacity(lengths.len()), processes, lengths.len());
    lengths.copy_from_slice(&search.best);
}

/// A search for the best grid, side by side from the longest one.
struct Search {
    divisors: Vec<c_int>,
    best: Vec<c_int>,
}

impl Search {
    /// Tries all sides that `rest` processes in `dimensions` more dimensions can have.
    fn extend(&mut self, sides: &mut Vec<c_int>, rest: c_int, dimensions: usize) {
        if dimensions == 1 {
            sides.push(rest);
            if is_better(sides, &self.best) {
                self.best.clone_from(sides);
            }
            sides.pop();
            return;
        }
        let cap = sides.last().copied().unwrap_or(rest);
        for at in 0..self.divisors.len() {
            let side = self.divisors[at];
            if side > cap {
                break;
            }
            // Those that follow are as long as this one at most.
            if rest % side != 0 || !reaches(side, dimensions, rest) {
                continue;
            }
            // Those that follow are as long as this at least, or the grid is worse than the best.
            let longest = sides.first().copied().unwrap_or(side);
            let shortest = gap(&self.best).map_or(1, |gap| (longest - gap).max(1));
            let left = rest / side;
            if side < shortest || (shortest > 1 && reaches(shortest, dimensions - 1, left + 1)) {
                continue;
            }
            sides.push(side);
            self.extend(sides, left, dimensions - 1);
            sides.pop();
        }
    }
}

/// The difference of the longest and the shortest side. None if there is no grid.
fn gap(sides: &[c_int]) -> Option<c_int> {
    Some(sides.first()? - sides.last()?)
}

/// Whether a grid is better than the best one so far.
fn is_better(sides: &[c_int], best: &[c_int]) -> bool {
    best.is_empty() || gap(sides) < gap(best) || {
        gap(sides) == gap(best) && sides.iter().rev().gt(best.iter().rev())
    }
}

/// Whether a grid with all sides of this length has at least this number of processes.
fn reaches(side: c_int, dimensions: usize, processes: c_int) -> bool {
    i64::from(side).saturating_pow(dimensions as u32) >= i64::from(processes)
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

    /// All grids, with their sides in descending order.
    fn grids(processes: c_int, dimensions: usize, longest: c_int) -> Vec<Vec<c_int>> {
        if dimensions == 0 {
            return if processes == 1 { vec![vec![]] } else { vec![] };
        }
        let sides = (1..=longest.min(processes)).filter(|side| processes % side == 0);
        let with = |side| {
            let rest = grids(processes / side, dimensions - 1, side);
            rest.into_iter().map(move |grid| [vec![side], grid].concat())
        };
        sides.flat_map(with).collect()
    }

    /// The grid that is to be found, by trying all of them.
    fn expected(processes: c_int, dimensions: usize) -> Vec<c_int> {
        let all = grids(processes, dimensions, processes);
        let gap = |grid: &Vec<c_int>| grid[0] - grid[dimensions - 1];
        let least = all.iter().map(gap).min().expect("there is a grid");
        let mut best: Vec<_> = all.into_iter().filter(|grid| gap(grid) == least).collect();
        best.sort_by_key(|grid| grid.iter().rev().copied().collect::<Vec<_>>());
        best.pop().expect("one at least")
    }

    #[test]
    fn grids_are_balanced() {
        let known: [(c_int, &[c_int]); 7] = [
            (289_296, &[41, 14, 9, 8, 7]),
            (72, &[9, 8]),
            (12, &[4, 3]),
            (7, &[7, 1]),
            (1, &[1, 1]),
            (6240, &[26, 16, 15]),
            (7488, &[26, 18, 16]),
        ];
        for (processes, sides) in known {
            let mut lengths = vec![0; sides.len()];
            balance(processes, &mut lengths);
            assert_eq!(lengths, sides);
        }
        for dimensions in 1..5 {
            for processes in 1..200 {
                let mut lengths = vec![0; dimensions];
                balance(processes, &mut lengths);
                assert_eq!(lengths, expected(processes, dimensions));
            }
        }
        // Numbers with as many divisors as any.
        for (processes, dimensions) in [(2_095_133_040, 9), (1 << 30, 20), (2_095_133_040, 3)] {
            let mut lengths = vec![0; dimensions];
            balance(processes, &mut lengths);
            let product: i64 = lengths.iter().map(|&n| i64::from(n)).product();
            assert_eq!(product, i64::from(processes));
        }
    }
}
