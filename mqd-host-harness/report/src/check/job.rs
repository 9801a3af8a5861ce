//! A report as one job: its ranks, its communicators across processes, and what is missing from the
//! picture.

use rustc_hash::FxHashMap;

use super::ends;
use super::ids::{CommId, LocalRank, OperationId, PartId, PartIndex, Peer, Rank, Slot};
use super::list::{Id, List, ids, numbered};
use super::ranks::Ranks;
use crate::model::{Address, Calls, Communicator, Group, Operation, Process, Queue, Report};

/// A job.
pub(super) struct Job<'a> {
    /// The ranks of the report, ascending.
    pub(super) members: List<Slot, Member<'a>>,
    /// The communicators, each once.
    pub(super) comms: List<CommId, JobCommunicator<'a>>,
    /// The communicators with an id. There are several for the two sides of an intercommunicator,
    /// and with MPIs that use an id more than once.
    ids: FxHashMap<Address, Vec<CommId>>,
    slots: FxHashMap<Rank, Slot>,
    /// Ranks of the job that are not in the report, or that could not be read and have not ended.
    pub(super) unread: Ranks,
    /// Why the report does not show one job, in a sentence.
    pub(super) doubt: Option<String>,
}

/// A rank of the job.
pub(super) struct Member<'a> {
    pub(super) rank: Rank,
    pub(super) process: &'a Process,
    pub(super) presence: Presence,
    /// For each communicator of the process, the communicator of the job that it is a part of.
    pub(super) comms: List<PartIndex, CommId>,
}

impl<'a> Member<'a> {
    /// The MPI function that the process is in, if it is in one and that is known.
    pub(super) fn function(&self) -> Option<&'a str> {
        self.process.function()
    }
}

/// How much of a process the report has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    /// All of it.
    Read,
    /// Not all of it.
    Partial,
    /// Nothing.
    Unread,
    /// Nothing: the process has ended, or it is in `MPI_Finalize` and has no queues any more.
    Ended,
}

/// A communicator of the job. The two sides of an intercommunicator are two.
pub(super) struct JobCommunicator<'a> {
    pub(super) id: Address,
    pub(super) name: &'a str,
    pub(super) group: Option<&'a Group>,
    /// The other group of an intercommunicator, empty for an intracommunicator; None: not known.
    remote: Option<&'a Group>,
    /// The processes that list it, ascending.
    pub(super) listed: Vec<PartId>,
    pub(super) peers: Peers,
}

impl JobCommunicator<'_> {
    /// The part of a rank, if it lists the communicator.
    pub(super) fn part_of(&self, slot: Slot) -> Option<PartId> {
        let found = self.listed.binary_search_by_key(&slot, |part| part.slot).ok()?;
        Some(self.listed[found])
    }
}

/// The group that the peers of a communicator's operations belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Peers {
    /// Its own group.
    Own,
    /// The group of the other side of an intercommunicator.
    Other(CommId),
    /// The group of the other side, of which nothing was read.
    Hidden,
    /// It is not known which.
    Unclear,
}

/// Are there processes in a group, and all of them of the job?
fn is_of_job(group: &Group) -> bool {
    !group.is_empty() && group.ranges().all(|(first, _)| first >= 0)
}

