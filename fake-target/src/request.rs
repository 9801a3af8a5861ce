//! Completing, freeing and cancelling requests (MPI 5.0, sections 3.7.3 to 3.7.6 and 3.8.4).

pub(crate) mod generalized;

use crate::abi::*;
use crate::arguments::{Out, array, array_mut};
use crate::debug::queues::OperationState;
use crate::engine::context::Context;
use crate::engine::look::look_for;
use crate::engine::observe;
use crate::engine::request::{Owner, Request};
use crate::engine::task::Callbacks;
use crate::engine::wait::{self, Awaited};
use crate::engine::{self, Engine};
use crate::error::{Error, Result};
use std::ffi::c_int;

/// Gives a status to the program, which may ignore it. `MPI_ERROR` is not changed (MPI 5.0, section
/// 3.2.5), except for the empty status (section 3.7.3), which is recognized by the source
/// `MPI_ANY_SOURCE`.
#[inline]
pub(crate) fn give_status(to: *mut MPI_Status, status: &MPI_Status) {
    // SAFETY: MPI's caller passes MPI_STATUS_IGNORE, which is null, or the address of a status.
    if let Some(to) = unsafe { to.as_mut() } {
        let error = to.MPI_ERROR;
        *to = *status;
        if status.MPI_SOURCE != MPI_ANY_SOURCE {
            to.MPI_ERROR = error;
        }
    }
}

/// Whether a complete operation has succeeded.
#[inline]
pub(crate) fn outcome(request: &Request) -> Result {
    for part in request.parts.get().into_iter().flatten() {
        outcome(part)?;
    }
    if request.error.get() == MPI_SUCCESS { Ok(()) } else { Err(failure(request)) }
}

#[cold]
fn failure(request: &Request) -> Error {
    let error = request.failure.take().unwrap_or_else(|| truncated(request));
    match request.context.get().map(Context::comm) {
        Some(comm) if comm != MPI_COMM_NULL => error.on(comm),
        _ => error,
    }
}

fn truncated(request: &Request) -> Error {
    let head = &request.head;
    let why = match request.error.get() {
        MPI_ERR_TYPE => "they end in the middle of an element of the datatype".to_owned(),
        _ => format!("the buffer has room for {}", head.length.get()),
    };
    let message = format!(
        "the message from rank {} with tag {} has {} bytes, and {why}",
        head.actual_source.get(),
        head.actual_tag.get(),
        head.actual_length.get()
    );
    Error::new(request.error.get(), message)
}

/// A request among those of a call: none for `MPI_REQUEST_NULL`.
type Entry = Option<&'static Request>;

/// The length of an array argument.
pub(crate) fn length(count: c_int) -> Result<usize> {
    usize::try_from(count)
        .map_err(|_| Error::new(MPI_ERR_COUNT, format!("the count {count} is negative")))
}

/// The request of a handle, none for `MPI_REQUEST_NULL`.
#[inline]
pub(crate) fn find(engine: &'static Engine, handle: MPI_Request) -> Result<Entry> {
    if handle == MPI_REQUEST_NULL {
        return Ok(None);
    }
    match engine.request(handle.0).filter(|request| request.owner.get() == Owner::Program) {
        Some(request) => Ok(Some(request)),
        None => Err(Error::new(
            MPI_ERR_REQUEST,
            format!("the handle {:#x} names no request, or one that has ended", handle.0),
        )),
    }
}

/// Whether the request takes part in waiting: neither null nor an inactive persistent one.
fn active(entry: Entry) -> Option<&'static Request> {
    entry.filter(|request| request.state() != OperationState::Inactive)
}

/// Whether nothing keeps a call from completing the request.
fn is_done(entry: Entry) -> bool {
    active(entry).is_none_or(|request| request.is_done())
}

/// The status of a request for the program. Null and inactive requests have the empty status.
fn status(entry: Entry) -> MPI_Status {
    active(entry).map_or(MPI_Status::EMPTY, |request| request.status())
}

/// A request that has ended. The program's functions for it are called outside of the engine.
struct Ended {
    status: MPI_Status,
    outcome: Result,
    callbacks: Option<Callbacks>,
}

impl Ended {
    const NOTHING: Ended = Ended { status: MPI_Status::EMPTY, outcome: Ok(()), callbacks: None };

