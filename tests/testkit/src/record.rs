//! What the ranks of a scenario write down: `expect.json`, written by `fixtures/expect.c`.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

/// The record of one rank.
#[derive(Clone, Debug, Deserialize)]
pub struct Record {
    /// The rank that wrote it, in `MPI_COMM_WORLD`.
    pub rank: i64,
    /// Operations come from several threads and have no order.
    pub(crate) unordered: bool,
    /// Several of its threads may be in MPI.
    pub(crate) threads: bool,
    /// The call that it stays in. None: it does not say.
    pub(crate) stays: Option<Stay>,
    pub(crate) communicators: Vec<Communicator>,
    /// Messages that this rank has sent and that no rank receives.
    pub(crate) unreceived: Vec<Message>,
}

impl Record {
    /// The same record without what is not in a queue.
    pub(crate) fn of_queues(&self) -> Record {
        let mut record = Record { stays: None, threads: false, ..self.clone() };
        record.communicators.iter_mut().for_each(|one| one.collectives.clear());
        record
    }
}

/// The call that a rank stays in.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Stay {
    /// None: it stays outside MPI.
    pub(crate) function: Option<String>,
    /// How many of the awaited operations the call needs. None: the call waits for something else.
    pub(crate) needed: Option<i64>,
}

impl Stay {
    /// Does every library count what the function waits for?
    pub(crate) fn is_counted(&self) -> bool {
        matches!(self.function.as_deref(), Some("MPI_Waitall" | "MPI_Waitany" | "MPI_Waitsome"))
    }
}

/// A communicator and this rank's operations on it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Communicator {
    pub(crate) name: String,
    pub(crate) size: i64,
    pub(crate) local_rank: i64,
    pub(crate) group: Vec<i64>,
    pub(crate) remote_group: Option<Vec<i64>>,
    pub(crate) sends: Vec<Operation>,
    pub(crate) receives: Vec<Operation>,
    /// The number of messages to each rank of [`Communicator::peers`].
    pub(crate) sent: Vec<i64>,
    pub(crate) collectives: Vec<Collective>,
}

impl Communicator {
    /// The ranks in `MPI_COMM_WORLD` of the processes that operations name: the remote group of an
    /// intercommunicator, else the group.
    pub(crate) fn peers(&self) -> &[i64] {
        self.remote_group.as_ref().unwrap_or(&self.group)
    }

    /// The messages to a rank on this communicator that it does not receive.
    pub(crate) fn messages_to<'a>(&self, rank: i64, records: &'a [Record]) -> Vec<&'a Message> {
        let messages = records.iter().flat_map(|sender| &sender.unreceived);
        messages.filter(|message| message.to == rank && message.communicator == self.name).collect()
    }

    /// The name as a debugger gets it, in a `char[64]` that ends with a zero byte. A name that MPI
    /// has cut is short enough.
    pub(crate) fn shown_name(&self) -> &str {
        let name = self.name.as_str();
        if name.ends_with(char::REPLACEMENT_CHARACTER) {
            return name;
        }
        let mut end = name.len().min(63);
        while !name.is_char_boundary(end) {
            end -= 1;
        }
        &name[..end]
    }
}

/// How often a rank has called a collective operation.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Collective {
    pub(crate) function: String,
    pub(crate) calls: i64,
    pub(crate) active: bool,
}

impl Collective {
    /// As a reader shows it.
    pub(crate) fn counted(&self) -> Value {
        json!({ "function": self.function, "calls": self.calls, "active": self.active })
    }

    /// As a reader shows it that does not know the number of calls.
    pub(crate) fn uncounted(&self) -> Value {
        json!({ "function": self.function, "calls": null, "active": self.active })
    }
}

/// A send or receive. Fields are None if the scenario cannot know them.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Operation {
    pub(crate) call: String,
    pub(crate) status: String,
    pub(crate) local_rank: i64,
    pub(crate) global_rank: i64,
    pub(crate) tag_wild: bool,
    pub(crate) tag: Option<i64>,
    pub(crate) buffer: Option<String>,
    pub(crate) length: Option<i64>,
    pub(crate) count: Option<i64>,
    pub(crate) datatype: Option<String>,
    pub(crate) system_buffer: bool,
    pub(crate) protocol: Option<String>,
    pub(crate) ready_made: bool,
    pub(crate) awaited: bool,
    #[serde(default)]
    pub(crate) cancelled: bool,
    pub(crate) actual: Option<Envelope>,
}

impl Operation {
    /// Is it a blocking probe?
    pub(crate) fn is_probe(&self) -> bool {
        matches!(self.call.as_str(), "MPI_Probe" | "MPI_Mprobe")
    }
}

/// The message that a receive has matched.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Envelope {
    pub(crate) local_rank: i64,
    pub(crate) global_rank: i64,
    pub(crate) tag: i64,
    pub(crate) length: i64,
}

/// A message that no rank receives.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Message {
    pub(crate) communicator: String,
    /// The rank of the receiver in `MPI_COMM_WORLD`.
    pub(crate) to: i64,
    /// The rank of the sender in the communicator.
    pub(crate) local_rank: i64,
    /// The rank of the sender in `MPI_COMM_WORLD`.
    pub(crate) global_rank: i64,
    pub(crate) tag: i64,
    pub(crate) length: i64,
    pub(crate) protocol: Option<String>,
}

/// The records of all ranks. None until all of them have been written.
///
/// # Panics
///
/// When a record is not what `fixtures/expect.c` writes.
pub fn records(directory: &Path, ranks: usize) -> Option<Vec<Record>> {
    (0..ranks).map(|rank| Some(parse(&text(directory, rank)?))).collect()
}

/// The text of a rank's record. None until it has been written.
pub fn text(directory: &Path, rank: usize) -> Option<String> {
    // It is written under another name first, so a file that is there is complete.
    let bytes = fs::read(directory.join(format!("rank-{rank}/expect.json"))).ok()?;
    // MPI may have cut a long name within a character. JSON then has the replacement character for
    // the rest.
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads a record.
///
/// # Panics
///
/// When it is not what `fixtures/expect.c` writes.
pub fn parse(text: &str) -> Record {
    serde_json::from_str(text).expect("scenarios write JSON as expected here")
}
