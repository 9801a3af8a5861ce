//! Expected output in files.

use std::path::{Path, PathBuf};

/// The path of a file in `tests/golden`.
pub fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// Compares output with a file of `tests/golden`, or writes the file if `MQD_UPDATE_GOLDEN` is set.
#[track_caller]
pub fn check(name: &str, actual: &str) {
    check_file(&path(name), actual);
}

/// The same with any file.
#[track_caller]
pub fn check_file(path: &Path, actual: &str) {
    if std::env::var_os("MQD_UPDATE_GOLDEN").is_some() {
        // A file that does not change may be the input of another test at the same moment.
        if std::fs::read_to_string(path).ok().as_deref() != Some(actual) {
            std::fs::write(path, actual).unwrap();
        }
        return;
    }
    let expected =
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    if actual != expected {
        let differs =
            actual.lines().zip(expected.lines()).position(|(actual, expected)| actual != expected);
        let line = differs.unwrap_or(actual.lines().count().min(expected.lines().count()));
        panic!(
            "{} differs from line {} on\nexpected: {:?}\nactual:   {:?}\n--- all of it:\n{actual}",
            path.display(),
            line + 1,
            expected.lines().nth(line),
            actual.lines().nth(line)
        );
    }
}
