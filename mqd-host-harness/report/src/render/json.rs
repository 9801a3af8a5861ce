//! JSON: the contract of `docs/json.md`.

use serde::Serialize;

/// A report or a diagnosis as indented JSON, with a newline at the end.
pub fn json(content: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(content)
        .expect("it is plain data: strings, numbers and lists");
    text.push('\n');
    text
}
