//! `cargo xtask mpi4py`: mpi4py's own test suite on the companion runtime.

use anyhow::Result;
use testkit::mpi4py::Suite;
use testkit::prefix::Prefix;
use testkit::workspace::{Profile, target};

/// Runs modules of the suite, or all of it, with each number of ranks.
///
/// # Errors
///
/// When a test fails, or mpi4py cannot be built.
pub(crate) fn run(ranks: &[usize], modules: &[String]) -> Result<()> {
    let prefix = Prefix::lay_out(Profile::Dev, &target().join("test-prefix"))?;
    let suite = Suite::new(&prefix)?;
    let modules: Vec<&str> = modules.iter().map(String::as_str).collect();
    for &ranks in ranks {
        println!("{ranks} ranks: {}", suite.run(ranks, &modules)?);
    }
    Ok(())
}
