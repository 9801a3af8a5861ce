//! Which nodes of the wait-for graph can move? The least fixed point is the set that can, so the
//! rest is the greatest set that cannot: its nodes wait only for each other.

use super::list::{Adjacency, List, id};

id! {
    /// A node of the wait-for graph.
    NodeId;
}

/// A wait-for graph with thresholds. A node moves once as many of its predecessors move as its
/// threshold says: 1 for OR edges, all of them for AND edges.
#[derive(Debug)]
pub(super) struct WaitGraph {
    thresholds: List<NodeId, u32>,
    /// Nodes that may need more than their threshold, and how much.
    at_most: Vec<(NodeId, u32)>,
    successors: Adjacency<NodeId>,
}

/// The threshold of a node that never moves by itself.
pub(super) const NEVER: usize = usize::MAX;

/// The same as it is stored.
const STORED_NEVER: u32 = u32::MAX;

/// 32 bits are enough to count the predecessors of any node.
fn stored(threshold: usize) -> u32 {
    u32::try_from(threshold).unwrap_or(STORED_NEVER)
}

/// A graph under construction.
#[derive(Debug)]
pub(super) struct GraphBuilder {
    thresholds: List<NodeId, u32>,
    at_most: Vec<(NodeId, u32)>,
    edges: Vec<(NodeId, NodeId)>,
}

impl GraphBuilder {
    /// A graph without nodes.
    pub(super) fn new() -> GraphBuilder {
        GraphBuilder { thresholds: List::new(), at_most: Vec::new(), edges: Vec::new() }
    }

    /// Adds a node.
    pub(super) fn node(&mut self, threshold: usize) -> NodeId {
        self.thresholds.push(stored(threshold))
    }

    /// Changes what a node needs.
    pub(super) fn set(&mut self, node: NodeId, threshold: usize) {
        self.thresholds[node] = stored(threshold);
    }

    /// Says that a node may need more than it seems to.
    pub(super) fn may_need(&mut self, node: NodeId, threshold: usize) {
        self.at_most.push((node, stored(threshold)));
    }

    /// Adds an edge: if `from` moves, that counts for `to`.
    pub(super) fn edge(&mut self, from: NodeId, to: NodeId) {
        self.edges.push((from, to));
    }

    /// The graph.
    pub(super) fn build(self) -> WaitGraph {
        let successors = Adjacency::new(self.thresholds.len(), &self.edges);
        WaitGraph { thresholds: self.thresholds, at_most: self.at_most, successors }
    }
}

/// The nodes that move.
#[derive(Debug)]
pub(super) struct Movers {
    moves: List<NodeId, bool>,
    /// How many edges were followed; each at most once.
    pub(super) steps: usize,
}

impl Movers {
    /// Does this node move?
    pub(super) fn contains(&self, node: NodeId) -> bool {
        self.moves[node]
    }
}

impl WaitGraph {
    /// The nodes that move if those of `first` move, and those of `still` do not. With `at_most`,
    /// each node needs the most that it may need.
    pub(super) fn movers(
        &self,
        first: impl IntoIterator<Item = NodeId>,
        still: impl IntoIterator<Item = NodeId>,
        at_most: bool,
    ) -> Movers {
        let mut moves = List::filled(false, self.thresholds.len());
        let mut left = self.thresholds.clone();
        for &(node, threshold) in self.at_most.iter().filter(|_| at_most) {
            left[node] = threshold;
        }
        for node in still {
            left[node] = STORED_NEVER;
        }
        let mut queue: Vec<NodeId> = Vec::new();
        let by_themselves = self.thresholds.numbered().filter(|(_, threshold)| **threshold == 0);
        let by_themselves: Vec<NodeId> =
            by_themselves.map(|(node, _)| node).filter(|node| left[*node] == 0).collect();
        for node in first.into_iter().chain(by_themselves) {
            if !std::mem::replace(&mut moves[node], true) {
                queue.push(node);
            }
        }
        let mut steps = 0;
        while let Some(node) = queue.pop() {
            for &next in self.successors.of(node) {
                steps += 1;
                let left = &mut left[next];
                if *left != STORED_NEVER && !moves[next] {
                    *left -= 1;
                    if *left == 0 {
                        moves[next] = true;
                        queue.push(next);
                    }
                }
            }
        }
        Movers { moves, steps }
    }
}
