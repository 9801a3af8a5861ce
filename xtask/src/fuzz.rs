//! `cargo xtask fuzz`: makes initial inputs from real jobs and files, and runs `mqd-fuzz`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use testkit::job::{self, Job};
use testkit::mpi::Mpi;
use testkit::packages;
use testkit::prefix::Prefix;
use testkit::process::state;
use testkit::record;
use testkit::workspace::{self, Profile, root, target};

/// Where processes with the data of a library come from: what is after `memory-` in the name of the
/// target, and the MPI.
const MEMORY: [(&str, &str); 5] = [
    ("companion", "companion"),
    ("libfabric", "openmpi-sockets"),
    ("mpich", "mpich"),
    ("openmpi", "openmpi"),
    ("ucx", "openmpi-ucx"),
];

/// A program whose types, functions and variables a debugger could ask for.
const PROGRAM: &str = r"
#include <unistd.h>
struct inner { short small; union { long one; double two; } either; };
struct outer { int first; struct inner inner[3]; struct outer *next; unsigned bits : 5; };
typedef struct list { struct list *next; char name[64]; } list_t;
enum colour { red, green = 70000 };
int variable = 7;
struct outer object;
list_t head;
enum colour colour;
static inline int waits(int seconds) { return (int)sleep((unsigned)seconds); }
int main(void) { return waits(600); }
";

/// How long a process may take to reach the place where it waits for the debugger.
const PATIENCE: Duration = Duration::from_secs(60);

/// What to run.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Minutes for each target.
    pub(crate) minutes: f64,
    /// The targets; empty: all.
    pub(crate) targets: Vec<String>,
    /// Seed of the random numbers.
    pub(crate) seed: u64,
    /// Optimised code tries more inputs. The other one notices sums that overflow.
    pub(crate) profile: Profile,
}

/// Runs the targets, as many at a time as there are processors.
///
/// # Errors
///
/// When something cannot be built, or an input was found that a reader does not survive.
pub(crate) fn run(plan: &Plan) -> Result<()> {
    let fuzz = built(plan.profile)?;
    let known = workspace::output(workspace::command(&fuzz).arg("targets"))?;
    let is_wanted =
        |name: &&str| plan.targets.is_empty() || plan.targets.iter().any(|one| one == name);
    let wanted: Vec<_> = known.lines().filter(is_wanted).collect();
    let seeds = seeds(&fuzz, plan.profile, &wanted)?;
    let left = Mutex::new(wanted.into_iter());
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
    let campaigns = || -> Result<Vec<&str>> {
        let mut failed = Vec::new();
        while let Some(name) = next() {
            if !campaign(&fuzz, plan, name, &seeds).status()?.success() {
                failed.push(name);
            }
        }
        Ok(failed)
    };
    let processors = thread::available_parallelism()?.get();
    let failed = thread::scope(|scope| {
        let runners: Vec<_> = (0..processors).map(|_| scope.spawn(campaigns)).collect();
        let results = runners.into_iter().map(|runner| runner.join().expect("no panic"));
        results.collect::<Result<Vec<_>>>()
    })?;
    let failed = failed.concat();
    ensure!(
        failed.is_empty(),
        "findings in {}: see target/fuzz; after mending, put the input into fuzz/corpus/TARGET",
        failed.join(", ")
    );
    Ok(())
}

/// The command that runs a target.
fn campaign(fuzz: &Path, plan: &Plan, name: &str, seeds: &Path) -> Command {
    let mut campaign = workspace::command(fuzz);
    campaign.args(["run", name, "--seed", &plan.seed.to_string()]);
    campaign.args(["--seconds", &format!("{:.0}", plan.minutes * 60.0)]);
    campaign.arg("--seeds").arg(seeds.join(name));
    campaign.arg("--seeds").arg(root().join("fuzz/corpus").join(name));
    campaign.arg("--output").arg(target().join("fuzz"));
    campaign
}

fn built(profile: Profile) -> Result<PathBuf> {
    let (arguments, folder) = match profile {
        Profile::Release => (&["--release"][..], "release"),
        Profile::Dev => (&[][..], "debug"),
    };
    for package in ["mqd-fuzz", "libmqd"] {
        let mut build = workspace::cargo(&["build", "--quiet", "-p", package]);
        workspace::run(build.args(arguments))?;
    }
    Ok(target().join(folder).join("mqd-fuzz"))
}

/// A folder with inputs for each of these targets, and for others: what real programs and `mqd`
/// write.
fn seeds(fuzz: &Path, profile: Profile, wanted: &[&str]) -> Result<PathBuf> {
    packages::ensure(&["gcc", "libc6-dev", "gdb"]);
    let seeds = target().join("fuzz/seeds");
    if seeds.exists() {
        fs::remove_dir_all(&seeds)?;
    }
    for name in
        ["agent", "core", "dwarf", "elf", "layout", "memory", "processes", "report", "snapshot"]
    {
        fs::create_dir_all(seeds.join(name))?;
    }
    for table in fs::read_dir(root().join("mqd-layout/tables"))?.flatten() {
        fs::copy(table.path(), seeds.join("layout").join(table.file_name()))?;
    }
    let work = tempfile::tempdir()?;
    elf_files(&seeds.join("elf"), work.path())?;
    // Debug information that is compressed cannot be changed where it is.
    for name in ["object", "library", "program"] {
        fs::copy(seeds.join("elf").join(name), seeds.join("dwarf").join(name))?;
    }
    core_file(&seeds.join("core"), work.path())?;
    let folder = match profile {
        Profile::Release => "dist",
        Profile::Dev => "test-prefix",
    };
    let prefix = Prefix::lay_out(profile, &target().join(folder))?;
    a_job(fuzz, &prefix, &seeds, work.path())?;
    for (library, mpi) in MEMORY {
        let name = format!("memory-{library}");
        if wanted.contains(&name.as_str()) {
            processes(fuzz, &prefix, mpi, &seeds.join(name)).context(mpi)?;
        }
    }
    Ok(seeds)
}

