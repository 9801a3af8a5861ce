//! The arguments of `mqd capture`.

use std::path::PathBuf;

use clap::Parser;

use super::targets::{Files, Targets, any_target};
use mqd_host::capture::Keep;
use mqd_host::request::Options;
use mqd_host::walk::Limits;

/// Write a snapshot of processes or core files, which any machine can read
#[derive(Debug, Parser)]
#[command(
    group = any_target(),
    long_about = "Writes a snapshot. For each process it has the queues, and the memory, symbols \
                  and types that were used to read them. It takes some kilobytes for each \
                  process.\n\n\
                  Other commands of mqd accept a snapshot in place of processes, on any machine. \
                  They do not need the files of the job. docs/snapshots.md describes the format. \
                  A live process is stopped while it is read, which takes milliseconds.",
    after_help = "`mqd capture --help` shows examples, exit codes, and details of each option.",
    after_long_help = "\
Examples:
  mqd capture --job $(pgrep -n mpiexec) -o job.mqd   all ranks of the job that mpiexec started
  mqd dump --snapshot job.mqd                        what the ranks were waiting for
  mqd capture 4700 -o job.mqd --redact               a snapshot that can be shown to others
  mqd capture job.mqd -o public.mqd --redact         the same from an existing snapshot

Exit codes:
  0  all processes were read
  1  the snapshot could not be written
  2  wrong usage, or the output could not be created
  3  no process could be read; no snapshot was written
  4  no debug DLL was found, or it found no queues in any process; no snapshot was written
  5  some processes could not be read completely; the snapshot says why"
)]
pub(crate) struct Capture {
    #[command(flatten)]
    pub(crate) targets: Targets,

    #[command(flatten)]
    files: Files,

    /// The snapshot; an existing file is replaced. `-` is standard output
    ///
    /// In a directory, the file gets a name of its own, with that of the host.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: PathBuf,

    /// Leave out message buffers, file paths and host names
    ///
    /// From memory, the snapshot keeps only the structures of the MPI library that the debug DLL
    /// has read. From paths, it keeps only the file name of the MPI library. It keeps the names of
    /// communicators and datatypes, because a dump shows them.
    #[arg(long, help_heading = "Output")]
    redact: bool,

    /// Keep only the queues, without the memory that they were read from
    ///
    /// Such a snapshot is smaller. It cannot be read again with another debug DLL or with
    /// --internal.
    #[arg(long, help_heading = "Output")]
    pub(crate) report_only: bool,

    /// With --report-only: include what the MPI library itself sends and receives, such as in
    /// collective operations. Other snapshots always include it
    #[arg(long, help_heading = "Output")]
    pub(crate) internal: bool,
}

impl Capture {
    /// How to read the processes.
    pub(crate) fn options(&self) -> Options {
        Options { record: !self.report_only, ..self.files.options(Limits::default()) }
    }

    /// What to keep of the processes.
    pub(crate) fn keep(&self) -> Keep {
        Keep { redact: self.redact, report_only: self.report_only }
    }
}
