//! Core files of running processes.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::Result;

use crate::workspace;

/// Set for the tests when the kernel does not write core files to the working directory of a
/// process. The tests then leave out these core files, and `cargo xtask test` says so. If it is not
/// set, such tests fail.
pub const WITHOUT_KERNEL_CORES: &str = "MQD_TEST_WITHOUT_KERNEL_CORES";

/// Where the kernel writes core files, core(5).
pub fn kernel_pattern() -> String {
    let pattern = std::fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap_or_default();
    pattern.trim_end().to_owned()
}

/// Whether the kernel writes core files to the working directory of the process.
pub fn kernel_writes_them_here() -> bool {
    !kernel_pattern().starts_with(['|', '/'])
}

/// Writes a core file of a process into a directory with gdb's `gcore`. Returns its path.
///
/// # Errors
///
/// When `gcore` is missing or fails.
pub fn gcore(directory: &Path, pid: u64) -> Result<PathBuf> {
    let mut gcore = workspace::command("gcore");
    let name = directory.join("gcore");
    workspace::output(gcore.arg("-o").arg(name).arg(pid.to_string()).stdin(Stdio::null()))?;
    // gcore appends the process number.
    Ok(directory.join(format!("gcore.{pid}")))
}
