//! Jobs on several hosts: nodes made of namespaces, with sshd and Slurm, as an ordinary user.

#[path = "cluster/clients.rs"]
mod clients;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use mqd_tests::{intel_mpi, lock, mpi, prefix, run, wait_for};
use serde_json::Value;
use testkit::cluster::{self, Cluster, Launcher, Matter, Netmod, Ring, Services};
use testkit::open_mpi;
use testkit::workspace::target;

/// A cluster with `mqd` on it.
struct Site {
    cluster: Cluster,
    mqd: PathBuf,
    /// One at a time: each has many processes.
    _lock: std::fs::File,
}

/// Three nodes. `None` on machines that cannot have a cluster; `cargo xtask test` has said so.
fn site(services: Services) -> Option<Site> {
    site_of(3, services)
}

/// The same with so many nodes.
fn site_of(nodes: usize, services: Services) -> Option<Site> {
    if let Some(why) = cluster::impossible() {
        assert!(
            std::env::var_os(cluster::WITHOUT_CLUSTER).is_some(),
            "NOT RUN: jobs on several hosts: {why}. {}=1 accepts that",
            cluster::WITHOUT_CLUSTER
        );
        eprintln!("NOT RUN: jobs on several hosts: {why}");
        return None;
    }
    let lock = lock("cluster");
    let prefix = prefix();
    let cluster = Cluster::start(nodes, services).expect("the nodes start");
    let mqd = cluster.install(prefix).expect("the shared directory is writable");
    Some(Site { cluster, mqd, _lock: lock })
}

impl Site {
    fn mqd(&self, node: usize, arguments: &[&str]) -> Command {
        let mut command = self.cluster.on(node, &self.mqd);
        command.args(arguments);
        command
    }

    /// Runs `mqd` on a node: exit code, standard output, standard error.
    fn run(&self, node: usize, arguments: &[&str]) -> (i32, String, String) {
        run(&mut self.mqd(node, arguments))
    }

    /// A command line for a shell on a node.
    fn shell(&self, node: usize, line: &str) -> (i32, String, String) {
        run(self.cluster.on(node, "bash").args(["-c", line]))
    }

    fn ring(&self, name: &str, with: &Launcher, matter: Matter) -> Ring {
        Ring::start(&self.cluster, name, with, matter).expect("the ring starts")
    }

    /// What `mqd check` finds of a job: verdict and stuck ranks; the rest of it for messages. The
    /// time for which ranks are stopped does not limit it: it would on a machine under load.
    fn check(&self, node: usize, target: &[&str]) -> (i32, Value, String) {
        let arguments = [&["check", "--format", "json", "--stop-limit", "30"], target].concat();
        let (code, stdout, stderr) = self.run(node, &arguments);
        let diagnosis = serde_json::from_str(&stdout).unwrap_or(Value::Null);
        (code, diagnosis, stdout + &stderr)
    }

    /// A ring that hangs is seen as such, with all of its ranks.
    fn is_deadlocked(&self, node: usize, target: &[&str]) {
        let (code, diagnosis, all) = self.check(node, target);
        assert_eq!(code, 10, "{target:?}: {all}");
        assert_eq!(diagnosis["stuck"], "0-5", "{target:?}: {all}");
        assert_eq!(diagnosis["findings"][0]["ranks"], "0,5", "{target:?}: {all}");
        assert_eq!(diagnosis["unknown"], "", "{target:?}: {all}");
    }

    /// Waits until Slurm has its three nodes.
    fn slurm_is_ready(&self) {
        wait_for("Slurm has its nodes", || {
            let (_, stdout, _) = self.shell(0, "sinfo -h -o '%T %D'");
            (stdout.trim() == "idle 3").then_some(())
        });
    }

    /// The number of the only job that Slurm has.
    fn slurm_job(&self) -> String {
        let (_, jobs, stderr) = self.shell(0, "squeue --noheader --states running --format %i");
        let job = jobs.trim().to_owned();
        assert!(job.parse::<u32>().is_ok(), "one job: {jobs}{stderr}");
        job
    }

    /// Waits until no agent is a step of a job, whose first step has the ranks.
    fn steps_of_agents_end(&self, job: &str) {
        wait_for("the steps of agents end", || {
            let (_, steps, _) = self.shell(0, "squeue --noheader --steps --format %i");
            (steps == format!("{job}.0\n")).then_some(())
        });
    }

