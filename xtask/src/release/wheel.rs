//! The wheel for PyPI: `pip install mqd` gives the command, the debug DLL and the commands for gdb
//! without root.

use std::fs;
use std::path::Path;

use anyhow::Result;
use testkit::prefix::Prefix;
use testkit::workspace::{self, root};

use super::machine::Machine;
use super::{VERSION, epoch, work};

/// What a wheel contains besides the command, where the tarball has it too.
const DATA: [&str; 2] = ["lib/libmqd.so", "share"];

/// Writes the wheel. `whole` has its files: the command is that of the tarball.
pub(super) fn write(machine: Machine, whole: &Prefix, to: &Path) -> Result<()> {
    let folder = work(machine, "wheel")?;
    let data = folder.join(format!("mqd-{VERSION}.data"));
    fs::create_dir_all(data.join("scripts"))?;
    fs::create_dir_all(data.join("data/lib"))?;
    fs::copy(whole.program("mqd"), data.join("scripts/mqd"))?;
    for path in DATA {
        let mut copy = workspace::command("cp");
        copy.arg("-aL").arg(whole.directory.join(path)).arg(data.join("data").join(path));
        workspace::output(&mut copy)?;
    }
    let arch = machine.arch();
    let tags = ["manylinux_2_17", "manylinux2014"].map(|system| format!("{system}_{arch}"));
    describe(&folder.join(format!("mqd-{VERSION}.dist-info")), &tags)?;
    let wheel = to.join(format!("mqd-{VERSION}-py3-none-{}.whl", tags.join(".")));
    let mut pack = workspace::command("python3");
    pack.arg(root().join("xtask/release/wheel.py")).arg(folder).arg(wheel).arg(epoch()?);
    workspace::output(&mut pack).map(drop)
}

/// What pip wants to know of the package.
fn describe(information: &Path, tags: &[String]) -> Result<()> {
    let licences = information.join("licenses");
    fs::create_dir_all(&licences)?;
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        fs::copy(root().join(licence), licences.join(licence))?;
    }
    let metadata = fs::read_to_string(root().join("xtask/release/METADATA"))?;
    let readme = fs::read_to_string(root().join("README.md"))?;
    fs::write(information.join("METADATA"), metadata.replace("@VERSION@", VERSION) + &readme)?;
    let mut wheel = "Wheel-Version: 1.0\nGenerator: mqd\nRoot-Is-Purelib: false\n".to_owned();
    for tag in tags {
        wheel += &format!("Tag: py3-none-{tag}\n");
    }
    fs::write(information.join("WHEEL"), wheel)?;
    Ok(())
}
