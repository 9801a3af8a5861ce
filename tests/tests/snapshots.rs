//! Snapshots of real jobs show what the job showed: after the job and its files are gone, with
//! other debug DLLs, and redacted.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mqd_tests::scenario::Scenario;
use mqd_tests::{Running, fixture_for, mpi, prefix, run, text, wait_for};
use serde_json::Value;
use tempfile::TempDir;
use testkit::expectation::queues;
use testkit::mpi::Mpi;
use testkit::synthetic;

fn mqd(arguments: &[&str]) -> (i32, String, String) {
    run(prefix().command("mqd").args(arguments))
}

/// Captures targets into a file; its path, and how many bytes it has for each process.
fn capture(directory: &Path, name: &str, arguments: &[&str]) -> (PathBuf, u64) {
    let file = directory.join(name);
    let (code, stdout, stderr) = mqd(&[&["capture", "-o", text(&file)], arguments].concat());
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    let size = file.metadata().expect("it is written").len();
    let words: Vec<_> = stdout.split_whitespace().collect();
    assert_eq!(words[words.len() - 2], size.to_string(), "{stdout}");
    (file, size / words[words.len() - 4].parse::<u64>().expect("the number of processes"))
}

/// The report for these arguments, which mqd writes without any error.
fn dump(arguments: &[&str]) -> Value {
    let (code, stdout, stderr) = mqd(&[&["dump", "--format", "json"], arguments].concat());
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    serde_json::from_str(&stdout).expect("mqd writes JSON")
}

fn unchanged(launch: &mut Command) -> &mut Command {
    launch
}

/// A report as redaction leaves it.
fn without_paths(report: &Value) -> Value {
    let mut report = report.clone();
    for process in report["processes"].as_array_mut().expect("processes") {
        let library = Path::new(process["library"].as_str().expect("a path"));
        process["library"] = library.file_name().expect("it has a name").to_string_lossy().into();
        process["executable"] = Value::Null;
        let fields = process.as_object_mut().expect("a process");
        fields.remove("host");
        if let Some(job) = fields.get_mut("job") {
            job["name"] = Value::Null;
        }
        let library = process["library"].clone();
        let stacks = process["stacks"].as_array_mut().into_iter().flatten();
        for frame in stacks.flat_map(|stack| stack["frames"].as_array_mut().into_iter().flatten()) {
            frame["file"] = Value::Null;
            // Of the modules only the MPI library is named.
            if frame["module"] != library {
                frame["module"] = Value::Null;
            }
        }
    }
    report
}

/// What a redacted snapshot shows. The names of jobs, which become checksums, are left out.
fn dump_redacted(arguments: &[&str]) -> Value {
    without_job_names(dump(arguments))
}

/// A redacted report without the names of jobs.
fn without_job_names(mut report: Value) -> Value {
    for process in report["processes"].as_array_mut().expect("processes") {
        assert!(process.get("host").is_none(), "{process}");
        if let Some(job) = process.get_mut("job") {
            let name = job["name"].as_str().expect("a name");
            assert!(name.len() == 10 && name.starts_with('[') && name.ends_with(']'), "{name}");
            job["name"] = Value::Null;
        }
    }
    report
}

/// A job live and from core files, captured and read again; redacted too.
fn check(mpi: Mpi, fixture: &str, ranks: usize) {
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let scenario = Scenario::start_with(mpi, fixture, ranks, &[], unchanged);
    let live = scenario.live();
    let job = scenario.pid().to_string();
    let (whole, bytes) = capture(directory.path(), "whole.mqd", &["--job", &job]);
    assert!(bytes < 64 * 1024, "{bytes} bytes for each process of {fixture}");
    let (redacted, _) = capture(directory.path(), "redacted.mqd", &["--job", &job, "--redact"]);
    let (reports, small) =
        capture(directory.path(), "reports.mqd", &["--job", &job, "--report-only"]);
    assert!(small < bytes / 2, "{small} bytes for each report of {fixture}, {bytes} with memory");

    let cores = scenario.gdb_cores(&live);
    let cores: Vec<_> = cores.iter().map(|core| text(core)).collect();
    let of_cores = dump(&[&["--core"], &cores[..]].concat());
    let (core_file, _) =
        capture(directory.path(), "cores.mqd", &[&["--core"], &cores[..]].concat());
    let (core_redacted, _) = capture(
        directory.path(),
        "core-redacted.mqd",
        &[&["--redact", "--core"], &cores[..]].concat(),
    );
    // The job ends here, and its directory with the core files is removed.
    drop(scenario);

    assert_eq!(dump(&[text(&whole)]), live);
    assert_eq!(dump(&["--snapshot", text(&reports)]), live);
    assert_eq!(dump(&[text(&core_file)]), of_cores);
    let expected = without_paths(&live);
    assert_eq!(dump_redacted(&[text(&redacted)]), expected);
    let again = dump(&[text(&core_redacted)]);
    assert_eq!(queues(&again), queues(&of_cores));
    assert!(
        again["processes"][0]["core"] == "[path]" && again["processes"][0]["executable"].is_null()
    );
    // Redacting later gives the same.
    let (later, _) = capture(directory.path(), "later.mqd", &[text(&whole), "--redact"]);
    assert_eq!(dump_redacted(&[text(&later)]), expected);
    // A redacted snapshot stays one when it is captured again without being told so.
    let (copy, _) = capture(directory.path(), "copy.mqd", &[text(&redacted)]);
    assert_eq!(dump_redacted(&[text(&copy)]), expected);
}

