//! Barrier and broadcast.

use std::ffi::c_int;

use super::plan::Plan;
use crate::abi::*;
use crate::collectives::buffer::Elements;
use crate::collectives::roles::{Role, role};
use crate::communicator::team::{FEW, binomial_children};
use crate::error::Result;
use std::ffi::c_void;

/// `MPI_Ibarrier`. In an intercommunicator each group meets, the groups' first processes exchange a
/// message, and each group meets again.
pub(super) fn barrier(plan: &mut Plan) -> Result {
    meet(plan)?;
    if plan.communicator.remote().is_some() {
        if plan.communicator.rank() == 0 {
            let nothing = nothing()?;
            let leader = plan.peer(0);
            plan.send(leader, &nothing);
            plan.receive(leader, &nothing);
            plan.fence();
        }
        meet(plan)?;
    }
    Ok(())
}

fn nothing() -> Result<Elements> {
    Elements::new(std::ptr::null(), 0, MPI_BYTE)
}

/// The processes of a group meet. In a round each tells three others, so each round quadruples the
/// number of processes that know of each other.
fn meet(plan: &mut Plan) -> Result {
    let (rank, size) = (plan.communicator.rank(), plan.communicator.size());
    let nothing = nothing()?;
    let mut distance = 1;
    while distance < size {
        for step in (1..4).map(|step| step * distance).filter(|step| *step < size) {
            plan.send(plan.mate((rank + step) % size), &nothing);
            plan.receive(plan.mate((rank + size - step) % size), &nothing);
        }
        plan.fence();
        distance *= 4;
    }
    Ok(())
}

/// `MPI_Ibcast`
pub(super) fn bcast(
    plan: &mut Plan,
    buffer: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    root: c_int,
) -> Result {
    let role = role(plan.communicator, root)?;
    if role == Role::Bystander {
        return Ok(());
    }
    let elements = Elements::new(buffer, count, datatype)?;
    match (plan.communicator.remote(), role) {
        (None, Role::Root) => spread(plan, plan.communicator.rank(), &elements),
        (None, _) => spread(plan, root, &elements),
        // Between groups: to the other group's first process, which tells the rest.
        (Some(_), Role::Root) => plan.send(plan.peer(0), &elements),
        (Some(_), _) => {
            if plan.communicator.rank() == 0 {
                plan.receive(plan.peer(root), &elements);
                plan.fence();
            }
            spread(plan, 0, &elements);
        }
    }
    Ok(())
}

/// Brings elements from one process of the group to all others: directly if there are few,
/// otherwise along a binomial tree.
pub(super) fn spread(plan: &mut Plan, root: c_int, elements: &Elements) {
    let size = plan.communicator.size();
    let number = (plan.communicator.rank() + size - root) % size;
    let few = size <= FEW;
    if number > 0 {
        let parent = if few { 0 } else { number & (number - 1) };
        plan.receive(plan.mate((parent + root) % size), elements);
        plan.fence();
    }
    let children = match number {
        0 if few => (1..size).collect(),
        _ if few => Vec::new(),
        _ => binomial_children(number, size),
    };
    for child in children {
        plan.send(plan.mate((child + root) % size), elements);
    }
}
