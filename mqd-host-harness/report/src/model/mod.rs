//! What was read, as plain data. Serialized, it is the JSON contract described in `docs/json.md`.
//!
//! Everything that comes after reading (filters, rendering, diagnosis) is a function of a
//! [`Report`] and needs no job.

mod group;
mod job;
mod names;
mod operation;
mod problem;
mod read;
mod sends;
mod shared;
mod stack;
mod unreported;

use std::borrow::Cow;
use std::fmt;

pub use self::group::Group;
pub use self::job::JobIdentity;
pub use self::names::{NamedCommunicator, Names, ProcessName};
pub use self::problem::{Problem, ProblemKind};
pub use self::read::{Extent, ReportError};
pub use self::sends::SendCompletion;
pub use self::shared::{Lines, Text};
pub use self::stack::{Calls, Frame, Stack};
pub use self::unreported::Unreported;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The version of the JSON contract, `major.minor`: a new minor version adds fields, a new major
/// version may change anything.
pub const SCHEMA_VERSION: &str = "3.9";

/// The message queues of a job: one entry for each process that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// Version of this format, `major.minor`. Readers accept any minor version of a major version
    /// they know.
    pub schema_version: String,
    /// The program that wrote the report.
    pub tool: Tool,
    /// If processes of several hosts were read: all of them within this time, in milliseconds, from
    /// the first request to the last answer. Absent otherwise. Since 3.4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread_ms: Option<u64>,
    /// The filter for communicators, tags and queues that the report was written with, as on the
    /// command line. What does not match is left out. Absent otherwise. Since 3.8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    /// The processes, in the order of the job's process table, or as they were asked for.
    pub processes: Vec<Process>,
}

impl Report {
    /// A report by this version of `mqd`.
    pub fn new(processes: Vec<Process>) -> Self {
        let schema_version = SCHEMA_VERSION.to_owned();
        Report { schema_version, tool: Tool::this(), spread_ms: None, filter: None, processes }
    }
}

/// The program that wrote a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

impl Tool {
    /// This version of `mqd`.
    pub(crate) fn this() -> Tool {
        Tool { name: "mqd".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
    }
}

/// One process of the job, as far as it could be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Process {
    /// Rank in `MPI_COMM_WORLD`; null if neither the job's process table nor the queues tell.
    pub rank: Option<i64>,
    /// Process id, also of a process that left a core file; null if the core file does not tell.
    pub pid: Option<u32>,
    /// The host that the process ran on when it was read. Absent if that is not known, as of a core
    /// file. Since 3.2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Text>,
    /// The job that the process belongs to. Absent if that is not known. Since 3.2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobIdentity>,
    /// Path of the core file; null for a live process.
    pub core: Option<String>,
    /// Path of the executable.
    pub executable: Option<Text>,
    /// Path of the MPI library in the process (the executable itself where MPI is linked in).
    pub library: Option<Text>,
    /// What the debug DLL says its version is; null if none could be loaded.
    pub dll_version: Option<Text>,
    /// What could not be read, and why. Empty: everything was read.
    pub errors: Vec<Problem>,
    /// What the process is doing in MPI; null if that is not known.
    #[serde(default)]
    pub activity: Option<Activity>,
    /// The call stacks of the threads that may be in MPI, and of the main thread, which is the
    /// first; with `--threads` those of all threads. Null if they were not read. Since 3.1.
    #[serde(default)]
    pub stacks: Option<Vec<Stack>>,
    /// The queues in shared memory that messages of the process come and go by. Absent if the debug
    /// DLL cannot tell. Since 3.2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fifos: Option<Vec<Fifo>>,
    /// Has a signal stopped the process (SIGSTOP, or a shell's job control)? Since 3.2.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// All processes of its host that have this mark stood still together until the last was read.
    /// Only a command that stops them together knows.
    #[serde(skip)]
    pub held: bool,
    /// Did it wait for a processor since an earlier look, and hardly run? Then it may not have seen
    /// what has come. Only a command that looks twice knows.
    #[serde(skip)]
    pub starved: bool,
    /// If it is in no MPI function: the functions that test for completion or arrival and return,
    /// by name, and where they begin. If it accesses a window: those that write to windows.
    #[serde(skip)]
    pub asks_at: Vec<(Text, u64)>,
    /// If it accesses a window: a digest of the program's registers and of its part of the stack at
    /// the call.
    #[serde(skip)]
    pub program_state: Option<u64>,
    /// What loops of the MPI library which wait come to after they have found nothing: a function
    /// that they call, or an address in the loop.
    #[serde(skip)]
    pub finds_nothing_at: Option<u64>,
    /// Has it called that function since this look? Then it was not busy. Only a command that
    /// counts the calls knows.
    #[serde(skip)]
    pub found_nothing: bool,
    /// Do all its messages go through sockets or shared memory, and were the sockets empty, and
    /// carried nothing, since an earlier look? Only a command that looks twice knows.
    #[serde(skip)]
    pub quiet: bool,
    /// Does it share memory with another rank of its host? Only with `quiet`.
    #[serde(skip)]
    pub shares_memory: bool,
    /// Has it had a turn on a processor since an earlier look? Only with `quiet`.
    #[serde(skip)]
    pub took_turns: bool,
    /// Has nobody written to the memory that it shares with others, from the earlier look until all
    /// processes were read? Only a command that looks twice knows.
    #[serde(skip)]
    pub memory_stands_still: bool,
    /// The communicators, in the order of the debug DLL.
    pub communicators: Vec<Communicator>,
    /// Names of processes of other jobs, as those of `MPI_Comm_spawn` are with Open MPI, unless
    /// these were read, too. Their ranks are then numbered after those of the first job. Since 3.5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<Names>,
}

