//! `PERUSE_Lock` and `PERUSE_Unlock` (PERUSE 2.0, sections 5.2.16 and 5.2.17): one lock for all
//! tools of the process.
//!
//! A callback runs while its thread is in the engine. So it can wait for the lock only if the owner
//! can unlock without the engine. Otherwise the lock is not grantable, and stays so as long as the
//! callback runs: if the owner is the callback's own thread, if the owner has locked in an earlier
//! callback and is still in MPI, or if the owner waits for the engine in a function of PERUSE. An
//! owner must not call functions of MPI.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::inside::{is_inside, this_thread};
use super::types::*;
use crate::phase::{self, Checked};

struct LockState {
    /// The owner has locked in a callback.
    in_callback: bool,
    /// The owner waits for the engine.
    blocked: bool,
}

static STATE: Mutex<LockState> = Mutex::new(LockState { in_callback: false, blocked: false });
/// The owner has unlocked, or waits for the engine.
static CHANGED: Condvar = Condvar::new();
/// The thread that has the lock; 0: none. Changed under the lock of [`STATE`] only.
static OWNER: AtomicUsize = AtomicUsize::new(0);

/// The callback that runs has been refused the lock.
static REFUSED: AtomicBool = AtomicBool::new(false);

fn state() -> MutexGuard<'static, LockState> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether this thread has the lock.
#[inline]
pub(super) fn is_mine() -> bool {
    OWNER.load(Ordering::Relaxed) == this_thread()
}

/// The owner waits for the engine, or has got it.
#[cold]
pub(super) fn owner_blocked(blocked: bool) {
    state().blocked = blocked;
    CHANGED.notify_all();
}

/// `PERUSE_Lock`
pub(super) fn lock() -> Outcome {
    let inside = is_inside();
    if is_mine() && !inside {
        return Err(Failure(PERUSE_ERR_LOCK));
    }
    let mut state = self::state();
    loop {
        let taken = OWNER.load(Ordering::Relaxed) != 0;
        if inside
            && (REFUSED.load(Ordering::Relaxed)
                || taken && (is_mine() || state.in_callback || state.blocked))
        {
            REFUSED.store(true, Ordering::Relaxed);
            return Err(Failure(PERUSE_ERR_LOCK_NOT_GRANTABLE));
        }
        if !taken {
            break;
        }
        state = CHANGED.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
    state.in_callback = inside;
    OWNER.store(this_thread(), Ordering::Relaxed);
    phase::check_calls(Checked::Lock, true);
    Ok(())
}

/// A callback has returned.
#[inline]
pub(super) fn upcall_ends() {
    REFUSED.store(false, Ordering::Relaxed);
}

/// `PERUSE_Unlock`
pub(super) fn unlock() -> Outcome {
    let _state = state();
    if !is_mine() {
        return Err(Failure(PERUSE_ERR_LOCK));
    }
    OWNER.store(0, Ordering::Relaxed);
    phase::check_calls(Checked::Lock, false);
    CHANGED.notify_all();
    Ok(())
}
