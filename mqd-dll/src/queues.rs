//! What a reader produces: the message queues of a process as plain data, in the words of the
//! interface (section 5.5).
//!
//! Nothing here knows an MPI library, and nothing reads the target. Operations are kept compact;
//! their lines for people are written when a debugger asks for them ([`crate::iterate`]).

use crate::alloc::{append, push};
use crate::error::Result;
use crate::text::Text;
use mqs_abi::{mqs_st_complete, mqs_st_matched, mqs_st_pending};

/// The queues of a process at one moment.
#[derive(Default)]
pub(crate) struct Snapshot {
    /// In the order of creation.
    pub(crate) communicators: Vec<Communicator>,
    /// The groups of the communicators: for each rank the rank in `MPI_COMM_WORLD`. Processes of
    /// other jobs have negative numbers: -1, or a number that [`Self::stranger`] knows.
    pub(crate) groups: Vec<Vec<i32>>,
    /// This process by the names of its library, if that has any.
    pub(crate) own_name: Option<ProcessName>,
    /// Processes of other jobs.
    pub(crate) strangers: Vec<ProcessName>,
    pub(crate) names: Names,
    pub(crate) waits: Waits,
    /// Hints for debuggers that read the call stacks instead.
    pub(crate) stack_hints: StackHints,
    /// What the library does by itself. None: not known.
    pub(crate) background: Option<Background>,
    /// There are pending sends that cannot be shown. Then the send queue of no communicator is
    /// known.
    pub(crate) hides_sends: bool,
    /// The queues that may lack something, on all communicators. If one of them seems empty, it is
    /// not known.
    pub(crate) lacking: Lacking,
    /// The queues in shared memory that carry messages. None: not known.
    pub(crate) fifos: Option<Vec<Fifo>>,
    /// What the queues were read from and how, for people: libraries, devices, layout tables.
    pub(crate) sources: Vec<Text<64>>,
}

/// Kinds of queues that may lack something.
#[derive(Clone, Copy, Default)]
pub(crate) struct Lacking {
    pub(crate) sends: bool,
    pub(crate) receives: bool,
    pub(crate) unexpected: bool,
}

impl Lacking {
    pub(crate) const ALL: Self = Self { sends: true, receives: true, unexpected: true };
}

/// A process by the names of its library. They are the same in all jobs that know each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProcessName {
    /// The number of its job.
    pub(crate) job: u64,
    /// Its rank in the job.
    pub(crate) rank: u64,
}

/// The number in groups of the first of the processes of other jobs; those of the others follow
/// downwards.
const FIRST_STRANGER: i32 = -2;

impl Snapshot {
    /// Notes a process of another job. The result is its number in groups.
    pub(crate) fn add_stranger(&mut self, name: ProcessName) -> Result<i32> {
        let number = i32::try_from(self.strangers.len()).ok();
        let number = number.and_then(|number| FIRST_STRANGER.checked_sub(number));
        push(&mut self.strangers, name)?;
        Ok(number.unwrap_or(-1))
    }

    /// The process of another job with this number in groups.
    pub(crate) fn stranger(&self, number: i32) -> Option<ProcessName> {
        let index = FIRST_STRANGER.checked_sub(number)?;
        self.strangers.get(usize::try_from(index).ok()?).copied()
    }
}

/// Stands for the process of this host that takes elements out of a queue.
pub(crate) const OF_HOST: i32 = -2;

/// Stands for no queue but for what is on its way among processes of this host.
pub(crate) const IN_HOST: i32 = -3;

/// A queue in shared memory, or what is on its way there:
///
/// - `id` is not 0, and `reader` is not [`IN_HOST`]: a queue. Its reader takes elements out in
///   their order.
/// - `id` is 0, and there is a `reader`: no queue. No message has gone to that process.
/// - `id` is 0, and there is no `reader`: no queue. `elements` parts of messages from or to this
///   process are on their way at this moment.
/// - `reader` is [`IN_HOST`]: no queue. The same for messages within the host. `id` is the number
///   of processes of the host that they are among.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fifo {
    /// The same number in all processes that use the queue.
    pub(crate) id: u64,
    /// The process that takes elements out, as a rank in `MPI_COMM_WORLD`, or [`OF_HOST`]; None:
    /// this one. All messages to a process that is named go by the queues that are listed for it.
    pub(crate) reader: Option<i32>,
    /// How many elements this process has taken out, or all have put in.
    pub(crate) elements: u64,
}

