//! `cargo xtask faults`: a debugger in C drives our debug DLL, and everything goes wrong that can.

use std::ops::RangeInclusive;

use anyhow::{Result, ensure};
use testkit::c_host::{Amount, CHost};
use testkit::mpi::Mpi;
use testkit::prefix::Prefix;
use testkit::truth::Truth;
use testkit::workspace::{Profile, target};

/// Runs the campaigns on core files of random programs.
///
/// # Errors
///
/// When the DLL crashes, prints, hangs on to memory or shows something wrong.
pub(crate) fn run(names: &[String], seeds: &RangeInclusive<u64>, amount: Amount) -> Result<()> {
    let prefix = Prefix::lay_out(Profile::Dev, &target().join("test-prefix"))?;
    let host = CHost::new(&prefix.directory.join("lib/libmqd.so"))?;
    for name in names {
        let mpi = Mpi::named(name, &prefix)?;
        let coverage = mpi.coverage;
        let truth = Truth::new(&prefix, mpi)?;
        let (mut calls, mut damaged, mut orders) = (0, 0, 0);
        for seed in seeds.clone() {
            let job = truth.core_files(seed)?;
            let wrong = host.compare(coverage, &job)?;
            ensure!(wrong.is_empty(), "{name}, seed {seed}: {wrong:?}");
            let campaigns = host.campaigns(amount, &job.cores)?;
            calls += campaigns.failed.iter().map(|failed| 2 * failed.tried).sum::<u64>();
            damaged += campaigns.damaged[0];
            orders += campaigns.orders;
            println!(
                "{name}, seed {seed}: {calls} sessions with failing callbacks, {damaged} with \
                 damaged memory, {orders} orders so far"
            );
        }
    }
    Ok(())
}
