//! Makes the release again from another directory: the files have to be the same.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use testkit::workspace::{self, root, target};

use super::VERSION;
use super::machine::Machine;

/// Clones the commit into a directory with another name, makes the release there with the same
/// tools, and compares the checksums.
///
/// # Errors
///
/// When there are changes that are not in the commit, the second release cannot be made, or a file
/// differs.
pub(super) fn run(machines: &[Machine], directory: &Path) -> Result<()> {
    let mut git = workspace::command("git");
    let changed = workspace::output(git.current_dir(root()).args(["status", "--porcelain"]))?;
    ensure!(changed.is_empty(), "a commit is made twice, and these are not in it:\n{changed}");
    let place = std::path::absolute(target().join("release-twice"))?;
    let _ = fs::remove_dir_all(&place);
    let mut clone = workspace::command("git");
    clone.args(["clone", "--quiet", "--no-hardlinks"]).arg(root()).arg(&place);
    workspace::output(&mut clone)?;
    fs::create_dir(place.join("target"))?;
    // zig's files have to be at the same place in both.
    let mut copy = workspace::command("cp");
    copy.arg("-a").arg(target().join("release-tools")).arg(place.join("target"));
    workspace::output(&mut copy)?;
    let mut again = workspace::cargo(&["xtask", "release", "--machine"]);
    let names: Vec<_> = machines.iter().map(|machine| machine.arch()).collect();
    again.arg(names.join(",")).current_dir(&place).env_remove("CARGO_TARGET_DIR");
    workspace::output(&mut again)?;
    let made = place.join("target").join(format!("release-{VERSION}"));
    let different = different(directory, &made)?;
    ensure!(different.is_empty(), "differ in the second release: {}", different.join(", "));
    println!("the second release has the same bytes");
    fs::remove_dir_all(&place).with_context(|| format!("cannot remove {}", place.display()))
}

/// The files whose checksums are not in both lists.
fn different(first: &Path, second: &Path) -> Result<Vec<String>> {
    let sums = |directory: &Path| {
        let path = directory.join("SHA256SUMS");
        fs::read_to_string(&path).with_context(|| format!("there is no {}", path.display()))
    };
    let (first, second) = (sums(first)?, sums(second)?);
    let only = |here: &str, there: &str| -> Vec<String> {
        let missing = here.lines().filter(|line| !there.lines().any(|other| other == *line));
        missing.filter_map(|line| line.split_whitespace().nth(1)).map(str::to_owned).collect()
    };
    let mut names = [only(&first, &second), only(&second, &first)].concat();
    names.sort();
    names.dedup();
    Ok(names)
}
