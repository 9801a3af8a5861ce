//! Memory from the debugger, and nothing else (5.6.2, 5.6.3).
//!
//! [`DebuggerMemory`] is the global allocator of `libmqd.so`, so no collection can bypass the rule.
//! The helpers below are the only ways to grow a collection: each turns the debugger's NULL into
//! [`Code::OutOfMemory`].

use crate::error::{Code, Error, Result};
use std::alloc::{GlobalAlloc, Layout};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// The global allocator of `libmqd.so`: `mqs_malloc_fp` and `mqs_free_fp` of the basic callbacks
/// (5.6.2, 5.6.3). It returns NULL until the callbacks are set up.
#[derive(Debug)]
pub struct DebuggerMemory;

/// Bytes in front of each block, which hold the address that the debugger gave. The interface
/// promises no alignment, so none is assumed.
const HEADER: usize = size_of::<*mut u8>();

// SAFETY: a block lies inside memory the debugger gave for it alone (room for the header and the
// padding is asked for), is aligned by construction, and goes back by the address in its header.
// Nothing here panics or allocates.
unsafe impl GlobalAlloc for DebuggerMemory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some(room) = layout.size().checked_add(layout.align() + HEADER) else {
            return std::ptr::null_mut();
        };
        let base = crate::debugger::basic::malloc(room);
        if base.is_null() {
            return reserve::alloc(layout);
        }
        let padding = (base.addr() + HEADER).wrapping_neg() & (layout.align() - 1);
        // SAFETY: HEADER + padding + size <= room, since padding < align.
        unsafe {
            let block = base.add(HEADER + padding);
            block.sub(HEADER).cast::<*mut u8>().write_unaligned(base);
            block
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, _: Layout) {
        if reserve::owns(block) {
            return;
        }
        // SAFETY: `block` came from `alloc`, which wrote the debugger's address in front of it.
        unsafe {
            crate::debugger::basic::free(block.sub(HEADER).cast::<*mut u8>().read_unaligned())
        }
    }
}

/// A few bytes for a panic on its way out: unwinding boxes the panic's payload and would abort
/// without memory.
mod reserve {
    use std::alloc::Layout;
    use std::cell::UnsafeCell;
    use std::sync::atomic::{AtomicUsize, Ordering};

    const SIZE: usize = 4096;

    #[repr(align(16))]
    struct Reserve(UnsafeCell<[u8; SIZE]>);
    // SAFETY: disjoint parts are handed out by an atomic counter; nobody else touches the bytes.
    unsafe impl Sync for Reserve {}

    static RESERVE: Reserve = Reserve(UnsafeCell::new([0; SIZE]));
    static USED: AtomicUsize = AtomicUsize::new(0);

    pub(super) fn alloc(layout: Layout) -> *mut u8 {
        let wanted = layout.size().next_multiple_of(16);
        if !std::thread::panicking() || layout.align() > 16 || wanted > SIZE {
            return std::ptr::null_mut();
        }
        match USED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
            Some(used + wanted).filter(|end| *end <= SIZE)
        }) {
            Ok(start) => RESERVE.0.get().cast::<u8>().wrapping_add(start),
            Err(_) => std::ptr::null_mut(),
        }
    }

    /// Blocks of the reserve are never reused: a library that panics that often is beyond help.
    pub(super) fn owns(block: *mut u8) -> bool {
        (block.addr()).wrapping_sub(RESERVE.0.get().addr()) < SIZE
    }
}

impl From<std::collections::TryReserveError> for Error {
    fn from(_: std::collections::TryReserveError) -> Self {
        Error::new(Code::OutOfMemory)
    }
}

/// A box of `value`.
pub(crate) fn boxed<T>(value: T) -> Result<Box<T>> {
    const { assert!(size_of::<T>() != 0) };
    let layout = Layout::new::<T>();
    // SAFETY: the layout is not empty; a block that is not NULL fits a T and is owned by the box
    // from here on, which frees it by the same allocator.
    unsafe {
        let block = std::alloc::alloc(layout).cast::<T>();
        if block.is_null() {
            return Err(Error::new(Code::OutOfMemory));
        }
        block.write(value);
        Ok(Box::from_raw(block))
    }
}

/// Appends an element.
#[allow(clippy::disallowed_methods, reason = "room is reserved before")]
pub(crate) fn push<T>(vec: &mut Vec<T>, value: T) -> Result<()> {
    vec.try_reserve(1)?;
    vec.push(value);
    Ok(())
}

/// Appends a slice.
#[allow(clippy::disallowed_methods, reason = "room is reserved before")]
pub(crate) fn append<T: Copy>(vec: &mut Vec<T>, elements: &[T]) -> Result<()> {
    vec.try_reserve(elements.len())?;
    vec.extend_from_slice(elements);
    Ok(())
}

/// `size` zero bytes.
#[allow(clippy::disallowed_methods, reason = "room is reserved before")]
pub(crate) fn zeroed(size: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size)?;
    bytes.resize(size, 0);
    Ok(bytes)
}

/// A map keyed by target addresses. Its hash is fixed: the standard one asks the operating system
/// for random numbers.
pub(crate) type AddressMap<V> = HashMap<u64, V, BuildHasherDefault<Mix>>;

/// A set of target addresses.
pub(crate) type AddressSet = HashSet<u64, BuildHasherDefault<Mix>>;

