//! The collective operations that ranks are in, and how often each rank has called them.

use rustc_hash::FxHashMap;

use super::functions::CollectiveFunction;
use super::ids::{CommId, PartId, Slot};
use super::job::{Job, Peers, Presence};
use super::list::List;
use crate::model::{Communicator, Group, Process};

/// A collective function on a communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct RoundId {
    pub(super) comm: CommId,
    pub(super) function: CollectiveFunction,
}

/// How often the members of a communicator have called a collective function.
pub(super) struct Round {
    /// Calls and slot of the members of which it is known, ascending.
    pub(super) calls: Vec<(i64, Slot)>,
    /// Does `calls` have all members of the group?
    pub(super) complete: bool,
    /// Do some members not have the communicator? They have given it up, or have not made it yet,
    /// and count as if they had called nothing.
    pub(super) incomplete: bool,
}

impl Round {
    /// The members that have called it less often than this.
    pub(super) fn behind(&self, calls: i64) -> impl Iterator<Item = Slot> + '_ {
        let behind = self.calls.iter().take_while(move |(other, _)| *other < calls);
        behind.map(|(_, slot)| *slot)
    }
}

/// The collective operations that a process is in.
pub(super) fn active(
    job: &Job<'_>,
    slot: Slot,
) -> impl Iterator<Item = (PartId, CollectiveFunction)> {
    job.parts(slot).flat_map(|(id, part)| active_on(part).map(move |function| (id, function)))
}

/// Do the queues tell that a process is in an operation of this function?
pub(super) fn is_in(process: &Process, function: CollectiveFunction) -> bool {
    process.communicators.iter().flat_map(active_on).any(|active| active == function)
}

fn active_on(part: &Communicator) -> impl Iterator<Item = CollectiveFunction> {
    let active = part.collectives.iter().flatten().filter(|collective| collective.active);
    active.filter_map(|collective| CollectiveFunction::named(&collective.function))
}

/// How often a process has called a collective function; none if that is not known.
pub(super) fn calls(part: &Communicator, function: CollectiveFunction) -> Option<i64> {
    // If some calls are not counted, a function that is not listed may have been called as well.
    let known = part
        .collectives
        .as_ref()
        .filter(|known| known.iter().all(|collective| collective.calls.is_some()))?;
    let of_it = known.iter().find(|collective| collective.function == function.name());
    of_it.map_or(Some(0), |collective| collective.calls)
}

/// The collective operations that some rank is in. `members`: those of each communicator's group.
pub(super) fn rounds(
    job: &Job<'_>,
    members: &List<CommId, Vec<Slot>>,
) -> FxHashMap<RoundId, Round> {
    let mut rounds: FxHashMap<RoundId, Round> = FxHashMap::default();
    for slot in job.members.ids() {
        for (part, function) in active(job, slot) {
            let comm = job.comm(part);
            // The other group of an intercommunicator has the same id.
            let both =
                job.comms[comm].peers != Peers::Own && calls(job.part(part), function).is_some();
            let own = [comm];
            for &comm in if both { job.same_id(comm) } else { &own } {
                let id = RoundId { comm, function };
                rounds.entry(id).or_insert_with(|| round(job, id, &members[comm]));
            }
        }
    }
    rounds
}

fn round(job: &Job<'_>, RoundId { comm, function }: RoundId, members: &[Slot]) -> Round {
    let comm = &job.comms[comm];
    let is_read = |slot: &Slot| job.members[*slot].presence == Presence::Read;
    let read = comm.listed.iter().filter(|part| is_read(&part.slot));
    let known: Option<Vec<(i64, Slot)>> =
        read.map(|part| Some((calls(job.part(*part), function)?, part.slot))).collect();
    // If some calls are not counted, ranks without calls may not be counted either.
    let mut known = known.unwrap_or_default();
    let before = known.len();
    if before > 0 {
        let without = members.iter().filter(|slot| is_read(slot) && comm.part_of(**slot).is_none());
        known.extend(without.map(|slot| (0, *slot)));
    }
    let incomplete = known.len() > before;
    known.sort_unstable();
    let size = comm.group.map(Group::len).and_then(|size| usize::try_from(size).ok());
    let complete = size == Some(known.len()) && members.len() == known.len();
    Round { calls: known, complete, incomplete }
}
