//! Differences between a report and what the ranks recorded.

use std::fmt::{self, Display, Formatter};

use serde_json::Value;

/// The most elements of a queue that are listed when their number is wrong.
const WRITTEN_OUT: usize = 20;

/// One difference between a report and the records.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The part of the job that differs.
    pub subject: Subject,
    /// What the difference is.
    pub kind: Kind,
}

/// A part of a job. Fields are None if the difference does not concern such a part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// A rank in `MPI_COMM_WORLD`.
    pub rank: Option<i64>,
    /// The name of a communicator of the rank.
    pub communicator: Option<String>,
    /// A queue of the communicator.
    pub queue: Option<Queue>,
    /// The peer as a rank in the communicator, in a queue that is compared separately for each
    /// peer.
    pub peer: Option<i64>,
    /// The index of the operation among the recorded ones.
    pub element: Option<usize>,
}

/// A queue of a communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queue {
    /// Pending sends.
    Sends,
    /// Posted receives that have matched no message.
    PostedReceives,
    /// Receives that have matched a message and are not complete.
    MatchedReceives,
    /// Messages that have arrived and that no receive has matched.
    UnexpectedMessages,
}

/// What is different.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// The report lacks it.
    Missing,
    /// The report shows a communicator of this name, which no rank recorded.
    ExtraCommunicator(Value),
    /// The report has another number of processes.
    Processes {
        /// Ranks that recorded something.
        expected: usize,
        /// Processes of the report.
        shown: usize,
    },
    /// The report has another value.
    Field {
        /// The name of the field in the report.
        name: String,
        /// What was recorded.
        expected: Value,
        /// What the report has.
        shown: Value,
    },
    /// The report has something else where a list should be.
    NoList {
        /// The name of the field in the report.
        name: String,
        /// What the report has.
        shown: Value,
    },
    /// The report has no activity for a process that recorded one.
    ActivityNotKnown,
    /// A queue has another number of elements.
    Elements {
        /// What was recorded, for people.
        expected: Vec<String>,
        /// What the report has.
        shown: Vec<Value>,
    },
    /// A text that belongs to the operation is missing.
    Text {
        /// The text.
        expected: String,
        /// The texts that the report has.
        shown: Vec<String>,
    },
    /// A collective operation is missing, or counted wrongly.
    Collective {
        /// What was recorded.
        expected: Value,
        /// What the report has.
        shown: Vec<Value>,
    },
    /// The report has another number of kinds of collective operations.
    Collectives {
        /// Kinds that were recorded.
        expected: usize,
        /// Kinds in the report.
        shown: usize,
    },
    /// The messages from this rank to the peer do not add up.
    Traffic {
        /// Sent by the program.
        program: i64,
        /// Sent, according to the report. None: it does not say.
        sent: Option<i64>,
        /// Received by the peer, according to the report. None: it does not say.
        received: Option<i64>,
    },
    /// An eager message has no buffer, or a message whose data are still at the sender has one.
    Buffer {
        /// Whether the data have arrived, according to the protocol.
        here: bool,
    },
}

impl Kind {
    /// A difference in a field. None: the values are equal.
    pub(super) fn field(name: &str, expected: impl Into<Value>, shown: &Value) -> Option<Kind> {
        let expected = expected.into();
        (*shown != expected).then(|| Kind::Field {
            name: name.to_owned(),
            expected,
            shown: shown.clone(),
        })
    }
}

impl Display for Difference {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.subject, self.kind)
    }
}

impl Display for Subject {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.rank {
            Some(rank) => write!(f, "rank {rank}")?,
            None => write!(f, "job")?,
        }
        if let Some(communicator) = &self.communicator {
            write!(f, ", {communicator:?}")?;
        }
        if let Some(queue) = self.queue {
            write!(f, ", {queue}")?;
        }
        if let Some(peer) = self.peer {
            write!(f, ", peer {peer}")?;
        }
        self.element.map_or(Ok(()), |element| write!(f, "[{element}]"))
    }
}

impl Display for Queue {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Queue::Sends => "pending_sends",
            Queue::PostedReceives => "pending_receives (pending)",
            Queue::MatchedReceives => "pending_receives (matched)",
            Queue::UnexpectedMessages => "unexpected_messages",
        })
    }
}

impl Display for Kind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Missing => write!(f, "is not shown"),
            Kind::ExtraCommunicator(name) => write!(f, "the communicator {name} is not expected"),
            Kind::Processes { expected, shown } => {
                write!(f, "{shown} processes, expected {expected}")
            }
            Kind::Field { name, expected, shown } => {
                write!(f, "{name} is {shown}, expected {expected}")
            }
            Kind::NoList { name, shown } => write!(f, "{name} is {shown}, expected a list"),
            Kind::ActivityNotKnown => write!(f, "its activity is not known"),
            Kind::Elements { expected, shown } => {
                write!(f, "{} elements, expected {}", shown.len(), expected.len())?;
                for element in shown.iter().take(WRITTEN_OUT) {
                    write!(f, "\n  shown: {element}")?;
                }
                for element in expected.iter().take(WRITTEN_OUT) {
                    write!(f, "\n  expected: {element}")?;
                }
                Ok(())
            }
            Kind::Text { expected, shown } => {
                write!(f, "extra_text is {shown:?}, expected {expected:?} in it")
            }
            Kind::Collective { expected, shown } => {
                write!(f, "collective operations are {shown:?}, expected {expected} among them")
            }
            Kind::Collectives { expected, shown } => {
                write!(f, "{shown} kinds of collective operations, expected {expected}")
            }
            Kind::Traffic { program, sent, received } => write!(
                f,
                "{sent:?} messages sent, {received:?} received, {program} by the program alone"
            ),
            Kind::Buffer { here: true } => write!(f, "the data are here, but no buffer is shown"),
            Kind::Buffer { here: false } => {
                write!(f, "a buffer is shown, but the data are not here")
            }
        }
    }
}
