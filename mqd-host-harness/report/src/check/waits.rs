//! What each rank waits for: the wait-for graph, with k of n operations (`MPI_Waitall`,
//! `MPI_Waitany`), wildcards and collective operations.
//!
//! What is not known never makes a rank wait: it goes to a node of its own, which a look counts
//! among those that move, or not.

use mqs_abi::extensions::COLLECTIVES;
use rustc_hash::FxHashMap;

use super::fixpoint::{Builder, Graph, Movers, NEVER};
use super::functions::{Behaviour, behaviour, is_listed, needs_all, synchronizes};
use super::job::{Job, Peers, Presence};
use super::matching::{Matching, Place, Whereabouts};
use super::traffic::{OnTheWay, Traffic};
use crate::model::{Activity, Communicator, Operation, Queue, Status};

/// Moves in any case.
const FREE: u32 = 0;
/// Stands for what was not read, or is not known.
const UNKNOWN: u32 = 1;
/// Stands for messages that may be on their way, as nobody counts them.
const TRAFFIC: u32 = 2;
/// Stands for what may be over in a moment: another look tells.
const MOMENTARY: u32 = 3;
/// Stands for functions that are about to return, if they wait for what is complete.
const COMPLETE: u32 = 4;
const SPECIAL: u32 = 5;

/// How much of what is not known is taken for something that lets ranks go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Caution {
    /// All of it: who is stuck then is so for certain.
    All,
    /// All but what is over in a moment: there has been another look.
    Lasting,
    /// What was not read, or is not known of a rank: messages are where they seem to be.
    Messages,
    /// Nothing: who is stuck then seems so.
    Nothing,
    /// Nothing, and ranks wait for all that they may wait for: who is not stuck then can go on.
    Worst,
}

/// What a rank does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    /// In no MPI call, or in one that returns.
    Runs,
    /// In a call that asks and returns.
    Tests,
    /// In a call that waits for alternatives.
    Waits,
    /// In a call that waits for one of its alternatives, and it is not known for which.
    WaitsForSome,
    /// Not known: why not.
    Unknown(&'static str),
    /// It sends nothing any more: in `MPI_Finalize`, or ended.
    Over,
}

/// A rank's wait.
pub(super) struct RankWait {
    pub(super) doing: Doing,
    /// How many of the alternatives have to come true.
    needed: u32,
    /// Where its alternatives are.
    alternatives: std::ops::Range<u32>,
}

/// Something that a rank waits for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Alternative {
    pub(super) what: What,
    /// None: it comes true in a moment, or nothing is known.
    pub(super) target: Option<Target>,
    node: u32,
}

/// What a rank waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// An operation: index of the communicator, queue, index in the queue.
    Operation(u32, Queue, u32),
    /// A collective operation: index of the communicator, number of the function.
    Collective(u32, usize),
}

/// Whom a rank waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Target {
    /// A rank, by its slot.
    Rank(u32),
    /// Any member of a communicator.
    Any(u32),
    /// All members that have not called a collective operation so often yet: communicator, number
    /// of the function, calls.
    All(u32, usize, i64),
}

/// The wait-for graph of a job.
pub(super) struct Waits {
    graph: Graph,
    pub(super) ranks: Vec<RankWait>,
    alternatives: Vec<Alternative>,
    /// Of each communicator those who may send to its ranks, by slot.
    members: Vec<Vec<u32>>,
    rounds: FxHashMap<(u32, usize), Round>,
}

/// A collective operation on a communicator: how often its members have called it.
struct Round {
    /// Calls and slot of those of which it is known, ascending.
    calls: Vec<(i64, u32)>,
    /// Is it known of all members of the group?
    complete: bool,
}

/// The ranks that cannot go on, by slot.
pub(super) struct Stuck {
    pub(super) slots: Vec<bool>,
    movers: Movers,
}

impl Stuck {
    pub(super) fn any(&self) -> bool {
        self.slots.contains(&true)
    }

    /// How many edges of the graph were followed.
    pub(super) fn steps(&self) -> usize {
        self.movers.steps
    }
}

