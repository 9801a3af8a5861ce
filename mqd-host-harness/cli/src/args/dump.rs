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
    long_about = "Shows the message queues of live processes, of a whole job, of core files, or of snapshots.\n\n\
        A live process is stopped while it is read, which takes milliseconds, and runs on afterwards, also if mqd is killed. Reading \
        it takes the right to trace it: the same user, and the kernel's permission (/proc/sys/kernel/yama/ptrace_scope).",
    after_help = "`mqd dump --help` has examples, exit codes, and more about each option.",
    after_long_help = concat!("\
Examples:
  mqd dump --job $(pgrep -n mpiexec)           all ranks of the job that mpiexec started
  mqd dump --pid 4711 4712 --queue receives    what two processes are waiting to receive
  mqd dump --core core.* --exe ./solver        the core files of a job
  mqd dump job.mqd                             a snapshot, which `mqd capture` has written
  mqd dump -j 4700 --rank 0-3 --tag 17 --format json -o queues.json

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

    /// Only these communicators, by name or id (0x...)
    #[arg(long = "comm", value_name = "NAME|ID", num_args = 1.., help_heading = "Filters")]
    communicators: Vec<String>,

    /// Only operations with these tags, such as 3,10-19
    ///
    /// A receive with MPI_ANY_TAG that nothing has matched yet is shown too, since it can match
    /// any of them.
    #[arg(long = "tag", value_name = "TAGS", value_delimiter = ',', help_heading = "Filters")]
    tags: Vec<Numbers>,

    /// Only these queues
    #[arg(long = "queue", value_name = "QUEUE", value_delimiter = ',', help_heading = "Filters")]
    queues: Vec<Queue>,

    /// Also show what the MPI library itself sends and receives, such as in collective operations
    ///
    /// Their tags are negative. The same as the environment variable MQD_INTERNAL=1, which
    /// libmqd.so heeds in any debugger. Of Open MPI.
    #[arg(long, help_heading = "Filters")]
    pub(crate) internal: bool,

    /// Take lists for endless after this many operations of a process
    #[arg(long, value_name = "N", default_value_t = Limits::default().operations, help_heading = "Filters")]
    max_operations: usize,

    /// How to write it
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = Format::Human, help_heading = "Output")]
    pub(crate) format: Format,

    #[command(flatten)]
    pub(crate) text: TextOutput,

    /// Also show addresses, and what the debug DLL prints
    #[arg(short, long, help_heading = "Output")]
    pub(crate) verbose: bool,

    /// Write to standard error what reading each process cost, one line of JSON for each
    #[arg(long, help_heading = "Output")]
    pub(crate) stats: bool,
}

/// How to write a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for reading
    Human,
    /// A documented, versioned format for programs (docs/json.md)
    Json,
    /// A table with one row for each operation
    Csv,
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
        self.files.options(Limits { operations: self.max_operations, ..Limits::default() })
    }
}
