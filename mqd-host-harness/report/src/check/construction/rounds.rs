//! When the other ranks have come to a function of many ranks: a collective operation, or a
//! function of windows.

use super::{Construction, Sources};
use crate::check::collectives::{RoundId, active, calls};
use crate::check::fixpoint::NodeId;
use crate::check::functions::{CollectiveFunction, WorkWithin, plain, work_within};
use crate::check::ids::{CommId, PartId, Slot};
use crate::check::job::Peers;
use crate::check::waits::{Awaited, Target};
use crate::model::{Activity, Queue, Status};

impl Construction<'_, '_> {
    /// Adds that a rank waits for what any other rank of the job does, as with a window, or for
    /// `also`. It may also wait for processes of other jobs that it has a communicator with.
    /// Returns false if it is not known which ranks these are.
    pub(super) fn window(&mut self, slot: Slot, also: Option<NodeId>) -> bool {
        let mut parts = self.job.parts(slot);
        let world = parts.find(|(_, part)| part.name == "MPI_COMM_WORLD").map(|(part, _)| part);
        let Some(part) = world else { return false };
        let comm = self.job.comm(part);
        // Of other communicators it is not known which processes these are.
        let comms = self.job.parts(slot).map(|(part, _)| self.job.comm(part));
        let mut comms: Vec<CommId> =
            comms.filter(|&other| other == comm || self.has_known_peers(other)).collect();
        comms.sort_unstable();
        comms.dedup();
        let mut sources: Vec<NodeId> =
            comms.into_iter().flat_map(|comm| self.hubs_of(comm)).collect();
        if !self.knows_peers(slot) {
            sources.push(self.special.unknown);
        }
        // What the others have done already may take effect in a moment.
        sources.push(self.special.momentary);
        sources.extend(also);
        let awaited = Awaited::Window { part: part.index };
        self.alternative(slot, awaited, Some(Target::Any(comm)), &sources);
        true
    }

    /// Adds that a rank, which stays in a function of many ranks, waits for what any other rank
    /// does there. No queue shows it, such as where ranks of one machine meet in shared memory.
    /// Returns false if it does not stay, if it may be busy there, or if it is not known which
    /// ranks these are.
    pub(super) fn unseen(&mut self, slot: Slot, function: &str, activity: &Activity) -> bool {
        if !activity.stayed {
            return false;
        }
        let same = |other: Slot| self.job.members[other].function().map(plain) == Some(function);
        let waits = self.is_without_work(slot);
        let idle = match work_within(function) {
            // It may copy the message of a receive, whatever function it is in.
            WorkWithin::None => waits || !self.takes_message(slot),
            WorkWithin::Copies => {
                waits || self.job.members.ids().all(|other| other == slot || !same(other))
            }
            WorkWithin::Reductions => waits,
            WorkWithin::Files if waits => true,
            WorkWithin::Files => return false,
        };
        // It seems to wait if nobody sends another one anything. But one may compute alone.
        let also = (!idle).then_some(self.special.transit);
        (idle || self.stands_still) && self.knows_peers(slot) && self.window(slot, also)
    }

    /// Adds that a rank, which stays in a wait for requests, waits for what any other rank does in
    /// a nonblocking collective operation that no queue shows. Returns false if it may be busy, if
    /// what it waits for may have been sent, or if it is not known which ranks these are.
    pub(super) fn unseen_requests(&mut self, slot: Slot) -> bool {
        self.is_without_work(slot) && self.knows_peers(slot) && self.window(slot, None)
    }

    /// Has a receive of a rank matched a message whose data have not all arrived?
    fn takes_message(&self, slot: Slot) -> bool {
        self.job.parts(slot).any(|(_, part)| {
            part.queue(Queue::Receives).iter().any(|receive| receive.status == Status::Matched)
        })
    }

    /// Was a rank not busy, and has nobody written what it waits for since?
    pub(super) fn is_without_work(&self, slot: Slot) -> bool {
        self.stands_still && self.job.members[slot].process.found_nothing
    }

    /// Are all processes known that a rank has a communicator with?
    fn knows_peers(&self, slot: Slot) -> bool {
        self.job.parts(slot).all(|(part, _)| self.has_known_peers(self.job.comm(part)))
    }

    fn has_known_peers(&self, comm: CommId) -> bool {
        matches!(self.job.comms[comm].peers, Peers::Own | Peers::Other(_))
    }

    /// Adds the collective operation that a rank is in, on each communicator where it may be.
    /// Returns false if there is none.
    pub(super) fn collective(&mut self, slot: Slot, function: CollectiveFunction) -> bool {
        let mut found = false;
        for (part, _) in active(self.job, slot).filter(|(_, other)| *other == function) {
            self.collective_on(part, function);
            found = true;
        }
        found
    }

    pub(super) fn collective_on(&mut self, part: PartId, function: CollectiveFunction) {
        let comm = self.job.comm(part);
        let own_group = self.job.comms[comm].peers == Peers::Own;
        let calls = calls(self.job.part(part), function);
        let id = RoundId { comm, function };
        let round = &self.rounds[&id];
        let missing = calls.is_some_and(|calls| round.behind(calls).next().is_some());
        let (target, mut sources) = match calls {
            Some(calls) if missing && function.needs_all() && own_group => {
                (Some(Target::All { round: id, calls }), vec![self.behind[&(id, calls)]])
            }
            Some(calls) if !own_group && function.synchronizes() => self.between_groups(id, calls),
            Some(_) if missing => (Some(Target::Any(comm)), self.hubs_of(comm)),
            // All ranks have called it: it is about to return.
            Some(_) if round.complete && own_group => (None, vec![self.special.free]),
            _ => (None, vec![self.special.unknown]),
        };
        // A rank that has given up the communicator may have called it before.
        if !function.synchronizes() || !own_group || round.incomplete {
            sources.push(self.special.momentary);
        }
        let awaited = Awaited::Collective { part: part.index, function };
        self.alternative(part.slot, awaited, target, &sources);
    }

    /// Who has to call a collective operation of an intercommunicator before any rank returns from
    /// it.
    fn between_groups(&self, id: RoundId, calls: i64) -> (Option<Target>, Sources) {
        let groups = self.job.same_id(id.comm).iter();
        let rounds = groups.map(|comm| self.rounds.get(&RoundId { comm: *comm, ..id }));
        let behind: Vec<Slot> = rounds.flatten().flat_map(|round| round.behind(calls)).collect();
        let mut sources: Sources = behind.iter().map(|slot| self.rank_nodes[*slot]).collect();
        let target = match *behind {
            [] => {
                sources.push(self.special.unknown);
                return (None, sources);
            }
            [rank] => Target::Rank(rank),
            _ => Target::Any(id.comm),
        };
        (Some(target), sources)
    }
}