impl Waits {
    pub(super) fn new(job: &Job<'_>, matching: &Matching, traffic: &Traffic) -> Waits {
        Construction::new(job, matching, traffic).finish()
    }

    /// The ranks that cannot go on, if those of `moving` can.
    pub(super) fn stuck(&self, caution: Caution, moving: impl Iterator<Item = u32>) -> Stuck {
        let special: &[u32] = match caution {
            Caution::All => &[FREE, UNKNOWN, TRAFFIC, MOMENTARY, COMPLETE],
            Caution::Lasting => &[FREE, UNKNOWN, TRAFFIC],
            Caution::Messages => &[FREE, UNKNOWN],
            Caution::Nothing | Caution::Worst => &[FREE, COMPLETE],
        };
        let first = special.iter().copied().chain(moving.map(|slot| SPECIAL + slot));
        let movers = self.graph.movers(first, caution == Caution::Worst);
        let stuck = |(slot, wait): (u32, &RankWait)| {
            wait.doing != Doing::Over && !movers.contains(SPECIAL + slot)
        };
        let slots = (0..).zip(&self.ranks).map(stuck).collect();
        Stuck { slots, movers }
    }

    /// The alternatives of a rank.
    pub(super) fn alternatives(&self, slot: u32) -> &[Alternative] {
        let range = &self.ranks[slot as usize].alternatives;
        &self.alternatives[range.start as usize..range.end as usize]
    }

    /// The alternatives of a stuck rank that do not come true, and whether each of them is needed:
    /// then any of them keeps the rank from going on.
    pub(super) fn open(&self, slot: u32, stuck: &Stuck) -> (Vec<Alternative>, bool) {
        let all = self.alternatives(slot);
        let open: Vec<_> = all
            .iter()
            .copied()
            .filter(|alternative| !stuck.movers.contains(alternative.node))
            .collect();
        let done = all.len() - open.len();
        let each = self.ranks[slot as usize].needed as usize == done + open.len();
        (open, each)
    }

    /// Those who may send to the ranks of a communicator, by slot.
    pub(super) fn members(&self, comm: u32) -> &[u32] {
        &self.members[comm as usize]
    }

    /// How often members of a communicator have called a collective operation that somebody is in:
    /// calls and slot, ascending.
    pub(super) fn calls(&self, comm: u32, function: usize) -> &[(i64, u32)] {
        &self.rounds[&(comm, function)].calls
    }

    /// The members that have called it less often than this, by slot.
    pub(super) fn behind(
        &self,
        comm: u32,
        function: usize,
        calls: i64,
    ) -> impl Iterator<Item = u32> + '_ {
        self.calls(comm, function)
            .iter()
            .take_while(move |(other, _)| *other < calls)
            .map(|(_, slot)| *slot)
    }
}

struct Construction<'j, 'a> {
    job: &'j Job<'a>,
    matching: &'j Matching,
    traffic: &'j Traffic,
    graph: Builder,
    ranks: Vec<RankWait>,
    alternatives: Vec<Alternative>,
    hubs: Vec<u32>,
    hub_members: Vec<Vec<u32>>,
    rounds: FxHashMap<(u32, usize), Round>,
    /// Nodes of collective operations: who has called less often than this moves.
    behind: FxHashMap<(u32, usize, i64), u32>,
}

/// What decides whether an alternative comes true: any of these nodes.
type Sources = Vec<u32>;