/// The program as an object, a library and a program, with several kinds of debug information.
fn elf_files(to: &Path, work: &Path) -> Result<()> {
    let source = work.join("program.c");
    fs::write(&source, PROGRAM)?;
    for (name, flags) in [
        ("object", &["-g", "-c"][..]),
        ("library", &["-gdwarf-4", "-shared", "-fPIC"]),
        ("program", &["-g", "-O1", "-Wl,--build-id"]),
        ("compressed", &["-g", "-gz=zlib"]),
    ] {
        let mut cc = workspace::command("cc");
        workspace::output(cc.args(flags).arg(&source).arg("-o").arg(to.join(name)))?;
    }
    Ok(())
}

/// The core file of a process of that program.
fn core_file(to: &Path, work: &Path) -> Result<()> {
    let program = work.join("program");
    fs::copy(to.with_file_name("elf").join("program"), &program)?;
    let mut process = Command::new(&program).stdin(Stdio::null()).spawn()?;
    let taken = (|| {
        sleeps(process.id())?;
        let mut gcore = workspace::command("gcore");
        gcore.arg("-o").arg(work.join("core")).arg(process.id().to_string());
        workspace::output(&mut gcore)?;
        fs::copy(work.join(format!("core.{}", process.id())), to.join("core"))?;
        Ok(())
    })();
    process.kill()?;
    process.wait()?;
    taken
}

fn sleeps(pid: u32) -> Result<()> {
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        if state(pid) == Some('S') {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(20));
    }
    anyhow::bail!("process {pid} does not come to its sleep")
}

/// A snapshot and a report of a job that hangs, and the memory of its processes.
fn a_job(fuzz: &Path, prefix: &Prefix, seeds: &Path, work: &Path) -> Result<()> {
    let program = work.join("deadlock");
    prefix.compile(&[root().join("fixtures/deadlock.c")], &program, &["-g"])?;
    let job = Job::start(prefix, 4, &program, |mpiexec| mpiexec.stdout(Stdio::null()))?;
    let launcher = job.mpiexec.id().to_string();
    let begin = Instant::now();
    loop {
        let check = prefix.command("mqd").args(["check", "--job", &launcher]).output()?;
        if check.status.code() == Some(10) {
            break;
        }
        ensure!(begin.elapsed() < PATIENCE, "the job does not come to its deadlock");
        thread::sleep(Duration::from_millis(100));
    }
    let snapshot = seeds.join("snapshot/job");
    let mqd = |words: &[&str]| -> Result<String> {
        let mut mqd = prefix.command("mqd");
        workspace::output(mqd.args(words).args(["--job", &launcher])).context("the seeds")
    };
    mqd(&["capture", "--output", &snapshot.to_string_lossy()])?;
    fs::write(seeds.join("report/job"), mqd(&["dump", "--format", "json"])?)?;
    drop(job);
    let [memory, agent, processes] =
        ["memory", "agent", "processes"].map(|target| seeds.join(target));
    split(fuzz, &snapshot, [&memory, &agent, &processes])
}

/// The memory of the processes of a job with operations in all queues.
fn processes(fuzz: &Path, prefix: &Prefix, mpi: &str, to: &Path) -> Result<()> {
    const RANKS: usize = 2;
    const OPERATIONS: &str = "40";
    fs::create_dir_all(to)?;
    let mpi = Mpi::named(mpi, prefix)?;
    let work = tempfile::tempdir()?;
    let program = mpi.compile("many", work.path())?;
    let launch = mpi.launch(RANKS, &program, &[OPERATIONS], work.path());
    let mut job = Job::launch_logged(launch, work.path())?;
    job.wait_for(work.path(), job::PATIENCE, || record::records(work.path(), RANKS))?;
    let snapshot = work.path().join("snapshot");
    let mut mqd = prefix.command("mqd");
    mqd.args(["capture", "--job", &job.pid().to_string(), "--output"]).arg(&snapshot);
    let status = mqd.stdin(Stdio::null()).stderr(Stdio::null()).status()?;
    // Over libfabric's provider sockets a send may be on its way.
    ensure!(matches!(status.code(), Some(0 | 5)), "mqd capture: {status}");
    job.end()?;
    split(fuzz, &snapshot, [to, work.path(), work.path()])
}

/// Writes the processes of a snapshot as inputs of `memory`, `agent` and `processes`.
fn split(fuzz: &Path, snapshot: &Path, folders: [&Path; 3]) -> Result<()> {
    let mut split = workspace::command(fuzz);
    workspace::output(split.arg("split").arg(snapshot).args(folders)).map(drop)
}
