//! Stock MPICH, stripped: the one of Debian, whose messages go through UCX, and those of PyPI,
//! whose messages go through shared memory; and Intel MPI.

use std::path::Path;

use mqd_tests::{Running, command, intel_mpi, mpi, prefix, run, wait_for};
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::mpi::Mpi;

/// Bytes of a message that is too long to be sent at once.
const BIG: i64 = 1 << 20;

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

/// Programs may have the library linked in, and then only those of its functions that they call.
#[test]
fn a_hung_ring_with_the_library_linked_in() {
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let [source, program] = ["ring.c", "ring"].map(|name| directory.path().join(name));
    std::fs::write(&source, RING).expect("the directory is writable");
    let (_, shown, _) = run(command("mpicc.mpich").arg("-show"));
    let include = shown.split_whitespace().find(|word| word.starts_with("-I")).expect("headers");
    let libraries = ["mpich.a", "ucp.so.0", "ucs.so.0", "fabric.so.1", "hwloc.so.15"];
    let mut compiler = command("cc");
    compiler.arg(include).arg(&source).arg("-o").arg(&program);
    compiler.args(libraries.map(|name| format!("-l:lib{name}"))).args(["-lm", "-pthread"]);
    let (code, _, stderr) = run(&mut compiler);
    assert_eq!(code, 0, "{stderr}");
    let job = running(&program, &mpi("mpich"), directory.path());
    for process in &all_messages(|| mqd(&job, &["dump", "--format", "json"]).1) {
        receives_and_messages(process);
    }
    let stdout = deadlock(&job);
    assert!(stdout.contains("rank 1 waits in MPI_Recv for a message with tag 3"), "{stdout}");
}

#[test]
fn a_hung_ring_of_pypi() {
    a_hung_ring("mpich-4.3.2", false);
}

#[test]
fn a_hung_ring_of_early_releases() {
    for name in ["mpich-3.4.3", "mpich-4.1.3", "mpich-4.2.3"] {
        a_hung_ring(name, false);
    }
}

#[test]
fn a_hung_ring_of_mpich_5() {
    a_hung_ring("mpich-5.0.2", false);
}

/// All messages go through libfabric's provider ofi_rxm. Since 4.2 the rank of the sender is then
/// in libfabric's tag.
#[test]
fn a_hung_ring_over_ofi_rxm() {
    for name in ["mpich-4.2.3-rxm", "mpich-5.0.2-rxm"] {
        let (job, _directory) = started(RING, &mpi(name));
        for process in &all_messages(|| mqd(&job, &["dump", "--format", "json"]).1) {
            receives_and_messages(process);
        }
        deadlock(&job);
    }
}

/// It is not known how 3.4 divides libfabric's tags. A queue that was not read is not empty.
#[test]
fn queues_that_are_not_read_are_not_empty() {
    let (job, directory) = started(RING, &mpi("mpich-3.4.3-rxm"));
    let json = ["dump", "--rank", "0", "--format", "json"];
    let report: Value = wait_for("the queues", || {
        let report: Value = serde_json::from_str(&mqd(&job, &json).1).ok()?;
        let communicators = report["processes"][0]["communicators"].as_array()?;
        communicators.iter().any(|one| one["name"] == "ring").then_some(report)
    });
    let all = json!(["sends", "receives", "unexpected"]);
    let communicators = report["processes"][0]["communicators"].as_array().expect("a list");
    let ring = communicators.iter().find(|one| one["name"] == "ring").expect("it is there");
    assert_eq!(ring["not_known"], all, "{report:#}");
    let said = mqd(&job, &["dump", "--rank", "0"]).1;
    assert!(said.contains("not known"), "{said}");
    assert!(!said.contains("no unexpected") && !said.contains("nothing"), "{said}");
    // The table has operations only. What is missing is told beside it.
    let (_, _, said) = mqd(&job, &["dump", "--rank", "0", "--format", "csv"]);
    assert!(said.contains("no information about unexpected messages"), "{said}");
    let page = directory.path().join("page.html");
    mqd(&job, &["graph", "-o", page.to_str().expect("a path in UTF-8")]);
    let said = std::fs::read_to_string(&page).expect("there is a page");
    assert!(said.contains("at least 1 unexpected message") && !said.contains("no unexpected"));
}

