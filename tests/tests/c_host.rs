//! A debugger in C, written against `mpi_interface.h` alone, drives `libmqd.so` on core files of
//! random programs, and makes everything go wrong that can: `cargo xtask faults` does more of it.

use mqd_tests::{mpi, prefix};
use testkit::c_host::{Amount, CHost, Campaigns, Failed};
use testkit::mpi::Mpi;
use testkit::packages;
use testkit::recorded::CoreFiles;
use testkit::truth::Truth;

/// A program with operations in all queues of all ranks.
const SEED: u64 = 4;

/// A session with MPICH takes hundreds of reads.
const SEARCHED: Amount = Amount { calls: 10, damage: 100, orders: 4 };

/// A session with libfabric takes few reads: each of them fails.
const EVERY_CALL: Amount = Amount { calls: 0, ..SEARCHED };

/// Memcheck takes fifty times as long.
const UNDER_VALGRIND: Amount = Amount { calls: 2, damage: 10, orders: 1 };

fn host() -> CHost {
    CHost::new(&prefix().directory.join("lib/libmqd.so")).expect("the host compiles")
}

fn job(mpi: &Mpi) -> CoreFiles {
    let truth = Truth::new(prefix(), mpi.clone()).expect("the program compiles without warnings");
    truth.core_files(SEED).expect("its core files can be written")
}

/// What the host shows is what the ranks recorded; then everything goes wrong.
fn everything_goes_wrong(name: &str, amount: Amount) -> (CHost, CoreFiles, Campaigns) {
    let (mpi, host) = (mpi(name), host());
    let job = job(&mpi);
    let wrong = host.compare(mpi.coverage, &job).expect("the host reads the core files");
    assert!(wrong.is_empty(), "{wrong:?}");
    let campaigns = host.campaigns(amount, &job.cores).expect("the DLL survives it");
    assert_eq!(campaigns.orders, amount.orders);
    let [damaged, noticed, changed] = campaigns.damaged;
    assert_eq!(damaged, amount.damage);
    assert!(noticed > 0 && noticed + changed <= damaged, "{:?}", campaigns.damaged);
    assert!(job.cores.len() > 1);
    (host, job, campaigns)
}

/// The same, with a library whose data are all needed.
fn everything_is_needed(name: &str) -> (CHost, CoreFiles, Campaigns) {
    let (host, job, campaigns) = everything_goes_wrong(name, Amount::TEST);
    // Some damage is in numbers and texts that are shown as they are.
    let [_, _, changed] = campaigns.damaged;
    assert!(changed > 0, "{:?}", campaigns.damaged);
    for process in 0..job.cores.len() {
        // Without memory or data there is an error, always.
        for callback in ["mqs_malloc", "mqs_fetch_data"] {
            let Failed { calls, tried, noticed, .. } = of(&campaigns, process, callback);
            assert!(*calls > 5 && *tried == Amount::TEST.calls.min(*calls), "{campaigns:?}");
            assert!(*noticed >= *tried, "{campaigns:?}");
        }
    }
    (host, job, campaigns)
}

fn of<'a>(campaigns: &'a Campaigns, process: usize, callback: &str) -> &'a Failed {
    let is_it = |failed: &&Failed| failed.process == process && failed.callback == callback;
    campaigns.failed.iter().find(is_it).expect("the callback is among them")
}

#[test]
fn companion() {
    let (_, _, campaigns) = everything_is_needed("companion");
    // Its types come from debug information, and every answer is needed.
    for callback in ["mqs_find_type", "mqs_field_offset"] {
        let Failed { calls, tried, noticed, .. } = of(&campaigns, 0, callback);
        assert!(*calls > 5 && *noticed == 2 * *tried, "{campaigns:?}");
    }
}

#[test]
fn debian_open_mpi() {
    everything_is_needed("openmpi");
}

/// Memory is searched. A read that fails there may be of an address of nothing.
fn everything_is_searched(name: &str, amount: Amount) {
    let (_, job, campaigns) = everything_goes_wrong(name, amount);
    for process in 0..job.cores.len() {
        let Failed { calls, tried, noticed, .. } = of(&campaigns, process, "mqs_malloc");
        assert!(*calls > 5 && *noticed >= *tried, "{campaigns:?}");
        let Failed { calls, noticed, .. } = of(&campaigns, process, "mqs_fetch_data");
        assert!(*calls > 5 && *noticed > 0, "{campaigns:?}");
    }
}

#[test]
fn debian_mpich() {
    everything_is_searched("mpich", SEARCHED);
}

#[test]
fn mpich_of_pypi() {
    everything_is_searched("mpich-5.0.2", SEARCHED);
}

#[test]
fn intel_mpi() {
    everything_is_searched("intel-2021.19.0", SEARCHED);
}

/// The addresses of the processes are read, too. If one is missing, so are receives.
#[test]
fn open_mpi_over_libfabric() {
    everything_is_searched("openmpi-ofi", EVERY_CALL);
}

#[test]
fn memcheck_finds_nothing() {
    packages::ensure(&["valgrind"]);
    for name in ["companion", "openmpi"] {
        let (host, job) = (host(), job(&mpi(name)));
        host.under_valgrind(UNDER_VALGRIND, &job.cores[..2]).expect("memcheck finds no error");
    }
}
