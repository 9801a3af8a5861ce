//! The smallest cycle of a strongly connected component.

use std::collections::hash_map::Entry;
use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};

use super::list::{Adjacency, Id};

/// A cycle of a graph.
pub(super) struct Cycle<I> {
    /// In order; an edge goes from each to the next one, and from the last to the first.
    pub(super) nodes: Vec<I>,
    /// Is it certain that there is no smaller one?
    pub(super) is_smallest: bool,
}

/// The steps that a search may take: a number for each edge, and a number to begin with.
const STEPS: (usize, usize) = (8, 100_000);

/// The smallest cycle in a strongly connected component. The search takes no more than a few steps
/// for each edge; after that, the smallest cycle found so far is the result.
pub(super) fn smallest_cycle<I: Id + Ord + Hash>(
    graph: &Adjacency<I>,
    component: &[I],
) -> Option<Cycle<I>> {
    if let [node] = component {
        let is_cycle = graph.of(*node).contains(node);
        return is_cycle.then(|| Cycle { nodes: vec![*node], is_smallest: true });
    }
    let mut starts = component.to_vec();
    starts.sort_unstable();
    let members: FxHashSet<I> = starts.iter().copied().collect();
    let edges: usize = starts
        .iter()
        .map(|node| graph.of(*node).iter().filter(|next| members.contains(next)).count())
        .sum();
    let mut budget = STEPS.0 * edges + STEPS.1;
    let mut best: Option<Vec<I>> = None;
    // If each node has one edge, there is one cycle.
    let single = edges == starts.len();
    for start in starts {
        let shorter_than = best.as_ref().map_or(usize::MAX, Vec::len);
        if shorter_than == 1 || single && best.is_some() {
            break;
        }
        if budget == 0 && best.is_some() {
            return best.map(|nodes| Cycle { nodes, is_smallest: false });
        }
        let found = shortest_through(graph, &members, start, shorter_than, &mut budget);
        best = found.or(best);
    }
    best.map(|nodes| Cycle { nodes, is_smallest: true })
}

/// The shortest cycle through a node, if it is shorter than this: a breadth-first search.
fn shortest_through<I: Id + Ord + Hash>(
    graph: &Adjacency<I>,
    members: &FxHashSet<I>,
    start: I,
    shorter_than: usize,
    budget: &mut usize,
) -> Option<Vec<I>> {
    let mut before: FxHashMap<I, I> = FxHashMap::default();
    let mut layer = vec![start];
    let mut length = 1;
    while !layer.is_empty() && length < shorter_than {
        let mut next_layer = Vec::new();
        for node in layer {
            for next in graph.of(node).iter().copied().filter(|next| members.contains(next)) {
                *budget = budget.saturating_sub(1);
                if next == start {
                    let mut cycle = vec![node];
                    while let Some(node) = cycle.last().filter(|node| **node != start) {
                        cycle.push(before[node]);
                    }
                    cycle.reverse();
                    return Some(cycle);
                }
                if let Entry::Vacant(entry) = before.entry(next) {
                    entry.insert(node);
                    next_layer.push(next);
                }
            }
        }
        layer = next_layer;
        length += 1;
    }
    None
}