macro_rules! scenarios {
    ($($fixture:ident: $ranks:literal;)*) => {
        mod companion {
            $(
                #[test]
                fn $fixture() {
                    let mpi = super::Mpi::companion(super::prefix());
                    super::check(mpi, stringify!($fixture), $ranks);
                }
            )*
        }
        mod open_mpi {
            $(
                #[test]
                fn $fixture() {
                    super::check(super::mpi("openmpi"), stringify!($fixture), $ranks);
                }
            )*
        }
    };
}

scenarios! {
    receives: 3;
    send_modes: 2;
    intercommunicators: 5;
    persistent: 2;
    datatypes: 2;
}

/// A job whose executable and MPI library are in a directory of the test's.
fn elsewhere(mpi: &Mpi, library: &Path) -> (TempDir, Running, Value) {
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let program = directory.path().join("receives");
    fs::copy(fixture_for(mpi, "receives"), &program).expect("it is there");
    let name = library.file_name().expect("a library has a name");
    // By the name that programs ask for: the release is not part of it.
    let name = name.to_string_lossy().split(".so.").next().expect("one").to_owned() + ".so.";
    let major = library
        .to_string_lossy()
        .split(".so.")
        .nth(1)
        .expect("a version")
        .split('.')
        .next()
        .expect("one")
        .to_owned();
    fs::copy(library, directory.path().join(name + &major)).expect("it is there");
    let mut launch = mpi.launch(3, &program, &[], directory.path());
    let job = Running::start(launch.env("LD_LIBRARY_PATH", directory.path()));
    let pid = job.child.id().to_string();
    wait_for("all ranks write their expectation", || testkit::record::records(directory.path(), 3));
    let live = wait_for("the ranks wait", || {
        let (code, stdout, _) = mqd(&["dump", "--format", "json", "--job", &pid]);
        let report: Value = serde_json::from_str(&stdout).ok()?;
        let again = mqd(&["dump", "--format", "json", "--job", &pid]);
        (code == 0 && again.1 == stdout).then_some(report)
    });
    (directory, job, live)
}

/// Without the job, its executable and its MPI library.
#[test]
fn on_another_machine() {
    let companion = Mpi::companion(prefix());
    let open_mpi = mpi("openmpi");
    let ours = prefix().directory.join("lib/libmpi_abi.so.1");
    let mut theirs = fs::read_dir("/usr/lib")
        .expect("it is there")
        .flatten()
        .map(|entry| entry.path().join("libmpi.so.40"));
    let theirs = theirs
        .find(|path| path.exists())
        .expect("Open MPI is installed")
        .canonicalize()
        .expect("it is there");
    for (mpi, library) in [(companion, ours), (open_mpi, theirs)] {
        let snapshots = tempfile::tempdir().expect("there is room for temporary files");
        let (directory, job, live) = elsewhere(&mpi, &library);
        let (file, _) =
            capture(snapshots.path(), "job.mqd", &["--job", &job.child.id().to_string()]);
        drop(job);
        for key in ["executable", "library"] {
            let path = Path::new(live["processes"][0][key].as_str().expect("a path")).to_owned();
            assert!(path.starts_with(directory.path()), "{}", path.display());
        }
        directory.close().expect("it can be removed");
        assert_eq!(dump(&[text(&file)]), live);
        let (_, stdout, _) = mqd(&["doctor", "--json", text(&file)]);
        let checks: Vec<Value> = serde_json::from_str(&stdout).expect("an array of checks");
        let own: Vec<_> =
            checks.iter().filter(|check| check["subject"] != "this machine").collect();
        let mut names = vec!["snapshot", "process", "MPI library", "types", "transport", "queues"];
        // The companion runtime has no choice of transports.
        names.retain(|name| *name != "transport" || mpi.name != "companion");
        let found: Vec<_> = own.iter().map(|check| &check["name"]).collect();
        assert_eq!(found, names, "{own:?}");
        assert!(own.iter().all(|check| check["state"] == "ok"), "{own:?}");
    }
}

