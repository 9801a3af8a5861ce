//! From the targets of a command line to what was read of them.

use super::args::{Targets, Wanted};
use super::exit::Exit;
use super::output::complain;
use super::progress::Progress;
use crate::dump::{Dumper, Options, Outcome, Request, Verdict};
use crate::job::{self, Job};
use crate::report::{Process, Report};

/// What came of the targets.
pub(super) struct Reading {
    /// Of each process, in the order of the report. Never empty.
    pub(super) outcomes: Vec<Outcome>,
    /// How it went as a whole.
    pub(super) exit: Exit,
}

impl Reading {
    /// Was nothing read at all?
    pub(super) fn all_failed(&self) -> bool {
        self.outcomes.iter().all(|outcome| matches!(outcome.verdict, Verdict::Unreadable | Verdict::NoQueues))
    }

    /// Says on standard error what is missing or doubtful: warnings, also errors unless the output tells them, and on demand what the DLL prints.
    pub(super) fn tell(&self, errors: bool, messages: bool) {
        let mut remarks = Remarks::default();
        for outcome in &self.outcomes {
            let who = who(&outcome.process);
            for error in outcome.process.errors.iter().filter(|_| errors) {
                remarks.add("", &who, error);
            }
            for warning in &outcome.warnings {
                remarks.add("warning: ", &who, warning);
            }
            for message in outcome.messages.iter().filter(|_| messages) {
                remarks.add("the debug DLL prints: ", &who, message);
            }
        }
        remarks.tell();
    }

    /// The report.
    pub(super) fn report(self) -> Report {
        Report::new(self.outcomes.into_iter().map(|outcome| outcome.process).collect())
    }
}

/// Reads all targets. `wants_rank` tells of ranks that a launcher's table names whether they are to be read.
///
/// # Errors
/// There is nothing to read; why is said.
pub(super) fn read(targets: &Targets, options: Options, wants_rank: impl Fn(i64) -> bool) -> Result<Reading, Exit> {
    let (requests, exit) = requests(targets, wants_rank)?;
    let outcomes = read_all(options, &requests);
    let verdicts: Vec<_> = outcomes.iter().map(|outcome| outcome.verdict).collect();
    let exit = match (exit, Exit::of(&verdicts)) {
        (Exit::Complete, exit) => exit,
        // A job that could not be found, and something else that could be read.
        (_, Exit::Complete | Exit::Some) => Exit::Some,
        (exit, _) => exit,
    };
    Ok(Reading { outcomes, exit })
}

/// The processes to read: those of jobs first. The exit code is not `Complete` if the processes of a job could not be found.
fn requests(targets: &Targets, wants_rank: impl Fn(i64) -> bool) -> Result<(Vec<Request>, Exit), Exit> {
    let Wanted { jobs, requests: others } = targets.wanted();
    let mut requests = Vec::new();
    let mut exit = Exit::Complete;
    let mut left_out = false;
    for launcher in jobs {
        match job::members(launcher) {
            Ok(Job { members, remarks }) => {
                remarks.iter().for_each(|remark| complain(remark));
                let all = members.len();
                let wanted = members.into_iter().filter(|member| wants_rank(member.rank)).map(Request::Member);
                let before = requests.len();
                requests.extend(wanted);
                left_out |= requests.len() - before < all;
            }
            Err(error) => {
                complain(&error.to_string());
                exit = Exit::Unreadable;
            }
        }
    }
    requests.extend(others);
    if requests.is_empty() {
        if left_out {
            complain("the job has no such rank (--rank): rank numbers begin at 0");
            return Err(Exit::Usage);
        }
        return Err(exit);
    }
    Ok((requests, exit))
}

fn read_all(options: Options, requests: &[Request]) -> Vec<Outcome> {
    let mut dumper = Dumper::new(options);
    let progress = Progress::new(requests.len());
    requests
        .iter()
        .map(|request| {
            progress.begin(match request {
                Request::Pid(pid) => format!("process {pid}"),
                Request::Core(path) => path.display().to_string(),
                Request::Member(member) => format!("rank {}", member.rank),
            });
            let outcome = dumper.dump(request, progress.operations());
            progress.end();
            outcome
        })
        .collect()
}

/// Remarks on processes. What holds for many of them, as it does in a job, is said once.
#[derive(Default)]
struct Remarks {
    remarks: Vec<Remark>,
}

struct Remark {
    text: String,
    kind: &'static str,
    first: String,
    more: usize,
}

impl Remarks {
    fn add(&mut self, kind: &'static str, who: &str, text: &str) {
        match self.remarks.iter_mut().find(|remark| remark.kind == kind && remark.text == text) {
            Some(remark) => remark.more += 1,
            None => self.remarks.push(Remark { text: text.to_owned(), kind, first: who.to_owned(), more: 0 }),
        }
    }

    fn tell(&self) {
        for Remark { text, kind, first, more } in &self.remarks {
            match more {
                0 => complain(&format!("{kind}{first}: {text}")),
                1 => complain(&format!("{kind}{first} and another one: {text}")),
                _ => complain(&format!("{kind}{first} and {more} others: {text}")),
            }
        }
    }
}

fn who(process: &Process) -> String {
    match (process.rank, process.pid, &process.core) {
        (Some(rank), _, Some(core)) => format!("rank {rank} ({core})"),
        (None, _, Some(core)) => core.clone(),
        (Some(rank), Some(pid), None) => format!("rank {rank} (pid {pid})"),
        (Some(rank), None, None) => format!("rank {rank}"),
        (None, Some(pid), None) => format!("pid {pid}"),
        (None, None, None) => "process".to_owned(),
    }
}
