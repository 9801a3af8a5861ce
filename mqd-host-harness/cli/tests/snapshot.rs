//! Snapshots: writing, reading, damage, other versions, and replay to other debug DLLs.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use mqd_host::snapshot::{Entry, Head, Snapshot, SnapshotError, Writer};
use mqd_report::{Extent, Problem, ProblemKind, Process, Report};
use support::mqd::{self, Run};
use support::toy::{Running, Workshop};

/// A snapshot of the toy process, which has ended since.
struct Captured {
    workshop: Workshop,
    dll: String,
    file: PathBuf,
    /// The dump of the live process.
    live: Run,
}

impl Captured {
    fn new(arguments: &[&str]) -> Captured {
        let workshop = Workshop::new();
        let program = workshop.process(&[]);
        let mut process = Running::start(&program, &[]);
        let (dll, file) =
            (workshop.dll(&[]).display().to_string(), workshop.path().join("toy.mqd"));
        let pid = process.pid().to_string();
        let live = mqd::run(["dump", "--dll", &dll, "--pid", &pid, "--format", "json"]);
        let capture = ["capture", "--dll", &dll, "--pid", &pid, "-o", text(&file)];
        let run = mqd::run(capture.iter().chain(arguments));
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
        assert_eq!(
            run.stdout,
            format!("{}: 1 process, {} bytes\n", text(&file), file.metadata().unwrap().len())
        );
        process.assert_running();
        process.finish();
        fs::remove_file(program).unwrap();
        Captured { workshop, dll, file, live }
    }

