//! The MPI Message Queue Dumping interface (MQD) 1.0: its C types, constants and function-pointer
//! tables.
//!
//! This crate is all that a debugger and a debug DLL share. It holds no logic and has no
//! dependencies. The same definitions for C are in `include/mpi_interface.h`; a test compares the
//! two field by field. Section numbers are those of the MQD 1.0 document.
//!
//! Every callback is an `Option` of a function pointer: a debugger may leave an entry NULL, so a
//! DLL checks it before the call.
//!
//! # Example
//!
//! A debugger fills in the callbacks that need no target (5.6.1):
//!
//! ```
//! use core::ffi::c_void;
//! use mqs_abi::mqs_basic_callbacks;
//!
//! unsafe extern "C" {
//!     fn malloc(size: usize) -> *mut c_void;
//!     fn free(block: *mut c_void);
//! }
//!
//! let callbacks = mqs_basic_callbacks {
//!     mqs_malloc_fp: Some(malloc),
//!     mqs_free_fp: Some(free),
//!     mqs_dprints_fp: None,
//!     mqs_errorstring_fp: None,
//!     mqs_put_image_info_fp: None,
//!     mqs_get_image_info_fp: None,
//!     mqs_put_process_info_fp: None,
//!     mqs_get_process_info_fp: None,
//! };
//! assert!(callbacks.mqs_malloc_fp.is_some() && callbacks.mqs_dprints_fp.is_none());
//! ```

#![no_std]
#![allow(non_camel_case_types, non_upper_case_globals)]

use core::ffi::{c_char, c_int, c_long, c_ulong, c_void};

/// An address in the target (5.2.2). In practice a host `unsigned long`.
pub type mqs_taddr_t = c_ulong;

/// A word of the target, sign-extended (5.2.1). In practice a host `long`.
pub type mqs_tword_t = c_long;

/// Sizes of C types in the target, in bytes (5.2.3). Exactly these five: some DLLs reserve room for
/// no more.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct mqs_target_type_sizes {
    /// Size of `short`.
    pub short_size: c_int,
    /// Size of `int`.
    pub int_size: c_int,
    /// Size of `long`.
    pub long_size: c_int,
    /// Size of `long long`.
    pub long_long_size: c_int,
    /// Size of `void *`.
    pub pointer_size: c_int,
}

macro_rules! opaque {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[repr(C)]
        #[derive(Debug)]
        pub struct $name {
            _opaque: [u8; 0],
            _pinned: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
        }
    )*};
}

opaque! {
    /// The debugger's object for the image files of a process (5.3).
    mqs_image;
    /// The debugger's object for an MPI process (5.3).
    mqs_process;
    /// The debugger's object for a named type of the target (5.3).
    mqs_type;
    /// What the DLL attaches to an image (5.3).
    mqs_image_info;
    /// What the DLL attaches to a process (5.3).
    mqs_process_info;
}

/// The language a name is looked up in (5.4.1): one of the `mqs_lang_*` constants.
pub type mqs_lang_code = c_int;
/// C.
pub const mqs_lang_c: mqs_lang_code = b'c' as c_int;
/// C++.
pub const mqs_lang_cplus: mqs_lang_code = b'C' as c_int;
/// Fortran 77.
pub const mqs_lang_f77: mqs_lang_code = b'f' as c_int;
/// Fortran 90.
pub const mqs_lang_f90: mqs_lang_code = b'F' as c_int;

/// A queue (5.4.2): one of the three constants below.
pub type mqs_op_class = c_int;
/// The send queue.
pub const mqs_pending_sends: mqs_op_class = 0;
/// The receive queue.
pub const mqs_pending_receives: mqs_op_class = 1;
/// The unexpected message queue.
pub const mqs_unexpected_messages: mqs_op_class = 2;

/// The version of this interface (5.4.3).
pub const MQS_INTERFACE_COMPATIBILITY: c_int = 2;

/// Status of an operation (5.4.4): nothing has matched it yet.
pub const mqs_st_pending: c_int = 0;
/// Status of an operation (5.4.4): matched, not finished.
pub const mqs_st_matched: c_int = 1;
/// Status of an operation (5.4.4): finished; the program has not asked for its completion yet.
pub const mqs_st_complete: c_int = 2;

