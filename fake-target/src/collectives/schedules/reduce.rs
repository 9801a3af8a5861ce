//! Reductions. Partial results are combined in the order of the ranks, so that operations that do
//! not commute give the result that the standard requires.

use std::ffi::{c_int, c_void};

use super::broadcast::spread;
use super::plan::Plan;
use crate::abi::*;
use crate::arguments::Counts;
use crate::collectives::buffer::Elements;
use crate::collectives::fold::{MANY, Part, even_part, is_short, may_part};
use crate::collectives::reduce::{operands, operation, prefix_buffers, reduce_buffers, source};
use crate::collectives::roles::{Role, intracommunicator, role};
use crate::communicator::team::FEW;
use crate::error::Result;
use crate::op::Reduction;

/// Combines `own` with what all other processes of the group send. `into` may be `own` itself, but
/// no memory that is sent. `send` adds the sends of this process.
fn fold(
    plan: &mut Plan,
    op: &Reduction,
    own: &Elements,
    into: &Elements,
    send: impl FnOnce(&mut Plan) -> Result,
) -> Result {
    let (rank, size) = (plan.communicator.rank(), plan.communicator.size());
    let same = own.address() == into.address();
    let last = size - 1;
    let any_order = op.commutes() && op.is_predefined();
    let mut operands = vec![own.clone(); size as usize];
    let mut first = None;
    for member in others(rank, size) {
        // One of them can be received into the memory of the result.
        let here = !same && if any_order { first.is_none() } else { member == last };
        let operand = if here { into.clone() } else { plan.scratch(own)? };
        plan.receive(plan.mate(member), &operand);
        operands[member as usize] = operand;
        first.get_or_insert(member);
    }
    send(plan)?;
    plan.fence();
    match first {
        None if same => {}
        None => plan.copy(own, into),
        Some(first) if any_order => {
            if !same {
                plan.combine(op, own, into);
            }
            for member in others(rank, size).filter(|&member| same || member != first) {
                plan.combine(op, &operands[member as usize], into);
            }
        }
        // From the last to the first: each operand goes to the left of what is combined already.
        Some(_) => {
            let mut combined = operands[last as usize].clone();
            if rank == last {
                combined = if same { plan.scratch(own)? } else { into.clone() };
                plan.copy(own, &combined);
            }
            for left in operands[..last as usize].iter().rev() {
                plan.combine(op, left, &combined);
            }
            if same {
                plan.copy(&combined, into);
            }
        }
    }
    Ok(())
}

/// Combines this process's part of the elements of all. `into` is other memory than the parts of
/// others.
fn fold_part(
    plan: &mut Plan,
    op: &Reduction,
    own: &Elements,
    into: &Elements,
    part: impl Fn(c_int) -> Part,
) -> Result {
    let (rank, size) = (plan.communicator.rank(), plan.communicator.size());
    let (first, count) = part(rank);
    fold(plan, op, &own.part(first, count)?, into, |plan| {
        for member in others(rank, size) {
            let (first, count) = part(member);
            plan.send(plan.mate(member), &own.part(first, count)?);
        }
        Ok(())
    })
}

/// The other ranks, beginning with the next one.
fn others(rank: c_int, size: c_int) -> impl Iterator<Item = c_int> {
    (1..size).map(move |step| (rank + step) % size)
}

