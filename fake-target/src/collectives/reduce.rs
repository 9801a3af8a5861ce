//! Reductions (MPI 5.0, sections 6.9 to 6.11).
//!
//! Partial results are combined in the order of the ranks, so that operations that do not commute
//! give the result that the standard requires.

use std::ffi::{c_int, c_void};

use super::buffer::{Elements, Scratch, in_place};
use super::exchange::{Outgoing, exchange};
use super::fold::{
    MANY, combine, even_part, fold, fold_part, is_short, may_part, others, send_all,
};
use super::roles::{Role, collectively, intracommunicator, role};
use super::under_way::Collective;
use super::variables::{ALLREDUCE_ALGORITHM, REDUCE_ALGORITHM};
use crate::abi::*;
use crate::arguments::Counts;
use crate::communicator::Communicator;
use crate::communicator::team::{FEW, Team, tag};
use crate::error::{Error, Result};
use crate::op::{self, Reduction};

/// How the operands of this number of processes get to one: a value of [`REDUCE_ALGORITHM`] from 0
/// to 2.
fn algorithm(size: c_int) -> i32 {
    match REDUCE_ALGORITHM.get() {
        3 => (size <= FEW).into(),
        chosen => chosen,
    }
}

/// Combines the elements of all members. Only the root has a result.
fn reduce_to(team: &Team, root: c_int, op: &Reduction, own: &Elements) -> Result<Option<Scratch>> {
    let algorithm = algorithm(team.size());
    if algorithm == 1 {
        if team.rank() != root {
            return own.send(team.partner(root), team.tag()).map(|()| None);
        }
        let result = Scratch::like(own)?;
        return fold(team, op, own, result.elements()).map(|()| Some(result));
    }
    // A tree over the ranks in the order of the group keeps the order of operands. If the order
    // does not matter, the tree begins at the root.
    let first = if op.commutes() { root } else { 0 };
    let size = team.size();
    let number = (team.rank() + size - first) % size;
    let member = |number: c_int| team.partner((number + first) % size);
    let mut result = Scratch::like(own)?;
    result.elements().copy_from(own)?;
    let arrives = |from: c_int| -> Result<Scratch> {
        let operand = Scratch::like(own)?;
        operand.elements().receive(member(from), team.tag())?;
        Ok(operand)
    };
    let mut parent = number - 1;
    if algorithm == 2 {
        if number + 1 < size {
            let right = arrives(number + 1)?;
            combine(op, result.elements(), right.elements());
            result = right;
        }
    } else {
        let mut bit = 1;
        while bit < size && number & bit == 0 {
            if number + bit < size {
                // What arrives belongs to the ranks after those combined so far.
                let right = arrives(number + bit)?;
                combine(op, result.elements(), right.elements());
                result = right;
            }
            bit *= 2;
        }
        parent = number - bit;
    }
    if number != 0 {
        result.elements().send(member(parent), team.tag())?;
    }
    if first == root {
        return Ok((number == 0).then_some(result));
    }
    if number == 0 {
        result.elements().send(team.partner(root), team.tag())?;
    }
    if team.rank() != root {
        return Ok(None);
    }
    result.elements().receive(team.partner(0), team.tag())?;
    Ok(Some(result))
}

/// The same within a group whose root has a buffer for the result.
fn reduce_within(
    team: &Team,
    root: c_int,
    op: &Reduction,
    own: &Elements,
    result: Option<&Elements>,
) -> Result {
    let size = team.size();
    // Up to this size the root alone is faster, since no other process has to wait.
    const LONG: usize = 128 << 10;
    if REDUCE_ALGORITHM.get() == 3 && may_part(op, own, size) && own.bytes() >= LONG {
        return reduce_parts(team, root, op, own, result);
    }
    match result {
        // The root combines everything, if that needs no copy.
        Some(result) if algorithm(size) == 1 && own.address() != result.address() => {
            fold(team, op, own, result)
        }
        _ => match (result, reduce_to(team, root, op, own)?) {
            (Some(result), Some(combined)) => result.copy_from(combined.elements()),
            _ => Ok(()),
        },
    }
}