/// MPICH has communicators of its own for the ranks of a host. The findings name those of the
/// program.
#[test]
fn different_collective_operations() {
    let program = r#"
        #include <mpi.h>
        #include <stdio.h>
        #include <unistd.h>
        int main(int argc, char **argv)
        {
            int rank, sum = 0;
            MPI_Comm solver;
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            MPI_Comm_dup(MPI_COMM_WORLD, &solver);
            MPI_Comm_set_name(solver, "solver");
            printf("pid %d\n", getpid());
            fflush(stdout);
            if (rank == 0)
                MPI_Barrier(solver);
            else
                MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, solver);
            MPI_Recv(&sum, 1, MPI_INT, (rank + 1) % 4, 9, solver, MPI_STATUS_IGNORE);
            MPI_Finalize();
        }"#;
    for name in ["mpich", "mpich-5.0.2"] {
        let (job, _directory) = started(program, &mpi(name));
        let stdout = deadlock(&job);
        assert!(stdout.contains("on `solver`, rank 0 is in MPI_Barrier and ranks"), "{stdout}");
        assert!(!stdout.contains("communicator 0x"), "{stdout}");
        let (_, json, _) = mqd(&job, &["dump", "--internal", "--format", "json"]);
        let report: Value = serde_json::from_str(&json).expect("a report");
        let of_first = report["processes"][0]["communicators"].as_array().expect("communicators");
        let named = |name: &str| of_first.iter().find(|one| one["name"] == name).expect("is there");
        assert_eq!(named("part of solver")["parent"], named("solver")["unique_id"]);
        assert!(named("solver").get("parent").is_none(), "{json}");
    }
}

/// Functions of the program that MPI calls, and that are late.
const LATE: &str = r#"
#include <mpi.h>
#include <unistd.h>
int late_delete(MPI_Comm comm, int key, void *value, void *state)
{
    (void)comm, (void)key, (void)value, (void)state;
    pause();
    return MPI_Send(NULL, 0, MPI_INT, 0, 3, MPI_COMM_WORLD);
}
void sum(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}
void late_sum(void *in, void *inout, int *count, MPI_Datatype *type)
{
    pause();
    sum(in, inout, count, type);
}"#;

