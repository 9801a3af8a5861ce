//! What lets a pending operation complete: who has to move, or which message may be on its way.

use super::{Construction, Sources, has_marks};
use crate::check::collectives::active;
use crate::check::fixpoint::NodeId;
use crate::check::functions::empties_buffers;
use crate::check::ids::{CommId, OperationId, PartId, Slot};
use crate::check::is_uncounted;
use crate::check::job::{Peers, Presence, peer_in_communicator};
use crate::check::list::numbered;
use crate::check::matching::Whereabouts;
use crate::check::transit::InTransit;
use crate::check::waits::{Awaited, SpecialNodes, Target};
use crate::model::{
    Activity, Background, Communicator, Operation, OtherThreads, Process, Queue, Status,
};

impl Construction<'_, '_> {
    /// Adds an alternative for each operation of a rank's queues that is wanted.
    pub(super) fn operations(
        &mut self,
        slot: Slot,
        queues: &[Queue],
        wanted: impl Fn(&Operation) -> bool,
        also: Option<NodeId>,
    ) {
        for (part, _) in self.job.parts(slot) {
            self.operations_on(part, queues, &wanted, also);
        }
    }

    /// The same for one communicator of the rank.
    pub(super) fn operations_on(
        &mut self,
        part: PartId,
        queues: &[Queue],
        wanted: impl Fn(&Operation) -> bool,
        also: Option<NodeId>,
    ) {
        let communicator = self.job.part(part);
        for &queue in queues {
            let operations = numbered(communicator.queue(queue));
            for (position, operation) in operations.filter(|(_, operation)| wanted(operation)) {
                let id = OperationId { part, position };
                let (target, mut sources) = self.sources(queue, id, operation);
                sources.extend(also);
                let awaited = Awaited::Operation { part: part.index, queue, position };
                self.alternative(part.slot, awaited, target, &sources);
            }
        }
    }

    /// What lets an operation complete.
    pub(super) fn sources(
        &self,
        queue: Queue,
        id: OperationId,
        operation: &Operation,
    ) -> (Option<Target>, Sources) {
        if operation.is_partitioned() && operation.status != Status::Complete {
            return self.partitioned(id, operation);
        }
        if operation.is_generalized() && operation.status != Status::Complete {
            let own = id.slot();
            return (Some(Target::Rank(own)), vec![self.rank_nodes[own]]);
        }
        let (target, mut sources) = match operation.status {
            Status::Complete if operation.awaited != Some(true) => {
                (None, vec![self.special.complete])
            }
            Status::Complete => (None, vec![self.special.free]),
            Status::Matched => self.matched(id, operation),
            Status::Pending if queue == Queue::Sends => self.send(id, operation),
            Status::Pending => self.receive(id, operation),
        };
        match target {
            Some(_) if has_marks(self.job.part(id.part)) => {}
            Some(Target::Rank(peer)) if operation.is_internal() => {
                sources.push(self.background[peer]);
            }
            Some(Target::Any(comm)) if operation.is_internal() && self.in_round(id.part) => {
                sources.push(self.background_hubs[comm]);
            }
            // A message of one-sided communication, which is answered in the background.
            Some(_) if operation.is_internal() => sources.push(self.special.unknown),
            _ => {}
        }
        (target, sources)
    }

    /// A receive that has matched a message completes with the data. They may have to come from a
    /// sender that cannot send them any more.
    fn matched(&self, id: OperationId, receive: &Operation) -> (Option<Target>, Sources) {
        let sender = self.job.peer(id.part, receive).and_then(|peer| peer.rank());
        let member = |slot: &Slot| &self.job.members[*slot];
        match sender.and_then(|rank| self.job.slot(rank)) {
            Some(sender) if member(&sender).presence == Presence::Ended => {
                (Some(Target::Rank(sender)), vec![self.sent_before_end(id.slot())])
            }
            Some(sender) if waits_outside(member(&sender).process) => {
                (Some(Target::Rank(sender)), vec![self.rank_nodes[sender], self.special.transit])
            }
            _ => (None, vec![self.special.free]),
        }
    }

    /// A partitioned send is pending until its own rank has declared all partitions ready, which no
    /// other rank can do. Then its receiver takes them. A receive waits for the sender.
    fn partitioned(&self, id: OperationId, operation: &Operation) -> (Option<Target>, Sources) {
        if operation.lacks_partitions() {
            let own = id.slot();
            return (Some(Target::Rank(own)), vec![self.rank_nodes[own]]);
        }
        let peer = self.job.peer(id.part, operation).and_then(|peer| peer.rank());
        let Some(peer) = peer.and_then(|rank| self.job.slot(rank)) else {
            return (None, vec![self.special.unknown]);
        };
        let mut sources = vec![self.rank_nodes[peer], self.background[peer]];
        if !self.is_without_partitions(id.part, peer, operation.status) {
            // Partitions may be on their way.
            sources.push(self.special.momentary);
        }
        (Some(Target::Rank(peer)), sources)
    }

