//! Programs of another machine, which the kernel starts with qemu.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use testkit::packages;
use testkit::workspace;

use super::machine::Machine;

/// Has the kernel start programs of a machine with qemu, for the whole system, while this value
/// lives. If the system does so anyway, nothing is changed.
pub(super) struct Emulator {
    /// Where the kernel's table of interpreters is mounted.
    table: tempfile::TempDir,
    /// The entry that was made.
    made: Option<PathBuf>,
}

impl Emulator {
    /// Needs root.
    ///
    /// # Errors
    ///
    /// When qemu cannot be installed, or the kernel has no such table, or its entry for the machine
    /// serves outside of changed roots only.
    pub(super) fn of(machine: Machine) -> Result<Emulator> {
        packages::ensure(&["qemu-user-static"]);
        let name = format!("qemu-{}", machine.arch());
        let table = tempfile::tempdir()?;
        let mut mount = workspace::command("mount");
        mount.args(["-t", "binfmt_misc", "binfmt_misc"]).arg(table.path());
        workspace::output(&mut mount).context("the kernel has no table of interpreters")?;
        let mut emulator = Emulator { table, made: None };
        let entry = emulator.table.path().join(&name);
        if !entry.exists() {
            let described = format!("/usr/lib/binfmt.d/{name}.conf");
            let described = fs::read_to_string(&described)
                .with_context(|| format!("qemu-user-static has no {described}"))?;
            fs::write(emulator.table.path().join("register"), described.trim_end())
                .with_context(|| format!("cannot register {name} with the kernel"))?;
            emulator.made = Some(entry.clone());
        }
        let flags = fs::read_to_string(&entry)?;
        ensure!(
            flags.lines().any(|line| line.starts_with("flags:") && line.contains('F')),
            "the entry {name} of /proc/sys/fs/binfmt_misc lacks the flag F: remove it and try again"
        );
        Ok(emulator)
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        // In this order: the entry belongs to the kernel, and outlives the mount.
        if let Some(entry) = &self.made {
            let _ = fs::write(entry, "-1");
        }
        let _ = workspace::output(workspace::command("umount").arg(self.table.path()));
    }
}
