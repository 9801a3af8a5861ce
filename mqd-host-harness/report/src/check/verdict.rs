//! From an analysis to a diagnosis: the verdict, its reason, and what is missing for a better one.

use std::borrow::Cow;

use rustc_hash::FxHashSet;

use super::analysis::{Analysis, Since};
use super::diagnosis::{Certainty, Diagnosis, SCHEMA_VERSION, Verdict};
use super::functions::is_init;
use super::ids::{CommId, Rank, Slot};
use super::job::{Job, Peers, Presence};
use super::ranks::Ranks;
use super::waits::{Caution, Doing, Stuck};
use super::words;
use super::{fifos, findings};
use crate::model::{Calls, ProblemKind, Process, Tool};
use crate::words::calls;

/// An earlier look at the same job, and how many seconds passed since.
#[derive(Clone, Copy)]
pub(super) struct Before<'b, 'a> {
    pub(super) analysis: &'b Analysis<'a>,
    pub(super) seconds: f64,
}

/// Which ranks are stuck, how certain that is, and what follows.
struct Judgement {
    verdict: Verdict,
    certainty: Certainty,
    /// The stuck ranks; with an `insufficient` verdict those that seem to be stuck.
    stuck: Stuck,
    /// The ranks that are not proved to move on.
    doubtful: Stuck,
    /// The ranks that have moved since the earlier look.
    moved: Vec<Slot>,
    /// The ranks in `MPI_Finalize`, if all others have ended.
    finalizing: Vec<Slot>,
}

/// The diagnosis of a job.
pub(super) fn diagnose(now: &Analysis<'_>, before: Option<Before<'_, '_>>) -> Diagnosis {
    let judgement = judge(now, before);
    let Judgement { verdict, certainty, ref stuck, .. } = judgement;
    let mut diagnosis = Diagnosis {
        schema_version: SCHEMA_VERSION.to_owned(),
        tool: Tool::this(),
        verdict,
        reason: String::new(),
        looks: 1 + i64::from(before.is_some()),
        seconds: before.map(|before| before.seconds),
        spread_ms: None,
        missing: missing(now, &judgement, before.is_some()),
        stuck: Ranks::default(),
        moving: Ranks::default(),
        unknown: Ranks::default(),
        findings: findings::all(
            now,
            stuck,
            verdict,
            certainty,
            before.map(|before| before.analysis),
        ),
        places: Vec::new(),
    };
    sort_ranks(now, &judgement, &mut diagnosis);
    diagnosis.reason = reason(&diagnosis, certainty);
    if diagnosis.verdict == Verdict::NotDeadlocked {
        let is_stopped = |rank: &i64| {
            let slot = now.job.slot((*rank).into());
            slot.is_some_and(|slot| now.job.members[slot].process.stopped)
        };
        let stopped: Ranks = diagnosis.moving.iter().filter(is_stopped).collect();
        if !stopped.is_empty() {
            let them = if stopped.len() == 1 { "it" } else { "them" };
            diagnosis.reason.push_str(&format!(
                ", but a signal has stopped {}: only SIGCONT lets {them} go on",
                words::ranks(&stopped)
            ));
        }
    }
    diagnosis
}

fn judge(now: &Analysis<'_>, before: Option<Before<'_, '_>>) -> Judgement {
    let job = &now.job;
    let certain = now.stuck(Caution::All, &[]);
    let Since { mut moved, not_compared } =
        before.map_or_else(Since::default, |before| now.since(before.analysis));
    // A rank that was not read twice may have moved. What a rank did before it got stuck may still
    // let others go on. So those that are certainly stuck count here, too.
    let may_move = [moved.as_slice(), &not_compared].concat();
    // They do not move any more.
    moved.retain(|slot| !certain.slots[*slot]);
    let lasting =
        before.map(|_| now.stuck(Caution::Lasting, &may_move)).filter(|lasting| lasting.any());
    let suspected = now.stuck(Caution::Nothing, &moved);
    let doubtful = now.stuck(Caution::Worst, &moved);
    let finalizing = now.finalizing();
    let is_open = doubtful.any() || !finalizing.is_empty();
    let incomplete = is_open || !job.unread.is_empty() || job.members.is_empty();
    let (verdict, certainty, stuck) = match lasting {
        _ if job.doubt.is_some() => (Verdict::Insufficient, Certainty::Suspected, suspected),
        Some(lasting) if certain.any() && lasting.has_more_than(&certain) => {
            (Verdict::Deadlocked, Certainty::TwoLooks, lasting)
        }
        _ if certain.any() => (Verdict::Deadlocked, Certainty::Certain, certain),
        Some(lasting) => (Verdict::Deadlocked, Certainty::TwoLooks, lasting),
        None if incomplete => (Verdict::Insufficient, Certainty::Suspected, suspected),
        None => (Verdict::NotDeadlocked, Certainty::Certain, suspected),
    };
    Judgement { verdict, certainty, stuck, doubtful, moved, finalizing }
}

