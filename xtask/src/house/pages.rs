//! The pages in `docs`: installed pages have nothing above their folder, and tests are named as
//! they are.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;

use super::Violation;
use super::files::{self, File};

pub(super) const WHAT: &str = "pages of docs link to no file above docs, and each test that \
    docs/reliability.md names as `file::function` exists";

pub(super) fn check() -> Result<Vec<Violation>> {
    let files = files::with_extensions(&["md", "rs"])?;
    let pages = files.iter().filter(|file| file.path.parent() == Some(Path::new("docs")));
    let pages: Vec<&File> = pages.filter(|file| file.extension() == "md").collect();
    let mut violations: Vec<Violation> = pages.iter().flat_map(|page| links_above(page)).collect();
    let tests: Vec<&File> = files.iter().filter(|file| file.text.contains("#[test]")).collect();
    let reliability = pages.iter().filter(|page| page.path.ends_with("reliability.md"));
    let named: BTreeSet<&str> = reliability.flat_map(|page| named_tests(&page.text)).collect();
    let missing = named.into_iter().filter(|test| !tests.iter().any(|file| has(file, test)));
    violations.extend(missing.map(|test| Violation {
        key: test.to_owned(),
        detail: format!("docs/reliability.md: there is no test {test}"),
    }));
    Ok(violations)
}

fn links_above(page: &File) -> impl Iterator<Item = Violation> {
    let lines = (1..).zip(page.text.lines()).filter(|(_, line)| line.contains("](../"));
    lines.map(|(number, _)| Violation {
        key: page.path.display().to_string(),
        detail: format!("{}:{number}: a link to a file above docs", page.path.display()),
    })
}

/// What stands between backticks and has `::`, unless it is about Rust's own names.
fn named_tests(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2).filter(|name| name.contains("::") && !name.contains(' '))
}

/// Has a file a test of this name, or is it the module of that name? `…` stands for the rest of the
/// name, and names in braces for each other.
fn has(file: &File, test: &str) -> bool {
    let mut parts = test.split(['/', ':']).filter(|part| !part.is_empty());
    let Some(name) = parts.next_back() else { return false };
    let path = file.path.with_extension("");
    let places: Vec<_> = path.iter().filter_map(|part| part.to_str()).collect();
    let is_function = |name: &str| match name.strip_suffix('…') {
        Some(start) => file.text.contains(&format!("fn {start}")),
        None => file.text.contains(&format!("fn {name}(")),
    };
    let mut names = name.trim_matches(['{', '}']).split(',');
    parts.all(|part| places.contains(&part))
        && (places.last() == Some(&name) || names.all(is_function))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_found_by_their_files() {
        let text = "#[test]\nfn all_is_well() {}\n#[test]\nfn i386() {}\n".to_owned();
        let file = File { path: "cli/tests/trust.rs".into(), text };
        for test in ["trust::all_is_well", "cli/trust::all_…", "trust::{i386}", "cli::trust"] {
            assert!(has(&file, test), "{test}");
        }
        for test in ["trust::all_is", "gdb/trust::all_…", "trust::{i386,s390x}", "trust::well_…"]
        {
            assert!(!has(&file, test), "{test}");
        }
    }

    #[test]
    fn code_with_colons_is_a_test() {
        let text = "| `truth`, `a::b_…` | `cargo xtask c::d` | a::e";
        assert_eq!(named_tests(text).collect::<Vec<_>>(), ["a::b_…"]);
    }

    #[test]
    fn links_above_docs_are_found() {
        let text = "[a](b.md)\n[c](../README.md)\n".to_owned();
        let page = File { path: "docs/page.md".into(), text };
        let details: Vec<String> = links_above(&page).map(|one| one.detail).collect();
        assert_eq!(details, ["docs/page.md:2: a link to a file above docs"]);
    }
}
