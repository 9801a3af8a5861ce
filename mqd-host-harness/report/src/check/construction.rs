//! Builds the wait-for graph of a job.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::collectives::{Round, RoundId, active, calls, rounds};
use super::fixpoint::{GraphBuilder, NEVER, NodeId};
use super::functions::{
    Behaviour, CollectiveFunction, WorkWithin, behaviour, completes_requests, empties_buffers,
    is_listed, is_probe, plain, work_within,
};
use super::ids::{CommId, OperationId, PartId, Slot};
use super::job::{Job, Peers, Presence};
use super::list::{List, numbered};
use super::matching::{Matching, Whereabouts};
use super::transit::{InTransit, Transit};
use super::waits::{Alternative, Awaited, Doing, RankWait, SpecialNodes, Target, Waits};
use crate::model::{
    Activity, Background, Communicator, Operation, OtherThreads, Process, Queue, Status,
};

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
    rounds: FxHashMap<RoundId, Round>,
    /// Nodes that move when every rank moves that has called a collective function less often.
    behind: FxHashMap<(RoundId, i64), NodeId>,
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
            rounds,
            behind: FxHashMap::default(),
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
    /// something else: one of the library's operations comes true.
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

    /// What a rank does, and how many of its alternatives it needs. Adds the alternatives.
    fn doing(&mut self, slot: Slot) -> (Doing, usize) {
        let unknown = |why| (Doing::Unknown(why), 1);
        let member = &self.job.members[slot];
        match member.presence {
            Presence::Ended => return (Doing::Over, NEVER),
            Presence::Unread => return unknown("not read"),
            Presence::Partial => {
                self.pending(slot);
                return unknown("not read completely");
            }
            Presence::Read => {}
        }
        let Some(activity) = &member.process.activity else {
            self.pending(slot);
            return unknown("what they do in MPI is not known");
        };
        let Some(function) = &activity.function else {
            return match activity.others {
                Some(OtherThreads::Blocked) if activity.no_handlers => {
                    self.own_threads(slot);
                    (Doing::Waits, 1)
                }
                Some(OtherThreads::Blocked) => unknown(
                    "outside MPI, where each of their threads waits for another one of the \
                     process: see their call stacks (mqd dump --threads)",
                ),
                _ => (Doing::Runs, 0),
            };
        };
        let behaviour = behaviour(function);
        let waits = matches!(
            behaviour,
            Behaviour::Waits(_)
                | Behaviour::Collective(_)
                | Behaviour::Internal
                | Behaviour::FromGroups
        );
        match (activity.concurrent, activity.others) {
            // It may be a helper that never calls MPI, so it is not known that the rank goes on.
            (Some(true) | None, Some(OtherThreads::Running)) if waits => {
                self.pending(slot);
                unknown("another thread is in the program, outside MPI, and may call MPI")
            }
            (Some(true) | None, Some(OtherThreads::InMpi)) if waits => {
                self.threads(slot, activity.begun == Some(true))
            }
            (Some(true), _) if waits => {
                self.pending(slot);
                unknown("other threads may be in MPI (`MPI_THREAD_MULTIPLE`)")
            }
            (None, _) if waits => {
                self.pending(slot);
                unknown("other threads may be in MPI")
            }
            _ => self.doing_in(slot, function, behaviour, activity),
        }
    }

    /// Adds that all threads of a rank wait for each other, outside MPI, and no signal ends this. A
    /// thread looks again at what it waits for after `mqd` has stopped it: another look settles it.
    fn own_threads(&mut self, slot: Slot) {
        let sources = [self.rank_nodes[slot], self.special.momentary];
        self.alternative(slot, Awaited::Threads, Some(Target::Rank(slot)), &sources);
    }

    /// What a rank does if several of its threads are in MPI and all others are blocked. It is not
    /// known which operation belongs to which thread, so the rank goes on if any operation comes
    /// true. `begun`: the stack of each thread shows that it has started what it waits for.
    fn threads(&mut self, slot: Slot, begun: bool) -> (Doing, usize) {
        let stacks = self.job.members[slot].process.stacks.iter().flatten();
        let functions: Vec<&str> = stacks.filter_map(|stack| stack.function()).collect();
        let all_wait = functions.iter().all(|function| {
            matches!(
                behaviour(function),
                Behaviour::Waits(_) | Behaviour::Collective(_) | Behaviour::Internal
            ) && !plain(function).starts_with("MPI_Win_")
        });
        let all_listed = functions.iter().all(|function| is_listed(function));
        match self.any_pending(slot, begun && all_listed) && all_wait {
            true => (Doing::WaitsForSome, 1),
            false => {
                let why = "several threads are in MPI, and what they wait for is not known";
                (Doing::Unknown(why), 1)
            }
        }
    }

    /// What a rank does in a function.
    fn doing_in(
        &mut self,
        slot: Slot,
        function: &str,
        behaviour: Behaviour,
        activity: &Activity,
    ) -> (Doing, usize) {
        let unknown = |why| (Doing::Unknown(why), 1);
        match (behaviour, activity.needed) {
            (Behaviour::Ends, _) => (Doing::Over, NEVER),
            (Behaviour::Tests, _) => (Doing::Tests, 0),
            (Behaviour::Returns, _) => (Doing::Runs, 0),
            (_, Some(needed)) => {
                let awaited = self.awaited(slot);
                // A rank that stays in its call also waits for another one to do something.
                let stays = behaviour == Behaviour::Window && activity.stayed && self.window(slot);
                match usize::try_from(needed) {
                    Ok(needed) if needed <= awaited => (Doing::Waits, needed + usize::from(stays)),
                    _ => unknown("waiting for operations that the queues do not show"),
                }
            }
            (Behaviour::Window, None) if activity.stayed && self.window(slot) => {
                (Doing::WaitsForSome, 1)
            }
            (Behaviour::Window, None) => {
                self.pending(slot);
                unknown(
                    "in a function of one-sided communication, and two looks did not show that it \
                     stays there",
                )
            }
            (Behaviour::Collective(collective), None)
                if self.is_counted(slot)
                    || !(collective.is_of_windows() || collective.is_of_files()) =>
            {
                self.in_collective(slot, collective, activity)
            }
            (Behaviour::Collective(_) | Behaviour::Internal, None) => {
                self.in_internal(slot, function, activity)
            }
            (Behaviour::FromGroups, None) if self.is_counted(slot) && self.internal(slot, true) => {
                (Doing::WaitsForSome, 1)
            }
            (Behaviour::Waits(_), None) if self.probing(slot, function, activity) => {
                (Doing::WaitsForSome, 1)
            }
            // It is not known which requests it waits for, since some kinds are in no queue. If
            // calls are counted, an active collective operation is one of them.
            (Behaviour::Waits(_), None)
                if completes_requests(function)
                    && activity.begun != Some(true)
                    && !(self.is_counted(slot) && active(self.job, slot).next().is_some()) =>
            {
                self.pending(slot);
                unknown("it is not known which requests they wait for")
            }
            (Behaviour::Waits(queues), None) => {
                let is_listed = is_listed(function) || empties_buffers(function);
                let surely = activity.begun == Some(true) && is_listed;
                let with_internal = completes_requests(function);
                match self.some_of(slot, queues, surely, with_internal) {
                    true => (Doing::WaitsForSome, 1),
                    false => unknown("waiting for operations that the queues do not show"),
                }
            }
            _ => unknown(match plain(function) {
                "MPI_Init" | "MPI_Init_thread" => {
                    "in MPI_Init, which may wait until all ranks of the job have called it"
                }
                "MPI_Comm_accept" | "MPI_Comm_connect" | "MPI_Comm_join" => {
                    "waiting for another job to connect, as it may at any time"
                }
                _ => {
                    "in a function that may wait for more than the queues show: see whether they \
                     move in it (mqd stacks --samples)"
                }
            }),
        }
    }

    /// Adds all operations of a rank, the library's own too. Returns false if there is none.
    /// `surely`: what the rank waits for is among them.
    fn any_pending(&mut self, slot: Slot, surely: bool) -> bool {
        let before = self.alternatives.len();
        let wanted = |operation: &Operation| !operation.is_generalized();
        let also = (!surely).then_some(self.special.momentary);
        self.operations(slot, PENDING, wanted, also);
        self.alternatives.len() > before
    }

    /// What a rank does in a function that waits for messages of the library itself.
    fn in_internal(&mut self, slot: Slot, function: &str, activity: &Activity) -> (Doing, usize) {
        let unknown = |why| (Doing::Unknown(why), 1);
        let function = plain(function);
        // Windows may be waited for in memory that no queue shows.
        if function.starts_with("MPI_Win_") && activity.begun != Some(true) {
            return match self.unseen(slot, function, activity) {
                true => (Doing::WaitsForSome, 1),
                false => unknown("in a function of one-sided communication"),
            };
        }
        let found = match function {
            // The leaders of two groups, or the ranks of one, exchange messages with a tag of the
            // program.
            "MPI_Intercomm_create" | "MPI_Comm_create_group" => {
                self.any_pending(slot, self.is_counted(slot))
            }
            _ => self.internal(slot, self.is_counted(slot)),
        };
        match found || self.unseen(slot, function, activity) {
            true => (Doing::WaitsForSome, 1),
            false => unknown("waiting for messages of the MPI library that were not read"),
        }
    }

    /// What a rank does in a collective operation. The library's own messages tell whom it waits
    /// for; where they were not read, the numbers of calls tell.
    fn in_collective(
        &mut self,
        slot: Slot,
        function: CollectiveFunction,
        activity: &Activity,
    ) -> (Doing, usize) {
        let begun = activity.begun == Some(true);
        let any = active(self.job, slot).next().is_some();
        if any && self.internal(slot, begun || self.is_counted(slot)) {
            return (Doing::WaitsForSome, 1);
        }
        match self.collective(slot, function) {
            true => (Doing::Waits, 1),
            false if self.unseen(slot, function.name(), activity) => (Doing::WaitsForSome, 1),
            false => {
                let why = "in a collective operation, and the messages of the MPI library that it \
                           waits for were not read";
                (Doing::Unknown(why), 1)
            }
        }
    }

    /// Are the calls of a rank counted? Then the debug DLL knows each function that it waits in,
    /// and only once it waits.
    fn is_counted(&self, slot: Slot) -> bool {
        self.job.parts(slot).any(|(_, part)| {
            let known = part.collectives.as_ref();
            known.is_some_and(|known| known.iter().all(|collective| collective.calls.is_some()))
        })
    }

    /// Adds the library's own operations. The rank waits for one of them. Returns false if there is
    /// none.
    fn internal(&mut self, slot: Slot, surely: bool) -> bool {
        let before = self.alternatives.len();
        let also = (!surely).then_some(self.special.momentary);
        self.operations(slot, PENDING, carries_on, also);
        self.alternatives.len() > before
    }

    /// Adds the message that a rank probes for. A blocking probe is in the queue for as long as it
    /// waits. Returns false if it is not there.
    fn probing(&mut self, slot: Slot, function: &str, activity: &Activity) -> bool {
        let before = self.alternatives.len();
        if is_probe(function) {
            self.operations(slot, &[Queue::Receives], Operation::is_probe, None);
            // MPI_Mprobe may have taken the message, and then returns.
            let is_about_to = plain(function) == "MPI_Mprobe" && !activity.stayed;
            if self.alternatives.len() == before && !is_about_to {
                self.probing_unseen(slot, activity.stayed);
            }
        }
        self.alternatives.len() > before
    }

    /// Adds the messages that a probe which no queue shows may look for: any on any communicator. A
    /// message that has come and is not received may be the one, and the probe about to return. It
    /// is not the one if the rank stays in its call.
    fn probing_unseen(&mut self, slot: Slot, stayed: bool) {
        let has_message = |part: &Communicator| {
            let mut messages = part.queue(Queue::Unexpected).iter();
            part.not_known.contains(&Queue::Unexpected)
                || (!stayed && messages.any(|message| !message.is_internal()))
        };
        if self.job.parts(slot).any(|(_, part)| has_message(part)) {
            return;
        }
        for (part, _) in self.job.parts(slot) {
            let (target, mut sources) = self.receive_from_any(part);
            // A probe of no process returns at once.
            sources.push(self.special.momentary);
            self.alternative(slot, Awaited::Probe { part: part.index }, target, &sources);
        }
    }

    /// Adds what the rank's call waits for, as the debug DLL tells. Returns how many these are.
    fn awaited(&mut self, slot: Slot) -> usize {
        let before = self.alternatives.len();
        self.operations(slot, PENDING, |operation| operation.awaited == Some(true), None);
        self.alternatives.len() - before
    }

    /// Adds what the rank's call may wait for, if only the function is known: it waits for at least
    /// one of these. If `surely` is false, the process may still be entering or leaving the call,
    /// and what it will wait for may be missing here. Returns false if there is nothing.
    /// `with_internal`: parts of nonblocking collective operations count, too.
    fn some_of(&mut self, slot: Slot, queues: &[Queue], surely: bool, with_internal: bool) -> bool {
        let before = self.alternatives.len();
        let also = (!surely).then_some(self.special.momentary);
        let buffered = self.job.members[slot].function().is_some_and(empties_buffers);
        let wanted = |operation: &Operation| match operation.is_internal() {
            true => with_internal && carries_on(operation),
            false if buffered => operation.system_buffer,
            false => operation.awaited != Some(false),
        };
        self.operations(slot, queues, wanted, also);
        if !surely && queues.len() > 1 {
            // A wait for requests may be for a nonblocking collective operation. Where the
            // library's own messages were read, they are among the operations.
            for (part, function) in active(self.job, slot) {
                if !self.has_internal(part) {
                    self.collective_on(part, function);
                }
            }
        }
        self.alternatives.len() > before
    }

    /// Does the library wait for messages of its own on a communicator?
    fn has_internal(&self, part: PartId) -> bool {
        let communicator = self.job.part(part);
        let mut operations = PENDING.iter().flat_map(|queue| communicator.queue(*queue));
        operations.any(|one| one.is_internal() && one.status == Status::Pending)
    }

    /// Adds what a rank would wait for if it waited.
    fn pending(&mut self, slot: Slot) {
        let also = Some(self.special.unknown);
        let is_pending =
            |operation: &Operation| operation.status == Status::Pending && !operation.is_internal();
        self.operations(slot, PENDING, is_pending, also);
    }

    /// Adds an alternative for each operation of a rank's queues that is wanted.
    fn operations(
        &mut self,
        slot: Slot,
        queues: &[Queue],
        wanted: impl Fn(&Operation) -> bool,
        also: Option<NodeId>,
    ) {
        for (part, communicator) in self.job.parts(slot) {
            for &queue in queues {
                let operations = numbered(communicator.queue(queue));
                for (position, operation) in operations.filter(|(_, operation)| wanted(operation)) {
                    let id = OperationId { part, position };
                    let (target, mut sources) = self.sources(queue, id, operation);
                    sources.extend(also);
                    let awaited = Awaited::Operation { part: part.index, queue, position };
                    self.alternative(slot, awaited, target, &sources);
                }
            }
        }
    }

    /// What makes an operation come true.
    fn sources(
        &self,
        queue: Queue,
        id: OperationId,
        operation: &Operation,
    ) -> (Option<Target>, Sources) {
        if operation.is_partitioned() && operation.status != Status::Complete {
            return self.partitioned(id, operation);
        }
        if operation.is_generalized() && operation.status != Status::Complete {
            let own = id.slot();
            return (Some(Target::Rank(own)), vec![self.rank_nodes[own]]);
        }
        let (target, mut sources) = match operation.status {
            Status::Complete if operation.awaited != Some(true) => {
                (None, vec![self.special.complete])
            }
            Status::Complete | Status::Matched => (None, vec![self.special.free]),
            Status::Pending if queue == Queue::Sends => self.send(id, operation),
            Status::Pending => self.receive(id, operation),
        };
        match target {
            Some(_) if has_marks(self.job.part(id.part)) => {}
            Some(Target::Rank(peer)) if operation.is_internal() => {
                sources.push(self.background[peer]);
            }
            Some(Target::Any(comm)) if operation.is_internal() && self.in_round(id.part) => {
                sources.push(self.background_hubs[comm]);
            }
            // A message of one-sided communication, which is answered in the background.
            Some(_) if operation.is_internal() => sources.push(self.special.unknown),
            _ => {}
        }
        (target, sources)
    }

    /// A partitioned send is pending until its own rank has declared all partitions ready, which no
    /// other rank can do. Then its receiver takes them. A receive waits for the sender.
    fn partitioned(&self, id: OperationId, operation: &Operation) -> (Option<Target>, Sources) {
        if operation.lacks_partitions() {
            let own = id.slot();
            return (Some(Target::Rank(own)), vec![self.rank_nodes[own]]);
        }
        let peer = self.job.peer(id.part, operation).and_then(|peer| peer.rank());
        let Some(peer) = peer.and_then(|rank| self.job.slot(rank)) else {
            return (None, vec![self.special.unknown]);
        };
        let mut sources = vec![self.rank_nodes[peer], self.background[peer]];
        if !self.is_without_partitions(id.part, peer, operation.status) {
            // Partitions may be on their way.
            sources.push(self.special.momentary);
        }
        (Some(Target::Rank(peer)), sources)
    }

    /// Is no message of the library from `peer` on its way to a rank which has a partitioned
    /// receive, or taken in there? The receive has messages of the library, so these were read.
    fn is_without_partitions(&self, part: PartId, peer: Slot, status: Status) -> bool {
        let here = self.job.part(part);
        let Some(from) = self.job.listed_by(peer, here.unique_id) else { return false };
        let receives = || here.queue(Queue::Receives).iter().filter(|one| one.is_internal());
        let activity = self.job.members[part.slot].process.activity.as_ref();
        let goes_on = activity.and_then(|activity| activity.background);
        status == Status::Pending
            && receives().next().is_some()
            && receives().all(|receive| receive.status == Status::Pending)
            && !here.queue(Queue::Unexpected).iter().any(Operation::is_internal)
            && goes_on != Some(Background::Working)
            && self.transit.is_counted(from, part)
            && self.transit.between(self.job, from, part) == InTransit::None
    }

    /// Adds that a rank waits for what any other rank of the job does, as with a window. Returns
    /// false if it is not known which ranks these are.
    fn window(&mut self, slot: Slot) -> bool {
        let mut parts = self.job.parts(slot);
        let world = parts.find(|(_, part)| part.name == "MPI_COMM_WORLD").map(|(part, _)| part);
        let Some(part) = world else { return false };
        let comm = self.job.comm(part);
        let mut sources = self.hubs_of(comm);
        // What the others have done already may take effect in a moment.
        sources.push(self.special.momentary);
        let awaited = Awaited::Window { part: part.index };
        self.alternative(slot, awaited, Some(Target::Any(comm)), &sources);
        true
    }

    /// Adds that a rank, which stays in a function of many ranks, waits for what any other rank
    /// does there. No queue shows it, such as where ranks of one machine meet in shared memory.
    /// Returns false if it does not stay, if it may be busy there, or if it is not known which
    /// ranks these are.
    fn unseen(&mut self, slot: Slot, function: &str, activity: &Activity) -> bool {
        if !activity.stayed || shows_internal(self.job.members[slot].process) {
            return false;
        }
        let own = |part| {
            matches!(self.job.comms[self.job.comm(part)].peers, Peers::Own | Peers::Other(_))
        };
        let same = |other: Slot| self.job.members[other].function().map(plain) == Some(function);
        let idle = match work_within(function) {
            WorkWithin::None => true,
            WorkWithin::Copies => self.job.members.ids().all(|other| other == slot || !same(other)),
            WorkWithin::Any => false,
        };
        idle && self.job.parts(slot).all(|(part, _)| own(part)) && self.window(slot)
    }

    /// Is a process in a collective operation on this communicator that has messages?
    fn in_round(&self, part: PartId) -> bool {
        let mut active = active(self.job, part.slot).filter(|(other, _)| *other == part);
        active.any(|(_, function)| !function.is_of_windows())
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

    /// A pending send comes true when its receiver moves, if its message is unexpected there.
    fn send(&self, id: OperationId, send: &Operation) -> (Option<Target>, Sources) {
        let SpecialNodes { free, unknown, momentary, .. } = self.special;
        let function = self.job.members[id.slot()].function();
        if send.system_buffer && !function.is_some_and(empties_buffers) {
            // The library has its own copy of the data.
            return (None, vec![free]);
        }
        match self.matching.whereabouts(id) {
            Whereabouts::Unexpected { message, surely, together } => {
                let mut sources = vec![self.rank_nodes[message.slot()]];
                let is_this_one = together || self.transit.tells_later(self.job, id.part, message);
                sources.extend((!surely || !is_this_one).then_some(momentary));
                if !together {
                    let transit = self.transit.between(self.job, id.part, message.part);
                    sources.extend(self.in_transit(transit));
                }
                (Some(Target::Rank(message.slot())), sources)
            }
            Whereabouts::Moving => (None, vec![free]),
            // The receiver has to ask for it, unless it has just done so or will hear of it.
            Whereabouts::Taken { receiver } => {
                (Some(Target::Rank(receiver)), vec![self.rank_nodes[receiver], momentary])
            }
            Whereabouts::Unknown => (None, vec![unknown]),
            Whereabouts::Nowhere => {
                let peer = self.job.peer(id.part, send).and_then(|peer| peer.rank());
                let receiver = peer.and_then(|rank| self.job.slot(rank));
                (receiver.map(Target::Rank), vec![momentary])
            }
        }
    }

    /// A pending receive comes true when its sender moves, or with a message in transit.
    fn receive(&self, id: OperationId, receive: &Operation) -> (Option<Target>, Sources) {
        if self.matching.is_served(id) {
            return (None, vec![self.special.free]);
        }
        let Some(peer) = self.job.peer(id.part, receive) else {
            return (None, vec![self.special.unknown]);
        };
        let (target, mut sources) = match peer.rank() {
            None => self.receive_from_any(id.part),
            Some(rank) => match self.job.slot(rank) {
                Some(sender) => self.receive_from(id.part, sender),
                None => (None, vec![self.special.unknown]),
            },
        };
        let may_be_served = self.matching.may_be_served(id);
        sources.extend(may_be_served.then_some(self.special.unknown));
        let soon = self.matching.is_soon_served(id);
        sources.extend(soon.then_some(self.special.momentary));
        (target, sources)
    }

    fn receive_from_any(&self, part: PartId) -> (Option<Target>, Sources) {
        let comm = self.job.comm(part);
        let mut sources = self.hubs_of(comm);
        sources.extend(self.in_transit(self.transit.to(self.job, part)));
        let absent = self.transit.absent(self.job, part);
        sources.extend(absent.iter().map(|sender| self.sent_by_absent(*sender, part)));
        let senders = match self.job.comms[comm].peers {
            Peers::Other(other) => other,
            _ => comm,
        };
        let has_ended = |slot: &Slot| self.job.members[*slot].presence == Presence::Ended;
        let any_ended = self.hub_members[senders].iter().any(has_ended);
        sources.extend(any_ended.then_some(self.special.momentary));
        (Some(Target::Any(comm)), sources)
    }

    fn receive_from(&self, part: PartId, sender: Slot) -> (Option<Target>, Sources) {
        let target = Some(Target::Rank(sender));
        if self.job.members[sender].presence == Presence::Ended {
            // What it sent before it ended arrives soon.
            return (target, vec![self.special.momentary]);
        }
        let mut sources = vec![self.rank_nodes[sender]];
        sources.extend(match self.job.listed_by(sender, self.job.part(part).unique_id) {
            Some(from) => self.in_transit(self.transit.between(self.job, from, part)),
            None => Some(self.sent_by_absent(sender, part)),
        });
        (target, sources)
    }

    /// Messages from a rank that does not have the communicator. What it sent before it gave it up
    /// arrives soon.
    fn sent_by_absent(&self, sender: Slot, part: PartId) -> NodeId {
        match self.has_left(sender, part) {
            true => self.special.momentary,
            false => self.special.transit,
        }
    }

    /// Has a rank given up the communicator of a part, or not made it yet? The library counts its
    /// messages, or shows those on their way, so none waits where no queue shows it.
    fn has_left(&self, slot: Slot, part: PartId) -> bool {
        let here = self.job.part(part);
        // By another id it may be the same one.
        let is_alike = |(other, there): (PartId, &Communicator)| {
            there.group == here.group
                && self.job.listed_by(part.slot, self.job.part(other).unique_id).is_none()
        };
        (here.traffic.is_some()
            || self.transit.is_at_rest(self.job, slot, part.slot)
            || self.transit.is_quiet(self.job, slot, part.slot))
            && self.job.members[slot].presence == Presence::Read
            && !self.job.parts(slot).any(is_alike)
    }

    /// The node that stands for messages in transit.
    fn in_transit(&self, transit: InTransit) -> Option<NodeId> {
        match transit {
            InTransit::None => None,
            InTransit::Quiet => Some(self.special.momentary),
            InTransit::Some => Some(self.special.free),
            InTransit::Unknown => Some(self.special.transit),
        }
    }

    /// The hubs of all that may be peers of a communicator's ranks.
    fn hubs_of(&self, comm: CommId) -> Sources {
        match self.job.comms[comm].peers {
            Peers::Own => vec![self.hubs[comm]],
            Peers::Other(other) => vec![self.hubs[comm], self.hubs[other]],
            Peers::Hidden | Peers::Unclear => {
                let same = self.job.same_id(comm);
                let mut hubs: Sources = same.iter().map(|comm| self.hubs[*comm]).collect();
                if hubs.len() == 1 {
                    hubs.push(self.special.unknown);
                }
                hubs
            }
        }
    }

    /// Adds the collective operation that a rank is in, on each communicator where it may be.
    /// Returns false if there is none.
    fn collective(&mut self, slot: Slot, function: CollectiveFunction) -> bool {
        let mut found = false;
        for (part, _) in active(self.job, slot).filter(|(_, other)| *other == function) {
            self.collective_on(part, function);
            found = true;
        }
        found
    }

    fn collective_on(&mut self, part: PartId, function: CollectiveFunction) {
        let comm = self.job.comm(part);
        let own_group = self.job.comms[comm].peers == Peers::Own;
        let calls = calls(self.job.part(part), function);
        let id = RoundId { comm, function };
        let round = &self.rounds[&id];
        let missing = calls.is_some_and(|calls| round.behind(calls).next().is_some());
        let (target, mut sources) = match calls {
            Some(calls) if missing && function.needs_all() && own_group => {
                (Some(Target::All { round: id, calls }), vec![self.behind[&(id, calls)]])
            }
            Some(calls) if !own_group && function.synchronizes() => self.between_groups(id, calls),
            Some(_) if missing => (Some(Target::Any(comm)), self.hubs_of(comm)),
            // All ranks have called it: it is about to return.
            Some(_) if round.complete && own_group => (None, vec![self.special.free]),
            _ => (None, vec![self.special.unknown]),
        };
        // A rank that has given up the communicator may have called it before.
        if !function.synchronizes() || !own_group || round.incomplete {
            sources.push(self.special.momentary);
        }
        let awaited = Awaited::Collective { part: part.index, function };
        self.alternative(part.slot, awaited, target, &sources);
    }

    /// Who has to call a collective operation of an intercommunicator before any rank returns from
    /// it.
    fn between_groups(&self, id: RoundId, calls: i64) -> (Option<Target>, Sources) {
        let groups = self.job.same_id(id.comm).iter();
        let rounds = groups.map(|comm| self.rounds.get(&RoundId { comm: *comm, ..id }));
        let behind: Vec<Slot> = rounds.flatten().flat_map(|round| round.behind(calls)).collect();
        let mut sources: Sources = behind.iter().map(|slot| self.rank_nodes[*slot]).collect();
        let target = match *behind {
            [] => {
                sources.push(self.special.unknown);
                return (None, sources);
            }
            [rank] => Target::Rank(rank),
            _ => Target::Any(id.comm),
        };
        (Some(target), sources)
    }
}

/// Are there marks instead of counts of messages? Then operations stand for what ranks do in memory
/// that they share, each in a call of its own. The library does nothing of it by itself.
fn has_marks(communicator: &Communicator) -> bool {
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
