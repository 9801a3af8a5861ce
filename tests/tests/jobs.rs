//! `mqd` alone says which jobs run here, and `mqd PID` shows the job of a process.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use mqd_tests::{
    Running, command, compile, fixture_for, is_running, mpi, prefix, run, send, wait_for,
};
use nix::sys::signal::Signal;
use serde_json::Value;

const RANKS: usize = 4;

/// A job of `fixtures/where.c` whose ranks have all said where they are.
fn job(name: &str, directory: &tempfile::TempDir) -> Running {
    let mpi = mpi(name);
    let program = fixture_for(&mpi, "where");
    let running = Running::start(&mut mpi.launch(RANKS, &program, &[], directory.path()));
    wait_for("all ranks say where they are", || {
        (running.stdout().lines().count() == RANKS).then_some(())
    });
    running
}

fn jobs_are_listed(name: &str, launcher: &str) {
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let running = job(name, &directory);
    let pid = running.child.id();
    let mqd = || command(prefix().program("mqd"));

    let (code, listed, stderr) = run(&mut mqd());
    assert_eq!((code, stderr.as_str()), (0, ""), "{listed}");
    let by = format!("started by {launcher} {pid}");
    let line = listed.lines().position(|line| line.ends_with(&by));
    let line = line.unwrap_or_else(|| panic!("no job {by} in: {listed}"));
    let lines: Vec<&str> = listed.lines().collect();
    assert!(lines[line].contains("where: 4 ranks, "), "{listed}");
    assert_eq!(lines[line + 1], format!("  mqd check --job {pid}"));

    let (code, ranks, _) = run(mqd().args(["ranks", "--format", "json", &pid.to_string()]));
    let ranks: Value = serde_json::from_str(&ranks).expect("JSON");
    let rank = ranks["processes"][2]["pid"].as_u64().expect("a process id");
    assert_eq!(code, 0, "{ranks}");
    // The same rank by its process id alone.
    let by_id = ["ranks", "--format", "json", "--pid", &rank.to_string()];
    let (code, one, stderr) = run(mqd().args(by_id));
    assert_eq!((code, stderr.as_str()), (0, ""), "{one}");
    let one: Value = serde_json::from_str(&one).expect("JSON");
    let processes = one["processes"].as_array().expect("processes");
    assert_eq!((processes.len(), &one["launcher"]), (1, &Value::Null), "{one}");
    assert_eq!(
        (&processes[0]["rank"], &processes[0]["job"]["launcher"]),
        (&2.into(), &launcher.into())
    );
    assert_eq!(processes[0]["job"], ranks["processes"][2]["job"], "{ranks}");
    let (code, _, stderr) = run(mqd().args(["ranks", "--pid", &std::process::id().to_string()]));
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("none of these processes looks like an MPI rank"), "{stderr}");
    for process in [u64::from(pid), rank] {
        let (code, dump, stderr) = run(mqd().arg(process.to_string()));
        assert_eq!(code, 0, "{dump}{stderr}");
        for rank in 0..RANKS {
            assert!(dump.contains(&format!("rank {rank}, pid ")), "{process}: {dump}");
        }
    }
}

#[test]
fn of_the_companion_runtime() {
    jobs_are_listed("companion", "mpiexec");
}

#[test]
fn of_open_mpi() {
    jobs_are_listed("openmpi", "mpirun");
}

/// The launcher's table names a shell, and the rank is its child.
fn ranks_within_shells(name: &str) {
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let mpi = mpi(name);
    let program = fixture_for(&mpi, "where");
    let wrapper = directory.path().join("wrapper.sh");
    fs::write(&wrapper, "#!/bin/sh\ntrap 'kill $!' TERM\n\"$@\" &\nwait $!\n").expect("a script");
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let arguments = [program.to_str().expect("the path is text")];
    let launch = &mut mpi.launch(RANKS, &wrapper, &arguments, directory.path());
    let running = Running::start(launch);
    wait_for("all ranks say where they are", || {
        (running.stdout().lines().count() == RANKS).then_some(())
    });
    let launcher = running.child.id().to_string();
    let (code, dump, stderr) =
        run(command(prefix().program("mqd")).args(["dump", "--job", &launcher]));
    assert_eq!(code, 0, "{dump}{stderr}");
    for rank in 0..RANKS {
        let line = dump.lines().find(|line| line.starts_with(&format!("rank {rank}, pid ")));
        assert!(line.is_some_and(|line| line.contains("/where")), "{dump}");
    }
}

#[test]
fn within_shells_of_the_companion_runtime() {
    ranks_within_shells("companion");
}

#[test]
fn within_shells_of_open_mpi() {
    ranks_within_shells("openmpi");
}

/// A process that belongs to no job is shown as by `mqd dump`.
#[test]
fn a_process_of_no_job() {
    let mut process = Command::new("sleep").arg("1000").spawn().expect("it starts");
    let pid = process.id().to_string();
    let mqd = || command(prefix().program("mqd"));
    let alone = run(mqd().arg(&pid));
    let dumped = run(mqd().args(["dump", "--pid", &pid]));
    process.kill().expect("it still runs");
    process.wait().expect("it has been started");
    assert_eq!(alone, dumped);
    assert_ne!(alone.0, 0);
}