/// Why processes are not of one job, as far as their launchers tell.
fn two_jobs(members: &[Member<'_>]) -> Option<String> {
    let mut known =
        members.iter().filter_map(|member| Some((member, member.process.job.as_ref()?)));
    let (first, job) = known.next()?;
    let (other, another) = known.find(|(_, another)| !another.is_same(job))?;
    Some(format!(
        "rank {} is of {job}, and rank {} of {another}: the targets are of more than one job",
        first.rank, other.rank
    ))
}

impl<'a> Job<'a> {
    /// `was_ending`: an earlier look has found all of its ranks in `MPI_Finalize`, or ended.
    pub(super) fn new(report: &'a Report, was_ending: bool) -> Job<'a> {
        let is_seen =
            |process: &Process| process.core.is_none() && !process.communicators.is_empty();
        let any_live = was_ending || report.processes.iter().any(is_seen);
        let mut members: Vec<Member<'a>> = report
            .processes
            .iter()
            .filter_map(|process| {
                Some(Member {
                    rank: process.rank?.into(),
                    process,
                    presence: presence(process, any_live),
                    comms: List::new(),
                })
            })
            .collect();
        members.sort_by_key(|member| member.rank);
        let twice = members.windows(2).find(|pair| pair[0].rank == pair[1].rank);
        let twice = twice.map(|pair| {
            format!("two processes are rank {}: the targets are of more than one job", pair[0].rank)
        });
        let filtered = || {
            let filter = report.filter.as_ref()?;
            Some(format!("the report has only what matches {filter}"))
        };
        let doubt = twice.or_else(|| two_jobs(&members)).or_else(filtered);
        let slots = numbered(&members).map(|(slot, member)| (member.rank, slot)).collect();
        let mut job = Job {
            members: members.into_iter().collect(),
            comms: List::new(),
            ids: FxHashMap::default(),
            slots,
            unread: Ranks::default(),
            doubt,
        };
        job.find_comms();
        job.find_peers();
        job.unread = job.find_unread();
        job
    }

    /// Have the ranks sent each other nothing since an earlier look, by whatever way?
    pub(super) fn stands_still(&self) -> bool {
        self.members.items().iter().all(|member| match member.presence {
            Presence::Read => member.process.quiet && member.process.memory_stands_still,
            presence => presence == Presence::Ended,
        })
    }

    /// The slot of a rank, if the report has it.
    pub(super) fn slot(&self, rank: Rank) -> Option<Slot> {
        self.slots.get(&rank).copied()
    }

    /// The rank in a slot.
    pub(super) fn rank(&self, slot: Slot) -> Rank {
        self.members[slot].rank
    }

    /// A process's part of a communicator.
    pub(super) fn part(&self, part: PartId) -> &'a Communicator {
        &self.members[part.slot].process.communicators[part.index.index()]
    }

    /// All parts of a process.
    pub(super) fn parts(&self, slot: Slot) -> impl Iterator<Item = (PartId, &'a Communicator)> {
        numbered(&self.members[slot].process.communicators)
            .map(move |(index, part)| (PartId { slot, index }, part))
    }

    /// The communicator of the job that a part belongs to.
    pub(super) fn comm(&self, part: PartId) -> CommId {
        self.members[part.slot].comms[part.index]
    }

    /// An operation of a queue.
    pub(super) fn operation(&self, queue: Queue, id: OperationId) -> &'a Operation {
        &self.part(id.part).queue(queue)[id.position.index()]
    }

    /// Visits the operations of a queue of all ranks, as far as their peers are known.
    pub(super) fn each_operation(
        &self,
        queue: Queue,
        mut visit: impl FnMut(OperationId, &'a Operation, Peer),
    ) {
        self.members.ids().for_each(|slot| self.each_operation_of(slot, queue, &mut visit));
    }

    /// Visits those of one rank.
    pub(super) fn each_operation_of(
        &self,
        slot: Slot,
        queue: Queue,
        mut visit: impl FnMut(OperationId, &'a Operation, Peer),
    ) {
        for (part, communicator) in self.parts(slot) {
            let operations = numbered(communicator.queue(queue));
            for (position, operation) in operations.filter(|(_, one)| !one.is_partitioned()) {
                if let Some(peer) = self.peer(part, operation) {
                    visit(OperationId { part, position }, operation, peer);
                }
            }
        }
    }

    /// The communicators with this one's id, itself included.
    pub(super) fn same_id(&self, comm: CommId) -> &[CommId] {
        &self.ids[&self.comms[comm].id]
    }

    /// The communicators that the MPI library has made for its own messages on one of the program.
    pub(super) fn made_for(&self, part: PartId) -> impl Iterator<Item = PartId> {
        let id = Some(self.part(part).unique_id);
        let parts = self.parts(part.slot).filter(move |(_, other)| other.parent == id);
        parts.map(|(id, _)| id)
    }

    /// The communicator of the program that the messages on this one belong to.
    pub(super) fn of_program(&self, part: PartId) -> PartId {
        let parent = self.part(part).parent;
        parent.and_then(|parent| self.listed_by(part.slot, parent)).unwrap_or(part)
    }

    /// Where a rank lists the communicator that another one calls by this id.
    pub(super) fn listed_by(&self, slot: Slot, id: Address) -> Option<PartId> {
        let (same, own) = (self.ids.get(&id)?, &self.members[slot].comms);
        // The parts of a communicator that was split may all have one id.
        if same.len() <= own.len() {
            return same.iter().find_map(|comm| self.comms[*comm].part_of(slot));
        }
        let (index, _) = own.numbered().find(|(_, comm)| self.comms[**comm].id == id)?;
        Some(PartId { slot, index })
    }

    /// The members of a communicator's group, and whether these are all.
    pub(super) fn in_group(&self, comm: CommId) -> (Vec<Slot>, bool) {
        let Some(group) = self.comms[comm].group else { return (Vec::new(), false) };
        let members = self.members.items();
        let mut slots = Vec::new();
        for (first, count) in group.ranges() {
            let at = |rank: i64| members.partition_point(|member| member.rank.get() < rank);
            slots.extend((at(first)..at(first + count)).map(Slot::new));
        }
        let all = usize::try_from(group.len()) == Ok(slots.len());
        (slots, all)
    }

    /// The rank in `MPI_COMM_WORLD` of a peer of a communicator.
    pub(super) fn global(&self, comm: CommId, local: LocalRank) -> Option<Rank> {
        let group = match self.comms[comm].peers {
            Peers::Own => self.comms[comm].group?,
            Peers::Other(other) => self.comms[other].group?,
            Peers::Hidden | Peers::Unclear => return None,
        };
        group.global(local.get()).filter(|rank| *rank >= 0).map(Rank::from)
    }

    /// The peer of an operation; none if it is not known.
    pub(super) fn peer(&self, part: PartId, operation: &Operation) -> Option<Peer> {
        let local = peer_in_communicator(operation);
        if !local.is_process() {
            return Some(Peer::ANY);
        }
        let told = operation.actual_global_rank.or(operation.desired_global_rank);
        let told = told.filter(|rank| *rank >= 0).map(Rank::from);
        told.or_else(|| self.global(self.comm(part), local)).map(Peer::from)
    }

    fn find_comms(&mut self) {
        type Key<'a> = (Address, Option<&'a Group>);
        let mut known: FxHashMap<Key<'a>, CommId> = FxHashMap::default();
        for (slot, member) in ids(self.members.len()).zip(self.members.items_mut()) {
            for (index, communicator) in numbered(&member.process.communicators) {
                let key = (communicator.unique_id, communicator.group.as_ref());
                let comm = *known.entry(key).or_insert_with(|| {
                    let comm = self.comms.push(JobCommunicator {
                        id: communicator.unique_id,
                        name: &communicator.name,
                        group: communicator.group.as_ref(),
                        remote: communicator.remote_group.as_ref(),
                        listed: Vec::new(),
                        peers: Peers::Unclear,
                    });
                    self.ids.entry(communicator.unique_id).or_default().push(comm);
                    comm
                });
                self.comms[comm].listed.push(PartId { slot, index });
                member.comms.push(comm);
            }
        }
        // The other side of an intercommunicator, of which maybe no process has it any more.
        for comm in self.comms.ids() {
            let JobCommunicator { id, name, group, remote, .. } = self.comms[comm];
            let Some(remote) = remote.filter(|remote| is_of_job(remote)) else { continue };
            known.entry((id, Some(remote))).or_insert_with(|| {
                let (group, remote) = (Some(remote), group);
                let (listed, peers) = (Vec::new(), Peers::Unclear);
                let other =
                    self.comms.push(JobCommunicator { id, name, group, remote, listed, peers });
                self.ids.entry(id).or_default().push(other);
                other
            });
        }
    }

    /// Finds out which communicators are intercommunicators. The peers of their operations show it:
    /// they belong to one group or to the other.
    fn find_peers(&mut self) {
        let all_read = self.find_unread().is_empty()
            && self.members.items().iter().all(|member| member.presence != Presence::Partial);
        for id in self.comms.ids() {
            let comm = &self.comms[id];
            self.comms[id].peers = match comm.remote {
                Some(remote) if remote.is_empty() => Peers::Own,
                Some(remote) => self.other_side(id, |group| group == remote),
                None => self.peers_by_operations(id, all_read),
            };
        }
        // One side of an intercommunicator shows the other, which may have no operations.
        for id in self.comms.ids() {
            let (first, second) = {
                let mut others = self.others(id);
                (others.next(), others.next())
            };
            if let (Peers::Unclear, Some(other), None) = (self.comms[id].peers, first, second)
                && self.comms[other].peers == Peers::Other(id)
            {
                self.comms[id].peers = Peers::Other(other);
            }
        }
    }

    /// Whom the operations on a communicator show as its peers.
    fn peers_by_operations(&self, id: CommId, all_read: bool) -> Peers {
        let comm = &self.comms[id];
        let well_known = matches!(comm.name, "MPI_COMM_WORLD" | "MPI_COMM_SELF");
        match (self.evidence(comm), comm.group) {
            // Peers without a rank in MPI_COMM_WORLD are of another job.
            (None, Some(_)) if self.has_strangers(comm) => Peers::Hidden,
            (Some((local, global)), Some(group)) if group.global(local) != Some(global) => {
                self.other_side(id, |group| group.global(local) == Some(global))
            }
            (Some(_), Some(_)) => Peers::Own,
            // The other side of an intercommunicator would be in the report, too.
            _ if well_known || self.others(id).next().is_none() && all_read => Peers::Own,
            _ => Peers::Unclear,
        }
    }

    /// The other side of an intercommunicator, whose group is known by something.
    fn other_side(&self, id: CommId, is_it: impl Fn(&Group) -> bool) -> Peers {
        let mut others = self.others(id);
        others
            .find(|other| self.comms[*other].group.is_some_and(&is_it))
            .map_or(Peers::Hidden, Peers::Other)
    }

    /// The other communicators with the same id.
    fn others(&self, id: CommId) -> impl Iterator<Item = CommId> {
        self.ids[&self.comms[id].id].iter().copied().filter(move |other| *other != id)
    }

    /// Is there an operation with a peer that has no rank in `MPI_COMM_WORLD`?
    pub(super) fn has_strangers(&self, comm: &JobCommunicator<'_>) -> bool {
        comm.listed.iter().any(|part| {
            let part = self.part(*part);
            Queue::ALL.iter().flat_map(|queue| part.queue(*queue)).any(|operation| {
                let local = peer_in_communicator(operation);
                let global = operation.actual_global_rank.or(operation.desired_global_rank);
                local.is_process() && global.is_none()
            })
        })
    }

    /// A peer of some operation: its rank in the communicator and in `MPI_COMM_WORLD`.
    fn evidence(&self, comm: &JobCommunicator<'_>) -> Option<(i64, i64)> {
        comm.listed.iter().find_map(|part| {
            let part = self.part(*part);
            Queue::ALL.iter().flat_map(|queue| part.queue(*queue)).find_map(|operation| {
                let desired = operation
                    .desired_global_rank
                    .map(|global| (operation.desired_local_rank, global));
                let actual = operation.actual_local_rank.zip(operation.actual_global_rank);
                desired
                    .into_iter()
                    .chain(actual)
                    .find(|(local, global)| *local >= 0 && *global >= 0)
            })
        })
    }

    fn find_unread(&self) -> Ranks {
        // A debug DLL may tell no groups.
        let processes = self.members.items().iter().map(|member| member.process);
        let world = processes
            .flat_map(|process| &process.communicators)
            .filter(|comm| comm.name == "MPI_COMM_WORLD")
            .map(|comm| comm.group.as_ref().map_or(comm.size, Group::len))
            .max();
        let largest = || {
            self.comms
                .items()
                .iter()
                .filter_map(|comm| comm.group)
                .flat_map(Group::ranges)
                .map(|(first, count)| first + count)
                .max()
        };
        let size = world.or_else(largest).unwrap_or(0);
        let seen = self
            .members
            .items()
            .iter()
            .filter(|member| member.presence != Presence::Unread)
            .map(|member| member.rank.get());
        let mut missing: Vec<(i64, i64)> = Vec::new();
        let mut next = 0;
        for rank in seen.chain([size]).filter(|rank| *rank <= size) {
            if next < rank {
                missing.push((next, rank - 1));
            }
            next = next.max(rank.saturating_add(1));
        }
        let beyond = self
            .members
            .items()
            .iter()
            .filter(|member| member.presence == Presence::Unread && member.rank.get() >= size);
        missing.extend(beyond.map(|member| (member.rank.get(), member.rank.get())));
        Ranks::of_ranges(missing)
    }
}

/// The peer of an operation as a rank in its communicator: that of the message, once there is one.
pub(super) fn peer_in_communicator(operation: &Operation) -> LocalRank {
    operation.actual_local_rank.unwrap_or(operation.desired_local_rank).into()
}

/// Is a process in `MPI_Finalize`?
pub(super) fn is_finalizing(process: &Process) -> bool {
    process.function().is_some_and(ends)
        || matches!(process.calls(), Calls::Function(function) if ends(function))
}

fn presence(process: &Process, any_live: bool) -> Presence {
    let mut communicators = process.communicators.iter();
    let is_complete =
        process.errors.is_empty() && communicators.all(|one| one.not_known.is_empty());
    match (is_complete, process.communicators.is_empty()) {
        (true, _) => Presence::Read,
        (false, false) => Presence::Partial,
        // If no process of the job can be seen, those that seem to have ended may only be hidden.
        (false, true) if any_live && process.has_ended() => Presence::Ended,
        // A library that is being shut down has no queues any more. A process that runs on before
        // they are read may have some.
        (false, true) if is_finalizing(process) && process.cut().is_none() => Presence::Ended,
        (false, true) => Presence::Unread,
    }
}
