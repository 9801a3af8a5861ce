//! The types and constants of `peruse.h` (PERUSE 2.0, sections 5.1 and 5.2, appendices A and D).

#![allow(non_camel_case_types, reason = "the names are those of peruse.h")]

use std::ffi::{c_int, c_long, c_void};

use super::event;
use crate::abi::{MPI_Aint, MPI_Comm, MPI_Datatype};

/// An event handle (section 5.1.1); 0 is `PERUSE_EVENT_HANDLE_NULL`.
pub type peruse_event_h = c_long;

/// What a callback is told about the operation that caused it (section 5.1.2).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct peruse_comm_spec_t {
    /// The communicator.
    pub comm: MPI_Comm,
    /// The buffer, as in the user's call.
    pub buf: *mut c_void,
    /// The number of elements, as in the user's call; `MPI_UNDEFINED` if an int cannot hold it.
    pub count: c_int,
    /// The datatype, as in the user's call.
    pub datatype: MPI_Datatype,
    /// The rank of the source or destination, as in the user's call.
    pub peer: c_int,
    /// The tag, as in the user's call.
    pub tag: c_int,
    /// `PERUSE_SEND` or `PERUSE_RECV`.
    pub operation: c_int,
}

/// A callback; null is none.
pub type peruse_comm_callback_f = Option<
    unsafe extern "C" fn(peruse_event_h, MPI_Aint, *mut peruse_comm_spec_t, *mut c_void) -> c_int,
>;

/// Declares numbered constants in the order of an enumeration of `peruse.h`, and lists them by
/// name.
macro_rules! enumerations {
    ($($(#[$doc:meta])* $list:ident: $($name:ident = $value:expr,)*;)*) => {
        $($(
            #[doc = concat!("`", stringify!($name), "` of `peruse.h`.")]
            pub(crate) const $name: c_int = $value;
        )*)*
        $($(#[$doc])* const $list: &[(&str, c_int)] = &[$((stringify!($name), $name),)*];)*
    };
}

enumerations! {
    /// Return codes.
    CODES:
        PERUSE_SUCCESS = 0,
        PERUSE_ERR_INIT = 1,
        PERUSE_ERR_GENERIC = 2,
        PERUSE_ERR_MALLOC = 3,
        PERUSE_ERR_EVENT = 4,
        PERUSE_ERR_EVENT_HANDLE = 5,
        PERUSE_ERR_PARAMETER = 6,
        PERUSE_ERR_MPI_INIT = 7,
        PERUSE_ERR_COMM = 8,
        PERUSE_ERR_MPI_OBJECT = 9,
        PERUSE_ERR_LOCK = 10,
        PERUSE_ERR_UNLOCK = 11,
        PERUSE_ERR_LOCK_NOT_GRANTABLE = 12,
        // Section 5.2.16 has it under this name.
        PERUSE_LOCK_NOT_GRANTABLE = PERUSE_ERR_LOCK_NOT_GRANTABLE,;
    /// Scopes of queues; the last one is in section 5.2.6 only.
    SCOPES:
        PERUSE_PER_COMM = 0,
        PERUSE_PER_TAG = 1,
        PERUSE_PER_SOURCE = 2,
        PERUSE_GLOBAL = 3,
        PERUSE_PER_PEER = 4,;
    /// Operations.
    OPERATIONS:
        PERUSE_SEND = 0,
        PERUSE_RECV = 1,
        PERUSE_PUT = 2,
        PERUSE_GET = 3,
        PERUSE_ACC = 4,
        PERUSE_IO_READ = 5,
        PERUSE_IO_WRITE = 6,;
    /// Modes of propagation, in section 5.4 only.
    MODES:
        PERUSE_FALSE = 0,
        PERUSE_TRUE = 1,;
    /// Descriptors that do not name an event.
    LIMITS:
        PERUSE_EVENT_INVALID = 0,
        PERUSE_FIRST_CUSTOM_EVENT = event::STANDARD as c_int + 1,;
}

/// Every constant of `peruse.h` with its value.
pub fn constants() -> Vec<(String, c_int)> {
    let lists = [CODES, SCOPES, OPERATIONS, MODES, LIMITS];
    let named = lists.into_iter().flatten().map(|(name, value)| ((*name).to_owned(), *value));
    let standard = event::ALL.iter().take(event::STANDARD);
    let name = |event| event::name(event).to_string_lossy().into_owned();
    named.chain(standard.map(|&event| (name(event), event::descriptor(event)))).collect()
}

/// Why a function fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failure(pub(super) c_int);

/// The result of a function's implementation.
pub(super) type Outcome = Result<(), Failure>;
