//! The arguments of `mqd`.

mod pictures;

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{ArgGroup, Parser, Subcommand, ValueEnum};

use crate::dump::{Options, Request};
use crate::filter::{Filter, Numbers};
use crate::image::FileCache;
use crate::job;
use crate::report::Queue;
use crate::snapshot::{Keep, Snapshots, is_snapshot};
use crate::target::{CoreOptions, LiveOptions};
use crate::walk::Limits;
use crate::worker::{self, Workers};

pub(super) use self::pictures::{Graph, Picture, Watch};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Shows what the processes of an MPI job are waiting for
#[derive(Debug, Parser)]
#[command(
    name = "mqd",
    version,
    styles = STYLES,
    after_help = "`mqd dump --help` has the options and examples.",
    long_about = "Shows what the processes of an MPI job are waiting for: the sends and receives that are not finished, and the messages \
                  that have arrived and that nothing has received, read from the live processes or from their core files."
)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    Dump(Box<Dump>),
    Capture(Box<Capture>),
    Check(Box<Check>),
    Graph(Box<Graph>),
    Watch(Box<Watch>),
    Doctor(Box<Doctor>),
    #[command(subcommand)]
    Layout(Layout),
    /// What mqd itself starts to run a foreign debug DLL
    #[command(name = worker::SUBCOMMAND, hide = true)]
    Worker,
    /// Write the manual pages, one for each command, into a directory
    Manual {
        /// The directory, such as PREFIX/share/man/man1
        directory: PathBuf,
    },
    /// Write a completion script for a shell
    ///
    /// For bash: `source <(mqd completions bash)`.
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
}

/// Show the message queues of processes, core files or snapshots
#[derive(Debug, Parser)]
#[command(
    group = ArgGroup::new("any_target").args(["targets", "pids", "cores", "jobs", "snapshots"]).required(true).multiple(true),
    long_about = "Shows the message queues of live processes, of a whole job, of core files, or of snapshots.\n\n\
        A live process is stopped while it is read, which takes milliseconds, and runs on afterwards, also if mqd is killed. Reading \
        it takes the right to trace it: the same user, and the kernel's permission (/proc/sys/kernel/yama/ptrace_scope).",
    after_help = "`mqd dump --help` has examples, exit codes, and more about each option.",
    after_long_help = "\
Examples:
  mqd dump --job $(pgrep -n mpiexec)           all ranks of the job that mpiexec started
  mqd dump --pid 4711 4712 --queue receives    what two processes are waiting to receive
  mqd dump --core core.* --exe ./solver        the core files of a job
  mqd dump job.mqd                             a snapshot, which `mqd capture` has written
  mqd dump -j 4700 --rank 0-3 --tag 17 --format json -o queues.json

Exit codes:
  0  all processes were read
  1  the output could not be written
  2  wrong usage
  3  the process or core file cannot be read (of several: none can)
  4  there is no debug DLL for it, or the DLL found no queues (of several: in none)
  5  some processes could not be read, or not completely; the errors name them"
)]
pub(super) struct Dump {
    #[command(flatten)]
    pub(super) targets: Targets,

    #[command(flatten)]
    files: Files,

    /// Only these ranks in MPI_COMM_WORLD, such as 0,4-7
    #[arg(long = "rank", value_name = "RANKS", value_delimiter = ',', help_heading = "Filters")]
    ranks: Vec<Numbers>,

    /// Only these communicators, by name or id (0x...)
    #[arg(long = "comm", value_name = "NAME|ID", num_args = 1.., help_heading = "Filters")]
    communicators: Vec<String>,

    /// Only operations with these tags, such as 3,10-19
    ///
    /// A receive with MPI_ANY_TAG that nothing has matched yet is shown too, since it can match any of them.
    #[arg(long = "tag", value_name = "TAGS", value_delimiter = ',', help_heading = "Filters")]
    tags: Vec<Numbers>,

    /// Only these queues
    #[arg(long = "queue", value_name = "QUEUE", value_delimiter = ',', help_heading = "Filters")]
    queues: Vec<Queue>,

