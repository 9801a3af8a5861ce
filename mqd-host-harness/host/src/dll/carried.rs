//! Our own debug DLL inside the program: one file on a node is enough.
//!
//! The program hands over the bytes of `libmqd.so` when it starts. The dynamic linker needs a file,
//! so they are written to an unnamed file in memory.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::OnceLock;

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};

static BYTES: OnceLock<&'static [u8]> = OnceLock::new();

/// Says that the program has a debug DLL in it. Only the first call has an effect.
pub fn carry(bytes: &'static [u8]) {
    let _ = BYTES.set(bytes);
}

/// The bytes of the debug DLL that the program has in it.
pub fn carried() -> Option<&'static [u8]> {
    BYTES.get().copied()
}

/// The path that stands for the debug DLL in the program: that of the program itself. The file may
/// have been removed, as it is for an agent that was sent.
pub(super) fn path() -> Option<PathBuf> {
    carried()?;
    let program = std::env::current_exe().ok()?;
    Some(program.canonicalize().unwrap_or(program))
}

/// The debug DLL in the program as a file to load; nobody can change it any more.
pub(super) fn file() -> Option<io::Result<File>> {
    carried().map(|bytes| {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let mut file = File::from(memfd_create("libmqd.so", flags)?);
        file.write_all(bytes)?;
        let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
        fcntl_add_seals(&file, seals)?;
        Ok(file)
    })
}
