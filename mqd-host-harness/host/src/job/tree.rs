//! The processes of a job whose launcher has no table (Open MPI 5's prterun, hydra without
//! symbols): those that it has started, directly or indirectly, and that have a rank in their
//! environment.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::Duration;

use super::clients;
use super::environment::{Environment, Membership, NAMESPACE, VARIABLES};
use super::life::{Stat, above, age, folder};
use super::programs::{is_helper, is_helper_of_mpich, is_launcher, is_shell};
use super::{Job, JobError, Member, Spawned, is_this_host};
use mqd_inspect::files::without_mark;
use mqd_report::{JobIdentity, Text};

/// A process under the launcher.
#[derive(Debug)]
struct Descendant {
    pid: u32,
    /// How many processes are between it and the launcher.
    depth: usize,
    environment: Environment,
}

/// The ranks under a launcher; `None` if there are none. `why` is the reason not to have asked its
/// table.
pub(super) fn members(launcher: u32, why: &JobError) -> Option<Job> {
    let started = descendants(launcher);
    let own = Environment::of(launcher);
    let (rank_name, size_name) = VARIABLES.into_iter().find(|(name, _)| {
        let values: BTreeSet<_> =
            started.iter().filter_map(|process| process.environment.get(name)).collect();
        // A variable that all have in common with the launcher does not come from the launcher.
        values.iter().any(|value| Some(*value) != own.get(name))
    })?;

    let mut ranks: BTreeMap<((usize, &str), i64), Vec<&Descendant>> = BTreeMap::new();
    for process in started.iter().filter(|process| !process.environment.is_spawned_by_hydra()) {
        let rank = process.environment.get(rank_name).and_then(|rank| rank.parse().ok());
        if let Some(rank) = rank.filter(|rank| *rank >= 0) {
            let job = process.environment.get(NAMESPACE).unwrap_or_default();
            ranks.entry((in_order(job), rank)).or_default().push(process);
        }
    }
    let jobs: BTreeSet<_> = ranks.keys().map(|(job, _)| *job).collect();
    // The daemon of `prun` starts jobs that know nothing of each other.
    let are_one = jobs.len() == 1 || has_one_job(launcher);
    let identity = ranks.values().flatten().find_map(|process| {
        let membership = process.environment.membership(process.pid)?;
        Some(membership.job).filter(|_| are_one)
    });
    let mut members = Vec::new();
    let mut size = Some(0);
    for job in &jobs {
        let spawned = match (&identity, size) {
            (Some(by), Some(first)) if first > 0 => Some(Spawned { first, by: by.clone() }),
            _ => None,
        };
        let first = spawned.as_ref().map_or(0, |spawned| spawned.first);
        let mut told = None;
        for ((_, rank), processes) in ranks.range((*job, i64::MIN)..=(*job, i64::MAX)) {
            let Some(process) = the_rank_itself(processes) else { continue };
            let spawned = spawned.clone();
            members.push(Member { spawned, ..member(first + rank, process.pid) });
            told = told.or_else(|| process.environment.get(size_name?)?.parse::<i64>().ok());
        }
        size = size.zip(told.filter(|_| are_one)).map(|(size, told)| size.saturating_add(told));
    }
    if members.is_empty() {
        return None;
    }

    let reason = match why {
        JobError::Empty { .. } => "has no processes in its table (MPIR_proctable)".to_owned(),
        JobError::Launcher(error) => {
            format!("cannot be asked for its table of processes ({error})")
        }
        _ => "keeps no table of processes (MPIR_proctable)".to_owned(),
    };
    let count = members.len();
    let mut remarks = vec![format!(
        "the launcher {launcher} {reason}: found {count} {} among the processes it has started, \
         by {rank_name} in their environment",
        if count == 1 { "rank" } else { "ranks" }
    )];
    if jobs.len() > 1 {
        let how = match are_one {
            true => "the spawned ranks get the next numbers",
            false => "their ranks are shown one job after the other",
        };
        remarks.push(format!(
            "process {launcher} has started {} jobs ({NAMESPACE}): {how}",
            jobs.len()
        ));
    }
    remarks.extend(not_read(launcher, &started, &members));
    let all_here = jobs.len() == 1 && all_started_here(launcher, &members);
    Some(Job { members, remarks, identity, size, elsewhere: clients::hosts(launcher), all_here })
}