    /// Its status and outcome.
    #[inline]
    fn settle(self) -> (MPI_Status, Result) {
        match self.callbacks {
            None => (self.status, self.outcome),
            Some(callbacks) => {
                let (status, outcome) = generalized::query(&callbacks);
                let freed = generalized::free(&callbacks);
                (status, outcome.and(freed))
            }
        }
    }
}

/// Completes a request that is done: its status and outcome, and the end of its handle unless it is
/// persistent.
#[inline]
fn end(engine: &'static Engine, entry: Entry, handle: &mut MPI_Request) -> Ended {
    let Some(request) = active(entry) else { return Ended::NOTHING };
    if !request.has_task() {
        observe::notified(request);
    }
    let result = Ended {
        status: request.status(),
        outcome: outcome(request),
        callbacks: request.callbacks(),
    };
    if request.persistent.get() {
        engine.unlink(request);
        request.head.state.set(OperationState::Inactive);
    } else {
        *handle = MPI_REQUEST_NULL;
        // A buffered send may still be on its way.
        engine.detach(request);
    }
    result
}

/// `MPI_Wait`
pub(crate) fn wait(request: Out<MPI_Request>, status: *mut MPI_Status) -> Result {
    let mut handle = request.get();
    let entry = find(&engine::enter(), handle)?;
    let ended = wait::wait_for(Awaited::All(&[entry]), |engine: &'static Engine| {
        is_done(entry).then(|| end(engine, entry, &mut handle))
    });
    let (result, outcome) = ended.settle();
    request.set(handle);
    give_status(status, &result);
    outcome
}

/// `MPI_Test`
pub(crate) fn test(request: Out<MPI_Request>, flag: Out<c_int>, status: *mut MPI_Status) -> Result {
    let mut handle = request.get();
    let entry = find(&engine::enter(), handle)?;
    let ended =
        look_for(|engine: &'static Engine| is_done(entry).then(|| end(engine, entry, &mut handle)));
    flag.set(ended.is_some().into());
    let Some((result, outcome)) = ended.map(Ended::settle) else { return Ok(()) };
    request.set(handle);
    give_status(status, &result);
    outcome
}

/// The requests of an array argument.
struct Batch<'a> {
    handles: &'a mut [MPI_Request],
    entries: &'a [Entry],
    /// All before this one are done.
    done: usize,
}

impl<'a> Batch<'a> {
    /// The requests of an array argument with those handles.
    fn new(handles: *mut MPI_Request, entries: &'a [Entry]) -> Result<Batch<'a>> {
        let handles = array_mut(handles, entries.len(), "array_of_requests")?;
        Ok(Batch { handles, entries, done: 0 })
    }

    fn all_done(&mut self) -> bool {
        while self.entries.get(self.done).is_some_and(|entry| is_done(*entry)) {
            self.done += 1;
        }
        self.done == self.entries.len()
    }

    fn any_active(&self) -> bool {
        self.entries.iter().any(|entry| active(*entry).is_some())
    }

    /// The first request that is active and done.
    fn first_done(&self) -> Option<usize> {
        self.entries
            .iter()
            .position(|entry| active(*entry).is_some_and(|request| request.is_done()))
    }

    /// All requests that are active and done.
    fn some_done(&self) -> Option<Vec<usize>> {
        let done =
            |index: &usize| active(self.entries[*index]).is_some_and(|request| request.is_done());
        self.first_done().map(|first| (first..self.entries.len()).filter(done).collect())
    }

    fn end(&mut self, engine: &'static Engine, index: usize) -> Ended {
        end(engine, self.entries[index], &mut self.handles[index])
    }

    /// Completes the requests with these indices.
    fn end_each(
        &mut self,
        engine: &'static Engine,
        indices: impl Iterator<Item = usize>,
    ) -> Vec<Ended> {
        indices.map(|index| self.end(engine, index)).collect()
    }
}

/// Tells the program of requests that have ended. If any has failed, `MPI_ERR_IN_STATUS` says so
/// and each status has its own error code.
fn give_each(ended: Vec<Ended>, statuses: *mut MPI_Status) -> Result {
    let mut results: Vec<_> = ended.into_iter().map(Ended::settle).collect();
    let failed = results.iter().position(|(_, outcome)| outcome.is_err());
    if !statuses.is_null() {
        for (status, (result, outcome)) in
            array_mut(statuses, results.len(), "array_of_statuses")?.iter_mut().zip(&results)
        {
            let error = match (failed, outcome) {
                // The empty status, as in `give_status`.
                (None, _) if result.MPI_SOURCE == MPI_ANY_SOURCE => MPI_SUCCESS,
                (None, _) => status.MPI_ERROR,
                (Some(_), Ok(())) => MPI_SUCCESS,
                (Some(_), Err(error)) => error.code(),
            };
            *status = *result;
            status.MPI_ERROR = error;
        }
    }
    match failed.map(|index| results.swap_remove(index).1) {
        Some(Err(first)) => {
            let count = results.iter().filter(|(_, outcome)| outcome.is_err()).count() + 1;
            let error = Error::new(
                MPI_ERR_IN_STATUS,
                format!("{count} of the requests failed; the first: {}", first.message()),
            );
            Err(match first.communicator() {
                Some(communicator) => error.on(communicator),
                None => error,
            })
        }
        _ => Ok(()),
    }
}

/// `MPI_Waitall`
pub(crate) fn waitall(
    count: c_int,
    array_of_requests: *mut MPI_Request,
    array_of_statuses: *mut MPI_Status,
) -> Result {
    let entries = entries(count, array_of_requests)?;
    let mut batch = Batch::new(array_of_requests, &entries)?;
    let ended = wait::wait_for(Awaited::All(&entries), |engine: &'static Engine| {
        batch.all_done().then(|| batch.end_each(engine, 0..batch.entries.len()))
    });
    give_each(ended, array_of_statuses)
}

