//! Our debug DLL and Open MPI's own on the same process, in one run, each loaded by `mqd`.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::expectation::{Tally, tally};
use crate::job::Job;
use crate::mpi::Mpi;
use crate::prefix::Prefix;
use crate::record::{Record, records};

/// Ranks that start 100,000 operations take long to get ready.
const PATIENCE: Duration = Duration::from_secs(900);
/// The percentage of receives among the operations. Open MPI searches all posted receives for each
/// message that arrives, so with many messages a job would take an hour to get ready.
const RECEIVES: &str = "90";
/// Runs of each DLL: noise only adds time, so the best counts.
const RUNS: usize = 3;

/// What one DLL showed of the process, and what that cost.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Operations and messages shown.
    pub shown: u64,
    /// What is right and wrong in them.
    pub tally: Tally,
    /// Calls of `mqs_fetch_data`.
    pub fetches: u64,
    /// Bytes that these calls asked for.
    pub bytes: u64,
    /// Processor time of `mqd`, including the process that a foreign DLL runs in.
    pub cpu_seconds: f64,
    /// Its own error message, if it shows less than it should.
    pub error: Option<String>,
}

/// The results of our DLL and of Open MPI's own.
#[derive(Clone, Debug)]
pub struct SideBySide {
    /// Our DLL's.
    pub ours: Outcome,
    /// Open MPI's.
    pub theirs: Outcome,
}

/// Reads rank 0 of a job of `fixtures/many.c`, compiled for an Open MPI, with both DLLs.
///
/// # Errors
///
/// When there is no debug DLL, or the job or `mqd` cannot be run.
pub fn side_by_side(
    prefix: &Prefix,
    mpi: &Mpi,
    program: &Path,
    operations: u32,
    communicators: u32,
) -> Result<SideBySide> {
    let dlls = [prefix.directory.join("lib/libmqd.so"), mpi.debug_dll()?];
    let directory = tempfile::tempdir()?;
    let arguments =
        [&operations.to_string(), "1", &communicators.to_string(), RECEIVES].map(str::to_owned);
    let arguments = arguments.each_ref().map(String::as_str);
    let launch = mpi.launch(2, program, &arguments, directory.path());
    let mut job = Job::launch_logged(launch, directory.path())?;
    let records = job.wait_for(directory.path(), PATIENCE, || records(directory.path(), 2))?;
    let [ours, theirs] = dlls.map(|dll| measure(prefix, mpi, &dll, &job, &records));
    job.end()?;
    Ok(SideBySide { ours: ours?, theirs: theirs? })
}

fn measure(
    prefix: &Prefix,
    mpi: &Mpi,
    dll: &Path,
    job: &Job,
    records: &[Record],
) -> Result<Outcome> {
    let mut best: Option<Outcome> = None;
    for _ in 0..RUNS {
        let outcome = measure_once(prefix, mpi, dll, job, records)?;
        if best.as_ref().is_none_or(|best| outcome.cpu_seconds < best.cpu_seconds) {
            best = Some(outcome);
        }
    }
    best.context("no run")
}

fn measure_once(
    prefix: &Prefix,
    mpi: &Mpi,
    dll: &Path,
    job: &Job,
    records: &[Record],
) -> Result<Outcome> {
    let mut mqd = prefix.command("mqd");
    mqd.args(["dump", "--rank", "0", "--format", "json", "--stats"]);
    mqd.args(["--job", &job.pid().to_string(), "--dll"]).arg(dll);
    let output = mqd.stdin(Stdio::null()).output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    let line = errors.lines().find(|line| line.starts_with('{'));
    let line =
        line.with_context(|| format!("mqd ({}) wrote no --stats: {errors}", output.status))?;
    let stats: Value = serde_json::from_str(line)?;
    let number = |name: &str| {
        stats[name].as_u64().with_context(|| format!("no {name} in mqd's --stats: {line}"))
    };
    let report: Value = serde_json::from_slice(&output.stdout)?;
    let error = report["processes"][0]["errors"][0]["text"].as_str().map(str::to_owned);
    Ok(Outcome {
        shown: number("operations")?,
        tally: tally(mpi.coverage, records, 0, &report),
        fetches: number("fetches")?,
        bytes: number("bytes_fetched")?,
        cpu_seconds: stats["cpu_seconds"].as_f64().context("no cpu_seconds in mqd's --stats")?,
        error,
    })
}
