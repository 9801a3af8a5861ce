//! How much of a rank's record a report shows. It serves reports with many errors.

use std::collections::BTreeMap;

use serde_json::Value;

use super::array;
use super::coverage::Coverage;
use crate::record::{Message, Operation, Record};

/// How much of a rank's record a report shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Operations and messages in the record.
    pub expected: usize,
    /// How many of these are not shown.
    pub missing: usize,
    /// Operations and messages that are shown and are not in the record.
    pub extra: usize,
    /// Wrong fields of those that are shown.
    pub wrong_fields: usize,
}

/// Counts what is right and wrong for one rank, in any order. Operations are identified by their
/// buffers, messages by their order.
pub fn tally(coverage: Coverage, records: &[Record], rank: i64, report: &Value) -> Tally {
    let mut tally = Tally::default();
    let record = records.iter().find(|record| record.rank == rank);
    let process = array(&report["processes"]).iter().find(|process| process["rank"] == rank);
    for communicator in record.into_iter().flat_map(|record| &record.communicators) {
        let mut shown = process.into_iter().flat_map(|process| array(&process["communicators"]));
        let name = communicator.shown_name();
        let shown = shown.find(|shown| shown["name"] == name).unwrap_or(&Value::Null);
        tally.operations(coverage, &communicator.sends, true, &shown["pending_sends"]);
        tally.operations(coverage, &communicator.receives, false, &shown["pending_receives"]);
        let messages = communicator.messages_to(rank, records);
        tally.messages(coverage, &messages, &shown["unexpected_messages"]);
    }
    tally
}

impl Tally {
    fn operations(
        &mut self,
        coverage: Coverage,
        expected: &[Operation],
        is_send: bool,
        queue: &Value,
    ) {
        let mut by_buffer: BTreeMap<&str, &Value> = BTreeMap::new();
        for operation in array(queue) {
            let buffer = operation["buffer"].as_str().unwrap_or_default();
            if by_buffer.insert(buffer, operation).is_some() {
                self.extra += 1;
            }
        }
        for operation in
            expected.iter().filter(|operation| coverage.requests || !operation.ready_made)
        {
            self.expected += 1;
            match operation.buffer.as_deref().and_then(|buffer| by_buffer.remove(buffer)) {
                Some(shown) => {
                    self.wrong_fields += operation.compare(coverage, is_send, shown).len();
                }
                None => self.missing += 1,
            }
        }
        self.extra += by_buffer.len();
    }

    fn messages(&mut self, coverage: Coverage, expected: &[&Message], queue: &Value) {
        let shown = array(queue);
        self.expected += expected.len();
        self.missing += expected.len().saturating_sub(shown.len());
        self.extra += shown.len().saturating_sub(expected.len());
        let compared = expected.iter().zip(shown);
        self.wrong_fields +=
            compared.map(|(message, shown)| message.compare(coverage, shown).len()).sum::<usize>();
    }
}
