//! What the lines of an operation say that have a fixed form (`mqs_abi::notes`).

use mqs_abi::notes;

use super::{Communicator, Operation, Process, Queue, Status, Text};

impl Process {
    /// The communicator with this name; the first one if there are several.
    pub fn named(&self, name: &str) -> Option<&Communicator> {
        self.communicators.iter().find(|communicator| communicator.name == *name)
    }

    /// The operations of all queues, in the order of the report.
    pub(crate) fn operations(&self) -> impl Iterator<Item = (&Communicator, Queue, &Operation)> {
        self.communicators.iter().flat_map(|communicator| {
            Queue::ALL.into_iter().flat_map(move |queue| {
                let operations = communicator.queue(queue).iter();
                operations.map(move |operation| (communicator, queue, operation))
            })
        })
    }
}

impl Operation {
    /// The MPI function that made it.
    pub fn call(&self) -> Option<&str> {
        self.extra_text.first().map(Text::as_str).filter(|line| line.starts_with("MPI_"))
    }

    /// Is it partitioned? Then no other message matches it, and its data are several messages.
    pub(crate) fn is_partitioned(&self) -> bool {
        matches!(self.call(), Some("MPI_Psend_init" | "MPI_Precv_init"))
    }

    /// Is it a partitioned send some of whose partitions its own process has not declared ready?
    pub(crate) fn lacks_partitions(&self) -> bool {
        self.call() == Some("MPI_Psend_init") && self.status == Status::Pending
    }

    /// Is it a generalised request? It is complete when its own process says so.
    pub(crate) fn is_generalized(&self) -> bool {
        self.call() == Some("MPI_Grequest_start")
    }

    /// Is it a blocking probe? Such a receive has no buffer.
    pub fn is_probe(&self) -> bool {
        self.has_note(notes::PROBE)
    }

    /// Does the sender of the message, or the send, stay pending until a receive takes it? None if
    /// that is not known.
    pub(crate) fn holds_sender(&self) -> Option<bool> {
        if self.has_note(notes::SYNCHRONOUS)
            || self.has_note(notes::RENDEZVOUS)
            || self.call().is_some_and(|call| call.to_lowercase().contains("ssend"))
        {
            return Some(true);
        }
        self.has_note(notes::EAGER).then_some(false)
    }

    /// The name of its elements' datatype.
    pub fn datatype(&self) -> Option<&str> {
        self.extra_text.iter().find_map(|line| {
            let (count, name) = line.split_once(notes::TIMES)?;
            count.parse::<u64>().ok().map(|_| name)
        })
    }

    /// Its length in bytes. None: the library does not keep it.
    pub fn length(&self) -> Option<i64> {
        let is_lost = self.has_note(notes::NOT_KEPT) || self.has_note(notes::LENGTH_NOT_KEPT);
        (!is_lost).then_some(self.desired_length)
    }

    /// What else is said of it.
    pub(crate) fn lines_beside_length(&self) -> impl Iterator<Item = &str> {
        self.extra_text.iter().map(Text::as_str).filter(|line| *line != notes::LENGTH_NOT_KEPT)
    }

    fn has_note(&self, note: &str) -> bool {
        self.extra_text.iter().any(|line| *line == *note)
    }
}
