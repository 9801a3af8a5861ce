//! `cargo xtask compare-dll`: our debug DLL and Open MPI's own on the same process, in one run,
//! each in the same host.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::dist::{self, Prefix};
use crate::expectation::{Record, Tally, tally};
use crate::job::Job;
use crate::mpi::Mpi;
use crate::truth::start;
use crate::workspace::{Profile, target};

/// The ranks of 100,000 operations need long.
const PATIENCE: Duration = Duration::from_secs(900);
/// Percent of the operations. Open MPI goes through all that is posted for each message that
/// arrives: with many messages a job would take an hour to get ready.
const RECEIVES: &str = "90";
/// Runs of each DLL: noise only adds time, so the best counts.
const RUNS: usize = 3;

/// What one DLL showed of the process, and what that cost.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Operations and messages shown.
    pub shown: u64,
    /// What is right and wrong of them.
    pub tally: Tally,
    /// Calls of `mqs_fetch_data`.
    pub fetches: u64,
    /// Bytes that they asked for.
    pub bytes: u64,
    /// Processor time of `mqd`, with that of the process that a foreign DLL runs in.
    pub cpu_seconds: f64,
    /// Why it shows less than it should, as it says itself.
    pub error: Option<String>,
}

/// What our DLL shows, and what Open MPI's own does.
#[derive(Clone, Debug)]
pub struct SideBySide {
    /// Our DLL's.
    pub ours: Outcome,
    /// Open MPI's.
    pub theirs: Outcome,
}

/// Prints the table.
///
/// # Errors
///
/// When an Open MPI or its debug DLL is not there, or a job or `mqd` cannot be run.
pub fn run(mpis: &[String], operations: &[u32]) -> Result<()> {
    let prefix = dist::lay_out(Profile::Release, &target().join("dist"))?;
    mpis.iter().try_for_each(|name| compare(&prefix, &Mpi::named(name, &prefix)?, operations))
}

fn compare(prefix: &Prefix, mpi: &Mpi, operations: &[u32]) -> Result<()> {
    let work = tempfile::tempdir()?;
    let program = mpi.compile("many", work.path())?;
    println!("Rank 0 of a stopped job of {}. Theirs: {}\n", mpi.name, mpi.debug_dll()?.display());
    println!(
        "{:>9} {:>5}  {:6} {:>8} {:>8} {:>6} {:>12} {:>10} {:>9} {:>12} {:>9}",
        "expected",
        "comms",
        "DLL",
        "shown",
        "missing",
        "extra",
        "wrong fields",
        "fetches",
        "per shown",
        "bytes",
        "CPU"
    );
    for operations in operations {
        for communicators in [1, 10] {
            let SideBySide { ours, theirs } =
                side_by_side(prefix, mpi, &program, *operations, communicators)?;
            row("ours", communicators, &ours);
            row("theirs", communicators, &theirs);
            println!(
                "{:>9} {:>5}  theirs to ours: {:.1} times the processor time, {:.1} times the \
                 fetches\n",
                "",
                "",
                theirs.cpu_seconds / ours.cpu_seconds,
                theirs.fetches as f64 / ours.fetches as f64
            );
        }
    }
    Ok(())
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
    let (mut job, records) = start(launch, directory.path(), 2, PATIENCE)?;
    let [ours, theirs] = dlls.map(|dll| measure(prefix, mpi, &dll, &job, &records));
    job.end()?;
    Ok(SideBySide { ours: ours?, theirs: theirs? })
}

fn row(name: &str, communicators: u32, outcome: &Outcome) {
    let Outcome { shown, tally, fetches, bytes, cpu_seconds, error } = outcome;
    let per_shown = match shown {
        0 => "-".to_owned(),
        shown => format!("{:.3}", *fetches as f64 / *shown as f64),
    };
    println!(
        "{:>9} {communicators:>5}  {name:6} {shown:>8} {:>8} {:>6} {:>12} {fetches:>10} \
         {per_shown:>9} {bytes:>12} {:>6.0} ms",
        tally.expected,
        tally.missing,
        tally.extra,
        tally.wrong_fields,
        cpu_seconds * 1000.0
    );
    if let Some(error) = error {
        println!("{:>16} {name} says: {error}", "");
    }
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
        let mut mqd = prefix.command("mqd");
        mqd.args([
            "dump",
            "--rank",
            "0",
            "--format",
            "json",
            "--stats",
            "--job",
            &job.pid().to_string(),
            "--dll",
        ])
        .arg(dll);
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
        let error = report["processes"][0]["errors"][0].as_str().map(str::to_owned);
        let outcome = Outcome {
            shown: number("operations")?,
            tally: tally(mpi.profile, records, 0, &report),
            fetches: number("fetches")?,
            bytes: number("bytes_fetched")?,
            cpu_seconds: stats["cpu_seconds"]
                .as_f64()
                .context("no cpu_seconds in mqd's --stats")?,
            error,
        };
        if best.as_ref().is_none_or(|best| outcome.cpu_seconds < best.cpu_seconds) {
            best = Some(outcome);
        }
    }
    best.context("no run")
}
