//! The events: their descriptors and names.

use std::ffi::{CStr, c_char, c_int};
use std::sync::OnceLock;

pub(super) use crate::engine::observe::Event;

/// Names the events in the order of their descriptors, which begin with 1.
macro_rules! events {
    ($($event:ident = $name:literal,)*) => {
        /// All events; the first [`STANDARD`] are those of the specification (sections 4.3 and
        /// 4.4), the others custom events (appendix E).
        pub(super) const ALL: &[Event] = &[$(Event::$event),*];
        const NAMES: &[&CStr] = &[$($name),*];
    };
}

events! {
    ReqActivate = c"PERUSE_COMM_REQ_ACTIVATE",
    ReqMatchUnex = c"PERUSE_COMM_REQ_MATCH_UNEX",
    ReqInsertInPostedQ = c"PERUSE_COMM_REQ_INSERT_IN_POSTED_Q",
    ReqRemoveFromPostedQ = c"PERUSE_COMM_REQ_REMOVE_FROM_POSTED_Q",
    ReqXferBegin = c"PERUSE_COMM_REQ_XFER_BEGIN",
    ReqXferEnd = c"PERUSE_COMM_REQ_XFER_END",
    ReqComplete = c"PERUSE_COMM_REQ_COMPLETE",
    ReqNotify = c"PERUSE_COMM_REQ_NOTIFY",
    MsgArrived = c"PERUSE_COMM_MSG_ARRIVED",
    MsgInsertInUnexQ = c"PERUSE_COMM_MSG_INSERT_IN_UNEX_Q",
    MsgRemoveFromUnexQ = c"PERUSE_COMM_MSG_REMOVE_FROM_UNEX_Q",
    MsgMatchPostedReq = c"PERUSE_COMM_MSG_MATCH_POSTED_REQ",
    SearchPostedQBegin = c"PERUSE_COMM_SEARCH_POSTED_Q_BEGIN",
    SearchPostedQEnd = c"PERUSE_COMM_SEARCH_POSTED_Q_END",
    SearchUnexQBegin = c"PERUSE_COMM_SEARCH_UNEX_QUEUE_BEGIN",
    SearchUnexQEnd = c"PERUSE_COMM_SEARCH_UNEX_Q_END",
    CollectiveSend = c"PERUSE_COMM_N_SENDS",
    CollectiveReceive = c"PERUSE_COMM_N_RECVS",
    CollectiveStep = c"PERUSE_COMM_T_BTWN_OPS",
    WindowActivate = c"PERUSE_WIN_REQ_ACTIVATE",
    WindowXferBegin = c"PERUSE_WIN_REQ_XFER_BEGIN",
    WindowXferEnd = c"PERUSE_WIN_REQ_XFER_END",
    WindowComplete = c"PERUSE_WIN_REQ_COMPLETE",
    WindowSyncBegin = c"PERUSE_WIN_SYNC_BEGIN",
    WindowSyncEnd = c"PERUSE_WIN_SYNC_END",
    FileDiskAccess = c"PERUSE_FILE_N_DISK_ACCESSES_PER_IOREQ",
    FileAccessBytes = c"PERUSE_FILE_N_ACCESS_BYTES",
    FileShippedBytes = c"PERUSE_FILE_N_SHIPPED_BYTES",
    FileAccessTime = c"PERUSE_FILE_T_IOREQ_ACCESS",
    FilePointerTime = c"PERUSE_FILE_T_GET_SHARED_POINTER",
    FileFirstPhase = c"PERUSE_FILE_T_FIRST_PHASE_IN_SPLIT_IO",
    FileSecondPhase = c"PERUSE_FILE_T_SECOND_PHASE_IN_SPLIT_IO",
    SpawnStart = c"PERUSE_SPAWN_START",
    SpawnEnd = c"PERUSE_SPAWN_END",
}

/// The number of events in the specification.
pub(super) const STANDARD: usize = 16;

/// What an event is registered with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Communicator,
    Window,
    File,
    /// A communicator, for the start of processes.
    Spawn,
}

/// What an event is registered with.
fn kind(event: Event) -> Kind {
    match index(event) {
        at if at < index(Event::WindowActivate) => Kind::Communicator,
        at if at < index(Event::FileDiskAccess) => Kind::Window,
        at if at < index(Event::SpawnStart) => Kind::File,
        _ => Kind::Spawn,
    }
}

/// The event with that number, if it is registered with that kind of object.
pub(super) fn of_kind(descriptor: c_int, wanted: Kind) -> Option<Event> {
    by_descriptor(descriptor).filter(|event| kind(*event) == wanted)
}

/// The place of an event among all events of PERUSE.
pub(super) const fn index(event: Event) -> usize {
    event as usize
}

/// Its number in the interface.
pub(super) fn descriptor(event: Event) -> c_int {
    index(event) as c_int + 1
}

/// Its name in the interface.
pub(super) fn name(event: Event) -> &'static CStr {
    NAMES[index(event)]
}

/// The event with that number.
pub(super) fn by_descriptor(descriptor: c_int) -> Option<Event> {
    let index = usize::try_from(descriptor).ok()?.checked_sub(1)?;
    ALL.get(index).copied()
}

/// The event with that name.
pub(super) fn by_name(wanted: &CStr) -> Option<Event> {
    ALL.iter().copied().find(|event| name(*event) == wanted)
}

/// All events as arrays for C.
pub(super) struct Catalogue {
    /// The names.
    pub(super) names: Vec<*mut c_char>,
    /// The descriptors in the same order.
    pub(super) descriptors: Vec<c_int>,
}

// SAFETY: the pointers are those of constant texts.
unsafe impl Send for Catalogue {}
// SAFETY: as above.
unsafe impl Sync for Catalogue {}

/// The arrays of `PERUSE_Query_supported_events`; they stay where they are.
pub(super) fn catalogue() -> &'static Catalogue {
    static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
    CATALOGUE.get_or_init(|| Catalogue {
        names: ALL.iter().map(|event| name(*event).as_ptr().cast_mut()).collect(),
        descriptors: ALL.iter().map(|event| descriptor(*event)).collect(),
    })
}
