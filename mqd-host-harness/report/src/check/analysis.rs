//! What one look at a job shows: its ranks and communicators, and what each rank waits for.

use super::job::{Job, Presence};
use super::matching::Matching;
use super::traffic::Traffic;
use super::waits::{Caution, Stuck, Waits};
use crate::model::{Communicator, Process, Report};

/// The analysis of one report.
pub(super) struct Analysis<'a> {
    pub(super) job: Job<'a>,
    pub(super) waits: Waits,
}

impl<'a> Analysis<'a> {
    pub(super) fn new(report: &'a Report) -> Analysis<'a> {
        let job = Job::new(report);
        let matching = Matching::new(&job);
        let traffic = Traffic::new(&job);
        let waits = Waits::new(&job, &matching, &traffic);
        Analysis { job, waits }
    }

    pub(super) fn stuck(&self, caution: Caution, moved: &[u32]) -> Stuck {
        self.waits.stuck(caution, moved.iter().copied())
    }

    /// Those that have moved since an earlier look, by slot. Messages that come in for a rank from
    /// those that are not stuck do not move it.
    pub(super) fn moved(&self, first: &Analysis<'_>) -> Vec<u32> {
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
            let counts = |part: &Communicator| -> Option<Vec<(i64, i64, i64)>> {
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
}
