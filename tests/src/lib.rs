//! What the tests of the whole share: an installed prefix, compiled scenarios, and waiting for
//! things that happen elsewhere.

pub mod scenario;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use testkit::intel_mpi::IntelMpi;
use testkit::mpi::Mpi;
use testkit::prefix::Prefix;
pub use testkit::process::state;
use testkit::segments::Segments;
pub use testkit::workspace::command;
use testkit::workspace::{Profile, target};

/// How long something may take that takes milliseconds on a quiet machine. Only a failing test
/// waits this long.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// An installed prefix with the workspace as it is now.
pub fn prefix() -> &'static Prefix {
    static PREFIX: OnceLock<Prefix> = OnceLock::new();
    PREFIX.get_or_init(|| {
        let _lock = lock("prefix");
        Prefix::lay_out(Profile::Dev, &target().join("test-prefix"))
            .expect("the workspace builds and can be installed")
    })
}

/// An MPI by its name, installed on first use.
pub fn mpi(name: &str) -> Mpi {
    let _lock = lock("install");
    Mpi::named(name, prefix()).expect("the MPI is there or can be installed")
}

/// A release of Intel MPI, installed on first use.
pub fn intel_mpi(release: &str) -> IntelMpi {
    let _lock = lock("install");
    IntelMpi::install(release).expect("it can be installed")
}

/// A C program of `fixtures/`, compiled by our `mpicc`. Scenarios get the sources that record
/// expectations.
pub fn fixture(name: &str) -> PathBuf {
    fixture_for(&Mpi::companion(prefix()), name)
}

/// The same for any MPI.
pub fn fixture_for(mpi: &Mpi, name: &str) -> PathBuf {
    static COMPILED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let directory = target().join("test-programs").join(&mpi.name);
    let executable = directory.join(name);
    let mut compiled = COMPILED.lock().expect("no test panics while it compiles");
    if !compiled.contains(&executable) {
        let _lock = lock("programs");
        fs::create_dir_all(&directory).expect("the target directory is writable");
        // Another test may be running the old one.
        let new = tempfile::tempdir_in(&directory).expect("the target directory is writable");
        let made = mpi.compile(name, new.path()).expect("fixtures compile without warnings");
        fs::rename(made, &executable).expect("the target directory is writable");
        compiled.insert(executable.clone());
    }
    executable
}

/// A C program of a few lines, compiled by our `mpicc` into a directory of the test's.
pub fn compile(directory: &Path, source: &str) -> PathBuf {
    let (file, program) = (directory.join("program.c"), directory.join("program"));
    fs::write(&file, source).expect("the directory is writable");
    prefix().compile(&[file], &program, &[]).expect("the test's program compiles without warnings");
    program
}

/// Test binaries may run at the same time. The lock lets only one of them build, or do what the
/// others must not do at the same time.
pub fn lock(name: &str) -> File {
    fs::create_dir_all(target()).expect("the target directory is writable");
    let file = File::create(target().join(format!(".test-{name}.lock")))
        .expect("the target directory is writable");
    file.lock().expect("files can be locked");
    file
}

/// Waits until `condition` gives something. Panics with `what` when it does not within
/// [`PATIENCE`].
pub fn wait_for<T>(what: &str, mut condition: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(result) = condition() {
            return result;
        }
        assert!(begin.elapsed() < PATIENCE, "waited {} s in vain: {what}", PATIENCE.as_secs());
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Whether a process exists and has not ended (a zombie has).
pub fn is_running(pid: u32) -> bool {
    state(pid).is_some_and(|state| state != 'Z' && state != 'X')
}

/// Sends a signal to a process of the test's own.
pub fn send(pid: u32, signal: Signal) {
    kill(Pid::from_raw(pid.cast_signed()), signal).expect("the process is there and ours");
}

/// `mpiexec` with arguments.
pub fn mpiexec(arguments: &[&str]) -> Command {
    let mut command = prefix().command("mpiexec");
    command.args(arguments).stdin(Stdio::null());
    command
}

/// What a finished command left, for assertions: exit code, standard output, standard error.
pub fn run(command: &mut Command) -> (i32, String, String) {
    let Output { status, stdout, stderr } = command.output().expect("the command can be started");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the command writes UTF-8");
    (status.code().expect("the command exits"), text(stdout), text(stderr))
}

/// A running launcher with its output in files. It is ended with its ranks when dropped.
#[derive(Debug)]
pub struct Running {
    /// The process.
    pub child: Child,
    directory: tempfile::TempDir,
}

impl Running {
    /// Starts it.
    pub fn start(command: &mut Command) -> Running {
        let directory = tempfile::tempdir().expect("there is room for temporary files");
        let file = |name: &str| {
            File::create(directory.path().join(name)).expect("temporary files can be made")
        };
        let child = command
            .stdout(file("stdout"))
            .stderr(file("stderr"))
            .spawn()
            .expect("mpiexec can be started");
        Running { child, directory }
    }

    /// What it has written to standard output so far.
    pub fn stdout(&self) -> String {
        self.read("stdout")
    }

    /// What it has written to standard error so far.
    pub fn stderr(&self) -> String {
        self.read("stderr")
    }

    /// Waits until it has written these lines, in any order and among others.
    pub fn wait_for_lines(&self, lines: &[&str]) {
        wait_for(&format!("the lines {lines:?}"), || {
            let stdout = self.stdout();
            lines.iter().all(|line| stdout.lines().any(|other| other == *line)).then_some(())
        });
    }

    /// Waits for `KEY NUMBER` lines, as many as there are ranks; the numbers.
    pub fn wait_for_numbers(&self, key: &str, ranks: usize) -> Vec<u32> {
        wait_for(&format!("{ranks} lines with {key}"), || {
            let stdout = self.stdout();
            let numbers: Vec<u32> = stdout
                .split_inclusive('\n')
                .filter(|line| line.ends_with('\n'))
                .filter_map(|line| line.trim_end().strip_prefix(key)?.trim().parse().ok())
                .collect();
            (numbers.len() == ranks).then_some(numbers)
        })
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        send(self.child.id(), signal);
    }

    /// Waits for its end: the exit code.
    pub fn wait(&mut self) -> i32 {
        let status = wait_for("mpiexec ends", || self.child.try_wait().expect("it is our child"));
        status.code().expect("mpiexec exits")
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.directory.path().join(name)).expect("mpiexec writes UTF-8")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(None)) {
            return;
        }
        let _segments = Segments::of(self.child.id());
        // Asked first, because it has files to remove. Killed if it does not end.
        for signal in [Signal::SIGCONT, Signal::SIGTERM] {
            let _ = kill(Pid::from_raw(self.child.id().cast_signed()), signal);
        }
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_secs(20) {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A path as a command's argument.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("paths of the workspace are UTF-8")
}
