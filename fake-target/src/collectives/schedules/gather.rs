//! Gather, scatter and allgather.

use std::ffi::{c_int, c_void};

use super::plan::Plan;
use crate::abi::*;
use crate::arguments::Counts;
use crate::collectives::blocks::Blocks;
use crate::collectives::buffer::{Elements, in_place};
use crate::collectives::roles::{Role, role};
use crate::error::Result;

/// `MPI_Igather`
#[expect(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(super) fn gather(
    plan: &mut Plan,
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
) -> Result {
    let own = || Elements::new(sendbuf, sendcount, sendtype);
    let all = || Ok((Elements::base(recvbuf, recvtype)?, Blocks::Even(recvcount)));
    gather_blocks(plan, root, in_place(sendbuf), own, all)
}

/// `MPI_Igatherv`
#[expect(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(super) fn gatherv(
    plan: &mut Plan,
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    displs: Counts,
    recvtype: MPI_Datatype,
    root: c_int,
) -> Result {
    let size = plan.communicator.peers().size();
    let own = || Elements::new(sendbuf, sendcount, sendtype);
    let all =
        || Ok((Elements::base(recvbuf, recvtype)?, Blocks::listed(recvcounts, displs, size)?));
    gather_blocks(plan, root, in_place(sendbuf), own, all)
}

/// Brings every member's elements to the root. Arguments that matter only for some roles are read
/// only by these.
fn gather_blocks(
    plan: &mut Plan,
    root: c_int,
    in_place: bool,
    own: impl Fn() -> Result<Elements>,
    all: impl FnOnce() -> Result<(Elements, Blocks)>,
) -> Result {
    let communicator = plan.communicator;
    match role(communicator, root)? {
        Role::Bystander => {}
        Role::Member(root) => plan.send(plan.peer(root), &own()?),
        Role::Root => {
            let (base, blocks) = all()?;
            for rank in 0..communicator.peers().size() {
                let block = blocks.of(&base, rank)?;
                if communicator.remote().is_some() || rank != communicator.rank() {
                    plan.receive(plan.peer(rank), &block);
                } else if !in_place {
                    plan.copy(&own()?.apart_from(&block)?, &block);
                }
            }
        }
    }
    Ok(())
}

/// `MPI_Iscatter`
#[expect(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(super) fn scatter(
    plan: &mut Plan,
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
) -> Result {
    let own = || Elements::new(recvbuf, recvcount, recvtype);
    let all = || Ok((Elements::base(sendbuf, sendtype)?, Blocks::Even(sendcount)));
    scatter_blocks(plan, root, in_place(recvbuf), own, all)
}

/// `MPI_Iscatterv`
#[expect(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(super) fn scatterv(
    plan: &mut Plan,
    sendbuf: *const c_void,
    sendcounts: Counts,
    displs: Counts,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
) -> Result {
    let size = plan.communicator.peers().size();
    let own = || Elements::new(recvbuf, recvcount, recvtype);
    let all =
        || Ok((Elements::base(sendbuf, sendtype)?, Blocks::listed(sendcounts, displs, size)?));
    scatter_blocks(plan, root, in_place(recvbuf), own, all)
}

/// Brings every member its elements from the root.
fn scatter_blocks(
    plan: &mut Plan,
    root: c_int,
    in_place: bool,
    own: impl Fn() -> Result<Elements>,
    all: impl FnOnce() -> Result<(Elements, Blocks)>,
) -> Result {
    let communicator = plan.communicator;
    match role(communicator, root)? {
        Role::Bystander => {}
        Role::Member(root) => plan.receive(plan.peer(root), &own()?),
        Role::Root => {
            let (base, blocks) = all()?;
            for rank in 0..communicator.peers().size() {
                let block = blocks.of(&base, rank)?;
                if communicator.remote().is_some() || rank != communicator.rank() {
                    plan.send(plan.peer(rank), &block);
                } else if !in_place {
                    plan.copy(&block, &own()?.apart_from(&block)?);
                }
            }
        }
    }
    Ok(())
}

/// `MPI_Iallgather`
pub(super) fn allgather(
    plan: &mut Plan,
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
) -> Result {
    let base = Elements::base(recvbuf, recvtype)?;
    allgather_blocks(plan, sendbuf, sendcount, sendtype, &base, &Blocks::Even(recvcount))
}

/// `MPI_Iallgatherv`
#[expect(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(super) fn allgatherv(
    plan: &mut Plan,
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    displs: Counts,
    recvtype: MPI_Datatype,
) -> Result {
    let base = Elements::base(recvbuf, recvtype)?;
    let blocks = Blocks::listed(recvcounts, displs, plan.communicator.peers().size())?;
    allgather_blocks(plan, sendbuf, sendcount, sendtype, &base, &blocks)
}

/// Brings every process's elements to all; between groups to all of the other group.
fn allgather_blocks(
    plan: &mut Plan,
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    base: &Elements,
    blocks: &Blocks,
) -> Result {
    let communicator = plan.communicator;
    let (rank, size) = (communicator.rank(), communicator.peers().size());
    if communicator.remote().is_some() {
        let own = Elements::new(sendbuf, sendcount, sendtype)?;
        for other in 0..size {
            plan.receive(plan.peer(other), &blocks.of(base, other)?);
            plan.send(plan.peer(other), &own);
        }
        return Ok(());
    }
    let mut own = blocks.of(base, rank)?;
    if !in_place(sendbuf) {
        let place = std::mem::replace(&mut own, Elements::new(sendbuf, sendcount, sendtype)?);
        plan.copy(&own.clone().apart_from(&place)?, &place);
    }
    for step in 1..size {
        let (next, previous) = ((rank + step) % size, (rank + size - step) % size);
        plan.receive(plan.peer(previous), &blocks.of(base, previous)?);
        plan.send(plan.peer(next), &own);
    }
    Ok(())
}
