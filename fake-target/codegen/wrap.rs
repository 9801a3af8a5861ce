//! Lines of generated C that end at 100 columns.

const WIDTH: usize = 100;

/// The same text with long lines broken: comments between words, code between arguments.
pub(crate) fn wrapped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for line in paragraphs(text) {
        let line = line.as_str();
        if line.len() <= WIDTH || line.starts_with('#') || line.ends_with('\\') {
            out.push_str(line);
        } else if let Some(comment) = line.strip_prefix(" * ") {
            fill(&mut out, comment.split_inclusive(' '), " * ", " * ");
        } else if let Some(comment) = line.strip_prefix("/* ").filter(|rest| rest.ends_with("*/")) {
            fill(&mut out, comment.split_inclusive(' '), "/* ", " * ");
        } else {
            fill(&mut out, arguments(line).into_iter(), "", "    ");
        }
        out.push('\n');
    }
    out
}

/// The lines of a text, where a long line of a comment takes in those that follow it.
fn paragraphs(text: &str) -> Vec<String> {
    let flows = |line: &str| line.starts_with(" * ") && !line.starts_with(" *  ");
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        match lines.last_mut() {
            Some(last) if last.len() > WIDTH && flows(last) && flows(line) => {
                last.push_str(&line[2..]);
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines
}

/// A line of code, split after commas and closing parentheses that a space follows.
fn arguments(line: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (place, _) in line.match_indices(' ') {
        if line[..place].ends_with([',', ')']) {
            parts.push(&line[start..=place]);
            start = place + 1;
        }
    }
    parts.push(&line[start..]);
    parts
}

/// Puts parts of a line on as few lines as possible. The first line begins with `first`, others
/// with `next`.
fn fill<'a>(out: &mut String, parts: impl Iterator<Item = &'a str>, first: &str, next: &str) {
    let mut column = first.len();
    out.push_str(first);
    for (number, part) in parts.enumerate() {
        if number > 0 && column + part.trim_end().len() > WIDTH {
            out.truncate(out.trim_end().len());
            out.push('\n');
            out.push_str(next);
            column = next.len();
        }
        out.push_str(part);
        column += part.len();
    }
}
