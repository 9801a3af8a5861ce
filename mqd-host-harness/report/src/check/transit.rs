//! Tells whether a message is in transit. If one process has received as many messages as the other
//! has sent, no message is. The same holds if all messages go through queues in shared memory, and
//! the receiver has taken out as many elements as the sender has seen put in.

use rustc_hash::{FxHashMap, FxHashSet};

use super::fifos::{self, Fifos};
use super::ids::{CommId, OperationId, PartId, Rank, Slot};
use super::job::{Job, Peers, Presence};
use super::list::List;
use crate::model::Address;

/// At most so many members that do not have a communicator are looked at one by one.
const MOST_ABSENT: usize = 64;

/// The messages between two ranks on a communicator, in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Channel {
    communicator: Address,
    sender: Rank,
    receiver: Rank,
}

/// How many messages of a channel were sent and received. Negative numbers are no counts but marks:
/// if they differ, it is not known whether a message is in transit.
#[derive(Default)]
struct Counts {
    sent: i64,
    received: i64,
}

/// What the counts of messages tell about those in transit.
pub(super) struct Transit {
    /// Channels whose counts differ.
    differs: FxHashSet<Channel>,
    /// Channels whose marks differ: nothing is known about them.
    unclear: FxHashSet<Channel>,
    /// Communicators and receivers of those whose counts both sides tell.
    differs_to: FxHashSet<(Address, Rank)>,
    /// Parts of communicators whose counts are known.
    known: FxHashSet<PartId>,
    /// The members of a communicator that have not ended and do not have it. None: not all members
    /// are known, or not the counts of all that have it.
    absent: List<CommId, Option<Vec<Slot>>>,
    /// The queues in shared memory.
    fifos: Fifos,
}

/// What is known about messages in transit from one rank to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InTransit {
    /// There is none.
    None,
    /// There is none, as far as two looks at the sockets can tell.
    Quiet,
    /// The counts differ: a message is in transit, or the job went on between reading the two.
    Some,
    /// There are no counts.
    Unknown,
}

impl Transit {
    pub(super) fn new(job: &Job<'_>) -> Transit {
        let mut known = FxHashSet::default();
        let mut counts: FxHashMap<Channel, Counts> = FxHashMap::default();
        for slot in job.members.ids() {
            for (id, _) in job.parts(slot) {
                if count(job, id, &mut counts).is_some() {
                    known.insert(id);
                }
            }
        }
        counts.retain(|_, counts| counts.sent != counts.received);
        let (unclear, differs): (Vec<_>, Vec<_>) =
            counts.into_iter().partition(|(_, counts)| counts.sent < 0 || counts.received < 0);
        let channels = |of: Vec<(Channel, Counts)>| -> FxHashSet<Channel> {
            of.into_iter().map(|(channel, _)| channel).collect()
        };
        let (unclear, differs) = (channels(unclear), channels(differs));
        let counted: FxHashSet<(Address, Rank)> =
            known.iter().map(|part| (job.part(*part).unique_id, job.rank(part.slot))).collect();
        // A sender that has ended tells no counts, so it is not known what it has sent.
        let both = differs
            .iter()
            .filter(|channel| counted.contains(&(channel.communicator, channel.sender)));
        let differs_to = both.map(|channel| (channel.communicator, channel.receiver)).collect();
        let absent_of = |comm: CommId| {
            let listed = &job.comms[comm].listed;
            let (members, all) = job.in_group(comm);
            if !all || !listed.iter().all(|part| known.contains(part)) {
                return None;
            }
            let has_it: FxHashSet<Slot> = listed.iter().map(|part| part.slot).collect();
            let is_absent = |slot: &Slot| {
                job.members[*slot].presence != Presence::Ended && !has_it.contains(slot)
            };
            let absent = members.iter().copied().filter(is_absent).take(MOST_ABSENT + 1);
            Some(absent.collect()).filter(|absent: &Vec<_>| absent.len() <= MOST_ABSENT)
        };
        let absent = job.comms.ids().map(absent_of).collect();
        Transit { differs, unclear, differs_to, known, absent, fifos: Fifos::new(job) }
    }

    /// Messages from one rank to another on a communicator.
    pub(super) fn between(&self, job: &Job<'_>, from: PartId, to: PartId) -> InTransit {
        let channel = Channel {
            communicator: job.part(to).unique_id,
            sender: job.rank(from.slot),
            receiver: job.rank(to.slot),
        };
        match (self.known.contains(&from), self.known.contains(&to)) {
            (true, true) if self.differs.contains(&channel) => InTransit::Some,
            (true, true) if self.unclear.contains(&channel) => InTransit::Unknown,
            (true, true) => InTransit::None,
            _ => self.not_counted(job, from.slot, to.slot),
        }
    }

