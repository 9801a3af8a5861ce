//! The processes of a job, from the process that launched it.

mod clients;
mod environment;
mod here;
mod launcher;
mod life;
mod namespace;
mod proctable;
mod programs;
mod tree;

use mqd_inspect::process::{LiveOptions, Target, TargetError};
use mqd_report::JobIdentity;
use serde::{Deserialize, Serialize};

pub use self::clients::host_list;
use self::environment::{Environment, Membership};
pub use self::here::{Here, here, launcher_of};
pub use self::life::{birth, state};
use self::namespace::Namespace;

/// The processes of a job.
#[derive(Clone, Debug, Default)]
pub struct Job {
    /// The processes, in the order of their ranks. Without a launcher's table, only those of this
    /// machine.
    pub members: Vec<Member>,
    /// How they were found, if not by the launcher's table, and what is doubtful about it.
    pub remarks: Vec<String>,
    /// What identifies the job, if there is no table. Its processes on other hosts are found by
    /// this.
    pub identity: Option<JobIdentity>,
    /// The number of ranks of the job, if there is no table.
    pub size: Option<i64>,
    /// The other hosts that may have ranks of the job, if there is no table.
    pub elsewhere: Vec<String>,
    /// Did all its ranks start on this machine? Those that are not among the members have ended
    /// then.
    pub all_here: bool,
}

/// How to recognize the processes of a job on another host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wanted {
    /// Those with the launcher and the name of this job.
    Job(JobIdentity),
    /// Those that run in a job of Slurm.
    Slurm {
        /// Its number.
        job: String,
        /// The number of the step, if only that is wanted.
        step: Option<String>,
    },
}

/// A process of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Rank in `MPI_COMM_WORLD`.
    pub rank: i64,
    /// The host it runs on, as the launcher names it.
    pub host: String,
    /// Its executable, as the launcher names it.
    pub executable: String,
    /// Its process id on that host.
    pub pid: u32,
    /// If another job of the launcher has spawned its own: how its rank is counted.
    #[serde(default)]
    pub spawned: Option<Spawned>,
}

/// A job that `MPI_Comm_spawn` has started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spawned {
    /// The number of its first rank: ranks are numbered after those of the jobs before.
    pub first: i64,
    /// The first job of the launcher.
    pub by: JobIdentity,
}

/// The processes of a job could not be found.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// The launcher itself cannot be opened.
    #[error("the launcher of the job: {0}")]
    Launcher(#[from] TargetError),
    /// The process is not a launcher.
    #[error(
        "process {pid} ({program}) is not the launcher of an MPI job: it has no {symbol}, and \
         none of the processes that it has started has a rank in its environment. Give the \
         process id of mpiexec (or mpirun, srun), or those of the ranks with --pid"
    )]
    NoTable {
        /// The process.
        pid: u32,
        /// Its executable.
        program: String,
        /// The symbol that it lacks.
        symbol: &'static str,
    },
    /// Its table lists the helpers of another launcher.
    #[error(
        "process {pid} has started the helpers ({program}) of another launcher, and no ranks: \
         give the process id of that launcher{}",
        .launcher.map_or_else(String::new, |launcher| format!(", {launcher}"))
    )]
    Helpers {
        /// The process.
        pid: u32,
        /// What it has started.
        program: String,
        /// The launcher.
        launcher: Option<u32>,
    },
    /// There are several launchers below the process.
    #[error(
        "process {pid} is above several launchers ({}): give the process id of one",
        list(.launchers)
    )]
    Several {
        /// The process.
        pid: u32,
        /// The launchers.
        launchers: Vec<u32>,
    },
    /// The launcher has not filled in its table.
    #[error(
        "the launcher {pid} has no processes in its table (yet): wait until it has started them \
         all, or give their ids with --pid"
    )]
    Empty {
        /// The launcher.
        pid: u32,
    },
    /// The table cannot be read or is invalid.
    #[error(
        "the table of processes (MPIR_proctable) of launcher {pid}: {why}; give the ids of the \
         ranks with --pid"
    )]
    Damaged {
        /// The launcher.
        pid: u32,
        /// What is wrong.
        why: TableFault,
    },
}

/// What is wrong with a launcher's table of processes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableFault {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] mqd_inspect::process::ReadError),
    /// Its size is impossible.
    #[error("{0} is not a possible number of processes")]
    Size(i64),
    /// A process cannot have two ranks.
    #[error("process {pid} of {host} is both rank {first} and rank {second}")]
    TwoRanks {
        /// The process.
        pid: u32,
        /// Its host.
        host: String,
        /// A rank.
        first: i64,
        /// Another one.
        second: i64,
    },
    /// No host has so many processes.
    #[error("more than {most} processes are on {host}")]
    Crowded {
        /// The host.
        host: String,
        /// The most that a host can have.
        most: usize,
    },
}

