//! Generalized requests (MPI 5.0, section 13.2): operations of the program that complete like those
//! of MPI.

use super::find;
use crate::abi::*;
use crate::arguments::Out;
use crate::debug::queues::OperationState;
use crate::engine::request::{Owner, Request};
use crate::engine::task::{Callbacks, Course, Task};
use crate::engine::{self, Engine};
use crate::error::{Error, Result};
use std::ffi::{c_int, c_void};

/// An operation of the program.
struct Generalized {
    callbacks: Callbacks,
    complete: bool,
}

impl Task for Generalized {
    fn advance(&mut self, _: &'static Engine, _: &'static Request) -> Course {
        if self.complete { Course::Over } else { Course::Waits }
    }

    fn callbacks(&self) -> Option<Callbacks> {
        Some(self.callbacks)
    }
}

/// `MPI_Grequest_start`
pub(crate) fn start(
    query: MPI_Grequest_query_function,
    free: MPI_Grequest_free_function,
    cancel: MPI_Grequest_cancel_function,
    extra_state: *mut c_void,
    request: Out<MPI_Request>,
) -> Result {
    let callbacks = Callbacks { query, free, cancel, extra_state };
    let engine = engine::enter();
    let made = engine.make_task(Box::new(Generalized { callbacks, complete: false }), None);
    engine.start_task(made);
    request.set(MPI_Request(made.handle()));
    Ok(())
}

/// `MPI_Grequest_complete`; the program may have freed the request.
pub(crate) fn complete(request: MPI_Request) -> Result {
    let engine = engine::enter();
    let freed = |request: &&Request| request.owner.get() == Owner::Nobody;
    let found = match engine.request(request.0).filter(freed) {
        Some(freed) => Some(freed),
        None => find(&engine, request)?,
    };
    let noted = found.filter(|found| found.state() == OperationState::Pending).and_then(|found| {
        found.with_task(|task: &mut Generalized| task.complete = true).map(|()| found)
    });
    let found = noted.ok_or_else(|| {
        Error::new(MPI_ERR_REQUEST, "the request is no generalised one that is active")
    })?;
    engine.wake_task(found);
    if found.owner.get() != Owner::Nobody {
        return Ok(());
    }
    let callbacks = found.callbacks();
    engine.end_detached(found);
    drop(engine);
    callbacks.map_or(Ok(()), |callbacks| self::free(&callbacks))
}

/// The result of a function of the program.
fn checked(code: c_int, which: &str) -> Result {
    match code {
        MPI_SUCCESS => Ok(()),
        _ => Err(Error::new(code, format!("the {which} function of the request failed"))),
    }
}

/// The status of a complete request.
pub(super) fn query(callbacks: &Callbacks) -> (MPI_Status, Result) {
    let mut status = MPI_Status::EMPTY;
    let Some(query) = callbacks.query else { return (status, Ok(())) };
    // SAFETY: the program made the request with this function and what it gets.
    let code = unsafe { query(callbacks.extra_state, &mut status) };
    (status, checked(code, "query"))
}

/// The request ends.
pub(super) fn free(callbacks: &Callbacks) -> Result {
    let Some(free) = callbacks.free else { return Ok(()) };
    // SAFETY: as above.
    checked(unsafe { free(callbacks.extra_state) }, "free")
}

/// The request is to be cancelled.
pub(super) fn cancel(callbacks: &Callbacks, complete: bool) -> Result {
    let Some(cancel) = callbacks.cancel else { return Ok(()) };
    // SAFETY: as above.
    checked(unsafe { cancel(callbacks.extra_state, complete.into()) }, "cancel")
}
