//! The target's memory, read in large pieces with few callbacks.
//!
//! A fetch callback costs microseconds to milliseconds, whatever its size, so structures are not
//! fetched one by one. A miss fetches a page or a window of pages around it; what lies near is then
//! served from memory. [`Reach`] decides how far a fetch reaches: far where neighbours are used,
//! near where objects are scattered or where the debugger cannot read a whole window (the end of a
//! mapping, a truncated core file).
//!
//! All work is bounded by [`Limits`], whatever the target's memory holds. A [`Memory`] lives for
//! one pass: the process may run between two.

use crate::alloc::{AddressMap, AddressSet, append, insert, mark, push, zeroed};
use crate::debugger::Target;
use crate::error::{Code, Error, OrUnreadable, Result};
use crate::text::until_nul;

/// How much is fetched if neighbours are not used, in bytes. Any page size of a target is a
/// multiple of it.
const PAGE: u64 = 4096;
/// How much is fetched if neighbours are used, in bytes.
const WINDOW: u64 = 16 * PAGE;
/// Reads of more bytes than this are fetched directly into the caller's buffer, in pieces of this
/// size.
const PIECE: usize = 1024 * 1024;
/// After so many failed fetches in a row it is asked whether the process can be read at all.
const DOUBT: u32 = 8;
/// Bytes kept for later reads.
const CACHE: usize = 32 * 1024 * 1024;

/// How much one pass may read. Far more than a real program has, and little enough that a debugger
/// stays responsive.
struct Limits;

impl Limits {
    /// Elements of all lists together.
    const ELEMENTS: u32 = 1 << 20;
    /// Fetch callbacks.
    const FETCHES: u32 = 1 << 22;
    /// Bytes of everything that is asked for.
    const BYTES: u64 = 1 << 30;
}

/// The memory of a process during one pass.
pub(crate) struct Memory<'a> {
    pub(crate) target: &'a Target,
    /// What was fetched, and the place of each of its pages there.
    blocks: Vec<Vec<u8>>,
    pages: AddressMap<(u32, u32)>,
    held: usize,
    reach: Reach,
    /// Pages where [`Memory::visit`] could not read.
    holes: AddressSet,
    /// Where the last fetch was that did not fail, and how many have failed since.
    readable: Option<u64>,
    failures: u32,
    /// The process cannot be read any more.
    lost: bool,
    elements: u32,
    fetches: u32,
    bytes: u64,
}

impl<'a> Memory<'a> {
    /// `readable` is an address that could be read in the pass before.
    pub(crate) fn new(target: &'a Target, readable: Option<u64>) -> Self {
        Self {
            target,
            blocks: Vec::new(),
            pages: AddressMap::default(),
            held: 0,
            reach: Reach::default(),
            holes: AddressSet::default(),
            readable,
            failures: 0,
            lost: false,
            elements: Limits::ELEMENTS,
            fetches: Limits::FETCHES,
            bytes: Limits::BYTES,
        }
    }

    /// An address that can be read, for the next pass.
    pub(crate) fn readable(&self) -> Option<u64> {
        self.readable
    }

    /// Accounts for one more element of a list.
    pub(crate) fn step(&mut self) -> Result<()> {
        self.elements = self.elements.checked_sub(1).ok_or(Error::new(Code::TooMuch))?;
        Ok(())
    }

    /// Accounts for memory that is made from little, such as a group with a rule for its ranks.
    pub(crate) fn account(&mut self, bytes: u64) -> Result<()> {
        self.bytes = self.bytes.checked_sub(bytes).ok_or(Error::new(Code::TooMuch))?;
        Ok(())
    }

    /// Accounts for bytes that are read, before there is room for them. Gives the address of the
    /// last one. There is at least one.
    fn begin(&mut self, address: u64, size: usize) -> Result<u64> {
        let unreadable = Error::new(Code::Unreadable).at(address);
        let last = address.checked_add(size as u64 - 1).ok_or(unreadable)?;
        if address == 0 || last > self.target.last_address() {
            return Err(unreadable);
        }
        self.account(size as u64).map_err(|error| error.at(address))?;
        Ok(last)
    }

    /// Reads all of `into`, which is not empty.
    pub(crate) fn read(&mut self, address: u64, into: &mut [u8]) -> Result<()> {
        let last = self.begin(address, into.len())?;
        self.fill(address, last, into)
    }

    fn fill(&mut self, address: u64, last: u64, into: &mut [u8]) -> Result<()> {
        if into.len() as u64 > WINDOW {
            return self.read_pieces(address, into);
        }
        let mut done = 0;
        while done < into.len() {
            let (at, rest) = (address + done as u64, &mut into[done..]);
            match self.cached(at) {
                Some(bytes) => {
                    let size = bytes.len().min(rest.len());
                    rest[..size].copy_from_slice(&bytes[..size]);
                    done += size;
                }
                None => {
                    if !self.load(at, last)? {
                        return self.fetch_needed(at, rest);
                    }
                }
            }
        }
        Ok(())
    }

