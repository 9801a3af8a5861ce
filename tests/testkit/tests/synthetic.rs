//! Synthetic jobs as what the agents of their nodes send.

use std::fs;
use std::path::{Path, PathBuf};

use mqd_host::snapshot::{self, Snapshots};
use mqd_report::{Process, Report, check};
use testkit::synthetic::{self, Deadlock, SyntheticJob};

fn job(ranks: i64, operations: i64, deadlock: Deadlock) -> SyntheticJob {
    SyntheticJob { ranks, operations, deadlock, cycle: 3 }
}

/// The files in a directory, in the order of their names.
fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("it was made").flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.sort();
    files
}

/// The processes of snapshots.
fn processes(files: &[PathBuf]) -> Vec<Process> {
    let opened = Snapshots::default().open_all(files).into_iter();
    let snapshots: Vec<_> = opened.map(|one| one.expect("it was written")).collect();
    let mut processes = Vec::new();
    snapshot::each(
        &snapshots,
        |_| true,
        |_, _, entry| {
            processes.extend(entry.map(|entry| entry.process));
        },
    );
    processes
}

/// What agents send is the same job as its snapshot: each rank once, in order, and one diagnosis.
#[test]
fn streams_of_nodes_are_the_job() {
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    for deadlock in [Deadlock::All, Deadlock::Some, Deadlock::None, Deadlock::InFlight] {
        let job = job(1000, 10, deadlock);
        let whole = directory.path().join(format!("{deadlock:?}.mqd"));
        synthetic::write(&job, &whole).expect("it can be written");
        let parts = directory.path().join(format!("{deadlock:?}"));
        synthetic::write_nodes(&job, 70, &parts).expect("they can be written");
        let parts = files(&parts);
        assert_eq!(parts.len(), 70);
        let whole = processes(&[whole]);
        let mut merged = processes(&parts);
        assert!(merged.iter().all(|process| process.host.is_some()));
        let diagnosis = check::check(&Report::new(merged.clone()));
        merged.iter_mut().for_each(|process| process.host = None);
        assert!(merged == whole, "{deadlock:?}");
        assert_eq!(diagnosis, check::check(&Report::new(whole)), "{deadlock:?}");
    }
}

/// At most 300 bytes for a rank of a node whose ranks are alike, and 64 for a further operation.
#[test]
fn streams_are_small() {
    const RANKS: i64 = 64;
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let bytes = |operations: i64| {
        let job = job(RANKS, operations, Deadlock::All);
        let name = directory.path().join(operations.to_string());
        synthetic::write_nodes(&job, 1, &name).expect("it can be written") as i64
    };
    let (few, many) = (bytes(10), bytes(1000));
    assert!(few <= 300 * RANKS, "{few} bytes for {RANKS} ranks");
    let each = (many - few) / (990 * RANKS);
    assert!(each <= 64, "{each} bytes for an operation");
}