    /// Messages from one rank to another that nobody counts.
    fn not_counted(&self, job: &Job<'_>, from: Slot, to: Slot) -> InTransit {
        if self.fifos.are_empty(job, from, to) {
            InTransit::None
        } else if self.fifos.are_quiet(job, from, to) {
            InTransit::Quiet
        } else {
            InTransit::Unknown
        }
    }

    /// Messages from some ranks to another that nobody counts.
    fn of_all(&self, job: &Job<'_>, senders: impl Iterator<Item = Slot>, to: Slot) -> InTransit {
        let mut so_far = InTransit::None;
        for sender in senders {
            match self.not_counted(job, sender, to) {
                InTransit::None => {}
                InTransit::Quiet => so_far = InTransit::Quiet,
                other => return other,
            }
        }
        so_far
    }

    /// Are the messages from one rank to another on a communicator counted?
    pub(super) fn is_counted(&self, from: PartId, to: PartId) -> bool {
        self.known.contains(&from) && self.known.contains(&to)
    }

    /// Would a later message of the sender show? Queues in shared memory tell only what the sender
    /// sent before it was read.
    pub(super) fn tells_later(&self, job: &Job<'_>, from: PartId, message: OperationId) -> bool {
        self.is_counted(from, message.part)
            || self.fifos.are_at_rest(job, from.slot, message.slot())
    }

    /// Has all that one rank has sent to another arrived, because the sockets between them have
    /// carried nothing for a while?
    pub(super) fn is_quiet(&self, job: &Job<'_>, from: Slot, to: Slot) -> bool {
        self.fifos.are_quiet(job, from, to)
    }

    /// Does the answer to a message come at once, or must the sockets of both be watched? Nobody
    /// counts answers, and a network may hold one back for a while.
    pub(super) fn answers_soon(&self, job: &Job<'_>, sender: Slot, receiver: Slot) -> bool {
        fifos::are_on_one_host(job, sender, receiver) != Some(false)
            || self.is_quiet(job, receiver, sender)
    }

    /// Has all arrived that one rank has sent to another, whatever the communicator?
    pub(super) fn has_arrived(&self, job: &Job<'_>, from: Slot, to: Slot) -> bool {
        self.not_counted(job, from, to) != InTransit::Unknown
    }

    /// The ranks whose messages to a part of a communicator nobody counts any more, because they do
    /// not have it. What `to` says does not hold for them.
    pub(super) fn absent(&self, job: &Job<'_>, to: PartId) -> &[Slot] {
        let comm = job.comm(to);
        let is_counted = self.known.contains(&to) && job.comms[comm].peers == Peers::Own;
        self.absent[comm].as_deref().filter(|_| is_counted).unwrap_or_default()
    }

    /// Messages from any rank to one on a communicator.
    pub(super) fn to(&self, job: &Job<'_>, to: PartId) -> InTransit {
        let comm = job.comm(to);
        let peers = match job.comms[comm].peers {
            Peers::Own => comm,
            Peers::Other(other) => other,
            Peers::Hidden | Peers::Unclear => return InTransit::Unknown,
        };
        let is_complete =
            self.absent[peers].as_ref().is_some_and(|absent| absent.is_empty() || peers == comm);
        if !is_complete || !self.known.contains(&to) {
            let (members, all) = job.in_group(peers);
            let sends = |slot: &&_| job.members[**slot].presence != Presence::Ended;
            let senders = members.iter().filter(sends).copied();
            return match all {
                true => self.of_all(job, senders, to.slot),
                false => InTransit::Unknown,
            };
        }
        let differs = self.differs_to.contains(&(job.comms[comm].id, job.rank(to.slot)));
        if differs { InTransit::Some } else { InTransit::None }
    }
}

/// Adds the counts of a part. None if there are none, or if it is not known between whom they are.
fn count(job: &Job<'_>, id: PartId, counts: &mut FxHashMap<Channel, Counts>) -> Option<()> {
    let communicator = job.part(id).unique_id;
    let own = job.rank(id.slot);
    for entry in job.part(id).traffic.as_ref()? {
        let other = job.global(job.comm(id), entry.local_rank.into())?;
        if entry.sent != 0 {
            let channel = Channel { communicator, sender: own, receiver: other };
            let counts = counts.entry(channel).or_default();
            counts.sent = counts.sent.saturating_add(entry.sent);
        }
        if entry.received != 0 {
            let channel = Channel { communicator, sender: other, receiver: own };
            let counts = counts.entry(channel).or_default();
            counts.received = counts.received.saturating_add(entry.received);
        }
    }
    Some(())
}
