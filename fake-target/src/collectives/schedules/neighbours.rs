//! Neighbourhood collective operations (MPI 5.0, section 8.6).

use std::ffi::{c_int, c_void};

use super::plan::Plan;
use crate::abi::*;
use crate::arguments::Counts;
use crate::collectives::alltoall::typed_blocks;
use crate::collectives::blocks::Blocks;
use crate::collectives::buffer::Elements;
use crate::communicator::{Neighbours, neighbours};
use crate::error::Result;

/// A block to every neighbour and a block from every neighbour, by their numbers.
fn trade(
    plan: &mut Plan,
    neighbours: &Neighbours,
    send: impl Fn(c_int) -> Result<Elements>,
    receive: impl Fn(c_int) -> Result<Elements>,
) -> Result {
    let Neighbours { sources, destinations, grid } = neighbours;
    for number in 0..sources.len() {
        // Two neighbours may be the same process. What this one receives first is then what the
        // other one sends first. In a grid, that block goes in the negative direction, so it comes
        // from the positive one.
        let number = if *grid { number ^ 1 } else { number };
        let block = receive(number as c_int)?;
        if sources[number] != MPI_PROC_NULL {
            plan.receive(plan.peer(sources[number]), &block);
        }
    }
    for (number, &to) in (0..).zip(destinations) {
        let block = send(number)?;
        if to != MPI_PROC_NULL {
            plan.send(plan.peer(to), &block);
        }
    }
    Ok(())
}

/// `MPI_Neighbor_allgather`
pub(super) fn allgather(
    plan: &mut Plan,
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
) -> Result {
    let neighbours = neighbours(plan.communicator)?;
    let own = Elements::new(sendbuf, sendcount, sendtype)?;
    let received = Elements::base(recvbuf, recvtype)?;
    let receive = |number| Blocks::Even(recvcount).of(&received, number);
    trade(plan, &neighbours, |_| Ok(own.clone()), receive)
}

/// `MPI_Neighbor_allgatherv`
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
    let neighbours = neighbours(plan.communicator)?;
    let own = Elements::new(sendbuf, sendcount, sendtype)?;
    let received = Elements::base(recvbuf, recvtype)?;
    let to = Blocks::listed(recvcounts, displs, neighbours.sources.len() as c_int)?;
    trade(plan, &neighbours, |_| Ok(own.clone()), |number| to.of(&received, number))
}

/// `MPI_Neighbor_alltoall`
pub(super) fn alltoall(
    plan: &mut Plan,
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
) -> Result {
    let neighbours = neighbours(plan.communicator)?;
    let (sent, received) = (Elements::base(sendbuf, sendtype)?, Elements::base(recvbuf, recvtype)?);
    let send = |number| Blocks::Even(sendcount).of(&sent, number);
    trade(plan, &neighbours, send, |number| Blocks::Even(recvcount).of(&received, number))
}

/// `MPI_Neighbor_alltoallv`
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
    let neighbours = neighbours(plan.communicator)?;
    let (sent, received) = (Elements::base(sendbuf, sendtype)?, Elements::base(recvbuf, recvtype)?);
    let from = Blocks::listed(sendcounts, sdispls, neighbours.destinations.len() as c_int)?;
    let to = Blocks::listed(recvcounts, rdispls, neighbours.sources.len() as c_int)?;
    let send = |number| from.of(&sent, number);
    trade(plan, &neighbours, send, |number| to.of(&received, number))
}

/// `MPI_Neighbor_alltoallw`: displacements in bytes, a datatype for each neighbour.
#[expect(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(super) fn alltoallw(
    plan: &mut Plan,
    sendbuf: *const c_void,
    sendcounts: Counts,
    sdispls: *const MPI_Aint,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    rdispls: *const MPI_Aint,
    recvtypes: *const MPI_Datatype,
) -> Result {
    let neighbours = neighbours(plan.communicator)?;
    let (from, to) = (neighbours.destinations.len(), neighbours.sources.len());
    let sdispls = Counts::Longs(sdispls.cast());
    let rdispls = Counts::Longs(rdispls.cast());
    let sent = typed_blocks(sendbuf, from, sendcounts, sdispls, sendtypes)?;
    let received = typed_blocks(recvbuf, to, recvcounts, rdispls, recvtypes)?;
    let send = |number: c_int| Ok(sent[number as usize].clone());
    trade(plan, &neighbours, send, |number| Ok(received[number as usize].clone()))
}
