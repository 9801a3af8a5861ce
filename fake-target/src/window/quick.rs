//! The short way of operations that take less time than their checks: of the window that the last
//! call used, on elements of one predefined datatype, in memory that is mapped here, after the same
//! target has passed all checks in the same epoch. Everything else goes the long way, which also
//! finds the errors.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering, fence};

use super::object::{Flavor, InUse, Window};
use crate::abi::*;
use crate::copying;
use crate::datatype;
use crate::engine::observe;
use crate::process;

/// The window that the last call used, and its handle; neither while several threads may call MPI.
static HANDLE: AtomicUsize = AtomicUsize::new(0);
static WINDOW: AtomicPtr<Window> = AtomicPtr::new(ptr::null_mut());

/// This process has written to a window since the last [`drain`].
static WRITTEN: AtomicBool = AtomicBool::new(true);

/// Notes the window of a handle. The table of windows keeps it until [`forget`].
pub(super) fn remember(win: MPI_Win, window: &InUse) {
    WINDOW.store(ptr::from_ref::<Window>(window).cast_mut(), Ordering::Relaxed);
    HANDLE.store(win.0, Ordering::Relaxed);
}

/// Forgets the window, before it is freed.
pub(super) fn forget() {
    HANDLE.store(0, Ordering::Relaxed);
    WINDOW.store(ptr::null_mut(), Ordering::Relaxed);
}

/// Which targets have passed the checks of an epoch. Everything that may change the epoch begins a
/// new generation.
pub(super) struct Passed {
    generation: AtomicU64,
    /// By target: the generation in which an operation was allowed.
    operations: Box<[AtomicU64]>,
    /// By target: the generation in which it was locked.
    locks: Box<[AtomicU64]>,
}

impl Passed {
    /// No target of so many.
    pub(super) fn new(ranks: usize) -> Passed {
        let none = || (0..ranks).map(|_| AtomicU64::new(0)).collect();
        Passed { generation: AtomicU64::new(1), operations: none(), locks: none() }
    }

    /// The epoch may change.
    pub(super) fn change(&self) {
        self.generation.fetch_add(1, Ordering::Relaxed);
    }

    /// Operations on a target are allowed, until the epoch changes.
    pub(super) fn operate(&self, target: usize) {
        self.operations[target].store(self.generation.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// A target is locked, until the epoch changes.
    pub(super) fn lock(&self, target: usize) {
        self.locks[target].store(self.generation.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    fn has(&self, passed: &AtomicU64) -> bool {
        passed.load(Ordering::Relaxed) == self.generation.load(Ordering::Relaxed)
    }
}

/// The window of a handle, if it is the one of the last call, and no tool follows windows.
#[inline(always)]
fn last<'a>(win: MPI_Win) -> Option<&'a Window> {
    let followed = process::has_threads() || observe::follows_windows();
    if HANDLE.load(Ordering::Relaxed) != win.0 || followed {
        return None;
    }
    // SAFETY: the table keeps the window until `forget`; no other thread is in MPI, and nothing
    // that a short way does calls the program, which could free the window.
    unsafe { WINDOW.load(Ordering::Relaxed).as_ref() }
}

/// Elements at a target, which may be accessed now, and as many of the same kind at the origin.
pub(super) struct Near<'a> {
    pub(super) window: &'a Window,
    pub(super) target: usize,
    /// The elements at the target, as this process reaches them.
    pub(super) there: *mut u8,
    /// The bytes of the elements.
    pub(super) bytes: usize,
}

/// The arguments of an operation: elements of one kind at both ends.
#[derive(Clone, Copy)]
pub(super) struct Both {
    pub(super) origin: *const c_void,
    pub(super) rank: c_int,
    pub(super) disp: MPI_Aint,
    pub(super) count: MPI_Count,
    pub(super) datatype: MPI_Datatype,
    pub(super) win: MPI_Win,
}

impl Both {
    /// The elements, if the operation may go the short way. `MPI_BOTTOM` and `MPI_IN_PLACE` never
    /// do.
    #[inline(always)]
    pub(super) fn near<'a>(&self) -> Option<Near<'a>> {
        let window = last(self.win)?;
        let size = datatype::dense_size(self.datatype)?;
        let bytes = usize::try_from(self.count).ok()?.checked_mul(size)?;
        let target = usize::try_from(self.rank).ok()?;
        let share = window.shares.get(target)?;
        let in_memory = self.origin.addr() > MPI_IN_PLACE.addr() && !share.here.is_null();
        let start = usize::try_from(self.disp).ok()?.checked_mul(share.disp_unit as usize)?;
        let inside = start.checked_add(bytes)? <= share.size as usize;
        let passed = window.passed.has(window.passed.operations.get(target)?);
        if !(in_memory && inside && passed) || bytes == 0 || window.flavor == Flavor::Dynamic {
            return None;
        }
        Some(Near { window, target, there: share.here.wrapping_add(start), bytes })
    }
}

impl Near<'_> {
    /// Copies the elements from the origin.
    #[inline(always)]
    pub(super) fn put(&self, origin: *const c_void) {
        // SAFETY: the elements are in the memory of the target (`near`), and the program's buffer
        // has as many.
        unsafe { copy(origin.cast(), self.there, self.bytes) };
        wrote();
    }

    /// Copies the elements to the origin.
    #[inline(always)]
    pub(super) fn get(&self, origin: *mut c_void) {
        // SAFETY: as for `put`.
        unsafe { copy(self.there, origin.cast(), self.bytes) };
    }
}

/// Copies bytes; those of one word by a load and a store.
///
/// # Safety
/// As for [`ptr::copy`].
#[inline(always)]
unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: as the caller says; addresses of programs need not be aligned.
    unsafe {
        match bytes {
            4 => to.cast::<u32>().write_unaligned(from.cast::<u32>().read_unaligned()),
            8 => to.cast::<u64>().write_unaligned(from.cast::<u64>().read_unaligned()),
            _ => copying::copy(from, to, bytes),
        }
    }
}

/// This process has written to a window.
#[inline(always)]
pub(super) fn wrote() {
    WRITTEN.store(true, Ordering::Relaxed);
}

/// This process has written to a window while it held a latch.
#[inline(always)]
pub(super) fn combined() {
    // On this processor the release of the latch has brought out what was written.
    if !cfg!(target_arch = "x86_64") {
        wrote();
    }
}

/// Whether a flush may go the short way: the target is locked.
#[inline(always)]
pub(super) fn may_flush(win: MPI_Win, rank: c_int) -> bool {
    let Some(window) = last(win) else { return false };
    let passed = usize::try_from(rank).ok().and_then(|target| window.passed.locks.get(target));
    passed.is_some_and(|passed| window.passed.has(passed))
}

/// What this process has written is visible to all, before anything that it does next. What it has
/// read was read before.
#[inline(always)]
pub(super) fn drain() {
    if process::has_threads() {
        return fence(Ordering::SeqCst);
    }
    if !WRITTEN.load(Ordering::Relaxed) {
        // Nothing that waits in this processor needs to get out.
        return fence(Ordering::Acquire);
    }
    WRITTEN.store(false, Ordering::Relaxed);
    full_fence();
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn full_fence() {
    // SAFETY: changes nothing. It orders memory as `mfence` does, in an eighth of the time.
    unsafe { std::arch::asm!("lock or dword ptr [rsp], 0") };
}

#[cfg(not(target_arch = "x86_64"))]
fn full_fence() {
    fence(Ordering::SeqCst);
}
