//! A scenario: a job whose state does not change, and whose queues are read in every way.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use nix::sys::signal::Signal;
use serde_json::Value;
use tempfile::TempDir;
use testkit::cores::{self, WITHOUT_KERNEL_CORES};
use testkit::expectation::{Difference, differences, queues};
use testkit::mpi::Mpi;
use testkit::record::{Record, records};
use testkit::scenarios;

use crate::{PATIENCE, Running, command, fixture_for, prefix, run, send, state, text, wait_for};

/// A job of a fixture that has written its expectation.
#[derive(Debug)]
pub struct Scenario {
    mpi: Mpi,
    job: Running,
    directory: TempDir,
    records: Vec<Record>,
}

impl Scenario {
    /// Starts a scenario of the list with an MPI, and waits until all its ranks are ready.
    pub fn named(mpi: Mpi, name: &str) -> Scenario {
        let listed = scenarios::Scenario::named(name).expect("it is in the list");
        Scenario::start_with(mpi, name, listed.ranks, listed.arguments, listed.configure)
    }

    /// Starts the fixture with the companion runtime and waits until all its ranks are ready.
    pub fn start(
        fixture: &str,
        ranks: usize,
        arguments: &[&str],
        environment: &[(&str, &str)],
    ) -> Scenario {
        let mpi = Mpi::companion(prefix());
        Scenario::start_with(mpi, fixture, ranks, arguments, |launch| {
            launch.envs(environment.iter().copied())
        })
    }

    /// Starts the fixture with any MPI; `configure` may change the environment.
    pub fn start_with(
        mpi: Mpi,
        fixture: &str,
        ranks: usize,
        arguments: &[&str],
        configure: impl FnOnce(&mut Command) -> &mut Command,
    ) -> Scenario {
        let program = fixture_for(&mpi, fixture);
        let directory = tempfile::tempdir().expect("there is room for temporary files");
        let mut launch = mpi.launch(ranks, &program, arguments, directory.path());
        let mut job = Running::start(configure(&mut launch));
        let records = wait_for("all ranks write their expectation", || {
            if let Some(status) = job.child.try_wait().expect("it is our child") {
                panic!("the job ended ({status}): {}{}", job.stdout(), job.stderr());
            }
            records(directory.path(), ranks)
        });
        Scenario { mpi, job, directory, records }
    }

    /// The launcher's process id.
    pub fn pid(&self) -> u32 {
        self.job.child.id()
    }