    /// No agent and no client is left on any node.
    fn nothing_is_left(&self) {
        for node in 0..self.cluster.nodes() {
            wait_for("agents and clients end", || {
                let (_, stdout, _) = self.shell(node, "pgrep -af '[m]qd agent'");
                stdout.is_empty().then_some(())
            });
        }
    }
}

/// The processes of a report.
fn processes(report: &str) -> Vec<Value> {
    let report: Value = serde_json::from_str(report).expect("a report");
    report["processes"].as_array().expect("processes").clone()
}

#[test]
fn a_job_of_mpirun_over_ssh() {
    let Some(site) = site(Services::Ssh) else { return };
    mpi("openmpi");
    let ring = site.ring("hang", &Launcher::OpenMpi, Matter::Hang);
    let job = ring.pid.to_string();
    site.is_deadlocked(0, &["--job", &job]);
    site.is_deadlocked(0, &[&job]);
    site.is_deadlocked(0, &["--job", &job, "--via", "ssh {host}"]);
    site.is_deadlocked(0, &["--job", &job, "--parallel", "1"]);
    site.nothing_is_left();

    // What an mqd outside the nodes shows of all of their processes.
    let (code, stdout, stderr) = site.run(0, &["dump", "--job", &job, "--format", "json"]);
    assert_eq!(code, 0, "{stderr}");
    let seen = processes(&stdout);
    let mut hosts: Vec<&str> =
        seen.iter().map(|process| process["host"].as_str().expect("a host")).collect();
    hosts.dedup();
    assert_eq!(hosts, ["node0", "node1", "node2"], "{stdout}");
    let pids = host_pids(&site.cluster.shared().join("hang/ring"));
    assert_eq!(pids.len(), 6, "{pids:?}");
    let mut outside = prefix().command("mqd");
    outside.args(["dump", "--format", "json", "--pid"]).args(&pids);
    let (code, stdout, stderr) = run(&mut outside);
    assert_eq!(code, 0, "{stderr}");
    let queues = |processes: &[Value]| {
        let mut queues: Vec<(i64, String)> = processes
            .iter()
            .map(|process| {
                let rank = process["rank"].as_i64().expect("a rank");
                (rank, process["communicators"].to_string())
            })
            .collect();
        queues.sort();
        queues
    };
    assert_eq!(queues(&seen), queues(&processes(&stdout)));

    snapshots(&site, &job);
    broken_nodes(&site, &job);
    drop(ring);
    site.nothing_is_left();
}

/// `mqd watch` ends with the job. The agents of other nodes tell that their ranks have ended.
fn watched_until_it_ends(site: &Site, ring: &mut Ring) {
    let job = ring.pid.to_string();
    let mut watch = site.mqd(0, &["watch", "--plain", "--every", "0.5", "--job", &job]);
    let mut watch = watch.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("mqd starts");
    let mut stdout = BufReader::new(watch.stdout.take().expect("a pipe"));
    let mut text = String::new();
    stdout.read_line(&mut text).expect("mqd writes a look");
    ring.end(&site.cluster).expect("the ring ends");
    stdout.read_to_string(&mut text).expect("mqd ends");
    assert!(watch.wait().expect("mqd ends").success(), "{text}");
    assert!(text.ends_with("the job has ended\n"), "{text}");
}

