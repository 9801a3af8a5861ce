//! PERUSE 2.0 in real jobs: each C program checks itself and names the sections that it tests;
//! docs/peruse.md lists them.

#[path = "../point_to_point/job.rs"]
mod job;

use std::collections::BTreeSet;
use std::mem::offset_of;
use std::path::Path;
use std::process::Command;

use job::Program;
use mpi_abi::peruse::{interface, types};

/// Large messages fetched by the receiver, and through the rings.
const WAYS: [&[(&str, &str)]; 2] = [&[], &[("MQDRT_SINGLE_COPY", "0")]];

/// Section 4.3.2
#[test]
fn order_of_events() {
    let program = Program::compile("peruse_order");
    WAYS.iter().for_each(|way| program.passes(2, way));
}

/// Section 5.1.2: no id is used twice at a time, and every request and message goes through the
/// diagram of 4.3.2, in random traffic.
#[test]
fn unique_ids() {
    let program = Program::compile("peruse_ids");
    for way in WAYS {
        for (ranks, arguments) in
            [(1, &[][..]), (2, &[]), (3, &[]), (2, &["threads"]), (3, &["threads"])]
        {
            let output = program.run_with(ranks, arguments, way);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(
                output.status.success() && output.stdout == b"ok\n",
                "{ranks} {arguments:?} {way:?}: {errors}"
            );
        }
    }
}

/// Section 5.2: every function and return code; 5.1.1 and 5.6.
#[test]
fn functions_and_return_codes() {
    Program::compile("peruse_returns").passes(2, &[("MQDRT_EAGER_LIMIT", "5000")]);
}

/// Sections 4.1 and 5.1.2: the specifications that callbacks get.
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

/// Appendix E, 12.3 and 12.6: operations and synchronisations of windows, against what the program
/// did.
#[test]
fn windows() {
    let program = Program::compile("peruse_windows");
    [1, 2, 3].into_iter().for_each(|ranks| program.passes(ranks, &[]));
}

/// Appendix E, 12.2 and 12.7: accesses to files, against the calls that the system has counted.
#[test]
fn files() {
    let program = Program::compile("peruse_files");
    [1, 2, 3].into_iter().for_each(|ranks| program.passes(ranks, &[]));
}

/// Appendix E, 12.5: processes that are started, against what these say of themselves.
#[test]
fn started_processes() {
    let program = Program::compile("peruse_spawn");
    [1, 2].into_iter().for_each(|ranks| program.passes(ranks, &[]));
}

/// Sections 5.2.16, 5.2.17 and 5.3
#[test]
fn lock_and_threads() {
    let program = Program::compile("peruse_lock");
    [1, 2].into_iter().for_each(|ranks| program.passes(ranks, &[]));
    // Without a launcher too.
    assert_eq!(program.run_alone().stdout, b"ok\n");
}

/// Section 5.1.2: a callback that fails, or calls MPI, ends the job with a message; section 5.2.17:
/// so does a call of MPI between `PERUSE_Lock` and `PERUSE_Unlock`. With and without the engine's
/// own lock: nothing hangs.
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
            let (out, errors) =
                (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            let code = match how {
                "fail" => 42,
                "abort" => 7,
                _ => 1,
            };
            assert_eq!(output.status.code(), Some(code), "{arguments:?}: {out}{errors}");
            assert_eq!(out, "about to\n", "{arguments:?}: {errors}");
            let line =
                errors.lines().find(|line| line.starts_with("mpi: rank 0: ")).unwrap_or_default();
            for word in words {
                assert!(line.contains(word), "{arguments:?}: {word:?} in {errors}");
            }
        }
    }
}

/// The layouts of the structures of `peruse.h`, as conditions in C.
fn layouts() -> Vec<String> {
    macro_rules! layouts {
        ($($structure:ident: $($field:ident)*;)*) => {
            vec![$(
                format!(
                    "sizeof({}) == {}",
                    stringify!($structure),
                    size_of::<types::$structure>()
                ),
                $(format!(
                    "offsetof({}, {}) == {}",
                    stringify!($structure),
                    stringify!($field),
                    offset_of!(types::$structure, $field)
                ),)*
            )*]
        };
    }
    layouts! {
        peruse_comm_spec_t: comm buf count datatype peer tag operation;
        peruse_win_spec_t:
            win o_buf o_count o_datatype t_buf t_count t_datatype acc_op peer operation;
        peruse_file_spec_t: file buf count datatype offset operation;
        peruse_comm_t: comm name unique_id;
        peruse_process_t: PID image_name node_name peruse_process_id;
        peruse_spawn_spec_t:
            p_comm argv maxprocs info root p_intercomm array_of_errcodes list_of_processes;
    }
}

