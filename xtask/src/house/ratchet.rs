//! Known exceptions to a rule, one on each line of `xtask/ratchet/RULE.txt`. The lists only shrink:
//! a violation that is not listed is an error, and so is an entry that is not a violation.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use testkit::workspace::root;

use super::Violation;

/// The result of comparing a list with the violations that were found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Verdict {
    /// Violations that are not in the list.
    pub(super) new: Vec<Violation>,
    /// Entries that are not violations.
    pub(super) stale: BTreeSet<String>,
}

pub(super) fn compare(violations: &[Violation], allowed: &BTreeSet<String>) -> Verdict {
    let keys: BTreeSet<&String> = violations.iter().map(|violation| &violation.key).collect();
    let new = violations.iter().filter(|violation| !allowed.contains(&violation.key));
    let stale = allowed.iter().filter(|key| !keys.contains(key));
    Verdict { new: new.cloned().collect(), stale: stale.cloned().collect() }
}

/// Where a rule's list is, below the workspace's root.
pub(super) fn path(rule: &str) -> PathBuf {
    Path::new("xtask/ratchet").join(rule).with_extension("txt")
}

/// The entries of a rule's list. Empty lines and lines that begin with `#` are none.
pub(super) fn read(rule: &str) -> Result<BTreeSet<String>> {
    Ok(text(rule)?.lines().filter(|line| is_entry(line)).map(str::to_owned).collect())
}

/// Removes entries.
pub(super) fn remove(rule: &str, stale: &BTreeSet<String>) -> Result<()> {
    let kept: String = text(rule)?
        .lines()
        .filter(|line| !stale.contains(*line))
        .map(|line| format!("{line}\n"))
        .collect();
    let path = root().join(path(rule));
    fs::write(&path, kept).with_context(|| format!("cannot write {}", path.display()))
}

fn text(rule: &str) -> Result<String> {
    let path = root().join(path(rule));
    fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

fn is_entry(line: &str) -> bool {
    !line.is_empty() && !line.starts_with('#')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn violation(key: &str) -> Violation {
        Violation { key: key.to_owned(), detail: String::new() }
    }

    #[test]
    fn only_what_is_listed_passes_and_the_list_must_be_needed() {
        let allowed = BTreeSet::from(["known".to_owned(), "gone".to_owned()]);
        let verdict = compare(&[violation("known"), violation("new")], &allowed);
        assert_eq!(verdict.new, [violation("new")]);
        assert_eq!(verdict.stale, BTreeSet::from(["gone".to_owned()]));
        assert_eq!(compare(&[violation("a")], &BTreeSet::from(["a".into()])), Verdict::default());
    }
}
