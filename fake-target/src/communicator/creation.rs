//! Making communicators from communicators, and freeing them (MPI 5.0, section 7.4.2 and 7.4.3).

use std::collections::HashMap;
use std::ffi::c_int;
use std::sync::Arc;

use super::agreement::tell_both;
use super::distant::precedes;
use super::object::{self, Blueprint, Communicator, Draft, create, resolve};
use super::team::{Team, tag};
use crate::abi::*;
use crate::arguments::Out;
use crate::engine::context::{Context, ContextOwner};
use crate::engine::observe::{Event, Subject, report};
use crate::engine::wait::{Awaited, wait_for};
use crate::engine::{self, Engine};
use crate::errhandler;
use crate::error::{Error, Result};
use crate::group::psets::Pset;
use crate::group::{self, Group};
use crate::process;

/// Makes a communicator that inherits the error handler of its parent.
pub(super) fn build(
    parent: &'static Communicator,
    context_id: u32,
    local: Arc<Group>,
    remote: Option<Arc<Group>>,
) -> Result<&'static Communicator> {
    let errhandler = parent.errhandler();
    errhandler::retain(errhandler)?;
    Ok(create(Blueprint { context_id, local, remote, name: "", errhandler }))
}

/// The first process of the other side of a new intercommunicator.
#[derive(Clone, Copy)]
struct Leader {
    /// Its rank in the remote group of that communicator.
    rank: c_int,
    world_rank: c_int,
}

/// Lets the processes of a new communicator agree on its context id. The first process chooses it.
/// Between groups, the one of the two first processes that precedes the other.
fn agree(team: &Team, parent: &'static Communicator, other: Option<Leader>) -> Result<u32> {
    let mut id = [0];
    if team.rank() == 0 {
        match other {
            Some(leader) if precedes(leader.world_rank, process::rank()) => {
                let id = bytemuck::bytes_of_mut(&mut id);
                parent.partner(leader.rank).recv(tag::CREATE, id)?;
            }
            Some(leader) => {
                id = [object::new_context_id()];
                parent.partner(leader.rank).send(tag::CREATE, bytemuck::bytes_of(&id))?;
            }
            None => id = [object::new_context_id()],
        }
    }
    team.broadcast(0, &mut id)?;
    Ok(id[0])
}

/// The ranks of the processes that gave this color, ordered by their keys, then by their ranks.
fn members(contributions: &[[i64; 2]], color: c_int) -> Vec<c_int> {
    let mut members: Vec<(i64, c_int)> = contributions
        .iter()
        .enumerate()
        .filter(|(_, [theirs, _])| *theirs == color.into())
        .map(|(rank, [_, key])| (*key, rank as c_int))
        .collect();
    members.sort_unstable();
    members.into_iter().map(|(_, rank)| rank).collect()
}

/// The group of some processes of a group, by their ranks.
fn subgroup(group: &Group, ranks: &[c_int]) -> Arc<Group> {
    let ranks = ranks.iter().map(|&rank| group.world_ranks()[rank as usize]).collect();
    Group::of_session(ranks, group.session())
}

/// Where a process belongs when a communicator is split: the color and the key.
pub(super) type Place = (c_int, c_int);

/// Splits a communicator into one for each color, ordered by key. None for `MPI_UNDEFINED`, or if
/// the other group has no process with that color. `own` is the outcome of this process's checks:
/// if they have failed at one process, all fail. Its second part is for the caller.
pub(super) fn split_into<T>(
    parent: &'static Communicator,
    own: Result<(Place, T)>,
) -> Result<(Option<&'static Communicator>, T)> {
    parent.begin_other();
    let (color, key) = own.as_ref().map_or((MPI_UNDEFINED, 0), |(place, _)| *place);
    let all = tell_both(parent, &own, [color.into(), key.into()]);
    let (_, rest) = own?;
    let (local, remote) = all?;
    let made = make_part(parent, color, (&local, &remote))?;
    Ok((made, rest))
}

