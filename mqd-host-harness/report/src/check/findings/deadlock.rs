//! Deadlocks, and waits for ranks that send nothing any more.

use rustc_hash::FxHashMap;

use super::super::knots::{self, Knot, Shape};
use super::super::waits::{Alternative, Doing, Stuck, Target, What};
use super::super::words;
use super::{Certainty, Finding, Kind, Look, Ranks, Severity};
use crate::check::diagnosis::Wait;
use crate::model::Queue;

/// So many steps of a cycle are told; the rest is counted.
const TOLD: usize = 8;

/// What keeps the stuck ranks from going on.
pub(super) fn find(look: &Look<'_>, stuck: &Stuck, certainty: Certainty) -> Vec<Finding> {
    let knots = knots::find(&look.job, &look.waits, stuck);
    // Cycles that look the same are one finding.
    let mut findings: Vec<(Finding, Vec<Knot>)> = Vec::new();
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    for knot in knots {
        let likeness = likeness(look, &knot);
        match places
            .get(&likeness)
            .filter(|_| matches!(knot.shape, Shape::Cycle | Shape::SmallestCycle))
        {
            Some(place) => findings[*place].1.push(knot),
            None => {
                let Some(finding) = tell(look, stuck, certainty, &knot) else { continue };
                places.insert(likeness, findings.len());
                findings.push((finding, vec![knot]));
            }
        }
    }
    let findings = findings.into_iter().map(|(mut finding, knots)| {
        if let [_, others @ ..] = &knots[..]
            && !others.is_empty()
        {
            join(look, &mut finding, others);
        }
        finding
    });
    findings.collect()
}

/// What knots have in common that differ in their ranks alone: the waits of a cycle, whichever
/// comes first.
fn likeness(look: &Look<'_>, knot: &Knot) -> String {
    let mut steps: Vec<String> = knot
        .slots
        .iter()
        .zip(&knot.waits)
        .map(|(slot, wait)| words::likeness(&look.job, *slot, wait.as_ref()))
        .collect();
    // Of a long cycle finding its beginning would take longer than linear time.
    if steps.len() <= TOLD {
        let rotated = |by: usize| steps[by..].iter().chain(&steps[..by]);
        let first =
            (0..steps.len()).min_by(|one, other| rotated(*one).cmp(rotated(*other))).unwrap_or(0);
        steps.rotate_left(first);
    }
    format!("{:?} {steps:?}", knot.shape == Shape::Knot)
}

fn tell(look: &Look<'_>, stuck: &Stuck, certainty: Certainty, knot: &Knot) -> Option<Finding> {
    match knot.shape {
        Shape::Cycle | Shape::SmallestCycle => Some(cycle(look, certainty, knot)),
        Shape::Knot => Some(tangle(look, stuck, certainty, knot)),
        Shape::Over => Some(over(look, stuck, certainty, knot)),
        Shape::Unknown => None,
    }
}

fn cycle(look: &Look<'_>, certainty: Certainty, knot: &Knot) -> Finding {
    let waits = cycle_waits(look, knot);
    let told = steps(&waits);
    let text = match &waits[..] {
        [_] => format!("a rank waits for itself: {told}"),
        _ => format!("{} wait for each other: {told}", words::count(waits.len(), "rank", "ranks")),
    };
    let mut finding = deadlock(look, certainty, knot, text, waits);
    finding.cycle = true;
    if knot.shape == Shape::Cycle {
        finding.evidence.push("there may be smaller cycles among these ranks".to_owned());
    }
    finding
}

fn cycle_waits(look: &Look<'_>, knot: &Knot) -> Vec<Wait> {
    let next = knot.slots.iter().cycle().skip(1);
    let steps = knot.slots.iter().zip(&knot.waits).zip(next);
    steps
        .filter_map(|((slot, alternative), next)| {
            let on = Ranks::from(look.job.member(*next).rank);
            alternative.as_ref().map(|alternative| words::wait(&look.job, *slot, alternative, on))
        })
        .collect()
}

/// The steps, all or the first ones.
fn steps(waits: &[Wait]) -> String {
    let told: Vec<&str> = waits.iter().take(TOLD).map(|wait| wait.text.as_str()).collect();
    match waits.len() - told.len() {
        0 => told.join("; "),
        more => format!(
            "{}; and {more} more, up to rank {}",
            told.join("; "),
            waits[waits.len() - 1].rank
        ),
    }
}

fn deadlock(
    look: &Look<'_>,
    certainty: Certainty,
    knot: &Knot,
    text: String,
    waits: Vec<Wait>,
) -> Finding {
    let ranks = |slots: &[u32]| slots.iter().map(|slot| look.job.member(*slot).rank).collect();
    let severity =
        if certainty == Certainty::Suspected { Severity::Warning } else { Severity::Error };
    let (kind, advice) = (Kind::Deadlock, advice(&knot.waits));
    let mut finding = super::finding(kind, severity, certainty, ranks(&knot.slots), text, advice);
    finding.waiting = ranks(&knot.waiting);
    finding.waits = waits;
    finding
}

