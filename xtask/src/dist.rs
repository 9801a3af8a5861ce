//! `cargo xtask dist`: a release build as an installed prefix.

use std::path::Path;

use anyhow::Result;
use testkit::prefix::Prefix;
use testkit::workspace::{Profile, shown};

/// Lays out a release build and says so.
///
/// # Errors
///
/// When building fails, or the directory cannot be written.
pub(crate) fn run(prefix: &Path) -> Result<()> {
    let prefix = Prefix::lay_out(Profile::Release, prefix)?;
    let bin = prefix.directory.join("bin");
    println!("Installed in {}. To use it: PATH={}:$PATH", shown(&prefix.directory), bin.display());
    Ok(())
}
