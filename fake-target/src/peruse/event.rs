//! The events: their descriptors and names.

use std::ffi::{CStr, c_char, c_int};
use std::sync::OnceLock;

/// Declares the events in the order of their descriptors, which begin with 1.
macro_rules! events {
    ($($(#[$doc:meta])* $event:ident = $name:literal,)*) => {
        /// What a tool can ask to be told of (sections 4.3, 4.4 and appendix E).
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum Event {
            $($(#[$doc])* $event,)*
        }

        impl Event {
            /// All events; the first [`STANDARD`] are those of the specification, the others custom events.
            pub(super) const ALL: &[Event] = &[$(Event::$event,)*];
            const NAMES: &[&CStr] = &[$($name,)*];
        }
    };
}

events! {
    /// A request becomes active: the operation begins.
    ReqActivate = c"PERUSE_COMM_REQ_ACTIVATE",
    /// A request has found its message among the unexpected ones.
    ReqMatchUnex = c"PERUSE_COMM_REQ_MATCH_UNEX",
    /// A receive has found no message and is posted.
    ReqInsertInPostedQ = c"PERUSE_COMM_REQ_INSERT_IN_POSTED_Q",
    /// A receive is posted no more: it is matched or cancelled.
    ReqRemoveFromPostedQ = c"PERUSE_COMM_REQ_REMOVE_FROM_POSTED_Q",
    /// The first of the message's data are about to be moved.
    ReqXferBegin = c"PERUSE_COMM_REQ_XFER_BEGIN",
    /// The last of the message's data have been moved, as far as this process sees.
    ReqXferEnd = c"PERUSE_COMM_REQ_XFER_END",
    /// The operation is complete: waiting for it would succeed.
    ReqComplete = c"PERUSE_COMM_REQ_COMPLETE",
    /// The program learns that the operation is complete.
    ReqNotify = c"PERUSE_COMM_REQ_NOTIFY",
    /// A message has come, or its envelope.
    MsgArrived = c"PERUSE_COMM_MSG_ARRIVED",
    /// A message that no receive waits for is kept.
    MsgInsertInUnexQ = c"PERUSE_COMM_MSG_INSERT_IN_UNEX_Q",
    /// An unexpected message is so no more: a receive or matched probe takes it, or its sender takes it back.
    MsgRemoveFromUnexQ = c"PERUSE_COMM_MSG_REMOVE_FROM_UNEX_Q",
    /// A message has found its receive among the posted ones.
    MsgMatchPostedReq = c"PERUSE_COMM_MSG_MATCH_POSTED_REQ",
    /// The search for a posted receive for a message begins.
    SearchPostedQBegin = c"PERUSE_COMM_SEARCH_POSTED_Q_BEGIN",
    /// That search ends.
    SearchPostedQEnd = c"PERUSE_COMM_SEARCH_POSTED_Q_END",
    /// The search for an unexpected message for a receive or probe begins.
    SearchUnexQBegin = c"PERUSE_COMM_SEARCH_UNEX_QUEUE_BEGIN",
    /// That search ends.
    SearchUnexQEnd = c"PERUSE_COMM_SEARCH_UNEX_Q_END",
    /// A collective operation is about to send a message of its own (appendix E, 12.1).
    CollectiveSend = c"PERUSE_COMM_N_SENDS",
    /// A collective operation is about to receive a message of its own (appendix E, 12.1).
    CollectiveReceive = c"PERUSE_COMM_N_RECVS",
    /// A collective operation is about to do either: the times between these are those between its messages (appendix E, 12.1).
    CollectiveStep = c"PERUSE_COMM_T_BTWN_OPS",
}

/// The number of events in the specification.
pub(super) const STANDARD: usize = 16;

impl Event {
    /// Its place among all events.
    #[inline(always)]
    pub(super) const fn index(self) -> usize {
        self as usize
    }

    /// Its bit in a set of events.
    #[inline(always)]
    pub(super) const fn bit(self) -> u32 {
        1 << self as u32
    }

    /// Its number in the interface.
    pub(super) fn descriptor(self) -> c_int {
        self as c_int + 1
    }

    /// Its name in the interface.
    pub(super) fn name(self) -> &'static CStr {
        Self::NAMES[self.index()]
    }

    /// The event with that number.
    pub(super) fn by_descriptor(descriptor: c_int) -> Option<Event> {
        let index = usize::try_from(descriptor).ok()?.checked_sub(1)?;
        Self::ALL.get(index).copied()
    }

    /// The event with that name.
    pub(super) fn by_name(name: &CStr) -> Option<Event> {
        Self::ALL.iter().copied().find(|event| event.name() == name)
    }
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
        names: Event::ALL.iter().map(|event| event.name().as_ptr().cast_mut()).collect(),
        descriptors: Event::ALL.iter().map(|event| event.descriptor()).collect(),
    })
}
