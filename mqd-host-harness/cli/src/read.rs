//! Reads the targets of a command line.

use std::cell::LazyCell;
use std::collections::{BTreeSet, HashMap};
use std::panic::resume_unwind;
use std::time::{Duration, Instant};

use super::args::Targets;
use super::exit::Exit;
use super::found::{Found, Wants};
use super::motion::Told;
use super::output::complain;
use super::progress::Progress;
use super::wanted::Wanted;
use mqd_host::capture::Keep;
use mqd_host::dump::Dumper;
use mqd_host::job::{Member, is_this_host};
use mqd_host::outcome::Outcome;
use mqd_host::request::{Options, Request};
use mqd_report::{Calls, Extent, Process, Report, unite};

/// More processes than this are not stopped together: they would stand still for seconds.
const TOGETHER: usize = 64;

/// The result of reading the targets.
pub(super) struct Reading {
    /// One for each process, in the order of the report. Never empty.
    pub(super) outcomes: Vec<Outcome>,
    /// The exit code for all of them.
    pub(super) exit: Exit,
    /// How long it took to read all of them, if some are of other hosts.
    pub(super) spread: Option<Duration>,
}

impl Reading {
    /// Whether all processes were read completely.
    pub(super) fn is_complete(&self) -> bool {
        self.exit == Exit::Complete
    }

    /// Whether no process was read.
    pub(super) fn all_failed(&self) -> bool {
        self.outcomes
            .iter()
            .all(|outcome| matches!(outcome.extent, Extent::Unreadable | Extent::NoQueues))
    }

    /// Whether the call stacks show that a process is in an MPI function.
    pub(super) fn has_calls(&self) -> bool {
        let mut processes = self.outcomes.iter().map(|outcome| &outcome.process);
        processes.any(|process| matches!(process.calls(), Calls::Function(_)))
    }

    /// Checks that all processes belong to one job, since those of two jobs say nothing about each
    /// other. `Err`: they do not, and a message on standard error says so.
    pub(super) fn of_one_job(self) -> Result<Reading, Exit> {
        let processes = self.outcomes.iter().map(|outcome| &outcome.process);
        let mut known = processes.filter_map(|process| Some((process, process.job.as_ref()?)));
        let two = known.next().and_then(|(first, job)| {
            let (other, another) = known.find(|(_, another)| !another.is_same(job))?;
            Some(format!("{} is of {job}, and {} of {another}", who(first), who(other)))
        });
        match two {
            Some(two) => {
                complain(&format!(
                    "the targets are of two jobs: {two}. Give the processes or snapshots of one job"
                ));
                Err(Exit::Usage)
            }
            None => Ok(self),
        }
    }

    /// Prints on standard error what is missing or doubtful. `errors`: also the errors, if the
    /// output does not have them. `messages`: also what the DLL prints.
    pub(super) fn tell(&self, errors: bool, messages: bool) {
        let mut remarks = Remarks::default();
        self.outcomes.iter().for_each(|outcome| remarks.note(outcome, errors, messages));
        remarks.tell();
    }

    /// The report.
    pub(super) fn report(self) -> Report {
        let mut report = self.into_report();
        report.complete_sends();
        report
    }

    /// The report with what each process alone tells.
    pub(super) fn into_report(self) -> Report {
        let spread_ms = self.spread.map(|spread| spread.as_millis() as u64 + 1);
        let processes = self.outcomes.into_iter().map(|outcome| outcome.process).collect();
        Report { spread_ms, ..Report::new(processes) }
    }
}

/// Reads all targets. `wants_rank` selects the ranks of jobs, snapshots and reports.
///
/// # Errors
/// There is nothing to read. A message on standard error says why.
pub(super) fn read(
    targets: &Targets,
    options: Options,
    wants_rank: impl Fn(i64) -> bool + Sync,
) -> Result<Reading, Exit> {
    Source::new(targets, options, Keep::default(), &wants_rank).read()
}

/// What can be read, once or repeatedly. The processes stay those that were found first.
pub(super) struct Source<'a> {
    found: Found,
    wanted: Wanted,
    options: Options,
    keep: Keep,
    wants_rank: Wants<'a>,
    shows_progress: bool,
    /// How long reading took, if some are of other hosts.
    spread: Option<Duration>,
}