/// A program that lets MPI call one of them on rank 1. `BODY` says how.
const CALLS: &str = r#"
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int late_delete(MPI_Comm comm, int key, void *value, void *state);
void sum(void *in, void *inout, int *count, MPI_Datatype *type);
void late_sum(void *in, void *inout, int *count, MPI_Datatype *type);
__attribute__((optimize("O2")))
int sleeping_delete(MPI_Comm comm, int key, void *value, void *state)
{
    (void)comm, (void)key, (void)value, (void)state;
    return sleep(1000);
}
__attribute__((optimize("O2")))
int probing_delete(MPI_Comm comm, int key, void *value, void *state)
{
    (void)comm, (void)key, (void)value, (void)state;
    return MPI_Probe(2, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("pid %d\n", getpid());
    fflush(stdout);
    BODY
    if (rank == 0)
        MPI_Recv(NULL, 0, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
}"#;

/// MPI has called a function of the program, or of a library of it, on rank 1. It may send what
/// rank 0 waits for. The library's name begins like that of one that MPI uses. Two functions end
/// with a call of the C library or of MPI, and have no frame then.
#[test]
fn a_function_that_mpi_has_called() {
    let in_finalize = r#"
        int key;
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, late_delete, &key, NULL);
        if (rank == 1)
            MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);"#;
    let in_a_wait = r#"
        MPI_Op operation;
        MPI_Op_create(rank == 1 ? late_sum : sum, 1, &operation);
        MPI_Request request;
        int sent = rank, received = 0;
        MPI_Iallreduce(&sent, &received, 1, MPI_INT, operation, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);"#;
    let in_a_tail_call = r#"
        MPI_Comm copy;
        int key;
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, sleeping_delete, &key, NULL);
        if (rank == 1)
            MPI_Comm_set_attr(copy, key, NULL);
        MPI_Comm_free(&copy);"#;
    let in_a_tail_call_of_mpi = format!(
        "{}
        if (rank > 1)
            MPI_Recv(NULL, 0, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
        in_finalize.replace("late_delete", "probing_delete")
    );
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let at = |name: &str| directory.path().join(name);
    std::fs::write(at("late.c"), LATE).expect("the directory is writable");
    let mut compiler = command("mpicc.mpich");
    compiler.args(["-shared", "-fPIC", "-o"]).args([at("libeventlate.so"), at("late.c")]);
    assert_eq!(run(&mut compiler).0, 0);
    // Rank 3 waits for the sum of rank 1.
    for (body, place) in [
        (in_finalize, "rank 1 in MPI_Finalize"),
        (in_a_wait, "ranks 1,3 in MPI_Wait"),
        (in_a_tail_call, "rank 1 in MPI_Comm_free"),
        (&in_a_tail_call_of_mpi, "rank 1 in MPI_Finalize"),
    ] {
        std::fs::write(at("calls.c"), CALLS.replace("BODY", body))
            .expect("the directory is writable");
        let mut compiler = command("mpicc.mpich");
        compiler.arg("-o").args([at("calls"), at("calls.c"), at("libeventlate.so")]);
        assert_eq!(run(&mut compiler).0, 0);
        let job = running(&at("calls"), &mpi("mpich"), directory.path());
        // MPI may not have called it yet at the first look.
        wait_for(place, || {
            let (code, stdout, _) = mqd(&job, &["check"]);
            assert_ne!(code, 10, "{stdout}");
            let is_there = stdout.contains(&format!("where: {place}"));
            (is_there && stdout.starts_with("insufficient")).then_some(())
        });
        // A snapshot has no call stacks from which this could be told again.
        let snapshot = at(&format!("{place}.mqd"));
        let snapshot = snapshot.to_str().expect("a path in UTF-8");
        mqd(&job, &["capture", "-o", snapshot]);
        let (_, stdout, stderr) = run(prefix().command("mqd").args(["check", snapshot]));
        assert!(stdout.starts_with("insufficient"), "{stdout}{stderr}");
    }
}

/// Intel MPI is derived from MPICH, and its messages go through shared memory of its own. It keeps
/// no record of a send whose message it has put there.
#[test]
fn a_hung_ring_of_intel_mpi() {
    for release in ["2021.16.2", "2021.19.0"] {
        a_hung_ring_of_intel(release, None);
    }
}

/// All messages go through libfabric, although all processes are on one machine.
#[test]
fn a_hung_ring_of_intel_mpi_over_libfabric() {
    for name in ["intel-2021.16.2-ofi", "intel-2021.19.0-ofi"] {
        let (job, _directory) = started(RING, &mpi(name));
        for process in &all_messages(|| mqd(&job, &["dump", "--format", "json"]).1) {
            receives_and_messages(process);
            assert_eq!(process["activity"]["function"], "MPI_Recv");
        }
        // Nothing counts messages through TCP, but nothing moves: the sockets are quiet, and nobody
        // writes to the memory that the ranks share.
        let stdout = wait_for("all ranks of the ring are called deadlocked", || {
            let said = mqd(&job, &["check"]).1;
            said.starts_with("deadlocked: ranks 0-3").then_some(said)
        });
        assert!(stdout.contains("message with tag 3 from rank 0 on `ring`"), "{stdout}");
    }
}

/// Each rank waits in a synchronous send for the next one. It has posted receives for the answers
/// to this send and to one that it has started before.
const SYNCHRONOUS: &str = r#"
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, size, words[4] = {0};
    MPI_Comm ring;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &ring);
    MPI_Comm_set_name(ring, "ring");
    MPI_Issend(words, 4, MPI_INT, (rank + size - 1) % size, 5, ring, &request);
    printf("pid %d\n", getpid());
    fflush(stdout);
    MPI_Ssend(words, 2, MPI_INT, (rank + 1) % size, 8, MPI_COMM_WORLD);
    MPI_Finalize();
}"#;

