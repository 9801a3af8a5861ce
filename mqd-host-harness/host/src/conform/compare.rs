//! What a DLL shows, beside what must be in the queues of the scenario.

use mqd_report::Queue;
use mqs_abi::mqs_pending_operation;

use super::bench::{Bench, Subject};
use super::reading::{Listed, Reading};
use super::scenario::{Expected, ExpectedComm, Truth};
use super::{Judgement, Verdict};

/// An operation of the scenario and the listed one that stands for it.
pub(super) struct Pair<'a> {
    pub(super) expected: &'a Expected,
    pub(super) shown: &'a mqs_pending_operation,
    /// Its place in its queue.
    pub(super) place: usize,
}

/// A reading beside the truth.
pub(super) struct Comparison<'a> {
    /// The communicators of the scenario that are listed.
    pub(super) communicators: Vec<(&'a ExpectedComm, &'a Listed)>,
    pub(super) pairs: Vec<Pair<'a>>,
    /// What is not listed.
    pub(super) missing: Vec<&'a Expected>,
    /// Operations that are none, described.
    pub(super) extra: Vec<(Queue, String)>,
}

impl<'a> Comparison<'a> {
    pub(super) fn new(truth: &'a Truth, reading: &'a Reading) -> Comparison<'a> {
        let mut comparison = Comparison {
            communicators: Vec::new(),
            pairs: Vec::new(),
            missing: Vec::new(),
            extra: Vec::new(),
        };
        for expected in &truth.communicators {
            let name = expected.comm.name();
            let is_it = |listed: &&Listed| listed.name().as_deref() == Some(name);
            let listed = reading.communicators.iter().find(is_it);
            comparison.communicators.extend(listed.map(|listed| (expected, listed)));
            for queue in Queue::ALL {
                let shown = listed.and_then(|listed| listed.queue(queue)).unwrap_or_default();
                let operations = truth
                    .operations
                    .iter()
                    .filter(|one| one.comm == expected.comm && one.queue == queue);
                comparison.queue((name, queue), operations, shown);
            }
        }
        comparison
    }

    /// Pairs each operation with the listed one that is most like it.
    fn queue(
        &mut self,
        (communicator, queue): (&str, Queue),
        operations: impl Iterator<Item = &'a Expected>,
        shown: &'a [mqs_pending_operation],
    ) {
        let mut left: Vec<usize> = (0..shown.len()).collect();
        for expected in operations {
            let best = left.iter().copied().max_by_key(|place| likeness(expected, &shown[*place]));
            match best.filter(|place| likeness(expected, &shown[*place]) >= ALIKE) {
                Some(place) => {
                    left.retain(|other| *other != place);
                    self.pairs.push(Pair { expected, shown: &shown[place], place });
                }
                None => self.missing.push(expected),
            }
        }
        let extra = left.into_iter().map(|place| {
            let one = &shown[place];
            let text = format!(
                "{communicator} lists an operation with rank {}, tag {}, {} bytes, which the \
                 program has not",
                one.desired_local_rank, one.desired_tag, one.desired_length
            );
            (queue, text)
        });
        self.extra.extend(extra);
    }
}

/// From this likeness on, a listed operation stands for one of the scenario, even if some fields
/// are wrong.
const ALIKE: u32 = 3;

/// How much a listed operation is like one of the scenario. Buffers, tags and lengths of the
/// scenario all differ.
fn likeness(expected: &Expected, shown: &mqs_pending_operation) -> u32 {
    let tag = match expected.tag {
        Some(tag) => shown.tag_wild == 0 && shown.desired_tag == tag,
        None => shown.tag_wild != 0,
    };
    let length = shown.desired_length == expected.length;
    let buffer = expected.buffer.is_some_and(|buffer| shown.buffer == buffer);
    4 * u32::from(buffer)
        + 2 * u32::from(tag)
        + 2 * u32::from(length)
        + u32::from(expected.peer.is_some_and(|peer| shown.desired_local_rank == peer))
}

/// Judges a process of the scenario by what is shown of it.
pub(super) fn of_scenario(
    bench: &Bench,
    subject: &Subject,
    judge: impl FnOnce(&Truth, &Reading, &Comparison<'_>) -> Judgement,
) -> Judgement {
    let truth = match &subject.truth {
        Ok(truth) => truth,
        Err(why) => return Judgement::not_applicable(why.to_string()),
    };
    let reading = bench.read(subject);
    if !reading.accepted {
        return refused(&reading);
    }
    judge(truth, &reading, &Comparison::new(truth, &reading))
}

/// Nothing can be judged of a process that the DLL does not accept. That it accepts none is a
/// failure of other rules.
pub(super) fn refused(reading: &Reading) -> Judgement {
    let why = reading.trouble().unwrap_or_default();
    Judgement::not_applicable(format!("the DLL does not accept the process: {why}"))
}

/// Failed for the first of these reasons, if there are any; else not applicable if nothing was
/// compared.
pub(super) fn compared(number: usize, reasons: &[String]) -> Judgement {
    let judgement = Judgement::of(reasons);
    match (judgement.verdict, number) {
        (Verdict::Pass, 0) => Judgement::not_applicable("this process has none"),
        _ => judgement,
    }
}
