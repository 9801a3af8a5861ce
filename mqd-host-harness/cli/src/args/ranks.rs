//! The arguments of `mqd ranks`.

use clap::{Parser, ValueEnum};

use super::output::TextOutput;
use super::values::pid;

/// List the processes of a job: rank, host, process id, and the job
#[derive(Debug, Parser)]
#[command(after_help = "\
Exit codes:
  0  the processes were found
  1  the output could not be written
  2  wrong usage, or the output could not be created
  3  the launcher cannot be read, or has no processes; with --pid: none is a rank")]
pub(crate) struct Ranks {
    /// The process that started the job, such as mpiexec, mpirun or srun
    #[arg(value_name = "LAUNCHER_PID", value_parser = pid, required_unless_present = "pids")]
    pub(crate) launcher: Option<u32>,

    /// List these processes of this host, if they are ranks; without a launcher
    #[arg(
        short,
        long = "pid",
        value_name = "PID",
        num_args = 1..,
        value_delimiter = ',',
        value_parser = pid,
        conflicts_with = "launcher"
    )]
    pub(crate) pids: Vec<u32>,

    /// The output format
    #[arg(
        short,
        long,
        value_name = "FORMAT",
        value_enum,
        default_value_t = RanksFormat::Human,
        help_heading = "Output"
    )]
    pub(crate) format: RanksFormat,

    #[command(flatten)]
    pub(crate) text: TextOutput,
}

/// The format of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RanksFormat {
    /// Text for people
    Human,
    /// A documented, versioned format for programs (docs/json.md)
    Json,
}
