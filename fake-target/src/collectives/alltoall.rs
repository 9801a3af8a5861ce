//! All-to-all (MPI 5.0, section 6.8).

use std::ffi::{c_int, c_void};

use super::blocks::Blocks;
use super::buffer::{Elements, in_place};
use super::exchange::{Outgoing, after, exchange, exchange_each};
use super::roles::{self, collectively};
use super::under_way::Collective;
use super::variables::ALLTOALL_WINDOW;
use crate::abi::*;
use crate::arguments::{Counts, array};
use crate::communicator::Communicator;
use crate::communicator::team::{FEW, tag};
use crate::error::Result;

/// `MPI_Alltoall`
pub(crate) fn alltoall(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result {
    collectively(Collective::Alltoall, comm, |communicator| {
        let received = Elements::base(recvbuf, recvtype)?;
        let receive = |rank| Blocks::Even(recvcount).of(&received, rank);
        if in_place(sendbuf) {
            return replace(communicator, receive);
        }
        let sent = Elements::base(sendbuf, sendtype)?;
        if communicator.remote().is_none()
            && communicator.size() <= FEW
            && ALLTOALL_WINDOW.get() == 0
        {
            return trade_few(
                communicator,
                &sent.part(0, sendcount)?,
                &received.part(0, recvcount)?,
            );
        }
        trade(communicator, |rank| Blocks::Even(sendcount).of(&sent, rank), receive)
    })
}

/// `MPI_Alltoallv`
#[allow(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(crate) fn alltoallv(
    sendbuf: *const c_void,
    sendcounts: Counts,
    sdispls: Counts,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    rdispls: Counts,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result {
    collectively(Collective::Alltoallv, comm, |communicator| {
        let size = communicator.peers().size();
        let (received, to) =
            (Elements::base(recvbuf, recvtype)?, Blocks::listed(recvcounts, rdispls, size)?);
        if in_place(sendbuf) {
            return replace(communicator, |rank| to.of(&received, rank));
        }
        let (sent, from) =
            (Elements::base(sendbuf, sendtype)?, Blocks::listed(sendcounts, sdispls, size)?);
        trade(communicator, |rank| from.of(&sent, rank), |rank| to.of(&received, rank))
    })
}

/// `MPI_Alltoallw`: displacements in bytes, a datatype for each rank.
#[allow(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(crate) fn alltoallw(
    sendbuf: *const c_void,
    sendcounts: Counts,
    sdispls: Counts,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    rdispls: Counts,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
) -> Result {
    collectively(Collective::Alltoallw, comm, |communicator| {
        let ranks = communicator.peers().size() as usize;
        let received = typed_blocks(recvbuf, ranks, recvcounts, rdispls, recvtypes)?;
        let receive = |rank: c_int| Ok(received[rank as usize].clone());
        if in_place(sendbuf) {
            return replace(communicator, receive);
        }
        let sent = typed_blocks(sendbuf, ranks, sendcounts, sdispls, sendtypes)?;
        trade(communicator, |rank| Ok(sent[rank as usize].clone()), receive)
    })
}

/// The blocks of a buffer that have datatypes of their own, at displacements in bytes.
pub(super) fn typed_blocks(
    buffer: *const c_void,
    blocks: usize,
    counts: Counts,
    displacements: Counts,
    types: *const MPI_Datatype,
) -> Result<Vec<Elements>> {
    let (counts, offsets) =
        (counts.to_vec(blocks, "counts")?, displacements.to_vec(blocks, "displs")?);
    let types = array(types, blocks, "types")?.iter();
    let parts = types.zip(counts).zip(offsets);
    parts
        .map(|((&datatype, count), offset)| Elements::base(buffer, datatype)?.at(offset, count))
        .collect()
}

/// The other ranks, starting from the next one so that not all begin with the same; between groups
/// all of the other group.
fn others(communicator: &Communicator) -> impl Iterator<Item = c_int> + use<> {
    let (rank, size) = (communicator.rank(), communicator.peers().size());
    let (first, skipped) = match communicator.remote() {
        Some(_) => (rank % size, None),
        None => (rank, Some(rank)),
    };
    (1..=size).map(move |step| after(first, step, size)).filter(move |&rank| Some(rank) != skipped)
}

/// A block to every process and a block from every process.
fn trade(
    communicator: &'static Communicator,
    send: impl Fn(c_int) -> Result<Elements>,
    receive: impl Fn(c_int) -> Result<Elements>,
) -> Result {
    let outgoing = others(communicator)
        .map(|rank| Ok(Outgoing { to: communicator.partner(rank), elements: send(rank)? }))
        .collect::<Result<Vec<_>>>()?;
    let mut incoming = others(communicator)
        .map(|rank| Ok((communicator.partner(rank), receive(rank)?)))
        .collect::<Result<Vec<_>>>()?;
    if communicator.remote().is_some() {
        return exchange(tag::ALLTOALL, &outgoing, &incoming, || Ok(()));
    }
    let (own, place) = (send(communicator.rank())?, receive(communicator.rank())?);
    // In step n, a rank sends to the rank n after it and receives from the rank n before it, so
    // that no step waits for a later one.
    incoming.reverse();
    let window =
        if ALLTOALL_WINDOW.get() == 0 { outgoing.len().max(1) } else { ALLTOALL_WINDOW.size() };
    let mut steps = outgoing.chunks(window).zip(incoming.chunks(window));
    let (outgoing, incoming) = steps.next().unwrap_or_default();
    let first = exchange(tag::ALLTOALL, outgoing, incoming, || {
        own.apart_from(&place).and_then(|own| place.copy_from(&own))
    });
    let next =
        |(outgoing, incoming): (&[_], &[_])| exchange(tag::ALLTOALL, outgoing, incoming, || Ok(()));
    steps.map(next).fold(first, Result::and)
}

/// The same among few processes with blocks of one size, given by the first ones. No lists are
/// made: they take longer than small messages.
fn trade_few(communicator: &'static Communicator, send: &Elements, receive: &Elements) -> Result {
    let (own, size) = (communicator.rank(), communicator.size());
    let outgoing = (1..size).map(|step| after(own, step, size));
    let outgoing = outgoing.map(|rank| (communicator.partner(rank), send.block_payload(rank)));
    let incoming = (1..size).map(|step| after(own, size - step, size));
    let incoming = incoming.map(|rank| (communicator.partner(rank), receive.block_payload(rank)));
    exchange_each(tag::ALLTOALL, outgoing, incoming, || {
        let (place, own) = (receive.block_elements(own), send.block_elements(own));
        own.check_apart_from(&place).and_then(|()| place.copy_from(&own))
    })
}

/// The same if each incoming block replaces the outgoing one.
fn replace(
    communicator: &'static Communicator,
    block: impl Fn(c_int) -> Result<Elements>,
) -> Result {
    roles::intracommunicator(communicator)?;
    let blocks = others(communicator)
        .map(|rank| Ok((rank, block(rank)?)))
        .collect::<Result<Vec<(c_int, Elements)>>>()?;
    let copies: Vec<Vec<u8>> =
        blocks.iter().map(|(_, elements)| elements.read().into_owned()).collect();
    let transfers: Vec<_> = blocks
        .iter()
        .zip(&copies)
        .map(|((rank, _), bytes)| communicator.partner(*rank).isend(tag::ALLTOALL, bytes))
        .collect();
    let received = blocks
        .iter()
        .map(|(rank, elements)| elements.receive(communicator.partner(*rank), tag::ALLTOALL));
    let received = received.fold(Ok(()), Result::and);
    transfers.into_iter().map(|transfer| transfer.wait()).fold(received, Result::and)
}