/// Neither the library nor libfabric keeps a synchronous send that has gone out. The receive for
/// its answer tells of it, but not its length.
#[test]
fn synchronous_sends_over_libfabric() {
    let names = ["mpich-4.1.3-ofi", "mpich-4.3.2-ofi", "mpich-5.0.2-ofi", "intel-2021.19.0-ofi"];
    for name in names {
        let (job, _directory) = started(SYNCHRONOUS, &mpi(name));
        let report: Value = wait_for("all sends and messages", || {
            let (_, dump, _) = mqd(&job, &["dump", "--format", "json"]);
            let report: Value = serde_json::from_str(&dump).ok()?;
            let processes = report["processes"].as_array()?;
            let number = |process: &Value, queue| -> usize {
                let communicators = process["communicators"].as_array();
                let queues = communicators.into_iter().flatten().map(|one| one[queue].as_array());
                queues.map(|queue| queue.map_or(0, Vec::len)).sum()
            };
            let is_whole = |process: &Value| {
                (number(process, "pending_sends"), number(process, "unexpected_messages")) == (2, 2)
            };
            (processes.len() == 4 && processes.iter().all(is_whole)).then_some(report)
        });
        for process in report["processes"].as_array().expect("processes") {
            assert_eq!(process["errors"].as_array().map(Vec::len), Some(0), "{name}: {process:#}");
            let rank = process["rank"].as_i64().expect("a rank");
            let (before, after) = ((rank + 3) % 4, (rank + 1) % 4);
            let queue = |name, queue| operations(&process["communicators"], name, queue);
            assert_eq!(queue("MPI_COMM_WORLD", "pending_sends"), [[after, after, 8, 0]]);
            assert_eq!(queue("ring", "pending_sends"), [[before, before, 5, 0]]);
            assert_eq!(queue("MPI_COMM_WORLD", "unexpected_messages"), [[before, before, 8, 8]]);
            assert_eq!(queue("ring", "unexpected_messages"), [[after, after, 5, 16]]);
        }
        let (_, dump, _) = mqd(&job, &["dump"]);
        assert!(dump.contains("to rank 1  tag 8  length not known"), "{name}: {dump}");
        // Messages of 4.1 do not tell that their senders wait, but the sockets are quiet.
        deadlock(&job);
    }
}

/// Each communicator has a receive for a message that nobody sends, and a message that nobody
/// receives.
const INTERFACES: &str = r#"
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Comm communicators[6];
    MPI_Request request;
    char name[16];
    int rank, size, number, level, data = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (number = 0; number < 6; number++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &communicators[number]);
        sprintf(name, "number %d", number);
        MPI_Comm_set_name(communicators[number], name);
        MPI_Irecv(&data, 1, MPI_INT, (rank + 1) % size, number, communicators[number], &request);
        MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 100 + number, communicators[number]);
    }
    for (number = 0; number < 6; number++)
        MPI_Probe(MPI_ANY_SOURCE, 100 + number, communicators[number], MPI_STATUS_IGNORE);
    printf("pid %d\n", (int)getpid());
    fflush(stdout);
    pause();
}
"#;

/// MPICH can have several interfaces to shared memory and to the network, and each communicator
/// uses one of them. Each has requests of its own, and a worker of UCX or an endpoint of libfabric.
#[test]
fn several_interfaces() {
    for name in [
        "mpich-4.1.3",
        "mpich-4.2.3-ofi",
        "mpich-4.2.3-ucx",
        "mpich-4.3.2",
        "mpich-5.0.2",
        "mpich-5.0.2-ucx",
    ] {
        let (job, _directory) = with_interfaces(&mpi(name), "MPIR_CVAR_CH4_NUM_VCIS");
        wait_for(&format!("{name}: what all communicators have"), || {
            let report = mqd(&job, &["dump", "--format", "json"]).1;
            let report: Value = serde_json::from_str(&report).ok()?;
            let processes = report["processes"].as_array()?.clone();
            let is_whole = |process: &Value| {
                let rank = process["rank"].as_i64().unwrap_or(-1);
                let (before, after) = ((rank + 3) % 4, (rank + 1) % 4);
                (0..6).all(|number: i64| {
                    let found = |queue| {
                        operations(&process["communicators"], &format!("number {number}"), queue)
                    };
                    found("pending_receives") == [[after, after, number, 4]]
                        && found("unexpected_messages") == [[before, before, 100 + number, 4]]
                })
            };
            (processes.len() == 4 && processes.iter().all(is_whole)).then_some(())
        });
    }
}