    /// Also show what the MPI library itself sends and receives, such as in collective operations
    ///
    /// Their tags are negative. The same as the environment variable MQD_INTERNAL=1, which libmqd.so heeds in any debugger. Of Open MPI.
    #[arg(long, help_heading = "Filters")]
    pub(super) internal: bool,

    /// Take lists for endless after this many operations of a process
    #[arg(long, value_name = "N", default_value_t = Limits::default().operations, help_heading = "Filters")]
    max_operations: usize,

    /// How to write it
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = Format::Human, help_heading = "Output")]
    pub(super) format: Format,

    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(super) output: Option<PathBuf>,

    /// Colours in human output
    ///
    /// With `auto`, if standard output is a terminal and the environment variable NO_COLOR is not set.
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = clap::ColorChoice::Auto, help_heading = "Output")]
    pub(super) color: clap::ColorChoice,

    /// Also show addresses, and what the debug DLL prints
    #[arg(short, long, help_heading = "Output")]
    pub(super) verbose: bool,

    /// Write to standard error what reading each process cost, one line of JSON for each
    #[arg(long, help_heading = "Output")]
    pub(super) stats: bool,
}

/// Write what a dump needs of processes or core files into a file, to be read again anywhere
#[derive(Debug, Parser)]
#[command(
    group = ArgGroup::new("any_target").args(["targets", "pids", "cores", "jobs", "snapshots"]).required(true).multiple(true),
    long_about = "Writes a snapshot: for each process just the memory and the answers about symbols and types that reading its queues took, \
                  and the queues as they were. Kilobytes for each process.\n\n\
                  Any command of mqd that takes processes takes a snapshot instead, on any machine, and without the files of the job. \
                  docs/snapshots.md describes the format. A live process is stopped while it is read, which takes milliseconds.",
    after_help = "`mqd capture --help` has examples, exit codes, and more about each option.",
    after_long_help = "\
Examples:
  mqd capture --job $(pgrep -n mpiexec) -o job.mqd   all ranks of the job that mpiexec started
  mqd dump --snapshot job.mqd                        what they were waiting for then
  mqd capture 4700 -o job.mqd --redact               to be shown to others
  mqd capture job.mqd -o public.mqd --redact         the same, later

Exit codes:
  0  all processes were read
  1  the snapshot could not be written
  2  wrong usage
  3  the process or core file cannot be read (of several: none can); there is no snapshot
  4  there is no debug DLL for it, or the DLL found no queues (of several: in none); there is no snapshot
  5  some processes could not be read, or not completely; the snapshot says why"
)]
pub(super) struct Capture {
    #[command(flatten)]
    pub(super) targets: Targets,

    #[command(flatten)]
    files: Files,

    /// The snapshot; if it exists it is replaced
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(super) output: PathBuf,

    /// Leave out message buffers, paths of files, and names of machines
    ///
    /// Of memory only the structures of the MPI library are kept that the debug DLL has asked for; of paths only the file name of the MPI library. Names
    /// of communicators and datatypes stay: they are what a dump shows.
    #[arg(long, help_heading = "Output")]
    redact: bool,

    /// Keep the queues as they are now, without the memory to read them from
    ///
    /// Such a snapshot is smaller, and cannot be read again with another debug DLL or with --internal.
    #[arg(long, help_heading = "Output")]
    report_only: bool,

    /// Also what the MPI library itself sends and receives, such as in collective operations
    #[arg(long, help_heading = "Output")]
    pub(super) internal: bool,
}

/// Tell what is wrong with a job: why does it hang?
#[derive(Debug, Parser)]
#[command(
    group = ArgGroup::new("any_target").args(["targets", "pids", "cores", "jobs", "snapshots"]).required(true).multiple(true),
    long_about = "Puts the queues of all ranks of a job together, and tells what is wrong: ranks that wait for each other, the smallest such cycle and who waits on \
                  it; receives that nothing will match, and messages that nearly match them; buffers that are too short and datatypes that differ; ranks in different \
                  collective operations; ranks that have ended.\n\n\
                  The first line is the verdict. A job that is merely slow is never called deadlocked: where the picture does not suffice, mqd says so, and what is missing.",
    after_help = "`mqd check --help` has examples, exit codes, and more about each option.",
    after_long_help = "\
Examples:
  mqd check $(pgrep -n mpiexec)                the job that mpiexec started
  mqd check --core core.* --exe ./solver       the core files of a job: of all its ranks
  mqd check job.mqd --format json              a snapshot, for programs (docs/check.md)