/// Result (5.4.5): success.
pub const mqs_ok: c_int = 0;
/// Result (5.4.5): the debugger does not have what was asked for.
pub const mqs_no_information: c_int = 1;
/// Result (5.4.5): an iteration is over.
pub const mqs_end_of_list: c_int = 2;
/// Result (5.4.5): the first code whose meaning is up to whoever returns it.
pub const mqs_first_user_code: c_int = 100;

/// The rank of a process that has none, or whose rank is not known (5.4.6).
pub const MQS_INVALID_PROCESS: c_int = -1;

/// Bytes of a communicator's name and of a line of extra text, the terminating zero included (5.5).
pub const MQS_TEXT_BYTES: usize = 64;
/// Lines of extra text of an operation (5.5.2).
pub const MQS_TEXT_LINES: usize = 5;

/// A communicator (5.5.1).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct mqs_communicator {
    /// Identifies the communicator within the process.
    pub unique_id: mqs_taddr_t,
    /// The rank of this process in it.
    pub local_rank: mqs_tword_t,
    /// The number of its processes.
    pub size: mqs_tword_t,
    /// Its name, zero-terminated, or empty.
    pub name: [c_char; MQS_TEXT_BYTES],
}

/// A pending operation or an unexpected message (5.5.2). Lengths are bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct mqs_pending_operation {
    /// [`mqs_st_pending`], [`mqs_st_matched`] or [`mqs_st_complete`].
    pub status: c_int,
    /// Rank in the communicator; -1 for `MPI_ANY_SOURCE`.
    pub desired_local_rank: mqs_tword_t,
    /// Rank in `MPI_COMM_WORLD`; -1 for `MPI_ANY_SOURCE`.
    pub desired_global_rank: mqs_tword_t,
    /// 1 for a receive with `MPI_ANY_TAG`.
    pub tag_wild: c_int,
    /// The tag, meaningful unless `tag_wild`.
    pub desired_tag: mqs_tword_t,
    /// Size of the message buffer.
    pub desired_length: mqs_tword_t,
    /// 1 if the buffer belongs to the MPI library.
    pub system_buffer: c_int,
    /// Address of the message data.
    pub buffer: mqs_taddr_t,
    /// Rank of the peer in the communicator; like all `actual_*` valid for sends and for what is
    /// matched or complete.
    pub actual_local_rank: mqs_tword_t,
    /// Rank of the peer in `MPI_COMM_WORLD`.
    pub actual_global_rank: mqs_tword_t,
    /// Tag of the message.
    pub actual_tag: mqs_tword_t,
    /// Length of the message.
    pub actual_length: mqs_tword_t,
    /// Lines for people, each zero-terminated.
    pub extra_text: [[c_char; MQS_TEXT_BYTES]; MQS_TEXT_LINES],
}

/// Allocates `size` bytes; NULL if there is no memory (5.6.2).
pub type mqs_malloc_ft = Option<unsafe extern "C" fn(size: usize) -> *mut c_void>;
/// Frees what [`mqs_malloc_ft`] gave (5.6.3).
pub type mqs_free_ft = Option<unsafe extern "C" fn(buf: *mut c_void)>;
/// Prints a message for debugging (5.6.4).
pub type mqs_dprints_ft = Option<unsafe extern "C" fn(buf: *const c_char)>;
/// The text of an error code of the debugger (5.6.5).
pub type mqs_errorstring_ft = Option<unsafe extern "C" fn(error_code: c_int) -> *mut c_char>;
/// Attaches the DLL's information to an image (5.6.6).
pub type mqs_put_image_info_ft =
    Option<unsafe extern "C" fn(image: *mut mqs_image, info: *mut mqs_image_info)>;
/// The information attached to an image (5.6.7).
pub type mqs_get_image_info_ft =
    Option<unsafe extern "C" fn(image: *mut mqs_image) -> *mut mqs_image_info>;
/// Attaches the DLL's information to a process (5.6.8).
pub type mqs_put_process_info_ft =
    Option<unsafe extern "C" fn(process: *mut mqs_process, info: *mut mqs_process_info)>;
