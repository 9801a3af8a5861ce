//! Tries a release where users install it: in clean roots of old and new Debian.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use testkit::packages;
use testkit::workspace::{self, root, shown, target};

use super::VERSION;
use super::emulator::Emulator;
use super::machine::Machine;

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

/// The Debian for an emulated machine: the companion runtime is built with its glibc.
const EMULATED_SUITE: &str = "bookworm";

/// What is installed there. The job is one of the companion runtime.
const EMULATED_PACKAGES: [&str; 6] =
    ["gcc", "libc6-dev", "gdb", "procps", "python3-venv", "xz-utils"];

/// Installs the release of each machine in clean roots, uses it on a job that hangs, and removes
/// it. Programs of another machine are emulated. This needs root.
///
/// # Errors
///
/// When a root cannot be made, or a step fails in it.
pub(super) fn run(machines: &[Machine], directory: &Path) -> Result<()> {
    ensure!(
        nix::unistd::geteuid().is_root(),
        "trying a release makes roots of Debian, which takes root: sudo cargo xtask release --try"
    );
    packages::ensure(&["debootstrap", "util-linux"]);
    let here = Machine::here()?;
    for &machine in machines {
        if machine == here {
            for suite in SUITES {
                install(machine, suite, &PACKAGES, "live.sh", directory)?;
            }
        } else {
            let _emulator = Emulator::of(machine)?;
            install(machine, EMULATED_SUITE, &EMULATED_PACKAGES, "emulated.sh", directory)?;
        }
    }
    Ok(())
}

/// Makes a root, and runs a script of `xtask/release/try` in it.
fn install(
    machine: Machine,
    suite: &str,
    packages: &[&str],
    script: &str,
    directory: &Path,
) -> Result<()> {
    println!("Debian {suite}, {}", machine.debian());
    let place = made(machine, suite, packages)?;
    let release = place.join("release");
    workspace::output(workspace::command("cp").arg("-a").arg(directory).arg(&release))?;
    for name in ["common.sh", script] {
        fs::copy(root().join("xtask/release/try").join(name), release.join(name))?;
    }
    // The namespace ends with the script, and every process in it.
    let mut tried = workspace::command("unshare");
    tried.args(["--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--root"]);
    tried.arg(&place).arg("/bin/sh").arg(Path::new("/release").join(script)).arg(VERSION);
    let tried = workspace::run(tried.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"));
    fs::remove_dir_all(&place)?;
    tried
}

/// A root of that suite with these packages.
fn made(machine: Machine, suite: &str, packages: &[&str]) -> Result<PathBuf> {
    let name = format!("{suite}-{}", machine.debian());
    let place = std::path::absolute(target().join("release-roots").join(name))?;
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place)?;
    let mut debootstrap = workspace::command("debootstrap");
    debootstrap.arg(format!("--arch={}", machine.debian()));
    workspace::output(debootstrap.args(["--variant=minbase", suite]).arg(&place))
        .with_context(|| format!("cannot make a root of Debian {suite} in {}", shown(&place)))?;
    fs::copy("/etc/resolv.conf", place.join("etc/resolv.conf"))?;
    let mut apt = workspace::command("chroot");
    apt.arg(&place).args(["apt-get", "install", "--yes", "--no-install-recommends"]);
    apt.args(packages).env("DEBIAN_FRONTEND", "noninteractive");
    workspace::output(apt.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"))?;
    Ok(place)
}
