//! `cargo xtask bench stacks`: the time to read the call stack of a rank, compared with gdb in the
//! same run.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::Value;

use testkit::job::Job;
use testkit::packages;
use testkit::prefix::Prefix;
use testkit::workspace::{self, Profile, root, target};

/// Runs of each: noise only adds time, so the best counts.
const RUNS: usize = 5;

/// Prints the table.
///
/// # Errors
///
/// When building, the job, gdb or `mqd` fails.
pub(crate) fn run(ranks: &[usize]) -> Result<()> {
    packages::ensure(&["gdb"]);
    let prefix = Prefix::lay_out(Profile::Release, &target().join("dist"))?;
    let work = tempfile::tempdir()?;
    let program = work.path().join("where");
    prefix.compile(&[root().join("fixtures/where.c")], &program, &["-O2"])?;
    println!(
        "the stacks of all ranks of fixtures/where.c with lines of the source; the best of {RUNS} \
         runs that take turns, in ms for each rank\n"
    );
    println!("{:>6} {:>10} {:>10} {:>8}", "ranks", "mqd stacks", "gdb bt", "ratio");
    for &ranks in ranks {
        let mut job =
            Job::start(&prefix, ranks, &program, |mpiexec| mpiexec.stdout(Stdio::null()))?;
        let pids = arrived(&prefix, &job, ranks)?;
        let (mut ours, mut gdbs) = (Duration::MAX, Duration::MAX);
        for _ in 0..RUNS {
            let mut mqd = prefix.command("mqd");
            mqd.args(["stacks", "--format", "json", "--job", &job.pid().to_string()]);
            ours = ours.min(time(&mut [mqd])?);
            let gdb = |pid: &String| {
                let mut gdb = workspace::command("gdb");
                gdb.args(["-nx", "-batch", "-iex", "set debuginfod enabled off"]);
                gdb.args(["-ex", "bt", "-p", pid]).stdin(Stdio::null());
                gdb
            };
            gdbs = gdbs.min(time(&mut pids.iter().map(gdb).collect::<Vec<_>>())?);
        }
        job.end()?;
        let each = |time: Duration| time.as_secs_f64() * 1e3 / ranks as f64;
        let (ours, gdbs) = (each(ours), each(gdbs));
        println!("{ranks:>6} {ours:>10.2} {gdbs:>10.2} {:>8.4}", ours / gdbs);
    }
    Ok(())
}

/// Waits until all ranks stay where they are; their process ids.
fn arrived(prefix: &Prefix, job: &Job, ranks: usize) -> Result<Vec<String>> {
    let begin = Instant::now();
    loop {
        let mut mqd = prefix.command("mqd");
        mqd.args(["dump", "--format", "json", "--job", &job.pid().to_string()]);
        let output = mqd.output()?;
        if output.status.success() {
            let report: Value = serde_json::from_slice(&output.stdout)?;
            let processes = report["processes"].as_array().map(Vec::as_slice).unwrap_or_default();
            let names = |process: &Value| {
                let frames = process["stacks"][0]["frames"].as_array().cloned().unwrap_or_default();
                frames.iter().filter(|frame| frame["line"].is_u64()).count()
            };
            if processes.len() == ranks && processes.iter().all(|process| names(process) >= 3) {
                return Ok(processes.iter().map(|process| process["pid"].to_string()).collect());
            }
        }
        ensure!(begin.elapsed() < testkit::job::PATIENCE, "the ranks do not get where they stay");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// How long commands take, one after the other.
fn time(commands: &mut [Command]) -> Result<Duration> {
    let begin = Instant::now();
    for command in commands {
        let output = command.output()?;
        ensure!(output.status.success(), "{}: {output:?}", workspace::line(command));
    }
    Ok(begin.elapsed())
}
