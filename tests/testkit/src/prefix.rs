//! An installed prefix, as users get it. It works wherever it is moved to.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::weak;
use crate::workspace::{self, Profile, root, target};

/// The tools for the runtime's interfaces: C sources in `fake-target/tools`, installed as shared
/// libraries to preload or link.
pub const TOOLS: [&str; 3] = ["qmpi_trace", "message_matrix", "peruse_profiler"];

/// Those that are programs, compiled with the `mpicc` of the prefix, as users would.
const TOOL_PROGRAMS: [&str; 1] = ["mpi_t_list"];

/// The runtime's headers.
const HEADERS: [&str; 4] = ["mpi.h", "qmpi.h", "qmpi_functions.h", "peruse.h"];

/// An installation.
#[derive(Clone, Debug)]
pub struct Prefix {
    /// Its directory, absolute.
    pub directory: PathBuf,
}

impl Prefix {
    /// Builds, and installs into a directory what users get. Other files in the directory stay.
    ///
    /// # Errors
    ///
    /// When building fails, or the directory cannot be written.
    pub fn lay_out(profile: Profile, directory: &Path) -> Result<Prefix> {
        let built = workspace::build(profile)?;
        let prefix = Prefix { directory: std::path::absolute(directory)? };
        let _lock = lock()?;
        prefix.install_debugger_side(&built, &built.join("mqd"))?;
        prefix.install_runtime(&built, "cc")?;
        Ok(prefix)
    }

    /// Installs the debugger's side: `mqd`, the debug DLL, the commands for gdb, documents.
    ///
    /// `built` has the files. `runs_here` is a `mqd` of the same version for this machine: it
    /// writes its manual pages and completion scripts.
    ///
    /// # Errors
    ///
    /// When a file is missing, or the directory cannot be written.
    pub fn install_debugger_side(&self, built: &Path, runs_here: &Path) -> Result<()> {
        self.make(&["bin", "lib", "include", "share/mqd/docs", "share/mqd/fake-target"])?;
        self.make(&["share/mqd/gdb/mqd"])?;
        install(&built.join("mqd"), &self.program("mqd"))?;
        install(&built.join("libmqd.so"), &self.directory.join("lib/libmqd.so"))?;
        documents(self)?;
        for_gdb(self)?;
        commands_for(self, "libmqd.so")?;
        for_shells_and_man(self, runs_here)
    }

    /// Installs the companion runtime: library, launcher, compiler wrappers, headers, tools.
    ///
    /// `built` has the files; `cc` is the C compiler for the machine that they are for.
    ///
    /// # Errors
    ///
    /// When a file is missing, a tool does not compile, or the directory cannot be written.
    pub fn install_runtime(&self, built: &Path, cc: &str) -> Result<()> {
        self.make(&["bin", "lib/pkgconfig", "include", "share/mqd/tools"])?;
        runtime(self, built)?;
        headers(self)?;
        commands_for(self, "libmpi_abi.so.1")?;
        TOOLS.iter().try_for_each(|tool| tool_library(self, tool, cc))?;
        TOOL_PROGRAMS.iter().try_for_each(|tool| tool_program(self, tool, cc))
    }

    fn make(&self, folders: &[&str]) -> Result<()> {
        folders.iter().map(|folder| self.directory.join(folder)).try_for_each(|folder| {
            fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))
        })
    }

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

/// The runtime's programs and its library.
fn runtime(prefix: &Prefix, built: &Path) -> Result<()> {
    let at = |path: &str| prefix.directory.join(path);
    for program in ["mpicc", "mpiexec"] {
        install(&built.join(program), &prefix.program(program))?;
    }
    // The same files under other names that users expect.
    for (name, program) in
        [("mpicxx", "mpicc"), ("mpic++", "mpicc"), ("mpifort", "mpicc"), ("mpirun", "mpiexec")]
    {
        replace(&prefix.program(name), |name| Ok(symlink(program, name)?))?;
    }
    weakened(&built.join("libmpi_abi.so"), &at("lib/libmpi_abi.so.1"), weak::shared_library)?;
    // The name the linker looks for. Programs ask for the soname.
    replace(&at("lib/libmpi_abi.so"), |name| Ok(symlink("libmpi_abi.so.1", name)?))?;
    weakened(&built.join("libmpi_abi.a"), &at("lib/libmpi_abi.a"), weak::static_library)
}

