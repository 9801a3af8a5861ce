//! The diagnosis: what a job's ranks wait for, across all of them, and what is wrong.
//!
//! It is a pure function of a [`Report`], or of two reports of the same job some time apart.
//!
//! 1. `job` puts the processes together.
//! 2. `matching` pairs messages with sends and receives, and `transit` tells whether a message is
//!    in transit.
//! 3. `construction` builds the AND/OR wait-for graph of `waits`.
//! 4. `fixpoint` finds the greatest set of ranks that cannot go on. This set is the verdict.
//! 5. `knots` finds the cycles and knots in it, and `findings` everything else.
//!
//! All of it takes time in proportion to ranks and operations.
//!
//! The verdict holds although processes are read one after the other. Suppose that a stuck rank
//! goes on after it was read, and take the first one that does. It needs a message which another
//! stuck rank sent before that one was read, and which arrived after the first one was read. The
//! counts of messages show that there is none: see `transit`.

use std::collections::HashMap;

mod analysis;
mod collectives;
mod construction;
mod cycles;
mod diagnosis;
mod fifos;
mod findings;
mod fixpoint;
mod functions;
mod ids;
mod job;
mod knots;
mod list;
mod matching;
mod places;
mod ranks;
mod transit;
mod verdict;
mod waits;
mod words;

use self::analysis::Analysis;
use self::functions::{Behaviour, WorkWithin};
use self::ids::Slot;
use self::verdict::Before;
use self::waits::{Caution, Doing};
use crate::model::{ActiveRequests, Activity, Operation, OtherThreads, Process, Report, Text};

pub use self::analysis::has_received;
pub use self::diagnosis::{
    Certainty, Diagnosis, Finding, FindingKind, Place, SCHEMA_VERSION, STEPS_TOLD, Severity,
    Verdict, Wait, json_schema_text,
};
pub use self::functions::ASKING;
pub use self::ranks::{ParseRanksError, Ranks};

/// Diagnoses a job from one look at it.
pub fn check(report: &Report) -> Diagnosis {
    let mut diagnosis = verdict::diagnose(&Analysis::new(report, None), None);
    diagnosis.spread_ms = report.spread_ms;
    with_places(diagnosis, report)
}

/// What two looks at a job tell.
pub struct Comparison {
    /// What is wrong.
    pub diagnosis: Diagnosis,
    /// The ranks that have left the place where the first look saw them, or have ended since.
    pub moved: Ranks,
}

/// Diagnoses a job from two looks at it, so many seconds apart.
pub fn check_again(first: &Report, second: &Report, seconds: f64) -> Diagnosis {
    compare(first, second, seconds).diagnosis
}

/// Compares two looks at a job, so many seconds apart.
pub fn compare(first: &Report, second: &Report, seconds: f64) -> Comparison {
    let before = Analysis::new(first, None);
    let now = Analysis::new(second, Some(&before));
    let looked = Some(Before { analysis: &before, seconds });
    let mut diagnosis = verdict::diagnose(&now, looked);
    diagnosis.spread_ms = first.spread_ms.max(second.spread_ms);
    Comparison { diagnosis: with_places(diagnosis, second), moved: moved(&before, &now) }
}

fn moved(before: &Analysis<'_>, now: &Analysis<'_>) -> Ranks {
    let is_over =
        |analysis: &Analysis<'_>, slot: Slot| analysis.waits.ranks[slot].doing == Doing::Over;
    let was_over = |slot: Slot| {
        let slot = before.job.slot(now.job.rank(slot));
        slot.is_none_or(|slot| is_over(before, slot))
    };
    let ended = now.job.members.ids().filter(|slot| is_over(now, *slot) && !was_over(*slot));
    Ranks::of(now.since(before).moved.into_iter().chain(ended).map(|slot| now.job.rank(slot)))
}

/// May another look at a live job tell more? Yes, if more ranks are stuck once what is momentary is
/// over, if some are proved to be stuck and more seem to be, or if all may be about to end.
pub fn another_look_may_tell(report: &Report) -> bool {
    let analysis = Analysis::new(report, None);
    let number = |caution| analysis.stuck(caution, &[]).number();
    let certain = number(Caution::All);
    number(Caution::Lasting) > certain
        || certain > 0 && number(Caution::Nothing) > certain
        || !analysis.finalizing().is_empty()
}

fn with_places(mut diagnosis: Diagnosis, report: &Report) -> Diagnosis {
    places::attach(report, &mut diagnosis);
    diagnosis
}

