//! Reads the target's memory: bytes, words and strings.

use super::core::CoreMemory;
use super::live::{Hold, LiveMemory};
use super::recording::RecordedMemory;
use super::{Arch, ReadError};
use crate::files::without_mark;

/// The memory of a process.
#[derive(Debug)]
pub(super) enum Memory {
    Live(LiveMemory),
    Core(CoreMemory),
    Recorded(Box<RecordedMemory>),
}

impl Memory {
    /// Keeps a live process stopped. None: it is none, or not all of its threads have stopped.
    pub(super) fn hold(&self) -> Option<Hold> {
        match self {
            Memory::Live(live) => live.hold(),
            Memory::Core(_) | Memory::Recorded(_) => None,
        }
    }

    /// Lets a live process go, unless a [`Hold`] keeps it. It cannot be read any more.
    pub(super) fn let_go(&self) {
        match self {
            Memory::Live(live) => live.let_go(),
            Memory::Core(_) | Memory::Recorded(_) => {}
        }
    }

    /// Was a read of a live process refused because its time limit had passed?
    pub(super) fn was_cut(&self) -> bool {
        match self {
            Memory::Live(live) => live.was_cut(),
            Memory::Core(_) | Memory::Recorded(_) => false,
        }
    }

    /// Fills `buf`, or fails.
    pub(super) fn read(&self, address: u64, buf: &mut [u8]) -> Result<(), ReadError> {
        match self {
            Memory::Live(live) => live.read(address, buf),
            Memory::Core(core) => core.read(address, buf),
            Memory::Recorded(recorded) => recorded.read(address, buf),
        }
    }

    /// Fills `buf` with what the process itself had there. Files on this machine are not used.
    pub(super) fn read_own(&self, address: u64, buf: &mut [u8]) -> Result<(), ReadError> {
        match self {
            Memory::Live(live) => live.read(address, buf),
            Memory::Core(core) => core.read_own(address, buf),
            Memory::Recorded(recorded) => recorded.read(address, buf),
        }
    }

    /// The bytes at an address that the process itself has, up to the first gap and at most
    /// `limit`.
    pub(super) fn own_bytes(&self, address: u64, limit: usize) -> Vec<u8> {
        let mut bytes = vec![0; limit];
        if let Err(error) = self.read_own(address, &mut bytes) {
            let have =
                usize::try_from(error.address.saturating_sub(address)).unwrap_or(0).min(limit);
            bytes.truncate(have);
            if self.read_own(address, &mut bytes).is_err() {
                bytes.clear();
            }
        }
        bytes
    }

    /// The pointer-sized word at an address.
    pub(super) fn word(&self, arch: &Arch, address: u64) -> Result<u64, ReadError> {
        let mut bytes = [0; 8];
        let bytes = &mut bytes[..arch.pointer_size as usize];
        self.read(address, bytes)?;
        Ok(arch.unsigned(bytes))
    }

    /// The zero-terminated string at an address, cut at `limit` bytes.
    pub(super) fn string(&self, address: u64, limit: usize) -> Result<Vec<u8>, ReadError> {
        // Pieces that end at multiples of their size: a string may be the last thing before a gap.
        const PIECE: u64 = 64;
        let mut string = Vec::new();
        while string.len() < limit {
            let at = address.wrapping_add(string.len() as u64);
            let mut piece = [0; PIECE as usize];
            let piece = &mut piece[..(PIECE - at % PIECE) as usize];
            self.read(at, piece)?;
            match piece.iter().position(|byte| *byte == 0) {
                Some(end) => {
                    string.extend_from_slice(&piece[..end]);
                    return Ok(string);
                }
                None => string.extend_from_slice(piece),
            }
        }
        string.truncate(limit);
        Ok(string)
    }
}

/// A file, or part of it, in the address space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mapping {
    pub(super) start: u64,
    pub(super) end: u64,
    /// Of `start` in the file.
    pub(super) offset: u64,
    pub(super) path: std::path::PathBuf,
    /// The file had no name any more.
    pub(super) deleted: bool,
}

impl Mapping {
    pub(super) fn contains(&self, address: u64) -> bool {
        (self.start..self.end).contains(&address)
    }
}

/// The path of a file, and whether the file has been removed or replaced.
pub(super) fn split_deleted(path: &[u8]) -> (std::path::PathBuf, bool) {
    use std::os::unix::ffi::OsStrExt;
    let name = without_mark(path);
    (std::ffi::OsStr::from_bytes(name).into(), name.len() < path.len())
}
