//! The arguments of `mqd doctor`.

use clap::Parser;

use super::targets::{Files, Targets};
use mqd_host::request::Options;
use mqd_host::walk::Limits;

/// Tell what reading queues takes, and what of it is missing
#[derive(Debug, Parser)]
#[command(
    long_about = "Tells what reading queues takes, and whether it is there: on this machine, and \
                  for processes, jobs and core files if any are given. What is missing comes with \
                  what to do about it.",
    after_help = "\
Examples:
  mqd doctor                                   this machine
  mqd doctor --job $(pgrep -n mpiexec)         the launcher, and the first rank that it has \
                  started here
  mqd doctor --core core --exe ./solver

Exit codes:
  0  everything is there
  1  the output could not be written
  2  wrong usage
  5  something is missing"
)]
pub(crate) struct Doctor {
    #[command(flatten)]
    pub(crate) targets: Targets,

    #[command(flatten)]
    files: Files,

    /// Write JSON: an array with an object for each thing (subject, name, state, found, fix)
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
}

impl Doctor {
    /// How to read the processes.
    pub(crate) fn options(&self) -> Options {
        self.files.options(Limits::default())
    }
}
