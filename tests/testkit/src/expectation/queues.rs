//! Compares the queues of a communicator with the operations that were recorded.

use std::collections::BTreeMap;
use std::fmt::Debug;

use serde_json::Value;

use super::difference::{Kind, Queue};
use super::{Comparison, Findings, array};
use crate::record::{Communicator, Message, Operation};

impl Comparison<'_> {
    pub(super) fn sends(self, found: &mut Findings<'_>, expected: &Communicator, shown: &Value) {
        let mut found = found.within(|subject| subject.queue = Some(Queue::Sends));
        let mut shown: Vec<&Value> = array(&shown["pending_sends"]).iter().collect();
        // Each of these is compared as an unexpected message, too.
        let may_be_over = |shown: &Value| {
            self.is_alone(expected)
                || !self.coverage.own_sends && shown["desired_global_rank"] == self.record.rank
        };
        let is_recorded = |operation: &Operation, shown: &Value| {
            operation.status == "pending"
                && shown["desired_tag"] == Value::from(operation.tag)
                && has_data_of(operation, shown)
        };
        shown.retain(|shown| {
            !may_be_over(shown) || expected.sends.iter().any(|one| is_recorded(one, shown))
        });
        let is_shown = |operation: &Operation| {
            let same = |shown: &&Value| {
                shown["desired_tag"] == Value::from(operation.tag)
                    && shown["status"] == operation.status.as_str()
                    && has_data_of(operation, shown)
            };
            shown.iter().any(same)
        };
        let expected = expected.sends.iter();
        let expected = expected
            .filter(|operation| self.coverage.requests || !operation.ready_made)
            .filter(|operation| {
                let may_miss = (!self.coverage.complete_sends && operation.status == "complete")
                    || (!self.coverage.buffered_sends && operation.system_buffer);
                !may_miss || is_shown(operation)
            })
            .collect();
        let compare = |operation: &Operation, shown: &Value| self.operation(operation, true, shown);
        if self.coverage.order_of_sends {
            self.in_order(&mut found, expected, shown, compare);
        } else {
            let to = |operation: &Operation| operation.local_rank;
            let ordered = self.coverage.order_to_one;
            self.by_peer(&mut found, expected, shown, (to, ordered), "desired_local_rank", compare);
        }
    }

    /// Posted receives are in the order of matching. The order of matched ones depends on which
    /// message came first.
    pub(super) fn receives(self, found: &mut Findings<'_>, expected: &Communicator, shown: &Value) {
        let (waiting, matched): (Vec<_>, Vec<_>) = array(&shown["pending_receives"])
            .iter()
            .partition(|operation| operation["status"] == "pending");
        let recorded: Vec<Operation> = expected
            .receives
            .iter()
            .filter(|one| self.coverage.complete_receives || one.status != "complete")
            .filter(|one| self.coverage.probes || !one.is_probe())
            .map(
                |one| if self.is_alone(expected) { one.from(&expected.group) } else { one.clone() },
            )
            .collect();
        let (expected_waiting, expected_matched): (Vec<_>, Vec<_>) =
            recorded.iter().partition(|operation| operation.status == "pending");
        let compare =
            |operation: &Operation, shown: &Value| self.operation(operation, false, shown);
        let mut posted = found.within(|subject| subject.queue = Some(Queue::PostedReceives));
        if self.coverage.order_of_receives {
            self.in_order(&mut posted, expected_waiting, waiting, compare);
        } else {
            let from = |operation: &Operation| operation.local_rank;
            let field = "desired_local_rank";
            self.by_peer(&mut posted, expected_waiting, waiting, (from, true), field, compare);
        }
        let mut others = found.within(|subject| subject.queue = Some(Queue::MatchedReceives));
        in_any_order(&mut others, expected_matched, matched, compare);
    }

    /// Is it a communicator of one process, for which the library keeps less?
    fn is_alone(self, communicator: &Communicator) -> bool {
        !self.coverage.own_calls && communicator.remote_group.is_none() && communicator.size == 1
    }

    /// Messages of one sender arrive in the order in which they were sent. Between senders there is
    /// no order.
    pub(super) fn unexpected_messages(
        self,
        found: &mut Findings<'_>,
        expected: &Communicator,
        shown: &Value,
    ) {
        let mut found = found.within(|subject| subject.queue = Some(Queue::UnexpectedMessages));
        let expected = expected.messages_to(self.record.rank, self.records);
        let shown = array(&shown["unexpected_messages"]).iter().collect();
        let compare = |message: &Message, shown: &Value| message.compare(self.coverage, shown);
        let from = |message: &Message| message.global_rank;
        self.by_peer(&mut found, expected, shown, (from, true), "desired_global_rank", compare);
    }

    fn operation(self, operation: &Operation, is_send: bool, shown: &Value) -> Vec<Kind> {
        let mut wrong = operation.compare(self.coverage, is_send, shown);
        if let Some(stay) = &self.record.stays
            && (self.tells(stay) || !shown["awaited"].is_null())
        {
            let awaited = (!self.record.threads).then_some(operation.awaited);
            wrong.extend(Kind::field("awaited", awaited, &shown["awaited"]));
        }
        wrong
    }

    /// Compares the elements of each peer separately.
    fn by_peer<T: Debug>(
        self,
        found: &mut Findings<'_>,
        expected: Vec<&T>,
        shown: Vec<&Value>,
        (peer, ordered): (impl Fn(&T) -> i64, bool),
        field: &str,
        compare: impl Fn(&T, &Value) -> Vec<Kind>,
    ) {
        let mut peers: BTreeMap<i64, (Vec<&T>, Vec<&Value>)> = BTreeMap::new();
        for element in expected {
            peers.entry(peer(element)).or_default().0.push(element);
        }
        for element in shown {
            peers.entry(element[field].as_i64().unwrap_or(-1)).or_default().1.push(element);
        }
        for (peer, (expected, shown)) in peers {
            let mut found = found.within(|subject| subject.peer = Some(peer));
            if ordered {
                self.in_order(&mut found, expected, shown, &compare);
            } else {
                in_any_order(&mut found, expected, shown, &compare);
            }
        }
    }

    /// Compares elements one by one, if the record has an order.
    fn in_order<T: Debug>(
        self,
        found: &mut Findings<'_>,
        expected: Vec<&T>,
        shown: Vec<&Value>,
        compare: impl Fn(&T, &Value) -> Vec<Kind>,
    ) {
        if self.record.unordered {
            return in_any_order(found, expected, shown, compare);
        }
        if !same_number(found, &expected, &shown) {
            return;
        }
        for (number, (expected, shown)) in expected.into_iter().zip(shown).enumerate() {
            element(found, number, compare(expected, shown));
        }
    }
}

