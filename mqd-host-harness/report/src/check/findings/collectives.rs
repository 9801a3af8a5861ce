//! Collective operations: ranks in different ones, or in one that other ranks have not called.

use rustc_hash::FxHashMap;

use super::alike::Alike;
use crate::check::analysis::Analysis;
use crate::check::collectives::{RoundId, active, calls};
use crate::check::diagnosis::{Certainty, Finding, FindingKind, Severity, Wait};
use crate::check::functions::{CollectiveFunction, is_collective, plain};
use crate::check::ids::{CommId, PartId, Rank, Slot};
use crate::check::job::{Job, Presence};
use crate::check::ranks::Ranks;
use crate::check::waits::{Doing, Stuck};
use crate::check::words;
use crate::model::{Communicator, Queue};
use crate::words::bytes;

/// A rank that says how often it has called the collective functions on a communicator.
struct Counted<'a> {
    part: PartId,
    communicator: &'a Communicator,
    /// All its calls.
    sum: i64,
}

impl<'a> Counted<'a> {
    fn new(job: &Job<'a>, part: PartId) -> Counted<'a> {
        let communicator = job.part(part);
        let sum = CollectiveFunction::all().filter_map(|function| calls(communicator, function));
        Counted { part, communicator, sum: sum.sum() }
    }

    /// The first function that this rank has called more often than the other one.
    fn called_more(&self, other: &Counted<'_>) -> Option<CollectiveFunction> {
        CollectiveFunction::all().find(|function| {
            let calls = |counted: &Counted<'_>| calls(counted.communicator, *function);
            matches!((calls(self), calls(other)), (Some(one), Some(other)) if one > other)
        })
    }

    /// `2 times`.
    fn times(&self, function: CollectiveFunction) -> String {
        let calls = calls(self.communicator, function).unwrap_or(0);
        format!("{calls} {}", if calls == 1 { "time" } else { "times" })
    }
}

/// Ranks that have called the collective operations of a communicator in different orders.
///
/// In a correct program, the calls of one rank are the first calls of another, or the other way
/// round, whenever the two are read. No rank has more calls of one function and fewer of another.
pub(super) fn mismatches(analysis: &Analysis<'_>) -> Vec<Finding> {
    let job = &analysis.job;
    job.comms.ids().filter_map(|comm| mismatch(job, comm)).collect()
}

fn mismatch(job: &Job<'_>, comm: CommId) -> Option<Finding> {
    let listed = &job.comms[comm].listed;
    if listed.len() < 2 {
        return None;
    }
    let is_counted = |part: &&PartId| {
        job.members[part.slot].presence == Presence::Read && job.part(**part).collectives.is_some()
    };
    let mut counted: Vec<Counted<'_>> =
        listed.iter().filter(is_counted).map(|part| Counted::new(job, *part)).collect();
    counted.sort_unstable_by_key(|counted| (counted.sum, counted.part.slot));
    let (one, other, first, second) = counted.windows(2).find_map(|pair| {
        let (one, other) = (&pair[0], &pair[1]);
        let first = one.called_more(other)?;
        Some((one, other, first, other.called_more(one)))
    })?;
    let second = second?;
    let name = words::name(job.comms[comm].id, job.comms[comm].name);
    let by_function = by_function(job, &counted);
    let (ranks, text) = if by_function.len() > 1 {
        let parts: Vec<String> = by_function
            .iter()
            .map(|(function, ranks)| {
                format!("{} in {}", words::subject(ranks, "is", "are"), function.name())
            })
            .collect();
        let ranks = by_function.iter().flat_map(|(_, ranks)| ranks.iter()).collect();
        (ranks, format!("on {name}, {}", parts.join(" and ")))
    } else {
        let ranks = Ranks::of([one, other].map(|counted| job.rank(counted.part.slot)));
        (ranks, format!("on {name}, the ranks have called different collective operations"))
    };
    let advice = "call the same collective operations in the same order on all ranks of a \
                  communicator";
    let (kind, certainty) = (FindingKind::CollectiveMismatch, Certainty::Certain);
    let mut finding = Finding::new(kind, Severity::Error, certainty, ranks, text, advice);
    finding.evidence.push(format!(
        "rank {} has called {} {} and {} {}; rank {} has called them {} and {}",
        job.rank(one.part.slot),
        first.name(),
        one.times(first),
        second.name(),
        one.times(second),
        job.rank(other.part.slot),
        other.times(first),
        other.times(second)
    ));
    Some(finding)
}

/// Where calls are not counted: ranks that wait for each other in collective operations of one
/// communicator. If all ranks called the same operations with the same roots, one of them would go
/// on.
pub(super) fn among_deadlocked(analysis: &Analysis<'_>, deadlocks: &[Finding]) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for deadlock in deadlocks.iter().filter(|finding| finding.kind == FindingKind::Deadlock) {
        let finding = different_calls(analysis, deadlock);
        findings.extend(
            finding.filter(|finding| findings.iter().all(|other| other.ranks != finding.ranks)),
        );
    }
    findings
}

