//! Two ranks make calls that do not fit together (`fixtures/pairs.c`), in all combinations. A
//! program that has not ended soon never ends, and `mqd check` has to say so.

use std::fmt::{self, Display};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use tempfile::TempDir;

use crate::hangs::ask;
use crate::job::Job;
use crate::mpi::Mpi;
use crate::prefix::Prefix;
use crate::verdict::{Answer, Verdict};

/// A program that has not ended after this time never ends. Most need a tenth of it.
const SOON: Duration = Duration::from_secs(2);
/// The time between two looks at the launcher.
const PAUSE: Duration = Duration::from_millis(20);

/// The calls that are combined.
const CALLS: [&str; 39] = [
    "barrier",
    "bcast",
    "bcast_large",
    "reduce",
    "allreduce",
    "allreduce_large",
    "gather",
    "gatherv",
    "scatter",
    "scatterv",
    "allgather",
    "allgatherv",
    "alltoall",
    "alltoallv",
    "scan",
    "exscan",
    "reduce_scatter",
    "reduce_scatter_block",
    "ibarrier",
    "ibcast",
    "ireduce",
    "iallreduce",
    "iallgather",
    "ialltoall",
    "iscan",
    "xbarrier,xallreduce,waitall",
    "xbcast,xreduce,waitall",
    "xallgather,xscan,waitall",
    "comm_dup",
    "comm_idup",
    "comm_split",
    "win_create",
    "file_open",
    "recv",
    "recv_any",
    "ssend",
    "probe",
    "mprobe",
    "nothing",
];

/// The calls of each rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair([String; 2]);

impl Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = &self.0;
        write!(f, "{first} / {second}")
    }
}

/// All combinations of two calls: one rank makes the first and the other the second one, or both
/// make both, in different orders.
pub fn all() -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (index, one) in CALLS.iter().enumerate() {
        for other in &CALLS[index + 1..] {
            let then = |first: &str, second: &str| format!("{first},{second}");
            pairs.extend([
                Pair([then(one, "barrier"), then(other, "barrier")]),
                Pair([then(other, "barrier"), then(one, "barrier")]),
                Pair([then(one, other), then(other, one)]),
            ]);
        }
    }
    pairs
}

/// The result of a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PairOutcome {
    /// The program has ended: with this MPI it does not hang.
    Ended,
    /// It hangs, and is said to be deadlocked.
    Right,
    /// It hangs, and the verdict is undecided, for these reasons.
    Undecided(String),
    /// It hangs, and is said not to.
    Wrong(String),
}

/// Runs pairs with an MPI.
#[derive(Debug)]
pub struct Pairs {
    prefix: Prefix,
    mpi: Mpi,
    program: PathBuf,
    directory: TempDir,
}

impl Pairs {
    /// # Errors
    ///
    /// When the program cannot be compiled.
    pub fn new(prefix: &Prefix, mpi: Mpi) -> Result<Pairs> {
        let directory = tempfile::tempdir()?;
        let program = mpi.compile("pairs", directory.path())?;
        Ok(Pairs { prefix: prefix.clone(), mpi, program, directory })
    }

    /// Runs a pair.
    ///
    /// # Errors
    ///
    /// When it cannot be started, or `mqd` gives no answer.
    pub fn check(&self, pair: &Pair) -> Result<PairOutcome> {
        let directory = self.directory.path();
        let [first, second] = &pair.0;
        let launch = self.mpi.launch(2, &self.program, &[first, second], directory);
        let mut job = Job::launch_logged(launch, directory)?;
        let begin = Instant::now();
        while begin.elapsed() < SOON {
            if job.mpiexec.try_wait()?.is_some() {
                return Ok(PairOutcome::Ended);
            }
            thread::sleep(PAUSE);
        }
        let said = ask(&self.prefix, &[job.pid().to_string().as_ref()]);
        if job.mpiexec.try_wait()?.is_some() {
            return Ok(PairOutcome::Ended);
        }
        let said = said?;
        let answer: Answer = serde_json::from_value(said.clone())?;
        job.end()?;
        let reason = || format!("{}; missing: {}", said["reason"], said["missing"]);
        Ok(match answer.verdict {
            Verdict::Deadlocked => PairOutcome::Right,
            Verdict::Insufficient => PairOutcome::Undecided(reason()),
            Verdict::NotDeadlocked => PairOutcome::Wrong(reason()),
        })
    }
}
