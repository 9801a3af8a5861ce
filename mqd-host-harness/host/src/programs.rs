//! Programs of this machine.

use std::path::PathBuf;

/// The file that a shell would run for a command: the first one of this name in `PATH`.
pub fn in_path(command: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut files = std::env::split_paths(&path).map(|place| place.join(command));
    files.find(|file| file.is_file())
}
