//! `cargo xtask compare-dll`: our debug DLL and Open MPI's own on the same process, as a table.

use anyhow::Result;
use testkit::mpi::Mpi;
use testkit::prefix::Prefix;
use testkit::side_by_side::{Outcome, SideBySide, side_by_side};
use testkit::workspace::{Profile, target};

/// Prints the table.
///
/// # Errors
///
/// When an Open MPI or its debug DLL is missing, or a job or `mqd` cannot be run.
pub(crate) fn run(mpis: &[String], operations: &[u32]) -> Result<()> {
    let prefix = Prefix::lay_out(Profile::Release, &target().join("dist"))?;
    mpis.iter().try_for_each(|name| compare(&prefix, &Mpi::named(name, &prefix)?, operations))
}

fn compare(prefix: &Prefix, mpi: &Mpi, operations: &[u32]) -> Result<()> {
    let work = tempfile::tempdir()?;
    let program = mpi.compile("many", work.path())?;
    println!("Rank 0 of a stopped job of {}. Theirs: {}\n", mpi.name, mpi.debug_dll()?.display());
    println!(
        "{:>9} {:>5}  {:6} {:>8} {:>8} {:>6} {:>12} {:>10} {:>9} {:>12} {:>9}",
        "expected",
        "comms",
        "DLL",
        "shown",
        "missing",
        "extra",
        "wrong fields",
        "fetches",
        "per shown",
        "bytes",
        "CPU"
    );
    for operations in operations {
        for communicators in [1, 10] {
            let SideBySide { ours, theirs } =
                side_by_side(prefix, mpi, &program, *operations, communicators)?;
            row("ours", communicators, &ours);
            row("theirs", communicators, &theirs);
            println!(
                "{:>9} {:>5}  theirs to ours: {:.1} times the processor time, {:.1} times the \
                 fetches\n",
                "",
                "",
                theirs.cpu_seconds / ours.cpu_seconds,
                theirs.fetches as f64 / ours.fetches as f64
            );
        }
    }
    Ok(())
}

fn row(name: &str, communicators: u32, outcome: &Outcome) {
    let Outcome { shown, tally, fetches, bytes, cpu_seconds, error } = outcome;
    let per_shown = match shown {
        0 => "-".to_owned(),
        shown => format!("{:.3}", *fetches as f64 / *shown as f64),
    };
    println!(
        "{:>9} {communicators:>5}  {name:6} {shown:>8} {:>8} {:>6} {:>12} {fetches:>10} \
         {per_shown:>9} {bytes:>12} {:>6.0} ms",
        tally.expected,
        tally.missing,
        tally.extra,
        tally.wrong_fields,
        cpu_seconds * 1000.0
    );
    if let Some(error) = error {
        println!("{:>16} {name} says: {error}", "");
    }
}
