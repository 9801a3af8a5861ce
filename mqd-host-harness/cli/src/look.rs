//! Repeated looks at the same live processes.

use std::time::{Duration, SystemTime};

use super::args::Targets;
use super::exit::Exit;
use super::found::Found;
use super::progress::Progress;
use super::read::{Live, Reading, live, read_live};
use mqd_host::capture::Keep;
use mqd_host::dump::Dumper;
use mqd_host::job::{birth, is_this_host};
use mqd_host::request::{Options, Request};
use mqd_report::Report;
use mqd_report::changes::Look;
use mqd_report::check::{Diagnosis, check, check_again};

/// Live processes, with the debug DLLs that read them.
pub(super) struct Looker {
    dumper: Dumper,
    options: Options,
    found: Found,
    watched: Vec<Watched>,
}

struct Watched {
    /// Known once it has been read.
    rank: Option<i64>,
    /// The id and start time of a process on this machine.
    life: Option<(u32, u64)>,
    /// At the last look, the agent of its host has found that it has ended.
    ended: bool,
}

impl Looker {
    /// # Errors
    /// There is no live process. A message on standard error says why.
    pub(super) fn new(targets: &Targets, options: Options) -> Result<Looker, Exit> {
        let found = live(targets)?;
        let watched = found.requests.iter().map(|request| {
            let pid = match request {
                Request::Pid(pid) => Some(*pid),
                Request::Member(member) if is_this_host(&member.host) => Some(member.pid),
                _ => None,
            };
            let life = pid.and_then(|pid| Some((pid, birth(pid)?)));
            Watched { rank: request.rank(), life, ended: false }
        });
        let watched = watched.collect();
        Ok(Looker { dumper: Dumper::new(options.clone()), options, found, watched })
    }

    /// Reads all of them. Each is stopped only while it is read.
    pub(super) fn look(&mut self) -> Reading {
        let Looker { dumper, options, found, watched } = self;
        let quiet = Progress::hidden();
        let Live { mut outcomes, spread } =
            read_live(found, dumper, options, Keep::default(), &quiet);
        for (watched, outcome) in watched.iter_mut().zip(&mut outcomes) {
            // The rank stays known if the process can no longer be read.
            watched.rank = outcome.process.rank.or(watched.rank);
            outcome.process.rank = watched.rank;
            watched.ended = outcome.process.has_ended();
        }
        outcomes.extend(found.missing.iter().cloned());
        let extents: Vec<_> = outcomes.iter().map(|outcome| outcome.extent).collect();
        let exit = if found.exit == Exit::Complete { Exit::of(&extents) } else { Exit::Some };
        Reading { outcomes, exit, spread }
    }

    /// Whether all of them have ended. Those of other machines are known from the last look.
    pub(super) fn all_ended(&self) -> bool {
        self.watched.iter().all(|watched| match watched.life {
            Some((pid, begun)) => birth(pid) != Some(begun),
            None => watched.ended,
        })
    }
}

/// A look that can be compared with others. `at`: when the processes were read.
pub(super) fn look_of(reading: Reading, at: Option<SystemTime>) -> Look {
    Look { at, report: reading.into_report() }
}

/// The least time between two looks that are compared without the kernel's counters. In a shorter
/// one, a process may have had no turn, and an answer may be on its way.
const APART: Duration = Duration::from_secs(10);

/// The diagnosis of the last of some looks. An earlier one that is old enough is compared with it.
pub(super) fn diagnose<'l>(looks: impl DoubleEndedIterator<Item = &'l Look>) -> Diagnosis {
    let mut looks = looks.rev();
    let Some(last) = looks.next() else { return check(&Report::new(Vec::new())) };
    let before = looks.find_map(|look| Some((look, since(look, last)?)));
    match before {
        Some((before, since)) => check_again(&before.report, &last.report, since.as_secs_f64()),
        None => check(&last.report),
    }
}

/// How long before another look one was, if that is long enough for both to be compared.
pub(super) fn since(before: &Look, last: &Look) -> Option<Duration> {
    last.at?.duration_since(before.at?).ok().filter(|since| *since >= APART)
}
