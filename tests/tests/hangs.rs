//! Small programs that hang, as people write them, and some that are only slow (`fixtures/hangs/`):
//! `mqd check` gives no false answer, and the right one for most of those that hang. `cargo xtask
//! hangs` runs all of them.

use mqd_tests::{mpi, prefix};
use testkit::hangs::{self, Hangs, Program, ProgramOutcome};
use testkit::pairs::{self, PairOutcome, Pairs};
use testkit::recorded::ReadFrom;

/// One of this many programs of the corpus is run.
const EVERY: usize = 8;
/// One of this many pairs of calls is run.
const EVERY_PAIR: usize = 149;

/// Runs a part of the corpus. At least the percentage that the MPI has to reach is right.
fn check(name: &str, first: usize, from: ReadFrom) {
    let programs = hangs::corpus().expect("each program tells its truth");
    let programs: Vec<_> = programs.into_iter().skip(first).step_by(EVERY).collect();
    check_programs(name, &programs, from, mpi(name).hangs);
}

/// The programs of these names.
fn named(names: &[&str]) -> Vec<Program> {
    let mut programs = hangs::corpus().expect("each program tells its truth");
    programs.retain(|program| names.contains(&program.name.as_str()));
    assert_eq!(programs.len(), names.len());
    programs
}

/// Runs programs. At least this percentage of them is right.
fn check_programs(name: &str, programs: &[Program], from: ReadFrom, floor: usize) {
    let mpi = mpi(name);
    let hangs = Hangs::new(prefix(), mpi).expect("there is room for temporary files");
    let rows = hangs.check_all(programs, 2, from, |row| {
        for (what, outcome) in [("live", Some(&row.live)), ("core files", row.cores.as_ref())] {
            match outcome {
                None | Some(ProgramOutcome::Right) => {}
                Some(other) => println!("{name}, {}, {what}: {other:?}", row.program.name),
            }
        }
    });
    if let Err(below) = hangs::require(&rows, floor) {
        panic!("{name}: {below}");
    }
}

#[test]
fn companion() {
    check("companion", 0, ReadFrom::Live);
}

/// The runtime's messages for communicators of groups alone are on no communicator of the program,
/// like those within a group of an intercommunicator. A reduction for all and one for a root need
/// messages of their own.
#[test]
fn messages_of_the_companion() {
    let names = [
        "create_from_group_skipped",
        "intercomm_from_groups_skipped",
        "intercomm_allreduce_skipped",
        "allreduce_and_reduce",
    ];
    check_programs("companion", &named(&names), ReadFrom::LiveAndCores, 100);
}

#[test]
fn debian_open_mpi() {
    check("openmpi", 1, ReadFrom::Live);
}

#[test]
fn debian_mpich() {
    check("mpich", 2, ReadFrom::Live);
}

/// Intel MPI takes seconds to start, and only some kinds of hangs are decided. These are.
#[test]
fn intel_mpi() {
    let names = [
        "allreduce_and_recv",
        "barrier_skipped",
        "file_close_skipped",
        "ibarrier_and_barrier",
        "recv_recv",
        "ssend_ring",
        "threads_both_receive",
        "threads_recv_recv",
        "wait_issend",
        "live_iallreduces",
        "live_reduces",
        "live_sleep",
    ];
    check_programs("intel-2021.19.0", &named(&names), ReadFrom::Live, 75);
}

/// Nothing counts messages over TCP. They are decided once the sockets are quiet. `MPI_Mprobe`
/// leaves its message in the queue; it is marked. Ranks that have nothing left to do end. Ranks
/// with windows share memory, which stands still. A wait for requests of MPICH is decided if the
/// rank stays in it, also if some are complete, persistent or collective.
#[test]
fn over_tcp() {
    let names = [
        "allreduce_and_recv",
        "finalize_and_recv",
        "mprobe_and_recv",
        "sendrecv_wrong_tag",
        "live_sendrecv_ring",
    ];
    for name in ["mpich-5.0.2-ofi", "openmpi-5.0.11-ofi"] {
        check_programs(name, &named(&names), ReadFrom::Live, 100);
    }
    // The provider sockets has a thread of its own. The provider ofi_rxm keeps no receivers.
    check_programs("openmpi-sockets", &named(&["mutex_twice"]), ReadFrom::Live, 100);
    check_programs("openmpi-rxm", &named(&["wait_isend_large"]), ReadFrom::Live, 100);
    let with_memory = ["fence_and_barrier", "waitall_irecv"];
    check_programs("openmpi-5.0.11-ofi", &named(&with_memory), ReadFrom::Live, 100);
    let waits = ["halo_tag_typo", "persistent_recv", "iallreduce_and_barrier", "live_iallreduces"];
    check_programs("mpich-5.0.2-ofi", &named(&waits), ReadFrom::Live, 100);
}

