//! From a report to a graph.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::alike::{PeerNames, Popularity, Trait, groups};
use super::parts::{Arrow, ArrowKind, Graph, GraphOptions, Node, NodeKind, Relation};
use super::runs::Runs;
use crate::check::{Diagnosis, Wait};
use crate::escape::printable;
use crate::model::{Activity, Address, Communicator, Operation, Process, Queue, Report, Status};
use crate::words::{count, short_place, short_title};

impl Graph {
    /// The graph of a report. What the diagnosis has found is marked.
    pub fn new(report: &Report, diagnosis: Option<&Diagnosis>, options: &GraphOptions) -> Graph {
        let facts = Facts::new(report, diagnosis);
        let grouped = facts.places() > options.group_above;
        let mut graph = Graph::default();
        let mut place = vec![0; report.processes.len()];
        for members in facts.groups(grouped) {
            members.iter().for_each(|member| place[*member] = graph.nodes.len());
            graph.nodes.push(facts.node(members));
        }
        let kept = graph.leave_out_nodes(&mut place, options.nodes);
        facts.arrows(&mut graph, &place, grouped);
        facts.collective_waits(&mut graph, &place);
        graph.arrows.sort_by(|one, other| {
            (one.from, one.to, &one.what).cmp(&(other.from, other.to, &other.what))
        });
        graph.merge_parallel(options);
        graph.remark_on_groups(grouped, kept);
        graph.leave_out_arrows(options.arrows);
        graph
    }

    /// Replaces the nodes beyond the limit with a single node. Returns how many groups there were.
    fn leave_out_nodes(&mut self, place: &mut [usize], most: usize) -> usize {
        let all = self.nodes.len();
        if all <= most {
            return all;
        }
        // The deadlock first, then the large groups.
        let mut order: Vec<usize> = (0..all).collect();
        order.sort_by_key(|index| {
            let node = &self.nodes[*index];
            (!node.deadlock, std::cmp::Reverse(node.processes.len()), *index)
        });
        let keep: BTreeSet<usize> = order.into_iter().take(most.saturating_sub(1)).collect();
        let (kept, others): (Vec<_>, Vec<_>) = std::mem::take(&mut self.nodes)
            .into_iter()
            .enumerate()
            .partition(|(index, _)| keep.contains(index));
        let groups = others.len();
        let mut rest = Node { kind: NodeKind::Rest, ..Node::empty() };
        let mut ranks = Vec::new();
        for (_, node) in others {
            rest.deadlock |= node.deadlock;
            rest.incomplete |= node.incomplete || node.kind == NodeKind::Unreadable;
            ranks.extend(node.ranks.iter());
            rest.processes.extend(node.processes);
        }
        rest.processes.sort_unstable();
        rest.ranks = ranks.into_iter().collect();
        rest.name = format!(
            "{} in {groups} groups",
            count(rest.processes.len(), "more rank", "more ranks")
        );
        self.nodes = kept.into_iter().map(|(_, node)| node).collect();
        self.nodes.push(rest);
        for (index, node) in self.nodes.iter().enumerate() {
            node.processes.iter().for_each(|process| place[*process] = index);
        }
        all
    }

    /// Makes one arrow of all operations of a kind between the same two nodes. Those that are
    /// complete, and those of the deadlock, have arrows of their own.
    fn merge_parallel(&mut self, options: &GraphOptions) {
        if options.arrows == usize::MAX {
            return;
        }
        let mut merged: Vec<Arrow> = Vec::new();
        let mut index = HashMap::new();
        for arrow in std::mem::take(&mut self.arrows) {
            let bundle =
                (arrow.from, arrow.to, arrow.what.clone(), arrow.deadlock, arrow.is_complete());
            match index.entry(bundle) {
                Entry::Vacant(entry) => {
                    entry.insert(merged.len());
                    merged.push(arrow);
                }
                Entry::Occupied(entry) => merged[*entry.get()].absorb(arrow),
            }
        }
        self.arrows = merged;
    }

