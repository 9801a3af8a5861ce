//! No line is longer than 100 columns.

use anyhow::Result;

use super::Violation;
use super::files::{self, File};

const COLUMNS: usize = 100;

pub(super) const WHAT: &str = "lines have at most 100 columns: all *.rs, *.py, *.c and *.h except \
    the generated fake-target/include/*.h; all *.md, without tables, code blocks and the addresses \
    of links";

pub(super) fn check() -> Result<Vec<Violation>> {
    let files = files::with_extensions(&["rs", "py", "c", "h", "md"])?;
    Ok(files.iter().filter(|file| !is_generated(file)).filter_map(violation).collect())
}

fn is_generated(file: &File) -> bool {
    file.extension() == "h" && file.path.starts_with("fake-target/include")
}

/// One violation for a file, however many of its lines are too long.
fn violation(file: &File) -> Option<Violation> {
    let long = match file.extension() {
        "md" => long_in_markdown(&file.text),
        _ => long(&file.text),
    };
    let first = long.first()?;
    let key = file.path.display().to_string();
    Some(Violation {
        detail: format!("{key}:{first}: {} lines above {COLUMNS} columns", long.len()),
        key,
    })
}

/// The numbers of the lines that are too long.
fn long(text: &str) -> Vec<usize> {
    numbered(text).filter(|(_, line)| is_long(line)).map(|(number, _)| number).collect()
}

fn long_in_markdown(text: &str) -> Vec<usize> {
    let mut in_code = false;
    let mut long = Vec::new();
    for (number, line) in numbered(text) {
        let start = line.trim_start();
        if start.starts_with("```") || start.starts_with("~~~") {
            in_code = !in_code;
        } else if !in_code && !start.starts_with('|') && is_long(&without_addresses(line)) {
            long.push(number);
        }
    }
    long
}

fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines())
}

fn is_long(line: &str) -> bool {
    line.chars().count() > COLUMNS
}

/// A line without the parts that cannot be broken: the address in `[text](address)`, and bare URLs.
fn without_addresses(line: &str) -> String {
    let mut rest = line;
    let mut text = String::new();
    while let Some((before, after)) = rest.split_once("](") {
        text.push_str(before);
        text.push_str("](");
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    text.push_str(rest);
    let is_url = |word: &&str| word.contains("https://") || word.contains("http://");
    text.split(' ').filter(|word| !is_url(word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(columns: usize) -> String {
        "x".repeat(columns)
    }

    #[test]
    fn a_line_of_101_columns_is_too_long() {
        assert_eq!(long(&format!("{}\n{}\n{}\n", line(100), line(101), "ü".repeat(100))), [2]);
    }

    #[test]
    fn tables_code_and_addresses_may_be_longer() {
        let address = line(90);
        let fine = [
            format!("| {} |", line(200)),
            format!("```\n{}\n```", line(200)),
            format!("See [the text]({address}), and https://example.org/{address} for more."),
        ];
        for text in fine {
            assert_eq!(long_in_markdown(&text), [0; 0], "{text}");
        }
        let link = format!("{} [the text]({address})", line(100));
        for text in [line(101), format!("```\n```\n{}", line(101)), link] {
            assert_eq!(long_in_markdown(&text).len(), 1, "{text}");
        }
    }
}