/// Only the first interface of Intel MPI is read. What others may have is not known.
#[test]
fn several_interfaces_of_intel_mpi() {
    for name in ["intel-2021.16.2", "intel-2021.19.0-ofi"] {
        let (job, _directory) = with_interfaces(&mpi(name), "I_MPI_THREAD_MAX");
        let report = mqd(&job, &["dump", "--format", "json"]).1;
        let report: Value = serde_json::from_str(&report).expect("a report");
        for process in report["processes"].as_array().expect("processes") {
            let errors = process["errors"].to_string();
            assert!(errors.contains("cannot be seen"), "{name}: {errors}");
            for communicator in process["communicators"].as_array().expect("communicators") {
                for queue in ["receives", "unexpected"] {
                    let known = communicator["not_known"].as_array().expect("a list");
                    let shown = match queue {
                        "receives" => &communicator["pending_receives"],
                        _ => &communicator["unexpected_messages"],
                    };
                    let is_empty = shown.as_array().is_none_or(Vec::is_empty);
                    assert_eq!(known.contains(&queue.into()), is_empty, "{communicator:#}");
                }
            }
        }
    }
}

/// Starts the program for interfaces, four of them. `variable` names the one that says how many.
fn with_interfaces(mpi: &Mpi, variable: &str) -> (Running, tempfile::TempDir) {
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let source = directory.path().join("hangs.c");
    std::fs::write(&source, INTERFACES).expect("the directory is writable");
    let executable = mpi.compile_file(&source, directory.path()).expect("the program compiles");
    let mut launch = mpi.launch(4, &executable, &[], directory.path());
    launch.env(variable, "4");
    launch.envs([("I_MPI_THREAD_SPLIT", "1"), ("I_MPI_THREAD_RUNTIME", "generic")]);
    let job = Running::start(&mut launch);
    job.wait_for_numbers("pid", 4);
    (job, directory)
}

/// Rank 0 waits for a barrier that the others do not call, because they wait for rank 0.
const NONBLOCKING: &str = r#"
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, word = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("pid %d\n", getpid());
    fflush(stdout);
    if (rank == 0) {
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Recv(&word, 1, MPI_INT, rank ? 0 : 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
}"#;

#[test]
fn a_wait_for_a_nonblocking_collective_operation() {
    for name in ["mpich-4.3.2", "mpich-5.0.2"] {
        let (job, _directory) = started(NONBLOCKING, &mpi(name));
        // Ranks that are between two rounds of their loops are found in a later look.
        wait_for(&format!("{name}: the deadlock with all of its ranks"), || {
            let (code, stdout, _) = mqd(&job, &["check", "--format", "json"]);
            let diagnosis: Value = serde_json::from_str(&stdout).unwrap_or_default();
            (code == 10 && diagnosis["stuck"] == "0-3").then_some(())
        });
    }
}

/// The two sides of an intercommunicator choose its numbers. A receive for an answer has the number
/// of the other side, which is that of another communicator in ranks 1 and 3. The address of the
/// receiver tells them apart.
#[test]
fn synchronous_sends_on_an_intercommunicator() {
    let program = r#"
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, words[4] = {0};
    MPI_Comm half, more, ring;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    if (rank % 2)
        MPI_Comm_dup(half, &more);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &ring);
    MPI_Comm_set_name(ring, "ring");
    printf("pid %d\n", getpid());
    fflush(stdout);
    MPI_Ssend(words, 4, MPI_INT, rank / 2, 5, ring);
    MPI_Finalize();
}"#;
    let (job, _directory) = started(program, &mpi("mpich-5.0.2-ofi"));
    let processes: Vec<Value> = wait_for("all messages", || {
        let (_, dump, _) = mqd(&job, &["dump", "--format", "json"]);
        let report: Value = serde_json::from_str(&dump).ok()?;
        let processes = report["processes"].as_array()?.clone();
        let has_message = |process: &Value| {
            let communicators = process["communicators"].as_array();
            let mut named = communicators.into_iter().flatten().filter(|one| one["name"] == "ring");
            named.any(|one| one["unexpected_messages"].as_array().is_some_and(|all| all.len() == 1))
        };
        (processes.len() == 4 && processes.iter().all(has_message)).then_some(processes)
    });
    for process in &processes {
        let rank = process["rank"].as_i64().expect("a rank");
        let sends = operations(&process["communicators"], "ring", "pending_sends");
        let communicators = process["communicators"].as_array().expect("communicators");
        let not_known = communicators.iter().filter(|one| one["not_known"] == json!(["sends"]));
        let receiver = if rank % 2 == 0 { rank + 1 } else { rank - 1 };
        assert_eq!(sends, [[rank / 2, receiver, 5, 0]], "{process:#}");
        assert_eq!(not_known.count(), 0, "{process:#}");
    }
}

