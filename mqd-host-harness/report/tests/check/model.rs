//! A small MPI on paper: programs of a few calls, the messages between their ranks, and every way
//! that a job can go.
//!
//! It knows nothing of wait-for graphs: whether a rank can ever go on is found by trying all
//! schedules.

use std::collections::{BTreeMap, HashSet, VecDeque};

use mqd_report::{
    Activity, Address, Collective, Communicator, Operation, Process, Status, Text, Traffic,
};

/// Random numbers, the same for the same seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((value ^ value >> 31) >> 16) as usize % bound
    }

    pub(crate) fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }
}

/// Communicators: all have all ranks.
pub(crate) const COMMS: [&str; 2] = ["MPI_COMM_WORLD", "copy"];

/// A call of a program. `None` as a source or tag: any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Call {
    Send { to: usize, comm: usize, tag: i64, synchronous: bool, blocking: bool },
    Receive { from: Option<usize>, comm: usize, tag: Option<i64>, blocking: bool },
    WaitAll,
    WaitAny,
    Barrier { comm: usize },
    Compute,
}

pub(crate) type Program = Vec<Vec<Call>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Message {
    /// The sender's request.
    request: usize,
    comm: usize,
    tag: i64,
    synchronous: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Request {
    call: Call,
    /// Posted, in the order of posting.
    posted: bool,
    complete: bool,
    /// Waited for: gone.
    gone: bool,
    /// Source and tag of what a receive has matched.
    matched: Option<(usize, i64)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Rank {
    next: usize,
    /// In the call `next`, which waits.
    inside: bool,
    requests: Vec<Request>,
    /// Source and message.
    unexpected: Vec<(usize, Message)>,
    barriers: [i64; COMMS.len()],
    sent: BTreeMap<(usize, usize), i64>,
    received: BTreeMap<(usize, usize), i64>,
}

/// A job between two steps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Job {
    ranks: Vec<Rank>,
    /// What has not left its sender, what is on its way, and what says that a synchronous message
    /// is matched: from, to.
    leaving: BTreeMap<(usize, usize), VecDeque<Message>>,
    on_the_way: BTreeMap<(usize, usize), VecDeque<Message>>,
    answers: Vec<(usize, usize)>,
}

/// Something that can happen next.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Rank(usize),
    Leave(usize, usize),
    Arrive(usize, usize),
    Answer(usize),
}

impl Job {
    pub(crate) fn new(program: &Program) -> Job {
        Job {
            ranks: vec![Rank::default(); program.len()],
            leaving: BTreeMap::new(),
            on_the_way: BTreeMap::new(),
            answers: Vec::new(),
        }
    }

    /// The call that a rank is at, and whether it is in there.
    pub(crate) fn place(&self, rank: usize) -> (usize, bool) {
        (self.ranks[rank].next, self.ranks[rank].inside)
    }

    pub(crate) fn has_ended(&self, program: &Program, rank: usize) -> bool {
        self.ranks[rank].next == program[rank].len()
    }

    pub(crate) fn steps(&self, program: &Program) -> Vec<Step> {
        let mut steps: Vec<Step> = (0..self.ranks.len())
            .filter(|rank| self.can_step(program, *rank))
            .map(Step::Rank)
            .collect();
        steps.extend(
            self.leaving
                .iter()
                .filter(|(_, queue)| !queue.is_empty())
                .map(|((from, to), _)| Step::Leave(*from, *to)),
        );
        steps.extend(
            self.on_the_way
                .iter()
                .filter(|(_, queue)| !queue.is_empty())
                .map(|((from, to), _)| Step::Arrive(*from, *to)),
        );
        steps.extend((0..self.answers.len()).map(Step::Answer));
        steps
    }

    pub(crate) fn take(&mut self, program: &Program, step: Step) {
        match step {
            Step::Rank(rank) => self.step(program, rank),
            Step::Leave(from, to) => {
                let message = self.leaving.get_mut(&(from, to)).unwrap().pop_front().unwrap();
                *self.ranks[from].sent.entry((message.comm, to)).or_default() += 1;
                self.ranks[from].requests[message.request].complete |= !message.synchronous;
                self.on_the_way.entry((from, to)).or_default().push_back(message);
            }
            Step::Arrive(from, to) => {
                let message = self.on_the_way.get_mut(&(from, to)).unwrap().pop_front().unwrap();
                *self.ranks[to].received.entry((message.comm, from)).or_default() += 1;
                let takes = |request: &Request| {
                    request.posted && request.matched.is_none() && fits(request.call, from, message)
                };
                match self.ranks[to].requests.iter().position(takes) {
                    Some(receive) => self.matched(to, receive, from, message),
                    None => self.ranks[to].unexpected.push((from, message)),
                }
            }
            Step::Answer(index) => {
                let (rank, request) = self.answers.swap_remove(index);
                self.answers.sort_unstable();
                self.ranks[rank].requests[request].complete = true;
            }
        }
    }

