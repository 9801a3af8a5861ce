//! Deadlocks, and waits for ranks that send nothing any more.

use rustc_hash::FxHashMap;

use crate::check::analysis::Analysis;
use crate::check::diagnosis::{Certainty, Finding, FindingKind, STEPS_TOLD, Wait};
use crate::check::functions::{is_collective, is_of_windows};
use crate::check::ids::Slot;
use crate::check::job::is_finalizing;
use crate::check::knots::{self, Knot, Shape};
use crate::check::ranks::Ranks;
use crate::check::waits::{Alternative, Awaited, Stuck, Target};
use crate::check::words;
use crate::model::{Operation, Queue, Status};
use crate::words::count;

/// What keeps the stuck ranks from going on.
pub(super) fn find(analysis: &Analysis<'_>, stuck: &Stuck, certainty: Certainty) -> Vec<Finding> {
    let knots = knots::find(&analysis.job, &analysis.waits, stuck);
    // Cycles that look the same are one finding.
    let mut findings: Vec<(Finding, Vec<Knot>)> = Vec::new();
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    for knot in knots {
        let likeness = likeness(analysis, &knot);
        match places
            .get(&likeness)
            .filter(|_| matches!(knot.shape, Shape::Cycle | Shape::SmallestCycle))
        {
            Some(place) => findings[*place].1.push(knot),
            None => {
                let Some(finding) = tell(analysis, stuck, certainty, &knot) else { continue };
                places.insert(likeness, findings.len());
                findings.push((finding, vec![knot]));
            }
        }
    }
    let findings = findings.into_iter().map(|(mut finding, knots)| {
        if let [_, others @ ..] = &knots[..]
            && !others.is_empty()
        {
            join(analysis, &mut finding, others);
        }
        finding
    });
    findings.collect()
}

/// Equal for knots that differ only in their ranks. A cycle may be described from any of its ranks
/// on.
fn likeness(analysis: &Analysis<'_>, knot: &Knot) -> String {
    let mut steps: Vec<String> = knot
        .slots
        .iter()
        .zip(&knot.waits)
        .map(|(slot, wait)| words::likeness(&analysis.job, *slot, wait.as_ref()))
        .collect();
    // For a long cycle, finding a canonical beginning would take more than linear time.
    if steps.len() <= STEPS_TOLD {
        let rotated = |by: usize| steps[by..].iter().chain(&steps[..by]);
        let first =
            (0..steps.len()).min_by(|one, other| rotated(*one).cmp(rotated(*other))).unwrap_or(0);
        steps.rotate_left(first);
    }
    format!("{:?} {steps:?}", knot.shape == Shape::Knot)
}

fn tell(
    analysis: &Analysis<'_>,
    stuck: &Stuck,
    certainty: Certainty,
    knot: &Knot,
) -> Option<Finding> {
    match knot.shape {
        Shape::Cycle | Shape::SmallestCycle => Some(cycle(analysis, certainty, knot)),
        Shape::Knot => Some(tangle(analysis, stuck, certainty, knot)),
        Shape::Over => Some(over(analysis, stuck, certainty, knot)),
        Shape::Unknown => None,
    }
}

fn cycle(analysis: &Analysis<'_>, certainty: Certainty, knot: &Knot) -> Finding {
    let waits = cycle_waits(analysis, knot);
    let title = match &waits[..] {
        [_] => "a rank waits for itself".to_owned(),
        _ => format!("{} wait for each other", count(waits.len(), "rank", "ranks")),
    };
    let mut finding = deadlock(analysis, certainty, knot, title, waits);
    finding.cycle = true;
    if knot.shape == Shape::Cycle {
        finding.evidence.push("there may be smaller cycles among these ranks".to_owned());
    }
    finding
}

fn cycle_waits(analysis: &Analysis<'_>, knot: &Knot) -> Vec<Wait> {
    let next = knot.slots.iter().cycle().skip(1);
    let steps = knot.slots.iter().zip(&knot.waits).zip(next);
    steps
        .filter_map(|((slot, alternative), next)| {
            let on = Ranks::of([analysis.job.rank(*next)]);
            alternative
                .as_ref()
                .map(|alternative| words::wait(&analysis.job, *slot, alternative, on))
        })
        .collect()
}

/// The steps, all or the first ones. Several operations of a rank may read the same.
fn steps(waits: &[Wait]) -> Vec<String> {
    let mut waits: Vec<&Wait> = waits.iter().collect();
    waits.dedup_by(|next, before| next.text == before.text);
    let mut told: Vec<String> =
        waits.iter().take(STEPS_TOLD).map(|wait| wait.text.clone()).collect();
    if let [.., last] = waits[..]
        && waits.len() > told.len()
    {
        told.push(format!("and {} more, up to rank {}", waits.len() - told.len(), last.rank));
    }
    told
}