/// No queue shows a send that is still being packed, or a receive that is matched. Such ranks are
/// not stuck. It does not matter here whether `mqd` sees that they go on.
#[test]
fn ranks_that_are_busy_with_data() {
    check_programs("openmpi-5.0.11-ofi", &named(&["live_packing"]), ReadFrom::Live, 0);
    check_programs("mpich-5.0.2", &named(&["live_unpacking"]), ReadFrom::Live, 0);
}

/// They ask for a message from a second thread, or once in most of a second, or compute in between.
#[test]
fn ranks_that_ask_now_and_then() {
    let names = ["polling_computing", "polling_slowly", "polling_thread"];
    check_programs("openmpi", &named(&names), ReadFrom::Live, 100);
}

/// MPICH calls its own collective functions for those of files. A send of MPICH 5.0 does not tell
/// which operation it belongs to, or whether it is from a buffer. Its reductions wait for a word in
/// shared memory.
#[test]
fn collective_functions_of_mpich() {
    let files = ["file_open_skipped", "file_write_all_skipped"];
    check_programs("mpich", &named(&files), ReadFrom::Live, 100);
    let of_5_0 =
        ["allreduce_early_exit", "bcast_large_then_recv", "buffer_detach", "waitsome_one_too_many"];
    check_programs("mpich-5.0.2", &named(&of_5_0), ReadFrom::Live, 100);
}

/// A process whose main thread has ended lives as long as its other threads.
#[test]
fn main_threads_that_have_ended() {
    let names = ["main_thread_ended", "live_main_thread_ended"];
    for name in ["mpich", "openmpi"] {
        check_programs(name, &named(&names), ReadFrom::Live, 100);
    }
}

/// MPICH 5.0 keeps reference counts in objects that it has given back.
#[test]
fn communicators_that_were_freed() {
    check_programs("mpich-5.0.2", &named(&["communicator_left"]), ReadFrom::Live, 100);
}

/// UCX keeps the request of a blocking send on the stack of its thread. Call stacks show that no
/// other thread has one, so that programs with several threads are read completely.
#[test]
fn over_ucx() {
    let names =
        ["threads_barrier", "igather_two_roots", "wait_irecv", "live_iallreduces", "live_halo"];
    check_programs("openmpi-ucx", &named(&names), ReadFrom::Live, 100);
}

/// What ranks wait for in windows is in memory that they share. One look is enough, unless a rank
/// is at an instruction from which its loop cannot be followed. Without it none is right.
#[test]
fn windows_of_open_mpi_from_core_files() {
    let names = ["win_start_both", "win_wait_both", "win_wait_one_of_two", "win_wait_wrong_origin"];
    check_programs("openmpi", &named(&names), ReadFrom::LiveAndCores, 50);
}

/// Two ranks that make different calls: those that hang are called deadlocked.
#[test]
fn calls_that_do_not_fit() {
    for name in ["companion", "openmpi", "mpich"] {
        let runs = Pairs::new(prefix(), mpi(name)).expect("it compiles");
        let outcome = |pair| runs.check(pair).unwrap_or_else(|error| panic!("{pair}: {error:#}"));
        let (mut hung, mut right) = (0, 0);
        for pair in pairs::all().iter().step_by(EVERY_PAIR) {
            match outcome(pair) {
                PairOutcome::Ended => continue,
                PairOutcome::Right => right += 1,
                PairOutcome::Undecided(said) => println!("{name}, {pair}: {said}"),
                PairOutcome::Wrong(said) => panic!("{name}, {pair}: {said}"),
            }
            hung += 1;
        }
        assert!(hung > 5 && right * 100 >= hung * 80, "{name}: {right} of {hung}");
    }
}

/// The truth of each program is well-formed, and the corpus is large enough to mean something.
#[test]
fn the_corpus() {
    let programs = hangs::corpus().expect("each program tells its truth");
    let count = |truth| programs.iter().filter(|program| program.truth == truth).count();
    assert!(count(hangs::Fate::Deadlocked) >= 60, "programs that hang");
    assert!(count(hangs::Fate::NotDeadlocked) >= 30, "programs that are slow");
}
