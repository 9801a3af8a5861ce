//! The events: their descriptors and names.

use std::ffi::{CStr, c_char, c_int};
use std::sync::OnceLock;

pub(super) use crate::engine::observe::Event;

/// Names the events in the order of their descriptors, which begin with 1.
macro_rules! events {
    ($($event:ident = $name:literal,)*) => {
        /// All events; the first [`STANDARD`] are those of the specification (sections 4.3 and 4.4),
        /// the others custom events (appendix E, 12.1).
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
}

/// The number of events in the specification.
pub(super) const STANDARD: usize = 16;

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
