//! `cargo xtask cluster`: a cluster of namespaces for experiments.

use std::path::Path;
use std::process::Stdio;

use anyhow::Result;
use testkit::cluster::{Cluster, Launcher, Matter, Ring, SHARED, Services};
use testkit::prefix::Prefix;
use testkit::workspace::{self, Profile, target};

/// Starts the nodes, runs a command on the first one as an ordinary user, and ends them. Without a
/// command: a ring that hangs and one that is slow, and what `mqd check` says of them.
///
/// # Errors
///
/// When this machine cannot have a cluster, or a job cannot be started.
pub(crate) fn run(nodes: usize, slurm: bool, command: &[String]) -> Result<()> {
    let prefix = Prefix::lay_out(Profile::Dev, &target().join("dist"))?;
    let services = if slurm { Services::Slurm } else { Services::Ssh };
    let cluster = Cluster::start(nodes, services)?;
    let mqd = cluster.install(&prefix)?;
    println!("{nodes} nodes, node0 to node{}; {SHARED} is shared, and has mqd", nodes - 1);
    if let Some((program, arguments)) = command.split_first() {
        let mut inside = cluster.on(0, program);
        let status = inside.args(arguments).stdin(Stdio::inherit()).status()?;
        println!("{}: {status}", workspace::line(&inside));
        return Ok(());
    }
    for (name, matter) in [("hang", Matter::Hang), ("slow", Matter::Slow)] {
        let mut ring = Ring::start(&cluster, name, &Launcher::OpenMpi, matter)?;
        println!("\n== A ring of {} ranks: {name}", ring.ranks);
        check(&cluster, &mqd, ring.pid)?;
        ring.end(&cluster)?;
    }
    Ok(())
}

fn check(cluster: &Cluster, mqd: &Path, launcher: u32) -> Result<()> {
    let mut check = cluster.on(0, mqd);
    let status = check.args(["check", "--job", &launcher.to_string()]).status()?;
    println!("(exit code {})", status.code().unwrap_or(-1));
    Ok(())
}
