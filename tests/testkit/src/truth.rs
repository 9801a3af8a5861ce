//! Compares what `mqd` shows of random programs (`fixtures/truth.c`) with what their ranks
//! recorded.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tempfile::TempDir;

use crate::cores::gcore;
use crate::expectation::{Difference, differences};
use crate::job::{Job, PATIENCE};
use crate::mpi::{Mpi, without_single_copy};
use crate::prefix::Prefix;
use crate::record::{self, Record};
use crate::workspace;

/// How often a live job is read until it shows what is expected. At first, ranks may not be in
/// their last calls yet.
const ATTEMPTS: u32 = 20;

/// What a seed's job is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadFrom {
    /// The live processes.
    Live,
    /// The live processes, then their core files by gdb's `gcore`.
    LiveAndCores,
}

/// The differences between a seed's report and what its ranks recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mismatches {
    /// Seen in the live processes.
    pub live: Vec<Difference>,
    /// Seen in the core files. They are read only if the live processes were right.
    pub cores: Vec<Difference>,
}

impl Mismatches {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.live.is_empty() && self.cores.is_empty()
    }

    /// A line for each.
    pub fn lines(&self) -> Vec<String> {
        let live = self.live.iter().map(ToString::to_string);
        let cores = self.cores.iter().map(|difference| format!("core files: {difference}"));
        live.chain(cores).collect()
    }
}

/// The core files of a job.
#[derive(Debug)]
pub struct CoreFiles {
    /// One for each rank, in their order.
    pub cores: Vec<PathBuf>,
    /// What the ranks recorded.
    pub records: Vec<Record>,
    _directory: TempDir,
}

