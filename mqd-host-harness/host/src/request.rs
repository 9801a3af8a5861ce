//! What to read, and how.

use std::path::PathBuf;
use std::time::Duration;

use mqd_inspect::process::{CoreOptions, LiveOptions, Recording};
use mqd_report::{Problem, Process};
use serde::{Deserialize, Serialize};

use crate::job::Member;
use crate::outcome::Outcome;
use crate::snapshot::{Place, Snapshots};
use crate::walk::Limits;

/// A process to read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request {
    /// A live process.
    Pid(u32),
    /// A core file.
    Core(PathBuf),
    /// A process from a launcher's table.
    Member(Member),
    /// A process of a snapshot.
    Captured(Place),
}

impl Request {
    /// The rank, if it is known before the process is read.
    pub fn rank(&self) -> Option<i64> {
        match self {
            Request::Member(member) => Some(member.rank),
            Request::Captured(place) => place.rank,
            Request::Pid(_) | Request::Core(_) => None,
        }
    }

    /// A request that stands for a recorded process which is in no file.
    pub(crate) fn recorded(recording: &Recording) -> Request {
        Request::Captured(Place { file: PathBuf::new(), process: 0, rank: recording.rank })
    }

    /// What is known of the process before it is opened.
    pub(crate) fn outcome(&self) -> Outcome {
        Outcome::of(process_of(self))
    }

    /// The outcome for a process that cannot be opened.
    pub fn unreadable(&self, problem: Problem) -> Outcome {
        let mut outcome = self.outcome();
        outcome.process.errors.push(problem);
        outcome
    }
}

/// How to read processes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Options {
    /// The debug DLL, instead of the one that the process names.
    pub dll: Option<PathBuf>,
    /// How to open live processes.
    pub live: LiveOptions,
    /// How to open core files.
    pub core: CoreOptions,
    /// Bounds on what is read.
    pub limits: Limits,
    /// Record what is asked of the processes ([`Outcome::recording`]).
    #[serde(default)]
    pub record: bool,
    /// The processes of each host stand still until the last one of them is read
    /// ([`Dumper::dump_together`](crate::dump::Dumper::dump_together)).
    #[serde(default)]
    pub together: bool,
    /// Report the call stacks of all threads, not only of those that may be in MPI.
    #[serde(default)]
    pub all_threads: bool,
    /// The snapshots that are open.
    #[serde(skip)]
    pub snapshots: Snapshots,
    /// Processes to run foreign DLLs in (all but our own). Without them every DLL is loaded into
    /// this process.
    #[serde(skip)]
    pub workers: Option<Workers>,
}

/// How to run workers.
#[derive(Clone, Debug)]
pub struct Workers {
    /// The program to run: an `mqd`, or another that calls
    /// [`serve`](crate::dump::Dumper::serve) when its only argument is
    /// [`SUBCOMMAND`](crate::worker::SUBCOMMAND).
    pub program: PathBuf,
    /// How long a DLL may take for one process.
    pub timeout: Duration,
}

/// What is known of a process before it is opened.
fn process_of(request: &Request) -> Process {
    match request {
        Request::Pid(pid) => Process { pid: Some(*pid), ..Process::default() },
        Request::Captured(place) => Process { rank: place.rank, ..Process::default() },
        Request::Core(path) => {
            Process { core: Some(path.display().to_string()), ..Process::default() }
        }
        Request::Member(Member { rank, executable, pid, host, .. }) => Process {
            rank: Some(*rank),
            host: (!host.is_empty()).then(|| host.as_str().into()),
            pid: Some(*pid),
            executable: (!executable.is_empty()).then(|| executable.as_str().into()),
            ..Process::default()
        },
    }
}
