//! A program whose ranks record what they have pending, and what `mqd` shows of it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tempfile::TempDir;

use crate::cores::gcore;
use crate::expectation::{Difference, differences};
use crate::job::{Job, PATIENCE};
use crate::mpi::Mpi;
use crate::prefix::Prefix;
use crate::record::{self, Record};
use crate::workspace;

/// How often a live job is read until it shows what is expected. At first, ranks may not be in
/// their last calls yet.
const ATTEMPTS: u32 = 20;

/// What a job is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadFrom {
    /// The live processes.
    Live,
    /// The live processes, then their core files by gdb's `gcore`.
    LiveAndCores,
}

/// The differences between the report of a job and what its ranks recorded.
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

/// A program of `fixtures/`, compiled for an MPI.
#[derive(Debug)]
pub(crate) struct Program {
    prefix: Prefix,
    pub(crate) mpi: Mpi,
    path: PathBuf,
    _directory: TempDir,
}

/// How a job of a program is started.
#[derive(Clone, Debug, Default)]
pub(crate) struct Start {
    pub(crate) ranks: usize,
    pub(crate) arguments: Vec<String>,
    /// What is changed of the launcher's command, such as its environment.
    pub(crate) configure: Option<fn(&mut Command) -> &mut Command>,
}

impl Program {
    pub(crate) fn new(prefix: &Prefix, mpi: Mpi, fixture: &str) -> Result<Program> {
        let directory = tempfile::tempdir()?;
        let path = mpi.compile(fixture, directory.path())?;
        Ok(Program { prefix: prefix.clone(), mpi, path, _directory: directory })
    }

    /// Runs a job. Returns the differences from what is expected.
    pub(crate) fn check(&self, start: &Start, from: ReadFrom) -> Result<Mismatches> {
        let directory = tempfile::tempdir()?;
        let (mut job, texts) = self.start(start, directory.path())?;
        let records = parsed(&texts);
        let (differences, report) = self.live(&job, &records)?;
        let mut wrong = Mismatches { live: differences, cores: Vec::new() };
        if from == ReadFrom::LiveAndCores && wrong.is_empty() {
            wrong.cores = self.cores(directory.path(), &records, &report)?;
        }
        job.end()?;
        Ok(wrong)
    }

    /// Runs a job until `mqd` shows what is expected, writes core files of its ranks with gdb's
    /// `gcore`, and ends it.
    pub(crate) fn core_files(&self, start: &Start) -> Result<CoreFiles> {
        let directory = tempfile::tempdir()?;
        let (mut job, texts) = self.start(start, directory.path())?;
        let records = parsed(&texts);
        let (differences, report) = self.live(&job, &records)?;
        ensure!(differences.is_empty(), "it is not read as recorded: {differences:?}");
        let cores = write_cores(directory.path(), &report)?;
        job.end()?;
        Ok(CoreFiles { cores, records, _directory: directory })
    }

    /// Runs a job, reads it until it shows what is expected, and returns the records as they were
    /// written, and the report.
    pub(crate) fn recording(&self, start: &Start) -> Result<(Vec<String>, Value)> {
        let directory = tempfile::tempdir()?;
        let (mut job, texts) = self.start(start, directory.path())?;
        let (differences, report) = self.live(&job, &parsed(&texts))?;
        ensure!(differences.is_empty(), "it is not read as recorded: {differences:?}");
        job.end()?;
        Ok((texts, report))
    }

    /// A job, and what its ranks have written.
    fn start(&self, start: &Start, directory: &Path) -> Result<(Job, Vec<String>)> {
        let arguments: Vec<&str> = start.arguments.iter().map(String::as_str).collect();
        let mut launch = self.mpi.launch(start.ranks, &self.path, &arguments, directory);
        if let Some(configure) = start.configure {
            configure(&mut launch);
        }
        let mut job = Job::launch_logged(launch, directory)?;
        let texts = job.wait_for(directory, PATIENCE, || {
            (0..start.ranks).map(|rank| record::text(directory, rank)).collect()
        })?;
        Ok((job, texts))
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

fn parsed(texts: &[String]) -> Vec<Record> {
    texts.iter().map(|text| record::parse(text)).collect()
}

/// Writes core files of the processes of a report with gdb's `gcore`, in their order.
fn write_cores(directory: &Path, live: &Value) -> Result<Vec<PathBuf>> {
    let processes = live["processes"].as_array().into_iter().flatten();
    let cores = processes.map(|process| {
        gcore(directory, process["pid"].as_u64().context("a live process has one")?)
    });
    cores.collect()
}