/// Seeds that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failures {
    /// `mqd` shows something that is not as recorded.
    pub mismatching: Vec<u64>,
    /// The job or `mqd` could not be run.
    pub broken: Vec<u64>,
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

    /// Runs one seed. Returns the differences from what is expected.
    ///
    /// # Errors
    ///
    /// When the job ends or does not get ready, or `mqd` or `gcore` cannot be run.
    pub fn check(&self, seed: u64, from: ReadFrom) -> Result<Mismatches> {
        let directory = tempfile::tempdir()?;
        let mut job = self.start(seed, directory.path())?;
        let records = job.wait_for(directory.path(), PATIENCE, || {
            record::records(directory.path(), ranks(seed))
        })?;
        let (differences, report) = self.live(&job, &records)?;
        let mut wrong = Mismatches { live: differences, cores: Vec::new() };
        if from == ReadFrom::LiveAndCores && wrong.is_empty() {
            wrong.cores = self.cores(directory.path(), &records, &report)?;
        }
        job.end()?;
        Ok(wrong)
    }

    /// Runs one seed until `mqd` shows what is expected, writes core files of its ranks with gdb's
    /// `gcore`, and ends it.
    ///
    /// # Errors
    ///
    /// As for [`Truth::recording`].
    pub fn core_files(&self, seed: u64) -> Result<CoreFiles> {
        let directory = tempfile::tempdir()?;
        let mut job = self.start(seed, directory.path())?;
        let records = job.wait_for(directory.path(), PATIENCE, || {
            record::records(directory.path(), ranks(seed))
        })?;
        let (differences, report) = self.live(&job, &records)?;
        ensure!(differences.is_empty(), "seed {seed} is not read as recorded: {differences:?}");
        let cores = write_cores(directory.path(), &report)?;
        job.end()?;
        Ok(CoreFiles { cores, records, _directory: directory })
    }

    /// Runs one seed, reads it until it shows what is expected, and returns the records as they
    /// were written, and the report.
    ///
    /// # Errors
    ///
    /// As for [`Truth::check`], and when the job never shows what is expected.
    pub fn recording(&self, seed: u64) -> Result<(Vec<String>, Value)> {
        let directory = tempfile::tempdir()?;
        let mut job = self.start(seed, directory.path())?;
        let texts = job.wait_for(directory.path(), PATIENCE, || {
            (0..ranks(seed)).map(|rank| record::text(directory.path(), rank)).collect()
        })?;
        let texts: Vec<String> = texts;
        let records: Vec<Record> = texts.iter().map(|text| record::parse(text)).collect();
        let (differences, report) = self.live(&job, &records)?;
        ensure!(differences.is_empty(), "seed {seed} is not read as recorded: {differences:?}");
        job.end()?;
        Ok((texts, report))
    }

    /// Runs many seeds, `at_once` jobs at a time, and calls `report` for each that failed.
    ///
    /// # Panics
    ///
    /// When `report` panics.
    pub fn check_all(
        &self,
        seeds: &RangeInclusive<u64>,
        at_once: usize,
        from: impl Fn(u64) -> ReadFrom + Sync,
        report: impl Fn(u64, &Result<Mismatches>) + Sync,
    ) -> Failures {
        let waiting = Mutex::new(seeds.clone());
        let failures = Mutex::new(Failures::default());
        let work = || {
            // A statement of its own: the lock is not held while a seed runs.
            while let Some(seed) = { waiting.lock().expect("nothing panics with it").next() } {
                let result = self.check(seed, from(seed));
                let mut failures = failures.lock().expect("nothing panics with it");
                match &result {
                    Ok(wrong) if wrong.is_empty() => continue,
                    Ok(_) => failures.mismatching.push(seed),
                    Err(_) => failures.broken.push(seed),
                }
                drop(failures);
                report(seed, &result);
            }
        };
        thread::scope(|scope| (0..at_once).for_each(|_| drop(scope.spawn(work))));
        failures.into_inner().expect("nothing panics with it")
    }

    fn start(&self, seed: u64, directory: &Path) -> Result<Job> {
        let number = seed.to_string();
        let mut arguments = vec![number.as_str()];
        // Every other seed has operations that are matched and not complete.
        let matched = seed % 2 == 1 && self.mpi.coverage.matched_receives;
        arguments.extend(matched.then_some("matched"));
        arguments.extend((!self.mpi.coverage.receives_from_any).then_some("named"));
        let mut launch = self.mpi.launch(ranks(seed), &self.program, &arguments, directory);
        if matched {
            without_single_copy(&mut launch);
        }
        Job::launch_logged(launch, directory)
    }

    fn live(&self, job: &Job, records: &[Record]) -> Result<(Vec<Difference>, Value)> {
        let mut attempt = 0;
        loop {
            attempt += 1;
            let report = self.dump(&["--job".as_ref(), job.pid().to_string().as_ref()])?;
            let wrong = differences(self.mpi.coverage, records, &report);
            if wrong.is_empty() || attempt == ATTEMPTS {
                return Ok((wrong, report));
            }
            thread::sleep(Duration::from_millis(100));
        }
    }

    fn cores(&self, directory: &Path, records: &[Record], live: &Value) -> Result<Vec<Difference>> {
        let cores = write_cores(directory, live)?;
        let mut arguments = vec![Path::new("--core")];
        arguments.extend(cores.iter().map(PathBuf::as_path));
        Ok(differences(self.mpi.coverage, records, &self.dump(&arguments)?))
    }

    /// A dump as JSON. Processes that could not be read have their errors in there.
    fn dump(&self, arguments: &[&Path]) -> Result<Value> {
        let mut mqd = self.prefix.command("mqd");
        mqd.args(["dump", "--format", "json"]).args(arguments);
        workspace::json(mqd.stdin(Stdio::null()))
    }
}

/// Writes core files of the processes of a report with gdb's `gcore`, in their order.
fn write_cores(directory: &Path, live: &Value) -> Result<Vec<PathBuf>> {
    let processes = live["processes"].as_array().into_iter().flatten();
    let cores = processes.map(|process| {
        gcore(directory, process["pid"].as_u64().context("a live process has one")?)
    });
    cores.collect()
}

/// The number of ranks that a seed runs with: 2 to 4.
pub fn ranks(seed: u64) -> usize {
    2 + (seed / 2 % 3) as usize
}
