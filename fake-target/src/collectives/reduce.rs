//! Reductions (MPI 5.0, sections 6.9 to 6.11).
//!
//! Partial results are combined in the order of the ranks, so that operations that do not commute
//! give what the standard says.

use std::ffi::{c_int, c_void};

use super::buffer::{Elements, Scratch, in_place};
use super::exchange::{Outgoing, exchange};
use super::roles::{self, Role, intracommunicator, role};
use super::under_way::{Collective, enter};
use super::variables::REDUCE_ALGORITHM;
use crate::abi::*;
use crate::arguments::Counts;
use crate::communicator::Communicator;
use crate::communicator::team::{Team, tag};
use crate::error::Result;
use crate::op::{self, OpRef};

/// `into[i] = left[i] op into[i]`
fn combine(op: &OpRef, left: &Elements, into: &Elements) -> Result {
    op.apply(into.datatype(), into.handle(), left.address(), into.address(), into.count())
}

/// Combines the elements of all members; the result is there at the root, elsewhere it is none.
fn reduce_to(team: &Team, root: c_int, op: &OpRef, own: &Elements) -> Result<Option<Scratch>> {
    // A tree over the ranks in the order of the group keeps the order of operands. Where it does
    // not matter the tree begins at the root.
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
    let mut parent = 0;
    match REDUCE_ALGORITHM.get() {
        1 if number == 0 && size > 1 => {
            // From the last to the first: each operand goes to the left of what is combined
            // already.
            let combined = arrives(size - 1)?;
            for from in (1..size - 1).rev() {
                combine(op, arrives(from)?.elements(), combined.elements())?;
            }
            combine(op, result.elements(), combined.elements())?;
            result = combined;
        }
        1 => {}
        2 => {
            parent = number - 1;
            if number + 1 < size {
                let right = arrives(number + 1)?;
                combine(op, result.elements(), right.elements())?;
                result = right;
            }
        }
        _ => {
            let mut bit = 1;
            while bit < size && number & bit == 0 {
                if number + bit < size {
                    // What comes belongs to the ranks behind those combined so far.
                    let right = arrives(number + bit)?;
                    combine(op, result.elements(), right.elements())?;
                    result = right;
                }
                bit *= 2;
            }
            parent = number - bit;
        }
    }
    if number != 0 {
        member(parent).send(team.tag(), &result.elements().read())?;
    }
    if first == root {
        return Ok((number == 0).then_some(result));
    }
    if number == 0 {
        team.partner(root).send(team.tag(), &result.elements().read())?;
    }
    if team.rank() != root {
        return Ok(None);
    }
    result.elements().receive(team.partner(0), team.tag())?;
    Ok(Some(result))
}

/// The operation of an argument, which must be defined for the elements.
pub(super) fn operation(op: MPI_Op, elements: &Elements) -> Result<OpRef> {
    let op = op::resolve(op)?;
    op.check(elements.datatype())?;
    Ok(op)
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
    let communicator = roles::begin(comm)?;
    let _under_way = enter(Collective::Reduce, communicator);
    let team = Team::local(communicator, tag::REDUCE);
    match (communicator.remote(), role(communicator, root)?) {
        (None, role) => {
            let result = (role == Role::Root)
                .then(|| Elements::new(recvbuf, count, datatype))
                .transpose()?;
            let own = match &result {
                Some(result) if in_place(sendbuf) => result.clone(),
                Some(result) => Elements::new(sendbuf, count, datatype)?.apart_from(result)?,
                None => Elements::new(sendbuf, count, datatype)?,
            };
            let combined = reduce_to(&team, root, &operation(op, &own)?, &own)?;
            match (result, combined) {
                (Some(result), Some(combined)) => result.copy_from(combined.elements()),
                _ => Ok(()),
            }
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
                    communicator.partner(root).send(tag::REDUCE, &combined.elements().read())
                }
                None => Ok(()),
            }
        }
    }
}

