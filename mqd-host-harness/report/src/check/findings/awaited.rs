//! Ranks that can go on, and that others wait for.

use super::collectives::what_they_do;
use crate::check::analysis::Analysis;
use crate::check::diagnosis::{Certainty, Finding, FindingKind, Severity};
use crate::check::ids::Slot;
use crate::check::ranks::Ranks;
use crate::check::waits::{Caution, Doing, Stuck};
use crate::check::words;

/// The most ranks of which it is found out who waits for them.
const MOST: usize = 16;

/// The ranks that wait for a few others, directly or through each other. If one of those never goes
/// on, they wait for ever.
pub(super) fn find(analysis: &Analysis<'_>) -> Option<Finding> {
    let (job, waits) = (&analysis.job, &analysis.waits);
    let is_able = |slot: &Slot| matches!(waits.ranks[*slot].doing, Doing::Runs | Doing::Tests);
    let able: Vec<Slot> = job.members.ids().filter(is_able).collect();
    if able.is_empty() || able.len() > MOST {
        return None;
    }
    let waiting = |still: &[Slot], caution: Caution, now: &Stuck| -> Vec<Slot> {
        let then = waits.stuck_if(caution, &[], still);
        let waits = |slot: &Slot| then.slots[*slot] && !now.slots[*slot] && !is_able(slot);
        job.members.ids().filter(waits).collect()
    };
    let kinds = [(Caution::All, Certainty::Certain), (Caution::Nothing, Certainty::Suspected)];
    let mut found = kinds.into_iter().map(|(caution, certainty)| {
        let now = waits.stuck(caution, &[]);
        (waiting(&able, caution, &now), caution, now, certainty)
    });
    let (ranks, caution, now, certainty) = found.find(|(ranks, ..)| !ranks.is_empty())?;
    let helps = |one: &Slot| {
        let others: Vec<Slot> = able.iter().copied().filter(|other| other != one).collect();
        waiting(&others, caution, &now).len() < ranks.len()
    };
    let mut awaited: Vec<Slot> = able.iter().copied().filter(helps).collect();
    if awaited.is_empty() {
        // It takes several of them.
        awaited = able;
    }
    let of = |slots: &[Slot]| Ranks::of(slots.iter().map(|slot| job.rank(*slot)));
    let (ranks, culprits) = (of(&ranks), of(&awaited));
    let text =
        format!("{} for {}", words::subject(&ranks, "waits", "wait"), words::ranks(&culprits));
    let advice = "the others go on if these ranks do: see whether they move (mqd stacks --samples)";
    let kind = FindingKind::Awaited;
    let mut finding = Finding::new(kind, Severity::Note, certainty, ranks, text, advice);
    finding.culprits = culprits;
    finding.evidence.extend(what_they_do(job, &awaited));
    Some(finding)
}
