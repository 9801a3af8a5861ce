//! The tools that Debian does not have: zig as the linker, and the writer of the bill of materials.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use testkit::workspace::{self, target};

/// Packages of PyPI, pinned: another version may give other bytes.
const PYPI: [&str; 2] = ["ziglang==0.17.1", "cargo-zigbuild==0.24.0"];

/// Writes the bill of materials; from crates.io.
const CYCLONEDX: [&str; 2] = ["cargo-cyclonedx", "0.5.7"];

/// The tools, in an environment of their own.
pub(super) struct Tools {
    bin: PathBuf,
}

impl Tools {
    /// Installs what is missing.
    pub(super) fn ensure() -> Result<Tools> {
        let directory = target().join("release-tools");
        let bin = directory.join("bin");
        if !bin.join("pip").exists() {
            let mut venv = workspace::command("python3");
            workspace::output(venv.args(["-m", "venv"]).arg(&directory))
                .context("releases take python3-venv (Debian: apt-get install python3-venv)")?;
        }
        let mut pip = workspace::command(bin.join("pip"));
        workspace::output(pip.args(["install", "--quiet"]).args(PYPI))
            .context("zig comes from PyPI")?;
        if !bin.join(CYCLONEDX[0]).exists() {
            let mut install = workspace::cargo(&["install", "--quiet", "--locked", "--root"]);
            install.arg(&directory).args([CYCLONEDX[0], "--version", CYCLONEDX[1]]);
            workspace::run(&mut install).context("the bill of materials takes cargo-cyclonedx")?;
        }
        Ok(Tools { bin: std::path::absolute(bin)? })
    }

    /// One of the tools, which finds the others.
    pub(super) fn command(&self, name: &str) -> Result<Command> {
        let mut command = workspace::command(self.bin.join(name));
        command.current_dir(workspace::root()).env("PATH", self.path()?);
        // zig builds parts of its libraries and keeps them. Their debug information names the
        // current directory as `PWD` does, and zig's files relative to that: so both are the same
        // in every checkout.
        command.env("PWD", "/proc/self/cwd");
        command.env("ZIG_GLOBAL_CACHE_DIR", std::path::absolute(target().join("zig-cache"))?);
        Ok(command)
    }

    fn path(&self) -> Result<OsString> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let places = std::iter::once(self.bin.clone()).chain(std::env::split_paths(&path));
        std::env::join_paths(places).context("PATH")
    }
}
