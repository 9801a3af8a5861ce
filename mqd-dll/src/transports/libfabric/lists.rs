//! The two kinds of lists that libfabric is made of.

use crate::alloc::{AddressSet, mark, push};
use crate::error::{Code, Error, Result};
use crate::memory::Memory;

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
