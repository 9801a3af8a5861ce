//! What is in the queues of the scenario: a C program whose state is known from its source.
//!
//! The program says who it is and where its buffers are in a variable of its own. So the truth does
//! not depend on any debug DLL.

use mqd_inspect::process::Target;
use mqd_report::Queue;

/// The source of the scenario, for the compiler of any MPI library.
pub const SOURCE: &str = include_str!("scenario.c");

const SYMBOL: &str = "mqd_conform_scenario";
const MAGIC: u64 = 0x6d71_6463_6f6e_6631;
const VERSION: u64 = 1;
const BUFFERS_AT: u64 = 5;
const LARGE: i64 = 4 << 20;

/// A communicator of the scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comm {
    World,
    Own,
    Copy,
    Control,
    Reversed,
    Pair,
}

impl Comm {
    pub(super) const ALL: [Comm; 6] =
        [Comm::World, Comm::Own, Comm::Copy, Comm::Control, Comm::Reversed, Comm::Pair];

    /// The name that the program or MPI has given to it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Comm::World => "MPI_COMM_WORLD",
            Comm::Own => "MPI_COMM_SELF",
            Comm::Copy => "conform copy",
            Comm::Control => "conform control",
            Comm::Reversed => "conform reversed",
            Comm::Pair => "conform pair",
        }
    }

    /// Its ranks in `MPI_COMM_WORLD`; none if this process is not a member.
    fn group(self, rank: i64) -> Vec<i64> {
        match self {
            Comm::World | Comm::Copy | Comm::Control => vec![0, 1, 2],
            Comm::Own => vec![rank],
            Comm::Reversed => vec![2, 1, 0],
            Comm::Pair if rank > 0 => vec![1, 2],
            Comm::Pair => Vec::new(),
        }
    }
}

/// An operation or message that must be in a queue.
#[derive(Clone, Debug)]
pub(super) struct Expected {
    pub(super) comm: Comm,
    pub(super) queue: Queue,
    pub(super) complete: bool,
    /// None: `MPI_ANY_SOURCE`.
    pub(super) peer: Option<i64>,
    /// The same process in `MPI_COMM_WORLD`.
    pub(super) global_peer: Option<i64>,
    /// None: `MPI_ANY_TAG`.
    pub(super) tag: Option<i64>,
    pub(super) length: i64,
    /// Where the program has the data; None for a message.
    pub(super) buffer: Option<u64>,
    /// The message that a complete receive has got: tag and length.
    pub(super) actual: Option<(i64, i64)>,
}

impl Expected {
    /// For people.
    pub(super) fn described(&self) -> String {
        let what = match self.queue {
            Queue::Sends => "send to",
            Queue::Receives => "receive from",
            Queue::Unexpected => "message from",
        };
        let peer = self.peer.map_or("any source".to_owned(), |peer| format!("rank {peer}"));
        let tag = self.tag.map_or("any tag".to_owned(), |tag| format!("tag {tag}"));
        format!("{what} {peer}, {tag}, {} bytes, on {}", self.length, self.comm.name())
    }
}

/// A communicator that must be listed.
#[derive(Clone, Debug)]
pub(super) struct ExpectedComm {
    pub(super) comm: Comm,
    pub(super) group: Vec<i64>,
    pub(super) local_rank: i64,
}

/// What is true of one process.
#[derive(Clone, Debug)]
pub(super) struct Truth {
    pub(super) rank: i64,
    pub(super) communicators: Vec<ExpectedComm>,
    /// In the order in which the program has started them.
    pub(super) operations: Vec<Expected>,
}

/// Why a process has no truth.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotTheScenario {
    #[error("it is not the scenario that `mqd conform --scenario` prints")]
    Another,
    #[error("it is the scenario of another version of mqd: compile it anew")]
    Version,
    #[error("the scenario is not ready: rank 0 prints \"ready\"")]
    NotReady,
}

impl Truth {
    /// Reads who the process is.
    pub(super) fn of(target: &Target) -> Result<Truth, NotTheScenario> {
        let symbol = target.find_symbol(SYMBOL).ok_or(NotTheScenario::Another)?;
        let word = |place: u64| target.read_unsigned(symbol.address + 8 * place, 8).unwrap_or(0);
        if word(0) != MAGIC {
            return Err(NotTheScenario::NotReady);
        }
        if word(1) != VERSION {
            return Err(NotTheScenario::Version);
        }
        if word(2) == 0 {
            return Err(NotTheScenario::NotReady);
        }
        let rank = word(3).cast_signed();
        let buffer = |place: usize| word(BUFFERS_AT + place as u64);
        Ok(Truth::of_rank(rank, &buffer))
    }

