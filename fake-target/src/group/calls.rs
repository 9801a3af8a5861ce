//! The functions on groups (MPI 5.0, section 7.3).

use std::collections::{HashMap, HashSet};
use std::ffi::c_int;
use std::sync::{Arc, LazyLock};

use super::Group;
use crate::abi::*;
use crate::arguments::{Out, array, array_mut};
use crate::error::{Error, Result};
use crate::handles::{HandleKind, Table};

static GROUPS: Table<Group> = Table::new(HandleKind::Group);
static EMPTY: LazyLock<Arc<Group>> = LazyLock::new(|| Group::new(Vec::new()));

/// The group of a handle; `MPI_ERR_GROUP` if there is none.
pub(crate) fn resolve(handle: MPI_Group) -> Result<Arc<Group>> {
    if handle == MPI_GROUP_EMPTY {
        return Ok(EMPTY.clone());
    }
    GROUPS.get(handle.0).ok_or_else(|| {
        let what = if handle == MPI_GROUP_NULL { "MPI_GROUP_NULL" } else { "not that of a group" };
        Error::new(MPI_ERR_GROUP, format!("the handle is {what}"))
    })
}

/// A new handle for a group; `MPI_GROUP_EMPTY` for one without processes.
pub(crate) fn register(group: Arc<Group>) -> MPI_Group {
    if group.size() == 0 { MPI_GROUP_EMPTY } else { MPI_Group(GROUPS.insert(group)) }
}

/// Gives the program a group made of another one.
fn give(newgroup: Out<MPI_Group>, from: &Group, world_ranks: Vec<c_int>) -> Result {
    newgroup.set(register(Group::of_session(world_ranks, from.session())));
    Ok(())
}

/// The ranks of a group's processes by their world ranks.
fn ranks_by_process(group: &Group) -> HashMap<c_int, c_int> {
    group
        .world_ranks()
        .iter()
        .enumerate()
        .map(|(rank, &process)| (process, rank as c_int))
        .collect()
}

/// `MPI_ERR_RANK` unless the rank is one of the group's.
fn index(group: &Group, rank: c_int) -> Result<usize> {
    if (0..group.size()).contains(&rank) {
        return Ok(rank as usize);
    }
    Err(Error::outside(MPI_ERR_RANK, "rank", rank, group.size() as usize))
}

fn length(n: c_int) -> Result<usize> {
    usize::try_from(n).map_err(|_| Error::new(MPI_ERR_ARG, format!("the length {n} is negative")))
}

/// `MPI_Group_size`
pub(crate) fn size(group: MPI_Group, size: Out<c_int>) -> Result {
    size.set(resolve(group)?.size());
    Ok(())
}

/// `MPI_Group_rank`
pub(crate) fn rank(group: MPI_Group, rank: Out<c_int>) -> Result {
    rank.set(resolve(group)?.rank());
    Ok(())
}

/// `MPI_Group_translate_ranks`
pub(crate) fn translate_ranks(
    group1: MPI_Group,
    n: c_int,
    ranks1: *const c_int,
    group2: MPI_Group,
    ranks2: *mut c_int,
) -> Result {
    let (group1, group2, n) = (resolve(group1)?, resolve(group2)?, length(n)?);
    let to = ranks_by_process(&group2);
    let ranks2 = array_mut(ranks2, n, "ranks2")?;
    for (result, &rank) in ranks2.iter_mut().zip(array(ranks1, n, "ranks1")?) {
        *result = match rank {
            MPI_PROC_NULL => MPI_PROC_NULL,
            _ => to
                .get(&group1.world_ranks()[index(&group1, rank)?])
                .copied()
                .unwrap_or(MPI_UNDEFINED),
        };
    }
    Ok(())
}

/// How two groups compare: the same, the same processes in another order, or not the same.
pub(crate) fn relation(group1: &Group, group2: &Group) -> c_int {
    let (ranks1, ranks2) = (group1.world_ranks(), group2.world_ranks());
    if ranks1 == ranks2 {
        return MPI_IDENT;
    }
    let sorted = |ranks: &[c_int]| {
        let mut ranks = ranks.to_vec();
        ranks.sort_unstable();
        ranks
    };
    if sorted(ranks1) == sorted(ranks2) { MPI_SIMILAR } else { MPI_UNEQUAL }
}

/// `MPI_Group_compare`
pub(crate) fn compare(group1: MPI_Group, group2: MPI_Group, result: Out<c_int>) -> Result {
    result.set(relation(&*resolve(group1)?, &*resolve(group2)?));
    Ok(())
}

/// `MPI_Group_union`: the first group's processes, then those of the second that are not in the
/// first.
pub(crate) fn union(group1: MPI_Group, group2: MPI_Group, newgroup: Out<MPI_Group>) -> Result {
    let (group1, group2) = (resolve(group1)?, resolve(group2)?);
    let first = ranks_by_process(&group1);
    let more = group2.world_ranks().iter().filter(|process| !first.contains_key(process));
    give(newgroup, &group1, group1.world_ranks().iter().chain(more).copied().collect())
}

