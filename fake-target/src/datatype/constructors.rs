//! The calls that make datatypes from datatypes (MPI 5.0, sections 5.1.2 to 5.1.10).

use std::ffi::{CStr, c_int};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::fortran;
use super::layout::{Layout, plus, times};
use super::lookup::{DATATYPES, find, register};
use super::object::{Bounds, Datatype, DatatypeRef, Parts, Recipe, is_large};
use super::predefined;
use crate::abi::*;
use crate::arguments::{Counts, Out, array};
use crate::error::{Error, Result};

/// Elements of one datatype in a row, at an offset in bytes.
struct Block {
    offset: MPI_Count,
    count: MPI_Count,
    datatype: DatatypeRef,
}

fn count_of(count: MPI_Count, what: &str) -> Result<usize> {
    usize::try_from(count)
        .map_err(|_| Error::new(MPI_ERR_COUNT, format!("the {what} {count} is negative")))
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
    fn padded(self) -> Bounds {
        if self.explicit {
            return self;
        }
        let extent = self.ub - self.lb;
        let rest = extent.rem_euclid(self.align);
        Bounds { ub: if rest == 0 { self.ub } else { self.ub + self.align - rest }, ..self }
    }
}

fn parts(parts: Vec<(MPI_Count, DatatypeRef)>) -> Result<Parts> {
    let mut elements = 0;
    for (count, part) in &parts {
        elements = plus(elements, times(*count, part.elements())?)?;
    }
    Ok(Parts::Derived(parts, elements))
}

