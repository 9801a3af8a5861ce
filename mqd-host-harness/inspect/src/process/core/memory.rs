//! The memory in a core file.
//!
//! Linux writes a segment for every mapping, but leaves out what files have anyway. Such a segment
//! has fewer bytes in the core than in memory (`p_filesz < p_memsz`). The missing bytes come from
//! the file if it is certainly the same one. Memory that was never touched is left out, too. It is
//! known to be zero only where the executable or library says so (`.bss`). Everything else that is
//! missing stays missing.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use goblin::elf::program_header::PF_W;

use super::super::memory::Mapping;
use super::super::{ReadError, Unreadable};
use crate::elf::{ElfFile, Headers};
use crate::files::Mapped;
use crate::image::OpenFile;

/// How many gaps of a truncated core are listed one by one.
const LISTED_GAPS: usize = 6;

/// A segment of the core.
#[derive(Clone, Debug)]
struct Segment {
    start: u64,
    /// Bytes in memory.
    size: u64,
    /// Where its bytes are in the core.
    offset: u64,
    /// Bytes that were written.
    written: u64,
    /// How many of these the file still has: it may be truncated.
    present: u64,
    writable: bool,
}

/// An image whose file is surely the one that the process had.
#[derive(Debug)]
struct Backing {
    bias: u64,
    file: Arc<OpenFile>,
}

/// The memory in a core file, and behind it the files.
#[derive(Debug)]
pub(in super::super) struct CoreMemory {
    map: Arc<Mapped>,
    /// Sorted by start.
    segments: Vec<Segment>,
    backing: Vec<Backing>,
    mappings: Vec<Mapping>,
    /// Files that cannot be used. True: the file is not the one of the process. False: it is
    /// missing.
    refused: HashMap<PathBuf, bool>,
    /// Writable memory was dumped, so what is missing of it was never changed.
    has_private_memory: bool,
}

/// What is at an address: these bytes, or this number of zeros.
enum Piece<'a> {
    Bytes(&'a [u8]),
    Zeros(u64),
}

impl CoreMemory {
    pub(super) fn new(map: Arc<Mapped>, headers: &Headers, mappings: Vec<Mapping>) -> CoreMemory {
        let length = map.len() as u64;
        let mut segments: Vec<_> = headers
            .loads()
            .filter(|header| {
                header.p_memsz > 0 && header.p_vaddr.checked_add(header.p_memsz).is_some()
            })
            .map(|header| {
                let written = header.p_filesz.min(header.p_memsz);
                Segment {
                    start: header.p_vaddr,
                    size: header.p_memsz,
                    offset: header.p_offset,
                    written,
                    present: written.min(length.saturating_sub(header.p_offset)),
                    writable: header.p_flags & PF_W != 0,
                }
            })
            .collect();
        segments.sort_by_key(|segment| segment.start);
        let has_private_memory =
            segments.iter().any(|segment| segment.writable && segment.written > 0);
        CoreMemory {
            map,
            segments,
            backing: Vec::new(),
            mappings,
            refused: HashMap::new(),
            has_private_memory,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// From now on, what the core leaves out of this image comes from its file.
    pub(in super::super) fn add_file(&mut self, bias: u64, file: Arc<OpenFile>) {
        self.backing.push(Backing { bias, file });
    }

    /// Remembers why a file cannot be used.
    pub(in super::super) fn refuse_file(&mut self, path: &Path, changed: bool) {
        self.refused.insert(path.to_owned(), changed);
    }

    /// Fills `buf` from the core and from the files.
    pub(in super::super) fn read(&self, address: u64, buf: &mut [u8]) -> Result<(), ReadError> {
        self.fill(address, buf, |at| {
            self.own(at).map(Piece::Bytes).or_else(|why| self.behind(at, why))
        })
    }

    /// Fills `buf` from the core alone.
    pub(in super::super) fn read_own(&self, address: u64, buf: &mut [u8]) -> Result<(), ReadError> {
        self.fill(address, buf, |at| self.own(at).map(Piece::Bytes))
    }

    fn fill<'a>(
        &'a self,
        address: u64,
        buf: &mut [u8],
        piece: impl Fn(u64) -> Result<Piece<'a>, Unreadable>,
    ) -> Result<(), ReadError> {
        let mut done = 0;
        while done < buf.len() {
            let at = address
                .checked_add(done as u64)
                .ok_or(ReadError { address, why: Unreadable::NotMapped })?;
            let rest = &mut buf[done..];
            done += match piece(at).map_err(|why| ReadError { address: at, why })? {
                Piece::Bytes(bytes) => {
                    let count = bytes.len().min(rest.len());
                    rest[..count].copy_from_slice(&bytes[..count]);
                    count
                }
                Piece::Zeros(count) => {
                    let count = usize::try_from(count).unwrap_or(usize::MAX).min(rest.len());
                    rest[..count].fill(0);
                    count
                }
            };
        }
        if self.map.has_shrunk() {
            return Err(ReadError { address, why: Unreadable::Truncated });
        }
        Ok(())
    }

    fn segment(&self, address: u64) -> Option<(usize, &Segment)> {
        let index =
            self.segments.partition_point(|segment| segment.start <= address).checked_sub(1)?;
        let segment = &self.segments[index];
        (address - segment.start < segment.size).then_some((index, segment))
    }

    /// The bytes that the core has from an address on; never empty.
    fn own(&self, address: u64) -> Result<&[u8], Unreadable> {
        let Some((_, segment)) = self.segment(address) else {
            // `gcore` of gdb writes no segment for a mapping of a file that was never changed.
            let of_a_file = self.mappings.iter().any(|mapping| mapping.contains(address));
            return Err(if of_a_file { Unreadable::NotDumped } else { Unreadable::NotMapped });
        };
        let skip = address - segment.start;
        if skip >= segment.present {
            return Err(if skip < segment.written {
                Unreadable::Truncated
            } else {
                Unreadable::NotDumped
            });
        }
        // `present` bytes from `offset` on lie within the map.
        let start = (segment.offset + skip) as usize;
        Ok(&self.map[start..start + (segment.present - skip) as usize])
    }

    /// What the files have at an address that the core lacks because of `why`.
    fn behind(&self, address: u64, why: Unreadable) -> Result<Piece<'_>, Unreadable> {
        let here = self.segment(address);
        // Up to the next segment, or to where this one has bytes of its own.
        let limit = match here {
            Some((_, segment)) => segment.start + segment.size - address,
            None => {
                let next = self.segments.partition_point(|segment| segment.start <= address);
                self.segments.get(next).map_or(u64::MAX, |segment| segment.start - address)
            }
        };
        for Backing { bias, file } in &self.backing {
            let in_file = address.wrapping_sub(*bias);
            if let Some((bytes, writable)) = file.bytes_at(in_file) {
                let unchanged = why == Unreadable::NotDumped && self.has_private_memory;
                if writable && !unchanged {
                    return Err(why);
                }
                let count = usize::try_from(limit).unwrap_or(usize::MAX).min(bytes.len());
                return Ok(Piece::Bytes(&bytes[..count]));
            }
            let zeros = file.zeros_at(in_file).min(limit);
            if zeros > 0 && why == Unreadable::NotDumped && self.has_private_memory {
                return Ok(Piece::Zeros(zeros));
            }
        }
        let mapping = self.mappings.iter().find(|mapping| mapping.contains(address));
        Err(match mapping.and_then(|mapping| self.refused.get_key_value(&mapping.path)) {
            Some((path, true)) if why == Unreadable::NotDumped => {
                Unreadable::FileChanged(path.clone())
            }
            Some((path, false)) if why == Unreadable::NotDumped => {
                Unreadable::FileMissing(path.clone())
            }
            _ => why,
        })
    }

