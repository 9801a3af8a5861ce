//! Receives that wait while a message is there which they would take but for its tag, rank or
//! communicator.

use rustc_hash::FxHashMap;

use super::super::matching::{Place, operation};
use super::super::waits::{Doing, Stuck, What};
use super::super::words;
use super::{Alike, Certainty, Finding, Kind, Look, Severity};
use crate::model::{Address, Queue, Status};

/// How a message misses a receive; the clearest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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

/// Unexpected messages by parts of their envelopes; the first of each is enough.
#[derive(Default)]
struct Messages {
    /// Receiver, sender's rank, tag.
    anywhere: FxHashMap<(u32, i64, i64), Vec<Place>>,
    /// Receiver, communicator, sender's rank.
    any_tag: FxHashMap<(u32, Address, i64), Vec<Place>>,
    /// Receiver, communicator, tag.
    any_rank: FxHashMap<(u32, Address, i64), Vec<Place>>,
    /// Receiver, tag.
    by_tag: FxHashMap<(u32, i64), Vec<Place>>,
    /// Communicator, sender's rank, tag.
    elsewhere: FxHashMap<(Address, i64, i64), Vec<Place>>,
}

/// Of messages that look the same a few are kept.
const KEPT: usize = 16;

/// Near misses of ranks that are stuck, and of those that poll.
pub(super) fn find(look: &Look<'_>, stuck: &Stuck, certainty: Certainty) -> Vec<Finding> {
    let job = &look.job;
    let wanted: Vec<Place> =
        (0..job.members.len() as u32).flat_map(|slot| receives(look, stuck, slot)).collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let messages = Messages::new(look);
    let mut alike = Alike::new();
    for place in wanted {
        let Some((miss, message)) = messages.nearest(look, place) else { continue };
        let receive = operation(job, Queue::Receives, place);
        let text = tell(look, place, miss, message);
        let rank = job.member(place.0).rank;
        let is_stuck = stuck.slots[place.0 as usize];
        let likeness = format!(
            "{miss:?} {is_stuck} {} {}",
            words::tag(receive),
            job.part(place.0, place.1).name
        );
        alike.add(likeness, rank, || (rank, text, miss, is_stuck));
    }
    let told = alike.groups().map(|(ranks, (first, text, miss, is_stuck))| {
        let severity = if is_stuck { Severity::Warning } else { Severity::Note };
        let certainty = if is_stuck { certainty } else { Certainty::Suspected };
        let advice = match miss {
            Miss::OtherTag | Miss::TagOffByOne => "compare the tags of the send and of the receive",
            Miss::OtherCommunicator | Miss::OtherRankAndCommunicator => {
                "send and receive on the same communicator"
            }
            Miss::Swapped => "compare the order of the arguments: the rank comes before the tag",
            Miss::OtherRank | Miss::RankOffByOne => {
                "compare the source of the receive with the rank that sends"
            }
            Miss::OtherReceiver => {
                "compare the destination of the send with the rank that receives"
            }
        };
        super::finding(
            Kind::NearMiss,
            severity,
            certainty,
            ranks.clone(),
            super::with_others(text, &ranks, first),
            advice,
        )
    });
    told.collect()
}

/// The receives that a rank waits for, each once.
fn receives(look: &Look<'_>, stuck: &Stuck, slot: u32) -> Vec<Place> {
    if stuck.slots[slot as usize] {
        let waits = look.waits.alternatives(slot).iter().filter(|wait| wait.target.is_some());
        let places = waits.filter_map(|wait| match wait.what {
            What::Operation(index, Queue::Receives, place) => Some((slot, index, place)),
            _ => None,
        });
        return places.collect();
    }
    if look.waits.ranks[slot as usize].doing != Doing::Tests {
        return Vec::new();
    }
    let parts = (0..).zip(&look.job.member(slot).process.communicators);
    let pending = parts.flat_map(|(index, part)| {
        let pending = (0..)
            .zip(&part.pending_receives)
            .filter(|(_, receive)| receive.status == Status::Pending);
        pending.map(move |(place, _)| (slot, index, place))
    });
    pending.collect()
}

impl Messages {
    fn new(look: &Look<'_>) -> Messages {
        let job = &look.job;
        let mut messages = Messages::default();
        for (slot, member) in (0..).zip(&job.members) {
            for (index, part) in (0..).zip(&member.process.communicators) {
                for (place, message) in (0..).zip(&part.unexpected_messages) {
                    let Some(from) = job.peer(slot, index, message) else { continue };
                    let Some(tag) = message.actual_tag.or(message.desired_tag) else { continue };
                    let (at, id) = ((slot, index, place), part.unique_id);
                    keep(&mut messages.anywhere, (slot, from, tag), at);
                    keep(&mut messages.any_tag, (slot, id, from), at);
                    keep(&mut messages.any_rank, (slot, id, tag), at);
                    keep(&mut messages.by_tag, (slot, tag), at);
                    keep(&mut messages.elsewhere, (id, from, tag), at);
                }
            }
        }
        messages
    }

