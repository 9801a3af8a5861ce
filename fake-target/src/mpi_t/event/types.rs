//! The event types, their elements, and the sources of events.

use crate::abi::*;
use crate::mpi_t::categories::number::*;
use crate::mpi_t::enumeration::Enumeration;
use std::ffi::c_int;

/// The most elements that an event has.
pub(crate) const MOST_ELEMENTS: usize = 4;

/// An event type.
pub(crate) struct EventType {
    /// Its name.
    pub(crate) name: &'static str,
    /// One of `MPI_T_VERBOSITY_…`.
    pub(crate) verbosity: c_int,
    /// Its category's index.
    pub(crate) category: usize,
    /// The kind of object it is bound to.
    pub(crate) bind: c_int,
    /// The index of its source.
    pub(crate) source: usize,
    /// The datatypes of its elements.
    pub(crate) elements: &'static [MPI_Datatype],
    /// The names of its elements.
    pub(crate) elements_enumeration: &'static Enumeration,
    /// When it is raised, and what its elements are.
    pub(crate) description: &'static str,
}

/// Bytes of an element.
pub(super) fn size(datatype: MPI_Datatype) -> usize {
    if datatype == MPI_INT { size_of::<c_int>() } else { size_of::<MPI_Count>() }
}

impl EventType {
    /// Where its elements lie in a buffer, as a C struct of them.
    pub(super) fn displacements(&self) -> Vec<usize> {
        let mut end = 0usize;
        let place = |datatype: &MPI_Datatype| {
            let start = end.next_multiple_of(size(*datatype));
            end = start + size(*datatype);
            start
        };
        self.elements.iter().map(place).collect()
    }
}

/// A source of events.
pub(crate) struct EventSource {
    /// Its name.
    pub(crate) name: &'static str,
    /// What it is.
    pub(crate) description: &'static str,
    /// Whether its events come in the order of their timestamps.
    pub(crate) ordering: MPI_T_source_order,
}

const ENGINE: usize = 0;
const CALLS: usize = 1;

/// The sources. All use the clock of `MPI_Wtime`, in nanoseconds.
pub(crate) static SOURCES: &[EventSource] = &[
    EventSource {
        name: "engine",
        description: "The matching engine, in which one thread is at a time.",
        ordering: MPI_T_SOURCE_ORDERED,
    },
    EventSource {
        name: "calls",
        description: "What threads do in calls outside the engine, each on its own.",
        ordering: MPI_T_SOURCE_UNORDERED,
    },
];

macro_rules! types {
    ($($constant:ident $name:literal $source:ident $bind:ident $category:ident
        ($($datatype:ident $element:literal)*) $description:literal;)*) => {
        types!(@number 0usize; $($constant $name;)*);
        /// The event types.
        pub(crate) static TYPES: &[EventType] = &[$(EventType {
            name: $name,
            verbosity: MPI_T_VERBOSITY_USER_DETAIL,
            category: $category,
            bind: $bind,
            source: $source,
            elements: &[$($datatype),*],
            elements_enumeration: {
                static NAMES: Enumeration = Enumeration {
                    name: concat!($name, "_elements"),
                    items: types!(@items [] 0; $($element)*),
                };
                &NAMES
            },
            description: $description,
        }),*];
    };
    (@number $number:expr; $constant:ident $name:literal; $($rest:tt)*) => {
        #[doc = concat!("The index of `", $name, "`.")]
        pub(crate) const $constant: usize = $number;
        types!(@number $number + 1; $($rest)*);
    };
    (@number $number:expr;) => {};
    (@items [$($done:tt)*] $number:expr; $element:literal $($rest:literal)*) => {
        types!(@items [$($done)* ($number, $element),] $number + 1; $($rest)*)
    };
    (@items [$($done:tt)*] $number:expr;) => { &[$($done)*] };
}

#[rustfmt::skip]
types! {
    RECEIVE_POSTED "receive_posted" ENGINE MPI_T_BIND_MPI_COMM QUEUES
        (MPI_INT "source" MPI_INT "tag" MPI_COUNT "bytes")
        "A receive of the communicator matched no message and waits for one. Elements: source and \
         tag as in the call, including wildcards, and the bytes of the buffer.";
    UNEXPECTED_MESSAGE "unexpected_message" ENGINE MPI_T_BIND_MPI_COMM QUEUES
        (MPI_INT "source" MPI_INT "tag" MPI_COUNT "bytes" MPI_INT "eager")
        "A message of the communicator has arrived and matched no receive. Elements: source, tag, \
         bytes of the whole message, and 1 if its data have arrived or 0 if they are still at the \
         sender.";
    MESSAGE_MATCHED "message_matched" ENGINE MPI_T_BIND_MPI_COMM MATCHING
        (MPI_INT "source" MPI_INT "tag" MPI_COUNT "bytes" MPI_INT "was_unexpected")
        "A message and a receive of the communicator have matched. Elements: source, tag, bytes of \
         the whole message, and 1 if the message was there first.";
    SEND_STARTED "send_started" ENGINE MPI_T_BIND_MPI_COMM TRAFFIC
        (MPI_INT "destination" MPI_INT "tag" MPI_COUNT "bytes" MPI_INT "eager")
        "A send of the communicator has started. Elements: destination, tag, bytes, and 1 if the \
         data travel with the envelope.";
    REQUEST_COMPLETED "request_completed" ENGINE MPI_T_BIND_MPI_COMM TRAFFIC
        (MPI_INT "is_send" MPI_INT "peer" MPI_INT "tag" MPI_COUNT "bytes")
        "An operation of the communicator that had a request is complete. Elements: 1 for a send \
         or 0 for a receive, destination or source, tag, and bytes of the message. Sends that \
         leave at once have no request.";
    COMMUNICATOR_CREATED "communicator_created" ENGINE MPI_T_BIND_NO_OBJECT JOB
        (MPI_INT "context_id" MPI_INT "size")
        "A communicator was created. Elements: its context id, which is the same in all its \
         processes, and the size of this process's group.";
    COMMUNICATOR_ENDED "communicator_ended" ENGINE MPI_T_BIND_NO_OBJECT JOB (MPI_INT "context_id")
        "A freed communicator has no pending operations any more, and ends. Element: its context \
         id.";
    THREAD_SLEPT "thread_slept" CALLS MPI_T_BIND_NO_OBJECT WAITING (MPI_COUNT "nanoseconds")
        "A thread that waited in a call has slept. Element: how long it slept.";
    COLLECTIVE_ENTERED "collective_entered" CALLS MPI_T_BIND_MPI_COMM COLLECTIVES
        (MPI_INT "operation")
        "A thread enters a collective operation of the communicator. Element: 0 barrier, 1 \
         broadcast, 2 reduction or scan, 3 gather, scatter or allgather, 4 all-to-all, 5 fence of \
         a window, or creating or freeing one, 6 collective call of a file.";
    COLLECTIVE_LEFT "collective_left" CALLS MPI_T_BIND_MPI_COMM COLLECTIVES
        (MPI_INT "operation" MPI_COUNT "nanoseconds")
        "A thread leaves a collective operation of the communicator. Elements: the operation, as \
         in collective_entered, and how long the thread was in it.";
}