/// The information attached to a process (5.6.9).
pub type mqs_get_process_info_ft =
    Option<unsafe extern "C" fn(process: *mut mqs_process) -> *mut mqs_process_info>;

/// Callbacks that need no target (5.6.1).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct mqs_basic_callbacks {
    /// See [`mqs_malloc_ft`].
    pub mqs_malloc_fp: mqs_malloc_ft,
    /// See [`mqs_free_ft`].
    pub mqs_free_fp: mqs_free_ft,
    /// See [`mqs_dprints_ft`].
    pub mqs_dprints_fp: mqs_dprints_ft,
    /// See [`mqs_errorstring_ft`].
    pub mqs_errorstring_fp: mqs_errorstring_ft,
    /// See [`mqs_put_image_info_ft`].
    pub mqs_put_image_info_fp: mqs_put_image_info_ft,
    /// See [`mqs_get_image_info_ft`].
    pub mqs_get_image_info_fp: mqs_get_image_info_ft,
    /// See [`mqs_put_process_info_ft`].
    pub mqs_put_process_info_fp: mqs_put_process_info_ft,
    /// See [`mqs_get_process_info_ft`].
    pub mqs_get_process_info_fp: mqs_get_process_info_ft,
}

/// Writes the five sizes of a process (5.6.11).
pub type mqs_get_type_sizes_ft =
    Option<unsafe extern "C" fn(process: *mut mqs_process, sizes: *mut mqs_target_type_sizes)>;
/// Finds a function; `addr` may be NULL (5.6.12).
pub type mqs_find_function_ft = Option<
    unsafe extern "C" fn(
        image: *mut mqs_image,
        fname: *mut c_char,
        lang: mqs_lang_code,
        addr: *mut mqs_taddr_t,
    ) -> c_int,
>;
/// Finds a symbol; `addr` may be NULL (5.6.13).
pub type mqs_find_symbol_ft = Option<
    unsafe extern "C" fn(
        image: *mut mqs_image,
        sname: *mut c_char,
        addr: *mut mqs_taddr_t,
    ) -> c_int,
>;
/// Finds a type; NULL if there is none of that name (5.6.14).
pub type mqs_find_type_ft = Option<
    unsafe extern "C" fn(
        image: *mut mqs_image,
        tname: *mut c_char,
        lang: mqs_lang_code,
    ) -> *mut mqs_type,
>;
/// The byte offset of a field; -1 if there is none of that name (5.6.15).
pub type mqs_field_offset_ft =
    Option<unsafe extern "C" fn(ty: *mut mqs_type, fname: *mut c_char) -> c_int>;
/// The size of a type in bytes (5.6.16).
pub type mqs_sizeof_ft = Option<unsafe extern "C" fn(ty: *mut mqs_type) -> c_int>;

/// Callbacks about an image (5.6.10).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct mqs_image_callbacks {
    /// See [`mqs_get_type_sizes_ft`].
    pub mqs_get_type_sizes_fp: mqs_get_type_sizes_ft,
    /// See [`mqs_find_function_ft`].
    pub mqs_find_function_fp: mqs_find_function_ft,
    /// See [`mqs_find_symbol_ft`].
    pub mqs_find_symbol_fp: mqs_find_symbol_ft,
    /// See [`mqs_find_type_ft`].
    pub mqs_find_type_fp: mqs_find_type_ft,
    /// See [`mqs_field_offset_ft`].
    pub mqs_field_offset_fp: mqs_field_offset_ft,
    /// See [`mqs_sizeof_ft`].
    pub mqs_sizeof_fp: mqs_sizeof_ft,
}

/// The rank of a process in `MPI_COMM_WORLD`, or [`MQS_INVALID_PROCESS`] (5.6.18).
pub type mqs_get_global_rank_ft = Option<unsafe extern "C" fn(process: *mut mqs_process) -> c_int>;
/// The image of a process (5.6.19).
pub type mqs_get_image_ft =
    Option<unsafe extern "C" fn(process: *mut mqs_process) -> *mut mqs_image>;
