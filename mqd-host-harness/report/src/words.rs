//! Names, counts and times of a report as text.

use std::time::{Duration, SystemTime};

use crate::escape::printable;
use crate::model::{Activity, Calls, Communicator, Frame, Operation, Process, Queue, Status};

pub(crate) fn name(communicator: &Communicator) -> String {
    if communicator.name.is_empty() {
        format!("unnamed {}", communicator.unique_id)
    } else {
        printable(&communicator.name)
    }
}

/// How close to one instant a job on several hosts was read.
pub(crate) fn spread(milliseconds: u64) -> String {
    format!("Processes of several hosts were read, all within {milliseconds} ms")
}

pub(crate) fn short_title(process: &Process) -> String {
    match (process.rank, process.pid, &process.core) {
        (Some(rank), ..) => format!("rank {rank}"),
        (None, _, Some(core)) => printable(core),
        (None, Some(pid), None) => format!("pid {pid}"),
        (None, None, None) => "a process".to_owned(),
    }
}

/// `rank 2`, with the rank in `MPI_COMM_WORLD` if that is another one.
pub(crate) fn rank_text(local: i64, global: Option<i64>) -> String {
    match global {
        Some(global) if global == local => format!("rank {local}"),
        Some(global) => format!("rank {local} (world {global})"),
        None => format!("rank {local} (world ?)"),
    }
}

/// `to rank 2`, `from ANY_SOURCE`.
pub(crate) fn peer_text(queue: Queue, operation: &Operation) -> String {
    match (queue, operation.desired_local_rank) {
        (Queue::Sends, rank) => format!("to {}", rank_text(rank, operation.desired_global_rank)),
        (_, -1) => "from ANY_SOURCE".to_owned(),
        (_, rank) => format!("from {}", rank_text(rank, operation.desired_global_rank)),
    }
}

/// `tag 7`, `tag ANY_TAG`.
pub(crate) fn tag_text(operation: &Operation) -> String {
    operation.desired_tag.map_or("tag ANY_TAG".to_owned(), |tag| format!("tag {tag}"))
}

/// A length in bytes; a large one also in a larger unit.
pub(crate) fn bytes(length: i64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let exact = format!("{length} byte{}", if length == 1 { "" } else { "s" });
    let mut scaled = length as f64;
    let mut unit = None;
    for name in UNITS {
        if scaled < 1024.0 {
            break;
        }
        scaled /= 1024.0;
        unit = Some(name);
    }
    match unit {
        None => exact,
        Some(unit) if scaled.fract() == 0.0 => format!("{exact} ({scaled:.0} {unit})"),
        Some(unit) => format!("{exact} ({scaled:.1} {unit})"),
    }
}

/// How many operations a queue has in all these processes, and whether it was read everywhere. A
/// queue that was not read is never said to be empty.
pub(crate) fn total<'a>(processes: impl IntoIterator<Item = &'a Process>, queue: Queue) -> String {
    let (mut number, mut complete, mut known) = (0, 0, true);
    for communicator in processes.into_iter().flat_map(|process| &process.communicators) {
        let operations = communicator.queue(queue);
        number += operations.len();
        complete += completed(operations, queue);
        known &= !communicator.not_known.contains(&queue);
    }
    match known {
        true => numbers(number, complete, queue),
        false if number == 0 => format!("{} not known", queue.plural_name()),
        false => format!("at least {}", numbers(number, complete, queue)),
    }
}

/// How many operations a queue has: those that are pending, and those that are complete and that
/// the program has not asked for.
pub(crate) fn counted(operations: &[Operation], queue: Queue) -> String {
    numbers(operations.len(), completed(operations, queue), queue)
}

fn completed(operations: &[Operation], queue: Queue) -> usize {
    let complete = |operation: &&Operation| operation.status == Status::Complete;
    match queue {
        Queue::Unexpected => 0,
        _ => operations.iter().filter(complete).count(),
    }
}

fn numbers(number: usize, complete: usize, queue: Queue) -> String {
    let one = match queue {
        Queue::Sends => "pending send",
        Queue::Receives => "pending receive",
        Queue::Unexpected => "unexpected message",
    };
    let pending = count(number - complete, one, queue.plural_name());
    if complete == 0 { pending } else { format!("{pending} (and {complete} complete)") }
}

pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// An operation in a line: `send to rank 1, ring, tag 7, 4 bytes`.
pub(crate) fn describe(communicator: &Communicator, queue: Queue, operation: &Operation) -> String {
    let what = match queue {
        Queue::Sends => "send",
        Queue::Receives => "receive",
        Queue::Unexpected => "unexpected message",
    };
    let (peer, tag) = (peer_text(queue, operation), tag_text(operation));
    format!("{what} {peer}, {}, {tag}, {}", name(communicator), length_text(operation))
}

/// The length of an operation.
pub(crate) fn length_text(operation: &Operation) -> String {
    operation.length().map_or_else(|| "length not known".to_owned(), bytes)
}

/// What a process is doing, in words.
pub(crate) fn doing(activity: &Activity) -> String {
    activity
        .function
        .as_deref()
        .map_or("in no MPI call".to_owned(), |function| format!("in {}", printable(function)))
}

/// What a process is doing, in words, by what the debug DLL says or else by its call stacks: `in
/// MPI_Recv, called from exchange (halo.c:87)`.
pub(crate) fn doing_where(process: &Process) -> String {
    let place = place(process.called_from());
    let is_between = process.activity.as_ref().is_some_and(|activity| activity.between_calls);
    let (doing, place) = match calls(process) {
        Calls::Function(function) if is_between => (
            format!("between two calls of {}", printable(function)),
            place.map(|place| format!(", in {place}")),
        ),
        Calls::Function(function) => (
            format!("in {}", printable(function)),
            place.map(|place| format!(", called from {place}")),
        ),
        Calls::Nothing => ("in no MPI call".to_owned(), place.map(|place| format!(": in {place}"))),
        Calls::NotKnown => {
            ("activity in MPI not known".to_owned(), place.map(|place| format!("; in {place}")))
        }
    };
    doing + &place.unwrap_or_default()
}

/// Which MPI call a process is in, as far as the debug DLL or its stacks tell. The DLL may name
/// only calls that wait; the stack also shows those that move data, such as `MPI_Put`.
pub(crate) fn calls(process: &Process) -> Calls<'_> {
    let named = process.activity.as_ref().map(|activity| activity.function.as_deref());
    match (named, process.calls()) {
        (Some(Some(function)), _) => Calls::Function(function),
        (Some(None), Calls::NotKnown) => Calls::Nothing,
        (_, by_stack) => by_stack,
    }
}

/// The innermost of some frames; if its line is not known, also the first one whose line is:
/// `write+0x14 (libc.so.6), called from log (log.c:12)`.
pub(crate) fn place(frames: &[Frame]) -> Option<String> {
    let first = frames.first()?;
    let with_line = || frames.iter().find(|frame| frame.line.is_some());
    let outer = if first.line.is_some() { None } else { with_line() };
    Some(match outer {
        Some(outer) => format!("{}, called from {}", frame(first), frame(outer)),
        None => frame(first),
    })
}

/// A frame in words: `exchange (halo.c:87)`, `exchange+0x1f (solver)`.
pub(crate) fn frame(frame: &Frame) -> String {
    let Frame { function, file, line, offset, module, address, .. } = frame;
    let function = function.as_deref().map_or_else(|| address.to_string(), printable);
    match (file, line, module) {
        (Some(file), Some(line), _) => {
            let file = file.rsplit('/').next().unwrap_or(file);
            format!("{function} ({}:{line})", printable(file))
        }
        (None, Some(line), _) => format!("{function} (line {line})"),
        (_, None, module) => {
            let offset = offset.map(|offset| format!("+{offset:#x}")).unwrap_or_default();
            let module = module.as_deref().map(|module| format!(" ({})", printable(module)));
            format!("{function}{offset}{}", module.unwrap_or_default())
        }
    }
}

/// A frame in a word: `halo.c:87`, `exchange+0x1f`.
#[cfg(feature = "graph")]
pub(crate) fn short_place(known: &Frame) -> String {
    match (&known.file, known.line) {
        (Some(file), Some(line)) => {
            format!("{}:{line}", printable(file.rsplit('/').next().unwrap_or(file)))
        }
        _ => frame(&Frame { module: None, ..known.clone() }),
    }
}

/// `2026-11-22 02:13:20 UTC`.
pub(crate) fn time_text(at: SystemTime) -> String {
    jiff::Timestamp::try_from(at)
        .map_or_else(|_| "at an unknown time".to_owned(), |at| at.strftime("%F %T UTC").to_string())
}

/// `2.5 s`, `4 min 10 s`.
pub fn duration_text(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..=9 => format!("{:.1} s", duration.as_secs_f64()),
        10..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}
