//! Handles of the interface and what they name: places in memory that is never freed. So a handle
//! is checked by two loads, without a lock and without dereferencing what may be garbage.

use crate::handles::{HandleKind, decode, encode};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

const PER_CHUNK: usize = 256;
const CHUNKS: usize = 256;

/// The most handles of a kind at a time.
pub(super) const MOST: usize = PER_CHUNK * CHUNKS;

/// A place and what is in it.
pub(super) struct Slot<T> {
    /// The generation of the handle that names it; zero while none does.
    stamp: AtomicU32,
    content: T,
}

/// The objects of one kind of handle.
pub(super) struct Slots<T: 'static> {
    kind: HandleKind,
    chunks: [AtomicPtr<Slot<T>>; CHUNKS],
    places: Mutex<Places>,
}

struct Places {
    /// The last generation of each place.
    generations: Vec<u32>,
    free: Vec<usize>,
}

impl<T: Default + Sync> Slots<T> {
    /// No objects.
    pub(super) const fn new(kind: HandleKind) -> Self {
        let places = Mutex::new(Places { generations: Vec::new(), free: Vec::new() });
        Slots { kind, chunks: [const { AtomicPtr::new(ptr::null_mut()) }; CHUNKS], places }
    }

    /// The object that a handle names.
    #[inline]
    pub(super) fn get(&self, handle: usize) -> Option<&'static T> {
        let (generation, index) = decode(self.kind, handle)?;
        let slot = self.slot(index)?;
        (slot.stamp.load(Ordering::Acquire) == generation).then_some(&slot.content)
    }

    #[inline]
    fn slot(&self, index: usize) -> Option<&'static Slot<T>> {
        let chunk = self.chunks.get(index / PER_CHUNK)?.load(Ordering::Acquire);
        if chunk.is_null() {
            return None;
        }
        // SAFETY: a chunk has PER_CHUNK slots and is never freed (`take`).
        Some(unsafe { &*chunk.add(index % PER_CHUNK) })
    }

    /// A place for a new object, which `fill` prepares before its handle becomes valid; none if
    /// there are [`MOST`] already.
    pub(super) fn take(&self, fill: impl FnOnce(usize, &'static T)) -> Option<usize> {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let index = match places.free.pop() {
            Some(index) => index,
            None if places.generations.len() == MOST => return None,
            None => {
                places.generations.push(0);
                places.generations.len() - 1
            }
        };
        let chunk = &self.chunks[index / PER_CHUNK];
        if chunk.load(Ordering::Relaxed).is_null() {
            let slots =
                (0..PER_CHUNK).map(|_| Slot { stamp: AtomicU32::new(0), content: T::default() });
            chunk.store(Vec::leak(slots.collect()).as_mut_ptr(), Ordering::Release);
        }
        let generation = places.generations[index].checked_add(1).unwrap_or(1);
        places.generations[index] = generation;
        let handle = encode(self.kind, generation, index);
        let slot = self.slot(index)?;
        fill(handle, &slot.content);
        slot.stamp.store(generation, Ordering::Release);
        Some(handle)
    }

    /// Ends the use of a handle; false if it names nothing.
    pub(super) fn give_back(&self, handle: usize) -> bool {
        let Some((generation, index)) = decode(self.kind, handle) else { return false };
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(slot) = self.slot(index) else { return false };
        let named =
            slot.stamp.compare_exchange(generation, 0, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        if named {
            places.free.push(index);
        }
        named
    }

    /// The handles in use.
    pub(super) fn handles(&self) -> Vec<usize> {
        let places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp =
            |index: usize| self.slot(index).map_or(0, |slot| slot.stamp.load(Ordering::Acquire));
        let used = (0..places.generations.len())
            .map(|index| (index, stamp(index)))
            .filter(|(_, stamp)| *stamp > 0);
        used.map(|(index, stamp)| encode(self.kind, stamp, index)).collect()
    }
}
