//! `cargo xtask verdict`: random programs (`fixtures/verdict.c`) of which it is known who is stuck,
//! against what `mqd check` says.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use mqd_report::check::{Diagnosis, Verdict};
use tempfile::TempDir;

use crate::dist::{self, Prefix};
use crate::job::Job;
use crate::mpi::Mpi;
use crate::truth::{From, PATIENCE, gcore};
use crate::workspace::{Profile, target};

/// How often a deadlocked job is looked at until it is called so: its ranks may still be on their
/// way into their last call.
const ATTEMPTS: u32 = 30;
/// How often a slow job is looked at, to find a moment at which it looks deadlocked.
const LOOKS: u32 = 6;

/// The program, compiled for an MPI.
#[derive(Debug)]
pub struct Verdicts {
    prefix: Prefix,
    mpi: Mpi,
    program: PathBuf,
    _directory: TempDir,
}

/// What came of a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The verdict was right, and so were the ranks.
    Right,
    /// The job is deadlocked, and `mqd` says that it cannot tell.
    Undecided,
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
        Ok(Verdicts { prefix: prefix.clone(), mpi, program, _directory: directory })
    }

    /// Runs one seed: even ones are deadlocked, odd ones slow.
    ///
    /// # Errors
    ///
    /// When `mqd` calls ranks stuck that are not; when the job ends, or something cannot be run.
    pub fn check(&self, seed: u64, from: From) -> Result<Found> {
        let slow = seed % 2 == 1;
        let ranks = 4 + (seed / 2 % 5) as usize;
        let directory = tempfile::tempdir()?;
        let mut launch = self.mpi.launch(
            ranks,
            &self.program,
            &[&seed.to_string(), if slow { "slow" } else { "deadlock" }],
            directory.path(),
        );
        let log = File::create(directory.path().join("log"))?;
        launch.stdout(log.try_clone()?).stderr(log);
        let mut job = Job::launch(launch)?;
        let stuck = recorded(&mut job, directory.path(), ranks)?;
        let pid = job.pid().to_string();
        let mut found = Found::Undecided;
        for _ in 0..if slow { LOOKS } else { ATTEMPTS } {
            let diagnosis = self.diagnose(&["--recheck", "0.2", &pid])?;
            let complete = sound(&diagnosis, &stuck)?;
            if complete && !slow {
                found = Found::Right;
                break;
            }
        }
        if from == From::LiveAndCores {
            let ranks = mqd_host::job::members(job.pid())?.members;
            let cores = ranks
                .iter()
                .map(|rank| gcore(directory.path(), rank.pid.into()))
                .collect::<Result<Vec<_>>>()?;
            let mut arguments = vec!["--core"];
            arguments.extend(cores.iter().map(String::as_str));
            let complete = sound(&self.diagnose(&arguments)?, &stuck).context("core files")?;
            ensure!(
                complete || found == Found::Undecided || self.mpi.name != "companion",
                "the core files tell less than the live job"
            );
        }
        job.end()?;
        Ok(if slow { Found::Right } else { found })
    }

    fn diagnose(&self, arguments: &[&str]) -> Result<Diagnosis> {
        let mut mqd = self.prefix.command("mqd");
        let output = mqd
            .args(["check", "--format", "json"])
            .args(arguments)
            .stdin(Stdio::null())
            .output()?;
        serde_json::from_slice(&output.stdout).with_context(|| {
            format!("mqd ({}): {}", output.status, String::from_utf8_lossy(&output.stderr))
        })
    }
}

/// Is a verdict right, and does it name all that are stuck? An error if it names others.
fn sound(diagnosis: &Diagnosis, stuck: &BTreeSet<i64>) -> Result<bool> {
    match diagnosis.verdict {
        Verdict::Deadlocked => {
            let named: BTreeSet<i64> = diagnosis.stuck.iter().collect();
            ensure!(
                named.is_subset(stuck),
                "{stuck:?} are stuck, and mqd says {named:?}: {diagnosis:#?}"
            );
            Ok(named == *stuck)
        }
        // A look may come before the last ranks are where they get stuck.
        Verdict::NotDeadlocked => Ok(stuck.is_empty()),
        Verdict::Insufficient => Ok(false),
    }
}

/// Waits until all ranks have said what they are: those that are stuck.
fn recorded(job: &mut Job, directory: &Path, ranks: usize) -> Result<BTreeSet<i64>> {
    let begin = Instant::now();
    let verdict =
        |rank: usize| fs::read_to_string(directory.join(format!("rank-{rank}.verdict"))).ok();
    loop {
        let records: Option<Vec<String>> = (0..ranks).map(verdict).collect();
        if let Some(records) = records {
            let stuck = (0..).zip(records).filter(|(_, record)| record == "stuck");
            return Ok(stuck.map(|(rank, _)| rank).collect());
        }
        let log = || fs::read_to_string(directory.join("log")).unwrap_or_default();
        if let Some(status) = job.mpiexec.try_wait()? {
            bail!("the job ended ({status}): {}", log());
        }
        ensure!(
            begin.elapsed() < PATIENCE,
            "the job is not ready after {} s: {}",
            PATIENCE.as_secs(),
            log()
        );
        thread::sleep(Duration::from_millis(10));
    }
}

/// Runs seeds with MPIs, and prints what is wrong.
///
/// # Errors
///
/// When a verdict was wrong, or a seed could not be run.
pub fn run(seeds: &RangeInclusive<u64>, names: &[String], from: From) -> Result<()> {
    let prefix = dist::lay_out(Profile::Release, &target().join("dist"))?;
    let mut failed = 0;
    for name in names {
        let verdicts = Verdicts::new(&prefix, Mpi::named(name, &prefix)?)?;
        let (mut right, mut undecided) = (0, Vec::new());
        for seed in seeds.clone() {
            match verdicts.check(seed, from) {
                Ok(Found::Right) => right += 1,
                Ok(Found::Undecided) => undecided.push(seed),
                Err(error) => {
                    println!("{name}, seed {seed}: {error:#}");
                    failed += 1;
                }
            }
        }
        println!("{name}: {right} right, {} deadlocks undecided {undecided:?}", undecided.len());
    }
    ensure!(failed == 0, "{failed} seeds failed");
    Ok(())
}