/// Reads `size` bytes at `addr`, as they stand in the target (5.6.20).
pub type mqs_fetch_data_ft = Option<
    unsafe extern "C" fn(
        process: *mut mqs_process,
        addr: mqs_taddr_t,
        size: c_int,
        buf: *mut c_void,
    ) -> c_int,
>;
/// Converts one value of `size` bytes from the target's representation to the host's (5.6.21).
pub type mqs_target_to_host_ft = Option<
    unsafe extern "C" fn(
        process: *mut mqs_process,
        indata: *const c_void,
        outdata: *mut c_void,
        size: c_int,
    ),
>;

/// Callbacks about a process (5.6.17).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct mqs_process_callbacks {
    /// See [`mqs_get_global_rank_ft`].
    pub mqs_get_global_rank_fp: mqs_get_global_rank_ft,
    /// See [`mqs_get_image_ft`].
    pub mqs_get_image_fp: mqs_get_image_ft,
    /// See [`mqs_fetch_data_ft`].
    pub mqs_fetch_data_fp: mqs_fetch_data_ft,
    /// See [`mqs_target_to_host_ft`].
    pub mqs_target_to_host_fp: mqs_target_to_host_ft,
}

/// The types of the 18 functions that a debug DLL exports (5.7 to 5.10), each named as its
/// function.
pub mod dll {
    use super::*;

    /// Hands the DLL the debugger's basic callbacks (5.7.1).
    pub type mqs_setup_basic_callbacks = unsafe extern "C" fn(cb: *const mqs_basic_callbacks);
    /// The version of the DLL, for people (5.7.2).
    pub type mqs_version_string = unsafe extern "C" fn() -> *mut c_char;
    /// The [`MQS_INTERFACE_COMPATIBILITY`] the DLL was built with (5.7.3).
    pub type mqs_version_compatibility = unsafe extern "C" fn() -> c_int;
    /// The size of the DLL's [`mqs_taddr_t`] in bytes (5.7.4).
    pub type mqs_dll_taddr_width = unsafe extern "C" fn() -> c_int;
    /// The text of an error code of the DLL (5.7.5).
    pub type mqs_dll_error_string = unsafe extern "C" fn(error_code: c_int) -> *mut c_char;
    /// Prepares an image (5.8.1).
    pub type mqs_setup_image =
        unsafe extern "C" fn(image: *mut mqs_image, cb: *const mqs_image_callbacks) -> c_int;
    /// Can the DLL read the queues of processes of this image? (5.8.2)
    pub type mqs_image_has_queues =
        unsafe extern "C" fn(image: *mut mqs_image, message: *mut *mut c_char) -> c_int;
    /// Frees what the DLL attached to an image (5.8.3).
    pub type mqs_destroy_image_info = unsafe extern "C" fn(info: *mut mqs_image_info) -> c_int;
    /// Prepares a process (5.9.1).
    pub type mqs_setup_process =
        unsafe extern "C" fn(process: *mut mqs_process, cb: *const mqs_process_callbacks) -> c_int;
    /// Can the DLL read the queues of this process? (5.9.2)
    pub type mqs_process_has_queues =
        unsafe extern "C" fn(process: *mut mqs_process, message: *mut *mut c_char) -> c_int;
    /// Frees what the DLL attached to a process (5.9.3).
    pub type mqs_destroy_process_info = unsafe extern "C" fn(info: *mut mqs_process_info) -> c_int;
    /// Brings the list of communicators up to date (5.10.1).
    pub type mqs_update_communicator_list =
        unsafe extern "C" fn(process: *mut mqs_process) -> c_int;
    /// Goes to the first communicator (5.10.2).
    pub type mqs_setup_communicator_iterator =
        unsafe extern "C" fn(process: *mut mqs_process) -> c_int;
    /// Describes the current communicator (5.10.3).
    pub type mqs_get_communicator =
        unsafe extern "C" fn(process: *mut mqs_process, comm: *mut mqs_communicator) -> c_int;
    /// Writes the `MPI_COMM_WORLD` ranks of the current communicator's processes (5.10.4).
    pub type mqs_get_comm_group =
        unsafe extern "C" fn(process: *mut mqs_process, ranks: *mut c_int) -> c_int;
    /// Goes to the next communicator (5.10.5).
    pub type mqs_next_communicator = unsafe extern "C" fn(process: *mut mqs_process) -> c_int;
    /// Goes to the start of a queue of the current communicator (5.10.6).
    pub type mqs_setup_operation_iterator =
        unsafe extern "C" fn(process: *mut mqs_process, opclass: c_int) -> c_int;
    /// Describes the next operation of the queue (5.10.7).
    pub type mqs_next_operation =
        unsafe extern "C" fn(process: *mut mqs_process, op: *mut mqs_pending_operation) -> c_int;
}

