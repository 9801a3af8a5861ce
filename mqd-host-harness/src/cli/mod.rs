//! The command line: arguments, files, terminals, exit codes.

mod args;
mod dump;
mod exit;
mod progress;

use std::process::ExitCode;

use clap::Parser;

use self::args::{Args, Command};

/// Runs the command `mqd` with the arguments of this process.
///
/// Wrong usage ends here with exit code 2 and a text on stderr.
pub fn main() -> ExitCode {
    let args = Args::parse();
    match args.command {
        Command::Dump(dump) => dump::run(&dump).into(),
    }
}

/// The definition of the command line, for tests of its help.
pub fn command() -> clap::Command {
    <Args as clap::CommandFactory>::command()
}
