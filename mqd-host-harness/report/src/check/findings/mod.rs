//! What is wrong with a job, or worth knowing: a file for each kind of finding.

mod collectives;
mod deadlock;
mod near_misses;
mod pairs;
mod processes;
mod unexpected;

use super::waits::Stuck;
use super::{Certainty, Finding, Kind, Look, Ranks, Severity, Verdict};

/// All findings, the most important first.
pub(super) fn all(
    look: &Look<'_>,
    stuck: &Stuck,
    verdict: Verdict,
    certainty: Certainty,
    first: Option<&Look<'_>>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    if verdict != Verdict::NotDeadlocked {
        findings.extend(deadlock::find(look, stuck, certainty));
    }
    findings.extend(collectives::mismatches(look));
    findings.extend(collectives::incomplete(look, stuck));
    findings.extend(processes::exited(look));
    findings.extend(near_misses::find(look, stuck, certainty));
    findings.extend(pairs::find(look));
    findings.extend(unexpected::orphans(look));
    findings.extend(unexpected::queues(look, first));
    findings.extend(processes::polling(look));
    // Within a severity in the order of the kinds.
    findings.sort_by_key(|finding| (finding.severity, finding.kind));
    findings
}

/// A finding that is not about waiting.
fn finding(
    kind: Kind,
    severity: Severity,
    certainty: Certainty,
    ranks: Ranks,
    text: String,
    advice: &str,
) -> Finding {
    Finding {
        kind,
        severity,
        certainty,
        ranks,
        waiting: Ranks::default(),
        text,
        evidence: Vec::new(),
        advice: advice.to_owned(),
        waits: Vec::new(),
        cycle: false,
    }
}

/// Findings of ranks that look the same, told once: by what they have in common, in the order of
/// the first of each.
struct Alike<T> {
    places: rustc_hash::FxHashMap<String, usize>,
    groups: Vec<(Vec<i64>, T)>,
}

impl<T> Alike<T> {
    fn new() -> Alike<T> {
        Alike { places: rustc_hash::FxHashMap::default(), groups: Vec::new() }
    }

    /// Adds a rank; `first` makes what is told, for the first of a group.
    fn add(&mut self, likeness: String, rank: i64, first: impl FnOnce() -> T) -> &mut T {
        let groups = &mut self.groups;
        let place = *self.places.entry(likeness).or_insert_with(|| {
            groups.push((Vec::new(), first()));
            groups.len() - 1
        });
        self.groups[place].0.push(rank);
        &mut self.groups[place].1
    }

    /// Ranks, and what is told of them.
    fn groups(self) -> impl Iterator<Item = (Ranks, T)> {
        self.groups.into_iter().map(|(ranks, first)| (ranks.into_iter().collect(), first))
    }
}

/// A text about one rank, and how many others it holds for.
fn with_others(text: String, ranks: &Ranks, first: i64) -> String {
    let others: Ranks = ranks.iter().filter(|rank| *rank != first).collect();
    match others.len() {
        0 => text,
        _ => format!("{text}; likewise {}", super::words::ranks(&others)),
    }
}
