//! How tools observe the engine and the chapters. This is the only interface upwards.
//!
//! The engine and the chapters report what happens by the functions of this file, always with the
//! engine entered unless [`Event`] says otherwise. A tool's interface takes a [`Seat`], and says
//! which events it [`want`]s. As long as nobody wants an event, its report is a load and a branch.
//!
//! An observer must not enter the engine again while it is told of something in the engine.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::context::Context;
use super::message::{Incoming, Message};
use super::request::{Operation, Request};
pub(crate) use super::subject::{FileCall, SpawnCall, Subject, WindowCall, WindowWork};
use crate::abi::MPI_Aint;
use crate::handles::{self, HandleKind};
use std::ffi::c_int;

/// What happens. The events up to [`Event::SpawnEnd`] are those of PERUSE, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Event {
    /// A request becomes active: the operation begins.
    ReqActivate,
    /// A request has found its message among the unexpected ones.
    ReqMatchUnex,
    /// A receive has found no message and is posted.
    ReqInsertInPostedQ,
    /// A receive is no longer posted: it has been matched or cancelled.
    ReqRemoveFromPostedQ,
    /// The first of the message's data are about to be moved.
    ReqXferBegin,
    /// The last of the message's data have been moved, as far as this process sees.
    ReqXferEnd,
    /// The operation is complete: waiting for it would succeed.
    ReqComplete,
    /// The program learns that the operation is complete.
    ReqNotify,
    /// A message has come, or its envelope.
    MsgArrived,
    /// A message that no receive waits for is kept.
    MsgInsertInUnexQ,
    /// A message is no longer unexpected: a receive or matched probe takes it, or its sender
    /// cancels it.
    MsgRemoveFromUnexQ,
    /// A message has found its receive among the posted ones.
    MsgMatchPostedReq,
    /// The search for a posted receive for a message begins.
    SearchPostedQBegin,
    /// That search ends.
    SearchPostedQEnd,
    /// The search for an unexpected message for a receive or probe begins.
    SearchUnexQBegin,
    /// That search ends.
    SearchUnexQEnd,
    /// A collective operation is about to send a message of its own.
    CollectiveSend,
    /// A collective operation is about to receive a message of its own.
    CollectiveReceive,
    /// A collective operation is about to do either.
    CollectiveStep,
    /// The program begins a one-sided operation.
    WindowActivate,
    /// The data of a one-sided operation are about to be moved.
    WindowXferBegin,
    /// The data of a one-sided operation have been moved.
    WindowXferEnd,
    /// A one-sided operation is complete at both ends: no synchronisation waits for it.
    WindowComplete,
    /// The program begins to synchronise a window.
    WindowSyncBegin,
    /// That synchronisation ends.
    WindowSyncEnd,
    /// The system is about to be asked for data of a file, or given some.
    FileDiskAccess,
    /// The system has moved all data of an access to a file.
    FileAccessBytes,
    /// All data of an access that other processes move have been sent and received.
    FileShippedBytes,
    /// The system is about to move the first data of an access to a file, or has moved the last.
    FileAccessTime,
    /// A shared file pointer is about to be moved, or has been moved.
    FilePointerTime,
    /// The beginning of a split collective access begins or ends.
    FileFirstPhase,
    /// The end of a split collective access begins or ends.
    FileSecondPhase,
    /// Processes are about to be started.
    SpawnStart,
    /// Processes have been started, or could not be.
    SpawnEnd,
    /// A send of the program starts.
    SendStarted,
    /// A receive of the program is posted.
    ReceivePosted,
    /// A message for the program has met no receive.
    MessageUnexpected,
    /// A message and a receive of the program have met.
    MessageMatched,
    /// A request of the program is over.
    RequestCompleted,
    /// A communicator is made: its context is in use.
    Opened,
    /// A freed communicator has no operations any more, and its memory will be reused.
    Closed,
    /// The program frees a communicator.
    Freed,
    /// The program has duplicated a communicator.
    Duplicated,
    /// A thread that waited has slept. Reported outside the engine.
    Slept,
    /// A thread enters a collective operation. Reported outside the engine.
    CollectiveEntered,
    /// A thread leaves a collective operation. Reported outside the engine.
    CollectiveLeft,
}

impl Event {
    /// Its bit in a set of events.
    #[inline(always)]
    pub(crate) const fn bit(self) -> u64 {
        1 << self as u32
    }
}

/// A set of events.
pub(crate) const fn set_of(events: &[Event]) -> u64 {
    let (mut set, mut index) = (0u64, 0);
    while index < events.len() {
        set |= events[index].bit();
        index += 1;
    }
    set
}

