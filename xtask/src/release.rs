//! `cargo xtask release`: everything that users download, in `target/release-VERSION/`.
//!
//! ```text
//! tools ──> machine ──> build ──> contents ──> tarball, deb, wheel ──> recipes, checksums
//! zig       what the    stripped  prefixes,    archives of these       what names the archives
//!           files run   files     one for
//!           on                    each part
//! ```
//!
//! The files need only glibc 2.17, because zig links against the symbols of that version. Two
//! builds of one commit have the same bytes: paths are replaced, times are those of the commit.

mod archives;
mod bill;
mod build;
mod crates;
mod debian;
mod emulator;
mod machine;
mod notes;
mod recipes;
mod sums;
mod tools;
mod tried;
mod twice;
mod wheel;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use testkit::packages;
use testkit::workspace::{self, shown, target};

pub(crate) use self::machine::Machine;
use self::tools::Tools;

/// The version of all packages.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What is done with a release after it is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checks {
    /// Install and use it in clean roots, and check the crates.
    pub(crate) tried: bool,
    /// Make it again in another directory, and compare.
    pub(crate) twice: bool,
}

/// Builds the release for these machines.
///
/// # Errors
///
/// When a tool cannot be installed, a build fails, a file is larger or needs a newer glibc than
/// promised, or a check fails.
pub(crate) fn run(machines: &[Machine], checks: Checks) -> Result<()> {
    let directory = target().join(format!("release-{VERSION}"));
    if directory.exists() {
        fs::remove_dir_all(&directory)
            .with_context(|| format!("cannot empty {}", directory.display()))?;
    }
    fs::create_dir_all(&directory)
        .with_context(|| format!("cannot make {}", directory.display()))?;
    notes::write()?;
    packages::ensure(&["binutils", "dpkg-dev", "python3-venv", "xz-utils"]);
    let tools = Tools::ensure()?;
    machines.iter().try_for_each(|machine| machine.ensure_libraries())?;
    // Manual pages are written by a program that runs here.
    let here = build::portable(&tools, Machine::here()?)?;
    for &machine in machines {
        packages::ensure(machine.packages());
        let built = build::portable(&tools, machine)?;
        build::keep_promises(&built)?;
        let whole = archives::write(machine, &built, &here.mqd(), &directory)?;
        debian::write(machine, &whole, &directory)?;
        wheel::write(machine, &whole, &directory)?;
    }
    bill::write(&tools, &directory)?;
    recipes::write(&directory)?;
    sums::write(&directory)?;
    println!("{}", shown(&directory));
    let listing = workspace::output(workspace::command("ls").arg("-l").arg(&directory))?;
    print!("{listing}");
    if checks.tried {
        tried::run(machines, &directory)?;
        crates::check()?;
    }
    if checks.twice { twice::run(machines, &directory) } else { Ok(()) }
}

/// An empty directory for the work on one machine's files.
fn work(machine: Machine, name: &str) -> Result<PathBuf> {
    let directory = target().join("release-work").join(machine.arch()).join(name);
    if directory.exists() {
        fs::remove_dir_all(&directory)?;
    }
    fs::create_dir_all(&directory)
        .with_context(|| format!("cannot make {}", directory.display()))?;
    Ok(directory)
}

/// Seconds since 1970 of the commit: the time of all files.
fn epoch() -> Result<String> {
    let mut git = workspace::command("git");
    git.current_dir(workspace::root()).args(["log", "-1", "--format=%ct"]);
    let epoch = workspace::output(&mut git)
        .context("a release is made from a commit, as its time is that of all files")?;
    let epoch = epoch.trim().to_owned();
    ensure!(!epoch.is_empty(), "the repository has no commit");
    Ok(epoch)
}

/// Bytes of a file.
fn size(path: &Path) -> Result<u64> {
    let metadata = fs::metadata(path).with_context(|| format!("there is no {}", path.display()))?;
    Ok(metadata.len())
}
