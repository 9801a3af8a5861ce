//! The arguments of `mqd conform`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Parser, ValueEnum};

use super::output::TextOutput;
use super::targets::{CoreFiles, Search, Targets};
use super::values::seconds;
use mqd_host::request::Options;
use mqd_host::walk::Limits;

/// Check a debug DLL against the sentences of the MQD specification
#[derive(Debug, Parser)]
#[command(
    group = ArgGroup::new("what").args(["dll", "scenario"]).required(true),
    long_about = "Checks a debug DLL against the sentences of the specification of the MPI \
                  Message Queue Dumping interface. It reads the processes of a job whose queues \
                  are known: the scenario, a C program that `mqd conform --scenario` prints. The \
                  DLL is asked as debuggers ask it, and callbacks fail on purpose. \
                  It reads processes of this host and core files. Ranks of other hosts count as \
                  not opened, and snapshots and reports are refused.\n\n\
                  The DLL runs in a process of its own. If it crashes, the check has failed, and \
                  the next one follows.",
    after_help = "\
Examples:
  mqd conform --scenario > scenario.c
  mpicc -g scenario.c -o scenario
  mpiexec -n 3 ./scenario &                    rank 0 prints \"ready\"
  mqd conform /opt/mpi/lib/libmsgq.so --job $(pgrep -n mpiexec)
  mqd conform ./libmsgq.so --core core.*       core files of the scenario

Exit codes:
  0  no check has failed
  1  the output could not be written
  2  wrong usage
  3  no process could be opened
  4  the debug DLL could not be loaded
  5  a check has failed, or a process could not be opened"
)]
pub(crate) struct Conform {
    /// The debug DLL
    #[arg(value_name = "DLL")]
    pub(crate) dll: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) targets: Targets,

    /// Print the source of the scenario
    #[arg(long, conflicts_with_all = ["targets", "pids", "cores", "jobs", "slurm", "snapshots"])]
    pub(crate) scenario: bool,

    /// The longest time that the debug DLL may take for one session with a process
    ///
    /// After that the check has failed.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "20",
        value_parser = seconds,
        help_heading = "Where to find files"
    )]
    dll_timeout: Duration,

    #[command(flatten)]
    search: Search,

    #[command(flatten)]
    core: CoreFiles,

    /// The output format
    #[arg(
        short,
        long,
        value_name = "FORMAT",
        value_enum,
        default_value_t = ConformFormat::Human,
        help_heading = "Output"
    )]
    pub(crate) format: ConformFormat,

    #[command(flatten)]
    pub(crate) text: TextOutput,

    /// Also show the sentences of the checks that pass, and what the debug DLL prints
    #[arg(short, long, help_heading = "Output")]
    pub(crate) verbose: bool,
}

/// How to write the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConformFormat {
    /// Text for people
    Human,
    /// JSON for programs (docs/conformance.md)
    Json,
}

impl Conform {
    /// How to read the processes.
    pub(crate) fn options(&self) -> Options {
        self.core.apply(self.search.options(Limits::default(), self.dll_timeout))
    }
}