/// A rank with many operations is stopped no longer than allowed. What is missing then is told.
#[test]
fn a_rank_runs_on_before_everything_is_read() {
    const OPERATIONS: usize = 50_000;
    let mpi = mpi("companion");
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let arguments = [OPERATIONS.to_string(), "1".to_owned()];
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let program = fixture_for(&mpi, "pending");
    let running = Running::start(&mut mpi.launch(2, &program, &arguments, directory.path()));
    wait_for("all operations exist", || running.stdout().contains("ready").then_some(()));

    let pid = running.child.id().to_string();
    let dump = |limit: &str| {
        let arguments = ["dump", "--rank", "0", "--format", "json", "--job", &pid];
        let (code, report, _) =
            run(command(prefix().program("mqd")).args(arguments).args(["--stop-limit", limit]));
        let report: Value = serde_json::from_str(&report).expect("JSON");
        (code, report["processes"][0].clone())
    };
    let operations = |process: &Value| -> usize {
        let communicators = process["communicators"].as_array().into_iter().flatten();
        let queues = ["pending_sends", "pending_receives", "unexpected_messages"];
        let length = |one: &Value, name: &str| one[name].as_array().map_or(0, Vec::len);
        communicators.map(|one| queues.iter().map(|name| length(one, name)).sum::<usize>()).sum()
    };
    // Fifty megabytes cannot be copied in this time.
    let (code, process) = dump("0.005");
    assert_ne!(code, 0);
    let error = &process["errors"][0];
    assert_eq!(error["kind"], "limit", "{error}");
    assert!(error["advice"].as_str().is_some_and(|text| text.contains("--stop-limit")), "{error}");
    assert!(operations(&process) < OPERATIONS);
    let (code, process) = dump("0");
    assert_eq!(code, 0, "{}", process["errors"]);
    assert_eq!(operations(&process), OPERATIONS);
}

/// Rank 0 waits for rank 1, which a signal stops. Rank 2 runs until the test kills it.
const STATES: &str = r"
#include <mpi.h>
#include <signal.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, number;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        raise(SIGSTOP);
    else if (rank == 2)
        pause();
    MPI_Recv(&number, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
";

/// A process that waits, one that a signal has stopped, one that has ended and is a zombie, one
/// that does not run its program yet, and one that does not exist any more are told apart.
#[test]
fn states_of_processes_are_told_apart() {
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let (program, late) = (compile(directory.path(), STATES), directory.path().join("late"));
    let script = format!(
        "#!/bin/sh\n[ \"$MQDRT_RANK\" != 3 ] || kill -STOP $$\nexec '{}'\n",
        program.display()
    );
    fs::write(&late, script).expect("it can be written");
    fs::set_permissions(&late, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let running = Running::start(&mut mpi("companion").launch(4, &late, &[], directory.path()));
    let launcher = running.child.id();
    let job = launcher.to_string();
    let ask = |what: &[&str]| {
        let (_, said, _) =
            run(command(prefix().program("mqd")).args(what).args(["--format", "json"]));
        serde_json::from_str::<Value>(&said).unwrap_or_default()
    };
    let dump = || ask(&["dump", "--job", &job])["processes"].clone();
    let stopped = |of: &Value| of["stopped"] == true;
    let before = wait_for("ranks 1 and 3 are stopped, and the others wait", || {
        let all = dump();
        let waits = all[0]["activity"]["function"] == "MPI_Recv" && all[2]["activity"].is_object();
        (waits && stopped(&all[1]) && stopped(&all[3])).then_some(all)
    });
    let pid = |rank: usize| {
        let pid = before[rank]["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok());
        pid.expect("a live process has an id")
    };
    // The launcher cannot wait for the rank, which stays a zombie.
    send(launcher, Signal::SIGSTOP);
    send(pid(2), Signal::SIGKILL);
    let after = wait_for("rank 2 has ended", || {
        let all = dump();
        (all[2]["errors"][0]["kind"] == "ended").then_some(all)
    });
    let said = ask(&["check", "--recheck", "0", "--job", &job]);
    // The ranks end with their launcher.
    send(pid(3), Signal::SIGKILL);
    send(launcher, Signal::SIGCONT);
    wait_for("the job has ended", || (!is_running(pid(1))).then_some(()));
    let gone = ask(&["dump", "--pid", &pid(2).to_string()]);

    let text = |of: &Value| of["errors"][0]["text"].as_str().unwrap_or_default().to_owned();
    assert_eq!(after[0]["errors"], serde_json::json!([]), "{after}");
    assert!(!stopped(&after[0]), "{after}");
    assert!(stopped(&after[1]) && after[1]["errors"] == serde_json::json!([]), "{after}");
    assert!(text(&after[2]).contains("zombie"), "{after}");
    assert!(stopped(&after[3]) && after[3]["errors"][0]["kind"] == "no_mpi", "{after}");
    assert!(text(&gone["processes"][0]).starts_with("there is no process"), "{gone}");
    assert_eq!(said["verdict"], "insufficient", "{said}");
    let missing = "rank 3 was not read: no MPI library was found in the process";
    assert!(said["missing"].as_array().is_some_and(|all| all.contains(&missing.into())), "{said}");
    let findings = said["findings"].as_array().expect("there are findings");
    let ranks = |kind: &str| {
        let finding = findings.iter().find(|finding| finding["kind"] == kind);
        finding.map_or(Value::Null, |finding| finding["ranks"].clone())
    };
    assert_eq!((ranks("exited"), ranks("stopped")), ("2".into(), "1,3".into()), "{said}");
}
