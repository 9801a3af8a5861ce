//! Layout tables: `mqd layout`, and debug DLLs that read libraries without debug information.

mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use support::mqd::{self, Run};
use support::toy::{Running, Workshop};

/// Gives the toy a build-id, because some compilers write none by default.
const BUILD_ID: [&str; 2] = ["-pthread", "-Wl,--build-id"];

fn run_with(directory: &Path, arguments: &[&str]) -> Run {
    let output = mqd::command().args(arguments).env("MQD_LAYOUT_DIR", directory).output().unwrap();
    Run {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The toy with debug information and without, both with the same build-id, and a directory with a
/// table made from the first.
struct Stripped {
    workshop: Workshop,
    whole: PathBuf,
    stripped: PathBuf,
    tables: PathBuf,
}

impl Stripped {
    fn new() -> Stripped {
        let workshop = Workshop::new();
        let whole = workshop.compile("toy_process.c", "whole", &BUILD_ID, &[]);
        let stripped = workshop.path().join("stripped");
        assert!(
            Command::new("strip")
                .arg("-g")
                .arg("-o")
                .args([&stripped, &whole])
                .status()
                .unwrap()
                .success()
        );
        let tables = workshop.path().join("tables");
        fs::create_dir(&tables).unwrap();
        let table = tables.join("toy.layout");
        let run = extract(&[&whole], &table, &[]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""), "{run:?}");
        assert!(run.stderr.contains("the table is for these very files"), "{run:?}");
        Stripped { workshop, whole, stripped, tables }
    }
}

fn extract(files: &[&Path], table: &Path, more: &[&str]) -> Run {
    let mut arguments =
        vec!["layout", "extract", "--library", "toy", "--struct", "toy_communicator"];
    arguments.extend(["--struct", "struct toy_operation", "--output", text(table)]);
    arguments.extend(files.iter().map(|path| text(path)));
    arguments.extend(more);
    mqd::run(arguments)
}

#[test]
fn extracted_tables_say_what_the_compiler_says() {
    let toy = Stripped::new();
    let table = fs::read_to_string(toy.tables.join("toy.layout")).unwrap();
    let table = mqd_layout::Table::parse(&table).unwrap();
    assert_eq!(table.library(), "toy");
    assert_eq!(table.build_ids().count(), 1);
    // The offsets and sizes that the compiler gives.
    let probe = r#"
#include <stddef.h>
#include <stdio.h>
#include "toy.h"
#define FIELD(type, field) \
  printf (#type " " #field " %zu %zu\n", offsetof (struct type, field), \
          sizeof ((struct type*)0)->field)
int main (void)
{
  FIELD (toy_operation, tag); FIELD (toy_operation, next);
  FIELD (toy_operation, queue); FIELD (toy_operation, status);
  FIELD (toy_operation, peer); FIELD (toy_operation, length); FIELD (toy_operation, actual_tag);
  FIELD (toy_communicator, rank); FIELD (toy_communicator, operations);
  FIELD (toy_communicator, size);
  FIELD (toy_communicator, name); FIELD (toy_communicator, next);
  printf ("toy_operation . 0 %zu\n", sizeof (struct toy_operation));
  printf ("toy_communicator . 0 %zu\n", sizeof (struct toy_communicator));
  return 0;
}"#;
    let source = toy.workshop.path().join("probe.c");
    fs::write(&source, probe).unwrap();
    let probe = toy.workshop.compile(
        text(&source),
        "probe",
        &["-I", concat!(env!("CARGO_MANIFEST_DIR"), "/../host/tests/c")],
        &[],
    );
    let output = String::from_utf8(Command::new(probe).output().unwrap().stdout).unwrap();
    assert_eq!(output.lines().count(), 14);
    for line in output.lines() {
        let words: Vec<_> = line.split_whitespace().collect();
        let [owner, field, offset, size] = words[..] else { panic!("{line}") };
        let structure = table.structure(owner).unwrap_or_else(|| panic!("{line}"));
        let found = match field {
            "." => (0, structure.size),
            field => structure
                .field(field)
                .map(|field| (field.offset, field.size))
                .unwrap_or_else(|| panic!("{line}")),
        };
        assert_eq!(found, (offset.parse().unwrap(), size.parse().unwrap()), "{line}");
    }
}

const HEADERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../host/tests/c");

#[test]
fn headers_tell_what_debug_information_tells() {
    let toy = Stripped::new();
    let like = toy.tables.join("toy.layout");
    let header = Path::new(HEADERS).join("toy.h");
    let probe = |header: &Path, more: &[&str]| {
        let arguments = ["layout", "probe", "--like", text(&like), "--versions", "1.0,2"];
        mqd::run([&arguments[..], &[text(header)], more].concat())
    };
    let run = probe(&header, &["--variant", "assertions"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    let structures = |text: &str| text[text.find("\nstruct").unwrap()..].to_owned();
    assert_eq!(structures(&run.stdout), structures(&fs::read_to_string(&like).unwrap()));
    let table = mqd_layout::Table::parse(&run.stdout).unwrap();
    assert_eq!((table.library(), table.variant()), ("toy", Some("assertions")));
    assert_eq!(table.versions().collect::<Vec<_>>(), ["1.0", "2"]);

    // Another machine, whose files cannot run here.
    let run = probe(&header, &["--cc", "i686-linux-gnu-gcc"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let table = mqd_layout::Table::parse(&run.stdout).unwrap();
    assert_eq!((table.machine().long, table.machine().pointer), (4, 4));
    assert_eq!(table.structure("toy_operation").unwrap().size, 36);

    // A release that has renamed a field and dropped a structure; the flags reach the compiler.
    let newer = toy.workshop.path().join("newer.h");
    let renamed = "struct toy_operation { int MORE; char mark; double tag; };\n";
    // A function may have the name of a structure.
    fs::write(&newer, format!("{renamed}void toy_operation(void);\n")).unwrap();
    let run = probe(&newer, &["--", "-DMORE=status,peer"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(
        run.stdout.ends_with("struct toy_operation 24\n  status 0 4\n  peer 4 4\n  tag 16 8\n")
    );
    for lost in ["toy_operation.next", "toy_operation.queue", "toy_communicator"] {
        assert!(run.stderr.contains(lost), "{run:?}");
    }
    assert!(!run.stderr.contains("toy_operation.tag"), "{run:?}");
}

#[test]
fn headers_that_do_not_serve_are_explained() {
    let toy = Stripped::new();
    let like = toy.tables.join("toy.layout");
    let other = toy.workshop.path().join("other.h");
    fs::write(&other, "#ifdef BROKEN\n#error this needs config.h\n#endif\nint number;\n").unwrap();
    let cases: [(&[&str], &str); 4] = [
        (&["--", "-DBROKEN"], "this needs config.h"),
        (&[], "have none of the structures of the table toy"),
        (&["--cc", "/nowhere/cc"], "cannot run the C compiler /nowhere/cc"),
        (&["--cc", "true"], "has not written an object file"),
    ];
    for (more, wanted) in cases {
        let arguments = ["layout", "probe", "--versions", "1", "--like", text(&like), text(&other)];
        let run = mqd::run([&arguments, more].concat());
        assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""), "{run:?}");
        assert!(run.stderr.contains(wanted), "{wanted}: {run:?}");
    }
}

#[test]
fn an_object_file_will_do() {
    let toy = Stripped::new();
    for options in [["-c", "-gdwarf-5"], ["-c", "-gdwarf-4"]] {
        let object = toy.workshop.compile("toy_process.c", "toy.o", &options, &[]);
        let table = toy.workshop.path().join("object.layout");
        let run = extract(&[&object], &table, &["--versions", "1.0,2"]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
        let (from_object, from_program) = (
            fs::read_to_string(&table).unwrap(),
            fs::read_to_string(toy.tables.join("toy.layout")).unwrap(),
        );
        let structures = |text: &str| text[text.find("\nstruct").unwrap()..].to_owned();
        assert_eq!(structures(&from_object), structures(&from_program));
        assert!(from_object.contains("versions 1.0\nversions 2\n"), "{from_object}");
        // Only its name refers to it.
        let run = mqd::run(["layout", "verify", "--table", text(&table), text(&toy.whole)]);
        assert_eq!(run.code, Some(0), "{run:?}");
    }
}

#[test]
fn a_table_answers_a_dll_where_there_is_no_debug_information() {
    let toy = Stripped::new();
    let dll = toy.workshop.dll(&[]);
    let dump = |program: &Path, tables: &Path| {
        let process = Running::start(program, &[]);
        let pid = process.pid().to_string();
        let run = run_with(
            tables,
            &["dump", "--dll", text(&dll), "--pid", &pid, "--format", "json", "--stats"],
        );
        process.finish();
        run
    };
    let without = dump(&toy.stripped, Path::new(""));
    assert_eq!(without.code, Some(4));
    assert!(
        without.stderr.contains(
            "no debug information for the types struct toy_communicator, struct toy_operation"
        ),
        "{without:?}"
    );
    assert!(without.stderr.contains("mqd layout extract"), "{without:?}");

    let with = dump(&toy.stripped, &toy.tables);
    assert_eq!(with.code, Some(0), "{with:?}");
    assert!(with.stderr.contains("\"layout_table\":\"toy\""), "{with:?}");
    // The same as with debug information; addresses differ from run to run.
    let known = |run: &Run| {
        let communicators = run.report().processes.remove(0).communicators;
        let operations = communicators.iter().flat_map(|communicator| {
            let own =
                format!("{} {} {}", communicator.name, communicator.local_rank, communicator.size);
            let receives = communicator.pending_receives.iter();
            [own].into_iter().chain(receives.map(|operation| {
                format!("{:?} {:?}", operation.desired_tag, operation.desired_length)
            }))
        });
        operations.collect::<Vec<_>>()
    };
    let whole = dump(&toy.whole, Path::new(""));
    assert_eq!(known(&with), known(&whole));
    assert_eq!(known(&with).len(), 5);

    // A table of another build does not apply.
    let other = toy.workshop.compile(
        "toy_process.c",
        "other",
        &["-pthread", "-Wl,--build-id", "-g0", "-O2"],
        &[],
    );
    assert_eq!(dump(&other, &toy.tables).code, Some(4));
}

#[test]
fn verify_tells_what_is_different() {
    let toy = Stripped::new();
    let run = run_with(&toy.tables, &["layout", "verify", text(&toy.whole)]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    assert!(
        run.stdout.contains("toy (")
            && run.stdout.contains("it is made from the file with build-id "),
        "{run:?}"
    );
    assert!(
        run.stdout.contains("debug information: 2 structures agree, 13 fields")
            && run.stdout.ends_with("it fits\n"),
        "{run:?}"
    );

    let process = Running::start(&toy.whole, &[]);
    let run = run_with(&toy.tables, &["layout", "verify", "--pid", &process.pid().to_string()]);
    process.finish();
    assert!(run.code == Some(0) && run.stdout.ends_with("it fits\n"), "{run:?}");

    // Without anything to compare, the table is not said to fit.
    let run = run_with(&toy.tables, &["layout", "verify", text(&toy.stripped)]);
    assert!(
        run.code == Some(4) && run.stdout.ends_with("there is nothing to compare it with\n"),
        "{run:?}"
    );

    let table = toy.tables.join("toy.layout");
    let changed = fs::read_to_string(&table).unwrap().replace("  tag 4 4\n", "  tag 8 4\n");
    fs::write(&table, changed).unwrap();
    let run = run_with(&toy.tables, &["layout", "verify", text(&toy.whole)]);
    assert_eq!(run.code, Some(4), "{run:?}");
    assert!(
        run.stdout.contains(
            "different: toy_operation.tag is at 4 in the debug information, at 8 in the table"
        ),
        "{run:?}"
    );
    assert!(run.stdout.ends_with("it does not fit\n"), "{run:?}");

    let run = mqd::run(["layout", "verify", text(&toy.whole)]);
    assert!(
        run.code == Some(4) && run.stderr.contains("there is no layout table for it"),
        "{run:?}"
    );
}

#[test]
fn list_and_show() {
    let toy = Stripped::new();
    fs::write(toy.tables.join("broken.layout"), "something else\n").unwrap();
    fs::write(toy.tables.join("readme.txt"), "not one of them\n").unwrap();
    let run = run_with(&toy.tables, &["layout", "list"]);
    assert_eq!(run.code, Some(5), "{run:?}");
    let lines: Vec<_> = run.stdout.lines().collect();
    assert!(
        lines[0].starts_with("broken ") && lines[0].contains("not a table: line 1: "),
        "{run:?}"
    );
    assert!(
        lines[1].starts_with("toy ") && lines[1].contains("toy 64-bit little-endian build-id "),
        "{run:?}"
    );
    assert!(
        lines[1].ends_with(&format!("2 structures  ({})", toy.tables.join("toy.layout").display())),
        "{run:?}"
    );
    assert!(
        lines[2..].iter().all(|line| line.ends_with("(comes with mqd)")) && lines.len() >= 4,
        "{run:?}"
    );

    let run = run_with(&toy.tables, &["layout", "show", "toy"]);
    assert_eq!(
        (run.code, run.stdout),
        (Some(0), fs::read_to_string(toy.tables.join("toy.layout")).unwrap())
    );
    let run = mqd::run(["layout", "show", "openmpi-4.1"]);
    assert!(
        run.code == Some(0)
            && run.stdout.starts_with("mqd-layout 1\n")
            && run.stdout.contains("struct ompi_communicator_t")
    );
    let run = run_with(&toy.tables, &["layout", "show", "broken"]);
    assert!(
        run.code == Some(3) && run.stderr.contains("broken.layout is not a layout table: line 1"),
        "{run:?}"
    );
    let run = mqd::run(["layout", "show", "nothing"]);
    assert!(
        run.code == Some(3) && run.stderr.contains("there is no layout table nothing"),
        "{run:?}"
    );
    let run = run_with(Path::new("/nonexistent"), &["layout", "list"]);
    assert!(
        run.code == Some(5) && run.stderr.contains("/nonexistent (MQD_LAYOUT_DIR): "),
        "{run:?}"
    );
}

#[test]
fn in_a_directory_a_table_gets_the_name_by_which_it_is_found() {
    let toy = Stripped::new();
    let directory = toy.workshop.path().join("more");
    fs::create_dir(&directory).unwrap();
    let build_id = fs::read_to_string(toy.tables.join("toy.layout")).unwrap();
    let build_id = build_id.split_once("build-id ").unwrap().1.lines().next().unwrap().to_owned();
    assert_eq!(extract(&[&toy.whole], &directory, &[]).code, Some(0));
    assert_eq!(extract(&[&toy.whole], &directory, &["--versions", "2.1"]).code, Some(0));
    let mut names: Vec<_> = fs::read_dir(&directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let mut expected = [format!("{build_id}.layout"), "toy-2.1.layout".to_owned()];
    expected.sort();
    assert_eq!(names, expected);
}

#[test]
fn what_no_table_can_be_made_of() {
    let toy = Stripped::new();
    let table = toy.workshop.path().join("none.layout");
    let run = extract(&[&toy.stripped], &table, &[]);
    assert!(
        run.code == Some(3) && run.stderr.contains("there is no debug information in "),
        "{run:?}"
    );
    let run = mqd::run(["layout", "extract", text(&toy.whole)]);
    assert!(
        run.code == Some(3) && run.stderr.contains("none of the structures of openmpi"),
        "{run:?}"
    );
    let run = mqd::run(["layout", "extract", "--library", "other", text(&toy.whole)]);
    assert!(run.code == Some(3) && run.stderr.contains("--struct"), "{run:?}");
    let run = mqd::run(["layout", "extract", "/etc/passwd"]);
    assert!(
        run.code == Some(3) && run.stderr.contains("/etc/passwd: it is not an ELF file"),
        "{run:?}"
    );
    assert!(!table.exists());
}

/// A job of Debian's Open MPI, which has no debug information.
struct OpenMpi {
    workshop: Workshop,
    launcher: Child,
    pids: Vec<String>,
}

impl OpenMpi {
    fn start() -> OpenMpi {
        let workshop = Workshop::new();
        let program = workshop.path().join("pending");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../host/tests/c/pending.c");
        let compiled = Command::new("mpicc.openmpi").arg("-o").args([&program, &source]).status();
        assert!(compiled.expect("mpicc.openmpi: install libopenmpi-dev").success());
        let mut command = Command::new("mpirun.openmpi");
        // Other components of other PMLs have other queues.
        command
            .args(["--allow-run-as-root", "--oversubscribe", "--mca", "pml", "ob1", "-n", "2"])
            .arg(&program);
        command.env("TMPDIR", workshop.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut launcher = command.spawn().expect("mpirun.openmpi: install openmpi-bin");
        let output = BufReader::new(launcher.stdout.take().unwrap());
        let pids = output
            .lines()
            .take(2)
            .map(|line| line.unwrap().strip_prefix("ready ").unwrap().to_owned())
            .collect();
        OpenMpi { workshop, launcher, pids }
    }

    /// The debug DLL of Open MPI. The library says where it is.
    fn dll(&self) -> PathBuf {
        let path =
            Command::new("ompi_info").args(["--parsable", "--path", "pkglibdir"]).output().unwrap();
        let path = String::from_utf8(path.stdout).unwrap();
        let directory = path.trim().rsplit(':').next().unwrap().to_owned();
        Path::new(&directory).join("libompi_dbg_msgq.so")
    }

    fn finish(mut self) {
        drop(self.launcher.stdin.take());
        assert!(self.launcher.wait().unwrap().success());
    }
}

impl Drop for OpenMpi {
    fn drop(&mut self) {
        // After `finish` nothing is left. Before it, the launcher ends its ranks.
        drop(self.launcher.stdin.take());
        let _ = self.launcher.wait();
    }
}

/// On a plain Debian, this DLL reports that it finds no types, and shows nothing.
#[test]
fn open_mpi_s_own_dll_works_on_a_stripped_open_mpi() {
    let job = OpenMpi::start();
    let dll = job.dll();
    let launcher = job.launcher.id().to_string();
    let live =
        mqd::run(["dump", "--dll", text(&dll), "--job", &launcher, "--format", "json", "--stats"]);
    assert!(live.stderr.contains("\"layout_table\":\"openmpi-4.1\""), "{live:?}");
    let report = live.report();
    assert_eq!(report.processes.len(), 2);
    let core = {
        let prefix = job.workshop.path().join("core");
        let made = Command::new("gcore")
            .arg("-o")
            .arg(&prefix)
            .arg(&job.pids[0])
            .output()
            .expect("gcore: install gdb");
        assert!(made.status.success(), "{made:?}");
        format!("{}.{}", prefix.display(), job.pids[0])
    };
    let dead =
        mqd::run(["dump", "--dll", text(&dll), "--core", &core, "--format", "json"]).report();
    job.finish();

    for (rank, process) in report.processes.iter().enumerate() {
        // This DLL has no information about unexpected messages. There is no other error.
        let errors: Vec<_> = process.errors.iter().map(|error| error.text.as_str()).collect();
        assert_eq!(errors, ["the debug DLL has no information about unexpected messages"]);
        let world = process
            .communicators
            .iter()
            .find(|communicator| communicator.name == "MPI_COMM_WORLD")
            .unwrap();
        assert_eq!((world.size, world.local_rank), (2, rank as i64));
        assert_eq!(world.group, Some([0, 1].into_iter().collect()));
        let receives: Vec<_> = world
            .pending_receives
            .iter()
            .map(|receive| {
                (receive.desired_local_rank, receive.desired_tag, receive.desired_length)
            })
            .collect();
        assert_eq!(receives, [(1 - rank as i64, Some(40 + rank as i64), 24)]);
    }
    let of_core = dead.processes[0].pid;
    let live = report.processes.iter().find(|process| process.pid == of_core).unwrap();
    assert_eq!(dead.processes[0].communicators, live.communicators);
}

#[test]
fn verify_on_a_stripped_open_mpi() {
    let job = OpenMpi::start();
    let run = mqd::run(["layout", "verify", "--pid", &job.pids[0]]);
    let other = mqd::run(["layout", "verify", "--pid", &job.pids[0], "--table", "openmpi-5.0"]);
    let dll = job.dll();
    job.finish();
    // Build options may enlarge a structure that mqd does not read.
    assert!(matches!(run.code, Some(0 | 5)), "{run:?}");
    assert!(
        run.stdout.starts_with("openmpi-4.1 (comes with mqd): it is for openmpi 4.1."),
        "{run:?}"
    );
    assert!(
        run.stdout.contains("debug information: none of these")
            && !run.stdout.contains("different: ompi_communicator_t"),
        "{run:?}"
    );
    assert!(
        other.stdout.contains("different: ompi_communicator_t has ")
            && matches!(other.code, Some(4 | 5)),
        "{other:?}"
    );

    // The files give the same result as the process.
    let libraries = dll.parent().unwrap().join("../../..");
    let files = [libraries.join("libmpi.so.40"), dll.with_file_name("mca_pml_ob1.so")];
    let of_files = mqd::run(["layout", "verify", text(&files[0]), text(&files[1])]);
    assert_eq!(of_files.code, run.code, "{of_files:?}");
}
