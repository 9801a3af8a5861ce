//! The pools that MPICH's objects are taken from, found by their shape.

use super::layout::{PoolFields, handle};
use crate::alloc::{AddressSet, append, mark, push, zeroed};
use crate::debugger::Target;
use crate::elf;
use crate::error::{Code, Error, OrUnreadable, Result};
use crate::layout::{Field, Int, Pointer, Record, Structure, Unsigned};
use crate::memory::Memory;

/// The most bytes of variables that are searched.
const MAX_VARIABLES: u64 = 64 << 20;
/// Variables are read in pieces of this size.
const PIECE: u64 = 1 << 20;
/// Where a piece cannot be read, because a core file lacks a part of it, in pieces of this size.
const SMALL_PIECE: u64 = 64 << 10;
/// Bytes of an object.
const MIN_OBJECT: usize = 16;
const MAX_OBJECT: usize = 1 << 16;
/// The most objects of a pool that the library has room for in its variables.
const MAX_DIRECT: i64 = 1 << 16;
/// The most blocks of further objects of a pool.
const MAX_BLOCKS: i64 = 1 << 14;
/// The most objects of a block. Blocks have a multiple of [`GROUP`] objects.
const MAX_OBJECTS: u64 = 4096;
/// Objects of a block that are read at a time.
const GROUP: u64 = 64;

/// Every object begins with its handle and its reference count.
pub(super) const HANDLE_BYTES: usize = 4;
pub(super) const HANDLE: Field<Unsigned<HANDLE_BYTES>> = Field::at(0);
const REFERENCES: Field<Int> = Field::at(4);
/// A free object has the address of the next one, and its pool that of the first.
const NEXT_FREE: u64 = 8;
const FIRST_FREE: u64 = 0;

/// The variables of the library as they were read.
pub(super) struct Variables {
    parts: Vec<(u64, Vec<u8>)>,
    /// Of each part the ranges that are not zero. Most variables have never been written.
    used: Vec<Vec<(usize, usize)>>,
    /// The library's code and constants: where each part begins, and its size.
    constants: Vec<(u64, u64)>,
    /// Why some of them could not be read, as in a core file that lacks them. They count as zero.
    pub(super) unread: Option<Error>,
}

/// The ranges of each part that are not zero, in whole blocks.
fn used(parts: &[(u64, Vec<u8>)]) -> Result<Vec<Vec<(usize, usize)>>> {
    const BLOCK: usize = 4096;
    let mut all = Vec::new();
    for (_, bytes) in parts {
        let mut used: Vec<(usize, usize)> = Vec::new();
        for (index, block) in bytes.chunks(BLOCK).enumerate() {
            if block.iter().all(|byte| *byte == 0) {
                continue;
            }
            let (from, to) = (index * BLOCK, index * BLOCK + block.len());
            match used.last_mut().filter(|(_, end)| *end == from) {
                Some((_, end)) => *end = to,
                None => push(&mut used, (from, to))?,
            }
        }
        push(&mut all, used)?;
    }
    Ok(all)
}

impl Variables {
    /// Reads the variables of the image that `anchor` lies in.
    pub(super) fn read(memory: &mut Memory<'_>, anchor: u64) -> Result<Self> {
        let elf::Parts { variables, constants } = elf::parts(memory, anchor)?;
        let mut parts = Vec::new();
        let mut left = MAX_VARIABLES;
        let mut unread = None;
        for (start, size) in variables {
            let size = size.min(left);
            left -= size;
            let mut bytes = Vec::new();
            let mut done = 0;
            let mut small_until = 0;
            while done < size {
                let at = start.wrapping_add(done);
                let unit = if done < small_until { SMALL_PIECE } else { PIECE };
                let piece = (unit - at % unit).min(size - done);
                match memory.record(at, piece as usize) {
                    Ok(piece) => append(&mut bytes, &piece)?,
                    Err(error) if error.code == Code::Unreadable && unit == PIECE => {
                        small_until = done + piece;
                        continue;
                    }
                    Err(error) if error.code == Code::Unreadable => {
                        unread = unread.or(Some(error));
                        append(&mut bytes, &zeroed(piece as usize)?)?;
                    }
                    Err(error) => return Err(error),
                }
                done += piece;
            }
            push(&mut parts, (start, bytes))?;
        }
        let used = used(&parts)?;
        Ok(Self { parts, used, constants, unread })
    }

