//! What one look at a job shows: its ranks and communicators, and what each rank waits for.

use super::awaited_call;
use super::construction::{self, has_marks};
use super::functions::is_probe;
use super::ids::{LocalRank, Rank, Slot};
use super::job::{Job, Presence, is_finalizing};
use super::matching::Matching;
use super::transit::Transit;
use super::waits::{Caution, Doing, Stuck, Waits};
use super::waits_unseen;
use crate::model::{Communicator, Fifo, Operation, Process, Report};

/// The analysis of one report.
pub(super) struct Analysis<'a> {
    pub(super) job: Job<'a>,
    pub(super) waits: Waits,
}

/// What became of the ranks since an earlier look.
#[derive(Default)]
pub(super) struct Since {
    /// The ranks that have moved.
    pub(super) moved: Vec<Slot>,
    /// Ranks of which the looks do not tell whether they can move:
    /// - one of the looks did not read them, or not completely;
    /// - one of the looks does not know their call, or their counts;
    /// - they have ended in between: what they sent last may be on its way;
    /// - they hardly ran in between, or a signal had stopped them;
    /// - they have received something, perhaps what they wait for;
    /// - one of the looks did not show their operations of windows.
    pub(super) not_compared: Vec<Slot>,
}

impl<'a> Analysis<'a> {
    /// `earlier`: an earlier look at the same job.
    pub(super) fn new(report: &'a Report, earlier: Option<&Analysis<'_>>) -> Analysis<'a> {
        let was_ending = earlier.is_some_and(|earlier| !earlier.finalizing().is_empty());
        let job = Job::new(report, was_ending);
        let transit = Transit::new(&job);
        let matching = Matching::new(&job, &transit);
        let waits = construction::waits(&job, &matching, &transit);
        Analysis { job, waits }
    }

    /// The ranks that cannot go on, given that the ranks in `moved` can.
    pub(super) fn stuck(&self, caution: Caution, moved: &[Slot]) -> Stuck {
        self.waits.stuck(caution, moved)
    }

    /// The ranks in `MPI_Finalize`, if all others have ended. No queue shows what they wait for.
    pub(super) fn finalizing(&self) -> Vec<Slot> {
        let all_over = self.waits.ranks.items().iter().all(|wait| wait.doing == Doing::Over);
        let ends = |slot: &Slot| all_over && is_finalizing(self.job.members[*slot].process);
        self.job.members.ids().filter(ends).collect()
    }

    /// What became of the ranks since an earlier look. A message that arrives from a rank that is
    /// not stuck does not move its receiver.
    pub(super) fn since(&self, first: &Analysis<'_>) -> Since {
        let candidates = self.stuck(Caution::Nothing, &[]);
        let is_candidate = |rank: Option<Rank>| {
            let slot = rank.and_then(|rank| self.job.slot(rank));
            slot.is_none_or(|slot| candidates.slots[slot])
        };
        let mut since = Since::default();
        for slot in self.job.members.ids() {
            let now = &self.job.members[slot];
            let before = first.job.slot(now.rank).map(|slot| &first.job.members[slot]);
            let is_whole = |presence| matches!(presence, Presence::Read | Presence::Ended);
            // What was not read may have been as it is now.
            let Some(before) =
                before.filter(|before| is_whole(before.presence) && is_whole(now.presence))
            else {
                since.not_compared.push(slot);
                continue;
            };
            let has_moved = before.presence != now.presence
                || before.process.pid != now.process.pid
                || (now.presence == Presence::Read
                    && self.differs(slot, before.process, is_candidate));
            let has_ended = self.waits.ranks[slot].doing == Doing::Over;
            if has_moved && !has_ended {
                since.moved.push(slot);
            } else if has_moved
                || now.process.starved
                || now.process.stopped
                || before.process.stopped
                || has_received(before.process, now.process)
                || is_known_once(before.process, now.process)
                || shows_windows_once(before.process, now.process)
            {
                since.not_compared.push(slot);
            }
        }
        since
    }

    /// Does a process differ from what it was at an earlier look?
    fn differs(
        &self,
        slot: Slot,
        before: &Process,
        is_candidate: impl Fn(Option<Rank>) -> bool,
    ) -> bool {
        let now = self.job.members[slot].process;
        let concurrent = |process: &Process| process.activity.as_ref()?.concurrent;
        if both_differ(needed(before), needed(now))
            || both_differ(known_call(before), known_call(now))
            || both_differ(concurrent(before), concurrent(now))
            || before.communicators.len() != now.communicators.len()
        {
            return true;
        }
        let skips_windows = shows_windows_once(before, now);
        let parts = before.communicators.iter().zip(self.job.parts(slot));
        let mut parts = parts
            .filter(|(before, (_, now))| !(skips_windows && (has_marks(before) || has_marks(now))));
        parts.any(|(before, (id, now))| {
            let comm = self.job.comm(id);
            let counts = |part: &Communicator| -> Option<Vec<(LocalRank, i64, i64)>> {
                let counted = part.traffic.as_ref()?.iter().map(|entry| {
                    let peer = LocalRank::from(entry.local_rank);
                    let counts = is_candidate(self.job.global(comm, peer));
                    (peer, entry.sent, if counts { entry.received } else { 0 })
                });
                Some(counted.filter(|(_, sent, received)| (*sent, *received) != (0, 0)).collect())
            };
            before.unique_id != now.unique_id
                || differ(&before.pending_sends, &now.pending_sends)
                || differ(&before.pending_receives, &now.pending_receives)
                || both_differ(before.collectives.as_ref(), now.collectives.as_ref())
                || both_differ(counts(before), counts(now))
        })
    }
}

