//! The state of an Open MPI process as a test thinks of it.

use super::structures::Series;
use super::writer::header_bytes;
use crate::support::machine::Layouts;
use crate::support::random::Random;
use crate::support::session::{DumpedCommunicator, Op};
use mqs_abi::*;

#[derive(Clone, Debug)]
pub struct Model {
    pub series: Series,
    pub rank: i64,
    /// World ranks whose process has no object: the pointer holds the name.
    pub strangers: Vec<i64>,
    /// In the array's order; the first is `MPI_COMM_WORLD`. None: a free place.
    pub communicators: Vec<Option<Communicator>>,
    /// In the order of posting.
    pub receives: Vec<Receive>,
    /// In the order of starting.
    pub sends: Vec<Send>,
    /// Bytes before everything else: they move it across the pages.
    pub start: usize,
    /// Elements of the first slab and of the others.
    pub slabs: (usize, usize),
    /// The free lists are being grown: they have one more slab, whose elements are not counted.
    pub growing: bool,
    /// The sequence number of the first receive of a communicator, and of the first message to a
    /// peer.
    pub first_sequence: (u32, u16),
    /// The class of the requests: that of another PML.
    pub request_class: Option<&'static str>,
    /// The selected PML.
    pub pml: &'static str,
    /// MPI_Init was not called: `MPI_COMM_NULL` stands where the world would be.
    pub sessions: bool,
    /// `ompi_mpi_state`.
    pub state: i64,
    pub version: &'static str,
    /// `ompi_mpi_thread_multiple`; None: the symbol is not there.
    pub threads: Option<bool>,
    /// How many requests the function that waits has to see complete yet; None: its counter cannot
    /// be read.
    pub count: Option<i64>,
    /// Requests that are made of others, each after those.
    pub composed: Vec<Composed>,
}

/// A request that is made of others.
#[derive(Clone, Debug)]
pub enum Composed {
    /// A nonblocking collective operation, with what is left of its round.
    Collective(Vec<Part>),
    /// The same, of which a function waits that has a counter.
    Counted(Vec<Part>),
    /// A function that makes a communicator, with what is left of each step.
    Communicator(Vec<Vec<Part>>),
}

/// A part of such a request, by its index in the model.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    Receive(usize),
    Send(usize),
    Composed(usize),
}

#[derive(Clone, Debug)]
pub struct Communicator {
    pub name: Vec<u8>,
    pub named: bool,
    pub invalid: bool,
    pub local: Group,
    pub remote: Option<Group>,
    /// The communicator of this place is the local one of this intercommunicator.
    pub internal: Option<usize>,
    pub my_rank: i64,
    pub last_probed: u64,
    /// Messages may overtake each other.
    pub overtaking: bool,
    /// Made of a group, in 5.0: its context id. Its place may differ between the processes then.
    pub context: Option<[u8; 16]>,
    /// From each sender in order, the senders in any.
    pub unexpected: Vec<Message>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// World ranks; -1 is a process of another job.
    Dense(Vec<i64>),
    /// Ranks of the parent: the first, and the step to the next.
    Strided(Box<Group>, i64, i64, usize),
    /// Ranges of ranks of the parent: the first, and how many.
    Sporadic(Box<Group>, Vec<(i64, i64)>),
    /// Ranks of the parent in rising order.
    Bitmap(Box<Group>, Vec<i64>),
}

