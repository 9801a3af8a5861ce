//! Synchronisation in which the targets take part: fences, and post, start, complete and wait
//! (MPI 5.0, sections 12.5.1 and 12.5.2).
//!
//! Operations are over when their functions return. So a fence is a meeting, and the others count
//! in shared memory: a target each exposure to an origin, an origin each access that it has
//! completed.

use std::ffi::c_int;
use std::sync::atomic::Ordering;

use super::epochs::Access;
use super::object::{Window, resolve};
use crate::abi::*;
use crate::arguments::Out;
use crate::collectives::under_way::{Operation, enter};
use crate::communicator;
use crate::engine::wait::{Awaited, look_for, wait_for};
use crate::engine::{self, Engine};
use crate::error::{Error, Result};
use crate::group;

/// `MPI_ERR_ASSERT` if an assertion has bits that the function does not know.
pub(super) fn check_assert(assert: c_int, known: c_int) -> Result {
    match assert & !known {
        0 => Ok(()),
        unknown => Err(Error::new(
            MPI_ERR_ASSERT,
            format!("the assertion has the bits {unknown:#x}, which mean nothing here"),
        )),
    }
}

/// Waits until all processes of a window have come.
pub(super) fn meet(window: &Window) {
    let (round, is_last) = window.control.arrive();
    if is_last {
        let engine = engine::enter();
        window.shares.iter().for_each(|share| engine.wake(share.world));
        return;
    }
    wait_for(Awaited::Memory, |_: &'static Engine| window.control.is_over(round).then_some(()));
}

/// `MPI_Win_fence`
pub(crate) fn fence(assert: c_int, win: MPI_Win) -> Result {
    let window = resolve(win)?;
    check_assert(
        assert,
        MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED,
    )?;
    window.epochs().check_fence()?;
    // Whatever the program asserts: after a fence others may access this process's memory at once,
    // so nobody may come out of it before all are in it.
    let under_way = enter(Operation::WinFence, window.communicator);
    meet(&window);
    drop(under_way);
    let ends = assert & MPI_MODE_NOSUCCEED != 0;
    window.epochs().access = if ends { Access::None } else { Access::Fence { used: false } };
    Ok(())
}

/// The ranks in the window of the processes of a group.
fn ranks_of(window: &Window, group: MPI_Group) -> Result<Vec<usize>> {
    let group = group::calls::resolve(group)?;
    let ranks = communicator::ranks_of(&group, window.communicator)?;
    Ok(ranks.into_iter().map(|rank| rank as usize).collect())
}

/// `MPI_Win_post`
pub(crate) fn post(group: MPI_Group, assert: c_int, win: MPI_Win) -> Result {
    let window = resolve(win)?;
    check_assert(assert, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT)?;
    let origins = ranks_of(&window, group)?;
    {
        let mut epochs = window.epochs();
        epochs.check_no_exposure()?;
        epochs.exposed = Some(origins.clone());
    }
    let engine = engine::enter();
    for origin in origins {
        window.control.pair(window.rank(), origin).posted.fetch_add(1, Ordering::AcqRel);
        engine.wake(window.shares[origin].world);
    }
    Ok(())
}

/// `MPI_Win_start`: waits until the targets have exposed their memory.
pub(crate) fn start(group: MPI_Group, assert: c_int, win: MPI_Win) -> Result {
    let window = resolve(win)?;
    check_assert(assert, MPI_MODE_NOCHECK)?;
    let targets = ranks_of(&window, group)?;
    window.epochs().check_no_access()?;
    // A target exposes its memory anew only after the access before has been completed: the
    // exposures exceed those accesses by one at most.
    let is_exposed = |target: &usize| {
        let pair = window.control.pair(*target, window.rank());
        pair.posted.load(Ordering::Acquire) != pair.completed.load(Ordering::Relaxed)
    };
    wait_for(Awaited::Memory, |_: &'static Engine| targets.iter().all(is_exposed).then_some(()));
    window.epochs().access = Access::Started(targets);
    Ok(())
}

/// `MPI_Win_complete`
pub(crate) fn complete(win: MPI_Win) -> Result {
    let window = resolve(win)?;
    let targets = window.epochs().complete()?;
    let engine = engine::enter();
    for target in targets {
        window.control.pair(target, window.rank()).completed.fetch_add(1, Ordering::AcqRel);
        engine.wake(window.shares[target].world);
    }
    Ok(())
}

/// Whether the origins of an exposure have completed their accesses.
fn is_over(window: &Window, origins: &[usize]) -> bool {
    origins.iter().all(|origin| {
        let pair = window.control.pair(window.rank(), *origin);
        pair.completed.load(Ordering::Acquire) == pair.posted.load(Ordering::Relaxed)
    })
}

/// `MPI_Win_wait`
pub(crate) fn wait(win: MPI_Win) -> Result {
    let window = resolve(win)?;
    let origins = window.epochs().exposed()?.to_vec();
    wait_for(Awaited::Memory, |_: &'static Engine| is_over(&window, &origins).then_some(()));
    window.epochs().exposed = None;
    Ok(())
}

/// `MPI_Win_test`
pub(crate) fn test(win: MPI_Win, flag: Out<c_int>) -> Result {
    let window = resolve(win)?;
    let origins = window.epochs().exposed()?.to_vec();
    let over = look_for(|_: &'static Engine| is_over(&window, &origins).then_some(()));
    if over.is_some() {
        window.epochs().exposed = None;
    }
    flag.set(over.is_some().into());
    Ok(())
}