/// Did a launcher of MPICH start all its ranks on this machine, and are the live ones all members?
/// Then the launcher has one child, its helper, which starts the ranks one right after the other.
/// Each child of the helper must be a member or lead to one. One that does not may be a rank that
/// hides itself, as in a container.
fn all_started_here(launcher: u32, members: &[Member]) -> bool {
    let mut tree = processes();
    let is_started = |member: &Member| age(member.pid).is_some_and(|age| age >= STARTING);
    let is_member = |pid: u32| members.iter().any(|member| member.pid == pid);
    let [(helper, name)] = &tree.remove(&launcher).unwrap_or_default()[..] else { return false };
    let children = tree.remove(helper).unwrap_or_default();
    let mut leads_to_member = |child: u32| {
        is_member(child) || below(child, &mut tree).iter().any(|one| is_member(one.pid))
    };
    is_helper_of_mpich(name)
        && members.iter().all(is_started)
        && children.iter().all(|(child, _)| leads_to_member(*child))
}

/// After this time, the other ranks of a host have been started, too.
const STARTING: Duration = Duration::from_secs(1);

/// The processes below a launcher that are ranks of other jobs than these members: those that
/// `MPI_Comm_spawn` has started. Their ranks are numbered after those of the members. With them
/// comes what there is to say of those that cannot be read.
pub(super) fn spawned(launcher: u32, members: &[Member]) -> (Vec<Member>, Option<String>) {
    let started = descendants(launcher);
    (numbered_on(launcher, &started, members), not_read(launcher, &started, members))
}

/// Those of them whose jobs have names.
fn numbered_on(launcher: u32, started: &[Descendant], members: &[Member]) -> Vec<Member> {
    let is_member = |process: &&Descendant| members.iter().any(|member| member.pid == process.pid);
    let ours: Vec<&Descendant> = started.iter().filter(is_member).collect();
    let own: BTreeSet<&str> =
        ours.iter().filter_map(|one| one.environment.get(NAMESPACE)).collect();
    let is_other = |process: &&Descendant| {
        let job = process.environment.get(NAMESPACE);
        let is_other = job.is_some_and(|job| !own.contains(job));
        is_other && process.environment.tells_mpi_rank() && has_mpi(process.pid)
    };
    let membership = |process: &Descendant| process.environment.membership(process.pid);
    // The members may all have ended. What they have left behind is no other job.
    let have_ended = ours.is_empty() && has_one_job(launcher);
    let is_other = |process: &&Descendant| {
        is_other(process)
            && !(have_ended && process.environment.get(NAMESPACE).is_some_and(is_first_of_orte))
    };
    let identity = match have_ended {
        true => started.iter().filter(is_other).find_map(membership),
        false => ours.iter().copied().find_map(membership).filter(|_| !own.is_empty()),
    };
    let Some(Membership { job: identity, .. }) = identity else { return Vec::new() };
    let mut jobs: BTreeMap<(usize, &str), Vec<(Membership, u32)>> = BTreeMap::new();
    for process in started.iter().filter(is_other) {
        let job = process.environment.get(NAMESPACE).unwrap_or_default();
        let membership = membership(process);
        let ranks = jobs.entry(in_order(job)).or_default();
        ranks.extend(membership.map(|membership| (membership, process.pid)));
    }
    let mut first = members.len() as i64;
    let mut found = Vec::new();
    for mut ranks in jobs.into_values() {
        ranks.sort_by_key(|(membership, pid)| (membership.rank, *pid));
        let last = ranks.last().map_or(0, |(membership, _)| membership.rank + 1);
        let size = ranks.iter().find_map(|(membership, _)| membership.job.size);
        found.extend(ranks.iter().map(|(membership, pid)| {
            let spawned = Some(Spawned { first, by: identity.clone() });
            Member { spawned, ..member(first + membership.rank, *pid) }
        }));
        first += size.unwrap_or(last).max(last);
    }
    found
}