    fn of_rank(rank: i64, buffer: &dyn Fn(usize) -> u64) -> Truth {
        let communicators = Comm::ALL.iter().filter_map(|comm| {
            let group = comm.group(rank);
            let local_rank = group.iter().position(|member| *member == rank)?;
            Some(ExpectedComm { comm: *comm, group, local_rank: local_rank as i64 })
        });
        let queues = Queues { rank, buffer };
        let operations = match rank {
            0 => queues.of_rank_0(),
            1 => queues.of_rank_1(),
            _ => queues.of_rank_2(),
        };
        Truth { rank, communicators: communicators.collect(), operations }
    }
}

/// The source of the scenario in other words: what each rank has started and not finished, and
/// which messages have come to it.
struct Queues<'a> {
    rank: i64,
    buffer: &'a dyn Fn(usize) -> u64,
}

impl Queues<'_> {
    fn operation(
        &self,
        (comm, queue): (Comm, Queue),
        (peer, tag, length): (Option<i64>, Option<i64>, i64),
    ) -> Expected {
        let member = |peer: i64| comm.group(self.rank).get(usize::try_from(peer).ok()?).copied();
        Expected {
            comm,
            queue,
            complete: false,
            peer,
            global_peer: peer.and_then(member),
            tag,
            length,
            buffer: None,
            actual: None,
        }
    }

    fn at(&self, place: usize, operation: Expected) -> Expected {
        Expected { buffer: Some((self.buffer)(place)), ..operation }
    }

    fn receive(
        &self,
        place: usize,
        length: i64,
        peer: Option<i64>,
        tag: Option<i64>,
        comm: Comm,
    ) -> Expected {
        self.at(place, self.operation((comm, Queue::Receives), (peer, tag, length)))
    }

    fn send(&self, place: usize, length: i64, to: i64, tag: i64, comm: Comm) -> Expected {
        self.at(place, self.operation((comm, Queue::Sends), (Some(to), Some(tag), length)))
    }

    fn message(&self, length: i64, from: i64, tag: i64, comm: Comm) -> Expected {
        self.operation((comm, Queue::Unexpected), (Some(from), Some(tag), length))
    }

    fn of_rank_0(&self) -> Vec<Expected> {
        vec![
            self.receive(0, 40, Some(1), Some(11), Comm::World),
            self.receive(1, 24, None, Some(12), Comm::World),
            self.receive(2, 100, Some(2), None, Comm::World),
            self.receive(3, 7, None, None, Comm::Copy),
            self.receive(4, 16, Some(2), Some(15), Comm::Copy),
            self.receive(5, 12, Some(0), Some(16), Comm::Reversed),
            self.send(8, 48, 1, 41, Comm::World),
            self.send(9, 56, 2, 42, Comm::Copy),
            self.send(10, 64, 1, 43, Comm::Reversed),
            Expected { complete: true, ..self.send(11, 8, 1, 51, Comm::Copy) },
            self.message(36, 1, 31, Comm::Reversed),
            self.message(0, 1, 32, Comm::Reversed),
            self.message(28, 0, 33, Comm::Reversed),
            self.message(LARGE, 0, 35, Comm::Reversed),
            self.message(20, 1, 34, Comm::Reversed),
        ]
    }

    fn of_rank_1(&self) -> Vec<Expected> {
        let got = self.receive(0, 88, Some(0), Some(51), Comm::Copy);
        vec![
            Expected { complete: true, actual: Some((51, 8)), ..got },
            self.receive(1, 44, Some(1), Some(17), Comm::Pair),
            self.send(2, 20, 2, 34, Comm::Reversed),
            self.message(48, 0, 41, Comm::World),
            self.message(64, 2, 43, Comm::Reversed),
            self.message(52, 1, 44, Comm::Pair),
        ]
    }

    fn of_rank_2(&self) -> Vec<Expected> {
        vec![
            self.receive(0, 60, Some(0), Some(18), Comm::Own),
            self.send(1, LARGE, 2, 35, Comm::Reversed),
            self.send(2, 52, 0, 44, Comm::Pair),
            self.message(56, 0, 42, Comm::Copy),
        ]
    }
}