    /// One variable alone.
    pub(super) fn at_place(memory: &mut Memory<'_>, address: u64, size: usize) -> Result<Self> {
        let mut parts = Vec::new();
        push(&mut parts, (address, memory.record(address, size)?))?;
        let used = used(&parts)?;
        Ok(Self { parts, used, constants: Vec::new(), unread: None })
    }

    /// The bytes from an address on.
    fn at(&self, address: u64) -> Option<&[u8]> {
        self.parts.iter().find_map(|(start, bytes)| {
            let place = usize::try_from(address.checked_sub(*start)?).ok()?;
            bytes.get(place..).filter(|rest| !rest.is_empty())
        })
    }

    /// Does one of the variables have this address?
    pub(super) fn contain(&self, address: u64) -> bool {
        self.at(address).is_some()
    }

    /// The bytes of the variables, part by part.
    pub(super) fn parts(&self) -> impl Iterator<Item = &[u8]> {
        self.parts.iter().map(|(_, bytes)| &**bytes)
    }

    /// Every address at which a structure of `size` bytes may be that is not all zero.
    pub(super) fn places(&self, size: usize, align: usize) -> impl Iterator<Item = (u64, &[u8])> {
        self.parts.iter().zip(&self.used).flat_map(move |((start, bytes), used)| {
            let all = bytes.len().checked_sub(size).map_or(0, |last| last + 1);
            let mut done = 0;
            used.iter().flat_map(move |&(from, to)| {
                // It may begin before the range.
                let from = from.saturating_sub(size).max(done).next_multiple_of(align);
                done = to.min(all);
                let places = (from..done).step_by(align);
                places.map(move |place| (start + place as u64, &bytes[place..place + size]))
            })
        })
    }

    /// The pool of objects of this kind, and of this size if one is given.
    pub(super) fn pool(
        &self,
        target: &Target,
        fields: &PoolFields,
        kind: u64,
        size: Option<usize>,
    ) -> Result<Option<u64>> {
        for (address, bytes) in self.places(fields.bytes(), target.pointer) {
            let record = Record { bytes, target };
            if record.get(fields.kind)? != kind {
                continue;
            }
            let bytes = usize::try_from(record.get(fields.size)?).unwrap_or(0);
            if !(MIN_OBJECT..=MAX_OBJECT).contains(&bytes) || size.is_some_and(|size| size != bytes)
            {
                continue;
            }
            let size = bytes;
            let (direct, number) = (record.get(fields.direct)?, record.get(fields.direct_size)?);
            if !matches!(record.get(fields.initialized)?, 0 | 1)
                || !(1..=MAX_DIRECT).contains(&number)
            {
                continue;
            }
            let objects = self.at(direct).and_then(|rest| rest.get(..number as usize * size));
            // The objects get their handles when the first one is taken.
            let fits = |objects: &[u8]| {
                let handle = |bytes| Record { bytes, target }.get(HANDLE);
                objects.chunks_exact(size).enumerate().all(|(index, bytes)| {
                    let expected = handle::DIRECT | kind << handle::KIND_SHIFT | index as u64;
                    handle(bytes).is_ok_and(|handle| handle == 0 || handle == expected)
                })
            };
            if objects.is_some_and(fits) {
                return Ok(Some(address));
            }
        }
        Ok(None)
    }

    /// The pool of objects of this kind that has no objects in the variables, such as that of
    /// datatypes since 5.0. None: no such pool is in use.
    pub(super) fn pool_without_direct(
        &self,
        target: &Target,
        fields: &PoolFields,
        kind: u64,
    ) -> Result<Option<u64>> {
        for (address, bytes) in self.places(fields.bytes(), target.pointer) {
            let record = Record { bytes, target };
            let size = usize::try_from(record.get(fields.size)?).unwrap_or(0);
            if record.get(fields.kind)? == kind
                && (MIN_OBJECT..=MAX_OBJECT).contains(&size)
                && (record.get(fields.direct)?, record.get(fields.direct_size)?) == (0, 0)
                && record.get(fields.initialized)? == 1
                && (1..=MAX_BLOCKS).contains(&record.get(fields.indirect_size)?)
                && target.may_be_object(record.get(fields.indirect)?)
            {
                return Ok(Some(address));
            }
        }
        Ok(None)
    }

