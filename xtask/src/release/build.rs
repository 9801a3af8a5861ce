//! The files of a release: small, stripped, and for any Linux since 2014.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use testkit::workspace::{self, root, target};

use super::machine::Machine;
use super::size;
use super::tools::Tools;

/// The oldest glibc that the files run with: that of CentOS 7 and manylinux2014.
const GLIBC: &str = "2.17";

/// The most bytes that the stripped files may have.
const LARGEST: [(&str, u64); 2] = [("mqd", 10_000_000), ("libmqd.so", 1_500_000)];

/// The libraries that the files may need: those of glibc, which every system has.
const LIBRARIES: [&str; 7] =
    ["libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so", "libutil.so", "ld-linux"];

/// What has been built for a machine.
pub(super) struct Built {
    /// `mqd`, `libmqd.so`, and for each of them `NAME.debug`.
    pub(super) directory: PathBuf,
    machine: Machine,
}

impl Built {
    /// The command.
    pub(super) fn mqd(&self) -> PathBuf {
        self.directory.join("mqd")
    }

    /// The debug DLL.
    pub(super) fn libmqd(&self) -> PathBuf {
        self.directory.join("libmqd.so")
    }
}

/// Builds `libmqd.so`, then `mqd` with that file in it.
pub(super) fn portable(tools: &Tools, machine: Machine) -> Result<Built> {
    let directory = target().join("release-work").join(machine.arch()).join("built");
    fs::create_dir_all(&directory)?;
    let built = Built { directory: std::path::absolute(directory)?, machine };
    let made = target().join(machine.triple()).join("portable");
    workspace::run(zigbuild(tools, machine)?.args(["--package", "libmqd"]))?;
    separate(machine, &made.join("libmqd.so"), &built.libmqd())?;
    let mut mqd = zigbuild(tools, machine)?;
    workspace::run(mqd.args(["--package", "mqd"]).env("MQD_LIBMQD", built.libmqd()))?;
    separate(machine, &made.join("mqd"), &built.mqd())?;
    Ok(built)
}

fn zigbuild(tools: &Tools, machine: Machine) -> Result<Command> {
    let mut command = tools.command("cargo-zigbuild")?;
    command.args(["zigbuild", "--quiet", "--locked", "--profile", "portable"]);
    command.args(["--target", &format!("{}.{GLIBC}", machine.triple())]);
    reproducible(&mut command)?;
    Ok(command)
}

/// Keeps paths of this machine out of the files.
pub(super) fn reproducible(command: &mut Command) -> Result<()> {
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo")));
    let home = home.context("neither CARGO_HOME nor HOME is set")?;
    let flags = [
        format!("--remap-path-prefix={}=mqd", root().display()),
        format!("--remap-path-prefix={}=cargo", home.display()),
    ];
    command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
    // The build scripts' folders are below the target directory, the sources below the root.
    let c = [(home.as_path(), "cargo"), (&target(), "target"), (root(), "mqd")]
        .map(|(path, name)| format!("-ffile-prefix-map={}={name}", path.display()))
        .join(" ");
    // Build scripts run again when the time changes: that of the commit would have everything built
    // again for each commit.
    command.env("CFLAGS", &c).env("SOURCE_DATE_EPOCH", "0");
    Ok(())
}

/// Moves the debug information into a file beside it, which debuggers find by its name.
fn separate(machine: Machine, from: &Path, to: &Path) -> Result<()> {
    let debug = beside(to, ".debug");
    let objcopy = || workspace::command(machine.gnu("objcopy"));
    workspace::output(objcopy().arg("--only-keep-debug").arg(from).arg(&debug))?;
    let mut strip = workspace::command(machine.gnu("strip"));
    let temporary = beside(to, ".stripped");
    workspace::output(strip.arg("--strip-all").arg("-o").arg(&temporary).arg(from))?;
    let link = format!("--add-gnu-debuglink={}", debug.display());
    workspace::output(objcopy().arg(link).arg(&temporary))?;
    // A file with the same bytes keeps its time, so that nothing is built again for it.
    if fs::read(&temporary)? == fs::read(to).unwrap_or_default() {
        fs::remove_file(&temporary)?;
        return Ok(());
    }
    fs::rename(&temporary, to).with_context(|| format!("cannot write {}", to.display()))
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Checks the sizes of the files and the glibc that they need.
pub(super) fn keep_promises(built: &Built) -> Result<()> {
    for (name, largest) in LARGEST {
        let path = built.directory.join(name);
        let (bytes, glibc) = (size(&path)?, newest_glibc(built.machine, &path)?);
        println!(
            "{} {name}: {:.1} MB, glibc {}.{}",
            built.machine.arch(),
            bytes as f64 / 1e6,
            glibc.0,
            glibc.1
        );
        ensure!(bytes <= largest, "{} has {bytes} bytes, above {largest}", path.display());
        ensure!(glibc <= (2, 17), "{} asks for glibc {}.{}", path.display(), glibc.0, glibc.1);
        for library in libraries(built.machine, &path)? {
            let everywhere = LIBRARIES.iter().any(|name| library.starts_with(name));
            ensure!(everywhere, "{} needs {library}", path.display());
        }
    }
    Ok(())
}

/// The newest version of glibc that a file has symbols of.
pub(super) fn newest_glibc(machine: Machine, path: &Path) -> Result<(u32, u32)> {
    let mut objdump = workspace::command(machine.gnu("objdump"));
    let text = workspace::output(objdump.arg("--dynamic-syms").arg(path))?;
    let version = |word: &str| {
        let (major, rest) =
            word.trim_matches(['(', ')']).strip_prefix("GLIBC_")?.split_once('.')?;
        let minor = rest.split('.').next()?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    };
    text.split_whitespace()
        .filter_map(version)
        .max()
        .with_context(|| format!("{} has no symbols of glibc", path.display()))
}

/// The shared libraries that a file names.
fn libraries(machine: Machine, path: &Path) -> Result<Vec<String>> {
    let mut objdump = workspace::command(machine.gnu("objdump"));
    let text = workspace::output(objdump.arg("--private-headers").arg(path))?;
    let needed = text.lines().filter_map(|line| line.trim().strip_prefix("NEEDED"));
    Ok(needed.map(|name| name.trim().to_owned()).collect())
}