    fn dump(&self, arguments: &[&str]) -> Run {
        mqd::run(
            ["dump", "--snapshot", text(&self.file), "--format", "json"].iter().chain(arguments),
        )
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_process_is_read_again_after_its_end() {
    let captured = Captured::new(&[]);
    let again = captured.dump(&["--dll", &captured.dll]);
    assert_eq!((again.code, again.stderr.as_str()), (Some(0), ""));
    assert_eq!(again.stdout, captured.live.stdout);
    // Its first bytes identify a snapshot.
    let named =
        mqd::run(["dump", "--dll", &captured.dll, "--format", "json", text(&captured.file)]);
    assert_eq!(named.stdout, captured.live.stdout);
}

#[test]
fn without_its_dll_the_report_is_shown_as_it_was() {
    for arguments in [&[][..], &["--report-only"]] {
        let captured = Captured::new(arguments);
        let again = captured.dump(&[]);
        assert_eq!((again.code, &again.stdout), (Some(0), &captured.live.stdout), "{again:?}");
        // Such a snapshot can never be read again, so there is no message.
        assert_eq!(
            again.stderr.contains("shown as it was captured"),
            arguments.is_empty(),
            "{again:?}"
        );
    }
    // A message appears if the options ask for another reading.
    let captured = Captured::new(&["--report-only"]);
    for arguments in [&["--dll", &captured.dll][..], &["--internal"]] {
        let again = captured.dump(arguments);
        assert_eq!((again.code, &again.stdout), (Some(0), &captured.live.stdout), "{again:?}");
        assert!(
            again
                .stderr
                .contains("the snapshot has only that, nothing that --dll or --internal could"),
            "{again:?}"
        );
    }
}

#[test]
fn what_a_snapshot_lacks_is_said() {
    let captured = Captured::new(&[]);
    let wild = captured.workshop.dll(&["TOY_WILD_POINTER"]);
    let again = captured.dump(&["--dll", text(&wild)]);
    assert!(
        again.stdout.contains("the snapshot does not have it: reading the process did not take it"),
        "{again:?}"
    );

    let other = captured.workshop.dll(&["TOY_PROBE"]);
    let again = captured.dump(&["--dll", text(&other)]);
    assert_eq!(again.code, Some(4), "{again:?}");
    assert!(
        again
            .stdout
            .contains("the snapshot lacks the symbol toy_nothing, the function toy_function"),
        "{again:?}"
    );
}

#[test]
fn a_snapshot_of_a_snapshot() {
    let captured = Captured::new(&[]);
    let copy = captured.workshop.path().join("copy.mqd");
    let capture = |output: &Path| {
        mqd::run(["capture", text(&captured.file), "--dll", &captured.dll, "-o", text(output)])
    };
    assert_eq!(capture(&copy).code, Some(0));
    let times = |path: &Path| Snapshot::open(path).unwrap().entries()[0].1.captured;
    assert_eq!(times(&copy), times(&captured.file));
    // The new snapshot may replace the one that is read.
    assert_eq!(capture(&captured.file).code, Some(0));
    for file in [&copy, &captured.file] {
        let again = mqd::run(["dump", "--dll", &captured.dll, "--format", "json", text(file)]);
        assert_eq!(again.stdout, captured.live.stdout);
    }
}

#[test]
fn nothing_read_is_no_snapshot() {
    let workshop = Workshop::new();
    let file = workshop.path().join("none.mqd");
    fs::write(&file, "precious").unwrap();
    let run = mqd::run(["capture", "--pid", "4194305", "-o", text(&file)]);
    assert_eq!(run.code, Some(3), "{run:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
    assert_eq!(fs::read_dir(workshop.path()).unwrap().count(), 1, "nothing half-done is left");
    let run = mqd::run(["capture", "--pid", "4194305", "-o", "/nonexistent/file"]);
    assert_eq!(run.code, Some(2), "{run:?}");
}

/// The entries of a snapshot. Each has the number of its recorded pages, or what is damaged.
fn all(snapshot: &Snapshot) -> Vec<(Entry, Result<usize, SnapshotError>)> {
    let entries = snapshot.entries().into_iter();
    let memory = |process| {
        let found = snapshot.recording(process);
        found.map(|found| found.map_or(0, |found| found.pages.len()))
    };
    entries.map(|(process, entry)| (entry, memory(process))).collect()
}

/// Any damage to a file is reported, and no damage causes a panic.
#[test]
fn damage_is_never_silent() {
    let captured = Captured::new(&[]);
    let bytes = fs::read(&captured.file).unwrap();
    let whole = all(&Snapshot::open(&captured.file).unwrap());
    let (original, pages) = &whole[0];
    assert!(pages.as_ref().is_ok_and(|pages| *pages > 0), "it has memory: {pages:?}");
    let damaged = captured.workshop.path().join("damaged.mqd");
    let mut intact = 0;
    let mut check = |what: String, bytes: &[u8]| {
        fs::write(&damaged, bytes).unwrap();
        let snapshot = match Snapshot::open(&damaged) {
            Ok(snapshot) => snapshot,
            Err(
                SnapshotError::NotASnapshot(_)
                | SnapshotError::Damaged { .. }
                | SnapshotError::File { .. },
            ) => return,
            Err(error) => panic!("{what}: {error}"),
        };
        let found = all(&snapshot);
        assert_eq!(found.len(), 1, "{what}");
        let (entry, memory) = &found[0];
        let is_lost = entry.extent == Extent::Unreadable
            && entry.process.errors[0].text.contains("is damaged, and process 0 of 1 is lost");
        assert!(is_lost || entry.process == original.process, "{what}: {entry:?}");
        let is_told = is_lost
            || memory.is_err()
            || snapshot.head().is_none()
            || !snapshot.damage().is_empty();
        assert!(is_told, "{what}: nobody noticed");
        assert!(
            is_lost || memory.is_err() || memory.as_ref().ok() == pages.as_ref().ok(),
            "{what}: {memory:?}"
        );
        intact += usize::from(!is_lost);
    };
    for at in 0..bytes.len() {
        for change in [0x01, 0xff] {
            let mut changed = bytes.clone();
            changed[at] ^= change;
            check(format!("byte {at} changed by {change}"), &changed);
        }
        check(format!("cut to {at} bytes"), &bytes[..at]);
        check(format!("without byte {at}"), &[&bytes[..at], &bytes[at + 1..]].concat());
    }
    assert!(intact > 0, "damage elsewhere leaves the process as it is");
}

/// An entry with a report only.
fn entry(rank: i64) -> Entry {
    let process = Process {
        rank: Some(rank),
        executable: Some(format!("/bin/program-{rank}").into()),
        ..Process::default()
    };
    Entry::report_only(1_700_000_000, process, Extent::Complete)
}

fn head() -> Head {
    Head { tool: Report::new(Vec::new()).tool, captured: 1_700_000_000, redacted: false }
}

fn written(processes: u32) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), &head(), processes).unwrap();
    (0..processes).for_each(|rank| writer.add(entry(rank.into())).unwrap());
    writer.finish().unwrap()
}