/// A table that is learned from a running program, beginning with that of another release. It is
/// the only one that is used to read the ring.
#[test]
fn a_hung_ring_of_intel_mpi_by_a_learned_table() {
    let tables = tempfile::tempdir().expect("there is room for temporary files");
    let release = "2021.19.0";
    let intel = intel_mpi(release);
    let mut learn = prefix().command("mqd");
    learn.args(["layout", "learn", "--like", "mpich-2021.16-intel", "-o"]).arg(tables.path());
    let (code, _, stderr) = run(intel.environment(&mut learn).arg("--").arg(intel.launcher()));
    assert_eq!(code, 0, "{stderr}");
    a_hung_ring_of_intel(release, Some(tables.path()));
}

fn a_hung_ring_of_intel(release: &str, tables: Option<&Path>) {
    let intel = intel_mpi(release);
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let (source, program) = (directory.path().join("ring.c"), directory.path().join("ring"));
    std::fs::write(&source, RING).expect("the directory is writable");
    intel.compile(&source, &program).expect("the program compiles");
    let mut launcher = command(intel.launcher());
    launcher.args(["-n", "4"]).arg(&program).current_dir(directory.path());
    let job = Running::start(intel.environment(&mut launcher));
    job.wait_for_numbers("pid", 4);
    let launcher = job.child.id().to_string();
    let mqd = |arguments: &[&str]| {
        let mut mqd = prefix().command("mqd");
        if let Some(tables) = tables {
            mqd.env("MQD_LAYOUT_DIR", tables).env("MQD_LAYOUT_ONLY", "1");
        }
        run(mqd.args(arguments).args(["--job", &launcher]))
    };
    let report = all_messages(|| mqd(&["dump", "--format", "json"]).1);
    for process in &report {
        receives_and_messages(process);
        assert_eq!(process["activity"]["function"], "MPI_Recv");
    }
    let (code, stdout, stderr) = mqd(&["check"]);
    // A learned table may not tell which receives are matched. Then nothing is proved.
    if tables.is_none() {
        assert_eq!(code, 10, "{stdout}{stderr}");
    }
    assert!(stdout.contains("message with tag 3 from rank 0 on `ring`"), "{stdout}");
}

/// The processes of a report, once all of them show all messages.
fn all_messages(dump: impl Fn() -> String) -> Vec<Value> {
    wait_for("all messages", || {
        let report: Value = serde_json::from_str(&dump()).ok()?;
        let processes = report["processes"].as_array()?.clone();
        // The communicator is made shortly before.
        let is_made = |process: &Value| {
            let communicators = process["communicators"].as_array();
            communicators.is_some_and(|all| all.iter().any(|one| one["name"] == "ring"))
        };
        let is_there = |process: &Value| {
            is_made(process)
                && !operations(&process["communicators"], "ring", "pending_receives").is_empty()
                && !operations(&process["communicators"], "ring", "unexpected_messages").is_empty()
        };
        (processes.len() == 4 && processes.iter().all(is_there)).then_some(processes)
    })
}