/// Lines of [`mqs_pending_operation::extra_text`] with a fixed form. The interface has no fields
/// for what they say, so a debugger that knows our DLL reads these lines. Debuggers that do not
/// know it show them.
pub mod notes {
    /// The operation is a blocking probe: it waits for a message and has no buffer.
    pub const PROBE: &str = "waits for a message, receives nothing";
    /// The mode of a send, or of the send of an unexpected message: `MPI_Send`.
    pub const STANDARD: &str = "send mode: standard";
    /// As [`STANDARD`]: `MPI_Bsend`.
    pub const BUFFERED: &str = "send mode: buffered";
    /// As [`STANDARD`]: `MPI_Ssend`. It stays pending until a receive takes its message.
    pub const SYNCHRONOUS: &str = "send mode: synchronous";
    /// As [`STANDARD`]: `MPI_Rsend`.
    pub const READY: &str = "send mode: ready";
    /// The data travel with the envelope.
    pub const EAGER: &str = "protocol: eager";
    /// The data travel when a receive has matched the envelope.
    pub const RENDEZVOUS: &str = "protocol: rendezvous";
    /// A message of a process to itself.
    pub const TO_ITSELF: &str = "protocol: self";
    /// Of a pending send: the library does not keep its receiver, and its tag is not shown. A line
    /// with [`REQUEST`] follows.
    pub const NOT_KEPT: &str = "tag and receiver not kept";
    /// Of a pending send: the library does not keep its length, which is given as 0.
    pub const LENGTH_NOT_KEPT: &str = "length not kept";
    /// After [`NOT_KEPT`]: nor its communicator. The send may be on any.
    pub const NO_COMMUNICATOR: &str = "communicator not kept";
    /// Before the address of a send's request, or a number that stands for it.
    pub const REQUEST: &str = "request ";
    /// Of an unexpected message: before the request of its send, as the sender's queue has it.
    pub const SENDERS_REQUEST: &str = "sender's request ";
    /// Between the number of elements and the name of their datatype: `4 x MPI_INT`.
    pub const TIMES: &str = " x ";
}

/// Extensions: functions that a debug DLL may export in addition to the interface. A debugger looks
/// for each by its name and does without those that are missing.
///
/// padb calls [`mqs_get_comm_coll_state`](extensions::mqs_get_comm_coll_state). The functions with
/// the prefix `mqd_` are this project's. Their answers belong to the same moment as the queues:
/// `mqs_update_communicator_list` reads them (5.10.1).
pub mod extensions {
    use super::*;

    /// The collective operations by the numbers of [`mqs_get_comm_coll_state`]: padb knows the
    /// first 14. Those of windows and files are on the communicators that these have.
    pub const COLLECTIVES: [&str; 49] = [
        "MPI_Barrier",
        "MPI_Bcast",
        "MPI_Allgather",
        "MPI_Allgatherv",
        "MPI_Allreduce",
        "MPI_Alltoall",
        "MPI_Alltoallv",
        "MPI_Reduce_scatter",
        "MPI_Reduce",
        "MPI_Gather",
        "MPI_Gatherv",
        "MPI_Scan",
        "MPI_Scatter",
        "MPI_Scatterv",
        "MPI_Alltoallw",
        "MPI_Exscan",
        "MPI_Reduce_scatter_block",
        "MPI_Neighbor_allgather",
        "MPI_Neighbor_allgatherv",
        "MPI_Neighbor_alltoall",
        "MPI_Neighbor_alltoallv",
        "MPI_Neighbor_alltoallw",
        "MPI_Win_create",
        "MPI_Win_allocate",
        "MPI_Win_allocate_shared",
        "MPI_Win_create_dynamic",
        "MPI_Win_free",
        "MPI_Win_fence",
        "MPI_File_open",
        "MPI_File_close",
        "MPI_File_set_size",
        "MPI_File_preallocate",
        "MPI_File_set_info",
        "MPI_File_set_view",
        "MPI_File_set_atomicity",
        "MPI_File_sync",
        "MPI_File_seek_shared",
        "MPI_File_read_all",
        "MPI_File_read_at_all",
        "MPI_File_read_ordered",
        "MPI_File_write_all",
        "MPI_File_write_at_all",
        "MPI_File_write_ordered",
        "MPI_File_read_all_begin",
        "MPI_File_read_at_all_begin",
        "MPI_File_read_ordered_begin",
        "MPI_File_write_all_begin",
        "MPI_File_write_at_all_begin",
        "MPI_File_write_ordered_begin",
    ];