/// What helps to understand the call stacks of a process.
#[derive(Clone, Copy, Default)]
pub(crate) struct StackHints {
    /// May several threads be in MPI? None: not known.
    pub(crate) several_threads: Option<bool>,
    /// The progress functions: a call is in one only after it has started the operations that it
    /// waits for, and these are in the queues. Empty: no function tells this.
    pub(crate) progress: &'static str,
}

/// What a library does by itself while the process waits for something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Background {
    /// It has no operations that it carries on.
    Nothing,
    /// Each of them waits for a message.
    Waits,
    /// One of them may go on at once, and send messages.
    Acts,
}

/// What a process waits in.
#[derive(Clone, Copy, Default)]
pub(crate) enum Waits {
    #[default]
    NotKnown,
    /// In no MPI call.
    Nothing,
    Call(Call),
}

/// The MPI call that a process waits in.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    /// Empty: not known.
    pub(crate) function: Name,
    /// How many of the awaited operations have to complete. None: not known, or other things
    /// decide.
    pub(crate) needed: Option<i64>,
}

/// Which group of a [`Snapshot`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct GroupId(pub(crate) usize);

/// A communicator with its three queues.
#[derive(Default)]
pub(crate) struct Communicator {
    pub(crate) unique_id: u64,
    /// Of one that the library has made for its own messages: the id of the program's communicator
    /// that it is a part of. None: it is the program's own, or that is not known.
    pub(crate) parent: Option<u64>,
    /// Rank of this process; of an intercommunicator, in its local group. -1 if the group could
    /// not be read.
    pub(crate) local_rank: i64,
    pub(crate) name: Name,
    /// The group of an intracommunicator, the local group of an intercommunicator. None if it
    /// could not be read.
    pub(crate) group: Option<GroupId>,
    /// The group that the ranks of operations are ranks of.
    pub(crate) peers: Option<GroupId>,
    /// In the order of matching, each.
    pub(crate) sends: Vec<Operation>,
    /// There are pending sends that may belong to it and cannot be shown.
    pub(crate) hides_sends: bool,
    pub(crate) receives: Vec<Operation>,
    pub(crate) unexpected: Vec<Operation>,
    /// None: nothing is known about them.
    pub(crate) collectives: Option<Collectives>,
    /// The processes with which there was any. None: not known.
    pub(crate) traffic: Option<Vec<Traffic>>,
}

/// The collective operations on a communicator.
pub(crate) struct Collectives {
    pub(crate) known: Vec<Collective>,
    /// If true, the others have not been called. If false, nothing is known about them.
    pub(crate) is_complete: bool,
}

/// A collective operation.
#[derive(Clone, Copy)]
pub(crate) struct Collective {
    /// Its number in `mqs_get_comm_coll_state`.
    pub(crate) number: usize,
    /// None: not known.
    pub(crate) calls: Option<i64>,
    pub(crate) active: bool,
}

/// Messages between this process and another one on a communicator.
#[derive(Clone, Copy)]
pub(crate) struct Traffic {
    /// The rank of the other process, as operations name it.
    pub(crate) peer: i64,
    pub(crate) sent: i64,
    pub(crate) received: i64,
}

/// A process as an operation names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Peer {
    /// Rank in the communicator, or the constant that stands for a rank.
    pub(crate) local: i32,
    /// Rank in `MPI_COMM_WORLD`, or -1.
    pub(crate) global: i32,
}

impl Peer {
    /// Any, or not known: -1 in the interface.
    pub(crate) const ANY: Self = Self { local: -1, global: -1 };
}

/// How far an operation is (5.4.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Pending,
    Matched,
    Complete,
}

impl Status {
    pub(crate) fn code(self) -> i32 {
        match self {
            Self::Pending => mqs_st_pending,
            Self::Matched => mqs_st_matched,
            Self::Complete => mqs_st_complete,
        }
    }
}

