//! What the engine calls where events happen.
//!
//! Events are those of the program's own point-to-point communication. Messages of collective
//! operations travel in contexts of their own and cause nothing but the custom events of appendix
//! E.
//!
//! *Identifiers* (section 5.1.2): a request's or kept message's is its handle, so it names one use
//! of the object; what has no object (a search, a message that is matched when it arrives) gets a
//! number. All are positive and never the same at the same time.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use super::active::ACTIVE;
use super::event::Event;
use super::interface::{PERUSE_RECV, PERUSE_SEND, peruse_comm_spec_t};
use crate::abi::{
    MPI_Aint, MPI_BYTE, MPI_COMM_NULL, MPI_Comm, MPI_Count, MPI_DATATYPE_NULL, MPI_PROC_NULL,
    MPI_UNDEFINED,
};
use crate::communicator::Communicator;
use crate::debug::queues;
use crate::engine::context::Context;
use crate::engine::message::{Incoming, Message};
use crate::engine::request::{Operation, Request};
use crate::handles::{self, Kind};

const fn set_of(events: &[Event]) -> u32 {
    let (mut set, mut index) = (0, 0);
    while index < events.len() {
        set |= events[index].bit();
        index += 1;
    }
    set
}

const SENDS: u32 = set_of(&[
    Event::ReqActivate,
    Event::ReqXferBegin,
    Event::ReqXferEnd,
    Event::ReqComplete,
    Event::ReqNotify,
]);
const TRANSFERS: u32 = set_of(&[Event::ReqXferBegin, Event::ReqXferEnd]);
const MESSAGES: u32 = set_of(&[
    Event::MsgArrived,
    Event::MsgInsertInUnexQ,
    Event::MsgRemoveFromUnexQ,
    Event::MsgMatchPostedReq,
]);
const POSTED_SEARCHES: u32 = set_of(&[Event::SearchPostedQBegin, Event::SearchPostedQEnd]);
const UNEXPECTED_SEARCHES: u32 = set_of(&[Event::SearchUnexQBegin, Event::SearchUnexQEnd]);
const STEPS: u32 =
    set_of(&[Event::CollectiveSend, Event::CollectiveReceive, Event::CollectiveStep]);

/// Whether sends are followed, which therefore need requests.
#[inline(always)]
pub(crate) fn follows_sends() -> bool {
    ACTIVE.has(SENDS)
}

/// Whether transfers are followed.
#[inline(always)]
pub(crate) fn follows_transfers() -> bool {
    ACTIVE.has(TRANSFERS)
}

/// An event of a request.
#[inline(always)]
pub(crate) fn request(event: Event, request: &'static Request) {
    if ACTIVE.has(event.bit()) {
        tell_of_request(event, request);
    }
}

/// The first data of a request are about to be moved; the second time around nothing happens.
#[inline(always)]
pub(crate) fn transfer_begins(request: &'static Request) {
    if ACTIVE.has(TRANSFERS) && !request.transferring.replace(true) {
        tell_of_request(Event::ReqXferBegin, request);
    }
}

/// Moves all data of a request.
#[inline(always)]
pub(crate) fn transfer(of: &'static Request, work: impl FnOnce()) {
    if !ACTIVE.has(TRANSFERS) {
        return work();
    }
    transfer_begins(of);
    work();
    request(Event::ReqXferEnd, of);
}

/// The program learns that a request is complete: a combined one stands for its parts.
#[inline(always)]
pub(crate) fn notify(request: &'static Request) {
    if ACTIVE.has(Event::ReqNotify.bit()) {
        match request.parts.get() {
            [None, None] => tell_of_request(Event::ReqNotify, request),
            parts => {
                parts.into_iter().flatten().for_each(|part| tell_of_request(Event::ReqNotify, part))
            }
        }
    }
}

/// An event of a message that is, or was just, kept as unexpected.
#[inline(always)]
pub(crate) fn message(event: Event, message: &'static Message) {
    if ACTIVE.has(event.bit()) {
        tell_of_message(event, message);
    }
}

/// A message has come for a context; what identifies it if it is kept.
#[inline(always)]
pub(crate) fn arrived(context: &'static Context, incoming: &Incoming) -> MPI_Aint {
    if ACTIVE.has(MESSAGES) { tell_of_arrival(context, incoming) } else { 0 }
}

/// The message that [`arrived`] has identified has found a posted receive.
#[inline(always)]
pub(crate) fn matched_posted(context: &'static Context, incoming: &Incoming, id: MPI_Aint) {
    if ACTIVE.has(Event::MsgMatchPostedReq.bit()) {
        tell(
            Event::MsgMatchPostedReq,
            context,
            id,
            &spec_of_message(context, incoming, ptr::null_mut()),
        );
    }
}

/// Searches for a posted receive for a message.
#[inline(always)]
pub(crate) fn search_posted(
    context: &'static Context,
    incoming: &Incoming,
) -> Option<&'static Request> {
    let find = || context.find_posted(incoming.source, incoming.tag);
    if ACTIVE.has(POSTED_SEARCHES) {
        let spec = spec_of_message(context, incoming, ptr::null_mut());
        return search([Event::SearchPostedQBegin, Event::SearchPostedQEnd], context, &spec, find);
    }
    find()
}

/// Searches for an unexpected message for a receive.
#[inline(always)]
pub(crate) fn search_unexpected(
    context: &'static Context,
    request: &'static Request,
) -> Option<&'static Message> {
    let find = || context.find_unexpected(request.head.peer.get(), request.head.tag.get());
    if ACTIVE.has(UNEXPECTED_SEARCHES) {
        let events = [Event::SearchUnexQBegin, Event::SearchUnexQEnd];
        return search(events, context, &spec_of_request(context, request), find);
    }
    find()
}