impl<'a> Source<'a> {
    /// `keep`: what agents on other hosts leave out of processes that are recorded.
    pub(super) fn new(
        targets: &Targets,
        options: Options,
        keep: Keep,
        wants_rank: Wants<'a>,
    ) -> Source<'a> {
        let wanted = targets.wanted();
        wanted.remarks.iter().for_each(|remark| complain(remark));
        let found = Found::new(targets, &wanted, wants_rank);
        Source { found, wanted, options, keep, wants_rank, shows_progress: true, spread: None }
    }

    /// Can another look show something else of each target?
    pub(super) fn is_live(&self) -> bool {
        self.wanted.is_live()
    }

    /// Some ranks of these.
    pub(super) fn only(mut self, wants_rank: Wants<'a>) -> Source<'a> {
        self.found.requests.retain(|request| request.rank().is_none_or(wants_rank));
        Source { wants_rank, ..self }
    }

    /// The processes of a job that were found already. Nothing is printed on standard error.
    pub(super) fn of(found: Found, options: Options) -> Source<'static> {
        let (wanted, keep) = (Wanted::default(), Keep::default());
        Source {
            found,
            wanted,
            options,
            keep,
            wants_rank: &|_| true,
            shows_progress: false,
            spread: None,
        }
    }

    /// From now on the processes of each host stand still until the last one of them is read, if
    /// they are few. Returns whether they are.
    pub(super) fn stop_together(&mut self) -> bool {
        let mut ranks: HashMap<&str, usize> = HashMap::new();
        for request in &self.found.requests {
            match request {
                Request::Pid(_) => *ranks.entry("").or_default() += 1,
                Request::Member(member) if is_this_host(&member.host) => {
                    *ranks.entry("").or_default() += 1;
                }
                Request::Member(member) => *ranks.entry(&member.host).or_default() += 1,
                Request::Core(_) | Request::Captured(_) => return false,
            }
        }
        self.options.together =
            self.options.dll.is_none() && ranks.values().all(|ranks| *ranks <= TOGETHER);
        self.options.together
    }

    /// What the agents of other hosts tell of their processes' motion up to now.
    pub(super) fn motion(&mut self) -> Told {
        let others: Vec<Member> =
            self.found.requests.iter().filter_map(of_other_host).cloned().collect();
        if others.is_empty() {
            return Told::default();
        }
        self.found.reached().map_or_else(Told::default, |fanout| fanout.motion(&others))
    }

    /// Reads all of it.
    ///
    /// # Errors
    /// Those of [`read`].
    pub(super) fn read(&mut self) -> Result<Reading, Exit> {
        let mut outcomes = Vec::new();
        let exit = self.each(|outcome| outcomes.push(outcome))?;
        let processes = outcomes.iter_mut().map(|outcome: &mut Outcome| &mut outcome.process);
        unite(&mut processes.collect::<Vec<_>>());
        Ok(Reading { outcomes, exit, spread: self.spread })
    }

    /// Visits all processes as they are read, in the order of the report. The result is the exit
    /// code for all of them.
    ///
    /// # Errors
    /// Those of [`read`].
    pub(super) fn each(&mut self, mut visit: impl FnMut(Outcome)) -> Result<Exit, Exit> {
        let Source { found, wanted, options, keep, wants_rank, .. } = self;
        let snapshots = found.snapshots(&wanted.snapshots, options);
        let mut dumper = Dumper::new(options.clone());
        let progress = match self.shows_progress {
            true => {
                let captured: usize = snapshots.iter().map(|snapshot| snapshot.processes()).sum();
                Progress::new(found.requests.len() + captured)
            }
            false => Progress::hidden(),
        };
        let mut extents = Vec::new();
        let mut visit = |outcome: Outcome| {
            extents.push(outcome.extent);
            visit(outcome);
        };
        let Live { outcomes, spread } = read_live(found, &mut dumper, options, *keep, &progress);
        self.spread = spread;
        outcomes.into_iter().for_each(&mut visit);
        found.captured(&snapshots, wants_rank, |place, entry| {
            let request = Request::Captured(place);
            if entry.can_be_read() {
                progress.begin(shown(&request));
            }
            visit(dumper.replay(&request, entry, progress.operations()));
            progress.end();
        });
        drop(progress);
        for path in &wanted.reports {
            found.report(path, wants_rank).into_iter().for_each(&mut visit);
        }
        found.missing.iter().cloned().for_each(&mut visit);
        if extents.is_empty() {
            if found.left_out {
                complain("the job has no such rank (--rank): rank numbers start at 0");
                return Err(Exit::Usage);
            }
            return Err(found.exit);
        }
        Ok(match (found.exit, Exit::of(&extents)) {
            (Exit::Complete, exit) => exit,
            // A job or snapshot was not found, but other targets were read.
            (_, Exit::Complete | Exit::Some) => Exit::Some,
            (exit, _) => exit,
        })
    }
}

/// What [`read_live`] has read.
pub(super) struct Live {
    /// In the order of the requests.
    pub(super) outcomes: Vec<Outcome>,
    /// The time from the first request to the last answer, if some are of other hosts.
    pub(super) spread: Option<Duration>,
}