/// A queue in shared memory, or what is on its way there.
///
/// `id` is not 0, and `rank` is not -3: a queue. Its reader takes elements out in their order. If
/// it has taken out as many as another process sees put in, no message of that process is on its
/// way.
///
/// `id` is 0, and `rank` is not null: no queue. No message has gone to the process with this rank.
///
/// `id` is 0, and `rank` is null: no queue. `elements` parts of messages from or to this process
/// are on their way through shared memory at the moment.
///
/// `rank` is -3: no queue. `elements` parts of messages from or to this process are on their way at
/// the moment among the processes of this host that share memory. `id` is the number of these
/// processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fifo {
    /// Identifies the queue in all processes that use it.
    pub id: Address,
    /// The process that takes elements out: its rank in `MPI_COMM_WORLD`. Null: this process. All
    /// messages to a process that is named go by the queues that are listed for it. -2: the process
    /// of the same host that takes elements out of this queue. All messages within the host go by
    /// such queues. -3: no queue. Both since 3.6.
    pub rank: Option<i64>,
    /// How many elements this process has taken out and handled, or all processes have put in.
    pub elements: i64,
}

/// What a process is doing in MPI at the moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Activity {
    /// The MPI function that it waits in; null if it waits in none.
    pub function: Option<Text>,
    /// The function returns once so many of the operations that are `awaited` are complete: all of
    /// them in `MPI_Waitall`, one in `MPI_Waitany`. 0: it is about to return. Null if that is
    /// not known, or does not depend on operations (a collective operation).
    pub needed: Option<i64>,
    /// True if the call stack shows that the function has started what it waits for: it is in the
    /// queues, complete or not. Null if not known. Since 1.1.
    #[serde(default)]
    pub begun: Option<bool>,
    /// True if the call stack shows that the function looks for messages, although what it waits
    /// for may be complete. Left out if not known. Since 3.9.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looks: Option<bool>,
    /// True if other threads of the process may be in MPI at the same time
    /// (`MPI_THREAD_MULTIPLE`), and may send what others wait for. Null if not known. Since
    /// 1.1.
    #[serde(default)]
    pub concurrent: Option<bool>,
    /// With `MPI_THREAD_MULTIPLE`: what the other threads do. Null if not known. Since 3.2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others: Option<OtherThreads>,
    /// What the MPI library does by itself meanwhile, such as nonblocking collective operations.
    /// Left out if not known. Since 3.3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<Background>,
    /// True if the process has not left this call since an earlier look. Only a command that looks
    /// twice knows.
    #[serde(skip)]
    pub stayed: bool,
    /// True if the process has left this call after the look. Only a command that watches it knows.
    #[serde(skip)]
    pub left: bool,
    /// What a wait for requests may be for. The debug DLL tells, of processes of MPICH.
    #[serde(skip)]
    pub requests: ActiveRequests,
    /// Is it known that nothing wakes the threads that wait for each other outside MPI? No thread
    /// of another library does, and no signal handler. The live process handles no signals except
    /// those of errors, or the threads wait for mutexes and for each other's end, which signal
    /// handlers do not change.
    #[serde(skip)]
    pub nothing_helps: bool,
    /// Does the program access a window again and again, and finds nothing new there? Only a
    /// command that looks several times knows.
    #[serde(skip)]
    pub finds_nothing_new: bool,
    /// Is it outside MPI, and calls `function` now and then? Only a command that counts the calls
    /// knows.
    #[serde(skip)]
    pub between_calls: bool,
}

impl Activity {
    /// In no MPI function.
    pub const NONE: Activity = Activity {
        function: None,
        needed: None,
        begun: None,
        looks: None,
        concurrent: None,
        others: None,
        background: None,
        stayed: false,
        left: false,
        requests: ActiveRequests::NotKnown,
        nothing_helps: false,
        finds_nothing_new: false,
        between_calls: false,
    };