    /// Reads a structure of `size` bytes; nothing for a size of 0.
    pub(crate) fn record(&mut self, address: u64, size: usize) -> Result<Vec<u8>> {
        if size == 0 {
            return Ok(Vec::new());
        }
        let last = self.begin(address, size)?;
        let mut bytes = zeroed(size)?;
        self.fill(address, last, &mut bytes)?;
        Ok(bytes)
    }

    /// Reads a pointer.
    pub(crate) fn pointer(&mut self, address: u64) -> Result<u64> {
        let mut bytes = [0; 8];
        let bytes = &mut bytes[..self.target.pointer];
        self.read(address, bytes)?;
        Ok(self.target.unsigned(bytes))
    }

    /// Reads a zero-terminated string into `into`, cut where that is full. Gives its length.
    pub(crate) fn read_string(&mut self, address: u64, into: &mut [u8]) -> Result<usize> {
        let mut done = 0;
        let mut step = into.len();
        while done < into.len() {
            // Not beyond the page: the string may be the last thing that can be read.
            let at = address.wrapping_add(done as u64);
            let size = step.min(into.len() - done).min((PAGE - at % PAGE) as usize);
            let part = &mut into[done..done + size];
            match self.read(at, part) {
                Ok(()) => {
                    if let Some(length) = part.iter().position(|byte| *byte == 0) {
                        return Ok(done + length);
                    }
                    done += size;
                }
                Err(error) if error.code != Code::Unreadable || size == 1 => return Err(error),
                Err(_) => step = size / 2,
            }
        }
        Ok(done)
    }

    /// Reads a zero-terminated text that is not empty. None: there is none, or it is not UTF-8.
    pub(crate) fn text<'t>(&mut self, address: u64, into: &'t mut [u8]) -> Option<&'t str> {
        self.read_string(address, into).ok()?;
        std::str::from_utf8(until_nul(into)).ok().filter(|text| !text.is_empty())
    }

    /// Reads `size` bytes at each of many addresses, most of which may be addresses of nothing, and
    /// gives what can be read to `each`. The addresses are visited upwards, so that neighbours are
    /// fetched together.
    pub(crate) fn visit(
        &mut self,
        addresses: &[u64],
        size: usize,
        mut each: impl FnMut(u64, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut sorted = Vec::new();
        append(&mut sorted, addresses)?;
        sorted.sort_unstable();
        sorted.dedup();
        let mut unreadable_until = 0;
        let mut bytes = zeroed(size)?;
        for address in sorted {
            let page = address / PAGE;
            if address < unreadable_until || self.holes.contains(&page) {
                continue;
            }
            let before = self.reach;
            match self.read(address, &mut bytes).or_unreadable()? {
                Some(()) => each(address, &bytes)?,
                // Its page cannot be read, or the next page if the bytes cross the end. Later
                // addresses of this page are skipped.
                None => {
                    unreadable_until = (page + 1).saturating_mul(PAGE);
                    if address.saturating_add(size as u64) <= unreadable_until {
                        mark(&mut self.holes, page)?;
                    }
                    // An address of nothing does not tell how objects lie.
                    self.reach = before.by_pages();
                }
            }
        }
        Ok(())
    }

    /// The bytes from `address` to the end of its page, if they are at hand.
    fn cached(&self, address: u64) -> Option<&[u8]> {
        let &(block, offset) = self.pages.get(&(address / PAGE))?;
        let start = offset as usize + (address % PAGE) as usize;
        self.blocks.get(block as usize)?.get(start..offset as usize + PAGE as usize)
    }

    /// Makes the page of `from` available, and if possible everything up to `last` by the same
    /// fetch. False: not even the page can be read as a whole.
    fn load(&mut self, from: u64, last: u64) -> Result<bool> {
        self.reach.adapt(from, |page| self.pages.contains_key(&page));
        loop {
            let unit = match self.reach.extent {
                Extent::Window => WINDOW,
                Extent::Page => PAGE,
                Extent::Exact => return Ok(false),
            };
            let (start, end) = (from - from % unit, last - last % PAGE);
            let size = unit.max(end - start + PAGE);
            if self.load_block(start, size).or_unreadable()?.is_some() {
                return Ok(true);
            }
            self.reach.failed();
        }
    }

    fn load_block(&mut self, start: u64, size: u64) -> Result<()> {
        // The last page of the address space would end beyond it.
        if start.checked_add(size - 1).is_none_or(|last| last > self.target.last_address()) {
            return Err(Error::new(Code::Unreadable).at(start));
        }
        let mut block = zeroed(size as usize)?;
        self.fetch(start, &mut block)?;
        if self.held + block.len() > CACHE {
            self.pages.clear();
            self.blocks.clear();
            self.held = 0;
        }
        self.held += block.len();
        let index = self.blocks.len() as u32;
        push(&mut self.blocks, block)?;
        for offset in (0..size).step_by(PAGE as usize) {
            insert(&mut self.pages, (start + offset) / PAGE, (index, offset as u32))?;
        }
        Ok(())
    }

    fn read_pieces(&mut self, address: u64, into: &mut [u8]) -> Result<()> {
        for (index, piece) in into.chunks_mut(PIECE).enumerate() {
            self.fetch_needed(address + (index * PIECE) as u64, piece)?;
        }
        Ok(())
    }

    /// Fetches only what is needed. A debugger may refuse whole pages in order to learn what is
    /// needed, so a page that is needed is fetched in two parts.
    fn fetch_needed(&mut self, address: u64, into: &mut [u8]) -> Result<()> {
        let is_pages = address.is_multiple_of(PAGE) && (into.len() as u64).is_multiple_of(PAGE);
        if !is_pages {
            return self.fetch(address, into);
        }
        let (first, rest) = into.split_at_mut(1);
        self.fetch(address, first)?;
        self.fetch(address + 1, rest)
    }

    fn fetch(&mut self, address: u64, into: &mut [u8]) -> Result<()> {
        if self.lost {
            return Err(Error::new(Code::Lost).at(address));
        }
        self.fetches = self.fetches.checked_sub(1).ok_or(Error::new(Code::TooMuch).at(address))?;
        let result = self.target.fetch(address, into);
        match result {
            Ok(()) => (self.readable, self.failures) = (Some(address), 0),
            Err(error) => {
                self.failures = self.failures.wrapping_add(1);
                self.lost = self.failures.is_multiple_of(DOUBT) && self.is_lost();
                if self.lost {
                    return Err(error.of(Code::Lost));
                }
            }
        }
        result
    }

    /// The reason for an error of this pass: perhaps the process was lost at its last fetches.
    pub(crate) fn explain(&self, error: Error) -> Error {
        let is_lost = !error.is_final() && self.failures > 0 && self.is_lost();
        if is_lost { error.of(Code::Lost) } else { error }
    }

    /// Can an address not be read any more that could be read before? Then the process has ended or
    /// runs, and every other read would fail.
    fn is_lost(&self) -> bool {
        self.readable.is_some_and(|address| self.target.fetch(address, &mut [0]).is_err())
    }
}

