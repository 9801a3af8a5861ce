//! What a call makes of its arguments. Constructors write the arguments into a [`Recipe`], and
//! [`make`] follows it. It can be followed again with other datatypes in the places of the old
//! ones, which gives the datatype as it lies in a file.

use std::collections::HashMap;
use std::sync::Arc;

use super::darray;
use super::layout::{Layout, minus, plus, times};
use super::object::{Bounds, Datatype, DatatypeRef, Parts, Recipe, of_bytes};
use crate::abi::*;
use crate::error::{Error, Result};

/// Elements of one datatype in a row, at an offset in bytes.
struct Block {
    offset: MPI_Count,
    count: MPI_Count,
    datatype: DatatypeRef,
}

impl Bounds {
    const EMPTY: Bounds = Bounds { lb: 0, ub: 0, explicit: false, align: 1 };

    /// The bounds of elements at `0, stride, 2 * stride…`; none if there are no elements.
    fn repeated(self, count: MPI_Count, stride: MPI_Count) -> Result<Option<Bounds>> {
        if count == 0 {
            return Ok(None);
        }
        let last = times(count - 1, stride)?;
        Ok(Some(Bounds {
            lb: plus(self.lb, last.min(0))?,
            ub: plus(self.ub, last.max(0))?,
            ..self
        }))
    }

    fn shifted(self, offset: MPI_Count) -> Result<Bounds> {
        Ok(Bounds { lb: plus(self.lb, offset)?, ub: plus(self.ub, offset)?, ..self })
    }

    /// The bounds of both. If one was set explicitly, only explicit bounds count.
    fn joined(self, other: Bounds) -> Bounds {
        let align = self.align.max(other.align);
        match (self.explicit, other.explicit) {
            (true, false) => Bounds { align, ..self },
            (false, true) => Bounds { align, ..other },
            _ => Bounds {
                lb: self.lb.min(other.lb),
                ub: self.ub.max(other.ub),
                align,
                explicit: self.explicit,
            },
        }
    }

    /// Rounds the extent up so that a C array of such structures is aligned.
    fn padded(self) -> Result<Bounds> {
        if self.explicit {
            return Ok(self);
        }
        let rest = minus(self.ub, self.lb)?.rem_euclid(self.align);
        let padding = if rest == 0 { 0 } else { self.align - rest };
        Ok(Bounds { ub: plus(self.ub, padding)?, ..self })
    }
}

fn parts(parts: Vec<(MPI_Count, DatatypeRef)>) -> Result<Parts> {
    let mut elements = 0;
    for (count, part) in &parts {
        elements = plus(elements, times(*count, part.elements())?)?;
    }
    Ok(Parts::Derived(parts, elements))
}

/// A datatype of these data. Without data only explicit bounds count: displacements of nothing give
/// no extent.
pub(super) fn derived(
    layout: Arc<Layout>,
    bounds: Bounds,
    of: Vec<(MPI_Count, DatatypeRef)>,
    recipe: Recipe,
) -> Result<Datatype> {
    let counts = layout.size() > 0 || bounds.explicit;
    let bounds = if counts { bounds } else { Bounds::EMPTY };
    // Nothing asks again whether the extents fit.
    minus(bounds.ub, bounds.lb)?;
    let (begin, end) = layout.bounds();
    minus(end, begin)?;
    Ok(Datatype::new("", layout, bounds, parts(of)?, recipe))
}

/// Blocks in the order of the type map. `structure`: the extent is padded as C pads structures.
fn blocks(blocks: Vec<Block>, structure: bool, recipe: Recipe) -> Result<Datatype> {
    let mut bounds: Option<Bounds> = None;
    let mut pieces = Vec::with_capacity(blocks.len());
    for block in &blocks {
        let (old, count) = (&block.datatype, block.count);
        pieces.push((block.offset, Layout::repeat(count, old.extent(), &old.layout)?));
        if let Some(own) = old.bounds.repeated(count, old.extent())? {
            let own = own.shifted(block.offset)?;
            bounds = Some(bounds.map_or(own, |b| b.joined(own)));
        }
    }
    let bounds = bounds.unwrap_or(Bounds::EMPTY);
    let bounds = if structure { bounds.padded()? } else { bounds };
    let layout = Layout::sequence(pieces)?;
    derived(layout, bounds, blocks.into_iter().map(|b| (b.count, b.datatype)).collect(), recipe)
}

