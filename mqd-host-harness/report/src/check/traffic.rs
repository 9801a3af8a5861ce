//! Is a message on its way? Where what one process has sent is what the other has received, none
//! is.

use rustc_hash::{FxHashMap, FxHashSet};

use super::job::{Job, Presence};
use crate::model::Address;

/// The messages between the ranks of a job, as far as both sides tell.
pub(super) struct Traffic {
    /// Pairs (sender, receiver; ranks) on a communicator between which the counts differ.
    differs: FxHashSet<(Address, i64, i64)>,
    /// Receivers of these.
    differs_to: FxHashSet<(Address, i64)>,
    /// Parts of communicators (slot, index) whose counts are known.
    known: FxHashSet<(u32, u32)>,
    /// Communicators of which the counts of all members are known that have not ended.
    complete: Vec<bool>,
}

/// What the counts say about messages from one rank to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OnTheWay {
    /// There is none.
    None,
    /// The counts differ: one is on its way, or the two were read at different times of a job that
    /// runs.
    Some,
    /// There are no counts.
    Unknown,
}

impl Traffic {
    pub(super) fn new(job: &Job<'_>) -> Traffic {
        let mut known = FxHashSet::default();
        let mut counts: FxHashMap<(Address, i64, i64), (i64, i64)> = FxHashMap::default();
        for (slot, member) in (0..).zip(&job.members) {
            'parts: for (index, (part, comm)) in
                (0..).zip(member.process.communicators.iter().zip(&member.comms))
            {
                let Some(traffic) = &part.traffic else { continue };
                for entry in traffic {
                    // Whose counts these are is not known: they say nothing.
                    let Some(other) = job.global(*comm, entry.local_rank) else { continue 'parts };
                    if entry.sent != 0 {
                        counts.entry((part.unique_id, member.rank, other)).or_default().0 +=
                            entry.sent;
                    }
                    if entry.received != 0 {
                        counts.entry((part.unique_id, other, member.rank)).or_default().1 +=
                            entry.received;
                    }
                }
                known.insert((slot, index));
            }
        }
        let differing = counts.into_iter().filter(|(_, (sent, received))| sent != received);
        let differs: FxHashSet<_> = differing.map(|(pair, _)| pair).collect();
        let differs_to = differs.iter().map(|(id, _, to)| (*id, *to)).collect();
        let complete = (0..job.comms.len() as u32).map(|comm| {
            let listed = &job.comms[comm as usize].listed;
            let (members, all) = job.in_group(comm);
            let ended = members
                .iter()
                .filter(|slot| job.member(**slot).presence == Presence::Ended)
                .count();
            all && listed.len() + ended == members.len()
                && listed.iter().all(|part| known.contains(part))
        });
        let complete = complete.collect();
        Traffic { differs, differs_to, known, complete }
    }

    /// Messages from one rank to another on a communicator; the parts are (slot, index).
    pub(super) fn between(&self, job: &Job<'_>, from: (u32, u32), to: (u32, u32)) -> OnTheWay {
        let id = job.part(to.0, to.1).unique_id;
        let (sender, receiver) = (job.member(from.0).rank, job.member(to.0).rank);
        match (self.known.contains(&from), self.known.contains(&to)) {
            (true, true) if self.differs.contains(&(id, sender, receiver)) => OnTheWay::Some,
            (true, true) => OnTheWay::None,
            _ => OnTheWay::Unknown,
        }
    }

    /// Messages from anybody to a rank on a communicator that has no other side.
    pub(super) fn to(&self, job: &Job<'_>, to: (u32, u32)) -> OnTheWay {
        let comm = job.member(to.0).comms[to.1 as usize];
        if !self.complete[comm as usize] {
            return OnTheWay::Unknown;
        }
        let differs =
            self.differs_to.contains(&(job.comms[comm as usize].id, job.member(to.0).rank));
        if differs { OnTheWay::Some } else { OnTheWay::None }
    }
}
