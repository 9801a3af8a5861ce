//! What the kernel counts of the calls that ranks are in: whether a call has returned between two
//! looks, and whether its loop finds nothing.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::thread;
use std::time::Duration;

use super::motion::is_live_here;
use mqd_inspect::process::Passes;
use mqd_report::check;
use mqd_report::{Activity, Process, Report, Stack};

/// Watches ranks of which only this proves that they wait: they never leave their call.
#[derive(Default)]
pub(super) struct Watched {
    /// The calls of each rank, and the counts of how often they have returned.
    ranks: HashMap<i64, (Vec<Call>, Vec<Passes>)>,
}

impl Watched {
    /// Begins to watch them, as far as the kernel allows it.
    pub(super) fn begin(report: &Report) -> Watched {
        let ranks = report.processes.iter().filter_map(|process| {
            let calls = returns_to(process)?;
            let count = |(thread, address): &Call| Passes::count(*thread, *address);
            let passes = calls.iter().map(count).collect::<Result<_, _>>().ok()?;
            Some((process.rank?, (calls, passes)))
        });
        Watched { ranks: ranks.collect() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ranks.is_empty()
    }

    /// Marks the ranks in the second of two reports that have not left their calls since the first.
    pub(super) fn note(&self, first: &Report, second: &mut Report) {
        for process in &mut second.processes {
            let watched = process.rank.and_then(|rank| self.ranks.get(&rank));
            let Some((calls, passes)) = watched else { continue };
            let is_it =
                |before: &&Process| (before.pid, &before.host) == (process.pid, &process.host);
            let before = first.processes.iter().find(is_it);
            let same = |process: &Process| returns_to(process).as_ref() == Some(calls);
            // A request may have completed and left the queues while its call is about to return.
            let is_unchanged = |before: &Process| {
                let function = process.activity.as_ref().and_then(|one| one.function.as_deref());
                !function.is_some_and(check::waits_for_requests)
                    || before.communicators == process.communicators
            };
            // A process that a signal has stopped leaves no call.
            let ran = |process: &Process| !process.stopped;
            let stayed = before
                .is_some_and(|before| ran(before) && same(before) && is_unchanged(before))
                && ran(process)
                && same(process)
                && passes.iter().all(|passes| matches!(passes.so_far(), Ok(0)));
            if let Some(activity) = process.activity.as_mut().filter(|_| stayed) {
                activity.stayed = true;
            }
        }
    }

    /// Marks the ranks that leave the call in which a look has found them. Leaving a call proves
    /// nothing of a rank that may poll.
    pub(super) fn see_who_leaves(&self, report: &mut Report) {
        let in_call = report.processes.iter_mut().filter_map(|process| {
            let (calls, passes) = self.ranks.get(&process.rank?)?;
            let [passes] = &passes[..] else { return None };
            let is_same = returns_to(process).as_ref() == Some(calls);
            let before = passes.so_far().ok().filter(|_| is_same)?;
            let activity = process.activity.as_mut()?;
            let function = activity.function.as_deref()?;
            (!activity.stayed && !check::may_poll(function)).then_some((activity, passes, before))
        });
        mark_who_leaves(in_call.collect());
    }
}

/// Marks the ranks that have received something between two looks and leave the call in which the
/// second one has found them. It was what they waited for, or they go on all the same.
pub(super) fn see_receivers_leave(first: &Report, second: &mut Report) {
    let receivers = second.processes.iter_mut().filter_map(|process| {
        let before = first.processes.iter().find(|before| {
            (before.pid, &before.host, before.rank) == (process.pid, &process.host, process.rank)
        })?;
        (is_live_here(process) && check::has_received(before, process)).then_some(())?;
        let [(thread, address)] = calls_in_mpi(process)?[..] else { return None };
        let activity = process.activity.as_mut()?;
        let may_tell = !activity.left && !check::may_poll(activity.function.as_deref()?);
        may_tell.then_some((activity, Passes::count(thread, address).ok()?, 0))
    });
    mark_who_leaves(receivers.collect());
}

/// Marks the ranks that leave their call within half a second: what they do, the count of how often
/// the call has returned, and that count before.
fn mark_who_leaves(mut in_call: Vec<(&mut Activity, impl Borrow<Passes>, u64)>) {
    for _ in 0..MOST_COUNTS {
        if in_call.is_empty() {
            break;
        }
        thread::sleep(COUNTING);
        in_call.retain_mut(|(activity, passes, before)| {
            activity.left = (*passes).borrow().so_far().is_ok_and(|count| count > *before);
            !activity.left
        });
    }
}

/// The time for which calls are counted at a time, and how often.
const COUNTING: Duration = Duration::from_millis(20);
const MOST_COUNTS: usize = 25;
/// After one round that found nothing, the next one might still begin a step of an operation in the
/// background. After so many there is none.
const ROUNDS: u64 = 16;

/// Marks ranks in functions of many ranks that call the function which waiting loops call after
/// finding nothing. A rank that does this is not busy.
pub(super) fn see_who_finds_nothing(report: &mut Report) {
    let waiting = report.processes.iter_mut().filter_map(|process| {
        let [(thread, _)] = returns_to(process)?[..] else { return None };
        let passes = Passes::count(thread, process.finds_nothing_at?).ok()?;
        Some((process, passes))
    });
    let mut waiting: Vec<_> = waiting.collect();
    for _ in 0..MOST_COUNTS {
        if waiting.iter().all(|(process, _)| process.found_nothing) {
            break;
        }
        thread::sleep(COUNTING);
        for (process, passes) in &mut waiting {
            process.found_nothing = passes.so_far().is_ok_and(|count| count >= ROUNDS);
        }
    }
}

/// A thread in a call, and the address to which the call returns.
pub(super) type Call = (u32, u64);

/// The call of MPI that a thread is in.
pub(super) fn call(stack: &Stack) -> Option<Call> {
    Some((stack.thread, stack.returns_to?.0))
}

/// The calls of a live process that wait for something that no queue shows: that of the thread in
/// MPI, or those of all threads in MPI. None: there is no such call, or it cannot be watched.
fn returns_to(process: &Process) -> Option<Vec<Call>> {
    (is_live_here(process) && check::waits_unseen(process)).then_some(())?;
    calls_in_mpi(process)
}

/// The call of the thread in MPI, or those of all threads in MPI. None: one is not known.
fn calls_in_mpi(process: &Process) -> Option<Vec<Call>> {
    let in_mpi = process.stacks.iter().flatten().filter(|stack| stack.in_mpi == Some(true));
    let most = if check::several_in_mpi(process) { usize::MAX } else { 1 };
    in_mpi.take(most).map(call).collect::<Option<Vec<_>>>().filter(|calls| !calls.is_empty())
}
