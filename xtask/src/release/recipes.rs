//! A Spack recipe and a module file with the version and the checksum filled in.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use testkit::workspace::{self, root};

use super::VERSION;
use super::machine::Machine;

/// Writes both files beside the archives that they name.
pub(super) fn write(directory: &Path) -> Result<()> {
    for name in ["package.py", "modulefile"] {
        let from = root().join("xtask/release").join(name);
        let text = fs::read_to_string(&from).with_context(|| format!("{}", from.display()))?;
        let mut text = text.replace("@VERSION@", VERSION);
        for machine in [Machine::X86_64, Machine::Aarch64] {
            let archive = directory.join(format!("mqd-{VERSION}-linux-{}.tar.xz", machine.arch()));
            if archive.exists() {
                let sum = workspace::output(workspace::command("sha256sum").arg(&archive))?;
                let sum = sum.split_whitespace().next().unwrap_or_default();
                text = text.replace(&sum_of(machine), sum);
            } else {
                text = without_lines(&text, &sum_of(machine));
            }
        }
        fs::write(directory.join(name), text)?;
    }
    Ok(())
}

/// Stands for the checksum of that machine's tarball.
fn sum_of(machine: Machine) -> String {
    format!("@SHA256_{}@", machine.arch())
}

/// A machine without a tarball has no line.
fn without_lines(text: &str, word: &str) -> String {
    text.split_inclusive('\n').filter(|line| !line.contains(word)).collect()
}