/// Would a look at all processes at one moment tell more? It shows what is on its way between them,
/// or which unexpected message belongs to which send.
pub fn gains_by_standing_still(report: &Report) -> bool {
    let has_uncounted = |process: &Process| {
        let mut parts = process.communicators.iter().filter(|part| part.traffic.is_none());
        process.fifos.is_none()
            && parts
                .any(|part| part.pending_sends.iter().any(|send| send.holds_sender() == Some(true)))
    };
    report.processes.iter().any(|process| fifos::tell_of_moment(process) || has_uncounted(process))
}

/// Can another look at its call stack prove what a process waits for? It can if the call stack
/// tells whether the function has started the operation, and has not shown it yet. `in_network`:
/// it tells this of functions that wait for a network, too.
pub fn would_be_proved(activity: &Activity, in_network: bool) -> bool {
    let Some(function) = activity.function.as_deref() else { return false };
    // A loop may tell more of a wait for requests.
    let is_shown = activity.looks == Some(true) && !waits_for_requests(function);
    (functions::stack_tells(function) || in_network && waits_in_network(function))
        && activity.begun.is_none()
        && !is_shown
        && activity.concurrent == Some(false)
}

/// Does this MPI function wait for requests that others have made? It starts nothing itself.
pub fn waits_for_requests(function: &str) -> bool {
    functions::completes_requests(function)
}

/// Does this MPI function wait if it is in a loop of the MPI library that only memory ends?
pub fn waits_in_loop(function: &str) -> bool {
    functions::completes_requests(function) || functions::is_listed(function)
}

/// Does this MPI function wait if the library below MPI looks for messages? It starts nothing any
/// more then, unless it tries again to send something.
pub fn waits_in_network(function: &str) -> bool {
    waits_in_loop(function)
        || matches!(functions::behaviour(function), Behaviour::Internal | Behaviour::FromGroups)
            && !functions::is_of_windows(function)
        || matches!(functions::behaviour(function), Behaviour::Collective(collective)
            if !collective.is_of_windows() && !collective.is_of_files())
}

/// Is this MPI function one in which many ranks take part?
pub fn is_of_many_ranks(function: &str) -> bool {
    functions::is_collective(function)
}

/// Does this MPI function end the use of MPI?
pub fn ends(function: &str) -> bool {
    functions::behaviour(function) == functions::Behaviour::Ends
}

/// The function that a process waits in. One that only tests counts as none: a rank that polls for
/// ever does not move.
pub fn awaited_call(process: &Process) -> Option<&str> {
    process.function().filter(|function| !asks(function))
}

/// Does this MPI function test for completion or arrival, and return?
pub fn asks(function: &str) -> bool {
    functions::behaviour(function) == functions::Behaviour::Tests
}

/// Do the queues tell as much as the loop in which this MPI function waits? For sends and receives
/// they do. What these wait for stays in the queues until they return. A loop tells only the first
/// of several things. For waits with a counter the queues also tell enough.
pub fn is_told_by_queues(function: &str) -> bool {
    let with_counter =
        functions::completes_requests(function) && functions::plain(function) != "MPI_Wait";
    functions::is_listed(function)
        || functions::is_probe(function)
        || with_counter
        || functions::plain(function) == "MPI_Bsend"
}

/// Does a program call this MPI function to access a window, without other ranks taking part?
pub fn accesses_windows(function: &str) -> bool {
    functions::accesses_windows(function)
}

/// May a program call this MPI function again and again, and wait for what it finds in a window?
pub fn may_poll(function: &str) -> bool {
    functions::may_poll(function)
}

/// Are several threads of a process in MPI?
pub fn several_in_mpi(process: &Process) -> bool {
    process.activity.as_ref().is_some_and(|activity| {
        activity.concurrent != Some(false) && activity.others == Some(OtherThreads::InMpi)
    })
}

