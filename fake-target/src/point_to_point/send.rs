//! Sends (MPI 5.0, sections 3.2, 3.4 and 3.7.2).

use super::call::{CallPartner, Data, finish};
use crate::abi::*;
use crate::arguments::Out;
use crate::debug::queues::OperationKind;
use crate::engine::observe;
use crate::engine::request::{Operation, Owner, Request};
use crate::engine::{self, Engine};
use crate::error::{Error, Result};
use std::ffi::{CStr, c_int, c_void};

/// The functions of a mode: blocking and nonblocking.
macro_rules! modes {
    ($($kind:ident: $blocking:ident, $nonblocking:ident;)*) => {$(
        #[doc = concat!("`MPI_", stringify!($blocking), "`: a blocking send.")]
        pub(crate) fn $blocking(
            call: &'static CStr,
            buf: *const c_void,
            count: MPI_Count,
            datatype: MPI_Datatype,
            dest: c_int,
            tag: c_int,
            comm: MPI_Comm,
        ) -> Result {
            let to = CallPartner::destination(dest, tag, comm)?;
            blocking(call, OperationKind::$kind, Data::send(buf, count, datatype), to)
        }

        #[doc = concat!("`MPI_", stringify!($nonblocking), "`: a nonblocking send.")]
        #[expect(clippy::too_many_arguments, reason = "those of the C function")]
        pub(crate) fn $nonblocking(
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
            let data = Data::send(buf, count, datatype);
            let started = nonblocking(call, OperationKind::$kind, data, to)?;
            request.set(MPI_Request(started.handle()));
            Ok(())
        }
    )*};
}

modes! {
    SendStandard: send, isend;
    SendBuffered: bsend, ibsend;
    SendSynchronous: ssend, issend;
    SendReady: rsend, irsend;
}

#[inline]
fn blocking(call: &'static CStr, kind: OperationKind, data: Data, to: CallPartner) -> Result {
    let operation = to.operation(call, kind, data.payload()?);
    if to.is_nobody() {
        return Ok(());
    }
    let engine = engine::enter();
    if kind == OperationKind::SendBuffered {
        check_room(&engine, &operation)?;
    }
    // A message that leaves at once has no request, but PERUSE needs requests.
    if !observe::follows_sends() && engine.send_at_once(&operation, to.world()) {
        return Ok(());
    }
    if kind == OperationKind::SendBuffered {
        let request = start(&engine, &operation, to.world())?;
        observe::notified(request);
        engine.detach(request);
        return Ok(());
    }
    let request = engine.send(&operation, to.world(), Owner::Call);
    drop(engine);
    finish(request).1
}

fn nonblocking(
    call: &'static CStr,
    kind: OperationKind,
    data: Data,
    to: CallPartner,
) -> Result<&'static Request> {
    let operation = to.operation(call, kind, data.payload()?);
    let engine = engine::enter();
    if to.is_nobody() {
        return Ok(engine.make_bare(kind, [None; 2]));
    }
    start(&engine, &operation, to.world())
}

/// Starts a send of the program.
pub(super) fn start(
    engine: &'static Engine,
    operation: &Operation,
    destination: usize,
) -> Result<&'static Request> {
    if operation.kind != OperationKind::SendBuffered {
        return Ok(engine.send(operation, destination, Owner::Program));
    }
    check_room(engine, operation)?;
    // What leaves at once needs no buffer; the request only tells that it has.
    if engine.can_send_at_once(operation, destination) {
        return Ok(engine.send(operation, destination, Owner::Program));
    }
    buffered(engine, operation, destination)
}

/// A buffered send that does not fit the buffer is an error, even if its message could leave at
/// once: a correct program cannot rely on that.
pub(super) fn check_room(engine: &'static Engine, operation: &Operation) -> Result {
    if engine.has_room(operation) { Ok(()) } else { Err(no_room(operation)) }
}

/// Starts a buffered send whose data go to the buffer.
fn buffered(
    engine: &'static Engine,
    operation: &Operation,
    destination: usize,
) -> Result<&'static Request> {
    engine.send_buffered(operation, destination, Owner::Program).ok_or_else(|| no_room(operation))
}

#[cold]
pub(super) fn no_room(operation: &Operation) -> Error {
    let bytes = operation.payload.length();
    Error::new(
        MPI_ERR_BUFFER,
        format!(
            "there is no room for {bytes} bytes of data and MPI_BSEND_OVERHEAD \
             ({MPI_BSEND_OVERHEAD}) in the attached buffer; attach a larger one, or \
             MPI_BUFFER_AUTOMATIC"
        ),
    )
}