/// A tool's interface as the engine sees it.
pub(crate) trait Observer: Sync {
    /// Something that the observer wants to hear of has happened.
    fn notice(&self, event: Event, subject: &Subject<'_>);

    /// This thread has to wait to enter the engine, or (`false`) has got in.
    fn blocked(&self, _blocked: bool) {}
}

/// Who observes.
#[derive(Clone, Copy)]
pub(crate) enum Seat {
    /// PERUSE.
    Peruse,
    /// The tool information interface.
    ToolInformation,
}

static OBSERVERS: [OnceLock<&'static dyn Observer>; 2] = [const { OnceLock::new() }; 2];
/// The events that each observer wants, and those that any wants.
static WANTED_BY: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];
static WANTED: AtomicU64 = AtomicU64::new(0);

/// Takes a seat. An observer that has it keeps it.
pub(crate) fn attach(seat: Seat, observer: &'static dyn Observer) {
    let _ = OBSERVERS[seat as usize].set(observer);
}

/// Sets whether the observer of a seat wants a set of events. Each event belongs to one observer.
pub(crate) fn want(seat: Seat, events: u64, wanted: bool) {
    for set in [&WANTED_BY[seat as usize], &WANTED] {
        match wanted {
            true => set.fetch_or(events, Ordering::Relaxed),
            false => set.fetch_and(!events, Ordering::Relaxed),
        };
    }
}

/// Whether any of a set of events is wanted.
#[inline(always)]
pub(crate) fn wants(events: u64) -> bool {
    WANTED.load(Ordering::Relaxed) & events != 0
}

#[inline]
fn tell(event: Event, subject: &Subject<'_>) {
    let seat = WANTED_BY.iter().position(|set| set.load(Ordering::Relaxed) & event.bit() != 0);
    if let Some(observer) = seat.and_then(|seat| OBSERVERS[seat].get()) {
        observer.notice(event, subject);
    }
}

/// This thread has to wait to enter the engine, or (`false`) has got in.
#[cold]
pub(super) fn blocked(blocked: bool) {
    OBSERVERS.iter().filter_map(OnceLock::get).for_each(|observer| observer.blocked(blocked));
}

/// Reports an event. The subject is made only if an observer wants the event.
#[inline(always)]
pub(crate) fn report<'a>(event: Event, subject: impl FnOnce() -> Subject<'a>) {
    if wants(event.bit()) {
        tell_of(event, subject);
    }
}

/// The rest of a report if an observer wants it. Out of line, so that the reporting code stays
/// small.
#[cold]
#[inline(never)]
fn tell_of<'a>(event: Event, subject: impl FnOnce() -> Subject<'a>) {
    tell(event, &subject());
}

/// An id for something that has no handle.
pub(crate) fn new_id() -> MPI_Aint {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    id_of(handles::encode(
        HandleKind::PeruseEvent,
        (number >> handles::INDEX_BITS) as u32 + 1,
        number as usize & (handles::MAX_OBJECTS - 1),
    ))
}

/// A handle as an id. Ids are positive, since tools use them as indices of hash tables.
pub(crate) fn id_of(handle: usize) -> MPI_Aint {
    (handle & (usize::MAX >> 1)) as MPI_Aint
}

const SENDS: u64 = set_of(&[
    Event::ReqActivate,
    Event::ReqXferBegin,
    Event::ReqXferEnd,
    Event::ReqComplete,
    Event::ReqNotify,
]);
const TRANSFERS: u64 = set_of(&[Event::ReqXferBegin, Event::ReqXferEnd]);
const MESSAGES: u64 = set_of(&[
    Event::MsgArrived,
    Event::MsgInsertInUnexQ,
    Event::MsgRemoveFromUnexQ,
    Event::MsgMatchPostedReq,
]);
const POSTED_SEARCHES: u64 = set_of(&[Event::SearchPostedQBegin, Event::SearchPostedQEnd]);
const UNEXPECTED_SEARCHES: u64 = set_of(&[Event::SearchUnexQBegin, Event::SearchUnexQEnd]);
const STEPS: u64 =
    set_of(&[Event::CollectiveSend, Event::CollectiveReceive, Event::CollectiveStep]);

const WINDOWS: u64 = set_of(&[
    Event::WindowActivate,
    Event::WindowXferBegin,
    Event::WindowXferEnd,
    Event::WindowComplete,
    Event::WindowSyncBegin,
    Event::WindowSyncEnd,
]);
const FILES: u64 = set_of(&[
    Event::FileDiskAccess,
    Event::FileAccessBytes,
    Event::FileShippedBytes,
    Event::FileAccessTime,
    Event::FilePointerTime,
]);

/// Whether calls that work on windows are followed.
#[inline(always)]
pub(crate) fn follows_windows() -> bool {
    wants(WINDOWS)
}

/// Whether accesses to files are followed.
#[inline(always)]
pub(crate) fn follows_files() -> bool {
    wants(FILES)
}

/// Whether sends are followed, which therefore need requests.
#[inline(always)]
pub(crate) fn follows_sends() -> bool {
    wants(SENDS)
}

