//! `cargo xtask truth`: random programs (`fixtures/truth.c`), whose ranks write down what they did,
//! against what `mqd` shows.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use tempfile::TempDir;

use crate::dist::{self, Prefix};
use crate::expectation::{Record, differences, records};
use crate::job::Job;
use crate::mpi::{Mpi, without_single_copy};
use crate::workspace::{self, Profile, target};

/// How long ranks may take to get ready: they take a second, more on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// How often a live job is read until it shows what is expected. Ranks may still be on their way
/// into their last call.
const ATTEMPTS: u32 = 20;
/// Lines of a seed's mismatches that are printed.
const SHOWN: usize = 12;

/// Where the queues are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// The live processes.
    Live,
    /// The live processes, then their core files by gdb's `gcore`.
    LiveAndCores,
}

/// The program, compiled for an MPI.
#[derive(Debug)]
pub struct Truth {
    prefix: Prefix,
    mpi: Mpi,
    program: PathBuf,
    _directory: TempDir,
}

impl Truth {
    /// Compiles it.
    ///
    /// # Errors
    ///
    /// When the compiler fails.
    pub fn new(prefix: &Prefix, mpi: Mpi) -> Result<Truth> {
        let directory = tempfile::tempdir()?;
        let program = mpi.compile("truth", directory.path())?;
        Ok(Truth { prefix: prefix.clone(), mpi, program, _directory: directory })
    }

    /// Runs one seed. Returns what `mqd` shows other than expected, a line for each field; nothing
    /// if all is right.
    ///
    /// # Errors
    ///
    /// When the job ends or does not get ready, or `mqd` or `gcore` cannot be run.
    pub fn check(&self, seed: u64, from: From) -> Result<Vec<String>> {
        let ranks = ranks(seed);
        let directory = tempfile::tempdir()?;
        let number = seed.to_string();
        let mut arguments = vec![number.as_str()];
        // Every other one has operations that are matched and not complete.
        let matched = seed % 2 == 1;
        arguments.extend(matched.then_some("matched"));
        let mut launch = self.mpi.launch(ranks, &self.program, &arguments, directory.path());
        if matched {
            without_single_copy(&mut launch);
        }
        let (mut job, records) = start(launch, directory.path(), ranks, PATIENCE)?;
        let (mut wrong, live) = self.live(&job, &records)?;
        if from == From::LiveAndCores && wrong.is_empty() {
            wrong = self.cores(directory.path(), &records, &live)?;
        }
        job.end()?;
        Ok(wrong)
    }

    /// Runs many seeds, so many jobs at a time, and reports each.
    pub fn check_all(
        &self,
        seeds: &RangeInclusive<u64>,
        at_once: usize,
        from: impl Fn(u64) -> From + Sync,
        report: impl Fn(u64, Result<Vec<String>>) + Sync,
    ) {
        let waiting = Mutex::new(seeds.clone());
        let work = || {
            // A statement of its own: the lock is not held while a seed runs.
            while let Some(seed) = { waiting.lock().unwrap().next() } {
                report(seed, self.check(seed, from(seed)));
            }
        };
        thread::scope(|scope| (0..at_once).for_each(|_| drop(scope.spawn(work))));
    }

    fn live(&self, job: &Job, records: &[Record]) -> Result<(Vec<String>, Value)> {
        let mut attempt = 0;
        loop {
            attempt += 1;
            let report = self.dump(&["--job", &job.pid().to_string()])?;
            let wrong = differences(self.mpi.profile, records, &report);
            if wrong.is_empty() || attempt == ATTEMPTS {
                return Ok((wrong, report));
            }
            thread::sleep(Duration::from_millis(100));
        }
    }

    fn cores(&self, directory: &Path, records: &[Record], live: &Value) -> Result<Vec<String>> {
        let mut cores = Vec::new();
        for process in live["processes"].as_array().into_iter().flatten() {
            let pid = process["pid"].as_u64().context("a live process has a number")?;
            cores.push(gcore(directory, pid)?);
        }
        let mut arguments = vec!["--core"];
        arguments.extend(cores.iter().map(String::as_str));
        let wrong = differences(self.mpi.profile, records, &self.dump(&arguments)?);
        Ok(wrong.into_iter().map(|line| format!("core files: {line}")).collect())
    }