    /// Is no message of the library on its way from `peer` to this rank, and is the rank taking
    /// none in? The data of a partitioned receive are such messages. If the rank shows receives of
    /// them, they were read.
    fn is_without_partitions(&self, part: PartId, peer: Slot, status: Status) -> bool {
        let here = self.job.part(part);
        let Some(from) = self.job.listed_by(peer, here.unique_id) else { return false };
        let receives = || here.queue(Queue::Receives).iter().filter(|one| one.is_internal());
        let activity = self.job.members[part.slot].process.activity.as_ref();
        let goes_on = activity.and_then(|activity| activity.background);
        status == Status::Pending
            && receives().next().is_some()
            && receives().all(|receive| receive.status == Status::Pending)
            && !here.queue(Queue::Unexpected).iter().any(Operation::is_internal)
            && goes_on != Some(Background::Working)
            && self.transit.is_counted(from, part)
            && self.transit.between(self.job, from, part) == InTransit::None
    }

    /// Is a process in a collective operation on this communicator that has messages?
    fn in_round(&self, part: PartId) -> bool {
        let mut active = active(self.job, part.slot).filter(|(other, _)| *other == part);
        active.any(|(_, function)| !function.is_of_windows())
    }

    /// A pending send completes when its receiver moves, if its message is unexpected there.
    fn send(&self, id: OperationId, send: &Operation) -> (Option<Target>, Sources) {
        let SpecialNodes { free, unknown, transit, momentary, .. } = self.special;
        let function = self.job.members[id.slot()].function();
        if send.system_buffer && !function.is_some_and(empties_buffers) {
            // The library has its own copy of the data.
            return (None, vec![free]);
        }
        match self.matching.whereabouts(id) {
            Whereabouts::Unexpected { message, surely, together } => {
                let mut sources = vec![self.rank_nodes[message.slot()]];
                let is_this_one = together || self.transit.tells_later(self.job, id.part, message);
                sources.extend((!surely || !is_this_one).then_some(momentary));
                if !together {
                    let between = self.transit.between(self.job, id.part, message.part);
                    sources.extend(self.in_transit(between));
                }
                (Some(Target::Rank(message.slot())), sources)
            }
            Whereabouts::Moving => (None, vec![free]),
            // It waits for its receiver, which may just have taken the message or be about to.
            Whereabouts::Taken { receiver, .. } => {
                let answers_soon = self.transit.answers_soon(self.job, id.slot(), receiver);
                let answer = if answers_soon { momentary } else { transit };
                (Some(Target::Rank(receiver)), vec![self.rank_nodes[receiver], answer])
            }
            Whereabouts::Unknown => {
                let all_ended = self.sent_among_ended(id, send);
                all_ended.unwrap_or_else(|| (None, vec![unknown]))
            }
            Whereabouts::Nowhere => {
                let peer = self.job.peer(id.part, send).and_then(|peer| peer.rank());
                let receiver = peer.and_then(|rank| self.job.slot(rank));
                // Since an earlier look it may have received the message, and ended.
                let mut sources = vec![momentary];
                sources.extend(receiver.map(|receiver| self.rank_nodes[receiver]));
                (receiver.map(Target::Rank), sources)
            }
        }
    }

    /// A pending send whose receiver is not known, if all other ranks of the job have ended. One of
    /// them may have been about to take the message before.
    fn sent_among_ended(
        &self,
        id: OperationId,
        send: &Operation,
    ) -> Option<(Option<Target>, Sources)> {
        let has_ended = |slot: &Slot| self.job.members[*slot].presence == Presence::Ended;
        let mut others = self.job.members.ids().filter(|slot| *slot != id.slot());
        let is_known = peer_in_communicator(send).is_process();
        if is_known || !self.job.unread.is_empty() || !others.all(|slot| has_ended(&slot)) {
            return None;
        }
        // It may be a process of another job.
        let peers_of = |comm: &CommId| self.job.comms[*comm].peers;
        let mut comms = self.job.members[id.slot()].comms.items().iter();
        if !comms.all(|comm| matches!(peers_of(comm), Peers::Own | Peers::Other(_))) {
            return None;
        }
        let comm = self.job.comm(id.part);
        let mut sources = self.hubs_of(comm);
        sources.push(self.special.momentary);
        Some((Some(Target::Any(comm)), sources))
    }