const START: usize = 16;
const HEADER: usize = 36;

fn number(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

/// The positions of the frames of a file, computed as the documentation describes.
fn frames(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut frames = Vec::new();
    let mut at = START;
    while at < bytes.len() {
        let end = at + HEADER + number(bytes, at + 20);
        frames.push(at..end);
        at = end;
    }
    frames
}

#[test]
fn damage_costs_the_processes_that_it_hits() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("many.mqd");
    let bytes = written(600);
    let frames = frames(&bytes);
    assert_eq!(frames.len(), 4, "a head, and three frames of processes");
    let hit = frames[2].clone();
    let cases = [
        ("changed inside", {
            let mut changed = bytes.clone();
            changed[hit.start + HEADER + 5] ^= 1;
            changed
        }),
        ("its header changed", {
            let mut changed = bytes.clone();
            changed[hit.start + 9] ^= 1;
            changed
        }),
        ("partly missing", [&bytes[..hit.start + 50], &bytes[hit.end - 3..]].concat()),
        ("missing", [&bytes[..hit.start], &bytes[hit.end..]].concat()),
    ];
    for (what, bytes) in cases {
        fs::write(&file, bytes).unwrap();
        let snapshot = Snapshot::open(&file).unwrap();
        for (rank, found) in snapshot.entries() {
            if (256..512).contains(&rank) {
                let [error] = &found.process.errors[..] else { panic!("{what}: {found:?}") };
                assert!(
                    error.text.contains("process 256 to 511 of 600 is lost"),
                    "{what}: {error}"
                );
            } else {
                assert_eq!(found.process, entry(rank as i64).process, "{what}");
            }
        }
        let run = mqd::run(["dump", "--format", "json", text(&file)]);
        assert_eq!(run.code, Some(5), "{what}: {}", run.stderr);
        assert!(run.stderr.contains("many.mqd is damaged"), "{what}: {}", run.stderr);
        assert_eq!(run.report().processes.len(), 600, "{what}");
    }
    fs::write(&file, &bytes[..START + 3]).unwrap();
    let run = mqd::run(["dump", text(&file)]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""));
    assert!(run.stderr.contains("is a damaged snapshot, and nothing of it is intact"), "{run:?}");
}

/// The start of a file of some version.
fn start(major: u16, minor: u16) -> Vec<u8> {
    let mut start = b"\x89MQD\r\n\x1a\n".to_vec();
    start.extend(major.to_le_bytes());
    start.extend(minor.to_le_bytes());
    start.extend(crc32fast::hash(&start).to_le_bytes());
    start
}

/// A frame, built as the documentation describes.
fn frame(tag: &[u8; 4], numbers: [u32; 3], content: &[u8]) -> Vec<u8> {
    let stored = zstd::bulk::compress(content, 1).unwrap();
    let mut frame = b"frm\x9d".to_vec();
    frame.extend(tag);
    let lengths = [stored.len() as u32, content.len() as u32, crc32fast::hash(&stored)];
    numbers.into_iter().chain(lengths).for_each(|number| frame.extend(number.to_le_bytes()));
    frame.extend(crc32fast::hash(&frame).to_le_bytes());
    frame.extend(stored);
    frame
}