/// `MPI_Testall`
pub(crate) fn testall(
    count: c_int,
    array_of_requests: *mut MPI_Request,
    flag: Out<c_int>,
    array_of_statuses: *mut MPI_Status,
) -> Result {
    let entries = entries(count, array_of_requests)?;
    let mut batch = Batch::new(array_of_requests, &entries)?;
    let ended = look_for(|engine: &'static Engine| {
        batch.all_done().then(|| batch.end_each(engine, 0..batch.entries.len()))
    });
    flag.set(ended.is_some().into());
    ended.map_or(Ok(()), |ended| give_each(ended, array_of_statuses))
}

/// `MPI_Waitany`
pub(crate) fn waitany(
    count: c_int,
    array_of_requests: *mut MPI_Request,
    indx: Out<c_int>,
    status: *mut MPI_Status,
) -> Result {
    let entries = entries(count, array_of_requests)?;
    let mut batch = Batch::new(array_of_requests, &entries)?;
    let ended = match batch.any_active() {
        true => Some(wait::wait_for(Awaited::Any(&entries), |engine: &'static Engine| {
            batch.first_done().map(|index| (index, batch.end(engine, index)))
        })),
        false => None,
    };
    give_any(ended, indx, status)
}

/// `MPI_Testany`
pub(crate) fn testany(
    count: c_int,
    array_of_requests: *mut MPI_Request,
    indx: Out<c_int>,
    flag: Out<c_int>,
    status: *mut MPI_Status,
) -> Result {
    let entries = entries(count, array_of_requests)?;
    let mut batch = Batch::new(array_of_requests, &entries)?;
    let any_active = batch.any_active();
    let ended = look_for(|engine: &'static Engine| {
        batch.first_done().map(|index| (index, batch.end(engine, index)))
    });
    flag.set((ended.is_some() || !any_active).into());
    if any_active && ended.is_none() {
        indx.set(MPI_UNDEFINED);
        return Ok(());
    }
    give_any(ended, indx, status)
}

/// Tells the program which request has ended, or that there was none to complete.
fn give_any(ended: Option<(usize, Ended)>, indx: Out<c_int>, status: *mut MPI_Status) -> Result {
    let (index, (result, outcome)) = ended
        .map_or((MPI_UNDEFINED, (MPI_Status::EMPTY, Ok(()))), |(index, result)| {
            (index as c_int, result.settle())
        });
    indx.set(index);
    give_status(status, &result);
    outcome
}

/// `MPI_Waitsome`
pub(crate) fn waitsome(
    incount: c_int,
    array_of_requests: *mut MPI_Request,
    outcount: Out<c_int>,
    array_of_indices: *mut c_int,
    array_of_statuses: *mut MPI_Status,
) -> Result {
    some(incount, array_of_requests, outcount, array_of_indices, array_of_statuses, true)
}