    fn matched(&mut self, rank: usize, receive: usize, from: usize, message: Message) {
        let request = &mut self.ranks[rank].requests[receive];
        request.matched = Some((from, message.tag));
        request.complete = true;
        if message.synchronous {
            self.answers.push((from, message.request));
            self.answers.sort_unstable();
        }
    }

    fn can_step(&self, program: &Program, rank: usize) -> bool {
        let at = &self.ranks[rank];
        let Some(call) = program[rank].get(at.next) else { return false };
        !at.inside || self.is_done(rank, *call)
    }

    /// Can the call that a rank is in return?
    fn is_done(&self, rank: usize, call: Call) -> bool {
        let at = &self.ranks[rank];
        let open = || at.requests.iter().filter(|request| !request.gone);
        match call {
            Call::Send { .. } | Call::Receive { .. } => at.requests.last().unwrap().complete,
            Call::WaitAll => open().all(|request| request.complete),
            Call::WaitAny => open().count() == 0 || open().any(|request| request.complete),
            Call::Barrier { comm } => {
                self.ranks.iter().all(|other| other.barriers[comm] >= at.barriers[comm])
            }
            Call::Compute => true,
        }
    }

    fn step(&mut self, program: &Program, rank: usize) {
        let call = program[rank][self.ranks[rank].next];
        if !self.ranks[rank].inside {
            self.enter(rank, call);
            self.ranks[rank].inside = true;
            let nonblocking = matches!(
                call,
                Call::Send { blocking: false, .. }
                    | Call::Receive { blocking: false, .. }
                    | Call::Compute
            );
            if !nonblocking {
                return;
            }
        } else {
            self.leave(rank, call);
        }
        self.ranks[rank].inside = false;
        self.ranks[rank].next += 1;
    }

    fn enter(&mut self, rank: usize, call: Call) {
        match call {
            Call::Send { to, comm, tag, synchronous, .. } => {
                let request = self.ranks[rank].requests.len();
                self.ranks[rank].requests.push(Request {
                    call,
                    posted: false,
                    complete: false,
                    gone: false,
                    matched: None,
                });
                self.leaving.entry((rank, to)).or_default().push_back(Message {
                    request,
                    comm,
                    tag,
                    synchronous,
                });
            }
            Call::Receive { .. } => {
                let receive = self.ranks[rank].requests.len();
                self.ranks[rank].requests.push(Request {
                    call,
                    posted: true,
                    complete: false,
                    gone: false,
                    matched: None,
                });
                let there = self.ranks[rank]
                    .unexpected
                    .iter()
                    .position(|(from, message)| fits(call, *from, *message));
                if let Some(place) = there {
                    let (from, message) = self.ranks[rank].unexpected.remove(place);
                    self.matched(rank, receive, from, message);
                }
            }
            Call::Barrier { comm } => self.ranks[rank].barriers[comm] += 1,
            Call::WaitAll | Call::WaitAny | Call::Compute => {}
        }
    }

    fn leave(&mut self, rank: usize, call: Call) {
        let requests = &mut self.ranks[rank].requests;
        match call {
            Call::Send { .. } | Call::Receive { .. } => requests.last_mut().unwrap().gone = true,
            Call::WaitAll => requests.iter_mut().for_each(|request| request.gone = true),
            Call::WaitAny => {
                let first = requests.iter_mut().find(|request| !request.gone && request.complete);
                first.into_iter().for_each(|request| request.gone = true);
            }
            Call::Barrier { .. } | Call::Compute => {}
        }
    }