/// Other debug DLLs: a copy of ours, which is treated as a foreign one, and Open MPI's own.
#[test]
fn other_dlls() {
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let mpi = mpi("openmpi");
    let theirs = mpi.debug_dll().expect("Debian's Open MPI has one");
    let theirs = text(&theirs);
    let copy = directory.path().join("libcopy.so");
    fs::copy(prefix().directory.join("lib/libmqd.so"), &copy).expect("it is there");
    let scenario = Scenario::start_with(mpi, "receives", 3, &[], unchanged);
    let live = scenario.live();
    let job = scenario.pid().to_string();
    let by_theirs = mqd(&["dump", "--format", "json", "--dll", theirs, "--job", &job]);
    // Its errors are shown here, too.
    let capture_by_theirs = |name: &str, arguments: &[&str]| {
        let file = directory.path().join(name);
        let (code, _, stderr) =
            mqd(&[&["capture", "--dll", theirs, "--job", &job, "-o", text(&file)], arguments]
                .concat());
        assert_eq!((code, &stderr), (by_theirs.0, &by_theirs.2), "as a dump does");
        file
    };
    let (ours, _) = capture(directory.path(), "ours.mqd", &["--job", &job]);
    let (copied, _) =
        capture(directory.path(), "copied.mqd", &["--dll", text(&copy), "--job", &job]);
    let (redacted, small) = capture(
        directory.path(),
        "redacted.mqd",
        &["--dll", text(&copy), "--job", &job, "--redact"],
    );
    let file = capture_by_theirs("theirs.mqd", &[]);
    let redacted_by_theirs = capture_by_theirs("redacted-theirs.mqd", &["--redact"]);
    drop(scenario);

    assert_eq!(dump(&["--dll", text(&copy), text(&ours)]), live);
    assert_eq!(dump(&["--dll", text(&copy), text(&copied)]), live);
    // Ours reads ahead, even as a foreign one. What it reads ahead is not kept.
    let shown = dump_redacted(&["--dll", text(&copy), text(&redacted)]);
    assert_eq!(shown, without_paths(&live));
    assert!(small < 8 * 1024, "{small} bytes for each process");
    let theirs_live: Value = serde_json::from_str(&by_theirs.1).expect("mqd writes JSON");
    let (code, stdout, stderr) =
        mqd(&["dump", "--format", "json", "--dll", theirs, text(&redacted_by_theirs)]);
    assert_eq!((code, &stderr), (by_theirs.0, &by_theirs.2));
    let again: Value = serde_json::from_str(&stdout).expect("mqd writes JSON");
    assert_eq!(without_job_names(again), without_paths(&theirs_live));
    // Open MPI's DLL gives the same again from what it has asked for, including errors.
    assert_eq!(mqd(&["dump", "--format", "json", "--dll", theirs, text(&file)]), by_theirs);
    // Ours asks for more: what was captured is shown, and why.
    let (code, stdout, stderr) = mqd(&["dump", "--format", "json", text(&file)]);
    assert_eq!((code, &stdout), (by_theirs.0, &by_theirs.1), "{stderr}");
    assert!(
        stderr.contains("shown as it was captured, since it cannot be read again here: ")
            && stderr.contains("the snapshot lacks the"),
        "{stderr}"
    );
    // And theirs asks for other things than ours.
    let (code, stdout, stderr) = mqd(&["dump", "--format", "json", "--dll", theirs, text(&ours)]);
    assert_eq!(code, 4, "{stderr}");
    assert!(
        stdout.contains("the snapshot lacks the") && stdout.contains("the type opal_list_item_t"),
        "{stdout}"
    );
}

const SECRET: &str = "Xyzzy-7-Plugh";

/// Eager and long messages that hold the secret, sent and not received; a buffer to receive into
/// that holds it; the stack, too.
const KEEPS_A_SECRET: &str = r#"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONG = 1 << 20, ROOM = 64 };

static void fill (char* buffer, int size, const char* secret)
{
  for (int i = 0; i < size; i++)
    buffer[i] = secret[i % strlen (secret)];
}

