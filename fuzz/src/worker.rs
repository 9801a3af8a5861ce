//! Runs a target with inputs, one after the other, until it is ended.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rustix::process::{Resource, Rlimit, setrlimit};

use crate::targets::{Scratch, Target};

/// The file with the input that is being run.
pub(crate) const CURRENT: &str = "current";

/// The most bytes of address space of a worker: what `mqd` promises for reading, and the worker
/// itself.
const MEMORY: u64 = 2 << 30;
/// The largest size of an input, in bytes.
const LARGEST: usize = 16 << 20;
/// The most bytes of all inputs that a worker keeps in memory.
const KEPT: usize = 256 << 20;
/// How often a worker reports its progress.
const REPORT: Duration = Duration::from_secs(1);

/// The progress of a worker.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Progress {
    pub(crate) executions: u64,
    /// Inputs that led to something new.
    pub(crate) kept: u64,
}

impl Progress {
    pub(crate) fn parse(line: &str) -> Option<Progress> {
        let (executions, kept) = line.split_once(' ')?;
        Some(Progress { executions: executions.parse().ok()?, kept: kept.parse().ok()? })
    }
}

/// Runs until the process is ended.
pub(crate) fn run(target: &Target, seed: u64, seeds: &[PathBuf], output: &Path) -> Result<()> {
    setrlimit(Resource::As, Rlimit { current: Some(MEMORY), maximum: Some(MEMORY) })?;
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    let mut inputs = read(seeds)?;
    let mut room = KEPT.saturating_sub(inputs.iter().map(Vec::len).sum());
    ensure!(!inputs.is_empty(), "{}: no inputs to begin with", target.name);
    let scratch = Scratch::new()?;
    let current = File::create(output.join(CURRENT))?;
    let mut random = fastrand::Rng::with_seed(seed);
    let mut seen = HashSet::new();
    let mut progress = Progress::default();
    let mut told = Instant::now();
    let run = |input: &[u8]| -> Result<u64> {
        // The file stays if the process crashes.
        current.write_all_at(input, 0)?;
        current.set_len(input.len() as u64)?;
        Ok((target.run)(&scratch, input))
    };
    for input in &inputs {
        seen.insert(run(input)?);
    }
    loop {
        let mut input = inputs[random.usize(..inputs.len())].clone();
        let other = &inputs[random.usize(..inputs.len())];
        for _ in 0..1 << random.u32(0..5) {
            (target.mutate)(&mut random, &mut input, other);
        }
        input.truncate(LARGEST);
        progress.executions += 1;
        let signature = run(&input)?;
        if seen.insert(signature) {
            fs::write(output.join("kept").join(format!("{signature:016x}")), &input)?;
            progress.kept += 1;
            room = room.saturating_sub(input.len());
            if room > 0 {
                inputs.push(input);
            }
        }
        if told.elapsed() >= REPORT {
            told = Instant::now();
            let Progress { executions, kept } = progress;
            writeln!(std::io::stdout(), "{executions} {kept}")?;
        }
    }
}

/// The files of these folders, as many as are kept.
fn read(folders: &[PathBuf]) -> Result<Vec<Vec<u8>>> {
    let (mut inputs, mut room) = (Vec::new(), KEPT);
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        let mut files: Vec<_> = fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
        files.sort();
        for file in files.iter().filter(|file| file.is_file()) {
            let input = fs::read(file).with_context(|| file.display().to_string())?;
            room = room.saturating_sub(input.len());
            if room > 0 {
                inputs.push(input);
            }
        }
    }
    Ok(inputs)
}
