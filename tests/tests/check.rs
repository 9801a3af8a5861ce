//! `mqd check` on programs whose stuck ranks are known (`fixtures/verdict.c`): no other rank is
//! ever called stuck. `cargo xtask verdict` runs any seeds. Other tests have programs that were
//! once misjudged.

use std::fs;
use std::process::{Command, Stdio};

use mqd_tests::{Running, fixture, fixture_for, mpi, mpiexec, prefix, run, text, wait_for};
use serde_json::Value;
use testkit::recorded::ReadFrom;
use testkit::verdict::Verdicts;
use testkit::workspace::root;

/// Runs seeds: no answer is false, and enough of them are right.
fn check(name: &str, seeds: std::ops::RangeInclusive<u64>) {
    let mpi = mpi(name);
    let decided = mpi.decided;
    let verdicts = Verdicts::new(prefix(), mpi).expect("the program compiles without warnings");
    let from = |seed| if seed % 8 < 2 { ReadFrom::LiveAndCores } else { ReadFrom::Live };
    let score = verdicts.check_all(&seeds, from, |seed, found| match found {
        Ok(found) => println!("{name}, seed {seed}: {found:?}"),
        Err(error) => println!("{name}, seed {seed}: {error:#}"),
    });
    if let Err(below) = score.require(decided) {
        panic!("{name}: {below}");
    }
}

/// What a command of `mqd` says.
fn mqd(subcommand: &str, arguments: &[&str]) -> Value {
    let mut mqd = prefix().command("mqd");
    let (_, stdout, stderr) =
        run(mqd.args([subcommand, "--format", "json"]).args(arguments).stdin(Stdio::null()));
    serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}{stderr}"))
}

#[test]
fn companion() {
    check("companion", 1..=32);
}

#[test]
fn debian_open_mpi() {
    check("openmpi", 1..=10);
}

/// With UCX the elements of its queues in shared memory are counted, not the messages.
#[test]
fn debian_open_mpi_ucx() {
    check("openmpi-ucx", 1..=2);
}

/// Two ranks wait for each other, and another thread of one of them will send.
#[test]
fn a_thread_that_has_yet_to_send() {
    for name in ["companion", "openmpi", "openmpi-5.0.11", "mpich"] {
        let mpi = mpi(name);
        let directory = tempfile::tempdir().expect("there is room for temporary files");
        let program = fixture_for(&mpi, "late_thread");
        let mut job = Running::start(&mut mpi.launch(2, &program, &[], directory.path()));
        job.wait_for_lines(&["rank 0 receives", "rank 1 receives"]);
        let pid = job.child.id().to_string();
        let both = |diagnosis: &Value| {
            let findings = diagnosis["findings"].as_array().expect("findings are a list");
            findings
                .iter()
                .any(|finding| finding["kind"] == "deadlock" && finding["ranks"] == "0-1")
        };
        // It looks like a deadlock once both are in their receives. Before that, they can go on.
        let diagnosis = wait_for("both wait for each other", || {
            let diagnosis = mqd("check", &["--recheck", "0.2", &pid]);
            assert_ne!(diagnosis["verdict"], "deadlocked", "{name}: {diagnosis:#}");
            Some(diagnosis).filter(both)
        });
        assert_eq!(diagnosis["verdict"], "insufficient", "{name}: {diagnosis:#}");
        fs::write(directory.path().join("go"), "").expect("the directory is writable");
        assert_eq!(job.wait(), 0, "{name}: the job was no deadlock: {}", job.stderr());
    }
}

/// Ranks of Open MPI 5 in `MPI_Init` have no queues yet, and one rank never calls it: that is no
/// proof, but the verdict says where they are.
#[test]
fn ranks_in_init() {
    let mpi = mpi("openmpi-5.0.11");
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let source = root().join("fixtures/hangs/init_and_exit.c");
    let program = mpi.compile_file(&source, directory.path()).expect("it compiles");
    let job = Running::start(&mut mpi.launch(3, &program, &[], directory.path()));
    let place = "in MPI_Init, called from main (init_and_exit.c:23)";
    wait_for("the verdict says where the ranks are", || {
        let mut mqd = prefix().command("mqd");
        mqd.args(["check", "--job", &job.child.id().to_string()]).stdin(Stdio::null());
        let (code, stdout, stderr) = run(&mut mqd);
        assert_ne!(code, 10, "{stdout}{stderr}");
        let is_told = stdout.contains(&format!("where: ranks 0,2 {place}"));
        is_told.then(|| {
            assert_eq!(code, 5, "{stdout}{stderr}");
            assert!(stdout.contains("MPI_Init may wait until all ranks"), "{stdout}");
        })
    });
}

/// A rank waits for a nonblocking barrier that the other one never starts.
#[test]
fn a_nonblocking_barrier_that_a_rank_misses() {
    let mpi = mpi("companion");
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let program = fixture_for(&mpi, "missed_collective");
    let job = Running::start(&mut mpi.launch(2, &program, &[], directory.path()));
    job.wait_for_lines(&["rank 0 goes on", "rank 1 goes on"]);
    let pid = job.child.id().to_string();
    let diagnosis = wait_for("the job gets stuck", || {
        let diagnosis = mqd("check", &["--recheck", "0.2", &pid]);
        (diagnosis["stuck"] == "0-1").then_some(diagnosis)
    });
    assert_eq!(diagnosis["verdict"], "deadlocked", "{diagnosis:#}");
    let findings = diagnosis["findings"].as_array().expect("findings are a list");
    let missed = findings.iter().find(|finding| finding["kind"] == "collective_incomplete");
    assert_eq!(missed.expect("it is called incomplete")["ranks"], "0", "{diagnosis:#}");
}