    /// The state of a collective operation on the current communicator. `seq`: how often this
    /// process has called it, including the current call; -1 if that is not known. `active`: 1 if
    /// the process is in such a call or has started a nonblocking one that is not complete, else 0.
    /// The result is `mqs_no_information` if nothing is known about this operation.
    pub type mqs_get_comm_coll_state = unsafe extern "C" fn(
        process: *mut mqs_process,
        coll: c_int,
        seq: *mut c_int,
        active: *mut c_int,
    ) -> c_int;

    /// The MPI call that a process is in.
    #[repr(C)]
    #[derive(Clone, Copy, Debug)]
    pub struct mqd_call {
        /// How many of the operations that [`mqd_is_awaited`] reports have to complete before the
        /// call returns; -1 if that is not known, or if something else decides, such as a
        /// collective operation.
        pub needed: mqs_tword_t,
        /// Its name, zero-terminated; empty if the DLL does not know it.
        pub function: [c_char; MQS_TEXT_BYTES],
    }

    /// The MPI call that the process waits in: `mqs_ok`. `mqs_end_of_list`: it waits in no call.
    /// `mqs_no_information`: not known, for example because several threads may be in MPI.
    pub type mqd_get_call =
        unsafe extern "C" fn(process: *mut mqs_process, call: *mut mqd_call) -> c_int;

    /// Hints for reading the call stacks of a process.
    #[repr(C)]
    #[derive(Clone, Copy, Debug)]
    pub struct mqd_stack_hints {
        /// 1: one thread of the process may be in MPI at a time; 2: several may
        /// (`MPI_THREAD_MULTIPLE`); -1: not known.
        pub threads: mqs_tword_t,
        /// The library's progress functions, separated by commas, zero-terminated. A call that only
        /// sends or receives is in one after it has started what it waits for, and not before. One
        /// of the C library counts where the MPI library itself has called it. `*` among them: a
        /// function that waits for requests, sends or receives also waits where it is in a loop of
        /// the MPI library that ends only if memory changes. `LIBRARY:FUNCTION` among them: such a
        /// function, a collective operation, and one that makes a communicator also wait where a
        /// library whose file has a name that begins so has called the function, or one of several,
        /// `LIBRARY:ONE:TWO`. `?` before one of these but `*`: it only shows that the call looks
        /// for messages, and what it waits for may be complete. `&` alone: no function tells this,
        /// because the process has nonblocking collective operations that no queue shows. Such a
        /// function waits for one of these, or for what is in the queues. Empty: no function tells
        /// this.
        pub progress: [c_char; MQS_TEXT_BYTES],
    }

    /// Hints for call stacks, where [`mqd_get_call`] does not know the function: `mqs_ok`, or
    /// `mqs_no_information`.
    pub type mqd_get_stack_hints =
        unsafe extern "C" fn(process: *mut mqs_process, hints: *mut mqd_stack_hints) -> c_int;

    /// The function that a call calls again and again while it waits for one thing,
    /// zero-terminated: `function` has room for [`MQS_TEXT_BYTES`]. A debugger that reads call
    /// stacks and machine code finds the word of memory on which such a loop depends, and gives it
    /// to [`mqd_set_awaited_word`]. It may be asked before `mqs_update_communicator_list`.
    /// `mqs_no_information`: there is none.
    pub type mqd_get_loop_function =
        unsafe extern "C" fn(process: *mut mqs_process, function: *mut c_char) -> c_int;

