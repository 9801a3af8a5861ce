//! The machines that releases are for.

use anyhow::{Result, bail};
use clap::ValueEnum;

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
