//! The structures and constants of `queues.h`.

use crate::error::Result;
use crate::layout::{Chars, Int, LongLong, Pointer, structures};
use crate::types::Types;

/// `MPI_MAX_OBJECT_NAME`.
pub(super) const NAME_BYTES: usize = 128;

structures! {
    /// The root.
    Process = "mqdrt_process" {
        layout_version: Int,
        phase: Int,
        world_rank: Int,
        world_size: Int,
        communicators: Pointer,
        sends: Pointer,
        probes: Pointer,
        call: Pointer,
        threads: Int,
        awaited: Int,
        needed: Int,
        operations: Int,
        wait: LongLong,
        internal_communicators: Pointer,
        internal_sends: Pointer,
        going_on: Int,
    }
    /// A communicator and the heads of its queues.
    Communicator = "mqdrt_communicator" {
        next: Pointer,
        context_id: Int,
        freed: Int,
        local_group: Pointer,
        remote_group: Pointer,
        name: Chars<NAME_BYTES>,
        posted_receives: Pointer,
        matched_receives: Pointer,
        unexpected_messages: Pointer,
        collectives: Pointer,
        peers: Pointer,
    }
    /// A collective operation on a communicator.
    Collective = "mqdrt_collective" {
        calls: LongLong,
        active: Int,
    }
    /// The messages between the process and another one.
    Traffic = "mqdrt_peer" {
        sent: LongLong,
        received: LongLong,
    }
    /// A group.
    Group = "mqdrt_group" {
        size: Int,
        rank: Int,
        world_ranks: Pointer,
    }
    /// A datatype.
    Datatype = "mqdrt_datatype" {
        name: Chars<NAME_BYTES>,
        size: LongLong,
    }
    /// A send, a receive or a waiting probe.
    Request = "mqdrt_request" {
        next: Pointer,
        communicator: Pointer,
        kind: Int,
        state: Int,
        peer: Int,
        tag: Int,
        buffer: Pointer,
        count: LongLong,
        datatype: Pointer,
        length: LongLong,
        system_buffer: Int,
        protocol: Int,
        actual_source: Int,
        actual_tag: Int,
        actual_length: LongLong,
        call: Pointer,
        wait: LongLong,
        whole: Pointer,
        open: Int,
    }
    /// An unexpected message.
    Message = "mqdrt_message" {
        next: Pointer,
        communicator: Pointer,
        source: Int,
        tag: Int,
        length: LongLong,
        buffer: Pointer,
        protocol: Int,
        mode: Int,
    }
}

/// All structures of the runtime.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    pub(super) process: Process,
    pub(super) communicator: Communicator,
    pub(super) group: Group,
    pub(super) datatype: Datatype,
    pub(super) request: Request,
    pub(super) message: Message,
    pub(super) collective: Collective,
    pub(super) traffic: Traffic,
}

impl Layout {
    /// Looks the structures up.
    pub(crate) fn resolve(types: &impl Types) -> Result<Self> {
        Ok(Self {
            process: Process::resolve(types)?,
            communicator: Communicator::resolve(types)?,
            group: Group::resolve(types)?,
            datatype: Datatype::resolve(types)?,
            request: Request::resolve(types)?,
            message: Message::resolve(types)?,
            collective: Collective::resolve(types)?,
            traffic: Traffic::resolve(types)?,
        })
    }
}

/// `MQDRT_LAYOUT_VERSION`.
pub(super) const VERSION: i64 = 4;

/// Values of `mqdrt_process.phase`.
pub(super) mod phase {
    pub(crate) const NOT_INITIALIZED: i64 = 0;
    pub(crate) const RUNNING: i64 = 1;
    pub(crate) const FINALIZED: i64 = 2;
}

/// Values of `mqdrt_request.kind` and `mqdrt_message.mode`.
pub(super) mod kind {
    pub(crate) const SEND_STANDARD: i64 = 1;
    pub(crate) const SEND_BUFFERED: i64 = 2;
    pub(crate) const SEND_SYNCHRONOUS: i64 = 3;
    pub(crate) const SEND_READY: i64 = 4;
    pub(crate) const RECEIVE: i64 = 5;
    pub(crate) const MATCHED_RECEIVE: i64 = 6;
    pub(crate) const PROBE: i64 = 7;
}

/// Values of `mqdrt_request.state`; an inactive request is on no list.
pub(super) mod state {
    pub(crate) const PENDING: i64 = 1;
    pub(crate) const MATCHED: i64 = 2;
    pub(crate) const COMPLETE: i64 = 3;
}

/// Values of `protocol`.
pub(super) mod protocol {
    pub(crate) const NONE: i64 = 0;
    pub(crate) const EAGER: i64 = 1;
    pub(crate) const RENDEZVOUS: i64 = 2;
    pub(crate) const SELF: i64 = 3;
}

/// This bit of `mqdrt_communicator.context_id` marks a list with the library's messages within this
/// process's group of an intercommunicator.
pub(super) const WITHIN: u64 = 1 << 30;

/// The `mqdrt_communicator.context_id` of the list with the library's messages between processes
/// that need no communicator in common. The program has no such communicator.
pub(super) const UNIVERSE: u64 = 2;

/// Constants of the MPI ABI.
pub(super) mod mpi {
    pub(crate) const ANY_SOURCE: i64 = -1;
    pub(crate) const ANY_TAG: i64 = -2;
    pub(crate) const PROC_NULL: i64 = -3;
}
