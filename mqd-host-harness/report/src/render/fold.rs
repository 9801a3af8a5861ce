//! What is left out of text for people in large jobs: processes that read alike are one, and long
//! queues have a line for each peer or for all of them.

use std::collections::HashMap;

use crate::model::{Address, Communicator, Operation, Process, Queue, Stack};

/// In jobs with more processes than this, those that read alike are shown as one.
pub(super) const PROCESSES: usize = 16;

/// Processes that read alike.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// Their indices in the report. The first one stands for all.
    pub(super) members: Vec<usize>,
    /// Are their peers alike only as seen from each: the next rank, the one before?
    pub(super) relative: bool,
}

/// Groups of processes that read alike, in the order of their first members.
pub(super) fn groups(processes: &[Process]) -> Vec<Group> {
    let by = |relative: bool, indices: &[usize]| {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        for index in indices {
            let group = *known.entry(key(&processes[*index], relative)).or_insert(groups.len());
            if group == groups.len() {
                groups.push(Vec::new());
            }
            groups[group].push(*index);
        }
        groups
    };
    let all: Vec<usize> = (0..processes.len()).collect();
    let (several, single): (Vec<_>, Vec<_>) =
        by(false, &all).into_iter().partition(|group| group.len() > 1);
    let single: Vec<usize> = single.into_iter().flatten().collect();
    let several = several.into_iter().map(|members| Group { members, relative: false });
    let others = by(true, &single).into_iter();
    let others = others.map(|members| Group { relative: members.len() > 1, members });
    let mut groups: Vec<Group> = several.chain(others).collect();
    groups.sort_by_key(|group| group.members[0]);
    groups
}

/// What the text of a process depends on, without what distinguishes it from others, such as its
/// rank.
fn key(process: &Process, relative: bool) -> String {
    let stacks = process.stacks.is_some().then(|| vec![place(process)]);
    let alike = Process {
        rank: None,
        pid: None,
        host: None,
        job: None,
        core: None,
        fifos: None,
        stacks,
        communicators: process
            .communicators
            .iter()
            .map(|communicator| without_names(communicator, relative))
            .collect(),
        ..process.clone()
    };
    serde_json::to_string(&alike).unwrap_or_default()
}

/// Where a process is in the program.
fn place(process: &Process) -> Stack {
    let mut frames = process.called_from().to_vec();
    frames.iter_mut().for_each(|frame| frame.address = Address::default());
    let in_mpi = process.stack().and_then(|stack| stack.in_mpi);
    Stack { thread: 0, in_mpi, complete: true, frames, returns_to: None }
}

fn without_names(communicator: &Communicator, relative: bool) -> Communicator {
    let operations = |queue: Queue| -> Vec<Operation> {
        let operations = communicator.queue(queue).iter();
        operations
            .map(|operation| Operation {
                desired_local_rank: match distance(communicator, operation).filter(|_| relative) {
                    Some(distance) => distance,
                    None => operation.desired_local_rank,
                },
                desired_global_rank: None,
                actual_local_rank: operation.actual_local_rank.filter(|_| !relative),
                actual_global_rank: None,
                buffer: Address::default(),
                ..operation.clone()
            })
            .collect()
    };
    Communicator {
        unique_id: Address::default(),
        local_rank: 0,
        group: None,
        traffic: None,
        pending_sends: operations(Queue::Sends),
        pending_receives: operations(Queue::Receives),
        unexpected_messages: operations(Queue::Unexpected),
        ..communicator.clone()
    }
}

/// The distance from this process to the peer in the communicator, modulo its size.
fn distance(communicator: &Communicator, operation: &Operation) -> Option<i64> {
    let Communicator { size, local_rank, .. } = communicator;
    let peer = operation.desired_local_rank;
    ((0..*size).contains(&peer)).then(|| (peer - local_rank).rem_euclid(*size))
}

/// The peer as seen from a process: `r+1`, `r-1`, `r`.
pub(super) fn peer(communicator: &Communicator, operation: &Operation) -> Option<String> {
    let distance = distance(communicator, operation)?;
    Some(match communicator.size - distance {
        _ if distance == 0 => "r".to_owned(),
        before if before < distance => format!("r-{before}"),
        _ => format!("r+{distance}"),
    })
}
