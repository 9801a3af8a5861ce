//! `cargo xtask bench cluster`: `mqd check` of a hung job on several hosts, compared in the same
//! run with gdb over ssh on each of them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use testkit::cluster::{Cluster, Launcher, Matter, Ring, SHARED, Services};
use testkit::packages;
use testkit::prefix::Prefix;
use testkit::workspace::{Profile, target};

/// Runs of each, which take turns, after one that is not counted.
const RUNS: usize = 3;
/// How long the ranks are left alone, to see what else takes the processors from them.
const QUIET: Duration = Duration::from_secs(5);

/// Prints the table. `mqd`: the released file to measure; by default `mqd` and `libmqd.so` are
/// built, with optimisation.
///
/// # Errors
///
/// When there can be no cluster, or building, the job, `mqd` or gdb fails.
pub(crate) fn run(nodes: &[usize], mqd: Option<&Path>) -> Result<()> {
    packages::ensure(&["gdb"]);
    let measured = match mqd {
        Some(file) => Measurable::File(file),
        None => Measurable::Built(Prefix::lay_out(Profile::Release, &target().join("dist"))?),
    };
    println!(
        "a hung ring of Open MPI, two ranks a host: the shortest time of {RUNS} runs, what the \
         hosts sent, and the longest time between two readings of the clock by any rank, which \
         sleeps 1 ms in between; left alone for {} s: the last column\n",
        QUIET.as_secs()
    );
    println!(
        "{:>5} {:>5}  {:12} {:>8} {:>9} {:>9} {:>9}",
        "hosts", "ranks", "", "s", "bytes", "still, ms", "alone, ms"
    );
    nodes.iter().try_for_each(|nodes| rows(*nodes, &measured))
}

/// What is to be measured.
enum Measurable<'a> {
    /// A released `mqd`, which has the DLL in it.
    File(&'a Path),
    /// `mqd` and `libmqd.so`.
    Built(Prefix),
}

impl Measurable<'_> {
    /// Copies it to a cluster: `mqd` there.
    fn install(&self, cluster: &Cluster) -> Result<PathBuf> {
        match self {
            Measurable::Built(prefix) => Ok(cluster.install(prefix)?),
            Measurable::File(mqd) => {
                let name = "mqd";
                fs::copy(mqd, cluster.shared().join(name))
                    .with_context(|| mqd.display().to_string())?;
                Ok(Path::new(SHARED).join(name))
            }
        }
    }
}

/// What was measured of a way of looking at the job.
#[derive(Clone, Copy)]
struct Measured {
    seconds: f64,
    bytes: u64,
    /// The longest time that a rank stood still, in milliseconds.
    still: f64,
}

impl Measured {
    /// Of no run.
    const NONE: Measured = Measured { seconds: f64::INFINITY, bytes: 0, still: 0.0 };

    fn and(self, other: Measured) -> Measured {
        Measured {
            seconds: self.seconds.min(other.seconds),
            bytes: self.bytes.max(other.bytes),
            still: self.still.max(other.still),
        }
    }
}

fn rows(nodes: usize, measured: &Measurable<'_>) -> Result<()> {
    let cluster = Cluster::start(nodes, Services::Ssh)?;
    let mqd = measured.install(&cluster)?;
    // What it passes on is counted.
    let client = cluster.shared().join("client");
    let line = "host=$1; shift; ssh -T -o BatchMode=yes -- $host \"$@\" | tee sent.$host";
    fs::write(&client, format!("#!/bin/sh\n{line}\n"))?;
    fs::set_permissions(&client, fs::Permissions::from_mode(0o755))?;
    let mut ring = Ring::start(&cluster, "ring", &Launcher::OpenMpi, Matter::Watched)?;
    let seen = Seen { cluster: &cluster, ring: &ring, mqd: &mqd };
    let alone = seen.measure(|| {
        thread::sleep(QUIET);
        Ok(())
    })?;
    let (mut ours, mut theirs) = (Measured::NONE, Measured::NONE);
    for run in 0..=RUNS {
        let (by_mqd, by_gdb) = (seen.measure(|| seen.check())?, seen.measure(|| seen.gdb())?);
        if run > 0 {
            (ours, theirs) = (ours.and(by_mqd), theirs.and(by_gdb));
        }
    }
    ring.end(&cluster)?;
    for (what, Measured { seconds, bytes, still }) in [("mqd check", ours), ("gdb -ex bt", theirs)]
    {
        println!(
            "{nodes:>5} {:>5}  {what:12} {seconds:>8.2} {bytes:>9} {still:>9.0} {:>9.0}",
            ring.ranks, alone.still
        );
    }
    Ok(())
}

/// A job that is looked at.
struct Seen<'a> {
    cluster: &'a Cluster,
    ring: &'a Ring,
    /// The command.
    mqd: &'a Path,
}

impl Seen<'_> {
    fn measure(&self, look: impl FnOnce() -> Result<()>) -> Result<Measured> {
        let (begun, begin) = (SystemTime::now(), Instant::now());
        look()?;
        let seconds = begin.elapsed().as_secs_f64();
        let still = self.ring.longest_still(begun, SystemTime::now())?;
        Ok(Measured { seconds, bytes: self.sent()?, still: still.as_secs_f64() * 1e3 })
    }

    /// The job is found to be deadlocked, with all ranks.
    fn check(&self) -> Result<()> {
        let mut check = self.cluster.on(0, self.mqd);
        check.args(["check", "--format", "json", "--job", &self.ring.pid.to_string()]);
        let output = check.args(["--via", "./client {host}"]).output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        let diagnosis: Value = serde_json::from_slice(&output.stdout).context(said.to_string())?;
        let all = format!("0-{}", self.ring.ranks - 1);
        ensure!(diagnosis["verdict"] == "deadlocked", "{diagnosis}");
        ensure!(diagnosis["stuck"] == all, "{diagnosis}");
        Ok(())
    }

    /// The call stack of each rank, on all hosts at the same time.
    fn gdb(&self) -> Result<()> {
        let line = "for pid in $(pgrep -x ring); do gdb -nx -batch -iex \"set debuginfod enabled \
                    off\" -ex bt -p $pid 2>&1; done";
        let hosts = (0..self.cluster.nodes()).map(|node| format!("node{node}"));
        let hosts: Vec<String> = hosts.collect();
        let all = format!(
            "for host in {}; do ssh -T -n $host '{line}' > sent.$host & done; wait; \
             cat sent.* | grep -c ' main (argc='",
            hosts.join(" ")
        );
        let output = self.cluster.on(0, "bash").args(["-c", &all]).output()?;
        let stacks = String::from_utf8_lossy(&output.stdout);
        ensure!(stacks.trim() == self.ring.ranks.to_string(), "gdb shows {stacks} stacks");
        Ok(())
    }

    /// How many bytes the hosts have sent since the last call.
    fn sent(&self) -> Result<u64> {
        let mut bytes = 0;
        for entry in fs::read_dir(self.cluster.shared())?.flatten() {
            if entry.file_name().to_string_lossy().starts_with("sent.") {
                bytes += entry.metadata()?.len();
                fs::remove_file(entry.path())?;
            }
        }
        Ok(bytes)
    }
}
