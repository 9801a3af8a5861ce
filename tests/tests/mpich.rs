//! Stock MPICH, stripped: the one of Debian, whose messages go through UCX, and one of PyPI, whose
//! messages go through shared memory.

use mqd_tests::{Running, mpi, prefix, run, wait_for};
use serde_json::Value;

const RING: &str = r#"
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
static char data[1 << 20];
int main(int argc, char **argv)
{
    int rank, size, word = 0;
    MPI_Comm half, ring;
    MPI_Request requests[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &ring);
    MPI_Comm_set_name(ring, "ring");
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_set_name(half, "half");
    MPI_Irecv(&word, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, half, &requests[0]);
    MPI_Isend(data, sizeof data, MPI_CHAR, (rank + 1) % size, 78, ring, &requests[1]);
    MPI_Isend(&word, 1, MPI_INT, 0, 9, MPI_COMM_SELF, &requests[2]);
    printf("pid %d\n", getpid());
    fflush(stdout);
    MPI_Recv(&word, 1, MPI_INT, (rank + size - 1) % size, 3, ring, MPI_STATUS_IGNORE);
    MPI_Finalize();
}"#;

fn operations(communicators: &Value, name: &str, queue: &str) -> Vec<[i64; 4]> {
    let communicators = communicators.as_array().expect("communicators");
    let communicator = communicators.iter().find(|one| one["name"] == name).expect("it is there");
    let fields = ["desired_local_rank", "desired_global_rank", "desired_tag", "desired_length"];
    let operations = communicator[queue].as_array().expect("a queue").iter();
    operations.map(|one| fields.map(|field| one[field].as_i64().unwrap_or(-1))).collect()
}

/// A ring in which each rank waits for the one before it, as a user finds it.
#[test]
fn a_hung_ring_of_debian() {
    a_hung_ring("mpich", true);
}

#[test]
fn a_hung_ring_of_pypi() {
    a_hung_ring("mpich-4.3.2", false);
}

fn a_hung_ring(name: &str, knows_sends: bool) {
    const BIG: i64 = 1 << 20;
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let (source, mpi) = (directory.path().join("ring.c"), mpi(name));
    std::fs::write(&source, RING).expect("the directory is writable");
    let executable = mpi.compile_file(&source, directory.path()).expect("the program compiles");
    let job = Running::start(&mut mpi.launch(4, &executable, &[], directory.path()));
    job.wait_for_numbers("pid", 4);
    let launcher = job.child.id().to_string();
    let mqd = |arguments: &[&str]| {
        let mut mqd = prefix().command("mqd");
        run(mqd.args(arguments).args(["--job", &launcher]))
    };
    let report = wait_for("all messages", || {
        let (_, stdout, _) = mqd(&["dump", "--format", "json"]);
        let report: Value = serde_json::from_str(&stdout).ok()?;
        let processes = report["processes"].as_array()?.clone();
        let is_there = |process: &Value| {
            !operations(&process["communicators"], "ring", "pending_receives").is_empty()
                && !operations(&process["communicators"], "ring", "unexpected_messages").is_empty()
        };
        (processes.len() == 4 && processes.iter().all(is_there)).then_some(processes)
    });
    for process in &report {
        let rank = process["rank"].as_i64().expect("a rank");
        let (before, after) = ((rank + 3) % 4, (rank + 1) % 4);
        let queue = |name, queue| operations(&process["communicators"], name, queue);
        assert_eq!(process["activity"]["function"], "MPI_Recv");
        assert_eq!(queue("ring", "pending_receives"), [[before, before, 3, 4]]);
        if knows_sends {
            assert_eq!(queue("ring", "pending_sends"), [[after, after, 78, BIG]]);
            assert_eq!(process["errors"].as_array().map(Vec::len), Some(0));
        } else {
            let communicators = process["communicators"].as_array().expect("communicators");
            let not_known = |one: &Value| one["not_known"] == serde_json::json!(["sends"]);
            assert!(communicators.iter().all(not_known));
        }
        assert_eq!(queue("ring", "unexpected_messages"), [[before, before, 78, BIG]]);
        assert_eq!(queue("half", "pending_receives"), [[-1, -1, -1, 4]]);
        assert_eq!(queue("MPI_COMM_SELF", "unexpected_messages"), [[0, rank, 9, 4]]);
    }
    // Nothing counts the messages that are on their way, so nothing is proven.
    let (_, stdout, stderr) = mqd(&["check"]);
    assert!(stdout.starts_with("insufficient"), "{stdout}{stderr}");
    assert!(stdout.contains("rank 1 waits in MPI_Recv for a message with tag 3"), "{stdout}");
}
