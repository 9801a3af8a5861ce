//! Whether a table shows what the program knows: `mqd dump` reads the processes with this table
//! alone, and the result is compared.

use std::path::Path;
use std::process::{Command, Stdio};

use mqd_report::{Communicator, Operation as Shown, ProblemKind, Process, Queue, Report, Status};

use super::known::{Comm, CommKind, Kind, Known, Operation};
use crate::tables::DIRECTORY_VARIABLE;

/// Makes the debug DLL use no other table than those in the user's directory.
const ONLY_VARIABLE: &str = "MQD_LAYOUT_ONLY";
/// Makes it show the library's own operations, too.
const INTERNAL_VARIABLE: &str = "MQD_INTERNAL";

/// How a table fails.
#[derive(Debug)]
pub(super) enum Failure {
    /// The cells of shared memory cannot be counted with it, and the rest is right.
    Cells,
    /// Something else, for people.
    Wrong(String),
}

fn wrong(what: impl Into<String>) -> Failure {
    Failure::Wrong(what.into())
}

/// Reads processes with the table that is in a directory, and compares what is shown with what
/// they know. `cells`: the table says where the cells of shared memory are.
pub(super) fn verify(
    mqd: &Path,
    directory: &Path,
    (pids, known): (&[u32], &[Known]),
    cells: bool,
) -> Result<(), Failure> {
    let mut command = Command::new(mqd);
    command.args(["dump", "--format", "json", "--pid"]).args(pids.iter().map(u32::to_string));
    command.env(DIRECTORY_VARIABLE, directory).env(ONLY_VARIABLE, "1");
    command.env_remove(INTERNAL_VARIABLE).stdin(Stdio::null());
    let done = command.output().map_err(|why| wrong(format!("mqd dump cannot be run: {why}")))?;
    let Ok(report) = Report::from_json(&done.stdout) else {
        let said = String::from_utf8_lossy(&done.stderr).trim_end().to_owned();
        return Err(wrong(format!("mqd dump reads nothing: {said}")));
    };
    let mut counted = true;
    for known in known {
        let rank = known.rank;
        let is_it = |process: &&Process| process.pid == pids.get(rank).copied();
        let process = report.processes.iter().find(is_it);
        let process = process.ok_or_else(|| wrong(format!("rank {rank} is not shown")))?;
        compare(known, process)
            .map_err(|what| wrong(format!("rank {rank}, pid {}: {what}", pids[rank])))?;
        // All stand still, so all cells are free.
        let fifos = process.fifos.as_deref();
        counted &=
            fifos.is_some_and(|all| !all.is_empty() && all.iter().all(|one| one.elements == 0));
    }
    if cells && !counted { Err(Failure::Cells) } else { Ok(()) }
}

/// What is wrong with a process, for people.
fn compare(known: &Known, process: &Process) -> Result<(), String> {
    // What can never be seen is an error of the queues, and what must be there is compared.
    if let Some(problem) = process.errors.iter().find(|one| one.kind != ProblemKind::Queues) {
        return Err(problem.text.clone());
    }
    if process.communicators.is_empty() {
        let text = process.errors.first().map(|one| one.text.clone());
        return Err(text.unwrap_or_else(|| "no communicator is shown".to_owned()));
    }
    if process.rank != i64::try_from(known.rank).ok() {
        return Err(format!("its rank is shown as {:?}", process.rank));
    }
    for (place, comm) in known.comms.iter().enumerate() {
        let mut found = process.communicators.iter().filter(|one| *one.name == *comm.name);
        let (Some(shown), None) = (found.next(), found.next()) else {
            return Err(format!("the communicator `{}` is not shown once", comm.name));
        };
        communicator(comm, shown)?;
        for queue in Queue::ALL {
            // A queue without operations is not known where a network may have some.
            if queue != Queue::Sends || !shown.not_known.contains(&queue) {
                queues(known, place, queue, shown)?;
            }
        }
    }
    let is_of_program =
        |one: &&Communicator| !known.comms.iter().any(|comm| *comm.name == *one.name);
    for other in process.communicators.iter().filter(is_of_program) {
        if other.operations() > 0 {
            return Err(format!("`{}` is shown with operations and has none", other.name));
        }
    }
    Ok(())
}

fn communicator(comm: &Comm, shown: &Communicator) -> Result<(), String> {
    let is = (shown.size, shown.local_rank);
    if is != (comm.size, comm.rank) {
        return Err(format!("`{}` is shown with size and rank {is:?}", comm.name));
    }
    let group: Option<Vec<i64>> = shown.group.as_ref().map(|group| group.iter().collect());
    if comm.kind != CommKind::Inter && group.as_ref() != Some(&comm.members) {
        return Err(format!("`{}` is shown with the ranks {group:?}", comm.name));
    }
    Ok(())
}

/// Compares the queue of a communicator: each operation, and their order.
fn queues(known: &Known, place: usize, queue: Queue, shown: &Communicator) -> Result<(), String> {
    let kinds = match queue {
        Queue::Receives => [Kind::Receive, Kind::OwnReceive],
        Queue::Unexpected => [Kind::Message, Kind::OwnMessage],
        Queue::Sends => [Kind::Send, Kind::OwnSend],
    };
    let mut wanted: Vec<Seen> = known
        .of(&kinds)
        .into_iter()
        .filter(|operation| operation.comm == place)
        .map(|operation| Seen::wanted(known, operation, queue))
        .collect();
    let mut seen: Vec<Seen> =
        shown.queue(queue).iter().map(|operation| Seen::shown(operation, queue)).collect();
    if queue == Queue::Sends {
        // They are in no order.
        wanted.sort();
        seen.sort();
    }
    if wanted == seen {
        return Ok(());
    }
    let (name, field) = (&shown.name, queue.field());
    Err(format!("`{name}`: {field} are shown as {seen:?}, and they are {wanted:?}"))
}

/// An operation as far as both sides know it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Seen {
    peer: i64,
    world_rank: Option<i64>,
    tag: Option<i64>,
    bytes: i64,
    is_pending: bool,
    /// That of a receive.
    buffer: Option<u64>,
}

impl Seen {
    fn wanted(known: &Known, operation: &Operation, queue: Queue) -> Seen {
        let is_any = operation.peer == known.any_source;
        let peer = if is_any { -1 } else { operation.peer };
        let member = |rank: i64| {
            known.comms[operation.comm].members.get(usize::try_from(rank).ok()?).copied()
        };
        Seen {
            peer,
            world_rank: if is_any { Some(-1) } else { member(peer) },
            tag: (operation.tag != known.any_tag).then_some(operation.tag),
            bytes: operation.bytes(),
            is_pending: true,
            buffer: (queue == Queue::Receives).then_some(operation.buffer),
        }
    }

    fn shown(operation: &Shown, queue: Queue) -> Seen {
        Seen {
            peer: operation.desired_local_rank,
            world_rank: operation.desired_global_rank,
            tag: operation.desired_tag,
            bytes: operation.desired_length,
            is_pending: operation.status == Status::Pending,
            buffer: (queue == Queue::Receives).then_some(operation.buffer.0),
        }
    }
}
