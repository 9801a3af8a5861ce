//! A debugger in C, written against `mpi_interface.h` alone, drives `libmqd.so` on core files of
//! random programs, and makes everything go wrong that can: `cargo xtask faults` does more of it.

use mqd_tests::{mpi, prefix};
use testkit::c_host::{Amount, CHost, Campaigns, Failed};
use testkit::mpi::Mpi;
use testkit::packages;
use testkit::truth::{CoreFiles, Truth};

/// A program with operations in all queues of all ranks.
const SEED: u64 = 4;

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
fn everything_goes_wrong(name: &str) -> (CHost, CoreFiles, Campaigns) {
    let (mpi, host) = (mpi(name), host());
    let job = job(&mpi);
    let wrong = host.compare(mpi.coverage, &job).expect("the host reads the core files");
    assert!(wrong.is_empty(), "{wrong:?}");
    let campaigns = host.campaigns(Amount::TEST, &job.cores).expect("the DLL survives it");
    assert_eq!(campaigns.orders, Amount::TEST.orders);
    let [damaged, noticed, changed] = campaigns.damaged;
    assert_eq!(damaged, Amount::TEST.damage);
    assert!(noticed > 0 && changed > 0, "{:?}", campaigns.damaged);
    assert!(job.cores.len() > 1);
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
    let (_, _, campaigns) = everything_goes_wrong("companion");
    // Its types come from debug information, and every answer is needed.
    for callback in ["mqs_find_type", "mqs_field_offset"] {
        let Failed { calls, tried, noticed, .. } = of(&campaigns, 0, callback);
        assert!(*calls > 5 && *noticed == 2 * *tried, "{campaigns:?}");
    }
}

#[test]
fn debian_open_mpi() {
    everything_goes_wrong("openmpi");
}

#[test]
fn memcheck_finds_nothing() {
    packages::ensure(&["valgrind"]);
    for name in ["companion", "openmpi"] {
        let (host, job) = (host(), job(&mpi(name)));
        host.under_valgrind(UNDER_VALGRIND, &job.cores[..2]).expect("memcheck finds no error");
    }
}
