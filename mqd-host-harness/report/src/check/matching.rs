//! Matching by MPI's rules, across processes: which unexpected message belongs to which pending
//! send, and which posted receives could take a message that is in transit.

use rustc_hash::{FxHashMap, FxHashSet};

use super::fifos;
use super::functions;
use super::ids::{OperationId, Peer, Rank, Slot, Tag};
use super::job::{Job, Presence};
use super::list::{Adjacency, Lists};
use super::transit::{InTransit, Transit};
use crate::model::{Address, Operation, Queue, Status};

/// Where the message of a pending send is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whereabouts {
    /// At its receiver, unexpected. The send is pending until a receive takes it. If `surely` is
    /// false, the message may belong to another send. `together`: the sender and the receiver were
    /// read while both stood still, and each send of this envelope has its message there.
    Unexpected { message: OperationId, surely: bool, together: bool },
    /// Not at its receiver: it is in transit, or a receive has just taken it.
    Moving,
    /// All messages have arrived, and no receive is taking one. Three things are possible: a
    /// matched probe has this message, a receive that was about to complete has taken it, or it is
    /// about to be counted. If `has_left` is false, it may still be at its sender.
    Taken { receiver: Slot, has_left: bool },
    /// The receiver's queue is not known, or nothing counts the messages in transit: the message
    /// may wait where no queue shows it.
    Unknown,
    /// The receiver has ended.
    Nowhere,
}

/// What the queues of all ranks say together.
pub(super) struct Matching {
    /// Where the message of each pending send is.
    sends: FxHashMap<OperationId, Whereabouts>,
    /// Posted receives that match a message which is in transit, or which the library is about to
    /// match.
    served: FxHashSet<OperationId>,
    /// Posted receives that match a send whose message cannot be located.
    perhaps_served: FxHashSet<OperationId>,
    /// Posted receives that match a send whose message may only be about to be counted.
    soon_served: FxHashSet<OperationId>,
}

/// What messages to one rank are matched by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Envelope {
    communicator: Address,
    /// For a receive it may be `MPI_ANY_SOURCE`.
    sender: Peer,
    /// For a receive it may be `MPI_ANY_TAG`.
    tag: Tag,
}

/// Operations by their envelopes, in the order of their queues.
type ByEnvelope = Lists<Envelope, OperationId>;

impl Matching {
    pub(super) fn new(job: &Job<'_>, transit: &Transit) -> Matching {
        let mut matching = Matching {
            sends: FxHashMap::default(),
            served: FxHashSet::default(),
            perhaps_served: FxHashSet::default(),
            soon_served: FxHashSet::default(),
        };
        let mut sends = Vec::new();
        job.each_operation(Queue::Sends, |id, send, peer| {
            if send.status == Status::Pending {
                match peer.rank().and_then(|rank| job.slot(rank)) {
                    Some(receiver) => sends.push((receiver, id)),
                    None => drop(matching.sends.insert(id, Whereabouts::Unknown)),
                }
            }
        });
        matching.sends.reserve(sends.len());
        let sends = Adjacency::new(job.members.len(), &sends);
        for receiver in job.members.ids() {
            matching.match_at(job, transit, receiver, sends.of(receiver));
        }
        matching
    }

    /// Matches what was sent to a rank. Each rank by itself: this takes little memory at a time.
    fn match_at(
        &mut self,
        job: &Job<'_>,
        transit: &Transit,
        receiver: Slot,
        pending: &[OperationId],
    ) {
        let receives = Receives::new(job, receiver);
        let messages = self.read_messages(job, &receives, receiver);
        let sends = self.read_sends(job, transit, receiver, pending);
        for envelope in sends.keys() {
            let messages: Vec<OperationId> = messages.of(envelope).collect();
            if !messages.is_empty() {
                let sends: Vec<OperationId> = sends.of(envelope).collect();
                self.pair(job, &sends, &messages);
            }
        }
        self.serve(job, &receives, pending);
    }

