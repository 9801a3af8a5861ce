//! `cargo xtask bench`: figures, not tests. Only ratios within one run say something about the
//! software rather than about the machine.

pub(crate) mod gdb;
pub(crate) mod mpi_t;
pub(crate) mod qmpi;
pub(crate) mod stacks;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use testkit::job::Job;
use testkit::packages;
use testkit::prefix::Prefix;
use testkit::workspace::{self, Profile, root, target};

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
        let value = stats[name].as_u64().or_else(|| stats["callbacks"][name].as_u64());
        value.with_context(|| format!("no {name} in mqd's --stats: {line}"))
    };
    Ok((field("fetches")?, field("bytes_fetched")?))
}

/// An MPI that takes part.
struct Contestant {
    name: &'static str,
    mpiexec: PathBuf,
    arguments: &'static [&'static str],
    program: PathBuf,
    /// What the program is told.
    how: Option<&'static str>,
    /// Of each run: bytes of a message and the microseconds it takes one way.
    runs: Vec<Vec<(usize, f64)>>,
}

/// Messages of this size and up are shown by their bandwidth, in bytes.
const LARGE: usize = 64 << 10;

/// Latency and bandwidth of the companion runtime, Open MPI and MPICH, which take turns.
///
/// # Errors
///
/// When a compiler or launcher is missing or fails.
pub(crate) fn mpi(repetitions: usize) -> Result<()> {
    packages::ensure(&["openmpi-bin", "libopenmpi-dev", "mpich", "libmpich-dev"]);
    let prefix = Prefix::lay_out(Profile::Release, &target().join("dist"))?;
    let work = tempfile::tempdir()?;
    let contestant = |name, mpicc: PathBuf, mpiexec: PathBuf, arguments| -> Result<Contestant> {
        let program = work.path().join(format!("pingpong-{name}"));
        let source = root().join("fixtures/pingpong.c");
        workspace::output(
            workspace::command(mpicc).args(["-O2"]).arg(source).arg("-o").arg(&program),
        )?;
        Ok(Contestant { name, mpiexec, arguments, program, how: None, runs: Vec::new() })
    };
    let mut contestants = [
        contestant("ours", prefix.program("mpicc"), prefix.program("mpiexec"), &[])?,
        contestant(
            "openmpi",
            "mpicc.openmpi".into(),
            "mpiexec.openmpi".into(),
            &["--oversubscribe"],
        )?,
        contestant("mpich", "mpicc.mpich".into(), "mpiexec.mpich".into(), &[])?,
    ];
    for _ in 0..repetitions {
        for contestant in &mut contestants {
            contestant.runs.push(measure(contestant)?);
        }
    }

    println!(
        "median of {repetitions} runs, taking turns; ratio: our time to that of the better of the \
         other two (< 1: faster)\n"
    );
    let [ours, openmpi, mpich] = &contestants;
    println!(
        "{:>10} {:>15} {:>15} {:>15} {:>6}",
        "bytes", ours.name, openmpi.name, mpich.name, "ratio"
    );
    for (row, &(bytes, _)) in ours.runs.first().into_iter().flatten().enumerate() {
        let times = [ours, openmpi, mpich].map(|contestant| median(&contestant.runs, row));
        let [ours, openmpi, mpich] = times.map(|microseconds| match bytes {
            LARGE.. => format!("{:.2} GB/s", bytes as f64 / microseconds / 1e3),
            _ => format!("{microseconds:.3} us"),
        });
        let ratio = times[0] / times[1].min(times[2]);
        println!("{bytes:>10} {ours:>15} {openmpi:>15} {mpich:>15} {ratio:>6.2}");
    }
    Ok(())
}

/// One run of the program: the best time of each size.
fn measure(contestant: &Contestant) -> Result<Vec<(usize, f64)>> {
    let mut command = workspace::command(&contestant.mpiexec);
    command
        .args(contestant.arguments)
        .args(["-n", "2"])
        .arg(&contestant.program)
        .args(contestant.how)
        .stdin(Stdio::null());
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    let text = workspace::output(&mut command)?;
    let lines = text.lines().filter_map(|line| line.strip_prefix("bytes "));
    let figures: Vec<(usize, f64)> = lines
        .map(|line| match line.split_whitespace().collect::<Vec<_>>()[..] {
            [bytes, "best", best, ..] => Ok((bytes.parse()?, best.parse()?)),
            _ => bail!("no figure in: {line}"),
        })
        .collect::<Result<_>>()?;
    ensure!(!figures.is_empty(), "{} printed no figures: {text}", contestant.name);
    Ok(figures)
}

/// The median over the runs of one size's times.
fn median(runs: &[Vec<(usize, f64)>], row: usize) -> f64 {
    let mut values: Vec<f64> =
        runs.iter().filter_map(|run| run.get(row)).map(|&(_, time)| time).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// What PERUSE costs: ping-pong without it, initialised, with handles that are not active, with
/// active ones; they take turns.
///
/// # Errors
///
/// When building or a run fails.
pub(crate) fn peruse(repetitions: usize) -> Result<()> {
    let prefix = Prefix::lay_out(Profile::Release, &target().join("dist"))?;
    let work = tempfile::tempdir()?;
    let program = work.path().join("pingpong");
    prefix.compile(&[root().join("fixtures/peruse_pingpong.c")], &program, &["-O2"])?;
    let mut contestants = ["none", "init", "inactive", "one", "all"].map(|name| Contestant {
        name,
        mpiexec: prefix.program("mpiexec"),
        arguments: &[],
        program: program.clone(),
        how: Some(name),
        runs: Vec::new(),
    });
    for _ in 0..repetitions {
        for contestant in &mut contestants {
            contestant.runs.push(measure(contestant)?);
        }
    }

    println!(
        "one way, the best of a run, median of {repetitions} runs that take turns; ratio: to the \
         time without PERUSE\n"
    );
    println!("{:>10} {:>12} {:>12} {:>7}", "bytes", "PERUSE", "time", "ratio");
    for (row, &(bytes, _)) in contestants[0].runs.first().into_iter().flatten().enumerate() {
        let without = median(&contestants[0].runs, row);
        for contestant in &contestants {
            let time = median(&contestant.runs, row);
            println!("{bytes:>10} {:>12} {time:>9.4} us {:>7.3}", contestant.name, time / without);
        }
    }
    println!(
        "\nnone: not touched; init: PERUSE_Init; inactive: a handle for each of the 16 events; \
         one, all: so many of them activated"
    );
    Ok(())
}
