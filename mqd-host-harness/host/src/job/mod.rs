//! The processes of a job, from the process that launched it.

mod life;
mod namespace;
mod proctable;
mod tree;

pub use self::life::{birth, state};
use self::namespace::Namespace;
use serde::{Deserialize, Serialize};

use mqd_inspect::process::{Target, TargetError};

/// The processes of a job.
#[derive(Clone, Debug)]
pub struct Job {
    /// They, in the order of their ranks.
    pub members: Vec<Member>,
    /// How they were found, where that is not by the launcher's table; and what is doubtful about
    /// it.
    pub remarks: Vec<String>,
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
}

/// The processes of a job could not be found.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// The launcher itself cannot be opened.
    #[error("the launcher of the job: {0}")]
    Launcher(#[from] TargetError),
    /// The process is no launcher.
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
        /// What it lacks.
        symbol: &'static str,
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
    /// The table cannot be read or makes no sense.
    #[error(
        "the table of processes (MPIR_proctable) of launcher {pid}: {why}; give the ids of the \
         ranks with --pid"
    )]
    Damaged {
        /// The launcher.
        pid: u32,
        /// What is wrong.
        why: String,
    },
}

/// The processes of the job that process `launcher` has started, in the order of their ranks.
///
/// The launcher's table tells them, if it has one. The launcher is stopped while the table is read.
/// Without a table they are the processes that the launcher has started, directly or not, and that
/// have a rank in their environment. The remarks then say so.
///
/// # Errors
/// It cannot be opened, or has no table to read, and no such process was found either.
pub fn members(launcher: u32) -> Result<Job, JobError> {
    let table = Target::attach(launcher).map_err(JobError::from);
    let error = match table.and_then(|target| proctable::read(&target, launcher)) {
        Ok(members) => return Ok(translated(members, launcher)),
        // There is a table, and something is wrong with it.
        Err(error @ JobError::Damaged { .. }) => return Err(error),
        Err(error) => error,
    };
    tree::members(launcher, &error).ok_or(error)
}

/// The processes of a launcher's table, whose ids are those of the launcher's PID namespace.
fn translated(mut members: Vec<Member>, launcher: u32) -> Job {
    let Some(namespace) = Namespace::of(launcher) else {
        return Job { members, remarks: Vec::new() };
    };
    // No process has the id 0: the error of that rank says that there is none.
    for member in members.iter_mut().filter(|member| is_this_host(&member.host)) {
        member.pid = namespace.ours(member.pid).unwrap_or(0);
    }
    let remark = format!(
        "the launcher {launcher} runs in a PID namespace of its own (a container): the process ids \
         of its table were translated"
    );
    Job { members, remarks: vec![remark] }
}

/// Is this the name of the machine that we run on? Names with and without a domain are the same,
/// and a launcher that gives none means this one.
pub fn is_this_host(name: &str) -> bool {
    let uname = rustix::system::uname();
    let ours = uname.nodename().to_string_lossy();
    names_host(name, &ours)
}

fn names_host(name: &str, ours: &str) -> bool {
    let short = |name: &str| name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    match name.parse::<std::net::IpAddr>() {
        Ok(address) => address.is_loopback(),
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
