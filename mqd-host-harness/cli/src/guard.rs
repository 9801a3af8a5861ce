//! `mqd guard`: starts a job, looks at it now and then, and reports it if it hangs.

mod child;
mod job;
mod pace;
mod report;
mod stillness;

use std::path::PathBuf;
use std::process::ExitCode;

use self::child::Child;
use self::job::{Hung, Job, Why};
use super::args::Guard;
use super::exit::Exit;
use super::output::complain;
use super::requests;

/// The exit code is that of the job, unless `mqd` has ended it.
pub(super) fn run(args: &Guard) -> ExitCode {
    // No thread runs yet.
    requests::internal_where_kept();
    if let Some(directory) = args.output.as_ref().filter(|path| path.exists() && !path.is_dir()) {
        complain(&format!("guard: {} is not a directory", directory.display()));
        return Exit::Usage.into();
    }
    let child = match Child::start(&args.command) {
        Ok(child) => child,
        Err(error) => {
            complain(&format!("guard: {error}"));
            return error.exit().into();
        }
    };
    let mut job = Job::new(args, child.pid());
    let mut next = job.first();
    // A deadlock is final, so there are no more looks.
    let mut deadlocked = false;
    while !child.ends_within((!deadlocked).then_some(next)) {
        let hung = job.look();
        next = job.next();
        let Some(hung) = hung else { continue };
        tell(args, &job, &hung);
        deadlocked = hung.why == Why::Deadlocked;
        if args.kill {
            complain("guard: ending the job");
            child.end(&job.ranks());
            return if deadlocked { Exit::Deadlocked.into() } else { Exit::Still.into() };
        }
    }
    child.pass_on()
}

/// Says on standard error what is wrong, and writes the report.
fn tell(args: &Guard, job: &Job<'_>, hung: &Hung) {
    complain(&format!("guard: {}\n{}", hung.why, report::text(&hung.diagnosis).trim_end()));
    let directory = args.output.clone();
    let default = || PathBuf::from(format!("mqd-guard-{}", std::process::id()));
    let directory = directory.unwrap_or_else(default);
    match report::write(&directory, hung, job.record()) {
        Ok(()) => complain(&format!("guard: the report is in {}", directory.display())),
        Err(error) => {
            complain(&format!("guard: cannot write to {}: {error}", directory.display()));
        }
    }
}