/// Combines the elements of this process's group at `root`. Only there is a result.
fn gather_up(
    plan: &mut Plan,
    root: c_int,
    op: &Reduction,
    own: &Elements,
) -> Result<Option<Elements>> {
    if plan.communicator.size() <= FEW {
        if plan.communicator.rank() != root {
            plan.send(plan.mate(root), own);
            return Ok(None);
        }
        let result = plan.scratch(own)?;
        return fold(plan, op, own, &result, |_| Ok(())).map(|()| Some(result));
    }
    // A tree over the ranks in the order of the group keeps the order of operands. If the order
    // does not matter, the tree begins at the root.
    let first = if op.commutes() { root } else { 0 };
    let size = plan.communicator.size();
    let number = (plan.communicator.rank() + size - first) % size;
    let member = |number: c_int| (number + first) % size;
    let mut result = plan.scratch(own)?;
    plan.copy(own, &result);
    let mut operands = Vec::new();
    let mut bit = 1;
    while bit < size && number & bit == 0 {
        if number + bit < size {
            let operand = plan.scratch(own)?;
            plan.receive(plan.mate(member(number + bit)), &operand);
            operands.push(operand);
        }
        bit *= 2;
    }
    plan.fence();
    // What arrives belongs to the ranks after those combined so far.
    for right in operands {
        plan.combine(op, &result, &right);
        result = right;
    }
    if number != 0 {
        plan.send(plan.mate(member(number - bit)), &result);
    }
    if first != root && number == 0 {
        plan.send(plan.mate(root), &result);
    }
    if plan.communicator.rank() != root {
        return Ok(None);
    }
    if first != root {
        plan.fence();
        plan.receive(plan.mate(0), &result);
        plan.fence();
    }
    Ok(Some(result))
}

/// `MPI_Ireduce`
pub(super) fn reduce(
    plan: &mut Plan,
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
) -> Result {
    let communicator = plan.communicator;
    match (communicator.remote(), role(communicator, root)?) {
        (None, role) => {
            let (own, result) = reduce_buffers(role, (sendbuf, recvbuf), count, datatype)?;
            let combined = gather_up(plan, root, &operation(op, &own)?, &own)?;
            if let (Some(result), Some(combined)) = (result, combined) {
                plan.copy(&combined, &result);
            }
        }
        (Some(_), Role::Bystander) => {}
        // Between groups: the other group's first process combines and sends.
        (Some(_), Role::Root) => {
            let result = Elements::new(recvbuf, count, datatype)?;
            operation(op, &result)?;
            plan.receive(plan.peer(0), &result);
        }
        (Some(_), Role::Member(root)) => {
            let own = Elements::new(sendbuf, count, datatype)?;
            if let Some(combined) = gather_up(plan, 0, &operation(op, &own)?, &own)? {
                plan.send(plan.peer(root), &combined);
            }
        }
    }
    Ok(())
}

/// Combines the elements of all processes (between groups: of the other group) at the first process
/// of the group.
fn gather_at_first(plan: &mut Plan, op: &Reduction, own: &Elements) -> Result<Option<Elements>> {
    let combined = gather_up(plan, 0, op, own)?;
    match (plan.communicator.remote(), combined) {
        (Some(_), Some(mine)) => {
            let theirs = plan.scratch(own)?;
            plan.receive(plan.peer(0), &theirs);
            plan.send(plan.peer(0), &mine);
            plan.fence();
            Ok(Some(theirs))
        }
        (_, combined) => Ok(combined),
    }
}

