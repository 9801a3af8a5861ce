//! Unexpected messages: those that nobody will receive, and queues of many.

use super::super::job::Presence;
use super::super::waits::Doing;
use super::super::words;
use super::{Alike, Certainty, Finding, Kind, Look, Severity};
use crate::model::{Process, Queue};

/// From so many unexpected messages on a queue is worth a note.
pub(super) const MANY: usize = 1000;
/// By so many it has to grow between two looks.
pub(super) const GROWTH: usize = 100;

/// Messages for ranks that receive nothing any more.
pub(super) fn orphans(look: &Look<'_>) -> Vec<Finding> {
    let job = &look.job;
    let mut alike = Alike::new();
    for (slot, member) in (0..).zip(&job.members) {
        if member.presence != Presence::Read || look.waits.ranks[slot as usize].doing != Doing::Over
        {
            continue;
        }
        for (index, part) in (0..).zip(&member.process.communicators) {
            for message in &part.unexpected_messages {
                let (tag, peer, on) = (
                    words::tag(message),
                    words::peer(job, slot, index, message),
                    words::part(part),
                );
                let text = || {
                    format!(
                        "rank {} is in MPI_Finalize, and has not received a message with {tag} \
                         from {peer} on {on}",
                        member.rank
                    )
                };
                let (_, count) = alike
                    .add(format!("{tag} {on}"), member.rank, || ((member.rank, text()), 0usize));
                *count += 1;
            }
        }
    }
    let told = alike.groups().map(|(ranks, ((first, text), count))| {
        let mut text = super::with_others(text, &ranks, first);
        if count > 1 {
            text.push_str(&format!(" ({count} messages)"));
        }
        let advice = "a message that is sent has to be received, or its sender may wait for ever: \
                      find out who was to receive it";
        super::finding(Kind::Orphan, Severity::Warning, Certainty::Certain, ranks, text, advice)
    });
    told.collect()
}

/// Queues that are long, or grow.
pub(super) fn queues(look: &Look<'_>, first: Option<&Look<'_>>) -> Vec<Finding> {
    let mut long = Vec::new();
    let mut growing = Vec::new();
    for member in &look.job.members {
        let now = messages(member.process);
        let before = first.and_then(|first| {
            Some(messages(first.job.member(first.job.slot(member.rank)?).process))
        });
        if let Some(before) = before.filter(|before| now >= before + GROWTH) {
            growing.push((member.rank, before, now));
        } else if now >= MANY {
            long.push((member.rank, now));
        }
    }
    let mut findings = Vec::new();
    let advice = "messages come faster than they are received, or are received late: post \
                  receives early, or have the senders wait for an answer now and then";
    let worst = long.iter().max_by_key(|(rank, count)| (*count, -*rank)).copied();
    if let Some((rank, most)) = worst {
        let ranks = long.iter().map(|(rank, _)| *rank).collect();
        let text = format!(
            "{} {MANY} unexpected messages or more; most of them rank {rank}: {most}",
            words::subject(&ranks, "has", "have")
        );
        findings.push(super::finding(
            Kind::UnexpectedQueue,
            Severity::Note,
            Certainty::Certain,
            ranks,
            text,
            advice,
        ));
    }
    let worst = growing.iter().max_by_key(|(rank, before, now)| (now - before, -*rank)).copied();
    if let Some((rank, before, now)) = worst {
        let ranks = growing.iter().map(|(rank, ..)| *rank).collect();
        let text = format!(
            "the unexpected messages of {} become more: those of rank {rank} from {before} to \
             {now}",
            words::ranks(&ranks)
        );
        findings.push(super::finding(
            Kind::UnexpectedQueue,
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
    process.communicators.iter().map(|part| part.queue(Queue::Unexpected).len()).sum()
}
