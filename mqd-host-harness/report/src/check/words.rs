//! Findings in words.

use super::diagnosis::Wait;
use super::functions::{is_of_windows, plain};
use super::ids::{OperationId, PartId, Position, Slot};
use super::job::{Job, peer_in_communicator};
use super::list::Id;
use super::ranks::Ranks;
use super::waits::{Alternative, Awaited, Target, Waits};
use crate::model::{Address, Operation, Queue};

/// `rank 3`, `ranks 0-3,7`.
pub(super) fn ranks(ranks: &Ranks) -> String {
    format!("rank{} {ranks}", if ranks.len() == 1 { "" } else { "s" })
}

/// The same as the subject of a sentence, with the form of the verb that fits.
pub(super) fn subject(of: &Ranks, one: &str, many: &str) -> String {
    format!("{} {}", ranks(of), if of.len() == 1 { one } else { many })
}

/// A communicator's name.
pub(super) fn name(id: Address, name: &str) -> String {
    if name.is_empty() { format!("communicator {id}") } else { format!("`{name}`") }
}

/// The name of a process's communicator. Messages of the library's own are on one of the program.
pub(super) fn part(job: &Job<'_>, part: PartId) -> String {
    let part = job.part(job.of_program(part));
    name(part.unique_id, &part.name)
}

/// The tag of a message, or of those that a receive takes.
pub(super) fn tag(operation: &Operation) -> String {
    match operation.actual_tag.or(operation.desired_tag) {
        Some(tag) => format!("tag {tag}"),
        None => "any tag".to_owned(),
    }
}

/// The rank in `MPI_COMM_WORLD` of an operation's peer. Its rank in the communicator is added if it
/// differs.
pub(super) fn peer(job: &Job<'_>, part: PartId, operation: &Operation) -> String {
    let local = peer_in_communicator(operation);
    match job.peer(part, operation).map(|peer| peer.rank()) {
        Some(None) => "any rank".to_owned(),
        Some(Some(global)) if global.get() == local.get() => format!("rank {global}"),
        Some(Some(global)) => format!("rank {global} (local rank {local})"),
        None => format!("local rank {local}"),
    }
}

/// What a rank waits for, in words. `on`: the ranks that it waits for, in a collective operation.
fn wait_text(job: &Job<'_>, slot: Slot, awaited: Awaited, on: &Ranks) -> String {
    let rank = job.rank(slot);
    let function = job.members[slot].function().map(plain);
    let waits = match (function, awaited) {
        (Some(function), _) => format!("rank {rank} waits in {function}"),
        (None, Awaited::Operation { queue: Queue::Sends, .. }) => {
            format!("rank {rank} has a pending send, which waits")
        }
        (None, _) => format!("rank {rank} has a posted receive, which waits"),
    };
    match awaited {
        Awaited::Operation { part: index, queue, position } => {
            let id = PartId { slot, index };
            let operation = job.operation(queue, OperationId { part: id, position });
            let (tag, peer, on) = (tag(operation), peer(job, id, operation), part(job, id));
            match queue {
                _ if operation.is_generalized() => {
                    format!("{waits} for itself to complete a generalized request")
                }
                _ if operation.is_internal() => format!("{waits} on {on} for {peer}"),
                _ if operation.lacks_partitions() => format!(
                    "{waits} for itself: it has not declared all partitions of its send to {peer} \
                     with {tag} on {on} ready (MPI_Pready)"
                ),
                Queue::Sends if operation.is_partitioned() => {
                    format!("{waits} for {peer} to take the partitions with {tag} on {on}")
                }
                _ if operation.is_partitioned() => {
                    format!("{waits} for the partitions with {tag} from {peer} on {on}")
                }
                Queue::Sends if !peer_in_communicator(operation).is_process() => {
                    format!("{waits} for an unknown rank to receive its message")
                }
                Queue::Sends => {
                    format!("{waits} for {peer} to receive its message with {tag} on {on}")
                }
                _ => format!("{waits} for a message with {tag} from {peer} on {on}"),
            }
        }
        Awaited::Collective { part: index, function: collective } => {
            let communicator = part(job, PartId { slot, index });
            let in_it = match function {
                Some(function) if function == collective.name() => String::new(),
                _ => format!(", in {},", collective.name()),
            };
            format!("{waits}{in_it} on {communicator} for {} to call it too", ranks(on))
        }
        Awaited::Probe => {
            format!("{waits} for a message, on a communicator that no queue shows")
        }
        Awaited::Window { .. } => {
            let others: Ranks = on.iter().filter(|other| *other != rank.get()).collect();
            let function = job.members[slot].function().unwrap_or_default();
            let of_window = is_of_windows(function);
            let what = if of_window { " on the window" } else { "" };
            format!("{waits} for {} to act{what}", ranks(&others))
        }
        Awaited::Threads => format!(
            "rank {rank} waits outside MPI, where each of its threads waits for another thread of \
             the process"
        ),
    }
}

/// A wait as the diagnosis has it.
pub(super) fn wait(job: &Job<'_>, slot: Slot, alternative: &Alternative, on: Ranks) -> Wait {
    let (index, queue, position) = match alternative.awaited {
        Awaited::Operation { part, queue, position } => (Some(part), Some(queue), Some(position)),
        Awaited::Collective { part, .. } | Awaited::Window { part } => (Some(part), None, None),
        Awaited::Probe | Awaited::Threads => (None, None, None),
    };
    let communicator = index.map(|index| job.part(PartId { slot, index }));
    Wait {
        rank: job.rank(slot).get(),
        function: job.members[slot].function().map(str::to_owned),
        communicator: communicator.map(|communicator| communicator.unique_id),
        communicator_name: communicator.map(|one| one.name.to_string()).unwrap_or_default(),
        queue,
        index: position.map(Position::index),
        text: wait_text(job, slot, alternative.awaited, &on),
        on,
    }
}

/// What waits have in common that differ only in their ranks.
pub(super) fn likeness(job: &Job<'_>, slot: Slot, alternative: Option<&Alternative>) -> String {
    let awaited = match alternative.map(|alternative| alternative.awaited) {
        Some(Awaited::Operation { part: index, queue, position }) => {
            let part = PartId { slot, index };
            let operation = job.operation(queue, OperationId { part, position });
            let of_it = if operation.is_internal() { String::new() } else { tag(operation) };
            format!("{} {queue:?} {of_it}", job.part(job.of_program(part)).name)
        }
        Some(Awaited::Collective { part: index, function }) => {
            format!("{} {}", job.part(PartId { slot, index }).name, function.name())
        }
        Some(Awaited::Probe | Awaited::Window { .. } | Awaited::Threads) | None => String::new(),
    };
    format!("{} {awaited}", job.members[slot].function().unwrap_or_default())
}

/// The ranks that an alternative waits for, of those that count.
pub(super) fn targets(
    job: &Job<'_>,
    waits: &Waits,
    target: Target,
    counts: impl Fn(Slot) -> bool,
) -> Ranks {
    let counted = |slots: &mut dyn Iterator<Item = Slot>| {
        Ranks::of(slots.filter(|slot| counts(*slot)).map(|slot| job.rank(slot)))
    };
    match target {
        Target::Rank(slot) => Ranks::of([job.rank(slot)]),
        Target::Any(comm) => counted(&mut waits.members(comm).iter().copied()),
        Target::All { round, calls } => counted(&mut waits.round(round).behind(calls)),
    }
}