/// The processes of the host that run a program on some node.
fn host_pids(program: &Path) -> Vec<String> {
    let name = program.file_name().expect("a program has a name").to_owned();
    let directory = program.parent().and_then(Path::file_name).expect("it has one").to_owned();
    let entries = std::fs::read_dir("/proc").expect("there is /proc").flatten();
    let is_it = |entry: &std::fs::DirEntry| {
        std::fs::read_link(entry.path().join("exe"))
            .is_ok_and(|exe| exe.ends_with(Path::new(&directory).join(&name)))
    };
    entries.filter(is_it).map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Snapshots of a whole job, and of each node by itself.
fn snapshots(site: &Site, job: &str) {
    let (code, _, stderr) = site.run(0, &["capture", "--job", job, "-o", "/cluster/whole.mqd"]);
    assert_eq!(code, 0, "{stderr}");
    site.is_deadlocked(2, &["/cluster/whole.mqd"]);

    // On each node without a client, into one directory.
    site.shell(0, "mkdir /cluster/parts");
    for node in 0..3 {
        let line = "exec /cluster/bin/mqd capture --pid $(pgrep -x ring) -o /cluster/parts/";
        let (code, stdout, stderr) = site.shell(node, line);
        assert_eq!(code, 0, "{stdout}{stderr}");
        assert!(stdout.starts_with(&format!("/cluster/parts/node{node}-")), "{stdout}");
        // Standard output has only the snapshot.
        let line = "exec /cluster/bin/mqd capture --pid $(pgrep -x ring) -o - >> /cluster/all.mqd";
        assert_eq!(site.shell(node, line), (0, String::new(), String::new()));
        let line = line.replace("-o - >> /cluster/all.mqd", "-o /dev/stdout");
        let line = format!("{} | /cluster/bin/mqd dump -", line.trim_start_matches("exec "));
        let (code, stdout, stderr) = site.shell(node, &line);
        assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    }
    site.is_deadlocked(1, &["/cluster/parts"]);
    // One after the other in one file.
    site.is_deadlocked(1, &["/cluster/all.mqd"]);
    let (_, whole, _) = site.run(0, &["dump", "/cluster/parts", "--format", "json"]);
    for _ in 0..20 {
        let (code, stdout, stderr) = site.run(0, &["dump", "/cluster/all.mqd", "--format", "json"]);
        assert_eq!((code, stderr.as_str()), (0, ""));
        assert_eq!(stdout, whole);
    }
    let (_, stdout, _) = site.shell(0, "cat all.mqd | bin/mqd dump - --format json");
    assert_eq!(stdout, whole);
    let (_, text, _) = site.run(0, &["dump", "/cluster/all.mqd"]);
    for host in ["on node0", "on node1", "on node2"] {
        assert!(text.contains(host), "{text}");
    }
}

/// A host that fails costs only its own ranks, and the report names them.
fn broken_nodes(site: &Site, job: &str) {
    let lost = |report: &str, kind: &str| {
        let processes = processes(report);
        let lost: Vec<(i64, String)> = processes
            .iter()
            .filter(|process| process["errors"][0]["kind"] == kind)
            .map(|process| {
                let rank = process["rank"].as_i64().expect("a rank");
                (rank, process["errors"][0]["host"].to_string())
            })
            .collect();
        (processes.len(), lost)
    };
    let expected = |node: usize| {
        let host = format!("\"node{node}\"");
        (6, vec![(2 * node as i64, host.clone()), (2 * node as i64 + 1, host)])
    };
    let dump = ["dump", "--job", job, "--format", "json"];
    // An agent that hangs.
    site.shell(0, "printf '#!/bin/sh\\nexec sleep 100\\n' > hangs; chmod 755 hangs");
    let script = "printf '#!/bin/sh\\n[ $1 = node2 ] && shift && exec /cluster/hangs\\n\
                  exec ssh \"$@\"\\n' > client; chmod 755 client";
    site.shell(0, script);
    let via = ["--via", "/cluster/client {host}", "--node-timeout", "3"];
    let (code, stdout, stderr) = site.run(0, &[&dump[..], &via].concat());
    assert_eq!(code, 5, "{stderr}");
    assert_eq!(lost(&stdout, "time_limit"), expected(2), "{stdout}");
    let (code, diagnosis, all) = site.check(0, &[&["--job", job][..], &via].concat());
    assert_eq!(code, 5, "{all}");
    assert_eq!(diagnosis["verdict"], "insufficient", "{all}");
    assert!(all.contains("ranks 4-5 were not read") && all.contains("host node2"), "{all}");

    // No mqd there.
    let (code, stdout, _) = site.run(0, &[&dump[..], &["--agent", "/nonexistent/mqd"]].concat());
    assert_eq!(code, 5);
    assert_eq!(lost(&stdout, "unreachable").1.len(), 4, "{stdout}");
    let (code, stdout, _) = site.run(0, &[&dump[..], &["--via", "none"]].concat());
    assert_eq!(code, 5);
    assert_eq!(lost(&stdout, "elsewhere").1.len(), 4, "{stdout}");

    // A client that is killed between two looks leaves no agent.
    let mut client = site.mqd(0, &["check", "--job", job, "--recheck", "1000"]);
    let mut client = client.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
    let count = |site: &Site| site.shell(2, "pgrep -fc '[m]qd agent'").1.trim().to_owned();
    wait_for("an agent is there", || (count(site) != "0").then_some(()));
    site.shell(0, "pkill -KILL -f '^/cluster/bin/mqd check'");
    client.wait().expect("it was started");
    site.nothing_is_left();

    // A node that does not answer. The job still hangs.
    site.cluster.cut_off(2).expect("it is there");
    let (code, stdout, stderr) = site.run(0, &[&dump[..], &["--node-timeout", "2"]].concat());
    assert_eq!(code, 5, "{stderr}");
    let (count, _) = lost(&stdout, "time_limit");
    assert_eq!(count, 6);
    let not_read =
        processes(&stdout).iter().filter(|process| process["errors"][0]["host"] == "node2").count();
    assert_eq!(not_read, 2, "{stdout}");
}

#[test]
fn sixteen_hosts_with_equal_process_ids() {
    let Some(site) = site_of(16, Services::Ssh) else { return };
    mpi("openmpi");
    for node in 0..site.cluster.nodes() {
        let line = "echo 5000 > /proc/sys/kernel/ns_last_pid";
        let status = site.cluster.as_root(node, "sh").args(["-c", line]).status();
        assert!(status.expect("there is sh").success(), "node {node}");
    }
    let ring = site.ring("hang", &Launcher::OpenMpi, Matter::Hang);
    let job = ring.pid.to_string();
    // All nodes are on one machine, whose processors the ranks keep busy.
    let (code, diagnosis, all) = site.check(0, &["--job", &job, "--node-timeout", "60"]);
    assert_eq!((code, diagnosis["stuck"].as_str()), (10, Some("0-31")), "{all}");
    assert_eq!(diagnosis["unknown"], "", "{all}");
    assert!(diagnosis["spread_ms"].as_u64().is_some_and(|spread| spread > 0), "{all}");

    let dump = ["dump", "--job", &job, "--format", "json", "--node-timeout", "60"];
    let (code, stdout, stderr) = site.run(0, &dump);
    assert_eq!(code, 0, "{stderr}");
    let report: Value = serde_json::from_str(&stdout).expect("a report");
    assert!(report["spread_ms"].as_u64().is_some_and(|spread| spread > 0), "{stdout}");
    let mut hosts_of: BTreeMap<i64, Vec<String>> = BTreeMap::new();
    for (rank, process) in processes(&stdout).iter().enumerate() {
        let host = process["host"].as_str().expect("a host").to_owned();
        assert_eq!(
            (process["rank"].as_u64(), &*host),
            (Some(rank as u64), &*format!("node{}", rank / 2))
        );
        hosts_of.entry(process["pid"].as_i64().expect("a pid")).or_default().push(host);
    }
    assert!(hosts_of.values().any(|hosts| hosts.len() > 1), "no pids are equal: {hosts_of:?}");
    drop(ring);
    site.nothing_is_left();
}

#[test]
fn a_slow_job_and_two_jobs() {
    let Some(site) = site(Services::Ssh) else { return };
    mpi("openmpi");
    let mut slow = site.ring("slow", &Launcher::OpenMpi, Matter::Slow);
    // All wait for rank 0, which computes.
    let (code, diagnosis, all) = site.check(0, &["--job", &slow.pid.to_string()]);
    assert_eq!((code, diagnosis["verdict"].as_str()), (0, Some("not_deadlocked")), "{all}");
    // The second look goes over the hosts too.
    let arguments = ["--job", &slow.pid.to_string(), "--recheck", "0.1"];
    let (code, diagnosis, all) = site.check(0, &arguments);
    assert_eq!((code, diagnosis["looks"].as_i64()), (0, Some(2)), "{all}");

    // Processes of two jobs are not combined.
    let hang = site.ring("hang", &Launcher::OpenMpi, Matter::Hang);
    for (ring, file) in [(&slow, "a"), (&hang, "b")] {
        let line = format!("bin/mqd capture --job {} -o {file}.mqd", ring.pid);
        let (code, _, stderr) = site.shell(0, &line);
        assert_eq!(code, 0, "{stderr}");
    }
    let (code, _, all) = site.check(0, &["/cluster/a.mqd", "/cluster/b.mqd"]);
    assert_eq!(code, 2, "{all}");
    assert!(all.contains("the targets are of two jobs: rank 0 "), "{all}");
    site.is_deadlocked(0, &["/cluster/b.mqd"]);
    watched_until_it_ends(&site, &mut slow);
    site.nothing_is_left();
}

#[test]
fn launchers_without_a_table() {
    let Some(site) = site(Services::Ssh) else { return };
    mpi("mpich");
    let prte = {
        let _lock = lock("install");
        open_mpi::wheel("5.0.11").expect("PyPI has it")
    };
    let ring = site.ring("prte", &Launcher::Prte(prte), Matter::Hang);
    let job = ring.pid.to_string();
    site.is_deadlocked(0, &["--job", &job]);
    // Ranks that are not read are counted and named.
    let alone = ["dump", "--job", &job, "--via", "none"];
    let (code, stdout, stderr) = site.run(0, &alone);
    assert_eq!(code, 5, "{stdout}{stderr}");
    assert!(stdout.contains("Not read, or not completely: rank 2, rank 3, rank 4, rank 5"));
    assert!(stderr.contains("the job has 6 ranks, and 2 of them are under process"), "{stderr}");
    let (_, stdout, _) = site.run(0, &[&alone[..], &["--format", "json"]].concat());
    let missing = processes(&stdout);
    let missing = missing.iter().filter(|process| process["errors"][0]["kind"] == "missing");
    assert_eq!(missing.count(), 4, "{stdout}");
    // What is said of the launcher is said once, not for each look.
    let check = ["check", "--job", &job, "--via", "none", "--recheck", "0.1", "-f", "json"];
    let (code, stdout, stderr) = site.run(0, &check);
    assert_eq!(code, 5, "{stdout}{stderr}");
    let diagnosis: Value = serde_json::from_str(&stdout).expect("a diagnosis");
    assert_eq!(diagnosis["looks"], 2, "{stdout}");
    for once in ["keeps no table of processes", "the job has 6 ranks, and 2 of them are under"] {
        assert_eq!(stderr.matches(once).count(), 1, "{stderr}");
    }
    drop(ring);

    let ring = site.ring("hydra", &Launcher::Hydra, Matter::Hang);
    let (_, stdout, stderr) =
        site.run(0, &["dump", "--job", &ring.pid.to_string(), "--format", "json"]);
    let ranks: Vec<i64> = processes(&stdout)
        .iter()
        .filter(|process| process["errors"] == Value::Array(Vec::new()))
        .filter_map(|process| process["rank"].as_i64())
        .collect();
    assert_eq!(ranks, [0, 1, 2, 3, 4, 5], "{stdout}{stderr}");
    // UCX counts elements within each host, and the sockets between the hosts are quiet.
    site.is_deadlocked(0, &["--job", &ring.pid.to_string()]);
    drop(ring);
    site.nothing_is_left();
}

/// A ring with a token that moves is looked at a few times.
fn is_never_stuck(site: &Site, launcher: &Launcher) {
    let moving = site.ring("moves", launcher, Matter::Move);
    for _ in 0..3 {
        let (code, _, all) = site.check(0, &["--job", &moving.pid.to_string()]);
        assert!([0, 12].contains(&code), "{code}: {all}");
    }
}

/// MPICH does not count messages. The ranks of each host stand still together, so that nothing is
/// on its way within it, and the sockets between the hosts are quiet.
fn a_job_of_mpich(release: &str, netmod: Netmod) {
    let Some(site) = site(Services::Ssh) else { return };
    mpi(&format!("mpich-{release}"));
    let launcher = Launcher::OfMpich(target().join("mpich").join(release), netmod);
    let ring = site.ring("mpich", &launcher, Matter::Hang);
    site.is_deadlocked(0, &["--job", &ring.pid.to_string()]);
    drop(ring);
    is_never_stuck(&site, &launcher);
    site.nothing_is_left();
}

#[test]
fn a_job_of_mpich_over_tcp() {
    a_job_of_mpich("5.0.2", Netmod::Ofi);
}

#[test]
fn a_job_of_mpich_over_ucx() {
    a_job_of_mpich("4.3.2", Netmod::Ucx);
}

#[test]
fn a_job_of_intel_mpi() {
    let Some(site) = site(Services::Ssh) else { return };
    let ring = site.ring("intel", &Launcher::IntelHydra(intel_mpi("2021.19.0")), Matter::Hang);
    let job = ring.pid.to_string();
    let (code, stdout, stderr) = site.run(0, &["dump", "--job", &job, "--format", "json"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    let seen: Vec<String> = processes(&stdout)
        .iter()
        .map(|process| {
            let world = &process["communicators"][0];
            let count = |list: &str| world[list].as_array().map_or(0, Vec::len);
            let host = process["host"].as_str().unwrap_or("?");
            let queues = ["pending_receives", "pending_sends", "unexpected_messages"].map(count);
            format!("{} on {host}: {queues:?}", process["rank"])
        })
        .collect();
    // Rank 5 has sent rank 0 another tag than that it receives.
    let queues = ["[1, 0, 1]", "[1, 0, 0]", "[1, 0, 0]", "[1, 0, 0]", "[1, 0, 0]", "[0, 1, 0]"];
    let expected = queues.iter().enumerate();
    let expected: Vec<String> =
        expected.map(|(rank, queues)| format!("{rank} on node{}: {queues}", rank / 2)).collect();
    assert_eq!(seen, expected, "{stdout}");
    // Nothing is in the rings of each host, and the sockets between the hosts are quiet.
    let (code, diagnosis, all) = site.check(0, &["--job", &job]);
    assert_eq!((code, diagnosis["stuck"].as_str()), (10, Some("0-5")), "{all}");
    drop(ring);
    is_never_stuck(&site, &Launcher::IntelHydra(intel_mpi("2021.19.0")));
    site.nothing_is_left();
}

/// UCX counts what is in shared memory within each host. The sockets between the hosts are quiet.
#[test]
fn a_job_of_open_mpi_over_ucx() {
    let Some(site) = site(Services::Ssh) else { return };
    mpi("openmpi");
    let ring = site.ring("ucx", &Launcher::OverUcx, Matter::Hang);
    let (code, diagnosis, all) = site.check(0, &["--job", &ring.pid.to_string()]);
    let cycle = diagnosis["findings"][0]["ranks"].as_str();
    // Ranks of one host that have never sent to each other may have no known queue between them, so
    // it may stay open whether those that wait for the cycle are stuck.
    assert_eq!((code, cycle, diagnosis["moving"].as_str()), (10, Some("0,5"), Some("")), "{all}");
    drop(ring);
    is_never_stuck(&site, &Launcher::OverUcx);
    site.nothing_is_left();
}

#[test]
fn jobs_of_slurm() {
    let Some(site) = site(Services::Slurm) else { return };
    mpi("openmpi");
    site.slurm_is_ready();
    let mut ring = site.ring("srun", &Launcher::Srun, Matter::Hang);
    let srun = ring.pid.to_string();
    site.is_deadlocked(0, &["--job", &srun]);
    let job = site.slurm_job();
    let step = format!("{job}.0");
    site.is_deadlocked(0, &["--slurm", &job]);
    site.is_deadlocked(2, &["--slurm", &step]);
    site.is_deadlocked(1, &["--slurm", &step, "--via", "ssh"]);
    // The copy of srun has an empty table.
    let (_, copy, _) = site.shell(0, &format!("pgrep -P {srun} -x srun"));
    site.is_deadlocked(0, &["--job", copy.trim()]);
    site.steps_of_agents_end(&job);
    let (code, _, stderr) = site.run(0, &["check", "--slurm", "999"]);
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("squeue shows no nodes for Slurm job 999"), "{stderr}");
    ring.end(&site.cluster).expect("srun ends");

    let ring = site.ring("salloc", &Launcher::Salloc, Matter::Hang);
    let job = ring.pid.to_string();
    // salloc can be named in place of the mpirun below it.
    site.is_deadlocked(0, &["--job", &job]);
    site.is_deadlocked(1, &["--slurm", &site.slurm_job()]);
    let (_, mpirun, _) = site.shell(0, "pgrep -x mpirun.openmpi || pgrep -x mpirun");
    site.is_deadlocked(0, &["--job", mpirun.trim()]);
    // The srun that mpirun has started runs daemons, and no ranks.
    let (_, inner, _) = site.shell(0, &format!("pgrep -P {} -x srun", mpirun.trim()));
    let (code, _, stderr) = site.run(0, &["dump", "--job", inner.trim()]);
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("the helpers (orted) of another launcher"), "{stderr}");
    assert!(stderr.contains(mpirun.trim()), "{stderr}");
}
