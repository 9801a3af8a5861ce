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
mod open_files;
mod options;
mod output;
#[allow(dead_code, reason = "the library has the other half")]
#[path = "../../dynamic/request.rs"]
mod request;
mod requests;
mod supervisor;

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

use job::{Job, World};
use options::{Invocation, Options, USAGE};
use requests::Requests;
use supervisor::{Signals, Supervisor};

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    match options::parse(&arguments) {
        Ok(Invocation::Help) => {
            print!("{USAGE}");
            ExitCode::SUCCESS
        }
        Ok(Invocation::Version) => {
            println!("mpiexec (mqd companion runtime) {}", env!("CARGO_PKG_VERSION"));
            ExitCode::SUCCESS
        }
        Ok(Invocation::Run(options)) => run(&options).unwrap_or_else(|(text, code)| {
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
    let files = open_files::Limit::raise();
    let requests = Requests::new(options.serves)
        .map_err(|error| (format!("cannot listen to the ranks: {error}"), 1))?;
    let mut job = Job::new(options, signals.original_mask, files, held)
        .map_err(|error| (error.text, error.code))?;
    let mut streams = Vec::new();
    if options.serves {
        let process = nix::unistd::getppid();
        let executable = std::fs::read_link(format!("/proc/{process}/exe")).unwrap_or_default();
        mpir::spawned(std::iter::once((executable.as_path(), process)));
        job.singleton = Some(process);
    } else {
        let (programs, stdin_pipe) = (&options.programs[..], input::is_terminal());
        let world = World { programs, parent_port: OsStr::new(""), stdin_pipe, stdin: true };
        streams = job.start(&world).map_err(|error| (error.text, error.code))?;
    }
    let stdin = streams.first_mut().and_then(|streams| streams.stdin.take());
    let mut supervisor = Supervisor::new(job, signals, requests, stdin, options);
    supervisor.take_streams(streams).map_err(system)?;
    if !options.serves {
        supervisor.publish(0);
    }
    let code = supervisor.run();
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}
