//! Checks the packages for crates.io, and what users of the libraries depend on.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use testkit::workspace::{self, target};

/// Crates for the network, the terminal and HTML, which the libraries need only with certain
/// features.
const HEAVY: [&str; 6] = ["clap", "crossterm", "indicatif", "maud", "rustls", "ureq"];

/// The libraries that have features, or use one that has.
const LEAN: [&str; 3] = ["mqd-inspect", "mqd-report", "mqd-host"];

/// Packs every crate as crates.io would get it and compiles what was packed. Compiles the libraries
/// without their features.
///
/// # Errors
///
/// When a crate cannot be packed or compiled, or a library pulls in what it should not.
pub(super) fn check() -> Result<()> {
    for library in LEAN {
        let features = ["--package", library, "--no-default-features", "--locked"];
        let mut tree = workspace::cargo(&["tree", "--edges", "normal", "--prefix", "none"]);
        let crates = workspace::output(tree.args(["--format", "{p}"]).args(features))?;
        for name in crates.lines().filter_map(|line| line.split(' ').next()) {
            ensure!(!HEAVY.contains(&name), "{library} without features depends on {name}");
        }
        workspace::run(workspace::cargo(&["check", "--quiet"]).args(features))?;
    }
    publish_nothing()
}

/// Packs and compiles the crates. cargo takes a crate of the same name and version to be the same,
/// and would compile those that depend on it with what it has unpacked or compiled of an earlier
/// state.
fn publish_nothing() -> Result<()> {
    let compiled = target().join("release-work/crates");
    let _ = fs::remove_dir_all(&compiled);
    forget_unpacked()?;
    let mut publish = workspace::cargo(&["publish", "--workspace", "--dry-run", "--locked"]);
    workspace::run(publish.args(["--quiet", "--target-dir"]).arg(&compiled))?;
    Ok(fs::remove_dir_all(&compiled)?)
}

/// Removes what cargo has unpacked of crates that are not published.
fn forget_unpacked() -> Result<()> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let unpacked = home.context("where is CARGO_HOME?")?.join("registry/src");
    let Ok(entries) = fs::read_dir(&unpacked) else { return Ok(()) };
    for entry in entries.flatten() {
        // The folder of a registry is its host and a number. That of packages to be published is
        // in a local folder, and has no host.
        if entry.file_name().to_string_lossy().starts_with('-') {
            fs::remove_dir_all(entry.path())
                .with_context(|| format!("cannot remove {}", entry.path().display()))?;
        }
    }
    Ok(())
}
