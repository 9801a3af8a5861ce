//! `MPI_Type_create_darray`: a process's part of an array that is distributed over a grid of
//! processes (MPI 5.0, section 5.1.4).

use std::ffi::{CStr, c_int};
use std::sync::Arc;

use super::constructors::give;
use super::layout::{Layout, plus, times};
use super::lookup::find;
use super::making::{derived, fastest_first, incomplete, make};
use super::object::{Bounds, Datatype, DatatypeRef, Recipe, is_large};
use crate::abi::*;
use crate::arguments::{Counts, Out, array};
use crate::error::{Error, Result};

fn wrong(message: String) -> Error {
    Error::new(MPI_ERR_ARG, message)
}

/// How a dimension is distributed, and which part of it a process has.
struct Dimension {
    /// Elements of the whole array.
    length: MPI_Count,
    /// Elements of a block.
    block: MPI_Count,
    /// Processes, and which of them this is.
    processes: MPI_Count,
    place: MPI_Count,
}

impl Dimension {
    fn new(
        length: MPI_Count,
        distribution: c_int,
        argument: c_int,
        processes: c_int,
        place: c_int,
    ) -> Result<Dimension> {
        let (processes, place) = (MPI_Count::from(processes), MPI_Count::from(place));
        let default = argument == MPI_DISTRIBUTE_DFLT_DARG;
        if length < 1 || !default && argument < 1 {
            return Err(wrong(format!("an array of {length} elements in blocks of {argument}")));
        }
        let block = match distribution {
            MPI_DISTRIBUTE_NONE if processes == 1 => length,
            MPI_DISTRIBUTE_BLOCK if default => {
                length / processes + MPI_Count::from(length % processes > 0)
            }
            MPI_DISTRIBUTE_BLOCK if times(argument.into(), processes)? >= length => argument.into(),
            MPI_DISTRIBUTE_CYCLIC => {
                if default {
                    1
                } else {
                    argument.into()
                }
            }
            _ => {
                return Err(wrong(format!(
                    "{length} elements over {processes} processes cannot be distributed as \
                     {distribution} with the argument {argument}"
                )));
            }
        };
        Ok(Dimension { length, block, processes, place })
    }

    /// The process's part of elements `stride` bytes apart, and how many elements that is.
    fn part(&self, inner: &Arc<Layout>, stride: MPI_Count) -> Result<(Arc<Layout>, MPI_Count)> {
        let first = times(self.place, self.block)?;
        let round = times(self.block, self.processes)?;
        let own = (self.length - first).max(0);
        let (whole, rest) = (own / round, (own % round).min(self.block));
        let block = Layout::repeat(self.block, stride, inner)?;
        let mut pieces = Vec::new();
        if whole > 0 {
            let offset = times(first, stride)?;
            pieces.push((offset, Layout::repeat(whole, times(round, stride)?, &block)?));
        }
        if rest > 0 {
            let offset = times(plus(first, times(whole, round)?)?, stride)?;
            pieces.push((offset, Layout::repeat(rest, stride, inner)?));
        }
        Ok((Layout::sequence(pieces)?, plus(times(whole, self.block)?, rest)?))
    }
}

/// The place of a process in a grid, in row-major order.
fn places(rank: c_int, grid: &[c_int]) -> Vec<c_int> {
    let mut rest = rank;
    let mut places: Vec<c_int> = grid
        .iter()
        .rev()
        .map(|&processes| {
            let place = rest % processes;
            rest /= processes;
            place
        })
        .collect();
    places.reverse();
    places
}

/// `MPI_Type_create_darray`
#[expect(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(crate) fn darray(
    call: &CStr,
    size: c_int,
    rank: c_int,
    ndims: c_int,
    gsizes: Counts,
    distribs: *const c_int,
    dargs: *const c_int,
    psizes: *const c_int,
    order: c_int,
    oldtype: MPI_Datatype,
    newtype: Out<MPI_Datatype>,
) -> Result {
    let n = usize::try_from(ndims).ok().filter(|&n| n > 0);
    let n = n.ok_or_else(|| wrong(format!("the number of dimensions {ndims} is not positive")))?;
    let lengths = gsizes.to_vec(n, "array_of_gsizes")?;
    let distributions = array(distribs, n, "array_of_distribs")?;
    let arguments = array(dargs, n, "array_of_dargs")?;
    let grid = array(psizes, n, "array_of_psizes")?;
    let processes = grid.iter().fold(1, |all: i64, &p| all.saturating_mul(p.max(0).into()));
    if processes != size.into() || !(0..size).contains(&rank) {
        return Err(wrong(format!("the process {rank} of {size} in a grid of {grid:?}")));
    }
    if ![MPI_ORDER_C, MPI_ORDER_FORTRAN].contains(&order) {
        return Err(wrong(format!("{order} is neither MPI_ORDER_C nor MPI_ORDER_FORTRAN")));
    }
    let old = find(oldtype)?;
    let wide = |values: &[c_int]| values.iter().map(|&v| v.into()).collect::<Vec<MPI_Count>>();
    let large = is_large(call);
    let integers = [
        wide(&[size, rank, ndims]),
        if large { Vec::new() } else { lengths.clone() },
        wide(distributions),
        wide(arguments),
        wide(grid),
        wide(&[order]),
    ];
    let recipe = Recipe {
        large_counts: if large { lengths.clone() } else { Vec::new() },
        datatypes: vec![old.clone()],
        ..Recipe::of_integers(MPI_COMBINER_DARRAY, integers.concat())
    };
    give(newtype, make(recipe))
}

/// Follows the recipe of such a call.
pub(super) fn made(old: DatatypeRef, recipe: Recipe) -> Result<Datatype> {
    let values = recipe.array_arguments(3);
    let [_, rank, n, lists @ .., order] = &values[..] else { return Err(incomplete(&recipe)) };
    let (n, narrow) = (*n as usize, |value: &MPI_Count| *value as c_int);
    let lengths = &lists[..n];
    let small: Vec<c_int> = lists[n..].iter().map(narrow).collect();
    let (distributions, arguments, grid) = (&small[..n], &small[n..2 * n], &small[2 * n..]);
    // The grid of processes is in row-major order in any case.
    let places = places(narrow(rank), grid);
    let (mut layout, mut stride, mut elements) = (old.layout.clone(), old.extent(), 1);
    for d in fastest_first(n, *order) {
        let (length, distribution) = (lengths[d], distributions[d]);
        let dimension = Dimension::new(length, distribution, arguments[d], grid[d], places[d])?;
        let (part, count) = dimension.part(&layout, stride)?;
        layout = part;
        elements = times(elements, count)?;
        stride = times(stride, length)?;
    }
    // As with a part of an array, the bounds are those of the whole.
    let bounds = Bounds { lb: 0, ub: stride, explicit: true, align: old.bounds.align };
    derived(layout, bounds, vec![(elements, old)], recipe)
}
