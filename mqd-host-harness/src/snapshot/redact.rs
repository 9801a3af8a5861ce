//! Leaving out what is nobody's business: paths, and names of machines. What is kept of memory,
//! [`Capture`](super::Capture) decides.

use std::path::Path;

use super::Entry;
use crate::dump::ON_HOST;
use crate::target::Recording;

/// Stands for a path.
const PATH: &str = "[path]";
/// Stands for a machine.
const HOST: &str = "[host]";

/// Leaves them out of an entry.
pub(super) fn entry(entry: &mut Entry) {
    let process = &mut entry.process;
    let executable = process.executable.take();
    let library = process.library.take();
    process.core = process.core.is_some().then(|| PATH.to_owned());
    // That is not the user's: it tells which MPI it is.
    let file_name = |path: &str| Some(Path::new(path).file_name()?.to_string_lossy().into_owned());
    process.library =
        library.as_deref().filter(|path| executable.as_deref() != Some(path)).and_then(file_name);
    let known: Vec<&str> =
        [&executable, &library].into_iter().flatten().map(String::as_str).collect();
    for sentence in process.errors.iter_mut().chain(&mut entry.warnings) {
        *sentence = text(sentence, &known);
    }
    if let Some(recording) = &mut entry.recording {
        let Recording { executable, images, warnings, gaps, .. } = &mut **recording;
        warnings
            .iter_mut()
            .chain(gaps.values_mut())
            .for_each(|sentence| *sentence = text(sentence, &known));
        *executable = None;
        for image in images {
            let name =
                process.library.clone().filter(|_| Some(image.path.as_str()) == library.as_deref());
            image.path = name.unwrap_or_default();
        }
        recording.keep_images_with_symbols();
    }
}

/// A sentence without paths and machines.
fn text(sentence: &str, known: &[&str]) -> String {
    let mut sentence = sentence.to_owned();
    if let Some((before, rest)) = sentence.split_once(ON_HOST) {
        let host = rest.split([',', ' ']).next().unwrap_or(rest);
        let before = before.to_owned();
        sentence = format!("{before}{ON_HOST}{HOST}{}", &rest[host.len()..]);
    }
    // These may have blanks in them.
    for path in known.iter().filter(|path| !path.is_empty()) {
        sentence = sentence.replace(path, PATH);
    }
    let mut clean = String::new();
    for word in sentence.split_inclusive(|character: char| {
        character.is_whitespace() || "\"'`()[],;:=<>".contains(character)
    }) {
        let end = word.trim_end_matches(|character: char| {
            character.is_whitespace() || "\"'`()[],;:=<>".contains(character)
        });
        if end.contains('/') {
            clean.push_str(PATH);
            clean.push_str(&word[end.len()..]);
        } else {
            clean.push_str(word);
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_without_paths() {
        let known = ["/home/jane doe/solver"];
        let cases = [
            ("/home/jane doe/solver is not the file", "[path] is not the file"),
            ("cannot open \"/tmp/x y\": no such file", "cannot open \"[path] y\": no such file"),
            ("libmpi.so (dir/libmpi.so), ./a:../b", "libmpi.so ([path]), [path]:[path]"),
            ("it runs on host login7, and mqd reads", "it runs on host [host], and mqd reads"),
            ("nothing to hide: 3 of 4", "nothing to hide: 3 of 4"),
        ];
        for (sentence, clean) in cases {
            assert_eq!(text(sentence, &known), clean);
        }
    }
}
