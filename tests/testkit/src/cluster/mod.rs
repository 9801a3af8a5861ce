//! A cluster on one machine: nodes made of namespaces, with sshd and, if wanted, Slurm.
//!
//! Each node has network, UTS, IPC, PID and mount namespaces of its own, and an overlay over `/` as
//! its root. All of them are below one process, whose PID namespace ends with it. The kernel then
//! ends every process of the cluster, and its mounts and interfaces go with its namespaces. That
//! also happens if the process that made the cluster is killed.

mod image;
mod ring;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

pub use self::ring::{Launcher, Matter, Netmod, Ring};
use crate::packages;
use crate::prefix::Prefix;
use crate::workspace;

/// What nodes run besides sshd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Services {
    /// Nothing.
    Ssh,
    /// Slurm: munged and slurmd, and slurmctld on the first node.
    Slurm,
}

/// The path of the directory that all nodes share. It belongs to the user.
pub const SHARED: &str = "/cluster";

/// Set by `cargo xtask test` on machines that cannot have a cluster. Tests that need one then do
/// not run.
pub const WITHOUT_CLUSTER: &str = "MQD_TEST_WITHOUT_CLUSTER";

/// How long the nodes may take to start. They take a second.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a node's first process runs.
const NODE: &str = concat!(include_str!("scripts/devices.sh"), include_str!("scripts/node.sh"));

/// The ordinary user of the nodes.
const USER: &str = "2000";

/// The nodes `node0`, `node1`, ... They and all their processes end when this is dropped.
#[derive(Debug)]
pub struct Cluster {
    first: Child,
    directory: TempDir,
    /// The first process of each node: its process id on the host.
    nodes: Vec<u32>,
}

/// Why there can be no cluster on this machine; `None` if there can be one.
pub fn impossible() -> Option<String> {
    if !nix::unistd::geteuid().is_root() {
        return Some("a cluster of namespaces needs root".to_owned());
    }
    let missing = packages::ensure(&["openssh-client", "iproute2", "util-linux", "tar"]);
    if !missing.is_empty() {
        return Some(format!("a cluster of namespaces needs {}", missing.join(", ")));
    }
    // The same steps as in the scripts. Containers often forbid one of them.
    let attempt = "mount --make-rprivate / && mount -t tmpfs none /mnt && \
                   mknod /mnt/null c 1 3 && : >/mnt/null && ip link add switch type bridge";
    let mut unshare = Command::new("unshare");
    unshare.args(["--mount", "--net", "--pid", "--fork", "--kill-child", "sh", "-c", attempt]);
    match unshare.output() {
        Ok(output) if output.status.success() => None,
        Ok(output) => {
            let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            Some(format!("this machine refuses namespaces, mounts, devices or a bridge: {why}"))
        }
        Err(error) => Some(format!("cannot run unshare: {error}")),
    }
}

impl Cluster {
    /// Starts this many nodes, and waits until they are ready.
    ///
    /// # Errors
    ///
    /// When the machine cannot have a cluster ([`impossible`]), or a step fails; with its output.
    pub fn start(nodes: usize, services: Services) -> Result<Cluster> {
        if let Some(why) = impossible() {
            bail!("{why}");
        }
        let image = image::image()?;
        let directory = tempfile::tempdir()?;
        let log = fs::File::create(directory.path().join("log"))?;
        // It ends with the thread that starts it, in case that is killed.
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "unshare", "--mount", "--net", "--pid", "--fork"]);
        command.args(["--kill-child", "bash", "-c"]);
        command.args([include_str!("scripts/cluster.sh"), "cluster"]);
        command.arg(NODE).arg(directory.path());
        command.arg(nodes.to_string()).arg(image);
        command.arg(if services == Services::Slurm { "1" } else { "0" });
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let first = command.spawn().context("cannot run unshare")?;
        let mut cluster = Cluster { first, directory, nodes: Vec::new() };
        let begin = Instant::now();
        for node in 0..nodes {
            let pid = cluster.wait_for(node, begin)?;
            cluster.nodes.push(pid);
        }
        Ok(cluster)
    }

    /// The first process of a node.
    fn wait_for(&mut self, node: usize, begin: Instant) -> Result<u32> {
        let file = self.directory.path().join(format!("node{node}.pid"));
        loop {
            if let Ok(pid) = fs::read_to_string(&file) {
                return Ok(pid.trim().parse()?);
            }
            if let Some(status) = self.first.try_wait()? {
                bail!("the cluster has ended ({status}): {}", self.log(node));
            }
            ensure!(begin.elapsed() < PATIENCE, "node{node} does not come: {}", self.log(node));
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn log(&self, node: usize) -> String {
        let read = |name: &str| fs::read_to_string(self.directory.path().join(name));
        let node = read(&format!("node{node}.log")).unwrap_or_default();
        read("log").unwrap_or_default() + &node
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// The directory that is [`SHARED`] on the nodes, as the host sees it.
    pub fn shared(&self) -> PathBuf {
        self.directory.path().join("shared")
    }

    /// Copies `mqd` and its debug DLL to a place where the user of the nodes can read them. Returns
    /// the path of `mqd` there.
    ///
    /// # Errors
    ///
    /// When they cannot be copied.
    pub fn install(&self, prefix: &Prefix) -> Result<PathBuf> {
        for file in ["bin/mqd", "lib/libmqd.so"] {
            let to = self.shared().join(file);
            fs::create_dir_all(to.parent().context("it has a directory")?)?;
            fs::copy(prefix.directory.join(file), to)?;
        }
        Ok(Path::new(SHARED).join("bin/mqd"))
    }

    /// A command on a node, as an ordinary user with a small environment. If it is killed, the
    /// processes that it has started on the node go on.
    pub fn on(&self, node: usize, program: impl AsRef<OsStr>) -> Command {
        let mut command = self.inside(node);
        command.args(["setpriv", "--reuid", USER, "--regid", USER, "--clear-groups", "env", "-i"]);
        command.arg(format!("--chdir={SHARED}"));
        command.args(["HOME=/home/mpi", "USER=mpi", "PATH=/usr/bin:/bin"]);
        command.arg(program).stdin(Stdio::null());
        command
    }

    /// A command on a node, as root.
    pub fn as_root(&self, node: usize, program: impl AsRef<OsStr>) -> Command {
        let mut command = self.inside(node);
        command.arg(program).stdin(Stdio::null());
        command
    }

    fn inside(&self, node: usize) -> Command {
        let mut command = Command::new("nsenter");
        command.arg("--target").arg(self.nodes[node].to_string());
        command.args(["--mount", "--uts", "--ipc", "--net", "--pid", "--root", "--wd"]);
        command
    }

    /// Cuts a node off the network. Its processes go on.
    ///
    /// # Errors
    ///
    /// When the node has ended.
    pub fn cut_off(&self, node: usize) -> Result<()> {
        let mut ip = self.as_root(node, "ip");
        workspace::output(ip.args(["link", "set", "eth0", "down"])).map(drop)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // `--kill-child` ends the PID namespace, and all that is in it.
        let _ = self.first.kill();
        let _ = self.first.wait();
        // The first process is in a namespace that ends a moment later.
        let begin = Instant::now();
        let there = |pid: &u32| fs::exists(format!("/proc/{pid}")).unwrap_or(false);
        while self.nodes.iter().any(there) && begin.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(1));
        }
    }
}
