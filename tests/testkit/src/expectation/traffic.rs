//! Counts of messages between ranks.

use serde_json::{Value, json};

use super::difference::Kind;
use super::{Findings, array};
use crate::record::{Communicator, Record};

impl Communicator {
    /// The messages to and from each peer. The record of a peer has what it has sent to this rank.
    pub(super) fn traffic(&self, records: &[Record], record: &Record) -> Value {
        // Names may occur more than once, so count how many communicators of that name come before.
        let same_name = |communicator: &&Communicator| communicator.name == self.name;
        let earlier = record.communicators.iter().take_while(|other| !std::ptr::eq(*other, self));
        let number = earlier.filter(same_name).count();
        let sent_by = |peer: i64| {
            let peer = records.iter().find(|record| record.rank == peer)?;
            let theirs = peer.communicators.iter().filter(same_name).nth(number)?;
            let own = theirs.peers().iter().position(|rank| *rank == record.rank)?;
            theirs.sent.get(own).copied()
        };
        let each = self.peers().iter().zip(&self.sent).enumerate();
        let counted = each.map(|(rank, (peer, sent))| (rank, *sent, sent_by(*peer).unwrap_or(0)));
        let any = counted.filter(|(_, sent, received)| sent + received > 0);
        any.map(|(rank, sent, received)| {
            json!({ "local_rank": rank, "sent": sent, "received": received })
        })
        .collect()
    }
}

/// Checks counts that include the library's own messages: both sides agree, and the counts are at
/// least the program's. A rank in a collective operation may have sent messages that their
/// receivers have not taken in yet.
pub(super) fn numbered_messages(found: &mut Findings<'_>, records: &[Record], processes: &[Value]) {
    let busy = |communicator: &Communicator| {
        communicator.collectives.iter().any(|collective| collective.active)
    };
    let quiet = !records.iter().flat_map(|record| &record.communicators).any(busy);
    for record in records {
        let world = |communicator: &&Communicator| communicator.name == "MPI_COMM_WORLD";
        let Some(own) = record.communicators.iter().find(world) else { continue };
        for (peer, &program) in (0..).zip(&own.sent) {
            let sent = counted(processes, record.rank, peer, "sent");
            let received = counted(processes, peer, record.rank, "received");
            let fits = match (sent, received) {
                (Some(sent), Some(received)) => {
                    program <= received && received <= sent && (!quiet || received == sent)
                }
                _ => false,
            };
            if !fits {
                let mut found = found.within(|subject| {
                    subject.rank = Some(record.rank);
                    subject.communicator = Some(own.name.clone());
                    subject.peer = Some(peer);
                });
                found.say(Kind::Traffic { program, sent, received });
            }
        }
    }
}

/// How many messages a rank has sent to a peer in `MPI_COMM_WORLD`, or received from it. None: the
/// report does not say.
fn counted(processes: &[Value], rank: i64, peer: i64, field: &str) -> Option<i64> {
    let process = processes.iter().find(|process| process["rank"] == rank)?;
    let mut communicators = array(&process["communicators"]).iter();
    let world = communicators.find(|communicator| communicator["name"] == "MPI_COMM_WORLD")?;
    let peers = world["traffic"].as_array()?;
    match peers.iter().find(|traffic| traffic["local_rank"] == peer) {
        Some(traffic) => traffic[field].as_i64(),
        None => Some(0),
    }
}
