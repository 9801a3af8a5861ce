//! The archive of files that the nodes have and the host does not: those of packages.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::workspace::{self, target};

/// The packages of the nodes.
const PACKAGES: [&str; 4] = ["openssh-server", "munge", "slurm-wlm", "libpmix-bin"];

/// The path of the archive. It is made on first use, which takes half a minute, and again if the
/// packages of the host have changed, because its files have to fit them.
pub(super) fn image() -> Result<PathBuf> {
    const SCRIPT: &str =
        concat!(include_str!("scripts/devices.sh"), include_str!("scripts/image.sh"));
    let mut hasher = DefaultHasher::new();
    (SCRIPT, PACKAGES).hash(&mut hasher);
    fs::read("/var/lib/dpkg/status").context("nodes need Debian's packages")?.hash(&mut hasher);
    let directory = target().join("cluster");
    fs::create_dir_all(&directory)?;
    let lock = fs::File::create(directory.join(".lock"))?;
    lock.lock()?;
    let archive = directory.join(format!("image-{:016x}.tar", hasher.finish()));
    if archive.exists() {
        return Ok(archive);
    }
    for old in fs::read_dir(&directory)?.flatten() {
        if old.path().extension().is_some_and(|ending| ending == "tar" || ending == "part") {
            fs::remove_file(old.path())?;
        }
    }
    eprintln!("Installing {} into an image for nodes, once", PACKAGES.join(" "));
    let work = tempfile::tempdir()?;
    let mut unshare = Command::new("unshare");
    unshare.args(["--mount", "--pid", "--fork", "--kill-child", "bash", "-c", SCRIPT, "image"]);
    unshare.arg(work.path()).arg(&archive).args(PACKAGES);
    workspace::output(&mut unshare).context("cannot make the image of the nodes")?;
    Ok(archive)
}