impl<'j, 'a> Construction<'j, 'a> {
    fn new(job: &'j Job<'a>, matching: &'j Matching, traffic: &'j Traffic) -> Self {
        let mut graph = Builder::default();
        for _ in 0..SPECIAL as usize + job.members.len() {
            graph.node(NEVER);
        }
        let mut hubs = Vec::new();
        let mut hub_members = Vec::new();
        for comm in 0..job.comms.len() as u32 {
            let hub = graph.node(1);
            let (members, all) = job.in_group(comm);
            for &slot in &members {
                graph.edge(
                    if job.member(slot).presence == Presence::Unread {
                        UNKNOWN
                    } else {
                        SPECIAL + slot
                    },
                    hub,
                );
            }
            if !all {
                graph.edge(UNKNOWN, hub);
            }
            hubs.push(hub);
            hub_members.push(members);
        }
        let rounds = rounds(job, &hub_members);
        let behind = FxHashMap::default();
        Construction {
            job,
            matching,
            traffic,
            graph,
            ranks: Vec::new(),
            alternatives: Vec::new(),
            hubs,
            hub_members,
            rounds,
            behind,
        }
    }

    fn finish(mut self) -> Waits {
        self.behind_nodes();
        for slot in 0..self.job.members.len() as u32 {
            let wait = self.rank(slot);
            self.ranks.push(wait);
        }
        let Construction { job, graph, ranks, alternatives, hub_members, rounds, .. } = self;
        let members = |comm: u32| match job.comms[comm as usize].peers {
            Peers::Own => hub_members[comm as usize].clone(),
            _ => {
                let all = job.same_id(comm).iter().flat_map(|comm| &hub_members[*comm as usize]);
                all.copied().collect::<std::collections::BTreeSet<u32>>().into_iter().collect()
            }
        };
        let members = (0..job.comms.len() as u32).map(members).collect();
        Waits { graph: graph.build(), ranks, alternatives, members, rounds }
    }

    /// A node for each number of calls that somebody is at, which moves when all that have called
    /// less often do.
    fn behind_nodes(&mut self) {
        for (&(comm, function), round) in &self.rounds {
            let mut before: Option<u32> = None;
            let mut at = 0;
            while at < round.calls.len() {
                let calls = round.calls[at].0;
                let next = at + round.calls[at..].partition_point(|(other, _)| *other == calls);
                if let Some(before) = before {
                    self.behind.insert((comm, function, calls), before);
                }
                // Who has called more often than this waits for these, and for those that these
                // wait for.
                let node = self.graph.node((next - at) as u32 + u32::from(before.is_some()));
                round.calls[at..next]
                    .iter()
                    .for_each(|(_, slot)| self.graph.edge(SPECIAL + slot, node));
                if !round.complete {
                    // There may be others who have to call it.
                    self.graph.may_need(node, NEVER);
                }
                if let Some(before) = before {
                    self.graph.edge(before, node);
                }
                before = Some(node);
                at = next;
            }
        }
    }

    fn rank(&mut self, slot: u32) -> RankWait {
        let start = self.alternatives.len() as u32;
        let (doing, needed) = self.doing(slot);
        let node = SPECIAL + slot;
        match &doing {
            Doing::Runs | Doing::Tests => {
                self.graph.set(node, 1);
                self.graph.edge(FREE, node);
            }
            Doing::Unknown(_) => {
                self.graph.set(node, 1);
                self.graph.edge(UNKNOWN, node);
                self.graph.may_need(node, NEVER);
            }
            Doing::Waits => self.graph.set(node, needed),
            Doing::WaitsForSome => {
                // For any of them, perhaps: then only all together let it go on for certain.
                self.graph.set(node, needed);
                self.graph.may_need(node, self.alternatives.len() as u32 - start);
            }
            Doing::Over => {}
        }
        RankWait { doing, needed, alternatives: start..self.alternatives.len() as u32 }
    }