/// Whether transfers are followed.
#[inline(always)]
pub(super) fn follows_transfers() -> bool {
    wants(TRANSFERS)
}

/// An event of a request.
#[inline(always)]
pub(super) fn request(event: Event, request: &'static Request) {
    report(event, || Subject::Request(request));
}

/// The first data of a request are about to be moved. Later calls for the same request do nothing.
#[inline(always)]
pub(super) fn transfer_begins(of: &'static Request) {
    if follows_transfers() && !of.transferring.replace(true) {
        request(Event::ReqXferBegin, of);
    }
}

/// Moves all data of a request.
#[inline(always)]
pub(super) fn transfer(of: &'static Request, work: impl FnOnce()) {
    if !follows_transfers() {
        return work();
    }
    transfer_begins(of);
    work();
    request(Event::ReqXferEnd, of);
}

/// The program learns that a request is complete: a combined one stands for its parts.
#[inline(always)]
pub(crate) fn notified(of: &'static Request) {
    if wants(Event::ReqNotify.bit()) {
        tell_of_end(of);
    }
}

#[cold]
#[inline(never)]
fn tell_of_end(of: &'static Request) {
    match of.parts.get() {
        [None, None] => request(Event::ReqNotify, of),
        parts => parts.into_iter().flatten().for_each(|part| request(Event::ReqNotify, part)),
    }
}

/// An event of a message that is, or was just, kept as unexpected.
#[inline(always)]
pub(super) fn message(event: Event, message: &'static Message) {
    report(event, || Subject::Message(message));
}

/// A message has come for a context. The result is the id under which it is observed, or 0 if it is
/// not.
#[inline(always)]
pub(super) fn arrived(context: &'static Context, incoming: &Incoming) -> MPI_Aint {
    if wants(MESSAGES) { tell_of_arrival(context, incoming) } else { 0 }
}

#[cold]
#[inline(never)]
fn tell_of_arrival(context: &'static Context, incoming: &Incoming) -> MPI_Aint {
    let id = new_id();
    report(Event::MsgArrived, || Subject::Envelope { context, incoming, id });
    id
}

/// The message that [`arrived`] has given an id has found a posted receive.
#[inline(always)]
pub(super) fn matched_posted(context: &'static Context, incoming: &Incoming, id: MPI_Aint) {
    report(Event::MsgMatchPostedReq, || Subject::Envelope { context, incoming, id });
}

/// Searches for a posted receive for a message.
#[inline(always)]
pub(super) fn search_posted(
    context: &'static Context,
    incoming: &Incoming,
) -> Option<&'static Request> {
    let find = || context.find_posted(incoming.source, incoming.tag);
    if !wants(POSTED_SEARCHES) {
        return find();
    }
    let events = [Event::SearchPostedQBegin, Event::SearchPostedQEnd];
    search(events, |id| Subject::Envelope { context, incoming, id }, find)
}

/// Searches for an unexpected message for a receive.
#[inline(always)]
pub(super) fn search_unexpected(
    context: &'static Context,
    request: &'static Request,
) -> Option<&'static Message> {
    let find = || context.find_unexpected(request.head.peer.get(), request.head.tag.get());
    if !wants(UNEXPECTED_SEARCHES) {
        return find();
    }
    let events = [Event::SearchUnexQBegin, Event::SearchUnexQEnd];
    search(events, |id| Subject::SearchFor { request, id }, find)
}

/// Searches for an unexpected message for a probe.
#[inline(always)]
pub(super) fn search_for_probe(
    context: &'static Context,
    source: c_int,
    tag: c_int,
) -> Option<&'static Message> {
    let find = || context.find_unexpected(source, tag);
    if !wants(UNEXPECTED_SEARCHES) {
        return find();
    }
    let events = [Event::SearchUnexQBegin, Event::SearchUnexQEnd];
    search(events, |id| Subject::SearchForProbe { context, source, tag, id }, find)
}

#[cold]
#[inline(never)]
fn search<'a, R>(
    [begin, end]: [Event; 2],
    subject: impl FnOnce(MPI_Aint) -> Subject<'a>,
    find: impl FnOnce() -> R,
) -> R {
    let what = subject(new_id());
    report(begin, || what);
    let found = find();
    report(end, || what);
    found
}

/// A collective operation is about to send or receive a message of its own.
#[inline(always)]
pub(super) fn collective_step(operation: &Operation, sends: bool) {
    if wants(STEPS) {
        tell_of_step(operation, sends);
    }
}

#[cold]
#[inline(never)]
fn tell_of_step(operation: &Operation, sends: bool) {
    let event = if sends { Event::CollectiveSend } else { Event::CollectiveReceive };
    report(event, || Subject::Step(operation));
    report(Event::CollectiveStep, || Subject::Step(operation));
}
