//! A mapped file that may become shorter.
//!
//! Reading a page of a map that the file no longer has ends the process with SIGBUS. Files here are
//! those of other people's processes: a core file may still be written, or be removed from a full
//! disk. Therefore a handler supplies zeros for the missing pages, and the map remembers that it
//! did.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::ops::Deref;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use memmap2::Mmap;

/// How many files can be mapped at a time. Further ones are copied.
const MOST: usize = 4096;

/// A copy of a file up to this size, in bytes, takes less time than a map of it.
const SMALL: u64 = 64 << 10;

/// The addresses of a map, for the handler.
struct Slot {
    /// The first address, [`FREE`] or [`TAKEN`].
    start: AtomicUsize,
    end: AtomicUsize,
    has_shrunk: AtomicBool,
}

const FREE: usize = 0;
/// The slot is being filled.
const TAKEN: usize = 1;

static SLOTS: [Slot; MOST] = [const {
    Slot {
        start: AtomicUsize::new(FREE),
        end: AtomicUsize::new(0),
        has_shrunk: AtomicBool::new(false),
    }
}; MOST];

/// The action for SIGBUS that was in force before.
static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

/// The bytes of a file.
#[derive(Debug)]
pub struct Mapped(Bytes);

#[derive(Debug)]
enum Bytes {
    Map { map: Mmap, slot: usize },
    Copy(Vec<u8>),
}

impl Mapped {
    pub(super) fn new(file: &File) -> io::Result<Mapped> {
        install()?;
        // SAFETY: the map is read-only. Writers of the file can change what is read, which every
        // reader here takes for damage; if the file becomes shorter, the handler supplies zeros.
        let map = unsafe { Mmap::map(file) }?;
        match register(&map) {
            Some(slot) => Ok(Mapped(Bytes::Map { map, slot })),
            None => copy(file, file.metadata()?.len()),
        }
    }

    /// The bytes that a small file has now, or a map of a large one.
    pub(super) fn copy_or_map(file: &File) -> io::Result<Mapped> {
        match file.metadata()?.len() {
            length if length <= SMALL => copy(file, length),
            _ => Mapped::new(file),
        }
    }

    /// Whether the file has become shorter, and bytes were read that are no longer there.
    pub fn has_shrunk(&self) -> bool {
        match &self.0 {
            Bytes::Map { slot, .. } => SLOTS[*slot].has_shrunk.load(Ordering::Acquire),
            Bytes::Copy(_) => false,
        }
    }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Bytes::Map { map, .. } => map,
            Bytes::Copy(copy) => copy,
        }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // Before the map itself goes, since its addresses may be used again at once.
        if let Bytes::Map { slot, .. } = self.0 {
            SLOTS[slot].start.store(FREE, Ordering::Release);
        }
    }
}

/// Reads a file of this length. Bytes that are added meanwhile are left out.
fn copy(mut file: &File, length: u64) -> io::Result<Mapped> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(length).read_to_end(&mut bytes)?;
    Ok(Mapped(Bytes::Copy(bytes)))
}

/// Notes the addresses of a map; `None` if there are too many maps.
fn register(map: &Mmap) -> Option<usize> {
    let take = |slot: &Slot| {
        slot.start.compare_exchange(FREE, TAKEN, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    };
    let index = SLOTS.iter().position(take)?;
    let slot = &SLOTS[index];
    let start = map.as_ptr().addr();
    slot.has_shrunk.store(false, Ordering::Relaxed);
    slot.end.store(start + map.len(), Ordering::Relaxed);
    slot.start.store(start, Ordering::Release);
    Some(index)
}

/// Installs the handler, once.
fn install() -> io::Result<()> {
    if BEFORE.get().is_some() {
        return Ok(());
    }
    // SAFETY: both structures are plain data, for which zeros are valid; the handler does only what
    // a signal handler may do. If two threads both come here, the second one finds this handler in
    // force, and does not keep it as the earlier one.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_bus_error as *const () as libc::sighandler_t;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        let mut before: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(libc::SIGBUS, &action, &mut before) != 0 {
            return Err(io::Error::last_os_error());
        }
        if before.sa_sigaction != action.sa_sigaction {
            let _ = BEFORE.set(before);
        }
    }
    Ok(())
}

/// Supplies zeros for what a mapped file no longer has. Every other bus error goes to whoever
/// handled it before.
extern "C" fn on_bus_error(signal: i32, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel passes a valid structure.
    let address = unsafe { (*info).si_addr() }.addr();
    for slot in &SLOTS {
        let (start, end) = (slot.start.load(Ordering::Acquire), slot.end.load(Ordering::Relaxed));
        if start > TAKEN && (start..end).contains(&address) && replace(address, end) {
            slot.has_shrunk.store(true, Ordering::Release);
            return;
        }
    }
    if let Some(before) = BEFORE.get() {
        // SAFETY: it was in force before. When this handler returns, the instruction fails again.
        unsafe { libc::sigaction(signal, before, std::ptr::null_mut()) };
    }
}

/// Replaces a map's pages with zeros, from the page of an address to the end.
fn replace(address: usize, end: usize) -> bool {
    // SAFETY: it only asks for a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    let Ok(page) = usize::try_from(page) else { return false };
    let start = address & !(page - 1);
    let size = end.next_multiple_of(page) - start;
    let place = std::ptr::without_provenance_mut(start);
    let flags = libc::MAP_PRIVATE | libc::MAP_FIXED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: the pages belong to a map that is alive, since its thread is reading it, and that
    // nobody writes to.
    let placed = unsafe { libc::mmap(place, size, libc::PROT_READ, flags, -1, 0) };
    placed != libc::MAP_FAILED
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_file_that_becomes_shorter() {
        const SIZE: usize = 1 << 20;
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&vec![7; SIZE]).unwrap();
        let map = Mapped::new(&file).unwrap();
        assert_eq!((map.len(), map[SIZE - 1], map.has_shrunk()), (SIZE, 7, false));
        file.set_len(SIZE as u64 / 2).unwrap();
        assert_eq!((map[0], map.has_shrunk()), (7, false));
        assert_eq!((map[SIZE / 2], map[SIZE - 1], map.has_shrunk()), (0, 0, true));
        assert_eq!(map[SIZE / 2 - 1], 7);
        // Other maps are not affected.
        let other = Mapped::new(&file).unwrap();
        assert_eq!((other.len(), other[SIZE / 2 - 1], other.has_shrunk()), (SIZE / 2, 7, false));
    }
}
