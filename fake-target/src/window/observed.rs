//! How tools hear of one-sided operations and of synchronisations.

use std::ffi::{c_int, c_void};
use std::ptr;

use super::object::{Flavor, Window, resolve};
use crate::abi::*;
use crate::engine;
use crate::engine::observe::{self, Event, Subject, WindowCall, WindowWork};
use crate::error::Result;

fn report(event: Event, call: &WindowCall, id: MPI_Aint) {
    engine::report_outside(event, || Subject::Window(call, id));
}

/// An operation that tools may follow: the call and its id, if they do.
pub(super) struct WatchedOperation(Option<(WindowCall, MPI_Aint)>);

/// What an operation works on, in the words of the call: elements at both ends.
pub(super) struct Ends {
    pub(super) win: MPI_Win,
    pub(super) origin: (*mut c_void, MPI_Count, MPI_Datatype),
    pub(super) rank: c_int,
    pub(super) disp: MPI_Aint,
    pub(super) target: (MPI_Count, MPI_Datatype),
}

/// The program begins an operation, whose arguments are checked.
#[inline(always)]
pub(super) fn operation(
    work: WindowWork,
    op: MPI_Op,
    ends: impl FnOnce() -> Ends,
) -> WatchedOperation {
    match observe::follows_windows() {
        true => begin(work, op, &ends()),
        false => WatchedOperation(None),
    }
}

#[cold]
fn begin(work: WindowWork, op: MPI_Op, ends: &Ends) -> WatchedOperation {
    let Ok(window) = resolve(ends.win) else { return WatchedOperation(None) };
    let (count, datatype) = ends.target;
    let call = WindowCall {
        context: window.context_id(),
        win: ends.win,
        origin: ends.origin,
        target: (address(&window, ends.rank, ends.disp), count, datatype),
        op,
        peer: ends.rank,
        work,
    };
    let id = observe::new_id();
    report(Event::WindowActivate, &call, id);
    WatchedOperation(Some((call, id)))
}

/// The address at the target of a displacement.
fn address(window: &Window, rank: c_int, disp: MPI_Aint) -> *mut c_void {
    let share = &window.shares[rank as usize];
    let address = match window.flavor {
        Flavor::Dynamic => disp as usize,
        _ => share.base as usize + disp as usize * share.disp_unit as usize,
    };
    ptr::without_provenance_mut(address)
}

impl WatchedOperation {
    /// Moves the data of the operation, which is complete after that.
    #[inline(always)]
    pub(super) fn moves(&self, work: impl FnOnce() -> Result) -> Result {
        let Some((call, id)) = &self.0 else { return work() };
        report(Event::WindowXferBegin, call, *id);
        work()?;
        report(Event::WindowXferEnd, call, *id);
        report(Event::WindowComplete, call, *id);
        Ok(())
    }
}

/// A synchronisation that tools may follow, until it is dropped.
pub(super) struct WatchedSynchronisation(Option<(WindowCall, MPI_Aint)>);

/// The program begins to synchronise a window; with one rank of it, or `MPI_UNDEFINED`.
#[inline(always)]
pub(super) fn synchronise(
    window: &Window,
    win: MPI_Win,
    work: WindowWork,
    peer: c_int,
) -> WatchedSynchronisation {
    match observe::follows_windows() {
        true => begin_synchronisation(window, win, work, peer),
        false => WatchedSynchronisation(None),
    }
}

#[cold]
fn begin_synchronisation(
    window: &Window,
    win: MPI_Win,
    work: WindowWork,
    peer: c_int,
) -> WatchedSynchronisation {
    let none = (ptr::null_mut(), 0, MPI_DATATYPE_NULL);
    let context = window.context_id();
    let call = WindowCall { context, win, origin: none, target: none, op: MPI_OP_NULL, peer, work };
    let id = observe::new_id();
    report(Event::WindowSyncBegin, &call, id);
    WatchedSynchronisation(Some((call, id)))
}

impl Drop for WatchedSynchronisation {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some((call, id)) = &self.0 {
            report(Event::WindowSyncEnd, call, *id);
        }
    }
}
