//! The two kinds of lists that libfabric is made of, and tables of them.

use crate::alloc::{AddressSet, mark, push};
use crate::error::{Code, Error, Result};
use crate::memory::Memory;

/// Tables by address have this many parts, each with this many entries.
pub(super) const PARTS: usize = 1024;
pub(super) const PLACES: usize = 1024;
/// Words of the head of a list with an end.
const HEAD_WORDS: usize = 2;

/// The elements of a list with an end: its head names the first and the last one, and each element
/// begins with the address of the next one.
pub(super) fn chain(memory: &mut Memory<'_>, head: u64, seen: &mut AddressSet) -> Result<Vec<u64>> {
    let mut elements = Vec::new();
    let mut element = memory.pointer(head)?;
    let last = memory.pointer(head.wrapping_add(memory.target.pointer as u64))?;
    while element != 0 {
        step(memory, element, seen)?;
        push(&mut elements, element)?;
        if element == last {
            return Ok(elements);
        }
        element = memory.pointer(element)?;
    }
    // The last element of an empty list has no meaning.
    if elements.is_empty() { Ok(elements) } else { Err(Error::new(Code::Impossible)) }
}

/// Gives the heads of the lists of a table by source to `each`, but for empty ones.
pub(super) fn by_source<'m>(
    memory: &mut Memory<'m>,
    table: u64,
    mut each: impl FnMut(&mut Memory<'m>, u64) -> Result<()>,
) -> Result<()> {
    let word = memory.target.pointer;
    let size = HEAD_WORDS * word;
    let parts = memory.record(table, PARTS * word)?;
    for part in parts.chunks_exact(word) {
        let part = memory.target.unsigned(part);
        if part == 0 {
            continue;
        }
        let heads = memory.record(part, PLACES * size)?;
        for (place, head) in heads.chunks_exact(size).enumerate() {
            if memory.target.unsigned(&head[..word]) != 0 {
                each(memory, part.wrapping_add((place * size) as u64))?;
            }
        }
    }
    Ok(())
}

/// The links of a ring, without its head. Each is the address of the next link and of the one
/// before.
pub(super) fn ring(memory: &mut Memory<'_>, head: u64, seen: &mut AddressSet) -> Result<Vec<u64>> {
    let mut links = Vec::new();
    let mut link = memory.pointer(head)?;
    while link != head {
        step(memory, link, seen)?;
        push(&mut links, link)?;
        link = memory.pointer(link)?;
    }
    Ok(links)
}

/// Whether the head of a ring is linked in both directions.
pub(super) fn is_ring(memory: &mut Memory<'_>, head: u64) -> Result<bool> {
    let word = memory.target.pointer as u64;
    let (next, previous) = (memory.pointer(head)?, memory.pointer(head.wrapping_add(word))?);
    Ok(next != 0
        && memory.pointer(next.wrapping_add(word))? == head
        && memory.pointer(previous)? == head)
}

fn step(memory: &mut Memory<'_>, element: u64, seen: &mut AddressSet) -> Result<()> {
    memory.step()?;
    if mark(seen, element)? { Ok(()) } else { Err(Error::new(Code::Cycle).at(element)) }
}