/// One look is enough if the ranks are in functions that only send or receive. Snapshots and core
/// files have only one look.
#[test]
fn one_look_at_open_mpi_proves_a_deadlock() {
    for name in ["openmpi", "openmpi-5.0.11"] {
        let mpi = mpi(name);
        let directory = tempfile::tempdir().expect("there is room for temporary files");
        let program = fixture_for(&mpi, "deadlock");
        let job = Running::start(&mut mpi.launch(4, &program, &[], directory.path()));
        job.wait_for_lines(
            &[0, 1, 2, 3]
                .map(|rank| format!("rank {rank} passes its token to rank {}", (rank + 1) % 4))
                .each_ref()
                .map(|line| &**line),
        );
        let pid = job.child.id().to_string();
        wait_for("the job gets stuck", || {
            (mqd("check", &["--recheck", "0.2", &pid])["stuck"] == "0-3").then_some(())
        });
        let report = mqd("dump", &[&pid]);
        let pids: Vec<String> = report["processes"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|process| process["pid"].to_string())
            .collect();
        assert_eq!(pids.len(), 4, "{report:#}");
        // If a live rank is between two iterations of its waiting loop, another look decides.
        let snapshot = directory.path().join("job.mqd");
        let (code, _, stderr) =
            run(prefix().command("mqd").args(["capture", &pid, "-o", text(&snapshot)]));
        assert_eq!(code, 0, "{stderr}");
        let captured = mqd("check", &[text(&snapshot)]);
        assert_eq!(
            (&captured["verdict"], &captured["stuck"]),
            (&"deadlocked".into(), &"0-3".into()),
            "{captured:#}"
        );
        // Core files of ranks that are just there: the progress function has returned.
        let core = |pid: &String| {
            let path = format!("{}.{pid}", text(&directory.path().join("core")));
            let steps = ["tbreak opal_progress", "continue", "finish", &format!("gcore {path}")];
            let mut gdb = Command::new("gdb");
            gdb.args(["-nx", "-batch", "-iex", "set debuginfod enabled off", "-p", pid]);
            gdb.args(steps.iter().flat_map(|step| ["-ex", step]));
            let (code, stdout, stderr) = run(gdb.stdin(Stdio::null()));
            let done = ["hit Temporary breakpoint", "Saved corefile"];
            let is_done = code == 0 && done.iter().all(|done| stdout.contains(done));
            assert!(is_done, "gdb: {stdout}{stderr}");
            path
        };
        let cores: Vec<String> = pids.iter().map(core).collect();
        let mut arguments = vec!["--core"];
        arguments.extend(cores.iter().map(String::as_str));
        let diagnosis = mqd("check", &arguments);
        assert_eq!(
            (&diagnosis["verdict"], &diagnosis["stuck"], &diagnosis["findings"][0]["certainty"]),
            (&"deadlocked".into(), &"0-3".into(), &"certain".into()),
            "{name}: {diagnosis:#}"
        );
    }
}

/// Windows: a fence that one rank misses, an exposure and a completion that never come, a lock that
/// is held.
#[test]
fn ranks_that_wait_at_a_window() {
    for (how, function, waiting, target) in [
        ("fence", "MPI_Win_fence", "0-2", 3),
        ("start", "MPI_Win_start", "2", 1),
        ("wait", "MPI_Win_wait", "1", 2),
        ("lock", "MPI_Win_lock", "2", 1),
    ] {
        let program = fixture("windows");
        let job = Running::start(&mut mpiexec(&["-n", "4", text(&program), how]));
        job.wait_for_lines(
            &[0, 1, 2, 3].map(|rank| format!("rank {rank} begins")).each_ref().map(|line| &**line),
        );
        let pid = job.child.id().to_string();
        let diagnosis = wait_for("the job hangs", || {
            Some(mqd("check", &["--recheck", "0.2", &pid]))
                .filter(|diagnosis| diagnosis["stuck"] == "0-3")
        });
        assert_eq!(diagnosis["verdict"], "deadlocked", "{how}: {diagnosis:#}");
        // Which ranks wait at the window, and for whom.
        let report = mqd("dump", &[&pid]);
        let mut ranks = Vec::new();
        for process in report["processes"].as_array().expect("processes") {
            if process["activity"]["function"] == function {
                ranks.push(process["rank"].to_string());
            }
        }
        let named = if waiting == "0-2" { "0,1,2" } else { waiting };
        assert_eq!(ranks.join(","), named, "{how}: {report:#}");
        let words = diagnosis.to_string();
        assert!(words.contains(function) && words.contains("grid"), "{how}: {diagnosis:#}");
        if how != "fence" {
            let rank: u32 = waiting.parse().expect("one rank waits");
            let process = report["processes"]
                .as_array()
                .and_then(|all| all.iter().find(|process| process["rank"] == rank))
                .expect("the rank that waits");
            let awaited: Vec<&Value> = process["communicators"]
                .as_array()
                .into_iter()
                .flatten()
                .filter(|communicator| communicator["name"] == "grid")
                .flat_map(|grid| grid["pending_receives"].as_array().into_iter().flatten())
                .filter(|receive| receive["awaited"] == true)
                .collect();
            assert_eq!(awaited.len(), 1, "{how}: {process:#}");
            assert_eq!(awaited[0]["desired_global_rank"], target, "{how}: {process:#}");
        }
    }
}
