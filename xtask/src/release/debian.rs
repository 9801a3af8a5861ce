//! Debian packages: `mqd`, `libmqd` and `mqd-mpi`.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use testkit::prefix::Prefix;
use testkit::workspace::{self, target};

use super::build;
use super::machine::Machine;
use super::{VERSION, epoch, work};

/// The prefix of `mqd-mpi`: one of its own, so that it does not conflict with other MPI libraries.
const RUNTIME: &str = "usr/lib/mqd-mpi";

/// A package as its control file describes it.
struct Package {
    name: &'static str,
    /// The oldest glibc that its files run with.
    glibc: (u32, u32),
    /// What it needs besides.
    needs: &'static str,
    other: &'static str,
    description: &'static str,
}

const MQD: Package = Package {
    name: "mqd",
    glibc: (2, 17),
    needs: "",
    other: "Recommends: libmqd\nSuggests: gdb, mqd-mpi\n",
    description: "see what a parallel MPI job is waiting for
 mqd reads the message queues and call stacks of the processes of a job that
 hangs, and says whether it is deadlocked, who is to blame and at which line.",
};

const LIBMQD: Package = Package {
    name: "libmqd",
    glibc: (2, 17),
    needs: "",
    other: "Suggests: gdb, mqd\n",
    description: "debug DLL that shows MPI message queues to debuggers
 libmqd.so has the functions of the MPI Message Queue Dumping interface, for
 debuggers such as TotalView and DDT. Commands for gdb come with it.",
};

/// Its glibc is that of this machine: it is found in the files.
const RUNTIME_PACKAGE: Package = Package {
    name: "mqd-mpi",
    glibc: (0, 0),
    needs: ", libc6-dev, gcc | c-compiler",
    other: "Suggests: mqd, libmqd\n",
    description: "MPI 5.0 runtime for one machine with all tool interfaces
 The companion runtime of mqd: library, headers, launcher and compiler wrappers
 in /usr/lib/mqd-mpi, beside any other MPI library.",
};

/// Writes the three packages. `whole` has the files of the first two.
pub(super) fn write(machine: Machine, whole: &Prefix, to: &Path) -> Result<()> {
    command(machine, whole, to)?;
    library(machine, whole, to)?;
    runtime(machine, to)
}

/// `mqd`: the command, its manual pages and completion scripts.
fn command(machine: Machine, whole: &Prefix, to: &Path) -> Result<()> {
    let root = work(machine, "debian-mqd")?;
    let from = |path: &str| whole.directory.join(path);
    copy(&from("bin/mqd"), &root.join("usr/bin/mqd"))?;
    for folder in ["share/man", "share/bash-completion", "share/zsh", "share/fish"] {
        copy(&from(folder), &root.join("usr").join(folder))?;
    }
    copy(&from("share/mqd/docs"), &root.join("usr/share/doc/mqd/docs"))?;
    finish(machine, &MQD, &root, to)
}

/// `libmqd`: the debug DLL, the header of its interface, the commands for gdb.
fn library(machine: Machine, whole: &Prefix, to: &Path) -> Result<()> {
    let root = work(machine, "debian-libmqd")?;
    let from = |path: &str| whole.directory.join(path);
    copy(&from("lib/libmqd.so"), &root.join("usr/lib/libmqd.so"))?;
    copy(&from("share/mqd/gdb"), &root.join("usr/share/mqd/gdb"))?;
    copy(&from("include/mpi_interface.h"), &root.join("usr/include/mqd/mpi_interface.h"))?;
    auto_load(&root, "usr/lib/libmqd.so")?;
    finish(machine, &LIBMQD, &root, to)
}

