//! Receives that wait although a message is there that differs from what they want only in its tag,
//! rank or communicator.

use std::cell::LazyCell;

use rustc_hash::FxHashMap;

use super::alike::{Alike, with_others};
use crate::check::analysis::Analysis;
use crate::check::diagnosis::{Certainty, Finding, FindingKind, Severity};
use crate::check::ids::{OperationId, Peer, Rank, Slot, Tag};
use crate::check::list::{Lists, numbered};
use crate::check::waits::{Doing, Stuck};
use crate::check::words;
use crate::model::{Address, Operation, Queue, Status};

/// How a message misses a receive; the clearest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Miss {
    OtherCommunicator,
    Swapped,
    TagOffByOne,
    OtherTag,
    RankOffByOne,
    OtherRank,
    OtherReceiver,
    OtherRankAndCommunicator,
}

/// The unexpected messages of one rank by parts of their envelopes. A few of each are enough.
#[derive(Default)]
struct Messages {
    /// Sender, tag.
    anywhere: FxHashMap<(Rank, Tag), Vec<OperationId>>,
    /// Communicator, sender.
    any_tag: FxHashMap<(Address, Rank), Vec<OperationId>>,
    /// Communicator, tag.
    any_rank: FxHashMap<(Address, Tag), Vec<OperationId>>,
    /// Tag.
    by_tag: FxHashMap<Tag, Vec<OperationId>>,
}

/// The unexpected messages of all ranks by communicator, sender and tag. One of each receiver is
/// enough.
type Everywhere = Lists<(Address, Rank, Tag), OperationId>;

/// The most messages that are kept of those that look the same.
const KEPT: usize = 16;

/// What is told of the first of several near misses that look the same.
struct Told {
    rank: Rank,
    text: String,
    miss: Miss,
    is_stuck: bool,
}

/// Near misses of ranks that are stuck, and of those that poll.
pub(super) fn find(analysis: &Analysis<'_>, stuck: &Stuck, certainty: Certainty) -> Vec<Finding> {
    let job = &analysis.job;
    let everywhere = LazyCell::new(|| everywhere(analysis));
    let mut alike = Alike::new();
    for slot in job.members.ids() {
        let messages = LazyCell::new(|| Messages::of(analysis, slot));
        for id in receives(analysis, stuck, slot) {
            let Some((miss, message)) = messages.nearest(analysis, &everywhere, id) else {
                continue;
            };
            let is_stuck = stuck.slots[slot];
            let receive = job.operation(Queue::Receives, id);
            let tag = receive.actual_tag.or(receive.desired_tag);
            let likeness = (miss, is_stuck, tag, job.part(id.part).name.as_str());
            let rank = job.rank(slot);
            alike.add(likeness, rank, || {
                let text = tell(analysis, id, miss, message);
                Told { rank, text, miss, is_stuck }
            });
        }
    }
    let told = alike.groups().map(|(ranks, Told { rank, text, miss, is_stuck })| {
        let severity = if is_stuck { Severity::Warning } else { Severity::Note };
        // A rank may send the same to several others. The message that is missed may come later.
        let is_clear = is_stuck && miss != Miss::OtherReceiver;
        let certainty = if is_clear { certainty } else { Certainty::Suspected };
        let text = with_others(text, &ranks, rank);
        Finding::new(FindingKind::NearMiss, severity, certainty, ranks, text, advice(miss))
    });
    told.collect()
}

fn advice(miss: Miss) -> &'static str {
    match miss {
        Miss::OtherTag | Miss::TagOffByOne => "compare the tags of the send and of the receive",
        Miss::OtherCommunicator | Miss::OtherRankAndCommunicator => {
            "send and receive on the same communicator"
        }
        Miss::Swapped => "compare the order of the arguments: the rank comes before the tag",
        Miss::OtherRank | Miss::RankOffByOne => {
            "compare the source of the receive with the rank that sends"
        }
        Miss::OtherReceiver => "compare the destination of the send with the rank that receives",
    }
}

