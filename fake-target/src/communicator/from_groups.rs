//! Communicators made of groups, without a communicator before (MPI 5.0, sections 7.4.2 and 7.6.2).

use std::ffi::{CStr, c_int};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::agreement::{code_of, failed_elsewhere, with_leader};
use super::intercommunicator::{news_of, read_news, swap};
use super::object::{self, Blueprint, create};
use super::universe::partner;
use crate::abi::*;
use crate::arguments::Out;
use crate::errhandler::{self, ErrorsOf};
use crate::error::{Error, Result};
use crate::group::Group;
use crate::group::calls::resolve;
use crate::process;

/// The tag in the universe for the program's `stringtag`, which differs for concurrent calls. The
/// last bits distinguish messages within a group from those between groups.
fn tag(stringtag: &CStr, between: bool) -> Result<c_int> {
    let length = stringtag.count_bytes();
    if length >= MPI_MAX_STRINGTAG_LEN as usize {
        return Err(Error::new(
            MPI_ERR_ARG,
            format!("the string tag has {length} bytes; it may have {}", MPI_MAX_STRINGTAG_LEN - 1),
        ));
    }
    let mut hasher = DefaultHasher::new();
    stringtag.hash(&mut hasher);
    Ok((hasher.finish() as c_int & (c_int::MAX >> 1)) << 1 | c_int::from(between))
}

/// `MPI_ERR_GROUP` unless this process is in the group.
fn member_of(group: MPI_Group) -> Result<Arc<Group>> {
    let group = resolve(group)?;
    if group.rank() == MPI_UNDEFINED {
        let message = "this process is not in the group of the communicator that is to be made";
        return Err(Error::new(MPI_ERR_GROUP, message));
    }
    if !group.world_ranks().iter().all(|rank| process::is_of_job(*rank)) {
        let message = "the group has processes of another job; MPI_Comm_create_group makes \
                       communicators of them";
        return Err(Error::new(MPI_ERR_GROUP, message));
    }
    Ok(group)
}

/// What each process of a group has to say, in the order of the ranks. The first process collects
/// it and tells the others, once all have come.
fn gather(group: &Group, tag: c_int, own: [c_int; 2]) -> Result<Vec<[c_int; 2]>> {
    let mut all = vec![[0; 2]; group.size() as usize];
    let (first, others) = group.world_ranks().split_first().expect("this process is in it");
    if *first == process::rank() {
        all[0] = own;
        for (rank, theirs) in others.iter().zip(&mut all[1..]) {
            partner(*rank).recv(tag, bytemuck::bytes_of_mut(theirs))?;
        }
        others.iter().try_for_each(|rank| partner(*rank).send(tag, bytemuck::cast_slice(&all)))?;
    } else {
        partner(*first).send(tag, bytemuck::bytes_of(&own))?;
        partner(*first).recv(tag, bytemuck::cast_slice_mut(&mut all))?;
    }
    Ok(all)
}

/// The arguments that both functions have: the error handler counts one more use.
fn check(info: MPI_Info, errhandler: MPI_Errhandler) -> Result {
    crate::info::check_hints(info)?;
    errhandler::retain_for(errhandler, ErrorsOf::Communicators)
}

/// `MPI_Comm_create_from_group`: the first process of the group chooses the context id. A process
/// whose group or tag is wrong does not know whom to tell.
pub(crate) fn create_from_group(
    group: MPI_Group,
    stringtag: &CStr,
    info: MPI_Info,
    errhandler: MPI_Errhandler,
    newcomm: Out<MPI_Comm>,
) -> Result {
    newcomm.set(MPI_COMM_NULL);
    if resolve(group)?.size() == 0 {
        return Ok(());
    }
    let (group, tag) = (member_of(group)?, tag(stringtag, false)?);
    let checked = check(info, errhandler);
    let proposal = if group.rank() == 0 { object::new_context_id() } else { 0 };
    let all = gather(&group, tag, [code_of(&checked), proposal as c_int])?;
    checked?;
    if let Some(rank) = all.iter().position(|[code, _]| *code != MPI_SUCCESS) {
        errhandler::release(errhandler);
        return Err(failed_elsewhere(all[rank][0], &format!("rank {rank} of the group")));
    }
    let context_id = all[0][1] as u32;
    let blueprint = Blueprint { context_id, local: group, remote: None, name: "", errhandler };
    newcomm.set(create(blueprint).handle());
    Ok(())
}

