//! The machines that releases are for.

use std::path::Path;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use testkit::workspace::{self, root};

/// A machine with Linux and glibc.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Machine {
    /// Intel's and AMD's, 64 bits.
    #[value(name = "x86_64")]
    X86_64,
    /// ARM's, 64 bits.
    #[value(name = "aarch64")]
    Aarch64,
}

impl Machine {
    /// The one that this program runs on.
    ///
    /// # Errors
    ///
    /// When it is another one.
    pub(crate) fn here() -> Result<Machine> {
        match std::env::consts::ARCH {
            "x86_64" => Ok(Machine::X86_64),
            "aarch64" => Ok(Machine::Aarch64),
            other => bail!("releases are made on x86_64 and aarch64, not on {other}"),
        }
    }

    /// Its name for `uname -m`.
    pub(crate) fn arch(self) -> &'static str {
        match self {
            Machine::X86_64 => "x86_64",
            Machine::Aarch64 => "aarch64",
        }
    }

    /// Its name in Debian's packages.
    pub(crate) fn debian(self) -> &'static str {
        match self {
            Machine::X86_64 => "amd64",
            Machine::Aarch64 => "arm64",
        }
    }

    /// Its name for Rust's compiler.
    pub(crate) fn triple(self) -> &'static str {
        match self {
            Machine::X86_64 => "x86_64-unknown-linux-gnu",
            Machine::Aarch64 => "aarch64-unknown-linux-gnu",
        }
    }

    /// Has rustup add Rust's libraries for it, if they are missing.
    ///
    /// # Errors
    ///
    /// When there is no rustup, or it fails.
    pub(crate) fn ensure_libraries(self) -> Result<()> {
        let triple = self.triple();
        let mut rustc = workspace::command("rustc");
        rustc.current_dir(root()).args(["--print", "target-libdir", "--target", triple]);
        if Path::new(workspace::output(&mut rustc)?.trim()).is_dir() {
            return Ok(());
        }
        let mut rustup = workspace::command("rustup");
        workspace::run(rustup.current_dir(root()).args(["target", "add", triple]))
            .with_context(|| format!("Rust's libraries for {triple} are missing"))
    }

    /// What GNU tools for it are called: `x86_64-linux-gnu-strip`.
    pub(crate) fn gnu(self, tool: &str) -> String {
        format!("{}-linux-gnu-{tool}", self.arch())
    }

    /// The Debian packages with the GNU tools and the C compiler for it.
    pub(crate) fn packages(self) -> &'static [&'static str] {
        match self {
            Machine::X86_64 => &["binutils", "gcc", "libc6-dev"],
            Machine::Aarch64 => &["binutils-aarch64-linux-gnu", "gcc-aarch64-linux-gnu"],
        }
    }
}
