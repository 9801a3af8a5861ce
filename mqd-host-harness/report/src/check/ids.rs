//! Ranks, tags and the indices of a job as types, so that they cannot be confused.

use std::fmt;

use super::list::id;

id! {
    /// A rank of the report: an index into the job's members, which ascend by rank.
    Slot;
    /// A communicator of the job, whichever processes list it.
    CommId;
    /// A communicator of one process: an index into the process's list.
    PartIndex;
    /// An operation of a queue: its index in the queue.
    Position;
}

/// A process's part of a communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct PartId {
    pub(super) slot: Slot,
    pub(super) index: PartIndex,
}

/// An operation of a queue; which queue is known from the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct OperationId {
    pub(super) part: PartId,
    pub(super) position: Position,
}

impl OperationId {
    /// The rank whose operation it is.
    pub(super) fn slot(self) -> Slot {
        self.part.slot
    }
}

/// A rank in `MPI_COMM_WORLD`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub(super) struct Rank(i64);

impl Rank {
    /// The number.
    pub(super) fn get(self) -> i64 {
        self.0
    }
}

impl From<i64> for Rank {
    fn from(rank: i64) -> Rank {
        Rank(rank)
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A rank in a communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub(super) struct LocalRank(i64);

impl LocalRank {
    /// The number.
    pub(super) fn get(self) -> i64 {
        self.0
    }

    /// Is it one of a process? `MPI_ANY_SOURCE` is none.
    pub(super) fn is_process(self) -> bool {
        self.0 >= 0
    }
}

impl From<i64> for LocalRank {
    fn from(rank: i64) -> LocalRank {
        LocalRank(rank)
    }
}

impl fmt::Display for LocalRank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Whom an operation names: a rank in `MPI_COMM_WORLD`, or `MPI_ANY_SOURCE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub(super) struct Peer(i64);

impl Peer {
    /// `MPI_ANY_SOURCE`.
    pub(super) const ANY: Peer = Peer(-1);

    /// The rank; none for `MPI_ANY_SOURCE`.
    pub(super) fn rank(self) -> Option<Rank> {
        (self != Peer::ANY).then_some(Rank(self.0))
    }
}

impl From<Rank> for Peer {
    fn from(rank: Rank) -> Peer {
        Peer(rank.0)
    }
}

/// The tag of a message, or `MPI_ANY_TAG`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub(super) struct Tag(i64);

impl Tag {
    /// `MPI_ANY_TAG`.
    pub(super) const ANY: Tag = Tag(i64::MIN);

    /// Is it one of the MPI library's own messages?
    pub(super) fn is_internal(self) -> bool {
        self.0 < 0 && self != Tag::ANY
    }
}

impl From<i64> for Tag {
    fn from(tag: i64) -> Tag {
        Tag(tag)
    }
}