    /// Tells the DLL that the process is in such a loop, and that it leaves the loop only if the
    /// word at this address changes. It holds for the next `mqs_update_communicator_list` alone. If
    /// the word is that of an operation, [`mqd_get_call`] and [`mqd_is_awaited`] then tell for what
    /// the process waits: `needed` counts what has to complete for the next step of the call.
    pub type mqd_set_awaited_word =
        unsafe extern "C" fn(process: *mut mqs_process, address: mqs_taddr_t) -> c_int;

    /// The function of the MPI library in whose frames the requests of blocking sends are,
    /// zero-terminated: `function` has room for [`MQS_TEXT_BYTES`]. The DLL looks for them on the
    /// stack of the first thread. If several threads may be in MPI, others may have some, too.
    /// `mqs_no_information`: no such requests are on a stack.
    pub type mqd_get_send_function =
        unsafe extern "C" fn(process: *mut mqs_process, function: *mut c_char) -> c_int;

    /// Tells the DLL that no thread but the first is in this function, by the call stacks of all
    /// threads. It holds for the next `mqs_update_communicator_list` alone.
    pub type mqd_set_no_other_senders = unsafe extern "C" fn(process: *mut mqs_process) -> c_int;

    /// What the library does by itself while the process waits for something else, as for
    /// nonblocking collective operations. `state` becomes 0: nothing; 1: each of its operations
    /// waits for a message, unless the process was stopped inside the library's own work; 2: one of
    /// them may go on at once. `mqs_no_information`: not known.
    pub type mqd_get_background =
        unsafe extern "C" fn(process: *mut mqs_process, state: *mut c_int) -> c_int;

    /// A line for people about what the queues were read from: a library, a device, a layout
    /// table. `text` has room for [`MQS_TEXT_BYTES`] and is zero-terminated; `number` counts from
    /// 0. It may be asked after `mqs_update_communicator_list`. `mqs_ok`, or `mqs_end_of_list`
    /// after the last line.
    pub type mqd_get_source =
        unsafe extern "C" fn(process: *mut mqs_process, number: c_int, text: *mut c_char) -> c_int;

