//! Point-to-point communication in real jobs: each program checks itself. It is run with several
//! numbers of ranks and with every way in which messages can travel.

mod job;

use job::Program;

/// How messages travel: as by default; large ones through the rings; only empty messages eager;
/// nearly all messages eager.
const WAYS: [&[(&str, &str)]; 4] = [
    &[],
    &[("MQDRT_SINGLE_COPY", "0")],
    &[("MQDRT_EAGER_LIMIT", "0"), ("MQDRT_SINGLE_COPY", "0")],
    &[("MQDRT_EAGER_LIMIT", "1000000")],
];

fn passes(name: &str, ranks: &[usize]) {
    let program = Program::compile(name);
    for ways in WAYS {
        for ranks in ranks {
            program.passes(*ranks, ways);
        }
    }
}

#[test]
fn all_modes_and_sizes() {
    passes("p2p_modes", &[1, 2, 4]);
}

#[test]
fn messages_stay_in_order() {
    passes("p2p_order", &[1, 2, 4]);
}

#[test]
fn scattered_data() {
    passes("p2p_datatypes", &[1, 2, 4]);
}

#[test]
fn persistent_requests() {
    passes("p2p_persistent", &[1, 2, 4]);
}

#[test]
fn waiting_and_testing() {
    passes("p2p_completion", &[1, 2, 4]);
}

#[test]
fn probes() {
    passes("p2p_probe", &[1, 2, 4]);
}

#[test]
fn cancelling() {
    passes("p2p_cancel", &[1, 2, 4]);
}

#[test]
fn buffered_sends() {
    passes("p2p_buffered", &[1, 2, 4]);
}

#[test]
fn errors() {
    passes("p2p_errors", &[1, 2, 4]);
}

#[test]
fn threads() {
    passes("p2p_threads", &[1, 2, 4]);
}

/// Only with the default settings: the program knows which protocol a message takes.
#[test]
fn queues_as_debuggers_see_them() {
    let program = Program::compile("p2p_queues");
    for ranks in [1, 2, 4] {
        program.passes(ranks, &[]);
    }
}

#[test]
fn a_program_without_a_launcher_is_a_job_of_one() {
    let program = Program::compile("p2p_modes");
    let output = program.run_alone();
    assert!(
        output.status.success() && output.stdout == b"ok\n",
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