    /// Compares what the core has of an image's constant segments with a file: `None` if the core
    /// has nothing of them.
    pub(super) fn agrees_with(&self, bias: u64, file: &ElfFile) -> Option<bool> {
        let mut compared = false;
        for segment in file.headers().loads().filter(|segment| segment.p_flags & PF_W == 0) {
            let Some(bytes) = file.segment_bytes(segment) else { continue };
            let Ok(own) = self.own(bias.wrapping_add(segment.p_vaddr)) else { continue };
            let count = own.len().min(bytes.len());
            if own[..count] != bytes[..count] {
                return Some(false);
            }
            compared |= count > 0;
        }
        compared.then_some(true)
    }

    /// The bytes of the segment that holds an address, as far as the core has them, and where they
    /// begin.
    pub(super) fn around(&self, address: u64) -> Option<(u64, &[u8])> {
        let (_, segment) = self.segment(address)?;
        Some((segment.start, self.own(segment.start).ok()?))
    }

    /// What a truncated core lacks, in sentences; none if it is whole.
    pub(super) fn truncation(&self, path: &Path) -> Vec<String> {
        let gaps: Vec<_> =
            self.segments.iter().filter(|segment| segment.present < segment.written).collect();
        if gaps.is_empty() {
            return Vec::new();
        }
        let missing: u64 =
            gaps.iter().map(|gap| gap.written - gap.present).fold(0, u64::saturating_add);
        let written: u64 =
            self.segments.iter().map(|segment| segment.written).fold(0, u64::saturating_add);
        let mut text = format!(
            "{} is truncated: {missing} of {written} bytes of memory are missing, in {} of {} \
             segments:",
            path.display(),
            gaps.len(),
            self.segments.len()
        );
        for gap in gaps.iter().take(LISTED_GAPS) {
            let (from, to) = (gap.start + gap.present, gap.start + gap.written);
            let name = self.mappings.iter().find(|mapping| mapping.contains(gap.start));
            let name =
                name.map_or_else(String::new, |mapping| format!(" of {}", mapping.path.display()));
            text += &format!(" {from:#x}-{to:#x} ({} bytes{name});", gap.written - gap.present);
        }
        match gaps.len().saturating_sub(LISTED_GAPS) {
            0 => text.truncate(text.len() - 1),
            more => text += &format!(" and {more} more"),
        }
        vec![text]
    }
}
