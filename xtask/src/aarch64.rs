//! `cargo xtask aarch64`: the companion runtime, the debug DLL and `mqd` on ARM's 64-bit machines,
//! as qemu emulates them.
//!
//! ```text
//! mpiexec ──> qemu ──> random program ──> what it recorded ──────────> compared
//!             of a      and runtime                                     │
//!             rank      for aarch64  ──> qemu's core ──> mqd of here ───┤
//!                                        files      └──> mqd in qemu ───┘
//! ```
//!
//! qemu does not emulate ptrace, so processes are read from core files only.

use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use testkit::expectation::{Coverage, differences};
use testkit::job::{Job, PATIENCE};
use testkit::mpi::Mpi;
use testkit::packages;
use testkit::prefix::Prefix;
use testkit::process;
use testkit::record::{self, Record};
use testkit::truth::ranks;
use testkit::workspace::{self, Profile, root, target};

const TRIPLE: &str = "aarch64-unknown-linux-gnu";
const CC: &str = "aarch64-linux-gnu-gcc";
const PACKAGES: [&str; 3] = ["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross", "qemu-user-static"];

/// Runs what is compiled for the machine; its libraries are below [`SYSROOT`].
const EMULATOR: &str = "qemu-aarch64-static";
const SYSROOT: &str = "/usr/aarch64-linux-gnu";

/// How long to wait after the ranks have written their records, until they are in their last calls.
/// A seed that fails is run again with the next of these times.
const ON_THEIR_WAY: [Duration; 3] =
    [Duration::from_millis(500), Duration::from_secs(2), Duration::from_secs(8)];

/// How long the emulator may take to write the core files.
const PATIENCE_FOR_CORES: Duration = Duration::from_secs(60);

/// Runs random programs with the emulator, and compares what both `mqd` show of their core files
/// with what the ranks recorded. `released` is the `mqd` for the emulator; it is built if there is
/// none.
///
/// # Errors
///
/// When something cannot be built or run, or a seed failed.
pub(crate) fn run(seeds: &RangeInclusive<u64>, released: Option<PathBuf>) -> Result<()> {
    packages::ensure(&PACKAGES);
    crate::release::Machine::Aarch64.ensure_libraries()?;
    let machine = Machine::set_up(released)?;
    machine.names_the_lines()?;
    let mut failed = Vec::new();
    for seed in seeds.clone() {
        let mut wrong = Vec::new();
        for patience in ON_THEIR_WAY {
            wrong = machine.check(seed, patience)?;
            if wrong.is_empty() {
                break;
            }
        }
        if !wrong.is_empty() {
            println!("seed {seed}:\n  {}", wrong.join("\n  "));
            failed.push(seed);
        }
    }
    let all = seeds.clone().count();
    println!("aarch64: {} of {all} seeds are read as recorded", all - failed.len());
    ensure!(failed.is_empty(), "seeds that are not: {failed:?}");
    Ok(())
}

/// What runs here, and what the emulator runs.
struct Machine {
    here: Prefix,
    there: Prefix,
    /// The `mqd` that the emulator runs.
    mqd: PathBuf,
}

/// A job that the emulator has run, and its core files.
struct Cores {
    directory: tempfile::TempDir,
    files: Vec<PathBuf>,
}

impl Machine {
    fn set_up(released: Option<PathBuf>) -> Result<Machine> {
        let here = Prefix::lay_out(Profile::Dev, &target().join("test-prefix"))?;
        let mut cargo = workspace::cargo(&["build", "--quiet", "--locked", "--target", TRIPLE]);
        cargo.args(["--package", "fake-target", "--package", "libmqd", "--package", "mqd"]);
        let triple = TRIPLE.replace('-', "_");
        cargo.env(format!("CARGO_TARGET_{}_LINKER", triple.to_uppercase()), CC);
        cargo.env(format!("CC_{triple}"), CC);
        workspace::run(&mut cargo)?;
        let built = target().join(TRIPLE).join("debug");
        let there = Prefix { directory: std::path::absolute(target().join("aarch64-prefix"))? };
        there.install_debugger_side(&built, &here.program("mqd"))?;
        there.install_runtime(&built, CC)?;
        let mqd = released.unwrap_or_else(|| there.program("mqd"));
        Ok(Machine { here, there, mqd })
    }

    /// The differences between a seed's reports and its records.
    fn check(&self, seed: u64, patience: Duration) -> Result<Vec<String>> {
        let number = seed.to_string();
        let cores = self.cores("truth", ranks(seed), &[&number], |directory| {
            record::records(directory, ranks(seed)).map(|_| thread::sleep(patience))
        })?;
        let records: Vec<Record> =
            record::records(cores.directory.path(), ranks(seed)).context("they were there")?;
        let report = read(self.here.command("mqd"), &cores)?;
        let mut wrong: Vec<String> = differences(Coverage::COMPANION, &records, &report)
            .iter()
            .map(ToString::to_string)
            .collect();
        if self.there_reads(&cores)? != report {
            wrong.push("mqd for aarch64 writes another report of the same core files".into());
        }
        Ok(wrong)
    }