/// The file for `pkg-config`. It works wherever the prefix is moved to.
const PKG_CONFIG: &str = "\
prefix=${pcfiledir}/../..
libdir=${prefix}/lib
includedir=${prefix}/include

Name: mpi
Description: the companion runtime of mqd, an MPI 5.0 library for one machine
Version: 5.0
Cflags: -I${includedir}
Libs: -L${libdir} -Wl,-rpath,${libdir} -lmpi_abi
";

/// The runtime's headers and documents.
fn headers(prefix: &Prefix) -> Result<()> {
    let at = |path: &str| prefix.directory.join(path);
    for header in HEADERS {
        install(&root().join("fake-target/include").join(header), &at("include").join(header))?;
    }
    replace(&at("lib/pkgconfig/mpi.pc"), |name| Ok(fs::write(name, PKG_CONFIG)?))?;
    Ok(())
}

/// What README links to beside the pages in `docs`, and the licences.
const DOCUMENTS: [&str; 7] = [
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "fake-target/README.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
];

/// The documents, and the interface of debug DLLs for C.
fn documents(prefix: &Prefix) -> Result<()> {
    let at = |path: &str| prefix.directory.join(path);
    install(&root().join("mqs-abi/include/mpi_interface.h"), &at("include/mpi_interface.h"))?;
    // The badges are for the page of the repository.
    if let Ok(readme) = fs::read_to_string(root().join("README.md")) {
        let lines = readme.split_inclusive('\n').filter(|line| !line.starts_with("[!["));
        let readme: String = lines.collect();
        replace(&at("share/mqd/README.md"), |name| Ok(fs::write(name, &readme)?))?;
    }
    for document in DOCUMENTS {
        install_if_there(&root().join(document), &at("share/mqd").join(document))?;
    }
    let documents = fs::read_dir(root().join("docs")).into_iter().flatten().flatten();
    for document in documents.filter(|document| document.path().is_file()) {
        install(&document.path(), &at("share/mqd/docs").join(document.file_name()))?;
    }
    Ok(())
}

/// Lets only one command at a time install: two could install into the same directory.
fn lock() -> Result<File> {
    let name = target().join(".dist.lock");
    let file = File::create(&name).and_then(|file| file.lock().map(|()| file));
    file.with_context(|| format!("cannot lock {}", name.display()))
}

/// The commands for gdb.
fn for_gdb(prefix: &Prefix) -> Result<()> {
    let at = |path: &str| prefix.directory.join(path);
    install(&root().join("gdb/mqd.py"), &at("share/mqd/gdb/mqd.py"))?;
    for module in fs::read_dir(root().join("gdb/mqd"))? {
        let module = module?;
        if module.path().extension().is_some_and(|ending| ending == "py") {
            install(&module.path(), &at("share/mqd/gdb/mqd").join(module.file_name()))?;
        }
    }
    let versions = serde_json::json!({
        "version": env!("CARGO_PKG_VERSION"),
        "schema_version": mqd_report::SCHEMA_VERSION,
    });
    replace(&at("share/mqd/gdb/mqd/versions.json"), |name| {
        Ok(fs::write(name, format!("{versions:#}\n"))?)
    })
}

/// gdb loads the commands by itself if a library in a trusted directory has a file of this name
/// beside it. The libraries are the runtime's, in programs, and the debug DLL, in debuggers.
fn commands_for(prefix: &Prefix, library: &str) -> Result<()> {
    replace(&prefix.directory.join(format!("lib/{library}-gdb.py")), |name| {
        Ok(symlink("../share/mqd/gdb/mqd.py", name)?)
    })
}

