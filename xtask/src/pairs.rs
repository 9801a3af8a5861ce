//! `cargo xtask pairs`: two ranks make calls that do not fit together, in all combinations, and
//! what `mqd check` says of those that hang.

use std::num::NonZeroUsize;

use anyhow::{Result, ensure};
use testkit::mpi::Mpi;
use testkit::pairs::{self, PairOutcome, Pairs};
use testkit::prefix::Prefix;
use testkit::workspace::{Profile, target};

/// Runs every Nth combination with each MPI, and prints those whose verdict is not right.
///
/// # Errors
///
/// When an answer was false, or a program could not be run.
pub(crate) fn run(names: &[String], every: NonZeroUsize) -> Result<()> {
    let prefix = Prefix::lay_out(Profile::Dev, &target().join("test-prefix"))?;
    let mut all_wrong = 0;
    for name in names {
        let pairs = Pairs::new(&prefix, Mpi::named(name, &prefix)?)?;
        let (mut ended, mut right, mut undecided, mut wrong) = (0, 0, 0, 0);
        for pair in pairs::all().iter().step_by(every.get()) {
            match pairs.check(pair)? {
                PairOutcome::Ended => ended += 1,
                PairOutcome::Right => right += 1,
                PairOutcome::Undecided(said) => {
                    undecided += 1;
                    println!("{name}: {pair}: undecided: {said}");
                }
                PairOutcome::Wrong(said) => {
                    wrong += 1;
                    println!("{name}: {pair}: WRONG: {said}");
                }
            }
        }
        println!("{name}: {right} right, {undecided} undecided, {wrong} wrong; {ended} ended");
        all_wrong += wrong;
    }
    ensure!(all_wrong == 0, "{all_wrong} verdicts are wrong");
    Ok(())
}
