//! The arguments of `mqd check`.

use std::time::Duration;

use clap::{Parser, ValueEnum};

use super::output::TextOutput;
use super::targets::{Files, Targets, any_target};
use super::values::seconds_or_none;
use mqd_host::request::Options;
use mqd_host::walk::Limits;

/// Tell what is wrong with a job: why does it hang?
#[derive(Debug, Parser)]
#[command(
    group = any_target(),
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
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) targets: Targets,

    #[command(flatten)]
    files: Files,

    /// Look again at live processes after so many seconds; 0: never
    ///
    /// Without this option mqd looks again, a second later, where one look is not sufficient for a
    /// verdict. Two looks tell too whether unexpected messages become more.
    #[arg(long, value_name = "SECONDS", value_parser = seconds_or_none)]
    pub(crate) recheck: Option<Duration>,

    /// How to write it
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = CheckFormat::Human, help_heading = "Output")]
    pub(crate) format: CheckFormat,

    #[command(flatten)]
    pub(crate) text: TextOutput,
}

/// How to write a diagnosis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// Text for reading
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
