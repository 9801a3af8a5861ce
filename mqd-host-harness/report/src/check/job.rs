//! A report as one job: its ranks, its communicators across processes, and what is missing from the
//! picture.

use rustc_hash::FxHashMap;

use super::Ranks;
use crate::model::{Address, Communicator, Group, Operation, ProblemKind, Process, Queue, Report};

/// A job, by the places ("slots") of its ranks in `members`.
pub(super) struct Job<'a> {
    /// The ranks of the report, ascending.
    pub(super) members: Vec<Member<'a>>,
    /// The communicators: each once, whoever lists it.
    pub(super) comms: Vec<Comm<'a>>,
    /// The communicators with an id: more than one for the two sides of an intercommunicator, and
    /// with MPIs that use an id more than once.
    ids: FxHashMap<Address, Vec<u32>>,
    slots: FxHashMap<i64, u32>,
    /// Ranks of the job that the report does not have, or that could not be read and have not
    /// ended.
    pub(super) unread: Ranks,
    /// What makes the report no picture of one job, in a sentence.
    pub(super) doubt: Option<String>,
}

/// A rank of the job.
pub(super) struct Member<'a> {
    pub(super) rank: i64,
    pub(super) process: &'a Process,
    pub(super) presence: Presence,
    /// Which of the job's communicators each of the process's is.
    pub(super) comms: Vec<u32>,
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
    /// Nothing: the process has ended.
    Ended,
}

/// A communicator of the job. The two sides of an intercommunicator are two.
pub(super) struct Comm<'a> {
    pub(super) id: Address,
    pub(super) name: &'a str,
    pub(super) group: Option<&'a Group>,
    /// Who lists it: slot, and index among the communicators of that process. Ascending.
    pub(super) listed: Vec<(u32, u32)>,
    pub(super) peers: Peers,
}

/// To whom the ranks of a communicator's operations belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Peers {
    /// Its own group.
    Own,
    /// The group of the other side of an intercommunicator.
    Other(u32),
    /// That of the other side, of which nothing was read.
    Hidden,
    /// The picture does not tell which.
    Unclear,
}

impl<'a> Job<'a> {
    pub(super) fn new(report: &'a Report) -> Job<'a> {
        let mut doubt = None;
        let any_live = report
            .processes
            .iter()
            .any(|process| process.core.is_none() && !process.communicators.is_empty());
        let mut members: Vec<Member<'a>> = Vec::new();
        for process in &report.processes {
            let Some(rank) = process.rank else { continue };
            let presence = presence(process, any_live);
            members.push(Member {
                rank,
                process,
                presence,
                comms: Vec::with_capacity(process.communicators.len()),
            });
        }
        members.sort_by_key(|member| member.rank);
        if let Some(twice) = members.windows(2).find(|pair| pair[0].rank == pair[1].rank) {
            doubt = Some(format!(
                "two processes are rank {}: the targets are of more than one job",
                twice[0].rank
            ));
        }
        let slots = (0..).zip(&members).map(|(slot, member)| (member.rank, slot)).collect();
        let mut job = Job {
            members,
            comms: Vec::new(),
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

    /// The place of a rank among the members.
    pub(super) fn slot(&self, rank: i64) -> Option<u32> {
        self.slots.get(&rank).copied()
    }

    pub(super) fn member(&self, slot: u32) -> &Member<'a> {
        &self.members[slot as usize]
    }

    /// The process's part of a communicator.
    pub(super) fn part(&self, slot: u32, index: u32) -> &'a Communicator {
        &self.member(slot).process.communicators[index as usize]
    }

    /// The communicators with this one's id, itself included.
    pub(super) fn same_id(&self, comm: u32) -> &[u32] {
        &self.ids[&self.comms[comm as usize].id]
    }

    /// Where a rank lists the communicator that another one calls by this id.
    pub(super) fn listed_by(&self, slot: u32, id: Address) -> Option<u32> {
        self.ids.get(&id)?.iter().find_map(|comm| {
            let listed = &self.comms[*comm as usize].listed;
            let place = listed.binary_search_by_key(&slot, |(slot, _)| *slot).ok()?;
            Some(listed[place].1)
        })
    }

    /// The members of a communicator's group, by slot, and whether these are all.
    pub(super) fn in_group(&self, comm: u32) -> (Vec<u32>, bool) {
        let Some(group) = self.comms[comm as usize].group else { return (Vec::new(), false) };
        let mut slots = Vec::new();
        for (first, count) in group.ranges() {
            let at = |rank: i64| self.members.partition_point(|member| member.rank < rank) as u32;
            slots.extend(at(first)..at(first + count));
        }
        let all = slots.len() as i64 == group.len();
        (slots, all)
    }

    /// The rank in `MPI_COMM_WORLD` of a peer of a communicator.
    pub(super) fn global(&self, comm: u32, local: i64) -> Option<i64> {
        let group = match self.comms[comm as usize].peers {
            Peers::Own => self.comms[comm as usize].group?,
            Peers::Other(other) => self.comms[other as usize].group?,
            Peers::Hidden | Peers::Unclear => return None,
        };
        group.global(local).filter(|rank| *rank >= 0)
    }

    /// The rank in `MPI_COMM_WORLD` of an operation's peer: `Some(-1)` for any source, none if it
    /// is not known.
    pub(super) fn peer(&self, slot: u32, index: u32, operation: &Operation) -> Option<i64> {
        let local = operation.actual_local_rank.unwrap_or(operation.desired_local_rank);
        let global = operation.actual_global_rank.or(operation.desired_global_rank);
        if local < 0 {
            return Some(-1);
        }
        global
            .filter(|rank| *rank >= 0)
            .or_else(|| self.global(self.member(slot).comms[index as usize], local))
    }

    fn find_comms(&mut self) {
        type Key<'a> = (Address, Option<&'a Group>);
        let mut known: FxHashMap<Key<'a>, u32> = FxHashMap::default();
        for (slot, member) in (0..).zip(&mut self.members) {
            for (index, communicator) in (0..).zip(&member.process.communicators) {
                let key = (communicator.unique_id, communicator.group.as_ref());
                let comm = *known.entry(key).or_insert_with(|| {
                    let number = self.comms.len() as u32;
                    self.ids.entry(communicator.unique_id).or_default().push(number);
                    self.comms.push(Comm {
                        id: communicator.unique_id,
                        name: &communicator.name,
                        group: communicator.group.as_ref(),
                        listed: Vec::new(),
                        peers: Peers::Unclear,
                    });
                    number
                });
                self.comms[comm as usize].listed.push((slot, index));
                member.comms.push(comm);
            }
        }
    }

