//! The arguments of `mqd check`.

use std::time::Duration;

use clap::{Parser, ValueEnum};

use super::output::TextOutput;
use super::targets::{Files, Targets, any_target};
use super::values::seconds_or_none;
use mqd_host::request::Options;
use mqd_host::walk::Limits;

/// Find out why a job hangs
#[derive(Debug, Parser)]
#[command(
    group = any_target(),
    long_about = "Compares the queues of all ranks of a job and reports what is wrong:\n\
                  - ranks that wait for each other, with the smallest such cycle and the ranks \
                  that wait for it\n\
                  - receives that no message matches, and messages that nearly match them\n\
                  - buffers that are too short, and datatypes that differ\n\
                  - ranks in different collective operations\n\
                  - ranks that have ended\n\n\
                  The first line is the verdict. A slow job is never called deadlocked. If the \
                  data is not sufficient for a verdict, mqd says so and names what is missing.",
    after_help = "`mqd check --help` shows examples, exit codes, and details of each option.",
    after_long_help = "\
Examples:
  mqd check $(pgrep -n mpiexec)                the job that mpiexec started
  mqd check --core core.* --exe ./solver       the core files of all ranks of a job
  mqd check job.mqd --format json              a snapshot, for programs (docs/check.md)

Exit codes:
  0   nothing is wrong
  1   the output could not be written
  2   wrong usage, targets of two jobs, or the output could not be created
  3   no process could be read
  4   no debug DLL was found, or it found no queues in any process
  5   no verdict, because some processes could not be read completely
  10  the job is deadlocked
  11  the job is not deadlocked, but there are errors or warnings
  12  no verdict, because the data is not sufficient"
)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) targets: Targets,

    #[command(flatten)]
    files: Files,

    /// Read live processes again after this time; 0 means never
    ///
    /// Without this option, mqd reads them again if the first look is not sufficient for a verdict:
    /// after one second, or two if it watches calls or memory. If something disturbs the second
    /// look, mqd looks up to two times more. Two looks also show whether the number of unexpected
    /// messages grows.
    #[arg(long, value_name = "SECONDS", value_parser = seconds_or_none)]
    pub(crate) recheck: Option<Duration>,

    /// Show each step of a deadlock, not only the first eight
    #[arg(long, help_heading = "Output")]
    pub(crate) all: bool,

    /// The output format
    #[arg(
        short,
        long,
        value_name = "FORMAT",
        value_enum,
        default_value_t = CheckFormat::Human,
        help_heading = "Output"
    )]
    pub(crate) format: CheckFormat,

    #[command(flatten)]
    pub(crate) text: TextOutput,
}

/// How to write a diagnosis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// Text for people
    Human,
    /// A documented, versioned format for programs (docs/check.md)
    Json,
}

impl Check {
    /// How to read the processes.
    pub(crate) fn options(&self) -> Options {
        self.files.options(Limits::default())
    }
}
