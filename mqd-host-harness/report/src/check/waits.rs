//! What each rank waits for: the AND/OR wait-for graph of a job, with k of n operations
//! (`MPI_Waitall`, `MPI_Waitany`), wildcards and collective operations.
//!
//! What is not known never makes a rank wait. It is a node of its own, and the [`Caution`] of a
//! question says whether this node moves.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::collectives::{Round, RoundId};
use super::fixpoint::{Movers, NodeId, WaitGraph};
use super::functions::CollectiveFunction;
use super::ids::{CommId, OperationId, PartId, PartIndex, Position, Slot};
use super::list::List;
use crate::model::Queue;

/// Which of the things that are not known are assumed to let ranks go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Caution {
    /// All of them. A rank that is stuck even so is certainly stuck.
    All,
    /// All except what may be over in a moment: another look has settled that.
    Lasting,
    /// What was not read, or is not known of a rank. Messages are assumed to be where they seem to
    /// be.
    Messages,
    /// Only functions that seem about to return, and ranks that poll. A rank that is stuck on this
    /// assumption seems to be stuck.
    Nothing,
    /// Only functions that seem about to return, and each rank waits for everything that it may
    /// wait for. A rank that is not stuck even so can certainly go on.
    Worst,
}

/// What a rank does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    /// In no MPI call, or in one that returns.
    Runs,
    /// In a call that tests for completion and returns. The rank may go on, or poll for ever.
    Tests,
    /// In a call that waits for alternatives.
    Waits,
    /// In a call that waits for one of its alternatives; it is not known for which.
    WaitsForSome,
    /// Not known, and why.
    Unknown(&'static str),
    /// It sends nothing any more: it is in `MPI_Finalize`, or has ended.
    Over,
}

/// A rank's wait.
pub(super) struct RankWait {
    pub(super) doing: Doing,
    /// The node of the rank.
    pub(super) node: NodeId,
    /// How many of the alternatives have to come true.
    pub(super) needed: usize,
    /// Where its alternatives are.
    pub(super) alternatives: Range<usize>,
}

/// Something that a rank waits for. One that has come true no longer has to be waited for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Alternative {
    pub(super) awaited: Awaited,
    /// None: it comes true in a moment, or nothing is known.
    pub(super) target: Option<Target>,
    pub(super) node: NodeId,
}

/// What a rank waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Awaited {
    /// An operation of the rank.
    Operation { part: PartIndex, queue: Queue, position: Position },
    /// A collective operation.
    Collective { part: PartIndex, function: CollectiveFunction },
    /// A message that a probe looks for. Neither communicator nor envelope is known.
    Probe,
    /// Something that another rank of the communicator does with a window.
    Window { part: PartIndex },
    /// Another thread of the same rank.
    Threads,
}

impl Awaited {
    /// The operation that a rank waits for, and its queue.
    pub(super) fn operation(self, slot: Slot) -> Option<(Queue, OperationId)> {
        match self {
            Awaited::Operation { part: index, queue, position } => {
                Some((queue, OperationId { part: PartId { slot, index }, position }))
            }
            _ => None,
        }
    }
}

/// Whom a rank waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Target {
    /// A rank.
    Rank(Slot),
    /// Any member of a communicator.
    Any(CommId),
    /// All members that have called a collective function less often than this.
    All { round: RoundId, calls: i64 },
}

/// The nodes that stand for something other than a rank.
pub(super) struct SpecialNodes {
    /// Moves in any case.
    pub(super) free: NodeId,
    /// What was not read, or is not known.
    pub(super) unknown: NodeId,
    /// Messages that may be in transit because nobody counts them.
    pub(super) transit: NodeId,
    /// What may be over in a moment: another look tells.
    pub(super) momentary: NodeId,
    /// Functions that are about to return, if they wait for what is complete.
    pub(super) complete: NodeId,
    /// Ranks that ask whether something has come. Nobody knows whether it will.
    pub(super) polling: NodeId,
}

/// The wait-for graph of a job.
pub(super) struct Waits {
    pub(super) graph: WaitGraph,
    pub(super) special: SpecialNodes,
    pub(super) ranks: List<Slot, RankWait>,
    pub(super) alternatives: Vec<Alternative>,
    /// The ranks that may send to the ranks of a communicator.
    pub(super) members: List<CommId, Vec<Slot>>,
    /// The collective operations that some rank is in.
    pub(super) rounds: FxHashMap<RoundId, Round>,
}

/// The ranks that cannot go on.
pub(super) struct Stuck {
    pub(super) slots: List<Slot, bool>,
    movers: Movers,
}

impl Stuck {
    /// Are there any?
    pub(super) fn any(&self) -> bool {
        self.slots.items().contains(&true)
    }

    /// How many are there?
    pub(super) fn number(&self) -> usize {
        self.slots.items().iter().filter(|stuck| **stuck).count()
    }

    /// Are all of `others` among them, and more?
    pub(super) fn has_more_than(&self, others: &Stuck) -> bool {
        let mut pairs = self.slots.items().iter().zip(others.slots.items());
        pairs.clone().all(|(stuck, other)| stuck >= other)
            && pairs.any(|(stuck, other)| stuck > other)
    }

    /// How many edges of the graph were followed.
    pub(super) fn steps(&self) -> usize {
        self.movers.steps
    }
}

impl Waits {
    /// The ranks that cannot go on, if those of `moving` can.
    pub(super) fn stuck(&self, caution: Caution, moving: &[Slot]) -> Stuck {
        self.stuck_if(caution, moving, &[])
    }

    /// The ranks that cannot go on, if those of `moving` can, and those of `still` do not.
    pub(super) fn stuck_if(&self, caution: Caution, moving: &[Slot], still: &[Slot]) -> Stuck {
        let SpecialNodes { free, unknown, transit, momentary, complete, polling } = self.special;
        let special: &[NodeId] = match caution {
            Caution::All => &[free, polling, unknown, transit, momentary, complete],
            Caution::Lasting => &[free, polling, unknown, transit],
            Caution::Messages => &[free, polling, unknown],
            Caution::Nothing => &[free, polling, complete],
            Caution::Worst => &[free, complete],
        };
        let node = |slot: &Slot| self.ranks[*slot].node;
        let first = special.iter().copied().chain(moving.iter().map(node));
        let movers = self.graph.movers(first, still.iter().map(node), caution == Caution::Worst);
        let is_stuck = |wait: &RankWait| wait.doing != Doing::Over && !movers.contains(wait.node);
        let slots = self.ranks.items().iter().map(is_stuck).collect();
        Stuck { slots, movers }
    }

    /// The alternatives of a rank.
    pub(super) fn alternatives(&self, slot: Slot) -> &[Alternative] {
        &self.alternatives[self.ranks[slot].alternatives.clone()]
    }

    /// The alternatives of a stuck rank that do not come true, and whether all of them are needed.
    /// If all are needed, each one alone keeps the rank from going on.
    pub(super) fn open(&self, slot: Slot, stuck: &Stuck) -> (Vec<Alternative>, bool) {
        let all = self.alternatives(slot);
        let open: Vec<_> = all
            .iter()
            .copied()
            .filter(|alternative| !stuck.movers.contains(alternative.node))
            .collect();
        (open, self.ranks[slot].needed == all.len())
    }

    /// The ranks that may send to the ranks of a communicator.
    pub(super) fn members(&self, comm: CommId) -> &[Slot] {
        &self.members[comm]
    }

    /// The calls of a collective function that some rank is in.
    pub(super) fn round(&self, round: RoundId) -> &Round {
        &self.rounds[&round]
    }
}
