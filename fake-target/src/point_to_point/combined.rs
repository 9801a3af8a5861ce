//! A send and a receive in one call (MPI 5.0, section 3.11).

use super::call::{CallPartner, Data, finish, status_of_nobody};
use crate::abi::*;
use crate::arguments::Out;
use crate::debug::queues::{OperationKind, OperationState};
use crate::engine::payload::Payload;
use crate::engine::request::{Owner, Request};
use crate::engine::wait::{self, Awaited};
use crate::engine::{self, Engine};
use crate::error::Result;
use crate::request::give_status;
use std::ffi::{CStr, c_int, c_void};

/// The two halves of a call with checked arguments.
struct Halves {
    call: &'static CStr,
    outgoing: Payload,
    to: CallPartner,
    incoming: Payload,
    from: CallPartner,
}

impl Halves {
    /// Starts both halves, except one with `MPI_PROC_NULL`.
    fn start(&self, engine: &'static Engine) -> [Option<&'static Request>; 2] {
        let Halves { call, outgoing, to, incoming, from } = self;
        let receive = (!from.is_nobody()).then(|| {
            engine.receive(
                &from.operation(call, OperationKind::Receive, incoming.clone()),
                Owner::Call,
            )
        });
        let send = (!to.is_nobody()).then(|| {
            engine.send(
                &to.operation(call, OperationKind::SendStandard, outgoing.clone()),
                to.world(),
                Owner::Call,
            )
        });
        [send, receive]
    }

    /// Does both and waits.
    fn run(&self, status: *mut MPI_Status) -> Result {
        let halves = self.start(&engine::enter());
        wait::wait_for(Awaited::All(&halves), |_| {
            halves
                .iter()
                .flatten()
                .all(|half| half.state() == OperationState::Complete)
                .then_some(())
        });
        let [send, receive] = halves;
        let sent = send.map_or(Ok(()), |send| finish(send).1);
        let (result, received) = receive.map_or_else(|| (status_of_nobody(), Ok(())), finish);
        give_status(status, &result);
        sent.and(received)
    }

    /// Starts both under one request; `copy` is what the request keeps.
    fn start_as_one(&self, copy: Vec<u8>, request: Out<MPI_Request>) {
        let engine = engine::enter();
        let [send, receive] = self.start(&engine);
        let send = send.unwrap_or_else(|| engine.make_bare(OperationKind::SendStandard, [None; 2]));
        let receive =
            receive.unwrap_or_else(|| engine.make_bare(OperationKind::Receive, [None; 2]));
        send.own.replace(copy);
        let parts = [Some(send), Some(receive)];
        request.set(MPI_Request(engine.make_bare(OperationKind::Receive, parts).handle()));
    }
}

/// `MPI_Sendrecv`
#[expect(clippy::too_many_arguments, reason = "those of the C function")]
pub(crate) fn sendrecv(
    call: &'static CStr,
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> Result {
    Halves {
        call,
        to: CallPartner::destination(dest, sendtag, comm)?,
        outgoing: Data::send(sendbuf, sendcount, sendtype).payload()?,
        from: CallPartner::source(source, recvtag, comm)?,
        incoming: Data { buffer: recvbuf, count: recvcount, datatype: recvtype }.payload()?,
    }
    .run(status)
}

/// `MPI_Isendrecv`
#[expect(clippy::too_many_arguments, reason = "those of the C function")]
pub(crate) fn isendrecv(
    call: &'static CStr,
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
    request: Out<MPI_Request>,
) -> Result {
    let halves = Halves {
        call,
        to: CallPartner::destination(dest, sendtag, comm)?,
        outgoing: Data::send(sendbuf, sendcount, sendtype).payload()?,
        from: CallPartner::source(source, recvtag, comm)?,
        incoming: Data { buffer: recvbuf, count: recvcount, datatype: recvtype }.payload()?,
    };
    halves.start_as_one(Vec::new(), request);
    Ok(())
}

/// The halves of a call with one buffer, and the copy that the message is sent from.
#[expect(clippy::too_many_arguments, reason = "those of the C functions")]
fn replacing(
    call: &'static CStr,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
) -> Result<(Halves, Vec<u8>)> {
    let to = CallPartner::destination(dest, sendtag, comm)?;
    let from = CallPartner::source(source, recvtag, comm)?;
    let incoming = Data { buffer: buf, count, datatype }.payload()?;
    let mut copy = vec![0; incoming.length()];
    let outgoing = incoming.moved_to(copy.as_mut_ptr());
    Ok((Halves { call, outgoing, to, incoming, from }, copy))
}

/// `MPI_Sendrecv_replace`
#[expect(clippy::too_many_arguments, reason = "those of the C function")]
pub(crate) fn sendrecv_replace(
    call: &'static CStr,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> Result {
    let (halves, _copy) =
        replacing(call, buf, count, datatype, dest, sendtag, source, recvtag, comm)?;
    halves.run(status)
}

/// `MPI_Isendrecv_replace`
#[expect(clippy::too_many_arguments, reason = "those of the C function")]
pub(crate) fn isendrecv_replace(
    call: &'static CStr,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
    request: Out<MPI_Request>,
) -> Result {
    let (halves, copy) =
        replacing(call, buf, count, datatype, dest, sendtag, source, recvtag, comm)?;
    halves.start_as_one(copy, request);
    Ok(())
}