    /// What a rank does; adds its alternatives.
    fn doing(&mut self, slot: u32) -> (Doing, u32) {
        let unknown = |why| (Doing::Unknown(why), 1);
        let member = self.job.member(slot);
        match member.presence {
            Presence::Ended => return (Doing::Over, NEVER),
            Presence::Unread => return unknown("not read"),
            Presence::Partial => {
                self.pending(slot, &[Queue::Sends, Queue::Receives]);
                return unknown("not read completely");
            }
            Presence::Read => {}
        }
        let Some(Activity { function, needed, begun, concurrent }) = &member.process.activity
        else {
            self.pending(slot, &[Queue::Sends, Queue::Receives]);
            return unknown("what they do in MPI is not known");
        };
        let Some(function) = function else { return (Doing::Runs, 0) };
        let behaviour = behaviour(function);
        if matches!(behaviour, Behaviour::Waits(_) | Behaviour::Collective(_))
            && *concurrent != Some(false)
        {
            self.pending(slot, &[Queue::Sends, Queue::Receives]);
            return unknown(match concurrent {
                None => "other threads of theirs may be in MPI",
                _ => "other threads of theirs may be in MPI (`MPI_THREAD_MULTIPLE`)",
            });
        }
        match (behaviour, *needed) {
            (Behaviour::Ends, _) => (Doing::Over, NEVER),
            (Behaviour::Tests, _) => (Doing::Tests, 0),
            (Behaviour::Returns, _) => (Doing::Runs, 0),
            (Behaviour::Collective(number), _) => match self.collective(slot, number) {
                true => (Doing::Waits, 1),
                false => unknown("in a collective operation, and its communicator is not known"),
            },
            (_, Some(needed)) => {
                let awaited = self.awaited(slot);
                match u32::try_from(needed) {
                    Ok(needed) if needed <= awaited => (Doing::Waits, needed),
                    // Something is awaited that the queues do not show.
                    _ => unknown("waiting for operations that the queues do not show"),
                }
            }
            (Behaviour::Waits(queues), None) => {
                match self.some_of(slot, queues, *begun == Some(true) && is_listed(function)) {
                    true => (Doing::WaitsForSome, 1),
                    false => unknown("waiting for operations that the queues do not show"),
                }
            }
            _ => unknown("in a function of which it is not known what it waits for"),
        }
    }

    /// Adds what the rank's call waits for, as the debug DLL tells. How many these are.
    fn awaited(&mut self, slot: u32) -> u32 {
        let before = self.alternatives.len();
        self.operations(
            slot,
            &[Queue::Sends, Queue::Receives],
            |operation| operation.awaited == Some(true),
            &[],
        );
        (self.alternatives.len() - before) as u32
    }

    /// Adds what the rank's call may wait for, where only the function is known: it waits for one
    /// of these at least. Otherwise than `surely` the process may be on its way into the call
    /// or out of it, and what it is to wait for not among them. False if there is nothing.
    fn some_of(&mut self, slot: u32, queues: &[Queue], surely: bool) -> bool {
        let before = self.alternatives.len();
        let also: &[u32] = if surely { &[] } else { &[MOMENTARY] };
        self.operations(slot, queues, |operation| operation.awaited != Some(false), also);
        if !surely && queues.len() > 1 {
            // A wait may be for a nonblocking collective operation.
            let active: Vec<(u32, usize)> =
                active(&self.job.member(slot).process.communicators).collect();
            active.iter().for_each(|(index, number)| self.collective_on(slot, *index, *number));
        }
        self.alternatives.len() > before
    }

    /// Adds what a rank would wait for if it waited.
    fn pending(&mut self, slot: u32, queues: &[Queue]) {
        self.operations(slot, queues, |operation| operation.status == Status::Pending, &[UNKNOWN]);
    }

    fn operations(
        &mut self,
        slot: u32,
        queues: &[Queue],
        wanted: impl Fn(&Operation) -> bool,
        also: &[u32],
    ) {
        for (index, part) in (0..).zip(&self.job.member(slot).process.communicators) {
            for &queue in queues {
                for (place, operation) in
                    (0..).zip(part.queue(queue)).filter(|(_, operation)| wanted(operation))
                {
                    let (target, mut sources) = match queue {
                        _ if operation.status == Status::Complete
                            && operation.awaited != Some(true) =>
                        {
                            (None, vec![COMPLETE])
                        }
                        _ if operation.status != Status::Pending => (None, vec![FREE]),
                        Queue::Sends => self.send(slot, index, place, operation),
                        _ => self.receive(slot, index, place, operation),
                    };
                    sources.extend(also);
                    self.alternative(slot, What::Operation(index, queue, place), target, &sources);
                }
            }
        }
    }