/// Is this the name of the job that a launcher of Open MPI 4 was started for? It is a number, whose
/// last 16 bits count the jobs of the launcher.
fn is_first_of_orte(namespace: &str) -> bool {
    namespace.parse::<u32>().is_ok_and(|number| number & 0xffff == 1)
}

/// Is this a launcher of one job and of those that it spawns? The daemon that several commands use
/// is not.
fn has_one_job(launcher: u32) -> bool {
    let path = executable(launcher);
    let name = path.as_deref().and_then(|path| path.file_name()).and_then(|name| name.to_str());
    name.is_some_and(is_launcher)
}

/// What there is to say of processes that hydra has started for `MPI_Comm_spawn`, other than these
/// members. Nothing tells which of them are one job.
fn not_read(launcher: u32, started: &[Descendant], members: &[Member]) -> Option<String> {
    let is_member = |pid: u32| members.iter().any(|member| member.pid == pid);
    let spawned = started.iter().filter(|process| {
        process.environment.is_spawned_by_hydra() && !is_member(process.pid) && has_mpi(process.pid)
    });
    let pids: Vec<String> = spawned.map(|process| process.pid.to_string()).collect();
    (!pids.is_empty()).then(|| {
        format!(
            "the job has spawned {} not read: launcher {launcher} does not tell their ranks. Other \
             ranks may wait for them. To see them: mqd dump --pid {}",
            processes_that_are(pids.len()),
            pids.join(",")
        )
    })
}

/// `1 process that is`, `2 processes that are`.
pub(super) fn processes_that_are(number: usize) -> String {
    match number {
        1 => "1 process that is".to_owned(),
        number => format!("{number} processes that are"),
    }
}

/// The order of jobs by their names: the later ones have larger numbers in them.
fn in_order(namespace: &str) -> (usize, &str) {
    (namespace.len(), namespace)
}

/// The ranks on this machine of the jobs that `is_wanted` accepts, with what identifies the job, in
/// the order of the ranks.
pub(super) fn matching(is_wanted: impl Fn(&Environment, &Membership) -> bool) -> Vec<RankOfJob> {
    let mut ranks: BTreeMap<(Text, i64), (Membership, Vec<Descendant>)> = BTreeMap::new();
    for (pid, name) in processes().into_values().flatten() {
        if is_helper(&name) {
            continue;
        }
        let environment = Environment::of(pid);
        let Some(membership) = environment.membership(pid) else { continue };
        // Slurm numbers the processes of every step, also of one that only looks at the job.
        if !environment.tells_mpi_rank() && !has_mpi(pid) {
            continue;
        }
        if is_wanted(&environment, &membership) {
            let key = (membership.job.name.clone(), membership.rank);
            let process = Descendant { pid, depth: depth(pid), environment };
            ranks.entry(key).or_insert_with(|| (membership, Vec::new())).1.push(process);
        }
    }
    let ranks = ranks.into_values();
    let found = ranks.filter_map(|(Membership { rank, job }, processes)| {
        let process = the_rank_itself(&processes.iter().collect::<Vec<_>>())?;
        Some((member(rank, process.pid), job))
    });
    found.collect()
}

/// A rank, and the job that it belongs to.
pub(super) type RankOfJob = (Member, JobIdentity);

/// A rank of this machine.
pub(super) fn member(rank: i64, pid: u32) -> Member {
    let executable = executable(pid).map(|path| path.display().to_string());
    let executable = executable.unwrap_or_default();
    Member { rank, host: String::new(), executable, pid, spawned: None }
}

/// How many processes are above a process.
fn depth(pid: u32) -> usize {
    above(pid).count()
}

/// Has a launcher started this process, and does its environment say that it has this rank?
pub(super) fn is_rank_below(pid: u32, rank: i64, launcher: u32) -> bool {
    above(pid).any(|pid| pid == launcher)
        && Environment::of(pid).membership(pid).is_some_and(|one| one.rank == rank)
}

