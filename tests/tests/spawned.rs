//! Spawned processes: the launcher's table has them, and intercommunicators show real peers.

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use mqd_tests::{mpi, prefix, run};
use serde_json::Value;
use testkit::job::Job;

/// Two ranks spawn two. Each parent waits for a message of child 1, child 0 for one of parent 0,
/// child 1 for one of parent 1: the last two wait for each other. With an argument the parents end.
const PROGRAM: &str = r#"
#include <mpi.h>
int main(int argc, char **argv) {
    int rank, number;
    MPI_Comm parent, children;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                       MPI_ERRCODES_IGNORE);
        MPI_Comm_set_name(children, "children");
        if (argc == 1)
            MPI_Recv(&number, 1, MPI_INT, 1, 7, children, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&number, 1, MPI_INT, rank, 8, parent, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
"#;

/// What a command said: its exit code, output and warnings.
type Said = (i32, String, String);

/// Asks until the answer is the expected one, or two minutes have passed.
fn ask(ask: impl Fn() -> Said, is_expected: impl Fn(&Said) -> bool) -> Said {
    let until = Instant::now() + Duration::from_secs(120);
    loop {
        let said = ask();
        if is_expected(&said) || Instant::now() >= until {
            return said;
        }
        thread::sleep(Duration::from_millis(200));
    }
}

fn all_are_deadlocked((_, text, _): &Said) -> bool {
    text.starts_with("deadlocked: ranks 0-3")
}

#[test]
fn a_spawned_job_that_hangs_is_told() {
    let directory = tempfile::tempdir().expect("there is room");
    let (source, program) = (directory.path().join("spawn.c"), directory.path().join("spawn"));
    fs::write(&source, PROGRAM).expect("it can be written");
    prefix().compile(&[source], &program, &[]).expect("it compiles");
    let mut job: Command = prefix().command("mpiexec");
    let mut job = job
        .args(["-n", "2"])
        .arg(&program)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("mpiexec starts");
    let launcher = job.id().to_string();
    let check = || run(prefix().command("mqd").args(["check", "--job", &launcher]));
    let said = ask(check, all_are_deadlocked);
    let (_, dump, _) = run(prefix().command("mqd").args(["dump", "--job", &launcher]));
    job.kill().expect("it still runs");
    job.wait().expect("it has been started");
    let (code, text, warnings) = said;
    assert_eq!((code, warnings.as_str()), (10, ""), "{text}");
    let message = "waits in MPI_Recv for a message with tag";
    for line in [
        "deadlocked: ranks 0-3 can never go on",
        &format!("rank 1 {message} 7 from rank 3 (local rank 1) on `children`"),
        &format!("rank 3 {message} 8 from rank 1 on `MPI_COMM_PARENT`"),
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    // Child 0 has its place after the parents, and its own MPI_COMM_WORLD.
    assert!(dump.contains("MPI_COMM_PARENT: rank 0 of 2"), "{dump}");
    assert!(dump.contains("from rank 1 (world 3)"), "{dump}");
}

/// Each process of Open MPI knows its own job alone. Together they are one.
#[test]
fn a_spawned_job_of_open_mpi_that_hangs_is_told() {
    for name in ["openmpi", "openmpi-5.0.11"] {
        hangs_on(name);
    }
}

fn hangs_on(name: &str) {
    let directory = tempfile::tempdir().expect("there is room");
    let source = directory.path().join("spawn.c");
    fs::write(&source, PROGRAM).expect("it can be written");
    let mpi = mpi(name);
    let program = mpi.compile_file(&source, directory.path()).expect("it compiles");
    let launch = mpi.launch(2, &program, &[], directory.path());
    let mut job = Job::launch_logged(launch, directory.path()).expect("it starts");
    let launcher = job.pid().to_string();
    let mqd = |arguments: &[&str]| run(prefix().command("mqd").args(arguments));
    let said = ask(|| mqd(&["check", "--job", &launcher]), all_are_deadlocked);
    let snapshot = directory.path().join("job.mqd").display().to_string();
    let (captured, ..) = mqd(&["capture", "--job", &launcher, "-o", &snapshot]);
    let (_, ranks, _) = mqd(&["ranks", &launcher, "--format", "json"]);
    let ranks: Value = serde_json::from_str(&ranks).expect("it is JSON");
    let pids: Vec<String> = (0..4)
        .map(|rank| {
            assert_eq!(ranks["processes"][rank]["rank"], rank, "{name}: {ranks}");
            ranks["processes"][rank]["pid"].to_string()
        })
        .collect();
    let all = mqd(&["check", "--pid", &pids.join(",")]);
    let parents = mqd(&["check", "--pid", &pids[..2].join(",")]);
    let children = mqd(&["dump", "--pid", &pids[2..].join(",")]);
    job.end().expect("it can be ended");

    let message = "waits in MPI_Recv for a message with tag";
    let is_told = |(code, text, _): &Said| {
        assert_eq!(*code, 10, "{name}: {text}");
        for line in [
            "deadlocked: ranks 0-3 can never go on",
            &format!("rank 1 {message} 7 from rank 3 (local rank 1) on "),
            &format!("rank 3 {message} 8 from rank 1 on `MPI_COMM_PARENT`"),
        ] {
            assert!(text.contains(line), "{name}, {line}: {text}");
        }
    };
    is_told(&said);
    is_told(&all);
    assert_eq!(captured, 0, "{name}");
    is_told(&mqd(&["check", &snapshot]));
    // Nothing is proved without the other job, and nobody is named who is not known.
    assert_eq!(parents.0, 12, "{name}: {}", parents.1);
    assert!(parents.1.contains("may wait for processes of another job"), "{name}: {}", parents.1);
    assert!(children.1.contains("from rank 1 (world ?)"), "{name}: {}", children.1);
    assert!(children.1.starts_with("rank 0, "), "{name}: {}", children.1);
}

/// The launcher's table has only ranks that have ended.
#[test]
fn a_spawned_job_whose_parents_have_ended() {
    let directory = tempfile::tempdir().expect("there is room");
    let source = directory.path().join("spawn.c");
    fs::write(&source, PROGRAM).expect("it can be written");
    let mpi = mpi("openmpi");
    let program = mpi.compile_file(&source, directory.path()).expect("it compiles");
    let launch = mpi.launch(2, &program, &["end"], directory.path());
    let mut job = Job::launch_logged(launch, directory.path()).expect("it starts");
    let launcher = job.pid().to_string();
    let check = || run(prefix().command("mqd").args(["check", "--job", &launcher]));
    let waits = "ranks 2-3 in MPI_Recv";
    let (code, text, warnings) =
        ask(check, |(code, text, _)| [5, 10].contains(code) && text.contains(waits));
    job.end().expect("it can be ended");
    assert!(warnings.contains("here they count from rank 2 on"), "{warnings}");
    assert!([5, 10].contains(&code), "{code}: {text}");
    for line in [waits, "ranks 0-1 have ended"] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

/// Nothing tells who the processes are that hydra has spawned. A report says so, and there is no
/// verdict that they could make false.
#[test]
fn spawned_processes_that_are_not_read_are_named() {
    let directory = tempfile::tempdir().expect("there is room");
    let source = directory.path().join("spawn.c");
    fs::write(&source, PROGRAM).expect("it can be written");
    let mpi = mpi("mpich-5.0.2");
    let program = mpi.compile_file(&source, directory.path()).expect("it compiles");
    let launch = mpi.launch(2, &program, &[], directory.path());
    let mut job = Job::launch_logged(launch, directory.path()).expect("it starts");
    let launcher = job.pid().to_string();
    let check = || run(prefix().command("mqd").args(["check", "--job", &launcher]));
    let (code, text, warnings) = ask(check, |(code, _, warnings)| {
        *code == 12 && warnings.contains("has spawned 2 processes")
    });
    job.end().expect("it can be ended");
    assert!(warnings.contains("the job has spawned 2 processes that are not read"), "{warnings}");
    assert_eq!(code, 12, "{text}");
    assert!(text.starts_with("insufficient: "), "{text}");
    assert!(text.contains("not known: "), "{text}");
}
