//! From an analysis to a diagnosis: the verdict, its reason, and what is missing for a better one.

use super::analysis::Analysis;
use super::diagnosis::{Certainty, Diagnosis, SCHEMA_VERSION, Verdict};
use super::findings;
use super::job::Presence;
use super::ranks::Ranks;
use super::waits::{Caution, Doing, Stuck};
use super::words;
use crate::model::Tool;

impl Analysis<'_> {
    pub(super) fn diagnose(&self, before: Option<(&Analysis<'_>, f64)>) -> Diagnosis {
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
            tool: Tool::this(),
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
