//! Our own debug DLL inside the program: one file on a node is enough.
//!
//! The program hands over `libmqd.so`, compressed, when it starts. The dynamic linker needs a file,
//! so its bytes are written to an unnamed file in memory.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::OnceLock;

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};

static COMPRESSED: OnceLock<&'static [u8]> = OnceLock::new();
static BYTES: OnceLock<Option<Vec<u8>>> = OnceLock::new();

/// Says that the program has a debug DLL in it: the file, compressed by Zstandard. Only the first
/// call has an effect.
pub fn carry(compressed: &'static [u8]) {
    let _ = COMPRESSED.set(compressed);
}

/// The bytes of the debug DLL that the program has in it. `None`: it has none, or what was handed
/// over is not what Zstandard has compressed.
pub fn carried() -> Option<&'static [u8]> {
    let compressed = COMPRESSED.get()?;
    BYTES.get_or_init(|| zstd::decode_all(*compressed).ok()).as_deref()
}

/// The path that stands for the debug DLL in the program: that of the program itself. The file may
/// have been removed, as it is for an agent that was sent.
pub(super) fn path() -> Option<PathBuf> {
    COMPRESSED.get()?;
    let program = std::env::current_exe().ok()?;
    Some(program.canonicalize().unwrap_or(program))
}

/// The debug DLL in the program as a file to load; nobody can change it any more.
pub(super) fn file() -> Option<io::Result<File>> {
    COMPRESSED.get().map(|_| {
        let bytes = carried().ok_or(io::ErrorKind::InvalidData)?;
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let mut file = File::from(memfd_create("libmqd.so", flags)?);
        file.write_all(bytes)?;
        let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
        fcntl_add_seals(&file, seals)?;
        Ok(file)
    })
}
