//! Compares what `mqd` shows of random programs (`fixtures/truth.c`) with what their ranks
//! recorded.

use std::ops::RangeInclusive;
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::mpi::{Mpi, without_single_copy};
use crate::prefix::Prefix;
use crate::recorded::{CoreFiles, Mismatches, Program, ReadFrom, Start};

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
pub struct Truth(Program);

impl Truth {
    /// Compiles it.
    ///
    /// # Errors
    ///
    /// When the compiler fails.
    pub fn new(prefix: &Prefix, mpi: Mpi) -> Result<Truth> {
        Program::new(prefix, mpi, "truth").map(Truth)
    }

    /// Runs one seed. Returns the differences from what is expected.
    ///
    /// # Errors
    ///
    /// When the job ends or does not get ready, or `mqd` or `gcore` cannot be run.
    pub fn check(&self, seed: u64, from: ReadFrom) -> Result<Mismatches> {
        self.0.check(&self.start(seed), from)
    }

    /// Runs one seed until `mqd` shows what is expected, writes core files of its ranks with gdb's
    /// `gcore`, and ends it.
    ///
    /// # Errors
    ///
    /// As for [`Truth::recording`].
    pub fn core_files(&self, seed: u64) -> Result<CoreFiles> {
        self.0.core_files(&self.start(seed)).with_context(|| format!("seed {seed}"))
    }

    /// Runs one seed, reads it until it shows what is expected, and returns the records as they
    /// were written, and the report.
    ///
    /// # Errors
    ///
    /// As for [`Truth::check`], and when the job never shows what is expected.
    pub fn recording(&self, seed: u64) -> Result<(Vec<String>, Value)> {
        self.0.recording(&self.start(seed)).with_context(|| format!("seed {seed}"))
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

    fn start(&self, seed: u64) -> Start {
        let coverage = self.0.mpi.coverage;
        let mut arguments = vec![seed.to_string()];
        // Every other seed has operations that are matched and not complete.
        let matched = seed % 2 == 1 && coverage.matched_receives;
        arguments.extend(matched.then(|| "matched".to_owned()));
        arguments.extend((!coverage.receives_from_any).then(|| "named".to_owned()));
        let configure = matched.then_some(without_single_copy as fn(&mut _) -> &mut _);
        Start { ranks: ranks(seed), arguments, configure }
    }
}

/// The number of ranks that a seed runs with: 2 to 4.
pub fn ranks(seed: u64) -> usize {
    2 + (seed / 2 % 3) as usize
}
