//! The Rust mirror of `queues.h`, with the same layout field by field. That file says what each
//! field means.
//!
//! All fields are cells, so the engine can link and update objects through shared references. A
//! debugger may read them at any instruction. Therefore an object is filled first and linked
//! afterwards, with [`publish`] in between.

#![allow(non_camel_case_types, reason = "the names are those of queues.h")]

use std::cell::Cell;
use std::ffi::{c_char, c_int, c_longlong, c_void};
use std::ptr;
use std::sync::atomic::{Ordering, compiler_fence};

/// Version of this layout, in [`mqdrt_process::layout_version`].
pub(crate) const MQDRT_LAYOUT_VERSION: c_int = 4;

/// Entries of [`mqdrt_communicator::collectives`].
pub(crate) const MQDRT_COLLECTIVES: usize = 49;

/// Bytes of an object's name with its terminating zero: MPI_MAX_OBJECT_NAME of the ABI.
pub(crate) const NAME_LENGTH: usize = 128;

/// Values of [`mqdrt_process::phase`].
pub(crate) mod phase {
    use std::ffi::c_int;
    /// Before `MPI_Init`.
    pub(crate) const NOT_INITIALIZED: c_int = 0;
    /// Between `MPI_Init` and `MPI_Finalize`.
    pub(crate) const RUNNING: c_int = 1;
    /// After `MPI_Finalize`.
    pub(crate) const FINALIZED: c_int = 2;
}

/// What an operation is: [`mqdrt_request::kind`], and a send's mode in [`mqdrt_message::mode`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub(crate) enum OperationKind {
    /// `MPI_Send`, `MPI_Isend`.
    SendStandard = 1,
    /// `MPI_Bsend`, `MPI_Ibsend`.
    SendBuffered = 2,
    /// `MPI_Ssend`, `MPI_Issend`.
    SendSynchronous = 3,
    /// `MPI_Rsend`, `MPI_Irsend`.
    SendReady = 4,
    /// `MPI_Recv`, `MPI_Irecv`.
    Receive = 5,
    /// `MPI_Mrecv`, `MPI_Imrecv`: the receive of a message that a probe has matched.
    MatchedReceive = 6,
    /// `MPI_Probe`, `MPI_Mprobe` while they wait.
    Probe = 7,
}

/// How far an operation is: [`mqdrt_request::state`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub(crate) enum OperationState {
    /// A persistent request between its uses; on no list.
    Inactive = 0,
    /// Waits for its partner.
    Pending = 1,
    /// Has its partner, data still to be moved.
    Matched = 2,
    /// Finished; the program has not waited for it yet.
    Complete = 3,
}

/// How a message travels: [`mqdrt_request::protocol`] and [`mqdrt_message::protocol`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub(crate) enum Protocol {
    /// Not known yet: a receive without a message.
    None = 0,
    /// The data travel with the envelope.
    Eager = 1,
    /// The envelope travels first, the data once it is matched.
    Rendezvous = 2,
    /// A message of the process to itself.
    SelfMessage = 3,
}

/// Declares the mirrored structures, and for the layout test the names of their fields.
macro_rules! mirror {
    ($($(#[$doc:meta])* struct $name:ident { $($field:ident: $type:ty,)* })*) => {
        $(
            $(#[$doc])*
            #[repr(C)]
            pub(crate) struct $name { $(
                #[doc = concat!("See `", stringify!($name), ".", stringify!($field),
                    "` in `queues.h`.")]
                pub(crate) $field: Cell<$type>,
            )* }
        )*

        /// Every structure with its size, and every field with its offset and size, as Rust lays
        /// them out.
        #[cfg(test)]
        fn layout() -> Vec<(&'static str, usize, Vec<(&'static str, usize, usize)>)> {
            fn field_size<S, F>(_: fn(&S) -> &F) -> usize { size_of::<F>() }
            vec![$((
                stringify!($name),
                size_of::<$name>(),
                vec![$((
                    stringify!($field),
                    std::mem::offset_of!($name, $field),
                    field_size(|s: &$name| &s.$field),
                ),)*],
            ),)*]
        }
    };
}