    /// The ranks that leave their place on some path of the job. None if there are too many paths.
    pub(crate) fn can_go_on(&self, program: &Program, limit: usize) -> Option<Vec<bool>> {
        let mut goes = vec![false; self.ranks.len()];
        let mut seen = HashSet::from([self.clone()]);
        let mut waiting = vec![self.clone()];
        while let Some(job) = waiting.pop() {
            for (rank, goes) in goes.iter_mut().enumerate() {
                *goes |= job.place(rank) != self.place(rank);
            }
            for step in job.steps(program) {
                let mut next = job.clone();
                next.take(program, step);
                if seen.insert(next.clone()) {
                    waiting.push(next);
                }
            }
            if seen.len() > limit {
                return None;
            }
        }
        Some(goes)
    }

    /// What a dump shows of a rank.
    pub(crate) fn process(&self, program: &Program, rank: usize) -> Process {
        let at = &self.ranks[rank];
        let call = program[rank].get(at.next).filter(|_| at.inside);
        let (function, needed) = self.function(program, rank, call);
        Process {
            rank: Some(rank as i64),
            pid: Some(1000 + rank as u32),
            activity: Some(Activity {
                function: function.map(Text::from),
                needed,
                concurrent: Some(false),
                ..Activity::NONE
            }),
            communicators: (0..COMMS.len())
                .map(|comm| self.communicator(rank, call, comm))
                .collect(),
            ..Process::default()
        }
    }

    /// The MPI function that a rank is in, and how many operations it waits for.
    fn function(
        &self,
        program: &Program,
        rank: usize,
        call: Option<&Call>,
    ) -> (Option<&'static str>, Option<i64>) {
        let requests = &self.ranks[rank].requests;
        let open = requests.iter().filter(|request| !request.gone).count() as i64;
        match call {
            None if self.has_ended(program, rank) => (Some("MPI_Finalize"), None),
            None | Some(Call::Compute) => (None, None),
            Some(Call::Send { synchronous: true, .. }) => (Some("MPI_Ssend"), Some(1)),
            Some(Call::Send { .. }) => (Some("MPI_Send"), Some(1)),
            Some(Call::Receive { .. }) => (Some("MPI_Recv"), Some(1)),
            Some(Call::WaitAll) => (Some("MPI_Waitall"), Some(open)),
            Some(Call::WaitAny) => (Some("MPI_Waitany"), Some(open.min(1))),
            Some(Call::Barrier { .. }) => (Some("MPI_Barrier"), None),
        }
    }

    /// What a dump shows of a communicator of a rank, which is in the call `call`.
    fn communicator(&self, rank: usize, call: Option<&Call>, comm: usize) -> Communicator {
        let at = &self.ranks[rank];
        let active = matches!(call, Some(Call::Barrier { comm: on }) if *on == comm);
        let mut part = Communicator {
            unique_id: Address(comm as u64),
            name: COMMS[comm].into(),
            size: self.ranks.len() as i64,
            local_rank: rank as i64,
            group: Some((0..self.ranks.len() as i64).collect()),
            parent: None,
            remote_group: None,
            pending_sends: Vec::new(),
            pending_receives: Vec::new(),
            unexpected_messages: at.unexpected_messages(comm),
            collectives: Some(at.collectives(comm, active)),
            traffic: Some(at.traffic(comm, self.ranks.len())),
            not_known: Vec::new(),
        };
        let awaits_all = matches!(call, Some(Call::WaitAll | Call::WaitAny));
        let awaits_last = matches!(call, Some(Call::Send { .. } | Call::Receive { .. }));
        let requests = at.requests.iter().enumerate().filter(|(_, request)| !request.gone);
        for (index, request) in requests {
            let Some(mut operation) = request.operation(comm) else { continue };
            let is_last = index + 1 == at.requests.len();
            operation.awaited = Some(awaits_all || awaits_last && is_last);
            let queue = match request.call {
                Call::Send { .. } => &mut part.pending_sends,
                _ => &mut part.pending_receives,
            };
            queue.push(operation);
        }
        part
    }
}

impl Request {
    /// What a dump shows of it, if it belongs to this communicator.
    fn operation(&self, comm: usize) -> Option<Operation> {
        let mut operation = match self.call {
            Call::Send { to, comm: on, tag, synchronous, .. } if on == comm => {
                let function = if synchronous { "MPI_Issend" } else { "MPI_Isend" };
                operation(Some(to), Some(tag), &[function, "protocol: eager"])
            }
            Call::Receive { from, comm: on, tag, .. } if on == comm => {
                let mut receive = operation(from, tag, &["MPI_Irecv"]);
                let (source, tag) = self.matched.unzip();
                receive.actual_local_rank = source.map(|source| source as i64);
                receive.actual_global_rank = receive.actual_local_rank;
                receive.actual_tag = tag;
                receive.actual_length = tag.map(|_| 4);
                receive
            }
            _ => return None,
        };
        operation.status = if self.complete { Status::Complete } else { Status::Pending };
        Some(operation)
    }
}

