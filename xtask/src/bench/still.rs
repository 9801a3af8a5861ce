//! `cargo xtask bench still`: how long a rank stands still while `mqd` reads it, by the clock of
//! the rank.

use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tempfile::TempDir;

use testkit::job::Job;
use testkit::mpi::Mpi;
use testkit::prefix::Prefix;
use testkit::workspace::{Profile, target};

/// Reads of each kind.
const RUNS: usize = 3;
/// How long the rank is left alone, to see what else takes the processor from it.
const QUIET: Duration = Duration::from_secs(5);
/// How long the messages may take.
const PATIENCE: Duration = Duration::from_secs(300);
/// The rank that has the messages.
const RANK: i64 = 1;

/// Prints the table, with what `mqd` does without any option.
///
/// # Errors
///
/// When building, a job or `mqd` fails.
pub(crate) fn run(names: &[String], messages: u64) -> Result<()> {
    // Without optimisation, as in the tests: the limit has to hold there, too.
    let prefix = Prefix::lay_out(Profile::Dev, &target().join("still-prefix"))?;
    println!(
        "the longest time between two readings of the clock by a rank with {messages} messages \
         that nobody has received, in ms: alone for {} s, and of {RUNS} reads each\n",
        QUIET.as_secs()
    );
    println!("{:16} {:>8} {:>9} {:>9} {:>10}", "MPI", "alone", "mqd dump", "mqd check", "shown");
    for name in names {
        row(&prefix, &Mpi::named(name, &prefix)?, messages).with_context(|| name.clone())?;
    }
    Ok(())
}

fn row(prefix: &Prefix, mpi: &Mpi, messages: u64) -> Result<()> {
    let directory = tempfile::tempdir()?;
    let program = mpi.compile("still", directory.path())?;
    let launch = mpi.launch(2, &program, &[&messages.to_string()], directory.path());
    let mut rank = Watched { job: Job::launch_logged(launch, directory.path())?, directory };
    rank.is_ready()?;
    let alone = rank.longest(|_| {
        thread::sleep(QUIET);
        Ok(())
    })?;
    let mut shown = 0;
    let dumped = rank.longest(|launcher| {
        for _ in 0..RUNS {
            shown = dump(prefix, launcher)?;
        }
        Ok(())
    })?;
    let checked = rank.longest(|launcher| (0..RUNS).try_for_each(|_| check(prefix, launcher)))?;
    println!("{:16} {alone:>8.1} {dumped:>9.1} {checked:>9.1} {shown:>10}", mpi.name);
    rank.job.end()?;
    Ok(())
}

/// The job, and the directory that it runs in.
struct Watched {
    job: Job,
    directory: TempDir,
}

impl Watched {
    fn is_ready(&mut self) -> Result<()> {
        let directory = self.directory.path();
        self.job.wait_for(directory, PATIENCE, || {
            let log = fs::read_to_string(directory.join("log")).ok()?;
            log.lines().any(|line| line == "ready").then_some(())
        })
    }

    /// The longest time during some work, in milliseconds.
    fn longest(&mut self, work: impl FnOnce(&str) -> Result<()>) -> Result<f64> {
        self.next()?;
        work(&self.job.pid().to_string())?;
        self.next()
    }

    /// The longest time since the last call.
    fn next(&mut self) -> Result<f64> {
        let directory = self.directory.path();
        let before = said(directory).len();
        fs::write(directory.join("next"), "")?;
        self.job.wait_for(directory, PATIENCE, || said(directory).get(before).copied())
    }
}

/// The times that the rank has told so far, in milliseconds.
fn said(directory: &Path) -> Vec<f64> {
    let log = fs::read_to_string(directory.join("log")).unwrap_or_default();
    log.lines().filter_map(|line| line.parse::<f64>().ok()).map(|time| time / 1e3).collect()
}

/// `mqd` with its own limit on how long it stops a process.
fn mqd(prefix: &Prefix, command: &str, launcher: &str) -> Result<Output> {
    let mut mqd = prefix.command("mqd");
    mqd.env_remove("MQD_STOP_LIMIT").args([command, "--format", "json", "--job", launcher]);
    mqd.stdin(Stdio::null()).output().context("mqd can be started")
}

/// How many messages that nobody has received a dump shows of the rank. It says so if it was cut.
fn dump(prefix: &Prefix, launcher: &str) -> Result<usize> {
    let output = mqd(prefix, "dump", launcher)?;
    let report: Value = serde_json::from_slice(&output.stdout).context("mqd dump writes JSON")?;
    let processes = report["processes"].as_array().context("there are processes")?;
    let rank = processes.iter().find(|process| process["rank"] == RANK).context("no rank 1")?;
    let communicators = rank["communicators"].as_array().context("there are communicators")?;
    let messages = communicators.iter().filter_map(|one| one["unexpected_messages"].as_array());
    Ok(messages.map(Vec::len).sum())
}

fn check(prefix: &Prefix, launcher: &str) -> Result<()> {
    let output = mqd(prefix, "check", launcher)?;
    let told = serde_json::from_slice::<Value>(&output.stdout);
    ensure!(told.is_ok(), "mqd check: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}