pub(super) fn derived(
    layout: Arc<Layout>,
    bounds: Bounds,
    of: Vec<(MPI_Count, DatatypeRef)>,
    recipe: Recipe,
) -> Result<Datatype> {
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
    let bounds = if structure { bounds.padded() } else { bounds };
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

pub(super) fn give(newtype: Out<MPI_Datatype>, datatype: Result<Datatype>) -> Result {
    newtype.set(register(datatype?));
    Ok(())
}

/// `MPI_Type_contiguous`
pub(crate) fn contiguous(
    call: &CStr,
    count: MPI_Count,
    oldtype: MPI_Datatype,
    newtype: Out<MPI_Datatype>,
) -> Result {
    count_of(count, "count")?;
    let old = find(oldtype)?;
    let recipe = Recipe::new(call, MPI_COMBINER_CONTIGUOUS, [count], [], [&old]);
    let stride = old.extent();
    give(newtype, strided(count, 1, stride, old, recipe))
}

/// `MPI_Type_vector`: the stride counts elements.
pub(crate) fn vector(
    call: &CStr,
    count: MPI_Count,
    blocklength: MPI_Count,
    stride: MPI_Count,
    oldtype: MPI_Datatype,
    newtype: Out<MPI_Datatype>,
) -> Result {
    count_of(count, "count")?;
    count_of(blocklength, "block length")?;
    let old = find(oldtype)?;
    let recipe = Recipe::new(call, MPI_COMBINER_VECTOR, [count, blocklength, stride], [], [&old]);
    let bytes = times(stride, old.extent())?;
    give(newtype, strided(count, blocklength, bytes, old, recipe))
}

/// `MPI_Type_create_hvector`: the stride counts bytes.
pub(crate) fn hvector(
    call: &CStr,
    count: MPI_Count,
    blocklength: MPI_Count,
    stride: MPI_Count,
    oldtype: MPI_Datatype,
    newtype: Out<MPI_Datatype>,
) -> Result {
    count_of(count, "count")?;
    count_of(blocklength, "block length")?;
    let old = find(oldtype)?;
    let recipe = Recipe::new(call, MPI_COMBINER_HVECTOR, [count, blocklength], [stride], [&old]);
    give(newtype, strided(count, blocklength, stride, old, recipe))
}

/// Lengths and displacements of blocks; the lengths are checked.
fn lists(
    count: MPI_Count,
    blocklengths: Counts,
    displacements: Counts,
) -> Result<(Vec<MPI_Count>, Vec<MPI_Count>)> {
    let count = count_of(count, "count")?;
    let lengths = blocklengths.to_vec(count, "array_of_blocklengths")?;
    lengths.iter().try_for_each(|&length| count_of(length, "block length").map(drop))?;
    Ok((lengths, displacements.to_vec(count, "array_of_displacements")?))
}

/// The blocks of the indexed calls; `unit` is what a displacement counts, in bytes.
fn indexed_blocks(
    lengths: &[MPI_Count],
    displacements: &[MPI_Count],
    unit: MPI_Count,
    old: &DatatypeRef,
) -> Result<Vec<Block>> {
    lengths
        .iter()
        .zip(displacements)
        .map(|(&count, &at)| Ok(Block { offset: times(at, unit)?, count, datatype: old.clone() }))
        .collect()
}

/// `MPI_Type_indexed`: the displacements count elements.
pub(crate) fn indexed(
    call: &CStr,
    count: MPI_Count,
    blocklengths: Counts,
    displacements: Counts,
    oldtype: MPI_Datatype,
    newtype: Out<MPI_Datatype>,
) -> Result {
    let (lengths, displacements) = lists(count, blocklengths, displacements)?;
    let old = find(oldtype)?;
    let integers = [&[count], &lengths[..], &displacements[..]].concat();
    let recipe = Recipe::new(call, MPI_COMBINER_INDEXED, integers, [], [&old]);
    give(
        newtype,
        blocks(indexed_blocks(&lengths, &displacements, old.extent(), &old)?, false, recipe),
    )
}

/// `MPI_Type_create_hindexed`: the displacements count bytes.
pub(crate) fn hindexed(
    call: &CStr,
    count: MPI_Count,
    blocklengths: Counts,
    displacements: Counts,
    oldtype: MPI_Datatype,
    newtype: Out<MPI_Datatype>,
) -> Result {
    let (lengths, displacements) = lists(count, blocklengths, displacements)?;
    let old = find(oldtype)?;
    let integers = [&[count], &lengths[..]].concat();
    let recipe = Recipe::new(call, MPI_COMBINER_HINDEXED, integers, displacements.clone(), [&old]);
    give(newtype, blocks(indexed_blocks(&lengths, &displacements, 1, &old)?, false, recipe))
}

/// `MPI_Type_create_indexed_block`: the displacements count elements.
pub(crate) fn indexed_block(
    call: &CStr,
    count: MPI_Count,
    blocklength: MPI_Count,
    displacements: Counts,
    oldtype: MPI_Datatype,
    newtype: Out<MPI_Datatype>,
) -> Result {
    let displacements =
        displacements.to_vec(count_of(count, "count")?, "array_of_displacements")?;
    count_of(blocklength, "block length")?;
    let old = find(oldtype)?;
    let integers = [&[count, blocklength], &displacements[..]].concat();
    let recipe = Recipe::new(call, MPI_COMBINER_INDEXED_BLOCK, integers, [], [&old]);
    let lengths = vec![blocklength; displacements.len()];
    give(
        newtype,
        blocks(indexed_blocks(&lengths, &displacements, old.extent(), &old)?, false, recipe),
    )
}

/// `MPI_Type_create_hindexed_block`: the displacements count bytes.
pub(crate) fn hindexed_block(
    call: &CStr,
    count: MPI_Count,
    blocklength: MPI_Count,
    displacements: Counts,
    oldtype: MPI_Datatype,
    newtype: Out<MPI_Datatype>,
) -> Result {
    let displacements =
        displacements.to_vec(count_of(count, "count")?, "array_of_displacements")?;
    count_of(blocklength, "block length")?;
    let old = find(oldtype)?;
    let recipe = Recipe::new(
        call,
        MPI_COMBINER_HINDEXED_BLOCK,
        [count, blocklength],
        displacements.clone(),
        [&old],
    );
    let lengths = vec![blocklength; displacements.len()];
    give(newtype, blocks(indexed_blocks(&lengths, &displacements, 1, &old)?, false, recipe))
}

/// `MPI_Type_create_struct`
pub(crate) fn structure(
    call: &CStr,
    count: MPI_Count,
    blocklengths: Counts,
    displacements: Counts,
    types: *const MPI_Datatype,
    newtype: Out<MPI_Datatype>,
) -> Result {
    let (lengths, displacements) = lists(count, blocklengths, displacements)?;
    let types = array(types, lengths.len(), "array_of_types")?;
    let types: Vec<DatatypeRef> = types.iter().map(|&t| find(t)).collect::<Result<_>>()?;
    let integers = [&[count], &lengths[..]].concat();
    let recipe = Recipe::new(call, MPI_COMBINER_STRUCT, integers, displacements.clone(), &types);
    let members = lengths.iter().zip(&displacements).zip(types);
    let members =
        members.map(|((&count, &offset), datatype)| Block { offset, count, datatype }).collect();
    give(newtype, blocks(members, true, recipe))
}

/// `MPI_Type_create_resized`
pub(crate) fn resized(
    call: &CStr,
    oldtype: MPI_Datatype,
    lb: MPI_Count,
    extent: MPI_Count,
    newtype: Out<MPI_Datatype>,
) -> Result {
    let old = find(oldtype)?;
    let bounds = Bounds { lb, ub: plus(lb, extent)?, explicit: true, align: old.bounds.align };
    let recipe = Recipe::new(call, MPI_COMBINER_RESIZED, [], [lb, extent], [&old]);
    give(newtype, derived(old.layout.clone(), bounds, vec![(1, old)], recipe))
}

/// `MPI_Type_dup`: the duplicate is committed if the original is. It has no name.
pub(crate) fn dup(oldtype: MPI_Datatype, newtype: Out<MPI_Datatype>) -> Result {
    let old = find(oldtype)?;
    newtype.set(MPI_DATATYPE_NULL);
    let recipe = Recipe::new(c"MPI_Type_dup", MPI_COMBINER_DUP, [], [], [&old]);
    let committed = old.committed.load(Ordering::Acquire);
    let datatype = derived(old.layout.clone(), old.bounds, vec![(1, old.clone())], recipe)?;
    old.attributes().copy_to(datatype.attributes(), oldtype.0)?;
    datatype.committed.store(committed, Ordering::Release);
    give(newtype, Ok(datatype))
}

/// `MPI_Type_create_subarray`
#[expect(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(crate) fn subarray(
    call: &CStr,
    ndims: c_int,
    sizes: Counts,
    subsizes: Counts,
    starts: Counts,
    order: c_int,
    oldtype: MPI_Datatype,
    newtype: Out<MPI_Datatype>,
) -> Result {
    let n = usize::try_from(ndims).ok().filter(|&n| n > 0);
    let n = n.ok_or_else(|| {
        Error::new(MPI_ERR_ARG, format!("the number of dimensions {ndims} is not positive"))
    })?;
    let (sizes, subsizes) =
        (sizes.to_vec(n, "array_of_sizes")?, subsizes.to_vec(n, "array_of_subsizes")?);
    let starts = starts.to_vec(n, "array_of_starts")?;
    for i in 0..n {
        if subsizes[i] < 1 || starts[i] < 0 || plus(starts[i], subsizes[i])? > sizes[i] {
            return Err(Error::new(
                MPI_ERR_ARG,
                format!(
                    "dimension {i}: {} elements from {} on are not part of an array of {}",
                    subsizes[i], starts[i], sizes[i]
                ),
            ));
        }
    }
    // The fastest dimension first.
    let dimensions: Vec<usize> = match order {
        MPI_ORDER_C => (0..n).rev().collect(),
        MPI_ORDER_FORTRAN => (0..n).collect(),
        _ => {
            return Err(Error::new(
                MPI_ERR_ARG,
                format!("{order} is neither MPI_ORDER_C nor MPI_ORDER_FORTRAN"),
            ));
        }
    };
    let old = find(oldtype)?;
    let counts = [&sizes[..], &subsizes[..], &starts[..]].concat();
    let integers = match is_large(call) {
        true => vec![ndims.into(), order.into()],
        false => [&[ndims.into()], &counts[..], &[order.into()]].concat(),
    };
    let recipe = Recipe {
        large_counts: if is_large(call) { counts } else { Vec::new() },
        datatypes: vec![old.clone()],
        ..Recipe::of_integers(MPI_COMBINER_SUBARRAY, integers)
    };
    let (mut layout, mut stride, mut offset, mut elements) =
        (old.layout.clone(), old.extent(), 0, 1);
    for d in dimensions {
        layout = Layout::repeat(subsizes[d], stride, &layout)?;
        offset = plus(offset, times(starts[d], stride)?)?;
        stride = times(stride, sizes[d])?;
        elements = times(elements, subsizes[d])?;
    }
    // The bounds are those of the whole array, wherever the old datatype begins, so that the next
    // element is the same part of the next array (MPI 5.0, section 5.1.3).
    let bounds = Bounds { lb: 0, ub: stride, explicit: true, align: old.bounds.align };
    give(
        newtype,
        derived(Layout::sequence([(offset, layout)])?, bounds, vec![(elements, old)], recipe),
    )
}

/// `MPI_Type_commit`
pub(crate) fn commit(datatype: Out<MPI_Datatype>) -> Result {
    find(datatype.get())?.committed.store(true, Ordering::Release);
    Ok(())
}

/// `MPI_Type_free`
pub(crate) fn free(datatype: Out<MPI_Datatype>) -> Result {
    let handle = datatype.get();
    let object = find(handle)?;
    if predefined::find(handle).is_some() {
        return Err(Error::new(
            MPI_ERR_TYPE,
            format!("{} is predefined and cannot be freed", object.name()),
        ));
    }
    if fortran::is_combiner(object.recipe.combiner) {
        return Err(Error::new(MPI_ERR_TYPE, "the datatype is predefined and cannot be freed"));
    }
    object.attributes().delete_all(handle.0)?;
    DATATYPES.remove(handle.0);
    datatype.set(MPI_DATATYPE_NULL);
    Ok(())
}

/// `MPI_Type_fromint`
pub(crate) fn from_int(integer: c_int) -> MPI_Datatype {
    DATATYPES.handle_of(integer)
}