impl Group {
    pub fn world_ranks(&self) -> Vec<i64> {
        match self {
            Self::Dense(ranks) => ranks.clone(),
            Self::Strided(parent, first, step, count) => {
                let parent = parent.world_ranks();
                (0..*count as i64).map(|i| parent[(first + i * step) as usize]).collect()
            }
            Self::Sporadic(parent, ranges) => {
                let parent = parent.world_ranks();
                ranges
                    .iter()
                    .flat_map(|(first, count)| *first..first + count)
                    .map(|i| parent[i as usize])
                    .collect()
            }
            Self::Bitmap(parent, ranks) => {
                let parent = parent.world_ranks();
                ranks.iter().map(|rank| parent[*rank as usize]).collect()
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// On no list, not active.
    Inactive,
    Pending,
    Matched,
    Complete,
    Cancelled,
}

#[derive(Clone, Debug)]
pub struct Receive {
    pub communicator: usize,
    pub progress: Progress,
    /// -1: any.
    pub source: i64,
    /// -1: any.
    pub tag: i64,
    pub buffer: u64,
    pub count: u64,
    pub datatype: usize,
    /// Source, tag, length; once it has matched.
    pub message: (i64, i64, u64),
    pub persistent: bool,
    pub freed: bool,
    pub kind: ReceiveKind,
    /// A thread waits for it.
    pub awaited: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiveKind {
    Receive,
    /// In the stack of MPI_Probe.
    Probe,
    MatchingProbe,
}

#[derive(Clone, Debug)]
pub struct Send {
    pub communicator: usize,
    pub progress: Progress,
    pub destination: i64,
    pub tag: i64,
    pub buffer: u64,
    /// Where a buffered send has its data.
    pub copy: Option<u64>,
    pub count: u64,
    pub datatype: usize,
    pub length: u64,
    /// 0 synchronous, 2 buffered, 3 ready, 4 standard.
    pub mode: i64,
    pub persistent: bool,
    pub freed: bool,
    /// Has the library finished with it?
    pub done: bool,
    pub awaited: bool,
}

#[derive(Clone, Debug)]
pub struct Message {
    pub source: i64,
    pub tag: i64,
    pub length: u64,
    pub rendezvous: bool,
    /// Came before an earlier one of its sender.
    pub early: bool,
    /// Belongs to a communicator that the process is still making.
    pub foreign: bool,
}

/// Names and sizes of the datatypes that operations refer to.
pub const DATATYPES: [(&str, u64); 3] = [("MPI_INT", 4), ("MPI_DOUBLE", 8), ("", 12)];

/// Where an eager message is, its header first.
pub const DATA: u64 = 0x5555_0000;

impl Communicator {
    pub fn new(name: &str, my_rank: i64, world_ranks: Vec<i64>) -> Self {
        Self {
            name: name.as_bytes().to_vec(),
            named: true,
            invalid: false,
            local: Group::Dense(world_ranks),
            remote: None,
            internal: None,
            my_rank,
            last_probed: 0,
            overtaking: false,
            context: None,
            unexpected: Vec::new(),
        }
    }

    pub fn peers(&self) -> Vec<i64> {
        self.remote.as_ref().unwrap_or(&self.local).world_ranks()
    }
}

impl Receive {
    pub fn new(communicator: usize, source: i64, tag: i64) -> Self {
        Self {
            communicator,
            progress: Progress::Pending,
            source,
            tag,
            buffer: 0x1234_5678,
            count: 10,
            datatype: 0,
            message: (-1, -1, 0),
            persistent: false,
            freed: false,
            kind: ReceiveKind::Receive,
            awaited: false,
        }
    }
}

impl Send {
    pub fn new(communicator: usize, destination: i64, tag: i64) -> Self {
        Self {
            communicator,
            progress: Progress::Pending,
            destination,
            tag,
            buffer: 0x2345_6780,
            copy: None,
            count: 3,
            datatype: 1,
            length: 24,
            mode: 4,
            persistent: false,
            freed: false,
            done: false,
            awaited: false,
        }
    }
}

impl Message {
    pub fn new(source: i64, tag: i64) -> Self {
        Self { source, tag, length: 16, rendezvous: false, early: false, foreign: false }
    }
}

impl Model {
    /// Rank `rank` of a world of `size`, idle.
    pub fn world(rank: i64, size: i64) -> Self {
        let mut null = Communicator::new("MPI_COMM_NULL", -2, Vec::new());
        null.last_probed = 0;
        Self {
            series: Series::Four,
            rank,
            strangers: Vec::new(),
            communicators: vec![
                Some(Communicator::new("MPI_COMM_WORLD", rank, (0..size).collect())),
                Some(Communicator::new("MPI_COMM_SELF", 0, vec![rank])),
                Some(null),
            ],
            receives: Vec::new(),
            sends: Vec::new(),
            start: 0,
            slabs: (4, 64),
            growing: false,
            first_sequence: (0, 1),
            threads: None,
            count: None,
            composed: Vec::new(),
            request_class: None,
            pml: "ob1",
            sessions: false,
            state: 2,
            version: "4.1.4",
        }
    }

    /// What a dump has to show.
    pub fn expected(&self, layouts: &Layouts) -> Vec<DumpedCommunicator> {
        let hidden: Vec<usize> =
            self.communicators.iter().flatten().filter_map(|c| c.internal).collect();
        let mut dump = Vec::new();
        for (place, communicator) in self.communicators.iter().enumerate() {
            let Some(communicator) = communicator else { continue };
            let group = communicator.local.world_ranks();
            if communicator.invalid || group.is_empty() || hidden.contains(&place) {
                continue;
            }
            let peers = communicator.peers();
            let own = |c: usize, tag: i64| c == place && tag >= -1;
            let receives =
                self.receives.iter().filter(|r| own(r.communicator, r.tag) && r.is_shown());
            let (pending, matched): (Vec<_>, Vec<_>) =
                receives.partition(|r| r.progress == Progress::Pending);
            let sends = self.sends.iter().filter(|s| own(s.communicator, s.tag) && s.tag >= 0);
            let mut sends: Vec<_> = sends
                .filter(|s| s.progress != Progress::Inactive && !(s.freed && s.done))
                .collect();
            sends.sort_by_key(|send| send.destination);
            dump.push(DumpedCommunicator {
                unique_id: place as u64,
                local_rank: communicator.my_rank,
                size: group.len() as i64,
                name: if communicator.named { communicator.name.clone() } else { Vec::new() },
                group: group.iter().map(|rank| *rank as i32).collect(),
                sends: sends.into_iter().map(|send| send.shown(&peers)).collect(),
                receives: matched
                    .into_iter()
                    .chain(pending)
                    .map(|receive| receive.shown(&peers))
                    .collect(),
                unexpected: in_turns(communicator, &peers, DATA + header_bytes(layouts)),
            });
        }
        dump
    }
}

fn world_rank(peers: &[i64], rank: i64) -> i64 {
    if rank < 0 { -1 } else { peers[rank as usize] }
}

fn elements(count: u64, datatype: usize) -> String {
    match DATATYPES[datatype] {
        ("", size) => format!("{count} x a datatype of {size} bytes"),
        (name, _) => format!("{count} x {name}"),
    }
}

fn note(cancelled: bool, freed: bool, persistent: bool) -> Option<String> {
    if cancelled {
        Some("cancelled".into())
    } else if freed {
        Some("the program has freed its request".into())
    } else {
        persistent.then(|| "persistent request".into())
    }
}

impl Receive {
    fn is_shown(&self) -> bool {
        let taken = self.kind != ReceiveKind::Receive && self.progress != Progress::Pending;
        self.progress != Progress::Inactive && !taken
    }

    fn shown(&self, peers: &[i64]) -> Op {
        let probe = self.kind != ReceiveKind::Receive;
        let (source, tag, length) = match self.progress {
            Progress::Matched | Progress::Complete => self.message,
            _ => (-1, 0, 0),
        };
        let mut extra_text = Vec::new();
        if probe {
            extra_text.push("waits for a message, receives nothing".to_owned());
        } else {
            extra_text.push(elements(self.count, self.datatype));
        }
        extra_text.extend(note(self.progress == Progress::Cancelled, self.freed, self.persistent));
        Op {
            status: match self.progress {
                Progress::Pending => mqs_st_pending,
                Progress::Matched => mqs_st_matched,
                _ => mqs_st_complete,
            },
            desired_local_rank: self.source,
            desired_global_rank: world_rank(peers, self.source),
            tag_wild: (self.tag == -1).into(),
            desired_tag: self.tag.max(0),
            desired_length: if probe {
                0
            } else {
                (self.count * DATATYPES[self.datatype].1) as i64
            },
            system_buffer: 0,
            buffer: if probe { 0 } else { self.buffer },
            actual_local_rank: source,
            actual_global_rank: world_rank(peers, source),
            actual_tag: tag,
            actual_length: length as i64,
            extra_text,
        }
    }
}

impl Send {
    fn shown(&self, peers: &[i64]) -> Op {
        let mode = ["synchronous", "standard", "buffered", "ready", "standard"][self.mode as usize];
        let mut extra_text =
            vec![elements(self.count, self.datatype), format!("send mode: {mode}")];
        extra_text.extend(note(self.progress == Progress::Cancelled, self.freed, self.persistent));
        let data = self.copy.filter(|_| self.mode == 2).unwrap_or(self.buffer);
        let goes_on = self.freed || (self.mode == 2 && !self.done);
        Op {
            status: match self.progress {
                Progress::Matched => mqs_st_matched,
                Progress::Complete | Progress::Cancelled if !goes_on => mqs_st_complete,
                _ => mqs_st_pending,
            },
            desired_local_rank: self.destination,
            desired_global_rank: world_rank(peers, self.destination),
            tag_wild: 0,
            desired_tag: self.tag,
            desired_length: self.length as i64,
            system_buffer: (data != self.buffer).into(),
            buffer: data,
            actual_local_rank: self.destination,
            actual_global_rank: world_rank(peers, self.destination),
            actual_tag: self.tag,
            actual_length: self.length as i64,
            extra_text,
        }
    }
}

/// The messages as receives from any source would take them, one after the other.
fn in_turns(communicator: &Communicator, peers: &[i64], data: u64) -> Vec<Op> {
    let mut left: Vec<&Message> =
        communicator.unexpected.iter().filter(|message| message.tag >= 0).collect();
    let (mut shown, mut next) = (Vec::new(), communicator.last_probed as i64 + 1);
    while !left.is_empty() {
        let sender = next % peers.len() as i64;
        if let Some(at) = left.iter().position(|message| message.source == sender) {
            let message = left.remove(at);
            let protocol =
                if message.rendezvous { "protocol: rendezvous" } else { "protocol: eager" };
            let mut extra_text = vec![protocol.to_owned()];
            if message.early {
                extra_text.push("came early: an earlier message of its sender is missing".into());
            }
            shown.push(Op {
                status: mqs_st_pending,
                desired_local_rank: sender,
                desired_global_rank: world_rank(peers, sender),
                tag_wild: 0,
                desired_tag: message.tag,
                desired_length: message.length as i64,
                system_buffer: 1,
                buffer: if message.rendezvous { 0 } else { data },
                actual_local_rank: sender,
                actual_global_rank: world_rank(peers, sender),
                actual_tag: message.tag,
                actual_length: message.length as i64,
                extra_text,
            });
        }
        next += 1;
    }
    shown
}

/// A model with a bit of everything. Its values fit a machine of 32 bits.
pub fn random(seed: u64, series: Series) -> Model {
    let mut random = Random::new(seed ^ 0x0B1);
    let size = 2 + random.below(20);
    let mut model = Model::world(random.below(size) as i64, size as i64);
    model.series = series;
    model.version = if series == Series::Four { "4.1.4" } else { "5.0.7" };
    model.slabs = (1 + random.below(5), 1 + random.below(9));
    model.first_sequence = random.pick(&[(0, 1), (u32::MAX - 3, u16::MAX - 2), (1 << 31, 1 << 15)]);
    model.strangers =
        (0..size as i64).filter(|rank| *rank != model.rank && random.below(2) == 0).collect();
    for _ in 0..random.below(6) {
        if random.below(4) == 0 {
            model.communicators.push(None);
            continue;
        }
        let local = random_group(&mut random, size, 0);
        let mut communicator =
            Communicator::new(random.pick(&["ring", "größer", ""]), 0, Vec::new());
        communicator.my_rank = random.below(local.world_ranks().len()) as i64;
        communicator.local = local;
        communicator.named = random.below(3) != 0;
        if random.below(3) == 0 {
            communicator.remote = Some(random_group(&mut random, size, 0));
            communicator.internal = Some(model.communicators.len() + 1);
        }
        let internal = communicator.internal.is_some();
        model.communicators.push(Some(communicator));
        if internal {
            model.communicators.push(Some(Communicator::new("", 0, vec![model.rank])));
        }
    }
    let used: Vec<usize> = (0..model.communicators.len()).filter(|place| *place != 2).collect();
    let used: Vec<usize> =
        used.into_iter().filter(|place| model.communicators[*place].is_some()).collect();
    for _ in 0..random.below(30) {
        let place = random.pick(&used);
        let peers = model.communicators[place].as_ref().expect("is used").peers().len();
        let receive = random_receive(&mut random, place, peers);
        model.receives.push(receive);
    }
    for _ in 0..random.below(30) {
        let place = random.pick(&used);
        let peers = model.communicators[place].as_ref().expect("is used").peers().len();
        let send = random_send(&mut random, place, peers);
        model.sends.push(send);
    }
    for place in used {
        let communicator = model.communicators[place].as_mut().expect("is used");
        let peers = communicator.peers().len();
        communicator.last_probed = random.below(peers) as u64;
        let mut early = vec![false; peers];
        for _ in 0..random.below(8) {
            let source = random.below(peers);
            early[source] |= random.below(4) == 0;
            communicator.unexpected.push(Message {
                source: source as i64,
                tag: random.pick(&[0, 1, 1 << 30, -10]),
                length: random.below(1 << 30) as u64,
                rendezvous: random.below(2) == 0,
                early: early[source],
                foreign: false,
            });
        }
    }
    model
}

fn random_group(random: &mut Random, world: usize, depth: u32) -> Group {
    if depth == 3 || random.below(2) == 0 {
        let mut ranks: Vec<i64> = (0..world as i64).collect();
        random.shuffle(&mut ranks);
        ranks.truncate(1 + random.below(world));
        if random.below(4) == 0 {
            ranks[0] = -1;
        }
        return Group::Dense(ranks);
    }
    let parent = random_group(random, world, depth + 1);
    let size = parent.world_ranks().len();
    let parent = Box::new(parent);
    match random.below(3) {
        0 => {
            let (first, step) = (random.below(size), 1 + random.below(3));
            Group::Strided(parent, first as i64, step as i64, (size - first).div_ceil(step))
        }
        1 => {
            let first = random.below(size);
            let mut ranges = vec![(first as i64, (1 + random.below(size - first)) as i64)];
            if first > 0 {
                ranges.push((0, 1 + random.below(first) as i64));
            }
            Group::Sporadic(parent, ranges)
        }
        _ => {
            let mut ranks: Vec<i64> = (0..size as i64).filter(|_| random.below(2) == 0).collect();
            if ranks.is_empty() {
                ranks.push(size as i64 - 1);
            }
            Group::Bitmap(parent, ranks)
        }
    }
}

fn random_receive(random: &mut Random, communicator: usize, peers: usize) -> Receive {
    use Progress::*;
    Receive {
        progress: random.pick(&[Inactive, Pending, Pending, Pending, Matched, Complete, Cancelled]),
        buffer: random.below(1 << 31) as u64,
        count: random.below(1 << 20) as u64,
        datatype: random.below(DATATYPES.len()),
        message: (
            random.below(peers) as i64,
            random.below(1 << 30) as i64,
            random.below(1 << 30) as u64,
        ),
        persistent: random.below(3) == 0,
        freed: random.below(9) == 0,
        kind: random.pick(&[
            ReceiveKind::Receive,
            ReceiveKind::Receive,
            ReceiveKind::Receive,
            ReceiveKind::Probe,
            ReceiveKind::MatchingProbe,
        ]),
        awaited: random.below(3) == 0,
        ..Receive::new(
            communicator,
            random.below(peers + 1) as i64 - 1,
            random.pick(&[-1, 0, 7, 1 << 30, -27]),
        )
    }
    .consistent()
}

impl Receive {
    /// A probe on the stack is there while it waits, and what has been given up is gone once it is
    /// complete.
    fn consistent(mut self) -> Self {
        if self.kind == ReceiveKind::Probe {
            self.progress = Progress::Pending;
            (self.persistent, self.freed) = (false, false);
        }
        if self.progress == Progress::Cancelled {
            (self.freed, self.kind) = (false, ReceiveKind::Receive);
        }
        self.freed &= !matches!(self.progress, Progress::Complete | Progress::Inactive);
        self
    }
}

fn random_send(random: &mut Random, communicator: usize, peers: usize) -> Send {
    use Progress::*;
    let progress = random.pick(&[Inactive, Pending, Pending, Matched, Complete]);
    Send {
        progress,
        buffer: random.below(1 << 31) as u64,
        copy: (random.below(2) == 0).then(|| random.below(1 << 31) as u64),
        count: random.below(1 << 20) as u64,
        datatype: random.below(DATATYPES.len()),
        length: random.below(1 << 30) as u64,
        mode: random.pick(&[0, 2, 3, 4]),
        persistent: progress != Matched && random.below(3) == 0,
        freed: random.below(6) == 0,
        done: progress == Complete && random.below(2) == 0,
        awaited: random.below(3) == 0,
        ..Send::new(
            communicator,
            random.below(peers) as i64,
            random.pick(&[0, 5, 1 << 30, -1, -27]),
        )
    }
}
