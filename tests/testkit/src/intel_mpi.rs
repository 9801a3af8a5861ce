//! Intel MPI from PyPI. It is installed and started in other ways than the others.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::packages::{wheel, wheels};
use crate::workspace::{self, target};

/// The release of MPICH whose libfabric serves Intel MPI 2021.19.
const LIBFABRIC: &str = "5.0.2";

/// A release of Intel MPI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntelMpi {
    root: PathBuf,
    /// Where its libraries are, and those that they need.
    libraries: OsString,
}

impl IntelMpi {
    /// Installs a release into the target directory on first use.
    ///
    /// # Errors
    ///
    /// When it cannot be installed.
    pub fn install(release: &str) -> Result<IntelMpi> {
        let directory = target().join("impi").join(release);
        if release != "2021.19.0" {
            let root = wheel("impi-devel", release, &directory)?;
            let libraries = root.join("lib").into();
            return Ok(IntelMpi { root, libraries });
        }
        // It asks for a package of libfabric that PyPI does not have.
        let [runtime, devel] = ["impi-rt", "impi-devel"].map(|name| format!("{name}=={release}"));
        let root = wheels(&["--no-deps", &runtime, &devel], &directory)?;
        let mpich = wheel("mpich", LIBFABRIC, &target().join("mpich").join(LIBFABRIC))?;
        let libraries = std::env::join_paths([root.join("lib"), mpich.join("lib/mpich")])?;
        Ok(IntelMpi { root, libraries })
    }

    /// Its launcher.
    pub fn launcher(&self) -> PathBuf {
        self.root.join("bin/mpiexec.hydra")
    }

    /// What the compiler needs after a source.
    pub(crate) fn arguments(&self) -> Vec<OsString> {
        let (library, include) = (self.root.join("lib"), self.root.join("include"));
        // What the library needs is known when the program starts.
        let after = ["-lmpi", "-Wl,--allow-shlib-undefined"].map(OsString::from);
        let mut arguments = vec!["-I".into(), include.into(), "-L".into(), library.into()];
        arguments.extend(after);
        arguments
    }

    /// Compiles a program.
    ///
    /// # Errors
    ///
    /// When the compiler cannot be started or fails; with its output.
    pub fn compile(&self, source: &Path, program: &Path) -> Result<()> {
        let mut compiler = workspace::command("cc");
        compiler.arg("-g").arg(source).arg("-o").arg(program).args(self.arguments());
        workspace::output(&mut compiler).map(drop)
    }

    /// Sets what a command needs that starts its programs.
    pub fn environment<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.envs(self.variables())
    }

    /// What a launcher needs in its environment: messages within a machine go through shared
    /// memory, and others through TCP.
    pub(crate) fn variables(&self) -> [(&'static str, OsString); 5] {
        [
            ("LD_LIBRARY_PATH", self.libraries.clone()),
            ("FI_PROVIDER_PATH", self.root.join("lib").into()),
            ("I_MPI_ROOT", self.root.clone().into()),
            ("I_MPI_FABRICS", "shm:ofi".into()),
            ("I_MPI_OFI_PROVIDER", "tcp".into()),
        ]
    }
}