fn different_calls(analysis: &Analysis<'_>, deadlock: &Finding) -> Option<Finding> {
    let job = &analysis.job;
    let mut comms = deadlock.waits.iter().map(|wait| collective_on(job, wait));
    let comm = comms.next()??;
    if deadlock.waits.len() < 2 || !comms.all(|other| other == Some(comm)) {
        return None;
    }
    let mut by_function: Vec<(&str, Vec<Rank>)> = Vec::new();
    for rank in deadlock.ranks.iter().chain(deadlock.waiting.iter()) {
        let Some(slot) = job.slot(rank.into()) else { continue };
        let (Some(_), Some(function)) =
            (job.comms[comm].part_of(slot), job.members[slot].function().map(plain))
        else {
            continue;
        };
        if !is_collective(function) {
            continue;
        }
        match by_function.iter_mut().find(|(other, _)| *other == function) {
            Some((_, ranks)) => ranks.push(rank.into()),
            None => by_function.push((function, vec![rank.into()])),
        }
    }
    let name = words::name(job.comms[comm].id, job.comms[comm].name);
    let in_each: Vec<String> = by_function
        .iter()
        .map(|(function, ranks)| {
            let ranks = Ranks::of(ranks.iter().copied());
            format!("{} in {function}", words::subject(&ranks, "is", "are"))
        })
        .collect();
    let text = match &in_each[..] {
        [same] => format!(
            "on {name}, {same} and wait for each other: they name different roots, counts or \
             datatypes, or these are not the same call"
        ),
        _ => format!("on {name}, {}", in_each.join(" and ")),
    };
    let ranks = by_function.iter().flat_map(|(_, ranks)| ranks.iter().copied());
    let advice = "call the same collective operations, with the same roots and in the same order, \
                  on all ranks of a communicator; if counts or datatypes do not fit those of the \
                  others, a rank may leave its call too early";
    let (kind, severity) = (FindingKind::CollectiveMismatch, deadlock.severity);
    let mut finding =
        Finding::new(kind, severity, deadlock.certainty, Ranks::of(ranks), text, advice);
    finding.evidence.extend(deadlock.waits.iter().filter_map(|wait| not_taken(job, wait)));
    Some(finding)
}

/// A message of a collective operation that its receiver, in another function, does not take. It
/// has not called the same one, or its counts or datatypes do not fit.
fn not_taken(job: &Job<'_>, wait: &Wait) -> Option<String> {
    let (sender, receiver) = (job.slot(wait.rank.into())?, job.slot(wait.on.first()?.into())?);
    let function = |slot: Slot| job.members[slot].function().map(plain);
    let (sends_in, is_in) = (function(sender)?, function(receiver)?);
    let mut parts = job.parts(sender);
    let (_, part) = parts.find(|(_, part)| Some(part.unique_id) == wait.communicator)?;
    let queue = wait.queue.filter(|queue| *queue == Queue::Sends && sends_in != is_in)?;
    let length = part.queue(queue).get(wait.index?)?.length()?;
    Some(format!(
        "rank {} sends {} in {sends_in} to rank {}, which is in {is_in} and does not take them",
        wait.rank,
        bytes(length),
        job.rank(receiver)
    ))
}

/// The program's communicator that a rank waits on in a collective operation whose calls are not
/// counted.
fn collective_on(job: &Job<'_>, wait: &Wait) -> Option<CommId> {
    let slot = job.slot(wait.rank.into())?;
    let function = wait.function.as_deref().filter(|function| is_collective(function))?;
    let mut parts = job.parts(slot);
    let (part, communicator) = parts.find(|(_, part)| Some(part.unique_id) == wait.communicator)?;
    let operation = communicator.queue(wait.queue?).get(wait.index?)?;
    let is_counted = CollectiveFunction::named(plain(function))
        .is_some_and(|function| calls(communicator, function).is_some());
    (operation.is_internal() && !is_counted).then(|| job.comm(job.of_program(part)))
}

/// The ranks in each collective operation on a communicator, by the first rank.
fn by_function(job: &Job<'_>, counted: &[Counted<'_>]) -> Vec<(CollectiveFunction, Ranks)> {
    let mut by_function: FxHashMap<CollectiveFunction, Vec<Rank>> = FxHashMap::default();
    for Counted { part, .. } in counted {
        for (_, function) in active(job, part.slot).filter(|(other, _)| other == part) {
            by_function.entry(function).or_default().push(job.rank(part.slot));
        }
    }
    let mut by_function: Vec<(CollectiveFunction, Ranks)> =
        by_function.into_iter().map(|(function, ranks)| (function, Ranks::of(ranks))).collect();
    by_function.sort_by_key(|(_, ranks)| ranks.first());
    by_function
}

