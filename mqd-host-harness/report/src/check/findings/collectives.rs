//! Collective operations: ranks in different ones, or in one while others are in none.

use mqs_abi::extensions::COLLECTIVES;
use rustc_hash::FxHashMap;

use super::super::job::Presence;
use super::super::waits::{Doing, Stuck, active, calls};
use super::super::words;
use super::{Certainty, Finding, Kind, Look, Ranks, Severity};

/// Ranks that have called the collective operations of a communicator in different orders.
///
/// In a program that is right the calls of one rank are a beginning of those of another, whenever
/// the two are read: none has both more calls of one operation and fewer of another.
pub(super) fn mismatches(look: &Look<'_>) -> Vec<Finding> {
    let job = &look.job;
    let mut findings = Vec::new();
    for comm in 0..job.comms.len() as u32 {
        let listed = &job.comms[comm as usize].listed;
        if listed.len() < 2 {
            continue;
        }
        let mut counted: Vec<(i64, [Option<i64>; COLLECTIVES.len()], u32, u32)> = Vec::new();
        for (slot, index) in listed {
            let part = job.part(*slot, *index);
            if job.member(*slot).presence != Presence::Read || part.collectives.is_none() {
                continue;
            }
            let counts: [Option<i64>; COLLECTIVES.len()] =
                std::array::from_fn(|number| calls(part, number));
            counted.push((counts.iter().flatten().sum(), counts, *slot, *index));
        }
        counted.sort_unstable_by_key(|(sum, _, slot, _)| (*sum, *slot));
        let differing = counted.windows(2).find_map(|pair| {
            let (one, other) = (&pair[0], &pair[1]);
            let more = |one: &[Option<i64>], other: &[Option<i64>]| {
                one.iter()
                    .zip(other)
                    .position(|counts| matches!(counts, (Some(one), Some(other)) if one > other))
            };
            more(&one.1, &other.1).map(|first| (one, other, first, more(&other.1, &one.1)))
        });
        let Some((one, other, first, Some(second))) = differing else { continue };
        let name = words::name(job.comms[comm as usize].id, job.comms[comm as usize].name);
        // Who is in what, if they wait in there; else what the two have called.
        let mut by_function: FxHashMap<usize, Vec<i64>> = FxHashMap::default();
        for (_, _, slot, index) in &counted {
            for (_, number) in
                active(&job.member(*slot).process.communicators).filter(|(other, _)| other == index)
            {
                by_function.entry(number).or_default().push(job.member(*slot).rank);
            }
        }
        let mut by_function: Vec<(usize, Ranks)> = by_function
            .into_iter()
            .map(|(number, ranks)| (number, ranks.into_iter().collect()))
            .collect();
        by_function.sort_by_key(|(_, ranks)| ranks.first());
        let rank =
            |entry: &(i64, [Option<i64>; COLLECTIVES.len()], u32, u32)| job.member(entry.2).rank;
        let text = if by_function.len() > 1 {
            let parts: Vec<String> = by_function
                .iter()
                .map(|(number, ranks)| {
                    format!("{} in {}", words::subject(ranks, "is", "are"), COLLECTIVES[*number])
                })
                .collect();
            format!("on {name} {}", parts.join(", "))
        } else {
            format!("on {name} the ranks have called different collective operations")
        };
        let calls = |entry: &(i64, [Option<i64>; COLLECTIVES.len()], u32, u32), number: usize| {
            words::count(entry.1[number].unwrap_or(0) as usize, "time", "times")
        };
        let ranks: Ranks = if by_function.len() > 1 {
            by_function.iter().flat_map(|(_, ranks)| ranks.iter()).collect()
        } else {
            [rank(one), rank(other)].into_iter().collect()
        };
        let advice = "all ranks of a communicator have to call the same collective operations on \
                      it in the same order";
        let mut finding = super::finding(
            Kind::CollectiveMismatch,
            Severity::Error,
            Certainty::Certain,
            ranks,
            text,
            advice,
        );
        finding.evidence.push(format!(
            "rank {} has called {} {} and {} {}, rank {} {} and {}",
            rank(one),
            COLLECTIVES[first],
            calls(one, first),
            COLLECTIVES[second],
            calls(one, second),
            rank(other),
            calls(other, first),
            calls(other, second)
        ));
        findings.push(finding);
    }
    findings
}

/// Ranks that wait in a collective operation which others have not called.
pub(super) fn incomplete(look: &Look<'_>, stuck: &Stuck) -> Vec<Finding> {
    let job = &look.job;
    /// Who is in it, by how often they have called it.
    type Waiting = FxHashMap<(u32, usize), (i64, Vec<i64>)>;
    let mut waiting: Waiting = FxHashMap::default();
    for (slot, member) in (0..).zip(&job.members) {
        if !matches!(look.waits.ranks[slot as usize].doing, Doing::Waits | Doing::WaitsForSome) {
            continue;
        }
        for (index, number) in active(&member.process.communicators) {
            let Some(calls) = calls(job.part(slot, index), number) else { continue };
            let (most, ranks) = waiting.entry((member.comms[index as usize], number)).or_default();
            *most = calls.max(*most);
            ranks.push(member.rank);
        }
    }
    let mut waiting: Vec<_> = waiting.into_iter().collect();
    waiting.sort_by_key(|(key, _)| *key);
    let mut findings = Vec::new();
    for ((comm, number), (calls, ranks)) in waiting {
        let missing: Vec<u32> = look.waits.behind(comm, number, calls).collect();
        if missing.is_empty() {
            continue;
        }
        let missing_ranks: Ranks = missing.iter().map(|slot| job.member(*slot).rank).collect();
        let ranks: Ranks =
            ranks.into_iter().filter(|rank| !missing_ranks.contains(*rank)).collect();
        let name = words::name(job.comms[comm as usize].id, job.comms[comm as usize].name);
        let text = format!(
            "{} in {} on {name}, which {} not called yet",
            words::subject(&ranks, "is", "are"),
            COLLECTIVES[number],
            words::subject(&missing_ranks, "has", "have")
        );
        let severity = if missing.iter().any(|slot| stuck.slots[*slot as usize]) {
            Severity::Warning
        } else {
            Severity::Note
        };
        let advice =
            "nothing is wrong if these ranks come to it; otherwise find out where they are instead";
        let mut finding = super::finding(
            Kind::CollectiveIncomplete,
            severity,
            Certainty::Certain,
            ranks,
            text,
            advice,
        );
        let mut places = super::Alike::new();
        for slot in missing {
            let function = job
                .member(slot)
                .process
                .activity
                .as_ref()
                .map(|activity| activity.function.clone());
            let place = match function {
                None => "somewhere that is not known".to_owned(),
                Some(None) => "outside MPI".to_owned(),
                Some(Some(function)) => format!("in {function}"),
            };
            places.add(place.clone(), job.member(slot).rank, || place);
        }
        finding.evidence.extend(
            places
                .groups()
                .map(|(ranks, place)| format!("{} {place}", words::subject(&ranks, "is", "are"))),
        );
        findings.push(finding);
    }
    findings
}
