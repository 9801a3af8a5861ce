//! A message and its receive: is the buffer long enough, are the datatypes the same?

use rustc_hash::FxHashMap;

use super::alike::{Alike, with_others};
use crate::check::analysis::Analysis;
use crate::check::diagnosis::{Certainty, Finding, FindingKind, Severity};
use crate::check::ids::{OperationId, Rank, Tag};
use crate::check::job::Job;
use crate::check::words;
use crate::model::{Address, Queue, Status};

/// What a message is matched by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Envelope {
    communicator: Address,
    sender: Rank,
    receiver: Rank,
    tag: Tag,
}

/// Operations by their envelopes; none if several have the same.
type Unique = FxHashMap<Envelope, Option<OperationId>>;

pub(super) fn find(analysis: &Analysis<'_>) -> Vec<Finding> {
    let mut findings = truncated(analysis);
    findings.extend(mismatched(analysis));
    findings
}

/// Receives that have matched a message which is longer than their buffer.
fn truncated(analysis: &Analysis<'_>) -> Vec<Finding> {
    let job = &analysis.job;
    let mut alike = Alike::new();
    job.each_operation(Queue::Receives, |id, receive, _| {
        let Some(length) = receive
            .actual_length
            .filter(|length| receive.status != Status::Pending && *length > receive.desired_length)
        else {
            return;
        };
        // A probe has no buffer.
        if receive.is_internal() || receive.is_probe() {
            return;
        }
        let (tag, peer) = (words::tag(receive), words::peer(job, id.part, receive));
        let on = words::part(job, id.part);
        let room = receive.desired_length;
        let rank = job.rank(id.slot());
        alike.add(format!("{tag} {on} {length} {room}"), rank, || {
            let text = format!(
                "rank {rank} receives a message of {length} bytes with {tag} from {peer} on {on} \
                 into a buffer of {room} bytes"
            );
            (rank, text)
        });
    });
    let advice = "the receive fails with MPI_ERR_TRUNCATE: give it a buffer as long as the \
                  message, or query the length first (MPI_Probe, MPI_Get_count)";
    tell(alike, FindingKind::Truncation, advice)
}

/// Messages whose sender and receiver have given different datatypes.
fn mismatched(analysis: &Analysis<'_>) -> Vec<Finding> {
    let job = &analysis.job;
    let mut alike = Alike::new();
    for (send_id, receive_id) in certain_pairs(job) {
        let send = job.operation(Queue::Sends, send_id);
        let receive = job.operation(Queue::Receives, receive_id);
        if send.status != Status::Matched || receive.actual_length != Some(send.desired_length) {
            continue;
        }
        let (Some(sent), Some(received)) = (send.datatype(), receive.datatype()) else { continue };
        if !differ(sent, received) {
            continue;
        }
        let (sender, receiver) = (job.rank(send_id.slot()), job.rank(receive_id.slot()));
        let (tag, on) = (words::tag(send), words::part(job, send_id.part));
        alike.add(format!("{tag} {on} {sent} {received}"), receiver, || {
            let text = format!(
                "rank {sender} sends {sent}, and rank {receiver} receives {received}: \
                 a message with {tag} on {on}"
            );
            (receiver, text)
        });
    }
    let advice = "use the same datatypes on both sides of a message, except for MPI_BYTE and \
                  MPI_PACKED";
    tell(alike, FindingKind::DatatypeMismatch, advice)
}

/// Matched sends and receives of one message, in the order of the receives. A pair is certain only
/// if exactly one send and one receive have its envelope.
fn certain_pairs(job: &Job<'_>) -> Vec<(OperationId, OperationId)> {
    let mut receives = Unique::default();
    job.each_operation(Queue::Receives, |id, receive, peer| {
        if let (Some(sender), Some(tag)) = (peer.rank(), receive.actual_tag)
            && receive.status != Status::Pending
        {
            let communicator = job.part(id.part).unique_id;
            let receiver = job.rank(id.slot());
            keep(&mut receives, Envelope { communicator, sender, receiver, tag: tag.into() }, id);
        }
    });
    if receives.is_empty() {
        return Vec::new();
    }
    let mut sends = Unique::default();
    job.each_operation(Queue::Sends, |id, send, peer| {
        if let Some(receiver) = peer.rank() {
            let communicator = job.part(id.part).unique_id;
            let (sender, tag) = (job.rank(id.slot()), send.desired_tag.unwrap_or_default().into());
            keep(&mut sends, Envelope { communicator, sender, receiver, tag }, id);
        }
    });
    let mut pairs: Vec<(OperationId, OperationId)> = receives
        .into_iter()
        .filter_map(|(envelope, receive)| Some(((*sends.get(&envelope)?)?, receive?)))
        .collect();
    pairs.sort_unstable_by_key(|(send, receive)| (*receive, *send));
    pairs
}

fn keep(unique: &mut Unique, envelope: Envelope, id: OperationId) {
    unique.entry(envelope).and_modify(|other| *other = None).or_insert(Some(id));
}

fn tell(alike: Alike<(Rank, String)>, kind: FindingKind, advice: &str) -> Vec<Finding> {
    let told = alike.groups().map(|(ranks, (first, text))| {
        let text = with_others(text, &ranks, first);
        Finding::new(kind, Severity::Error, Certainty::Certain, ranks, text, advice)
    });
    told.collect()
}

/// Are these two predefined datatypes that must not match? The names of other datatypes say
/// nothing.
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
