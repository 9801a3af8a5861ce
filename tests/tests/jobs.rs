//! `mqd` alone says which jobs run here, and `mqd PID` shows the job of a process.

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
    let own = std::process::id().to_string();
    let mqd = || command(prefix().program("mqd"));
    let alone = run(mqd().arg(&own));
    assert_eq!(alone, run(mqd().args(["dump", "--pid", &own])));
    assert_ne!(alone.0, 0);
}
