//! How an operation begins, and what each process is to it.

use std::ffi::c_int;

use super::under_way::{Collective, enter};
use crate::abi::*;
use crate::communicator::call::Form;
use crate::communicator::{self, Communicator};
use crate::error::{Error, Result};

/// Does this process's part of a blocking collective operation. If it leaves it with an error, the
/// other processes need not wait for it.
#[inline]
pub(super) fn collectively(
    operation: Collective,
    comm: MPI_Comm,
    part: impl FnOnce(&'static Communicator) -> Result,
) -> Result {
    let communicator = communicator::resolve(comm)?;
    let call = communicator.begin_call(Form::Blocking, operation as u8);
    let _under_way = enter(operation, communicator);
    part(communicator).inspect_err(|error| communicator.end_wrong(&call, error))
}

/// What a process is to an operation with a root.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The root. In an intercommunicator its partners are the other group.
    Root,
    /// One of those that the root serves, with the root's rank.
    Member(c_int),
    /// In the root's group of an intercommunicator, and not the root: nothing to do.
    Bystander,
}

/// The role that `root` gives this process; `MPI_ERR_ROOT` if it is not a valid root.
pub(super) fn role(communicator: &Communicator, root: c_int) -> Result<Role> {
    let size = communicator.peers().size();
    match (communicator.remote(), root) {
        (Some(_), MPI_ROOT) => Ok(Role::Root),
        (Some(_), MPI_PROC_NULL) => Ok(Role::Bystander),
        (None, root) if root == communicator.rank() => Ok(Role::Root),
        (_, root) if (0..size).contains(&root) => Ok(Role::Member(root)),
        _ => Err(Error::outside(MPI_ERR_ROOT, "root", root, size as usize)),
    }
}

/// `MPI_ERR_COMM` for an intercommunicator.
pub(super) fn intracommunicator(communicator: &Communicator) -> Result {
    match communicator.remote() {
        None => Ok(()),
        Some(_) => {
            Err(Error::new(MPI_ERR_COMM, "the operation is not defined for an intercommunicator"))
        }
    }
}
