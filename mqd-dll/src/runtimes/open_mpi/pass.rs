//! The state of one pass over a process of Open MPI, which all its readers share.

use super::composed::Needs;
use super::layout::Layout;
use super::library::Library;
use super::objects::ListWalk;
use crate::alloc::{AddressMap, AddressSet, mark};
use crate::error::{Code, Error, Result};
use crate::memory::Memory;
use crate::queues::{self, Collective, Datatype, GroupId, Snapshot};
use crate::runtimes::values;
use crate::runtimes::values::Ranks;

pub(super) use crate::runtimes::kept::{Keeps, Placed};
pub(super) use crate::runtimes::values::{impossible, narrow, size};

/// What the pass knows of a communicator beyond its snapshot, which has the same index there.
pub(super) struct Found {
    /// Its place in the array of communicators.
    pub(super) place: u64,
    pub(super) pml: u64,
    /// Of an intercommunicator: its local communicator, which only the library uses.
    pub(super) internal: u64,
    /// Is it one that only the library uses?
    pub(super) hidden: bool,
    /// Are messages to and from its peers counted?
    pub(super) counted: bool,
    /// The next receive's sequence number.
    pub(super) receive_sequence: u64,
    /// The rank that the last receive from any source took a message from.
    pub(super) last_probed: u64,
    /// The collective operations whose own messages are under way.
    pub(super) collectives: Vec<Collective>,
    /// The peers with which there were messages.
    pub(super) peers: Vec<Ob1Peer>,
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
    pub(super) memory: &'p mut Memory<'m>,
    pub(super) snapshot: &'p mut Snapshot,
    pub(super) found: Vec<Found>,
    /// Communicators by address: their index in `found` and in the snapshot.
    pub(super) by_address: AddressMap<usize>,
    /// What is shared and read once, by address.
    pub(super) groups: AddressMap<GroupId>,
    pub(super) world_ranks: AddressMap<i32>,
    /// Processes of other jobs, by job and rank: their numbers in groups.
    pub(super) strangers: AddressMap<i32>,
    pub(super) datatypes: AddressMap<Datatype>,
    /// Requests in slabs by address: the next element of the list that they are on.
    pub(super) requests: AddressMap<u64>,
    /// The elements of all lists. An element is on one list only, so one that is met twice means
    /// damage.
    pub(super) seen: AddressSet,
    /// What the requests tell about what the process waits for.
    pub(super) awaited: Awaited,
    /// The operations that must complete before the loop ends, or before the call begins its next
    /// step.
    pub(super) needs: Needs,
    /// This process's job, and a bound on the ranks in it.
    pub(super) job: u64,
    pub(super) world_size: i64,
    /// The classes of objects that have been checked.
    pub(super) communicator_class: u64,
    pub(super) fragment_class: Option<u64>,
    /// Whether the library's own operations and communicators are asked for.
    pub(super) internal: bool,
    /// The ranks of processes in groups.
    pub(super) ranks: Ranks,
    pub(super) first_error: Option<Error>,
}

/// What ob1 keeps about a peer of a communicator, once there was a message to or from it.
pub(super) struct Ob1Peer {
    /// Its rank in the communicator.
    pub(super) rank: u64,
    /// Where ob1's structure is.
    pub(super) address: u64,
    /// The sequence number of the latest message to it.
    pub(super) send_sequence: u64,
    /// The one of the next message from it.
    pub(super) expected_sequence: u64,
    /// The lists of receives from it and of messages from it, until they are walked.
    pub(super) receives: Option<ListWalk>,
    pub(super) messages: Option<ListWalk>,
    /// The first message that came before its turn, or 0.
    pub(super) early: u64,
}

/// What the requests in use tell about what the process waits for.
#[derive(Default)]
pub(super) struct Awaited {
    /// The address of the counter that they name.
    pub(super) counter: Option<u64>,
    /// They name more than one counter.
    pub(super) several: bool,
    /// How many of the program's requests name one.
    pub(super) own: i64,
    /// How many of the library's own requests name one.
    pub(super) internal: i64,
    /// Not all requests that name one are shown.
    pub(super) hidden: bool,
    /// There are operations of the library, which may be parts of operations of the program.
    pub(super) active: bool,
    /// Some of the program's requests are complete.
    pub(super) complete: bool,
    /// Some of the library's own requests are complete.
    pub(super) internal_complete: bool,
}

impl Keeps for Pass<'_, '_> {
    fn kept(&mut self) -> (&mut Snapshot, &mut Option<Error>) {
        (self.snapshot, &mut self.first_error)
    }
}

impl Pass<'_, '_> {
    /// Accounts for an element of a list.
    pub(super) fn step(&mut self, address: u64) -> Result<()> {
        self.memory.step()?;
        if mark(&mut self.seen, address)? { Ok(()) } else { Err(Error::new(Code::Cycle)) }
    }

    /// The peer of an operation with its rank in the world.
    pub(super) fn peer(
        &self,
        index: usize,
        local: i64,
        part: &'static str,
    ) -> Result<queues::Peer> {
        values::peer(self.snapshot, &self.snapshot.communicators[index], local, part)
    }

    /// The process with this number in groups, as the other side of messages on a communicator.
    pub(super) fn peer_of(&mut self, index: usize, global: i32) -> Result<Option<queues::Peer>> {
        self.ranks.peer(self.snapshot, &self.snapshot.communicators[index], global)
    }
}
