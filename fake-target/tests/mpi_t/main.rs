//! The MPI tool information interface (MPI 3.1, section 14.3; events: MPI 5.0, section 15.3.8) as C
//! programs see it. Each program checks itself and names the sections; `docs/mpi-t.md` maps
//! sections to programs.

#[path = "../point_to_point/job.rs"]
#[expect(dead_code, reason = "these programs say \"passed\", once for each rank")]
mod job;

use job::Program;

/// Runs a program; each rank must report that it has ended. Returns what was written to standard
/// error.
fn passes(program: &Program, ranks: usize, environment: &[(&str, &str)]) -> String {
    let output = program.run(ranks, environment);
    let (stdout, stderr) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(
        output.status.success(),
        "{ranks} ranks, {environment:?}: {}\n{stdout}{stderr}",
        output.status
    );
    let passed = stdout.lines().filter(|line| *line == "passed").count();
    assert_eq!(passed, ranks, "{environment:?}: all ranks say that they passed\n{stdout}{stderr}");
    stderr.into_owned()
}

#[test]
fn section_14_3_3_strings() {
    passes(&Program::compile("mpi_t_strings"), 1, &[]);
}

#[test]
fn section_14_3_4_init_and_finalize() {
    let program = Program::compile("mpi_t_init");
    passes(&program, 1, &[]);
    passes(&program, 2, &[]);
}

#[test]
fn section_14_3_5_to_7_what_there_is() {
    passes(&Program::compile("mpi_t_metadata"), 1, &[]);
}

/// What windows, files, partitioned communication and dynamic processes count.
#[test]
fn section_14_3_7_chapters() {
    let program = Program::compile("mpi_t_chapters");
    passes(&program, 1, &[]);
    passes(&program, 2, &[]);
}

/// Environment variables: a later prefix wins over an earlier one, and a variable's own name over
/// an alternative one. An invalid value gives a warning.
#[test]
fn section_14_3_6_control_variables() {
    let environment = [
        ("MQDRT_EAGER_LIMIT", "1000"),
        ("MQDRT_PARAM_EAGER_LIMIT", "2000"),
        ("MQDRT_CVAR_EAGER_LIMIT", "3000"),
        ("MQDRT_SPIN_LOOKS", "11"),
        ("MQDRT_PARAM_SPIN_LOOKS", "22"),
        ("MQDRT_SHARED_LOOKS", "33"),
        ("MQDRT_CROWDED", "Always"),
        ("MQDRT_PATIENCE", "soon"),
    ];
    let complaints = passes(&Program::compile("mpi_t_cvars"), 1, &environment);
    assert_eq!(complaints.lines().count(), 1, "{complaints}");
    for word in ["rank 0", "MQDRT_PATIENCE", "\"soon\"", "not a number", "ignored"] {
        assert!(complaints.contains(word), "{word} in {complaints}");
    }
}

/// The effects of control variables, seen in performance variables and in results.
#[test]
fn section_14_3_6_control_variables_steer() {
    let program = Program::compile("mpi_t_steering");
    for ranks in [1, 2, 3, 5] {
        passes(&program, ranks, &[]);
    }
}

#[test]
fn data_travel_through_bounce_buffers() {
    let program = Program::compile("mpi_t_bounces");
    for ranks in [3, 5] {
        passes(&program, ranks, &[]);
        // Messages that find no room in a ring wait, and leave later.
        passes(&program, ranks, &[("MQDRT_RING_SIZE", "4096")]);
    }
}

#[test]
fn section_14_3_6_not_now() {
    passes(&Program::compile("mpi_t_not_now"), 2, &[]);
}

/// The sizes of the rings must agree (the scope ALL_EQ): if they do not, MPI_Init says so.
#[test]
fn section_14_3_6_equal_values() {
    let program = Program::compile("mpi_t_unequal");
    let output = program.run(2, &[]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && stderr.contains("MQDRT_RING_SIZE"), "{stderr}");
}

#[test]
fn section_14_3_7_sessions_and_handles() {
    passes(&Program::compile("mpi_t_pvars"), 1, &[]);
}

#[test]
fn section_14_3_7_classes() {
    let program = Program::compile("mpi_t_classes");
    for environment in [&[][..], &[("MQDRT_SINGLE_COPY", "0")], &[("MQDRT_EAGER_LIMIT", "0")]] {
        passes(&program, 2, environment);
    }
}

#[test]
fn section_14_3_7_traffic() {
    let program = Program::compile("mpi_t_traffic");
    for ranks in [1, 2, 4] {
        passes(&program, ranks, &[]);
        passes(&program, ranks, &[("MQDRT_EAGER_LIMIT", "16")]);
    }
}

/// The tool of example 14.6, which looks for long queues of unexpected messages before each
/// receive.
#[test]
fn section_14_3_7_example_14_6() {
    passes(&Program::compile("mpi_t_umq_tool"), 2, &[]);
}

#[test]
fn section_14_3_8_categories() {
    passes(&Program::compile("mpi_t_categories"), 1, &[]);
}

#[test]
fn section_15_3_8_events() {
    passes(&Program::compile("mpi_t_events"), 2, &[]);
}

#[test]
fn several_threads_use_the_interface() {
    passes(&Program::compile("mpi_t_threads"), 2, &[]);
}