fn deadlock(
    analysis: &Analysis<'_>,
    certainty: Certainty,
    knot: &Knot,
    title: String,
    waits: Vec<Wait>,
) -> Finding {
    let ranks = |slots: &[Slot]| Ranks::of(slots.iter().map(|slot| analysis.job.rank(*slot)));
    let has_messages = |slot: &Slot| {
        let mut parts = analysis.job.parts(*slot);
        parts.any(|(_, part)| part.unexpected_messages.iter().any(|one| !one.is_internal()))
    };
    let sent = knot.slots.iter().any(has_messages);
    let (kind, advice) = (FindingKind::Deadlock, advice(analysis, knot, sent));
    let (severity, stuck) = (certainty.severity(), ranks(&knot.slots));
    let mut finding = Finding::new(kind, severity, certainty, stuck, title, advice);
    finding.add_steps(steps(&waits));
    finding.culprits = finding.ranks.clone();
    finding.waiting = ranks(&knot.waiting);
    finding.waits = waits;
    finding
}

/// The advice for ranks that wait in windows.
const WINDOWS: &str = "give up the lock of a window before waiting for another rank, and \
                       acquire locks in the same order on all ranks; let each MPI_Win_start meet \
                       an MPI_Win_post, and each MPI_Win_wait an MPI_Win_complete";

