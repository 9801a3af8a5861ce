//! The state of one pass over a process of MPICH, which all its readers share.

use super::layout::{Layout, request};
use super::library::{Library, Roots};
use crate::alloc::{AddressMap, AddressSet};
use crate::error::{Code, Error, Result};
use crate::layout::Record;
use crate::memory::Memory;
use crate::queues::{Collective, Communicator, Snapshot};
use crate::runtimes::values::{Ranks, on_communicator};

pub(super) use crate::runtimes::kept::{Keeps, Placed};
pub(super) use crate::runtimes::values::{impossible, narrow, size};

/// What the pass knows of a communicator beyond its snapshot, which has the same index there.
pub(super) struct Found {
    /// Is it one that only the library uses?
    pub(super) hidden: bool,
    /// The context id of messages from it.
    pub(super) sent: u64,
    /// The collective operations whose own messages are under way.
    pub(super) collectives: Vec<Collective>,
    /// What was found for its queues, each with its place in the order.
    pub(super) sends: Vec<Placed>,
    pub(super) receives: Vec<Placed>,
    pub(super) unexpected: Vec<Placed>,
}

/// One pass. What was read before an error is kept: a damaged list ends where the damage is, and
/// the others are still read.
pub(super) struct Pass<'p, 'm> {
    pub(super) library: &'p Library,
    pub(super) layout: &'p Layout,
    pub(super) roots: &'p Roots,
    pub(super) memory: &'p mut Memory<'m>,
    pub(super) snapshot: &'p mut Snapshot,
    pub(super) found: Vec<Found>,
    /// Communicators by address: their index in `found` and in the snapshot.
    pub(super) by_address: AddressMap<usize>,
    /// The same by the context ids that messages to this process carry, and messages from it.
    pub(super) received_by: AddressMap<usize>,
    pub(super) sent_by: AddressMap<usize>,
    /// Context ids that messages from more than one communicator carry. The other side of an
    /// intercommunicator chooses its id, which may be that of another communicator here.
    pub(super) ambiguous: AddressSet,
    /// Receives through shared memory that are posted for the network too: their places there.
    pub(super) network_places: AddressMap<u64>,
    /// Those of them that have a message of the network.
    pub(super) matched_by_network: AddressSet,
    /// The pool of datatypes, once it was searched for.
    pub(super) datatypes: Option<Option<u64>>,
    /// The predefined datatypes of two numbers, once they were searched for.
    pub(super) pairs: Option<Option<u64>>,
    /// The number of processes in `MPI_COMM_WORLD`.
    pub(super) world_size: i64,
    /// Whether the library's own operations and communicators are asked for.
    pub(super) internal: bool,
    /// Operations of the library's own have been seen.
    pub(super) has_internal: bool,
    /// The netmod is ofi.
    pub(super) over_ofi: bool,
    /// The ranks of processes in groups.
    pub(super) ranks: Ranks,
    pub(super) first_error: Option<Error>,
}

impl Keeps for Pass<'_, '_> {
    fn kept(&mut self) -> (&mut Snapshot, &mut Option<Error>) {
        (self.snapshot, &mut self.first_error)
    }
}

impl Pass<'_, '_> {
    /// The communicator that a message with this context id was sent on. If several have the id,
    /// this process's rank there and the receiver's rank in `MPI_COMM_WORLD` tell them apart,
    /// where they are known. None: the message is the library's own, and its communicator is gone
    /// or not known.
    ///
    /// # Errors
    ///
    /// When there is none, or when it may be more than one. Then none of their queues of sends is
    /// known.
    pub(super) fn sent_on(
        &mut self,
        context: u64,
        is_internal: bool,
        sender: Option<i64>,
        receiver: Option<i32>,
    ) -> Result<Option<usize>> {
        if !self.ambiguous.contains(&context) {
            return on_communicator(self.sent_by.get(&context).copied(), is_internal);
        }
        let communicators = self.found.iter().zip(&self.snapshot.communicators).enumerate();
        let mut fitting = communicators.filter(|(_, (found, communicator))| {
            found.sent == context
                && sender.is_none_or(|rank| rank == communicator.local_rank)
                && receiver.is_none_or(|rank| self.may_send_to(communicator, rank))
        });
        if let (Some((index, _)), None) = (fitting.next(), fitting.next()) {
            return Ok(Some(index));
        }
        drop(fitting);
        if is_internal && !self.internal {
            return Ok(None);
        }
        for (found, communicator) in self.found.iter().zip(&mut self.snapshot.communicators) {
            communicator.hides_sends |= found.sent == context;
        }
        let unseen =
            "sends on an intercommunicator and on another communicator, which have the same number";
        Err(Error::on(Code::NotSeen, unseen))
    }

    /// The communicator that messages with this context id are received on.
    pub(super) fn received_on(&self, context: u64, is_internal: bool) -> Result<Option<usize>> {
        on_communicator(self.received_by.get(&context).copied(), is_internal)
    }

    /// Whether the process with this rank in `MPI_COMM_WORLD` is among those that a communicator
    /// sends to, as far as they are known.
    fn may_send_to(&self, communicator: &Communicator, rank: i32) -> bool {
        let peers = communicator.peers.and_then(|group| self.snapshot.groups.get(group.0));
        peers.is_none_or(|ranks| ranks.contains(&rank))
    }

    /// Whether a request is a receive that is neither free nor complete. A request that
    /// is free or complete may name something that another one has now.
    pub(super) fn is_pending_receive(&self, request: &Record<'_>) -> Result<bool> {
        let fields = &self.layout.request;
        Ok(request.get(fields.kind)? == request::RECEIVE && request.get(fields.cc)? != 0)
    }

    /// Notes an operation of the library's own.
    pub(super) fn note_internal(&mut self, index: usize, tag: i64) -> Result<()> {
        self.has_internal = true;
        self.found[index].note_collective(tag)
    }
}
