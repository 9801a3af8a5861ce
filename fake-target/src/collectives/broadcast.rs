//! Barrier and broadcast (MPI 5.0, sections 6.3 and 6.4).

use std::ffi::{c_int, c_void};

use super::buffer::Elements;
use super::roles::{Role, collectively, role};
use super::under_way::Collective;
use crate::abi::*;
use crate::communicator::team::{Team, tag};
use crate::error::Result;

/// `MPI_Barrier`. In an intercommunicator each group meets, the groups' first processes exchange a
/// message, and each group meets again.
pub(crate) fn barrier(comm: MPI_Comm) -> Result {
    collectively(Collective::Barrier, comm, |communicator| {
        let team = Team::local(communicator, tag::BARRIER);
        team.barrier()?;
        if communicator.remote().is_some() {
            if team.rank() == 0 {
                let leader = communicator.partner(0);
                let sent = leader.isend(tag::BARRIER, &[]);
                leader.recv(tag::BARRIER, &mut [])?;
                sent.wait()?;
            }
            team.barrier()?;
        }
        Ok(())
    })
}

/// `MPI_Bcast`
pub(crate) fn bcast(
    buffer: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Result {
    collectively(Collective::Bcast, comm, |communicator| {
        let role = role(communicator, root)?;
        if role == Role::Bystander {
            return Ok(());
        }
        let elements = Elements::new(buffer, count, datatype)?;
        let team = Team::local(communicator, tag::BROADCAST);
        match (communicator.remote(), role) {
            (None, Role::Root) => team.broadcast_from(&elements.read()),
            (None, _) => elements.fill(|bytes| team.broadcast_into(root, bytes)),
            // Between groups: to the other group's first process, which tells the rest.
            (Some(_), Role::Root) => communicator.partner(0).send(tag::BROADCAST, &elements.read()),
            (Some(_), _) => elements.fill(|bytes| {
                if team.rank() > 0 {
                    return team.broadcast_into(0, bytes);
                }
                communicator.partner(root).recv(tag::BROADCAST, bytes)?;
                team.broadcast_from(bytes)
            }),
        }
    })
}