    /// Reads the live job until it shows what is expected: at first, ranks may not be in their last
    /// calls yet. Panics with the differences.
    pub fn live(&self) -> Value {
        let begin = Instant::now();
        loop {
            let (code, stdout, stderr) = dump(&["--job", &self.pid().to_string()]);
            let wrong = match serde_json::from_str::<Value>(&stdout) {
                Ok(report) => {
                    let wrong = differences(self.mpi.coverage, &self.records, &report);
                    if wrong.is_empty() && code == 0 {
                        return report;
                    }
                    lines(&wrong)
                }
                Err(error) => format!("no JSON ({error}): {stdout}"),
            };
            assert!(
                begin.elapsed() < PATIENCE,
                "the live job (exit code {code}):\n{wrong}\n{stderr}"
            );
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    }

    /// Core files by gdb's `gcore`. The job goes on.
    pub fn gdb_cores(&self, live: &Value) -> Vec<PathBuf> {
        let core = |pid: u32| {
            let name = self.directory.path().join("gcore");
            let (code, stdout, stderr) = run(command("gcore")
                .arg("-o")
                .arg(&name)
                .arg(pid.to_string())
                .stdin(Stdio::null()));
            assert_eq!(code, 0, "gcore: {stdout}{stderr}");
            self.directory.path().join(format!("gcore.{pid}"))
        };
        ranks(live).map(core).collect()
    }

    /// Core files by the kernel: the ranks die of SIGABRT, as in a crash. The launcher is stopped,
    /// so that it does not kill any in the meantime.
    pub fn kernel_cores(&self, live: &Value) -> Vec<PathBuf> {
        assert!(
            cores::kernel_writes_them_here(),
            "this test needs core files in the working directory, the kernel has them at {:?}; \
             as root: echo core >/proc/sys/kernel/core_pattern",
            cores::kernel_pattern()
        );
        self.job.signal(Signal::SIGSTOP);
        wait_for("the launcher stops", || (state(self.pid()) == Some('T')).then_some(()));
        for pid in ranks(live) {
            send(pid, Signal::SIGABRT);
        }
        for pid in ranks(live) {
            // When it is a zombie, its core file is complete.
            wait_for("a rank dies", || (state(pid) == Some('Z')).then_some(()));
        }
        let core = |rank: usize| {
            let folder = self.directory.path().join(format!("rank-{rank}"));
            let files = fs::read_dir(&folder)
                .expect("it is there")
                .map(|entry| entry.expect("it can be read").path());
            let mut cores = files.filter(|file| {
                file.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"core"))
            });
            cores.next().unwrap_or_else(|| panic!("no core file in {}", folder.display()))
        };
        (0..self.records.len()).map(core).collect()
    }

    /// Checks that core files show what is expected, and exactly what the live job has shown.
    pub fn check_cores(&self, what: &str, cores: &[PathBuf], live: &Value) {
        let mut arguments = vec!["--core"];
        arguments.extend(cores.iter().map(|core| text(core)));
        let (code, stdout, stderr) = dump(&arguments);
        let report: Value = serde_json::from_str(&stdout)
            .unwrap_or_else(|error| panic!("{what}: {error}: {stdout}{stderr}"));
        let wrong = differences(self.mpi.coverage, &self.records, &report);
        assert!(
            wrong.is_empty() && code == 0,
            "{what} (exit code {code}):\n{}\n{stderr}",
            lines(&wrong)
        );
        assert_eq!(queues(&report), queues(live), "{what} show what the live job showed");
        for (process, core) in report["processes"].as_array().into_iter().flatten().zip(cores) {
            assert_eq!(process["core"], text(core), "{what}");
        }
    }

    /// Live, from gdb's core files, and from the kernel's.
    pub fn check(&self) {
        let live = self.live();
        for process in live["processes"].as_array().into_iter().flatten() {
            assert!(process["pid"].is_u64() && process["core"].is_null(), "{process}");
            assert!(file_name(&process["library"]).starts_with(self.mpi.library), "{process}");
        }
        self.check_cores("gdb's core files", &self.gdb_cores(&live), &live);
        // Reading and tracing have not changed anything.
        assert_eq!(queues(&self.live()), queues(&live));
        // `cargo xtask test` has said that they are not tested.
        if std::env::var_os(WITHOUT_KERNEL_CORES).is_none() {
            self.check_cores("the kernel's core files", &self.kernel_cores(&live), &live);
        }
    }
}

fn lines(wrong: &[Difference]) -> String {
    wrong.iter().map(|difference| format!("{difference}\n")).collect()
}

fn file_name(path: &Value) -> String {
    let path = Path::new(path.as_str().unwrap_or_default());
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn ranks(report: &Value) -> impl Iterator<Item = u32> {
    let processes = report["processes"].as_array().into_iter().flatten();
    processes.map(|process| {
        process["pid"]
            .as_u64()
            .and_then(|pid| u32::try_from(pid).ok())
            .expect("a live process has a pid")
    })
}

fn dump(arguments: &[&str]) -> (i32, String, String) {
    run(prefix()
        .command("mqd")
        .args(["dump", "--format", "json"])
        .args(arguments)
        .stdin(Stdio::null()))
}

/// The names of all scenarios in `fixtures/`, without `truth`, which has tests of its own.
fn fixtures() -> Vec<String> {
    let files = fs::read_dir(testkit::workspace::root().join("fixtures")).expect("it is there");
    let mut names = Vec::new();
    for file in files {
        let file = file.expect("it can be read").path();
        // Programs that hang are in a separate folder.
        if file.is_dir() {
            continue;
        }
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(&file).expect("it can be read");
        if text.contains("\"expect.h\"") && !["expect", "counted", "truth"].contains(&name.as_str())
        {
            names.push(name);
        }
    }
    assert!(!names.is_empty(), "there are scenarios");
    names
}

/// Fails if a scenario in `fixtures/` is not among these tests or not in the list: it would be
/// forgotten.
pub fn each_is_tested_once(tests: &[&str]) {
    for name in fixtures() {
        let count = tests.iter().filter(|test| **test == name).count();
        assert_eq!(count, 1, "{count} tests run fixtures/{name}.c");
        scenarios::Scenario::named(&name).expect("it is in the list");
    }
}
