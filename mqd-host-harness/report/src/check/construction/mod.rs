//! Builds the wait-for graph of a job.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::collectives::{Round, RoundId, rounds};
use super::fixpoint::{GraphBuilder, NEVER, NodeId};
use super::ids::{CommId, OperationId, Slot};
use super::job::{Job, Peers, Presence};
use super::list::{List, numbered};
use super::matching::Matching;
use super::transit::Transit;
use super::waits::{Alternative, Awaited, Doing, RankWait, SpecialNodes, Target, Waits};
use crate::model::{Background, Communicator, Operation, Process, Queue, Status};

mod doing;
mod operations;
mod rounds;

/// The queues whose operations a call can wait for.
const PENDING: &[Queue] = &[Queue::Sends, Queue::Receives];

/// The wait-for graph of a job.
pub(super) fn waits(job: &Job<'_>, matching: &Matching, transit: &Transit) -> Waits {
    let mut construction = Construction::new(job, matching, transit);
    construction.add_rounds();
    construction.add_background();
    let ranks = job.members.ids().map(|slot| construction.rank(slot)).collect();
    let Construction { graph, special, mut alternatives, hub_members, rounds, .. } = construction;
    alternatives.shrink_to_fit();
    let members = job.comms.ids().map(|comm| senders(job, &hub_members, comm)).collect();
    Waits { graph: graph.build(), special, ranks, alternatives, members, rounds }
}

/// The ranks that may send to the ranks of a communicator.
fn senders(job: &Job<'_>, groups: &List<CommId, Vec<Slot>>, comm: CommId) -> Vec<Slot> {
    match job.comms[comm].peers {
        Peers::Own => groups[comm].clone(),
        _ => {
            let all = job.same_id(comm).iter().flat_map(|comm| &groups[*comm]);
            all.copied().collect::<BTreeSet<Slot>>().into_iter().collect()
        }
    }
}

struct Construction<'j, 'a> {
    job: &'j Job<'a>,
    matching: &'j Matching,
    transit: &'j Transit,
    graph: GraphBuilder,
    special: SpecialNodes,
    rank_nodes: List<Slot, NodeId>,
    /// For each rank, a node that moves if the library may send messages of its own whatever the
    /// rank waits for. Nonblocking collective operations have such messages.
    background: List<Slot, NodeId>,
    /// Moves if any rank moves, apart from ranks that only poll.
    anyone: NodeId,
    alternatives: Vec<Alternative>,
    /// For each communicator, a node that moves if any member of its group moves.
    hubs: List<CommId, NodeId>,
    /// For each communicator, a node that moves if the library of any member may send messages of
    /// its own.
    background_hubs: List<CommId, NodeId>,
    /// The members of each communicator's group.
    hub_members: List<CommId, Vec<Slot>>,
    /// Has any of them ended?
    any_ended: List<CommId, bool>,
    rounds: FxHashMap<RoundId, Round>,
    /// Nodes that move when every rank moves that has called a collective function less often.
    behind: FxHashMap<(RoundId, i64), NodeId>,
    /// No rank has sent another one anything since an earlier look, by whatever way.
    stands_still: bool,
}

/// An alternative comes true if any of these nodes moves.
type Sources = Vec<NodeId>;

impl<'j, 'a> Construction<'j, 'a> {
    fn new(job: &'j Job<'a>, matching: &'j Matching, transit: &'j Transit) -> Self {
        let mut graph = GraphBuilder::new();
        let special = SpecialNodes {
            free: graph.node(NEVER),
            unknown: graph.node(NEVER),
            transit: graph.node(NEVER),
            momentary: graph.node(NEVER),
            complete: graph.node(NEVER),
            polling: graph.node(NEVER),
        };
        let rank_nodes: List<Slot, NodeId> = job.members.ids().map(|_| graph.node(NEVER)).collect();
        let background: List<Slot, NodeId> = job.members.ids().map(|_| graph.node(1)).collect();
        let anyone = graph.node(1);
        let (mut hubs, mut background_hubs) = (List::new(), List::new());
        let mut hub_members = List::new();
        for comm in job.comms.ids() {
            let (hub, background_hub) = (graph.node(1), graph.node(1));
            let (members, all) = job.in_group(comm);
            for &slot in &members {
                let unread = job.members[slot].presence == Presence::Unread;
                graph.edge(if unread { special.unknown } else { rank_nodes[slot] }, hub);
                graph.edge(background[slot], background_hub);
            }
            if !all {
                graph.edge(special.unknown, hub);
            }
            hubs.push(hub);
            background_hubs.push(background_hub);
            hub_members.push(members);
        }
        let has_ended = |slot: &Slot| job.members[*slot].presence == Presence::Ended;
        let any_ended = hub_members.items().iter().map(|one: &Vec<_>| one.iter().any(has_ended));
        let any_ended = any_ended.collect();
        let rounds = rounds(job, &hub_members);
        Construction {
            job,
            matching,
            transit,
            graph,
            special,
            rank_nodes,
            background,
            anyone,
            alternatives: Vec::new(),
            hubs,
            background_hubs,
            hub_members,
            any_ended,
            rounds,
            behind: FxHashMap::default(),
            stands_still: job.stands_still(),
        }
    }

