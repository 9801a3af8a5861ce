//! Why stuck ranks are stuck: the cycles and knots of the wait-for graph, and who waits on them.

use std::collections::hash_map::Entry;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;

use super::job::Job;
use super::waits::{Alternative, Doing, Stuck, Target, Waits};

/// Ranks that keep each other from going on, by slot.
#[derive(Debug)]
pub(super) struct Knot {
    pub(super) shape: Shape,
    /// Of a cycle: in order, each waits for the next one. Else ascending.
    pub(super) slots: Vec<u32>,
    /// The alternative that each of them waits for.
    pub(super) waits: Vec<Option<Alternative>>,
    /// Who else waits for these, directly or through others. Ascending.
    pub(super) waiting: Vec<u32>,
}

/// The shape of a knot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Each waits for the next one, and there is no smaller cycle among them.
    SmallestCycle,
    /// Each waits for the next one.
    Cycle,
    /// Each waits for any of several, which are all among them.
    Knot,
    /// A rank that sends nothing any more.
    Over,
    /// A rank of which it is not known what it does.
    Unknown,
}

/// Finds the knots. Every stuck rank is in one of them, or waits on one.
pub(super) fn find(job: &Job<'_>, waits: &Waits, stuck: &Stuck) -> Vec<Knot> {
    let causes = Causes::new(job, waits, stuck);
    let mut knots = causes.cycles();
    let over = (0..job.members.len() as u32)
        .filter(|slot| waits.ranks[*slot as usize].doing == Doing::Over);
    knots.extend(over.map(|slot| Knot {
        shape: Shape::Over,
        slots: vec![slot],
        waits: vec![None],
        waiting: Vec::new(),
    }));
    let mut behind = causes.behind(&knots);
    let before = knots.len();
    knots.extend(causes.others(&behind));
    if knots.len() > before {
        behind = causes.behind(&knots);
    }
    for (slot, knot) in (0..).zip(behind) {
        if let Some(knot) = knot.filter(|knot| {
            stuck.slots[slot as usize] && !knots[*knot as usize].slots.contains(&slot)
        }) {
            knots[knot as usize].waiting.push(slot);
        }
    }
    // Who has ended, and nobody minds.
    knots.retain(|knot| knot.shape != Shape::Over || !knot.waiting.is_empty());
    knots
}

/// The nodes that stand for several ranks.
#[derive(Default)]
struct Groups {
    /// Of a communicator: any of its members would do.
    any: FxHashMap<u32, u32>,
    /// Of a collective operation on a communicator, by numbers of calls.
    levels: FxHashMap<(u32, usize), Vec<(i64, u32)>>,
}

/// Who waits for whom among the stuck ranks. Nodes: the slots, then communicators and rounds of
/// collective operations that stand for several of them.
struct Causes<'w, 's> {
    waits: &'w Waits,
    stuck: &'s Stuck,
    ranks: usize,
    /// Any of the edges of a node keeps it from moving.
    each: Vec<(u32, u32, Option<Alternative>)>,
    /// All edges: these, and those that keep a node only together.
    all: Vec<(u32, u32)>,
    nodes: usize,
}

impl<'w, 's> Causes<'w, 's> {
    fn new(job: &Job<'_>, waits: &'w Waits, stuck: &'s Stuck) -> Self {
        let ranks = job.members.len();
        let mut causes =
            Causes { waits, stuck, ranks, each: Vec::new(), all: Vec::new(), nodes: ranks };
        let mut groups = Groups::default();
        for slot in (0..ranks as u32).filter(|slot| stuck.slots[*slot as usize]) {
            let (open, each) = waits.open(slot, stuck);
            for alternative in open {
                let to = match alternative.target {
                    None => continue,
                    Some(Target::Any(comm)) => match waits.members(comm) {
                        // Not a choice.
                        [one, other] if *one == slot => *other,
                        [other, one] if *one == slot => *other,
                        [one] => *one,
                        _ => causes.group(&mut groups, Target::Any(comm)),
                    },
                    Some(target) => causes.group(&mut groups, target),
                };
                causes.all.push((slot, to));
                let choice =
                    to as usize >= ranks && matches!(alternative.target, Some(Target::Any(_)));
                if each && !choice {
                    causes.each.push((slot, to, Some(alternative)));
                }
            }
        }
        causes.each.sort_by_key(|(from, to, _)| (*from, *to));
        causes
    }

