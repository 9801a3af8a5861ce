//! The wheel for PyPI: `pip install mqd` gives the command, the debug DLL and the commands for gdb
//! without root.

use std::fs;
use std::path::Path;

use anyhow::Result;
use testkit::prefix::Prefix;
use testkit::workspace::{self, root, target};

use super::build::{self, Built};
use super::machine::Machine;
use super::tools::Tools;

/// What a wheel contains besides the command, which maturin adds itself.
const DATA: [&str; 2] = ["lib/libmqd.so", "share"];

/// Writes the wheel. `whole` has its files.
pub(super) fn write(
    tools: &Tools,
    machine: Machine,
    built: &Built,
    whole: &Prefix,
    to: &Path,
) -> Result<()> {
    // The place that pyproject.toml names.
    let data = target().join("release-work/wheel-data/data");
    if data.exists() {
        fs::remove_dir_all(&data)?;
    }
    fs::create_dir_all(data.join("lib"))?;
    for path in DATA {
        let mut copy = workspace::command("cp");
        copy.arg("-aL").arg(whole.directory.join(path)).arg(data.join(path));
        workspace::output(&mut copy)?;
    }
    let mut maturin = tools.command("maturin")?;
    maturin.args(["build", "--quiet", "--locked", "--zig", "--strip", "--profile", "portable"]);
    maturin.args(["--compatibility", "manylinux2014", "--target", machine.triple()]);
    maturin.arg("--manifest-path").arg(root().join("mqd-host-harness/cli/Cargo.toml"));
    maturin.arg("--out").arg(std::path::absolute(to)?).env("MQD_LIBMQD", built.libmqd());
    build::reproducible(&mut maturin)?;
    workspace::run(&mut maturin)
}
