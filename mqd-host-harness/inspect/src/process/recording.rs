//! The questions that a target was asked, with the answers. With these the same questions can be
//! answered again without the target.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use super::memory::Memory;
use super::{Arch, Calls, ReadError, Unreadable, Waiting};
use crate::image::Symbol;
use crate::types::Layout;

/// Memory is kept in pages of this size.
pub const PAGE: u64 = 4096;

/// The questions that a process was asked, with the answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recording {
    /// Word sizes and byte order.
    pub arch: Arch,
    /// The rank that a launcher's table tells.
    pub rank: Option<i64>,
    /// The process id.
    pub pid: Option<u32>,
    /// Path of the executable.
    pub executable: Option<String>,
    /// The executable and the libraries, in the order of the link map.
    pub images: Vec<RecordedImage>,
    /// What is missing or doubtful about the target.
    pub warnings: Vec<String>,
    /// Symbols by name; null: there is none.
    pub symbols: BTreeMap<String, Option<Symbol>>,
    /// Functions, in the same way.
    pub functions: BTreeMap<String, Option<Symbol>>,
    /// Types, in the same way.
    pub types: BTreeMap<String, Option<RecordedType>>,
    /// Pages of memory by number. A snapshot keeps them apart from the recording, since processes
    /// have many of them in common.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pages: BTreeMap<u64, ByteBuf>,
    /// Bytes that are not whole pages, by address.
    pub pieces: BTreeMap<u64, ByteBuf>,
    /// Pages that could not be read, by number, and why.
    pub gaps: BTreeMap<u64, String>,
    /// What the call stacks told, if that was asked.
    #[serde(default)]
    pub calls: Option<Calls>,
    /// What they told about the loop in which the process waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Waiting>,
    /// Whether they showed that no thread but the first was in the function that they were searched
    /// for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_others: Option<bool>,
    /// The ranges of bytes that were asked for: each by its first address, with its end. Not in a
    /// file.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub asked: BTreeMap<u64, u64>,
}

/// An executable or library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedImage {
    /// Its path.
    pub path: String,
    /// What is added to the addresses in the file.
    pub bias: u64,
    /// Its build-id.
    pub build_id: Option<ByteBuf>,
}

/// A C type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedType {
    /// Its size in bytes; null if it is incomplete.
    pub size: Option<u64>,
    /// Offset and, where it is known, size of each member.
    pub fields: BTreeMap<String, (u64, Option<u64>)>,
}

impl From<&Layout> for RecordedType {
    fn from(layout: &Layout) -> RecordedType {
        let fields = layout
            .fields
            .iter()
            .map(|(name, member)| (name.to_string(), (member.offset, member.size)));
        RecordedType { size: layout.size, fields: fields.collect() }
    }
}

impl From<&RecordedType> for Layout {
    fn from(recorded: &RecordedType) -> Layout {
        let member = |&(offset, size): &(u64, Option<u64>)| crate::types::Member { offset, size };
        let fields =
            recorded.fields.iter().map(|(name, place)| (name.as_str().into(), member(place)));
        Layout { size: recorded.size, fields: fields.collect() }
    }
}

impl Recording {
    /// A recording without any question, of a process of which nothing is known.
    pub fn empty(arch: Arch) -> Recording {
        Recording {
            arch,
            rank: None,
            pid: None,
            executable: None,
            images: Vec::new(),
            warnings: Vec::new(),
            symbols: BTreeMap::new(),
            functions: BTreeMap::new(),
            types: BTreeMap::new(),
            pages: BTreeMap::new(),
            pieces: BTreeMap::new(),
            gaps: BTreeMap::new(),
            calls: None,
            waiting: None,
            no_others: None,
            asked: BTreeMap::new(),
        }
    }

    /// Does the recording have an answer for this name? `what` is `symbol`, `function` or `type`.
    pub fn knows(&self, what: &str, name: &str) -> bool {
        match what {
            "symbol" => self.symbols.contains_key(name),
            "function" => self.functions.contains_key(name),
            _ => self.types.contains_key(name),
        }
    }

    /// Fills `buf` with recorded memory.
    fn read(&self, address: u64, buf: &mut [u8]) -> Result<(), ReadError> {
        let mut done = 0;
        while done < buf.len() {
            let error = |why| ReadError { address: address.wrapping_add(done as u64), why };
            let at = address.checked_add(done as u64).ok_or(error(Unreadable::NotMapped))?;
            let bytes = self.bytes_at(at).map_err(error)?;
            let size = bytes.len().min(buf.len() - done);
            buf[done..done + size].copy_from_slice(&bytes[..size]);
            done += size;
        }
        Ok(())
    }