    /// The node that stands for several ranks, with its edges.
    fn group(&mut self, groups: &mut Groups, target: Target) -> u32 {
        match target {
            Target::Rank(slot) => slot,
            Target::Any(comm) => {
                if let Some(node) = groups.any.get(&comm) {
                    return *node;
                }
                let node = self.node();
                groups.any.insert(comm, node);
                let members: Vec<u32> = self
                    .waits
                    .members(comm)
                    .iter()
                    .copied()
                    .filter(|slot| self.is_cause(*slot))
                    .collect();
                self.all.extend(members.into_iter().map(|slot| (node, slot)));
                node
            }
            Target::All(comm, function, calls) => {
                let levels = groups
                    .levels
                    .entry((comm, function))
                    .or_insert_with(|| self.levels(comm, function));
                levels[levels.partition_point(|(level, _)| *level < calls) - 1].1
            }
        }
    }

    /// A node for each number of calls: its edges are to those that have called so often, and to
    /// the node of those that have called less often.
    fn levels(&mut self, comm: u32, function: usize) -> Vec<(i64, u32)> {
        let mut levels: Vec<(i64, u32)> = Vec::new();
        let waits = self.waits;
        for (calls, slot) in waits.calls(comm, function) {
            let node = match levels.last() {
                Some((level, node)) if level == calls => *node,
                before => {
                    let before = before.map(|(_, node)| *node);
                    let node = self.node();
                    before.into_iter().for_each(|before| self.cause(node, before));
                    levels.push((*calls, node));
                    node
                }
            };
            if self.is_cause(*slot) {
                self.cause(node, *slot);
            }
        }
        levels
    }

    fn node(&mut self) -> u32 {
        self.nodes += 1;
        (self.nodes - 1) as u32
    }

    /// Alone, this keeps a node from moving that stands for several ranks.
    fn cause(&mut self, node: u32, other: u32) {
        self.all.push((node, other));
        self.each.push((node, other, None));
    }

    fn is_cause(&self, slot: u32) -> bool {
        self.stuck.slots[slot as usize] || self.waits.ranks[slot as usize].doing == Doing::Over
    }

    /// The smallest cycle of each set of ranks that wait for each other.
    fn cycles(&self) -> Vec<Knot> {
        let edges = self.each.iter().map(|(from, to, _)| (*from, *to));
        let adjacent = Adjacent::new(self.nodes, edges);
        let mut knots = Vec::new();
        for component in components(self.nodes, self.each.iter().map(|(from, to, _)| (*from, *to)))
        {
            let Some((cycle, smallest)) = adjacent.smallest_cycle(&component) else { continue };
            // Beginning with the lowest rank; what stands for several ranks is no step of its own.
            let mut slots: Vec<u32> =
                cycle.iter().copied().filter(|node| (*node as usize) < self.ranks).collect();
            let lowest = (0..slots.len()).min_by_key(|place| slots[*place]).unwrap_or(0);
            slots.rotate_left(lowest);
            let waits = (0..slots.len()).map(|place| self.step(slots[place], &cycle)).collect();
            let shape = if smallest { Shape::SmallestCycle } else { Shape::Cycle };
            knots.push(Knot { shape, slots, waits, waiting: Vec::new() });
        }
        knots.sort_by_key(|knot| knot.slots.first().copied());
        knots
    }

    /// The alternative by which a rank waits for the next node of a cycle.
    fn step(&self, slot: u32, cycle: &[u32]) -> Option<Alternative> {
        let place = cycle.iter().position(|node| *node == slot)?;
        let next = cycle[(place + 1) % cycle.len()];
        let edge = self.each.partition_point(|(from, to, _)| (*from, *to) < (slot, next));
        self.each.get(edge)?.2
    }

    /// For each rank the knot that it waits on or is in.
    fn behind(&self, knots: &[Knot]) -> Vec<Option<u32>> {
        let backwards = Adjacent::new(self.nodes, self.all.iter().map(|(from, to)| (*to, *from)));
        let mut label: Vec<Option<u32>> = vec![None; self.nodes];
        let mut queue = std::collections::VecDeque::new();
        for (number, knot) in (0..).zip(knots) {
            for slot in &knot.slots {
                label[*slot as usize] = Some(number);
                queue.push_back(*slot);
            }
        }
        while let Some(node) = queue.pop_front() {
            for next in adjacent_unlabelled(&backwards, node, &mut label) {
                queue.push_back(next);
            }
        }
        label.truncate(self.ranks);
        label
    }

