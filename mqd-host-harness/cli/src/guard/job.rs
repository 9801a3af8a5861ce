//! The job below the command, and the looks at it.

use std::collections::HashSet;
use std::fmt;
use std::time::{Duration, Instant, SystemTime};

use super::super::args::Guard;
use super::super::examine::{Examined, examine};
use super::super::found::Found;
use super::super::output::complain;
use super::super::read::{Reading, Source};
use super::pace::Pace;
use super::stillness::{Still, Stillness};
use mqd_host::job::{birth, is_this_host};
use mqd_host::request::{Options, Request, Workers};
use mqd_report::Report;
use mqd_report::check::{self, Diagnosis, Verdict};
use mqd_report::words::duration_text;

/// The number of looks without any result after which the user is told.
const IN_VAIN: usize = 3;

/// A job that does not go on.
pub(super) struct Hung {
    /// How it is known that the job hangs.
    pub(super) why: Why,
    /// When it was seen.
    pub(super) at: SystemTime,
    /// What was seen.
    pub(super) report: Report,
    /// What is wrong.
    pub(super) diagnosis: Diagnosis,
}

/// Why a job is said to hang.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// It is proved.
    Deadlocked,
    /// Nothing was seen to move.
    Still(Still),
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Deadlocked => f.write_str("the job hangs"),
            Why::Still(Still { time, looks }) => write!(
                f,
                "no message and no MPI call was seen to move for {}, in {looks} looks",
                duration_text(*time)
            ),
        }
    }
}

/// The job.
pub(super) struct Job<'a> {
    args: &'a Guard,
    options: Options,
    launcher: u32,
    source: Option<Source<'static>>,
    pace: Pace,
    stillness: Stillness,
    /// How many looks have had no result so far. None once a look has had one.
    in_vain: Option<usize>,
    /// Has the user been told that the job does not move, and has it not moved since?
    is_told: bool,
}

impl Job<'_> {
    /// The job that a process starts.
    pub(super) fn new(args: &Guard, launcher: u32) -> Job<'_> {
        Job {
            args,
            options: args.options(),
            launcher,
            source: None,
            pace: Pace::new(args.every),
            stillness: Stillness::default(),
            in_vain: Some(0),
            is_told: false,
        }
    }

    /// How long to wait before the first look.
    pub(super) fn first(&self) -> Duration {
        self.pace.first()
    }

    /// How long to wait before the next look.
    pub(super) fn next(&self) -> Duration {
        self.pace.next()
    }

    /// Looks at the job. Returns what is wrong if it is new.
    pub(super) fn look(&mut self) -> Option<Hung> {
        let begin = Instant::now();
        let Some(reading) = self.read() else {
            self.pace.looked(begin.elapsed());
            return None;
        };
        // Ranks may have ended, and others started.
        let again = !reading.is_complete();
        let report = reading.report();
        let still = self.stillness.look(begin, &report);
        let mut examined = Examined { diagnosis: check::check(&report), report };
        let mut cost = begin.elapsed();
        if examined.diagnosis.verdict == Verdict::Insufficient
            && still.is_some()
            && let Some(source) = &mut self.source
        {
            // A second look reads at most twice; the rest of its time is a pause.
            cost *= 3;
            examined = examine(source, examined.report, None).ok()?;
        }
        self.pace.looked(cost);
        if again {
            self.source = None;
        }
        let Examined { report, diagnosis } = examined;
        let why = match still {
            _ if diagnosis.verdict == Verdict::Deadlocked => Why::Deadlocked,
            Some(still) if still.time >= self.args.after && still.looks > 2 => Why::Still(still),
            Some(_) => return None,
            None => {
                self.is_told = false;
                return None;
            }
        };
        let is_told = std::mem::replace(&mut self.is_told, true);
        let is_new = why == Why::Deadlocked || !is_told;
        is_new.then(|| Hung { why, at: SystemTime::now(), report, diagnosis })
    }

    /// Reads the processes; `None` if there are none so far, or nothing can be read of them.
    fn read(&mut self) -> Option<Reading> {
        if self.source.is_none() {
            let found = Found::quietly(self.launcher, &self.args.reach);
            let ranks = found.requests.len();
            if ranks == 0 {
                return None;
            }
            self.source = Some(Source::of(found, self.options.clone()));
            if self.pace.is_too_early(ranks) {
                return None;
            }
        }
        let reading = self.source.as_mut()?.read();
        match reading {
            Ok(reading) if !reading.all_failed() => {
                self.in_vain = None;
                return Some(reading);
            }
            Ok(reading) => {
                self.in_vain = self.in_vain.map(|looks| looks + 1);
                if self.in_vain == Some(IN_VAIN) {
                    complain("guard: nothing can be read of the job so far:");
                    reading.tell(true, false);
                }
            }
            Err(_) => {}
        }
        self.source = None;
        self.stillness = Stillness::default();
        None
    }

    /// Reads the processes once more, and records what is read.
    pub(super) fn record(&self) -> Option<(Reading, Option<Workers>)> {
        let found = Found::quietly(self.launcher, &self.args.reach);
        let options = Options { record: true, ..self.options.clone() };
        let workers = options.workers.clone();
        Some((Source::of(found, options).read().ok()?, workers))
    }

    /// The ranks on this machine: their ids and start times.
    pub(super) fn ranks(&self) -> Vec<(u32, u64)> {
        let found = Found::quietly(self.launcher, &self.args.reach);
        let pids: HashSet<u32> = found
            .requests
            .iter()
            .filter_map(|request| match request {
                Request::Member(member) if is_this_host(&member.host) => Some(member.pid),
                _ => None,
            })
            .collect();
        pids.into_iter().filter_map(|pid| Some((pid, birth(pid)?))).collect()
    }
}
