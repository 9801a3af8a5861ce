//! The arguments of `mqd`.

/// The exit codes of a command that reads processes and shows them. `$told` says where the output
/// names the processes of exit code 5.
macro_rules! exit_codes {
    ($told:literal) => {
        concat!(
            "Exit codes:
  0  all processes were read
  1  the output could not be written
  2  wrong usage, or the output could not be created
  3  no process could be read
  4  no debug DLL was found, or it found no queues in any process
  5  some processes could not be read completely; ",
            $told
        )
    };
}

mod agent;
mod capture;
mod check;
mod conform;
mod doctor;
mod dump;
mod guard;
mod layout;
mod output;
mod pictures;
mod ranks;
mod reach;
mod stacks;
mod targets;
mod values;

use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Parser, Subcommand};

pub(super) use self::agent::Agent;
pub(super) use self::capture::Capture;
pub(super) use self::check::{Check, CheckFormat};
pub(super) use self::conform::{Conform, ConformFormat};
pub(super) use self::doctor::Doctor;
pub(super) use self::dump::{Dump, Format};
pub(super) use self::guard::Guard;
pub(super) use self::layout::{Layout, LayoutExtract, LayoutLearn, LayoutProbe, LayoutVerify};
pub(super) use self::pictures::{Graph, Picture, Watch};
pub(super) use self::ranks::{Ranks, RanksFormat};
pub(super) use self::reach::{Reach, ViaName};
pub(super) use self::stacks::{Stacks, StacksFormat};
pub(super) use self::targets::{Named, SlurmStep, Targets};
use mqd_host::{conform as conformance, worker};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Shows what the processes of an MPI job are waiting for
#[derive(Debug, Parser)]
#[command(
    name = "mqd",
    version,
    styles = STYLES,
    args_conflicts_with_subcommands = true,
    after_help = "\
`mqd` alone lists the MPI jobs that run on this machine. `mqd PID` shows the queues of the job of a
process. `mqd dump --help` shows the options and examples.",
    long_about = "Shows what the processes of an MPI job are waiting for. It reads live processes \
                  or core files and shows pending sends, pending receives and unexpected messages."
)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) command: Option<Command>,

    /// A process id: shows the queues of the job that the process belongs to or has launched
    #[arg(value_parser = values::pid)]
    pub(super) pid: Option<u32>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    Dump(Box<Dump>),
    Capture(Box<Capture>),
    Check(Box<Check>),
    Stacks(Box<Stacks>),
    Graph(Box<Graph>),
    Watch(Box<Watch>),
    Guard(Box<Guard>),
    Ranks(Ranks),
    Agent(Agent),
    Doctor(Box<Doctor>),
    Conform(Box<Conform>),
    #[command(subcommand)]
    Layout(Layout),
    /// Write libmqd.so, the debug DLL, to a directory, for debuggers such as TotalView and DDT
    #[command(after_help = "\
Exit codes:
  0  the file was written; its path is on standard output
  1  it could not be written
  2  wrong usage
  4  this mqd has no debug DLL")]
    InstallDll {
        /// The directory
        #[arg(value_name = "DIR")]
        directory: PathBuf,
    },
    /// Run a foreign debug DLL; only mqd itself starts this command
    #[command(name = worker::SUBCOMMAND, hide = true)]
    Worker,
    /// Check a foreign debug DLL; only mqd itself starts this command
    #[command(name = conformance::SUBCOMMAND, hide = true)]
    ConformWorker,
    /// Write one manual page for each command into a directory
    Manual {
        /// The directory, such as PREFIX/share/man/man1
        directory: PathBuf,
    },
    /// Write a completion script for a shell
    ///
    /// For bash: `source <(mqd completions bash)`.
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
}