/// Chooses the rank among the processes that carry the same rank number. The others are a shell
/// around it, or processes that it has started.
fn the_rank_itself<'a>(processes: &[&'a Descendant]) -> Option<&'a Descendant> {
    let in_shell = |pid| {
        let name = executable(pid).and_then(|path| Some(path.file_name()?.to_str()?.to_owned()));
        name.is_some_and(|name| is_shell(&name))
    };
    let rating = |process: &Descendant| {
        (!has_mpi(process.pid), in_shell(process.pid), process.depth, process.pid)
    };
    processes.iter().copied().min_by_key(|process| rating(process))
}

/// Has the process loaded a shared MPI library (`libmpi*`)? Programs with MPI linked in are not
/// recognized.
fn has_mpi(pid: u32) -> bool {
    let maps = fs::read(folder(pid).join("maps")).unwrap_or_default();
    maps.split(|byte| *byte == b'\n').any(|line| {
        let file = line.rsplit(|byte| *byte == b'/').next().filter(|file| file.len() < line.len());
        file.is_some_and(|file| file.starts_with(b"libmpi"))
    })
}

/// The processes of this machine with their names, by their parents.
pub(super) fn processes() -> HashMap<u32, Vec<(u32, String)>> {
    let mut children: HashMap<u32, Vec<(u32, String)>> = HashMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        // It may end at any time.
        if let Some(stat) = Stat::of(pid).filter(|stat| !stat.has_ended()) {
            children.entry(stat.parent).or_default().push((pid, stat.name));
        }
    }
    children
}

/// Replaces the processes of a launcher's table that are no ranks themselves, such as a shell
/// around one. The rank is then the process below that has this number in its environment, and an
/// MPI library.
pub(super) fn look_into_wrappers(members: &mut [Member]) {
    let mut children = None;
    let here = members.iter_mut().filter(|member| is_this_host(&member.host) && member.pid != 0);
    for member in here.filter(|member| !has_mpi(member.pid)) {
        let below = below(member.pid, children.get_or_insert_with(processes));
        let is_it = |process: &&Descendant| {
            let membership = process.environment.membership(process.pid);
            membership.is_some_and(|one| one.rank == member.rank) && has_mpi(process.pid)
        };
        if let Some(rank) = the_rank_itself(&below.iter().filter(is_it).collect::<Vec<_>>()) {
            let Member { pid, executable, .. } = self::member(member.rank, rank.pid);
            (member.pid, member.executable) = (pid, executable);
        }
    }
}

/// The processes under a process, without helpers; those whose environment cannot be read have
/// none.
fn descendants(ancestor: u32) -> Vec<Descendant> {
    below(ancestor, &mut processes())
}

/// The same. `children` are the processes of this machine by their parents; those that are found
/// are taken out.
fn below(ancestor: u32, children: &mut HashMap<u32, Vec<(u32, String)>>) -> Vec<Descendant> {
    let mut found = walk(ancestor, children);
    found.retain(|(_, name, _)| !is_helper(name));
    let descendant = |(pid, _, depth)| Descendant { pid, depth, environment: Environment::of(pid) };
    found.into_iter().map(descendant).collect()
}

/// The same with helpers: process id, name, and how many processes are between.
pub(super) fn walk(
    ancestor: u32,
    children: &mut HashMap<u32, Vec<(u32, String)>>,
) -> Vec<(u32, String, usize)> {
    let mut found = Vec::new();
    let mut next = vec![(ancestor, 0)];
    while let Some((parent, depth)) = next.pop() {
        // Removed, so that reused process ids cannot form a cycle.
        for (pid, name) in children.remove(&parent).unwrap_or_default() {
            next.push((pid, depth + 1));
            found.push((pid, name, depth));
        }
    }
    found
}

fn executable(pid: u32) -> Option<PathBuf> {
    let path = fs::read_link(folder(pid).join("exe")).ok()?;
    Some(OsStr::from_bytes(without_mark(path.as_os_str().as_bytes())).into())
}