/// Does a process wait for other ranks in a way that only the lack of any movement shows
/// ([`Activity::stayed`])? These do:
/// - one in a function of many ranks of which no queue shows a message, or in one of windows, which
///   may be waited for in memory;
/// - one in a probe that no queue shows;
/// - one that waits for requests, if neither the call stack nor the debug DLL shows for which;
/// - one with several threads in MPI: queues do not show which operation belongs to which thread.
pub fn waits_unseen(process: &Process) -> bool {
    if several_in_mpi(process) && !counts_messages(process) {
        return true;
    }
    let Some(function) = process.function() else { return false };
    match functions::behaviour(function) {
        Behaviour::Window => true,
        // The messages that a queue shows may be those of other operations.
        Behaviour::Collective(function) if function.is_of_neighbours() => true,
        // Windows may be waited for in memory before the messages of the library are.
        Behaviour::Collective(_) | Behaviour::Internal if functions::is_of_windows(function) => {
            true
        }
        // The messages that a queue shows may be of others, unless the operation is known.
        Behaviour::Collective(collective) => {
            !construction::shows_internal(process) || !collectives::is_in(process, collective)
        }
        Behaviour::Internal => !construction::shows_internal(process),
        Behaviour::Waits(_) if functions::is_probe(function) => {
            let mut receives = process.communicators.iter().flat_map(|one| &one.pending_receives);
            !receives.any(Operation::is_probe)
        }
        Behaviour::Waits(_) if waits_for_requests(function) => {
            process.activity.as_ref().is_some_and(|activity| {
                let is_open = activity.needed.is_none() && activity.begun != Some(true);
                is_open
                    && activity.requests != ActiveRequests::NotKnown
                    && activity.concurrent == Some(false)
            })
        }
        _ => false,
    }
}

/// Are there processes of which nobody counts the messages? If they share memory, it tells more
/// whether anybody writes to it.
pub fn has_uncounted_messages(report: &Report) -> bool {
    report.processes.iter().any(is_uncounted)
}

/// Does nothing count the messages of a process?
pub(crate) fn is_uncounted(process: &Process) -> bool {
    process.fifos.is_none() && !counts_messages(process)
}

/// Does something count the messages of a process on each communicator?
pub(crate) fn counts_messages(process: &Process) -> bool {
    process.communicators.iter().all(|part| part.traffic.is_some())
}

/// Is some process in a function of many ranks of which no queue shows a message, and where it may
/// copy, compute, or use files? Then it tells more whether anybody writes to the memory that the
/// ranks share.
pub fn gains_by_watching_memory(report: &Report) -> bool {
    report.processes.iter().filter(|process| waits_unseen(process)).any(|process| {
        process.function().is_some_and(|function| match functions::behaviour(function) {
            Behaviour::Collective(_) | Behaviour::Internal => {
                let work = functions::work_within(functions::plain(function));
                work != WorkWithin::None
            }
            Behaviour::Waits(_) => {
                let requests = process.activity.as_ref().map(|activity| activity.requests);
                requests == Some(ActiveRequests::OrCollectives)
            }
            _ => false,
        })
    })
}

/// Marks the ranks that poll, by comparison with another look at the same job: a rank that is
/// outside MPI in one look, tests for completion in the other, and is otherwise unchanged. Returns
/// whether there are any.
pub fn note_polling(report: &mut Report, other: &Report) -> bool {
    let mut any = false;
    for process in report.processes.iter_mut().filter(|process| is_outside(process)) {
        let same = unchanged(process, other);
        let asked = same
            .and_then(|same| same.activity.as_ref())
            .filter(|activity| activity.function.as_deref().is_some_and(asks));
        if let Some(asked) = asked {
            process.activity = Some(asked.clone());
            process.stacks = same.and_then(|same| same.stacks.clone());
            any = true;
        }
    }
    any
}

/// Marks ranks that are outside MPI and ask now and then whether something has come. `asked` has
/// the function that each has called. The queues of such a rank are the same in another look.
/// Returns whether there are any.
pub fn note_asking(report: &mut Report, other: &Report, asked: &HashMap<i64, Text>) -> bool {
    let mut any = false;
    for process in report.processes.iter_mut().filter(|process| is_outside(process)) {
        let function = process.rank.and_then(|rank| asked.get(&rank));
        let function = function.filter(|_| unchanged(process, other).is_some());
        if let Some((function, activity)) = function.zip(process.activity.as_mut()) {
            (activity.function, activity.between_calls) = (Some(function.clone()), true);
            any = true;
        }
    }
    any
}

/// Is a process in no MPI function?
pub fn is_outside(process: &Process) -> bool {
    process.activity.as_ref().is_some_and(|activity| activity.function.is_none())
}

/// The same process in another look, if its queues are the same.
fn unchanged<'r>(process: &Process, other: &'r Report) -> Option<&'r Process> {
    other.processes.iter().find(|other| {
        (other.rank, other.pid) == (process.rank, process.pid)
            && other.communicators == process.communicators
    })
}

/// The work of a diagnosis: how often it follows edges of the wait-for graph.
pub fn steps(report: &Report) -> usize {
    let analysis = Analysis::new(report, None);
    analysis.stuck(Caution::All, &[]).steps()
}
