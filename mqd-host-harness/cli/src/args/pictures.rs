//! The arguments of `mqd graph` and `mqd watch`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, ValueEnum};

use super::targets::{Files, Targets, any_target};
use super::values::{at_least_one, seconds};
use mqd_host::request::Options;
use mqd_host::walk::Limits;
use mqd_report::graph;

/// Draw who waits for whom: ranks as nodes, their operations as arrows, a deadlock marked
#[derive(Debug, Parser)]
#[command(
    group = any_target(),
    long_about = "Draws the message queues of processes: ranks as nodes; sends, receives and unexpected messages as arrows with communicator, tag, \
                  length and number; what `mqd check` finds marked. In large jobs the ranks that behave alike are one node.\n\n\
                  The HTML report is one file that loads nothing: the picture, the diagnosis in words, a table of operations with filters, and, of several looks \
                  at a job, what moved between them.",
    after_help = "`mqd graph --help` has examples, exit codes, and more about each option.",
    after_long_help = concat!("\
Examples:
  mqd graph --job $(pgrep -n mpiexec) -f html -o job.html    the report, to be opened in a browser
  mqd graph 4700 -o job.html --count 3 --every 10            with what moves in 20 seconds
  mqd graph a.mqd b.mqd c.mqd -o job.html                    with what moved between three snapshots
  mqd graph 4700 -f svg -o job.svg                           the picture alone
  mqd graph core.* -f dot | neato -Tpdf -o job.pdf           laid out by Graphviz
  mqd graph 4700 -f csv                                      the arrows as a table

", exit_codes!("the picture says which"))
)]
pub(crate) struct Graph {
    #[command(flatten)]
    pub(crate) targets: Targets,

    #[command(flatten)]
    files: Files,

    /// How to draw; without it the ending of the output file tells
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

    /// Put ranks that behave alike together in jobs of more ranks than this
    ///
    /// They behave alike if they are in the same MPI function and have the same operations:
    /// communicator, tag, status, and the same peer or one at the same distance. Lengths, and
    /// how many there are of each, may differ.
    #[arg(long, value_name = "N", default_value_t = graph::GraphOptions::default().group_above, help_heading = "Output")]
    group_above: usize,

    /// Draw at most so many nodes; the ranks of the others are one more
    #[arg(long, value_name = "N", default_value_t = graph::GraphOptions::default().nodes, value_parser = at_least_one, help_heading = "Output")]
    nodes: usize,

    /// Draw at most so many arrows, those of a deadlock first
    #[arg(long, value_name = "N", default_value_t = graph::GraphOptions::default().arrows, help_heading = "Output")]
    arrows: usize,

    /// Look so many times at live processes; the HTML report shows what moved
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = at_least_one, help_heading = "Looks")]
    pub(crate) count: usize,

    /// Time between two looks
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds, help_heading = "Looks")]
    pub(crate) every: Duration,
}

/// Formats of `mqd graph`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Picture {
    /// For Graphviz
    Dot,
    /// A picture
    Svg,
    /// A report: picture, diagnosis, table of operations, what moved between looks
    Html,
    /// A table with one row for each arrow, none left out
    Csv,
}

/// Watch live processes: what moves, and how long each message has been there
#[derive(Debug, Parser)]
#[command(
    group = any_target(),
    long_about = "Looks at live processes again and again: what has moved since the look before (new operations, those that are gone, matched or complete; what the \
                  processes are doing), how long each message has been seen, and the verdict of `mqd check`.\n\n\
                  The processes are stopped only while they are read, which takes milliseconds. On a terminal the screen is refreshed; otherwise, or with --plain, each \
                  look is a block of text. It ends with the job, after --count looks, or with q or Ctrl-C.\n\n\
                  An operation is taken for the same one in two looks if process, communicator, queue, buffer, peer, tag and length are; of several equal ones the \
                  oldest goes first. Where the debug DLL counts messages, one that may have taken the place of an equal one is told from one that stayed: its age is \
                  an upper bound, or not known.",
    after_help = "`mqd watch --help` has examples, exit codes, and more about each option.",
    after_long_help = "\
Examples:
  mqd watch --job $(pgrep -n mpiexec)            every 2 seconds, until the job ends
  mqd watch 4711 4712 --every 0.5                two processes, twice a second
  mqd watch 4700 --every 60 --plain > job.log    a log, a look each minute

Keys on a terminal:
  q, Ctrl-C           end
  arrows, Page keys   scroll
  space               look now

Exit codes:
  0  the job has ended, or --count looks were made, or you have ended it
  1  the output could not be written
  2  wrong usage
  3  the process cannot be read (of several: none can)
  4  there is no debug DLL for it, or the DLL found no queues (of several: in none)
  5  at the last look some processes could not be read, or not completely"
)]
pub(crate) struct Watch {
    #[command(flatten)]
    pub(crate) targets: Targets,

    #[command(flatten)]
    files: Files,

    /// Time between two looks
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    pub(crate) every: Duration,

    /// End after so many looks
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) count: Option<usize>,

    /// Blocks of text also on a terminal
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

    /// How to draw: as it is said, or as the output file is called.
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
