//! Matching by MPI's rules, across processes: which unexpected message is which pending send, and
//! which receives could take what is on its way.

use rustc_hash::{FxHashMap, FxHashSet};

use super::job::{Job, Presence};
use crate::model::{Address, Operation, Queue, Status};

/// A place in a queue: slot, index of the communicator, index in the queue.
pub(super) type Place = (u32, u32, u32);

/// Where the message of a pending send is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whereabouts {
    /// At its receiver, unexpected: this one. Until a receive takes it the send is pending.
    /// `surely`: no other send can be meant.
    Unexpected { message: Place, surely: bool },
    /// Not there: it is on its way, or a receive has taken it just now.
    Moving,
    /// The receiver's queue is not known.
    Unknown,
    /// The receiver has ended.
    Nowhere,
}

/// What all the queues say together.
pub(super) struct Matching {
    /// Of each pending send.
    sends: FxHashMap<Place, Whereabouts>,
    /// Pending receives that some message fits which is not in the hands of its receiver yet, or
    /// which the library is about to match.
    served: FxHashSet<Place>,
}

/// Key of messages of one sender to one receiver: receiver's slot, communicator, sender's rank,
/// tag.
type Envelope = (u32, Address, i64, i64);

/// Stands for MPI_ANY_TAG; `MPI_ANY_SOURCE` is -1 as in the report.
const ANY_TAG: i64 = i64::MIN;

impl Matching {
    pub(super) fn new(job: &Job<'_>) -> Matching {
        let mut matching = Matching { sends: FxHashMap::default(), served: FxHashSet::default() };
        let receives = Receives::new(job);
        let mut held: FxHashMap<Envelope, Vec<Place>> = FxHashMap::default();
        each(job, Queue::Unexpected, |place, operation, peer| {
            let (slot, id) = (place.0, job.part(place.0, place.1).unique_id);
            let tag = operation.actual_tag.or(operation.desired_tag).unwrap_or_default();
            receives.taking(slot, id, peer, tag, |receive| {
                matching.served.insert(receive);
            });
            if holds_sender(operation) != Some(false) {
                held.entry((slot, id, peer, tag)).or_default().push(place);
            }
        });
        let mut sends: FxHashMap<Envelope, Vec<Place>> = FxHashMap::default();
        each(job, Queue::Sends, |place, operation, peer| {
            if operation.status != Status::Pending {
                return;
            }
            let Some(receiver) = job.slot(peer) else {
                matching.sends.insert(place, Whereabouts::Unknown);
                return;
            };
            match job.member(receiver).presence {
                Presence::Ended => {
                    matching.sends.insert(place, Whereabouts::Nowhere);
                }
                Presence::Unread | Presence::Partial => {
                    matching.sends.insert(place, Whereabouts::Unknown);
                }
                Presence::Read => {
                    let tag = operation.desired_tag.unwrap_or_default();
                    let id = job.part(place.0, place.1).unique_id;
                    matching.sends.insert(place, Whereabouts::Moving);
                    if may_be_held(operation) {
                        sends
                            .entry((receiver, id, job.member(place.0).rank, tag))
                            .or_default()
                            .push(place);
                    }
                }
            }
        });
        for (envelope, sends) in sends {
            let Some(messages) = held.get(&envelope) else { continue };
            // Messages of one envelope are received in the order they were sent: the last ones are
            // those that are there.
            let marked = messages.iter().all(|message| {
                holds_sender(operation(job, Queue::Unexpected, *message)) == Some(true)
            });
            let surely = marked
                && (sends.len() == messages.len()
                    || sends.iter().all(|send| {
                        holds_sender(operation(job, Queue::Sends, *send)) == Some(true)
                    }));
            for (send, message) in sends.iter().rev().zip(messages.iter().rev()) {
                let length = |queue, place| {
                    let operation = operation(job, queue, place);
                    operation.actual_length.unwrap_or(operation.desired_length)
                };
                if length(Queue::Sends, *send) != length(Queue::Unexpected, *message) {
                    break;
                }
                matching.sends.insert(*send, Whereabouts::Unexpected { message: *message, surely });
            }
        }
        each(job, Queue::Sends, |place, operation, peer| {
            if matching.sends.get(&place) == Some(&Whereabouts::Moving)
                && let Some(receiver) = job.slot(peer)
            {
                let (id, from) = (job.part(place.0, place.1).unique_id, job.member(place.0).rank);
                let tag = operation.desired_tag.unwrap_or_default();
                receives.taking(receiver, id, from, tag, |receive| {
                    matching.served.insert(receive);
                });
            }
        });
        matching
    }