/// Each process combines a part, and the root gets them.
fn reduce_parts(
    team: &Team,
    root: c_int,
    op: &Reduction,
    own: &Elements,
    result: Option<&Elements>,
) -> Result {
    let part = |member| even_part(own.count(), team.size(), member);
    let (first, count) = part(team.rank());
    let Some(result) = result else {
        let mine = Scratch::like(&own.part(first, count)?)?;
        let folded = fold_part(team, op, own, mine.elements(), part);
        return folded.and(mine.elements().send(team.partner(root), team.tag()));
    };
    let mut folded = fold_part(team, op, own, &result.part(first, count)?, part);
    for member in others(team) {
        let (first, count) = part(member);
        let received = result.part(first, count)?.receive(team.partner(member), team.tag());
        folded = folded.and(received);
    }
    folded
}

/// The operation of an argument, which must be defined for the elements.
pub(super) fn operation(op: MPI_Op, elements: &Elements) -> Result<Reduction> {
    op::resolve(op)?.on(elements.datatype())
}

/// The elements of a process in a reduction within a group, and at the root the result.
pub(super) fn reduce_buffers(
    role: Role,
    (sendbuf, recvbuf): (*const c_void, *mut c_void),
    count: MPI_Count,
    datatype: MPI_Datatype,
) -> Result<(Elements, Option<Elements>)> {
    if role != Role::Root {
        return Ok((Elements::new(sendbuf, count, datatype)?, None));
    }
    let result = Elements::new(recvbuf, count, datatype)?;
    let own = match in_place(sendbuf) {
        true => result.clone(),
        false => Elements::new(sendbuf, count, datatype)?.apart_from(&result)?,
    };
    Ok((own, Some(result)))
}

/// `MPI_Reduce`
#[allow(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(crate) fn reduce(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
) -> Result {
    collectively(Collective::Reduce, comm, |communicator| {
        let team = Team::local(communicator, tag::REDUCE);
        match (communicator.remote(), role(communicator, root)?) {
            (None, role) => {
                let (own, result) = reduce_buffers(role, (sendbuf, recvbuf), count, datatype)?;
                reduce_within(&team, root, &operation(op, &own)?, &own, result.as_ref())
            }
            (Some(_), Role::Bystander) => Ok(()),
            // Between groups: the other group's first process combines and sends.
            (Some(_), Role::Root) => {
                let result = Elements::new(recvbuf, count, datatype)?;
                operation(op, &result)?;
                result.receive(communicator.partner(0), tag::REDUCE)
            }
            (Some(_), Role::Member(root)) => {
                let own = Elements::new(sendbuf, count, datatype)?;
                match reduce_to(&team, 0, &operation(op, &own)?, &own)? {
                    Some(combined) => {
                        combined.elements().send(communicator.partner(root), tag::REDUCE)
                    }
                    None => Ok(()),
                }
            }
        }
    })
}

/// Combines the elements of all processes (between groups: of the other group) at the first process
/// of the group.
fn reduce_to_first(
    communicator: &'static Communicator,
    tag: c_int,
    op: &Reduction,
    own: &Elements,
) -> Result<Option<Scratch>> {
    let combined = reduce_to(&Team::local(communicator, tag), 0, op, own)?;
    match (communicator.remote(), combined) {
        (Some(_), Some(mine)) => {
            let theirs = Scratch::like(own)?;
            let leader = communicator.partner(0);
            let outgoing = [Outgoing { to: leader, elements: mine.elements().clone() }];
            let incoming = [(leader, theirs.elements().clone())];
            exchange(tag, &outgoing, &incoming, || Ok(()))?;
            Ok(Some(theirs))
        }
        (_, combined) => Ok(combined),
    }
}