    fn alternative(&mut self, slot: u32, what: What, target: Option<Target>, sources: &[u32]) {
        let node = self.graph.node(1);
        sources.iter().for_each(|source| self.graph.edge(*source, node));
        self.graph.edge(node, SPECIAL + slot);
        self.alternatives.push(Alternative { what, target, node });
    }

    /// A pending send comes true when its receiver moves, if its message is there.
    fn send(
        &self,
        slot: u32,
        index: u32,
        place: u32,
        operation: &Operation,
    ) -> (Option<Target>, Sources) {
        let at: Place = (slot, index, place);
        if operation.system_buffer {
            // The data are out of the program's hands.
            return (None, vec![FREE]);
        }
        match self.matching.whereabouts(at) {
            Whereabouts::Unexpected { message, surely } => {
                let mut sources = vec![SPECIAL + message.0];
                sources.extend((!surely).then_some(MOMENTARY));
                sources.extend(on_the_way(self.traffic.between(
                    self.job,
                    (slot, index),
                    (message.0, message.1),
                )));
                (Some(Target::Rank(message.0)), sources)
            }
            Whereabouts::Moving => (None, vec![FREE]),
            Whereabouts::Unknown => (None, vec![UNKNOWN]),
            Whereabouts::Nowhere => {
                let receiver =
                    self.job.peer(slot, index, operation).and_then(|rank| self.job.slot(rank));
                (receiver.map(Target::Rank), vec![MOMENTARY])
            }
        }
    }

    /// A pending receive comes true when its sender moves, or with a message that is on its way.
    fn receive(
        &self,
        slot: u32,
        index: u32,
        place: u32,
        operation: &Operation,
    ) -> (Option<Target>, Sources) {
        if self.matching.is_served((slot, index, place)) {
            return (None, vec![FREE]);
        }
        let comm = self.job.member(slot).comms[index as usize];
        match self.job.peer(slot, index, operation) {
            Some(-1) => {
                let mut sources = self.hubs_of(comm);
                let on_the_way = match self.job.comms[comm as usize].peers {
                    Peers::Own => on_the_way(self.traffic.to(self.job, (slot, index))),
                    _ => Some(TRAFFIC),
                };
                sources.extend(on_the_way);
                let has_ended = |slot: &u32| self.job.member(*slot).presence == Presence::Ended;
                sources.extend(
                    self.hub_members[comm as usize].iter().any(has_ended).then_some(MOMENTARY),
                );
                (Some(Target::Any(comm)), sources)
            }
            Some(rank) => {
                let Some(sender) = self.job.slot(rank) else { return (None, vec![UNKNOWN]) };
                if self.job.member(sender).presence == Presence::Ended {
                    // What it had sent before comes in soon.
                    return (Some(Target::Rank(sender)), vec![MOMENTARY]);
                }
                let id = self.job.part(slot, index).unique_id;
                let from = self.job.listed_by(sender, id);
                let traffic = from.map_or(OnTheWay::Unknown, |from| {
                    self.traffic.between(self.job, (sender, from), (slot, index))
                });
                (
                    Some(Target::Rank(sender)),
                    std::iter::once(SPECIAL + sender).chain(on_the_way(traffic)).collect(),
                )
            }
            None => (None, vec![UNKNOWN]),
        }
    }

    /// The hubs of all who may be peers of a communicator's ranks.
    fn hubs_of(&self, comm: u32) -> Sources {
        let hub = |comm: &u32| self.hubs[*comm as usize];
        match self.job.comms[comm as usize].peers {
            Peers::Own => vec![hub(&comm)],
            Peers::Other(other) => vec![hub(&comm), hub(&other)],
            Peers::Hidden | Peers::Unclear => {
                let mut hubs: Sources = self.job.same_id(comm).iter().map(hub).collect();
                if hubs.len() == 1 {
                    hubs.push(UNKNOWN);
                }
                hubs
            }
        }
    }

