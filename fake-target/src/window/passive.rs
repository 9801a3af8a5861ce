//! Synchronisation without the target: locks and flushes (MPI 5.0, sections 12.5.3 and 12.5.4).
//!
//! The locks of a target are in the shared part of the window. They are granted in the order of
//! asking, so neither readers nor writers starve.

use std::ffi::c_int;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::fence;

use super::active::check_assert;
use super::control::Target;
use super::epochs::{Access, Lock};
use super::object::{Window, resolve};
use crate::abi::*;
use crate::engine::wait::{Awaited, look_for, wait_for};
use crate::engine::{self, Engine};
use crate::error::{Error, Result};

/// Values of `Pair::lock`. An origin waits for one of the two kinds, or has it.
const NONE: u32 = 0;
const WAITS_SHARED: u32 = 1;
const WAITS_EXCLUSIVE: u32 = 2;
const HAS_SHARED: u32 = 3;
const HAS_EXCLUSIVE: u32 = 4;

/// What an origin asks for, and what it has then.
fn values(lock: Lock) -> (u32, u32) {
    match lock {
        Lock::Exclusive => (WAITS_EXCLUSIVE, HAS_EXCLUSIVE),
        Lock::Shared | Lock::Unchecked => (WAITS_SHARED, HAS_SHARED),
    }
}

/// Whether nobody has a lock that excludes this one.
fn is_free(target: &Target, exclusive: bool) -> bool {
    target.exclusive.load(Relaxed) == 0 && (!exclusive || target.shared.load(Relaxed) == 0)
}

/// Counts one more origin with a lock.
fn count(target: &Target, exclusive: bool) {
    let holders = if exclusive { &target.exclusive } else { &target.shared };
    holders.store(holders.load(Relaxed) + 1, Relaxed);
}

/// Waits until this process has a lock.
fn acquire(window: &Window, target: usize, lock: Lock) {
    if lock == Lock::Unchecked {
        return;
    }
    let (asked, granted) = values(lock);
    let exclusive = lock == Lock::Exclusive;
    let there = window.control.target(target);
    let pair = window.control.pair(target, window.rank());
    {
        let _held = there.locks.hold();
        let waiting = there.waiting.load(Relaxed);
        if waiting == 0 && is_free(there, exclusive) {
            count(there, exclusive);
            pair.lock.store(granted, Relaxed);
            return;
        }
        let number = if waiting == 0 { 0 } else { there.next.load(Relaxed) };
        pair.number.store(number, Relaxed);
        pair.lock.store(asked, Relaxed);
        there.next.store(number.wrapping_add(1), Relaxed);
        there.waiting.store(waiting + 1, Relaxed);
    }
    wait_for(Awaited::Memory, |_: &'static Engine| {
        (pair.lock.load(Acquire) == granted).then_some(())
    });
}

/// Gives a lock back, to those that have waited longest.
fn release(window: &Window, target: usize, lock: Lock) {
    if lock == Lock::Unchecked {
        return;
    }
    let there = window.control.target(target);
    let granted = {
        let _held = there.locks.hold();
        let exclusive = lock == Lock::Exclusive;
        let holders = if exclusive { &there.exclusive } else { &there.shared };
        holders.store(holders.load(Relaxed) - 1, Relaxed);
        window.control.pair(target, window.rank()).lock.store(NONE, Relaxed);
        grant(window, target)
    };
    if !granted.is_empty() {
        let engine = engine::enter();
        granted.into_iter().for_each(|origin| engine.wake(window.shares[origin].world));
    }
}

/// Gives the lock of a target to those that may have it now: the origins. The latch is held.
fn grant(window: &Window, target: usize) -> Vec<usize> {
    let there = window.control.target(target);
    let mut granted = Vec::new();
    while there.waiting.load(Relaxed) > 0 {
        let pair = |origin: &usize| window.control.pair(target, *origin);
        let waits = |origin: &usize| {
            matches!(pair(origin).lock.load(Relaxed), WAITS_SHARED | WAITS_EXCLUSIVE)
        };
        let first =
            (0..window.size()).filter(waits).min_by_key(|origin| pair(origin).number.load(Relaxed));
        let Some(first) = first else { break };
        let exclusive = pair(&first).lock.load(Relaxed) == WAITS_EXCLUSIVE;
        if !is_free(there, exclusive) {
            break;
        }
        count(there, exclusive);
        there.waiting.store(there.waiting.load(Relaxed) - 1, Relaxed);
        pair(&first).lock.store(if exclusive { HAS_EXCLUSIVE } else { HAS_SHARED }, Release);
        granted.push(first);
    }
    granted
}

/// Whoever calls one of these functions again and again lets the others get on.
fn look_around() {
    look_for(|_: &'static Engine| None::<()>);
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
    {
        let mut epochs = window.epochs();
        epochs.check_lock(target)?;
        epochs.lock(target, lock);
    }
    acquire(&window, target, lock);
    Ok(())
}

/// `MPI_Win_unlock`
pub(crate) fn unlock(rank: c_int, win: MPI_Win) -> Result {
    let window = resolve(win)?;
    let Some(target) = window.target(rank)? else { return Ok(()) };
    let lock = window.epochs().unlock(target)?;
    release(&window, target, lock);
    look_around();
    Ok(())
}

/// `MPI_Win_lock_all`: a shared lock of every target.
pub(crate) fn lock_all(assert: c_int, win: MPI_Win) -> Result {
    let window = resolve(win)?;
    check_assert(assert, MPI_MODE_NOCHECK)?;
    let unchecked = assert & MPI_MODE_NOCHECK != 0;
    let lock = if unchecked { Lock::Unchecked } else { Lock::Shared };
    {
        let mut epochs = window.epochs();
        epochs.check_no_access()?;
        epochs.access = Access::LockedAll;
        epochs.locks.fill(Some(lock));
    }
    (0..window.size()).for_each(|target| acquire(&window, target, lock));
    Ok(())
}

/// `MPI_Win_unlock_all`
pub(crate) fn unlock_all(win: MPI_Win) -> Result {
    let window = resolve(win)?;
    let lock = window.epochs().unlock_all()?;
    (0..window.size()).for_each(|target| release(&window, target, lock));
    look_around();
    Ok(())
}

/// `MPI_Win_flush`, `MPI_Win_flush_local`: operations are over already.
pub(crate) fn flush(rank: c_int, win: MPI_Win) -> Result {
    let window = resolve(win)?;
    let Some(target) = window.target(rank)? else { return Ok(()) };
    window.epochs().check_locked(Some(target))?;
    fence(SeqCst);
    look_around();
    Ok(())
}

/// `MPI_Win_flush_all`, `MPI_Win_flush_local_all`
pub(crate) fn flush_all(win: MPI_Win) -> Result {
    resolve(win)?.epochs().check_locked(None)?;
    fence(SeqCst);
    look_around();
    Ok(())
}

/// `MPI_Win_sync`: loads and stores before it are before those after it.
pub(crate) fn sync(win: MPI_Win) -> Result {
    resolve(win)?;
    fence(SeqCst);
    look_around();
    Ok(())
}
