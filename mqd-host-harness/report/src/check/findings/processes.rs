//! Processes that have ended or are stopped, and ranks that poll.

use super::alike::Alike;
use crate::check::analysis::Analysis;
use crate::check::diagnosis::{Certainty, Finding, FindingKind, Severity};
use crate::check::functions::plain;
use crate::check::job::{Presence, is_finalizing};
use crate::check::ranks::Ranks;
use crate::check::waits::Doing;
use crate::check::words;

/// The most ended processes whose errors are told.
const TOLD: usize = 3;

/// Ranks whose processes have ended while others have not.
pub(super) fn exited(analysis: &Analysis<'_>) -> Option<Finding> {
    let members = analysis.job.members.items().iter();
    let ended = members
        .filter(|member| member.presence == Presence::Ended && !is_finalizing(member.process));
    let ranks = Ranks::of(ended.clone().map(|member| member.rank));
    let all_have = ended.clone().count() == analysis.job.members.items().len();
    if ranks.is_empty() || all_have {
        return None;
    }
    let advice = "check the last output of the rank, its exit status, and whether it left a core \
                  file; a rank has to call MPI_Finalize before it ends";
    let text = format!("{} ended while others run", words::subject(&ranks, "has", "have"));
    let mut finding = Finding::new(
        FindingKind::Exited,
        Severity::Warning,
        Certainty::Certain,
        ranks,
        text,
        advice,
    );
    for member in ended.take(TOLD) {
        let errors = member.process.errors.iter();
        finding.evidence.extend(errors.map(|error| format!("rank {}: {error}", member.rank)));
    }
    Some(finding)
}

/// Ranks whose processes a signal has stopped.
pub(super) fn stopped(analysis: &Analysis<'_>) -> Option<Finding> {
    let members = analysis.job.members.items().iter();
    let ranks = members.filter(|member| member.process.stopped).map(|member| member.rank);
    let ranks = Ranks::of(ranks);
    if ranks.is_empty() {
        return None;
    }
    let text = format!(
        "{} stopped by a signal (SIGSTOP, or a shell's job control)",
        words::subject(&ranks, "is", "are")
    );
    let advice = "such a process does nothing until it gets SIGCONT (kill -CONT PID); a \
                  process in a debugger waits for the user of the debugger";
    let (kind, severity) = (FindingKind::Stopped, Severity::Warning);
    let mut finding = Finding::new(kind, severity, Certainty::Certain, ranks.clone(), text, advice);
    finding.culprits = ranks;
    Some(finding)
}

/// Ranks that test for completion.
pub(super) fn polling(analysis: &Analysis<'_>) -> Vec<Finding> {
    let mut alike = Alike::new();
    for (slot, member) in analysis.job.members.numbered() {
        if analysis.waits.ranks[slot].doing == Doing::Tests {
            let function = plain(member.function().unwrap_or_default());
            alike.add(function.to_owned(), member.rank, || function);
        }
    }
    let told = alike.groups().map(|(ranks, function)| {
        let text = format!("{} to poll in {function}", words::subject(&ranks, "seems", "seem"));
        let advice = "the queues do not show what a polling rank waits for: if it polls for \
                      long, look at its call stack";
        Finding::new(FindingKind::Polling, Severity::Note, Certainty::Certain, ranks, text, advice)
    });
    told.collect()
}
