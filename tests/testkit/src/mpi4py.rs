//! mpi4py's own test suite on the companion runtime: from its source distribution on PyPI, built
//! with the `mpicc` of a prefix.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::packages;
use crate::prefix::Prefix;
use crate::workspace::{self, target};

/// The release.
const VERSION: &str = "4.1.2";

/// The modules that the tests run: they cover each chapter in a short time. The whole suite takes
/// some minutes for each number of ranks.
pub const PART: [&str; 13] = [
    "test_spawn",
    "test_dynproc",
    "test_session",
    "test_comm",
    "test_comm_inter",
    "test_comm_topo",
    "test_attributes",
    "test_errhandler",
    "test_exceptions",
    "test_group",
    "test_grequest",
    "test_p2p_obj",
    "test_win",
];

/// The suite, built.
pub struct Suite {
    mpiexec: PathBuf,
    python: PathBuf,
    /// The source distribution's folder.
    sources: PathBuf,
}

impl Suite {
    /// Builds mpi4py in an environment of its own under the target directory, on first use: some
    /// minutes. Cython and numpy come from PyPI too.
    ///
    /// # Errors
    ///
    /// When something cannot be fetched, or mpi4py cannot be built.
    pub fn new(prefix: &Prefix) -> Result<Suite> {
        let directory = target().join(format!("mpi4py-{VERSION}"));
        fs::create_dir_all(&directory)?;
        let lock = fs::File::create(directory.join(".lock"))?;
        lock.lock().context("only one process at a time builds mpi4py")?;
        let environment = directory.join("venv");
        let suite = Suite {
            mpiexec: prefix.program("mpiexec"),
            python: environment.join("bin/python"),
            sources: directory.join(format!("mpi4py-{VERSION}")),
        };
        let built = directory.join(".built");
        // It is linked with the library of one prefix.
        let linked = prefix.directory.display().to_string();
        if fs::read_to_string(&built).is_ok_and(|before| before == linked) {
            return Ok(suite);
        }
        packages::ensure(&["python3-venv", "python3-dev", "gcc"]);
        let pip = |arguments: &[&str]| {
            let mut pip = workspace::command(environment.join("bin/pip"));
            pip.args(arguments).args(["--quiet", "--disable-pip-version-check"]);
            pip
        };
        let mut make = workspace::command("python3");
        workspace::output(make.args(["-m", "venv"]).arg(&environment))?;
        workspace::output(&mut pip(&["install", "setuptools", "wheel", "cython", "numpy"]))?;
        let release = format!("mpi4py=={VERSION}");
        let mut download =
            pip(&["download", "--no-deps", "--no-build-isolation", "--no-binary=mpi4py", &release]);
        workspace::output(download.arg("--dest").arg(&directory))?;
        let mut unpack = workspace::command("tar");
        unpack.arg("-xzf").arg(directory.join(format!("mpi4py-{VERSION}.tar.gz")));
        workspace::output(unpack.arg("-C").arg(&directory))?;
        let mut install = pip(&["install", "--no-build-isolation", "--no-deps"]);
        // Its C source is one large file: without optimisation it takes a tenth of the time.
        install.env("CFLAGS", "-O0 -g0").env("MPICC", prefix.program("mpicc"));
        workspace::output(install.arg(&suite.sources))?;
        fs::write(&built, linked)?;
        Ok(suite)
    }

    /// Runs modules of the suite, or the whole suite if none is named, with this many ranks.
    /// Returns its last line of output.
    ///
    /// # Errors
    ///
    /// When a test fails; with all of its output.
    pub fn run(&self, ranks: usize, modules: &[&str]) -> Result<String> {
        let files = tempfile::tempdir()?;
        let output = self.command(ranks, modules, files.path()).output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            bail!("mpi4py's tests with {ranks} ranks: {}\n{said}", output.status);
        }
        let result = said.lines().rfind(|line| line.starts_with("Ran "));
        result.map(str::to_owned).with_context(|| format!("no test has run:\n{said}"))
    }

    fn command(&self, ranks: usize, modules: &[&str], files: &Path) -> Command {
        let mut command = workspace::command(&self.mpiexec);
        command.args(["-n", &ranks.to_string(), "-timeout", "1800"]);
        command.arg(&self.python).arg("test/main.py");
        // Every rank runs every test: the others would wait for one that stops earlier.
        for module in modules {
            command.args(["-i", &format!("\\b{module}\\.py$")]);
        }
        command.current_dir(&self.sources).env("TMPDIR", files);
        command
    }
}
