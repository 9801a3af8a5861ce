//! Reductions. Partial results are combined in the order of the ranks, so that operations that do
//! not commute give what the standard says.

use std::ffi::{c_int, c_void};

use super::broadcast::spread;
use super::plan::Plan;
use crate::abi::*;
use crate::arguments::Counts;
use crate::collectives::buffer::{Elements, in_place};
use crate::collectives::reduce::{operation, source};
use crate::collectives::roles::{Role, intracommunicator, role};
use crate::error::Result;
use crate::op::OpRef;

/// Combines the elements of this process's group at `root`; there, the result.
fn gather_up(plan: &mut Plan, root: c_int, op: &OpRef, own: &Elements) -> Result<Option<Elements>> {
    // A tree over the ranks in the order of the group keeps the order of operands. Where it does
    // not matter the tree begins at the root.
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
    // What comes belongs to the ranks behind those combined so far.
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
            let result = (role == Role::Root)
                .then(|| Elements::new(recvbuf, count, datatype))
                .transpose()?;
            let own = match &result {
                Some(result) if in_place(sendbuf) => result.clone(),
                Some(result) => Elements::new(sendbuf, count, datatype)?.apart_from(result)?,
                None => Elements::new(sendbuf, count, datatype)?,
            };
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
fn gather_at_first(plan: &mut Plan, op: &OpRef, own: &Elements) -> Result<Option<Elements>> {
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
    if let Some(combined) = gather_at_first(plan, &operation(op, &own)?, &own)? {
        plan.copy(&combined, &result);
    }
    spread(plan, 0, &result);
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
    for &count in counts {
        result.part(0, count)?;
    }
    let total = counts.iter().sum();
    let whole = if in_place(sendbuf) { recvbuf.cast_const() } else { sendbuf };
    let own = Elements::new(whole, total, datatype)?;
    let Some(combined) = gather_at_first(plan, &operation(op, &own)?, &own)? else {
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
    (sendbuf, recvbuf): (*const c_void, *mut c_void),
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> Result {
    let communicator = plan.communicator;
    intracommunicator(communicator)?;
    let (rank, size) = (communicator.rank(), communicator.size());
    let result = Elements::new(recvbuf, count, datatype)?;
    let own = source(communicator, sendbuf, &result)?;
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