    /// Adds the collective operation that a rank is in, on the communicators where it may be. False
    /// if there is none.
    fn collective(&mut self, slot: u32, number: usize) -> bool {
        let parts: Vec<u32> = active(&self.job.member(slot).process.communicators)
            .filter(|(_, other)| *other == number)
            .map(|(index, _)| index)
            .collect();
        parts.iter().for_each(|index| self.collective_on(slot, *index, number));
        !parts.is_empty()
    }

    fn collective_on(&mut self, slot: u32, index: u32, number: usize) {
        let comm = self.job.member(slot).comms[index as usize];
        let peers = self.job.comms[comm as usize].peers;
        let calls = calls(self.job.part(slot, index), number);
        let what = What::Collective(index, number);
        let round = &self.rounds[&(comm, number)];
        let missing = calls.map(|calls| round.calls.partition_point(|(other, _)| *other < calls));
        let (target, mut sources) = match (calls, missing) {
            (Some(calls), Some(missing)) if missing > 0 => {
                if needs_all(number) && peers == Peers::Own {
                    (
                        Some(Target::All(comm, number, calls)),
                        vec![self.behind[&(comm, number, calls)]],
                    )
                } else {
                    (Some(Target::Any(comm)), self.hubs_of(comm))
                }
            }
            // Everybody has called it: it is about to end.
            (Some(_), _) if round.complete && peers == Peers::Own => (None, vec![FREE]),
            _ => (None, vec![UNKNOWN]),
        };
        if !synchronizes(number) || peers != Peers::Own {
            sources.push(MOMENTARY);
        }
        self.alternative(slot, what, target, &sources);
    }
}

/// The node that stands for what may be on its way.
fn on_the_way(traffic: OnTheWay) -> Option<u32> {
    match traffic {
        OnTheWay::None => None,
        OnTheWay::Some => Some(FREE),
        OnTheWay::Unknown => Some(TRAFFIC),
    }
}

/// The collective operations that a process is in: index of the communicator, number of the
/// function.
pub(super) fn active(parts: &[Communicator]) -> impl Iterator<Item = (u32, usize)> + '_ {
    (0..).zip(parts).flat_map(|(index, part)| {
        let known = part.collectives.iter().flatten().filter(|collective| collective.active);
        known.filter_map(move |collective| Some((index, number(&collective.function)?)))
    })
}

/// How often a process has called a collective operation; none if that is not known.
pub(super) fn calls(part: &Communicator, number: usize) -> Option<i64> {
    // Where some are not counted, those that are not listed may have been called all the same.
    let known = part
        .collectives
        .as_ref()
        .filter(|known| known.iter().all(|collective| collective.calls.is_some()))?;
    let of_it = known.iter().find(|collective| collective.function == COLLECTIVES[number]);
    of_it.map_or(Some(0), |collective| collective.calls)
}

fn number(function: &str) -> Option<usize> {
    COLLECTIVES.iter().position(|name| *name == function)
}

/// The collective operations that somebody is in.
fn rounds(job: &Job<'_>, members: &[Vec<u32>]) -> FxHashMap<(u32, usize), Round> {
    let mut rounds: FxHashMap<(u32, usize), Round> = FxHashMap::default();
    for member in &job.members {
        for (index, number) in active(&member.process.communicators) {
            let comm = member.comms[index as usize];
            rounds.entry((comm, number)).or_insert_with(|| {
                let listed = &job.comms[comm as usize].listed;
                let read =
                    listed.iter().filter(|(slot, _)| job.member(*slot).presence == Presence::Read);
                let known: Option<Vec<(i64, u32)>> = read
                    .map(|(slot, index)| Some((calls(job.part(*slot, *index), number)?, *slot)))
                    .collect();
                // Where some are not counted, those who seem to have made no call may not be
                // counted either.
                let mut known = known.unwrap_or_default();
                known.sort_unstable();
                let group = job.comms[comm as usize].group.map(crate::model::Group::len);
                let complete = group == Some(known.len() as i64)
                    && members[comm as usize].len() == known.len();
                Round { calls: known, complete }
            });
        }
    }
    rounds
}
