//! Tarballs: one that can be unpacked anywhere, and one with the debug information.

use std::fs;
use std::path::Path;

use anyhow::Result;
use testkit::prefix::Prefix;
use testkit::workspace;

use super::build::Built;
use super::machine::Machine;
use super::{VERSION, epoch, work};

/// Writes both. Returns the files of the first one as they are installed.
///
/// `mqd` runs on this machine: it writes manual pages and completion scripts.
pub(super) fn write(machine: Machine, built: &Built, mqd: &Path, to: &Path) -> Result<Prefix> {
    let name = format!("mqd-{VERSION}-linux-{}", machine.arch());
    let directory = work(machine, "archives")?;
    let prefix = Prefix { directory: directory.join(&name) };
    prefix.install_debugger_side(&built.directory, mqd)?;
    pack(&directory, &name, to)?;

    let name = format!("{name}-debug");
    fs::create_dir(directory.join(&name))?;
    for file in ["mqd.debug", "libmqd.so.debug"] {
        fs::copy(built.directory.join(file), directory.join(&name).join(file))?;
    }
    pack(&directory, &name, to)?;
    Ok(prefix)
}

/// Packs a folder of `directory`: the same files give the same bytes.
fn pack(directory: &Path, name: &str, to: &Path) -> Result<()> {
    let mut tar = workspace::command("tar");
    tar.args(["--create", "--xz", "--sort=name", "--owner=0", "--group=0", "--numeric-owner"]);
    tar.args(["--mode=go=rX,u+rw,a-s", "--format=gnu"]);
    tar.arg(format!("--mtime=@{}", epoch()?)).arg("--file");
    tar.arg(to.join(format!("{name}.tar.xz"))).arg("--directory").arg(directory).arg(name);
    // Threads would split the stream in another way.
    tar.env("XZ_OPT", "-6 --threads=1");
    workspace::output(&mut tar).map(drop)
}
