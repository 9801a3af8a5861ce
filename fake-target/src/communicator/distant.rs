//! Communicators with processes of other jobs. A process has a number for every other process.
//! Processes exchange addresses, which are the same for all, not these numbers.

use std::ffi::c_int;

use super::creation::build;
use super::object::Communicator;
use crate::abi::MPI_ERR_OTHER;
use crate::engine;
use crate::error::{Error, Result};
use crate::group::Group;
use crate::transport::address::Address;

/// An intercommunicator with a group that this process's group has met.
pub(crate) fn connected(
    parent: &'static Communicator,
    context_id: u32,
    remote: Vec<c_int>,
    name: &str,
) -> Result<&'static Communicator> {
    let communicator = build(parent, context_id, parent.local().clone(), Some(Group::new(remote)))?;
    communicator.set_name(name);
    Ok(communicator)
}

/// Whether a process precedes another, given by their numbers here. All processes agree on the
/// answer. Within a job it is the order of the ranks.
pub(crate) fn precedes(one: c_int, other: c_int) -> bool {
    let engine = engine::enter();
    engine.address(one as usize).key() < engine.address(other as usize).key()
}

/// The addresses of the processes of a group, for other processes.
pub(super) fn addresses_of(group: &Group) -> Vec<u8> {
    let engine = engine::enter();
    let of = |number: &c_int| engine.address(*number as usize).to_bytes();
    group.world_ranks().iter().flat_map(of).collect()
}

/// The numbers here of the processes at addresses that another process has written.
pub(super) fn numbers_of(addresses: &[u8]) -> Result<Vec<c_int>> {
    meet_all(&Address::all_of(addresses))
}

/// The numbers here of processes at these addresses; `MPI_ERR_OTHER` if one of them cannot be
/// reached.
pub(crate) fn meet_all(addresses: &[Address]) -> Result<Vec<c_int>> {
    let engine = engine::enter();
    let meet = |address: &Address| engine.meet(address).map(|number| number as c_int);
    addresses.iter().map(meet).collect::<std::io::Result<_>>().map_err(|error| {
        let message = format!(
            "the memory of a process of another job cannot be had: {error}. Processes of different \
             jobs reach each other on the same machine, as the same user"
        );
        Error::new(MPI_ERR_OTHER, message)
    })
}
