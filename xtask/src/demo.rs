//! `cargo xtask demo`: a job that deadlocks, and what `mqd` shows, in a minute.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use testkit::job::Job;
use testkit::packages;
use testkit::prefix::Prefix;
use testkit::workspace::{self, Profile, line, root, shown, target};

const RANKS: usize = 4;
/// Far more than a job takes to start on a slow machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// What `mqd check` returns for a deadlock (docs/check.md).
const DEADLOCKED: i32 = 10;

/// Builds, starts a job that deadlocks, shows its queues live and from core files, says why it
/// hangs, writes a report, and leaves nothing running.
///
/// # Errors
///
/// When a step fails. Everything that was started has then ended.
pub(crate) fn run() -> Result<()> {
    step("Building everything (the first time takes a while)");
    let prefix = Prefix::lay_out(Profile::Release, &target().join("dist"))?;
    let work = tempfile::Builder::new().prefix("demo-").tempdir_in(target())?;
    let program = work.path().join("deadlock");
    prefix.compile(&[root().join("fixtures/deadlock.c")], &program, &[])?;

    step(
        "Starting fixtures/deadlock.c with 4 processes. It passes a token around a ring, and \
         hangs.",
    );
    let mut job = Job::start(&prefix, RANKS, &program, |mpiexec| mpiexec)?;
    let before = hung(&prefix, &mut job)?;

    step("What are they waiting for? mqd reads it from the live processes, which run on.");
    let launcher = job.pid().to_string();
    show(mqd(&prefix, "dump").args(["--job", &launcher]))?;
    println!(
        "Rank 3 waits for a message with tag 8; the message that has come from rank 2 has tag 7. \
         Nobody can go on until\nrank 3 does: the others wait for their neighbour to receive."
    );

    let results = target().join("demo");
    fs::create_dir_all(&results)?;
    let snapshot = below_root(&results.join("job.mqd"));
    step(
        "Keeping what mqd needs to know of the job in a snapshot: kilobytes, to be looked at \
         later and elsewhere.",
    );
    show(mqd(&prefix, "capture").args(["--job", &launcher, "--output"]).arg(&snapshot))?;

    step("Taking a core file of each process, as after a crash. This uses gcore, a part of gdb.");
    if !packages::ensure(&["gdb"]).is_empty() || !packages::exists("gcore") {
        bail!("there is no gcore; install gdb to see the second half of the demo");
    }
    let cores = cores(&before, work.path())?;
    job.end()?;

    step("The job has been ended. mqd reads the same queues from the core files.");
    show(mqd(&prefix, "dump").arg("--core").args(&cores))?;
    let after = report(mqd(&prefix, "dump").arg("--core").args(&cores))?;
    ensure!(
        queues(&before) == queues(&after),
        "the core files show other queues than the live processes did"
    );
    println!("The queues are the same.");

    step("Why did it hang? mqd puts the queues of all ranks together.");
    let mut check = mqd(&prefix, "check");
    check.arg(&snapshot);
    println!("$ {}\n", shown_line(&check));
    let status = check.status()?;
    ensure!(status.code() == Some(DEADLOCKED), "mqd check did not find the deadlock: {status}");

    step("The same as a report to look at and to send to others.");
    let report = below_root(&results.join("report.html"));
    show(mqd(&prefix, "graph").args(["--format", "html", "--output"]).arg(&report).arg(&snapshot))?;
    println!(
        "Open {} in a browser: one file, with the graph, the table of operations and the \
         diagnosis.",
        report.display()
    );

    step(
        "Done, and nothing is left running. The tools are in target/dist/bin: try them on your \
         own program.",
    );
    println!(
        "   {0}/mpicc program.c -o program\n   {0}/mpiexec -n 4 ./program",
        shown(&prefix.directory.join("bin"))
    );
    Ok(())
}

fn step(text: &str) {
    println!("\n== {text}");
}

fn mqd(prefix: &Prefix, subcommand: &str) -> Command {
    let mut command = prefix.command("mqd");
    // Paths below it are shown, and given, without it.
    command.arg(subcommand).current_dir(root());
    command
}

fn below_root(path: &Path) -> PathBuf {
    path.strip_prefix(root()).unwrap_or(path).to_owned()
}

/// Shows a command and runs it.
fn show(command: &mut Command) -> Result<()> {
    println!("$ {}\n", shown_line(command));
    workspace::run(command)
}

fn shown_line(command: &Command) -> String {
    line(command).replace(&format!("{}/", root().display()), "")
}

fn report(command: &mut Command) -> Result<Value> {
    let text = workspace::output(command.args(["--format", "json"]).stdin(Stdio::null()))?;
    serde_json::from_str(&text).context("mqd wrote JSON that cannot be read")
}

/// Waits until the report shows every rank in its blocking call.
fn hung(prefix: &Prefix, job: &mut Job) -> Result<Value> {
    let begin = Instant::now();
    loop {
        let pid = job.pid().to_string();
        let report = report(mqd(prefix, "dump").args(["--job", &pid]));
        if let Ok(report) = &report
            && waiting(report) == RANKS
        {
            return Ok(report.clone());
        }
        if let Some(status) = job.mpiexec.try_wait()? {
            bail!("the job ended instead of hanging: {status}");
        }
        if begin.elapsed() > PATIENCE {
            let seen = report?;
            bail!(
                "after {} s only {} of {RANKS} ranks wait:\n{seen:#}",
                PATIENCE.as_secs(),
                waiting(&seen)
            );
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// How many ranks have something pending.
fn waiting(report: &Value) -> usize {
    let any = |communicator: &Value, queue: &str| {
        communicator[queue].as_array().is_some_and(|queue| !queue.is_empty())
    };
    let waits = |process: &&Value| {
        let mut communicators = process["communicators"].as_array().into_iter().flatten();
        communicators.any(|communicator| {
            any(communicator, "pending_sends") || any(communicator, "pending_receives")
        })
    };
    report["processes"].as_array().into_iter().flatten().filter(waits).count()
}

/// The part of a report that must be the same live and from core files.
fn queues(report: &Value) -> Vec<(&Value, &Value)> {
    let processes = report["processes"].as_array().into_iter().flatten();
    processes.map(|process| (&process["rank"], &process["communicators"])).collect()
}

fn cores(report: &Value, directory: &Path) -> Result<Vec<PathBuf>> {
    let mut cores = Vec::new();
    for process in report["processes"].as_array().into_iter().flatten() {
        let pid = process["pid"].as_u64().context("mqd told no process number")?;
        let rank = process["rank"].as_i64().unwrap_or_default();
        let name = directory.join(format!("core.rank{rank}"));
        let mut gcore = Command::new("gcore");
        workspace::output(gcore.arg("-o").arg(&name).arg(pid.to_string()).stdin(Stdio::null()))?;
        // gcore appends the process number to the name.
        let core = directory.join(format!("core.rank{rank}.{pid}"));
        let size = fs::metadata(&core)
            .with_context(|| format!("gcore wrote no {}", core.display()))?
            .len();
        let core = below_root(&core);
        println!("   rank {rank}: {} ({} MiB)", core.display(), size >> 20);
        cores.push(core);
    }
    Ok(cores)
}