/// Do both looks know something, and differ in it? Not each look can tell.
fn both_differ<T: PartialEq>(before: Option<T>, now: Option<T>) -> bool {
    before.zip(now).is_some_and(|(before, now)| before != now)
}

/// Does only one of the looks know the call of a process, or how many messages, elements of queues
/// and collective operations it has had?
fn is_known_once(before: &Process, now: &Process) -> bool {
    let mut parts = before.communicators.iter().zip(&now.communicators);
    before.activity.is_some() != now.activity.is_some()
        || before.fifos.is_some() != now.fifos.is_some()
        || parts.any(|(before, now)| {
            before.traffic.is_some() != now.traffic.is_some()
                || before.collectives.is_some() != now.collectives.is_some()
        })
}

/// Do the operations of a queue differ? Whether they are awaited may be known in one of the looks
/// alone.
fn differ(before: &[Operation], now: &[Operation]) -> bool {
    let mut pairs = before.iter().zip(now);
    before.len() != now.len()
        || pairs.any(|(before, now)| {
            let is_known = before.awaited.is_some() && now.awaited.is_some();
            before != now
                && (is_known || Operation { awaited: now.awaited, ..before.clone() } != *now)
        })
}

/// Has a process received messages between two looks, perhaps one that it waits for? If messages
/// are not counted, this follows from the elements that it has taken out of its queues in shared
/// memory, and from its unexpected messages. Of what a probe waits for, no queue may tell more.
pub fn has_received(before: &Process, now: &Process) -> bool {
    let own = |fifos: &[Fifo]| -> Vec<_> {
        let own = fifos.iter().filter(|fifo| fifo.rank.is_none());
        own.map(|fifo| (fifo.id, fifo.elements)).collect()
    };
    let has_more = unexpected(before) != unexpected(now);
    match (&before.fifos, &now.fifos) {
        (Some(first), Some(second)) => has_more || own(first) != own(second),
        _ => has_more && now.function().is_some_and(is_probe) && waits_unseen(now),
    }
}

/// Do the looks differ in whether it is known for how many operations a process waits, so that only
/// one of them shows those of windows?
fn shows_windows_once(before: &Process, now: &Process) -> bool {
    needed(before).is_some() != needed(now).is_some()
        && [before, now].iter().any(|one| one.communicators.iter().any(has_marks))
}

/// The call that a process waits in, if it is known whether it waits at all.
fn known_call(process: &Process) -> Option<Option<&str>> {
    process.activity.as_ref().map(|_| awaited_call(process))
}

/// For how many operations the process waits, if that is known.
fn needed(process: &Process) -> Option<i64> {
    process.activity.as_ref()?.needed
}

/// How many unexpected messages a process has on each communicator.
fn unexpected(process: &Process) -> Vec<usize> {
    process.communicators.iter().map(|part| part.unexpected_messages.len()).collect()
}