/// `sent`: some of the ranks have messages that they do not receive.
fn advice(analysis: &Analysis<'_>, knot: &Knot, sent: bool) -> &'static str {
    let waits = &knot.waits;
    let lacks_partitions = |slot: Slot, awaited: Awaited| {
        let operation = awaited.operation(slot);
        operation.is_some_and(|(queue, id)| analysis.job.operation(queue, id).lacks_partitions())
    };
    let awaited = || waits.iter().flatten().map(|wait| wait.awaited);
    let is_in = |wanted: Queue| {
        waits.iter().all(Option::is_some)
            && awaited().all(
                |awaited| matches!(awaited, Awaited::Operation { queue, .. } if queue == wanted),
            )
    };
    let has_receives =
        knot.slots.iter().flat_map(|slot| analysis.job.parts(*slot)).any(|(_, part)| {
            let is_pending = |one: &Operation| one.status == Status::Pending && !one.is_internal();
            part.pending_receives.iter().any(is_pending)
        });
    let function_of = |slot: Slot| analysis.job.members[slot].function();
    let is_in_window = |slot: Slot| function_of(slot).is_some_and(is_of_windows);
    let is_in_epoch =
        |slot: Slot| is_in_window(slot) && !function_of(slot).is_some_and(is_collective);
    // Operations of the library are collective ones, which may be nonblocking. With Intel MPI no
    // queue shows them.
    let is_in_collective = |slot: Slot, awaited: Awaited| match awaited {
        Awaited::Collective { .. } => true,
        Awaited::Window { .. } => {
            function_of(slot).is_some_and(is_collective) && !is_in_window(slot)
        }
        _ => awaited.operation(slot).is_some_and(|(queue, id)| {
            analysis.job.operation(queue, id).is_internal() && !is_in_window(slot)
        }),
    };
    let any_rank = |is_so: &dyn Fn(Slot, Awaited) -> bool| {
        let mut of_ranks = knot.slots.iter().zip(waits);
        of_ranks.any(|(slot, wait)| wait.as_ref().is_some_and(|wait| is_so(*slot, wait.awaited)))
    };
    if any_rank(&lacks_partitions) {
        "call MPI_Pready for each partition before waiting for the send"
    } else if awaited().any(|awaited| awaited == Awaited::Threads) {
        "let each thread give up its mutexes, and post the semaphores that others need, before it \
         waits: see the call stacks of the threads (mqd dump --threads)"
    } else if knot.slots.iter().any(|slot| is_in_epoch(*slot)) {
        WINDOWS
    } else if any_rank(&is_in_collective) {
        "call collective operations in the same order on all ranks, also across communicators; do \
         not wait for a message that is sent only after a collective operation"
    } else if knot.slots.iter().any(|slot| is_in_window(*slot)) {
        WINDOWS
    } else if is_in(Queue::Sends) && !has_receives {
        "a send may wait until its message is received: let some ranks receive first, or use \
         MPI_Sendrecv or nonblocking sends"
    } else if knot.slots.len() == 1 && is_in(Queue::Receives) && !sent {
        "a rank that receives from itself has to start the send first, with MPI_Isend; or the \
         source of the receive is wrong"
    } else if is_in(Queue::Receives) && !sent {
        "each rank waits for a message before it sends its own: let one of them send first"
    } else {
        "compare what each rank waits for with what the others send: a receive may name another \
         tag, rank or communicator than its message has, or one rank has to go first"
    }
}

/// Ranks that each wait for any of several ranks, none of which can go on.
fn tangle(analysis: &Analysis<'_>, stuck: &Stuck, certainty: Certainty, knot: &Knot) -> Finding {
    let (job, waits) = (&analysis.job, &analysis.waits);
    // Most wait for the same: any member of a communicator.
    let mut targets: FxHashMap<Target, Ranks> = FxHashMap::default();
    let mut told: Vec<Wait> = Vec::new();
    for slot in &knot.slots {
        for alternative in waits.open(*slot, stuck).0 {
            let Some(target) = alternative.target else { continue };
            let on = targets
                .entry(target)
                .or_insert_with(|| words::targets(job, waits, target, |slot| stuck.slots[slot]));
            let wait = words::wait(job, *slot, &alternative, on.clone());
            // A probe may look for a message on any communicator. That is one wait.
            let is_same = |last: &&mut Wait| {
                alternative.awaited == Awaited::Probe
                    && (last.rank, last.queue) == (wait.rank, wait.queue)
            };
            match told.last_mut().filter(is_same) {
                Some(last) => last.on = last.on.iter().chain(wait.on.iter()).collect(),
                None => told.push(wait),
            }
        }
    }
    let ranks = Ranks::of(knot.slots.iter().map(|slot| job.rank(*slot)));
    let title = match knot.slots[..] {
        [_] => "a rank waits for itself".to_owned(),
        _ => format!("{} wait for one another, and none can go on", words::ranks(&ranks)),
    };
    deadlock(analysis, certainty, knot, title, told)
}

/// Ranks that wait for one that sends nothing any more.
fn over(analysis: &Analysis<'_>, stuck: &Stuck, certainty: Certainty, knot: &Knot) -> Finding {
    let job = &analysis.job;
    let over = knot.slots[0];
    let (mut waits, mut from_any) = (Vec::new(), false);
    for slot in &knot.waiting {
        let open = analysis.waits.open(*slot, stuck).0;
        let waits_for_it = |alternative: &&Alternative| {
            alternative.target.is_some_and(|target| includes(analysis, target, over))
        };
        if let Some(alternative) = open.iter().find(waits_for_it) {
            from_any |= matches!(alternative.target, Some(Target::Any(_)));
            waits.push(words::wait(job, *slot, alternative, Ranks::of([job.rank(over)])));
        }
    }
    let direct: Ranks = waits.iter().map(|wait| wait.rank).collect();
    let waiting = knot.waiting.iter().map(|slot| job.rank(*slot).get());
    let waiting: Ranks = waiting.filter(|rank| !direct.contains(*rank)).collect();
    let member = &job.members[over];
    let title = format!("{} in vain", words::subject(&direct, "waits", "wait"));
    let end = if is_finalizing(member.process) { "is in MPI_Finalize" } else { "has ended" };
    let advice = match from_any && !waiting.is_empty() {
        true => {
            "any rank may send this message: find out why the ranks that wait have not sent it, \
             whether the finished rank left a loop early, and whether one message too many is \
             expected"
        }
        false => {
            "find out why that rank finished without sending or receiving this: it may have left a \
             loop early, or the others may expect one message too many"
        }
    };
    let kind = FindingKind::NeverMatched;
    let severity = certainty.severity();
    let mut finding = Finding::new(kind, severity, certainty, direct, title, advice);
    finding.add_steps([format!("rank {} {end}", member.rank)]);
    finding.add_steps(steps(&waits));
    finding.culprits = Ranks::of([member.rank]);
    finding.waiting = waiting;
    finding.waits = waits;
    finding
}

/// Is a rank that sends nothing any more among those that are waited for?
fn includes(analysis: &Analysis<'_>, target: Target, over: Slot) -> bool {
    match target {
        Target::Rank(target) => target == over,
        Target::Any(comm) => analysis.waits.members(comm).binary_search(&over).is_ok(),
        Target::All { round, calls } => {
            let comm = round.comm;
            let round = analysis.waits.round(round);
            round.behind(calls).next().is_some()
                && match round.incomplete {
                    true => analysis.waits.members(comm).binary_search(&over).is_ok(),
                    false => analysis.job.comms[comm].part_of(over).is_some(),
                }
        }
    }
}

/// Adds cycles that look the same.
fn join(analysis: &Analysis<'_>, finding: &mut Finding, others: &[Knot]) {
    let rank = |slot: &Slot| analysis.job.rank(*slot).get();
    let more: Ranks = others.iter().flat_map(|knot| &knot.slots).map(rank).collect();
    let each = finding.waits.len();
    finding.add_steps([format!(
        "and {} of {each} ranks like this one, among {}",
        count(others.len(), "more cycle", "more cycles"),
        words::ranks(&more)
    )]);
    finding.ranks = finding.ranks.iter().chain(more.iter()).collect();
    finding.culprits = finding.ranks.clone();
    finding.waiting = finding
        .waiting
        .iter()
        .chain(others.iter().flat_map(|knot| &knot.waiting).map(rank))
        .collect();
    finding.waits.extend(others.iter().flat_map(|knot| cycle_waits(analysis, knot)));
}
