//! `cargo xtask version NUMBER`: gives the workspace its next version, before a release.

use std::fs;

use anyhow::{Context, Result, ensure};
use testkit::workspace::{self, root};

/// The version before.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Changes the version in `Cargo.toml` and `Cargo.lock`. The changes in CHANGELOG.md that no
/// version has yet get the version and today's date.
///
/// # Errors
///
/// When this is not a later version, no change is noted, or a file cannot be written.
pub(crate) fn run(version: &str) -> Result<()> {
    let numbers = parsed(version).with_context(|| format!("{version} is not like 1.2.3"))?;
    ensure!(Some(numbers) > parsed(VERSION), "{version} is not later than {VERSION}");
    let date = workspace::output(workspace::command("date").args(["-u", "+%F"]))?;
    let heading = format!("## {version} - {}", date.trim());
    let [manifest, log] = ["Cargo.toml", "CHANGELOG.md"].map(|name| root().join(name));
    let released = released(&fs::read_to_string(&log)?, &heading)
        .with_context(|| format!("{} has no unreleased changes", log.display()))?;
    fs::write(&log, released)?;
    fs::write(&manifest, with_version(&fs::read_to_string(&manifest)?, VERSION, version))?;
    workspace::run(&mut workspace::cargo(&["update", "--workspace", "--quiet"]))?;
    println!("Commit this as version {version}. The tag v{version} on the commit releases it.");
    Ok(())
}

/// The numbers of a version.
fn parsed(version: &str) -> Option<[u64; 3]> {
    let numbers: Option<Vec<u64>> = version.split('.').map(|number| number.parse().ok()).collect();
    numbers?.try_into().ok()
}

/// A manifest of a workspace with another version. The versions of others' crates stay.
fn with_version(manifest: &str, old: &str, new: &str) -> String {
    let change = |line: &str| {
        let own = line.starts_with("version = ") || line.contains("path = ");
        if own { line.replace(&format!("\"{old}\""), &format!("\"{new}\"")) } else { line.into() }
    };
    manifest.split_inclusive('\n').map(change).collect()
}

/// A changelog whose section "Unreleased" has another heading; nothing if the section is empty.
fn released(log: &str, heading: &str) -> Option<String> {
    let (before, rest) = log.split_once("## Unreleased\n")?;
    let changes = rest.split("\n## ").next()?.trim();
    (!changes.is_empty()).then(|| format!("{before}{heading}\n{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        assert_eq!(parsed("0.12.3"), Some([0, 12, 3]));
        assert!(parsed("0.10.0") > parsed("0.9.9"));
        for wrong in ["", "1.2", "1.2.3.4", "1.2.x", "v1.2.3"] {
            assert_eq!(parsed(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn only_own_versions() {
        let manifest = "version = \"0.2.0\"\nown = { version = \"0.2.0\", path = \"own\" }\n\
                        other = \"0.2.0\"\nthird = { version = \"0.2.0\" }\n";
        let changed = "version = \"0.3.0\"\nown = { version = \"0.3.0\", path = \"own\" }\n\
                       other = \"0.2.0\"\nthird = { version = \"0.2.0\" }\n";
        assert_eq!(with_version(manifest, "0.2.0", "0.3.0"), changed);
    }

    #[test]
    fn changes_get_the_heading() {
        let log = "# Changelog\n\n## Unreleased\n\n- A\n\n## 0.2.0 - 2026-01-02\n\n- B\n";
        let changed = "# Changelog\n\n## 0.3.0 - D\n\n- A\n\n## 0.2.0 - 2026-01-02\n\n- B\n";
        assert_eq!(released(log, "## 0.3.0 - D").as_deref(), Some(changed));
        assert_eq!(released("# Changelog\n\n## Unreleased\n\n## 0.2.0\n\n- B\n", "## 1"), None);
        assert_eq!(released("# Changelog\n\n## 0.2.0\n\n- B\n", "## 1"), None);
    }
}