/// `MPI_Iallreduce`
pub(super) fn allreduce(
    plan: &mut Plan,
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> Result {
    let result = Elements::new(recvbuf, count, datatype)?;
    let own = source(plan.communicator, sendbuf, &result)?;
    let op = operation(op, &own)?;
    let size = plan.communicator.size();
    if plan.communicator.remote().is_none() {
        if may_part(&op, &own, size) {
            return allreduce_parts(plan, &op, &own, &result);
        }
        if size <= FEW && is_short(&own, size) {
            return fold_part(plan, &op, &own, &result, |_| (0, own.count()));
        }
    }
    if let Some(combined) = gather_at_first(plan, &op, &own)? {
        plan.copy(&combined, &result);
    }
    spread(plan, 0, &result);
    Ok(())
}

/// Each process combines a part and sends the result to all.
fn allreduce_parts(plan: &mut Plan, op: &Reduction, own: &Elements, result: &Elements) -> Result {
    let (rank, size) = (plan.communicator.rank(), plan.communicator.size());
    let part = |member| even_part(own.count(), size, member);
    let parts: Vec<Elements> = (0..size)
        .map(|member| {
            let (first, count) = part(member);
            result.part(first, count)
        })
        .collect::<Result<_>>()?;
    let mine = &parts[rank as usize];
    fold_part(plan, op, own, mine, part)?;
    for member in others(rank, size) {
        plan.receive(plan.mate(member), &parts[member as usize]);
    }
    for member in others(rank, size) {
        plan.send(plan.mate(member), mine);
    }
    Ok(())
}

/// `MPI_Ireduce_scatter`
pub(super) fn reduce_scatter(
    plan: &mut Plan,
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> Result {
    let counts = recvcounts.to_vec(plan.communicator.size() as usize, "recvcounts")?;
    scatter_reduced(plan, sendbuf, recvbuf, &counts, datatype, op)
}

/// `MPI_Ireduce_scatter_block`
pub(super) fn reduce_scatter_block(
    plan: &mut Plan,
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> Result {
    let counts = vec![recvcount; plan.communicator.size() as usize];
    scatter_reduced(plan, sendbuf, recvbuf, &counts, datatype, op)
}

fn scatter_reduced(
    plan: &mut Plan,
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    counts: &[MPI_Count],
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> Result {
    let rank = plan.communicator.rank() as usize;
    let result = Elements::new(recvbuf, counts[rank], datatype)?;
    let own = operands((sendbuf, recvbuf), counts.iter().copied(), &result)?;
    let op = operation(op, &own)?;
    if plan.communicator.remote().is_none() && plan.communicator.size() <= MANY {
        let part = |member: c_int| {
            let (before, rest) = counts.split_at(member as usize);
            (before.iter().sum(), rest[0])
        };
        if own.address() != result.address() {
            return fold_part(plan, &op, &own, &result, part);
        }
        // With `MPI_IN_PLACE` the result overwrites operands for others.
        let combined = plan.scratch(&result)?;
        fold_part(plan, &op, &own, &combined, part)?;
        plan.copy(&combined, &result);
        return Ok(());
    }
    let Some(combined) = gather_at_first(plan, &op, &own)? else {
        plan.receive(plan.mate(0), &result);
        return Ok(());
    };
    let mut first = 0;
    for (member, &count) in counts.iter().enumerate() {
        let part = combined.part(first, count)?;
        match member {
            0 => plan.copy(&part, &result),
            _ => plan.send(plan.mate(member as c_int), &part),
        }
        first += count;
    }
    Ok(())
}

/// `MPI_Iscan`
pub(super) fn scan(
    plan: &mut Plan,
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> Result {
    prefix(plan, true, (sendbuf, recvbuf), count, datatype, op)
}

/// `MPI_Iexscan`
pub(super) fn exscan(
    plan: &mut Plan,
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> Result {
    prefix(plan, false, (sendbuf, recvbuf), count, datatype, op)
}

/// Combines the elements of the ranks up to this one: each process adds its own to what comes from
/// the one before and passes it on.
fn prefix(
    plan: &mut Plan,
    inclusive: bool,
    buffers: (*const c_void, *mut c_void),
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> Result {
    let communicator = plan.communicator;
    intracommunicator(communicator)?;
    let (rank, size) = (communicator.rank(), communicator.size());
    let (own, result) = prefix_buffers(communicator, inclusive, buffers, count, datatype)?;
    let op = operation(op, &own)?;
    let sum = plan.scratch(&own)?;
    plan.copy(&own, &sum);
    if rank > 0 {
        let before = plan.scratch(&own)?;
        plan.receive(plan.peer(rank - 1), &before);
        plan.fence();
        plan.combine(&op, &before, &sum);
        if !inclusive {
            plan.copy(&before, &result);
        }
    }
    if inclusive {
        plan.copy(&sum, &result);
    }
    if rank + 1 < size {
        plan.send(plan.peer(rank + 1), &sum);
    }
    Ok(())
}
