//! Disturbs running jobs: reads them, kills `mqd` while it reads, kills their processes. The jobs
//! check every message themselves (`fixtures/soak.c`).

use std::fs;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::job::{Job, PATIENCE};
use crate::mpi::Mpi;
use crate::prefix::Prefix;
use crate::process;
use crate::workspace;

/// Ranks of each job.
const RANKS: usize = 3;
/// The progress of a job is looked at once in this many reads.
const EVERY: usize = 25;
/// The longest that a job lives before one of its processes is killed.
const LONGEST_LIFE: Duration = Duration::from_millis(40);

/// How a job is disturbed.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// How often it is read.
    pub reads: usize,
    /// How often `mqd` is killed while it reads.
    pub kills: usize,
    /// The least time that it runs.
    pub time: Duration,
}

/// What a job counted.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    /// Messages that were received and checked by all ranks.
    pub messages: u64,
    /// The time that it ran.
    pub time: Duration,
}

/// Disturbs one job.
///
/// # Errors
///
/// When a read fails, a rank makes no progress, or a message was lost or changed.
pub fn disturb(prefix: &Prefix, mpi: &Mpi, plan: Plan) -> Result<Counted> {
    let directory = tempfile::tempdir()?;
    let begin = Instant::now();
    let (mut job, _) = start(mpi, directory.path())?;
    let mut random = Random(plan.reads as u64);
    let mut done = rounds(directory.path()).context("no progress")?;
    // `mqd` is killed at any moment of the time that it takes.
    let mut longest = LONGEST_LIFE;
    for index in 0..plan.reads + plan.kills {
        // The kills lie evenly among the reads.
        let all = plan.reads + plan.kills;
        if (index + 1) * plan.kills / all > index * plan.kills / all {
            let mut mqd = read(prefix, &job).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
            thread::sleep(random.below(longest));
            mqd.kill().context("cannot kill mqd")?;
            mqd.wait()?;
        } else {
            let begin = Instant::now();
            is_read(read(prefix, &job), mpi)?;
            longest = begin.elapsed();
        }
        if index % EVERY == 0 {
            done = job.wait_for(directory.path(), PATIENCE, || get_on(directory.path(), &done))?;
        }
    }
    while begin.elapsed() < plan.time {
        thread::sleep(Duration::from_secs(1).min(plan.time - begin.elapsed().min(plan.time)));
        done = job.wait_for(directory.path(), PATIENCE, || get_on(directory.path(), &done))?;
    }
    fs::write(directory.path().join("stop"), "")?;
    let status = ended(&mut job)?;
    let said = fs::read_to_string(directory.path().join("log"))?;
    ensure!(status.success(), "the job ended with {status}: {said}");
    Ok(Counted { messages: messages(&said)?, time: begin.elapsed() })
}

/// Kills ranks and launchers of jobs at random moments, this many times. Nothing is left of the
/// jobs.
///
/// # Errors
///
/// When a launcher does not end after the death of a rank, says that all went well, or leaves ranks
/// behind.
pub fn kill_processes(mpi: &Mpi, times: usize) -> Result<()> {
    let mut random = Random(times as u64);
    for time in 0..times {
        let directory = tempfile::tempdir()?;
        let (mut job, ranks) = start(mpi, directory.path())?;
        thread::sleep(random.below(LONGEST_LIFE));
        // Each rank in turn, then the launcher.
        let victim = ranks.get(time % (ranks.len() + 1)).copied().unwrap_or(job.pid());
        kill(Pid::from_raw(victim.cast_signed()), Signal::SIGKILL)?;
        let status = ended(&mut job).with_context(|| format!("after a kill of {victim}"))?;
        ensure!(!status.success(), "the launcher ended with {status} after a kill of {victim}");
        let begin = Instant::now();
        while let Some(left) = ranks.iter().find(|pid| lives(**pid)) {
            ensure!(begin.elapsed() < PATIENCE, "process {left} is left after a kill of {victim}");
            thread::sleep(Duration::from_millis(10));
        }
    }
    Ok(())
}

/// Starts a job and waits until all ranks have exchanged messages. Returns their process ids.
fn start(mpi: &Mpi, directory: &Path) -> Result<(Job, Vec<u32>)> {
    let program = mpi.compile("soak", directory)?;
    let launch = mpi.launch(RANKS, &program, &[], directory);
    let mut job = Job::launch_logged(launch, directory)?;
    job.wait_for(directory, PATIENCE, || rounds(directory))?;
    let ranks = (0..RANKS).map(|rank| Some(progress(directory, rank)?.0));
    Ok((job, ranks.collect::<Option<_>>().context("no progress")?))
}

fn read(prefix: &Prefix, job: &Job) -> Command {
    let mut mqd = prefix.command("mqd");
    mqd.args(["dump", "--format", "json", "--job", &job.pid().to_string()]).stdin(Stdio::null());
    mqd
}

/// Fails if something was not read that can be.
fn is_read(mut mqd: Command, mpi: &Mpi) -> Result<()> {
    // Exit code of `mqd dump`: something is missing.
    const SOME: i32 = 5;
    let output = mqd.output().context("mqd cannot be started")?;
    // The library does not keep its sends.
    let expected = output.status.code() == Some(SOME) && !mpi.coverage.sends;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success() || expected, "{}: {said}", workspace::line(&mqd));
    Ok(())
}

/// The process id and the rounds of a rank.
fn progress(directory: &Path, rank: usize) -> Option<(u32, u64)> {
    let text = fs::read_to_string(directory.join(format!("progress-{rank}"))).ok()?;
    let (pid, rounds) = text.trim().split_once(' ')?;
    Some((pid.parse().ok()?, rounds.trim().parse().ok()?))
}

/// The rounds of each rank.
fn rounds(directory: &Path) -> Option<Vec<u64>> {
    (0..RANKS).map(|rank| Some(progress(directory, rank)?.1)).collect()
}

/// The rounds of each rank, if all have got on.
fn get_on(directory: &Path, before: &[u64]) -> Option<Vec<u64>> {
    let now = rounds(directory)?;
    now.iter().zip(before).all(|(now, before)| now > before).then_some(now)
}

fn ended(job: &mut Job) -> Result<ExitStatus> {
    let begin = Instant::now();
    loop {
        if let Some(status) = job.mpiexec.try_wait()? {
            return Ok(status);
        }
        ensure!(begin.elapsed() < PATIENCE, "the launcher does not end");
        thread::sleep(Duration::from_millis(10));
    }
}

fn lives(pid: u32) -> bool {
    process::state(pid).is_some_and(|state| state != 'Z')
}

/// The messages that all ranks have checked: each rank receives one in a round.
fn messages(said: &str) -> Result<u64> {
    let mut messages = 0;
    for rank in 0..RANKS {
        let begin = format!("rank {rank}: ");
        let line = said.lines().find_map(|line| line.strip_prefix(&begin));
        let line = line.with_context(|| format!("rank {rank} says nothing: {said}"))?;
        let rounds = line.strip_suffix(" rounds, 0 wrong");
        let rounds = rounds.with_context(|| format!("rank {rank}: {line}"))?;
        messages += rounds.parse::<u64>()?;
    }
    Ok(messages)
}

/// Pseudo-random numbers, the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: Duration) -> Duration {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        limit.mul_f64((self.0 >> 40) as f64 / (1 << 24) as f64)
    }
}