    /// Where the predefined objects of this kind and size begin. `place` is that in their handles:
    /// [`handle::BUILTIN`], or [`handle::DIRECT`] where the library has more of them. None: they
    /// are not set up.
    pub(super) fn predefined(
        &self,
        target: &Target,
        place: u64,
        kind: u64,
        size: usize,
    ) -> Result<Option<u64>> {
        let first = place | kind << handle::KIND_SHIFT;
        for (address, bytes) in self.places(2 * size, target.pointer) {
            let handle = |place: usize| Record { bytes: &bytes[place..], target }.get(HANDLE);
            if handle(0)? == first && handle(size)? == first + 1 {
                return Ok(Some(address));
            }
        }
        Ok(None)
    }
}

/// The address of the object of a pool that this handle names. None: there is no such object.
pub(super) fn object(
    memory: &mut Memory<'_>,
    fields: &PoolFields,
    pool: u64,
    handle: u64,
) -> Result<Option<u64>> {
    let bytes = memory.record(pool, fields.bytes())?;
    let record = Record { bytes: &bytes, target: memory.target };
    let size = record.get(fields.size)?.cast_unsigned();
    let index = handle & handle::INDEX;
    let start = match handle & handle::WHERE {
        handle::DIRECT => record.get(fields.direct)?,
        handle::INDIRECT => {
            let block = handle >> handle::BLOCK_SHIFT & handle::BLOCK;
            if block >= record.get(fields.indirect_size)?.cast_unsigned() {
                return Ok(None);
            }
            let pointer = memory.target.pointer as u64;
            memory.pointer(record.get(fields.indirect)?.wrapping_add(block * pointer))?
        }
        _ => return Ok(None),
    };
    let object = start.wrapping_add(index.wrapping_mul(size));
    let found = memory.record(object, HANDLE_BYTES)?;
    let is_it = Record { bytes: &found, target: memory.target }.get(HANDLE)? == handle;
    Ok(is_it.then_some(object))
}

/// The objects of a pool that are in use.
pub(super) struct Objects {
    size: usize,
    addresses: Vec<u64>,
    bytes: Vec<u8>,
}

impl Objects {
    pub(super) fn new(size: usize) -> Self {
        Self { size, addresses: Vec::new(), bytes: Vec::new() }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.addresses.iter().copied().zip(self.bytes.chunks_exact(self.size))
    }

    /// Leaves out the objects that the library has given back to their pool. MPICH 5.0 does not
    /// set the reference count of all of these to 0.
    pub(super) fn leave_out_free(&mut self, memory: &mut Memory<'_>, pool: u64) -> Result<()> {
        let mut free = AddressSet::default();
        let mut place = pool.wrapping_add(FIRST_FREE);
        loop {
            memory.step()?;
            match memory.pointer(place).or_unreadable()? {
                Some(0) => break,
                Some(object) if mark(&mut free, object)? => place = object.wrapping_add(NEXT_FREE),
                // It is being changed.
                _ => return Ok(()),
            }
        }
        let (mut addresses, mut bytes) = (Vec::new(), Vec::new());
        for (address, object) in self.iter().filter(|(address, _)| !free.contains(address)) {
            push(&mut addresses, address)?;
            append(&mut bytes, object)?;
        }
        (self.addresses, self.bytes) = (addresses, bytes);
        Ok(())
    }

    /// Takes the objects from `start` on whose handles count up from `first`. `number` is the
    /// number of their pool. Returns false at the first other handle.
    fn take(
        &mut self,
        memory: &mut Memory<'_>,
        start: u64,
        bytes: &[u8],
        (first, number): (u64, u64),
    ) -> Result<bool> {
        // Objects get the number of their pool when they are first used.
        let marks = [0, handle::of_pool(number), handle::of_pool_since_4_3(number)];
        for (index, bytes) in bytes.chunks_exact(self.size).enumerate() {
            let record = Record { bytes, target: memory.target };
            let (handle, plain) = (record.get(HANDLE)?, first + index as u64);
            if !marks.iter().any(|mark| handle == plain | mark) {
                return Ok(false);
            }
            if record.get(REFERENCES)? > 0 {
                memory.step()?;
                push(&mut self.addresses, start.wrapping_add((index * self.size) as u64))?;
                append(&mut self.bytes, bytes)?;
            }
        }
        Ok(true)
    }

