//! The calls that make datatypes from datatypes (MPI 5.0, sections 5.1.2 to 5.1.10).

use std::ffi::{CStr, c_int};
use std::sync::atomic::Ordering;

use super::fortran;
use super::layout::plus;
use super::lookup::{DATATYPES, find, register};
use super::making::make;
use super::object::{Datatype, DatatypeRef, Recipe, is_large};
use super::predefined;
use crate::abi::*;
use crate::arguments::{Counts, Out, array};
use crate::error::{Error, Result};

fn count_of(count: MPI_Count, what: &str) -> Result<usize> {
    usize::try_from(count)
        .map_err(|_| Error::new(MPI_ERR_COUNT, format!("the {what} {count} is negative")))
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
    give(newtype, make(Recipe::new(call, MPI_COMBINER_CONTIGUOUS, [count], [], [&old])))
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
    let integers = [count, blocklength, stride];
    give(newtype, make(Recipe::new(call, MPI_COMBINER_VECTOR, integers, [], [&old])))
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
    let integers = [count, blocklength];
    give(newtype, make(Recipe::new(call, MPI_COMBINER_HVECTOR, integers, [stride], [&old])))
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
    give(newtype, make(Recipe::new(call, MPI_COMBINER_INDEXED, integers, [], [&old])))
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
    give(newtype, make(Recipe::new(call, MPI_COMBINER_HINDEXED, integers, displacements, [&old])))
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
    give(newtype, make(Recipe::new(call, MPI_COMBINER_INDEXED_BLOCK, integers, [], [&old])))
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
    let combiner = MPI_COMBINER_HINDEXED_BLOCK;
    let recipe = Recipe::new(call, combiner, [count, blocklength], displacements, [&old]);
    give(newtype, make(recipe))
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
    give(newtype, make(Recipe::new(call, MPI_COMBINER_STRUCT, integers, displacements, &types)))
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
    give(newtype, make(Recipe::new(call, MPI_COMBINER_RESIZED, [], [lb, extent], [&old])))
}

/// `MPI_Type_dup`: the duplicate is committed if the original is. It has no name.
pub(crate) fn dup(oldtype: MPI_Datatype, newtype: Out<MPI_Datatype>) -> Result {
    let old = find(oldtype)?;
    newtype.set(MPI_DATATYPE_NULL);
    let recipe = Recipe::new(c"MPI_Type_dup", MPI_COMBINER_DUP, [], [], [&old]);
    let committed = old.committed.load(Ordering::Acquire);
    let datatype = make(recipe)?;
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
    if ![MPI_ORDER_C, MPI_ORDER_FORTRAN].contains(&order) {
        return Err(Error::new(
            MPI_ERR_ARG,
            format!("{order} is neither MPI_ORDER_C nor MPI_ORDER_FORTRAN"),
        ));
    }
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
    give(newtype, make(recipe))
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