/// A pending operation or an unexpected message (5.5.2). Lengths are bytes.
#[derive(Clone, Copy)]
pub(crate) struct Operation {
    pub(crate) status: Status,
    /// What the call asked for; of an unexpected message, its sender.
    pub(crate) desired: Peer,
    /// None: any tag.
    pub(crate) tag: Option<i32>,
    pub(crate) length: i64,
    /// Does the buffer belong to the MPI library?
    pub(crate) system_buffer: bool,
    pub(crate) buffer: u64,
    /// The message of a send, of a receive that has matched, and of an unexpected message.
    pub(crate) message: Option<Message>,
    /// Does the call that the process waits in wait for it? None: not known.
    pub(crate) awaited: Option<bool>,
    pub(crate) details: Details,
}

impl Operation {
    /// A pending operation of which nothing else is known.
    pub(crate) fn pending(desired: Peer, tag: Option<i32>, length: i64, buffer: u64) -> Self {
        Self {
            status: Status::Pending,
            desired,
            tag,
            length,
            system_buffer: false,
            buffer,
            message: None,
            awaited: None,
            details: Details::default(),
        }
    }

    /// A pending send.
    pub(crate) fn send(message: Message, buffer: u64, notes: [&'static str; 2]) -> Self {
        let Message { peer, tag, length } = message;
        Self {
            message: Some(message),
            details: Details { notes, ..Details::default() },
            ..Self::pending(peer, Some(tag), length, buffer)
        }
    }

    /// A message that no receive has matched, with its data in a buffer of the library.
    pub(crate) fn unexpected(message: Message, buffer: u64, notes: [&'static str; 2]) -> Self {
        Self { system_buffer: true, ..Self::send(message, buffer, notes) }
    }
}

/// A message's envelope.
#[derive(Clone, Copy)]
pub(crate) struct Message {
    pub(crate) peer: Peer,
    pub(crate) tag: i32,
    pub(crate) length: i64,
}

/// What the interface has no field for: the lines for people.
#[derive(Clone, Copy, Default)]
pub(crate) struct Details {
    /// The function that made it.
    pub(crate) call: Option<Name>,
    pub(crate) elements: Option<Elements>,
    pub(crate) notes: [&'static str; 2],
    /// The address of a request, with what stands before it.
    pub(crate) request: Option<(&'static str, u64)>,
}

/// A message's data as the call described them.
#[derive(Clone, Copy)]
pub(crate) struct Elements {
    pub(crate) count: i64,
    pub(crate) datatype: Datatype,
}

/// A datatype.
#[derive(Clone, Copy)]
pub(crate) struct Datatype {
    /// Empty: it has none.
    pub(crate) name: Name,
    /// Bytes of data in an element.
    pub(crate) size: i64,
}

/// The texts of a [`Snapshot`], kept once each.
#[derive(Default)]
pub(crate) struct Names {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

/// A text of [`Names`]; the default is the empty one.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Name(usize);

impl Names {
    pub(crate) fn add(&mut self, text: &[u8]) -> Result<Name> {
        append(&mut self.bytes, text)?;
        push(&mut self.ends, self.bytes.len())?;
        Ok(Name(self.ends.len()))
    }

    /// Adds the name of what belongs to a communicator: `prefix`, and then the communicator's name,
    /// or `unnamed` if it has none.
    pub(crate) fn add_part(&mut self, prefix: &[u8], of: Name, unnamed: &[u8]) -> Result<Name> {
        let mut text = Vec::new();
        append(&mut text, prefix)?;
        match self.get(of) {
            [] => append(&mut text, unnamed)?,
            name => append(&mut text, name)?,
        }
        self.add(&text)
    }

    pub(crate) fn get(&self, Name(number): Name) -> &[u8] {
        let end = |number: usize| {
            number.checked_sub(1).and_then(|index| self.ends.get(index)).copied().unwrap_or(0)
        };
        self.bytes.get(end(number.saturating_sub(1))..end(number)).unwrap_or_default()
    }
}
