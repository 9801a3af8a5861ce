//! `fixtures/ring.c` on a cluster, two ranks on each node.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Result, bail, ensure};

use super::{Cluster, SHARED};
use crate::intel_mpi::IntelMpi;
use crate::mpi::UCX;
use crate::workspace::{self, root};

/// How long the ranks may take to start.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often a start is tried. One of a few hundred starts under Slurm ends or hangs in the client
/// of PMIx, before the program communicates.
const ATTEMPTS: usize = 3;

/// Ranks on each node.
const EACH: usize = 2;

/// What starts the ranks. The first process of the job is on the first node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Launcher {
    /// Debian's Open MPI 4.1, over ssh.
    OpenMpi,
    /// The same with the PML ucx: shared memory within a node, TCP between nodes.
    OverUcx,
    /// `prterun` of an Open MPI 5 in this directory, over ssh.
    Prte(PathBuf),
    /// Debian's MPICH, over ssh.
    Hydra,
    /// That of an MPICH in this directory, over shared memory and the TCP of this netmod.
    OfMpich(PathBuf, Netmod),
    /// `mpiexec.hydra` of Intel MPI, over ssh.
    IntelHydra(IntelMpi),
    /// Debian's Open MPI 4.1 under `srun`.
    Srun,
    /// The same under `mpirun` in an allocation of Slurm.
    Salloc,
}

/// How an MPICH sends messages to other nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Netmod {
    /// Over libfabric.
    Ofi,
    /// Over UCX.
    Ucx,
}

/// What the ring does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matter {
    /// No rank can go on.
    Hang,
    /// Rank 0 computes, and all others wait for it.
    Slow,
    /// The token goes round the ring.
    Move,
    /// No rank can go on, and a thread of each notes when it stood still.
    Watched,
}

/// Over TCP, and giving up the processor while waiting, because all nodes share the processors.
const OPTIONS: [&str; 8] =
    ["--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "--mca", "mpi_yield_when_idle"];

/// A running ring. It is ended when dropped.
#[derive(Debug)]
pub struct Ring {
    launcher: Child,
    /// The directory with the launcher's output and a file for each rank.
    directory: PathBuf,
    /// The process id of the launcher on the first node.
    pub pid: u32,
    /// How many ranks there are.
    pub ranks: usize,
}

impl Ring {
    /// Starts it, and waits until all ranks are about to communicate. `name` must be unique in the
    /// cluster. A start that fails is tried again, and standard error says so.
    ///
    /// # Errors
    ///
    /// When it cannot be compiled or started; with its output.
    pub fn start(cluster: &Cluster, name: &str, with: &Launcher, matter: Matter) -> Result<Ring> {
        let mut attempt = 1;
        loop {
            match Ring::try_start(cluster, name, with, matter) {
                Err(why) if attempt < ATTEMPTS => {
                    eprintln!("attempt {attempt} of {ATTEMPTS}: {why:#}");
                    fs::remove_dir_all(cluster.shared().join(name))?;
                    attempt += 1;
                }
                result => return result,
            }
        }
    }

    fn try_start(cluster: &Cluster, name: &str, with: &Launcher, matter: Matter) -> Result<Ring> {
        let ranks = EACH * cluster.nodes();
        let directory = cluster.shared().join(name);
        fs::create_dir(&directory)?;
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o777))?;
        compile(with, &directory.join("ring"))?;
        let seen = format!("{SHARED}/{name}");
        let mut command = cluster.on(0, "sh");
        command.args(["-c", &format!("echo $$ > {seen}/pid && exec \"$@\""), "sh"]);
        let log = fs::File::create(directory.join("log"))?;
        command.args(line(with, cluster.nodes(), ranks));
        command.arg(format!("{seen}/ring"));
        command.arg(format!("{matter:?}").to_lowercase()).arg(&seen);
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let launcher = command.spawn()?;
        let mut ring = Ring { launcher, directory, pid: 0, ranks };
        if let Err(why) = ring.wait() {
            ring.end(cluster)?;
            return Err(why);
        }
        Ok(ring)
    }

    fn wait(&mut self) -> Result<()> {
        let begin = Instant::now();
        let log = |ring: &Ring| fs::read_to_string(ring.directory.join("log")).unwrap_or_default();
        let there = |rank: usize| self.directory.join(format!("rank.{rank}")).exists();
        while !(0..self.ranks).all(there) {
            if let Some(status) = self.launcher.try_wait()? {
                bail!("the ring ended ({status}): {}", log(self));
            }
            ensure!(begin.elapsed() < PATIENCE, "the ring does not begin: {}", log(self));
            thread::sleep(Duration::from_millis(20));
        }
        self.pid = self.launcher_pid()?;
        Ok(())
    }

    /// The launcher's process id on the first node.
    fn launcher_pid(&self) -> Result<u32> {
        Ok(fs::read_to_string(self.directory.join("pid"))?.trim().parse()?)
    }

    /// The longest time that a rank of a [`Matter::Watched`] ring stood still, at least in part
    /// between two times. Zero if none did for 3 ms.
    ///
    /// # Errors
    ///
    /// When the notes of a rank cannot be read.
    pub fn longest_still(&self, begin: SystemTime, end: SystemTime) -> Result<Duration> {
        let since = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH);
        let (begin, end) = (since(begin)?.as_micros(), since(end)?.as_micros());
        let mut longest = 0;
        for rank in 0..self.ranks {
            let notes = fs::read_to_string(self.directory.join(format!("still.{rank}")))?;
            for line in notes.lines() {
                // The last one may be incomplete.
                let Some((until, still)) = line.split_once(' ') else { continue };
                let (until, still): (u128, u128) = (until.parse()?, still.parse()?);
                if until >= begin && until.saturating_sub(still) <= end {
                    longest = longest.max(still);
                }
            }
        }
        Ok(Duration::from_micros(longest.try_into()?))
    }

    /// Ends it, and waits until its launcher has ended.
    ///
    /// # Errors
    ///
    /// When the launcher cannot be waited for.
    pub fn end(&mut self, cluster: &Cluster) -> Result<()> {
        if self.launcher.try_wait()?.is_none() {
            let pid = self.launcher_pid()?.to_string();
            workspace::output(cluster.as_root(0, "kill").arg(pid))?;
        }
        self.launcher.wait()?;
        Ok(())
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // The cluster ends what is inside.
        let _ = self.launcher.kill();
        let _ = self.launcher.wait();
    }
}

