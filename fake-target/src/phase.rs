//! How far this process is in its use of MPI, and the function of MPI that it is in.
//!
//! MPI runs while the process is between `MPI_Init` and `MPI_Finalize`, or has a session.

use std::ffi::c_char;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU8, Ordering};

/// How far the process is in its use of MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Phase {
    /// Before `MPI_Init` and the first session.
    NotInitialized = 0,
    /// Between `MPI_Init` and `MPI_Finalize`, or with a session.
    Running = 1,
    /// After `MPI_Finalize` and the last session. A session can start MPI again.
    Finalized = 2,
}

static PHASE: AtomicU8 = AtomicU8::new(Phase::NotInitialized as u8);

/// The phase of this process.
pub(crate) fn phase() -> Phase {
    match PHASE.load(Ordering::Acquire) & !(Checked::Callbacks as u8 | Checked::Lock as u8) {
        0 => Phase::NotInitialized,
        1 => Phase::Running,
        _ => Phase::Finalized,
    }
}

/// The phase of the world model alone: `MPI_Init` and `MPI_Finalize`.
static WORLD: AtomicU8 = AtomicU8::new(Phase::NotInitialized as u8);

/// How far the process is between `MPI_Init` and `MPI_Finalize`.
pub(crate) fn world() -> Phase {
    match WORLD.load(Ordering::Acquire) {
        0 => Phase::NotInitialized,
        1 => Phase::Running,
        _ => Phase::Finalized,
    }
}

/// Whether the process is between `MPI_Init` and `MPI_Finalize`.
pub(crate) fn has_world() -> bool {
    world() == Phase::Running
}

/// Enters a phase of the world model.
pub(crate) fn set_world(phase: Phase) {
    WORLD.store(phase as u8, Ordering::Release);
}

/// Enters a phase.
pub(crate) fn set_phase(phase: Phase) {
    PHASE.store(phase as u8, Ordering::Release);
}

/// Reasons to check calls for more than the phase. They are bits in [`PHASE`], so that the usual
/// case stays one comparison.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub(crate) enum Checked {
    /// PERUSE events are active: a call may come from a callback.
    Callbacks = 0x40,
    /// A thread has the lock of PERUSE.
    Lock = 0x80,
}

/// Turns further checks of calls on or off.
pub(crate) fn check_calls(why: Checked, on: bool) {
    match on {
        true => PHASE.fetch_or(why as u8, Ordering::Relaxed),
        false => PHASE.fetch_and(!(why as u8), Ordering::Relaxed),
    };
}

/// Whether MPI runs and calls need no further check: the usual case, by one comparison.
#[inline(always)]
pub(crate) fn is_plain() -> bool {
    PHASE.load(Ordering::Relaxed) == Phase::Running as u8
}

/// The function that the process is in, if it is one that can wait. If a callback of the program
/// calls MPI, the innermost one. If several threads are in MPI, that of one of them.
static CURRENT: AtomicPtr<c_char> = AtomicPtr::new(ptr::null_mut());

/// The name of the function that the process is in; null if it is in none.
pub(crate) fn current_call() -> *const c_char {
    CURRENT.load(Ordering::Relaxed)
}

/// Notes the function that the process enters, or is in again; returns the one before.
#[inline(always)]
pub(crate) fn set_current_call(name: *const c_char) -> *const c_char {
    let outer = CURRENT.load(Ordering::Relaxed);
    CURRENT.store(name.cast_mut(), Ordering::Relaxed);
    outer
}