Exit codes:
  0   nothing is wrong
  1   the output could not be written
  2   wrong usage
  3   the process or core file cannot be read (of several: none can)
  4   there is no debug DLL for it, or the DLL found no queues (of several: in none)
  5   no verdict, as some processes could not be read, or not completely
  10  the job is deadlocked
  11  it is not, but there are other findings (errors or warnings)
  12  no verdict, as the picture is not sufficient"
)]
pub(super) struct Check {
    #[command(flatten)]
    pub(super) targets: Targets,

    #[command(flatten)]
    files: Files,

    /// Look again at live processes after so many seconds; 0: never
    ///
    /// Without this option mqd looks again, a second later, where one look is not sufficient for a verdict. Two looks tell too whether unexpected messages become more.
    #[arg(long, value_name = "SECONDS", value_parser = seconds_or_none)]
    pub(super) recheck: Option<Duration>,

    /// How to write it
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = CheckFormat::Human, help_heading = "Output")]
    pub(super) format: CheckFormat,

    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(super) output: Option<PathBuf>,

    /// Colours in human output
    ///
    /// With `auto`, if standard output is a terminal and the environment variable NO_COLOR is not set.
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = clap::ColorChoice::Auto, help_heading = "Output")]
    pub(super) color: clap::ColorChoice,
}

/// How to write a diagnosis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum CheckFormat {
    /// Text for reading
    Human,
    /// A documented, versioned format for programs (docs/check.md)
    Json,
}

/// What to read.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(group = ArgGroup::new("core_files").multiple(true))]
pub(super) struct Targets {
    /// A process (of a launcher: the job that it has started), a core file or a snapshot
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
    /// The launcher's table of processes (MPIR_proctable) tells where the ranks are. Ranks on other hosts are named in the errors: run mqd
    /// there. A launcher without such a table (Open MPI 5) has the processes that it has started, and their environment tells their ranks.
    #[arg(short, long = "job", value_name = "LAUNCHER_PID", num_args = 1.., value_delimiter = ',', value_parser = pid, help_heading = "Targets")]
    jobs: Vec<u32>,

    /// Snapshots, which `mqd capture` has written
    ///
    /// They are read as the processes themselves were, on any machine, and without the files of the job.
    #[arg(long = "snapshot", value_name = "FILE", num_args = 1.., help_heading = "Targets")]
    snapshots: Vec<PathBuf>,
}

/// A target without an option that says what it is.
#[derive(Clone, Debug)]
enum Named {
    Process(u32),
    File(PathBuf),
}

impl FromStr for Named {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Named, Self::Err> {
        // A file that is called so is `./4711`.
        Ok(pid(text).map_or_else(|_| Named::File(text.into()), Named::Process))
    }
}

/// The targets of a command line.
pub(super) struct Wanted {
    /// The launchers whose jobs are asked for.
    pub(super) jobs: Vec<u32>,
    /// The processes and core files.
    pub(super) requests: Vec<Request>,
    /// The snapshots.
    pub(super) snapshots: Vec<PathBuf>,
}

/// Where the files are that reading takes.
#[derive(Debug, clap::Args)]
struct Files {
    /// The debug DLL to read the queues with
    ///
    /// Without this option it is the one that the MPI library in the process names (MPIR_dll_name), or else mqd's own libmqd.so; for Open
    /// MPI the other way round. A DLL that is not mqd's own runs in a process of its own, where it can do no harm when it fails.
    #[arg(long, value_name = "PATH", help_heading = "Where to find files")]
    dll: Option<PathBuf>,