/// `MPI_Testsome`
pub(crate) fn testsome(
    incount: c_int,
    array_of_requests: *mut MPI_Request,
    outcount: Out<c_int>,
    array_of_indices: *mut c_int,
    array_of_statuses: *mut MPI_Status,
) -> Result {
    some(incount, array_of_requests, outcount, array_of_indices, array_of_statuses, false)
}

fn some(
    incount: c_int,
    requests: *mut MPI_Request,
    outcount: Out<c_int>,
    indices: *mut c_int,
    statuses: *mut MPI_Status,
    waits: bool,
) -> Result {
    let entries = entries(incount, requests)?;
    let mut batch = Batch::new(requests, &entries)?;
    let indices = array_mut(indices, batch.entries.len(), "array_of_indices")?;
    if !batch.any_active() {
        outcount.set(MPI_UNDEFINED);
        return Ok(());
    }
    let mut ready = |engine: &'static Engine| {
        let done = batch.some_done()?;
        outcount.set(done.len() as c_int);
        indices.iter_mut().zip(&done).for_each(|(to, index)| *to = *index as c_int);
        Some(batch.end_each(engine, done.into_iter()))
    };
    if waits {
        return give_each(wait::wait_for(Awaited::Any(&entries), ready), statuses);
    }
    outcount.set(0);
    look_for(&mut ready).map_or(Ok(()), |ended| give_each(ended, statuses))
}

/// Gives the status of a request that is done, and keeps the request. Nothing is written if the
/// program's query function fails.
fn show_status(entry: Entry, to: *mut MPI_Status) -> Result {
    match active(entry).and_then(|request| request.callbacks()) {
        None => give_status(to, &status(entry)),
        Some(callbacks) => {
            let (status, outcome) = generalized::query(&callbacks);
            outcome?;
            give_status(to, &status);
        }
    }
    Ok(())
}

/// The same for a call on several requests: the status also has the error code.
fn show_status_of_several(entry: Entry, to: *mut MPI_Status) -> Result {
    show_status(entry, to)?;
    // SAFETY: as in `give_status`.
    if let Some(to) = unsafe { to.as_mut() } {
        to.MPI_ERROR = active(entry).map_or(MPI_SUCCESS, |request| request.error.get());
    }
    Ok(())
}

/// `MPI_Request_get_status`: like `MPI_Test`, and the request stays.
pub(crate) fn get_status(request: MPI_Request, flag: Out<c_int>, to: *mut MPI_Status) -> Result {
    let entry = find(&engine::enter(), request)?;
    let found = look_for(|_: &'static Engine| is_done(entry).then_some(()));
    flag.set(found.is_some().into());
    match found {
        Some(()) => show_status(entry, to),
        None => Ok(()),
    }
}

/// The requests of an array that stays as it is.
fn entries(count: c_int, handles: *const MPI_Request) -> Result<Vec<Entry>> {
    let engine = engine::enter();
    array(handles, length(count)?, "array_of_requests")?
        .iter()
        .map(|handle| find(&engine, *handle))
        .collect()
}

/// `MPI_Request_get_status_all`
pub(crate) fn get_status_all(
    count: c_int,
    array_of_requests: *const MPI_Request,
    flag: Out<c_int>,
    array_of_statuses: *mut MPI_Status,
) -> Result {
    let entries = entries(count, array_of_requests)?;
    let done =
        look_for(|_: &'static Engine| entries.iter().all(|entry| is_done(*entry)).then_some(()));
    flag.set(done.is_some().into());
    if done.is_some() && !array_of_statuses.is_null() {
        let statuses = array_mut(array_of_statuses, entries.len(), "array_of_statuses")?;
        for (to, entry) in statuses.iter_mut().zip(&entries) {
            show_status_of_several(*entry, to)?;
        }
    }
    Ok(())
}

/// `MPI_Request_get_status_any`
pub(crate) fn get_status_any(
    count: c_int,
    array_of_requests: *const MPI_Request,
    indx: Out<c_int>,
    flag: Out<c_int>,
    to: *mut MPI_Status,
) -> Result {
    let entries = entries(count, array_of_requests)?;
    let any_active = entries.iter().any(|entry| active(*entry).is_some());
    let found = look_for(|_: &'static Engine| {
        entries.iter().position(|entry| active(*entry).is_some_and(|request| request.is_done()))
    });
    flag.set((found.is_some() || !any_active).into());
    indx.set(found.map_or(MPI_UNDEFINED, |index| index as c_int));
    if found.is_some() || !any_active {
        show_status_of_several(found.and_then(|index| entries[index]), to)?;
    }
    Ok(())
}

/// `MPI_Request_get_status_some`
pub(crate) fn get_status_some(
    incount: c_int,
    array_of_requests: *const MPI_Request,
    outcount: Out<c_int>,
    array_of_indices: *mut c_int,
    array_of_statuses: *mut MPI_Status,
) -> Result {
    let entries = entries(incount, array_of_requests)?;
    let indices = array_mut(array_of_indices, entries.len(), "array_of_indices")?;
    if !entries.iter().any(|entry| active(*entry).is_some()) {
        outcount.set(MPI_UNDEFINED);
        return Ok(());
    }
    let done = |entry: Entry| active(entry).is_some_and(|request| request.is_done());
    let found: Vec<usize> = look_for(|_: &'static Engine| {
        let found: Vec<usize> = (0..entries.len()).filter(|index| done(entries[*index])).collect();
        (!found.is_empty()).then_some(found)
    })
    .unwrap_or_default();
    outcount.set(found.len() as c_int);
    indices.iter_mut().zip(&found).for_each(|(to, index)| *to = *index as c_int);
    if !array_of_statuses.is_null() {
        let statuses = array_mut(array_of_statuses, found.len(), "array_of_statuses")?;
        for (to, index) in statuses.iter_mut().zip(&found) {
            show_status_of_several(entries[*index], to)?;
        }
    }
    Ok(())
}