/// Combines the elements of all processes (between groups: of the other group) at the first process
/// of the group.
fn reduce_to_first(
    communicator: &'static Communicator,
    op: &OpRef,
    own: &Elements,
) -> Result<Option<Scratch>> {
    let combined = reduce_to(&Team::local(communicator, tag::REDUCE), 0, op, own)?;
    match (communicator.remote(), combined) {
        (Some(_), Some(mine)) => {
            let theirs = Scratch::like(own)?;
            let leader = communicator.partner(0);
            let outgoing = [Outgoing { to: leader, elements: mine.elements().clone() }];
            exchange(tag::REDUCE, &outgoing, &[(leader, theirs.elements().clone())])?;
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
    let communicator = roles::begin(comm)?;
    let _under_way = enter(Collective::Allreduce, communicator);
    let result = Elements::new(recvbuf, count, datatype)?;
    let own = source(communicator, sendbuf, &result)?;
    if let Some(combined) = reduce_to_first(communicator, &operation(op, &own)?, &own)? {
        result.copy_from(combined.elements())?;
    }
    let team = Team::local(communicator, tag::BROADCAST);
    if team.rank() == 0 {
        team.broadcast_from(&result.read())
    } else {
        result.fill(|bytes| team.broadcast_into(0, bytes))
    }
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
    Elements::new(sendbuf, result.count(), result.handle())?.apart_from(result)
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
    let communicator = roles::begin(comm)?;
    let _under_way = enter(Collective::ReduceScatter, communicator);
    let counts = recvcounts.to_vec(communicator.size() as usize, "recvcounts")?;
    scatter_reduced(communicator, sendbuf, recvbuf, &counts, datatype, op)
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
    let communicator = roles::begin(comm)?;
    let _under_way = enter(Collective::ReduceScatterBlock, communicator);
    let counts = vec![recvcount; communicator.size() as usize];
    scatter_reduced(communicator, sendbuf, recvbuf, &counts, datatype, op)
}

fn scatter_reduced(
    communicator: &'static Communicator,
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    counts: &[MPI_Count],
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> Result {
    let rank = communicator.rank() as usize;
    let result = Elements::new(recvbuf, counts[rank], datatype)?;
    for &count in counts {
        result.part(0, count)?;
    }
    let total = counts.iter().sum();
    let whole = if in_place(sendbuf) { recvbuf.cast_const() } else { sendbuf };
    let own = Elements::new(whole, total, datatype)?;
    let team = Team::local(communicator, tag::SCATTER);
    let Some(combined) = reduce_to_first(communicator, &operation(op, &own)?, &own)? else {
        return result.receive(team.partner(0), team.tag());
    };
    let mut outgoing = Vec::new();
    let mut first = counts[0];
    for (member, &count) in counts.iter().enumerate().skip(1) {
        let elements = combined.elements().part(first, count)?;
        outgoing.push(Outgoing { to: team.partner(member as c_int), elements });
        first += count;
    }
    exchange(team.tag(), &outgoing, &[])?;
    result.copy_from(&combined.elements().part(0, counts[0])?)
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
    let communicator = roles::begin(comm)?;
    let _under_way = enter(which, communicator);
    intracommunicator(communicator)?;
    let (rank, size) = (communicator.rank(), communicator.size());
    let result = Elements::new(recvbuf, count, datatype)?;
    let own = source(communicator, sendbuf, &result)?;
    let op = operation(op, &own)?;
    let sum = Scratch::like(&own)?;
    sum.elements().copy_from(&own)?;
    if rank > 0 {
        let before = Scratch::like(&own)?;
        before.elements().receive(communicator.partner(rank - 1), tag::SCAN)?;
        combine(&op, before.elements(), sum.elements())?;
        if !inclusive {
            result.copy_from(before.elements())?;
        }
    }
    if inclusive {
        result.copy_from(sum.elements())?;
    }
    if rank + 1 < size {
        communicator.partner(rank + 1).send(tag::SCAN, &sum.elements().read())?;
    }
    Ok(())
}
