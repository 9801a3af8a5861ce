//! Communicators made of groups, without a communicator before (MPI 5.0, sections 7.4.2 and 7.6.2).

use std::ffi::{CStr, c_int};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::intercommunicator::{news_of, read_news, swap};
use super::object::{self, Blueprint, Communicator, create};
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

fn build(
    context_id: u32,
    local: Arc<Group>,
    remote: Option<Arc<Group>>,
    errhandler: MPI_Errhandler,
) -> Result<&'static Communicator> {
    errhandler::retain_for(errhandler, ErrorsOf::Communicators)?;
    Ok(create(Blueprint { context_id, local, remote, name: "", errhandler }))
}

/// `MPI_Comm_create_from_group`: when all others have come, the first process of the group chooses
/// the context id and sends it to them.
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
    crate::info::check_hints(info)?;
    let mut id = [0; 4];
    let (first, others) = group.world_ranks().split_first().expect("this process is in it");
    if *first == process::rank() {
        id = object::new_context_id().to_ne_bytes();
        others.iter().try_for_each(|rank| partner(*rank).recv(tag, &mut []))?;
        others.iter().try_for_each(|rank| partner(*rank).send(tag, &id))?;
    } else {
        partner(*first).send(tag, &[])?;
        partner(*first).recv(tag, &mut id)?;
    }
    newcomm.set(build(u32::from_ne_bytes(id), group, None, errhandler)?.handle());
    Ok(())
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
    crate::info::check_hints(info)?;
    let leader = member(&local, local_leader, "local")?;
    // The context id, then the other group.
    let news = if leader == process::rank() {
        let remote = resolve(remote_group)?;
        let other = member(&remote, remote_leader, "remote")?;
        if local.world_ranks().contains(&other) {
            return Err(Error::new(MPI_ERR_GROUP, "the groups have processes in common"));
        }
        let own = news_of(object::new_context_id(), &local);
        let mut news = swap(partner(other), tag(stringtag, true)?, &own)?;
        // Both leaders have proposed an id. That of the leader that comes first in the job is
        // taken.
        if process::rank() < other {
            news[..4].copy_from_slice(&own[..4]);
        }
        for &rank in local.world_ranks().iter().filter(|rank| **rank != leader) {
            partner(rank).send(inside, &(news.len() as u64).to_ne_bytes())?;
            partner(rank).send(inside, &news)?;
        }
        news
    } else {
        let mut length = [0; 8];
        partner(leader).recv(inside, &mut length)?;
        let mut bytes = vec![0; u64::from_ne_bytes(length) as usize];
        partner(leader).recv(inside, &mut bytes)?;
        bytes
    };
    let (context_id, remote) = read_news(&news)?.expect("a leader tells a context id");
    let remote = Group::of_session(remote, local.session());
    newintercomm.set(build(context_id, local, Some(remote), errhandler)?.handle());
    Ok(())
}

/// The rank in the job of a group's member.
fn member(group: &Group, rank: c_int, which: &str) -> Result<c_int> {
    let found = usize::try_from(rank).ok().and_then(|rank| group.world_ranks().get(rank));
    found.copied().ok_or_else(|| {
        Error::outside(MPI_ERR_ARG, &format!("{which} leader"), rank, group.size() as usize)
    })
}
