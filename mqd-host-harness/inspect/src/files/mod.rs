//! Files that others have named. A target, a user or a directory listing may name a pipe, a device
//! or a directory. It is refused at once, without waiting and without opening the device.
//!
//! Every file that this crate and its users read is opened here, except those of `/proc`, whose
//! names are our own.

mod mapped;
mod packed;

use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;

pub use self::mapped::Mapped;
pub use self::packed::unpacked;

/// A path as the kernel tells it, without its mark of a file that has been removed or replaced.
pub fn without_mark(path: &[u8]) -> &[u8] {
    path.strip_suffix(b" (deleted)").unwrap_or(path)
}

/// Why a file cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
pub enum FileError {
    /// It is a pipe, a device, a directory or a socket.
    #[error("it is {0}, not a regular file")]
    NotRegular(&'static str),
    /// The system refused.
    #[error(transparent)]
    System(#[from] Arc<io::Error>),
}

impl From<io::Error> for FileError {
    fn from(error: io::Error) -> FileError {
        FileError::System(Arc::new(error))
    }
}

/// Opens a regular file for reading, without ever waiting.
///
/// # Errors
/// It is not a regular file, or the system cannot open it.
pub fn open(path: &Path) -> Result<File, FileError> {
    // Opening a device may already have an effect, so the type is checked first.
    regular(&fs::metadata(path)?)?;
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    regular(&file.metadata()?)?;
    Ok(file)
}

/// Refuses everything but a regular file.
///
/// # Errors
/// It is not a regular file.
pub fn regular(file: &Metadata) -> Result<(), FileError> {
    if file.is_file() { Ok(()) } else { Err(FileError::NotRegular(describe(file.file_type()))) }
}

/// The text of a regular file.
///
/// # Errors
/// It is not a regular file, the system cannot read it, or it is not UTF-8.
pub fn read_to_string(path: &Path) -> Result<String, FileError> {
    let mut text = String::new();
    open(path)?.read_to_string(&mut text)?;
    Ok(text)
}

/// Maps a file, read-only. If it becomes shorter, zeros are read in place of the missing bytes.
///
/// # Errors
/// The system cannot map it.
pub fn map(file: &File) -> Result<Mapped, FileError> {
    Ok(Mapped::new(file)?)
}

/// The same for a file among thousands, which is read only once. If it is small, it is copied: that
/// takes less time.
///
/// # Errors
/// The system cannot map or read it.
pub fn copy_or_map(file: &File) -> Result<Mapped, FileError> {
    Ok(Mapped::copy_or_map(file)?)
}

fn describe(kind: FileType) -> &'static str {
    if kind.is_dir() {
        "a directory"
    } else if kind.is_fifo() {
        "a pipe (FIFO)"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_are_opened() {
        let directory = tempfile::tempdir().unwrap();
        let pipe = directory.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let socket = directory.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let link = directory.path().join("link");
        std::os::unix::fs::symlink(&pipe, &link).unwrap();
        for (path, expected) in [
            (pipe.as_path(), "it is a pipe (FIFO), not a regular file"),
            (&link, "it is a pipe (FIFO), not a regular file"),
            (&socket, "it is a socket, not a regular file"),
            (directory.path(), "it is a directory, not a regular file"),
            (Path::new("/dev/zero"), "it is a device, not a regular file"),
        ] {
            let error = open(path).unwrap_err();
            assert_eq!(error.to_string(), expected, "{}", path.display());
        }
        let text = directory.path().join("text");
        fs::write(&text, "text").unwrap();
        assert_eq!(read_to_string(&text).unwrap(), "text");
    }
}