    /// The contiguous bytes from an address on; never empty.
    fn bytes_at(&self, address: u64) -> Result<&[u8], Unreadable> {
        let in_page = || self.pages.get(&(address / PAGE))?.get((address % PAGE) as usize..);
        let in_piece = || {
            let (start, bytes) = self.pieces.range(..=address).next_back()?;
            bytes.get(usize::try_from(address - start).ok()?..)
        };
        let found = in_page().or_else(in_piece).filter(|bytes| !bytes.is_empty());
        found.ok_or_else(|| match self.gaps.get(&(address / PAGE)) {
            Some(why) => Unreadable::Recorded(why.clone()),
            None => Unreadable::NotInSnapshot,
        })
    }

    /// Leaves out the memory that `asked` does not touch.
    pub fn keep_asked(&mut self, asked: &BTreeMap<u64, u64>) {
        let touches = |start: u64, end: u64| {
            asked.range(..end).next_back().is_some_and(|(_, last)| *last > start)
        };
        let page =
            |number: u64| touches(number * PAGE, number.saturating_mul(PAGE).saturating_add(PAGE));
        self.pages.retain(|number, _| page(*number));
        self.gaps.retain(|number, _| page(*number));
        self.pieces
            .retain(|start, bytes| touches(*start, start.saturating_add(bytes.len() as u64)));
    }

    /// Leaves out the libraries that have no recorded symbol: their addresses and build-ids would
    /// be half of a redacted recording. The executable stays the first image.
    pub fn keep_images_with_symbols(&mut self) {
        let mut symbols: Vec<&mut Symbol> =
            self.symbols.values_mut().chain(self.functions.values_mut()).flatten().collect();
        let mut wanted: BTreeSet<usize> = symbols.iter().map(|symbol| symbol.image).collect();
        wanted.insert(0);
        for symbol in &mut symbols {
            symbol.image = wanted.range(..symbol.image).count();
        }
        let images = std::mem::take(&mut self.images).into_iter().enumerate();
        self.images =
            images.filter(|(index, _)| wanted.contains(index)).map(|(_, image)| image).collect();
    }

    /// Leaves out every byte that `asked` does not name.
    pub fn keep_only(&mut self, asked: &BTreeMap<u64, u64>) {
        let mut pieces: BTreeMap<u64, ByteBuf> = BTreeMap::new();
        for (&start, &end) in asked {
            let mut at = start;
            // A range may have gaps, where a read failed.
            while at < end {
                let Ok(bytes) = self.bytes_at(at) else {
                    at = (at - at % PAGE).saturating_add(PAGE);
                    continue;
                };
                let size = bytes.len().min((end - at) as usize);
                let bytes = bytes[..size].to_vec();
                match pieces.last_entry() {
                    Some(mut last) if last.key() + last.get().len() as u64 == at => {
                        last.get_mut().extend(bytes)
                    }
                    _ => drop(pieces.insert(at, ByteBuf::from(bytes))),
                }
                at += size as u64;
            }
        }
        self.keep_asked(asked);
        self.pages.clear();
        self.pieces = pieces;
    }
}

/// Records what a target is asked.
#[derive(Debug)]
pub(super) struct Recorder(Mutex<Notes>);

#[derive(Debug)]
struct Notes {
    /// None: it has been taken.
    recording: Option<Recording>,
    /// Is recording paused, since the current questions are of no use for a replay?
    paused: bool,
}

impl Recorder {
    pub(super) fn new(recording: Recording) -> Recorder {
        Recorder(Mutex::new(Notes { recording: Some(recording), paused: false }))
    }

    pub(super) fn note(&self, note: impl FnOnce(&mut Recording)) {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !notes.paused
            && let Some(recording) = &mut notes.recording
        {
            note(recording);
        }
    }

    pub(super) fn pause(&self, paused: bool) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).paused = paused;
    }

    /// Ends the recording.
    pub(super) fn finish(&self) -> Option<Recording> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).recording.take()
    }

    /// Keeps the pages that a read has touched.
    pub(super) fn note_read(
        &self,
        memory: &Memory,
        address: u64,
        bytes: &[u8],
        result: &Result<(), ReadError>,
    ) {
        self.note(|recording| match result {
            Ok(()) => recording.note_read(memory, address, bytes),
            Err(ReadError { why: Unreadable::ReadsAhead | Unreadable::NotInSnapshot, .. }) => {}
            Err(error) => {
                ask(&mut recording.asked, error.address, 1);
                recording.gaps.insert(error.address / PAGE, error.why.to_string());
            }
        });
    }
}

impl Recording {
    fn note_read(&mut self, memory: &Memory, address: u64, bytes: &[u8]) {
        ask(&mut self.asked, address, bytes.len() as u64);
        let mut rest = bytes;
        let mut at = address;
        while !rest.is_empty() {
            let (number, offset) = (at / PAGE, at % PAGE);
            let (part, others) = rest.split_at(rest.len().min((PAGE - offset) as usize));
            if !self.pages.contains_key(&number) {
                let mut page = part.to_vec();
                if part.len() as u64 != PAGE {
                    page = vec![0; PAGE as usize];
                    if memory.read(number * PAGE, &mut page).is_err() {
                        // The end of what can be read.
                        keep_piece(&mut self.pieces, at, part);
                        page.clear();
                    }
                }
                if !page.is_empty() {
                    self.pages.insert(number, ByteBuf::from(page));
                }
            }
            at = at.wrapping_add(part.len() as u64);
            rest = others;
        }
    }
}

