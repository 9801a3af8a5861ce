//! Making intercommunicators, and merging them into one communicator (MPI 5.0, section 7.6.3).

use std::ffi::c_int;
use std::sync::Arc;

use super::creation::{build, creation_tag, gather_both};
use super::distant::{addresses_of, numbers_of, precedes};
use super::object::{self, Communicator, resolve};
use super::team::{Team, tag};
use crate::abi::*;
use crate::arguments::Out;
use crate::engine::internal::Partner;
use crate::error::{Error, Result};
use crate::group::Group;
use crate::process;

/// Exchanges bytes with a partner. The two sides may send different numbers of bytes.
pub(super) fn swap(partner: Partner, tag: c_int, own: &[u8]) -> Result<Vec<u8>> {
    let length = (own.len() as u64).to_ne_bytes();
    let sent = [partner.isend(tag, &length), partner.isend(tag, own)];
    let mut length = [0; 8];
    partner.recv(tag, &mut length)?;
    let mut bytes = vec![0; u64::from_ne_bytes(length) as usize];
    partner.recv(tag, &mut bytes)?;
    sent.into_iter().try_for_each(|transfer| transfer.wait())?;
    Ok(bytes)
}

/// The message that a leader sends to the other one, and then to its group: a context id and the
/// addresses of a group.
pub(super) fn news_of(context_id: u32, group: &Group) -> Vec<u8> {
    [&context_id.to_ne_bytes()[..], &addresses_of(group)].concat()
}

/// The context id and the group in such a message, as numbers of processes here; none if the leader
/// has failed.
pub(super) fn read_news(news: &[u8]) -> Result<Option<(u32, Vec<c_int>)>> {
    let Some((context_id, addresses)) = news.split_first_chunk::<4>() else { return Ok(None) };
    Ok(Some((u32::from_ne_bytes(*context_id), numbers_of(addresses)?)))
}

/// `MPI_Intercomm_create`: the leaders tell each other the groups, then each tells its own.
pub(crate) fn create(
    local_comm: MPI_Comm,
    local_leader: c_int,
    peer_comm: MPI_Comm,
    remote_leader: c_int,
    tag: c_int,
    newintercomm: Out<MPI_Comm>,
) -> Result {
    let local = resolve(local_comm)?;
    if local.remote().is_some() {
        return Err(Error::new(MPI_ERR_COMM, "the local communicator is an intercommunicator"));
    }
    if !(0..local.size()).contains(&local_leader) {
        let size = local.size() as usize;
        return Err(Error::outside(MPI_ERR_RANK, "local leader", local_leader, size));
    }
    let tag = creation_tag(tag::INTERCOMM_CREATE, tag)?;
    local.begin_collective();
    let team = Team::local(local, tag::CREATE);
    // Empty if the leader has failed.
    let mut news = Vec::new();
    let mut outcome = Ok(());
    if local.rank() == local_leader {
        match meet(local, peer_comm, remote_leader, tag) {
            Ok(bytes) => news = bytes,
            Err(error) => outcome = Err(error),
        }
    }
    let mut length = [news.len()];
    team.broadcast(local_leader, &mut length)?;
    outcome?;
    if length[0] == 0 {
        return Err(unreachable_leader());
    }
    news.resize(length[0], 0);
    team.broadcast(local_leader, &mut news)?;
    let Some((context_id, remote)) = read_news(&news)? else { return Err(unreachable_leader()) };
    let mut both = remote.iter().chain(local.local().world_ranks());
    if !both.all(|rank| process::is_of_job(*rank)) {
        // No process goes on before all have reached each other, since a process that goes on may
        // exit. All look at both groups, so they agree on whether there are several jobs.
        team.barrier()?;
        if local.rank() == local_leader {
            let leader = resolve(peer_comm)?.partner(remote_leader);
            swap(leader, tag, &[])?;
        }
        team.broadcast(local_leader, &mut [0u8])?;
    }
    if remote.iter().any(|rank| local.local().world_ranks().contains(rank)) {
        return Err(Error::new(MPI_ERR_GROUP, "the groups have processes in common"));
    }
    let communicator = build(local, context_id, local.local().clone(), Some(Group::new(remote)))?;
    newintercomm.set(communicator.handle());
    Ok(())
}

/// What the other processes of a group tell if their leader has failed.
fn unreachable_leader() -> Error {
    Error::new(MPI_ERR_OTHER, "the local leader could not reach the remote leader")
}

/// The leader's part: the context id and the other group.
fn meet(
    local: &Communicator,
    peer_comm: MPI_Comm,
    remote_leader: c_int,
    tag: c_int,
) -> Result<Vec<u8>> {
    let peer = resolve(peer_comm)?;
    if !(0..peer.peers().size()).contains(&remote_leader) {
        let size = peer.peers().size() as usize;
        return Err(Error::outside(MPI_ERR_RANK, "remote leader", remote_leader, size));
    }
    let leader = peer.partner(remote_leader);
    if leader.world == process::rank() as usize {
        return Err(Error::new(MPI_ERR_RANK, "the remote leader is this process itself"));
    }
    // The other side may know jobs that are not known here.
    let proposal = match peer.peers().world_ranks().iter().all(|rank| process::is_of_job(*rank)) {
        true => object::new_context_id(),
        false => object::random_context_id(),
    };
    let own = news_of(proposal, local.local());
    let mut theirs = swap(leader, tag, &own)?;
    // Both leaders have proposed an id. One for processes of several jobs is taken rather than one
    // that is unique in a job only, since either group may have processes of other jobs that the
    // other leader does not know. Otherwise that of the leader that precedes the other is taken.
    let is_for_all = |news: &[u8]| {
        let id = news.first_chunk().map_or(0, |id| u32::from_ne_bytes(*id));
        object::is_for_several_jobs(id)
    };
    let precedes = precedes(process::rank(), leader.world as c_int);
    let mine = match (is_for_all(&own), is_for_all(&theirs)) {
        (mine, other) if mine != other => mine,
        _ => precedes,
    };
    if mine {
        theirs[..4].copy_from_slice(&own[..4]);
    }
    Ok(theirs)
}

/// `MPI_Intercomm_merge`: the group that says `high` comes last; if both say the same, the group
/// whose first process precedes that of the other comes first.
pub(crate) fn merge(intercomm: MPI_Comm, high: c_int, newintracomm: Out<MPI_Comm>) -> Result {
    let parent = resolve(intercomm)?;
    let Some(remote) = parent.remote() else {
        return Err(Error::new(MPI_ERR_COMM, "the communicator is no intercommunicator"));
    };
    parent.begin_collective();
    let proposal = if parent.rank() == 0 { object::new_context_id() } else { 0 };
    let (here, there) = gather_both(parent, &[(high != 0).into(), proposal as c_int])?;
    if here.chunks_exact(2).any(|both| both[0] != here[0]) {
        return Err(Error::new(
            MPI_ERR_ARG,
            "the processes of the group do not agree on the argument high",
        ));
    }
    let (local, remote) = (parent.local().world_ranks(), remote.world_ranks());
    let leads = precedes(local[0], remote[0]);
    let first = if here[0] == there[0] { leads } else { here[0] == 0 };
    let ranks = if first { [local, remote].concat() } else { [remote, local].concat() };
    let context_id = if leads { here[1] } else { there[1] } as u32;
    let group: Arc<Group> = Group::of_session(ranks, parent.local().session());
    newintracomm.set(build(parent, context_id, group, None)?.handle());
    Ok(())
}
