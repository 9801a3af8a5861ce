//! What to read, and with which files: the arguments that all commands have that read processes.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::ArgGroup;

use super::values::{pid, seconds};
use crate::output::complain;
use crate::report_file::is_report;
use crate::stdin;
use mqd_host::job;
use mqd_host::request::Workers;
use mqd_host::request::{Options, Request};
use mqd_host::snapshot::{Snapshots, is_snapshot};
use mqd_host::walk::Limits;
use mqd_inspect::image::FileCache;
use mqd_inspect::process::{CoreOptions, LiveOptions};

/// For commands that want a target, of whatever kind.
pub(super) fn any_target() -> ArgGroup {
    ArgGroup::new("any_target")
        .args(["targets", "pids", "cores", "jobs", "snapshots"])
        .required(true)
        .multiple(true)
}

/// What to read.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(group = ArgGroup::new("core_files").multiple(true))]
pub(crate) struct Targets {
    /// A process (of a launcher: the job that it has started), a core file, a snapshot, or a report
    ///
    /// A report is what `mqd dump --format json` writes. `-` is standard input: a snapshot or a
    /// report.
    #[arg(value_name = "TARGET", group = "core_files", help_heading = "Targets")]
    targets: Vec<Named>,

    /// Live processes
    #[arg(short, long = "pid", value_name = "PID", num_args = 1.., value_delimiter = ',', value_parser = pid, help_heading = "Targets")]
    pids: Vec<u32>,

    /// Core files
    #[arg(short, long = "core", value_name = "FILE", num_args = 1.., group = "core_files", help_heading = "Targets")]
    cores: Vec<PathBuf>,

    /// All ranks of the job that this process has started (mpiexec, mpirun, srun)
    ///
    /// The launcher's table of processes (MPIR_proctable) tells where the ranks are. Ranks on
    /// other hosts are named in the errors: run mqd there. A launcher without such a table
    /// (Open MPI 5) has the processes that it has started, and their environment tells their
    /// ranks.
    #[arg(short, long = "job", value_name = "LAUNCHER_PID", num_args = 1.., value_delimiter = ',', value_parser = pid, help_heading = "Targets")]
    jobs: Vec<u32>,

    /// Snapshots, which `mqd capture` has written
    ///
    /// They are read as the processes themselves were, on any machine, and without the files of
    /// the job.
    #[arg(long = "snapshot", value_name = "FILE", num_args = 1.., help_heading = "Targets")]
    snapshots: Vec<PathBuf>,
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
        // Files that are called so are `./4711` and `./-`.
        Ok(match pid(text) {
            Ok(pid) => Named::Process(pid),
            Err(_) if text == "-" => Named::StandardInput,
            Err(_) => Named::File(text.into()),
        })
    }
}

/// The targets of a command line.
pub(crate) struct Wanted {
    /// The launchers whose jobs are asked for.
    pub(crate) jobs: Vec<u32>,
    /// The processes and core files.
    pub(crate) requests: Vec<Request>,
    /// The snapshots.
    pub(crate) snapshots: Vec<PathBuf>,
    /// The reports.
    pub(crate) reports: Vec<PathBuf>,
}

/// Where the files are that reading takes.
#[derive(Debug, clap::Args)]
pub(super) struct Files {
    /// The debug DLL to read the queues with
    ///
    /// Without this option it is the one that the MPI library in the process names
    /// (MPIR_dll_name), or else mqd's own libmqd.so; for Open MPI the other way round. A DLL
    /// that is not mqd's own runs in a process of its own, where it can do no harm when it fails.
    #[arg(long, value_name = "PATH", help_heading = "Where to find files")]
    dll: Option<PathBuf>,

    /// How long a debug DLL that is not mqd's own may take for one process
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = seconds, help_heading = "Where to find files")]
    dll_timeout: Duration,

    /// The executable that left the core files
    ///
    /// Needed where it is not found under the name that the core file has for it.
    #[arg(
        long,
        value_name = "FILE",
        requires = "core_files",
        help_heading = "Where to find files"
    )]
    exe: Option<PathBuf>,

    /// A directory with the files of the machine where the core files were written
    #[arg(long, value_name = "DIR", requires = "core_files", help_heading = "Where to find files")]
    sysroot: Option<PathBuf>,

    /// A directory with separate debug information, besides /usr/lib/debug
    ///
    /// If it is nowhere on this machine, the debuginfod servers that the environment variable
    /// DEBUGINFOD_URLS names are asked for that of the MPI library.
    #[arg(long = "debug-dir", value_name = "DIR", help_heading = "Where to find files")]
    debug_dirs: Vec<PathBuf>,
}

impl Targets {
    /// If they are several snapshots or reports and nothing else: each alone.
    pub(crate) fn looks(&self) -> Option<Vec<Targets>> {
        let Wanted { jobs, requests, snapshots, reports } = self.wanted();
        if !jobs.is_empty() || !requests.is_empty() || snapshots.len() + reports.len() < 2 {
            return None;
        }
        let files = snapshots.into_iter().chain(reports);
        Some(
            files
                .map(|file| Targets { targets: vec![Named::File(file)], ..Targets::default() })
                .collect(),
        )
    }

    /// What is asked for, by its kind.
    pub(crate) fn wanted(&self) -> Wanted {
        let mut wanted = Wanted {
            jobs: self.jobs.clone(),
            requests: Vec::new(),
            snapshots: self.snapshots.clone(),
            reports: Vec::new(),
        };
        for target in &self.targets {
            match target {
                Named::Process(pid) if job::members(*pid).is_ok() => wanted.jobs.push(*pid),
                Named::Process(pid) => wanted.requests.push(Request::Pid(*pid)),
                Named::File(path) => wanted.file(path.clone()),
                Named::StandardInput => match stdin::path() {
                    Ok(path) => wanted.input(path),
                    Err(error) => complain(&format!("cannot read standard input: {error}")),
                },
            }
        }
        wanted.requests.extend(self.pids.iter().map(|pid| Request::Pid(*pid)));
        wanted.requests.extend(self.cores.iter().map(|core| Request::Core(core.clone())));
        wanted
    }
}

impl Wanted {
    /// A file, by what it begins with.
    fn file(&mut self, path: PathBuf) {
        if is_snapshot(&path) {
            self.snapshots.push(path);
        } else if is_report(&path) {
            self.reports.push(path);
        } else {
            self.requests.push(Request::Core(path));
        }
    }

    /// Standard input, which is no core file.
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
        // The processes of a job have most of their files in common.
        let files = FileCache::default();
        Options {
            dll: self.dll.clone(),
            live: LiveOptions { debug_dirs: self.debug_dirs.clone(), files: files.clone() },
            core: CoreOptions {
                executable: self.exe.clone(),
                sysroot: self.sysroot.clone(),
                debug_dirs: self.debug_dirs.clone(),
                files,
            },
            limits,
            record: false,
            snapshots: Snapshots::default(),
            // This very program, also if its file has been replaced.
            workers: Some(Workers { program: "/proc/self/exe".into(), timeout: self.dll_timeout }),
        }
    }
}
