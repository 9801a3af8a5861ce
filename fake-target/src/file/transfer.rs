//! Moves bytes between the data stream of a view and memory.

use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::FileExt;
use std::sync::{MutexGuard, PoisonError};

use super::errors::system;
use super::object::File;
use super::observed::WatchedAccess;
use super::view::View;
use crate::abi::{MPI_Count, MPI_Offset};
use crate::error::Result;

/// Gaps of up to this many bytes are read together with the data around them.
const GAP: MPI_Offset = 4 << 10;
/// Bytes that are read at once, gaps included.
const WINDOW: usize = 1 << 20;

/// Writes bytes from the place `from` of the data stream on.
pub(super) fn write(
    (file, watched): (&File, &WatchedAccess),
    view: &View,
    from: MPI_Count,
    data: &[u8],
) -> Result {
    let outcome = match view.dense_place(from) {
        _ if data.is_empty() => Ok(()),
        Some(at) => write_at((file, watched), data, at),
        None => {
            let (mut rest, mut outcome) = (data, Ok(()));
            view.runs(from, from + data.len() as MPI_Count, |at, length| {
                let (now, later) = rest.split_at(length);
                rest = later;
                if outcome.is_ok() {
                    outcome = write_at((file, watched), now, at);
                }
            });
            outcome
        }
    };
    outcome.map_err(|error| system("write to", &file.path, &error))
}

/// Writes bytes to a place in the file.
fn write_at(
    (file, watched): (&File, &WatchedAccess),
    data: &[u8],
    at: MPI_Offset,
) -> io::Result<()> {
    watched.asks();
    let outcome = file.descriptor.write_all_at(data, at as u64);
    watched.moved(if outcome.is_ok() { data.len() } else { 0 });
    outcome
}

/// Writes runs, which are in the order of their places. Those that follow each other are written at
/// once.
pub(super) fn write_runs(
    (file, watched): (&File, &WatchedAccess),
    runs: &[(MPI_Offset, &[u8])],
) -> Result {
    let mut rest = runs;
    while let Some(&(start, first)) = rest.first() {
        let mut bytes = first.to_vec();
        rest = &rest[1..];
        while let Some(&(at, more)) = rest.first()
            && at <= start + bytes.len() as MPI_Offset
            && bytes.len() < WINDOW
        {
            // What overlaps is written once.
            let known = (start + bytes.len() as MPI_Offset - at) as usize;
            bytes.extend_from_slice(more.get(known..).unwrap_or_default());
            rest = &rest[1..];
        }
        write_at((file, watched), &bytes, start)
            .map_err(|error| system("write to", &file.path, &error))?;
    }
    Ok(())
}

/// Reads bytes from the place `from` of the data stream on. The result is the number of bytes up to
/// the end of the file.
pub(super) fn read(
    (file, watched): (&File, &WatchedAccess),
    view: &View,
    from: MPI_Count,
    into: &mut [u8],
) -> Result<usize> {
    let failed = |error| system("read", &file.path, &error);
    if let Some(at) = view.dense_place(from) {
        return read_at(&file.descriptor, watched, into, at).map_err(failed);
    }
    let window = Vec::new();
    let mut reader =
        FileReader { file: &file.descriptor, watched, window, into, done: 0, end: None };
    let to = from + reader.into.len() as MPI_Count;
    view.runs(from, to, |at, length| reader.run(at, length));
    reader.flush();
    match reader.end {
        Some(Err(error)) => Err(failed(error)),
        _ => Ok(reader.done),
    }
}

/// Gathers runs that are close to each other, and reads them at once.
struct FileReader<'a> {
    file: &'a std::fs::File,
    watched: &'a WatchedAccess,
    /// Runs that wait: place and length.
    window: Vec<(MPI_Offset, usize)>,
    into: &'a mut [u8],
    /// Bytes that have been read.
    done: usize,
    /// The end of the file has been reached, or an error has occurred.
    end: Option<io::Result<()>>,
}