/// The communicator of this process's color, from the colors and keys of both groups.
fn make_part(
    parent: &'static Communicator,
    color: c_int,
    (local, remote): (&[[i64; 2]], &[[i64; 2]]),
) -> Result<Option<&'static Communicator>> {
    if color == MPI_UNDEFINED {
        return Ok(None);
    }
    let near = members(local, color);
    let far = parent.remote().map(|group| (group, members(remote, color)));
    if far.as_ref().is_some_and(|(_, ranks)| ranks.is_empty()) {
        return Ok(None);
    }
    let leader = far.as_ref().map(|(group, ranks)| Leader {
        rank: ranks[0],
        world_rank: group.world_ranks()[ranks[0] as usize],
    });
    let local = subgroup(parent.local(), &near);
    let context_id = agree(&Team::of(parent, near, tag::CREATE), parent, leader)?;
    let remote = far.map(|(group, ranks)| subgroup(group, &ranks));
    build(parent, context_id, local, remote).map(Some)
}

fn handle_of(communicator: Option<&'static Communicator>) -> MPI_Comm {
    communicator.map_or(MPI_COMM_NULL, Communicator::handle)
}

/// `MPI_Comm_split`
pub(crate) fn split(comm: MPI_Comm, color: c_int, key: c_int, newcomm: Out<MPI_Comm>) -> Result {
    let parent = resolve(comm)?;
    let place = match color < 0 && color != MPI_UNDEFINED {
        true => Err(Error::new(MPI_ERR_ARG, format!("the color {color} is negative"))),
        false => Ok(((color, key), ())),
    };
    newcomm.set(handle_of(split_into(parent, place)?.0));
    Ok(())
}

/// The color of the process set with that name: the place of its first process in the group.
fn color_of_pset(name: &str, group: &Group) -> c_int {
    let ranks = Pset::named(name.as_bytes()).map(Pset::ranks).unwrap_or_default();
    let place = group.world_ranks().iter().position(|process| ranks.contains(process));
    place.map_or(MPI_UNDEFINED, |place| place as c_int)
}

/// The color of a process for `MPI_Comm_split_type`. All processes share the memory of one machine;
/// no finer resource is known.
fn color_of_type(parent: &Communicator, split_type: c_int, info: MPI_Info) -> Result<c_int> {
    crate::info::check_hints(info)?;
    let of_pset = || crate::info::hint(info, c"mpi_pset_name");
    let of_hardware = || crate::info::hint(info, c"mpi_hw_resource_type");
    Ok(match split_type {
        MPI_COMM_TYPE_SHARED => 0,
        MPI_COMM_TYPE_RESOURCE_GUIDED if let Some(name) = of_pset()? => {
            color_of_pset(&name, parent.local())
        }
        MPI_COMM_TYPE_HW_GUIDED | MPI_COMM_TYPE_RESOURCE_GUIDED
            if of_hardware()?.as_deref() == Some("mpi_shared_memory") =>
        {
            0
        }
        MPI_UNDEFINED
        | MPI_COMM_TYPE_HW_GUIDED
        | MPI_COMM_TYPE_HW_UNGUIDED
        | MPI_COMM_TYPE_RESOURCE_GUIDED => MPI_UNDEFINED,
        _ => return Err(Error::new(MPI_ERR_ARG, format!("{split_type} is no type to split by"))),
    })
}

/// `MPI_Comm_split_type`
pub(crate) fn split_type(
    comm: MPI_Comm,
    split_type: c_int,
    key: c_int,
    info: MPI_Info,
    newcomm: Out<MPI_Comm>,
) -> Result {
    let parent = resolve(comm)?;
    let place = color_of_type(parent, split_type, info).map(|color| ((color, key), ()));
    newcomm.set(handle_of(split_into(parent, place)?.0));
    Ok(())
}