    /// The unexpected messages of a rank whose sends may still be pending. Receives that match an
    /// unexpected message are about to be completed.
    fn read_messages(&mut self, job: &Job<'_>, receives: &Receives, receiver: Slot) -> ByEnvelope {
        let mut messages = ByEnvelope::default();
        job.each_operation_of(receiver, Queue::Unexpected, |id, message, sender| {
            let envelope = Envelope {
                communicator: job.part(id.part).unique_id,
                sender,
                tag: message.actual_tag.or(message.desired_tag).unwrap_or_default().into(),
            };
            self.served.extend(receives.matching(envelope));
            if message.holds_sender() != Some(false) {
                messages.push(envelope, id);
            }
        });
        messages
    }

    /// Those of the pending sends to a rank whose messages may be there.
    fn read_sends(
        &mut self,
        job: &Job<'_>,
        transit: &Transit,
        receiver: Slot,
        pending: &[OperationId],
    ) -> ByEnvelope {
        let mut sends = ByEnvelope::default();
        let empties =
            |slot: Slot| job.members[slot].function().is_some_and(functions::empties_buffers);
        let presence = job.members[receiver].presence;
        let under_way = under_way(job, receiver);
        for &id in pending {
            let whereabouts = match presence {
                Presence::Ended => Whereabouts::Nowhere,
                Presence::Unread | Presence::Partial => Whereabouts::Unknown,
                Presence::Read => by_counts(job, transit, id, receiver, &under_way),
            };
            self.sends.insert(id, whereabouts);
            let send = job.operation(Queue::Sends, id);
            if presence == Presence::Read && may_be_held(send, empties(id.slot())) {
                sends.push(sent(job, id, send), id);
            }
        }
        sends
    }

    /// Pairs sends and unexpected messages of one envelope. Messages of one envelope are received
    /// in the order they were sent, so the last ones are those that are left.
    fn pair(&mut self, job: &Job<'_>, sends: &[OperationId], messages: &[OperationId]) {
        let holds =
            |queue, id: &OperationId| job.operation(queue, *id).holds_sender() == Some(true);
        let surely = messages.iter().all(|message| holds(Queue::Unexpected, message))
            && (sends.len() == messages.len()
                || sends.iter().all(|send| holds(Queue::Sends, send)));
        let is_held = |id: &OperationId| job.members[id.slot()].process.held;
        let ends = sends.first().zip(messages.first());
        let on_one_host = ends.is_some_and(|(send, message)| {
            fifos::are_on_one_host(job, send.slot(), message.slot()) != Some(false)
        });
        let together = surely
            && on_one_host
            && sends.len() == messages.len()
            && sends.iter().chain(messages).all(is_held);
        let length = |queue, id| {
            let operation = job.operation(queue, id);
            operation.length().map(|length| operation.actual_length.unwrap_or(length))
        };
        for (&send, &message) in sends.iter().rev().zip(messages.iter().rev()) {
            let lengths = length(Queue::Sends, send).zip(length(Queue::Unexpected, message));
            if lengths.is_some_and(|(sent, arrived)| sent != arrived) {
                break;
            }
            self.sends.insert(send, Whereabouts::Unexpected { message, surely, together });
        }
    }

    /// Finds the receives of a rank that match a message in transit, or one that may be.
    fn serve(&mut self, job: &Job<'_>, receives: &Receives, pending: &[OperationId]) {
        for &id in pending {
            let served = match self.sends.get(&id) {
                Some(Whereabouts::Moving) => &mut self.served,
                Some(Whereabouts::Taken { has_left: true, .. }) => &mut self.soon_served,
                Some(Whereabouts::Taken { .. } | Whereabouts::Unknown) => &mut self.perhaps_served,
                _ => continue,
            };
            let send = job.operation(Queue::Sends, id);
            served.extend(receives.matching(sent(job, id, send)));
        }
    }

    /// Where the message of a pending send is.
    pub(super) fn whereabouts(&self, send: OperationId) -> Whereabouts {
        self.sends.get(&send).copied().unwrap_or(Whereabouts::Moving)
    }