    fn remark_on_groups(&mut self, grouped: bool, groups: usize) {
        let several = self.nodes.iter().any(|node| node.processes.len() > 1);
        if grouped && several {
            self.remarks.push(
                "Ranks that behave alike are one node. They are in the same MPI function and have \
                 the same operations, with the same peer or with one at the same distance. Their \
                 lengths, and the number of each, may differ."
                    .to_owned(),
            );
        }
        if let Some(rest) = self.nodes.iter().find(|node| node.kind == NodeKind::Rest) {
            self.remarks.push(format!(
                "The ranks behave in {groups} different ways; {} of them are in one node here \
                 ({}). Show more nodes with --nodes {groups}.",
                groups
                    - self
                        .nodes
                        .iter()
                        .filter(|node| matches!(node.kind, NodeKind::Ranks | NodeKind::Unreadable))
                        .count(),
                rest.name,
            ));
        }
    }

    /// Leaves out the arrows that exceed the limit. Those of the deadlock are kept first.
    fn leave_out_arrows(&mut self, most: usize) {
        let all = self.arrows.len();
        if all <= most {
            return;
        }
        let mut order: Vec<usize> = (0..all).collect();
        order.sort_by_key(|index| {
            let arrow = &self.arrows[*index];
            (!arrow.deadlock, arrow.is_complete(), *index)
        });
        let keep: HashSet<usize> = order.into_iter().take(most).collect();
        let mut index = 0..;
        self.arrows.retain(|_| index.next().is_some_and(|index| keep.contains(&index)));
        self.remarks.push(format!(
            "{most} of {all} arrows are drawn, those of a deadlock first. Show more with --arrows \
             {all}; `mqd graph -f csv` has all of them."
        ));
    }
}

impl Node {
    fn empty() -> Node {
        Node {
            kind: NodeKind::Ranks,
            ranks: Runs::default(),
            processes: Vec::new(),
            activity: None,
            place: None,
            deadlock: false,
            incomplete: false,
            name: String::new(),
        }
    }
}

impl Arrow {
    /// An arrow without operations yet.
    fn new(from: usize, to: usize, of: Trait, relation: Relation) -> Arrow {
        Arrow {
            from,
            to,
            what: ArrowKind::Queue(of.queue),
            relation,
            communicators: BTreeSet::new(),
            ids: BTreeSet::new(),
            any_tag: of.tag.is_none(),
            tags: of.tag.into_iter().collect(),
            statuses: BTreeSet::from([of.status]),
            count: 0,
            bytes: Some((i64::MAX, i64::MIN, 0)),
            deadlock: of.deadlock,
        }
    }

    /// Are all its operations complete? Nobody waits for these any more.
    pub(super) fn is_complete(&self) -> bool {
        !self.statuses.is_empty() && self.statuses.iter().all(|status| *status == Status::Complete)
    }

    /// Adds an operation.
    fn add(&mut self, placed: &Placed<'_>, names: &Names<'_>) {
        if self.ids.insert(placed.communicator.unique_id) {
            self.communicators.insert(names.shown(placed.communicator));
        }
        self.count += 1;
        let length = placed.operation.length();
        self.add_bytes(length.map(|length| (length, length, i128::from(length))));
    }

    /// Adds the operations of another arrow between the same nodes.
    fn absorb(&mut self, other: Arrow) {
        if self.relation != other.relation {
            self.relation = Relation::Several;
        }
        self.communicators.extend(other.communicators);
        self.ids.extend(other.ids);
        self.any_tag |= other.any_tag;
        self.tags.extend(other.tags);
        self.statuses.extend(other.statuses);
        self.count += other.count;
        self.add_bytes(other.bytes);
    }

    fn add_bytes(&mut self, added: Option<(i64, i64, i128)>) {
        let both = self.bytes.zip(added);
        self.bytes =
            both.map(|(own, added)| (own.0.min(added.0), own.1.max(added.1), own.2 + added.2));
    }
}

/// A report, and what its operations have in common.
struct Facts<'a> {
    report: &'a Report,
    /// What the ranks of deadlocks wait for.
    waits: HashMap<i64, Vec<&'a Wait>>,
    /// The process of each rank; the first one if there are several.
    by_rank: HashMap<i64, usize>,
    /// The names of communicators, and which of them each process has.
    names: Names<'a>,
    /// Ranks that are peers, and not in the report.
    strangers: BTreeSet<i64>,
    popularity: Popularity,
}

