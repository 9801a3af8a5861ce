//! What is new in the version, from CHANGELOG.md.

use std::fs;

use anyhow::{Context, Result, ensure};
use testkit::workspace::{self, root, target};

use super::VERSION;

/// Where changes are that no version has yet.
const UNRELEASED: &str = "Unreleased";

/// Writes `release-work/notes.md`, which is shown beside the files.
///
/// # Errors
///
/// When the changelog has nothing on this version, or if the commit has the version's tag and the
/// changelog still has changes that are not released.
pub(super) fn write() -> Result<()> {
    let path = root().join("CHANGELOG.md");
    let log = fs::read_to_string(&path).with_context(|| format!("no {}", path.display()))?;
    let notes = section(&log, VERSION)
        .with_context(|| format!("CHANGELOG.md has no section {VERSION}, the version here"))?;
    if tagged()? {
        let left = section(&log, UNRELEASED).unwrap_or_default();
        ensure!(left.is_empty(), "v{VERSION} is tagged, but CHANGELOG.md has unreleased changes");
    }
    let folder = target().join("release-work");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("notes.md"), format!("{notes}\n"))?;
    Ok(())
}

/// Whether the commit has the tag of this version.
fn tagged() -> Result<bool> {
    let mut git = workspace::command("git");
    let tags = workspace::output(git.current_dir(root()).args(["tag", "--points-at", "HEAD"]))?;
    Ok(tags.lines().any(|tag| tag.strip_prefix('v') == Some(VERSION)))
}

/// The text below the heading `## NAME` or `## NAME - DATE`.
fn section<'log>(log: &'log str, name: &str) -> Option<&'log str> {
    let named = |part: &&str| part.split_whitespace().next() == Some(name);
    let part = log.split("\n## ").skip(1).find(named)?;
    Some(part.split_once('\n').map_or("", |(_, text)| text).trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_by_their_names() {
        let log =
            "# Changelog\n\n## Unreleased\n\n## 0.2.1 - 2026-01-02\n\nA\n\n### B\n\n## 0.2\nC\n";
        assert_eq!(section(log, UNRELEASED), Some(""));
        assert_eq!(section(log, "0.2.1"), Some("A\n\n### B"));
        assert_eq!(section(log, "0.2"), Some("C"));
        assert_eq!(section(log, "0.3"), None);
    }
}
