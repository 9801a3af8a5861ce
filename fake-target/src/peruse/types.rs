//! The types and constants of `peruse.h` (PERUSE 2.0, sections 5.1 and 5.2, appendices A and D).

#![allow(non_camel_case_types, non_snake_case, reason = "the names are those of peruse.h")]

use std::ffi::{c_char, c_int, c_long, c_void};

use super::event;
use crate::abi::{
    MPI_Aint, MPI_Comm, MPI_Datatype, MPI_File, MPI_Info, MPI_Offset, MPI_Op, MPI_Win,
};

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

/// What a callback is told about a call that works on a window (appendix E, 12.3.4).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct peruse_win_spec_t {
    /// The window.
    pub win: MPI_Win,
    /// The buffer at the origin, as in the user's call; null in synchronisations.
    pub o_buf: *mut c_void,
    /// The number of elements there; `MPI_UNDEFINED` if an int cannot hold it.
    pub o_count: c_int,
    /// The datatype there.
    pub o_datatype: MPI_Datatype,
    /// The elements at the target, by their address in that process.
    pub t_buf: *mut c_void,
    /// The number of elements there; `MPI_UNDEFINED` if an int cannot hold it.
    pub t_count: c_int,
    /// The datatype there.
    pub t_datatype: MPI_Datatype,
    /// How elements are combined; `MPI_OP_NULL` if they are not.
    pub acc_op: MPI_Op,
    /// The rank of the target; `MPI_UNDEFINED` if the call has none.
    pub peer: c_int,
    /// `PERUSE_PUT`, `PERUSE_GET`, `PERUSE_ACC`, or a synchronisation.
    pub operation: c_int,
}

/// What a callback is told about a call that accesses a file (appendix E, 12.2.4).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct peruse_file_spec_t {
    /// The file.
    pub file: MPI_File,
    /// The buffer, as in the user's call.
    pub buf: *mut c_void,
    /// The number of elements; `MPI_UNDEFINED` if an int cannot hold it.
    pub count: c_int,
    /// The datatype.
    pub datatype: MPI_Datatype,
    /// Where the access begins, in etypes of the view; `MPI_UNDEFINED` while that is not known.
    pub offset: MPI_Offset,
    /// `PERUSE_IO_READ` or `PERUSE_IO_WRITE`.
    pub operation: c_int,
}

/// A communicator (appendix E, 12.4).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct peruse_comm_t {
    /// Its handle.
    pub comm: MPI_Comm,
    /// Its name, empty if it has none.
    pub name: *mut c_char,
    /// The same in all its processes, and different from that of other communicators in them.
    pub unique_id: c_int,
}

/// A process that was started (appendix E, 12.5).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct peruse_process_t {
    /// The system's number of the process.
    pub PID: c_int,
    /// The file of its program, empty if the system does not tell it.
    pub image_name: *mut c_char,
    /// The machine.
    pub node_name: *mut c_char,
    /// A number that no other process has, as far as this process knows.
    pub peruse_process_id: c_int,
}

/// What a callback is told about the start of processes (appendix E, 12.5).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct peruse_spawn_spec_t {
    /// The communicator of the parents.
    pub p_comm: *mut peruse_comm_t,
    /// The arguments, as in the call of the root; null elsewhere, and for several programs.
    pub argv: *mut *mut c_char,
    /// The number of processes; 0 before the start where it is not known, which is not at the root.
    pub maxprocs: c_int,
    /// The hints, as in the call of the root; `MPI_INFO_NULL` elsewhere and for several programs.
    pub info: MPI_Info,
    /// The root.
    pub root: c_int,
    /// The intercommunicator with the children; null before the start, or if that has failed.
    pub p_intercomm: *mut peruse_comm_t,
    /// The array of error codes of the call, or `MPI_ERRCODES_IGNORE`.
    pub array_of_errcodes: *mut *mut c_int,
    /// The children, by rank, `maxprocs` of them; null if there is no intercommunicator.
    pub list_of_processes: *mut peruse_process_t,
}

/// A callback that is given a specification of this type.
pub(crate) type CallbackFunction<S> =
    unsafe extern "C" fn(peruse_event_h, MPI_Aint, *mut S, *mut c_void) -> c_int;

/// A callback of a communicator; null is none.
pub type peruse_comm_callback_f = Option<CallbackFunction<peruse_comm_spec_t>>;
/// A callback of a window; null is none.
pub type peruse_win_callback_f = Option<CallbackFunction<peruse_win_spec_t>>;
/// A callback of a file; null is none.
pub type peruse_file_callback_f = Option<CallbackFunction<peruse_file_spec_t>>;
/// A callback for the start of processes; null is none.
pub type peruse_spawn_callback_f = Option<CallbackFunction<peruse_spawn_spec_t>>;

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
        // Appendix E alone has these.
        PERUSE_ERR_WIN = 13,
        PERUSE_ERR_FILE = 14,
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
        PERUSE_IO_WRITE = 6,
        // Appendix E, 12.6; the last one is ours.
        PERUSE_WIN_FENCE = 7,
        PERUSE_WIN_START = 8,
        PERUSE_WIN_COMPLETE = 9,
        PERUSE_WIN_POST = 10,
        PERUSE_WIN_WAIT = 11,
        PERUSE_WIN_LOCK = 12,
        PERUSE_WIN_UNLOCK = 13,
        PERUSE_WIN_FLUSH = 14,;
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
