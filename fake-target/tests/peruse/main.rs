//! PERUSE 2.0 in real jobs: each C program checks itself and names the sections it is about; docs/peruse.md lists them.

#[path = "../point_to_point/job.rs"]
mod job;

use std::collections::BTreeSet;
use std::mem::offset_of;
use std::path::Path;
use std::process::Command;

use job::Program;
use mpi_abi::peruse::interface;

/// Large messages fetched by the receiver, and through the rings.
const WAYS: [&[(&str, &str)]; 2] = [&[], &[("MQDRT_SINGLE_COPY", "0")]];

/// Section 4.3.2
#[test]
fn order_of_events() {
    let program = Program::compile("peruse_order");
    WAYS.iter().for_each(|way| program.passes(2, way));
}

/// Section 5.2: every function and return code; 5.1.1 and 5.6.
#[test]
fn functions_and_return_codes() {
    Program::compile("peruse_returns").passes(2, &[("MQDRT_EAGER_LIMIT", "5000")]);
}

/// Sections 4.1 and 5.1.2: what callbacks are told.
#[test]
fn specifications() {
    let program = Program::compile("peruse_spec");
    WAYS.iter().for_each(|way| program.passes(2, way));
}

/// Sections 5.2.15 and 5.4
#[test]
fn propagation() {
    Program::compile("peruse_propagate").passes(2, &[]);
}

/// Appendix E, 12.1
#[test]
fn messages_of_collective_operations() {
    let program = Program::compile("peruse_collectives");
    [1, 2, 3, 5].into_iter().for_each(|ranks| program.passes(ranks, &[]));
}

/// Sections 5.2.16, 5.2.17 and 5.3
#[test]
fn lock_and_threads() {
    let program = Program::compile("peruse_lock");
    [1, 2].into_iter().for_each(|ranks| program.passes(ranks, &[]));
    // Without a launcher too.
    assert_eq!(program.run_alone().stdout, b"ok\n");
}

/// Section 5.1.2: a callback that fails, or calls MPI, ends the job with a message; section 5.2.17: so does a call of MPI between `PERUSE_Lock` and
/// `PERUSE_Unlock`. With and without the engine's own lock: nothing hangs.
#[test]
fn what_ends_the_job() {
    let program = Program::compile("peruse_fatal");
    let event = "PERUSE_COMM_REQ_ACTIVATE";
    for (how, words) in [
        ("fail", &[event, "MPI_COMM_WORLD", "returned the error 42"][..]),
        ("send", &["MPI_Send was called in a PERUSE callback", event, "5.1.2"]),
        ("probe", &["MPI_Iprobe was called in a PERUSE callback"]),
        ("rank", &["MPI_Comm_rank was called in a PERUSE callback"]),
        ("barrier", &["MPI_Barrier was called in a PERUSE callback"]),
        ("finalize", &["MPI_Finalize was called in a PERUSE callback"]),
        ("request", &["was called in a PERUSE callback"]),
        ("locked", &["MPI_Comm_rank was called between PERUSE_Lock and PERUSE_Unlock", "5.2.17"]),
        ("abort", &["MPI_Abort with code 7"]),
    ] {
        for arguments in [&[how][..], &[how, "threads"]] {
            let output = program.run_with(2, arguments, &[]);
            let (out, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            let code = match how {
                "fail" => 42,
                "abort" => 7,
                _ => 1,
            };
            assert_eq!(output.status.code(), Some(code), "{arguments:?}: {out}{errors}");
            assert_eq!(out, "about to\n", "{arguments:?}: {errors}");
            let line = errors.lines().find(|line| line.starts_with("mpi: rank 0: ")).unwrap_or_default();
            for word in words {
                assert!(line.contains(word), "{arguments:?}: {word:?} in {errors}");
            }
        }
    }
}

/// Appendices A and D: the C compiler's view of `peruse.h` against the library's: every constant, the specification's layout, every function.
#[test]
fn header_and_library_agree() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let header = std::fs::read_to_string(here.join("include/peruse.h")).unwrap();
    let mut program = String::from("#include <peruse.h>\n#include <stddef.h>\n");
    let mut assert = |condition: String| program.push_str(&format!("_Static_assert({condition}, \"\");\n"));
    let constants = interface::constants();
    for (name, value) in &constants {
        assert(format!("{name} == {value} && _Generic({name}, int: 1, default: 0)"));
    }
    assert("PERUSE_EVENT_HANDLE_NULL == 0 && _Generic(PERUSE_EVENT_HANDLE_NULL, long: 1, default: 0)".into());
    type Spec = interface::peruse_comm_spec_t;
    for (field, offset) in [
        ("comm", offset_of!(Spec, comm)),
        ("buf", offset_of!(Spec, buf)),
        ("count", offset_of!(Spec, count)),
        ("datatype", offset_of!(Spec, datatype)),
        ("peer", offset_of!(Spec, peer)),
        ("tag", offset_of!(Spec, tag)),
        ("operation", offset_of!(Spec, operation)),
    ] {
        assert(format!("offsetof(peruse_comm_spec_t, {field}) == {offset}"));
    }
    assert(format!("sizeof(peruse_comm_spec_t) == {}", size_of::<Spec>()));
    let callback = "int (*)(peruse_event_h, MPI_Aint, peruse_comm_spec_t *, void *)";
    assert(format!("_Generic((peruse_comm_callback_f *)0, {callback}: 1, default: 0)"));
    let prototypes = interface::prototypes();
    assert_eq!(prototypes.len(), 17);
    for (name, parameters) in &prototypes {
        assert(format!("_Generic(&{name}, int (*)({parameters}): 1, default: 0)"));
    }
    // And nothing else is in the header.
    let known: BTreeSet<&str> = constants
        .iter()
        .map(|(name, _)| name.as_str())
        .chain(prototypes.iter().map(|(name, _)| *name))
        .chain(["PERUSE_H", "PERUSE_EVENT_HANDLE_NULL"])
        .collect();
    let words = header.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let named: BTreeSet<&str> = words.filter(|word| word.starts_with("PERUSE_") && !word.ends_with('_')).collect();
    assert_eq!(named, known);

    let directory = tempfile::tempdir().unwrap();
    let source = directory.path().join("header.c");
    std::fs::write(&source, program).unwrap();
    let output = Command::new("cc")
        .args(["-std=gnu11", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I"])
        .args([&here.join("include"), &source])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
