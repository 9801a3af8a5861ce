//! The file of `-configfile` (MPI 5.0, section 11.5): a line for each program.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// The arguments on each line of the file. The error is a sentence for the user.
pub(crate) fn lines(file: &OsStr) -> Result<Vec<Vec<OsString>>, String> {
    let text = std::fs::read(Path::new(file))
        .map_err(|error| format!("-configfile {}: {error}", file.display()))?;
    let mut lines = Vec::new();
    for (number, line) in text.split(|&byte| byte == b'\n').enumerate() {
        let words = words(line).ok_or_else(|| {
            format!("-configfile {}: line {}: a quote is not closed", file.display(), number + 1)
        })?;
        if !words.is_empty() {
            lines.push(words);
        }
    }
    Ok(lines)
}

/// The words of a line. Quotes keep their content together, a backslash quotes the next character,
/// and `#` at the beginning of a word begins a comment. None if a quote is not closed.
fn words(line: &[u8]) -> Option<Vec<OsString>> {
    let (mut words, mut word): (Vec<OsString>, Option<Vec<u8>>) = (Vec::new(), None);
    let mut bytes = line.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'#' if word.is_none() => break,
            b' ' | b'\t' | b'\r' => words.extend(word.take().map(OsString::from_vec)),
            b'\\' => word.get_or_insert_default().extend(bytes.next()),
            quote @ (b'"' | b'\'') => {
                let word = word.get_or_insert_default();
                loop {
                    match bytes.next()? {
                        byte if byte == quote => break,
                        b'\\' if quote == b'"' => word.push(bytes.next()?),
                        byte => word.push(byte),
                    }
                }
            }
            byte => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word.map(|word| OsStr::from_bytes(&word).to_owned()));
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_a_shell() {
        let read = |line: &str| words(line.as_bytes());
        let expect = |words: &[&str]| Some(words.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(
            read("-n 2  ./a 'b c' \"d \\\"e\" f\\ g"),
            expect(&["-n", "2", "./a", "b c", "d \"e", "f g"])
        );
        assert_eq!(read("a#b # c"), expect(&["a#b"]));
        assert_eq!(read("# c"), expect(&[]));
        assert_eq!(read("''"), expect(&[""]));
        assert_eq!(read("a 'b"), None);
    }
}
