//! Completes pending sends of which their process does not keep the envelope.
//!
//! The message of such a send is unexpected at its receiver, and names the request of the send. So
//! the report of all ranks has what that of one rank lacks.

use std::collections::HashMap;

use mqs_abi::notes;

use super::{Operation, Process, Queue, Report};

/// A message at its receiver.
struct Arrived {
    /// The receiver's rank in `MPI_COMM_WORLD`.
    receiver: i64,
    /// The ids of its communicator.
    communicator: u64,
    /// None: two messages name one request.
    message: Option<Operation>,
}

/// The unexpected messages that name the requests of their sends, by the senders' ranks and these
/// requests.
#[derive(Default)]
struct Messages(HashMap<(i64, u64), Arrived>);

impl Messages {
    /// Adds those of a process.
    fn add(&mut self, process: &Process) {
        let Some(receiver) = process.rank else { return };
        for part in &process.communicators {
            for message in &part.unexpected_messages {
                let sender = message.actual_global_rank.or(message.desired_global_rank);
                let Some(key) = sender.zip(message.request(notes::SENDERS_REQUEST)) else {
                    continue;
                };
                let arrived = Arrived {
                    receiver,
                    communicator: part.unique_id.0,
                    message: Some(message.clone()),
                };
                self.0.entry(key).and_modify(|one| one.message = None).or_insert(arrived);
            }
        }
    }

    /// Completes the sends of a process.
    fn complete(&self, process: &mut Process) {
        let Some(rank) = process.rank else { return };
        self.place(rank, process);
        for part in &mut process.communicators {
            let (id, group) = (part.unique_id.0, part.group.clone());
            for send in part.queue_mut(Queue::Sends) {
                let found = send
                    .request(notes::REQUEST)
                    .and_then(|request| self.0.get(&(rank, request)))
                    .filter(|arrived| arrived.communicator == id);
                let Some(Arrived { receiver, message: Some(message), .. }) = found else {
                    continue;
                };
                let local = group.as_ref().and_then(|group| group.local(*receiver));
                if let Some(local) = local {
                    send.complete_by(message, local, *receiver);
                }
            }
        }
    }
}

impl Messages {
    /// Moves the sends of a rank whose communicator is not known to the one that their messages
    /// tell.
    fn place(&self, rank: i64, process: &mut Process) {
        let communicator_of = |send: &Operation| {
            let is_unplaced = send.extra_text.iter().any(|line| line == notes::NO_COMMUNICATOR);
            let request = send.request(notes::REQUEST).filter(|_| is_unplaced)?;
            Some(self.0.get(&(rank, request))?.communicator)
        };
        let mut placed: Vec<(u64, Operation)> = Vec::new();
        for part in &mut process.communicators {
            let id = part.unique_id.0;
            part.queue_mut(Queue::Sends).retain(|send| match communicator_of(send) {
                Some(other) if other != id => {
                    placed.push((other, send.clone()));
                    false
                }
                _ => true,
            });
        }
        for (id, send) in placed {
            let parts = &mut process.communicators;
            let own = parts.iter().position(|part| part.unique_id.0 == id).unwrap_or(0);
            if let Some(part) = parts.get_mut(own) {
                part.queue_mut(Queue::Sends).push(send);
            }
        }
    }
}

/// Does a process have sends without an envelope?
fn lacks(process: &Process) -> bool {
    let mut parts = process.communicators.iter();
    parts.any(|part| part.pending_sends.iter().any(|send| send.request(notes::REQUEST).is_some()))
}

impl Report {
    /// Completes pending sends by the unexpected messages that name them. What is not found stays
    /// as it is.
    pub fn complete_sends(&mut self) {
        if !self.processes.iter().any(lacks) {
            return;
        }
        let mut messages = Messages::default();
        self.processes.iter().for_each(|process| messages.add(process));
        self.processes.iter_mut().for_each(|process| messages.complete(process));
    }
}

/// The same for processes that come one after the other.
#[derive(Default)]
pub struct SendCompletion {
    messages: Messages,
    waiting: Vec<Process>,
}

impl SendCompletion {
    /// Adds a process. It is returned at once if none of its sends has to be completed.
    pub fn add(&mut self, process: Process) -> Option<Process> {
        self.messages.add(&process);
        if !lacks(&process) {
            return Some(process);
        }
        self.waiting.push(process);
        None
    }

    /// The other processes, when all have been added.
    pub fn finish(self) -> impl Iterator<Item = Process> {
        let SendCompletion { messages, waiting } = self;
        waiting.into_iter().map(move |mut process| {
            messages.complete(&mut process);
            process
        })
    }
}

impl Operation {
    /// The request that a line names after `what`: its address, or its number.
    fn request(&self, what: &str) -> Option<u64> {
        let mut named = self.extra_text.iter().filter_map(|line| line.strip_prefix(what));
        named.find_map(|address| u64::from_str_radix(address.strip_prefix("0x")?, 16).ok())
    }

    /// Takes over the envelope that the send's message has at its receiver.
    fn complete_by(&mut self, message: &Operation, local: i64, global: i64) {
        let tag = message.actual_tag.or(message.desired_tag);
        (self.desired_local_rank, self.actual_local_rank) = (local, Some(local));
        (self.desired_global_rank, self.actual_global_rank) = (Some(global), Some(global));
        self.tag_wild = false;
        (self.desired_tag, self.actual_tag) = (tag, tag);
        self.desired_length = message.desired_length;
        self.actual_length = Some(message.desired_length);
        self.extra_text = message
            .extra_text
            .iter()
            .filter(|line| !line.starts_with(notes::SENDERS_REQUEST))
            .cloned()
            .collect();
    }
}
