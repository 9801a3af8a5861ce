//! Where requests and messages live: chunks of memory that stay for the process's life. An object
//! is made of cells and reused, never destroyed, so a reference to it is always valid. Its
//! generation tells whether it is still the same object.
//!
//! Objects that are made one after the other are neighbours in memory, so that a debugger reads a
//! queue with few accesses.

use crate::handles::{self, HandleKind};
use std::cell::{Cell, RefCell};

/// Bytes of a chunk.
const CHUNK: usize = 64 << 10;

/// An object's place in its slab.
pub(crate) struct SlabPlace {
    index: usize,
    /// Counts the uses of the place, from 1.
    generation: Cell<u32>,
    /// Whether the place is in use.
    live: Cell<bool>,
}

/// An object that lives in a slab.
pub(crate) trait SlabObject: 'static {
    /// What the handles of these objects name.
    const KIND: HandleKind;

    /// An object that is not in use yet.
    fn vacant(place: SlabPlace) -> Self;

    /// Its place.
    fn place(&self) -> &SlabPlace;
}

/// The objects of one type.
pub(crate) struct Slab<T: SlabObject> {
    chunks: RefCell<Vec<&'static [T]>>,
    free: RefCell<Vec<&'static T>>,
}

impl<T: SlabObject> Slab<T> {
    const PER_CHUNK: usize = CHUNK / size_of::<T>();

    /// An empty slab.
    pub(crate) const fn new() -> Slab<T> {
        Slab { chunks: RefCell::new(Vec::new()), free: RefCell::new(Vec::new()) }
    }

    /// An object for a new use. Its fields have the values of the last use.
    #[inline]
    pub(crate) fn take(&self) -> &'static T {
        let free = self.free.borrow_mut().pop();
        let object = free.unwrap_or_else(|| self.grow());
        object.place().live.set(true);
        object
    }

    #[cold]
    fn grow(&self) -> &'static T {
        let mut chunks = self.chunks.borrow_mut();
        let start = chunks.len() * Self::PER_CHUNK;
        let place = |index| SlabPlace { index, generation: Cell::new(1), live: Cell::new(false) };
        let chunk: &'static [T] = Vec::leak(
            (start..start + Self::PER_CHUNK).map(|index| T::vacant(place(index))).collect(),
        );
        chunks.push(chunk);
        self.free.borrow_mut().extend(chunk.iter().skip(1).rev());
        &chunk[0]
    }

    /// Ends the use of an object. Its handle is invalid from now on.
    #[inline]
    pub(crate) fn give_back(&self, object: &'static T) {
        let place = object.place();
        debug_assert!(place.live.get());
        place.live.set(false);
        place.generation.set(place.generation.get().checked_add(1).unwrap_or(1));
        self.free.borrow_mut().push(object);
    }

    /// The object that a handle names, if it is still there.
    #[inline]
    pub(crate) fn get(&self, handle: usize) -> Option<&'static T> {
        let (generation, index) = handles::decode(T::KIND, handle)?;
        let object = self.at(index)?;
        (object.place().generation.get() == generation).then_some(object)
    }

    /// The handle whose low 32 bits are `integer`, if its object is still there.
    pub(crate) fn handle_of_int(&self, integer: i32) -> Option<usize> {
        let (_, index) = handles::decode(T::KIND, integer as u32 as usize | 1 << 32)?;
        self.at(index).map(handle)
    }

    /// The objects in use.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &'static T> + use<T> {
        let chunks = self.chunks.borrow().clone();
        chunks.into_iter().flatten().filter(|object| object.place().live.get())
    }

    fn at(&self, index: usize) -> Option<&'static T> {
        let chunk = *self.chunks.borrow().get(index / Self::PER_CHUNK)?;
        Some(&chunk[index % Self::PER_CHUNK]).filter(|object| object.place().live.get())
    }
}

/// The handle of a live object.
#[inline]
pub(crate) fn handle<T: SlabObject>(object: &'static T) -> usize {
    handles::encode(T::KIND, object.place().generation.get(), object.place().index)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Thing(SlabPlace);

    impl SlabObject for Thing {
        const KIND: HandleKind = HandleKind::Message;
        fn vacant(place: SlabPlace) -> Thing {
            Thing(place)
        }
        fn place(&self) -> &SlabPlace {
            &self.0
        }
    }

    #[test]
    fn a_handle_names_one_use() {
        let slab = Slab::<Thing>::new();
        let first = slab.take();
        let old = handle(first);
        assert!(std::ptr::eq(slab.get(old).unwrap(), first));
        assert_eq!(slab.handle_of_int(old as i32), Some(old));
        slab.give_back(first);
        assert!(slab.get(old).is_none() && slab.handle_of_int(old as i32).is_none());
        let second = slab.take();
        assert!(std::ptr::eq(first, second));
        assert!(slab.get(old).is_none() && slab.get(handle(second)).is_some());
        for garbage in [0, 1, 384, usize::MAX, handle(second) + 1, handle(second) + (1 << 27)] {
            assert!(slab.get(garbage).is_none(), "{garbage:#x}");
        }
    }

    #[test]
    fn objects_made_in_a_row_are_neighbours() {
        let slab = Slab::<Thing>::new();
        let address = |thing: &'static Thing| std::ptr::from_ref(thing).addr();
        let things: Vec<_> = (0..10_000).map(|_| slab.take()).collect();
        let neighbours = things
            .windows(2)
            .filter(|pair| address(pair[1]) == address(pair[0]) + size_of::<Thing>())
            .count();
        assert!(neighbours >= 9_990, "{neighbours}");
    }
}