/// Installs the manual pages and completion scripts that `mqd` writes where `man` and shells look
/// for them.
fn for_shells_and_man(prefix: &Prefix, mqd: &Path) -> Result<()> {
    let at = |path: &str| prefix.directory.join(path);
    prefix.make(&["share/man/man1"])?;
    workspace::output(workspace::command(mqd).arg("manual").arg(at("share/man/man1")))?;
    for (shell, path) in [
        ("bash", "share/bash-completion/completions/mqd"),
        ("zsh", "share/zsh/site-functions/_mqd"),
        ("fish", "share/fish/vendor_completions.d/mqd.fish"),
    ] {
        let script = workspace::output(workspace::command(mqd).args(["completions", shell]))?;
        let path = at(path);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        replace(&path, |name| Ok(fs::write(name, &script)?))?;
    }
    Ok(())
}

/// Compiles a tool of the runtime to `lib/libNAME.so`, to be preloaded or linked with, and installs
/// its source. It finds the runtime beside itself, wherever the prefix is moved to. It is not
/// compiled again if its source and headers have not changed since.
fn tool_library(prefix: &Prefix, name: &str, cc: &str) -> Result<()> {
    let at = |path: &str| prefix.directory.join(path);
    let (source, library) =
        (root().join(format!("fake-target/tools/{name}.c")), at(&format!("lib/lib{name}.so")));
    install(&source, &at(&format!("share/mqd/tools/{name}.c")))?;
    let changed = |path: &Path| fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    let headers = HEADERS.map(|header| root().join("fake-target/include").join(header));
    if headers.iter().chain([&source]).all(|from| changed(from) < changed(&library)) {
        return Ok(());
    }
    replace(&library, |library| {
        let soname = format!("-Wl,-soname,lib{name}.so");
        let flags = ["-fPIC", "-shared", "-Wl,-rpath,$ORIGIN", &soname];
        compile_tool(prefix, cc, &source, &flags, library)
    })
}

/// Compiles a tool that is a program. It finds the library beside it, wherever the prefix is moved
/// to.
fn tool_program(prefix: &Prefix, name: &str, cc: &str) -> Result<()> {
    replace(&prefix.program(name), |program| {
        let source = root().join("fake-target/tools").join(name).with_extension("c");
        compile_tool(prefix, cc, &source, &["-Wl,-rpath,$ORIGIN/../lib"], program)
    })
}

fn compile_tool(prefix: &Prefix, cc: &str, from: &Path, flags: &[&str], to: &Path) -> Result<()> {
    let at = |path: &str| prefix.directory.join(path);
    let mut cc = workspace::command(cc);
    cc.args(["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror"]).args(flags);
    cc.arg("-I").arg(at("include")).arg(from);
    cc.arg("-L").arg(at("lib")).arg("-lmpi_abi").arg("-o").arg(to);
    workspace::output(&mut cc)
        .map(drop)
        .context("the tools take a C compiler (Debian: apt-get install gcc libc6-dev)")
}

/// Copies a library and makes its `MPI_` names weak.
fn weakened(from: &Path, to: &Path, weaken: fn(&mut [u8]) -> Result<()>) -> Result<()> {
    replace(to, |name| {
        let mut library =
            fs::read(from).with_context(|| format!("cannot read {}", from.display()))?;
        weaken(&mut library).with_context(|| format!("the symbols of {}", from.display()))?;
        fs::write(name, library).with_context(|| format!("cannot write {}", name.display()))?;
        fs::set_permissions(name, fs::metadata(from)?.permissions())?;
        Ok(())
    })
}

/// Copies a file to a new inode, so that programs that run from the old one are not disturbed.
fn install(from: &Path, to: &Path) -> Result<()> {
    replace(to, |name| {
        fs::copy(from, name)
            .with_context(|| format!("cannot copy {} to {}", from.display(), name.display()))?;
        Ok(())
    })
}

fn install_if_there(from: &Path, to: &Path) -> Result<()> {
    if from.exists() { install(from, to) } else { Ok(()) }
}

/// Makes a file under another name beside it, then renames it. Programs that run from the old
/// file are not disturbed.
fn replace(to: &Path, make: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let mut name = to.as_os_str().to_owned();
    name.push(".new");
    let new = PathBuf::from(name);
    let _ = fs::remove_file(&new);
    make(&new)?;
    fs::rename(&new, to).with_context(|| format!("cannot write {}", to.display()))
}
