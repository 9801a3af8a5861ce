//! `mqd check` on programs of which it is known who is stuck (`fixtures/verdict.c`): nobody else is ever called so. `cargo xtask verdict` runs any seeds.

use mqd_tests::{mpi, prefix};
use xtask::truth::From;
use xtask::verdict::{Found, Verdicts};

/// Runs seeds; those that are undecided.
fn check(name: &str, seeds: std::ops::RangeInclusive<u64>) -> Vec<u64> {
    let verdicts = Verdicts::new(prefix(), mpi(name)).expect("the program compiles without warnings");
    let mut undecided = Vec::new();
    for seed in seeds {
        let from = if seed % 8 < 2 { From::LiveAndCores } else { From::Live };
        match verdicts.check(seed, from) {
            Ok(Found::Right) => {}
            Ok(Found::Undecided) => undecided.push(seed),
            Err(error) => panic!("{name}, seed {seed}: {error:#}"),
        }
    }
    undecided
}

#[test]
fn companion() {
    assert_eq!(check("companion", 1..=32), Vec::<u64>::new());
}

#[test]
fn debian_open_mpi() {
    check("openmpi", 1..=10);
}