/// Searches for an unexpected message for a probe.
#[inline(always)]
pub(crate) fn search_for_probe(
    context: &'static Context,
    source: c_int,
    tag: c_int,
) -> Option<&'static Message> {
    let find = || context.find_unexpected(source, tag);
    if ACTIVE.has(UNEXPECTED_SEARCHES) {
        let spec = peruse_comm_spec_t {
            comm: comm_of(context),
            buf: ptr::null_mut(),
            count: 0,
            datatype: MPI_DATATYPE_NULL,
            peer: source,
            tag,
            operation: PERUSE_RECV,
        };
        return search([Event::SearchUnexQBegin, Event::SearchUnexQEnd], context, &spec, find);
    }
    find()
}

/// A collective operation is about to send or receive a message of its own.
#[inline(always)]
pub(crate) fn collective_step(operation: &Operation) {
    if ACTIVE.has(STEPS) {
        tell_of_step(operation);
    }
}

#[cold]
fn tell_of_request(event: Event, request: &'static Request) {
    // Operations with MPI_PROC_NULL transfer nothing: they have no context, or that rank.
    if let Some(context) = request.context.get()
        && request.head.peer.get() != MPI_PROC_NULL
    {
        let handle = match request.stand_in.get() {
            0 => request.handle(),
            other => other,
        };
        tell(event, context, identifier(handle), &spec_of_request(context, request));
    }
}

#[cold]
fn tell_of_message(event: Event, message: &'static Message) {
    if let (Some(context), Some(incoming)) = (message.context.get(), message.incoming.get()) {
        let id = match message.id.get() {
            0 => identifier(message.handle()),
            id => id,
        };
        tell(event, context, id, &spec_of_message(context, &incoming, message.head.buffer.get()));
    }
}

#[cold]
fn tell_of_arrival(context: &'static Context, incoming: &Incoming) -> MPI_Aint {
    let id = new_identifier();
    tell(Event::MsgArrived, context, id, &spec_of_message(context, incoming, ptr::null_mut()));
    id
}

#[cold]
fn search<R>(
    [begin, end]: [Event; 2],
    context: &'static Context,
    spec: &peruse_comm_spec_t,
    find: impl FnOnce() -> R,
) -> R {
    let id = new_identifier();
    tell(begin, context, id, spec);
    let found = find();
    tell(end, context, id, spec);
    found
}

#[cold]
fn tell_of_step(operation: &Operation) {
    let Operation { kind, context: hidden, peer, tag, payload, .. } = operation;
    let Some(communicator) = hidden.owner.get() else { return };
    let sends = *kind != queues::Kind::Receive;
    let spec = peruse_comm_spec_t {
        comm: communicator.handle(),
        buf: payload.buffer(),
        count: int_of(payload.count()),
        datatype: payload.handle(),
        peer: *peer,
        tag: *tag,
        operation: if sends { PERUSE_SEND } else { PERUSE_RECV },
    };
    let event = if sends { Event::CollectiveSend } else { Event::CollectiveReceive };
    let id = identifier(handles::encode(
        Kind::Communicator,
        hidden.collectives.load(Ordering::Relaxed),
        hidden.id as usize & 0xfff_ffff,
    ));
    for event in [event, Event::CollectiveStep] {
        if ACTIVE.has(event.bit()) {
            communicator.program.observers.tell(event, id, &spec);
        }
    }
}

/// Tells of messages that came for a communicator before anybody could watch it.
pub(super) fn report_early(context: &'static Context) {
    for early in context.unexpected().iter() {
        message(Event::MsgArrived, early);
        message(Event::MsgInsertInUnexQ, early);
    }
}

/// Tells whoever watches a context of the program.
fn tell(event: Event, context: &'static Context, id: MPI_Aint, spec: &peruse_comm_spec_t) {
    if context.visible && ACTIVE.has(event.bit()) {
        context.observers.tell(event, id, spec);
    }
}

/// A handle as an identifier: positive, as tools use them as indices of hash tables.
fn identifier(handle: usize) -> MPI_Aint {
    (handle & (usize::MAX >> 1)) as MPI_Aint
}

/// An identifier of something that has no handle.
fn new_identifier() -> MPI_Aint {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    identifier(handles::encode(
        Kind::PeruseEvent,
        (number >> 28) as u32 + 1,
        number as usize & 0xfff_ffff,
    ))
}

fn comm_of(context: &Context) -> MPI_Comm {
    context.owner.get().map_or(MPI_COMM_NULL, Communicator::handle)
}

fn int_of(count: MPI_Count) -> c_int {
    count.try_into().unwrap_or(MPI_UNDEFINED)
}

fn spec_of_request(context: &Context, request: &Request) -> peruse_comm_spec_t {
    let payload = request.payload.borrow();
    peruse_comm_spec_t {
        comm: comm_of(context),
        buf: payload.buffer(),
        count: int_of(payload.count()),
        datatype: payload.handle(),
        peer: request.head.peer.get(),
        tag: request.head.tag.get(),
        operation: if request.is_send() { PERUSE_SEND } else { PERUSE_RECV },
    }
}

/// A message has no call of the user in this process: it is described by its envelope, as bytes.
fn spec_of_message(
    context: &Context,
    incoming: &Incoming,
    buffer: *mut c_void,
) -> peruse_comm_spec_t {
    peruse_comm_spec_t {
        comm: comm_of(context),
        buf: buffer,
        count: int_of(incoming.length as MPI_Count),
        datatype: MPI_BYTE,
        peer: incoming.source,
        tag: incoming.tag,
        operation: PERUSE_RECV,
    }
}
