//! Why stuck ranks are stuck: the cycles and knots of the wait-for graph, and who waits for them.

use std::collections::VecDeque;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use super::collectives::RoundId;
use super::cycles::smallest_cycle;
use super::ids::{CommId, Slot};
use super::job::Job;
use super::list::{Adjacency, Id, List, id};
use super::waits::{Alternative, Doing, Stuck, Target, Waits};

id! {
    /// A node of the graph of causes: the ranks by their slots, then nodes that stand for several
    /// ranks.
    Cause;
    /// A knot, in the order they were found.
    KnotId;
}

impl From<Slot> for Cause {
    fn from(slot: Slot) -> Cause {
        Cause::new(slot.index())
    }
}

/// Ranks that keep each other from going on.
#[derive(Debug)]
pub(super) struct Knot {
    pub(super) shape: Shape,
    /// Of a cycle: in order, each waits for the next one. Of others: ascending.
    pub(super) slots: Vec<Slot>,
    /// The alternative that each of them waits for.
    pub(super) waits: Vec<Option<Alternative>>,
    /// The other ranks that wait for these, directly or through others. Ascending.
    pub(super) waiting: Vec<Slot>,
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
    /// A rank whose state is not known.
    Unknown,
}

/// Finds the knots. Every stuck rank is in one of them, or waits on one.
pub(super) fn find(job: &Job<'_>, waits: &Waits, stuck: &Stuck) -> Vec<Knot> {
    let causes = Causes::new(job, waits, stuck);
    let mut knots: List<KnotId, Knot> = causes.cycles().into_iter().collect();
    for slot in job.members.ids().filter(|slot| waits.ranks[*slot].doing == Doing::Over) {
        let (slots, waits) = (vec![slot], vec![None]);
        knots.push(Knot { shape: Shape::Over, slots, waits, waiting: Vec::new() });
    }
    let mut behind = causes.behind(&knots);
    let others = causes.others(&behind);
    if !others.is_empty() {
        for knot in others {
            knots.push(knot);
        }
        behind = causes.behind(&knots);
    }
    for slot in job.members.ids().filter(|slot| stuck.slots[*slot]) {
        if let Some(knot) = behind[Cause::from(slot)]
            && !knots[knot].slots.contains(&slot)
        {
            knots[knot].waiting.push(slot);
        }
    }
    // An ended rank that nobody waits for is no reason.
    let is_reason = |knot: &Knot| knot.shape != Shape::Over || !knot.waiting.is_empty();
    knots.into_iter().filter(is_reason).collect()
}

/// The nodes that stand for several ranks.
#[derive(Default)]
struct Groups {
    /// Of a communicator: any of its members.
    any: FxHashMap<CommId, Cause>,
    /// Of a round: for each number of calls, the ranks with at most that many calls.
    levels: FxHashMap<RoundId, Vec<(i64, Cause)>>,
}

/// A wait that alone keeps its node from moving.
struct And {
    from: Cause,
    to: Cause,
    /// None if `from` stands for several ranks.
    alternative: Option<Alternative>,
}

/// Who waits for whom among the stuck ranks.
struct Causes<'w, 's> {
    waits: &'w Waits,
    stuck: &'s Stuck,
    /// How many nodes are ranks. They are the first ones.
    ranks: usize,
    /// How many nodes there are.
    nodes: usize,
    /// AND edges: any of them keeps its node from moving.
    ands: Vec<And>,
    /// All edges. An AND edge alone keeps its node from moving. OR edges do so only together.
    all: Vec<(Cause, Cause)>,
}