/// Is a rank among these, which ascend?
fn is_among(slots: &[Slot], slot: Slot) -> bool {
    slots.binary_search(&slot).is_ok()
}

/// Tells which ranks are stuck, which can go on, and for which it is not known.
fn sort_ranks(now: &Analysis<'_>, judgement: &Judgement, diagnosis: &mut Diagnosis) {
    let Judgement { verdict, stuck, doubtful, moved, finalizing, .. } = judgement;
    let (mut stuck_ranks, mut moving, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
    for slot in now.job.members.ids() {
        let doing = &now.waits.ranks[slot].doing;
        let is_unknown = matches!(doing, Doing::Unknown(_));
        // An unknown rank without operations does not even seem to be stuck.
        let nothing_known = *verdict == Verdict::Insufficient
            && is_unknown
            && now.waits.alternatives(slot).is_empty();
        let is_over = *doing == Doing::Over;
        let rank = now.job.rank(slot);
        if stuck.slots[slot] && !nothing_known {
            stuck_ranks.push(rank);
        }
        // Whatever it does, it has moved.
        let is_seen_moving = *verdict == Verdict::NotDeadlocked && is_among(moved, slot);
        if !doubtful.slots[slot] && (!is_unknown || is_seen_moving) && !is_over {
            moving.push(rank);
        } else if is_among(finalizing, slot) || !(stuck.slots[slot] && !nothing_known || is_over) {
            unknown.push(rank);
        }
    }
    diagnosis.stuck = Ranks::of(stuck_ranks);
    diagnosis.moving = Ranks::of(moving);
    let unknown = Ranks::of(unknown);
    let all = unknown.ranges().iter().chain(now.job.unread.ranges()).copied();
    diagnosis.unknown = Ranks::of_ranges(all.collect());
}

/// What is missing for a verdict, or for a more certain one.
fn missing(now: &Analysis<'_>, judgement: &Judgement, again: bool) -> Vec<String> {
    let job = &now.job;
    let mut missing: Vec<String> = job.doubt.iter().cloned().collect();
    if job.members.is_empty() {
        missing.push("no process with a known rank could be read".to_owned());
    }
    missing.extend(unread(job));
    let mut reasons: Vec<(Cow<'_, str>, Vec<Rank>)> = Vec::new();
    // Of a rank that was seen to move, nothing is missing for "not deadlocked".
    let told: FxHashSet<Slot> = match judgement.verdict {
        Verdict::NotDeadlocked => judgement.moved.iter().copied().collect(),
        _ => FxHashSet::default(),
    };
    for (slot, member) in job.members.numbered().filter(|(slot, _)| !told.contains(slot)) {
        let Doing::Unknown(why) = now.waits.ranks[slot].doing else { continue };
        // The text of a limit says which one, and how to read more.
        let why = member.process.cut().map_or(why.into(), |limit| limit.to_string().into());
        match reasons.iter_mut().find(|(other, _)| *other == why) {
            _ if member.presence == Presence::Unread => {}
            Some((_, ranks)) => ranks.push(member.rank),
            None => reasons.push((why, vec![member.rank])),
        }
    }
    missing.extend(
        reasons
            .into_iter()
            .map(|(why, ranks)| format!("{}: {why}", words::ranks(&Ranks::of(ranks)))),
    );
    missing.extend(may_not_return(job, &judgement.finalizing));
    let polling = |(slot, _): &(Slot, _)| now.waits.ranks[*slot].doing == Doing::Tests;
    let polling = job.members.numbered().filter(polling).map(|(_, member)| member.rank);
    let polling = Ranks::of(polling);
    let Judgement { verdict, stuck, moved, .. } = judgement;
    let stuck_and = |has: fn(&Process) -> bool| {
        let members = job.members.numbered();
        let members = members.filter(|(slot, one)| has(one.process) && stuck.slots[*slot]);
        Ranks::of(members.map(|(_, one)| one.rank))
    };
    let starved = stuck_and(|process| process.starved);
    if *verdict == Verdict::Insufficient && !starved.is_empty() {
        missing.push(format!(
            "{} may not have had a turn on a processor between the looks: look again, with a \
             longer --recheck",
            words::ranks(&starved)
        ));
    }
    let stopped = stuck_and(|process| process.stopped);
    if *verdict == Verdict::Insufficient && again && !stopped.is_empty() {
        missing.push(format!(
            "a signal has stopped {}, so two looks prove nothing: look again after SIGCONT (kill \
             -CONT PID)",
            words::ranks(&stopped)
        ));
    }
    if *verdict == Verdict::Insufficient && !polling.is_empty() {
        missing.push(format!(
            "{} for something that the queues do not show: the call stacks show the loop (mqd \
             stacks)",
            words::subject(&polling, "polls", "poll")
        ));
    }
    if *verdict == Verdict::Insufficient && stuck.any() && job.doubt.is_none() {
        let only = |caution| now.stuck(caution, moved).any();
        if !again && only(Caution::Lasting) {
            let next = "one look is not enough; look at the live job again (--recheck)";
            missing.push(next.to_owned());
        } else if only(Caution::Messages) {
            missing.push(doubt_of_messages(job, again));
        }
    }
    if *verdict == Verdict::Insufficient && missing.is_empty() {
        missing.push(doubt(now, judgement, again));
    }
    if *verdict == Verdict::Deadlocked {
        missing.extend(perhaps_stuck_too(now, judgement));
    }
    missing
}

/// Why a message may yet come to ranks that seem to be stuck, and the next step.
fn doubt_of_messages(job: &Job<'_>, again: bool) -> String {
    // The text of a limit says how to read more.
    if let Some(limit) = job.members.items().iter().find_map(|member| member.process.cut()) {
        return limit.to_string();
    }
    let why = if again && job.stands_still() {
        "no rank sent anything to another one between the looks, not even through shared memory. \
         But a rank may be busy with work of its own: see whether the ranks move (mqd stacks \
         --samples)"
    } else if again && ran_on(job) {
        "the ranks of a host did not stand still together until all were read, so a message may \
         be on its way. Allow more time with --stop-limit; more than 64 ranks of a host are not \
         stopped together"
    } else {
        "nothing counts the messages between these ranks, so one may be on its way. See where \
         their senders are now and later (mqd stacks --samples)"
    };
    why.to_owned()
}

/// Did a process run on, although a look at one moment would tell more about it?
fn ran_on(job: &Job<'_>) -> bool {
    job.members.items().iter().any(|member| {
        let is_read = member.presence == Presence::Read;
        is_read && !member.process.held && fifos::tell_of_moment(member.process)
    })
}

/// The ranks that were not read, and why, as far as that is known. There may be far more such ranks
/// than processes in the report.
fn unread(job: &Job<'_>) -> Vec<String> {
    let mut reasons: Vec<(String, Vec<Rank>)> = Vec::new();
    for member in job.members.items().iter().filter(|member| job.unread.contains(member.rank.get()))
    {
        let Some(error) = member.process.errors.first() else { continue };
        let why = match calls(member.process) {
            Calls::Function(function) if is_init(function) => {
                "MPI_Init may wait until all ranks of the job have called it: see where the others \
                 are"
                .to_owned()
            }
            // The text says which bound, and how to read more.
            _ if error.kind == ProblemKind::Limit => error.to_string(),
            _ => error.kind.describe().to_owned(),
        };
        match reasons.iter_mut().find(|(other, _)| *other == why) {
            Some((_, ranks)) => ranks.push(member.rank),
            None => reasons.push((why, vec![member.rank])),
        }
    }
    let subject = |ranks: &Ranks| words::subject(ranks, "was", "were");
    let mut others = job.unread.clone();
    let mut told = Vec::new();
    for (why, ranks) in reasons {
        let ranks = Ranks::of(ranks);
        told.push(format!("{} not read: {why}", subject(&ranks)));
        others = others.without(&ranks);
    }
    if !others.is_empty() {
        told.push(format!("{} not read", subject(&others)));
    }
    told
}

/// Ranks in `MPI_Finalize`, if there are any.
fn may_not_return(job: &Job<'_>, finalizing: &[Slot]) -> Option<String> {
    let ranks = Ranks::of(finalizing.iter().map(|slot| job.rank(*slot)));
    (!ranks.is_empty()).then(|| {
        format!(
            "{}: in MPI_Finalize, which may wait for the other ranks, or for a message to be \
             received: see whether the call stack changes (mqd stacks --samples)",
            words::ranks(&ranks)
        )
    })
}

/// Ranks beside the stuck ones that may wait for these, or may be about to go on: a moment of a
/// waiting loop does not tell.
fn perhaps_stuck_too(now: &Analysis<'_>, judgement: &Judgement) -> Option<String> {
    let Judgement { stuck, doubtful, .. } = judgement;
    let is_open = |slot: &Slot| {
        let doing = &now.waits.ranks[*slot].doing;
        matches!(doing, Doing::Waits | Doing::WaitsForSome)
            && doubtful.slots[*slot]
            && !stuck.slots[*slot]
    };
    let open = now.job.members.ids().filter(is_open).map(|slot| now.job.rank(slot));
    let open = Ranks::of(open);
    (!open.is_empty()).then(|| {
        format!(
            "{} may be stuck, too: look again (--recheck), or capture the job again",
            words::ranks(&open)
        )
    })
}

/// Why nothing is certain although everything was read, and what to do next.
fn doubt(now: &Analysis<'_>, judgement: &Judgement, again: bool) -> String {
    let is_doubtful = |slot: &Slot| judgement.doubtful.slots[*slot];
    let ranks = now.job.members.ids().filter(is_doubtful).map(|slot| now.job.rank(slot));
    let ranks = Ranks::of(ranks);
    let with_strangers =
        |slot: &Slot| now.job.members[*slot].comms.items().iter().any(|comm| is_hidden(now, *comm));
    let doubtful = now.job.members.ids().filter(is_doubtful);
    let strangers = Ranks::of(doubtful.filter(with_strangers).map(|slot| now.job.rank(slot)));
    if !strangers.is_empty() {
        let is_across = now.job.comms.items().iter().any(|comm| now.job.has_strangers(comm));
        let next = match is_across {
            true => ". Nothing is proved across jobs: check that job, too",
            false => " that were not read: read the processes of that job too",
        };
        return format!("{} may wait for processes of another job{next}", words::ranks(&strangers));
    }
    let next = if again { "look again, with a longer --recheck" } else { "look again (--recheck)" };
    format!(
        "{} may be about to go on, or wait for something that was not seen: {next}",
        words::ranks(&ranks)
    )
}

/// Is the other group of a communicator one of another job?
fn is_hidden(now: &Analysis<'_>, comm: CommId) -> bool {
    now.job.comms[comm].peers == Peers::Hidden
}

/// The verdict in a sentence.
fn reason(diagnosis: &Diagnosis, certainty: Certainty) -> String {
    let Diagnosis { stuck, moving, unknown, seconds, .. } = diagnosis;
    match diagnosis.verdict {
        Verdict::Deadlocked => {
            let limit = match (certainty, seconds) {
                (Certainty::TwoLooks, Some(seconds)) => {
                    format!(", as far as two looks {seconds} s apart can tell")
                }
                _ => String::new(),
            };
            format!("{} can never go on{limit}", words::ranks(stuck))
        }
        Verdict::NotDeadlocked if moving.is_empty() => "all ranks have finished".to_owned(),
        Verdict::NotDeadlocked => format!("{} can go on", words::ranks(moving)),
        Verdict::Insufficient if stuck.is_empty() => {
            if unknown.is_empty() {
                "the report shows no rank".to_owned()
            } else {
                format!("it is not known whether {} can go on", words::ranks(unknown))
            }
        }
        Verdict::Insufficient => {
            format!(
                "{} to be stuck, but what was read does not prove it",
                words::subject(stuck, "seems", "seem")
            )
        }
    }
}
