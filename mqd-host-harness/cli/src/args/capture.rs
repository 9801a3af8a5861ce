//! The arguments of `mqd capture`.

use std::path::PathBuf;

use clap::Parser;

use super::targets::{Files, Targets, any_target};
use mqd_host::capture::Keep;
use mqd_host::request::Options;
use mqd_host::walk::Limits;

/// Write what a dump needs of processes or core files into a file, to be read again anywhere
#[derive(Debug, Parser)]
#[command(
    group = any_target(),
    long_about = "Writes a snapshot: for each process just the memory and the answers about symbols and types that reading its queues took, \
                  and the queues as they were. Kilobytes for each process.\n\n\
                  Any command of mqd that takes processes takes a snapshot instead, on any machine, and without the files of the job. \
                  docs/snapshots.md describes the format. A live process is stopped while it is read, which takes milliseconds.",
    after_help = "`mqd capture --help` has examples, exit codes, and more about each option.",
    after_long_help = "\
Examples:
  mqd capture --job $(pgrep -n mpiexec) -o job.mqd   all ranks of the job that mpiexec started
  mqd dump --snapshot job.mqd                        what they were waiting for then
  mqd capture 4700 -o job.mqd --redact               to be shown to others
  mqd capture job.mqd -o public.mqd --redact         the same, later

Exit codes:
  0  all processes were read
  1  the snapshot could not be written
  2  wrong usage
  3  the process or core file cannot be read (of several: none can); there is no snapshot
  4  there is no debug DLL for it, or the DLL found no queues (of several: in none); there is no snapshot
  5  some processes could not be read, or not completely; the snapshot says why"
)]
pub(crate) struct Capture {
    #[command(flatten)]
    pub(crate) targets: Targets,

    #[command(flatten)]
    files: Files,

    /// The snapshot; if it exists it is replaced
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: PathBuf,

    /// Leave out message buffers, paths of files, and names of machines
    ///
    /// Of memory only the structures of the MPI library are kept that the debug DLL has asked for;
    /// of paths only the file name of the MPI library. Names of communicators and datatypes
    /// stay: they are what a dump shows.
    #[arg(long, help_heading = "Output")]
    redact: bool,

    /// Keep the queues as they are now, without the memory to read them from
    ///
    /// Such a snapshot is smaller, and cannot be read again with another debug DLL or with
    /// --internal.
    #[arg(long, help_heading = "Output")]
    report_only: bool,

    /// Also what the MPI library itself sends and receives, such as in collective operations
    #[arg(long, help_heading = "Output")]
    pub(crate) internal: bool,
}

impl Capture {
    /// How to read the processes.
    pub(crate) fn options(&self) -> Options {
        Options { record: !self.report_only, ..self.files.options(Limits::default()) }
    }

    /// What to keep of them.
    pub(crate) fn keep(&self) -> Keep {
        Keep { redact: self.redact, report_only: self.report_only }
    }
}
