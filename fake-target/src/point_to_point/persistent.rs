//! Persistent requests (MPI 5.0, section 3.9): made once, started repeatedly.

use super::call::{CallPartner, Data};
use super::send;
use crate::abi::*;
use crate::arguments::{Out, array_mut};
use crate::debug::queues::{OperationKind, OperationState};
use crate::engine::request::{Owner, Request};
use crate::engine::{self, Engine};
use crate::error::{Error, Result};
use crate::request;
use std::ffi::{CStr, c_int, c_void};

/// The functions that describe sends, one for each mode.
macro_rules! modes {
    ($($kind:ident: $name:ident;)*) => {$(
        #[doc = concat!("`MPI_", stringify!($name), "`")]
        #[expect(clippy::too_many_arguments, reason = "those of the C function")]
        pub(crate) fn $name(
            call: &'static CStr,
            buf: *const c_void,
            count: MPI_Count,
            datatype: MPI_Datatype,
            dest: c_int,
            tag: c_int,
            comm: MPI_Comm,
            request: Out<MPI_Request>,
        ) -> Result {
            let to = CallPartner::destination(dest, tag, comm)?;
            describe(call, OperationKind::$kind, Data::send(buf, count, datatype), to, request)
        }
    )*};
}

modes! {
    SendStandard: send_init;
    SendBuffered: bsend_init;
    SendSynchronous: ssend_init;
    SendReady: rsend_init;
}

/// `MPI_Recv_init`
#[expect(clippy::too_many_arguments, reason = "those of the C function")]
pub(crate) fn recv_init(
    call: &'static CStr,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: Out<MPI_Request>,
) -> Result {
    describe(
        call,
        OperationKind::Receive,
        Data { buffer: buf, count, datatype },
        CallPartner::source(source, tag, comm)?,
        request,
    )
}

fn describe(
    call: &'static CStr,
    kind: OperationKind,
    data: Data,
    partner: CallPartner,
    request: Out<MPI_Request>,
) -> Result {
    let operation = partner.operation(call, kind, data.payload()?);
    let made = engine::enter().make(&operation, Owner::Program);
    made.persistent.set(true);
    if made.is_send() && !partner.is_nobody() {
        made.destination.set(partner.world());
    }
    request.set(MPI_Request(made.handle()));
    Ok(())
}

/// `MPI_Start`
pub(crate) fn start(request: Out<MPI_Request>) -> Result {
    let engine = engine::enter();
    activate(&engine, inactive(&engine, request.get())?)
}

/// `MPI_Startall`
pub(crate) fn startall(count: c_int, array_of_requests: *mut MPI_Request) -> Result {
    let count = request::length(count)?;
    let engine = engine::enter();
    let handles = array_mut(array_of_requests, count, "array_of_requests")?;
    let requests =
        handles.iter().map(|handle| inactive(&engine, *handle)).collect::<Result<Vec<_>>>()?;
    requests.into_iter().try_for_each(|request| activate(&engine, request))
}

/// The persistent request of a handle, which must not be active.
fn inactive(engine: &'static Engine, handle: MPI_Request) -> Result<&'static Request> {
    let request = request::find(engine, handle)?;
    let what = match request {
        None => "it is MPI_REQUEST_NULL",
        Some(request) if !request.persistent.get() => "it is not persistent",
        Some(request) if request.state() != OperationState::Inactive => "it is active already",
        Some(request) => return Ok(request),
    };
    Err(Error::new(MPI_ERR_REQUEST, format!("the request cannot be started: {what}")))
}

fn activate(engine: &'static Engine, request: &'static Request) -> Result {
    if request.has_task() {
        engine.start_task(request);
        return Ok(());
    }
    let Some(operation) = request.operation() else { return Ok(()) };
    request.reset();
    if operation.peer == MPI_PROC_NULL {
        engine.complete_nothing(request);
    } else if !request.is_send() {
        engine.start_receive(request);
    } else {
        let destination = request.destination.get();
        if operation.kind == OperationKind::SendBuffered {
            let comm = operation.context.comm();
            send::check_room(engine, &operation).map_err(|error| error.on(comm))?;
            if !engine.can_send_at_once(&operation, destination) {
                return engine
                    .start_buffered(request, &operation, destination)
                    .ok_or_else(|| send::no_room(&operation).on(comm));
            }
        }
        engine.start_send(request, &operation, destination);
    }
    Ok(())
}