#[test]
fn versions() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("version.mqd");
    // An old version had problems as texts. A later minor version has frames and fields that this
    // one does not know.
    let head = rmp_serde::to_vec_named(&serde_json::json!({
        "tool": { "name": "later", "version": "9" },
        "captured": 5,
        "redacted": false,
        "mood": "good"
    }));
    let mut process = serde_json::to_value(&entry(3).process).unwrap();
    process["errors"] = serde_json::json!(["half of it is lost"]);
    let mut old = entry(3).process;
    old.errors = vec![Problem::new(ProblemKind::Other, "half of it is lost")];
    let entries = rmp_serde::to_vec_named(&serde_json::json!([
        { "captured": 5, "process": process, "verdict": "complete", "colour": [1, 2] }
    ]));
    let frames = [
        frame(b"HEAD", [0, 0, 1], &head.unwrap()),
        frame(b"MOOD", [0, 0, 1], b"good"),
        frame(b"PROC", [0, 1, 1], &entries.unwrap()),
    ];
    fs::write(&file, [start(1, 7), frames.concat()].concat()).unwrap();
    let snapshot = Snapshot::open(&file).unwrap();
    assert_eq!(snapshot.damage(), []);
    assert_eq!(
        snapshot.head().map(|head| (head.tool.name.as_str(), head.captured)),
        Some(("later", 5))
    );
    assert_eq!(snapshot.entries()[0].1.process, old);
    let run = mqd::run(["dump", "--format", "json", text(&file)]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), "mqd: rank 3: half of it is lost\n"));

    fs::write(&file, [start(4, 0), frames.concat()].concat()).unwrap();
    let run = mqd::run(["dump", "--format", "json", text(&file)]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""));
    assert!(
        run.stderr.contains(
            "is a snapshot of version 4.0; this mqd reads versions 1 to 3: use a newer mqd"
        ),
        "{run:?}"
    );
}

/// A file of a directory that has the name of a snapshot, and is none, may have been one.
#[test]
fn a_snapshot_that_is_none_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let mut writer = Writer::new(Vec::new(), &head(), 1).unwrap();
    writer.add(entry(3)).unwrap();
    fs::write(directory.path().join("good"), writer.finish().unwrap()).unwrap();
    fs::write(directory.path().join("notes"), "not a snapshot").unwrap();
    let run = mqd::run(["dump", text(directory.path())]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    fs::write(directory.path().join("empty.mqd"), "").unwrap();
    let run = mqd::run(["dump", text(directory.path())]);
    assert_eq!(run.code, Some(5), "{run:?}");
    assert!(run.stdout.contains("rank 3"), "{run:?}");
    assert!(run.stderr.contains("empty.mqd is not a snapshot"), "{run:?}");
}

#[test]
fn a_writer_keeps_count() {
    let mut writer = Writer::new(Vec::new(), &head(), 1).unwrap();
    writer.add(entry(0)).unwrap();
    assert!(writer.add(entry(1)).is_err());
    let writer = Writer::new(Vec::new(), &head(), 1).unwrap();
    assert!(writer.finish().is_err());
}

#[test]
fn ranks_are_chosen_before_they_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("ranks.mqd");
    fs::write(&file, written(10)).unwrap();
    let run = mqd::run(["dump", "--format", "json", "--rank", "3,5-6", text(&file)]);
    let ranks: Vec<_> = run.report().processes.iter().filter_map(|process| process.rank).collect();
    assert_eq!(ranks, [3, 5, 6]);
    let run = mqd::run(["dump", "--rank", "10", text(&file)]);
    assert_eq!(run.code, Some(2), "{run:?}");
}

#[test]
fn other_commands() {
    let captured = Captured::new(&[]);
    let checks = |arguments: &[&str]| {
        let run = mqd::run(["doctor", "--json"].iter().chain(arguments));
        let checks: Vec<serde_json::Value> = serde_json::from_str(&run.stdout).unwrap();
        let own = checks.into_iter().filter(|check| check["subject"] != "this machine");
        own.map(|check| format!("{} {} {}", check["name"], check["state"], check["found"]))
            .collect::<Vec<_>>()
    };
    let found = checks(&["--dll", &captured.dll, text(&captured.file)]);
    assert!(found[0].starts_with("\"snapshot\" \"ok\" \"1 process, captured 20"), "{found:?}");
    assert!(
        found.last().unwrap().starts_with("\"queues\" \"ok\" \"2 communicators, 5 operations"),
        "{found:?}"
    );
    fs::write(&captured.file, &fs::read(&captured.file).unwrap()[..300]).unwrap();
    let found = checks(&[text(&captured.file)]);
    assert!(found[0].starts_with("\"snapshot\" \"missing\""), "{found:?}");

    let run = mqd::run(["layout", "verify", text(&captured.file)]);
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(
        run.stderr.contains("is a snapshot")
            && run.stderr.contains("verify the table on the process"),
        "{run:?}"
    );
}