/// Names of communicators. Communicators of different processes count as the same one if they have
/// the same name. If a process has several of one name, they are told apart by their order.
#[derive(Default)]
struct Names<'a> {
    index: HashMap<(&'a str, usize), usize>,
    /// Has a process several of that name?
    ambiguous: HashSet<&'a str>,
    of_process: Vec<Vec<usize>>,
}

impl<'a> Names<'a> {
    fn new(report: &'a Report) -> Names<'a> {
        let mut names = Names::default();
        for process in &report.processes {
            let mut seen: HashMap<&str, usize> = HashMap::new();
            let mut own = Vec::with_capacity(process.communicators.len());
            for communicator in &process.communicators {
                let name = communicator.name.as_str();
                let times = seen.entry(name).or_default();
                let next = names.index.len();
                own.push(*names.index.entry((name, *times)).or_insert(next));
                if *times > 0 {
                    names.ambiguous.insert(name);
                }
                *times += 1;
            }
            names.of_process.push(own);
        }
        names
    }

    fn shown(&self, communicator: &Communicator) -> String {
        let Communicator { name, unique_id, .. } = communicator;
        match name.as_str() {
            "" => format!("unnamed {unique_id}"),
            name if self.ambiguous.contains(name) => format!("{} {unique_id}", printable(name)),
            name => printable(name),
        }
    }
}

/// Nodes that are no process of the report, by what they are and by rank.
type OtherNodes = BTreeMap<(NodeKind, i64), usize>;

/// An operation with its place.
struct Placed<'a> {
    communicator: &'a Communicator,
    operation: &'a Operation,
    of: Trait,
    peer: PeerNames,
    /// The peer in `MPI_COMM_WORLD`, if it is known.
    global: Option<i64>,
}

/// What has to be equal for ranks to behave alike.
#[derive(PartialEq, Eq, Hash)]
enum Likeness<'a> {
    Alone(usize),
    Unreadable {
        deadlock: bool,
    },
    Doing {
        activity: Option<(Option<&'a str>, Option<i64>)>,
        incomplete: bool,
        deadlock: bool,
        operations: Vec<(Trait, Relation)>,
    },
}

