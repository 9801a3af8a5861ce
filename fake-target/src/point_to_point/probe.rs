//! Probes, and the receives of what matched probes have found (MPI 5.0, section 3.8).

use super::call::{CallPartner, Data, finish, status_of_nobody};
use crate::abi::*;
use crate::arguments::Out;
use crate::debug::queues::OperationKind;
use crate::engine::look::look_for;
use crate::engine::payload::Payload;
use crate::engine::request::{Owner, Request};
use crate::engine::{self, Engine, wait};
use crate::error::{Error, Result};
use crate::request::give_status;
use std::ffi::{CStr, c_int, c_void};

/// `MPI_Probe`
pub(crate) fn probe(
    call: &'static CStr,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> Result {
    let from = CallPartner::source(source, tag, comm)?;
    let found = match from.is_nobody() {
        true => status_of_nobody(),
        false => {
            wait_for(call, from, |engine| engine.probe(&from.communicator.program, source, tag))
        }
    };
    give_status(status, &found);
    Ok(())
}

/// `MPI_Iprobe`
pub(crate) fn iprobe(
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    flag: Out<c_int>,
    status: *mut MPI_Status,
) -> Result {
    let from = CallPartner::source(source, tag, comm)?;
    let found = match from.is_nobody() {
        true => Some(status_of_nobody()),
        false => look_for(|engine: &'static Engine| {
            engine.probe(&from.communicator.program, source, tag)
        }),
    };
    flag.set(found.is_some().into());
    if let Some(found) = found {
        give_status(status, &found);
    }
    Ok(())
}

/// `MPI_Mprobe`
pub(crate) fn mprobe(
    call: &'static CStr,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    message: Out<MPI_Message>,
    status: *mut MPI_Status,
) -> Result {
    let from = CallPartner::source(source, tag, comm)?;
    let (handle, found) = match from.is_nobody() {
        true => (MPI_MESSAGE_NO_PROC.0, status_of_nobody()),
        false => wait_for(call, from, |engine| {
            engine.probe_and_take(&from.communicator.program, source, tag)
        }),
    };
    message.set(MPI_Message(handle));
    give_status(status, &found);
    Ok(())
}

/// `MPI_Improbe`
pub(crate) fn improbe(
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    flag: Out<c_int>,
    message: Out<MPI_Message>,
    status: *mut MPI_Status,
) -> Result {
    let from = CallPartner::source(source, tag, comm)?;
    let found = match from.is_nobody() {
        true => Some((MPI_MESSAGE_NO_PROC.0, status_of_nobody())),
        false => look_for(|engine: &'static Engine| {
            engine.probe_and_take(&from.communicator.program, source, tag)
        }),
    };
    flag.set(found.is_some().into());
    if let Some((handle, found)) = found {
        message.set(MPI_Message(handle));
        give_status(status, &found);
    }
    Ok(())
}

/// Waits for a message, while debuggers see the probe.
fn wait_for<R>(
    call: &'static CStr,
    from: CallPartner,
    mut find: impl FnMut(&'static Engine) -> Option<R>,
) -> R {
    if let Some(found) = look_for(&mut find) {
        return found;
    }
    let request =
        engine::enter().begin_probe(&from.operation(call, OperationKind::Probe, Payload::EMPTY));
    wait::wait_for(wait::Awaited::One(request), |engine: &'static Engine| {
        find(engine).inspect(|_| engine.release(request))
    })
}

/// `MPI_Mrecv`
pub(crate) fn mrecv(
    call: &'static CStr,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    message: Out<MPI_Message>,
    status: *mut MPI_Status,
) -> Result {
    let (result, outcome) =
        match receive(call, Data { buffer: buf, count, datatype }, message, Owner::Call)? {
            Some(request) => finish(request),
            None => (status_of_nobody(), Ok(())),
        };
    give_status(status, &result);
    outcome
}

/// `MPI_Imrecv`
pub(crate) fn imrecv(
    call: &'static CStr,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    message: Out<MPI_Message>,
    request: Out<MPI_Request>,
) -> Result {
    let started = receive(call, Data { buffer: buf, count, datatype }, message, Owner::Program)?;
    let started =
        started.unwrap_or_else(|| engine::enter().make_bare(OperationKind::Receive, [None; 2]));
    request.set(MPI_Request(started.handle()));
    Ok(())
}

/// Starts the receive of a matched message; none for `MPI_MESSAGE_NO_PROC`. The handle is invalid
/// afterwards.
fn receive(
    call: &'static CStr,
    data: Data,
    message: Out<MPI_Message>,
    owner: Owner,
) -> Result<Option<&'static Request>> {
    let payload = data.payload()?;
    let handle = message.get();
    if handle == MPI_MESSAGE_NO_PROC {
        message.set(MPI_MESSAGE_NULL);
        return Ok(None);
    }
    let engine = engine::enter();
    let Some((found, context)) = engine.message(handle.0) else {
        let what = if handle == MPI_MESSAGE_NULL {
            "it is MPI_MESSAGE_NULL"
        } else {
            "the handle names none, or one received already"
        };
        return Err(Error::new(
            MPI_ERR_REQUEST,
            format!("a message of a matched probe is needed, and {what}"),
        ));
    };
    let (peer, tag) = (found.head.source.get(), found.head.tag.get());
    let operation = engine::request::Operation {
        call,
        kind: OperationKind::MatchedReceive,
        context,
        peer,
        tag,
        payload,
    };
    message.set(MPI_MESSAGE_NULL);
    Ok(Some(engine.receive_message(&operation, found, owner)))
}
