//! The arguments of `mqd graph` and `mqd watch`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, ValueEnum};

use super::targets::{Files, Targets, any_target};
use super::values::{at_least_one, seconds};
use mqd_host::request::Options;
use mqd_host::walk::Limits;
use mqd_report::graph;

/// Draw which rank waits for which, and mark a deadlock
#[derive(Debug, Parser)]
#[command(
    group = any_target(),
    long_about = "Draws the message queues of processes. Ranks are nodes. Sends, receives and \
                  unexpected messages are arrows with communicator, tag, length and number. The \
                  findings of `mqd check` are marked. In large jobs, ranks that behave alike are \
                  one node.\n\n\
                  The HTML report is one file that loads nothing else. It has the picture, the \
                  diagnosis in words, and a table of operations with filters. For several looks \
                  at a job, it also shows what changed between them.",
    after_help = "`mqd graph --help` shows examples, exit codes, and details of each option.",
    after_long_help = concat!("\
Examples:
  mqd graph --job $(pgrep -n mpiexec) -f html -o job.html    a report for the browser
  mqd graph 4700 -o job.html --count 3 --every 10            the changes within 20 seconds
  mqd graph a.mqd b.mqd c.mqd -o job.html                    the changes between three snapshots
  mqd graph 4700 -f svg -o job.svg                           only the picture
  mqd graph core.* -f dot | neato -Tpdf -o job.pdf           laid out by Graphviz
  mqd graph 4700 -f csv                                      the arrows as a table

", exit_codes!("the picture names them"))
)]
pub(crate) struct Graph {
    #[command(flatten)]
    pub(crate) targets: Targets,

    #[command(flatten)]
    files: Files,

    /// The output format; by default it follows from the name of the output file
    #[arg(
        short,
        long,
        value_name = "FORMAT",
        value_enum,
        required_unless_present = "output",
        help_heading = "Output"
    )]
    format: Option<Picture>,

    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// Group ranks that behave alike in jobs with more ranks than this
    ///
    /// Ranks behave alike if they are in the same MPI function and have the same operations.
    /// Operations are the same if they have the same communicator, tag and status, and the same
    /// peer or a peer at the same distance. The lengths and numbers of operations may differ.
    #[arg(
        long,
        value_name = "N",
        default_value_t = graph::GraphOptions::default().group_above,
        help_heading = "Output"
    )]
    group_above: usize,

    /// Draw at most this many nodes; one more node stands for all other ranks
    #[arg(
        long,
        value_name = "N",
        default_value_t = graph::GraphOptions::default().nodes,
        value_parser = at_least_one,
        help_heading = "Output"
    )]
    nodes: usize,

    /// Draw at most this many arrows; those of a deadlock come first
    #[arg(
        long,
        value_name = "N",
        default_value_t = graph::GraphOptions::default().arrows,
        help_heading = "Output"
    )]
    arrows: usize,

    /// Read live processes this many times; the HTML report shows what changed
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = at_least_one,
        help_heading = "Looks"
    )]
    pub(crate) count: usize,

    /// Time between two looks
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "2",
        value_parser = seconds,
        help_heading = "Looks"
    )]
    pub(crate) every: Duration,
}

/// Formats of `mqd graph`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Picture {
    /// For Graphviz
    Dot,
    /// A picture
    Svg,
    /// A report: picture, diagnosis, table of operations, changes between looks
    Html,
    /// A table with one row for each arrow; it has all arrows
    Csv,
}

/// Watch live processes: what changes, and how long each message has been there
#[derive(Debug, Parser)]
#[command(
    group = any_target(),
    long_about = "Reads live processes repeatedly. Each look shows what has changed since the last \
                  one: new operations, operations that are gone, matched or complete, and what \
                  the processes are doing. It also shows how long each message has been seen, and \
                  the verdict of `mqd check`. Core files, snapshots and reports are refused, \
                  because they do not change.\n\n\
                  The processes are stopped only while they are read, which takes milliseconds. \
                  On a terminal the screen is refreshed. Without a terminal, or with --plain, \
                  each look is a block of text. mqd ends with the job, after --count looks, or \
                  with q or Ctrl-C.\n\n\
                  Operations in two looks are taken as the same one if process, communicator, \
                  queue, buffer, peer, tag and length are equal. If several are equal, the oldest \
                  is assumed to go first. Some debug DLLs count messages. With such a DLL, mqd \
                  detects that a new message may have replaced an equal one. The age is then an \
                  upper bound, or not known.",
    after_help = "`mqd watch --help` shows examples, exit codes, and details of each option.",
    after_long_help = "\
Examples:
  mqd watch --job $(pgrep -n mpiexec)            every 2 seconds, until the job ends
  mqd watch 4711 4712 --every 0.5                two processes, two looks each second
  mqd watch 4700 --every 60 --plain > job.log    a log with one look each minute

Keys on a terminal:
  q, Ctrl-C           end
  arrows, Page keys   scroll
  space               look now

Exit codes:
  0  the job has ended, --count looks were made, or the user has ended mqd
  1  the output could not be written
  2  wrong usage
  3  no process could be read
  4  no debug DLL was found, or it found no queues in any process
  5  at the last look some processes could not be read completely"
)]
pub(crate) struct Watch {
    #[command(flatten)]
    pub(crate) targets: Targets,

    #[command(flatten)]
    files: Files,

    /// Time between two looks
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    pub(crate) every: Duration,

    /// End after this many looks
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) count: Option<usize>,

    /// Write blocks of text even if standard output is a terminal
    #[arg(long)]
    pub(crate) plain: bool,
}

impl Graph {
    /// How to read the processes.
    pub(crate) fn options(&self) -> Options {
        self.files.options(Limits::default())
    }

    /// How much the picture may show.
    pub(crate) fn room(&self) -> graph::GraphOptions {
        graph::GraphOptions {
            group_above: self.group_above,
            nodes: self.nodes,
            arrows: self.arrows,
        }
    }

    /// The given format, or the one that the name of the output file has.
    pub(crate) fn format(&self) -> Option<Picture> {
        let ending = || Picture::from_str(self.output.as_ref()?.extension()?.to_str()?, true).ok();
        self.format.or_else(ending)
    }
}

impl Watch {
    /// How to read the processes.
    pub(crate) fn options(&self) -> Options {
        self.files.options(Limits::default())
    }
}