impl<'a> Facts<'a> {
    fn new(report: &'a Report, diagnosis: Option<&'a Diagnosis>) -> Facts<'a> {
        let mut by_rank = HashMap::new();
        for (index, process) in report.processes.iter().enumerate() {
            if let Some(rank) = process.rank {
                by_rank.entry(rank).or_insert(index);
            }
        }
        let mut waits: HashMap<i64, Vec<&Wait>> = HashMap::new();
        for wait in diagnosis
            .into_iter()
            .flat_map(|diagnosis| &diagnosis.findings)
            .flat_map(|finding| &finding.waits)
        {
            waits.entry(wait.rank).or_default().push(wait);
        }
        let mut facts = Facts {
            report,
            waits,
            by_rank,
            names: Names::new(report),
            strangers: BTreeSet::new(),
            popularity: Popularity::default(),
        };
        let (mut strangers, mut popularity) = (BTreeSet::new(), Popularity::default());
        for process in 0..report.processes.len() {
            facts.each(process, |placed| {
                popularity.count(process, placed.of, placed.peer);
                strangers.extend(placed.global.filter(|rank| !facts.by_rank.contains_key(rank)));
            });
        }
        (facts.strangers, facts.popularity) = (strangers, popularity);
        facts
    }

    /// How many nodes there are if each rank is one.
    fn places(&self) -> usize {
        self.report.processes.len() + self.strangers.len()
    }

    /// Calls `what` with each operation of a process.
    fn each(&self, process: usize, mut what: impl FnMut(Placed<'_>)) {
        let waits = self.report.processes[process]
            .rank
            .and_then(|rank| self.waits.get(&rank))
            .map_or(&[][..], Vec::as_slice);
        for (communicator, name) in
            self.report.processes[process].communicators.iter().zip(&self.names.of_process[process])
        {
            for queue in Queue::ALL {
                for (index, operation) in communicator.queue(queue).iter().enumerate() {
                    let (peer, global) = peer(communicator, operation);
                    let place = (Some(communicator.unique_id), Some(queue), Some(index));
                    let deadlock = waits
                        .iter()
                        .any(|wait| (wait.communicator, wait.queue, wait.index) == place);
                    let of = Trait {
                        communicator: *name,
                        queue,
                        status: operation.status,
                        awaited: operation.awaited,
                        tag: operation.desired_tag,
                        deadlock,
                    };
                    what(Placed { communicator, operation, of, peer, global });
                }
            }
        }
    }

    /// Groups of processes, in the order of their first ranks.
    fn groups(&self, grouped: bool) -> Vec<Vec<usize>> {
        let mut groups = groups((0..self.report.processes.len()).map(|process| {
            if grouped { self.behaviour(process) } else { Likeness::Alone(process) }
        }));
        let rank = |process: usize| self.report.processes[process].rank;
        groups.iter_mut().for_each(|group| {
            group.sort_by_key(|process| (rank(*process).is_none(), rank(*process)))
        });
        groups.sort_by_key(|group| (rank(group[0]).is_none(), rank(group[0])));
        groups
    }

    fn behaviour(&self, process: usize) -> Likeness<'a> {
        let Process { rank, errors, activity, .. } = &self.report.processes[process];
        if rank.is_none() {
            return Likeness::Alone(process);
        }
        let deadlock = rank.is_some_and(|rank| self.waits.contains_key(&rank));
        if unreadable(&self.report.processes[process]) {
            return Likeness::Unreadable { deadlock };
        }
        let mut operations = Vec::new();
        self.each(process, |placed| {
            operations.push((placed.of, self.popularity.choose(placed.of, placed.peer)))
        });
        operations.sort_unstable();
        operations.dedup();
        let activity = activity
            .as_ref()
            .map(|Activity { function, needed, .. }| (function.as_deref(), *needed));
        Likeness::Doing { activity, incomplete: !errors.is_empty(), deadlock, operations }
    }

    /// The node of processes that behave alike.
    fn node(&self, processes: Vec<usize>) -> Node {
        let first = &self.report.processes[processes[0]];
        let ranks: Runs =
            processes.iter().filter_map(|process| self.report.processes[*process].rank).collect();
        Node {
            kind: if unreadable(first) { NodeKind::Unreadable } else { NodeKind::Ranks },
            name: if ranks.is_empty() { short_title(first) } else { String::new() },
            activity: first.activity.clone(),
            place: self.place(&processes),
            deadlock: ranks.first().is_some_and(|rank| self.waits.contains_key(&rank)),
            incomplete: !first.errors.is_empty(),
            ranks,
            processes,
        }
    }

    /// Where in the program these processes are.
    fn place(&self, processes: &[usize]) -> Option<String> {
        let line = |process: &usize| self.report.processes[*process].line().map(short_place);
        let places: BTreeSet<Option<String>> = processes.iter().map(line).collect();
        match places.len() {
            0 | 1 => places.into_iter().next().flatten(),
            several => Some(format!("{several} places")),
        }
    }

    /// Adds the nodes of ranks that are peers, and not in the report.
    fn absent_nodes(&self, graph: &mut Graph, grouped: bool) -> OtherNodes {
        let mut others = OtherNodes::new();
        let kind = NodeKind::NotInReport;
        if grouped && !self.strangers.is_empty() {
            let node = graph.nodes.len();
            others.extend(self.strangers.iter().map(|rank| ((kind, *rank), node)));
            let ranks = self.strangers.iter().copied().collect();
            graph.nodes.push(Node { kind, ranks, ..Node::empty() });
        } else {
            for rank in &self.strangers {
                others.insert((kind, *rank), graph.nodes.len());
                let ranks = [*rank].into_iter().collect();
                graph.nodes.push(Node { kind, ranks, ..Node::empty() });
            }
        }
        others
    }

    /// The node of an operation's peer. Adds one for a peer that is no rank of the report.
    fn peer_node(
        &self,
        placed: &Placed<'_>,
        relation: Relation,
        place: &[usize],
        others: &mut OtherNodes,
        nodes: &mut Vec<Node>,
    ) -> usize {
        let (kind, rank, name) = match placed.global {
            Some(rank) => match self.by_rank.get(&rank) {
                Some(process) => return place[*process],
                None => (NodeKind::NotInReport, rank, ""),
            },
            None if relation == Relation::AnySource => (NodeKind::AnySource, 0, "any source"),
            None => (NodeKind::Unknown, 0, "rank not known"),
        };
        *others.entry((kind, rank)).or_insert_with(|| {
            nodes.push(Node { kind, name: name.to_owned(), ..Node::empty() });
            nodes.len() - 1
        })
    }

    /// Adds the arrows, and the nodes for peers that are not in the report.
    fn arrows(&self, graph: &mut Graph, place: &[usize], grouped: bool) {
        #[derive(PartialEq, Eq, Hash)]
        struct Key {
            from: usize,
            to: usize,
            of: Trait,
            relation: Relation,
            /// If ranks are not grouped, communicators of one name are not grouped either.
            communicator: Option<Address>,
        }
        let mut index: HashMap<Key, usize> = HashMap::new();
        let mut others = self.absent_nodes(graph, grouped);
        let Graph { nodes, arrows, .. } = graph;
        for process in 0..self.report.processes.len() {
            self.each(process, |placed| {
                let relation = if grouped {
                    self.popularity.choose(placed.of, placed.peer)
                } else {
                    placed.peer.absolute
                };
                let peer = self.peer_node(&placed, relation, place, &mut others, nodes);
                let own = place[process];
                let (from, to) =
                    if placed.of.queue == Queue::Unexpected { (peer, own) } else { (own, peer) };
                let communicator = (!grouped).then_some(placed.communicator.unique_id);
                let key = Key { from, to, of: placed.of, relation, communicator };
                let arrow = *index.entry(key).or_insert_with(|| {
                    arrows.push(Arrow::new(from, to, placed.of, relation));
                    arrows.len() - 1
                });
                arrows[arrow].add(&placed, &self.names);
            });
        }
    }
}