/// A file from frames, as the documentation describes.
fn file_of(frames: &[Vec<u8>]) -> Vec<u8> {
    [&start(2, 0)[..], &frames.concat()].concat()
}

/// What `mqd` says of a hostile file, with a GiB of address space at most.
fn within_a_gigabyte(arguments: &str, file: &Path, bytes: &[u8]) -> mqd::Run {
    fs::write(file, bytes).unwrap();
    mqd::result(mqd::small_command().args(arguments.split(' ')).arg(file))
}

/// Files that promise more than they have take no more memory than the budget, and say so.
#[test]
fn small_files_take_little_memory() {
    const MOST: u32 = 1 << 24;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("bomb.mqd");
    let head = |total| frame(b"HEAD", [0, 0, total], &rmp_serde::to_vec_named(&head()).unwrap());

    let nothing = file_of(&[head(MOST)]);
    assert!(nothing.len() < 200, "{} bytes", nothing.len());
    let run = within_a_gigabyte("dump", &file, &nothing);
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(run.stderr.contains("process 0 to 16777215 of 16777216 is lost"), "{run:?}");

    // Empty processes, as many as a small file can have.
    let array = [&[0xdd][..], &MOST.to_be_bytes(), &vec![0x80; MOST as usize]].concat();
    let bomb = file_of(&[head(MOST), frame(b"PROC", [0, MOST, MOST], &array)]);
    assert!(bomb.len() < 10_000, "{} bytes", bomb.len());
    let run = within_a_gigabyte("dump", &file, &bomb);
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(run.stderr.contains("bytes that a snapshot of this size may take"), "{run:?}");

    // A process with all communicators a job can have, each with all ranks.
    let group: Vec<_> = [("local", 0), ("global", 0), ("count", i64::from(MOST))].into();
    let group: std::collections::BTreeMap<_, _> = group.into_iter().collect();
    let mut process = serde_json::to_value(entry(0)).unwrap();
    process["process"]["communicators"] = (0..200)
        .map(|id| {
            serde_json::json!({
                "unique_id": format!("{id:#x}"), "name": "", "size": MOST, "local_rank": 0,
                "group": [group], "pending_sends": [], "pending_receives": [],
                "unexpected_messages": [],
            })
        })
        .collect();
    let content = rmp_serde::to_vec_named(&[process]).unwrap();
    let wide = file_of(&[head(1), frame(b"PROC", [0, 1, 1], &content)]);
    assert!(wide.len() < 5_000, "{} bytes", wide.len());
    for arguments in ["dump", "dump --format json", "check", "graph --format dot"] {
        let run = within_a_gigabyte(arguments, &file, &wide);
        let known = [Some(0), Some(5), Some(11), Some(12)];
        assert!(known.contains(&run.code), "{arguments}: {run:?}");
    }
}

/// A process that says that it is there a million times, and operations that are not there.
#[test]
fn few_templates_take_little_memory() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("alike.mqd");
    let head = |total| frame(b"HEAD", [0, 0, total], &rmp_serde::to_vec_named(&head()).unwrap());
    let template = rmp_serde::to_vec_named(&entry(0)).unwrap();
    for (processes, count) in [(1 << 20, 0), (1, 1_u64 << 40)] {
        let content = rmp_serde::to_vec_named(&serde_json::json!({
            "templates": [template],
            "operations": [],
            "processes": vec![0; processes as usize],
            "count": count,
            "numbers": [],
        }));
        let frame = frame(b"LIKE", [0, processes, processes], &content.unwrap());
        let bomb = [&start(3, 0)[..], &head(processes), &frame].concat();
        assert!(bomb.len() < 5_000, "{} bytes", bomb.len());
        let run = within_a_gigabyte("dump", &file, &bomb);
        assert_eq!(run.code, Some(3), "{run:?}");
        assert!(run.stderr.contains("bytes that a snapshot of this size may take"), "{run:?}");
    }
}