    /// Tells intercommunicators from others: by operations, whose peers are in one group or the
    /// other.
    fn find_peers(&mut self) {
        let all_read = self.find_unread().is_empty()
            && self.members.iter().all(|member| member.presence != Presence::Partial);
        for number in 0..self.comms.len() {
            let comm = &self.comms[number];
            let others: Vec<u32> = self.ids[&comm.id]
                .iter()
                .copied()
                .filter(|other| *other as usize != number)
                .collect();
            let well_known = matches!(comm.name, "MPI_COMM_WORLD" | "MPI_COMM_SELF");
            let peers = match (self.evidence(comm), comm.group) {
                (Some((local, global)), Some(group)) if group.global(local) != Some(global) => {
                    let fits = |other: &&u32| {
                        self.comms[**other as usize].group.and_then(|group| group.global(local))
                            == Some(global)
                    };
                    others.iter().find(fits).map_or(Peers::Hidden, |other| Peers::Other(*other))
                }
                (Some(_), Some(_)) => Peers::Own,
                // The other side of an intercommunicator would be there, too.
                _ if well_known || others.is_empty() && all_read => Peers::Own,
                _ => Peers::Unclear,
            };
            self.comms[number].peers = peers;
        }
    }

    /// A peer of some operation: its rank in the communicator and in `MPI_COMM_WORLD`.
    fn evidence(&self, comm: &Comm<'_>) -> Option<(i64, i64)> {
        comm.listed.iter().find_map(|(slot, index)| {
            let part = self.part(*slot, *index);
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
        let world = self
            .comms
            .iter()
            .filter(|comm| comm.name == "MPI_COMM_WORLD")
            .filter_map(|comm| comm.group)
            .map(Group::len)
            .max();
        let largest = || {
            self.comms
                .iter()
                .filter_map(|comm| comm.group)
                .flat_map(Group::ranges)
                .map(|(first, count)| first + count)
                .max()
        };
        let size = world.or_else(largest).unwrap_or(0);
        let seen = self
            .members
            .iter()
            .filter(|member| member.presence != Presence::Unread)
            .map(|member| member.rank);
        let mut missing: Vec<(i64, i64)> = Vec::new();
        let mut next = 0;
        for rank in seen.chain([size]).filter(|rank| *rank <= size) {
            if next < rank {
                missing.push((next, rank - 1));
            }
            next = next.max(rank + 1);
        }
        let beyond = self
            .members
            .iter()
            .filter(|member| member.presence == Presence::Unread && member.rank >= size);
        missing.extend(beyond.map(|member| (member.rank, member.rank)));
        Ranks::of_ranges(missing)
    }
}

fn presence(process: &Process, any_live: bool) -> Presence {
    match (process.errors.is_empty(), process.communicators.is_empty()) {
        (true, _) => Presence::Read,
        (false, false) => Presence::Partial,
        // A process of which nothing is seen may be hidden; not where others of the job are seen.
        (false, true)
            if any_live && process.errors.iter().any(|error| error.kind == ProblemKind::Ended) =>
        {
            Presence::Ended
        }
        (false, true) => Presence::Unread,
    }
}