    /// The message that misses a receive by the least.
    fn nearest(&self, look: &Look<'_>, receive_at: Place) -> Option<(Miss, Place)> {
        let job = &look.job;
        let receive = operation(job, Queue::Receives, receive_at);
        let (slot, id) = (receive_at.0, job.part(receive_at.0, receive_at.1).unique_id);
        let from = job.peer(slot, receive_at.1, receive)?;
        let local = receive.desired_local_rank;
        let id_of = |place: &Place| job.part(place.0, place.1).unique_id;
        let tag_of = |place: &Place| operation(job, Queue::Unexpected, *place).actual_tag;
        let sender_of = |place: &Place| operation(job, Queue::Unexpected, *place).actual_local_rank;
        let mut found: Vec<(Miss, Place)> = Vec::new();
        if let Some(tag) = receive.desired_tag {
            found.extend(
                at(&self.anywhere, (slot, from, tag))
                    .find(|place| id_of(place) != id)
                    .map(|place| (Miss::OtherCommunicator, place)),
            );
            if from >= 0 {
                let same = at(&self.any_tag, (slot, id, from));
                found.extend(same.map(|place| {
                    let off_by_one = tag_of(&place).is_some_and(|other| (other - tag).abs() == 1);
                    (if off_by_one { Miss::TagOffByOne } else { Miss::OtherTag }, place)
                }));
                let same = at(&self.any_rank, (slot, id, tag));
                found.extend(same.map(|place| {
                    let off_by_one =
                        sender_of(&place).is_some_and(|other| (other - local).abs() == 1);
                    (if off_by_one { Miss::RankOffByOne } else { Miss::OtherRank }, place)
                }));
                // The tag of the one is the rank of the other.
                let swapped = at(&self.any_rank, (slot, id, local))
                    .find(|place| sender_of(place) == Some(tag));
                found.extend(swapped.map(|place| (Miss::Swapped, place)));
                found.extend(
                    at(&self.elsewhere, (id, from, tag))
                        .find(|place| place.0 != slot)
                        .map(|place| (Miss::OtherReceiver, place)),
                );
            } else {
                found.extend(self.nearest_of_anybody(look, receive_at));
            }
            found.extend(
                at(&self.by_tag, (slot, tag))
                    .find(|place| id_of(place) != id)
                    .map(|place| (Miss::OtherRankAndCommunicator, place)),
            );
        }
        found.into_iter().min()
    }

    /// For a receive from any source: a message on its communicator with another tag.
    fn nearest_of_anybody(
        &self,
        look: &Look<'_>,
        (slot, index, place): Place,
    ) -> Option<(Miss, Place)> {
        let part = look.job.part(slot, index);
        let tag = part.pending_receives[place as usize].desired_tag?;
        let messages = (0..).zip(&part.unexpected_messages).take(KEPT);
        let misses = messages.filter_map(|(place, message)| {
            let other = message.actual_tag?;
            Some((
                if (other - tag).abs() == 1 { Miss::TagOffByOne } else { Miss::OtherTag },
                (slot, index, place),
            ))
        });
        misses.min()
    }
}

fn keep<K: std::hash::Hash + Eq>(map: &mut FxHashMap<K, Vec<Place>>, key: K, place: Place) {
    let places = map.entry(key).or_default();
    if places.len() < KEPT {
        places.push(place);
    }
}

fn at<K: std::hash::Hash + Eq>(
    map: &FxHashMap<K, Vec<Place>>,
    key: K,
) -> impl Iterator<Item = Place> + '_ {
    map.get(&key).into_iter().flatten().copied()
}

fn tell(look: &Look<'_>, receive_at: Place, miss: Miss, message_at: Place) -> String {
    let job = &look.job;
    let receive = operation(job, Queue::Receives, receive_at);
    let message = operation(job, Queue::Unexpected, message_at);
    let rank = job.member(receive_at.0).rank;
    let on = words::part(job.part(receive_at.0, receive_at.1));
    let waits = format!(
        "rank {rank} waits for {} from {} on {on}",
        words::tag(receive),
        words::peer(job, receive_at.0, receive_at.1, receive)
    );
    let sender = words::peer(job, message_at.0, message_at.1, message);
    let tag = words::tag(message);
    match miss {
        Miss::OtherReceiver => {
            format!(
                "{waits}; {sender} has sent {tag} on {on} to rank {} instead",
                job.member(message_at.0).rank
            )
        }
        Miss::OtherCommunicator | Miss::OtherRankAndCommunicator => {
            format!(
                "{waits}; {sender} has sent it {tag} on {}",
                words::part(job.part(message_at.0, message_at.1))
            )
        }
        _ => format!("{waits}; {sender} has sent it {tag} on {on}"),
    }
}
