//! Files, mapped.

use std::fs::File;
use std::io;

use memmap2::Mmap;

/// Maps a file, read-only.
///
/// # Errors
/// The system cannot map it.
pub fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the map is read-only. Like every reader of mapped files we rely on nobody cutting the
    // file short while it is open.
    unsafe { Mmap::map(file) }
}
