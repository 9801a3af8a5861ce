//! What a picture consists of: nodes and arrows.

use std::collections::BTreeSet;

use super::runs::Runs;
use crate::model::{Activity, Address, Queue, Status};

/// How much a picture may show.
#[derive(Clone, Copy, Debug)]
pub struct GraphOptions {
    /// In jobs with more ranks than this, ranks that behave alike are one node.
    pub group_above: usize,
    /// The largest number of nodes. Ranks beyond it share one node, and a remark says so.
    pub nodes: usize,
    /// The largest number of arrows. A remark says how many are left out.
    pub arrows: usize,
}

impl Default for GraphOptions {
    fn default() -> GraphOptions {
        GraphOptions { group_above: 16, nodes: 64, arrows: 400 }
    }
}

impl GraphOptions {
    /// No limits, for programs.
    pub const ALL: GraphOptions =
        GraphOptions { group_above: 16, nodes: usize::MAX, arrows: usize::MAX };
}

/// Which ranks have operations with which others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// Ranks, or groups of ranks, in their order; then nodes for peers that are not in the report.
    pub nodes: Vec<Node>,
    /// The operations between them.
    pub arrows: Vec<Arrow>,
    /// What the picture leaves out or groups, in sentences.
    pub remarks: Vec<String>,
}

/// A rank, or ranks that behave alike, or a peer that is not in the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What it stands for.
    pub kind: NodeKind,
    /// Its ranks in `MPI_COMM_WORLD`; empty if they are not known.
    pub ranks: Runs,
    /// The processes of the report: indices.
    pub processes: Vec<usize>,
    /// What they are doing in MPI, if that is known.
    pub activity: Option<Activity>,
    /// Where in the program they are, if that is known: `halo.c:87`, `3 places`.
    pub place: Option<String>,
    /// Are they part of the deadlock?
    pub deadlock: bool,
    /// Could some of them not be read completely?
    pub incomplete: bool,
    /// A name, if it has no rank.
    pub name: String,
}

/// What a node stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NodeKind {
    /// Processes that were read.
    Ranks,
    /// Processes that could not be read.
    Unreadable,
    /// Ranks that others have operations with, and that are not in the report.
    NotInReport,
    /// The groups beyond the limit.
    Rest,
    /// The peer of receives with `MPI_ANY_SOURCE`.
    AnySource,
    /// Peers whose rank in `MPI_COMM_WORLD` the debug DLL does not know.
    Unknown,
}

/// Operations of the same kind from a node to a node.
///
/// A send goes to its destination, an unexpected message from its sender to its receiver. A receive
/// goes to its source: the rank waits for it, so that a deadlock is a ring of arrows. For the same
/// reason, a deadlocked rank in a collective operation has arrows to the ranks that it waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// Index of the node where it begins.
    pub from: usize,
    /// Index of the node where it ends.
    pub to: usize,
    /// What they are.
    pub what: ArrowKind,
    /// How the peers follow from the ranks.
    pub relation: Relation,
    /// The names of the communicators.
    pub communicators: BTreeSet<String>,
    /// The identifiers of the communicators.
    pub ids: BTreeSet<Address>,
    /// Is `MPI_ANY_TAG` among the tags?
    pub any_tag: bool,
    /// The other tags; empty for a collective operation.
    pub tags: BTreeSet<i64>,
    /// How far the operations are.
    pub statuses: BTreeSet<Status>,
    /// The number of operations; for a collective operation, the number of ranks.
    pub count: u64,
    /// The lengths in bytes: the smallest, the largest, and the sum. None if one is not known.
    pub bytes: Option<(i64, i64, i128)>,
    /// Are they part of the deadlock?
    pub deadlock: bool,
}

/// What an arrow is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ArrowKind {
    /// Operations of this queue.
    Queue(Queue),
    /// Waiting in this collective function.
    Collective(String),
}

/// How the peer of an operation follows from the rank whose operation it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Relation {
    /// It is this rank in `MPI_COMM_WORLD`.
    Rank(i64),
    /// Its rank in the communicator is higher by this number, modulo the size. The number may be
    /// negative.
    Offset(i64),
    /// It is `MPI_ANY_SOURCE`.
    AnySource,
    /// It is this rank in the communicator; its rank in `MPI_COMM_WORLD` is not known.
    Local(i64),
    /// There are several.
    Several,
}
