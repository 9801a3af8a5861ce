//! What to read, and with which files: arguments of all commands that read processes.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::ArgGroup;

use super::reach::Reach;
use super::values::{pid, seconds, seconds_or_none, slurm_step};
use crate::crashes::{self, Crash};
use crate::report_file::is_report;
use crate::stdin;
use mqd_host::job;
use mqd_host::request::Workers;
use mqd_host::request::{Options, Request};
use mqd_host::snapshot::{Snapshots, is_snapshot, only_snapshots};
use mqd_host::walk::Limits;
use mqd_inspect::image::FileCache;
use mqd_inspect::process::{CoreOptions, LiveOptions};

/// For commands that need at least one target of any kind.
pub(super) fn any_target() -> ArgGroup {
    ArgGroup::new("any_target")
        .args(["targets", "pids", "cores", "jobs", "slurm", "snapshots"])
        .required(true)
        .multiple(true)
}

/// What to read.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(group = ArgGroup::new("core_files").multiple(true))]
pub(crate) struct Targets {
    /// A process id, core file, snapshot, directory of snapshots or of systemd-coredump, or report
    ///
    /// The process id of a launcher stands for its job. `mqd dump --format json` writes a report.
    /// `-` reads a snapshot or a report from standard input.
    #[arg(value_name = "TARGET", group = "core_files", help_heading = "Targets")]
    targets: Vec<Named>,

    /// Live processes
    #[arg(
        short,
        long = "pid",
        value_name = "PID",
        num_args = 1..,
        value_delimiter = ',',
        value_parser = pid,
        help_heading = "Targets"
    )]
    pids: Vec<u32>,

    /// Core files
    #[arg(
        short,
        long = "core",
        value_name = "FILE",
        num_args = 1..,
        group = "core_files",
        help_heading = "Targets"
    )]
    cores: Vec<PathBuf>,

    /// All ranks of the job of this launcher, such as mpiexec, mpirun or srun
    ///
    /// The table MPIR_proctable of the launcher lists the ranks. Some launchers have no such table,
    /// for example that of Open MPI 5. mqd then searches the processes that the launcher has
    /// started, and reads their ranks from their environment. mqd starts itself on the other hosts
    /// of the job with ssh or srun (--via).
    #[arg(
        short,
        long = "job",
        value_name = "LAUNCHER_PID",
        num_args = 1..,
        value_delimiter = ',',
        value_parser = pid,
        help_heading = "Targets"
    )]
    jobs: Vec<u32>,

    /// All ranks of a Slurm job, or of one of its steps
    #[arg(
        long = "slurm",
        value_name = "JOB[.STEP]",
        value_parser = slurm_step,
        help_heading = "Targets"
    )]
    slurm: Option<SlurmStep>,

    /// Snapshots, written by `mqd capture`
    ///
    /// A snapshot can be read on any machine, without the files of the job.
    #[arg(long = "snapshot", value_name = "FILE", num_args = 1.., help_heading = "Targets")]
    snapshots: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) reach: Reach,
}

/// A Slurm job, or one of its steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SlurmStep {
    /// Its number.
    pub(crate) job: String,
    /// The number of the step.
    pub(crate) step: Option<String>,
}

/// A target without an option that says what it is.
#[derive(Clone, Debug)]
enum Named {
    Process(u32),
    File(PathBuf),
    StandardInput,
}

impl FromStr for Named {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Named, Self::Err> {
        // Files with such names can be given as `./4711` and `./-`.
        Ok(match pid(text) {
            Ok(pid) => Named::Process(pid),
            Err(_) if text == "-" => Named::StandardInput,
            Err(_) => Named::File(text.into()),
        })
    }
}

