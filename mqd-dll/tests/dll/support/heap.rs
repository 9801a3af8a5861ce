//! The debugger's memory, counted, and refused on demand. Counters are per thread: a test sees its
//! own.

use std::alloc::{Layout, alloc, dealloc};
use std::cell::Cell;
use std::ffi::c_void;

thread_local! {
    static GIVEN: Cell<u64> = const { Cell::new(0) };
    static TAKEN_BACK: Cell<u64> = const { Cell::new(0) };
    static LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
    static HELD: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
}

/// In front of each block; not a multiple of 16, so that blocks are aligned as badly as the
/// interface allows.
const HEADER: usize = 24;
const LIVE: u64 = 0x1BAD_B002_600D_F00D;
const TAIL: [u8; 8] = *b"the end!";

pub unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    match LEFT.get() {
        0 => return std::ptr::null_mut(),
        u64::MAX => {}
        left => LEFT.set(left - 1),
    }
    // SAFETY: the layout is not empty; all writes are inside of it.
    unsafe {
        let Ok(layout) = Layout::from_size_align(HEADER + size + TAIL.len(), 16) else {
            return std::ptr::null_mut();
        };
        let base = alloc(layout);
        assert!(!base.is_null());
        base.cast::<u64>().write(LIVE);
        base.add(8).cast::<usize>().write(size);
        base.add(HEADER).write_bytes(0xA5, size);
        base.add(HEADER + size).cast::<[u8; 8]>().write_unaligned(TAIL);
        GIVEN.set(GIVEN.get() + 1);
        HELD.set(HELD.get() + size);
        PEAK.set(PEAK.get().max(HELD.get()));
        base.add(HEADER).cast()
    }
}

pub unsafe extern "C" fn free(block: *mut c_void) {
    if block.is_null() {
        return;
    }
    // SAFETY: a block of `malloc`, which the marks prove; otherwise the process ends.
    unsafe {
        let base = block.cast::<u8>().sub(HEADER);
        let size = base.add(8).cast::<usize>().read();
        let intact = base.cast::<u64>().read() == LIVE
            && base.add(HEADER + size).cast::<[u8; 8]>().read_unaligned() == TAIL;
        if !intact {
            eprintln!("the library freed what is not a live block, or wrote beyond one");
            std::process::abort();
        }
        base.cast::<u64>().write(0);
        TAKEN_BACK.set(TAKEN_BACK.get() + 1);
        HELD.set(HELD.get() - size);
        dealloc(
            base,
            Layout::from_size_align(HEADER + size + TAIL.len(), 16).expect("as allocated"),
        );
    }
}

/// The number of blocks given so far.
pub fn given() -> u64 {
    GIVEN.get()
}

/// Blocks given and not taken back.
pub fn outstanding() -> u64 {
    GIVEN.get() - TAKEN_BACK.get()
}

/// The most bytes held at a time since the last call.
pub fn take_peak() -> usize {
    PEAK.replace(HELD.get())
}

/// Refuses everything after `count` more blocks; None gives again.
pub fn refuse_after(count: Option<u64>) {
    LEFT.set(count.unwrap_or(u64::MAX));
}
