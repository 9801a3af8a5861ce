//! `mqd` alone says which jobs run here, and `mqd PID` shows the job of a process.

use std::process::Command;

use mqd_tests::{Running, command, fixture_for, mpi, prefix, run, wait_for};
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
