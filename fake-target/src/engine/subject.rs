//! What events happen to, as observers are told.

use std::ffi::{c_char, c_int, c_void};

use super::context::{Context, ContextId};
use super::message::{Incoming, Message};
use super::request::{Operation, Request};
use crate::abi::{
    MPI_Aint, MPI_Comm, MPI_Count, MPI_Datatype, MPI_File, MPI_Info, MPI_Offset, MPI_Op, MPI_Win,
};

/// What an event happens to. A positive id names it among all that is observed at the same time.
#[derive(Clone, Copy)]
pub(crate) enum Subject<'a> {
    /// A send, a receive or a probe that waits.
    Request(&'static Request),
    /// A message that is, or was just, kept as unexpected.
    Message(&'static Message),
    /// A message by its envelope, or the search for its receive.
    Envelope { context: &'static Context, incoming: &'a Incoming, id: MPI_Aint },
    /// The search for a message for a receive.
    SearchFor { request: &'static Request, id: MPI_Aint },
    /// The search for a message for a probe.
    SearchForProbe { context: &'static Context, source: c_int, tag: c_int, id: MPI_Aint },
    /// A message of a collective operation.
    Step(&'a Operation),
    /// A send; `eager`: its data travel with the envelope.
    Send { operation: &'a Operation, eager: bool },
    /// The match of a message; `was_unexpected`: it was there before the receive.
    Match { context: &'a Context, incoming: &'a Incoming, was_unexpected: bool },
    /// A communicator, by the context of the program's messages, and the size of this process's
    /// group.
    Communicator { context: &'static Context, size: c_int },
    /// A communicator and the duplicate made of it.
    Duplicate { from: &'static Context, to: &'static Context },
    /// A thread that has slept so long, in nanoseconds.
    Sleeper(u64),
    /// A one-sided operation, or a synchronisation of a window.
    Window(&'a WindowCall, MPI_Aint),
    /// An access to a file.
    File(&'a FileCall, MPI_Aint),
    /// Processes that are started.
    Spawn(&'a SpawnCall<'a>, MPI_Aint),
    /// A collective operation by its family, and how long it has taken, in nanoseconds.
    Collective { context: &'static Context, family: i64, nanoseconds: u64 },
}

/// A call that works on a window, with its arguments.
#[derive(Clone, Copy)]
pub(crate) struct WindowCall {
    /// The context of the window's own communicator.
    pub(crate) context: ContextId,
    pub(crate) win: MPI_Win,
    /// The elements at the origin.
    pub(crate) origin: (*mut c_void, MPI_Count, MPI_Datatype),
    /// The elements at the target, by their address there.
    pub(crate) target: (*mut c_void, MPI_Count, MPI_Datatype),
    pub(crate) op: MPI_Op,
    /// The target's rank; `MPI_UNDEFINED` if the call has none.
    pub(crate) peer: c_int,
    pub(crate) work: WindowWork,
}

/// What a call does to a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WindowWork {
    Put,
    Get,
    Accumulate,
    Fence,
    Start,
    Complete,
    Post,
    Wait,
    Lock,
    Unlock,
    Flush,
}

/// A call that accesses a file, with its arguments.
#[derive(Clone, Copy)]
pub(crate) struct FileCall {
    /// The context of the file's own communicator.
    pub(crate) context: ContextId,
    pub(crate) file: MPI_File,
    /// The elements in memory.
    pub(crate) elements: (*mut c_void, MPI_Count, MPI_Datatype),
    /// Where the access begins, in etypes of the view; `MPI_UNDEFINED` if that is not known yet.
    pub(crate) offset: MPI_Offset,
    pub(crate) writes: bool,
}

/// A call that starts processes.
#[derive(Clone, Copy)]
pub(crate) struct SpawnCall<'a> {
    /// The context of the parents' communicator.
    pub(crate) context: ContextId,
    pub(crate) comm: MPI_Comm,
    /// The arguments of the only program, at the root; otherwise null.
    pub(crate) argv: *mut *mut c_char,
    /// The number of processes; 0 if this process does not know it.
    pub(crate) processes: c_int,
    pub(crate) info: MPI_Info,
    pub(crate) root: c_int,
    /// The intercommunicator with the children, once they are there.
    pub(crate) children: MPI_Comm,
    pub(crate) errcodes: *mut c_int,
    /// By rank among the children: their process id, and a number that this process knows each by.
    pub(crate) started: &'a [(c_int, c_int)],
}
