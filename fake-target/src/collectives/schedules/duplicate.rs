//! The nonblocking duplication of a communicator (MPI 5.0, section 7.4.2).

use std::ffi::c_int;

use super::broadcast::spread;
use super::plan::Plan;
use crate::abi::*;
use crate::arguments::Out;
use crate::collectives::buffer::Elements;
use crate::communicator::agreement::{code_of, failed_elsewhere};
use crate::communicator::call::{DUPLICATION, Form};
use crate::communicator::{self, draft_duplicate, new_context_id, precedes};
use crate::engine;
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
    let parent = communicator::resolve(comm)?;
    let call = parent.begin_call(Form::Nonblocking, DUPLICATION);
    parent.go_on(&call);
    let mut plan = Plan::new(parent, call.tag());
    newcomm.set(MPI_COMM_NULL);
    let draft = info::check_hints(info).and_then(|()| draft_duplicate(parent));
    let said = agree(&mut plan, code_of(&draft))?;
    if let Ok(draft) = draft {
        newcomm.set(draft.handle());
    }
    let usable = draft.as_ref().ok().copied();
    plan.local(move |engine| match (words(&said), usable) {
        (_, None) => Ok(()),
        ([MPI_SUCCESS, id], Some(draft)) => draft.open(engine, id as u32),
        ([code, _], Some(draft)) => {
            draft.give_up();
            Err(failed_elsewhere(code, "another process"))
        }
    });
    let made = plan.start(None);
    // If this process has failed, the others still need its messages.
    if let Err(error) = draft {
        engine::enter().detach(made);
        return Err(error);
    }
    request.set(MPI_Request(made.handle()));
    Ok(())
}

/// Two numbers of messages: an error code and a context id.
fn words(elements: &Elements) -> [c_int; 2] {
    bytemuck::pod_read_unaligned(&elements.read())
}

/// The processes agree on an error code, or on a context id: the result of [`words`], once the
/// steps are over. The first processes collect the codes. Between groups, the one of them that
/// precedes the other chooses the context id.
fn agree(plan: &mut Plan, own: c_int) -> Result<Elements> {
    let parent = plan.communicator;
    let pair = [0i32; 2];
    let like = Elements::new(pair.as_ptr().cast(), size_of_val(&pair) as MPI_Count, MPI_BYTE)?;
    let said = plan.scratch(&like)?;
    let mut of_others = Vec::new();
    if parent.rank() == 0 {
        // The others of the group; between groups, also the first process of the other one.
        for _ in 0..parent.size() - 1 + c_int::from(parent.remote().is_some()) {
            of_others.push(plan.scratch(&like)?);
        }
    }
    let begin = said.clone();
    plan.local(move |_| write(&begin, [own, 0]));
    if parent.rank() > 0 {
        plan.send(plan.mate(0), &said);
    } else {
        for (rank, place) in (1..parent.size()).zip(&of_others) {
            plan.receive(plan.mate(rank), place);
        }
        plan.fence();
        let (all, within) = (said.clone(), of_others[..parent.size() as usize - 1].to_vec());
        plan.local(move |_| {
            let [code, _] = within.iter().chain([&all]).map(words).fold([MPI_SUCCESS; 2], first);
            write(&all, [code, new_context_id() as c_int])
        });
        if let (Some(remote), Some(theirs)) = (parent.remote(), of_others.last()) {
            plan.send(plan.peer(0), &said);
            plan.receive(plan.peer(0), theirs);
            plan.fence();
            let first_of = |group: &Group| group.world_ranks()[0];
            // Each job numbers the processes of others after its own.
            let follows = precedes(first_of(remote), first_of(parent.local()));
            let (all, theirs) = (said.clone(), theirs.clone());
            plan.local(move |_| {
                let (here, there) = (words(&all), words(&theirs));
                let [code, _] = first(here, there);
                write(&all, [code, if follows { there[1] } else { here[1] }])
            });
        }
    }
    spread(plan, 0, &said);
    plan.fence();
    Ok(said)
}

/// The first of two that is an error.
fn first(one: [c_int; 2], other: [c_int; 2]) -> [c_int; 2] {
    if one[0] == MPI_SUCCESS { other } else { one }
}

fn write(to: &Elements, words: [c_int; 2]) -> Result {
    to.fill(|bytes| {
        bytes.copy_from_slice(bytemuck::bytes_of(&words));
        Ok(())
    })
}
