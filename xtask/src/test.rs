//! `cargo xtask test`: everything that must pass.

use anyhow::Result;
use nix::sys::signal::{SigHandler, Signal, signal};
use testkit::workspace::{self, Profile, cargo};
use testkit::{cluster, cores, packages};

use crate::fuzz::{self, Plan};
use crate::house;

/// What the tests use besides Rust.
const PACKAGES: [&str; 27] = [
    "gcc",            // compiles the scenarios
    "g++",            // reads the interface's header as C++
    "libc6-dev",      //
    "binutils",       // nm and readelf as independent readers
    "debuginfod",     // serves debug files to the test
    "dwz",            // shares debug information between files
    "util-linux",     // unshare: processes in other mount namespaces
    "gdb",            // a debugger other than ours; gcore
    "gdbserver",      // its remote targets
    "valgrind",       // watches a debugger in C with our DLL
    "openmpi-bin",    // real MPI libraries
    "libopenmpi-dev", //
    "chromium",       // looks at the HTML report
    "graphviz",       // reads the dot files
    "python3-venv",   // more releases of Open MPI, from PyPI
    "mpich",
    "libmpich-dev",
    "cmake",                 // finds MPI for C and C++
    "python3-dev",           // mpi4py is compiled
    "libclang-dev",          // the crate mpi reads a header
    "gcc-aarch64-linux-gnu", // other machines, word sizes and byte orders
    "libc6-dev-arm64-cross",
    "gcc-i686-linux-gnu",
    "libc6-dev-i386-cross",
    "gcc-s390x-linux-gnu",
    "libc6-dev-s390x-cross",
    "qemu-user-static",
];

/// The arguments of `cargo`, in this order.
const STEPS: [&[&str]; 5] = [
    &["fmt", "--all", "--check"],
    &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"],
    &["doc", "--workspace", "--no-deps", "--quiet"],
    &["build", "--workspace", "--quiet"],
    &["test", "--workspace", "--no-fail-fast"],
];

/// Installs what is missing, checks format, lints, documentation, dependencies and the project's
/// own rules, builds, runs every test, and feeds damaged inputs to each reader for a minute.
///
/// # Errors
///
/// When a step fails. No further steps are run.
pub(crate) fn run() -> Result<()> {
    hear_signals()?;
    packages::ensure(&PACKAGES);
    house::check(false)?;
    let dependencies = check_dependencies()?;
    let kernel_cores = cores::kernel_writes_them_here();
    let no_cluster = cluster::impossible();
    let fuzz = Plan { minutes: 1.0, targets: Vec::new(), seed: 1, profile: Profile::Dev };
    for step in STEPS {
        println!("== cargo {}", step.join(" "));
        let mut command = cargo(step);
        command.env("RUSTDOCFLAGS", "-D warnings");
        if !kernel_cores {
            command.env(cores::WITHOUT_KERNEL_CORES, "1");
        }
        if no_cluster.is_some() {
            command.env(cluster::WITHOUT_CLUSTER, "1");
        }
        workspace::run(&mut command)?;
    }
    println!("== cargo xtask fuzz --minutes {} --checked", fuzz.minutes);
    fuzz::run(&fuzz)?;
    println!("== All tests passed.");
    if let Some(what) = dependencies {
        println!("Not tested: {what}");
    }
    if let Some(why) = no_cluster {
        println!("Not tested: jobs on several hosts, by ssh and Slurm: {why}");
    }
    if !kernel_cores {
        println!(
            "Not tested: core files written by the kernel. It gives them to {:?}; for the tests, \
             as root: echo core >/proc/sys/kernel/core_pattern",
            cores::kernel_pattern()
        );
    }
    Ok(())
}

/// Checks the dependencies by deny.toml, if cargo-deny is there, and returns what was not checked.
/// cargo-deny is not installed here, because building it takes too long. Advisories come from the
/// network.
fn check_dependencies() -> Result<Option<&'static str>> {
    if !packages::exists("cargo-deny") {
        return Ok(Some(
            "licences, sources and advisories of the dependencies. Install cargo-deny: \
             cargo install --locked cargo-deny",
        ));
    }
    let deny = |arguments: &[&str]| {
        println!("== cargo deny {}", arguments.join(" "));
        cargo(&[&["deny"], arguments].concat())
    };
    workspace::run(&mut deny(&["check", "bans", "licenses", "sources"]))?;
    if workspace::run(&mut deny(&["fetch", "db"])).is_err() {
        return Ok(Some("advisories of the dependencies: the RustSec database cannot be fetched"));
    }
    workspace::run(&mut deny(&["check", "advisories"]))?;
    Ok(None)
}

/// Processes that a shell starts in the background ignore the signals of the keyboard, and so do
/// their children. Tests of signals would wait for ever, so this restores the default.
fn hear_signals() -> Result<()> {
    for number in [Signal::SIGINT, Signal::SIGQUIT, Signal::SIGHUP] {
        // SAFETY: the default action involves no handler of ours.
        unsafe { signal(number, SigHandler::SigDfl) }?;
    }
    Ok(())
}