/// The targets of a command line.
#[derive(Default)]
pub(crate) struct Wanted {
    /// The launchers of the jobs.
    pub(crate) jobs: Vec<u32>,
    /// The Slurm job.
    pub(crate) slurm: Option<SlurmStep>,
    /// The processes and core files.
    pub(crate) requests: Vec<Request>,
    /// The snapshots.
    pub(crate) snapshots: Vec<PathBuf>,
    /// The reports.
    pub(crate) reports: Vec<PathBuf>,
    /// Remarks about them.
    pub(crate) remarks: Vec<String>,
    /// Why some could not be found.
    pub(crate) failed: Vec<String>,
}

/// Where the files are that are needed to read processes.
#[derive(Debug, clap::Args)]
pub(super) struct Files {
    #[command(flatten)]
    live: LiveFiles,

    #[command(flatten)]
    core: CoreFiles,
}

/// Where the files are that are needed to read core files.
#[derive(Debug, clap::Args)]
pub(super) struct CoreFiles {
    /// The executable that produced the core files
    ///
    /// Needed if mqd does not find it under the name that is in the core file.
    #[arg(
        long,
        value_name = "FILE",
        requires = "core_files",
        help_heading = "Where to find files"
    )]
    exe: Option<PathBuf>,

    /// A directory with the files of the machine that wrote the core files
    #[arg(long, value_name = "DIR", requires = "core_files", help_heading = "Where to find files")]
    sysroot: Option<PathBuf>,
}

/// Where the files are that are needed to read live processes.
#[derive(Debug, clap::Args)]
pub(super) struct LiveFiles {
    /// The debug DLL to read the queues with
    ///
    /// Without this option, mqd uses the DLL that MPIR_dll_name in the process names. If there is
    /// none, it uses its own libmqd.so. For Open MPI, libmqd.so comes first. A foreign DLL, which
    /// is not part of mqd, runs in a separate process, so that mqd survives its failure.
    #[arg(long, value_name = "PATH", help_heading = "Where to find files")]
    dll: Option<PathBuf>,

    /// The longest time that a foreign debug DLL may take for one process
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "300",
        value_parser = seconds,
        help_heading = "Where to find files"
    )]
    dll_timeout: Duration,

    #[command(flatten)]
    search: Search,

    /// The longest time that a live process stands still at a time; 0: no limit
    ///
    /// mqd copies what it needs and lets the process run on before it works on the copy. What
    /// could not be copied in this time is missing, and mqd says so. mqd may stop a process several
    /// times. If processes are stopped together, the limit counts once for each.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "0.5",
        value_parser = seconds_or_none,
        env = "MQD_STOP_LIMIT",
        hide_env_values = true,
        help_heading = "Live processes"
    )]
    stop_limit: Duration,
}

/// Where to look for debug information.
#[derive(Debug, clap::Args)]
pub(super) struct Search {
    /// A directory with separate debug information, besides /usr/lib/debug
    ///
    /// If this machine has no debug information of the MPI library, mqd asks the debuginfod
    /// servers that the environment variable DEBUGINFOD_URLS names.
    #[arg(long = "debug-dir", value_name = "DIR", help_heading = "Where to find files")]
    debug_dirs: Vec<PathBuf>,
}

impl Targets {
    /// Each snapshot or report alone, if there are several and no other targets.
    pub(crate) fn looks(&self) -> Option<Vec<Targets>> {
        let Wanted { jobs, slurm, requests, snapshots, reports, .. } = self.wanted();
        if !jobs.is_empty()
            || slurm.is_some()
            || !requests.is_empty()
            || snapshots.len() + reports.len() < 2
        {
            return None;
        }
        let files = snapshots.into_iter().chain(reports);
        Some(
            files
                .map(|file| Targets { targets: vec![Named::File(file)], ..Targets::default() })
                .collect(),
        )
    }

