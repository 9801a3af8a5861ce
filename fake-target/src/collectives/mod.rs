//! Collective operations (MPI 5.0, chapter 6).
//!
//! All of them are made of the runtime's own messages between the members of a [`Team`]: they
//! travel in the communicator's hidden context, so the program's receives never see them. Within
//! one communicator all processes call the same operations in the same order, and messages between
//! two processes do not overtake each other: one tag per operation is enough.

mod alltoall;
mod broadcast;
mod buffer;
mod gather;
mod reduce;
mod team;
mod under_way;

use std::ffi::c_int;

use crate::abi::*;
use crate::communicator::{self, Communicator};
use crate::error::{Error, Result};

pub(crate) use alltoall::*;
pub(crate) use broadcast::*;
pub(crate) use gather::*;
pub(crate) use reduce::*;
pub(crate) use team::Team;

crate::mpi_t::describe::category! {
    name: COLLECTIVES
    description: "Collective operations and their algorithms."
}

/// Tags of the runtime's own messages.
pub(crate) mod tag {
    use std::ffi::c_int;
    pub(super) const BARRIER: c_int = 1;
    pub(super) const BROADCAST: c_int = 2;
    pub(super) const GATHER: c_int = 3;
    pub(super) const SCATTER: c_int = 4;
    pub(super) const ALLGATHER: c_int = 5;
    pub(super) const ALLTOALL: c_int = 6;
    pub(super) const REDUCE: c_int = 7;
    pub(super) const SCAN: c_int = 8;
    /// The making of communicators by all members of another one.
    pub(crate) const CREATE: c_int = 9;
    /// The first of the tags of `MPI_Comm_create_group`: the program's tag is added.
    pub(crate) const CREATE_GROUP: c_int = 1 << 28;
    /// The first of the tags of `MPI_Intercomm_create`: the program's tag is added.
    pub(crate) const INTERCOMM_CREATE: c_int = 2 << 28;
    /// What distinguishes messages within the local group of an intercommunicator from those
    /// between the groups.
    pub(super) const LOCAL: c_int = 16;
}

/// The communicator of a collective operation, which begins.
fn begin(comm: MPI_Comm) -> Result<&'static Communicator> {
    let communicator = communicator::resolve(comm)?;
    communicator.begin_collective();
    Ok(communicator)
}

/// What a process is to an operation with a root.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// The root. In an intercommunicator its partners are the other group.
    Root,
    /// One of those that the root serves, with the root's rank.
    Member(c_int),
    /// In the root's group of an intercommunicator, and not the root: nothing to do.
    Bystander,
}

/// The role that `root` gives this process; `MPI_ERR_ROOT` if it is no root.
fn role(communicator: &Communicator, root: c_int) -> Result<Role> {
    let size = communicator.peers().size();
    match (communicator.remote(), root) {
        (Some(_), MPI_ROOT) => Ok(Role::Root),
        (Some(_), MPI_PROC_NULL) => Ok(Role::Bystander),
        (None, root) if root == communicator.rank() => Ok(Role::Root),
        (_, root) if (0..size).contains(&root) => Ok(Role::Member(root)),
        _ => Err(Error::new(MPI_ERR_ROOT, format!("the root {root} is not in 0..{size}"))),
    }
}

/// `MPI_ERR_COMM` for an intercommunicator.
fn intracommunicator(communicator: &Communicator) -> Result {
    match communicator.remote() {
        None => Ok(()),
        Some(_) => {
            Err(Error::new(MPI_ERR_COMM, "the operation is not defined for an intercommunicator"))
        }
    }
}
