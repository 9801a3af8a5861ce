//! Receives (MPI 5.0, sections 3.2.4 and 3.7.2).

use super::call::{CallPartner, Data, finish, status_of_nobody};
use crate::abi::*;
use crate::arguments::Out;
use crate::debug::queues::OperationKind;
use crate::engine;
use crate::engine::request::Owner;
use crate::error::Result;
use crate::request::give_status;
use std::ffi::{CStr, c_int, c_void};

/// `MPI_Recv`
#[expect(clippy::too_many_arguments, reason = "those of the C function")]
pub(crate) fn recv(
    call: &'static CStr,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> Result {
    let from = CallPartner::source(source, tag, comm)?;
    let payload = Data { buffer: buf, count, datatype }.payload()?;
    if from.is_nobody() {
        give_status(status, &status_of_nobody());
        return Ok(());
    }
    let operation = from.operation(call, OperationKind::Receive, payload);
    let engine = engine::enter();
    if source != MPI_ANY_SOURCE
        && let Some((tag, bytes)) = engine.receive_directly(&operation, from.world())
    {
        let mut received = MPI_Status::EMPTY;
        (received.MPI_SOURCE, received.MPI_TAG) = (source, tag);
        received.set_bytes(bytes as MPI_Count);
        give_status(status, &received);
        return Ok(());
    }
    let request = engine.receive(&operation, Owner::Call);
    drop(engine);
    let (result, outcome) = finish(request);
    give_status(status, &result);
    outcome
}

/// `MPI_Irecv`
#[expect(clippy::too_many_arguments, reason = "those of the C function")]
pub(crate) fn irecv(
    call: &'static CStr,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: Out<MPI_Request>,
) -> Result {
    let from = CallPartner::source(source, tag, comm)?;
    let payload = Data { buffer: buf, count, datatype }.payload()?;
    let engine = engine::enter();
    let started = match from.is_nobody() {
        true => engine.make_bare(OperationKind::Receive, [None; 2]),
        false => {
            engine.receive(&from.operation(call, OperationKind::Receive, payload), Owner::Program)
        }
    };
    request.set(MPI_Request(started.handle()));
    Ok(())
}