    /// How long a debug DLL that is not mqd's own may take for one process
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = seconds, help_heading = "Where to find files")]
    dll_timeout: Duration,

    /// The executable that left the core files
    ///
    /// Needed where it is not found under the name that the core file has for it.
    #[arg(long, value_name = "FILE", requires = "core_files", help_heading = "Where to find files")]
    exe: Option<PathBuf>,

    /// A directory with the files of the machine where the core files were written
    #[arg(long, value_name = "DIR", requires = "core_files", help_heading = "Where to find files")]
    sysroot: Option<PathBuf>,

    /// A directory with separate debug information, besides /usr/lib/debug
    ///
    /// If it is nowhere on this machine, the debuginfod servers that the environment variable DEBUGINFOD_URLS names are asked for that of the MPI
    /// library.
    #[arg(long = "debug-dir", value_name = "DIR", help_heading = "Where to find files")]
    debug_dirs: Vec<PathBuf>,
}

/// Tell what reading queues takes, and what of it is missing
#[derive(Debug, Parser)]
#[command(
    long_about = "Tells what reading queues takes, and whether it is there: on this machine, and for processes, jobs and core files if any are given. \
                  What is missing comes with what to do about it.",
    after_help = "\
Examples:
  mqd doctor                                   this machine
  mqd doctor --job $(pgrep -n mpiexec)         the launcher, and the first rank that it has started here
  mqd doctor --core core --exe ./solver

Exit codes:
  0  everything is there
  1  the output could not be written
  2  wrong usage
  5  something is missing"
)]
pub(super) struct Doctor {
    #[command(flatten)]
    pub(super) targets: Targets,

    #[command(flatten)]
    files: Files,

    /// Write JSON: an array with an object for each thing (subject, name, state, found, fix)
    #[arg(long, help_heading = "Output")]
    pub(super) json: bool,
}

/// Tables of the layout of structures, for MPI libraries without debug information
#[derive(Debug, Subcommand)]
#[command(after_help = "\
A layout table says where the fields of an MPI library's structures are. mqd comes with tables for the usual releases; more are taken from \
the directory that the environment variable MQD_LAYOUT_DIR names (files *.layout). docs/layout-tables.md describes the format.")]
pub(super) enum Layout {
    /// Make a table from files with debug information
    ///
    /// The files are those of an MPI library that have its structures: the library itself and its components, their debug files, or
    /// object files. Of a stripped library the debug file is looked for, also at the servers in DEBUGINFOD_URLS.
    Extract(LayoutExtract),
    /// List the tables that there are
    List,
    /// Print a table
    Show {
        /// Its name, or a file
        table: String,
    },
    /// Check whether a table fits a process, a core file, or a library
    ///
    /// It is compared with debug information as far as there is any, and with the sizes that an Open MPI writes down itself.
    Verify(LayoutVerify),
}

#[derive(Debug, Parser)]
pub(super) struct LayoutExtract {
    /// Libraries, debug files or object files
    #[arg(required = true)]
    pub(super) files: Vec<PathBuf>,

    /// The library's name in the table
    #[arg(long, value_name = "NAME", default_value = "openmpi")]
    pub(super) library: String,

    /// The releases that the table is for, such as 4.1.4, or 4.1 for all of them; otherwise the one that the library tells
    #[arg(long, value_name = "VERSION", value_delimiter = ',')]
    pub(super) versions: Vec<String>,

    /// A structure to add to those that are known to be wanted
    #[arg(long = "struct", value_name = "NAME")]
    pub(super) structures: Vec<String>,

    /// A directory with separate debug information, besides /usr/lib/debug
    #[arg(long = "debug-dir", value_name = "DIR")]
    pub(super) debug_dirs: Vec<PathBuf>,

    /// Write to this file instead of standard output; of a directory, to the file in it by which a table is found
    #[arg(short, long, value_name = "FILE|DIR")]
    pub(super) output: Option<PathBuf>,
}