    /// A pending receive completes when its sender moves, or with a message in transit.
    fn receive(&self, id: OperationId, receive: &Operation) -> (Option<Target>, Sources) {
        if self.matching.is_served(id) {
            return (None, vec![self.special.free]);
        }
        let Some(peer) = self.job.peer(id.part, receive) else {
            return (None, vec![self.special.unknown]);
        };
        let (target, mut sources) = match peer.rank() {
            None => self.receive_from_any(id.part),
            Some(rank) => match self.job.slot(rank) {
                Some(sender) => self.receive_from(id.part, sender),
                None => (None, vec![self.special.unknown]),
            },
        };
        let may_be_served = self.matching.may_be_served(id);
        sources.extend(may_be_served.then_some(self.special.unknown));
        let soon = self.matching.is_soon_served(id);
        sources.extend(soon.then_some(self.special.momentary));
        (target, sources)
    }

    pub(super) fn receive_from_any(&self, part: PartId) -> (Option<Target>, Sources) {
        let comm = self.job.comm(part);
        let mut sources = self.hubs_of(comm);
        sources.extend(self.in_transit(self.transit.to(self.job, part)));
        let absent = self.transit.absent(self.job, part);
        sources.extend(absent.iter().map(|sender| self.sent_by_absent(*sender, part)));
        let senders = match self.job.comms[comm].peers {
            Peers::Other(other) => other,
            _ => comm,
        };
        sources.extend(self.any_ended[senders].then(|| self.sent_before_end(part.slot)));
        (Some(Target::Any(comm)), sources)
    }

    fn receive_from(&self, part: PartId, sender: Slot) -> (Option<Target>, Sources) {
        let target = Some(Target::Rank(sender));
        if self.job.members[sender].presence == Presence::Ended {
            let sources = vec![self.rank_nodes[sender], self.sent_before_end(part.slot)];
            return (target, sources);
        }
        let mut sources = vec![self.rank_nodes[sender]];
        sources.extend(match self.job.listed_by(sender, self.job.part(part).unique_id) {
            Some(from) => self.in_transit(self.transit.between(self.job, from, part)),
            None => Some(self.sent_by_absent(sender, part)),
        });
        (target, sources)
    }

    /// What a rank sent to another one before it ended arrives soon, unless the receiver is busy
    /// and has not taken it in. It may have sent more since an earlier look.
    fn sent_before_end(&self, receiver: Slot) -> NodeId {
        let receiver = self.job.members[receiver].process;
        let waits = |activity: &Activity| activity.is_in_loop() || activity.stayed;
        let waits = receiver.activity.as_ref().is_some_and(waits);
        match is_uncounted(receiver) && !(receiver.quiet && waits) {
            true => self.special.transit,
            false => self.special.momentary,
        }
    }

    /// Messages from a rank that does not have the communicator. What it sent before it gave it up
    /// arrives soon.
    fn sent_by_absent(&self, sender: Slot, part: PartId) -> NodeId {
        match self.has_left(sender, part) {
            true => self.special.momentary,
            false => self.special.transit,
        }
    }

    /// Has a rank given up the communicator of a part, or not made it yet? Its messages are
    /// counted, or all have arrived, so none waits where no queue shows it.
    fn has_left(&self, slot: Slot, part: PartId) -> bool {
        let here = self.job.part(part);
        // By another id it may be the same one.
        let is_alike = |(other, there): (PartId, &Communicator)| {
            there.group == here.group
                && self.job.listed_by(part.slot, self.job.part(other).unique_id).is_none()
        };
        (here.traffic.is_some() || self.transit.has_arrived(self.job, slot, part.slot))
            && self.job.members[slot].presence == Presence::Read
            && !self.job.parts(slot).any(is_alike)
    }

    /// The node that stands for messages in transit.
    fn in_transit(&self, transit: InTransit) -> Option<NodeId> {
        match transit {
            InTransit::None => None,
            InTransit::Quiet => Some(self.special.momentary),
            InTransit::Some => Some(self.special.free),
            InTransit::Unknown => Some(self.special.transit),
        }
    }

    /// The hubs of all that may be peers of a communicator's ranks.
    pub(super) fn hubs_of(&self, comm: CommId) -> Sources {
        match self.job.comms[comm].peers {
            Peers::Own => vec![self.hubs[comm]],
            Peers::Other(other) => vec![self.hubs[comm], self.hubs[other]],
            Peers::Hidden | Peers::Unclear => {
                let same = self.job.same_id(comm);
                let mut hubs: Sources = same.iter().map(|comm| self.hubs[*comm]).collect();
                if hubs.len() == 1 {
                    hubs.push(self.special.unknown);
                }
                hubs
            }
        }
    }
}

/// Does each thread of a process wait for another one, outside MPI?
fn waits_outside(process: &Process) -> bool {
    process.activity.as_ref().is_some_and(|activity| {
        activity.function.is_none() && activity.others == Some(OtherThreads::Blocked)
    })
}
