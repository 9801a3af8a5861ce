//! Unexpected messages: those that nobody will receive, and queues of many.

use std::cmp::Reverse;

use super::alike::{Alike, with_others};
use crate::check::analysis::Analysis;
use crate::check::diagnosis::{Certainty, Finding, FindingKind, Severity};
use crate::check::job::Presence;
use crate::check::ranks::Ranks;
use crate::check::waits::Doing;
use crate::check::words;
use crate::model::{Operation, Process, Queue};

/// A queue with at least this many unexpected messages is worth a note.
pub(super) const MANY: usize = 1000;
/// A queue that grows by at least this many messages between two looks is worth a note.
pub(super) const GROWTH: usize = 100;

/// Messages for ranks that receive nothing any more.
pub(super) fn orphans(analysis: &Analysis<'_>) -> Vec<Finding> {
    let job = &analysis.job;
    let mut alike = Alike::new();
    for (slot, member) in job.members.numbered() {
        let is_over = analysis.waits.ranks[slot].doing == Doing::Over;
        if member.presence != Presence::Read || !is_over {
            continue;
        }
        for (id, part) in job.parts(slot) {
            let own = |message: &&Operation| !message.is_internal();
            for message in part.unexpected_messages.iter().filter(own) {
                let (tag, peer) = (words::tag(message), words::peer(job, id, message));
                let on = words::part(job, id);
                let text = || {
                    format!(
                        "rank {} is in MPI_Finalize, and has not received a message with {tag} \
                         from {peer} on {on}",
                        member.rank
                    )
                };
                let first = || ((member.rank, text()), 0usize);
                let (_, count) = alike.add(format!("{tag} {on}"), member.rank, first);
                *count += 1;
            }
        }
    }
    let told = alike.groups().map(|(ranks, ((first, text), count))| {
        let mut text = with_others(text, &ranks, first);
        if count > 1 {
            text.push_str(&format!(" ({count} messages)"));
        }
        let advice = "every message that is sent has to be received, or its sender may wait \
                      forever: find the receive that is missing";
        Finding::new(
            FindingKind::Orphan,
            Severity::Warning,
            Certainty::Certain,
            ranks,
            text,
            advice,
        )
    });
    told.collect()
}

/// Queues that are long, or grow.
pub(super) fn queues(analysis: &Analysis<'_>, first: Option<&Analysis<'_>>) -> Vec<Finding> {
    let mut long = Vec::new();
    let mut growing = Vec::new();
    for member in analysis.job.members.items() {
        let now = messages(member.process);
        let before = first.and_then(|first| {
            let slot = first.job.slot(member.rank)?;
            Some(messages(first.job.members[slot].process))
        });
        if let Some(before) = before.filter(|before| now >= before + GROWTH) {
            growing.push((member.rank, before, now));
        } else if now >= MANY {
            long.push((member.rank, now));
        }
    }
    let mut findings = Vec::new();
    let advice = "messages arrive before their receives are posted: post receives earlier, or let \
                  the senders wait for a reply from time to time";
    let worst = long.iter().max_by_key(|(rank, count)| (*count, Reverse(*rank))).copied();
    if let Some((rank, most)) = worst {
        let ranks = Ranks::of(long.iter().map(|(rank, _)| *rank));
        let text = format!(
            "{} {MANY} unexpected messages or more; rank {rank} has the most: {most}",
            words::subject(&ranks, "has", "have")
        );
        findings.push(Finding::new(
            FindingKind::UnexpectedQueue,
            Severity::Note,
            Certainty::Certain,
            ranks,
            text,
            advice,
        ));
    }
    let worst =
        growing.iter().max_by_key(|(rank, before, now)| (now - before, Reverse(*rank))).copied();
    if let Some((rank, before, now)) = worst {
        let ranks = Ranks::of(growing.iter().map(|(rank, ..)| *rank));
        let text = format!(
            "the unexpected messages of {} increase; rank {rank} had {before} and has {now}",
            words::ranks(&ranks)
        );
        findings.push(Finding::new(
            FindingKind::UnexpectedQueue,
            Severity::Note,
            Certainty::TwoLooks,
            ranks,
            text,
            advice,
        ));
    }
    findings
}

fn messages(process: &Process) -> usize {
    let messages = process.communicators.iter().flat_map(|part| part.queue(Queue::Unexpected));
    messages.filter(|message| !message.is_internal()).count()
}
