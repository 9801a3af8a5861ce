//! Making intercommunicators, and merging them into one communicator (MPI 5.0, section 7.6.3).

use std::ffi::c_int;
use std::sync::Arc;

use super::agreement::{code_of, failed_elsewhere, tell_both, with_leader};
use super::creation::{build, creation_tag};
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

/// The context id and the group in such a message, as numbers of processes here. An empty message
/// says that a leader has failed.
pub(super) fn read_news(news: &[u8]) -> Result<(u32, Vec<c_int>)> {
    let (context_id, addresses) = news.split_first_chunk::<4>().ok_or_else(unreachable_leader)?;
    Ok((u32::from_ne_bytes(*context_id), numbers_of(addresses)?))
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
    let size = local.size();
    let checked = match (0..size).contains(&local_leader) {
        true => creation_tag(tag::INTERCOMM_CREATE, tag).map(drop),
        false => Err(Error::outside(MPI_ERR_RANK, "local leader", local_leader, size as usize)),
    };
    local.begin_other();
    let team = Team::local(local, tag::CREATE);
    let all = team.allgather(&[[code_of(&checked), local_leader]])?;
    let (leader, agreed) = with_leader(checked, &all);
    let other =
        (Some(local.rank()) == leader).then(|| OtherLeader::new(peer_comm, remote_leader, tag));
    if let (Err(_), Some(Ok(leader))) = (&agreed, &other) {
        // The other group must not wait. Whatever it says, this one has failed.
        let _ = leader.swap(&[]);
    }
    agreed?;
    let other = other.transpose();
    let news = other.as_ref().map_or(Ok(Vec::new()), |other| match other {
        Some(other) => meet(local, other),
        None => Ok(Vec::new()),
    });
    let mut length = [news.as_ref().map_or(0, Vec::len)];
    team.broadcast(local_leader, &mut length)?;
    let (other, mut news) = (other?, news?);
    // A leader has failed.
    if length[0] == 0 {
        return Err(unreachable_leader());
    }
    news.resize(length[0], 0);
    team.broadcast(local_leader, &mut news)?;
    let known = read_news(&news);
    let one_job = known.as_ref().is_ok_and(|(_, remote)| {
        let mut both = remote.iter().chain(local.local().world_ranks());
        both.all(|rank| process::is_of_job(*rank))
    });
    let known = if one_job { known } else { reach(&team, local_leader, other.as_ref(), known) };
    let (context_id, remote) = known?;
    if remote.iter().any(|rank| local.local().world_ranks().contains(rank)) {
        return Err(Error::new(MPI_ERR_GROUP, "the groups have processes in common"));
    }
    let communicator = build(local, context_id, local.local().clone(), Some(Group::new(remote)))?;
    newintercomm.set(communicator.handle());
    Ok(())
}

/// What the other processes of a group tell if their leader has failed.
fn unreachable_leader() -> Error {
    Error::new(MPI_ERR_OTHER, "a leader has failed, or could not reach the other one")
}

/// Between several jobs, no process goes on before all have reached each other, since a process
/// that goes on may exit. All look at both groups, so they agree on whether there are several jobs.
fn reach<T>(
    team: &Team,
    local_leader: c_int,
    other: Option<&OtherLeader>,
    known: Result<T>,
) -> Result<T> {
    let here = team.together(known);
    let mut there = [0];
    if let Some(other) = other {
        there = [other.swap(&[here.is_ok().into()])?.first().copied().unwrap_or(0)];
    }
    team.broadcast(local_leader, &mut there)?;
    here.and_then(|known| match there {
        [1] => Ok(known),
        _ => Err(failed_elsewhere(MPI_ERR_OTHER, "a process of the other group")),
    })
}

/// The remote leader, as the local one knows it.
struct OtherLeader {
    /// The communicator in which both are.
    peer: &'static Communicator,
    partner: Partner,
    tag: c_int,
}

impl OtherLeader {
    /// The one that the arguments name.
    fn new(peer_comm: MPI_Comm, rank: c_int, tag: c_int) -> Result<OtherLeader> {
        let tag = creation_tag(tag::INTERCOMM_CREATE, tag)?;
        let peer = resolve(peer_comm)?;
        if !(0..peer.peers().size()).contains(&rank) {
            let size = peer.peers().size() as usize;
            return Err(Error::outside(MPI_ERR_RANK, "remote leader", rank, size));
        }
        let partner = peer.partner(rank);
        if partner.world == process::rank() as usize {
            return Err(Error::new(MPI_ERR_RANK, "the remote leader is this process itself"));
        }
        Ok(OtherLeader { peer, partner, tag })
    }

    fn swap(&self, own: &[u8]) -> Result<Vec<u8>> {
        swap(self.partner, self.tag, own)
    }
}

/// The leader's part: the context id and the other group. Nothing if the other group has failed.
fn meet(local: &Communicator, other: &OtherLeader) -> Result<Vec<u8>> {
    // The other side may know jobs that are not known here.
    let known = other.peer.peers().world_ranks();
    let proposal = match known.iter().all(|rank| process::is_of_job(*rank)) {
        true => object::new_context_id(),
        false => object::random_context_id(),
    };
    let own = news_of(proposal, local.local());
    let mut theirs = other.swap(&own)?;
    if theirs.is_empty() {
        return Ok(theirs);
    }
    // Both leaders have proposed an id. One for processes of several jobs is taken rather than one
    // that is unique in a job only, since either group may have processes of other jobs that the
    // other leader does not know. Otherwise that of the leader that precedes the other is taken.
    let is_for_all = |news: &[u8]| {
        let id = news.first_chunk().map_or(0, |id| u32::from_ne_bytes(*id));
        object::is_for_several_jobs(id)
    };
    let precedes = precedes(process::rank(), other.partner.world as c_int);
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
    parent.begin_other();
    let proposal = if parent.rank() == 0 { object::new_context_id() } else { 0 };
    let (here, there) = tell_both(parent, &Ok(()), [(high != 0).into(), proposal.into()])?;
    // All look at both groups, so that all fail.
    if [&here, &there].into_iter().any(|group| group.iter().any(|own| own[0] != group[0][0])) {
        return Err(Error::new(
            MPI_ERR_ARG,
            "the processes of a group do not agree on the argument high",
        ));
    }
    let ([here_high, here_id], [there_high, there_id]) = (here[0], there[0]);
    let (local, remote) = (parent.local().world_ranks(), remote.world_ranks());
    let leads = precedes(local[0], remote[0]);
    let first = if here_high == there_high { leads } else { here_high == 0 };
    let ranks = if first { [local, remote].concat() } else { [remote, local].concat() };
    let context_id = if leads { here_id } else { there_id } as u32;
    let group: Arc<Group> = Group::of_session(ranks, parent.local().session());
    newintracomm.set(build(parent, context_id, group, None)?.handle());
    Ok(())
}