/// Appendices A, D and E: the C compiler's view of `peruse.h` against the library's: every
/// constant, the specification's layout, every function.
#[test]
fn header_and_library_agree() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let header = std::fs::read_to_string(here.join("include/peruse.h")).unwrap();
    let mut program = String::from("#include <peruse.h>\n#include <stddef.h>\n");
    let mut assert =
        |condition: String| program.push_str(&format!("_Static_assert({condition}, \"\");\n"));
    let constants = types::constants();
    for (name, value) in &constants {
        assert(format!("{name} == {value} && _Generic({name}, int: 1, default: 0)"));
    }
    assert(
        "PERUSE_EVENT_HANDLE_NULL == 0 && _Generic(PERUSE_EVENT_HANDLE_NULL, long: 1, default: 0)"
            .into(),
    );
    layouts().into_iter().for_each(&mut assert);
    for kind in ["comm", "win", "file", "spawn"] {
        let callback = format!("int (*)(peruse_event_h, MPI_Aint, peruse_{kind}_spec_t *, void *)");
        assert(format!("_Generic((peruse_{kind}_callback_f *)0, {callback}: 1, default: 0)"));
    }
    let prototypes = interface::prototypes();
    assert_eq!(prototypes.len(), 27);
    for (name, parameters) in &prototypes {
        assert(format!("_Generic(&{name}, int (*)({parameters}): 1, default: 0)"));
    }
    // The header has nothing else.
    let known: BTreeSet<&str> = constants
        .iter()
        .map(|(name, _)| name.as_str())
        .chain(prototypes.iter().map(|(name, _)| *name))
        .chain(["PERUSE_H", "PERUSE_EVENT_HANDLE_NULL"])
        .collect();
    let words = header.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let named: BTreeSet<&str> =
        words.filter(|word| word.starts_with("PERUSE_") && !word.ends_with('_')).collect();
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
    // Tools are written in C++ too.
    std::fs::write(&source, "#include <peruse.h>\nint main() { return PERUSE_Init(); }\n").unwrap();
    let output = Command::new("c++")
        .args(["-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I"])
        .args([&here.join("include"), Path::new("-xc++"), &source])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// What a program of the document's examples prints.
