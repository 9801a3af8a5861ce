//! Puts jobs together that know each other, as by `MPI_Comm_spawn`: the ranks of a spawned job get
//! numbers after those of the job that has spawned it.
//!
//! Each process is read alone. It numbers the ranks of its own job from 0 on, and knows those of
//! other jobs by name. Together the names tell who is who.

use std::collections::{BTreeMap, HashMap};

use crate::model::{Communicator, JobIdentity, Names, Process, ProcessName, Queue};

/// Real jobs have fewer ranks.
const MOST_RANKS: i64 = 1 << 31;
/// No job spawns more.
const MOST_JOBS: usize = 1000;

/// A job of which processes were read.
struct Read {
    /// What orders the jobs: what their launcher calls them, then their number. Jobs are numbered
    /// on, so a longer name comes later.
    place: (Option<(usize, String)>, u64),
    number: u64,
    /// The number of the first rank in the processes as they were read.
    first: i64,
    size: i64,
    identity: Option<JobIdentity>,
}

/// Numbers the ranks of jobs that know each other as ranks of one job, in the processes and
/// wherever they name each other. Names of jobs that were not read stay.
pub fn unite(processes: &mut [&mut Process]) {
    let mut jobs = jobs(processes);
    if !jobs.is_empty() && jobs.len() <= MOST_JOBS {
        jobs.sort_by(|a, b| a.place.cmp(&b.place));
        let shifts = shifts(&jobs);
        for process in processes.iter_mut() {
            let Some(job) = process.names.as_ref().map(|names| names.own.job) else { continue };
            if let Some(shift) = shifts.get(&job).filter(|shift| **shift != 0) {
                renumber(process, *shift);
            }
        }
        let firsts: HashMap<u64, (i64, i64)> = jobs
            .iter()
            .map(|job| (job.number, (job.first + shifts[&job.number], job.size)))
            .collect();
        let identity = jobs.iter().find_map(|job| job.identity.clone());
        for process in processes.iter_mut() {
            let is_one = process.names.as_ref().is_some_and(|names| knows_another(names, &firsts));
            if is_one && process.job.is_some() {
                process.job.clone_from(&identity);
            }
            resolve(process, &firsts);
        }
    }
    // Nobody finds the counts at the other end without knowing whose they are.
    for process in processes.iter_mut() {
        let Process { names, communicators, .. } = &mut **process;
        for named in names.iter().flat_map(|names| &names.communicators) {
            if let Some(communicator) = communicators.get_mut(named.index) {
                communicator.traffic = None;
            }
        }
    }
}

/// The jobs of processes that know those of other jobs.
fn jobs(processes: &[&mut Process]) -> Vec<Read> {
    let mut found: BTreeMap<u64, Read> = BTreeMap::new();
    for process in processes {
        let (Some(names), Some(rank)) = (&process.names, process.rank) else { continue };
        let Some(world) = process.named("MPI_COMM_WORLD") else { continue };
        let is_possible = [rank, names.own.rank, world.size]
            .iter()
            .all(|number| (0..MOST_RANKS).contains(number));
        if !is_possible || rank < names.own.rank {
            continue;
        }
        let (number, first) = (names.own.job, rank - names.own.rank);
        let called = process.job.as_ref().map(|job| (job.name.len(), job.name.to_string()));
        found.entry(number).or_insert_with(|| Read {
            place: (called, number),
            number,
            first,
            size: world.size,
            identity: process.job.clone(),
        });
    }
    found.into_values().collect()
}

/// By how much the ranks of each job are to be moved, so that none has the number of another one.
fn shifts(jobs: &[Read]) -> HashMap<u64, i64> {
    let mut shifts = HashMap::new();
    let mut taken: Vec<(i64, i64)> = Vec::new();
    for job in jobs {
        let is_free = |first: i64| {
            taken.iter().all(|(other, end)| first + job.size <= *other || *end <= first)
        };
        let last = taken.iter().map(|(_, end)| *end).max().unwrap_or(0);
        let first = if is_free(job.first) { job.first } else { last };
        taken.push((first, first + job.size));
        shifts.insert(job.number, first - job.first);
    }
    shifts
}

/// Does a process name one of another job that was read?
fn knows_another(names: &Names, firsts: &HashMap<u64, (i64, i64)>) -> bool {
    let groups = names.communicators.iter().flat_map(|one| [&one.group, &one.peers]);
    let mut others = groups.flatten().flatten().filter(|name| name.job != names.own.job);
    others.any(|name| firsts.contains_key(&name.job))
}

/// Moves the ranks of a process's own job by `shift`, wherever they are named.
pub fn renumber(process: &mut Process, shift: i64) {
    let moved = |rank: i64| if rank >= 0 { rank.saturating_add(shift) } else { rank };
    process.rank = process.rank.map(moved);
    for fifo in process.fifos.iter_mut().flatten() {
        fifo.rank = fifo.rank.map(moved);
    }
    for communicator in &mut process.communicators {
        for group in [&mut communicator.group, &mut communicator.remote_group].into_iter().flatten()
        {
            *group = group.moved(shift);
        }
        for queue in Queue::ALL {
            for operation in communicator.queue_mut(queue) {
                operation.desired_global_rank = operation.desired_global_rank.map(moved);
                operation.actual_global_rank = operation.actual_global_rank.map(moved);
            }
        }
    }
}

/// Replaces the names of processes in jobs that were read by numbers.
fn resolve(process: &mut Process, firsts: &HashMap<u64, (i64, i64)>) {
    let Some(names) = process.names.take() else { return };
    let number = |name: &ProcessName| {
        let (first, size) = firsts.get(&name.job)?;
        (0..*size).contains(&name.rank).then_some(first + name.rank)
    };
    let numbers = |list: &Option<Vec<ProcessName>>| match list {
        None => Some(None),
        Some(list) => list.iter().map(number).collect::<Option<Vec<i64>>>().map(Some),
    };
    let mut left = Vec::new();
    for named in names.communicators {
        let communicator = process.communicators.get_mut(named.index);
        let (Some(communicator), Some(group), Some(peers)) =
            (communicator, numbers(&named.group), numbers(&named.peers))
        else {
            left.push(named);
            continue;
        };
        if let Some(group) = group {
            communicator.group = Some(group.into_iter().collect());
        }
        if let Some(peers) = peers {
            name_peers(communicator, &peers);
            // The peers of an intracommunicator are its group.
            if let Some(remote) = communicator.remote_group.as_mut().filter(|one| !one.is_empty()) {
                *remote = peers.into_iter().collect();
            }
        }
    }
    process.names = (!left.is_empty()).then_some(Names { own: names.own, communicators: left });
}

/// Gives the operations of a communicator the numbers of their peers.
fn name_peers(communicator: &mut Communicator, peers: &[i64]) {
    let peer = |local: i64| usize::try_from(local).ok().and_then(|local| peers.get(local)).copied();
    for queue in Queue::ALL {
        for operation in communicator.queue_mut(queue) {
            if let Some(rank) = peer(operation.desired_local_rank) {
                operation.desired_global_rank = Some(rank);
            }
            if let Some(rank) = operation.actual_local_rank.and_then(peer) {
                operation.actual_global_rank = Some(rank);
            }
        }
    }
}
