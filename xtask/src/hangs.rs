//! `cargo xtask hangs`: a table of the programs of `fixtures/hangs/` and what `mqd check` says.

use std::num::NonZeroUsize;

use anyhow::{Result, ensure};
use testkit::hangs::{self, Fate, Hangs, Program, ProgramOutcome, Row};
use testkit::mpi::Mpi;
use testkit::prefix::Prefix;
use testkit::recorded::ReadFrom;
use testkit::workspace::{Profile, target};

/// Which programs to run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Selection<'a> {
    /// Those whose names contain this, or one of these, separated by commas.
    pub(crate) only: &'a str,
    /// Every Nth of these, in the order of their names.
    pub(crate) every: NonZeroUsize,
}

/// Runs the selected programs, and prints a row for each and each MPI.
///
/// # Errors
///
/// When an answer was false, a program could not be run, or too many stayed undecided.
pub(crate) fn run(
    names: &[String],
    Selection { only, every }: Selection<'_>,
    from: ReadFrom,
    at_once: usize,
) -> Result<()> {
    let prefix = Prefix::lay_out(Profile::Dev, &target().join("test-prefix"))?;
    let mut programs = hangs::corpus()?;
    programs.retain(|program| only.split(',').any(|part| program.name.contains(part)));
    let programs: Vec<Program> = programs.into_iter().step_by(every.get()).collect();
    let mut below = Vec::new();
    for name in names {
        let mpi = Mpi::named(name, &prefix)?;
        let floor = if only.is_empty() { mpi.hangs } else { 0 };
        let rows = Hangs::new(&prefix, mpi)?.check_all(&programs, at_once, from, |row| {
            println!("{name:10} {}", line(row));
        });
        for truth in [Fate::Deadlocked, Fate::Polling, Fate::NotDeadlocked] {
            let ran = |row: &&Row| row.program.truth == truth && !row.has_ended();
            let of_it = || rows.iter().filter(ran);
            let (all, right) = (of_it().count(), of_it().filter(|row| row.is_right()).count());
            let wrong = of_it().filter(|row| row.is_wrong()).count();
            println!("{name}: {truth:?}: {right} of {all} right, {wrong} wrong");
        }
        let ended = rows.iter().filter(|row| row.has_ended()).count();
        println!("{name}: {ended} of {} ended by themselves", rows.len());
        let lines: Vec<bool> = rows.iter().filter_map(|row| row.names_line).collect();
        let named = lines.iter().filter(|named| **named).count();
        println!("{name}: {named} of {} name the line that is to blame", lines.len());
        below.extend(hangs::require(&rows, floor).err().map(|below| format!("{name}: {below}")));
    }
    ensure!(below.is_empty(), "{}", below.join("\n"));
    Ok(())
}

fn line(row: &Row) -> String {
    let told = |outcome: &ProgramOutcome| match outcome {
        ProgramOutcome::Right => "right".to_owned(),
        ProgramOutcome::Undecided(said) => format!("undecided: {said}"),
        ProgramOutcome::Ended(said) => format!("ended by itself: {said}"),
        ProgramOutcome::Wrong(said) => format!("WRONG: {said}"),
    };
    let line = match (row.names_line, row.program.line) {
        (Some(false), Some(line)) => format!(" (line {line} is not named)"),
        _ => String::new(),
    };
    let cores = row.cores.as_ref().map(|cores| format!(", core files {}", told(cores)));
    format!("{:28} {}{line}{}", row.program.name, told(&row.live), cores.unwrap_or_default())
}