/// Compares what a process of the ring shows with what its program has done.
fn receives_and_messages(process: &Value) {
    let rank = process["rank"].as_i64().expect("a rank");
    let before = (rank + 3) % 4;
    let queue = |name, queue| operations(&process["communicators"], name, queue);
    assert_eq!(queue("ring", "pending_receives"), [[before, before, 3, 4]]);
    assert_eq!(queue("ring", "unexpected_messages"), [[before, before, 78, BIG]]);
    assert_eq!(queue("half", "pending_receives"), [[-1, -1, -1, 4]]);
    assert_eq!(queue("MPI_COMM_SELF", "unexpected_messages"), [[0, rank, 9, 4]]);
}

/// The library has no symbols, so everything is searched. That must not take a fetch for each word
/// that may be an address.
fn few_fetches(stats: &str, most: u64) {
    let lines = stats.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let fetches: Vec<u64> = lines.filter_map(|line| line["fetches"].as_u64()).collect();
    assert_eq!(fetches.len(), 4, "{stats}");
    assert!(fetches.iter().all(|fetches| *fetches <= most), "{fetches:?}");
}

/// Starts a program, and waits until all ranks are about to block.
fn started(program: &str, mpi: &Mpi) -> (Running, TempDir) {
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let source = directory.path().join("hangs.c");
    std::fs::write(&source, program).expect("the directory is writable");
    let executable = mpi.compile_file(&source, directory.path()).expect("the program compiles");
    (running(&executable, mpi, directory.path()), directory)
}

/// Starts an executable in the same way.
fn running(executable: &Path, mpi: &Mpi, directory: &Path) -> Running {
    let job = Running::start(&mut mpi.launch(4, executable, &[], directory));
    job.wait_for_numbers("pid", 4);
    job
}

/// Calls `mqd` for a job. The result is its exit code, and what it has written.
fn mqd(job: &Running, arguments: &[&str]) -> (i32, String, String) {
    let mut mqd = prefix().command("mqd");
    run(mqd.args(arguments).args(["--job", &job.child.id().to_string()]))
}

/// Waits for the verdict "deadlocked": what `mqd check` says then. On a busy machine a rank may
/// have no turn on a processor between two looks, which proves nothing.
fn deadlock(job: &Running) -> String {
    wait_for("the job is called deadlocked", || {
        let (code, stdout, _) = mqd(job, &["check"]);
        (code == 10 && stdout.starts_with("deadlocked")).then_some(stdout)
    })
}

fn a_hung_ring(name: &str, knows_sends: bool) {
    let (job, _directory) = started(RING, &mpi(name));
    let mqd = |arguments: &[&str]| mqd(&job, arguments);
    let report = all_messages(|| mqd(&["dump", "--format", "json"]).1);
    // Some releases have many words that look like addresses.
    let many = ["mpich-3", "mpich-4.1", "mpich-4.2"].iter().any(|first| name.starts_with(first));
    let most = if many { 2000 } else { 1000 };
    few_fetches(&mqd(&["dump", "--stats", "--format", "json"]).2, most);
    for process in &report {
        receives_and_messages(process);
        assert_eq!(process["activity"]["function"], "MPI_Recv");
        let rank = process["rank"].as_i64().expect("a rank");
        let after = (rank + 1) % 4;
        if knows_sends {
            let sends = operations(&process["communicators"], "ring", "pending_sends");
            assert_eq!(sends, [[after, after, 78, BIG]]);
            assert_eq!(process["errors"].as_array().map(Vec::len), Some(0));
        } else {
            let communicators = process["communicators"].as_array().expect("communicators");
            let known = ["sends", "receives", "unexpected"].map(Value::from);
            // The network of 3.4, which may have more, is not read.
            let most = if name.starts_with("mpich-3") { 3 } else { 1 };
            for one in communicators {
                let not_known = one["not_known"].as_array().expect("a list");
                assert!(not_known.contains(&known[0]), "{one:#}");
                assert!(not_known.iter().all(|queue| known[..most].contains(queue)), "{one:#}");
            }
        }
    }
    let stdout = if knows_sends || !name.starts_with("mpich-3") {
        // Messages pass through queues in shared memory, whose elements are counted on both sides,
        // or through cells, which are all free while the processes stand still together.
        deadlock(&job)
    } else {
        // Nothing tells of the messages that are on their way, so nothing is proven.
        let (_, stdout, stderr) = mqd(&["check"]);
        assert!(stdout.starts_with("insufficient"), "{stdout}{stderr}");
        stdout
    };
    assert!(stdout.contains("rank 1 waits in MPI_Recv for a message with tag 3"), "{stdout}");
}

