//! What to read, and with which files: arguments of all commands that read processes.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::ArgGroup;

use super::reach::Reach;
use super::values::{pid, seconds, seconds_or_none, slurm_step};
use mqd_host::request::{Options, Workers};
use mqd_host::snapshot::Snapshots;
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
    pub(crate) targets: Vec<Named>,

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
    pub(crate) pids: Vec<u32>,

    /// Core files
    #[arg(
        short,
        long = "core",
        value_name = "FILE",
        num_args = 1..,
        group = "core_files",
        help_heading = "Targets"
    )]
    pub(crate) cores: Vec<PathBuf>,

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
    pub(crate) jobs: Vec<u32>,

    /// All ranks of a Slurm job, or of one of its steps
    #[arg(
        long = "slurm",
        value_name = "JOB[.STEP]",
        value_parser = slurm_step,
        help_heading = "Targets"
    )]
    pub(crate) slurm: Option<SlurmStep>,

    /// Snapshots, written by `mqd capture`
    ///
    /// A snapshot can be read on any machine, without the files of the job.
    #[arg(long = "snapshot", value_name = "FILE", num_args = 1.., help_heading = "Targets")]
    pub(crate) snapshots: Vec<PathBuf>,

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
pub(crate) enum Named {
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