/// `count` blocks of `length` elements, `stride` bytes apart.
fn strided(
    count: MPI_Count,
    length: MPI_Count,
    stride: MPI_Count,
    old: DatatypeRef,
    recipe: Recipe,
) -> Result<Datatype> {
    let block = Layout::repeat(length, old.extent(), &old.layout)?;
    let bounds = match old.bounds.repeated(length, old.extent())? {
        Some(bounds) => bounds.repeated(count, stride)?,
        None => None,
    };
    let total = times(count, length)?;
    derived(
        Layout::repeat(count, stride, &block)?,
        bounds.unwrap_or(Bounds::EMPTY),
        vec![(total, old)],
        recipe,
    )
}

/// The blocks of the indexed calls; `unit` is what a displacement counts, in bytes.
fn indexed_blocks(
    lengths: impl Iterator<Item = MPI_Count>,
    displacements: &[MPI_Count],
    unit: MPI_Count,
    old: &DatatypeRef,
) -> Result<Vec<Block>> {
    lengths
        .zip(displacements)
        .map(|(count, &at)| Ok(Block { offset: times(at, unit)?, count, datatype: old.clone() }))
        .collect()
}

/// No call writes such a recipe.
pub(super) fn incomplete(recipe: &Recipe) -> Error {
    let message = format!("the recipe of combiner {} is not complete", recipe.combiner);
    Error::new(MPI_ERR_INTERN, message)
}

/// Follows a recipe with checked arguments. Displacements in elements count the extents of the
/// recipe's datatypes.
pub(super) fn make(recipe: Recipe) -> Result<Datatype> {
    let old = match (recipe.combiner, recipe.datatypes.first()) {
        (MPI_COMBINER_STRUCT, _) => return structure(recipe),
        (_, Some(old)) => old.clone(),
        (_, None) => return Err(incomplete(&recipe)),
    };
    let (extent, arguments) = (old.extent(), recipe.counts());
    match (recipe.combiner, &arguments[..]) {
        (MPI_COMBINER_CONTIGUOUS, &[count]) => strided(count, 1, extent, old, recipe),
        (MPI_COMBINER_VECTOR, &[count, length, stride]) => {
            strided(count, length, times(stride, extent)?, old, recipe)
        }
        (MPI_COMBINER_HVECTOR, &[count, length, stride]) => {
            strided(count, length, stride, old, recipe)
        }
        (combiner @ (MPI_COMBINER_INDEXED | MPI_COMBINER_HINDEXED), [_, lists @ ..]) => {
            let unit = if combiner == MPI_COMBINER_INDEXED { extent } else { 1 };
            let (lengths, places) = lists.split_at(lists.len() / 2);
            let lengths = lengths.iter().copied();
            blocks(indexed_blocks(lengths, places, unit, &old)?, false, recipe)
        }
        (
            combiner @ (MPI_COMBINER_INDEXED_BLOCK | MPI_COMBINER_HINDEXED_BLOCK),
            [_, length, places @ ..],
        ) => {
            let unit = if combiner == MPI_COMBINER_INDEXED_BLOCK { extent } else { 1 };
            let lengths = std::iter::repeat(*length);
            blocks(indexed_blocks(lengths, places, unit, &old)?, false, recipe)
        }
        (MPI_COMBINER_SUBARRAY, _) => subarray(old, recipe),
        (MPI_COMBINER_DARRAY, _) => darray::made(old, recipe),
        (MPI_COMBINER_RESIZED, &[lb, extent]) => {
            let ub = plus(lb, extent)?;
            let bounds = Bounds { lb, ub, explicit: true, align: old.bounds.align };
            derived(old.layout.clone(), bounds, vec![(1, old)], recipe)
        }
        (MPI_COMBINER_DUP, _) => derived(old.layout.clone(), old.bounds, vec![(1, old)], recipe),
        _ => Err(incomplete(&recipe)),
    }
}