    /// Adds a node for each number of calls of a round. It moves when all ranks with at most that
    /// many calls move.
    fn add_rounds(&mut self) {
        for (&id, round) in &self.rounds {
            let mut before: Option<NodeId> = None;
            for level in round.calls.chunk_by(|one, other| one.0 == other.0) {
                if let Some(before) = before {
                    self.behind.insert((id, level[0].0), before);
                }
                // A rank with more calls waits for these ranks, and for those that they wait for.
                let node = self.graph.node(level.len() + usize::from(before.is_some()));
                for (_, slot) in level {
                    self.graph.edge(self.rank_nodes[*slot], node);
                }
                if !round.complete {
                    // Other ranks may have to call it.
                    self.graph.may_need(node, NEVER);
                }
                if let Some(before) = before {
                    self.graph.edge(before, node);
                }
                before = Some(node);
            }
        }
    }

    /// Adds the condition under which the library sends messages of its own while a rank waits for
    /// something else: one of the library's operations completes.
    fn add_background(&mut self) {
        let job = self.job;
        for slot in job.members.ids() {
            // The message that another rank waits for may be none of these.
            self.graph.may_need(self.background[slot], NEVER);
            let activity = job.members[slot].process.activity.as_ref();
            let background = activity.and_then(|activity| activity.background);
            match background {
                Some(Background::Idle) => continue,
                Some(Background::Working) => {
                    self.graph.edge(self.special.momentary, self.background[slot]);
                }
                Some(Background::Waiting) | None => {}
            }
            // Each step of a collective operation waits for what is pending, whatever has come
            // already. Messages of windows, which come from any rank, are handled at once.
            let is_over = |operation: &Operation| {
                background == Some(Background::Waiting)
                    && operation.status == Status::Complete
                    && operation.desired_local_rank >= 0
            };
            for (part, communicator) in job.parts(slot).filter(|(_, one)| !has_marks(one)) {
                for &queue in PENDING {
                    for (position, operation) in numbered(communicator.queue(queue)) {
                        if carries_on(operation) && !is_over(operation) {
                            let id = OperationId { part, position };
                            let (_, sources) = self.sources(queue, id, operation);
                            for source in sources {
                                self.graph.edge(source, self.background[slot]);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Adds the edges of a rank.
    fn rank(&mut self, slot: Slot) -> RankWait {
        let start = self.alternatives.len();
        let (doing, needed) = self.doing(slot);
        let node = self.rank_nodes[slot];
        match doing {
            Doing::Runs => {
                self.graph.set(node, 1);
                self.graph.edge(self.special.free, node);
            }
            Doing::Tests => {
                self.graph.set(node, 1);
                self.graph.edge(self.special.polling, node);
                self.graph.edge(self.anyone, node);
            }
            Doing::Unknown(_) => {
                self.graph.set(node, 1);
                self.graph.edge(self.special.unknown, node);
                self.graph.may_need(node, NEVER);
            }
            Doing::Waits => self.graph.set(node, needed),
            Doing::WaitsForSome => {
                // It may wait for any of them. It goes on for certain if all come true.
                self.graph.set(node, needed);
                self.graph.may_need(node, self.alternatives.len() - start);
            }
            Doing::Over => {}
        }
        if doing != Doing::Tests {
            self.graph.edge(node, self.anyone);
        }
        RankWait { doing, node, needed, alternatives: start..self.alternatives.len() }
    }

    fn alternative(
        &mut self,
        slot: Slot,
        awaited: Awaited,
        target: Option<Target>,
        sources: &[NodeId],
    ) {
        let node = self.graph.node(1);
        sources.iter().for_each(|source| self.graph.edge(*source, node));
        self.graph.edge(node, self.rank_nodes[slot]);
        self.alternatives.push(Alternative { awaited, target, node });
    }
}

/// Are there marks instead of counts of messages? Then operations stand for what ranks do in memory
/// that they share, each in a call of its own. The library does nothing of it by itself.
pub(super) fn has_marks(communicator: &Communicator) -> bool {
    communicator.traffic.iter().flatten().any(|entry| entry.sent < 0 || entry.received < 0)
}

/// Is it an operation that the library carries on by itself?
fn carries_on(operation: &Operation) -> bool {
    operation.is_internal() && !operation.is_generalized()
}

/// Does a queue show an operation of the library itself that a process may wait for?
pub(super) fn shows_internal(process: &Process) -> bool {
    process
        .communicators
        .iter()
        .any(|part| PENDING.iter().flat_map(|queue| part.queue(*queue)).any(Operation::is_internal))
}