    /// Where the message of a pending send is.
    pub(super) fn whereabouts(&self, send: Place) -> Whereabouts {
        self.sends.get(&send).copied().unwrap_or(Whereabouts::Moving)
    }

    /// Is there a message for a pending receive that only has to come in, or to be matched?
    pub(super) fn is_served(&self, receive: Place) -> bool {
        self.served.contains(&receive)
    }
}

/// The operation at a place.
pub(super) fn operation<'a>(
    job: &Job<'a>,
    queue: Queue,
    (slot, index, place): Place,
) -> &'a Operation {
    &job.part(slot, index).queue(queue)[place as usize]
}

/// All operations of a queue whose peer is known.
fn each(job: &Job<'_>, queue: Queue, mut visit: impl FnMut(Place, &Operation, i64)) {
    for (slot, member) in (0..).zip(&job.members) {
        for (index, part) in (0..).zip(&member.process.communicators) {
            for (place, operation) in (0..).zip(part.queue(queue)) {
                if let Some(peer) = job.peer(slot, index, operation) {
                    visit((slot, index, place), operation, peer);
                }
            }
        }
    }
}

/// The pending receives of all ranks, by what they take. Probes are among them: they wait like
/// receives.
struct Receives {
    by_key: FxHashMap<Envelope, Vec<Place>>,
}

impl Receives {
    fn new(job: &Job<'_>) -> Receives {
        let mut by_key: FxHashMap<Envelope, Vec<Place>> = FxHashMap::default();
        each(job, Queue::Receives, |place, operation, peer| {
            if operation.status == Status::Pending {
                let tag = if operation.tag_wild {
                    ANY_TAG
                } else {
                    operation.desired_tag.unwrap_or(ANY_TAG)
                };
                by_key
                    .entry((place.0, job.part(place.0, place.1).unique_id, peer, tag))
                    .or_default()
                    .push(place);
            }
        });
        Receives { by_key }
    }

    /// The receives that could take a message.
    fn taking(
        &self,
        receiver: u32,
        id: Address,
        from: i64,
        tag: i64,
        mut visit: impl FnMut(Place),
    ) {
        for (source, tag) in [(from, tag), (-1, tag), (from, ANY_TAG), (-1, ANY_TAG)] {
            self.by_key
                .get(&(receiver, id, source, tag))
                .into_iter()
                .flatten()
                .for_each(|place| visit(*place));
        }
    }
}

/// Does the sender of a message, or a send, stay pending until a receive takes it? None if that is
/// not known.
pub(super) fn holds_sender(operation: &Operation) -> Option<bool> {
    let has = |text: &str| operation.extra_text.iter().any(|line| line == text);
    if has("send mode: synchronous")
        || has("protocol: rendezvous")
        || call(operation).is_some_and(|call| call.to_lowercase().contains("ssend"))
    {
        return Some(true);
    }
    has("protocol: eager").then_some(false)
}

/// Can a pending send be one whose message is at its receiver? A buffered one lets its sender go on
/// in any case.
fn may_be_held(send: &Operation) -> bool {
    !send.system_buffer && holds_sender(send) != Some(false)
}

/// The MPI function that made an operation.
pub(super) fn call(operation: &Operation) -> Option<&str> {
    operation.extra_text.first().map(String::as_str).filter(|line| line.starts_with("MPI_"))
}