    /// The report that `mqd` writes in the emulator.
    fn there_reads(&self, cores: &Cores) -> Result<Value> {
        let mut mqd = workspace::command(EMULATOR);
        mqd.args(["-L", SYSROOT]).arg(&self.mqd);
        read(mqd, cores)
    }

    /// Checks a deadlock and its lines with known answers.
    fn names_the_lines(&self) -> Result<()> {
        let cores = self.cores("deadlock", 4, &[], |directory| {
            let log = fs::read_to_string(directory.join("log")).unwrap_or_default();
            (log.lines().count() == 4).then(|| thread::sleep(ON_THEIR_WAY[1]))
        })?;
        let mut mqd = self.here.command("mqd");
        mqd.args(["check", "--sysroot", SYSROOT, "--core"]).args(&cores.files);
        let said = mqd.output().context("mqd check")?.stdout;
        let said = String::from_utf8_lossy(&said);
        for expected in ["deadlocked: ranks 0-3", "(deadlock.c:34)", "(deadlock.c:31)"] {
            ensure!(said.contains(expected), "no {expected:?} in what mqd check says:\n{said}");
        }
        Ok(())
    }

    /// Runs a program of `fixtures/` until it is ready, and has the emulator write core files of
    /// its ranks.
    fn cores(
        &self,
        program: &str,
        ranks: usize,
        arguments: &[&str],
        ready: impl Fn(&Path) -> Option<()>,
    ) -> Result<Cores> {
        let directory = tempfile::tempdir()?;
        let executable = self.compiled(program, directory.path())?;
        let executable =
            executable.to_str().context("a temporary directory has a name in UTF-8")?;
        let emulated = [&["-L", SYSROOT, executable], arguments].concat();
        let mpi = Mpi::companion(&self.here);
        let launch = mpi.launch(ranks, EMULATOR.as_ref(), &emulated, directory.path());
        let mut job = Job::launch_logged(launch, directory.path())?;
        job.wait_for(directory.path(), PATIENCE, || ready(directory.path()))?;
        let processes = self.processes(&job)?;
        // The launcher ends the job when a rank dies. All ranks have to die by this signal.
        job.signal(Signal::SIGSTOP);
        for process in &processes {
            kill(*process, Signal::SIGABRT).with_context(|| format!("rank {process}"))?;
        }
        processes.iter().try_for_each(|process| has_died(*process))?;
        job.end()?;
        let files = processes
            .iter()
            .map(|process| core_of(directory.path(), *process))
            .collect::<Result<_>>()?;
        Ok(Cores { directory, files })
    }

    fn processes(&self, job: &Job) -> Result<Vec<Pid>> {
        let mut mqd = self.here.command("mqd");
        mqd.args(["ranks", "--format", "json"]).arg(job.pid().to_string());
        let listed: Value = workspace::json(&mut mqd)?;
        let processes = listed["processes"].as_array().context("no processes")?;
        processes
            .iter()
            .map(|process| {
                let pid = process["pid"].as_i64().context("a process has a number")?;
                Ok(Pid::from_raw(i32::try_from(pid)?))
            })
            .collect()
    }

    /// Compiles a program of `fixtures/` for the machine.
    fn compiled(&self, name: &str, directory: &Path) -> Result<PathBuf> {
        let fixture = |name: &str| root().join("fixtures").join(name).with_extension("c");
        let executable = directory.join(name);
        let library = self.there.directory.join("lib");
        let mut cc = workspace::command(CC);
        cc.args(["-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-I"]);
        cc.arg(self.there.directory.join("include")).arg(fixture(name));
        if fs::read_to_string(fixture(name))?.contains("\"expect.h\"") {
            cc.args(["expect", "counted"].map(fixture));
        }
        cc.arg("-L").arg(&library).arg("-lmpi_abi");
        cc.arg(format!("-Wl,-rpath,{}", library.display())).arg("-o").arg(&executable);
        workspace::output(&mut cc)?;
        Ok(executable)
    }
}

/// A report of core files.
fn read(mut mqd: Command, cores: &Cores) -> Result<Value> {
    mqd.args(["dump", "--format", "json", "--sysroot", SYSROOT, "--core"]).args(&cores.files);
    workspace::json(mqd.stdin(Stdio::null()))
}

/// Waits until a process is a zombie. Its core file is then complete.
fn has_died(process: Pid) -> Result<()> {
    let begin = Instant::now();
    let number = u32::try_from(process.as_raw())?;
    while process::state(number) != Some('Z') {
        if begin.elapsed() > PATIENCE_FOR_CORES {
            bail!("process {process} does not die of SIGABRT");
        }
        thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

/// The core file that the emulator has written, `qemu_PROGRAM_TIME_PID.core`. Ranks that record
/// what they do have a directory each.
fn core_of(directory: &Path, process: Pid) -> Result<PathBuf> {
    let ending = format!("_{process}.core");
    let ranks = fs::read_dir(directory)?.flatten().map(|entry| entry.path());
    for place in std::iter::once(directory.to_owned()).chain(ranks.filter(|path| path.is_dir())) {
        let mut files = fs::read_dir(place)?.flatten().map(|entry| entry.path());
        if let Some(core) = files.find(|path| path.to_string_lossy().ends_with(&ending)) {
            return Ok(core);
        }
    }
    bail!("{EMULATOR} has written no core file of process {process}")
}