/// A duplicate with the same groups, topology and attributes, but no name. `checked` is the outcome
/// of this process's checks.
fn duplicate(parent: &'static Communicator, checked: Result) -> Result<&'static Communicator> {
    parent.begin_other();
    let draft = checked.and_then(|()| draft_duplicate(parent));
    let proposal = if parent.rank() == 0 { object::new_context_id() } else { 0 };
    let all = tell_both(parent, &draft, [proposal.into()]);
    let draft = draft?;
    let (here, there) = all.inspect_err(|_| give_up(draft))?;
    let first = |group: &Group| group.world_ranks()[0];
    // Between groups, the one of the two first processes that precedes the other chooses.
    let [context_id] = match parent.remote() {
        Some(remote) if precedes(first(remote), first(parent.local())) => there[0],
        _ => here[0],
    };
    let engine = engine::enter();
    draft.open(*engine, context_id as u32)?;
    let duplicate = draft.communicator();
    let (from, to) = (&parent.program, &duplicate.program);
    report(Event::Duplicated, || Subject::Duplicate { from, to });
    Ok(duplicate)
}

/// A communicator of the same processes for an object of another chapter, with a name for
/// debuggers. A collective call; [`end`] ends the communicator.
pub(crate) fn of_the_same_processes(
    parent: &'static Communicator,
    name: &str,
) -> Result<&'static Communicator> {
    let context_id = agree(&Team::local(parent, tag::CREATE), parent, None)?;
    let communicator = build(parent, context_id, parent.local().clone(), None)?;
    communicator.set_name(name);
    Ok(communicator)
}

/// Ends a communicator of [`of_the_same_processes`].
pub(crate) fn end(communicator: &'static Communicator) -> Result {
    object::free(communicator.handle())
}

/// The beginning of a duplicate: everything but its context id.
pub(crate) fn draft_duplicate(parent: &'static Communicator) -> Result<Draft> {
    let errhandler = parent.errhandler();
    errhandler::retain(errhandler)?;
    let (local, remote) = (parent.local().clone(), parent.remote().cloned());
    let draft = Draft::new(Blueprint { context_id: 0, local, remote, name: "", errhandler });
    let duplicate = draft.communicator();
    duplicate.annex.copy_topology(&parent.annex);
    let copied = parent.annex.attributes.copy_to(&duplicate.annex.attributes, parent.handle().0);
    copied.inspect_err(|_| give_up(draft)).map(|()| draft)
}

/// Gives up a duplicate, which has attributes. No process gets it, so no error is reported.
fn give_up(draft: Draft) {
    let duplicate = draft.communicator();
    let _ = duplicate.annex.attributes.delete_all(duplicate.handle().0);
    errhandler::release(duplicate.errhandler());
    draft.give_up();
}

/// Gives the program a duplicate; the null handle if a callback that copies an attribute fails.
fn give_duplicate(
    parent: &'static Communicator,
    checked: Result,
    newcomm: Out<MPI_Comm>,
) -> Result {
    newcomm.set(MPI_COMM_NULL);
    newcomm.set(duplicate(parent, checked)?.handle());
    Ok(())
}

/// `MPI_Comm_dup`
pub(crate) fn dup(comm: MPI_Comm, newcomm: Out<MPI_Comm>) -> Result {
    give_duplicate(resolve(comm)?, Ok(()), newcomm)
}

/// `MPI_Comm_dup_with_info`
pub(crate) fn dup_with_info(comm: MPI_Comm, info: MPI_Info, newcomm: Out<MPI_Comm>) -> Result {
    give_duplicate(resolve(comm)?, crate::info::check_hints(info), newcomm)
}

/// The ranks that the processes of `group` have in a communicator's group; `MPI_ERR_GROUP` if one
/// of them is not in it.
pub(crate) fn ranks_of(group: &Group, communicator: &Communicator) -> Result<Vec<c_int>> {
    let ranks: HashMap<c_int, c_int> = communicator
        .local()
        .world_ranks()
        .iter()
        .enumerate()
        .map(|(rank, &world)| (world, rank as c_int))
        .collect();
    let outside = || {
        Error::new(
            MPI_ERR_GROUP,
            "the group has processes that the communicator's group does not have",
        )
    };
    group.world_ranks().iter().map(|world| ranks.get(world).copied().ok_or_else(outside)).collect()
}

