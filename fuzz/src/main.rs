//! Fuzzing of everything that reads what others have written.
//!
//! ```text
//! campaign ──> worker ──> mutate ──> targets
//! one process  inputs     bytes,     what is run with an input, and
//! watches it   in turn    JSON,      a number for what came of it
//!                         lines
//! ```
//!
//! A worker keeps an input that led to something new: another kind of error, or another number of
//! things found. This guides it into the readers without instrumented code, so the stable toolchain
//! suffices. An input that ends the worker, or takes too long, is a finding.

mod campaign;
mod mutate;
mod targets;
mod worker;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};

use self::targets::Target;

#[derive(Debug, Parser)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Lists the targets
    Targets,
    /// Runs a target with newly made inputs
    Run {
        /// The target
        #[arg(value_parser = targets::named)]
        target: &'static Target,
        /// Duration in seconds
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// Seed of the random numbers
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Folders with initial inputs
        #[arg(long = "seeds", value_name = "DIR")]
        seeds: Vec<PathBuf>,
        /// Folder for findings and for inputs that led to something new
        #[arg(long, value_name = "DIR")]
        output: PathBuf,
    },
    /// Runs a target with these inputs
    Replay {
        /// The target
        #[arg(value_parser = targets::named)]
        target: &'static Target,
        /// The inputs
        inputs: Vec<PathBuf>,
    },
    /// Writes the processes of a snapshot as inputs of `memory`, `agent` and `processes`
    Split {
        /// The snapshot
        snapshot: PathBuf,
        /// The folder for the inputs of `memory`
        directory: PathBuf,
        /// The folder for those of `agent`
        agent: PathBuf,
        /// The folder for those of `processes`
        processes: PathBuf,
    },
    /// What `run` starts
    #[command(hide = true)]
    Worker {
        #[arg(value_parser = targets::named)]
        target: &'static Target,
        seed: u64,
        output: PathBuf,
        seeds: Vec<PathBuf>,
    },
}

fn main() -> Result<ExitCode> {
    match Args::parse().command {
        Command::Targets => {
            targets::ALL.iter().for_each(|target| println!("{}", target.name));
        }
        Command::Run { target, seconds, seed, seeds, output } => {
            let end = Duration::from_secs(seconds);
            let summary = campaign::run(target, end, seed, &seeds, &output)?;
            println!("{summary}");
            if summary.findings > 0 {
                return Ok(ExitCode::FAILURE);
            }
        }
        Command::Replay { target, inputs } => {
            let scratch = targets::Scratch::new()?;
            for input in inputs {
                let bytes = fs::read(&input).with_context(|| input.display().to_string())?;
                println!("{}: {:016x}", input.display(), (target.run)(&scratch, &bytes));
            }
        }
        Command::Split { snapshot, directory, agent, processes } => {
            targets::split(&snapshot, &directory, &agent, &processes)?;
        }
        Command::Worker { target, seed, output, seeds } => {
            worker::run(target, seed, &seeds, &output)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