mirror! {
    /// The head of a datatype.
    struct mqdrt_datatype {
        name: [c_char; NAME_LENGTH],
        size: c_longlong,
    }

    /// The head of a group.
    struct mqdrt_group {
        size: c_int,
        rank: c_int,
        world_ranks: *const c_int,
    }

    /// The head of a communicator with its queues.
    struct mqdrt_communicator {
        next: *const mqdrt_communicator,
        context_id: c_int,
        freed: c_int,
        local_group: *const mqdrt_group,
        remote_group: *const mqdrt_group,
        name: [c_char; NAME_LENGTH],
        posted_receives: *const mqdrt_request,
        matched_receives: *const mqdrt_request,
        unexpected_messages: *const mqdrt_message,
        collectives: *const mqdrt_collective,
        peers: *const mqdrt_peer,
    }

    /// A collective operation on a communicator.
    struct mqdrt_collective {
        calls: c_longlong,
        active: c_int,
    }

    /// The messages between this process and another one.
    struct mqdrt_peer {
        sent: c_longlong,
        received: c_longlong,
    }

    /// The head of a send, a receive or a waiting probe.
    struct mqdrt_request {
        next: *const mqdrt_request,
        communicator: *const mqdrt_communicator,
        kind: OperationKind,
        state: OperationState,
        peer: c_int,
        tag: c_int,
        buffer: *mut c_void,
        count: c_longlong,
        datatype: *const mqdrt_datatype,
        length: c_longlong,
        system_buffer: c_int,
        protocol: Protocol,
        actual_source: c_int,
        actual_tag: c_int,
        actual_length: c_longlong,
        call: *const c_char,
        wait: c_longlong,
        whole: *const mqdrt_request,
        open: c_int,
    }

    /// The head of a message that nothing has matched.
    struct mqdrt_message {
        next: *const mqdrt_message,
        communicator: *const mqdrt_communicator,
        source: c_int,
        tag: c_int,
        length: c_longlong,
        buffer: *mut c_void,
        protocol: Protocol,
        mode: OperationKind,
    }

    /// The root of the queues, under the symbol `mqdrt_root`.
    struct mqdrt_process {
        layout_version: c_int,
        phase: c_int,
        world_rank: c_int,
        world_size: c_int,
        communicators: *const mqdrt_communicator,
        sends: *const mqdrt_request,
        probes: *const mqdrt_request,
        call: *const c_char,
        threads: c_int,
        awaited: c_int,
        needed: c_int,
        operations: c_int,
        wait: c_longlong,
        internal_communicators: *const mqdrt_communicator,
        internal_sends: *const mqdrt_request,
        going_on: c_int,
    }
}

// SAFETY: the cells are written under the engine's lock only (or by the one thread of a program
// that did not ask for MPI_THREAD_MULTIPLE).
unsafe impl Sync for mqdrt_process {}

/// The root of the queues, found by debuggers under this name.
#[allow(non_upper_case_globals, reason = "the name is that of queues.h")]
#[unsafe(no_mangle)]
pub(crate) static mqdrt_root: mqdrt_process = mqdrt_process::new();

impl mqdrt_process {
    /// The root before MPI is initialized.
    pub(crate) const fn new() -> mqdrt_process {
        mqdrt_process {
            layout_version: Cell::new(MQDRT_LAYOUT_VERSION),
            phase: Cell::new(phase::NOT_INITIALIZED),
            world_rank: Cell::new(0),
            world_size: Cell::new(0),
            communicators: Cell::new(ptr::null()),
            sends: Cell::new(ptr::null()),
            probes: Cell::new(ptr::null()),
            call: Cell::new(ptr::null()),
            threads: Cell::new(0),
            awaited: Cell::new(0),
            needed: Cell::new(0),
            operations: Cell::new(0),
            wait: Cell::new(0),
            internal_communicators: Cell::new(ptr::null()),
            internal_sends: Cell::new(ptr::null()),
            going_on: Cell::new(0),
        }
    }
}

/// The C unit's table; referring to it keeps that unit, and with it the DWARF of the types, in
/// every program that holds the engine.
#[repr(C)]
struct Types {
    pointers: [*const c_void; 8],
}

// SAFETY: constant data.
unsafe impl Sync for Types {}

unsafe extern "C" {
    static mqdrt_types: Types;
}

/// Whether the C unit with the types' DWARF is linked in. It always is: this reference makes the
/// linker keep it.
pub(crate) fn types_are_linked() -> bool {
    // SAFETY: a constant of queues.c; the volatile read keeps the reference.
    let types = unsafe { ptr::read_volatile(&raw const mqdrt_types) };
    ptr::addr_eq(types.pointers[0], &raw const mqdrt_root)
}

