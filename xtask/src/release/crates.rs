//! Checks the packages for crates.io, and what users of the libraries depend on.

use anyhow::{Result, ensure};
use testkit::workspace;

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
    let publish = ["publish", "--workspace", "--dry-run", "--locked", "--quiet"];
    workspace::run(&mut workspace::cargo(&publish))
}
