//! `mqd guard` around real jobs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use mqd_tests::{PATIENCE, mpi, prefix, run};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use testkit::mpi::Mpi;
use testkit::workspace::root;

/// The MPI of a guarded job, and the directory of its report.
struct Guarded {
    mpi: Mpi,
    directory: tempfile::TempDir,
}

impl Guarded {
    fn new(mpi: &str) -> Guarded {
        Guarded { mpi: self::mpi(mpi), directory: tempfile::tempdir().expect("there is room") }
    }

    fn report(&self) -> PathBuf {
        self.directory.path().join("report")
    }

    /// A program of the corpus with this many ranks, under `mqd guard` with these options.
    fn hangs(&self, program: &str, ranks: usize, options: &[&str]) -> Command {
        let source = root().join("fixtures/hangs").join(program);
        self.guard(&source, ranks, options)
    }

    fn guard(&self, source: &Path, ranks: usize, options: &[&str]) -> Command {
        let directory = self.directory.path();
        let executable = self.mpi.compile_file(source, directory).expect("it compiles");
        let job = self.mpi.launch(ranks, &executable, &[], directory);
        let mut guard = prefix().command("mqd");
        guard.args(["guard", "--every", "0.2", "-o"]).arg(self.report()).args(options).arg("--");
        guard.arg(job.get_program()).args(job.get_args()).current_dir(directory);
        guard.stdin(Stdio::null());
        for (name, value) in job.get_envs() {
            match value {
                Some(value) => guard.env(name, value),
                None => guard.env_remove(name),
            };
        }
        guard
    }
}

/// A deadlock is reported, and with `--kill` the job is ended.
fn deadlocked(mpi: &str) {
    let guarded = Guarded::new(mpi);
    let (code, _, said) = run(&mut guarded.hangs("recv_recv.c", 2, &["--kill"]));
    assert_eq!(code, 10, "{said}");
    let report = guarded.report();
    let read = |name: &str| fs::read_to_string(report.join(name)).expect(name);
    let text = read("check.txt");
    assert!(text.starts_with("deadlocked: ranks 0-1 "), "{text}");
    assert!(text.contains("recv_recv.c:"), "{text}");
    assert!(said.contains("mqd: guard: the job hangs\n"), "{said}");
    assert!(said.contains("deadlocked: ranks 0-1 "), "{said}");
    assert!(said.contains(&format!("the report is in {}", report.display())), "{said}");
    let json: serde_json::Value = serde_json::from_str(&read("check.json")).expect("it is JSON");
    assert_eq!(json["verdict"], "deadlocked");
    assert!(read("report.html").contains("deadlocked"));
    // The snapshot gives the same verdict.
    let snapshot = report.join("job.mqd");
    let (code, check, _) = run(prefix().command("mqd").arg("check").arg(&snapshot));
    assert_eq!(code, 10, "{check}");
    // No rank is left.
    let mut dump = prefix().command("mqd");
    let (_, dump, _) = run(dump.args(["dump", "--format", "json"]).arg(&snapshot));
    let dump: serde_json::Value = serde_json::from_str(&dump).expect("it is JSON");
    let processes = dump["processes"].as_array().expect("a report has processes");
    assert_eq!(processes.len(), 2);
    for process in processes {
        let pid = process["pid"].as_u64().expect("a live process has an id");
        let status = || fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        // A process that has been killed takes a moment to end.
        let begin = Instant::now();
        while !(status().is_empty() || status().contains("State:\tZ")) {
            assert!(begin.elapsed() < PATIENCE, "{}", status());
            thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn a_deadlock_on_the_companion() {
    deadlocked("companion");
}

#[test]
fn a_deadlock_on_open_mpi() {
    deadlocked("openmpi");
}

/// Without `--kill` the job goes on after the report. A signal to `mqd` ends it.
#[test]
fn the_job_goes_on() {
    let guarded = Guarded::new("companion");
    let mut command = guarded.hangs("recv_recv.c", 2, &[]);
    let mut job = command.stderr(Stdio::null()).spawn().expect("it starts");
    // This file is written last.
    let snapshot = guarded.report().join("job.mqd");
    let begin = Instant::now();
    while !snapshot.exists() {
        assert!(begin.elapsed() < PATIENCE, "there is no report");
        assert!(job.try_wait().expect("it is a child").is_none(), "the job has ended");
        thread::sleep(Duration::from_millis(20));
    }
    assert!(job.try_wait().expect("it is a child").is_none(), "the job has ended");
    let pid = Pid::from_raw(job.id().cast_signed());
    kill(pid, Signal::SIGTERM).expect("it still runs");
    assert!(!job.wait().expect("it is a child").success());
}

/// A rank that polls for ever does not move, but a deadlock cannot be proved.
fn still(mpi: &str) {
    let guarded = Guarded::new(mpi);
    let options = ["--kill", "--after", "1s"];
    let (code, _, said) = run(&mut guarded.hangs("polling_test.c", 2, &options));
    assert_eq!(code, 13, "{said}");
    assert!(said.contains("guard: no message and no MPI call was seen to move for "), "{said}");
    assert!(guarded.report().join("job.mqd").exists());
}

#[test]
fn nothing_moves_on_the_companion() {
    still("companion");
}

#[test]
fn nothing_moves_on_open_mpi() {
    still("openmpi");
}

/// Rounds of messages until the time is over. The ranks agree on that.
const LIVE: &str = r"
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, size, over, number = 0;
    double begin;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    begin = MPI_Wtime();
    do {
        MPI_Sendrecv_replace(&number, 1, MPI_INT, (rank + 1) % size, 1, (rank + size - 1) % size,
                             1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        over = MPI_Wtime() > begin + 2;
        MPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
    } while (!over);
    MPI_Finalize();
    return 3;
}
";

/// A job that works ends as it would by itself, and nothing is written.
fn live(mpi: &str) {
    let guarded = Guarded::new(mpi);
    let source = guarded.directory.path().join("live.c");
    fs::write(&source, LIVE).expect("there is room");
    let (code, _, said) = run(&mut guarded.guard(&source, 2, &["--kill", "--after", "1s"]));
    assert_eq!(code, 3, "{said}");
    assert!(!said.contains("guard"), "{said}");
    assert!(!guarded.report().exists());
}

#[test]
fn a_live_job_on_the_companion() {
    live("companion");
}

#[test]
fn a_live_job_on_open_mpi() {
    live("openmpi");
}
