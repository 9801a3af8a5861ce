//! The answer of an agent: perhaps a snapshot, then a frame with what was found.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;

use rustix::fs::{MemfdFlags, memfd_create};

use super::Found;
use super::protocol::Done;
use crate::outcome::Outcome;
use crate::snapshot::{Entry, Head, Snapshot, Stream, Writer, write_done, write_frame};

/// Reads a whole answer that has arrived in these pieces.
///
/// # Errors
/// It is not an answer, or not a complete one.
pub fn read_answer<'a>(
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> io::Result<(Vec<Outcome>, Found)> {
    let pieces: Vec<&[u8]> = pieces.into_iter().collect();
    let mut stream = Stream::new(pieces.iter().map(|piece| piece.len()).sum());
    for piece in pieces {
        if stream.push(piece).map_err(io::Error::other)? {
            let done: Done = stream.done().map_err(io::Error::other)?;
            return Ok((outcomes(&stream)?, done.found));
        }
    }
    Err(io::ErrorKind::UnexpectedEof.into())
}

/// Writes a whole answer with the processes of a host, as its agent does.
///
/// # Errors
/// It cannot be written.
pub fn write_answer(
    out: &mut impl Write,
    head: &Head,
    processes: impl ExactSizeIterator<Item = Entry>,
    host: &str,
) -> io::Result<()> {
    write_snapshot(out, head, processes)?;
    write_done(out, &Done { host: host.to_owned(), ..Done::default() })
}

/// Writes the snapshot of an answer; nothing if there are no processes.
pub(super) fn write_snapshot(
    out: &mut impl Write,
    head: &Head,
    processes: impl ExactSizeIterator<Item = Entry>,
) -> io::Result<()> {
    let total = u32::try_from(processes.len()).map_err(io::Error::other)?;
    if total == 0 {
        return Ok(());
    }
    let mut writer = Writer::new(out, head, total)?;
    for process in processes {
        writer.add(process)?;
    }
    writer.finish().map(drop)
}

/// The frame that ends an answer, with any content: what an agent that is not ours could send.
///
/// # Errors
/// The content is too large for a frame.
pub fn last_frame(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut frame = Vec::new();
    write_frame(&mut frame, content)?;
    Ok(frame)
}

/// The processes of an answer.
pub(super) fn outcomes(answer: &Stream) -> io::Result<Vec<Outcome>> {
    if answer.snapshot().is_empty() {
        return Ok(Vec::new());
    }
    // Snapshots are read from files.
    let mut file = File::from(memfd_create("answer", MemfdFlags::CLOEXEC)?);
    file.write_all(answer.snapshot())?;
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    let snapshot = Snapshot::open(path.as_ref()).map_err(io::Error::other)?;
    let entries = snapshot.entries().into_iter();
    let outcomes = entries.map(|(number, entry)| {
        let recording = snapshot.recording(number).map_err(io::Error::other)?;
        let outcome = entry.into_outcome();
        Ok(Outcome { recording: recording.map(Box::new), ..outcome })
    });
    outcomes.collect()
}