fn structure(recipe: Recipe) -> Result<Datatype> {
    let arguments = recipe.counts();
    let (lengths, places) = arguments[1..].split_at(recipe.datatypes.len());
    let members = lengths.iter().zip(places).zip(&recipe.datatypes);
    let members = members.map(|((&count, &offset), datatype)| {
        let datatype = datatype.clone();
        Block { offset, count, datatype }
    });
    blocks(members.collect(), true, recipe)
}

fn subarray(old: DatatypeRef, recipe: Recipe) -> Result<Datatype> {
    let arguments = recipe.array_arguments(1);
    let [n, lists @ .., order] = &arguments[..] else { return Err(incomplete(&recipe)) };
    let n = *n as usize;
    let (sizes, subsizes, starts) = (&lists[..n], &lists[n..2 * n], &lists[2 * n..]);
    let (mut layout, mut stride, mut offset, mut elements) =
        (old.layout.clone(), old.extent(), 0, 1);
    for d in fastest_first(n, *order) {
        layout = Layout::repeat(subsizes[d], stride, &layout)?;
        offset = plus(offset, times(starts[d], stride)?)?;
        stride = times(stride, sizes[d])?;
        elements = times(elements, subsizes[d])?;
    }
    // The bounds are those of the whole array, wherever the old datatype begins, so that the next
    // element is the same part of the next array (MPI 5.0, section 5.1.3).
    let bounds = Bounds { lb: 0, ub: stride, explicit: true, align: old.bounds.align };
    derived(Layout::sequence([(offset, layout)])?, bounds, vec![(elements, old)], recipe)
}

/// The dimensions of an array, the fastest first.
pub(super) fn fastest_first(n: usize, order: MPI_Count) -> Vec<usize> {
    match order == MPI_Count::from(MPI_ORDER_C) {
        true => (0..n).rev().collect(),
        false => (0..n).collect(),
    }
}

impl DatatypeRef {
    /// The datatype as it lies in a file, where predefined datatypes have the sizes that `size`
    /// says, and no gaps. Displacements and bounds in bytes stay as they are, those in elements
    /// count the extents in the file (MPI 5.0, section 14.5.1).
    pub(crate) fn with_sizes(
        &self,
        size: &mut dyn FnMut(&DatatypeRef) -> Result<MPI_Count>,
    ) -> Result<DatatypeRef> {
        self.in_file_with(size, &mut HashMap::new())
    }

    /// The same. A datatype that occurs several times is made once.
    fn in_file_with(
        &self,
        size: &mut dyn FnMut(&DatatypeRef) -> Result<MPI_Count>,
        made: &mut HashMap<*const Datatype, DatatypeRef>,
    ) -> Result<DatatypeRef> {
        let key: *const Datatype = &raw const **self;
        if let Some(known) = made.get(&key) {
            return Ok(known.clone());
        }
        let there = match self.parts {
            // In a file nothing is aligned.
            Parts::Basic(..) => of_bytes(size(self)?),
            Parts::Derived(..) => {
                let old = &self.recipe.datatypes;
                let datatypes = old.iter().map(|old| old.in_file_with(size, made));
                let datatypes = datatypes.collect::<Result<_>>()?;
                let recipe = Recipe { datatypes, ..self.recipe.clone() };
                DatatypeRef::Derived(Arc::new(make(recipe)?))
            }
        };
        made.insert(key, there.clone());
        Ok(there)
    }
}
