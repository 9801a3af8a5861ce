//! Checksums of all files of a release.

use std::fs;
use std::path::Path;

use anyhow::Result;
use testkit::workspace;

/// Writes `SHA256SUMS`, which `sha256sum --check` reads.
pub(super) fn write(directory: &Path) -> Result<()> {
    let mut names = Vec::new();
    for entry in fs::read_dir(directory)? {
        names.push(entry?.file_name());
    }
    names.sort();
    let mut sum = workspace::command("sha256sum");
    let sums = workspace::output(sum.current_dir(directory).args(names))?;
    fs::write(directory.join("SHA256SUMS"), sums)?;
    Ok(())
}
