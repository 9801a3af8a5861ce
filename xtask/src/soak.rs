//! `cargo xtask soak`: running jobs are read, `mqd` is killed while it reads, and processes of jobs
//! are killed. No message is lost or changed.

use anyhow::{Context, Result};
use testkit::mpi::Mpi;
use testkit::prefix::Prefix;
use testkit::soak::{self, Counted, Plan};
use testkit::workspace::{Profile, target};

/// Disturbs a job of each MPI, then kills processes of the companion runtime.
///
/// # Errors
///
/// When a job was harmed, or something is left of it.
pub(crate) fn run(names: &[String], plan: Plan, deaths: usize) -> Result<()> {
    let prefix = Prefix::lay_out(Profile::Dev, &target().join("soak-prefix"))?;
    for name in names {
        let mpi = Mpi::named(name, &prefix)?;
        let Counted { messages, time } =
            soak::disturb(&prefix, &mpi, plan).with_context(|| name.clone())?;
        println!(
            "{name}: read {} times, mqd killed {} times, {messages} messages checked in {:.0} s, \
             none lost or changed",
            plan.reads,
            plan.kills,
            time.as_secs_f64()
        );
    }
    if deaths > 0 {
        soak::kill_processes(&Mpi::companion(&prefix), deaths)?;
        println!("companion: {deaths} ranks and launchers killed, nothing left of their jobs");
    }
    Ok(())
}
