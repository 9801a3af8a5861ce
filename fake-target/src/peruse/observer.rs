//! PERUSE as the engine and the chapters see it: what they report becomes calls of callbacks.
//!
//! Events are those of the program's own point-to-point communication. Messages of collective
//! operations travel in contexts of their own and cause nothing but the custom events of appendix
//! E. Calls on windows and files, and starts of processes, have custom events too.
//!
//! *Identifiers* (section 5.1.2): the id of a request or of a kept message is its handle, so it
//! names one use of the object. What has no object, such as a search or a message that is matched
//! when it arrives, gets a number. All ids are positive, and unique at any time.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::Ordering;

use super::event::Event;
use super::types::*;
use super::{handle, inside, lock, spawn, upcall};
use crate::abi::{MPI_Aint, MPI_BYTE, MPI_Count, MPI_DATATYPE_NULL, MPI_PROC_NULL, MPI_UNDEFINED};
use crate::debug::queues;
use crate::engine::context::Context;
use crate::engine::message::{Incoming, Message};
use crate::engine::observe::{self, FileCall, Observer, Seat, Subject, WindowCall, WindowWork};
use crate::engine::request::{Operation, Request};
use crate::handles::{self, HandleKind};

struct Peruse;

/// Begins to observe.
pub(super) fn attach() {
    observe::attach(Seat::Peruse, &Peruse);
    observe::want(Seat::Peruse, Event::Freed.bit() | Event::Duplicated.bit(), true);
}

impl Observer for Peruse {
    fn notice(&self, event: Event, subject: &Subject<'_>) {
        match (event, *subject) {
            (Event::Freed, Subject::Communicator { context, .. }) => {
                handle::communicator_freed(context);
            }
            (Event::Duplicated, Subject::Duplicate { from, to }) => duplicated(from, to),
            (event, Subject::Request(request)) => tell_of_request(event, request),
            (event, Subject::Message(message)) => tell_of_message(event, message),
            (event, Subject::Envelope { context, incoming, id }) => {
                tell(event, context, id, &spec_of_message(context, incoming, ptr::null_mut()));
            }
            (event, Subject::SearchFor { request, id }) => {
                if let Some(context) = request.context.get() {
                    tell(event, context, id, &spec_of_request(context, request));
                }
            }
            (event, Subject::SearchForProbe { context, source, tag, id }) => {
                tell(event, context, id, &spec_of_probe(context, source, tag));
            }
            (event, Subject::Step(operation)) => tell_of_step(event, operation),
            (event, Subject::Window(call, id)) => {
                handle::tell(event, call.context, id, &spec_of_window(call));
            }
            (event, Subject::File(call, id)) => {
                handle::tell(event, call.context, id, &spec_of_file(call));
            }
            (event, Subject::Spawn(call, id)) => spawn::tell(event, call, id),
            _ => {}
        }
    }

    fn blocked(&self, blocked: bool) {
        if blocked && inside::is_inside() {
            // A callback that waited would wait for itself.
            upcall::check_call(c"a function of MPI");
        }
        if lock::is_mine() {
            lock::owner_blocked(blocked);
        }
    }
}

/// Tells the handles that watch a context of the program.
#[inline]
fn tell(event: Event, context: &Context, id: MPI_Aint, spec: &peruse_comm_spec_t) {
    if context.visible {
        handle::tell(event, context.id(), id, spec);
    }
}

#[inline]
fn tell_of_request(event: Event, request: &'static Request) {
    // Operations with MPI_PROC_NULL transfer nothing: they have no context, or that rank.
    if let Some(context) = request.context.get()
        && request.head.peer.get() != MPI_PROC_NULL
    {
        let handle = match request.stand_in.get() {
            0 => request.handle(),
            other => other,
        };
        tell(event, context, observe::id_of(handle), &spec_of_request(context, request));
    }
}

#[inline]
fn tell_of_message(event: Event, message: &'static Message) {
    if let (Some(context), Some(incoming)) = (message.context.get(), message.incoming.get()) {
        let id = match message.id.get() {
            0 => observe::id_of(message.handle()),
            id => id,
        };
        tell(event, context, id, &spec_of_message(context, &incoming, message.head.buffer.get()));
    }
}

