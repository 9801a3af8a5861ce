//! Text of the job in each medium: names, paths and texts can come from anybody, and must not be
//! more than text where they are shown. HTML and JSON are escaped by their libraries.

use std::borrow::Cow;

/// For a terminal and for pictures: control characters are escaped, including those that change the
/// direction of text. No name can change what is shown around it.
pub fn printable(text: &str) -> String {
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

/// Is this a Unicode control of the direction of text, or a separator of lines or paragraphs?
fn turns_text(character: char) -> bool {
    matches!(
        character,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

/// For a cell of CSV. A spreadsheet evaluates a text that begins like a formula, so such a text
/// gets a leading apostrophe. The CSV writer adds the quotes.
pub fn cell(text: &str) -> Cow<'_, str> {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if is_formula { format!("'{text}").into() } else { text.into() }
}

/// For a quoted string of dot.
pub fn dot(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_text() {
        assert_eq!(printable("a\u{1b}[2J\nb\u{202e}c"), r"a\u{1b}[2J\nb\u{202e}c");
        assert_eq!(cell("=HYPERLINK(1)"), "'=HYPERLINK(1)");
        assert_eq!(cell("MPI_COMM_WORLD"), "MPI_COMM_WORLD");
        assert_eq!(dot(r#"a"b\c"#), r#"a\"b\\c"#);
    }
}
