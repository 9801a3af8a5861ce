//! The ELF image around an address of the target, identified by the target's memory alone.

use crate::alloc::push;
use crate::debugger::Target;
use crate::error::{Code, OrUnreadable, Result};
use crate::memory::Memory;

/// Images start at a multiple of this.
const PAGE: u64 = 4096;
/// How far back the start is looked for, in pages: 64 MiB.
const MAX_PAGES: u64 = 1 << 14;
/// Bytes of a build-id that are kept; SHA-1 has 20.
const MAX_BUILD_ID: usize = 64;
/// Bytes of a note segment that are read.
const MAX_NOTES: u64 = 4096;

/// The build-id of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BuildId {
    bytes: [u8; MAX_BUILD_ID],
    length: usize,
}

impl BuildId {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// Where the parts of a header are: for a file of 64 bits, and of 32.
struct Format {
    word: usize,
    /// In the file header: offset of the program headers, their size, their number.
    header_bytes: usize,
    phoff: usize,
    phentsize: usize,
    phnum: usize,
    /// In a program header: the flags, the address, and the size in memory.
    flags: usize,
    vaddr: usize,
    memsz: usize,
}

const ELF64: Format = Format {
    word: 8,
    header_bytes: 64,
    phoff: 32,
    phentsize: 54,
    phnum: 56,
    flags: 4,
    vaddr: 16,
    memsz: 40,
};
const ELF32: Format = Format {
    word: 4,
    header_bytes: 52,
    phoff: 28,
    phentsize: 42,
    phnum: 44,
    flags: 24,
    vaddr: 8,
    memsz: 20,
};

const PT_LOAD: u64 = 1;
const PT_NOTE: u64 = 4;
/// The flag of a writable segment.
const PF_W: u64 = 2;
const NT_GNU_BUILD_ID: u64 = 3;

/// The build-id of the image that `address` lies in. None if it has none, or if its start is not
/// found.
pub(crate) fn build_id(memory: &mut Memory<'_>, address: u64) -> Result<Option<BuildId>> {
    let Some(segments) = segments(memory, address).or_unreadable()? else { return Ok(None) };
    for segment in segments.iter().filter(|segment| segment.kind == PT_NOTE) {
        let size = segment.bytes.min(MAX_NOTES) as usize;
        if let Some(found) = note(memory, segment.start, size)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The parts of an image: where each begins, and its size in bytes.
#[derive(Default)]
pub(crate) struct Parts {
    /// Those that hold variables.
    pub(crate) variables: Vec<(u64, u64)>,
    /// The others: code and constants.
    pub(crate) constants: Vec<(u64, u64)>,
}

/// The parts of the image that `address` lies in. None if the image is not found.
///
/// # Errors
/// [`Code::Unreadable`] if the start of the image may be where nothing can be read.
pub(crate) fn parts(memory: &mut Memory<'_>, address: u64) -> Result<Parts> {
    let mut found = Parts::default();
    for segment in segments(memory, address)? {
        if segment.kind == PT_LOAD {
            let of_its_kind = match segment.flags & PF_W != 0 {
                true => &mut found.variables,
                false => &mut found.constants,
            };
            push(of_its_kind, (segment.start, segment.bytes))?;
        }
    }
    Ok(found)
}

/// A part of an image in memory.
struct Segment {
    kind: u64,
    flags: u64,
    start: u64,
    bytes: u64,
}

impl Segment {
    fn contains(&self, address: u64) -> bool {
        self.kind == PT_LOAD && address.wrapping_sub(self.start) < self.bytes
    }
}

/// The segments of the image that `address` lies in; none if its start is not found.
fn segments(memory: &mut Memory<'_>, address: u64) -> Result<Vec<Segment>> {
    let mut start = address - address % PAGE;
    let mut unread = None;
    for _ in 0..MAX_PAGES {
        let mut header = [0; ELF64.header_bytes];
        match memory.read(start, &mut header) {
            Ok(()) if header.starts_with(b"\x7fELF") => {
                let segments = segments_of(memory, start, &header)?;
                if segments.iter().any(|segment| segment.contains(address)) {
                    return Ok(segments);
                }
                // It is another image.
                break;
            }
            Ok(()) => {}
            // There may be gaps between the parts of an image.
            Err(error) if error.code == Code::Unreadable => unread = unread.or(Some(error)),
            Err(error) => return Err(error),
        }
        let Some(before) = start.checked_sub(PAGE) else { break };
        start = before;
    }
    unread.map_or(Ok(Vec::new()), Err)
}

/// A number of `size` bytes, or 0 where there are none.
fn number(target: &Target, bytes: &[u8], at: usize, size: usize) -> u64 {
    bytes.get(at..at + size).map_or(0, |bytes| target.unsigned(bytes))
}

fn segments_of(memory: &mut Memory<'_>, start: u64, header: &[u8]) -> Result<Vec<Segment>> {
    let target = memory.target;
    let mut segments = Vec::new();
    let format = match header[4] {
        2 => ELF64,
        1 => ELF32,
        _ => return Ok(segments),
    };
    let (phoff, size, count) = (
        number(target, header, format.phoff, format.word),
        number(target, header, format.phentsize, 2),
        number(target, header, format.phnum, 2),
    );
    // The segments are where they are relative to the first one, which begins with the header.
    let mut bias = None;
    let mut entry = [0; 64];
    for index in 0..count.min(64) {
        let Some(entry) = entry.get_mut(..size as usize).filter(|entry| !entry.is_empty()) else {
            break;
        };
        memory.read(start.wrapping_add(phoff).wrapping_add(index * size), entry)?;
        let vaddr = number(target, entry, format.vaddr, format.word);
        let kind = number(target, entry, 0, 4);
        if kind == PT_LOAD && bias.is_none() {
            bias = Some(start.wrapping_sub(vaddr - vaddr % PAGE));
        }
        let segment = Segment {
            kind,
            flags: number(target, entry, format.flags, 4),
            start: vaddr.wrapping_add(bias.unwrap_or(start)),
            bytes: number(target, entry, format.memsz, format.word),
        };
        push(&mut segments, segment)?;
    }
    Ok(segments)
}

/// Looks for a build-id among the notes of a segment.
fn note(memory: &mut Memory<'_>, address: u64, size: usize) -> Result<Option<BuildId>> {
    let mut notes = [0; MAX_NOTES as usize];
    let notes = &mut notes[..size];
    if notes.is_empty() || memory.read(address, notes).or_unreadable()?.is_none() {
        return Ok(None);
    }
    let mut at = 0;
    while at + 12 <= notes.len() {
        let part = |index: usize| number(memory.target, notes, at + 4 * index, 4) as usize;
        let (name_size, id_size, kind) = (part(0), part(1), part(2) as u64);
        let name = at + 12;
        let Some(id) =
            name_size.checked_next_multiple_of(4).and_then(|size| name.checked_add(size))
        else {
            break;
        };
        let Some(end) = id.checked_add(id_size) else { break };
        let (Some(name), Some(id)) = (notes.get(name..id), notes.get(id..end)) else { break };
        if kind == NT_GNU_BUILD_ID && name.starts_with(b"GNU\0") && id.len() <= MAX_BUILD_ID {
            let mut bytes = [0; MAX_BUILD_ID];
            bytes[..id.len()].copy_from_slice(id);
            return Ok(Some(BuildId { bytes, length: id.len() }));
        }
        at = end.next_multiple_of(4);
    }
    Ok(None)
}