    /// A process by the names of its MPI library. They are the same in all jobs that know each
    /// other, as by `MPI_Comm_spawn`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct mqd_process_name {
        /// The number of its job.
        pub job: mqs_taddr_t,
        /// Its rank in the job.
        pub rank: mqs_tword_t,
    }

    /// For [`mqd_get_process_names`]: this process itself.
    pub const mqd_own_name: c_int = 0;
    /// The group of the current communicator, in the order of its ranks.
    pub const mqd_group_names: c_int = 1;
    /// The processes that the ranks of the current communicator's operations stand for: the group,
    /// or the remote group of an intercommunicator.
    pub const mqd_peer_names: c_int = 2;

    /// The names of processes: at most `room` are written. `number` becomes how many there are.
    /// `mqs_no_information`: all are of the process's own job, or it is not known. A debugger that
    /// was told the names of a communicator's peers can also ask for the traffic with processes of
    /// other jobs, see [`mqd_setup_traffic_iterator`].
    pub type mqd_get_process_names = unsafe extern "C" fn(
        process: *mut mqs_process,
        which: c_int,
        room: c_int,
        names: *mut mqd_process_name,
        number: *mut c_int,
    ) -> c_int;

    /// The remote group of the current communicator, if it is an intercommunicator: the ranks of
    /// its processes in `MPI_COMM_WORLD`, -1 for those of other jobs. At most `room` are written.
    /// `number` becomes how many there are; 0: it is an intracommunicator. `mqs_ok`, or
    /// `mqs_no_information` if it is not known.
    pub type mqd_get_remote_group = unsafe extern "C" fn(
        process: *mut mqs_process,
        room: c_int,
        ranks: *mut c_int,
        number: *mut c_int,
    ) -> c_int;

    /// The program's communicator that the current one is a part of, if the library has made the
    /// current one for its own messages, such as those of collective operations within a host:
    /// `id` becomes its `unique_id`. `mqs_no_information`: the communicator is the program's own,
    /// or that is not known.
    pub type mqd_get_parent =
        unsafe extern "C" fn(process: *mut mqs_process, id: *mut mqs_taddr_t) -> c_int;

    /// Whether the call that the process waits in waits for the operation that
    /// `mqs_next_operation` described last: `awaited` becomes 1 or 0. `mqs_no_information`: not
    /// known.
    pub type mqd_is_awaited =
        unsafe extern "C" fn(process: *mut mqs_process, awaited: *mut c_int) -> c_int;

    /// An operation as [`mqd_next_operations`] describes it.
    #[repr(C)]
    #[derive(Clone, Copy, Debug)]
    pub struct mqd_operation {
        /// What `mqs_next_operation` says of it.
        pub operation: mqs_pending_operation,
        /// What [`mqd_is_awaited`] says of it: 1 or 0; -1: not known.
        pub awaited: c_int,
    }

    /// The next operations of the queue, at most `room` of them (1 or more): what
    /// `mqs_next_operation` and [`mqd_is_awaited`] would say call by call. `number` becomes how
    /// many were written, whatever the result is. `mqs_ok`: one or more. `mqs_end_of_list` or an
    /// error: none, so the operations before an error are handed out before it. [`mqd_is_awaited`]
    /// then speaks of the last one.
    pub type mqd_next_operations = unsafe extern "C" fn(
        process: *mut mqs_process,
        room: c_int,
        operations: *mut mqd_operation,
        number: *mut c_int,
    ) -> c_int;

    /// The messages between this process and another one on the current communicator. Negative
    /// numbers are marks, not counts: if what one has sent and the other received have the same
    /// mark, no message is on its way. If the marks differ, it is not known.
    #[repr(C)]
    #[derive(Clone, Copy, Debug)]
    pub struct mqd_traffic {
        /// The peer: a rank in the communicator, or in the remote group of an intercommunicator.
        pub local_rank: mqs_tword_t,
        /// Messages that this process sent to it and whose envelope has left.
        pub sent: mqs_tword_t,
        /// Messages from it whose envelope has arrived: matched or unexpected.
        pub received: mqs_tword_t,
    }

    /// Goes to the start of the current communicator's traffic. `mqs_no_information`: it is not
    /// known.
    pub type mqd_setup_traffic_iterator = unsafe extern "C" fn(process: *mut mqs_process) -> c_int;

    /// The next peer with which there was any traffic: `mqs_ok`, or `mqs_end_of_list`.
    pub type mqd_next_traffic =
        unsafe extern "C" fn(process: *mut mqs_process, traffic: *mut mqd_traffic) -> c_int;

    /// A queue in shared memory that messages of the process come or go by. Its reader takes
    /// elements out in their order, and both sides count them from the start of the queue.
    #[repr(C)]
    #[derive(Clone, Copy, Debug)]
    pub struct mqd_fifo {
        /// The queue: all processes that use it have the same number for it. 0: there is none, and
        /// no message has gone to that process.
        pub id: mqs_taddr_t,
        /// The process that takes elements out: a rank in `MPI_COMM_WORLD`. -1: this process. -2:
        /// the process of the same host that takes elements out of this queue. -3: this is no
        /// queue: `elements` parts of messages from or to this process are on their way at the
        /// moment among `id` processes of this host. -1 with an `id` of 0 is no queue either:
        /// `elements` parts are on their way, among whatever processes.
        pub rank: mqs_tword_t,
        /// Of a queue of this process: how many elements it has taken out and handled. Of another
        /// one: how many all processes have put in.
        pub elements: mqs_tword_t,
    }

    /// Goes to the start of the queues in shared memory. `mqs_no_information`: not known. If a
    /// process is named, all messages to it go by the queues that are listed for it.
    pub type mqd_setup_fifo_iterator = unsafe extern "C" fn(process: *mut mqs_process) -> c_int;

    /// The next queue: `mqs_ok`, or `mqs_end_of_list`.
    pub type mqd_next_fifo =
        unsafe extern "C" fn(process: *mut mqs_process, fifo: *mut mqd_fifo) -> c_int;
}
