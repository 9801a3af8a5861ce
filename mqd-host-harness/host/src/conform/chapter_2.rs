//! Chapter 2: what is in the three queues, and in which order.

use mqd_report::Queue;

use super::bench::{Bench, Subject};
use super::compare::{Comparison, compared, of_scenario};
use super::scenario::Truth;
use super::{Judge, Judgement, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "sends",
        section: "2",
        sentence: "The send queue represents all of the outstanding send operations, blocking and \
                   nonblocking",
        judge: Judge::Each(sends),
    },
    Rule {
        id: "receives",
        section: "2",
        sentence: "The receive queue represents all of the outstanding receive operations",
        judge: Judge::Each(receives),
    },
    Rule {
        id: "unexpected-messages",
        section: "2",
        sentence: "The unexpected message queue represents all the messages that have arrived and \
                   have not been matched yet",
        judge: Judge::Each(unexpected),
    },
    Rule {
        id: "remain-until-completed",
        section: "2",
        sentence: "Nonblocking operations remain on these queues until they have been completed \
                   by MPI_WAIT, MPI_TEST and the like",
        judge: Judge::Each(completed),
    },
    Rule {
        id: "nothing-else",
        section: "2",
        sentence: "The send and receive queues store the unfinished operations that the process \
                   has started, and nothing else",
        judge: Judge::Each(nothing_else),
    },
    Rule {
        id: "order-of-receives",
        section: "2",
        sentence: "The order of the receives represents the order of matching",
        judge: Judge::Each(order_of_receives),
    },
    Rule {
        id: "order-of-messages",
        section: "2",
        sentence: "The order of the unexpected messages represents the order of matching",
        judge: Judge::Each(order_of_messages),
    },
];

fn sends(bench: &Bench, subject: &Subject) -> Judgement {
    all_of(bench, subject, Queue::Sends, false)
}

fn receives(bench: &Bench, subject: &Subject) -> Judgement {
    all_of(bench, subject, Queue::Receives, false)
}

fn unexpected(bench: &Bench, subject: &Subject) -> Judgement {
    all_of(bench, subject, Queue::Unexpected, false)
}

fn completed(bench: &Bench, subject: &Subject) -> Judgement {
    of_scenario(bench, subject, |truth, _, comparison| {
        let number = truth.operations.iter().filter(|one| one.complete).count();
        let missing = comparison.missing.iter().filter(|one| one.complete);
        let reasons: Vec<String> = missing.map(|one| not_listed(&one.described())).collect();
        compared(number, &reasons)
    })
}

/// All operations of one queue are listed.
fn all_of(bench: &Bench, subject: &Subject, queue: Queue, complete: bool) -> Judgement {
    of_scenario(bench, subject, |truth, reading, comparison| {
        let is_one =
            |one: &super::scenario::Expected| one.queue == queue && one.complete == complete;
        let number = truth.operations.iter().filter(|one| is_one(one)).count();
        let missing = comparison.missing.iter().filter(|one| is_one(one));
        let mut reasons: Vec<String> = missing.map(|one| not_listed(&one.described())).collect();
        if let (Some(first), Some(trouble)) = (reasons.first_mut(), reading.trouble()) {
            first.push_str(&format!(" ({trouble})"));
        }
        compared(number, &reasons)
    })
}

fn not_listed(what: &str) -> String {
    format!("not listed: {what}")
}

fn nothing_else(bench: &Bench, subject: &Subject) -> Judgement {
    of_scenario(bench, subject, |_, _, comparison| {
        let reasons: Vec<String> = comparison.extra.iter().map(|(_, text)| text.clone()).collect();
        Judgement::of(&reasons)
    })
}

fn order_of_receives(bench: &Bench, subject: &Subject) -> Judgement {
    of_scenario(bench, subject, |truth, _, comparison| {
        order(truth, comparison, Queue::Receives, |_| 0)
    })
}

/// Messages of one sender match in the order in which they were sent.
fn order_of_messages(bench: &Bench, subject: &Subject) -> Judgement {
    of_scenario(bench, subject, |truth, _, comparison| {
        order(truth, comparison, Queue::Unexpected, |peer| peer)
    })
}

/// The elements of a queue of a communicator, for each group of peers, are listed in the order of
/// the program.
fn order(
    truth: &Truth,
    comparison: &Comparison<'_>,
    queue: Queue,
    group: fn(i64) -> i64,
) -> Judgement {
    let mut reasons = Vec::new();
    let mut number = 0;
    for communicator in &truth.communicators {
        let pairs: Vec<_> = comparison
            .pairs
            .iter()
            .filter(|pair| {
                let one = pair.expected;
                one.comm == communicator.comm && one.queue == queue && !one.complete
            })
            .collect();
        for (at, later) in pairs.iter().enumerate() {
            let of = |pair: &super::compare::Pair<'_>| group(pair.expected.peer.unwrap_or(-1));
            let Some(earlier) = pairs[..at].iter().rev().find(|pair| of(pair) == of(later)) else {
                continue;
            };
            number += 1;
            if earlier.place > later.place {
                reasons.push(format!(
                    "listed before the other, which matches first: {}; {}",
                    later.expected.described(),
                    earlier.expected.described()
                ));
            }
        }
    }
    compared(number, &reasons)
}
