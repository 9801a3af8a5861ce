//! A file that gets its name when it is complete. Until then it cannot be seen. After a failure, a
//! full disk or a signal, what was there before is still there.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags};

/// Where a file will be.
pub(super) struct Destination {
    /// The name that it gets. A symbolic link is resolved: the link stays.
    path: PathBuf,
    file: File,
    state: State,
}

/// What the file is until it is complete.
enum State {
    /// It has no name. The kernel removes it if `mqd` ends.
    Unnamed,
    /// It has another name, because the file system does not support files without a name.
    Part(PathBuf),
    /// It is written in place: a pipe, a device, or a file in a directory that cannot be written.
    InPlace,
}

impl Destination {
    /// Opens the file. This comes before any process is stopped, so that a wrong path costs
    /// nothing.
    ///
    /// # Errors
    /// The file cannot be created or written.
    pub(super) fn open(path: &Path) -> io::Result<Destination> {
        if path == Path::new("-") {
            let file = File::from(rustix::io::dup(io::stdout().as_fd())?);
            return Ok(Destination { path: path.to_owned(), file, state: State::InPlace });
        }
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let before = fs::metadata(&path).ok();
        if before.as_ref().is_some_and(|before| !before.is_file()) {
            let file = File::options().write(true).open(&path)?;
            return Ok(Destination { path, file, state: State::InPlace });
        }
        match create(&path) {
            Ok((file, state)) => {
                if let Some(before) = before {
                    // A private file stays private.
                    let mode = before.permissions();
                    file.set_permissions(mode)?;
                }
                Ok(Destination { path, file, state })
            }
            Err(error) if before.is_none() => Err(error),
            Err(_) => {
                let file = File::options().write(true).truncate(true).open(&path)?;
                Ok(Destination { path, file, state: State::InPlace })
            }
        }
    }

    /// The file to write to.
    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Gives the file its name. The result is its size in bytes; `None` if it is standard output or
    /// not a regular file.
    ///
    /// # Errors
    /// It cannot be named.
    pub(super) fn keep(mut self) -> io::Result<Option<u64>> {
        if matches!(self.state, State::Unnamed) {
            let part = part(&self.path);
            let own = format!("/proc/self/fd/{}", self.file.as_raw_fd());
            rustix::fs::linkat(CWD, own, CWD, &part, AtFlags::SYMLINK_FOLLOW)?;
            self.state = State::Part(part);
        }
        if let State::Part(part) = &self.state {
            fs::rename(part, &self.path)?;
            self.state = State::InPlace;
        }
        let file = self.file.metadata()?;
        let is_output = same_file(&file, &io::stdout());
        Ok(Some(file.len()).filter(|_| file.is_file() && !is_output))
    }
}

/// Is standard output this file?
fn same_file(file: &fs::Metadata, stdout: &io::Stdout) -> bool {
    let is = rustix::fs::fstat(stdout.as_fd());
    is.is_ok_and(|stdout| (stdout.st_dev, stdout.st_ino) == (file.dev(), file.ino()))
}

impl Drop for Destination {
    fn drop(&mut self) {
        if let State::Part(part) = &self.state {
            // A failure cannot be handled here.
            let _ = fs::remove_file(part);
        }
    }
}

/// A new file in the directory of `path`.
fn create(path: &Path) -> io::Result<(File, State)> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(0o666);
    match rustix::fs::open(directory.unwrap_or(Path::new(".")), flags, mode) {
        Ok(file) => Ok((file.into(), State::Unnamed)),
        Err(_) => {
            let part = part(path);
            Ok((File::create_new(&part)?, State::Part(part)))
        }
    }
}

/// A name beside `path` that no other process uses.
fn part(path: &Path) -> PathBuf {
    let mut name = path.file_name().map_or_else(OsString::new, OsString::from);
    name.push(format!(".{}", std::process::id()));
    path.with_file_name(name)
}