    /// Was it seen in its waiting loop, or where it looks for messages? Of a process with several
    /// threads the call stack often does not tell. It counts as in its loop.
    pub(crate) fn is_in_loop(&self) -> bool {
        self.begun == Some(true) || self.looks == Some(true) || self.others.is_some()
    }
}

/// Where the requests of a process are that are not complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ActiveRequests {
    /// Some may be in no queue.
    #[default]
    NotKnown,
    /// All are in the queues.
    Listed,
    /// All are in the queues, except for nonblocking collective operations.
    OrCollectives,
}

/// What the threads of a process do besides the one that `function` is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OtherThreads {
    /// No other thread calls MPI before the thread of `function` goes on: each waits for another
    /// thread of the process, or belongs to the MPI library. Without a `function`: each thread of
    /// the program waits for another one.
    Blocked,
    /// Some are in MPI functions too. The others are blocked.
    InMpi,
    /// One is in the program, outside MPI: it may call MPI at any time.
    Running,
}

/// What an MPI library does by itself, besides what the function of the process waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Background {
    /// It carries no operations on.
    Idle,
    /// Each operation that it carries on waits for a message.
    Waiting,
    /// It may be about to send messages of its own.
    Working,
}

/// A communicator of a process, with its queues (MQD 5.5.1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Communicator {
    /// Identifies the communicator within its process.
    pub unique_id: Address,
    /// If the MPI library has made it for its own messages: the `unique_id` of the program's
    /// communicator that it is a part of. Left out if it is the program's own, or if that is not
    /// known. Since 3.9.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Address>,
    /// Its name; empty if it has none.
    pub name: Text,
    /// The number of processes in it.
    pub size: i64,
    /// The rank of this process in it.
    pub local_rank: i64,
    /// The ranks in `MPI_COMM_WORLD` of its processes, as runs in the order of their ranks in the
    /// communicator; null if the debug DLL cannot tell.
    pub group: Option<Group>,
    /// The same of the other group of an intercommunicator: the peers of its operations. Empty for
    /// an intracommunicator; left out if the debug DLL cannot tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote_group: Option<Group>,
    /// Sends that are not finished, or that the program has not completed yet; in the order of
    /// matching.
    pub pending_sends: Vec<Operation>,
    /// Receives, in the same way.
    pub pending_receives: Vec<Operation>,
    /// Messages that have arrived and that no receive has matched.
    pub unexpected_messages: Vec<Operation>,
    /// The collective operations that this process has called on the communicator; null if the
    /// debug DLL cannot tell.
    #[serde(default)]
    pub collectives: Option<Vec<Collective>>,
    /// How many messages this process has exchanged with others of the communicator; null if
    /// the debug DLL cannot tell.
    #[serde(default)]
    pub traffic: Option<Vec<Traffic>>,
    /// The queues that the debug DLL has no information about. They are empty here, which means
    /// nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_known: Vec<Queue>,
}

impl Communicator {
    /// The operations of a queue.
    pub fn queue(&self, queue: Queue) -> &[Operation] {
        match queue {
            Queue::Sends => &self.pending_sends,
            Queue::Receives => &self.pending_receives,
            Queue::Unexpected => &self.unexpected_messages,
        }
    }

    /// How many operations all queues have.
    pub fn operations(&self) -> usize {
        Queue::ALL.into_iter().map(|queue| self.queue(queue).len()).sum()
    }

    /// The operations of a queue, to change.
    pub fn queue_mut(&mut self, queue: Queue) -> &mut Vec<Operation> {
        match queue {
            Queue::Sends => &mut self.pending_sends,
            Queue::Receives => &mut self.pending_receives,
            Queue::Unexpected => &mut self.unexpected_messages,
        }
    }
}

/// A collective operation on a communicator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Collective {
    /// The MPI function, such as `MPI_Barrier`; the nonblocking and persistent ones count as the
    /// same.
    pub function: Text,
    /// How often this process has called it, including a call under way; null if that is not known.
    pub calls: Option<i64>,
    /// Is it in such a call, or has it started one that is not complete?
    pub active: bool,
}

/// How many messages this process has exchanged with another one on a communicator, since the
/// communicator was created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Traffic {
    /// The other process: a rank in the communicator (in the remote group of an
    /// intercommunicator).
    pub local_rank: i64,
    /// Messages sent to it: those whose envelope this process has sent.
    pub sent: i64,
    /// Messages from it whose envelope has arrived. A message that the other has sent and that is
    /// not received here is in transit.
    pub received: i64,
}

/// The three queues of a communicator (MQD 5.4.2).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "snake_case")]
pub enum Queue {
    /// Pending sends.
    Sends,
    /// Pending receives.
    Receives,
    /// Unexpected messages.
    Unexpected,
}

