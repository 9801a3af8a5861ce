//! The blocks that DLLs have (5.6.2, 5.6.3), noted while a conformance suite runs.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_void;
use std::{ptr, slice};

/// Bytes behind each block that nobody may write to.
const GUARD: [u8; 16] = [0xA5; 16];

thread_local! {
    /// None: blocks are not noted.
    static HEAP: RefCell<Option<Heap>> = const { RefCell::new(None) };
}

#[derive(Debug, Default)]
struct Heap {
    /// The sizes by the addresses.
    blocks: HashMap<usize, usize>,
    misuses: Vec<String>,
}

/// From now on notes the blocks that DLLs of this thread ask for. No DLL has one yet.
pub(crate) fn watch() {
    HEAP.set(Some(Heap::default()));
}

/// How many blocks have not been given back.
pub(crate) fn outstanding() -> usize {
    HEAP.with_borrow(|heap| heap.as_ref().map_or(0, |heap| heap.blocks.len()))
}

/// What DLLs have done wrong with blocks since the last call.
pub(crate) fn take_misuses() -> Vec<String> {
    HEAP.with_borrow_mut(|heap| heap.as_mut().map(|heap| std::mem::take(&mut heap.misuses)))
        .unwrap_or_default()
}

/// A block of this size, or NULL.
pub(super) fn allocate(size: usize) -> *mut c_void {
    HEAP.with_borrow_mut(|heap| {
        let Some(heap) = heap else {
            // SAFETY: malloc may be called with any size.
            return unsafe { libc::malloc(size) };
        };
        let Some(whole) = size.checked_add(GUARD.len()) else { return ptr::null_mut() };
        // SAFETY: malloc may be called with any size.
        let block = unsafe { libc::malloc(whole) };
        if !block.is_null() {
            // SAFETY: the block has room for the guard behind `size` bytes.
            unsafe {
                ptr::copy_nonoverlapping(GUARD.as_ptr(), block.cast::<u8>().add(size), GUARD.len());
            }
            heap.blocks.insert(block.addr(), size);
        }
        block
    })
}

/// Frees a block, or notes that it is none.
///
/// # Safety
/// If blocks are not noted, `block` came from [`allocate`] and has not been freed.
pub(super) unsafe fn free(block: *mut c_void) {
    HEAP.with_borrow_mut(|heap| {
        if let Some(heap) = heap {
            let Some(size) = heap.blocks.remove(&block.addr()) else {
                heap.misuses.push("frees a block that it does not have".to_owned());
                return;
            };
            // SAFETY: the block has this size, and the guard behind it.
            let guard = unsafe { slice::from_raw_parts(block.cast::<u8>().add(size), GUARD.len()) };
            if *guard != GUARD {
                heap.misuses.push(format!("writes beyond a block of {size} bytes"));
            }
        }
        // SAFETY: either the block is one of those that are noted, or the caller knows.
        unsafe { libc::free(block) }
    });
}