/// How much a miss fetches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// No more than is wanted, and nothing is kept.
    Exact,
    Page,
    Window,
}

/// How far fetches reach, learned from the misses of this pass.
///
/// It grows where misses are near each other and shrinks where they are not. Each failure doubles
/// the number of near misses that the next growth requires, so that few fetches fail.
#[derive(Clone, Copy)]
struct Reach {
    extent: Extent,
    /// While pages are fetched: successive misses that were near each other. While windows are
    /// fetched: successive misses that were not.
    run: u32,
    patience: u32,
    last: u64,
}

impl Default for Reach {
    fn default() -> Self {
        Self { extent: Extent::Page, run: 0, patience: 1, last: 0 }
    }
}

impl Reach {
    /// Far misses in a row after which windows are given up.
    const SCATTERED: u32 = 4;
    const MAX_PATIENCE: u32 = 1024;

    /// Decides what to fetch for a miss at `address`.
    fn adapt(&mut self, address: u64, has_page: impl Fn(u64) -> bool) {
        let last = std::mem::replace(&mut self.last, address);
        let page = address / PAGE;
        let window = page - page % (WINDOW / PAGE);
        let near = match self.extent {
            Extent::Exact => last.abs_diff(address) < PAGE,
            Extent::Page => {
                (window..window + WINDOW / PAGE).any(has_page) || last.abs_diff(address) < WINDOW
            }
            Extent::Window => {
                [window.wrapping_sub(1), window + WINDOW / PAGE, page.wrapping_sub(1)]
                    .into_iter()
                    .any(has_page)
            }
        };
        let (counts, limit, next) = match self.extent {
            Extent::Exact => (near, self.patience, Extent::Page),
            Extent::Page => (near, self.patience, Extent::Window),
            Extent::Window => (!near, Self::SCATTERED, Extent::Page),
        };
        self.run = if counts { self.run + 1 } else { 0 };
        if self.run >= limit {
            (self.extent, self.run) = (next, 0);
        }
    }

    /// The same, but no windows are fetched for now.
    fn by_pages(self) -> Self {
        match self.extent {
            Extent::Window => Self { extent: Extent::Page, run: 0, ..self },
            Extent::Page | Extent::Exact => self,
        }
    }

    /// Notes that the chosen extent could not be read.
    fn failed(&mut self) {
        self.extent = match self.extent {
            Extent::Window => Extent::Page,
            Extent::Page | Extent::Exact => Extent::Exact,
        };
        self.run = 0;
        self.patience = (self.patience * 2).min(Self::MAX_PATIENCE);
    }
}
