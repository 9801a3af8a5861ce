//! Gather, scatter and allgather (MPI 5.0, sections 6.5 to 6.7).

use std::ffi::{c_int, c_void};

use super::blocks::Blocks;
use super::buffer::{Elements, in_place};
use super::exchange::{Outgoing, after, exchange, exchange_each};
use super::roles::{Role, collectively, role};
use super::under_way::Collective;
use super::variables::ALLGATHER_ALGORITHM;
use crate::abi::*;
use crate::arguments::Counts;
use crate::communicator::Communicator;
use crate::communicator::team::{FEW, tag};
use crate::error::Result;

/// `MPI_Gather`
#[allow(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(crate) fn gather(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Result {
    collectively(Collective::Gather, comm, |communicator| {
        let own = || Elements::new(sendbuf, sendcount, sendtype);
        let all = || Ok((Elements::base(recvbuf, recvtype)?, Blocks::Even(recvcount)));
        gather_blocks(communicator, root, in_place(sendbuf), own, all)
    })
}

/// `MPI_Gatherv`
#[allow(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(crate) fn gatherv(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    displs: Counts,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Result {
    collectively(Collective::Gatherv, comm, |communicator| {
        let own = || Elements::new(sendbuf, sendcount, sendtype);
        let blocks = || Blocks::listed(recvcounts, displs, communicator.peers().size());
        gather_blocks(communicator, root, in_place(sendbuf), own, || {
            Ok((Elements::base(recvbuf, recvtype)?, blocks()?))
        })
    })
}

/// Brings every member's elements to the root. Arguments that matter only for some roles are read
/// only by these.
fn gather_blocks(
    communicator: &'static Communicator,
    root: c_int,
    in_place: bool,
    own: impl FnOnce() -> Result<Elements>,
    all: impl FnOnce() -> Result<(Elements, Blocks)>,
) -> Result {
    match role(communicator, root)? {
        Role::Bystander => Ok(()),
        Role::Member(root) => own()?.send(communicator.partner(root), tag::GATHER),
        Role::Root => {
            let (base, blocks) = all()?;
            let inter = communicator.remote().is_some();
            let own = match inter || in_place {
                true => None,
                false => Some(own()?.apart_from(&blocks.of(&base, communicator.rank())?)?),
            };
            // From here on an error does not end it, since the members wait for their data to be
            // received.
            let mut result = Ok(());
            for rank in 0..communicator.peers().size() {
                let block = blocks.of(&base, rank)?;
                if inter || rank != communicator.rank() {
                    let received = block.receive(communicator.partner(rank), tag::GATHER);
                    result = result.and(received);
                }
            }
            if let Some(own) = own {
                let block = blocks.of(&base, communicator.rank())?;
                result = result.and(block.copy_from(&own));
            }
            result
        }
    }
}

/// `MPI_Scatter`
#[allow(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(crate) fn scatter(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Result {
    collectively(Collective::Scatter, comm, |communicator| {
        let own = || Elements::new(recvbuf, recvcount, recvtype);
        let all = || Ok((Elements::base(sendbuf, sendtype)?, Blocks::Even(sendcount)));
        scatter_blocks(communicator, root, in_place(recvbuf), own, all)
    })
}

/// `MPI_Scatterv`
#[allow(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(crate) fn scatterv(
    sendbuf: *const c_void,
    sendcounts: Counts,
    displs: Counts,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Result {
    collectively(Collective::Scatterv, comm, |communicator| {
        let own = || Elements::new(recvbuf, recvcount, recvtype);
        let blocks = || Blocks::listed(sendcounts, displs, communicator.peers().size());
        scatter_blocks(communicator, root, in_place(recvbuf), own, || {
            Ok((Elements::base(sendbuf, sendtype)?, blocks()?))
        })
    })
}