/// The first group's processes that are in the second, or that are not.
fn filtered(
    group1: MPI_Group,
    group2: MPI_Group,
    newgroup: Out<MPI_Group>,
    in_second: bool,
) -> Result {
    let (group1, group2) = (resolve(group1)?, resolve(group2)?);
    let second = ranks_by_process(&group2);
    let kept =
        group1.world_ranks().iter().filter(|process| second.contains_key(process) == in_second);
    give(newgroup, &group1, kept.copied().collect())
}

/// `MPI_Group_intersection`
pub(crate) fn intersection(
    group1: MPI_Group,
    group2: MPI_Group,
    newgroup: Out<MPI_Group>,
) -> Result {
    filtered(group1, group2, newgroup, true)
}

/// `MPI_Group_difference`
pub(crate) fn difference(group1: MPI_Group, group2: MPI_Group, newgroup: Out<MPI_Group>) -> Result {
    filtered(group1, group2, newgroup, false)
}

/// The group's processes of these ranks, in the order of the ranks.
fn selected(group: &Group, ranks: &[c_int]) -> Result<Vec<c_int>> {
    let mut taken = vec![false; group.size() as usize];
    ranks
        .iter()
        .map(|&rank| {
            let index = index(group, rank)?;
            if std::mem::replace(&mut taken[index], true) {
                return Err(Error::new(MPI_ERR_RANK, format!("the rank {rank} occurs twice")));
            }
            Ok(group.world_ranks()[index])
        })
        .collect()
}

/// The group's processes of all other ranks, in the order of the group.
fn others(group: &Group, ranks: &[c_int]) -> Result<Vec<c_int>> {
    let without: HashSet<c_int> = selected(group, ranks)?.into_iter().collect();
    Ok(group.world_ranks().iter().filter(|process| !without.contains(process)).copied().collect())
}

/// `MPI_Group_incl`
pub(crate) fn incl(
    group: MPI_Group,
    n: c_int,
    ranks: *const c_int,
    newgroup: Out<MPI_Group>,
) -> Result {
    let group = resolve(group)?;
    give(newgroup, &group, selected(&group, array(ranks, length(n)?, "ranks")?)?)
}

/// `MPI_Group_excl`
pub(crate) fn excl(
    group: MPI_Group,
    n: c_int,
    ranks: *const c_int,
    newgroup: Out<MPI_Group>,
) -> Result {
    let group = resolve(group)?;
    give(newgroup, &group, others(&group, array(ranks, length(n)?, "ranks")?)?)
}

/// The ranks of triples (first, last, stride).
fn in_ranges(group: &Group, n: c_int, ranges: *const [c_int; 3]) -> Result<Vec<c_int>> {
    let mut ranks = Vec::new();
    for &[first, last, stride] in array(ranges, length(n)?, "ranges")? {
        if stride == 0 {
            return Err(Error::new(
                MPI_ERR_ARG,
                format!("the stride of the range from {first} to {last} is 0"),
            ));
        }
        index(group, first)?;
        // Only the ranks of the range have to be in the group, and `last` may be none of them.
        let (length, stride) = (i64::from(last) - i64::from(first), i64::from(stride));
        if length.signum() * stride.signum() < 0 {
            continue;
        }
        let rank = |step: i64| (i64::from(first) + step * stride) as c_int;
        let steps = length / stride;
        index(group, rank(steps))?;
        ranks.extend((0..=steps).map(rank));
    }
    Ok(ranks)
}

/// `MPI_Group_range_incl`
pub(crate) fn range_incl(
    group: MPI_Group,
    n: c_int,
    ranges: *const [c_int; 3],
    newgroup: Out<MPI_Group>,
) -> Result {
    let group = resolve(group)?;
    give(newgroup, &group, selected(&group, &in_ranges(&group, n, ranges)?)?)
}

/// `MPI_Group_range_excl`
pub(crate) fn range_excl(
    group: MPI_Group,
    n: c_int,
    ranges: *const [c_int; 3],
    newgroup: Out<MPI_Group>,
) -> Result {
    let group = resolve(group)?;
    give(newgroup, &group, others(&group, &in_ranges(&group, n, ranges)?)?)
}

/// `MPI_Group_free`
pub(crate) fn free(group: Out<MPI_Group>) -> Result {
    let handle = group.get();
    if handle != MPI_GROUP_EMPTY {
        resolve(handle)?;
        GROUPS.remove(handle.0);
    }
    group.set(MPI_GROUP_NULL);
    Ok(())
}

/// `MPI_Group_fromint`
pub(crate) fn from_int(integer: c_int) -> MPI_Group {
    GROUPS.handle_of(integer)
}
