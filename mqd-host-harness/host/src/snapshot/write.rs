//! Writing a snapshot.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::mem::take;

use super::alike::Packed;
use super::frame::{self, Kind};
use super::{Entry, Head};
use mqd_inspect::process::PAGE;

/// A frame of processes is closed when it has this many bytes: enough for compression to find what
/// processes have in common, and few enough that damage costs few processes and that all processors
/// have something to decompress.
const BLOCK: usize = 1 << 20;

/// A frame of processes is also closed when it has this many processes.
const MOST: u32 = 256;

/// A frame of pages is closed when it has this many bytes: the pages of processes that do the same
/// resemble each other.
const PAGES_BLOCK: usize = 4 << 20;

/// Writes the frame that ends an agent's answer.
///
/// # Errors
/// It cannot be written.
pub(crate) fn write_done(out: &mut impl Write, content: &impl serde::Serialize) -> io::Result<()> {
    write_frame(out, &encode(content)?)?;
    out.flush()
}

/// The same with a content that is encoded.
pub(crate) fn write_frame(out: &mut impl Write, content: &[u8]) -> io::Result<()> {
    frame::write(out, Kind::Done, (0, 0, 0), content)
}

/// A snapshot whose processes are this content of a frame: what a program that is not ours could
/// write.
///
/// # Errors
/// The content is too large for a frame.
pub fn of_content(content: &[u8], processes: u32) -> io::Result<Vec<u8>> {
    let mut file = Vec::new();
    frame::write_start(&mut file)?;
    frame::write(&mut file, Kind::Alike, (0, processes, processes), content)?;
    Ok(file)
}

/// Writes a snapshot, process by process.
#[derive(Debug)]
pub struct Writer<W: Write> {
    out: W,
    total: u32,
    /// Processes that are in the file or in `block`.
    added: u32,
    block: Packed,
    pages: Pages,
}

/// The pages of all processes, each once.
#[derive(Debug, Default)]
struct Pages {
    /// Two hashes with random keys. Pages that agree in both are taken to be the same.
    hashers: [RandomState; 2],
    known: HashMap<[u64; 2], u32>,
    waiting: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Begins a snapshot of `total` processes.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(mut out: W, head: &Head, total: u32) -> io::Result<Writer<W>> {
        frame::write_start(&mut out)?;
        frame::write(&mut out, Kind::Head, (0, 0, total), &encode(head)?)?;
        Ok(Writer { out, total, added: 0, block: Packed::default(), pages: Pages::default() })
    }

    /// Adds the next process.
    ///
    /// # Errors
    /// It cannot be written, or there are more than `total`.
    pub fn add(&mut self, mut entry: Entry) -> io::Result<()> {
        if self.added == self.total {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "more processes than were announced for the snapshot",
            ));
        }
        if let Some(recording) = &mut entry.recording {
            recording.asked.clear();
            for (number, page) in take(&mut recording.pages) {
                entry.pages.push((number, self.page(&page)?));
            }
        }
        self.block.add(entry)?;
        self.added += 1;
        let is_full = self.block.size() >= BLOCK || self.block.len() == MOST;
        if is_full { self.flush() } else { Ok(()) }
    }

    /// The number of a page in the snapshot.
    fn page(&mut self, page: &[u8]) -> io::Result<u32> {
        let Pages { hashers, known, waiting } = &mut self.pages;
        let key = [hashers[0].hash_one(page), hashers[1].hash_one(page)];
        let next = u32::try_from(known.len()).map_err(io::Error::other)?;
        let number = *known.entry(key).or_insert(next);
        if number == next {
            waiting.extend_from_slice(page);
            if waiting.len() >= PAGES_BLOCK {
                self.flush_pages()?;
            }
        }
        Ok(number)
    }

    fn flush_pages(&mut self) -> io::Result<()> {
        let Pages { known, waiting, .. } = &mut self.pages;
        if !waiting.is_empty() {
            let count = (waiting.len() as u64 / PAGE) as u32;
            let first = known.len() as u32 - count;
            frame::write(&mut self.out, Kind::Pages, (first, count, self.total), waiting)?;
            waiting.clear();
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let block = take(&mut self.block);
        if block.len() > 0 {
            // Before the processes that need them.
            self.flush_pages()?;
            let numbers = (self.added - block.len(), block.len(), self.total);
            frame::write(&mut self.out, Kind::Alike, numbers, &block.encode()?)?;
        }
        Ok(())
    }

    /// Ends the snapshot.
    ///
    /// # Errors
    /// It cannot be written, or processes are missing.
    pub fn finish(mut self) -> io::Result<W> {
        if self.added != self.total {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "fewer processes than were announced for the snapshot",
            ));
        }
        self.flush()?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// The value in MessagePack.
pub(super) fn encode(value: &impl serde::Serialize) -> io::Result<Vec<u8>> {
    rmp_serde::to_vec_named(value).map_err(io::Error::other)
}