    /// A dump as JSON. Processes that could not be read have their errors in there.
    fn dump(&self, arguments: &[&str]) -> Result<Value> {
        let mut mqd = self.prefix.command("mqd");
        let output =
            mqd.args(["dump", "--format", "json"]).args(arguments).stdin(Stdio::null()).output()?;
        serde_json::from_slice(&output.stdout).with_context(|| {
            format!("mqd ({}): {}", output.status, String::from_utf8_lossy(&output.stderr))
        })
    }
}

/// Writes a core file of a process into a directory; its path.
pub(crate) fn gcore(directory: &Path, pid: u64) -> Result<String> {
    let mut gcore = workspace::command("gcore");
    workspace::output(
        gcore.arg("-o").arg(directory.join("gcore")).arg(pid.to_string()).stdin(Stdio::null()),
    )?;
    Ok(directory.join(format!("gcore.{pid}")).display().to_string())
}

/// The number of ranks that a seed runs with: 2 to 4.
fn ranks(seed: u64) -> usize {
    2 + (seed / 2 % 3) as usize
}

/// Starts a job of a fixture and waits until all its ranks have written their records. What the job
/// writes goes to the file `log` of the directory.
pub(crate) fn start(
    mut launch: Command,
    directory: &Path,
    ranks: usize,
    patience: Duration,
) -> Result<(Job, Vec<Record>)> {
    let log = std::fs::File::create(directory.join("log"))?;
    launch.stdout(log.try_clone()?).stderr(log);
    let mut job = Job::launch(launch)?;
    let records = ready(&mut job, directory, ranks, patience)?;
    Ok((job, records))
}

fn ready(job: &mut Job, directory: &Path, ranks: usize, patience: Duration) -> Result<Vec<Record>> {
    let begin = Instant::now();
    loop {
        if let Some(records) = records(directory, ranks) {
            return Ok(records);
        }
        let log = || std::fs::read_to_string(directory.join("log")).unwrap_or_default();
        if let Some(status) = job.mpiexec.try_wait()? {
            bail!("the job ended ({status}): {}", log());
        }
        ensure!(
            begin.elapsed() < patience,
            "the job is not ready after {} s: {}",
            patience.as_secs(),
            log()
        );
        thread::sleep(Duration::from_millis(10));
    }
}

/// Seeds on the command line: `7` or `1..50`, both ends included.
///
/// # Errors
///
/// When it is neither.
pub fn seeds(text: &str) -> Result<RangeInclusive<u64>> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let number = |text: &str| text.parse().with_context(|| format!("{text:?} is not a number"));
    let seeds = number(first)?..=number(last)?;
    ensure!(!seeds.is_empty(), "no seeds in {text:?}");
    Ok(seeds)
}

/// Runs seeds with MPIs, so many jobs at a time, and prints what is wrong.
///
/// # Errors
///
/// When a seed failed, or an MPI is not there.
pub fn run(
    seeds: &RangeInclusive<u64>,
    names: &[String],
    from: From,
    at_once: usize,
) -> Result<()> {
    let prefix = dist::lay_out(Profile::Release, &target().join("dist"))?;
    let mut failed = 0;
    for name in names {
        let truth = Truth::new(&prefix, Mpi::named(name, &prefix)?)?;
        let (mismatching, broken) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
        truth.check_all(
            seeds,
            at_once,
            |_| from,
            |seed, result| match result {
                Ok(wrong) if wrong.is_empty() => {}
                Ok(wrong) => {
                    let lines: Vec<String> =
                        wrong.iter().take(SHOWN).map(|line| format!("\n    {line}")).collect();
                    let (ranks, count) = (ranks(seed), wrong.len());
                    println!(
                        "{name}, seed {seed}, {ranks} ranks: {count} mismatches{}",
                        lines.concat()
                    );
                    mismatching.lock().unwrap().push(seed);
                }
                Err(error) => {
                    println!("{name}, seed {seed}, {} ranks: {error:#}", ranks(seed));
                    broken.lock().unwrap().push(seed);
                }
            },
        );
        let (mismatching, broken) =
            (mismatching.into_inner().unwrap(), broken.into_inner().unwrap());
        let count = seeds.end() - seeds.start() + 1;
        println!(
            "{name}: {count} seeds, {} with mismatches {mismatching:?}, {} that could not be \
             compared {broken:?}",
            mismatching.len(),
            broken.len()
        );
        failed += mismatching.len() + broken.len();
    }
    ensure!(failed == 0, "{failed} seeds failed");
    Ok(())
}