fn tell_of_step(event: Event, operation: &Operation) {
    let Operation { kind, context: hidden, peer, tag, payload, .. } = operation;
    let sends = *kind != queues::OperationKind::Receive;
    let spec = peruse_comm_spec_t {
        comm: hidden.comm(),
        buf: payload.buffer(),
        count: int_of(payload.count()),
        datatype: payload.handle(),
        peer: *peer,
        tag: *tag,
        operation: if sends { PERUSE_SEND } else { PERUSE_RECV },
    };
    let id = observe::id_of(handles::encode(
        HandleKind::Communicator,
        hidden.collectives.load(Ordering::Relaxed),
        hidden.id() as usize & (handles::MAX_OBJECTS - 1),
    ));
    handle::tell(event, hidden.program_id(), id, &spec);
}

/// A communicator has been duplicated. Messages for the duplicate may have come before it could be
/// watched.
fn duplicated(from: &Context, to: &Context) {
    if !handle::propagate(from, to) {
        return;
    }
    for message in to.unexpected().iter() {
        for event in [Event::MsgArrived, Event::MsgInsertInUnexQ] {
            if observe::wants(event.bit()) {
                tell_of_message(event, message);
            }
        }
    }
}

fn int_of(count: MPI_Count) -> c_int {
    count.try_into().unwrap_or(MPI_UNDEFINED)
}

fn spec_of_window(call: &WindowCall) -> peruse_win_spec_t {
    let (o_buf, o_count, o_datatype) = call.origin;
    let (t_buf, t_count, t_datatype) = call.target;
    peruse_win_spec_t {
        win: call.win,
        o_buf,
        o_count: int_of(o_count),
        o_datatype,
        t_buf,
        t_count: int_of(t_count),
        t_datatype,
        acc_op: call.op,
        peer: call.peer,
        operation: match call.work {
            WindowWork::Put => PERUSE_PUT,
            WindowWork::Get => PERUSE_GET,
            WindowWork::Accumulate => PERUSE_ACC,
            WindowWork::Fence => PERUSE_WIN_FENCE,
            WindowWork::Start => PERUSE_WIN_START,
            WindowWork::Complete => PERUSE_WIN_COMPLETE,
            WindowWork::Post => PERUSE_WIN_POST,
            WindowWork::Wait => PERUSE_WIN_WAIT,
            WindowWork::Lock => PERUSE_WIN_LOCK,
            WindowWork::Unlock => PERUSE_WIN_UNLOCK,
            WindowWork::Flush => PERUSE_WIN_FLUSH,
        },
    }
}

fn spec_of_file(call: &FileCall) -> peruse_file_spec_t {
    let (buf, count, datatype) = call.elements;
    peruse_file_spec_t {
        file: call.file,
        buf,
        count: int_of(count),
        datatype,
        offset: call.offset,
        operation: if call.writes { PERUSE_IO_WRITE } else { PERUSE_IO_READ },
    }
}

fn spec_of_probe(context: &Context, source: c_int, tag: c_int) -> peruse_comm_spec_t {
    peruse_comm_spec_t {
        comm: context.comm(),
        buf: ptr::null_mut(),
        count: 0,
        datatype: MPI_DATATYPE_NULL,
        peer: source,
        tag,
        operation: PERUSE_RECV,
    }
}

#[inline]
fn spec_of_request(context: &Context, request: &Request) -> peruse_comm_spec_t {
    let payload = request.payload.borrow();
    peruse_comm_spec_t {
        comm: context.comm(),
        buf: payload.buffer(),
        count: int_of(payload.count()),
        datatype: payload.handle(),
        peer: request.head.peer.get(),
        tag: request.head.tag.get(),
        operation: if request.is_send() { PERUSE_SEND } else { PERUSE_RECV },
    }
}

/// A message has no user's call in this process, so it is described by its envelope, as bytes.
#[inline]
fn spec_of_message(
    context: &Context,
    incoming: &Incoming,
    buffer: *mut c_void,
) -> peruse_comm_spec_t {
    peruse_comm_spec_t {
        comm: context.comm(),
        buf: buffer,
        count: int_of(incoming.length as MPI_Count),
        datatype: MPI_BYTE,
        peer: incoming.source,
        tag: incoming.tag,
        operation: PERUSE_RECV,
    }
}
