//! Reports as text. Each renderer is a pure function of a report; only the command line knows about
//! files and terminals.

mod check;
mod csv;
mod human;
mod json;
mod look;

pub use self::check::check;
pub use self::csv::csv;
pub use self::human::{HumanOptions, human};
pub(crate) use self::human::{bytes, count, counted, name, peer_text, short_title, tag_text};
pub use self::json::json;
pub use self::look::look;

/// Text from the target with control characters made visible, also those that turn the direction of
/// text, so that no name can play tricks on its reader.
pub(crate) fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() || turns_text(character) {
            out.extend(character.escape_default());
        } else {
            out.push(character);
        }
    }
    out
}

/// Unicode's controls of the direction of text, and its separators of lines and paragraphs.
fn turns_text(character: char) -> bool {
    matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
