//! The target `-`: standard input as a file.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::OnceLock;

use rustix::fs::{MemfdFlags, memfd_create};

/// The path of a copy of standard input in memory. Standard input is read once.
///
/// # Errors
/// It cannot be read.
pub(crate) fn path() -> io::Result<PathBuf> {
    static COPY: OnceLock<File> = OnceLock::new();
    let copy = match COPY.get() {
        Some(copy) => copy,
        None => {
            let mut copy = File::from(memfd_create("standard input", MemfdFlags::CLOEXEC)?);
            io::copy(&mut io::stdin().lock(), &mut copy)?;
            COPY.get_or_init(|| copy)
        }
    };
    Ok(format!("/proc/self/fd/{}", copy.as_raw_fd()).into())
}
