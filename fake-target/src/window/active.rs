//! Synchronisation in which the targets take part: fences, and post, start, complete and wait
//! (MPI 5.0, sections 12.5.1 and 12.5.2).
//!
//! Operations are complete when their functions return. So a fence is a barrier, and the other
//! functions exchange notices.

use std::ffi::{CStr, c_int};
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::fence as fence_memory;

use super::epochs::AccessEpoch;
use super::notices::{self, Notice};
use super::object::{Window, resolve};
use super::observed;
use crate::abi::*;
use crate::arguments::Out;
use crate::collectives::under_way::{Collective, enter};
use crate::communicator;
use crate::communicator::agreement::{code_of, failed_elsewhere};
use crate::engine::observe::WindowWork;
use crate::engine::wait::{Awaited, wait_for};
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

/// Waits until all processes of a window have come. If one has failed, all fail.
pub(super) fn meet(window: &Window, own: Result) -> Result {
    let (round, is_last) = window.control.arrive(code_of(&own));
    if is_last {
        let engine = engine::enter();
        window.shares.iter().for_each(|share| engine.wake(share.world));
    } else {
        wait_for(Awaited::Memory, |_: &'static Engine| window.control.is_over(round).then_some(()));
    }
    own?;
    match window.control.failure(round) {
        MPI_SUCCESS => Ok(()),
        code => Err(failed_elsewhere(code, "another process of the window")),
    }
}

/// `MPI_Win_fence`
pub(crate) fn fence(assert: c_int, win: MPI_Win) -> Result {
    let window = resolve(win)?;
    let _watched = observed::synchronise(&window, win, WindowWork::Fence, MPI_UNDEFINED);
    const KNOWN: c_int =
        MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
    let checked = check_assert(assert, KNOWN).and_then(|()| window.epochs().check_fence());
    // Whatever the program asserts, no process leaves the fence before all are in it: after a fence
    // others may access this process's memory at once.
    let under_way = enter(Collective::WinFence, window.communicator);
    let met = meet(&window, checked);
    drop(under_way);
    met?;
    let ends = assert & MPI_MODE_NOSUCCEED != 0;
    window.epochs().access =
        if ends { AccessEpoch::None } else { AccessEpoch::Fence { used: false } };
    Ok(())
}

/// The ranks in the window of the processes of a group.
fn ranks_of(window: &Window, group: MPI_Group) -> Result<Vec<usize>> {
    let group = group::calls::resolve(group)?;
    let ranks = communicator::ranks_of(&group, window.communicator)?;
    Ok(ranks.into_iter().map(|rank| rank as usize).collect())
}

/// `MPI_Win_post`: from now on the origins may access this memory, and will say when they have
/// finished.
pub(crate) fn post(group: MPI_Group, assert: c_int, win: MPI_Win) -> Result {
    const CALL: &CStr = c"MPI_Win_post";
    let window = resolve(win)?;
    let _watched = observed::synchronise(&window, win, WindowWork::Post, MPI_UNDEFINED);
    check_assert(assert, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT)?;
    let origins = ranks_of(&window, group)?;
    let mut epochs = window.epochs();
    epochs.check_no_exposure()?;
    let listen = |origin: &usize| window.listen(CALL, *origin as c_int, Notice::Completed);
    epochs.exposed = Some(origins.iter().map(listen).collect::<Result<_>>()?);
    drop(epochs);
    origins.into_iter().try_for_each(|origin| window.tell(CALL, origin, Notice::Exposed))
}

/// `MPI_Win_start`: waits until the targets have exposed their memory.
pub(crate) fn start(group: MPI_Group, assert: c_int, win: MPI_Win) -> Result {
    let window = resolve(win)?;
    let _watched = observed::synchronise(&window, win, WindowWork::Start, MPI_UNDEFINED);
    check_assert(assert, MPI_MODE_NOCHECK)?;
    let targets = ranks_of(&window, group)?;
    window.epochs().check_no_access()?;
    let listen =
        |target: &usize| window.listen(c"MPI_Win_start", *target as c_int, Notice::Exposed);
    let exposures = targets.iter().map(listen).collect::<Result<Vec<_>>>()?;
    notices::hear(&exposures);
    window.epochs().access = AccessEpoch::Started(targets);
    Ok(())
}

/// `MPI_Win_complete`
pub(crate) fn complete(win: MPI_Win) -> Result {
    let window = resolve(win)?;
    let _watched = observed::synchronise(&window, win, WindowWork::Complete, MPI_UNDEFINED);
    let targets = window.epochs().complete()?;
    // Data that were put are visible before the target hears of the end.
    fence_memory(SeqCst);
    let tell = |target| window.tell(c"MPI_Win_complete", target, Notice::Completed);
    targets.into_iter().try_for_each(tell)
}

/// `MPI_Win_wait`
pub(crate) fn wait(win: MPI_Win) -> Result {
    let window = resolve(win)?;
    let _watched = observed::synchronise(&window, win, WindowWork::Wait, MPI_UNDEFINED);
    let completions = window.epochs().exposed()?.to_vec();
    notices::hear(&completions);
    window.epochs().exposed = None;
    Ok(())
}

/// `MPI_Win_test`
pub(crate) fn test(win: MPI_Win, flag: Out<c_int>) -> Result {
    let window = resolve(win)?;
    let _watched = observed::synchronise(&window, win, WindowWork::Wait, MPI_UNDEFINED);
    let completions = window.epochs().exposed()?.to_vec();
    let over = notices::have_come(&completions);
    if over {
        window.epochs().exposed = None;
    }
    flag.set(over.into());
    Ok(())
}