/// `MPI_Request_free`: an active operation goes on and ends by itself.
pub(crate) fn free(request: Out<MPI_Request>) -> Result {
    let engine = engine::enter();
    let found = find(&engine, request.get())?.ok_or_else(null)?;
    let callbacks = found.callbacks();
    // A persistent request is active until it is waited for; another one until it is complete.
    let active =
        found.state() != OperationState::Inactive && (found.persistent.get() || !found.is_done());
    if found.has_task() && active && callbacks.is_none() {
        return Err(not_a_message("freed"));
    }
    found.persistent.set(false);
    let ends = found.state() == OperationState::Complete;
    engine.detach(found);
    request.set(MPI_REQUEST_NULL);
    drop(engine);
    match callbacks.filter(|_| ends) {
        Some(callbacks) => generalized::free(&callbacks),
        None => Ok(()),
    }
}

/// `MPI_Cancel`
pub(crate) fn cancel(request: Out<MPI_Request>) -> Result {
    let engine = engine::enter();
    let found = find(&engine, request.get())?.ok_or_else(null)?;
    if found.state() == OperationState::Inactive {
        return Err(Error::new(
            MPI_ERR_REQUEST,
            "the request is not active: there is nothing to cancel",
        ));
    }
    if let Some(callbacks) = found.callbacks() {
        let complete = found.state() == OperationState::Complete;
        drop(engine);
        return generalized::cancel(&callbacks, complete);
    }
    if found.has_task() {
        return Err(not_a_message("cancelled"));
    }
    engine.cancel(found);
    Ok(())
}

fn not_a_message(what: &str) -> Error {
    Error::new(
        MPI_ERR_REQUEST,
        format!("the request of an active collective or partitioned operation cannot be {what}"),
    )
}

fn null() -> Error {
    Error::new(MPI_ERR_REQUEST, "the request is MPI_REQUEST_NULL")
}

/// `MPI_Request_fromint`
pub(crate) fn from_int(request: c_int) -> MPI_Request {
    let dynamic = engine::is_running().then(|| engine::enter().request_from_int(request)).flatten();
    dynamic.map_or_else(|| crate::handles::predefined_from_int(request), MPI_Request)
}

/// `MPI_Message_fromint`
pub(crate) fn message_from_int(message: c_int) -> MPI_Message {
    let dynamic = engine::is_running().then(|| engine::enter().message_from_int(message)).flatten();
    dynamic.map_or_else(|| crate::handles::predefined_from_int(message), MPI_Message)
}