impl Queue {
    /// All of them, in the order they are reported.
    pub const ALL: [Queue; 3] = [Queue::Sends, Queue::Receives, Queue::Unexpected];

    /// The name of the queue's field in the JSON contract.
    pub fn field(self) -> &'static str {
        match self {
            Queue::Sends => "pending_sends",
            Queue::Receives => "pending_receives",
            Queue::Unexpected => "unexpected_messages",
        }
    }

    /// What the queue has, in words.
    pub fn plural_name(self) -> &'static str {
        match self {
            Queue::Sends => "pending sends",
            Queue::Receives => "pending receives",
            Queue::Unexpected => "unexpected messages",
        }
    }
}

/// A pending operation or an unexpected message; the fields of `mqs_pending_operation` (MQD 5.5.2).
/// Lengths are bytes.
///
/// The `actual_*` fields describe the message: they are null for a receive that nothing has matched
/// yet.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Operation {
    /// How far the operation is.
    pub status: Status,
    /// Destination of a send, source of a receive or message: a rank in the communicator (in the
    /// remote group of an intercommunicator). -1 for `MPI_ANY_SOURCE`.
    pub desired_local_rank: i64,
    /// The same as a rank in `MPI_COMM_WORLD`. -1 for `MPI_ANY_SOURCE`; null if the debug DLL does
    /// not know it.
    pub desired_global_rank: Option<i64>,
    /// True for a receive with `MPI_ANY_TAG`.
    pub tag_wild: bool,
    /// The tag; null if `tag_wild`.
    pub desired_tag: Option<i64>,
    /// Size of the program's buffer, or of the message, in bytes.
    pub desired_length: i64,
    /// True if the buffer belongs to the MPI library and not to the program.
    pub system_buffer: bool,
    /// Address of the data.
    pub buffer: Address,
    /// The peer's rank in the communicator.
    pub actual_local_rank: Option<i64>,
    /// The peer's rank in `MPI_COMM_WORLD`; also null if the debug DLL does not know it.
    pub actual_global_rank: Option<i64>,
    /// The message's tag.
    pub actual_tag: Option<i64>,
    /// The message's length in bytes.
    pub actual_length: Option<i64>,
    /// Does the MPI function that the process is in wait for this operation to complete? Null if
    /// that is not known, and for unexpected messages.
    #[serde(default)]
    pub awaited: Option<bool>,
    /// Lines for people, as the debug DLL gives them. None is empty.
    pub extra_text: Lines,
}

impl Operation {
    /// Is it the MPI library's own, such as a message of a collective operation? The tags of
    /// programs are never negative.
    pub fn is_internal(&self) -> bool {
        self.actual_tag.or(self.desired_tag).is_some_and(|tag| tag < 0)
    }
}

/// How far an operation is (MQD 5.4.4).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Nothing has matched it.
    Pending,
    /// Matched, not finished.
    Matched,
    /// Finished; the program has not asked for its completion yet.
    Complete,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Status::Pending => "pending",
            Status::Matched => "matched",
            Status::Complete => "complete",
        })
    }
}

/// An address in the target; in JSON a string of hexadecimal digits, `"0x7ffc12345678"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address(pub u64);

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

impl std::str::FromStr for Address {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
        u64::from_str_radix(digits, 16).map(Address)
    }
}

impl Serialize for Address {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Address {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Digits)
    }
}

/// Reads an address without a copy of its text.
struct Digits;

impl Visitor<'_> for Digits {
    type Value = Address;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a hexadecimal address")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Address, E> {
        text.parse().map_err(|_| E::custom(format!("{text:?} is not a hexadecimal address")))
    }
}

impl JsonSchema for Address {
    fn schema_name() -> Cow<'static, str> {
        "Address".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "An address in the target, in hexadecimal.",
            "type": "string",
            "pattern": "^0x[0-9a-f]+$",
        })
    }
}

/// The JSON Schema of a [`Report`], as committed in `docs/report.schema.json`.
pub fn json_schema_text() -> String {
    schema_text::<Report>()
}

/// The JSON Schema of a type.
pub(crate) fn schema_text<T: JsonSchema>() -> String {
    // The schema is that of the output. A null is written out, so every field is required.
    let settings = SchemaSettings::draft2020_12()
        .for_serialize()
        .with_transform(RecursiveTransform(join_lines));
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema is plain JSON");
    text.push('\n');
    text
}

/// Joins the lines of each paragraph of a description: how the source is wrapped is not part of the
/// schema.
fn join_lines(schema: &mut Schema) {
    if let Some(serde_json::Value::String(text)) = schema.get_mut("description") {
        let paragraphs = text.split("\n\n").map(|paragraph| paragraph.replace('\n', " "));
        *text = paragraphs.collect::<Vec<_>>().join("\n\n");
    }
}