/// Puts `value` under `key`.
#[allow(clippy::disallowed_methods, reason = "room is reserved before")]
pub(crate) fn insert<K: Eq + Hash, V, S: std::hash::BuildHasher>(
    map: &mut HashMap<K, V, S>,
    key: K,
    value: V,
) -> Result<()> {
    map.try_reserve(1)?;
    map.insert(key, value);
    Ok(())
}

/// Puts `address` into the set; false if it was there.
#[allow(clippy::disallowed_methods, reason = "room is reserved before")]
pub(crate) fn mark(set: &mut AddressSet, address: u64) -> Result<bool> {
    set.try_reserve(1)?;
    Ok(set.insert(address))
}

/// Spreads the bits of an address over the whole word (addresses are multiples of 8 and close
/// together).
#[derive(Default)]
pub(crate) struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }

    fn write_u64(&mut self, value: u64) {
        // The upper half of the product, folded down, makes every bit of the hash depend on all of
        // the address.
        let product = u128::from(self.0 ^ value) * 0x9E37_79B9_7F4A_7C15;
        self.0 = (product as u64) ^ ((product >> 64) as u64);
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests")]
mod tests {
    use super::*;
    use mqs_abi::mqs_basic_callbacks;
    use std::cell::Cell;
    use std::ffi::c_void;

    thread_local! {
        /// Bytes of the arena of this thread that are given; MAX: no more memory.
        static GIVEN: Cell<usize> = const { Cell::new(0) };
        static FREED: Cell<usize> = const { Cell::new(0) };
        static ARENA: Box<[Cell<u8>; 1 << 16]> = Box::new([const { Cell::new(0) }; 1 << 16]);
    }

    /// Memory with no alignment at all.
    unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
        let start = GIVEN.get();
        if start == usize::MAX {
            return std::ptr::null_mut();
        }
        GIVEN.set(start + size + 1);
        ARENA.with(|arena| arena[start..start + size].as_ptr().cast_mut().cast())
    }

    unsafe extern "C" fn free(_: *mut c_void) {
        FREED.set(FREED.get() + 1);
    }

    fn set_up() {
        static TABLE: mqs_basic_callbacks = mqs_basic_callbacks {
            mqs_malloc_fp: Some(malloc),
            mqs_free_fp: Some(free),
            mqs_dprints_fp: None,
            mqs_errorstring_fp: None,
            mqs_put_image_info_fp: None,
            mqs_get_image_info_fp: None,
            mqs_put_process_info_fp: None,
            mqs_get_process_info_fp: None,
        };
        // SAFETY: a static table.
        unsafe { crate::debugger::basic::set_up(&TABLE) };
    }

    #[test]
    fn any_alignment_is_met_on_any_memory() {
        set_up();
        let mut blocks = 0;
        for align in [1, 2, 8, 16, 64, 4096] {
            for size in [1, 7, 64, 100] {
                let layout = Layout::from_size_align(size, align).expect("valid");
                // SAFETY: the layout is not empty; the block is used within it and freed once.
                unsafe {
                    let block = DebuggerMemory.alloc(layout);
                    assert!(!block.is_null() && block.addr().is_multiple_of(align), "{layout:?}");
                    block.write_bytes(0xFF, size);
                    DebuggerMemory.dealloc(block, layout);
                }
                blocks += 1;
                assert_eq!(FREED.get(), blocks);
            }
        }
        let huge = Layout::from_size_align(isize::MAX as usize, 1).expect("valid");
        GIVEN.set(usize::MAX);
        // SAFETY: the layout is not empty.
        assert!(unsafe { DebuggerMemory.alloc(huge) }.is_null());
    }

    #[test]
    fn a_panic_has_memory_when_nobody_else_has() {
        struct InPanic(Layout);
        impl Drop for InPanic {
            fn drop(&mut self) {
                // SAFETY: the layout is not empty; the block is used within it and freed once.
                unsafe {
                    let block = DebuggerMemory.alloc(self.0);
                    assert_eq!(block.is_null(), !std::thread::panicking());
                    if !block.is_null() {
                        block.write_bytes(0xFF, self.0.size());
                        DebuggerMemory.dealloc(block, self.0);
                    }
                }
            }
        }
        set_up();
        GIVEN.set(usize::MAX);
        let layout = Layout::new::<[u64; 8]>();
        drop(InPanic(layout));
        let result = std::panic::catch_unwind(|| {
            let _guard = InPanic(layout);
            std::panic::resume_unwind(Box::new(()));
        });
        assert!(result.is_err());
        assert_eq!(FREED.get(), 0, "the debugger did not give it");
    }

    #[test]
    fn neighbouring_addresses_hash_apart() {
        let hash = |address: u64| {
            let mut mix = Mix::default();
            mix.write_u64(address);
            mix.finish()
        };
        let mut seen: Vec<u64> = (0..10_000u64).map(|i| hash(0x7f00_0000_0000 + i * 8)).collect();
        for shift in [0, 57] {
            let mut buckets = [0u32; 128];
            seen.iter().for_each(|h| buckets[(h >> shift & 127) as usize] += 1);
            assert!(buckets.iter().all(|n| (20..200).contains(n)), "{buckets:?}");
        }
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 10_000);
    }
}
