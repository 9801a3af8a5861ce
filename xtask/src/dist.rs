//! `cargo xtask dist`: an installed prefix. It works wherever it is moved to.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::workspace::{self, Profile, root, shown};

/// Tools of the runtime: C programs that are compiled with the `mpicc` of the prefix, as users would.
const TOOLS: [&str; 1] = ["mpi_t_list"];

/// An installation.
#[derive(Clone, Debug)]
pub struct Prefix {
    /// Its directory, absolute.
    pub directory: PathBuf,
}

impl Prefix {
    /// A program in it: `mqd`, `mpicc`, `mpiexec`, `mpi_t_list`.
    pub fn program(&self, name: &str) -> PathBuf {
        self.directory.join("bin").join(name)
    }

    /// A program in it, to be run.
    pub fn command(&self, name: &str) -> Command {
        workspace::command(self.program(name))
    }

    /// Compiles C sources with its `mpicc`.
    ///
    /// # Errors
    ///
    /// When the compiler fails; with its output.
    pub fn compile(&self, sources: &[PathBuf], executable: &Path, flags: &[&str]) -> Result<()> {
        let mut mpicc = self.command("mpicc");
        mpicc
            .args(["-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror"])
            .args(flags)
            .args(sources)
            .arg("-o")
            .arg(executable);
        workspace::output(&mut mpicc).map(drop)
    }
}

/// Lays out a release build and says so.
///
/// # Errors
///
/// When building fails, or the directory cannot be written.
pub fn run(prefix: &Path) -> Result<()> {
    let prefix = lay_out(Profile::Release, prefix)?;
    let bin = prefix.directory.join("bin");
    println!("Installed in {}. To use it: PATH={}:$PATH", shown(&prefix.directory), bin.display());
    Ok(())
}

/// Builds, and fills a directory with what users get. What else is in the directory stays.
///
/// # Errors
///
/// When building fails, or the directory cannot be written.
pub fn lay_out(profile: Profile, prefix: &Path) -> Result<Prefix> {
    let built = workspace::build(profile)?;
    let directory = std::path::absolute(prefix)?;
    let at = |path: &str| directory.join(path);
    for folder in ["bin", "lib", "include", "share/mqd/docs"] {
        fs::create_dir_all(at(folder)).with_context(|| format!("cannot make {}", at(folder).display()))?;
    }
    for program in ["mqd", "mpicc", "mpiexec"] {
        install(&built.join(program), &at("bin").join(program))?;
    }

    install(&built.join("libmqd.so"), &at("lib/libmqd.so"))?;
    install(&built.join("libmpi_abi.so"), &at("lib/libmpi_abi.so.1"))?;
    // The name the linker looks for; programs ask for the soname.
    replace(&at("lib/libmpi_abi.so"), |name| Ok(symlink("libmpi_abi.so.1", name)?))?;
    replace(&at("lib/libmpi_abi.a"), |name| weakened(&built.join("libmpi_abi.a"), name))?;

    install(&root().join("fake-target/include/mpi.h"), &at("include/mpi.h"))?;
    install(&root().join("fake-target/include/peruse.h"), &at("include/peruse.h"))?;
    install(&root().join("mqs-abi/include/mpi_interface.h"), &at("include/mpi_interface.h"))?;

    for document in ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"] {
        install_if_there(&root().join(document), &at("share/mqd").join(document))?;
    }
    install_if_there(&root().join("fake-target/api/unsupported.txt"), &at("share/mqd/unsupported-functions.txt"))?;
    let documents = fs::read_dir(root().join("docs")).into_iter().flatten().flatten();
    for document in documents.filter(|document| document.path().is_file()) {
        install(&document.path(), &at("share/mqd/docs").join(document.file_name()))?;
    }
    let prefix = Prefix { directory };
    for tool in TOOLS {
        // Under another name first: programs that run from the old one go on undisturbed.
        replace(&prefix.program(tool), |name| {
            let source = root().join("fake-target/tools").join(tool).with_extension("c");
            // The library beside it, wherever the prefix is moved to.
            prefix.compile(&[source], name, &["-O2", "-Wl,-rpath,$ORIGIN/../lib"])
        })?;
    }
    tool_library(&prefix, "peruse_profiler")?;
    Ok(prefix)
}

/// Compiles a tool of the runtime to `lib/libNAME.so`, to be preloaded or linked with. It finds the runtime beside itself, wherever that is moved to.
fn tool_library(prefix: &Prefix, name: &str) -> Result<()> {
    let at = |path: &str| prefix.directory.join(path);
    replace(&at(&format!("lib/lib{name}.so")), |library| {
        let mut cc = workspace::command("cc");
        cc.args(["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]);
        cc.arg("-I").arg(at("include")).arg(root().join(format!("fake-target/tools/{name}.c")));
        cc.arg("-L").arg(at("lib")).args(["-lmpi_abi", "-Wl,-rpath,$ORIGIN"]).arg(format!("-Wl,-soname,lib{name}.so"));
        workspace::output(cc.arg("-o").arg(library))
            .map(drop)
            .context("the tools take a C compiler (Debian: apt-get install gcc libc6-dev)")
    })
}

/// The static library, its `MPI_` names weak: a tool or program that defines `MPI_Send` itself and calls `PMPI_Send` links without a clash.
fn weakened(archive: &Path, result: &Path) -> Result<()> {
    let mut objcopy = Command::new("objcopy");
    objcopy.args(["--wildcard", "--weaken-symbol=MPI_*"]).arg(archive).arg(result);
    workspace::output(&mut objcopy)
        .map(drop)
        .context("the static library takes objcopy (Debian: apt-get install binutils)")
}

/// Copies a file under a new inode: programs that run from the old one go on undisturbed.
fn install(from: &Path, to: &Path) -> Result<()> {
    replace(to, |name| {
        fs::copy(from, name).with_context(|| format!("cannot copy {} to {}", from.display(), name.display()))?;
        Ok(())
    })
}

fn install_if_there(from: &Path, to: &Path) -> Result<()> {
    if from.exists() { install(from, to) } else { Ok(()) }
}

/// Makes a file under another name beside it, then gives it its own in one step.
fn replace(to: &Path, make: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let mut name = to.as_os_str().to_owned();
    name.push(".new");
    let new = PathBuf::from(name);
    let _ = fs::remove_file(&new);
    make(&new)?;
    fs::rename(&new, to).with_context(|| format!("cannot write {}", to.display()))
}
