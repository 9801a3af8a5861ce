//! Who can go on? The least set that can, and so the greatest that cannot: the rest waits for
//! itself.

/// A graph of thresholds. A node moves once as many of its predecessors move as its threshold says:
/// 1 for one of several (OR), their number for all of them (AND).
#[derive(Debug)]
pub(super) struct Graph {
    thresholds: Vec<u32>,
    /// Nodes whose threshold may be higher than it says, and how high.
    at_most: Vec<(u32, u32)>,
    /// Where the successors of each node begin in `successors`.
    starts: Vec<u32>,
    successors: Vec<u32>,
}

/// The threshold of a node that never moves by itself.
pub(super) const NEVER: u32 = u32::MAX;

/// A graph under construction.
#[derive(Debug, Default)]
pub(super) struct Builder {
    thresholds: Vec<u32>,
    at_most: Vec<(u32, u32)>,
    edges: Vec<(u32, u32)>,
}

impl Builder {
    /// Adds a node.
    pub(super) fn node(&mut self, threshold: u32) -> u32 {
        self.thresholds.push(threshold);
        (self.thresholds.len() - 1) as u32
    }

    /// Changes what a node needs.
    pub(super) fn set(&mut self, node: u32, threshold: u32) {
        self.thresholds[node as usize] = threshold;
    }

    /// Says that a node may need more than it seems to.
    pub(super) fn may_need(&mut self, node: u32, threshold: u32) {
        self.at_most.push((node, threshold));
    }

    /// That `from` moves lets `to` move, or helps.
    pub(super) fn edge(&mut self, from: u32, to: u32) {
        self.edges.push((from, to));
    }

    /// The graph.
    pub(super) fn build(self) -> Graph {
        let mut starts = vec![0u32; self.thresholds.len() + 1];
        self.edges.iter().for_each(|(from, _)| starts[*from as usize + 1] += 1);
        for node in 0..self.thresholds.len() {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut successors = vec![0; self.edges.len()];
        for (from, to) in self.edges {
            let place = &mut next[from as usize];
            successors[*place as usize] = to;
            *place += 1;
        }
        Graph { thresholds: self.thresholds, at_most: self.at_most, starts, successors }
    }
}

/// The nodes that move.
#[derive(Debug)]
pub(super) struct Movers {
    moves: Vec<bool>,
    /// How many edges were followed: at most all of them, each once.
    pub(super) steps: usize,
}

impl Movers {
    /// Does this node move?
    pub(super) fn contains(&self, node: u32) -> bool {
        self.moves[node as usize]
    }
}

impl Graph {
    /// The nodes that move if these do. `at_most`: if all need as much as they may need.
    pub(super) fn movers(&self, first: impl IntoIterator<Item = u32>, at_most: bool) -> Movers {
        let mut moves = vec![false; self.thresholds.len()];
        let mut left = self.thresholds.clone();
        for &(node, threshold) in self.at_most.iter().filter(|_| at_most) {
            left[node as usize] = threshold;
        }
        let mut queue: Vec<u32> = Vec::new();
        let by_themselves = (0..)
            .zip(&self.thresholds)
            .filter(|(_, threshold)| **threshold == 0)
            .map(|(node, _)| node);
        for node in first.into_iter().chain(by_themselves) {
            if !std::mem::replace(&mut moves[node as usize], true) {
                queue.push(node);
            }
        }
        let mut steps = 0;
        while let Some(node) = queue.pop() {
            let (start, end) = (self.starts[node as usize], self.starts[node as usize + 1]);
            for &next in &self.successors[start as usize..end as usize] {
                steps += 1;
                let left = &mut left[next as usize];
                if *left != NEVER && !moves[next as usize] {
                    *left -= 1;
                    if *left == 0 {
                        moves[next as usize] = true;
                        queue.push(next);
                    }
                }
            }
        }
        Movers { moves, steps }
    }
}
