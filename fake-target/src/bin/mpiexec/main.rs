//! `mpiexec`: starts the processes of an MPI job on this machine and looks after them until the
//! last has ended.
//!
//! It is also the job's *starter process* for debuggers: they read the table of processes from it
//! (MPIR). It does not link the MPI library, so that a debugger never takes it for a rank.

mod config_file;
mod hosts;
mod input;
mod job;
mod life;
mod mpir;
mod options;
mod output;
mod supervisor;

use std::ffi::OsString;
use std::process::ExitCode;

use job::Job;
use options::{Options, Request, USAGE};
use output::Source;
use supervisor::{Signals, Supervisor};

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    match options::parse(&arguments) {
        Ok(Request::Help) => {
            print!("{USAGE}");
            ExitCode::SUCCESS
        }
        Ok(Request::Version) => {
            println!("mpiexec (mqd companion runtime) {}", env!("CARGO_PKG_VERSION"));
            ExitCode::SUCCESS
        }
        Ok(Request::Run(options)) => run(&options).unwrap_or_else(|(text, code)| {
            eprintln!("mpiexec: {text}");
            ExitCode::from(code)
        }),
        Err(text) => {
            eprintln!("mpiexec: {text}\nTry: mpiexec --help");
            ExitCode::from(2)
        }
    }
}

/// Runs the job to its end. The error is a sentence and an exit code.
fn run(options: &Options) -> Result<ExitCode, (String, u8)> {
    let system = |error: nix::Error| (format!("cannot supervise the job: {error}"), 1);
    let signals = Signals::take().map_err(system)?;
    let held = mpir::being_debugged();
    let (mut job, streams) = Job::start(options, signals.original_mask, held, input::is_terminal())
        .map_err(|error| (error.text, error.code))?;
    let mut sources = Vec::with_capacity(2 * streams.len());
    let mut stdin = None;
    for (rank, streams) in streams.into_iter().enumerate() {
        stdin = stdin.or(streams.stdin);
        sources.extend(
            Source::of_rank(rank, options.tag_output, streams.stdout, streams.stderr)
                .map_err(system)?,
        );
    }
    mpir::spawned(&job.ranks);
    job.release();
    let code = Supervisor::new(job, signals, sources, stdin, options).run();
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}