/// `mqd-mpi`: the companion runtime. It is built for this Debian: programs that are compiled with
/// it run here too.
fn runtime(machine: Machine, to: &Path) -> Result<()> {
    let mut cargo = workspace::cargo(&["build", "--quiet", "--locked", "--release"]);
    cargo.args(["--package", "fake-target", "--target", machine.triple()]);
    build::reproducible(&mut cargo)?;
    let linker = format!("CARGO_TARGET_{}_LINKER", machine.triple().replace('-', "_"));
    cargo.env(linker.to_uppercase(), machine.gnu("gcc"));
    cargo.env(format!("CC_{}", machine.triple().replace('-', "_")), machine.gnu("gcc"));
    workspace::run(&mut cargo)?;
    let root = work(machine, "debian-mqd-mpi")?;
    let prefix = Prefix { directory: root.join(RUNTIME) };
    prefix
        .install_runtime(&target().join(machine.triple()).join("release"), &machine.gnu("gcc"))?;
    // gdb finds its commands by `libmqd`'s file, if that is installed.
    fs::remove_file(prefix.directory.join("lib/libmpi_abi.so.1-gdb.py"))?;
    auto_load(&root, &format!("{RUNTIME}/lib/libmpi_abi.so.1"))?;
    fs::create_dir_all(root.join("usr/bin"))?;
    for name in ["mpicc", "mpicxx", "mpiexec"] {
        symlink(format!("../lib/mqd-mpi/bin/{name}"), root.join(format!("usr/bin/{name}.mqd")))?;
    }
    let mut glibc = RUNTIME_PACKAGE.glibc;
    for file in ["lib/libmpi_abi.so.1", "bin/mpicc", "bin/mpiexec", "bin/mpi_t_list"] {
        glibc = glibc.max(build::newest_glibc(machine, &prefix.directory.join(file))?);
    }
    finish(machine, &Package { glibc, ..RUNTIME_PACKAGE }, &root, to)
}

/// Where gdb looks for commands that come with a library.
fn auto_load(root: &Path, library: &str) -> Result<()> {
    let script = root.join(format!("usr/share/gdb/auto-load/{library}-gdb.py"));
    let folder = script.parent().context("a path in the package")?;
    fs::create_dir_all(folder)?;
    symlink("/usr/share/mqd/gdb/mqd.py", &script)
        .with_context(|| format!("cannot make {}", script.display()))
}

/// Copies a file or a folder, as `cp -a` does.
fn copy(from: &Path, to: &Path) -> Result<()> {
    to.parent().map_or(Ok(()), fs::create_dir_all)?;
    workspace::output(workspace::command("cp").arg("-a").arg(from).arg(to)).map(drop)
}

/// Adds what every package has, and packs it.
fn finish(machine: Machine, package: &Package, root: &Path, to: &Path) -> Result<()> {
    let Package { name, glibc: (major, minor), needs, other, description } = package;
    let documents = root.join("usr/share/doc").join(name);
    fs::create_dir_all(&documents)?;
    let licences = ["LICENSE-APACHE", "LICENSE-MIT"].map(|file| workspace::root().join(file));
    let mut copyright = "License: Apache-2.0 or MIT\n".to_owned();
    for licence in &licences {
        copyright.push('\n');
        copyright += &fs::read_to_string(licence)?;
    }
    fs::write(documents.join("copyright"), copyright)?;
    fs::copy(workspace::root().join("CHANGELOG.md"), documents.join("changelog"))?;
    let control = root.join("DEBIAN");
    fs::create_dir(&control)?;
    let arch = machine.debian();
    fs::write(
        control.join("control"),
        format!(
            "Package: {name}\nVersion: {VERSION}\nArchitecture: {arch}\n\
             Maintainer: The developers of mqd\nSection: devel\nPriority: optional\n\
             Depends: libc6 (>= {major}.{minor}){needs}\n{other}Description: {description}\n"
        ),
    )?;
    let file: PathBuf = to.join(format!("{name}_{VERSION}_{arch}.deb"));
    let mut dpkg = workspace::command("dpkg-deb");
    dpkg.args(["--build", "--root-owner-group", "-Zxz"]).env("SOURCE_DATE_EPOCH", epoch()?);
    workspace::output(dpkg.arg(root).arg(file)).map(drop)
}
