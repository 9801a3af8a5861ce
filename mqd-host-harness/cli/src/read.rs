//! Reads the targets of a command line.

use std::path::Path;

use super::args::{Targets, Wanted};
use super::exit::Exit;
use super::output::complain;
use super::progress::Progress;
use super::report_file;
use mqd_host::dump::Dumper;
use mqd_host::job::{self, Job};
use mqd_host::outcome::{Outcome, Verdict};
use mqd_host::request::{Options, Request};
use mqd_host::snapshot::{Entry, Place};
use mqd_report::{Process, Report};

/// The result of reading the targets.
pub(super) struct Reading {
    /// One for each process, in the order of the report. Never empty.
    pub(super) outcomes: Vec<Outcome>,
    /// The exit code for all of them.
    pub(super) exit: Exit,
}

impl Reading {
    /// Whether no process was read.
    pub(super) fn all_failed(&self) -> bool {
        self.outcomes
            .iter()
            .all(|outcome| matches!(outcome.verdict, Verdict::Unreadable | Verdict::NoQueues))
    }

    /// Prints on standard error what is missing or doubtful. `errors`: also the errors, if the
    /// output does not have them. `messages`: also what the DLL prints.
    pub(super) fn tell(&self, errors: bool, messages: bool) {
        let mut remarks = Remarks::default();
        for outcome in &self.outcomes {
            let who = who(&outcome.process);
            for error in outcome.process.errors.iter().filter(|_| errors) {
                remarks.add("", &who, &error.to_string());
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

/// Reads all targets. `wants_rank` selects the ranks of jobs, snapshots and reports.
///
/// # Errors
/// There is nothing to read. A message on standard error says why.
pub(super) fn read(
    targets: &Targets,
    options: Options,
    wants_rank: impl Fn(i64) -> bool,
) -> Result<Reading, Exit> {
    let Wanted { jobs, requests, snapshots, reports } = targets.wanted();
    let mut found = Found { requests: Vec::new(), exit: Exit::Complete, left_out: false };
    jobs.into_iter().for_each(|launcher| found.job(launcher, &wants_rank));
    found.requests.extend(requests);
    let mut entries: Vec<(Place, Entry)> = Vec::new();
    snapshots.iter().for_each(|path| entries.extend(found.snapshot(path, &options, &wants_rank)));
    let reported: Vec<Outcome> =
        reports.iter().flat_map(|path| found.report(path, &wants_rank)).collect();
    let Found { requests, exit, left_out } = found;
    let mut outcomes = read_all(options, requests, entries);
    outcomes.extend(reported);
    if outcomes.is_empty() {
        if left_out {
            complain("the job has no such rank (--rank): rank numbers start at 0");
            return Err(Exit::Usage);
        }
        return Err(exit);
    }
    let verdicts: Vec<_> = outcomes.iter().map(|outcome| outcome.verdict).collect();
    let exit = match (exit, Exit::of(&verdicts)) {
        (Exit::Complete, exit) => exit,
        // A job or snapshot was not found, but other targets were read.
        (_, Exit::Complete | Exit::Some) => Exit::Some,
        (exit, _) => exit,
    };
    Ok(Reading { outcomes, exit })
}

/// The live processes among the targets, for repeated reading. If some were not found, the exit
/// code differs from `Complete`.
///
/// # Errors
/// There is no live process, or there are other targets. A message on standard error says why.
pub(super) fn live(targets: &Targets) -> Result<(Vec<Request>, Exit), Exit> {
    let Wanted { jobs, requests, snapshots, reports } = targets.wanted();
    if !snapshots.is_empty()
        || !reports.is_empty()
        || requests.iter().any(|request| matches!(request, Request::Core(_)))
    {
        complain("only live processes change: core files, snapshots and reports stay the same");
        return Err(Exit::Usage);
    }
    let mut found = Found { requests: Vec::new(), exit: Exit::Complete, left_out: false };
    jobs.into_iter().for_each(|launcher| found.job(launcher, |_| true));
    found.requests.extend(requests);
    if found.requests.is_empty() { Err(found.exit) } else { Ok((found.requests, found.exit)) }
}

/// The targets that were found.
struct Found {
    requests: Vec<Request>,
    /// Not `Complete` if something could not be found.
    exit: Exit,
    /// Whether some ranks were left out.
    left_out: bool,
}

impl Found {
    /// Adds the processes of a job.
    fn job(&mut self, launcher: u32, wants_rank: impl Fn(i64) -> bool) {
        match job::members(launcher) {
            Ok(Job { members, remarks }) => {
                remarks.iter().for_each(|remark| complain(remark));
                let (wanted, others): (Vec<_>, Vec<_>) =
                    members.into_iter().partition(|member| wants_rank(member.rank));
                self.requests.extend(wanted.into_iter().map(Request::Member));
                self.left_out |= !others.is_empty();
            }
            Err(error) => self.failed(&error.to_string()),
        }
    }

    /// The processes of a snapshot.
    fn snapshot(
        &mut self,
        path: &Path,
        options: &Options,
        wants_rank: impl Fn(i64) -> bool,
    ) -> Vec<(Place, Entry)> {
        let snapshot = match options.snapshots.open(path) {
            Ok(snapshot) => snapshot,
            Err(error) => {
                self.failed(&error.to_string());
                return Vec::new();
            }
        };
        for damage in snapshot.damage() {
            complain(&format!(
                "warning: {} is damaged from byte {} on: {}",
                path.display(),
                damage.at,
                damage.what
            ));
        }
        let place = |process, rank| Place { file: path.to_owned(), process, rank };
        let entries = snapshot.entries();
        let all = entries.len();
        let mut wanted: Vec<_> = entries
            .into_iter()
            .map(|(process, entry)| (place(process, entry.process.rank), entry))
            .collect();
        wanted.retain(|(place, _)| place.rank.is_none_or(&wants_rank));
        self.left_out |= wanted.len() < all;
        wanted
    }

    /// The processes of a report.
    fn report(&mut self, path: &Path, wants_rank: impl Fn(i64) -> bool) -> Vec<Outcome> {
        match report_file::outcomes(path) {
            Ok(mut outcomes) => {
                let all = outcomes.len();
                outcomes.retain(|outcome| outcome.process.rank.is_none_or(&wants_rank));
                self.left_out |= outcomes.len() < all;
                outcomes
            }
            Err(error) => {
                self.failed(&error.to_string());
                Vec::new()
            }
        }
    }

    fn failed(&mut self, error: &str) {
        complain(error);
        self.exit = Exit::Unreadable;
    }
}

fn read_all(
    options: Options,
    requests: Vec<Request>,
    entries: Vec<(Place, Entry)>,
) -> Vec<Outcome> {
    let mut dumper = Dumper::new(options);
    let progress = Progress::new(requests.len() + entries.len());
    let live = requests.into_iter().map(|request| (request, None));
    live.chain(entries.into_iter().map(|(place, entry)| (Request::Captured(place), Some(entry))))
        .map(|(request, entry)| {
            progress.begin(match &request {
                Request::Pid(pid) => format!("process {pid}"),
                Request::Core(path) => path.display().to_string(),
                Request::Member(member) => format!("rank {}", member.rank),
                Request::Captured(place) => {
                    format!("process {} of {}", place.process, place.file.display())
                }
            });
            let outcome = match entry {
                Some(entry) => dumper.replay(&request, entry, progress.operations()),
                None => dumper.dump(&request, progress.operations()),
            };
            progress.end();
            outcome
        })
        .collect()
}

/// Remarks on processes. A remark that many processes of a job have is printed once.
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
            None => self.remarks.push(Remark {
                text: text.to_owned(),
                kind,
                first: who.to_owned(),
                more: 0,
            }),
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
