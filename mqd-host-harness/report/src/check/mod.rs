//! The diagnosis: what a job's ranks wait for, across all of them, and what is wrong.
//!
//! A pure function of a [`Report`], or of two reports of the same job some time apart. The way:
//! [`job`] puts the processes together, [`matching`] pairs messages with sends and receives,
//! [`waits`] makes the wait-for graph, whose greatest set of ranks that cannot go on ([`fixpoint`])
//! is the verdict; [`knots`] finds the cycles in it, and [`findings`] the rest. All of it takes
//! time in proportion to ranks and operations.
//!
//! Why a verdict holds although processes are read one after the other: the first of the stuck
//! ranks to go on after its look would need a message that another one of them has sent before its
//! own look, and that has come in after that of the receiver. [`traffic`] tells that there is none.

mod diagnosis;
mod findings;
mod fixpoint;
mod functions;
mod job;
mod knots;
mod matching;
mod ranks;
mod traffic;
mod waits;
mod words;

use self::job::{Job, Presence};
use self::matching::Matching;
use self::traffic::Traffic;
use self::waits::{Caution, Doing, Stuck, Waits};
use crate::model::{Activity, Process, Report};

pub use self::diagnosis::{
    Certainty, Diagnosis, Finding, Kind, SCHEMA_VERSION, Severity, Verdict, Wait, json_schema_text,
};
pub use self::ranks::Ranks;

/// Diagnoses a job from one look at it.
pub fn check(report: &Report) -> Diagnosis {
    Look::new(report).diagnose(None)
}

/// Diagnoses a job from two looks at it, so many seconds apart.
pub fn check_again(first: &Report, second: &Report, seconds: f64) -> Diagnosis {
    let first = Look::new(first);
    Look::new(second).diagnose(Some((&first, seconds)))
}

/// Would it prove what a process waits for if its call stack showed that this has begun, which it
/// does not?
pub fn would_be_proved(activity: &Activity) -> bool {
    let is_listed = activity.function.as_deref().is_some_and(functions::is_listed);
    is_listed && activity.begun.is_none() && activity.concurrent == Some(false)
}

/// Counts what a diagnosis takes: how often edges of the wait-for graph are followed.
pub fn steps(report: &Report) -> usize {
    let look = Look::new(report);
    look.waits.stuck(Caution::All, std::iter::empty()).steps()
}

/// What one look at a job shows.
struct Look<'a> {
    job: Job<'a>,
    waits: Waits,
}