impl<'w, 's> Causes<'w, 's> {
    fn new(job: &Job<'_>, waits: &'w Waits, stuck: &'s Stuck) -> Self {
        let ranks = job.members.len();
        let mut causes =
            Causes { waits, stuck, ranks, nodes: ranks, ands: Vec::new(), all: Vec::new() };
        let mut groups = Groups::default();
        let mut seen = FxHashSet::default();
        for slot in job.members.ids().filter(|slot| stuck.slots[*slot]) {
            let (open, needs_each) = waits.open(slot, stuck);
            seen.clear();
            for alternative in open {
                let Some(target) = alternative.target else { continue };
                let only = causes.only_choice(slot, target);
                let to = match only {
                    Some(other) => other.into(),
                    None => causes.group(&mut groups, target),
                };
                // One wait for the same is enough: a rank may wait for thousands of messages.
                if !seen.insert(to) {
                    continue;
                }
                let from = Cause::from(slot);
                causes.all.push((from, to));
                let is_choice = only.is_none() && matches!(target, Target::Any(_));
                if needs_each && !is_choice {
                    causes.ands.push(And { from, to, alternative: Some(alternative) });
                }
            }
        }
        causes.ands.sort_unstable_by_key(|edge| (edge.from, edge.to));
        causes
    }

    /// The rank that this one waits for, if it waits for a single one.
    fn only_choice(&self, slot: Slot, target: Target) -> Option<Slot> {
        match target {
            Target::Rank(other) => Some(other),
            Target::Any(comm) => match *self.waits.members(comm) {
                [one, other] | [other, one] if one == slot => Some(other),
                [one] => Some(one),
                _ => None,
            },
            Target::All { .. } => None,
        }
    }

    /// The node that stands for several ranks, with its edges.
    fn group(&mut self, groups: &mut Groups, target: Target) -> Cause {
        match target {
            Target::Rank(slot) => slot.into(),
            Target::Any(comm) => *groups.any.entry(comm).or_insert_with(|| self.any(comm)),
            Target::All { round, calls } => {
                let levels = groups.levels.entry(round).or_insert_with(|| self.levels(round));
                levels[levels.partition_point(|(level, _)| *level < calls) - 1].1
            }
        }
    }

    /// A node with OR edges to the members of a communicator.
    fn any(&mut self, comm: CommId) -> Cause {
        let node = self.node();
        for slot in self.waits.members(comm) {
            if self.is_cause(*slot) {
                self.all.push((node, (*slot).into()));
            }
        }
        node
    }

    /// A node for each number of calls. It has edges to the ranks with exactly that many calls, and
    /// to the node of the next lower number.
    fn levels(&mut self, round: RoundId) -> Vec<(i64, Cause)> {
        let mut levels: Vec<(i64, Cause)> = Vec::new();
        for (calls, slot) in &self.waits.round(round).calls {
            let node = match levels.last() {
                Some((level, node)) if level == calls => *node,
                before => {
                    let before = before.map(|(_, node)| *node);
                    let node = self.node();
                    before.into_iter().for_each(|before| self.and(node, before));
                    levels.push((*calls, node));
                    node
                }
            };
            if self.is_cause(*slot) {
                self.and(node, (*slot).into());
            }
        }
        levels
    }

    fn node(&mut self) -> Cause {
        self.nodes += 1;
        Cause::new(self.nodes - 1)
    }

    /// Adds an AND edge of a node that stands for several ranks.
    fn and(&mut self, from: Cause, to: Cause) {
        self.all.push((from, to));
        self.ands.push(And { from, to, alternative: None });
    }

    fn is_cause(&self, slot: Slot) -> bool {
        self.stuck.slots[slot] || self.waits.ranks[slot].doing == Doing::Over
    }

    /// The slot of a node that is a rank.
    fn slot(&self, node: Cause) -> Option<Slot> {
        (node.index() < self.ranks).then(|| Slot::new(node.index()))
    }

    /// The smallest cycle of each set of ranks that wait for each other.
    fn cycles(&self) -> Vec<Knot> {
        let mut edges: Vec<_> = self.ands.iter().map(|edge| (edge.from, edge.to)).collect();
        edges.dedup();
        let graph = Adjacency::new(self.nodes, &edges);
        let mut knots = Vec::new();
        for component in components(self.nodes, &edges) {
            let Some(found) = smallest_cycle(&graph, &component) else { continue };
            // It begins with the lowest rank. A node that stands for several ranks is no step.
            let mut slots: Vec<Slot> =
                found.nodes.iter().filter_map(|node| self.slot(*node)).collect();
            let lowest = (0..slots.len()).min_by_key(|step| slots[*step]).unwrap_or(0);
            slots.rotate_left(lowest);
            let waits = slots.iter().map(|slot| self.step(*slot, &found.nodes)).collect();
            let shape = if found.is_smallest { Shape::SmallestCycle } else { Shape::Cycle };
            knots.push(Knot { shape, slots, waits, waiting: Vec::new() });
        }
        knots.sort_by_key(|knot| knot.slots.first().copied());
        knots
    }

