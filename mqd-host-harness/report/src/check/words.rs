//! Findings in words.

use mqs_abi::extensions::COLLECTIVES;

use super::Ranks;
use super::diagnosis::Wait;
use super::functions::plain;
use super::job::Job;
use super::waits::{Alternative, Target, Waits, What};
use crate::model::{Communicator, Operation, Queue};

/// `rank 3`, `ranks 0-3,7`.
pub(super) fn ranks(ranks: &Ranks) -> String {
    format!("rank{} {ranks}", if ranks.len() == 1 { "" } else { "s" })
}

/// The same as the subject of a sentence, with the fitting one of two verbs.
pub(super) fn subject(of: &Ranks, one: &str, many: &str) -> String {
    format!("{} {}", ranks(of), if of.len() == 1 { one } else { many })
}

/// The number of things.
pub(super) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// A communicator's name.
pub(super) fn name(id: crate::model::Address, name: &str) -> String {
    if name.is_empty() { format!("communicator {id}") } else { format!("`{name}`") }
}

/// The name of a process's communicator.
pub(super) fn part(part: &Communicator) -> String {
    name(part.unique_id, &part.name)
}

/// The tag of a message, or of those that a receive takes.
pub(super) fn tag(operation: &Operation) -> String {
    match operation.actual_tag.or(operation.desired_tag) {
        Some(tag) => format!("tag {tag}"),
        None => "any tag".to_owned(),
    }
}

/// The rank in `MPI_COMM_WORLD` of an operation's peer, with that in the communicator where it is
/// another one.
pub(super) fn peer(job: &Job<'_>, slot: u32, index: u32, operation: &Operation) -> String {
    let local = operation.actual_local_rank.unwrap_or(operation.desired_local_rank);
    match job.peer(slot, index, operation) {
        Some(-1) => "any rank".to_owned(),
        Some(global) if global == local => format!("rank {global}"),
        Some(global) => format!("rank {global} (rank {local} in there)"),
        None => format!("its rank {local}"),
    }
}

/// What a rank waits for, in words. `on`: for whom, in a collective operation.
fn wait_text(job: &Job<'_>, slot: u32, what: What, on: &Ranks) -> String {
    let member = job.member(slot);
    let rank = member.rank;
    let function =
        member.process.activity.as_ref().and_then(|activity| activity.function.as_deref());
    let waits = match (function, what) {
        (Some(function), _) => format!("rank {rank} waits in {}", plain(function)),
        (None, What::Operation(_, Queue::Sends, _)) => {
            format!("rank {rank} has a pending send, which waits")
        }
        (None, _) => format!("rank {rank} has a pending receive, which waits"),
    };
    match what {
        What::Operation(index, queue, place) => {
            let communicator = job.part(slot, index);
            let operation = &communicator.queue(queue)[place as usize];
            let (tag, peer, on) =
                (tag(operation), peer(job, slot, index, operation), part(communicator));
            match queue {
                Queue::Sends => {
                    format!("{waits} for {peer} to receive its message with {tag} on {on}")
                }
                _ => format!("{waits} for a message with {tag} from {peer} on {on}"),
            }
        }
        What::Collective(index, number) => {
            let communicator = part(job.part(slot, index));
            let in_it = match function.map(plain) {
                Some(function) if function == COLLECTIVES[number] => String::new(),
                _ => format!(", in {},", COLLECTIVES[number]),
            };
            format!(
                "{waits}{in_it} on {communicator} for {}",
                subject(on, "to call it too", "to call it too")
            )
        }
    }
}

/// A wait as the diagnosis has it.
pub(super) fn wait(job: &Job<'_>, slot: u32, alternative: &Alternative, on: Ranks) -> Wait {
    let member = job.member(slot);
    let (index, queue, place) = match alternative.what {
        What::Operation(index, queue, place) => (index, Some(queue), Some(place as usize)),
        What::Collective(index, _) => (index, None, None),
    };
    let communicator = job.part(slot, index);
    Wait {
        rank: member.rank,
        function: member.process.activity.as_ref().and_then(|activity| activity.function.clone()),
        communicator: Some(communicator.unique_id),
        communicator_name: communicator.name.clone(),
        queue,
        index: place,
        text: wait_text(job, slot, alternative.what, &on),
        on,
    }
}

/// What waits have in common that look the same but for the ranks.
pub(super) fn likeness(job: &Job<'_>, slot: u32, alternative: Option<&Alternative>) -> String {
    let function = job
        .member(slot)
        .process
        .activity
        .as_ref()
        .and_then(|activity| activity.function.as_deref());
    let what = match alternative.map(|alternative| alternative.what) {
        Some(What::Operation(index, queue, place)) => {
            let communicator = job.part(slot, index);
            let operation = &communicator.queue(queue)[place as usize];
            format!("{} {queue:?} {}", communicator.name, tag(operation))
        }
        Some(What::Collective(index, number)) => format!("{} {number}", job.part(slot, index).name),
        None => String::new(),
    };
    format!("{} {what}", function.unwrap_or_default())
}

/// The ranks that an alternative waits for, of those that count.
pub(super) fn targets(
    job: &Job<'_>,
    waits: &Waits,
    alternative: &Alternative,
    counts: impl Fn(u32) -> bool,
) -> Ranks {
    let rank = |slot: u32| job.member(slot).rank;
    match alternative.target {
        None => Ranks::default(),
        Some(Target::Rank(slot)) => Ranks::from(rank(slot)),
        Some(Target::Any(comm)) => {
            waits.members(comm).iter().copied().filter(|slot| counts(*slot)).map(rank).collect()
        }
        Some(Target::All(comm, function, calls)) => {
            waits.behind(comm, function, calls).filter(|slot| counts(*slot)).map(rank).collect()
        }
    }
}