    /// Knots among those that wait on none so far.
    fn others(&self, behind: &[Option<u32>]) -> Vec<Knot> {
        let is_left = |node: u32| {
            (node as usize) >= self.ranks
                || self.stuck.slots[node as usize] && behind[node as usize].is_none()
        };
        let left = || self.all.iter().copied().filter(|(from, to)| is_left(*from) && is_left(*to));
        let mut component_of = vec![u32::MAX; self.nodes];
        let components = components(self.nodes, left());
        for (number, component) in (0..).zip(&components) {
            component.iter().for_each(|node| component_of[*node as usize] = number);
        }
        let mut leaves = vec![false; components.len()];
        let mut inner = vec![false; components.len()];
        for (from, to) in left() {
            let (from, to) =
                (component_of[from as usize] as usize, component_of[to as usize] as usize);
            if from == to { inner[from] = true } else { leaves[from] = true }
        }
        let mut knots = Vec::new();
        for (number, component) in components.into_iter().enumerate() {
            let mut slots: Vec<u32> = component
                .into_iter()
                .filter(|node| (*node as usize) < self.ranks && is_left(*node))
                .collect();
            if leaves[number] || slots.is_empty() {
                continue;
            }
            slots.sort_unstable();
            let waits = slots
                .iter()
                .map(|slot| self.waits.open(*slot, self.stuck).0.first().copied())
                .collect();
            let shape = if inner[number] { Shape::Knot } else { Shape::Unknown };
            knots.push(Knot { shape, slots, waits, waiting: Vec::new() });
        }
        knots.sort_by_key(|knot| knot.slots.first().copied());
        knots
    }
}

fn adjacent_unlabelled(backwards: &Adjacent, node: u32, label: &mut [Option<u32>]) -> Vec<u32> {
    let own = label[node as usize];
    let mut found = Vec::new();
    for &next in backwards.of(node) {
        if label[next as usize].is_none() {
            label[next as usize] = own;
            found.push(next);
        }
    }
    found
}

/// The sets of nodes that reach each other.
fn components(nodes: usize, edges: impl Iterator<Item = (u32, u32)>) -> Vec<Vec<u32>> {
    let mut graph: DiGraph<(), ()> = DiGraph::with_capacity(nodes, 0);
    for _ in 0..nodes {
        graph.add_node(());
    }
    for (from, to) in edges {
        graph.add_edge(NodeIndex::new(from as usize), NodeIndex::new(to as usize), ());
    }
    // Not by recursion: a chain of waiting ranks is as long as the job is large.
    let components = kosaraju_scc(&graph);
    components
        .into_iter()
        .map(|nodes| nodes.into_iter().map(|node| node.index() as u32).collect())
        .collect()
}

/// The successors of nodes.
struct Adjacent {
    starts: Vec<u32>,
    to: Vec<u32>,
}

impl Adjacent {
    fn new(nodes: usize, edges: impl Iterator<Item = (u32, u32)>) -> Adjacent {
        let mut edges: Vec<(u32, u32)> = edges.collect();
        edges.sort_unstable();
        edges.dedup();
        let mut starts = vec![0u32; nodes + 1];
        edges.iter().for_each(|(from, _)| starts[*from as usize + 1] += 1);
        (0..nodes).for_each(|node| starts[node + 1] += starts[node]);
        Adjacent { starts, to: edges.into_iter().map(|(_, to)| to).collect() }
    }

    fn of(&self, node: u32) -> &[u32] {
        &self.to[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    /// The smallest cycle in a strongly connected component, and whether it is sure that there is
    /// no smaller one: looking for it takes no more steps than a few for each edge.
    fn smallest_cycle(&self, component: &[u32]) -> Option<(Vec<u32>, bool)> {
        if let [node] = component {
            return self.of(*node).contains(node).then(|| (vec![*node], true));
        }
        let mut starts = component.to_vec();
        starts.sort_unstable();
        let members: rustc_hash::FxHashSet<u32> = starts.iter().copied().collect();
        let inner = |node: u32| self.of(node).iter().copied().filter(|next| members.contains(next));
        let edges: usize = starts.iter().map(|node| inner(*node).count()).sum();
        let mut budget = 8 * edges + 100_000;
        let mut best: Option<Vec<u32>> = None;
        // One way through all of them: there is no other cycle.
        let only = edges == starts.len();
        let mut sure = true;
        for start in starts {
            let shorter_than = best.as_ref().map_or(usize::MAX, Vec::len);
            if shorter_than == 1 || only && best.is_some() {
                break;
            }
            if budget == 0 && best.is_some() {
                sure = false;
                break;
            }
            let mut before: FxHashMap<u32, u32> = FxHashMap::default();
            let mut layer = vec![start];
            let mut length = 1;
            'search: while !layer.is_empty() && length < shorter_than {
                let mut next_layer = Vec::new();
                for node in layer {
                    for next in inner(node) {
                        budget = budget.saturating_sub(1);
                        if next == start {
                            let mut cycle = vec![node];
                            while let Some(node) = cycle.last().filter(|node| **node != start) {
                                cycle.push(before[node]);
                            }
                            cycle.reverse();
                            best = Some(cycle);
                            break 'search;
                        }
                        if let Entry::Vacant(place) = before.entry(next) {
                            place.insert(node);
                            next_layer.push(next);
                        }
                    }
                }
                layer = next_layer;
                length += 1;
            }
        }
        best.map(|cycle| (cycle, sure))
    }
}
