//! `mqd` alone: the MPI jobs that run on this machine. `mqd PID`: what is pending in a job.

use std::fmt::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Parser;
use mqd_host::job::{self, Here};
use mqd_report::escape::printable;

use super::args::{Args, Command};
use super::dump;
use super::exit::Exit;
use super::output::print;

/// What to do if no job was found.
const NOTHING: &str = "\
No MPI job runs on this machine, as far as this user can see.

- Jobs of other users are seen by root alone.
- On a login node, name a job that runs elsewhere: mqd check --slurm JOB, or mqd check --job PID
  with the process id of mpirun or srun.
- Core files, snapshots and reports are read by name: mqd check core.*
- mqd doctor says what reading needs on this machine. mqd --help lists the commands.
";

/// Lists the jobs.
pub(super) fn list() -> Exit {
    let jobs = job::here();
    if jobs.is_empty() {
        return print(NOTHING, Exit::Unreadable);
    }
    let mut text = String::new();
    for job in &jobs {
        describe(job, &mut text);
    }
    text += "mqd check says why a job hangs. mqd stacks shows where its ranks are. mqd --help \
             lists all commands.\n";
    print(&text, Exit::Complete)
}

fn describe(job: &Here, text: &mut String) {
    let Here { identity, launcher, owner, members } = job;
    let program = members.first().map_or_else(String::new, |member| printable(&member.executable));
    let count = match (members.len(), identity.size) {
        (here, Some(size)) if here as i64 != size => format!("{here} of {size} ranks"),
        (1, _) => "1 rank".to_owned(),
        (here, _) => format!("{here} ranks"),
    };
    let age = identity.started.and_then(age).map_or_else(String::new, |age| format!(", {age}"));
    let started_by = match launcher {
        Some(pid) => format!("{} {pid}", printable(&identity.launcher)),
        None => format!("{}, which was not found here", printable(&identity.launcher)),
    };
    let _ = writeln!(text, "{program}: {count}{age}, started by {started_by}");
    let target = match launcher {
        Some(pid) => format!("--job {pid}"),
        None => {
            let pids: Vec<_> = members.iter().map(|member| member.pid.to_string()).collect();
            format!("--pid {}", pids.join(","))
        }
    };
    let own = rustix::process::geteuid();
    let foreign = owner.filter(|owner| !own.is_root() && *owner != own.as_raw());
    let _ = match foreign {
        Some(user) => writeln!(text, "  it belongs to user {user}. As that user or root:"),
        None => Ok(()),
    };
    let _ = writeln!(text, "  mqd check {target}");
}

/// How long ago that was, for people.
fn age(started: i64) -> Option<String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    let since = now.checked_sub(Duration::from_secs(started.try_into().ok()?))?;
    Some(match since.as_secs() {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds @ 60..3600 => format!("{} min", seconds / 60),
        seconds @ 3600..86_400 => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
        seconds => format!("{} d {} h", seconds / 86_400, seconds % 86_400 / 3600),
    })
}

/// Dumps the job of a process, or only the process if it belongs to none.
pub(super) fn of_process(pid: u32) -> Result<Exit, Exit> {
    let whole = job::launcher_of(pid);
    let target = match whole {
        Some(launcher) => ["--job".to_owned(), launcher.to_string()],
        // A launcher stands for its job here too.
        None => ["--".to_owned(), pid.to_string()],
    };
    let words = ["mqd", "dump"].map(str::to_owned).into_iter().chain(target);
    match Args::parse_from(words).command {
        Some(Command::Dump(args)) => dump::run(&args),
        _ => Err(Exit::Usage),
    }
}
