//! How many threads may be in MPI at a time.
//!
//! No symbol names the variable that says so (`MPIR_ThreadInfo`), but its shape does: the level of
//! thread support, the thread that has initialized MPI, and whether the level is
//! `MPI_THREAD_MULTIPLE`. A thread is named by the address of its descriptor. In glibc for x86-64,
//! the first and the third word of the descriptor are its own address.

use super::pools::Variables;
use crate::alloc::{AddressSet, mark, push};
use crate::error::Result;
use crate::layout::{Field, Int, Pointer, Record};
use crate::memory::Memory;

/// The words of the variable: the level, the thread, and whether there are several.
const WORDS: usize = 3;
/// The offset of the second such word in a descriptor, in words.
const SELF: usize = 2;
/// `MPI_THREAD_MULTIPLE`.
const MULTIPLE: i64 = 3;

/// Whether several threads may be in MPI. None: it is not known.
pub(super) fn several(memory: &mut Memory<'_>, variables: &Variables) -> Result<Option<bool>> {
    let target = memory.target;
    let word = target.pointer;
    let (mut candidates, mut threads) = (Vec::new(), Vec::new());
    for (_, bytes) in variables.places(WORDS * word, word) {
        let record = Record { bytes, target };
        let level = record.get(Field::<Int>::at(0))?;
        let several = record.get(Field::<Int>::at(2 * word))?;
        let is_level = record.get(Field::<Pointer>::at(0))? == level.cast_unsigned();
        let thread = record.get(Field::<Pointer>::at(word))?;
        if is_level
            && (0..=MULTIPLE).contains(&level)
            && several == i64::from(level == MULTIPLE)
            && variables.may_be_object(target, thread)
        {
            push(&mut candidates, (thread, several != 0))?;
            push(&mut threads, thread)?;
        }
    }
    let mut descriptors = AddressSet::default();
    memory.visit(&threads, (SELF + 1) * word, |thread, bytes| {
        let record = Record { bytes, target };
        let names = |place: usize| record.get(Field::<Pointer>::at(place * word));
        if names(0)? == thread && names(SELF)? == thread {
            mark(&mut descriptors, thread)?;
        }
        Ok(())
    })?;
    let mut found = None;
    for (_, several) in candidates.iter().filter(|(thread, _)| descriptors.contains(thread)) {
        // Two candidates differ, so one of them is something else.
        if found.is_some_and(|before| before != *several) {
            return Ok(None);
        }
        found = Some(*several);
    }
    Ok(found)
}
