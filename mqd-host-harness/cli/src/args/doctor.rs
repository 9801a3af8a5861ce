//! The arguments of `mqd doctor`.

use clap::Parser;

use super::targets::{Files, Targets};
use mqd_host::request::Options;
use mqd_host::walk::Limits;

/// Check whether everything that mqd needs is there
#[derive(Debug, Parser)]
#[command(
    long_about = "Checks whether everything that mqd needs to read queues is there: on this \
                  machine, and for the given processes, jobs, core files and snapshots. For each \
                  thing that is missing it says what to do. It looks at this host alone: \
                  it does not check --slurm, and ignores the options for other hosts.",
    after_help = "\
Examples:
  mqd doctor                                   this machine
  mqd doctor --job $(pgrep -n mpiexec)         the launcher, and its first rank on this host
  mqd doctor --core core --exe ./solver        a core file

Exit codes:
  0  everything is there
  1  the output could not be written
  2  wrong usage
  5  something is missing, or a target was not checked"
)]
pub(crate) struct Doctor {
    #[command(flatten)]
    pub(crate) targets: Targets,

    #[command(flatten)]
    files: Files,

    /// Write a JSON array with an object for each check: subject, name, state, found, fix
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
}

impl Doctor {
    /// How to read the processes.
    pub(crate) fn options(&self) -> Options {
        self.files.options(Limits::default())
    }
}
