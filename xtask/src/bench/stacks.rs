//! `cargo xtask bench stacks`: the time to read the call stack of a rank, compared in the same run
//! with gdb, and for Python with py-spy.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use testkit::job::Job;
use testkit::mpi::Mpi;
use testkit::packages;
use testkit::prefix::Prefix;
use testkit::workspace::{self, Profile, root, target};

/// Runs of each: noise only adds time, so the best counts.
const RUNS: usize = 5;

/// Prints the tables.
///
/// # Errors
///
/// When building, a job, gdb, py-spy or `mqd` fails.
pub(crate) fn run(ranks: &[usize]) -> Result<()> {
    packages::ensure(&["gdb", "python3-mpi4py"]);
    let tools = target().join("py-spy");
    let py_spy = packages::python(&["py-spy==0.4.3"], &tools)?.with_file_name("py-spy");
    let prefix = Prefix::lay_out(Profile::Release, &target().join("dist"))?;
    let work = tempfile::tempdir()?;
    let program = work.path().join("where");
    prefix.compile(&[root().join("fixtures/where.c")], &program, &["-O2"])?;
    println!(
        "the stacks of all ranks with lines of the source; the best of {RUNS} runs that take \
         turns, in ms for each rank\n"
    );
    println!("{:24} {:>6} {:>10} {:>20} {:>8}", "program", "ranks", "mqd stacks", "peer", "ratio");
    for &ranks in ranks {
        let job = Job::start(&prefix, ranks, &program, |mpiexec| mpiexec.stdout(Stdio::null()))?;
        let gdb = |pid: &String| {
            let mut gdb = workspace::command("gdb");
            gdb.args(["-nx", "-batch", "-iex", "set debuginfod enabled off"]);
            gdb.args(["-ex", "bt", "-p", pid]).stdin(Stdio::null());
            gdb
        };
        row(&prefix, job, ranks, ("fixtures/where.c", 3, "gdb bt"), gdb)?;
    }
    let script = root().join("fixtures/hangs/python_ssend_ring.py");
    let script = script.to_str().context("a path in UTF-8")?;
    let ranks = 3;
    let python = Path::new("/usr/bin/python3");
    let launch = Mpi::debian_open_mpi().launch(ranks, python, &[script], work.path());
    let job = Job::launch_logged(launch, work.path())?;
    let read = |pid: &String| {
        let mut command = Command::new(&py_spy);
        command.args(["dump", "--pid", pid]).stdin(Stdio::null());
        command
    };
    row(&prefix, job, ranks, ("python_ssend_ring.py", 1, "py-spy dump"), read)?;
    Ok(())
}

/// A row of the table: the program, how many frames with lines each rank has where it stays, and
/// the peer, which reads the rank with a process id.
fn row(
    prefix: &Prefix,
    mut job: Job,
    ranks: usize,
    (program, lines, peer): (&str, usize, &str),
    read: impl Fn(&String) -> Command,
) -> Result<()> {
    let pids = arrived(prefix, &job, ranks, lines)?;
    let (mut ours, mut theirs) = (Duration::MAX, Duration::MAX);
    for _ in 0..RUNS {
        let mut mqd = prefix.command("mqd");
        mqd.args(["stacks", "--format", "json", "--job", &job.pid().to_string()]);
        ours = ours.min(time(&mut [mqd])?);
        theirs = theirs.min(time(&mut pids.iter().map(&read).collect::<Vec<_>>())?);
    }
    job.end()?;
    let each = |time: Duration| time.as_secs_f64() * 1e3 / ranks as f64;
    let (ours, theirs) = (each(ours), each(theirs));
    let peer = format!("{theirs:.2}, {peer}");
    println!("{program:24} {ranks:>6} {ours:>10.2} {peer:>20} {:>8.4}", ours / theirs);
    Ok(())
}

/// Waits until all ranks stay where they are; their process ids.
fn arrived(prefix: &Prefix, job: &Job, ranks: usize, lines: usize) -> Result<Vec<String>> {
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
            if processes.len() == ranks && processes.iter().all(|process| names(process) >= lines) {
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
