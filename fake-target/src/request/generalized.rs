//! Generalized requests (MPI 5.0, section 13.2): operations of the program that complete like those
//! of MPI.
//!
//! Debuggers see an active one among the runtime's own operations of `MPI_COMM_SELF`, as a receive
//! from this process: nobody else can complete it.

use super::find;
use crate::abi::*;
use crate::arguments::Out;
use crate::communicator::{self, team::tag};
use crate::debug::queues::{OperationKind, OperationState};
use crate::engine::payload::Payload;
use crate::engine::request::{Operation, Owner, Request};
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
    fn advance(&mut self, _: &'static Engine, request: &'static Request) -> Course {
        if !self.complete {
            return Course::Waits;
        }
        request.head.actual_source.set(request.head.peer.get());
        request.head.actual_tag.set(request.head.tag.get());
        Course::Over
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
    // Before MPI_Init, where there are only sessions, there is no place to show it.
    let context = communicator::resolve(MPI_COMM_SELF).ok().map(|own| &own.hidden);
    let engine = engine::enter();
    let made = engine.make_task(Box::new(Generalized { callbacks, complete: false }), context);
    if let Some(context) = context {
        let (call, kind) = (c"MPI_Grequest_start", OperationKind::Receive);
        let (peer, tag, payload) = (context.rank, tag::GENERALIZED, Payload::EMPTY);
        engine.describe_task(made, &Operation { call, kind, context, peer, tag, payload });
    }
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
