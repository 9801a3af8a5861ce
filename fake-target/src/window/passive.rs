//! Synchronisation without the target: locks and flushes (MPI 5.0, sections 12.5.3 and 12.5.4).
//!
//! The locks of a target are in the shared part of the window. They are granted in the order of the
//! requests, so neither readers nor writers starve. The process that releases a lock tells the next
//! ones.

use std::ffi::{CStr, c_int};
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::fence;

use super::active::check_assert;
use super::control::Target;
use super::epochs::{AccessEpoch, Lock};
use super::notices::{self, Notice};
use super::object::{Window, resolve};
use super::observed;
use super::quick;
use crate::abi::*;
use crate::engine::look::{look_around, look_around_at_times};
use crate::engine::observe::WindowWork;
use crate::error::{Error, Result};
use crate::variables::counters::LOCK_WAITS;

/// Values of `Pair::lock`: what an origin waits for.
const NOTHING: u32 = 0;
const SHARED: u32 = 1;
const EXCLUSIVE: u32 = 2;

/// Whether there is no lock that excludes this one.
fn is_free(target: &Target, exclusive: bool) -> bool {
    target.exclusive.load(Relaxed) == 0 && (!exclusive || target.shared.load(Relaxed) == 0)
}

/// Notes that an origin has a lock.
fn take(target: &Target, origin: usize, exclusive: bool) {
    match exclusive {
        true => target.exclusive.store(origin as u32 + 1, Relaxed),
        false => target.shared.store(target.shared.load(Relaxed) + 1, Relaxed),
    }
}

/// Waits until this process has a lock.
fn acquire(window: &Window, call: &'static CStr, target: usize, lock: Lock) -> Result {
    if lock == Lock::Unchecked {
        return Ok(());
    }
    let exclusive = lock == Lock::Exclusive;
    let there = window.control.target(target);
    let from = {
        let _held = there.locks.hold();
        let waiting = there.waiting.load(Relaxed);
        if waiting == 0 && is_free(there, exclusive) {
            take(there, window.rank(), exclusive);
            return Ok(());
        }
        let number = if waiting == 0 { 0 } else { there.next.load(Relaxed) };
        let pair = window.control.pair(target, window.rank());
        pair.number.store(number, Relaxed);
        pair.lock.store(if exclusive { EXCLUSIVE } else { SHARED }, Relaxed);
        there.next.store(number.wrapping_add(1), Relaxed);
        there.waiting.store(waiting + 1, Relaxed);
        // If a process has the exclusive lock, the first waiting one gets it from that process.
        // Otherwise it may come from any process.
        match there.exclusive.load(Relaxed) {
            holder if holder > 0 && waiting == 0 => holder as c_int - 1,
            _ => MPI_ANY_SOURCE,
        }
    };
    LOCK_WAITS.add_shared(1);
    notices::hear(&[window.listen(call, from, Notice::Granted(target))?]);
    Ok(())
}

/// Releases a lock, and grants it to those that have waited longest.
fn release(window: &Window, call: &'static CStr, target: usize, lock: Lock) -> Result {
    let there = window.control.target(target);
    let granted = {
        let _held = there.locks.hold();
        match lock {
            Lock::Unchecked => return Ok(()),
            Lock::Exclusive => there.exclusive.store(0, Relaxed),
            Lock::Shared => there.shared.store(there.shared.load(Relaxed) - 1, Relaxed),
        }
        grant(window, target)
    };
    let tell = |origin| window.tell(call, origin, Notice::Granted(target));
    granted.into_iter().try_for_each(tell)
}

/// Grants the lock of a target to the origins that may have it now, and returns them. The latch is
/// held.
fn grant(window: &Window, target: usize) -> Vec<usize> {
    let there = window.control.target(target);
    let mut granted = Vec::new();
    while there.waiting.load(Relaxed) > 0 {
        let pair = |origin: &usize| window.control.pair(target, *origin);
        let first = (0..window.size())
            .filter(|origin| pair(origin).lock.load(Relaxed) != NOTHING)
            .min_by_key(|origin| pair(origin).number.load(Relaxed));
        let Some(first) = first else { break };
        let exclusive = pair(&first).lock.load(Relaxed) == EXCLUSIVE;
        if !is_free(there, exclusive) {
            break;
        }
        take(there, first, exclusive);
        there.waiting.store(there.waiting.load(Relaxed) - 1, Relaxed);
        pair(&first).lock.store(NOTHING, Relaxed);
        granted.push(first);
    }
    granted
}

