//! Compares what `mqd check` says about random programs (`fixtures/verdict.c`) with the ranks that
//! are known to be stuck.

mod judge;

use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tempfile::TempDir;

pub use self::judge::{Answer, Below, False, Found, Judge, Ranks, Score, Verdict, Worth};
use crate::cores::gcore;
use crate::job::{Job, PATIENCE};
use crate::mpi::Mpi;
use crate::prefix::Prefix;
use crate::recorded::ReadFrom;
use crate::workspace;

/// How often a deadlocked job is checked until the verdict says so. At first, its ranks may not be
/// in their last calls yet.
const ATTEMPTS: u32 = 30;
/// How often a slow job is checked, to find a moment at which it looks deadlocked, unless told.
pub const LOOKS: u32 = 6;

/// The program, compiled for an MPI.
#[derive(Debug)]
pub struct Verdicts {
    prefix: Prefix,
    mpi: Mpi,
    program: PathBuf,
    looks_at_slow: u32,
    looks: AtomicU64,
    _directory: TempDir,
}

impl Verdicts {
    /// Compiles it.
    ///
    /// # Errors
    ///
    /// When the compiler fails.
    pub fn new(prefix: &Prefix, mpi: Mpi) -> Result<Verdicts> {
        let directory = tempfile::tempdir()?;
        let program = mpi.compile("verdict", directory.path())?;
        let looks = AtomicU64::new(0);
        let prefix = prefix.clone();
        Ok(Verdicts { prefix, mpi, program, looks_at_slow: LOOKS, looks, _directory: directory })
    }

    /// Checks each slow job so often.
    #[must_use]
    pub fn looking(self, looks_at_slow: u32) -> Verdicts {
        Verdicts { looks_at_slow, ..self }
    }

    /// How many verdicts of live jobs were judged.
    pub fn looks(&self) -> u64 {
        self.looks.load(Ordering::Relaxed)
    }

    /// Runs seeds, and calls `report` for each.
    pub fn check_all(
        &self,
        seeds: &RangeInclusive<u64>,
        from: impl Fn(u64) -> ReadFrom,
        report: impl Fn(u64, &Result<Found>),
    ) -> Score {
        let mut score = Score::default();
        for seed in seeds.clone() {
            let found = self.check(seed, from(seed));
            match &found {
                Ok(Found::Right) => score.right.push(seed),
                Ok(Found::Undecided) => score.undecided.push(seed),
                Err(_) => score.failed.push(seed),
            }
            report(seed, &found);
        }
        score
    }

    /// Runs one seed: even ones are deadlocked, odd ones slow.
    ///
    /// # Errors
    ///
    /// When `mqd` says something false, when the job ends, or something cannot be run.
    pub fn check(&self, seed: u64, from: ReadFrom) -> Result<Found> {
        let directory = tempfile::tempdir()?;
        let (mut job, stuck) = self.start(seed, directory.path())?;
        let pid = job.pid().to_string();
        let is_slow = stuck.is_empty();
        let mut judge = Judge::new(stuck.clone());
        for _ in 0..if is_slow { self.looks_at_slow } else { ATTEMPTS } {
            let worth = self.look(&mut judge, &pid)?;
            if worth == Worth::Right && !is_slow {
                // A deadlock does not go away, so another look must not contradict.
                self.look(&mut judge, &pid)?;
                break;
            }
        }
        let found = judge.conclude()?;
        if from == ReadFrom::LiveAndCores {
            let of_cores = self.cores(directory.path(), &pid, stuck).context("core files")?;
            // The companion runtime's structures have the same information in a core file.
            ensure!(
                of_cores == Found::Right || found == Found::Undecided || !self.mpi.coverage.state,
                "the core files tell less than the live job"
            );
        }
        job.end()?;
        Ok(found)
    }

    /// Starts a seed's job and waits until all ranks have recorded whether they get stuck. Returns
    /// the ranks that are stuck, or are about to be.
    ///
    /// # Errors
    ///
    /// When the job ends or does not get ready.
    pub fn start(&self, seed: u64, directory: &Path) -> Result<(Job, Ranks)> {
        let ranks = 4 + (seed / 2 % 5) as usize;
        let what = if seed % 2 == 1 { "slow" } else { "deadlock" };
        let launch = self.mpi.launch(ranks, &self.program, &[&seed.to_string(), what], directory);
        let mut job = Job::launch_logged(launch, directory)?;
        let record =
            |rank: usize| fs::read_to_string(directory.join(format!("rank-{rank}.verdict"))).ok();
        let records: Vec<String> =
            job.wait_for(directory, PATIENCE, || (0..ranks).map(record).collect())?;
        let stuck = (0..).zip(records).filter(|(_, record)| record == "stuck");
        Ok((job, stuck.map(|(rank, _)| rank).collect()))
    }

    /// Asks `mqd check`, and judges the answer.
    fn look(&self, judge: &mut Judge, pid: &str) -> Result<Worth> {
        let said = self.ask(&["--recheck".as_ref(), "0.2".as_ref(), pid.as_ref()])?;
        self.looks.fetch_add(1, Ordering::Relaxed);
        hear(judge, &said)
    }

    /// Judges what `mqd check` says about core files of the job.
    fn cores(&self, directory: &Path, pid: &str, stuck: Ranks) -> Result<Found> {
        let mut dump = self.prefix.command("mqd");
        dump.args(["dump", "--format", "json", "--job", pid]).stdin(Stdio::null());
        let report: Value = workspace::json(&mut dump)?;
        let processes = report["processes"].as_array().context("a report has processes")?;
        let pid = |process: &Value| process["pid"].as_u64().context("a live process has a number");
        let cores = processes.iter().map(|process| gcore(directory, pid(process)?));
        let cores = cores.collect::<Result<Vec<_>>>()?;
        let mut arguments = vec![Path::new("--core")];
        arguments.extend(cores.iter().map(PathBuf::as_path));
        let mut judge = Judge::new(stuck).settled();
        hear(&mut judge, &self.ask(&arguments)?)?;
        Ok(judge.conclude()?)
    }

    /// What `mqd check` says, as JSON.
    ///
    /// # Errors
    ///
    /// When it cannot be run, or writes no JSON.
    pub fn ask(&self, arguments: &[&Path]) -> Result<Value> {
        let mut mqd = self.prefix.command("mqd");
        mqd.args(["check", "--format", "json"]).args(arguments);
        workspace::json(mqd.stdin(Stdio::null()))
    }
}

/// Judges an answer. An error contains the whole answer.
fn hear(judge: &mut Judge, said: &Value) -> Result<Worth> {
    let answer: Answer = serde_json::from_value(said.clone())?;
    judge.hear(&answer).with_context(|| format!("{said:#}"))
}
