//! The arguments of `mqd guard`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;

use super::reach::Reach;
use super::targets::LiveFiles;
use super::values::duration;
use mqd_host::request::Options;
use mqd_host::walk::Limits;

/// Start a job and watch it: if it hangs, write a report, and end it if asked to
#[derive(Debug, Parser)]
#[command(
    long_about = "Runs a command that starts a job, as the shell would. Input, output, signals \
                  and the exit status pass through. mqd looks at the job now and then, at a cost \
                  below 0.1 % of its time.\n\n\
                  If the job is deadlocked, or if no message and no call has been seen to move \
                  for the time of --after, mqd writes a report into a directory, and says so on \
                  standard error. Then the job goes on, or mqd ends it (--kill).",
    after_help = "`mqd guard --help` shows examples, exit codes, and details of each option.",
    after_long_help = "\
Examples:
  mqd guard -- mpirun -n 64 ./solver                     report a job that hangs
  mqd guard --kill --after 30m -- srun ./solver          end it too, in a batch script
  mqd guard --kill --every 5s -o report -- mpirun ./test   for a short test

The report:
  check.txt, check.json   what mqd check says
  report.html             the report of mqd graph
  job.mqd                 a snapshot: mqd dump, mqd stacks and the others read it

Exit codes: that of the job, and
  2    wrong usage; the job was not started
  10   the job was deadlocked, and mqd has ended it (--kill)
  13   nothing moved in the job, and mqd has ended it (--kill)
  126  the command cannot be run
  127  there is no such command
If a signal has ended the command, it ends mqd too."
)]
pub(crate) struct Guard {
    /// Report a job in which nothing has moved for this time, such as 90s, 10m or 1h
    ///
    /// Only messages and MPI calls count as moving, computing does not. Give a time that is longer
    /// than the longest part of the program without messages and MPI calls.
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration)]
    pub(crate) after: Duration,

    /// End a job that hangs, after the report is written
    #[arg(long)]
    pub(crate) kill: bool,

    /// Write the report into this directory, which is created if needed; the default is
    /// mqd-guard-PID
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,

    /// Look at the job this often, whatever it costs
    ///
    /// Without this option, mqd measures the cost of a look. All looks together then take less than
    /// 0.1 % of the time.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) every: Option<Duration>,

    #[command(flatten)]
    pub(crate) reach: Reach,

    #[command(flatten)]
    files: LiveFiles,

    /// The command that starts the job, with its arguments
    #[arg(value_name = "COMMAND", required = true, last = true)]
    pub(crate) command: Vec<OsString>,
}

impl Guard {
    /// How to read the processes.
    pub(crate) fn options(&self) -> Options {
        self.files.options(Limits::default())
    }
}