impl FileReader<'_> {
    fn run(&mut self, at: MPI_Offset, length: usize) {
        if let (Some(&(first, _)), Some(&(last, before))) =
            (self.window.first(), self.window.last())
        {
            let end = last + before as MPI_Offset;
            let near = at >= end && at - end <= GAP;
            if !near || (at - first) as usize + length > WINDOW {
                self.flush();
            }
        }
        self.window.push((at, length));
    }

    fn flush(&mut self) {
        let window = std::mem::take(&mut self.window);
        let (Some(&(first, length)), Some(&(last, tail))) = (window.first(), window.last()) else {
            return;
        };
        if self.end.is_some() {
            return;
        }
        if window.len() == 1 {
            let part = &mut self.into[self.done..][..length];
            let found = read_at(self.file, self.watched, part, first);
            return self.note(found, length);
        }
        let mut bytes = vec![0; (last - first) as usize + tail];
        let found = match read_at(self.file, self.watched, &mut bytes, first) {
            Ok(found) => found,
            Err(error) => return self.end = Some(Err(error)),
        };
        for (at, length) in window {
            let start = (at - first) as usize;
            let here = found.saturating_sub(start).min(length);
            self.into[self.done..][..here].copy_from_slice(&bytes[start.min(found)..][..here]);
            self.note(Ok(here), length);
            if self.end.is_some() {
                return;
            }
        }
    }

    fn note(&mut self, found: io::Result<usize>, wanted: usize) {
        match found {
            Ok(found) => {
                self.done += found;
                self.end = (found < wanted).then_some(Ok(()));
            }
            Err(error) => self.end = Some(Err(error)),
        }
    }
}

/// Reads until the buffer is full or the file is at its end.
fn read_at(
    file: &std::fs::File,
    watched: &WatchedAccess,
    into: &mut [u8],
    at: MPI_Offset,
) -> io::Result<usize> {
    let mut done = 0;
    while done < into.len() {
        watched.asks();
        match file.read_at(&mut into[done..], at as u64 + done as u64) {
            Ok(0) => break,
            Ok(more) => {
                watched.moved(more);
                done += more;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

/// A part of a file that nobody else changes in atomic mode, until it is dropped.
pub(super) struct Locked<'a> {
    descriptor: RawFd,
    from: MPI_Offset,
    to: MPI_Offset,
    _turn: MutexGuard<'a, ()>,
}

/// In atomic mode: waits until nobody else is in the part of the file with the bytes `from..to` of
/// the data stream.
pub(super) fn lock<'a>(
    file: &'a File,
    view: &View,
    (from, to): (MPI_Count, MPI_Count),
    writes: bool,
) -> Result<Option<Locked<'a>>> {
    let Some((from, to)) = view.range(from, to) else { return Ok(None) };
    let turn = file.turn.lock().unwrap_or_else(PoisonError::into_inner);
    let descriptor = file.descriptor.as_raw_fd();
    let kind = if writes { libc::F_WRLCK } else { libc::F_RDLCK };
    set_lock(descriptor, kind, from, to)
        .map_err(|error| system("lock a part of", &file.path, &error))?;
    Ok(Some(Locked { descriptor, from, to, _turn: turn }))
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // Nothing can be done if this fails. The lock ends with the file.
        let _ = set_lock(self.descriptor, libc::F_UNLCK, self.from, self.to);
    }
}

/// A lock of this opening of the file alone, so that two openings in a process exclude each other.
fn set_lock(descriptor: RawFd, kind: i32, from: MPI_Offset, to: MPI_Offset) -> io::Result<()> {
    let range = libc::flock {
        l_type: kind as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: from,
        l_len: to - from,
        l_pid: 0,
    };
    loop {
        // SAFETY: an open descriptor and a structure that is only read.
        if unsafe { libc::fcntl(descriptor, libc::F_OFD_SETLKW, &range) } == 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}