/// Whether a shown send has the data of a recorded one. Where the library keeps data in a buffer of
/// its own, that one is shown, and only the length tells.
fn has_data_of(operation: &Operation, shown: &Value) -> bool {
    match operation.buffer.as_deref().filter(|_| !operation.system_buffer) {
        Some(buffer) => shown["buffer"] == buffer,
        None => operation.length.is_none_or(|length| shown["desired_length"] == length),
    }
}

/// Pairs each expected element with the shown one that has the fewest differences.
fn in_any_order<T: Debug>(
    found: &mut Findings<'_>,
    expected: Vec<&T>,
    mut shown: Vec<&Value>,
    compare: impl Fn(&T, &Value) -> Vec<Kind>,
) {
    if !same_number(found, &expected, &shown) {
        return;
    }
    for (number, expected) in expected.into_iter().enumerate() {
        let against = shown.iter().map(|shown| compare(expected, shown)).enumerate();
        if let Some((at, against)) = against.min_by_key(|(_, against)| against.len()) {
            shown.remove(at);
            element(found, number, against);
        }
    }
}

fn element(found: &mut Findings<'_>, number: usize, against: Vec<Kind>) {
    let mut found = found.within(|subject| subject.element = Some(number));
    against.into_iter().for_each(|kind| found.say(kind));
}

/// Reports a difference if there are more or fewer elements than recorded.
fn same_number<T: Debug>(found: &mut Findings<'_>, expected: &[&T], shown: &[&Value]) -> bool {
    let same = expected.len() == shown.len();
    if !same {
        found.say(Kind::Elements {
            expected: expected.iter().map(|element| format!("{element:?}")).collect(),
            shown: shown.iter().map(|element| (*element).clone()).collect(),
        });
    }
    same
}