    /// Takes the objects of the pool at `pool` that are in use. What was read before an error is
    /// kept. `number` is the number of the pool, if a kind of objects has several pools.
    pub(super) fn read(
        &mut self,
        memory: &mut Memory<'_>,
        fields: &PoolFields,
        pool: u64,
        number: u64,
    ) -> Result<()> {
        let here = |error: Error| error.within("MPIR_Object_alloc_t", pool);
        let bytes = memory.record(pool, fields.bytes()).map_err(here)?;
        let record = Record { bytes: &bytes, target: memory.target };
        if record.get(fields.initialized)? == 0 {
            return Ok(());
        }
        let kind = record.get(fields.kind)? << handle::KIND_SHIFT;
        let (direct, count) = (record.get(fields.direct)?, record.get(fields.direct_size)?);
        let (blocks, number_of_blocks) =
            (record.get(fields.indirect)?, record.get(fields.indirect_size)?);
        let impossible = |part| here(Error::new(Code::Impossible).part(part));
        if !(0..=MAX_DIRECT).contains(&count) {
            return Err(impossible("direct_size"));
        }
        let objects = memory.record(direct, count as usize * self.size).map_err(here)?;
        if !self.take(memory, direct, &objects, (handle::DIRECT | kind, 0)).map_err(here)? {
            return Err(impossible("direct"));
        }
        if !(0..=MAX_BLOCKS).contains(&number_of_blocks) {
            return Err(impossible("indirect_size"));
        }
        let pointer = memory.target.pointer;
        let blocks = memory.record(blocks, number_of_blocks as usize * pointer).map_err(here)?;
        for (index, block) in blocks.chunks_exact(pointer).enumerate() {
            let block = memory.target.unsigned(block);
            let first = handle::INDIRECT | kind | (index as u64) << handle::BLOCK_SHIFT;
            self.block(memory, block, (first, number)).map_err(here)?;
        }
        Ok(())
    }

    /// Takes the objects of a block. Only the handles tell how many there are.
    fn block(
        &mut self,
        memory: &mut Memory<'_>,
        block: u64,
        (first, number): (u64, u64),
    ) -> Result<()> {
        let size = self.size as u64;
        for place in (0..MAX_OBJECTS).step_by(GROUP as usize) {
            let start = block.wrapping_add(place * size);
            let bytes = match memory.record(start, (GROUP * size) as usize) {
                Err(error) if error.code == Code::Unreadable && place > 0 => return Ok(()),
                bytes => bytes?,
            };
            if !self.take(memory, start, &bytes, (first + place, number))? {
                // The first object of a group belongs to another block, or has no handle.
                return if place > 0 { Ok(()) } else { Err(Error::new(Code::Impossible)) };
            }
        }
        Ok(())
    }
}

impl Variables {
    /// May this word be the address of an object outside of the library? A library has tens of
    /// thousands of words that are addresses of its own functions and texts.
    pub(super) fn may_be_object(&self, target: &Target, word: u64) -> bool {
        let is_in = |&(start, size): &(u64, u64)| word.wrapping_sub(start) < size;
        target.may_be_object(word) && !self.constants.iter().any(is_in)
    }

    /// The words of the variables that may be addresses of objects outside of the library, each
    /// once, in the order of the variables.
    pub(super) fn objects(&self, target: &Target) -> Result<Vec<u64>> {
        let (mut seen, mut found) = (AddressSet::default(), Vec::new());
        for bytes in self.parts().flat_map(|part| part.chunks_exact(target.pointer)) {
            let word = Record { bytes, target }.get(Field::<Pointer>::at(0))?;
            if self.may_be_object(target, word) && mark(&mut seen, word)? {
                push(&mut found, word)?;
            }
        }
        Ok(found)
    }
}