impl Facts<'_> {
    /// Adds the arrows of ranks of a deadlock that are in a collective operation, to those that
    /// have not called it.
    fn collective_waits(&self, graph: &mut Graph, place: &[usize]) {
        let mut index = HashMap::new();
        let Graph { nodes, arrows, .. } = graph;
        for (rank, process) in self.by_rank.iter().collect::<BTreeMap<_, _>>() {
            let waits =
                self.waits.get(rank).into_iter().flatten().filter(|wait| wait.queue.is_none());
            for wait in waits {
                let function =
                    wait.function.clone().unwrap_or_else(|| "a collective operation".to_owned());
                for to in (0..nodes.len()).filter(|node| nodes[*node].ranks.meets(&wait.on)) {
                    let from = place[*process];
                    let arrow = *index
                        .entry((from, to, function.clone(), wait.communicator))
                        .or_insert_with(|| {
                            arrows.push(Arrow {
                                from,
                                to,
                                what: ArrowKind::Collective(printable(&function)),
                                relation: Relation::Several,
                                communicators: BTreeSet::from([printable(&wait.communicator_name)]),
                                ids: wait.communicator.into_iter().collect(),
                                any_tag: false,
                                tags: BTreeSet::new(),
                                statuses: BTreeSet::new(),
                                count: 0,
                                bytes: Some((0, 0, 0)),
                                deadlock: true,
                            });
                            arrows.len() - 1
                        });
                    arrows[arrow].count += 1;
                }
            }
        }
    }
}

/// Was nothing of it read?
fn unreadable(process: &Process) -> bool {
    process.communicators.is_empty() && !process.errors.is_empty()
}

/// The peer of an operation, and its rank in `MPI_COMM_WORLD` if that is known: that of the
/// message, once there is one.
fn peer(communicator: &Communicator, operation: &Operation) -> (PeerNames, Option<i64>) {
    let (local, global) = match operation.actual_local_rank {
        Some(local) => (local, operation.actual_global_rank),
        None if operation.desired_local_rank == -1 => {
            return (
                PeerNames { absolute: Relation::AnySource, relative: Relation::AnySource },
                None,
            );
        }
        None => (operation.desired_local_rank, operation.desired_global_rank),
    };
    let global =
        global.or_else(|| communicator.group.as_ref()?.global(local)).filter(|rank| *rank >= 0);
    let absolute = global.map_or(Relation::Local(local), Relation::Rank);
    let relative = match communicator.size {
        size @ 2.. => {
            let ahead = (local - communicator.local_rank).rem_euclid(size);
            Relation::Offset(if ahead > size / 2 { ahead - size } else { ahead })
        }
        _ => absolute,
    };
    (PeerNames { absolute, relative }, global)
}
