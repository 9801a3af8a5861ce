//! JSON: the contract of `docs/json.md`.

use crate::report::Report;

/// The report as indented JSON, with a newline at the end.
pub fn json(report: &Report) -> String {
    let mut text = serde_json::to_string_pretty(report).expect("a report is plain data: strings, numbers and lists");
    text.push('\n');
    text
}