/// The receives that a rank waits for, each once. A stuck rank that waits for sends alone may have
/// posted the receives that were meant for the messages of others.
fn receives(analysis: &Analysis<'_>, stuck: &Stuck, slot: Slot) -> Vec<OperationId> {
    if stuck.slots[slot] {
        let own = |id: &OperationId| !analysis.job.operation(Queue::Receives, *id).is_internal();
        let awaited: Vec<OperationId> = awaited(analysis, slot).filter(own).collect();
        if !awaited.is_empty() || !waits_for_sends(analysis, slot) {
            return awaited;
        }
    } else if analysis.waits.ranks[slot].doing != Doing::Tests {
        return Vec::new();
    }
    let pending = analysis.job.parts(slot).flat_map(|(id, part)| {
        numbered(&part.pending_receives)
            .filter(|(_, receive)| receive.status == Status::Pending && !receive.is_internal())
            .map(move |(position, _)| OperationId { part: id, position })
    });
    pending.collect()
}

/// The receives among what a stuck rank waits for.
fn awaited(analysis: &Analysis<'_>, slot: Slot) -> impl Iterator<Item = OperationId> {
    let waits = analysis.waits.alternatives(slot).iter().filter(|wait| wait.target.is_some());
    waits
        .filter_map(move |wait| wait.awaited.operation(slot))
        .filter(|(queue, _)| *queue == Queue::Receives)
        .map(|(_, id)| id)
}

/// Does a rank wait for sends of the program, and for nothing else?
fn waits_for_sends(analysis: &Analysis<'_>, slot: Slot) -> bool {
    let waits = analysis.waits.alternatives(slot);
    !waits.is_empty()
        && waits.iter().all(|wait| match wait.awaited.operation(slot) {
            Some((Queue::Sends, id)) => !analysis.job.operation(Queue::Sends, id).is_internal(),
            _ => false,
        })
}

/// The tag of a message of the program.
fn tag_of(message: &Operation) -> Option<Tag> {
    let tag = message.actual_tag.or(message.desired_tag).map(Tag::from);
    tag.filter(|tag| !tag.is_internal())
}

fn everywhere(analysis: &Analysis<'_>) -> Everywhere {
    let job = &analysis.job;
    let mut everywhere = Everywhere::default();
    job.each_operation(Queue::Unexpected, |id, message, peer| {
        if let (Some(from), Some(tag)) = (peer.rank(), tag_of(message)) {
            let key = (job.part(id.part).unique_id, from, tag);
            if everywhere.last(&key).is_none_or(|last| last.slot() != id.slot()) {
                everywhere.push(key, id);
            }
        }
    });
    everywhere
}

impl Messages {
    fn of(analysis: &Analysis<'_>, slot: Slot) -> Messages {
        let job = &analysis.job;
        let mut messages = Messages::default();
        job.each_operation_of(slot, Queue::Unexpected, |id, message, peer| {
            if let (Some(from), Some(tag)) = (peer.rank(), tag_of(message)) {
                let communicator = job.part(id.part).unique_id;
                keep(&mut messages.anywhere, (from, tag), id);
                keep(&mut messages.any_tag, (communicator, from), id);
                keep(&mut messages.any_rank, (communicator, tag), id);
                keep(&mut messages.by_tag, tag, id);
            }
        });
        messages
    }

    /// The message that misses a receive by the least.
    fn nearest(
        &self,
        analysis: &Analysis<'_>,
        everywhere: &Everywhere,
        id: OperationId,
    ) -> Option<(Miss, OperationId)> {
        let job = &analysis.job;
        let receive = job.operation(Queue::Receives, id);
        let communicator = job.part(id.part).unique_id;
        let peer: Peer = job.peer(id.part, receive)?;
        let tag = receive.desired_tag?;
        let is_elsewhere = |message: &OperationId| job.part(message.part).unique_id != communicator;
        let mut found: Vec<(Miss, OperationId)> = Vec::new();
        match peer.rank() {
            Some(from) => {
                let other = at(&self.anywhere, (from, tag.into())).find(is_elsewhere);
                found.extend(other.map(|message| (Miss::OtherCommunicator, message)));
                self.same_communicator(analysis, id, receive, from, &mut found);
                let key = (communicator, from, tag.into());
                let other = everywhere.of(&key).find(|message| message.slot() != id.slot());
                found.extend(other.map(|message| (Miss::OtherReceiver, message)));
            }
            None => found.extend(nearest_from_any(analysis, id, tag)),
        }
        let other = at(&self.by_tag, tag.into()).find(is_elsewhere);
        found.extend(other.map(|message| (Miss::OtherRankAndCommunicator, message)));
        found.into_iter().min()
    }