    /// The targets, sorted by kind.
    pub(crate) fn wanted(&self) -> Wanted {
        let mut wanted = Wanted {
            jobs: self.jobs.clone(),
            slurm: self.slurm.clone(),
            requests: Vec::new(),
            snapshots: self.snapshots.clone(),
            reports: Vec::new(),
            remarks: Vec::new(),
            failed: Vec::new(),
        };
        for target in &self.targets {
            match target {
                Named::Process(pid) if job::members(*pid).is_ok() => wanted.jobs.push(*pid),
                Named::Process(pid) => wanted.requests.push(Request::Pid(*pid)),
                Named::File(path) => wanted.file(path.clone()),
                Named::StandardInput => match stdin::path() {
                    Ok(path) => wanted.input(path),
                    Err(error) => {
                        wanted.failed.push(format!("cannot read standard input: {error}"));
                    }
                },
            }
        }
        wanted.requests.extend(self.pids.iter().map(|pid| Request::Pid(*pid)));
        wanted.requests.extend(self.cores.iter().map(|core| Request::Core(core.clone())));
        wanted
    }
}

impl Wanted {
    /// Adds a file. Its first bytes show its kind.
    ///
    /// A directory stands for the snapshots in it, in the order of their names, or for the core
    /// files of the last crash that systemd-coredump has kept there.
    fn file(&mut self, path: PathBuf) {
        if path.is_dir() {
            let files = std::fs::read_dir(&path).into_iter().flatten().flatten();
            let mut files: Vec<PathBuf> = files.map(|entry| entry.path()).collect();
            if let Some(crash) = crashes::last(&files) {
                return self.crash(crash);
            }
            files.sort();
            let files = only_snapshots(files);
            if files.is_empty() {
                self.failed.push(format!(
                    "{} has no snapshot (*.mqd) and no core file of systemd-coredump: give the \
                     files themselves",
                    path.display()
                ));
            }
            self.snapshots.extend(files);
        } else if is_snapshot(&path) {
            self.snapshots.push(path);
        } else if is_report(&path) {
            self.reports.push(path);
        } else {
            self.requests.push(Request::Core(path));
        }
    }

    /// Adds the core files of a crash.
    fn crash(&mut self, crash: Crash) {
        let Crash { program, files, others } = crash;
        let others = match others {
            0 => String::new(),
            others => {
                format!("; {others} of other crashes are not read: give the files themselves")
            }
        };
        self.remarks.push(format!(
            "reading the {} core files of the last crash, of {program}{others}",
            files.len()
        ));
        self.requests.extend(files.into_iter().map(Request::Core));
    }

    /// Adds standard input, which cannot be a core file.
    fn input(&mut self, path: PathBuf) {
        if is_snapshot(&path) {
            self.snapshots.push(path);
        } else {
            self.reports.push(path);
        }
    }
}

impl Files {
    /// How to read processes.
    pub(super) fn options(&self, limits: Limits) -> Options {
        self.core.apply(self.live.options(limits))
    }
}

impl CoreFiles {
    /// The same options with these files.
    pub(super) fn apply(&self, mut options: Options) -> Options {
        options.core.executable = self.exe.clone();
        options.core.sysroot = self.sysroot.clone();
        options
    }
}

impl LiveFiles {
    /// How to read processes.
    pub(super) fn options(&self, limits: Limits) -> Options {
        let mut options =
            Options { dll: self.dll.clone(), ..self.search.options(limits, self.dll_timeout) };
        options.live.stop_limit = Some(self.stop_limit).filter(|limit| !limit.is_zero());
        options
    }
}

impl Search {
    /// How to read processes, without a debug DLL and with no limit on how long they are stopped. A
    /// foreign DLL may take so long.
    pub(super) fn options(&self, limits: Limits, timeout: Duration) -> Options {
        // This program, even if its file has been replaced.
        let workers = Workers { program: "/proc/self/exe".into(), timeout };
        // The processes of a job have most of their files in common.
        let files = FileCache::default();
        let debug_dirs = self.debug_dirs.clone();
        Options {
            dll: None,
            live: LiveOptions {
                debug_dirs: debug_dirs.clone(),
                files: files.clone(),
                stop_limit: None,
            },
            core: CoreOptions { executable: None, sysroot: None, debug_dirs, files },
            limits,
            record: false,
            together: false,
            all_threads: false,
            snapshots: Snapshots::default(),
            workers: Some(workers),
        }
    }
}