/// Ranks that wait in a collective operation which others have not called.
pub(super) fn incomplete(analysis: &Analysis<'_>, stuck: &Stuck) -> Vec<Finding> {
    let job = &analysis.job;
    /// The ranks that are in it, and the most calls that one of them has made.
    type Waiting = FxHashMap<RoundId, (i64, Vec<Rank>)>;
    let mut waiting: Waiting = FxHashMap::default();
    for (slot, wait) in analysis.waits.ranks.numbered() {
        if !matches!(wait.doing, Doing::Waits | Doing::WaitsForSome) {
            continue;
        }
        for (part, function) in active(job, slot) {
            let Some(calls) = calls(job.part(part), function) else { continue };
            let round = RoundId { comm: job.comm(part), function };
            let (most, ranks) = waiting.entry(round).or_default();
            *most = calls.max(*most);
            ranks.push(job.rank(slot));
        }
    }
    let mut waiting: Vec<_> = waiting.into_iter().collect();
    waiting.sort_by_key(|(round, _)| *round);
    let mut findings = Vec::new();
    for (round, (calls, ranks)) in waiting {
        // One that has given up the communicator may have called it.
        let has_it = |slot: &Slot| job.comms[round.comm].part_of(*slot).is_some();
        let behind = analysis.waits.round(round).behind(calls);
        let missing: Vec<Slot> = behind.filter(has_it).collect();
        if !missing.is_empty() {
            findings.push(not_called(analysis, stuck, round, &Ranks::of(ranks), &missing));
        }
    }
    findings
}

/// The finding that some ranks are in a collective operation which others have not called.
fn not_called(
    analysis: &Analysis<'_>,
    stuck: &Stuck,
    RoundId { comm, function }: RoundId,
    ranks: &Ranks,
    missing: &[Slot],
) -> Finding {
    let job = &analysis.job;
    let missing_ranks = Ranks::of(missing.iter().map(|slot| job.rank(*slot)));
    let ranks: Ranks = ranks.iter().filter(|rank| !missing_ranks.contains(*rank)).collect();
    // A nonblocking operation counts as one of the blocking function.
    let in_it = |rank: i64| {
        let slot = job.slot(Rank::from(rank));
        slot.and_then(|slot| job.members[slot].function()).map(plain) == Some(function.name())
    };
    let are_in = match ranks.iter().any(in_it) {
        true => words::subject(&ranks, "is in", "are in"),
        false => words::subject(&ranks, "waits for a nonblocking", "wait for a nonblocking"),
    };
    let text = format!(
        "{are_in} {} on {}, which {} not called yet",
        function.name(),
        words::name(job.comms[comm].id, job.comms[comm].name),
        words::subject(&missing_ranks, "has", "have")
    );
    let is_stuck = missing.iter().any(|slot| stuck.slots[*slot]);
    let severity = if is_stuck { Severity::Warning } else { Severity::Note };
    let advice = match missing.iter().all(|slot| analysis.waits.ranks[*slot].doing == Doing::Over) {
        true => "these ranks have finished: call it on all ranks, or on none",
        false if is_stuck => "ranks that can never go on will not call it: see the errors",
        false => {
            "nothing is wrong if these ranks are about to call it; if not, find out what they do"
        }
    };
    let (kind, certainty) = (FindingKind::CollectiveIncomplete, Certainty::Certain);
    let mut finding = Finding::new(kind, severity, certainty, ranks, text, advice);
    finding.culprits = missing_ranks;
    finding.evidence.extend(what_they_do(job, missing));
    finding
}

/// What ranks do, in sentences.
pub(super) fn what_they_do(job: &Job<'_>, slots: &[Slot]) -> Vec<String> {
    let mut places = Alike::new();
    for slot in slots {
        let member = &job.members[*slot];
        let mut stacks = member.process.stacks.iter().flatten();
        let place = match (&member.process.activity, member.function()) {
            (None, _) => "at an unknown point".to_owned(),
            (Some(_), None) if stacks.any(|stack| stack.in_mpi == Some(true)) => {
                "in MPI, without waiting".to_owned()
            }
            (Some(_), None) => "outside MPI".to_owned(),
            (Some(_), Some(function)) => format!("in {function}"),
        };
        places.add(place.clone(), member.rank, || place);
    }
    let told = places
        .groups()
        .map(|(ranks, place)| format!("{} {place}", words::subject(&ranks, "is", "are")));
    told.collect()
}