    /// Messages on the communicator of a receive, for a receive from one rank with one tag.
    fn same_communicator(
        &self,
        analysis: &Analysis<'_>,
        id: OperationId,
        receive: &Operation,
        from: Rank,
        found: &mut Vec<(Miss, OperationId)>,
    ) {
        let job = &analysis.job;
        let communicator = job.part(id.part).unique_id;
        let local = receive.desired_local_rank;
        let Some(tag) = receive.desired_tag else { return };
        let actual_tag =
            |message: &OperationId| job.operation(Queue::Unexpected, *message).actual_tag;
        let sender_of =
            |message: &OperationId| job.operation(Queue::Unexpected, *message).actual_local_rank;
        let near = |one: Option<i64>, other: i64| one.is_some_and(|one| one.abs_diff(other) == 1);
        found.extend(at(&self.any_tag, (communicator, from)).map(|message| {
            let off_by_one = near(actual_tag(&message), tag);
            (if off_by_one { Miss::TagOffByOne } else { Miss::OtherTag }, message)
        }));
        found.extend(at(&self.any_rank, (communicator, tag.into())).map(|message| {
            let off_by_one = near(sender_of(&message), local);
            (if off_by_one { Miss::RankOffByOne } else { Miss::OtherRank }, message)
        }));
        // The tag of one is the rank of the other.
        let swapped = at(&self.any_rank, (communicator, local.into()))
            .find(|message| sender_of(message) == Some(tag));
        found.extend(swapped.map(|message| (Miss::Swapped, message)));
    }
}

/// For a receive from any source: a message on its communicator with another tag.
fn nearest_from_any(
    analysis: &Analysis<'_>,
    id: OperationId,
    tag: i64,
) -> Option<(Miss, OperationId)> {
    let messages = numbered(&analysis.job.part(id.part).unexpected_messages);
    let messages = messages.filter(|(_, message)| tag_of(message).is_some()).take(KEPT);
    let misses = messages.filter_map(|(position, message)| {
        let off_by_one = message.actual_tag?.abs_diff(tag) == 1;
        let miss = if off_by_one { Miss::TagOffByOne } else { Miss::OtherTag };
        Some((miss, OperationId { part: id.part, position }))
    });
    misses.min()
}

fn keep<K: std::hash::Hash + Eq>(
    map: &mut FxHashMap<K, Vec<OperationId>>,
    key: K,
    id: OperationId,
) {
    let ids = map.entry(key).or_default();
    if ids.len() < KEPT {
        ids.push(id);
    }
}

fn at<K: std::hash::Hash + Eq>(
    map: &FxHashMap<K, Vec<OperationId>>,
    key: K,
) -> impl Iterator<Item = OperationId> + '_ {
    map.get(&key).into_iter().flatten().copied()
}

fn tell(
    analysis: &Analysis<'_>,
    receive_id: OperationId,
    miss: Miss,
    message_id: OperationId,
) -> String {
    let job = &analysis.job;
    let receive = job.operation(Queue::Receives, receive_id);
    let message = job.operation(Queue::Unexpected, message_id);
    let on = words::part(job, receive_id.part);
    let is_posted = waits_for_sends(analysis, receive_id.slot());
    let waits = format!(
        "rank {} {} {} from {} on {on}",
        job.rank(receive_id.slot()),
        if is_posted { "has posted a receive of" } else { "waits for" },
        words::tag(receive),
        words::peer(job, receive_id.part, receive)
    );
    let sender = words::peer(job, message_id.part, message);
    let tag = words::tag(message);
    match miss {
        Miss::OtherReceiver => {
            let receiver = job.rank(message_id.slot());
            format!("{waits}; {sender} has sent {tag} on {on} to rank {receiver}")
        }
        Miss::OtherCommunicator | Miss::OtherRankAndCommunicator => {
            let there = words::part(job, message_id.part);
            format!("{waits}; {sender} has sent it {tag} on {there}")
        }
        _ => format!("{waits}; {sender} has sent it {tag} on {on}"),
    }
}