/// `MPI_Comm_create`: all processes of the communicator call it, those outside of the group get
/// `MPI_COMM_NULL`.
pub(crate) fn comm_create(comm: MPI_Comm, group: MPI_Group, newcomm: Out<MPI_Comm>) -> Result {
    let parent = resolve(comm)?;
    let place = || {
        let group = group::calls::resolve(group)?;
        let ranks = ranks_of(&group, parent)?;
        // Several groups within one communicator may be made at the same time. Their first
        // processes distinguish them, by their ranks in the communicator: the numbers of processes
        // of other jobs differ from process to process.
        let color = match (group.rank(), parent.remote()) {
            (MPI_UNDEFINED, _) => MPI_UNDEFINED,
            (_, Some(_)) => 0,
            (_, None) => ranks[0],
        };
        Ok(((color, group.rank()), ()))
    };
    newcomm.set(handle_of(split_into(parent, place())?.0));
    Ok(())
}

/// `MPI_Comm_create_group`: only the processes of the group call it. If the group or the tag is
/// wrong at one of them, it does not know whom to tell.
pub(crate) fn create_group(
    comm: MPI_Comm,
    group: MPI_Group,
    tag: c_int,
    newcomm: Out<MPI_Comm>,
) -> Result {
    let parent = resolve(comm)?;
    let group = group::calls::resolve(group)?;
    if parent.remote().is_some() {
        return Err(Error::new(MPI_ERR_COMM, "the communicator is an intercommunicator"));
    }
    let tag = creation_tag(tag::CREATE_GROUP, tag)?;
    let members = ranks_of(&group, parent)?;
    if group.rank() == MPI_UNDEFINED {
        newcomm.set(MPI_COMM_NULL);
        return Ok(());
    }
    parent.begin_among_some();
    let context_id = agree(&Team::of(parent, members, tag), parent, None)?;
    newcomm.set(build(parent, context_id, group, None)?.handle());
    Ok(())
}

/// The internal tag for a tag of the program.
pub(super) fn creation_tag(first: c_int, tag: c_int) -> Result<c_int> {
    if tag < 0 {
        return Err(Error::new(MPI_ERR_TAG, format!("the tag {tag} is negative")));
    }
    Ok(first + tag % (1 << 28))
}

/// `MPI_Comm_disconnect`: waits until everything on the communicator is over.
pub(crate) fn disconnect(comm: Out<MPI_Comm>) -> Result {
    let handle = comm.get();
    let communicator = resolve(handle)?;
    if ![MPI_COMM_WORLD, MPI_COMM_SELF].contains(&handle) {
        let [program, own @ ..] = communicator.contexts();
        let under_way = |engine: &Engine, contexts: &[Option<&'static Context>]| {
            let contexts = contexts.iter().flatten();
            contexts.flat_map(|context| engine.under_way(context)).collect::<Vec<_>>()
        };
        let pending = under_way(&engine::enter(), &[program]);
        // Collective operations are shown elsewhere.
        let awaited = match under_way(&engine::enter(), &own).is_empty() {
            true => Awaited::All(&pending),
            false => Awaited::Other,
        };
        wait_for(awaited, |engine: &'static Engine| {
            under_way(engine, &communicator.contexts()).is_empty().then_some(())
        });
    }
    comm_free(comm)
}

/// `MPI_Comm_free`
pub(crate) fn comm_free(comm: Out<MPI_Comm>) -> Result {
    let handle = comm.get();
    let communicator = resolve(handle)?;
    if [MPI_COMM_WORLD, MPI_COMM_SELF].contains(&handle) {
        return Err(Error::new(MPI_ERR_COMM, format!("{} cannot be freed", communicator.name())));
    }
    // The handler is that of the communicator, of which only the address is among the arguments.
    communicator.begin_other();
    communicator.annex.attributes.delete_all(handle.0).map_err(|error| error.on(handle))?;
    object::free(handle)?;
    comm.set(MPI_COMM_NULL);
    Ok(())
}
