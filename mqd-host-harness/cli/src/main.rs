//! The command line: arguments, files, terminals, exit codes.

mod agent;
mod args;
mod capture;
mod check;
mod conform;
mod crashes;
mod destination;
mod doctor;
mod dump;
mod examine;
mod exit;
mod found;
mod graph;
mod guard;
mod hosts;
mod install_dll;
mod jobs;
mod layout;
mod look;
mod motion;
mod output;
mod polling;
mod progress;
mod ranks;
mod read;
mod report_file;
mod requests;
mod screen;
mod stacks;
mod stdin;
mod tables;
mod wanted;
mod watch;
mod watched;

use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use self::args::{Args, Command};
use self::exit::Exit;

/// Runs the command `mqd` with the arguments of this process.
///
/// Wrong usage ends the process with exit code 2 and a message on standard error.
pub fn main() -> ExitCode {
    #[cfg(carries_libmqd)]
    mqd_host::dll::carry(include_bytes!(env!("LIBMQD")));
    let args = Args::parse();
    let command = match (args.command, args.pid) {
        (Some(command), _) => command,
        (None, Some(pid)) => return ended(jobs::of_process(pid)),
        (None, None) => return jobs::list().into(),
    };
    match command {
        Command::Check(args) => ended(check::run(&args)),
        Command::Dump(dump) => ended(dump::run(&dump)),
        Command::Capture(capture) => ended(capture::run(&capture)),
        Command::Stacks(args) => ended(stacks::run(&args)),
        Command::Graph(args) => ended(graph::run(&args)),
        Command::Watch(args) => ended(watch::run(&args)),
        Command::Guard(args) => guard::run(&args),
        Command::Ranks(args) => ended(ranks::run(&args)),
        Command::Agent(args) => ended(agent::run(&args)),
        Command::Doctor(args) => ended(doctor::run(&args)),
        Command::Conform(args) => ended(conform::run(&args)),
        Command::Layout(command) => layout::run(&command).into(),
        Command::InstallDll { directory } => install_dll::run(&directory).into(),
        Command::Worker => served(mqd_host::dump::Dumper::serve()),
        Command::ConformWorker => served(mqd_host::conform::serve()),
        Command::Manual { directory } => match manual(&directory) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                output::complain(&format!(
                    "cannot write the manual pages to {}: {error}",
                    directory.display()
                ));
                Exit::Output.into()
            }
        },
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Args::command(), "mqd", &mut script);
            output::print(&String::from_utf8_lossy(&script), Exit::Complete).into()
        }
    }
}

/// The exit code of a command. The error is that of a command that ended early. It has already
/// printed the reason.
fn ended(exit: Result<Exit, Exit>) -> ExitCode {
    exit.unwrap_or_else(|early| early).into()
}

/// The exit code of a worker. It is an error if this process was not started as a worker.
fn served(result: std::io::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(&format!("this command is only for mqd itself ({error})"));
            Exit::Usage.into()
        }
    }
}

/// Writes `mqd.1`, `mqd-dump.1` and so on.
fn manual(directory: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(directory)?;
    clap_mangen::generate_to(Args::command(), directory)?;
    // Only these pages are changed: the directory may have others.
    let commands = Args::command();
    let names = commands.get_subcommands().map(|command| format!("mqd-{}.1", command.get_name()));
    for page in names.map(|name| directory.join(name)).filter(|page| page.exists()) {
        let text = std::fs::read_to_string(&page)?;
        std::fs::write(&page, with_lists(&text))?;
    }
    Ok(())
}

/// A manual page in which each item of a list, `- item`, begins a line. roff would fill the lines.
fn with_lists(page: &str) -> String {
    page.replace("\n\\- ", "\n.br\n\\- ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_in_manual_pages_keep_their_lines() {
        let directory = tempfile::tempdir().unwrap();
        manual(directory.path()).unwrap();
        let page = std::fs::read_to_string(directory.path().join("mqd-check.1")).unwrap();
        let items = page.lines().filter(|line| line.starts_with("\\- ")).count();
        assert!(items > 3, "{page}");
        assert_eq!(page.matches(".br\n\\- ").count(), items, "{page}");
    }
}