/// The leader's part: the context id, then the other group. Nothing if the other group has failed,
/// or if this one has not `agreed`.
fn meet(
    agreed: bool,
    local: &Group,
    remote_group: MPI_Group,
    remote_leader: c_int,
    tag: c_int,
) -> Result<Vec<u8>> {
    let remote = resolve(remote_group)?;
    let other = member(&remote, remote_leader, "remote")?;
    if local.world_ranks().contains(&other) {
        return Err(Error::new(MPI_ERR_GROUP, "the groups have processes in common"));
    }
    let own = if agreed { news_of(object::new_context_id(), local) } else { Vec::new() };
    let mut news = swap(partner(other), tag, &own)?;
    if !agreed || news.is_empty() {
        return Ok(Vec::new());
    }
    // Both leaders have proposed an id. That of the leader that comes first in the job is taken.
    if process::rank() < other {
        news[..4].copy_from_slice(&own[..4]);
    }
    Ok(news)
}

/// `MPI_Intercomm_create_from_groups`: the leaders tell each other the groups, then each tells its
/// own.
#[allow(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(crate) fn intercomm_create_from_groups(
    local_group: MPI_Group,
    local_leader: c_int,
    remote_group: MPI_Group,
    remote_leader: c_int,
    stringtag: &CStr,
    info: MPI_Info,
    errhandler: MPI_Errhandler,
    newintercomm: Out<MPI_Comm>,
) -> Result {
    newintercomm.set(MPI_COMM_NULL);
    let (local, inside) = (member_of(local_group)?, tag(stringtag, false)?);
    let between = tag(stringtag, true)?;
    let checked = member(&local, local_leader, "local").and_then(|_| check(info, errhandler));
    let retained = checked.is_ok();
    let made = (|| {
        let all = gather(&local, inside, [code_of(&checked), local_leader])?;
        let (leader, agreed) = with_leader(checked, &all);
        let meet = || meet(agreed.is_ok(), &local, remote_group, remote_leader, between);
        // Also if this group has failed: the other one must not wait.
        let met = (Some(local.rank()) == leader).then(meet);
        agreed?;
        let (context_id, remote) = tell_group(&local, local_leader, met, inside)?;
        let remote = Some(Group::of_session(remote, local.session()));
        Ok(create(Blueprint { context_id, local, remote, name: "", errhandler }))
    })();
    if made.is_err() && retained {
        errhandler::release(errhandler);
    }
    newintercomm.set(made?.handle());
    Ok(())
}

/// The leader tells its group what it has got, `met`. The others have none. The result is the
/// context id and the other group.
fn tell_group(
    local: &Group,
    leader: c_int,
    met: Option<Result<Vec<u8>>>,
    tag: c_int,
) -> Result<(u32, Vec<c_int>)> {
    let news = match met {
        Some(met) => {
            // Empty if a leader has failed.
            let news = met.as_ref().map_or(&[][..], Vec::as_slice);
            for &rank in local.world_ranks().iter().filter(|rank| **rank != process::rank()) {
                partner(rank).send(tag, &(news.len() as u64).to_ne_bytes())?;
                partner(rank).send(tag, news)?;
            }
            met?
        }
        None => {
            let leader = partner(local.world_ranks()[leader as usize]);
            let mut length = [0; 8];
            leader.recv(tag, &mut length)?;
            let mut bytes = vec![0; u64::from_ne_bytes(length) as usize];
            leader.recv(tag, &mut bytes)?;
            bytes
        }
    };
    read_news(&news)
}

/// The rank in the job of a group's member.
fn member(group: &Group, rank: c_int, which: &str) -> Result<c_int> {
    let found = usize::try_from(rank).ok().and_then(|rank| group.world_ranks().get(rank));
    found.copied().ok_or_else(|| {
        Error::outside(MPI_ERR_ARG, &format!("{which} leader"), rank, group.size() as usize)
    })
}
