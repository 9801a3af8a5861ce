//! Layout tables that are not part of the library: the only files it ever reads, and only if
//! `MQD_LAYOUT_DIR` names their directory.
//!
//! This is the one exception to the rule that the library uses nothing but the debugger's
//! callbacks. It reads the environment and opens files for reading, nothing else. File names are
//! made here, never listed: `std::fs::read_dir` allocates and cannot report a failure, while
//! opening and reading a file with a short path allocates nothing.

use crate::alloc::{append, zeroed};
use crate::environment;
use crate::error::{Code, Error, Result};
use mqd_layout::MAX_TEXT;
use std::ffi::{CStr, OsStr};
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;

/// The environment variable with the directory.
const VARIABLE: &CStr = c"MQD_LAYOUT_DIR";

/// Room for a path. The standard library copies longer ones to the heap.
const PATH_BYTES: usize = 380;

/// The flag of Linux on x86-64, aarch64 and most others. The standard library has no name for it.
const O_NONBLOCK: i32 = 0o4000;

/// The directory of layout tables that the user has named.
#[derive(Clone, Copy)]
pub(crate) struct LayoutDirectory {
    path: [u8; PATH_BYTES],
    length: usize,
}

impl LayoutDirectory {
    /// The directory, if one is named.
    pub(crate) fn named() -> Result<Option<Self>> {
        let Some(value) = environment::variable(VARIABLE) else { return Ok(None) };
        let mut path = [0; PATH_BYTES];
        let room = path
            .get_mut(..value.len())
            .ok_or(Error::on(Code::BadTable, "the path in MQD_LAYOUT_DIR is too long"))?;
        room.copy_from_slice(value);
        Ok(Some(Self { path, length: value.len() }))
    }

    /// The text of a table; None if there is no such file.
    pub(crate) fn read(&self, name: &[u8]) -> Result<Option<Vec<u8>>> {
        let (mut path, mut length) = (self.path, self.length);
        for part in [b"/", name] {
            let Some(room) = path.get_mut(length..length + part.len()) else {
                return Err(Error::on(Code::BadTable, "the path in MQD_LAYOUT_DIR is too long"));
            };
            room.copy_from_slice(part);
            length += part.len();
        }
        let Some(mut file) = open(OsStr::from_bytes(&path[..length]))? else { return Ok(None) };
        let mut text = Vec::new();
        let mut piece = zeroed(4096)?;
        loop {
            match file.read(&mut piece) {
                Ok(0) => return Ok(Some(text)),
                Ok(size) if text.len() + size <= MAX_TEXT => append(&mut text, &piece[..size])?,
                Ok(_) => return Err(Error::on(Code::BadTable, "the file is too long")),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return Err(Error::on(Code::BadTable, "the file cannot be read")),
            }
        }
    }
}

/// Opens a regular file; None if there is no such file. A pipe or device at this place does not
/// make the debugger wait.
fn open(path: &OsStr) -> Result<Option<File>> {
    let file = match OpenOptions::new().read(true).custom_flags(O_NONBLOCK).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(_) => return Err(Error::on(Code::BadTable, "the file cannot be opened")),
    };
    match file.metadata() {
        Ok(status) if status.is_file() => Ok(Some(file)),
        Ok(_) => Err(Error::on(Code::BadTable, "this is not a regular file")),
        Err(_) => Err(Error::on(Code::BadTable, "the file cannot be read")),
    }
}
