//! Small programs that hang, as people write them, and some that are only slow (`fixtures/hangs/`):
//! `mqd check` gives no false answer, and the right one for most of those that hang. `cargo xtask
//! hangs` runs all of them.

use mqd_tests::{mpi, prefix};
use testkit::hangs::{self, Hangs, ProgramOutcome};
use testkit::truth::ReadFrom;

/// One of this many programs of the corpus is run.
const EVERY: usize = 8;

/// Runs a part of the corpus.
fn check(name: &str, first: usize, from: ReadFrom) {
    let mpi = mpi(name);
    let floor = mpi.hangs;
    let programs = hangs::corpus().expect("each program tells its truth");
    let programs: Vec<_> = programs.into_iter().skip(first).step_by(EVERY).collect();
    let hangs = Hangs::new(prefix(), mpi).expect("there is room for temporary files");
    let rows = hangs.check_all(&programs, 2, from, |row| {
        for (what, outcome) in [("live", Some(&row.live)), ("core files", row.cores.as_ref())] {
            if let Some(ProgramOutcome::Undecided(said) | ProgramOutcome::Wrong(said)) = outcome {
                println!("{name}, {}, {what}: {said}", row.program.name);
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

#[test]
fn debian_open_mpi() {
    check("openmpi", 1, ReadFrom::Live);
}

#[test]
fn debian_mpich() {
    check("mpich", 2, ReadFrom::Live);
}

/// The truth of each program is well-formed, and the corpus is large enough to mean something.
#[test]
fn the_corpus() {
    let programs = hangs::corpus().expect("each program tells its truth");
    let count = |truth| programs.iter().filter(|program| program.truth == truth).count();
    assert!(count(hangs::Fate::Deadlocked) >= 60, "programs that hang");
    assert!(count(hangs::Fate::NotDeadlocked) >= 30, "programs that are slow");
}