/// Reads live processes and core files. Other hosts read theirs at the same time.
pub(super) fn read_live(
    found: &mut Found,
    dumper: &mut Dumper,
    options: &Options,
    keep: Keep,
    progress: &Progress,
) -> Live {
    let requests = found.requests.clone();
    let remote: Vec<Member> = requests.iter().filter_map(of_other_host).cloned().collect();
    let mut fanout = if remote.is_empty() { None } else { found.reached() };
    if let Some(fanout) = &mut fanout {
        let hosts: BTreeSet<&str> = remote.iter().map(|member| member.host.as_str()).collect();
        progress.begin(format!("{} hosts", hosts.len()));
        progress.hosts(fanout.tally());
        fanout.connect(hosts);
    }
    let begin = Instant::now();
    std::thread::scope(|scope| {
        let is_reached = fanout.is_some();
        let others = fanout.map(|fanout| scope.spawn(|| fanout.look(&remote, options, keep)));
        let is_mine = |request: &Request| !(is_reached && of_other_host(request).is_some());
        let mine: Vec<Request> = requests.iter().filter(|one| is_mine(one)).cloned().collect();
        let mut mine = match options.together {
            true => dumper.dump_together(&mine, progress.operations()),
            false => one_by_one(dumper, &mine, progress),
        }
        .into_iter();
        let others =
            others.map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        let mut others = others.into_iter().flatten();
        let spread = is_reached.then(|| begin.elapsed());
        let outcomes = requests.iter().filter_map(|request| match is_mine(request) {
            true => mine.next(),
            false => others.next(),
        });
        Live { outcomes: outcomes.collect(), spread }
    })
}

/// A member of a job on another host.
fn of_other_host(request: &Request) -> Option<&Member> {
    match request {
        Request::Member(member) => Some(member).filter(|member| !is_this_host(&member.host)),
        _ => None,
    }
}

fn one_by_one(dumper: &mut Dumper, requests: &[Request], progress: &Progress) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for request in requests {
        progress.begin(shown(request));
        outcomes.push(dumper.dump(request, progress.operations()));
        progress.end();
    }
    outcomes
}

/// A process for people.
fn shown(request: &Request) -> String {
    match request {
        Request::Pid(pid) => format!("process {pid}"),
        Request::Core(path) => path.display().to_string(),
        Request::Member(member) => format!("rank {}", member.rank),
        Request::Captured(place) => {
            format!("process {} of {}", place.process, place.file.display())
        }
    }
}

/// The live processes among the targets, for repeated reading. If some were not found, the exit
/// code differs from `Complete`.
///
/// # Errors
/// There is no live process, or there are other targets. A message on standard error says why.
pub(super) fn live(targets: &Targets) -> Result<Found, Exit> {
    let wanted = targets.wanted();
    if wanted.has_files() {
        complain("only live processes change: core files, snapshots and reports stay the same");
        return Err(Exit::Usage);
    }
    let found = Found::new(targets, &wanted, &|_| true);
    if found.requests.is_empty() { Err(found.exit) } else { Ok(found) }
}

/// Remarks on processes. A remark that many processes of a job have is printed once.
#[derive(Default)]
pub(super) struct Remarks {
    remarks: Vec<Remark>,
}

struct Remark {
    text: String,
    kind: &'static str,
    first: String,
    more: usize,
}

impl Remarks {
    /// Adds what is missing or doubtful of a process, as [`Reading::tell`] says.
    pub(super) fn note(&mut self, outcome: &Outcome, errors: bool, messages: bool) {
        let who = LazyCell::new(|| who(&outcome.process));
        for error in outcome.process.errors.iter().filter(|_| errors) {
            self.add("", &who, &error.to_string());
        }
        for warning in &outcome.warnings {
            self.add("warning: ", &who, warning);
        }
        for message in outcome.messages.iter().filter(|_| messages) {
            self.add("the debug DLL prints: ", &who, message);
        }
    }

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

    /// Prints them on standard error.
    pub(super) fn tell(&self) {
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
    let host = process.host.as_deref().filter(|host| !is_this_host(host));
    let on = host.map_or_else(String::new, |host| format!(" on {host}"));
    match (process.rank, process.pid, &process.core) {
        (Some(rank), _, Some(core)) => format!("rank {rank} ({core})"),
        (None, _, Some(core)) => core.clone(),
        (Some(rank), Some(pid), None) => format!("rank {rank} (pid {pid}{on})"),
        (Some(rank), None, None) => format!("rank {rank}"),
        (None, Some(pid), None) => format!("pid {pid}{on}"),
        (None, None, None) => "process".to_owned(),
    }
}