/* Secrets on pages of the heap where the library keeps what the debug DLL reads. */
static void scatter (const char* secret)
{
  for (int i = 0; i < 256; i++)
    fill (malloc (ROOM), ROOM, secret);
}

int main (int argc, char** argv)
{
  int rank;
  scatter (argv[1]);
  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  static char in_data[ROOM], into[ROOM], none;
  char        on_stack[ROOM], *on_heap = malloc (LONG), *small = malloc (ROOM);
  fill (in_data, ROOM, argv[1]);
  fill (into, ROOM, argv[1]);
  fill (on_stack, ROOM, argv[1]);
  fill (on_heap, LONG, argv[1]);
  fill (small, ROOM, argv[1]);
  MPI_Request requests[7];
  int         other = 1 - rank;
  scatter (argv[1]);
  MPI_Isend (in_data, ROOM, MPI_CHAR, other, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend (on_stack, ROOM, MPI_CHAR, other, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend (small, ROOM, MPI_CHAR, other, 3, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend (on_heap, LONG, MPI_CHAR, other, 4, MPI_COMM_WORLD, &requests[3]);
  MPI_Issend (small, ROOM, MPI_CHAR, other, 5, MPI_COMM_WORLD, &requests[4]);
  MPI_Irecv (into, ROOM, MPI_CHAR, other, 6, MPI_COMM_WORLD, &requests[5]);
  /* Everything that was sent has arrived when the last of it has. */
  MPI_Isend (&none, 0, MPI_CHAR, other, 7, MPI_COMM_WORLD, &requests[6]);
  MPI_Recv (&none, 0, MPI_CHAR, other, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  scatter (argv[1]);
  printf ("ready %d\n", rank);
  fflush (stdout);
  for (;;)
    pause ();
}
"#;

const ALL: [&[u8; 4]; 3] = [b"HEAD", b"PAGE", b"LIKE"];

/// What is in frames of a snapshot, decompressed: by the documentation of the format alone.
fn content(file: &Path, wanted: &[&[u8; 4]]) -> Vec<u8> {
    let bytes = fs::read(file).expect("it is there");
    let number =
        |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize;
    assert_eq!(&bytes[..8], b"\x89MQD\r\n\x1a\n");
    let (mut at, mut content) = (16, Vec::new());
    while at < bytes.len() {
        assert_eq!(&bytes[at..at + 4], b"frm\x9d");
        let (stored, size) = (number(at + 20), number(at + 24));
        let frame = zstd::bulk::decompress(&bytes[at + 36..at + 36 + stored], size)
            .expect("it is compressed");
        if wanted.iter().any(|tag| bytes[at + 4..at + 8] == **tag) {
            content.extend(frame);
        }
        at += 36 + stored;
    }
    content
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// A secret in messages, in buffers, in paths, in the environment and in the command line is not in
/// a redacted snapshot.
#[test]
fn redacted_is_without_secrets() {
    for mpi in [Mpi::companion(prefix()), mpi("openmpi")] {
        let directory = tempfile::Builder::new()
            .prefix(SECRET)
            .tempdir()
            .expect("there is room for temporary files");
        let source = directory.path().join("keeps.c");
        fs::write(&source, KEEPS_A_SECRET).expect("the directory is writable");
        let program = mpi.compile_file(&source, directory.path()).expect("the program compiles");
        let mut launch = mpi.launch(2, &program, &[SECRET], directory.path());
        let job = Running::start(launch.env("SECRET", SECRET));
        job.wait_for_lines(&["ready 0", "ready 1"]);
        let pid = job.child.id().to_string();
        let live = dump(&["--job", &pid]);
        let expected = ["pending_sends", "pending_receives", "unexpected_messages"].map(|queue| {
            let communicators =
                live["processes"][0]["communicators"].as_array().expect("communicators");
            communicators
                .iter()
                .map(|known| known[queue].as_array().expect("a queue").len())
                .sum::<usize>()
        });
        assert!(expected[0] > 0 && expected[1] == 1 && expected[2] == 5, "{expected:?}");
        let (whole, _) = capture(directory.path(), "whole.mqd", &["--job", &pid]);
        // A snapshot that is not redacted has it: in paths, and in pages beside what the debug DLL
        // needs.
        assert!(contains(&content(&whole, &[b"LIKE"]), SECRET), "{}", mpi.name);
        assert!(contains(&content(&whole, &[b"PAGE"]), SECRET), "{}", mpi.name);
        let copy = directory.path().join("libcopy.so");
        fs::copy(prefix().directory.join("lib/libmqd.so"), &copy).expect("it is there");
        let ways = [
            ("redacted.mqd", vec!["--job", &pid]),
            ("later.mqd", vec![text(&whole)]),
            // Like the DLL of another installation that a program may name: it reads ahead, and is
            // treated as a foreign one.
            ("foreign.mqd", vec!["--job", &pid, "--dll", text(&copy)]),
        ];
        for (name, arguments) in ways {
            let (redacted, _) =
                capture(directory.path(), name, &[&arguments[..], &["--redact"]].concat());
            let content = content(&redacted, &ALL);
            assert!(!contains(&content, SECRET), "{}: {name}", mpi.name);
            // Nor parts of it: structures may contain the beginning of a message.
            assert!(!contains(&content, &SECRET[..7]), "{}: {name}", mpi.name);
            assert!(
                !contains(&content, "keeps"),
                "{}: {name} has the name of the executable",
                mpi.name
            );
            let again = dump(&[text(&redacted)]);
            assert_eq!(queues(&again), queues(&live), "{}: {name}", mpi.name);
        }
    }
}

/// A synthetic job has the requested number of ranks, the messages between them agree, and exactly
/// the requested ranks are deadlocked.
#[test]
fn synthetic_jobs() {
    use synthetic::Deadlock;
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let file = directory.path().join("synthetic.mqd");
    for deadlock in [Deadlock::All, Deadlock::Some, Deadlock::None, Deadlock::InFlight] {
        for (ranks, operations, cycle) in
            [(2, 10, 1), (3, 1, 2), (7, 10, 3), (7, 2, 6), (1000, 10, 400)]
        {
            let job = synthetic::SyntheticJob { ranks, operations, deadlock, cycle };
            synthetic::write(&job, &file).expect("it can be written");
            let report = dump(&[text(&file)]);
            let processes = report["processes"].as_array().expect("processes");
            assert_eq!(processes.len() as i64, ranks);
            let halo = |rank: i64| &processes[rank as usize]["communicators"][1];
            let count = |rank: i64, peer: i64, key: &str| {
                let traffic = halo(rank)["traffic"].as_array().expect("traffic");
                let of_peer = traffic.iter().find(|known| known["local_rank"] == peer);
                of_peer.and_then(|known| known[key].as_i64()).unwrap_or(0)
            };
            let (mut on_the_way, mut receives) = (0, 0);
            for rank in 0..ranks {
                let length =
                    |queue: &str| halo(rank)[queue].as_array().expect("a queue").len() as i64;
                receives += length("pending_receives");
                assert_eq!(
                    length("pending_sends")
                        + length("pending_receives")
                        + length("unexpected_messages"),
                    operations
                );
                let peers = halo(rank)["traffic"].as_array().expect("traffic").iter();
                for peer in peers.map(|known| known["local_rank"].as_i64().expect("a rank")) {
                    on_the_way += count(rank, peer, "sent") - count(peer, rank, "received");
                }
            }
            assert!(receives > 0);
            assert_eq!(
                on_the_way,
                if deadlock == Deadlock::InFlight { receives } else { 0 },
                "{job:?}"
            );
            let computing = processes
                .iter()
                .filter(|process| process["activity"]["function"].is_null())
                .count();
            assert_eq!(computing, usize::from(matches!(deadlock, Deadlock::Some | Deadlock::None)));

            let stuck = match deadlock {
                Deadlock::All => ranks,
                Deadlock::Some => cycle,
                Deadlock::None | Deadlock::InFlight => 0,
            };
            let (code, stdout, stderr) = mqd(&["check", "--format", "json", text(&file)]);
            assert_eq!(
                (code, stderr.as_str()),
                (if stuck > 0 { 10 } else { 0 }, ""),
                "{job:?}: {stdout}"
            );
            let diagnosis: Value = serde_json::from_str(&stdout).expect("mqd writes JSON");
            assert_eq!(
                diagnosis["verdict"],
                if stuck > 0 { "deadlocked" } else { "not_deadlocked" },
                "{job:?}"
            );
            let of_ranks = ["stuck", "moving", "unknown"]
                .map(|key| diagnosis[key].as_str().expect("ranks").to_owned());
            assert_eq!(of_ranks, [range(0, stuck), range(stuck, ranks), String::new()], "{job:?}");
        }
    }
}

/// The ranks from one to before another, as a diagnosis has them.
fn range(from: i64, to: i64) -> String {
    match to - from {
        0 => String::new(),
        1 => from.to_string(),
        _ => format!("{from}-{}", to - 1),
    }
}
