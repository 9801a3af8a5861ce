//! `cargo xtask test`: everything that must pass.

use anyhow::Result;

use crate::packages;
use crate::workspace::{self, cargo};

/// What the tests use besides Rust.
const PACKAGES: [&str; 8] = [
    "gcc",            // compiles the scenarios
    "libc6-dev",      //
    "binutils",       // objcopy for the static library; readelf as an independent reader
    "gdb",            // a debugger other than ours; gcore
    "openmpi-bin",    // real MPI libraries
    "libopenmpi-dev", //
    "mpich",
    "libmpich-dev",
];

/// Installs what is missing, checks format and lints, builds, and runs every test.
///
/// # Errors
///
/// The first step that fails.
pub fn run() -> Result<()> {
    packages::ensure(&PACKAGES);
    for step in [
        &["fmt", "--all", "--check"][..],
        &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"],
        &["build", "--workspace", "--quiet"],
        &["test", "--workspace", "--no-fail-fast"],
    ] {
        println!("== cargo {}", step.join(" "));
        workspace::run(&mut cargo(step))?;
    }
    println!("== All tests passed.");
    Ok(())
}