/// A thread of rank 0 sends what rank 1 waits for, once a reduction has woken it. MPI calls the
/// reduction while the main thread waits for another message.
const WAKES: &str = r#"
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int is_summed;
static void sum(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)count, (void)type;
    pthread_mutex_lock(&mutex);
    is_summed = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
}
static void *late(void *nothing)
{
    pthread_mutex_lock(&mutex);
    while (!is_summed)
        pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    MPI_Send(NULL, 0, MPI_INT, 1, 5, MPI_COMM_WORLD);
    return nothing;
}
int main(int argc, char **argv)
{
    int rank, level, sent = 0, received = 0;
    MPI_Comm without_1;
    MPI_Op operation;
    MPI_Request request;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank != 1, rank, &without_1);
    MPI_Op_create(sum, 1, &operation);
    if (rank == 0)
        pthread_create(&thread, NULL, late, NULL);
    printf("pid %d\n", getpid());
    fflush(stdout);
    if (rank == 2)
        pause();
    if (rank != 1)
        MPI_Iallreduce(&sent, &received, 1, MPI_INT, operation, without_1, &request);
    if (rank < 2)
        MPI_Recv(NULL, 0, MPI_INT, 1 - rank, rank ? 5 : 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Send(NULL, 0, MPI_INT, 0, 6, MPI_COMM_WORLD);
    MPI_Finalize();
}"#;

#[test]
fn a_reduction_that_wakes_a_thread() {
    let (job, _directory) = started(WAKES, &mpi("mpich"));
    let both_wait = |stdout: &String| stdout.contains("ranks 0-1 in MPI_Recv");
    wait_for("both wait", || Some(mqd(&job, &["stacks"]).1).filter(|all| all.contains("(0-1)")));
    let stdout = wait_for("they are seen", || Some(mqd(&job, &["check"]).1).filter(both_wait));
    assert!(stdout.starts_with("insufficient"), "{stdout}");
}

/// The only thread of rank 0 that runs code of the program waits for itself. Another thread is in
/// no function of the program. What wakes that one is not known, but the rank is not able to go on.
const IDLE: &str = r#"
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank;
    sem_t never;
    pthread_t thread;
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("pid %d\n", getpid());
    fflush(stdout);
    if (rank != 0)
        MPI_Recv(NULL, 0, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sem_init(&never, 0, 0);
    pthread_create(&thread, NULL, (void *(*)(void *))(void *)sem_wait, &never);
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    MPI_Finalize();
}"#;

#[test]
fn an_idle_thread_does_not_mean_that_a_rank_goes_on() {
    let (job, _directory) = started(IDLE, &mpi("mpich"));
    let waits = |all: &String| all.contains("pthread_mutex_lock");
    wait_for("rank 0 waits", || Some(mqd(&job, &["dump", "--threads"]).1).filter(waits));
    let is_seen = |said: &String| said.contains("rank 0: outside MPI, where each thread waits");
    let said = wait_for("its threads are seen", || Some(mqd(&job, &["check"]).1).filter(is_seen));
    assert!(said.starts_with("insufficient"), "{said}");
}
