//! What the known program says of itself: its communicators, operations and messages.

use mqd_inspect::process::Target;

/// The program's source, for the compiler of the MPI library.
pub(super) const SOURCE: &str = include_str!("known.c");

/// The number of its ranks.
pub(super) const RANKS: usize = 3;

/// The variable with its list.
const SYMBOL: &str = "mqd_learn_known";
const MAGIC: i64 = 0x6d71_646c_6561_726e;
const VERSION: i64 = 1;
const WORD: u64 = 8;
const HEADER_WORDS: u64 = 8;
const MAX_COMMS: i64 = 8;
const MAX_OPERATIONS: i64 = 32;
const NAME_BYTES: u64 = 32;
const COMM_WORDS: u64 = 5 + RANKS as u64;
const COMM_BYTES: u64 = COMM_WORDS * WORD + NAME_BYTES;
const OPERATION_WORDS: u64 = 9;

/// What kind of communicator it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommKind {
    /// Several processes.
    Intra,
    /// Two groups.
    Inter,
    /// This process alone.
    Alone,
}

/// A communicator of the program.
#[derive(Clone, Debug)]
pub(super) struct Comm {
    /// Its handle.
    pub(super) handle: u64,
    pub(super) kind: CommKind,
    /// The rank of this process in it.
    pub(super) rank: i64,
    pub(super) size: i64,
    /// The size of the other group; of the only one if there is one.
    pub(super) remote_size: i64,
    /// That group, as ranks in `MPI_COMM_WORLD`.
    pub(super) members: Vec<i64>,
    pub(super) name: String,
}

/// What an operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A receive without a message.
    Receive,
    /// A synchronous send that nobody receives.
    Send,
    /// A message that nobody receives.
    Message,
    /// A complete receive that no `MPI_Wait` has ended.
    Received,
    /// A persistent operation that is not started.
    Persistent,
    /// The first three on a communicator of this process alone.
    OwnReceive,
    OwnSend,
    OwnMessage,
}

impl Kind {
    const ALL: [Kind; 8] = [
        Kind::Receive,
        Kind::Send,
        Kind::Message,
        Kind::Received,
        Kind::Persistent,
        Kind::OwnReceive,
        Kind::OwnSend,
        Kind::OwnMessage,
    ];
}

/// An operation or message of the program.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    pub(super) kind: Kind,
    /// The handle of its request; 0 for messages.
    pub(super) request: u64,
    /// Its communicator's place in the list.
    pub(super) comm: usize,
    /// A rank in the communicator, or the constant for any.
    pub(super) peer: i64,
    /// A tag, or the constant for any.
    pub(super) tag: i64,
    /// The number of elements; the number of bytes of a message.
    pub(super) count: i64,
    /// The size of an element, in bytes.
    pub(super) bytes_each: i64,
    /// The address of the data.
    pub(super) buffer: u64,
}

impl Operation {
    /// The length of its data, in bytes.
    pub(super) fn bytes(&self) -> i64 {
        self.count * self.bytes_each
    }
}

/// The list of one process.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// Its rank in `MPI_COMM_WORLD`.
    pub(super) rank: usize,
    pub(super) any_tag: i64,
    pub(super) any_source: i64,
    pub(super) comms: Vec<Comm>,
    /// In the order in which they were started.
    pub(super) operations: Vec<Operation>,
}

impl Known {
    /// Reads the list of a process. None: it is not the program, or it is not ready.
    pub(super) fn read(target: &Target) -> Option<Known> {
        let start = target.find_symbol(SYMBOL)?.address;
        let word = |at: u64| Some(target.read_unsigned(at, WORD).ok()?.cast_signed());
        let header = |place: u64| word(start + place * WORD);
        if header(0)? != MAGIC || header(1)? != VERSION || header(2)? != 1 {
            return None;
        }
        let (comms, operations) = (header(4)?, header(5)?);
        if !(0..=MAX_COMMS).contains(&comms) || !(0..=MAX_OPERATIONS).contains(&operations) {
            return None;
        }
        let first = start + HEADER_WORDS * WORD;
        let comm = |number: u64| comm(target, first + number * COMM_BYTES);
        let after = first + MAX_COMMS.unsigned_abs() * COMM_BYTES;
        let operation = |number: u64| operation(target, after + number * OPERATION_WORDS * WORD);
        Some(Known {
            rank: usize::try_from(header(3)?).ok().filter(|rank| *rank < RANKS)?,
            any_tag: header(6)?,
            any_source: header(7)?,
            comms: (0..comms.unsigned_abs()).map(comm).collect::<Option<_>>()?,
            operations: (0..operations.unsigned_abs()).map(operation).collect::<Option<_>>()?,
        })
    }

    /// The operations of some kinds.
    pub(super) fn of(&self, kinds: &[Kind]) -> Vec<&Operation> {
        self.operations.iter().filter(|operation| kinds.contains(&operation.kind)).collect()
    }
}

fn comm(target: &Target, at: u64) -> Option<Comm> {
    let word = |place: u64| Some(target.read_unsigned(at + place * WORD, WORD).ok()?.cast_signed());
    let kind = match word(1)? {
        0 => CommKind::Intra,
        1 => CommKind::Inter,
        _ => CommKind::Alone,
    };
    let remote_size = word(4)?;
    let members =
        (0..u64::try_from(remote_size).ok()?.min(RANKS as u64)).map(|rank| word(5 + rank));
    Some(Comm {
        handle: word(0)?.cast_unsigned(),
        kind,
        rank: word(2)?,
        size: word(3)?,
        remote_size,
        members: members.collect::<Option<_>>()?,
        name: target.read_c_string(at + COMM_WORDS * WORD).ok()?,
    })
}

fn operation(target: &Target, at: u64) -> Option<Operation> {
    let word = |place: u64| Some(target.read_unsigned(at + place * WORD, WORD).ok()?.cast_signed());
    Some(Operation {
        kind: *Kind::ALL.get(usize::try_from(word(0)?).ok()?)?,
        request: word(1)?.cast_unsigned(),
        comm: usize::try_from(word(2)?).ok()?,
        peer: word(3)?,
        tag: word(4)?,
        count: word(5)?,
        bytes_each: word(7)?,
        buffer: word(8)?.cast_unsigned(),
    })
}