/// Makes sure that an object is filled before it is linked, for a debugger that may stop this
/// process at any instruction.
#[inline(always)]
pub(crate) fn publish() {
    compiler_fence(Ordering::SeqCst);
}

/// The bytes of an object's name field: `name` cut to its length and filled with zeros.
pub(crate) fn name_field(name: &(impl AsRef<[u8]> + ?Sized)) -> [c_char; NAME_LENGTH] {
    let name = crate::text::cut(name.as_ref(), NAME_LENGTH - 1);
    let mut field = [0; NAME_LENGTH];
    for (to, from) in field.iter_mut().zip(name) {
        *to = *from as c_char;
    }
    field
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;
    use std::process::Command;

    #[test]
    fn the_c_unit_is_linked_in() {
        assert!(types_are_linked());
    }

    #[test]
    fn rust_and_c_agree_on_every_size_and_offset() {
        let directory = std::env::temp_dir().join(format!("mqdrt-layout-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let (source, program) = (directory.join("layout.c"), directory.join("layout"));
        let mut text = String::from(
            "#include <stddef.h>\n#include <stdio.h>\n#include \"queues.h\"\nint main(void) {\n",
        );
        let mut expected = String::new();
        for (name, size, fields) in layout() {
            writeln!(text, "printf(\"{name} %zu\\n\", sizeof({name}));").unwrap();
            writeln!(expected, "{name} {size}").unwrap();
            for (field, offset, size) in fields {
                writeln!(
                    text,
                    "printf(\"{name}.{field} %zu %zu\\n\", offsetof({name}, {field}), \
                     sizeof((({name} *)0)->{field}));"
                )
                .unwrap();
                writeln!(expected, "{name}.{field} {offset} {size}").unwrap();
            }
        }
        for (name, value) in [
            ("MQDRT_LAYOUT_VERSION", MQDRT_LAYOUT_VERSION),
            ("MQDRT_COLLECTIVES", MQDRT_COLLECTIVES as c_int),
            ("MQDRT_NOT_INITIALIZED", phase::NOT_INITIALIZED),
            ("MQDRT_RUNNING", phase::RUNNING),
            ("MQDRT_FINALIZED", phase::FINALIZED),
            ("MQDRT_SEND_STANDARD", OperationKind::SendStandard as c_int),
            ("MQDRT_SEND_BUFFERED", OperationKind::SendBuffered as c_int),
            ("MQDRT_SEND_SYNCHRONOUS", OperationKind::SendSynchronous as c_int),
            ("MQDRT_SEND_READY", OperationKind::SendReady as c_int),
            ("MQDRT_RECEIVE", OperationKind::Receive as c_int),
            ("MQDRT_MATCHED_RECEIVE", OperationKind::MatchedReceive as c_int),
            ("MQDRT_PROBE", OperationKind::Probe as c_int),
            ("MQDRT_INACTIVE", OperationState::Inactive as c_int),
            ("MQDRT_PENDING", OperationState::Pending as c_int),
            ("MQDRT_MATCHED", OperationState::Matched as c_int),
            ("MQDRT_COMPLETE", OperationState::Complete as c_int),
            ("MQDRT_PROTOCOL_NONE", Protocol::None as c_int),
            ("MQDRT_EAGER", Protocol::Eager as c_int),
            ("MQDRT_RENDEZVOUS", Protocol::Rendezvous as c_int),
            ("MQDRT_SELF", Protocol::SelfMessage as c_int),
        ] {
            writeln!(text, "printf(\"{name} %d\\n\", {name});").unwrap();
            writeln!(expected, "{name} {value}").unwrap();
        }
        text.push_str("return 0; }\n");
        std::fs::write(&source, text).unwrap();
        let include = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/src/debug");
        let compiled =
            Command::new("cc").arg(include).arg("-o").arg(&program).arg(&source).status().unwrap();
        assert!(compiled.success());
        let output = Command::new(&program).output().unwrap();
        std::fs::remove_dir_all(&directory).unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    }

    #[test]
    fn names_are_cut_between_characters() {
        let field = name_field(&"ä".repeat(100));
        assert_eq!(field.iter().filter(|&&byte| byte != 0).count(), 126);
        assert_eq!(field[126], 0);
    }
}
