//! The arguments of `mqd stacks`.

use std::time::Duration;

use clap::{Parser, ValueEnum};

use super::output::TextOutput;
use super::targets::{Files, Targets, any_target};
use super::values::{at_least_one, seconds};
use mqd_host::request::Options;
use mqd_host::walk::Limits;

/// Show where all ranks are in the program
#[derive(Debug, Parser)]
#[command(
    group = any_target(),
    long_about = "Merges the call stacks of all ranks into one tree. Ranks at the same place share \
                  a line, so a job of any size fits on a screen. The first lines say who is where; \
                  the smallest groups come first, because a rank that is alone at its place is \
                  often the one that the others wait for.\n\n\
                  Stacks begin at the MPI function and end at main. Lines of the source need \
                  debug information in the program (compiler option -g).",
    after_help = "`mqd stacks --help` shows examples, exit codes, and details of each option.",
    after_long_help = concat!("\
Examples:
  mqd stacks $(pgrep -n mpiexec)               the job that mpiexec started
  mqd stacks 4700 --samples 10                 ten looks: which ranks move
  mqd stacks job.mqd --format folded | flamegraph.pl > job.svg
  mqd stacks --core core.* --format json       core files, for programs (docs/stacks.md)

", exit_codes!("the errors name them"))
)]
pub(crate) struct Stacks {
    #[command(flatten)]
    pub(crate) targets: Targets,

    #[command(flatten)]
    files: Files,

    /// Look at live processes this many times, and tell which ranks move
    #[arg(long, value_name = "N", default_value = "1", value_parser = at_least_one)]
    pub(crate) samples: usize,

    /// Time between two looks
    #[arg(long, value_name = "SECONDS", default_value = "0.1", value_parser = seconds)]
    pub(crate) every: Duration,

    /// The output format
    #[arg(
        short,
        long,
        value_name = "FORMAT",
        value_enum,
        default_value_t = StacksFormat::Human,
        help_heading = "Output"
    )]
    pub(crate) format: StacksFormat,

    #[command(flatten)]
    pub(crate) text: TextOutput,
}

/// How to write the stacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StacksFormat {
    /// Text for people
    Human,
    /// A documented, versioned format for programs (docs/stacks.md)
    Json,
    /// One line for each stack with a count, for flame graphs
    Folded,
}

impl Stacks {
    /// How to read the processes.
    pub(crate) fn options(&self) -> Options {
        self.files.options(Limits::default())
    }
}