fn compile(with: &Launcher, program: &Path) -> Result<()> {
    let source = root().join("fixtures/ring.c");
    let mut mpicc = match with {
        Launcher::OpenMpi | Launcher::OverUcx | Launcher::Srun | Launcher::Salloc => {
            Command::new("mpicc.openmpi")
        }
        Launcher::Hydra => Command::new("mpicc.mpich"),
        Launcher::Prte(directory) => workspace::command(directory.join("bin/mpicc")),
        Launcher::OfMpich(directory, _) => workspace::command(directory.join("bin/mpicc")),
        Launcher::IntelHydra(intel) => return intel.compile(&source, program),
    };
    mpicc.args(["-g", "-Wall", "-Wextra", "-Werror", "-o"]).arg(program);
    workspace::output(mpicc.arg(source)).map(drop)
}

/// The command line up to the program.
fn line(with: &Launcher, nodes: usize, ranks: usize) -> Vec<String> {
    let hosts = |suffix: &str| {
        let names: Vec<String> = (0..nodes).map(|node| format!("node{node}{suffix}")).collect();
        names.join(",")
    };
    let each = format!(":{EACH}");
    let (count, per_node) = (ranks.to_string(), format!("--ntasks-per-node={EACH}"));
    let interfaces = ["1", "--mca", "btl_tcp_if_include", "eth0"];
    let options = OPTIONS.iter().chain(&interfaces).copied();
    let allocation = [format!("-N{nodes}"), format!("-n{ranks}"), per_node];
    let hydra = ["-hosts", &hosts(""), "-ppn", &EACH.to_string(), "-n", &count].map(str::to_owned);
    let over_ssh = |launcher: &str| {
        let words = [launcher, "--host", &hosts(&each), "-n", &count];
        words.map(str::to_owned).into_iter()
    };
    let words: Vec<String> = match with {
        Launcher::OpenMpi => over_ssh("mpirun.openmpi").chain(options.map(str::to_owned)).collect(),
        Launcher::OverUcx => {
            let options = UCX.iter().chain(&["--mca", "mpi_yield_when_idle", "1"]);
            over_ssh("mpirun.openmpi").chain(options.map(|one| (*one).to_owned())).collect()
        }
        Launcher::Prte(directory) => {
            let prterun = directory.join("bin/mpirun").display().to_string();
            over_ssh(&prterun).chain(options.map(str::to_owned)).collect()
        }
        Launcher::Hydra => ["mpiexec.mpich".to_owned()].into_iter().chain(hydra).collect(),
        Launcher::OfMpich(directory, netmod) => {
            let netmod = match netmod {
                Netmod::Ofi => "MPIR_CVAR_CH4_NETMOD=ofi",
                Netmod::Ucx => "MPIR_CVAR_CH4_NETMOD=ucx",
            };
            let variables = ["env", netmod, "FI_PROVIDER=tcp"];
            let launcher = [directory.join("bin/mpiexec").display().to_string()];
            variables.map(str::to_owned).into_iter().chain(launcher).chain(hydra).collect()
        }
        Launcher::IntelHydra(intel) => {
            let variables = intel.variables();
            let variables =
                variables.map(|(name, value)| format!("{name}={}", value.to_string_lossy()));
            let launcher = [intel.launcher().display().to_string()];
            ["env".to_owned()].into_iter().chain(variables).chain(launcher).chain(hydra).collect()
        }
        Launcher::Srun => {
            let environment = [
                "env",
                "OMPI_MCA_pml=ob1",
                "OMPI_MCA_btl=tcp,self",
                "OMPI_MCA_mpi_yield_when_idle=1",
            ];
            let srun = ["srun", "--mpi=pmix"].map(str::to_owned).into_iter();
            srun.chain(allocation).chain(environment.map(str::to_owned)).collect()
        }
        Launcher::Salloc => {
            let inner = std::iter::once("mpirun.openmpi").chain(options);
            let salloc = std::iter::once("salloc".to_owned()).chain(allocation);
            salloc.chain(inner.map(str::to_owned)).collect()
        }
    };
    words
}
