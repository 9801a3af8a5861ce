//! What is wrong with a job, or worth knowing: a file for each group of kinds.

mod alike;
mod awaited;
mod collectives;
mod deadlock;
mod near_misses;
mod pairs;
mod processes;
mod unexpected;

use super::analysis::Analysis;
use super::diagnosis::{Certainty, Finding, Verdict};
use super::ranks::Ranks;
use super::waits::Stuck;

/// All findings, the most important first.
pub(super) fn all(
    now: &Analysis<'_>,
    stuck: &Stuck,
    verdict: Verdict,
    certainty: Certainty,
    first: Option<&Analysis<'_>>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    if verdict != Verdict::NotDeadlocked {
        let deadlocks = deadlock::find(now, stuck, certainty);
        findings.extend(collectives::among_deadlocked(now, &deadlocks));
        findings.extend(deadlocks);
    }
    findings.extend(collectives::mismatches(now));
    findings.extend(collectives::incomplete(now, stuck));
    findings.extend(processes::exited(now));
    findings.extend(processes::stopped(now));
    findings.extend(near_misses::find(now, stuck, certainty));
    findings.extend(pairs::find(now));
    findings.extend(unexpected::orphans(now));
    findings.extend(unexpected::queues(now, first));
    findings.extend(processes::polling(now));
    if verdict == Verdict::NotDeadlocked {
        // A collective operation that they have not called tells more.
        let is_told = |culprits: &Ranks| {
            let mut told = findings.iter().map(|finding| &finding.culprits);
            told.any(|told| told == culprits)
        };
        findings.extend(awaited::find(now).filter(|finding| !is_told(&finding.culprits)));
    }
    // Within a severity in the order of the kinds.
    findings.sort_by_key(|finding| (finding.severity, finding.kind));
    findings
}