fn list(pids: &[u32]) -> String {
    pids.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

/// The processes of the job that process `launcher` has started, in the order of their ranks.
///
/// The launcher's table tells them, if it has one. The launcher is stopped while the table is read.
/// If the table names a shell or the like, the rank is a process below.
/// Without a table they are the processes that the launcher has started, directly or indirectly,
/// and that have a rank in their environment. The remarks then say so. A process that has started a
/// launcher, such as a shell or `salloc`, may be given in its place.
///
/// # Errors
/// The launcher cannot be opened or has no table that can be read, and no process with a rank was
/// found either. Or it does not launch ranks.
pub fn members(launcher: u32) -> Result<Job, JobError> {
    let options = LiveOptions::default();
    // It is stopped, and a server may be slow. The entries of the table have a standard layout.
    options.files.ask_servers_for(&[]);
    let table = Target::attach_with(launcher, &options).map_err(JobError::from);
    let error = match table.and_then(|target| proctable::read(&target, launcher)) {
        Ok(members) => {
            launcher::are_ranks(&members, launcher)?;
            let mut job = translated(members, launcher);
            tree::look_into_wrappers(&mut job.members);
            return Ok(with_spawned(job, launcher));
        }
        // There is a table, and something is wrong with it.
        Err(error @ JobError::Damaged { .. }) => return Err(error),
        // srun has a child that is a copy of it, with an empty table.
        Err(error @ JobError::Empty { .. }) => match launcher::original(launcher) {
            Some(original) => return members(original),
            None => error,
        },
        Err(error @ JobError::NoTable { .. }) => match launcher::below(launcher)[..] {
            [] => error,
            [only] => return members(only),
            ref several => {
                return Err(JobError::Several { pid: launcher, launchers: several.to_vec() });
            }
        },
        Err(error) => error,
    };
    tree::members(launcher, &error).or_else(|| launcher::without_ranks_here(launcher)).ok_or(error)
}

/// The processes of a job on this machine, in the order of their ranks, and what identifies the
/// job.
pub fn find(wanted: &Wanted) -> Vec<(Member, JobIdentity)> {
    tree::matching(|environment, membership| match wanted {
        Wanted::Job(JobIdentity { launcher, name, .. }) => {
            (launcher, name) == (&membership.job.launcher, &membership.job.name)
        }
        Wanted::Slurm { job, step } => environment.slurm().is_some_and(|(its_job, its_step)| {
            its_job == job && step.as_deref().is_none_or(|step| its_step == Some(step))
        }),
    })
}

/// The job that a process of this machine is a rank of, as far as its environment tells.
pub fn identity(pid: u32) -> Option<JobIdentity> {
    Some(Environment::of(pid).membership(pid)?.job)
}

/// A process of this machine as a rank of the job that its environment tells.
pub fn member(pid: u32) -> Option<Member> {
    let Membership { rank, .. } = Environment::of(pid).membership(pid)?;
    Some(Member { host: this_host(), ..tree::member(rank, pid) })
}

/// The number of the job of Slurm that a process of this machine runs in.
pub fn slurm_job(pid: u32) -> Option<String> {
    Some(Environment::of(pid).slurm()?.0.to_owned())
}

/// The name of this machine.
pub fn this_host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Adds the processes that the job has spawned on this machine. Open MPI's launcher keeps them out
/// of its table.
fn with_spawned(mut job: Job, launcher: u32) -> Job {
    let (spawned, not_read) = tree::spawned(launcher, &job.members);
    if let Some(first) = spawned.first() {
        job.remarks.push(format!(
            "the job has spawned {} not in the table of launcher {launcher}: here they count from \
             rank {} on",
            tree::processes_that_are(spawned.len()),
            first.rank
        ));
    }
    job.remarks.extend(not_read);
    job.members.extend(spawned);
    job
}

/// The processes of a launcher's table, whose ids and hosts are those of the launcher's namespaces.
fn translated(mut members: Vec<Member>, launcher: u32) -> Job {
    let namespace = Namespace::of(launcher);
    let has_own_name = namespace::has_own_host_name(launcher);
    for member in &mut members {
        let ours = namespace.as_ref().map_or(Some(member.pid), |other| other.ours(member.pid));
        let is_below = |pid: &u32| tree::is_rank_below(*pid, member.rank, launcher);
        if has_own_name && ours.as_ref().is_some_and(is_below) {
            member.host = this_host();
        }
        if is_this_host(&member.host) {
            // No process has the id 0. The error of that rank says that it cannot be seen.
            member.pid = ours.unwrap_or(0);
        }
    }
    let mut remarks = Vec::new();
    if namespace.is_some() {
        remarks.push(format!(
            "the launcher {launcher} runs in a PID namespace of its own (a container): the process \
             ids of its table were translated"
        ));
    }
    Job { members, remarks, ..Job::default() }
}

/// Is this the name of the machine that we run on? The domain of a name does not count, and an
/// empty name means this machine.
pub fn is_this_host(name: &str) -> bool {
    names_host(name, &this_host())
}

fn names_host(name: &str, ours: &str) -> bool {
    let short = |name: &str| name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    match name.parse::<std::net::IpAddr>() {
        // Only an address of this machine can be bound.
        Ok(address) => address.is_loopback() || std::net::UdpSocket::bind((address, 0)).is_ok(),
        Err(_) => name.is_empty() || short(name) == "localhost" || short(name) == short(ours),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_names() {
        for here in [
            "",
            "localhost",
            "localhost.localdomain",
            "127.0.0.1",
            "::1",
            "node7",
            "NODE7.cluster.example",
        ] {
            assert!(names_host(here, "node7.example"), "{here}");
        }
        for elsewhere in ["node8", "10.0.0.7", "node70", "cluster.node7"] {
            assert!(!names_host(elsewhere, "node7.example"), "{elsewhere}");
        }
    }
}