impl<'a> Look<'a> {
    fn new(report: &'a Report) -> Look<'a> {
        let job = Job::new(report);
        let matching = Matching::new(&job);
        let traffic = Traffic::new(&job);
        let waits = Waits::new(&job, &matching, &traffic);
        Look { job, waits }
    }

    fn diagnose(&self, before: Option<(&Look<'_>, f64)>) -> Diagnosis {
        let job = &self.job;
        let certain = self.stuck(Caution::All, &[]);
        let moved = before.map_or_else(Vec::new, |(first, _)| self.moved(first));
        let lasting = before.map(|_| self.stuck(Caution::Lasting, &moved));
        let suspected = self.stuck(Caution::Nothing, &moved);
        let doubtful = self.stuck(Caution::Worst, &moved);
        let (verdict, certainty, stuck) = match lasting {
            _ if job.doubt.is_some() => (Verdict::Insufficient, Certainty::Suspected, &suspected),
            _ if certain.any() => (Verdict::Deadlocked, Certainty::Certain, &certain),
            Some(ref lasting) if lasting.any() => {
                (Verdict::Deadlocked, Certainty::TwoLooks, lasting)
            }
            _ if doubtful.any() || !job.unread.is_empty() || job.members.is_empty() => {
                (Verdict::Insufficient, Certainty::Suspected, &suspected)
            }
            _ => (Verdict::NotDeadlocked, Certainty::Certain, &suspected),
        };

        let is_unknown =
            |slot: u32| matches!(self.waits.ranks[slot as usize].doing, Doing::Unknown(_));
        let ranks = |wanted: &dyn Fn(u32) -> bool| -> Ranks {
            let slots = 0..job.members.len() as u32;
            slots.filter(|slot| wanted(*slot)).map(|slot| job.member(slot).rank).collect()
        };
        let is_stuck = |slot: u32| {
            stuck.slots[slot as usize]
                && !(verdict == Verdict::Insufficient
                    && is_unknown(slot)
                    && self.waits.alternatives(slot).is_empty())
        };
        let is_over = |slot: u32| self.waits.ranks[slot as usize].doing == Doing::Over;
        let moves =
            |slot: u32| !doubtful.slots[slot as usize] && !is_unknown(slot) && !is_over(slot);
        let stuck_ranks = ranks(&is_stuck);
        let moving = ranks(&moves);
        let others = ranks(&|slot| !is_stuck(slot) && !moves(slot) && !is_over(slot));
        let unknown =
            Ranks::of_ranges(others.ranges().iter().chain(job.unread.ranges()).copied().collect());

        let mut diagnosis = Diagnosis {
            schema_version: SCHEMA_VERSION.to_owned(),
            tool: crate::model::Tool::this(),
            verdict,
            reason: String::new(),
            looks: 1 + i64::from(before.is_some()),
            seconds: before.map(|(_, seconds)| seconds),
            missing: self.missing(verdict, stuck, &moved, before.is_some()),
            stuck: stuck_ranks,
            moving,
            unknown,
            findings: Vec::new(),
        };
        diagnosis.reason = reason(&diagnosis, certainty);
        diagnosis.findings =
            findings::all(self, stuck, verdict, certainty, before.map(|(first, _)| first));
        diagnosis
    }

    fn stuck(&self, caution: Caution, moved: &[u32]) -> Stuck {
        self.waits.stuck(caution, moved.iter().copied())
    }

    /// Those that have moved since an earlier look, by slot. Messages that come in for a rank from
    /// those that are not stuck do not move it.
    fn moved(&self, first: &Look<'_>) -> Vec<u32> {
        let candidates = self.stuck(Caution::Nothing, &[]);
        let is_candidate = |rank: Option<i64>| {
            rank.and_then(|rank| self.job.slot(rank))
                .is_none_or(|slot| candidates.slots[slot as usize])
        };
        let has_moved = |slot: &u32| {
            let now = self.job.member(*slot);
            let Some(before) = first.job.slot(now.rank).map(|slot| first.job.member(slot)) else {
                return true;
            };
            if before.presence != now.presence || before.process.pid != now.process.pid {
                return true;
            }
            now.presence == Presence::Read
                && self.differs(*slot, before.process, now.process, is_candidate)
        };
        (0..self.job.members.len() as u32).filter(has_moved).collect()
    }

    fn differs(
        &self,
        slot: u32,
        before: &Process,
        now: &Process,
        is_candidate: impl Fn(Option<i64>) -> bool,
    ) -> bool {
        let doing = |process: &Process| {
            process
                .activity
                .as_ref()
                .map(|activity| (activity.function.clone(), activity.needed, activity.concurrent))
        };
        if doing(before) != doing(now) || before.communicators.len() != now.communicators.len() {
            return true;
        }
        let parts =
            before.communicators.iter().zip(&now.communicators).zip(&self.job.member(slot).comms);
        parts.into_iter().any(|((before, now), comm)| {
            let counts = |part: &crate::model::Communicator| -> Option<Vec<(i64, i64, i64)>> {
                let counted = part.traffic.as_ref()?.iter().map(|entry| {
                    let counts = is_candidate(self.job.global(*comm, entry.local_rank));
                    (entry.local_rank, entry.sent, if counts { entry.received } else { 0 })
                });
                Some(counted.filter(|(_, sent, received)| (*sent, *received) != (0, 0)).collect())
            };
            before.unique_id != now.unique_id
                || before.pending_sends != now.pending_sends
                || before.pending_receives != now.pending_receives
                || before.collectives != now.collectives
                || counts(before) != counts(now)
        })
    }

    /// What the picture lacks.
    fn missing(&self, verdict: Verdict, stuck: &Stuck, moved: &[u32], again: bool) -> Vec<String> {
        let job = &self.job;
        let mut missing: Vec<String> = job.doubt.iter().cloned().collect();
        if job.members.is_empty() {
            missing.push("no process could be read of which the rank is known".to_owned());
        }
        if !job.unread.is_empty() {
            missing.push(format!("{} not read", words::subject(&job.unread, "was", "were")));
        }
        let mut reasons: Vec<(&str, Vec<i64>)> = Vec::new();
        for (member, wait) in job.members.iter().zip(&self.waits.ranks) {
            let Doing::Unknown(why) = wait.doing else { continue };
            match reasons.iter_mut().find(|(other, _)| *other == why) {
                _ if member.presence == Presence::Unread => {}
                Some((_, ranks)) => ranks.push(member.rank),
                None => reasons.push((why, vec![member.rank])),
            }
        }
        missing.extend(reasons.into_iter().map(|(why, ranks)| {
            let ranks: Ranks = ranks.into_iter().collect();
            format!("{}: {why}", words::ranks(&ranks))
        }));
        if verdict == Verdict::Insufficient && stuck.any() && job.doubt.is_none() {
            let only = |caution| self.stuck(caution, moved).any();
            if !again && only(Caution::Lasting) {
                missing.push("another look at the live job could tell (--recheck)".to_owned());
            } else if only(Caution::Messages) {
                missing.push(
                    "how many messages the ranks have sent and received is not known: one may be \
                     on its way"
                        .to_owned(),
                );
            }
        }
        missing
    }
}

/// The verdict in a sentence.
fn reason(diagnosis: &Diagnosis, certainty: Certainty) -> String {
    let Diagnosis { stuck, moving, unknown, seconds, .. } = diagnosis;
    match diagnosis.verdict {
        Verdict::Deadlocked => {
            let limit = match (certainty, seconds) {
                (Certainty::TwoLooks, Some(seconds)) => {
                    format!(", as far as two looks {seconds} s apart can tell")
                }
                _ => String::new(),
            };
            format!("{} never go on{limit}", words::subject(stuck, "can", "can"))
        }
        Verdict::NotDeadlocked if moving.is_empty() => {
            "all ranks have come to their end".to_owned()
        }
        Verdict::NotDeadlocked => format!("{} go on", words::subject(moving, "can", "can")),
        Verdict::Insufficient if stuck.is_empty() => {
            if unknown.is_empty() {
                "there is nothing to judge by".to_owned()
            } else {
                format!("it is not known what becomes of {}", words::ranks(unknown))
            }
        }
        Verdict::Insufficient => {
            format!(
                "it looks as if {} could not go on, but the picture does not prove it",
                words::ranks(stuck)
            )
        }
    }
}
