//! Completes pending sends of which their process does not keep the envelope.
//!
//! The message of such a send is unexpected at its receiver, and names the request of the send. So
//! the report of all ranks has what that of one rank lacks.

use std::collections::HashMap;

use mqs_abi::notes;

use super::{Operation, Queue, Report};

/// A message at its receiver.
struct Arrived {
    /// The receiver's rank in `MPI_COMM_WORLD`.
    receiver: i64,
    /// The ids of its communicator.
    communicator: u64,
    /// None: two messages name one request.
    message: Option<Operation>,
}

impl Report {
    /// Completes pending sends by the unexpected messages that name them. What is not found stays
    /// as it is.
    pub fn complete_sends(&mut self) {
        let lacks = |operation: &Operation| operation.request(notes::REQUEST).is_some();
        let mut parts = self.processes.iter().flat_map(|process| &process.communicators);
        if !parts.any(|part| part.pending_sends.iter().any(lacks)) {
            return;
        }
        let messages = self.named_messages();
        for process in &mut self.processes {
            let Some(rank) = process.rank else { continue };
            for part in &mut process.communicators {
                let (id, group) = (part.unique_id.0, part.group.clone());
                for send in part.queue_mut(Queue::Sends) {
                    let found = send
                        .request(notes::REQUEST)
                        .and_then(|request| messages.get(&(rank, request)))
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

    /// The unexpected messages that name the requests of their sends, by the senders' ranks and
    /// these requests.
    fn named_messages(&self) -> HashMap<(i64, u64), Arrived> {
        let mut messages: HashMap<(i64, u64), Arrived> = HashMap::new();
        for process in &self.processes {
            let Some(receiver) = process.rank else { continue };
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
                    messages.entry(key).and_modify(|one| one.message = None).or_insert(arrived);
                }
            }
        }
        messages
    }
}

impl Operation {
    /// The address of a request that a line names after `what`.
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
