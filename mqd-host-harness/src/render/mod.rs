//! Reports as text. Each renderer is a pure function of a report; only the command line knows about files and terminals.

mod check;
mod csv;
mod human;
mod json;

pub use self::check::check;
pub use self::csv::csv;
pub use self::human::{HumanOptions, human};
pub use self::json::json;

/// Text from the target with control characters made visible, so that no name can play tricks on the terminal.
pub(crate) fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() { out.extend(character.escape_default()) } else { out.push(character) }
    }
    out
}
