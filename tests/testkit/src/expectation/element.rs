//! Compares one operation or message with what was recorded of it.

use serde_json::Value;

use super::coverage::Coverage;
use super::difference::Kind;
use crate::record::{Message, Operation};

/// The line that the report shows for a receive of which only the message is known.
const MESSAGE_ONLY: &str = "the matched message; the receive's arguments are lost";
/// The line of a send whose length is not known. It is given as 0.
const LENGTH_NOT_KEPT: &str = "length not kept";

fn has_line(shown: &Value, wanted: impl Fn(&str) -> bool) -> bool {
    super::array(&shown["extra_text"]).iter().filter_map(Value::as_str).any(wanted)
}

impl Operation {
    /// The same receive from the only process of a communicator.
    pub(super) fn from(&self, group: &[i64]) -> Operation {
        let global_rank = group.first().copied().unwrap_or(self.global_rank);
        Operation { local_rank: 0, global_rank, ..self.clone() }
    }

    /// What is wrong with a send or receive of the report.
    pub(super) fn compare(&self, coverage: Coverage, is_send: bool, shown: &Value) -> Vec<Kind> {
        if !coverage.received_calls && has_line(shown, |line| line == MESSAGE_ONLY) {
            return self.compare_message(shown);
        }
        let lacks_length = is_send
            && !coverage.lengths_of_sends
            && has_line(shown, |line| line == LENGTH_NOT_KEPT);
        if lacks_length && self.length != Some(0) {
            let without = Operation { length: Some(0), ..self.clone() };
            return without.compare(coverage, is_send, shown);
        }
        let mut fields = vec![
            ("status", self.status.clone().into()),
            ("desired_local_rank", self.local_rank.into()),
            ("desired_global_rank", self.global_rank.into()),
            ("tag_wild", self.tag_wild.into()),
            ("desired_tag", self.tag.into()),
            ("system_buffer", self.system_buffer.into()),
        ];
        fields.extend(self.length.map(|length| ("desired_length", length.into())));
        let not_shown = !coverage.scattered_buffers && shown["buffer"] == "0x0";
        let buffer = self.buffer.as_ref().filter(|_| !self.system_buffer && !not_shown);
        fields.extend(buffer.map(|buffer| ("buffer", buffer.clone().into())));
        if !self.cancelled {
            fields.extend(self.envelope(is_send));
        }
        let mut wrong = different(&fields, shown);

        let elements =
            self.count.zip(self.datatype.as_deref()).map(|(count, datatype)| match datatype {
                // It has no name to be shown.
                "" => format!("{count} x "),
                name => format!("{count} x {name}"),
            });
        let compared = coverage.elements || has_line(shown, |line| line.contains(" x "));
        let elements = elements.filter(|_| compared);
        let call = coverage.calls.then(|| self.call.clone());
        let protocol = self.protocol.as_ref().filter(|_| coverage.protocols);
        let protocol = protocol.map(|protocol| format!("protocol: {protocol}"));
        wrong.extend(missing_text(shown, [call, elements, protocol]));
        wrong
    }

    /// What is wrong with a receive of which only the message is known.
    fn compare_message(&self, shown: &Value) -> Vec<Kind> {
        let [local_rank, global_rank, tag, length] = self.envelope(false);
        let desired = [
            ("desired_local_rank", local_rank.1.clone()),
            ("desired_global_rank", global_rank.1.clone()),
            ("desired_tag", tag.1.clone()),
            ("desired_length", length.1.clone()),
            ("status", self.status.clone().into()),
        ];
        let mut wrong = different(&desired, shown);
        wrong.extend(different(&[local_rank, global_rank, tag, length], shown));
        wrong
    }

    /// The fields of the message: for a send, its own; for a receive, the message that it has
    /// matched.
    fn envelope(&self, is_send: bool) -> [(&'static str, Value); 4] {
        let (local_rank, global_rank, tag, length) = match &self.actual {
            _ if is_send => (Some(self.local_rank), Some(self.global_rank), self.tag, self.length),
            Some(actual) => (
                Some(actual.local_rank),
                Some(actual.global_rank),
                Some(actual.tag),
                Some(actual.length),
            ),
            None => (None, None, None, None),
        };
        [
            ("actual_local_rank", local_rank.into()),
            ("actual_global_rank", global_rank.into()),
            ("actual_tag", tag.into()),
            ("actual_length", length.into()),
        ]
    }
}

impl Message {
    /// What is wrong with an unexpected message of the report.
    pub(super) fn compare(&self, coverage: Coverage, shown: &Value) -> Vec<Kind> {
        let mut wrong = different(
            &[
                ("status", "pending".into()),
                ("tag_wild", false.into()),
                ("system_buffer", true.into()),
                ("desired_local_rank", self.local_rank.into()),
                ("desired_global_rank", self.global_rank.into()),
                ("desired_tag", self.tag.into()),
                ("desired_length", self.length.into()),
                ("actual_local_rank", self.local_rank.into()),
                ("actual_global_rank", self.global_rank.into()),
                ("actual_tag", self.tag.into()),
                ("actual_length", self.length.into()),
            ],
            shown,
        );
        if !coverage.arrivals {
            return wrong;
        }
        let nowhere = shown["buffer"] == "0x0";
        match self.protocol.as_deref() {
            Some("eager") if nowhere && self.length > 0 => wrong.push(Kind::Buffer { here: true }),
            Some("rendezvous") if !nowhere => wrong.push(Kind::Buffer { here: false }),
            _ => {}
        }
        let protocol =
            self.protocol.as_ref().filter(|protocol| coverage.self_protocol || *protocol != "self");
        let protocol = protocol.map(|protocol| format!("protocol: {protocol}"));
        wrong.extend(missing_text(shown, [protocol]));
        wrong
    }
}

fn different(fields: &[(&str, Value)], shown: &Value) -> Vec<Kind> {
    let compared =
        fields.iter().map(|(name, expected)| Kind::field(name, expected.clone(), &shown[*name]));
    compared.flatten().collect()
}

/// The texts that `extra_text` lacks. Long names continue on the next line.
fn missing_text<const N: usize>(shown: &Value, expected: [Option<String>; N]) -> Vec<Kind> {
    let lines: Vec<&str> =
        super::array(&shown["extra_text"]).iter().filter_map(Value::as_str).collect();
    let whole = lines.concat();
    let is_there = |expected: &String| {
        let continued = expected.len() > 63 && whole.contains(expected);
        continued || lines.contains(&expected.as_str()) || unnamed(expected, &lines)
    };
    let missing = expected.into_iter().flatten().filter(|expected| !is_there(expected));
    let shown = || lines.iter().map(|line| (*line).to_owned()).collect();
    missing.map(|expected| Kind::Text { expected, shown: shown() }).collect()
}

/// `3 x ` and a datatype without a name: a text has to follow, but it is not known which.
fn unnamed(expected: &str, lines: &[&str]) -> bool {
    expected.ends_with(" x ") && lines.iter().any(|line| line.starts_with(expected))
}