fn printed(name: &str, ranks: usize) -> String {
    let output = Program::compile(name).run(ranks, &[("MQDRT_EAGER_LIMIT", "5000")]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Example 9.1.1
#[test]
fn example_of_queries() {
    let text = printed("peruse_queries", 2);
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines.contains(&"  MQDRT_EAGER_LIMIT=5000") && lines.contains(&"  MQDRT_SIZE=2"),
        "{text}"
    );
    assert!(
        lines.contains(&"supported events: 34")
            && lines.contains(&"scope of queue events: PER_COMM"),
        "{text}"
    );
    assert_eq!(lines.iter().filter(|line| line.ends_with(": supported")).count(), 12, "{text}");
    assert!(lines.contains(&"event PERUSE_COMM_NO_SUCH_EVENT, id 0: not supported"), "{text}");
}

/// Example 9.1.2: of 100 messages 51 come before their receives are posted; with the message that
/// announces this it is 52.
#[test]
fn example_of_callbacks() {
    let text = printed("peruse_callbacks", 2);
    let first = text.lines().next().unwrap_or_default();
    assert!(["measurements: 51 of 51", "measurements: 52 of 52"].contains(&first), "{text}");
    assert_eq!(text.lines().count(), 3, "{text}");
}

/// Example 9.1.3: each of 100 receives searches once, and each of their messages.
#[test]
fn example_of_queue_events() {
    let text = printed("peruse_queue_events", 2);
    for (line, queue) in text.lines().zip(["posted", "unexpected"]) {
        assert!(
            line.starts_with(&format!("searches of the {queue} queue: 100 begun, 100 ended, ")),
            "{text}"
        );
    }
    assert_eq!(text.lines().count(), 2, "{text}");
}

/// Example 9.1.4: what rank 0 posts and what comes unexpected, for each peer.
#[test]
fn example_of_counting() {
    let text = printed("peruse_counting", 3);
    let peer = "\n  unexpected messages: 2, longest 2, average 1.50, left 0\n  posted receives: \
                3, longest 3, average 2.00, left 0\n";
    let rest = |posted: &str| {
        format!(
            "\n  unexpected messages: 0, longest 0, average 0.00, left 0\n  posted receives: \
             {posted}, left 0\n"
        )
    };
    let expected = format!(
        "peer 0{}peer 1{peer}peer 2{peer}any peer{}",
        rest("0, longest 0, average 0.00"),
        rest("1, longest 1, average 1.00")
    );
    assert_eq!(text, expected);
}

/// Example 9.2: the profiler, preloaded and linked, counts what the program prints.
#[test]
fn profiler() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = here.join("tools/peruse_profiler.c");
    let directory = tempfile::tempdir().unwrap();
    let library = directory.path().join("libperuse_profiler.so");
    let output = Command::new("cc")
        .args(["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-I"])
        .args([&here.join("include"), &source])
        .arg("-o")
        .arg(&library)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let figures = directory.path().join("figures");
    let program = Program::compile("peruse_profiled");
    let linked = Program::compile_with("peruse_profiled", &[&source]);
    let alone = program.run(2, &[]);
    assert_eq!(
        (alone.stdout.as_slice(), alone.stderr.as_slice()),
        (&b"ok\n"[..], &b""[..]),
        "without the profiler"
    );
    for (program, preload) in [(&program, library.to_str().unwrap()), (&linked, "")] {
        let output = program.run(
            2,
            &[
                ("LD_PRELOAD", preload),
                ("PERUSE_PROFILER_OUTPUT", figures.to_str().unwrap()),
                ("PERUSE_PROFILER_RANKS", "1"),
            ],
        );
        assert_eq!(output.stdout, b"ok\n", "{}", String::from_utf8_lossy(&output.stderr));
        let text = std::fs::read_to_string(&figures).unwrap();
        std::fs::remove_file(&figures).unwrap();
        assert!(text.starts_with("PERUSE profile of 2 ranks") && !text.contains("lost"), "{text}");
        // 6 messages posted first and 10 unexpected, on each of 3 communicators; the receives are
        // rank 0's, the sends rank 1's.
        let row = |from: &str, name: &str| -> Vec<f64> {
            let part = &text[text.find(from).unwrap_or_else(|| panic!("{from} in {text}"))..];
            let line = part
                .lines()
                .find(|line| line.starts_with(name))
                .unwrap_or_else(|| panic!("{name} in {text}"));
            line.split_whitespace().skip(1).map(|word| word.parse().unwrap()).collect()
        };
        let number =
            |name: &str| ["PERUSE", "rank 0", "rank 1"].map(|from| row(from, name)[0] as u32);
        for (name, expected) in [
            ("T_REQ_ACTIVATE_TO_MATCH", [48, 48, 0]),
            ("T_REQ_ACTIVATE_TO_XFER_BEGIN", [96, 48, 48]),
            ("T_XFER_BEGIN_TO_END", [96, 48, 48]),
            ("T_COMPLETE_TO_NOTIFY", [96, 48, 48]),
            ("T_ACTIVATE_TO_NOTIFY", [96, 48, 48]),
            ("T_IN_UNEX_Q", [30, 30, 0]),
            ("N_POSTED_Q_LEN", [18, 18, 0]),
            ("N_UNEX_Q_LEN", [30, 30, 0]),
        ] {
            assert_eq!(number(name), expected, "{name} in {text}");
        }
        assert_eq!(row("PERUSE", "N_POSTED_Q_LEN"), [18.0, 3.5, 6.0, 0.0], "{text}");
        assert_eq!(row("PERUSE", "N_UNEX_Q_LEN"), [30.0, 5.5, 10.0, 0.0], "{text}");
        let times = row("rank 0", "T_ACTIVATE_TO_NOTIFY");
        assert!(0.0 < times[1] && times[1] <= times[2], "{text}");
    }
}
