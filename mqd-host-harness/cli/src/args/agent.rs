//! The arguments of `mqd agent`.

use std::time::Duration;

use clap::Parser;

use super::values::seconds;

/// Read ranks of this host for an mqd on another one
#[derive(Debug, Parser)]
#[command(
    long_about = "Other commands of mqd start this one on the hosts of a job, for example with \
                  ssh or srun. It reads questions from standard input and writes snapshots to \
                  standard output. It ends when standard input ends, or when nothing came for 15 \
                  seconds. It opens no port and writes no file. docs/clusters.md describes it.",
    after_help = "It is of no use without another mqd at the other end of its input and output."
)]
pub(crate) struct Agent {
    /// Include what the MPI library itself sends and receives, as MQD_INTERNAL does
    #[arg(long, value_name = "VALUE")]
    pub(crate) internal: Option<String>,

    /// This file was sent for this one run: remove it
    #[arg(long, hide = true)]
    pub(crate) sent: bool,

    /// The longest time that a foreign debug DLL may take for one process
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = seconds)]
    pub(crate) dll_timeout: Duration,
}