    /// Is there a message for a pending receive that only has to arrive, or to be matched?
    pub(super) fn is_served(&self, receive: OperationId) -> bool {
        self.served.contains(&receive)
    }

    /// May there be one that leaves its sender in a moment?
    pub(super) fn is_soon_served(&self, receive: OperationId) -> bool {
        self.soon_served.contains(&receive)
    }

    /// May there be one? It is not known where the message of a matching send is.
    pub(super) fn may_be_served(&self, receive: OperationId) -> bool {
        self.perhaps_served.contains(&receive)
    }
}

/// Communicators and sources of the messages that a rank is taking.
fn under_way(job: &Job<'_>, receiver: Slot) -> FxHashSet<(Address, Peer)> {
    let mut under_way = FxHashSet::default();
    job.each_operation_of(receiver, Queue::Receives, |id, receive, sender| {
        if receive.status == Status::Matched {
            under_way.insert((job.part(id.part).unique_id, sender));
        }
    });
    under_way
}

/// Where the message of a pending send is if it is not unexpected. The counts of messages tell.
fn by_counts(
    job: &Job<'_>,
    transit: &Transit,
    id: OperationId,
    receiver: Slot,
    under_way: &FxHashSet<(Address, Peer)>,
) -> Whereabouts {
    let communicator = job.part(id.part).unique_id;
    let receives = job.listed_by(receiver, communicator);
    let Some(receives) = receives else { return Whereabouts::Unknown };
    let has_left =
        transit.is_counted(id.part, receives) || transit.is_quiet(job, id.slot(), receiver);
    if !has_left && !transit.has_arrived(job, id.slot(), receiver) {
        return Whereabouts::Unknown;
    }
    let from = [job.rank(id.slot()).into(), Peer::ANY];
    let is_under_way = from.iter().any(|from| under_way.contains(&(communicator, *from)));
    match transit.between(job, id.part, receives) {
        InTransit::None | InTransit::Quiet if !is_under_way => {
            Whereabouts::Taken { receiver, has_left }
        }
        _ => Whereabouts::Moving,
    }
}

/// The envelope of a send's message.
fn sent(job: &Job<'_>, id: OperationId, send: &Operation) -> Envelope {
    let sender: Rank = job.rank(id.slot());
    Envelope {
        communicator: job.part(id.part).unique_id,
        sender: sender.into(),
        tag: send.desired_tag.unwrap_or_default().into(),
    }
}

/// The posted receives of a rank, by what they take. Probes are among them: they wait like
/// receives.
struct Receives {
    posted: ByEnvelope,
}

impl Receives {
    fn new(job: &Job<'_>, receiver: Slot) -> Receives {
        let mut posted = ByEnvelope::default();
        job.each_operation_of(receiver, Queue::Receives, |id, receive, sender| {
            if receive.status == Status::Pending {
                let tag = receive.desired_tag.filter(|_| !receive.tag_wild);
                let envelope = Envelope {
                    communicator: job.part(id.part).unique_id,
                    sender,
                    tag: tag.map_or(Tag::ANY, Tag::from),
                };
                posted.push(envelope, id);
            }
        });
        Receives { posted }
    }

    /// The receives that match a message.
    fn matching(&self, message: Envelope) -> impl Iterator<Item = OperationId> + '_ {
        let Envelope { sender, tag, .. } = message;
        let patterns = [(sender, tag), (Peer::ANY, tag), (sender, Tag::ANY), (Peer::ANY, Tag::ANY)];
        // MPI_ANY_TAG stands for the tags of the program.
        let count = if tag.is_internal() { 2 } else { patterns.len() };
        patterns
            .into_iter()
            .take(count)
            .flat_map(move |(sender, tag)| self.posted.of(&Envelope { sender, tag, ..message }))
    }
}

/// Can the message of a pending send be at its receiver? A buffered send does not wait for it,
/// unless its process waits for the buffer to become empty.
fn may_be_held(send: &Operation, empties: bool) -> bool {
    (empties || !send.system_buffer) && send.holds_sender() != Some(false)
}
