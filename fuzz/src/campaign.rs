//! One process watches another, which an input may crash or hang.

use std::fmt;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::targets::Target;
use crate::worker::{CURRENT, Progress};

/// The longest time of the processor for an input.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest time for an input by the clock. On a loaded machine a worker may have to wait.
const LONGEST: Duration = Duration::from_secs(600);

/// The result of a campaign.
#[derive(Debug)]
pub(crate) struct Summary {
    target: &'static str,
    executions: u64,
    kept: u64,
    seconds: f64,
    /// Inputs that ended a worker, or took too long.
    pub(crate) findings: usize,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Summary { target, executions, kept, seconds, findings } = self;
        let rate = *executions as f64 / seconds.max(0.001);
        write!(
            f,
            "{target:16} {executions:>11} executions {rate:>9.0}/s {kept:>6} inputs kept \
             {findings:>3} findings"
        )
    }
}

/// Runs workers until the time is over.
pub(crate) fn run(
    target: &'static Target,
    time: Duration,
    seed: u64,
    seeds: &[PathBuf],
    output: &Path,
) -> Result<Summary> {
    let output = output.join(target.name);
    fs::create_dir_all(output.join("kept"))?;
    // A worker is killed, and does not remove its files.
    let temporary = tempfile::tempdir()?;
    let begin = Instant::now();
    let mut summary =
        Summary { target: target.name, executions: 0, kept: 0, seconds: 0.0, findings: 0 };
    let mut seed = seed;
    while begin.elapsed() < time {
        let left = time.saturating_sub(begin.elapsed());
        let mut worker = start(target, seed, seeds, &output, temporary.path())?;
        let (progress, how) = watch(&mut worker, left)?;
        summary.executions += progress.executions;
        summary.kept += progress.kept;
        if let Some(how) = how {
            let finding = output.join(format!("finding-{seed}-{how}"));
            fs::copy(output.join(CURRENT), &finding).context("the input of a finding")?;
            eprintln!("{}: {how}: {}", target.name, finding.display());
            summary.findings += 1;
        }
        seed += 1;
    }
    let _ = fs::remove_file(output.join(CURRENT));
    summary.seconds = begin.elapsed().as_secs_f64();
    Ok(summary)
}

fn start(
    target: &Target,
    seed: u64,
    seeds: &[PathBuf],
    output: &Path,
    temporary: &Path,
) -> Result<Child> {
    Command::new(std::env::current_exe()?)
        .env("TMPDIR", temporary)
        .args(["worker", target.name, &seed.to_string()])
        .arg(output)
        .args(seeds)
        .arg(output.join("kept"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start a worker")
}

/// The worker's progress, and what ended it early.
fn watch(worker: &mut Child, time: Duration) -> Result<(Progress, Option<&'static str>)> {
    let output = worker.stdout.take().context("a worker has an output")?;
    let (sender, lines) = mpsc::channel();
    let reader = thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    let (begin, mut progress) = (Instant::now(), Progress::default());
    let (mut told, mut used) = (begin, processor_time(worker.id()));
    let how = loop {
        if begin.elapsed() >= time {
            break None;
        }
        match lines.recv_timeout(Duration::from_secs(1)) {
            Ok(line) => {
                progress = Progress::parse(&line).unwrap_or(progress);
                (told, used) = (Instant::now(), processor_time(worker.id()));
            }
            Err(RecvTimeoutError::Timeout) => {
                let lately = processor_time(worker.id()).saturating_sub(used);
                if lately > PATIENCE || told.elapsed() > LONGEST {
                    break Some("slow");
                }
            }
            Err(RecvTimeoutError::Disconnected) => break Some("ended"),
        }
    };
    let _ = worker.kill();
    worker.wait()?;
    let _ = reader.join();
    Ok((progress, how))
}

/// How long the main thread of a process has had a processor.
fn processor_time(pid: u32) -> Duration {
    let text = fs::read_to_string(format!("/proc/{pid}/schedstat")).unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|number| number.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}