/// Brings every member its elements from the root.
fn scatter_blocks(
    communicator: &'static Communicator,
    root: c_int,
    in_place: bool,
    own: impl FnOnce() -> Result<Elements>,
    all: impl FnOnce() -> Result<(Elements, Blocks)>,
) -> Result {
    match role(communicator, root)? {
        Role::Bystander => Ok(()),
        Role::Member(root) => own()?.receive(communicator.partner(root), tag::SCATTER),
        Role::Root => {
            let (base, blocks) = all()?;
            let inter = communicator.remote().is_some();
            let own = match inter || in_place {
                true => None,
                false => Some(own()?.apart_from(&blocks.of(&base, communicator.rank())?)?),
            };
            let others = (0..communicator.peers().size())
                .filter(|&rank| inter || rank != communicator.rank());
            let outgoing: Vec<Outgoing> = others
                .map(|rank| {
                    Ok(Outgoing {
                        to: communicator.partner(rank),
                        elements: blocks.of(&base, rank)?,
                    })
                })
                .collect::<Result<_>>()?;
            exchange(tag::SCATTER, &outgoing, &[], || Ok(()))?;
            match own {
                Some(own) => own.copy_from(&blocks.of(&base, communicator.rank())?),
                None => Ok(()),
            }
        }
    }
}

/// `MPI_Allgather`
pub(crate) fn allgather(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result {
    collectively(Collective::Allgather, comm, |communicator| {
        let base = Elements::base(recvbuf, recvtype)?;
        allgather_blocks(
            communicator,
            sendbuf,
            sendcount,
            sendtype,
            &base,
            &Blocks::Even(recvcount),
        )
    })
}

/// `MPI_Allgatherv`
#[allow(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(crate) fn allgatherv(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    displs: Counts,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result {
    collectively(Collective::Allgatherv, comm, |communicator| {
        let base = Elements::base(recvbuf, recvtype)?;
        let blocks = Blocks::listed(recvcounts, displs, communicator.peers().size())?;
        allgather_blocks(communicator, sendbuf, sendcount, sendtype, &base, &blocks)
    })
}

/// Brings every process's elements to all; between groups to all of the other group.
fn allgather_blocks(
    communicator: &'static Communicator,
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    base: &Elements,
    blocks: &Blocks,
) -> Result {
    let (rank, size) = (communicator.rank(), communicator.peers().size());
    if communicator.remote().is_some() {
        let elements = Elements::new(sendbuf, sendcount, sendtype)?;
        let outgoing: Vec<Outgoing> = (0..size)
            .map(|rank| Outgoing { to: communicator.partner(rank), elements: elements.clone() })
            .collect();
        let incoming =
            (0..size).map(|rank| Ok((communicator.partner(rank), blocks.of(base, rank)?)));
        let incoming: Vec<_> = incoming.collect::<Result<_>>()?;
        return exchange(tag::ALLGATHER, &outgoing, &incoming, || Ok(()));
    }
    let place = &blocks.of(base, rank)?;
    let in_place = in_place(sendbuf);
    let own = if in_place { place.clone() } else { Elements::new(sendbuf, sendcount, sendtype)? };
    let copy = || match in_place {
        true => Ok(()),
        false => own.check_apart_from(place).and_then(|()| place.copy_from(&own)),
    };
    let few = match ALLGATHER_ALGORITHM.get() {
        2 => size <= FEW,
        chosen => chosen == 1,
    };
    let others = || (1..size).map(|step| after(rank, step, size));
    if let (true, Blocks::Even(count)) = (few, blocks) {
        let first = base.part(0, *count)?;
        let outgoing = others().map(|to| (communicator.partner(to), own.payload()));
        let incoming = others().map(|from| (communicator.partner(from), first.block_payload(from)));
        return exchange_each(tag::ALLGATHER, outgoing, incoming, copy);
    }
    if few {
        // The elements themselves are sent, not their copy, which is in the cache of this processor
        // only.
        // All arguments are checked before anything is sent.
        others().try_for_each(|rank| blocks.of(base, rank).map(drop))?;
        let outgoing = others().map(|to| (communicator.partner(to), own.payload()));
        let incoming = others().filter_map(|from| {
            Some((communicator.partner(from), blocks.of(base, from).ok()?.payload()))
        });
        return exchange_each(tag::ALLGATHER, outgoing, incoming, copy);
    }
    let all: Vec<Elements> = (0..size).map(|rank| blocks.of(base, rank)).collect::<Result<_>>()?;
    let mut result = copy();
    // Around the ring: each step passes on what the last one brought, since others rely on it.
    let (next, previous) =
        (communicator.partner((rank + 1) % size), communicator.partner((rank + size - 1) % size));
    for step in 0..size - 1 {
        let sent = &all[((rank + size - step) % size) as usize];
        let transfer = sent.start_send(next, tag::ALLGATHER);
        let place = &all[((rank + size - step - 1) % size) as usize];
        let received = place.receive(previous, tag::ALLGATHER);
        result = result.and(received).and(transfer.wait());
    }
    result
}
