//! `cargo xtask bench`: figures, not tests. Only ratios within one run are independent of the
//! machine.

pub(crate) mod cluster;
pub(crate) mod gdb;
pub(crate) mod mpi;
pub(crate) mod mpi_t;
pub(crate) mod qmpi;
pub(crate) mod stacks;
pub(crate) mod still;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use testkit::job::Job;
use testkit::prefix::Prefix;
use testkit::workspace::{Profile, root, target};

/// Time and fetch callbacks of `mqd` by number of operations and communicators.
///
/// # Errors
///
/// When building, the job or `mqd` fails.
pub(crate) fn mqd() -> Result<()> {
    let prefix = Prefix::lay_out(Profile::Release, &target().join("dist"))?;
    let work = tempfile::tempdir()?;
    let program = work.path().join("pending");
    prefix.compile(&[root().join("fixtures/pending.c")], &program, &["-O2"])?;
    println!(
        "mqd dump of one process: half its operations are receives, a quarter sends, a quarter \
         messages that have arrived\n"
    );
    println!(
        "{:>10} {:>13} {:>9} {:>8} {:>13} {:>12}",
        "operations", "communicators", "time", "fetches", "per operation", "bytes"
    );
    for operations in [1_000, 10_000, 100_000] {
        for communicators in [1, 10] {
            let cost = cost(&prefix, &program, operations, communicators)?;
            println!(
                "{operations:>10} {communicators:>13} {:>6} ms {:>8} {:>13.3} {:>12}",
                cost.milliseconds,
                cost.fetches,
                cost.fetches as f64 / operations as f64,
                cost.bytes
            );
        }
    }
    Ok(())
}

struct Cost {
    milliseconds: u128,
    fetches: u64,
    bytes: u64,
}

/// The best of three runs, as noise only adds time; the counts are the same each time.
fn cost(prefix: &Prefix, program: &Path, operations: u64, communicators: u64) -> Result<Cost> {
    let arguments = [operations.to_string(), communicators.to_string()];
    let mut job =
        Job::start(prefix, 2, program, |mpiexec| mpiexec.args(&arguments).stdout(Stdio::piped()))?;
    let mut ready = String::new();
    let stdout = job.mpiexec.stdout.take().context("mpiexec has no output")?;
    BufReader::new(stdout).read_line(&mut ready)?;
    ensure!(ready == "ready\n", "the job did not get ready: {ready:?}");
    let mut best: Option<Cost> = None;
    for _ in 0..3 {
        let mut dump = prefix.command("mqd");
        dump.args([
            "dump",
            "--rank",
            "0",
            "--format",
            "json",
            "--stats",
            "--job",
            &job.pid().to_string(),
        ]);
        let begin = Instant::now();
        let output = dump.output()?;
        let milliseconds = begin.elapsed().as_millis();
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "mqd failed: {errors}");
        let shown = count(&serde_json::from_slice(&output.stdout)?);
        ensure!(shown == operations, "mqd shows {shown} operations of {operations}");
        let (fetches, bytes) = fetches(&errors)?;
        if best.as_ref().is_none_or(|best| milliseconds < best.milliseconds) {
            best = Some(Cost { milliseconds, fetches, bytes });
        }
    }
    job.end()?;
    best.context("no run")
}

fn count(report: &Value) -> u64 {
    let processes = report["processes"].as_array().into_iter().flatten();
    let communicators =
        processes.flat_map(|process| process["communicators"].as_array().into_iter().flatten());
    let queues = ["pending_sends", "pending_receives", "unexpected_messages"];
    communicators
        .map(|one| {
            queues
                .iter()
                .map(|&queue| one[queue].as_array().map_or(0, Vec::len) as u64)
                .sum::<u64>()
        })
        .sum()
}

/// The counts in the line of JSON that `--stats` writes for the process.
fn fetches(stats: &str) -> Result<(u64, u64)> {
    let line = stats.lines().find(|line| line.starts_with('{')).context("mqd wrote no --stats")?;
    let stats: Value = serde_json::from_str(line)?;
    let field = |name: &str| {
        stats[name].as_u64().with_context(|| format!("no {name} in mqd's --stats: {line}"))
    };
    Ok((field("fetches")?, field("bytes_fetched")?))
}
