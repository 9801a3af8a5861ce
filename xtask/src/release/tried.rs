//! Tries a release where users install it: in clean roots of old and new Debian.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use testkit::packages;
use testkit::workspace::{self, root, shown, target};

use super::VERSION;

/// The oldest and the newest Debian that its servers have, with gdb 10 and 16, and the one between.
const SUITES: [&str; 3] = ["bullseye", "bookworm", "trixie"];

/// What a site would have: an MPI library, a debugger, Python, modules.
const PACKAGES: [&str; 9] = [
    "openmpi-bin",
    "libopenmpi-dev",
    "gcc",
    "libc6-dev",
    "gdb",
    "environment-modules",
    "procps",
    "python3-venv",
    "xz-utils",
];

/// Installs the release in `directory` in a root of each suite, uses it on a job that hangs, and
/// removes it. This needs root.
///
/// # Errors
///
/// When a root cannot be made, or a step fails in it.
pub(super) fn run(directory: &Path) -> Result<()> {
    ensure!(
        nix::unistd::geteuid().is_root(),
        "trying a release makes roots of Debian, which takes root: sudo cargo xtask release --try"
    );
    packages::ensure(&["debootstrap", "util-linux"]);
    for suite in SUITES {
        println!("Debian {suite}");
        let place = made(suite)?;
        let release = place.join("release");
        let _ = fs::remove_dir_all(&release);
        workspace::output(workspace::command("cp").arg("-a").arg(directory).arg(&release))?;
        fs::copy(root().join("xtask/release/try.sh"), release.join("try.sh"))?;
        // The namespace ends with the script, and every process in it.
        let mut script = workspace::command("unshare");
        script.args(["--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--root"]);
        script.arg(&place).args(["/bin/sh", "/release/try.sh", VERSION]);
        let tried = workspace::run(script.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"));
        fs::remove_dir_all(&place)?;
        tried?;
    }
    Ok(())
}

/// A root of that suite with these packages.
fn made(suite: &str) -> Result<PathBuf> {
    let place = std::path::absolute(target().join("release-roots").join(suite))?;
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place)?;
    let mut debootstrap = workspace::command("debootstrap");
    workspace::output(debootstrap.args(["--variant=minbase", suite]).arg(&place))
        .with_context(|| format!("cannot make a root of Debian {suite} in {}", shown(&place)))?;
    fs::copy("/etc/resolv.conf", place.join("etc/resolv.conf"))?;
    let mut apt = workspace::command("chroot");
    apt.arg(&place).args(["apt-get", "install", "--yes", "--no-install-recommends"]);
    apt.args(PACKAGES).env("DEBIAN_FRONTEND", "noninteractive");
    workspace::output(apt.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"))?;
    Ok(place)
}
