//! `cargo xtask truth`, `scenarios` and `verdict`: random programs and scenarios, with any MPI.

use std::ops::RangeInclusive;

use anyhow::{Context, Result, ensure};
use testkit::mpi::Mpi;
use testkit::prefix::Prefix;
use testkit::recorded::{Mismatches, ReadFrom};
use testkit::scenarios::SCENARIOS;
use testkit::truth::{Failures, Truth, ranks};
use testkit::verdict::Verdicts;
use testkit::workspace::{Profile, target};

/// Lines of a seed's mismatches that are printed.
const SHOWN: usize = 12;

/// Reads seeds on the command line: `7` or `1..50`, both ends included.
///
/// # Errors
///
/// When the text is neither.
pub(crate) fn parse(text: &str) -> Result<RangeInclusive<u64>> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let number = |text: &str| text.parse().with_context(|| format!("{text:?} is not a number"));
    let seeds = number(first)?..=number(last)?;
    ensure!(!seeds.is_empty(), "no seeds in {text:?}");
    Ok(seeds)
}

/// Compares what `mqd` shows with what ranks recorded, and prints what is wrong.
///
/// # Errors
///
/// When a seed failed, or an MPI is missing.
pub(crate) fn truth(
    seeds: &RangeInclusive<u64>,
    names: &[String],
    from: ReadFrom,
    at_once: usize,
) -> Result<()> {
    let prefix = Prefix::lay_out(Profile::Release, &target().join("dist"))?;
    let mut failed = 0;
    for name in names {
        let truth = Truth::new(&prefix, Mpi::named(name, &prefix)?)?;
        failed += truth_with(&truth, name, seeds, from, at_once);
    }
    ensure!(failed == 0, "{failed} seeds failed");
    Ok(())
}

/// Returns how many seeds failed.
fn truth_with(
    truth: &Truth,
    name: &str,
    seeds: &RangeInclusive<u64>,
    from: ReadFrom,
    at_once: usize,
) -> usize {
    let summary = truth.check_all(
        seeds,
        at_once,
        |_| from,
        |seed, result| {
            print_result(&format!("{name}, seed {seed}, {} ranks", ranks(seed)), result);
        },
    );
    let Failures { mismatching, broken } = summary;
    println!(
        "{name}: {} seeds, {} with mismatches {mismatching:?}, {} that could not be compared \
         {broken:?}",
        seeds.end() - seeds.start() + 1,
        mismatching.len(),
        broken.len()
    );
    mismatching.len() + broken.len()
}

fn print_result(subject: &str, result: &Result<Mismatches>) {
    match result {
        Ok(wrong) => {
            let lines = wrong.lines();
            println!("{subject}: {} mismatches", lines.len());
            lines.iter().take(SHOWN).for_each(|line| println!("    {line}"));
        }
        Err(error) => println!("{subject}: {error:#}"),
    }
}

/// Compares what `mqd` shows of the scenarios with what their ranks recorded, and prints it.
///
/// # Errors
///
/// When one failed, or an MPI is missing.
pub(crate) fn scenarios(names: &[String], only: &str, from: ReadFrom) -> Result<()> {
    let prefix = Prefix::lay_out(Profile::Dev, &target().join("test-prefix"))?;
    let mut failed = 0;
    for name in names {
        let mpi = Mpi::named(name, &prefix)?;
        for scenario in SCENARIOS.iter().filter(|scenario| scenario.name.contains(only)) {
            if !scenario.fits(&mpi) {
                println!(
                    "{name}, {}: not compared, as the library does not keep it",
                    scenario.name
                );
                continue;
            }
            let result = scenario.check(&prefix, mpi.clone(), from);
            failed += usize::from(!result.as_ref().is_ok_and(Mismatches::is_empty));
            print_result(&format!("{name}, {}", scenario.name), &result);
        }
    }
    ensure!(failed == 0, "{failed} scenarios failed");
    Ok(())
}

/// Compares what `mqd check` says with the ranks that are stuck, and prints what is wrong.
///
/// # Errors
///
/// When an answer was false, a seed could not be run, or too many stayed undecided.
pub(crate) fn verdict(
    seeds: &RangeInclusive<u64>,
    names: &[String],
    from: ReadFrom,
    looks: u32,
) -> Result<()> {
    let prefix = Prefix::lay_out(Profile::Dev, &target().join("test-prefix"))?;
    let mut below = Vec::new();
    for name in names {
        let mpi = Mpi::named(name, &prefix)?;
        let floor = mpi.decided;
        let verdicts = Verdicts::new(&prefix, mpi)?.looking(looks);
        let score = verdicts.check_all(
            seeds,
            |_| from,
            |seed, found| match found {
                Err(error) => println!("{name}, seed {seed}: {error:#}"),
                Ok(found) => {
                    println!("{name}, seed {seed}: {found:?}, {} looks", verdicts.looks());
                }
            },
        );
        println!(
            "{name}: {} right, undecided {:?}, failed {:?}; {} live looks",
            score.right.len(),
            score.undecided,
            score.failed,
            verdicts.looks()
        );
        below.extend(score.require(floor).err().map(|below| format!("{name}: {below}")));
    }
    ensure!(below.is_empty(), "{}", below.join("\n"));
    Ok(())
}