/// Adds a range to those that were asked for.
fn ask(asked: &mut BTreeMap<u64, u64>, address: u64, size: u64) {
    let (mut start, mut end) = (address, address.saturating_add(size));
    // The ranges that it touches become one with it.
    while let Some((&known, &last)) =
        asked.range(..=end).next_back().filter(|(_, last)| **last >= start)
    {
        asked.remove(&known);
        (start, end) = (start.min(known), end.max(last));
    }
    asked.insert(start, end);
}

/// Adds bytes to the pieces, which never overlap nor touch.
fn keep_piece(pieces: &mut BTreeMap<u64, ByteBuf>, address: u64, bytes: &[u8]) {
    let (mut start, mut bytes) = (address, bytes.to_vec());
    let end = |start: u64, bytes: &[u8]| start.saturating_add(bytes.len() as u64);
    while let Some((&known, _)) = pieces
        .range(..=end(start, &bytes))
        .next_back()
        .filter(|(known, piece)| end(**known, piece) >= start)
    {
        let Some(piece) = pieces.remove(&known) else { break };
        let (first, second) =
            if known < start { (piece.into_vec(), bytes) } else { (bytes, piece.into_vec()) };
        let offset = (known.max(start) - known.min(start)) as usize;
        // Both have the same bytes where they overlap.
        let new = first.len() - offset;
        bytes = first;
        bytes.extend(second.get(new..).unwrap_or_default());
        start = start.min(known);
    }
    pieces.insert(start, ByteBuf::from(bytes));
}

/// The memory of a recorded process.
#[derive(Debug)]
pub(super) struct RecordedMemory {
    pub(super) recording: Recording,
    /// Refuse to read whole pages: a DLL that reads ahead then asks for exactly what it needs.
    pub(super) exact: bool,
}

impl RecordedMemory {
    pub(super) fn read(&self, address: u64, buf: &mut [u8]) -> Result<(), ReadError> {
        if self.exact && address.is_multiple_of(PAGE) && (buf.len() as u64).is_multiple_of(PAGE) {
            return Err(ReadError { address, why: Unreadable::ReadsAhead });
        }
        self.recording.read(address, buf)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_become_one() {
        let memory: Vec<u8> = (0..100).collect();
        let mut pieces = BTreeMap::new();
        for (address, size) in
            [(10, 10), (12, 3), (15, 20), (60, 5), (5, 5), (70, 1), (66, 2), (65, 5), (40, 0)]
        {
            keep_piece(&mut pieces, address as u64, &memory[address..address + size]);
        }
        let found: Vec<_> =
            pieces.iter().map(|(start, bytes)| (*start as usize, bytes.len())).collect();
        assert_eq!(found, [(5, 30), (40, 0), (60, 11)]);
        assert!(pieces.iter().all(|(start, bytes)| memory[*start as usize..].starts_with(bytes)));
    }

    #[test]
    fn symbols_keep_their_images() {
        let image = |bias| RecordedImage { path: String::new(), bias, build_id: None };
        let symbol = |image| {
            Some(Symbol {
                address: 8,
                size: 4,
                kind: crate::elf::SymbolKind::Data,
                global: true,
                image,
            })
        };
        let mut recording = Recording {
            images: (0..6).map(image).collect(),
            symbols: [
                ("two".to_owned(), symbol(2)),
                ("none".to_owned(), None),
                ("too".to_owned(), symbol(2)),
            ]
            .into(),
            functions: [("four".to_owned(), symbol(4))].into(),
            ..Recording::empty(Arch::new(true, crate::arch::Endian::Little, 62))
        };
        recording.keep_images_with_symbols();
        assert_eq!(recording.images, [image(0), image(2), image(4)]);
        let images = |symbols: &BTreeMap<String, Option<Symbol>>| -> Vec<_> {
            symbols.values().map(|symbol| symbol.as_ref().map(|symbol| symbol.image)).collect()
        };
        assert_eq!(images(&recording.symbols), [None, Some(1), Some(1)]);
        assert_eq!(images(&recording.functions), [Some(2)]);
    }

    #[test]
    fn ranges_become_one() {
        let mut asked = BTreeMap::new();
        for (address, size) in [(100, 10), (200, 10), (110, 5), (300, 1), (150, 50), (90, 5)] {
            ask(&mut asked, address, size);
        }
        assert_eq!(
            asked.into_iter().collect::<Vec<_>>(),
            [(90, 95), (100, 115), (150, 210), (300, 301)]
        );
    }
}