/// `MPI_Allreduce`
pub(crate) fn allreduce(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Result {
    collectively(Collective::Allreduce, comm, |communicator| {
        let result = Elements::new(recvbuf, count, datatype)?;
        let own = source(communicator, sendbuf, &result)?;
        let op = operation(op, &own)?;
        if communicator.remote().is_none() {
            let team = Team::local(communicator, tag::ALLREDUCE);
            match allreduce_algorithm(team.size(), &op, &own) {
                1 => return allreduce_exchange(&team, &op, &own, &result),
                2 => return allreduce_parts(&team, &op, &own, &result),
                _ => {}
            }
        }
        if let Some(combined) = reduce_to_first(communicator, tag::ALLREDUCE, &op, &own)? {
            result.copy_from(combined.elements())?;
        }
        let team = Team::local(communicator, tag::BROADCAST);
        if team.rank() == 0 {
            team.broadcast_from(&result.read())
        } else {
            result.fill(|bytes| team.broadcast_into(0, bytes))
        }
    })
}

/// How all processes of a group get the result: a value of [`ALLREDUCE_ALGORITHM`] from 0 to 2. It
/// depends only on what is the same in all processes.
fn allreduce_algorithm(size: c_int, op: &Reduction, own: &Elements) -> i32 {
    let may_part = may_part(op, own, size);
    match ALLREDUCE_ALGORITHM.get() {
        // A choice for reductions also applies to this operation.
        3 if REDUCE_ALGORITHM.get() != 3 => 0,
        3 if may_part => 2,
        3 => (size <= FEW && is_short(own, size)).into(),
        2 => 2 * i32::from(may_part),
        chosen => chosen,
    }
}

/// Each process sends its operands to all and combines all.
fn allreduce_exchange(team: &Team, op: &Reduction, own: &Elements, result: &Elements) -> Result {
    let transfers = send_all(team, own);
    if own.address() != result.address() {
        return fold(team, op, own, result).and(transfers.wait());
    }
    let combined = Scratch::like(own)?;
    let folded = fold(team, op, own, combined.elements());
    folded.and(transfers.wait()).and_then(|()| result.copy_from(combined.elements()))
}

/// Each process combines a part and sends the result to all. A process that sends its result has
/// received its part of the operands of all. So the result may overwrite these operands.
fn allreduce_parts(team: &Team, op: &Reduction, own: &Elements, result: &Elements) -> Result {
    let part = |member| even_part(own.count(), team.size(), member);
    let (first, count) = part(team.rank());
    let mine = result.part(first, count)?;
    let mut done = fold_part(team, op, own, &mine, part);
    let transfers = send_all(team, &mine);
    for member in others(team) {
        let (first, count) = part(member);
        let received = result.part(first, count)?.receive(team.partner(member), team.tag());
        done = done.and(received);
    }
    done.and(transfers.wait())
}

/// The elements that a process contributes: those of `sendbuf`, or with `MPI_IN_PLACE` those that
/// the result replaces.
pub(super) fn source(
    communicator: &Communicator,
    sendbuf: *const c_void,
    result: &Elements,
) -> Result<Elements> {
    if in_place(sendbuf) && communicator.remote().is_none() {
        return Ok(result.clone());
    }
    let own = Elements::new(sendbuf, result.count(), result.handle())?;
    own.check_apart_from(result)?;
    Ok(own)
}

/// `MPI_Reduce_scatter`
pub(crate) fn reduce_scatter(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Result {
    collectively(Collective::ReduceScatter, comm, |communicator| {
        recvcounts.check(communicator.size() as usize, "recvcounts")?;
        scatter_reduced(communicator, sendbuf, recvbuf, recvcounts, datatype, op)
    })
}

/// `MPI_Reduce_scatter_block`
pub(crate) fn reduce_scatter_block(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Result {
    collectively(Collective::ReduceScatterBlock, comm, |communicator| {
        scatter_reduced(communicator, sendbuf, recvbuf, Counts::Same(recvcount), datatype, op)
    })
}

fn scatter_reduced(
    communicator: &'static Communicator,
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    counts: Counts,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> Result {
    let (rank, size) = (communicator.rank() as usize, communicator.size() as usize);
    let result = Elements::new(recvbuf, counts.get(rank), datatype)?;
    let own = operands((sendbuf, recvbuf), (0..size).map(|member| counts.get(member)), &result)?;
    let team = Team::local(communicator, tag::REDUCE_SCATTER);
    let op = operation(op, &own)?;
    if communicator.remote().is_none() && team.size() <= MANY {
        return scatter_parts(&team, &op, &own, &result, counts);
    }
    let Some(combined) = reduce_to_first(communicator, team.tag(), &op, &own)? else {
        return result.receive(team.partner(0), team.tag());
    };
    let mut outgoing = Vec::new();
    let mut first = counts.get(0);
    for member in 1..size {
        let count = counts.get(member);
        let elements = combined.elements().part(first, count)?;
        outgoing.push(Outgoing { to: team.partner(member as c_int), elements });
        first += count;
    }
    exchange(team.tag(), &outgoing, &[], || Ok(()))?;
    result.copy_from(&combined.elements().part(0, counts.get(0))?)
}

/// What a process contributes to the parts of all; with `MPI_IN_PLACE` it is in `recvbuf`.
pub(super) fn operands(
    (sendbuf, recvbuf): (*const c_void, *mut c_void),
    counts: impl Iterator<Item = MPI_Count>,
    result: &Elements,
) -> Result<Elements> {
    let total = total(counts)?;
    match in_place(sendbuf) {
        true => Elements::new(recvbuf.cast_const(), total, result.handle()),
        false => Elements::new(sendbuf, total, result.handle())?.apart_from(result),
    }
}

/// The number of all elements. Error: `MPI_ERR_COUNT`.
fn total(mut counts: impl Iterator<Item = MPI_Count>) -> Result<MPI_Count> {
    let add = |sum: MPI_Count, count: MPI_Count| match count {
        0.. => sum
            .checked_add(count)
            .ok_or_else(|| Error::new(MPI_ERR_COUNT, "the counts are more than memory has")),
        _ => Err(Error::new(MPI_ERR_COUNT, format!("the count {count} is negative"))),
    };
    counts.try_fold(0, add)
}

/// Each process combines its part.
fn scatter_parts(
    team: &Team,
    op: &Reduction,
    own: &Elements,
    result: &Elements,
    counts: Counts,
) -> Result {
    let part = |member: c_int| {
        let member = member as usize;
        ((0..member).map(|before| counts.get(before)).sum(), counts.get(member))
    };
    if own.address() != result.address() {
        return fold_part(team, op, own, result, part);
    }
    // With `MPI_IN_PLACE` the result overwrites operands for others.
    let combined = Scratch::like(result)?;
    fold_part(team, op, own, combined.elements(), part)?;
    result.copy_from(combined.elements())
}

/// What a process contributes to a prefix operation, and where its result goes. Without
/// `MPI_IN_PLACE`, the first process of an exclusive one has no result, and `recvbuf` is not
/// significant there (MPI 5.0, section 6.11.2).
pub(super) fn prefix_buffers(
    communicator: &Communicator,
    inclusive: bool,
    (sendbuf, recvbuf): (*const c_void, *mut c_void),
    count: MPI_Count,
    datatype: MPI_Datatype,
) -> Result<(Elements, Elements)> {
    if !inclusive && communicator.rank() == 0 && !in_place(sendbuf) {
        let own = Elements::new(sendbuf, count, datatype)?;
        // This rank receives nothing. The same buffer twice is a mistake all the same.
        if std::ptr::eq(sendbuf, recvbuf) {
            own.check_apart_from(&own)?;
        }
        return Ok((own.clone(), own));
    }
    let result = Elements::new(recvbuf, count, datatype)?;
    Ok((source(communicator, sendbuf, &result)?, result))
}

/// `MPI_Scan`
pub(crate) fn scan(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Result {
    prefix(Collective::Scan, sendbuf, recvbuf, count, datatype, op, comm)
}

/// `MPI_Exscan`
pub(crate) fn exscan(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Result {
    prefix(Collective::Exscan, sendbuf, recvbuf, count, datatype, op, comm)
}

/// Combines the elements of the ranks up to this one: each process adds its own to what comes from
/// the one before and passes it on.
fn prefix(
    which: Collective,
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Result {
    let inclusive = matches!(which, Collective::Scan);
    collectively(which, comm, |communicator| {
        intracommunicator(communicator)?;
        let (rank, size) = (communicator.rank(), communicator.size());
        let buffers = (sendbuf, recvbuf);
        let (own, result) = prefix_buffers(communicator, inclusive, buffers, count, datatype)?;
        let op = operation(op, &own)?;
        let sum = Scratch::like(&own)?;
        sum.elements().copy_from(&own)?;
        if rank > 0 {
            let before = Scratch::like(&own)?;
            before.elements().receive(communicator.partner(rank - 1), tag::SCAN)?;
            combine(&op, before.elements(), sum.elements());
            if !inclusive {
                result.copy_from(before.elements())?;
            }
        }
        if inclusive {
            result.copy_from(sum.elements())?;
        }
        if rank + 1 < size {
            sum.elements().send(communicator.partner(rank + 1), tag::SCAN)?;
        }
        Ok(())
    })
}
