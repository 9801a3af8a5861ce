//! A message and its receive: is the buffer long enough, are the datatypes the same?

use rustc_hash::FxHashMap;

use super::super::matching::{Place, operation};
use super::super::words;
use super::{Alike, Certainty, Finding, Kind, Look, Severity};
use crate::model::{Address, Operation, Queue, Status};

/// A message: communicator, sender's and receiver's rank, tag.
type Envelope = (Address, i64, i64, i64);

pub(super) fn find(look: &Look<'_>) -> Vec<Finding> {
    let mut findings = truncated(look);
    findings.extend(mismatched(look));
    findings
}

/// Receives that have matched a message which is longer than their buffer.
fn truncated(look: &Look<'_>) -> Vec<Finding> {
    let job = &look.job;
    let mut alike = Alike::new();
    each(look, Queue::Receives, |(slot, index, _), receive, _| {
        let Some(length) = receive
            .actual_length
            .filter(|length| receive.status != Status::Pending && *length > receive.desired_length)
        else {
            return;
        };
        // A probe has no buffer.
        if receive.extra_text.iter().any(|line| line.starts_with("waits for a message")) {
            return;
        }
        let (tag, peer, on) = (
            words::tag(receive),
            words::peer(job, slot, index, receive),
            words::part(job.part(slot, index)),
        );
        let room = receive.desired_length;
        let rank = job.member(slot).rank;
        alike.add(format!("{tag} {on} {length} {room}"), rank, || {
            (
                rank,
                format!(
                    "rank {rank} receives a message of {length} bytes with {tag} from {peer} on \
                     {on} into a buffer of {room} bytes"
                ),
            )
        });
    });
    let told = alike.groups().map(|(ranks, (first, text))| {
        let advice = "the receive fails with MPI_ERR_TRUNCATE: give it a buffer as long as the \
                      message, or ask for the length first (MPI_Probe, MPI_Get_count)";
        let text = super::with_others(text, &ranks, first);
        super::finding(Kind::Truncation, Severity::Error, Certainty::Certain, ranks, text, advice)
    });
    told.collect()
}

/// Messages whose sender and receiver have given different datatypes.
fn mismatched(look: &Look<'_>) -> Vec<Finding> {
    let job = &look.job;
    // Only where one send and one receive have this envelope: which message is which is certain
    // then.
    let mut receives: FxHashMap<Envelope, Option<Place>> = FxHashMap::default();
    each(look, Queue::Receives, |place, receive, peer| {
        if let (true, Some(tag)) = (receive.status != Status::Pending, receive.actual_tag) {
            let envelope =
                (job.part(place.0, place.1).unique_id, peer, job.member(place.0).rank, tag);
            receives.entry(envelope).and_modify(|other| *other = None).or_insert(Some(place));
        }
    });
    let mut sends: FxHashMap<Envelope, Option<Place>> = FxHashMap::default();
    if !receives.is_empty() {
        each(look, Queue::Sends, |place, send, peer| {
            let envelope = (
                job.part(place.0, place.1).unique_id,
                job.member(place.0).rank,
                peer,
                send.desired_tag.unwrap_or_default(),
            );
            sends.entry(envelope).and_modify(|other| *other = None).or_insert(Some(place));
        });
    }
    let mut alike = Alike::new();
    let mut pairs: Vec<(Place, Place)> = receives
        .into_iter()
        .filter_map(|(envelope, receive)| Some((receive?, (*sends.get(&envelope)?)?)))
        .collect();
    pairs.sort_unstable();
    for (receive_at, send_at) in pairs {
        let (receive, send) =
            (operation(job, Queue::Receives, receive_at), operation(job, Queue::Sends, send_at));
        if send.status != Status::Matched || receive.actual_length != Some(send.desired_length) {
            continue;
        }
        let (Some(sent), Some(received)) = (datatype(send), datatype(receive)) else { continue };
        if !differ(sent, received) {
            continue;
        }
        let (sender, receiver) = (job.member(send_at.0).rank, job.member(receive_at.0).rank);
        let (tag, on) = (words::tag(send), words::part(job.part(send_at.0, send_at.1)));
        alike.add(format!("{tag} {on} {sent} {received}"), receiver, || {
            (
                receiver,
                format!(
                    "rank {sender} sends {sent}, and rank {receiver} receives it as {received}: \
                     message with {tag} on {on}"
                ),
            )
        });
    }
    let told = alike.groups().map(|(ranks, (first, text))| {
        let advice = "the datatypes of a message have to be the same on both sides (MPI_BYTE and \
                      MPI_PACKED aside)";
        let text = super::with_others(text, &ranks, first);
        super::finding(
            Kind::DatatypeMismatch,
            Severity::Error,
            Certainty::Certain,
            ranks,
            text,
            advice,
        )
    });
    told.collect()
}

/// The datatype of an operation's elements, by its name; the debug DLL tells `4 x MPI_INT`.
fn datatype(operation: &Operation) -> Option<&str> {
    operation.extra_text.iter().find_map(|line| {
        let (count, name) = line.split_once(" x ")?;
        count.parse::<u64>().ok().map(|_| name)
    })
}

/// Are these predefined datatypes that may not meet? Of others the names say nothing.
fn differ(one: &str, other: &str) -> bool {
    const ALIKE: [&[&str]; 5] = [
        &["MPI_LONG_LONG", "MPI_LONG_LONG_INT"],
        &["MPI_COMPLEX", "MPI_C_FLOAT_COMPLEX", "MPI_C_COMPLEX"],
        &["MPI_DOUBLE_COMPLEX", "MPI_C_DOUBLE_COMPLEX"],
        &["MPI_INT32_T", "MPI_INTEGER4"],
        &["MPI_INT64_T", "MPI_INTEGER8"],
    ];
    let predefined = |name: &str| name.starts_with("MPI_");
    let untyped = |name: &str| matches!(name, "MPI_BYTE" | "MPI_PACKED");
    let alike = ALIKE.iter().any(|names| names.contains(&one) && names.contains(&other));
    one != other
        && predefined(one)
        && predefined(other)
        && !untyped(one)
        && !untyped(other)
        && !alike
}

fn each(look: &Look<'_>, queue: Queue, mut visit: impl FnMut(Place, &Operation, i64)) {
    let job = &look.job;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datatypes_that_may_not_meet() {
        assert!(differ("MPI_INT", "MPI_FLOAT"));
        assert!(!differ("MPI_INT", "MPI_INT"));
        assert!(!differ("MPI_INT", "MPI_BYTE"));
        assert!(!differ("MPI_LONG_LONG", "MPI_LONG_LONG_INT"));
        // A datatype of the program's may consist of anything.
        assert!(!differ("MPI_INT", "triple"));
    }
}