#[derive(Debug, Parser)]
#[command(
    group = ArgGroup::new("targets").args(["files", "pid", "core"]).required(true),
    after_help = "\
Exit codes:
  0  it fits
  2  wrong usage
  3  the process or file cannot be read
  4  it does not fit, there is no table, or there is nothing to compare it with
  5  it fits but for some structures"
)]
pub(super) struct LayoutVerify {
    /// Libraries or debug files
    pub(super) files: Vec<PathBuf>,

    /// A live process
    #[arg(short, long, value_name = "PID", value_parser = pid)]
    pub(super) pid: Option<u32>,

    /// A core file
    #[arg(short, long, value_name = "FILE")]
    pub(super) core: Option<PathBuf>,

    /// The executable that left the core file
    #[arg(long, value_name = "FILE", requires = "core")]
    pub(super) exe: Option<PathBuf>,

    /// The table, by name or file; otherwise the one that mqd would take
    #[arg(short, long, value_name = "TABLE")]
    pub(super) table: Option<String>,

    /// A directory with separate debug information, besides /usr/lib/debug
    #[arg(long = "debug-dir", value_name = "DIR")]
    pub(super) debug_dirs: Vec<PathBuf>,
}

/// How to write a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Text for reading
    Human,
    /// A documented, versioned format for programs (docs/json.md)
    Json,
    /// A table with one row for each operation
    Csv,
}

impl Targets {
    /// If they are several snapshots and nothing else: each alone.
    pub(super) fn snapshots(&self) -> Option<Vec<Targets>> {
        let Wanted { jobs, requests, snapshots } = self.wanted();
        (jobs.is_empty() && requests.is_empty() && snapshots.len() > 1).then(|| {
            snapshots.into_iter().map(|snapshot| Targets { snapshots: vec![snapshot], ..Targets::default() }).collect()
        })
    }

    /// What is asked for, by its kind.
    pub(super) fn wanted(&self) -> Wanted {
        let mut wanted = Wanted { jobs: self.jobs.clone(), requests: Vec::new(), snapshots: self.snapshots.clone() };
        for target in &self.targets {
            match target {
                Named::Process(pid) if job::members(*pid).is_ok() => wanted.jobs.push(*pid),
                Named::Process(pid) => wanted.requests.push(Request::Pid(*pid)),
                Named::File(path) if is_snapshot(path) => wanted.snapshots.push(path.clone()),
                Named::File(path) => wanted.requests.push(Request::Core(path.clone())),
            }
        }
        wanted.requests.extend(self.pids.iter().map(|pid| Request::Pid(*pid)));
        wanted.requests.extend(self.cores.iter().map(|core| Request::Core(core.clone())));
        wanted
    }
}

impl Files {
    /// How to read processes.
    fn options(&self, limits: Limits) -> Options {
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

impl Capture {
    /// How to read the processes.
    pub(super) fn options(&self) -> Options {
        Options { record: !self.report_only, ..self.files.options(Limits::default()) }
    }

    /// What to keep of them.
    pub(super) fn keep(&self) -> Keep {
        Keep { redact: self.redact, report_only: self.report_only }
    }
}

impl Check {
    /// How to read the processes.
    pub(super) fn options(&self) -> Options {
        self.files.options(Limits::default())
    }
}

impl Doctor {
    /// How to read the processes.
    pub(super) fn options(&self) -> Options {
        self.files.options(Limits::default())
    }
}

impl Dump {
    /// What to keep of the report.
    pub(super) fn filter(&self) -> Filter {
        Filter {
            ranks: self.ranks.clone(),
            communicators: self.communicators.clone(),
            tags: self.tags.clone(),
            queues: self.queues.clone(),
        }
    }

    /// How to read the processes.
    pub(super) fn options(&self) -> Options {
        self.files.options(Limits { operations: self.max_operations, ..Limits::default() })
    }
}

fn seconds_or_none(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds >= 0.0);
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or("a time is a number of seconds".to_owned())
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| *seconds > 0.0);
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or("a time is a positive number of seconds".to_owned())
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|number| *number > 0).ok_or("a positive number".to_owned())
}

fn pid(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(pid) if pid > 0 => Ok(pid),
        _ => Err("a process id is a positive number".to_owned()),
    }
}