fn advice(waits: &[Option<Alternative>]) -> &'static str {
    let is = |queue: Queue| move |wait: &Option<Alternative>| matches!(wait, Some(Alternative { what: What::Operation(_, other, _), .. }) if *other == queue);
    let collective = |wait: &Option<Alternative>| {
        matches!(wait, Some(Alternative { what: What::Collective(..), .. }))
    };
    if waits.iter().any(collective) {
        "all ranks of a communicator have to call its collective operations in the same order, and \
         no message may be waited for that is sent only after one"
    } else if waits.iter().all(is(Queue::Sends)) {
        "a send may wait until its message is received: let some ranks receive first, or use \
         MPI_Sendrecv or nonblocking sends"
    } else if waits.iter().all(is(Queue::Receives)) {
        "each waits for a message before it sends its own: let one of them send first"
    } else {
        "look at what each of them waits for: a receive may want another tag, rank or communicator \
         than the message has, or one of them has to go first"
    }
}

/// Ranks each of which waits for any of several, none of which can go on.
fn tangle(look: &Look<'_>, stuck: &Stuck, certainty: Certainty, knot: &Knot) -> Finding {
    let is_stuck = |slot: u32| stuck.slots[slot as usize];
    // Most wait for the same: any member of a communicator.
    let mut targets: FxHashMap<Target, Ranks> = FxHashMap::default();
    let mut waits = Vec::new();
    for slot in &knot.slots {
        for alternative in look.waits.open(*slot, stuck).0 {
            let Some(target) = alternative.target else { continue };
            let on = targets
                .entry(target)
                .or_insert_with(|| words::targets(&look.job, &look.waits, &alternative, is_stuck));
            waits.push(words::wait(&look.job, *slot, &alternative, on.clone()));
        }
    }
    let ranks: Ranks = knot.slots.iter().map(|slot| look.job.member(*slot).rank).collect();
    let text = match knot.slots[..] {
        [_] => format!("a rank waits for itself: {}", steps(&waits)),
        _ => {
            format!(
                "each of {} waits for others of them, and none can go on: {}",
                words::ranks(&ranks),
                steps(&waits)
            )
        }
    };
    deadlock(look, certainty, knot, text, waits)
}

/// Ranks that wait for one that sends nothing any more.
fn over(look: &Look<'_>, stuck: &Stuck, certainty: Certainty, knot: &Knot) -> Finding {
    let job = &look.job;
    let over = knot.slots[0];
    let mut waits = Vec::new();
    let mut direct = Vec::new();
    for slot in &knot.waiting {
        for alternative in look.waits.open(*slot, stuck).0 {
            let is_it = match alternative.target {
                Some(Target::Rank(target)) => target == over,
                Some(Target::Any(comm)) => look.waits.members(comm).binary_search(&over).is_ok(),
                Some(Target::All(comm, function, calls)) => {
                    look.waits
                        .calls(comm, function)
                        .first()
                        .is_some_and(|(least, _)| *least < calls)
                        && look.job.comms[comm as usize]
                            .listed
                            .binary_search_by_key(&over, |(slot, _)| *slot)
                            .is_ok()
                }
                None => false,
            };
            if is_it {
                direct.push(job.member(*slot).rank);
                waits.push(words::wait(
                    job,
                    *slot,
                    &alternative,
                    Ranks::from(job.member(over).rank),
                ));
                break;
            }
        }
    }
    let direct: Ranks = direct.into_iter().collect();
    let waiting = knot
        .waiting
        .iter()
        .map(|slot| job.member(*slot).rank)
        .filter(|rank| !direct.contains(*rank))
        .collect();
    let end = if look.waits.ranks[over as usize].doing == Doing::Over
        && job.member(over).process.activity.is_some()
    {
        "is in MPI_Finalize"
    } else {
        "has ended"
    };
    let text = format!(
        "{} in vain: rank {} {end}; {}",
        words::subject(&direct, "waits", "wait"),
        job.member(over).rank,
        steps(&waits)
    );
    let severity =
        if certainty == Certainty::Suspected { Severity::Warning } else { Severity::Error };
    let advice = "find out why that rank is through without having sent or received this: it has \
                  left a loop early, or the others count on one message more";
    let mut finding = super::finding(Kind::NeverMatched, severity, certainty, direct, text, advice);
    finding.waiting = waiting;
    finding.waits = waits;
    finding
}

/// Adds cycles that look the same.
fn join(look: &Look<'_>, finding: &mut Finding, others: &[Knot]) {
    let rank = |slot: &u32| look.job.member(*slot).rank;
    let more: Ranks = others.iter().flat_map(|knot| &knot.slots).map(rank).collect();
    let each = finding.waits.len();
    finding.text = format!(
        "{}; and {} of {each} like this one among {}",
        finding.text,
        words::count(others.len(), "more cycle", "more cycles"),
        words::ranks(&more)
    );
    finding.ranks = finding.ranks.iter().chain(more.iter()).collect();
    finding.waiting = finding
        .waiting
        .iter()
        .chain(others.iter().flat_map(|knot| &knot.waiting).map(rank))
        .collect();
    finding.waits.extend(others.iter().flat_map(|knot| cycle_waits(look, knot)));
}