impl Rank {
    fn unexpected_messages(&self, comm: usize) -> Vec<Operation> {
        let of_this = self.unexpected.iter().filter(|(_, message)| message.comm == comm);
        let shown = of_this.map(|(from, message)| {
            let mode = match message.synchronous {
                true => "send mode: synchronous",
                false => "send mode: standard",
            };
            operation(Some(*from), Some(message.tag), &[mode, "protocol: eager"])
        });
        shown.collect()
    }

    /// The collective operations that it has called. `active`: it is in one.
    fn collectives(&self, comm: usize, active: bool) -> Vec<Collective> {
        match self.barriers[comm] {
            0 => Vec::new(),
            calls => {
                vec![Collective { function: "MPI_Barrier".into(), calls: Some(calls), active }]
            }
        }
    }

    /// The numbers of messages to and from each of `ranks` peers.
    fn traffic(&self, comm: usize, ranks: usize) -> Vec<Traffic> {
        let count = |counts: &BTreeMap<(usize, usize), i64>, peer| {
            counts.get(&(comm, peer)).copied().unwrap_or(0)
        };
        let traffic = (0..ranks).map(|peer| Traffic {
            local_rank: peer as i64,
            sent: count(&self.sent, peer),
            received: count(&self.received, peer),
        });
        traffic.filter(|peer| (peer.sent, peer.received) != (0, 0)).collect()
    }
}

fn fits(receive: Call, from: usize, message: Message) -> bool {
    match receive {
        Call::Receive { from: source, comm, tag, .. } => {
            comm == message.comm
                && source.is_none_or(|source| source == from)
                && tag.is_none_or(|tag| tag == message.tag)
        }
        _ => false,
    }
}

/// A pending operation or an unexpected message of 4 bytes; `None`: any.
pub(crate) fn operation(peer: Option<usize>, tag: Option<i64>, lines: &[&str]) -> Operation {
    let peer = peer.map_or(-1, |peer| peer as i64);
    Operation {
        status: Status::Pending,
        desired_local_rank: peer,
        desired_global_rank: Some(peer),
        tag_wild: tag.is_none(),
        desired_tag: tag,
        desired_length: 4,
        system_buffer: false,
        buffer: Address(0x1000),
        actual_local_rank: Some(peer),
        actual_global_rank: Some(peer),
        actual_tag: tag,
        actual_length: Some(4),
        awaited: None,
        extra_text: lines.iter().map(|line| (*line).to_owned()).collect(),
    }
}

/// A random program of a few calls for each rank. It ends with a wait for what is open.
pub(crate) fn program(random: &mut Random) -> Program {
    let ranks = 2 + random.below(3);
    (0..ranks)
        .map(|_| {
            let mut calls: Vec<Call> = (0..1 + random.below(if ranks == 4 { 2 } else { 4 }))
                .map(|_| call(random, ranks))
                .collect();
            let open = |call: &Call| {
                matches!(
                    call,
                    Call::Send { blocking: false, .. } | Call::Receive { blocking: false, .. }
                )
            };
            if calls.iter().any(open) {
                calls.push(if random.percent(60) { Call::WaitAll } else { Call::WaitAny });
            }
            calls
        })
        .collect()
}

fn call(random: &mut Random, ranks: usize) -> Call {
    let comm = usize::from(random.percent(20));
    let tag = random.below(2) as i64;
    let peer = random.below(ranks);
    match random.below(100) {
        0..35 => Call::Send {
            to: peer,
            comm,
            tag,
            synchronous: random.percent(75),
            blocking: random.percent(50),
        },
        35..80 => {
            let (from, tag) =
                (random.percent(70).then_some(peer), random.percent(70).then_some(tag));
            Call::Receive { from, comm, tag, blocking: random.percent(55) }
        }
        80..85 => Call::WaitAny,
        85..95 => Call::Barrier { comm },
        _ => Call::Compute,
    }
}
