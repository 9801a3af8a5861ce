//! The arguments of `mqd dump`.

use clap::{Parser, ValueEnum};

use super::output::TextOutput;
use super::targets::{Files, Targets, any_target};
use mqd_host::request::Options;
use mqd_host::walk::Limits;
use mqd_report::Queue;
use mqd_report::filter::{Filter, Numbers};

/// Show the message queues of processes, core files or snapshots
#[derive(Debug, Parser)]
#[command(
    group = any_target(),
    long_about = "Shows the message queues of live processes, a whole job, core files, or \
                  snapshots.\n\n\
                  A live process is stopped while it is read, which takes milliseconds. It \
                  continues afterwards, even if mqd is killed. mqd needs the right to trace the \
                  process: the same user, and the permission of the kernel \
                  (/proc/sys/kernel/yama/ptrace_scope).",
    after_help = "`mqd dump --help` shows examples, exit codes, and details of each option.",
    after_long_help = concat!("\
Examples:
  mqd dump --job $(pgrep -n mpiexec)           all ranks of the job that mpiexec started
  mqd dump --pid 4711 4712 --queue receives    what two processes are waiting to receive
  mqd dump --core core.* --exe ./solver        the core files of a job
  mqd dump job.mqd                             a snapshot, written by `mqd capture`
  mqd dump -j 4700 --rank 0-3 --tag 17 --format json -o queues.json
  mqd dump -j 4700 --format parquet -o tables  a directory of Parquet files

", exit_codes!("the errors name them"))
)]
pub(crate) struct Dump {
    #[command(flatten)]
    pub(crate) targets: Targets,

    #[command(flatten)]
    files: Files,

    /// Only these ranks in MPI_COMM_WORLD, such as 0,4-7
    #[arg(long = "rank", value_name = "RANKS", value_delimiter = ',', help_heading = "Filters")]
    ranks: Vec<Numbers>,

    /// Only these communicators, by name or by id in the form 0x...
    ///
    /// All names that follow are communicators, so put the targets before this option.
    #[arg(long = "comm", value_name = "NAME|ID", num_args = 1.., help_heading = "Filters")]
    communicators: Vec<String>,

    /// Only operations with these tags, such as 3,10-19
    ///
    /// An unmatched receive with MPI_ANY_TAG is also shown, because it can match any of these tags.
    #[arg(long = "tag", value_name = "TAGS", value_delimiter = ',', help_heading = "Filters")]
    tags: Vec<Numbers>,

    /// Only these queues
    #[arg(long = "queue", value_name = "QUEUE", value_delimiter = ',', help_heading = "Filters")]
    queues: Vec<Queue>,

    /// Also show what the MPI library itself sends and receives, such as in collective operations
    ///
    /// For Open MPI, MPICH, Intel MPI and the companion runtime. These messages have negative tags.
    /// In other debuggers, the environment variable MQD_INTERNAL=1 does the same for libmqd.so.
    #[arg(long, help_heading = "Filters")]
    pub(crate) internal: bool,

    /// Show the call stacks of all threads
    ///
    /// Without this option, a report has the stacks of the main thread and of the threads that may
    /// be in MPI, and the text has the innermost function of the program.
    #[arg(long, help_heading = "Output")]
    pub(crate) threads: bool,

    /// Show each process and each operation
    ///
    /// Without this option, text is shortened. In jobs with more than 16 processes, those that are
    /// alike are shown as one. A long queue has one line for each peer, or for all peers.
    #[arg(long, help_heading = "Output")]
    pub(crate) all: bool,

    /// Stop after this many operations of a process, because a list may be endless
    #[arg(
        long,
        value_name = "N",
        default_value_t = Limits::default().operations,
        help_heading = "Filters"
    )]
    max_operations: usize,

    /// The output format
    #[arg(
        short,
        long,
        value_name = "FORMAT",
        value_enum,
        default_value_t = Format::Human,
        help_heading = "Output"
    )]
    pub(crate) format: Format,

    #[command(flatten)]
    pub(crate) text: TextOutput,

    /// Also show addresses, and what the debug DLL prints
    #[arg(short, long, help_heading = "Output")]
    pub(crate) verbose: bool,

    /// Write the cost of reading each process to standard error, as one line of JSON
    #[arg(long, help_heading = "Output")]
    pub(crate) stats: bool,
}

/// How to write a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for people
    Human,
    /// A documented, versioned format for programs (docs/json.md)
    Json,
    /// A table with one row for each operation
    Csv,
    /// Tables for DuckDB, Polars, Spark and others, in a directory (docs/parquet.md)
    Parquet,
}

impl Dump {
    /// What to keep of the report.
    pub(crate) fn filter(&self) -> Filter {
        Filter {
            ranks: self.ranks.clone(),
            communicators: self.communicators.clone(),
            tags: self.tags.clone(),
            queues: self.queues.clone(),
        }
    }

    /// How to read the processes.
    pub(crate) fn options(&self) -> Options {
        let limits = Limits { operations: self.max_operations, ..Limits::default() };
        Options { all_threads: self.threads, ..self.files.options(limits) }
    }
}
