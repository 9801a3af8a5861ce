//! All-to-all.

use std::ffi::{c_int, c_void};

use super::plan::Plan;
use crate::abi::*;
use crate::arguments::Counts;
use crate::collectives::alltoall::typed_blocks;
use crate::collectives::blocks::Blocks;
use crate::collectives::buffer::{Elements, in_place};
use crate::collectives::roles;
use crate::error::Result;

/// `MPI_Ialltoall`
pub(super) fn alltoall(
    plan: &mut Plan,
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
) -> Result {
    let received = Elements::base(recvbuf, recvtype)?;
    let receive = |rank| Blocks::Even(recvcount).of(&received, rank);
    if in_place(sendbuf) {
        return replace(plan, receive);
    }
    let sent = Elements::base(sendbuf, sendtype)?;
    trade(plan, |rank| Blocks::Even(sendcount).of(&sent, rank), receive)
}

/// `MPI_Ialltoallv`
#[expect(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(super) fn alltoallv(
    plan: &mut Plan,
    sendbuf: *const c_void,
    sendcounts: Counts,
    sdispls: Counts,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    rdispls: Counts,
    recvtype: MPI_Datatype,
) -> Result {
    let size = plan.communicator.peers().size();
    let (received, to) =
        (Elements::base(recvbuf, recvtype)?, Blocks::listed(recvcounts, rdispls, size)?);
    if in_place(sendbuf) {
        return replace(plan, |rank| to.of(&received, rank));
    }
    let (sent, from) =
        (Elements::base(sendbuf, sendtype)?, Blocks::listed(sendcounts, sdispls, size)?);
    trade(plan, |rank| from.of(&sent, rank), |rank| to.of(&received, rank))
}

/// `MPI_Ialltoallw`
#[expect(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(super) fn alltoallw(
    plan: &mut Plan,
    sendbuf: *const c_void,
    sendcounts: Counts,
    sdispls: Counts,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    rdispls: Counts,
    recvtypes: *const MPI_Datatype,
) -> Result {
    let ranks = plan.communicator.peers().size() as usize;
    let received = typed_blocks(recvbuf, ranks, recvcounts, rdispls, recvtypes)?;
    let receive = |rank: c_int| Ok(received[rank as usize].clone());
    if in_place(sendbuf) {
        return replace(plan, receive);
    }
    let sent = typed_blocks(sendbuf, ranks, sendcounts, sdispls, sendtypes)?;
    trade(plan, |rank| Ok(sent[rank as usize].clone()), receive)
}

/// A block to every process and a block from every process. Each begins with the next one, so that
/// not all send to the same.
fn trade(
    plan: &mut Plan,
    send: impl Fn(c_int) -> Result<Elements>,
    receive: impl Fn(c_int) -> Result<Elements>,
) -> Result {
    let communicator = plan.communicator;
    let (rank, size) = (communicator.rank(), communicator.peers().size());
    for step in 0..size {
        let (next, previous) = ((rank + step) % size, (rank % size + size - step) % size);
        if communicator.remote().is_none() && step == 0 {
            let place = receive(rank)?;
            plan.copy(&send(rank)?.apart_from(&place)?, &place);
        } else {
            plan.receive(plan.peer(previous), &receive(previous)?);
            plan.send(plan.peer(next), &send(next)?);
        }
    }
    Ok(())
}

/// The same if each incoming block replaces the outgoing one.
fn replace(plan: &mut Plan, block: impl Fn(c_int) -> Result<Elements>) -> Result {
    let communicator = plan.communicator;
    roles::intracommunicator(communicator)?;
    let (rank, size) = (communicator.rank(), communicator.size());
    for step in 1..size {
        let other = (rank + step) % size;
        let block = block(other)?;
        let copy = plan.scratch(&block)?;
        plan.copy(&block, &copy);
        plan.send(plan.peer(other), &copy);
        plan.receive(plan.peer(other), &block);
    }
    Ok(())
}