    /// The alternative by which a rank waits for the next node of a cycle.
    fn step(&self, slot: Slot, cycle: &[Cause]) -> Option<Alternative> {
        let from = Cause::from(slot);
        let at = cycle.iter().position(|node| *node == from)?;
        let to = cycle[(at + 1) % cycle.len()];
        let edge = self.ands.partition_point(|edge| (edge.from, edge.to) < (from, to));
        self.ands.get(edge)?.alternative
    }

    /// For each node the knot that it waits on or is in.
    fn behind(&self, knots: &List<KnotId, Knot>) -> List<Cause, Option<KnotId>> {
        let mut edges: Vec<_> = self.all.iter().map(|(from, to)| (*to, *from)).collect();
        edges.sort_unstable();
        edges.dedup();
        let backwards = Adjacency::new(self.nodes, &edges);
        let mut behind = List::filled(None, self.nodes);
        let mut queue = VecDeque::new();
        for (id, knot) in knots.numbered() {
            for slot in &knot.slots {
                behind[Cause::from(*slot)] = Some(id);
                queue.push_back(Cause::from(*slot));
            }
        }
        while let Some(node) = queue.pop_front() {
            for &next in backwards.of(node) {
                if behind[next].is_none() {
                    behind[next] = behind[node];
                    queue.push_back(next);
                }
            }
        }
        behind
    }

    /// Knots among the ranks that wait on none so far.
    fn others(&self, behind: &List<Cause, Option<KnotId>>) -> Vec<Knot> {
        let is_left = |node: Cause| {
            self.slot(node).is_none_or(|slot| self.stuck.slots[slot] && behind[node].is_none())
        };
        let edges: Vec<_> =
            self.all.iter().copied().filter(|(from, to)| is_left(*from) && is_left(*to)).collect();
        let components = components(self.nodes, &edges);
        let mut component_of: List<Cause, usize> = List::filled(usize::MAX, self.nodes);
        for (number, component) in components.iter().enumerate() {
            component.iter().for_each(|node| component_of[*node] = number);
        }
        // Only a component that waits for no other one is a knot.
        let mut waits_for_others = vec![false; components.len()];
        let mut has_edges = vec![false; components.len()];
        for (from, to) in edges {
            let (from, to) = (component_of[from], component_of[to]);
            if from == to { has_edges[from] = true } else { waits_for_others[from] = true }
        }
        let mut knots = Vec::new();
        for (number, component) in components.into_iter().enumerate() {
            let left = component.into_iter().filter(|node| is_left(*node));
            let mut slots: Vec<Slot> = left.filter_map(|node| self.slot(node)).collect();
            if waits_for_others[number] || slots.is_empty() {
                continue;
            }
            slots.sort_unstable();
            let first = |slot: &Slot| self.waits.open(*slot, self.stuck).0.first().copied();
            let waits = slots.iter().map(first).collect();
            let shape = if has_edges[number] { Shape::Knot } else { Shape::Unknown };
            knots.push(Knot { shape, slots, waits, waiting: Vec::new() });
        }
        knots.sort_by_key(|knot| knot.slots.first().copied());
        knots
    }
}

/// The sets of nodes that reach each other.
fn components(nodes: usize, edges: &[(Cause, Cause)]) -> Vec<Vec<Cause>> {
    let mut graph: DiGraph<(), ()> = DiGraph::with_capacity(nodes, edges.len());
    for _ in 0..nodes {
        graph.add_node(());
    }
    for (from, to) in edges {
        graph.add_edge(NodeIndex::new(from.index()), NodeIndex::new(to.index()), ());
    }
    // This algorithm does not recurse: a chain of waiting ranks can be as long as the job is large.
    let components = kosaraju_scc(&graph);
    components
        .into_iter()
        .map(|nodes| nodes.into_iter().map(|node| Cause::new(node.index())).collect())
        .collect()
}
