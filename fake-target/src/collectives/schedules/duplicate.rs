//! The nonblocking duplication of a communicator (MPI 5.0, section 7.4.2).

use super::broadcast::spread;
use super::plan::Plan;
use crate::abi::*;
use crate::arguments::Out;
use crate::collectives::buffer::Elements;
use crate::collectives::roles;
use crate::communicator::{draft_duplicate, new_context_id, precedes};
use crate::engine::Engine;
use crate::error::Result;
use crate::group::Group;
use crate::info;

/// `MPI_Comm_idup`
pub(crate) fn idup(comm: MPI_Comm, newcomm: Out<MPI_Comm>, request: Out<MPI_Request>) -> Result {
    idup_with_info(comm, MPI_INFO_NULL, newcomm, request)
}

/// `MPI_Comm_idup_with_info`: the processes agree on the context id, and the new communicator is
/// of use from then on.
pub(crate) fn idup_with_info(
    comm: MPI_Comm,
    info: MPI_Info,
    newcomm: Out<MPI_Comm>,
    request: Out<MPI_Request>,
) -> Result {
    let parent = roles::begin(comm)?;
    let mut plan = Plan::new(parent, parent.schedule_tag());
    info::check_hints(info)?;
    let four = [0u8; 4];
    let id = plan.scratch(&Elements::new(four.as_ptr().cast(), 4, MPI_BYTE)?)?;
    newcomm.set(MPI_COMM_NULL);
    let draft = draft_duplicate(parent)?;
    let value = id.clone();
    let invent = move |_: &'static Engine| {
        value.fill(|bytes| {
            bytes.copy_from_slice(&new_context_id().to_ne_bytes());
            Ok(())
        })
    };
    if parent.rank() == 0 {
        let first = |group: &Group| group.world_ranks()[0];
        match parent.remote() {
            // Between groups, the one of the two first processes that precedes the other. Each job
            // numbers the processes of others after its own.
            Some(remote) if precedes(first(remote), first(parent.local())) => {
                plan.receive(plan.peer(0), &id);
                plan.fence();
            }
            Some(_) => {
                plan.local(invent);
                plan.send(plan.peer(0), &id);
            }
            None => plan.local(invent),
        }
    }
    spread(&mut plan, 0, &id);
    plan.fence();
    newcomm.set(draft.handle());
    plan.local(move |engine| {
        let mut bytes = [0; 4];
        bytes.copy_from_slice(&id.read());
        draft.open(engine, u32::from_ne_bytes(bytes))
    });
    request.set(MPI_Request(plan.start(None).handle()));
    Ok(())
}
