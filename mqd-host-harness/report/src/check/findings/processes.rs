//! Processes that have ended, and ranks that poll.

use super::super::functions::plain;
use super::super::job::Presence;
use super::super::waits::Doing;
use super::super::words;
use super::{Alike, Certainty, Finding, Kind, Look, Ranks, Severity};

/// Ranks whose processes are gone while others are there.
pub(super) fn exited(look: &Look<'_>) -> Option<Finding> {
    let ended = look.job.members.iter().filter(|member| member.presence == Presence::Ended);
    let ranks: Ranks = ended.clone().map(|member| member.rank).collect();
    let advice = "see what the rank has written last, its exit status, and whether it has left a \
                  core file; a rank that is done calls MPI_Finalize after all others have what \
                  they want of it";
    let text = format!("{} ended, and others run on", words::subject(&ranks, "has", "have"));
    let mut finding =
        super::finding(Kind::Exited, Severity::Warning, Certainty::Certain, ranks, text, advice);
    finding.evidence = ended
        .take(3)
        .flat_map(|member| {
            member.process.errors.iter().map(|error| format!("rank {}: {error}", member.rank))
        })
        .collect();
    (!finding.ranks.is_empty()).then_some(finding)
}

/// Ranks that ask whether something has happened.
pub(super) fn polling(look: &Look<'_>) -> Vec<Finding> {
    let mut alike = Alike::new();
    for (member, wait) in look.job.members.iter().zip(&look.waits.ranks) {
        if wait.doing != Doing::Tests {
            continue;
        }
        let function =
            member.process.activity.as_ref().and_then(|activity| activity.function.as_deref());
        let function = plain(function.unwrap_or_default()).to_owned();
        alike.add(function.clone(), member.rank, || function);
    }
    let told = alike.groups().map(|(ranks, function)| {
        let text = format!(
            "{} in {function}: {}",
            words::subject(&ranks, "is", "are"),
            "polling, as it seems"
        );
        let advice = "what a rank does that polls is not seen from its queues: if nothing comes \
                      of it, look at its program";
        super::finding(Kind::Polling, Severity::Note, Certainty::Certain, ranks, text, advice)
    });
    told.collect()
}