/// `MPI_Win_lock`
pub(crate) fn lock(lock_type: c_int, rank: c_int, assert: c_int, win: MPI_Win) -> Result {
    let window = resolve(win)?;
    let lock = match lock_type {
        MPI_LOCK_SHARED => Lock::Shared,
        MPI_LOCK_EXCLUSIVE => Lock::Exclusive,
        _ => {
            return Err(Error::new(
                MPI_ERR_LOCKTYPE,
                format!("{lock_type} is neither MPI_LOCK_SHARED nor MPI_LOCK_EXCLUSIVE"),
            ));
        }
    };
    check_assert(assert, MPI_MODE_NOCHECK)?;
    let lock = if assert & MPI_MODE_NOCHECK != 0 { Lock::Unchecked } else { lock };
    let Some(target) = window.target(rank)? else { return Ok(()) };
    let _watched = observed::synchronise(&window, win, WindowWork::Lock, rank);
    {
        let mut epochs = window.epochs();
        epochs.check_lock(target)?;
        epochs.lock(target, lock);
    }
    acquire(&window, c"MPI_Win_lock", target, lock)
}

/// `MPI_Win_unlock`
pub(crate) fn unlock(rank: c_int, win: MPI_Win) -> Result {
    let window = resolve(win)?;
    let Some(target) = window.target(rank)? else { return Ok(()) };
    let _watched = observed::synchronise(&window, win, WindowWork::Unlock, rank);
    let lock = window.epochs().unlock(target)?;
    release(&window, c"MPI_Win_unlock", target, lock)?;
    look_around();
    Ok(())
}

/// `MPI_Win_lock_all`: a shared lock of every target.
pub(crate) fn lock_all(assert: c_int, win: MPI_Win) -> Result {
    let window = resolve(win)?;
    let _watched = observed::synchronise(&window, win, WindowWork::Lock, MPI_UNDEFINED);
    check_assert(assert, MPI_MODE_NOCHECK)?;
    let unchecked = assert & MPI_MODE_NOCHECK != 0;
    let lock = if unchecked { Lock::Unchecked } else { Lock::Shared };
    {
        let mut epochs = window.epochs();
        epochs.check_no_access()?;
        epochs.access = AccessEpoch::LockedAll;
        epochs.locks.fill(Some(lock));
    }
    let acquire = |target| acquire(&window, c"MPI_Win_lock_all", target, lock);
    (0..window.size()).try_for_each(acquire)
}

/// `MPI_Win_unlock_all`
pub(crate) fn unlock_all(win: MPI_Win) -> Result {
    let window = resolve(win)?;
    let _watched = observed::synchronise(&window, win, WindowWork::Unlock, MPI_UNDEFINED);
    let lock = window.epochs().unlock_all()?;
    let release = |target| release(&window, c"MPI_Win_unlock_all", target, lock);
    (0..window.size()).try_for_each(release)?;
    look_around();
    Ok(())
}

/// `MPI_Win_flush`, `MPI_Win_flush_local`: operations are complete already.
pub(crate) fn flush(rank: c_int, win: MPI_Win) -> Result {
    if !quick::may_flush(win, rank) {
        return flush_checked(rank, win);
    }
    end_flush()
}

/// The same the long way.
#[cold]
fn flush_checked(rank: c_int, win: MPI_Win) -> Result {
    let window = resolve(win)?;
    let Some(target) = window.target(rank)? else { return Ok(()) };
    let _watched = observed::synchronise(&window, win, WindowWork::Flush, rank);
    window.check_locked(Some(target))?;
    end_flush()
}

/// `MPI_Win_flush_all`, `MPI_Win_flush_local_all`
pub(crate) fn flush_all(win: MPI_Win) -> Result {
    let window = resolve(win)?;
    let _watched = observed::synchronise(&window, win, WindowWork::Flush, MPI_UNDEFINED);
    window.check_locked(None)?;
    end_flush()
}

/// What every flush ends with. Operations are complete, and the others are to see them.
#[inline(always)]
fn end_flush() -> Result {
    quick::drain();
    look_around_at_times();
    Ok(())
}

/// `MPI_Win_sync`: loads and stores before it are before those after it.
pub(crate) fn sync(win: MPI_Win) -> Result {
    resolve(win)?;
    fence(SeqCst);
    look_around_at_times();
    Ok(())
}
