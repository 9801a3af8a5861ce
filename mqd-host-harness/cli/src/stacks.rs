//! `mqd stacks`: reads processes and merges their call stacks.

use std::collections::HashMap;
use std::thread;

use super::args::{Stacks, StacksFormat, Targets};
use super::exit::Exit;
use super::look::Looker;
use super::output::complain;
use super::read::{Reading, read};
use mqd_host::job::{self, is_this_host, state};
use mqd_host::request::Request;
use mqd_report::{ProblemKind, Process, Report, render, stacks};

pub(super) fn run(args: &Stacks) -> Result<Exit, Exit> {
    let output = args.text.open()?;
    let mut states = States::of(&args.targets);
    let (looks, exit) = if args.samples == 1 {
        let reading = read(&args.targets, args.options(), |_| true)?;
        let exit = checked(&reading)?;
        (vec![reading.report()], exit)
    } else {
        let mut looker = Looker::new(&args.targets, args.options())?;
        let mut looks: Vec<Report> = Vec::new();
        let mut exit = Exit::Complete;
        for sample in 0..args.samples {
            if sample > 0 {
                thread::sleep(args.every);
            }
            states = States::of(&args.targets);
            let reading = looker.look();
            exit = if sample == 0 { checked(&reading)? } else { reading.exit };
            looks.push(reading.report());
        }
        (looks, exit)
    };
    let merged = stacks::merge(&looks, |process| states.state(process));
    let text = match args.format {
        StacksFormat::Human => render::stacks(&merged, output.color),
        StacksFormat::Json => render::json(&merged),
        StacksFormat::Folded => merged.folded(),
    };
    Ok(output.write(&text, exit))
}

/// Tells what went wrong. The exit code is an error if no stack was read.
fn checked(reading: &Reading) -> Result<Exit, Exit> {
    reading.tell(true, false);
    let has_stack = |process: &Process| process.stacks.is_some();
    if reading.outcomes.iter().any(|outcome| has_stack(&outcome.process)) {
        return Ok(reading.exit);
    }
    if reading.exit == Exit::Complete {
        complain("there are no call stacks in what was read: it was written by an older mqd");
        return Err(Exit::Unreadable);
    }
    Err(reading.exit)
}

/// The states of the processes before they are stopped.
struct States(HashMap<u32, char>);

impl States {
    fn of(targets: &Targets) -> States {
        let wanted = targets.wanted();
        let members = wanted.jobs.into_iter().filter_map(|launcher| job::members(launcher).ok());
        let in_jobs = members.flat_map(|job| job.members);
        let in_jobs = in_jobs.filter(|member| is_this_host(&member.host)).map(|member| member.pid);
        let named = wanted.requests.into_iter().filter_map(|request| match request {
            Request::Pid(pid) => Some(pid),
            _ => None,
        });
        States(in_jobs.chain(named).filter_map(|pid| Some((pid, state(pid)?))).collect())
    }

    fn state(&self, process: &Process) -> Option<char> {
        let is_here = process.core.is_none()
            && process.errors.iter().all(|error| error.kind != ProblemKind::Elsewhere);
        self.0.get(&process.pid?).copied().filter(|_| is_here)
    }
}
