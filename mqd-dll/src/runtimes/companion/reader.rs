//! One pass over the companion runtime's queues.

use super::ROOT;
use super::layout::{self, Layout, Process, kind, mpi, phase, protocol, state};
use crate::alloc::{AddressMap, AddressSet, insert, mark, push, zeroed};
use crate::debugger::Image;
use crate::environment;
use crate::error::{Code, Error, Result};
use crate::layout::{Field, Pointer, Record, Structure};
use crate::memory::Memory;
use crate::queues::{
    Background, Call, Collective, Collectives, Communicator, Datatype, Details, Elements, GroupId,
    Message, Name, Operation, Peer, Snapshot, Status, Traffic, Waits,
};
use crate::runtimes::kept::Keeps;
use crate::runtimes::values::{self, impossible, narrow};
use crate::text::until_nul;
use mqs_abi::{extensions::COLLECTIVES, notes};

/// No job has more processes than this.
const MAX_PROCESSES: i64 = 1 << 24;
/// The function of the runtime in which threads wait for what they have started.
const WAIT: &str = "mqdrt_wait";
/// Bytes of a function's name that are shown.
const CALL_BYTES: usize = 63;

/// The root of a process's queues.
#[derive(Clone, Copy)]
pub(crate) struct Reader {
    layout: Layout,
    root: u64,
}

/// What the root says.
struct Root {
    world_size: i64,
    communicators: u64,
    sends: u64,
    probes: u64,
    wait: Option<Wait>,
    /// The lists of the library's own communicators and operations.
    internal_communicators: u64,
    internal_sends: u64,
    /// Are nonblocking operations about to start messages?
    goes_on: bool,
}

/// The wait that a process is in, if it is in one.
#[derive(Clone, Copy, Default)]
struct Wait {
    /// The name of the call; 0: it waits in none.
    call: u64,
    number: i64,
    /// How many requests were marked as awaited by it, and how many of those have to be complete;
    /// -1: not known.
    awaited: i64,
    needed: i64,
    /// How many nonblocking collective operations have to be complete, too.
    operations: i64,
}

/// A nonblocking operation that is made of messages.
#[derive(Clone, Copy)]
struct Whole {
    /// Does the wait need it?
    awaited: bool,
    /// Its messages that are not complete, and how many of them were found.
    open: i64,
    found: i64,
}

impl Reader {
    pub(crate) fn locate(layout: &Layout, image: &Image) -> Result<Self> {
        let root = image.symbol(ROOT)?.ok_or(Error::new(Code::UnknownMpi))?;
        Ok(Self { layout: *layout, root })
    }

    /// Is MPI running in the process, and of a version that can be read?
    pub(crate) fn check(&self, memory: &mut Memory<'_>) -> Result<()> {
        self.read_root(memory).map(|_| ())
    }

    fn read_root(&self, memory: &mut Memory<'_>) -> Result<Root> {
        let fields = &self.layout.process;
        let on_root = |error: Error| error.within(Process::NAME, self.root);
        let bytes = read_record(memory, self.root, fields.bytes()).map_err(on_root)?;
        let root = Record { bytes: &bytes, target: memory.target };
        let values = || -> Result<_> {
            let version = root.get(fields.layout_version)?;
            let phase = root.get(fields.phase)?;
            let (size, rank) = (root.get(fields.world_size)?, root.get(fields.world_rank)?);
            let pointer = |field| root.get(field);
            let wait = Wait {
                call: root.get(fields.call)?,
                number: root.get(fields.wait)?,
                awaited: root.get(fields.awaited)?,
                needed: root.get(fields.needed)?,
                operations: root.get(fields.operations)?,
            };
            // It is not known what a thread that does not wait will do for one that waits.
            let wait = (root.get(fields.threads)? == 0).then_some(wait);
            let read = Root {
                world_size: size,
                communicators: pointer(fields.communicators)?,
                sends: pointer(fields.sends)?,
                probes: pointer(fields.probes)?,
                wait,
                internal_communicators: pointer(fields.internal_communicators)?,
                internal_sends: pointer(fields.internal_sends)?,
                goes_on: root.get(fields.going_on)? != 0,
            };
            Ok((version, phase, rank, read))
        };
        let (version, phase, world_rank, read) = values().map_err(on_root)?;
        let world_size = read.world_size;
        let wrong = |code, part| Err(Error::on(code, Process::NAME).part(part).at(self.root));
        if version != layout::VERSION {
            return wrong(Code::WrongVersion, "layout_version");
        }
        match phase {
            phase::RUNNING => {}
            phase::NOT_INITIALIZED => return Err(Error::new(Code::NotInitialized)),
            phase::FINALIZED => return Err(Error::new(Code::Finalized)),
            _ => return wrong(Code::Impossible, "phase"),
        }
        if !(1..=MAX_PROCESSES).contains(&world_size) {
            return wrong(Code::Impossible, "world_size");
        }
        if !(0..world_size).contains(&world_rank) {
            return wrong(Code::Impossible, "world_rank");
        }
        Ok(read)
    }

    /// Reads everything. On an error `snapshot` holds what could be read: a damaged list ends where
    /// the damage is, and the others are still read. The first error is the one returned.
    pub(crate) fn read(&self, memory: &mut Memory<'_>, snapshot: &mut Snapshot) -> Result<()> {
        let root = self.read_root(memory)?;
        snapshot.stack_hints.several_threads = Some(root.wait.is_none());
        if root.wait.is_none() {
            snapshot.stack_hints.progress = WAIT;
        }
        snapshot.background = root.goes_on.then_some(Background::Acts);
        let mut pass = Pass {
            layout: &self.layout,
            world_size: root.world_size,
            wait: root.wait,
            marked: 0,
            done: 0,
            wholes: AddressMap::default(),
            memory,
            snapshot,
            found: Vec::new(),
            by_address: AddressMap::default(),
            internal: AddressSet::default(),
            groups: AddressMap::default(),
            datatypes: AddressMap::default(),
            calls: AddressMap::default(),
            seen: AddressSet::default(),
            first_error: None,
        };
        let ended = pass.all(&root);
        let first_error = pass.first_error;
        let mut freed = pass.found.iter().map(|found| found.freed);
        snapshot.communicators.retain(|communicator| {
            let idle = communicator.sends.is_empty()
                && communicator.receives.is_empty()
                && communicator.unexpected.is_empty();
            !(freed.next().unwrap_or(false) && idle)
        });
        first_error.map_or(ended, Err)
    }
}

fn read_record(memory: &mut Memory<'_>, address: u64, size: usize) -> Result<Vec<u8>> {
    let mut bytes = zeroed(size)?;
    memory.read(address, &mut bytes)?;
    Ok(bytes)
}

/// What the pass remembers of a communicator besides its snapshot, which is at the same index
/// there.
struct Found {
    freed: bool,
    posted: u64,
    matched: u64,
    unexpected: u64,
}

/// A group that was read; `rank` is this process's.
#[derive(Clone, Copy)]
struct Group {
    id: GroupId,
    rank: i64,
}

struct Pass<'p, 'm> {
    layout: &'p Layout,
    world_size: i64,
    /// None: it is not shown.
    wait: Option<Wait>,
    /// Requests found that the wait has marked, and how many of them are done.
    marked: i64,
    done: i64,
    /// The nonblocking operations whose messages were found, by the addresses of their requests.
    wholes: AddressMap<Whole>,
    memory: &'p mut Memory<'m>,
    snapshot: &'p mut Snapshot,
    found: Vec<Found>,
    /// Communicators by address: their index in `found` and in the snapshot.
    by_address: AddressMap<usize>,
    /// The communicators of the library's own messages. Their operations are shown in the program's
    /// communicators. Those within a group of an intercommunicator are shown in one of their own.
    internal: AddressSet,
    /// What is shared and read once, by address.
    groups: AddressMap<Group>,
    datatypes: AddressMap<Datatype>,
    calls: AddressMap<Name>,
    /// The elements of all lists. An element is on one list only, so one that is met twice means
    /// damage.
    seen: AddressSet,
    first_error: Option<Error>,
}

impl Keeps for Pass<'_, '_> {
    fn kept(&mut self) -> (&mut Snapshot, &mut Option<Error>) {
        (self.snapshot, &mut self.first_error)
    }
}

impl Pass<'_, '_> {
    fn all(&mut self, root: &Root) -> Result<()> {
        let result = self.communicators(root.communicators);
        self.keep(result)?;
        let result = self.requests(root.sends, None, Role::Send);
        self.keep(result)?;
        for index in 0..self.found.len() {
            let Found { matched, posted, unexpected, .. } = self.found[index];
            let result = self.requests(matched, Some(index), Role::Receive);
            self.keep(result)?;
            let result = self.requests(posted, Some(index), Role::Receive);
            self.keep(result)?;
            let result = self.messages(unexpected, index);
            self.keep(result)?;
        }
        let result = self.requests(root.probes, None, Role::Probe);
        self.keep(result)?;
        if environment::wants(environment::INTERNAL) {
            let result = self.internal(root);
            self.keep(result)?;
        }
        self.snapshot.waits = match self.wait {
            None => Waits::NotKnown,
            Some(Wait { call: 0, .. }) => Waits::Nothing,
            Some(wait) => {
                let function = self.call(wait.call);
                let function = self.optional(function)?;
                function.map_or(Waits::NotKnown, |function| {
                    Waits::Call(Call { function, needed: self.needed(wait) })
                })
            }
        };
        Ok(())
    }

    /// How many of the awaited operations still have to complete. Operations that are done already
    /// count as complete, since a process can be stopped before it has seen that. If a process is
    /// stopped while it moves an operation from list to list, not all marked ones are found. The
    /// number is then not known. A nonblocking collective operation needs all its messages that are
    /// under way before it starts others.
    fn needed(&self, wait: Wait) -> Option<i64> {
        let awaited = || self.wholes.values().filter(|whole| whole.awaited);
        let all = wait.awaited == self.marked
            && wait.operations == awaited().count() as i64
            && awaited().all(|whole| whole.found == whole.open);
        let messages: i64 = awaited().map(|whole| whole.found).sum();
        (wait.needed >= 0 && all).then(|| (wait.needed - self.done).max(0) + messages)
    }

    /// Walks a list from `head` to its NULL: every element is read once and given to `each` with
    /// its address.
    fn walk(
        &mut self,
        head: u64,
        (name, size, next): (&'static str, usize, Field<Pointer>),
        mut each: impl FnMut(&mut Self, u64, Record<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut bytes = zeroed(size)?;
        let mut address = head;
        while address != 0 {
            let here = |error: Error| error.within(name, address);
            self.memory.step().map_err(here)?;
            if !mark(&mut self.seen, address)? {
                return Err(Error::on(Code::Cycle, name).at(address));
            }
            self.memory.read(address, &mut bytes).map_err(here)?;
            let record = Record { bytes: &bytes, target: self.memory.target };
            let following = record.get(next).map_err(here)?;
            each(self, address, record).map_err(here)?;
            address = following;
        }
        Ok(())
    }

    fn communicators(&mut self, head: u64) -> Result<()> {
        let fields = self.layout.communicator;
        let structure = (layout::Communicator::NAME, fields.bytes(), fields.next);
        self.walk(head, structure, Self::add_communicator)
    }

    fn add_communicator(&mut self, address: u64, record: Record<'_>) -> Result<()> {
        let fields = self.layout.communicator;
        let index = self.found.len();
        let (local, remote) = (record.get(fields.local_group)?, record.get(fields.remote_group)?);
        let group = self.group(local);
        let group = self.optional(group)?;
        let peers = if remote == 0 {
            group
        } else {
            let peers = self.group(remote);
            self.optional(peers)?
        };
        let found = Found {
            freed: record.get(fields.freed)? != 0,
            posted: record.get(fields.posted_receives)?,
            matched: record.get(fields.matched_receives)?,
            unexpected: record.get(fields.unexpected_messages)?,
        };
        let communicator = Communicator {
            unique_id: record.get(fields.context_id)?.cast_unsigned(),
            local_rank: group.map_or(-1, |group| group.rank.max(-1)),
            name: self.snapshot.names.add(record.get(fields.name)?)?,
            group: group.map(|group| group.id),
            peers: peers.map(|group| group.id),
            collectives: self.collectives(record.get(fields.collectives)?)?,
            traffic: match peers {
                Some(peers) => self.traffic(record.get(fields.peers)?, peers.id)?,
                None => None,
            },
            ..Communicator::default()
        };
        insert(&mut self.by_address, address, index)?;
        push(&mut self.snapshot.communicators, communicator)?;
        push(&mut self.found, found)
    }

    /// Reads the library's own messages.
    fn internal(&mut self, root: &Root) -> Result<()> {
        let fields = self.layout.communicator;
        let mut lists = Vec::new();
        let mut by_id = AddressMap::default();
        for (index, known) in self.snapshot.communicators.iter().enumerate() {
            insert(&mut by_id, known.unique_id, index)?;
        }
        self.walk(
            root.internal_communicators,
            (layout::Communicator::NAME, fields.bytes(), fields.next),
            |pass, address, record| {
                let id = record.get(fields.context_id)?.cast_unsigned();
                // A communicator that is being made or freed may be on one of the lists only.
                let index = match by_id.get(&(id & !layout::WITHIN)) {
                    Some(&known) if id & layout::WITHIN != 0 => pass.within(id, known)?,
                    Some(&known) => known,
                    None if id == layout::UNIVERSE => pass.add_universe(address, record)?,
                    None => return Ok(()),
                };
                insert(&mut pass.by_address, address, index)?;
                mark(&mut pass.internal, address)?;
                let peers = pass.snapshot.communicators[index].peers;
                let traffic = match peers {
                    Some(peers) => pass.traffic(record.get(fields.peers)?, peers)?,
                    None => None,
                };
                let known = pass.snapshot.communicators[index].traffic.take();
                pass.snapshot.communicators[index].traffic = match (known, traffic) {
                    (Some(known), Some(more)) => Some(sum(&known, &more)?),
                    _ => None,
                };
                for field in [fields.matched_receives, fields.posted_receives] {
                    push(&mut lists, (index, record.get(field)?, true))?;
                }
                push(&mut lists, (index, record.get(fields.unexpected_messages)?, false))
            },
        )?;
        let result = self.requests(root.internal_sends, None, Role::Send);
        self.keep(result)?;
        for (index, head, receives) in lists {
            let result = match receives {
                true => self.requests(head, Some(index), Role::Receive),
                false => self.messages(head, index),
            };
            self.keep(result)?;
        }
        Ok(())
    }

    /// Adds a communicator for the library's messages between processes that need no communicator
    /// in common. Returns its index.
    fn add_universe(&mut self, address: u64, record: Record<'_>) -> Result<usize> {
        let index = self.found.len();
        self.add_communicator(address, record)?;
        // The caller adds the counts.
        self.snapshot.communicators[index].traffic = Some(Vec::new());
        Ok(index)
    }

    /// Adds a communicator with that id for the library's messages within this process's group of
    /// a known intercommunicator. Returns its index.
    fn within(&mut self, id: u64, known: usize) -> Result<usize> {
        let Communicator { name, group, local_rank, .. } = self.snapshot.communicators[known];
        let name = self.snapshot.names.add_part(b"own group of ", name, b"an intercommunicator")?;
        let communicator = Communicator {
            unique_id: id,
            parent: Some(self.snapshot.communicators[known].unique_id),
            local_rank,
            name,
            group,
            peers: group,
            traffic: Some(Vec::new()),
            ..Communicator::default()
        };
        let freed = self.found[known].freed;
        push(&mut self.found, Found { freed, posted: 0, matched: 0, unexpected: 0 })?;
        push(&mut self.snapshot.communicators, communicator)?;
        Ok(self.snapshot.communicators.len() - 1)
    }

    /// The tag of an operation as it is shown: the library's own are negative.
    fn shown_tag(&self, communicator: u64, tag: i64) -> i64 {
        match tag {
            _ if !self.internal.contains(&communicator) => tag,
            0.. => -1 - tag,
            _ => tag.saturating_sub(1 << 30),
        }
    }

    /// The collective operations of a communicator that were called; None if they are not counted,
    /// or cannot be read.
    fn collectives(&mut self, address: u64) -> Result<Option<Collectives>> {
        if address == 0 {
            return Ok(None);
        }
        let fields = self.layout.collective;
        let mut known = Vec::new();
        let mut each = |number: usize, record: Record<'_>| {
            let (calls, active) = (record.get(fields.calls)?, record.get(fields.active)? != 0);
            if calls != 0 || active {
                push(
                    &mut known,
                    Collective { number, calls: Some(size(calls, "calls")?), active },
                )?;
            }
            Ok(())
        };
        let result = self.array(
            address,
            layout::Collective::NAME,
            fields.bytes(),
            COLLECTIVES.len(),
            &mut each,
        );
        let read = self.optional(result)?;
        Ok(read.map(|()| Collectives { known, is_complete: true }))
    }

    /// The processes of a group that a communicator had traffic with; None if that is not counted,
    /// or cannot be read.
    fn traffic(&mut self, address: u64, GroupId(peers): GroupId) -> Result<Option<Vec<Traffic>>> {
        if address == 0 {
            return Ok(None);
        }
        let fields = self.layout.traffic;
        let mut traffic = Vec::new();
        let mut each = |peer: usize, record: Record<'_>| {
            let (sent, received) = (record.get(fields.sent)?, record.get(fields.received)?);
            if (sent, received) != (0, 0) {
                let (sent, received) = (size(sent, "sent")?, size(received, "received")?);
                push(&mut traffic, Traffic { peer: peer as i64, sent, received })?;
            }
            Ok(())
        };
        let count = self.snapshot.groups.get(peers).map_or(0, Vec::len);
        let result = self.array(address, layout::Traffic::NAME, fields.bytes(), count, &mut each);
        let read = self.optional(result)?;
        Ok(read.map(|()| traffic))
    }

    /// Gives each of `count` structures that lie one after the other to `each`, with its number.
    fn array(
        &mut self,
        address: u64,
        name: &'static str,
        size: usize,
        count: usize,
        each: &mut dyn FnMut(usize, Record<'_>) -> Result<()>,
    ) -> Result<()> {
        // As many are read at once.
        let many = ((1 << 18) / size).max(1);
        let mut bytes = zeroed(size * count.min(many))?;
        for first in (0..count).step_by(many) {
            let piece = &mut bytes[..size * (count - first).min(many)];
            let start = address.wrapping_add((size * first) as u64);
            self.memory.read(start, piece).map_err(|error| error.within(name, start))?;
            for (index, bytes) in piece.chunks_exact(size).enumerate() {
                let place = start.wrapping_add((size * index) as u64);
                each(first + index, Record { bytes, target: self.memory.target })
                    .map_err(|error| error.within(name, place))?;
            }
        }
        Ok(())
    }

    fn group(&mut self, address: u64) -> Result<Group> {
        if let Some(group) = self.groups.get(&address) {
            return Ok(*group);
        }
        let fields = self.layout.group;
        let here = |error: Error| error.within(layout::Group::NAME, address);
        let bytes = read_record(self.memory, address, fields.bytes()).map_err(here)?;
        let record = Record { bytes: &bytes, target: self.memory.target };
        let (size, rank) =
            (record.get(fields.size).map_err(here)?, record.get(fields.rank).map_err(here)?);
        let ranks = record.get(fields.world_ranks).map_err(here)?;
        // The processes of a group are distinct. The world's size, which includes processes of
        // other jobs that this process knows, bounds their number.
        if !(0..=self.world_size).contains(&size) {
            return Err(here(impossible("size")));
        }
        if rank >= size {
            return Err(here(impossible("rank")));
        }
        let int = self.memory.target.int;
        let entries = if size == 0 {
            Vec::new()
        } else {
            read_record(self.memory, ranks, size as usize * int).map_err(here)?
        };
        let mut world_ranks = Vec::new();
        world_ranks.try_reserve_exact(size as usize)?;
        for entry in entries.chunks_exact(int) {
            let world_rank = self.memory.target.signed(entry);
            // A process of another launcher's job has no rank by which others know it.
            if world_rank != -1 && !(0..self.world_size).contains(&world_rank) {
                return Err(here(impossible("world_ranks")));
            }
            push(&mut world_ranks, world_rank as i32)?;
        }
        let group = Group { id: GroupId(self.snapshot.groups.len()), rank };
        push(&mut self.snapshot.groups, world_ranks)?;
        insert(&mut self.groups, address, group)?;
        Ok(group)
    }

    /// Reads a list of requests: those of one communicator, or of any.
    fn requests(&mut self, head: u64, of: Option<usize>, role: Role) -> Result<()> {
        let fields = self.layout.request;
        self.walk(
            head,
            (layout::Request::NAME, fields.bytes(), fields.next),
            |pass, address, record| {
                let communicator = record.get(fields.communicator)?;
                let known = pass.communicator(communicator, of);
                let index = match known {
                    // Its communicator may come after damage in the list of communicators. The
                    // requests after this one are still good.
                    Err(error) if of.is_none() => {
                        return pass.keep(Err(error.within(layout::Request::NAME, address)));
                    }
                    known => known?,
                };
                let operation = pass.request(record, index, role)?;
                let communicator = &mut pass.snapshot.communicators[index];
                match role {
                    Role::Send => push(&mut communicator.sends, operation),
                    Role::Receive | Role::Probe => push(&mut communicator.receives, operation),
                }
            },
        )
    }

    /// The communicator that an element names; it has to be the one whose list the element is on.
    fn communicator(&self, address: u64, of: Option<usize>) -> Result<usize> {
        let index = self.by_address.get(&address).copied();
        match (index, of) {
            (Some(index), None) => Ok(index),
            (Some(index), Some(of)) if index == of => Ok(index),
            _ => Err(impossible("communicator")),
        }
    }

    fn request(&mut self, record: Record<'_>, index: usize, role: Role) -> Result<Operation> {
        let fields = &self.layout.request;
        let kind = record.get(fields.kind)?;
        let fits = match role {
            Role::Send => (kind::SEND_STANDARD..=kind::SEND_READY).contains(&kind),
            Role::Receive => matches!(kind, kind::RECEIVE | kind::MATCHED_RECEIVE),
            Role::Probe => kind == kind::PROBE,
        };
        if !fits {
            return Err(impossible("kind"));
        }
        let status = match record.get(fields.state)? {
            state::PENDING => Status::Pending,
            state::MATCHED => Status::Matched,
            state::COMPLETE => Status::Complete,
            _ => return Err(impossible("state")),
        };
        let of = record.get(fields.communicator)?;
        let (peer, tag) = (record.get(fields.peer)?, record.get(fields.tag)?);
        let tag = self.shown_tag(of, tag);
        let desired = match peer {
            mpi::ANY_SOURCE if role != Role::Send => Peer::ANY,
            _ => self.peer(index, peer, "peer")?,
        };
        let tag = match tag {
            mpi::ANY_TAG if role != Role::Send && !self.internal.contains(&of) => None,
            _ => Some(narrow(tag, "tag")?),
        };
        let length = size(record.get(fields.length)?, "length")?;
        let message = match (role, status) {
            (Role::Send, _) => Some(Message { peer: desired, tag: tag.unwrap_or(0), length }),
            (_, Status::Pending) => None,
            _ => Some(Message {
                peer: self.peer(index, record.get(fields.actual_source)?, "actual_source")?,
                tag: narrow(self.shown_tag(of, record.get(fields.actual_tag)?), "actual_tag")?,
                length: size(record.get(fields.actual_length)?, "actual_length")?,
            }),
        };
        let call = self.call(record.get(fields.call)?);
        let count = size(record.get(fields.count)?, "count")?;
        let datatype = match role {
            Role::Probe => None,
            // Bytes.
            _ if self.internal.contains(&of) => None,
            _ => {
                let datatype = self.datatype(record.get(fields.datatype)?);
                self.optional(datatype)?
            }
        };
        let details = Details {
            call: self.optional(call)?,
            elements: datatype.map(|datatype| Elements { count, datatype }),
            notes: match role {
                Role::Probe => [notes::PROBE, ""],
                _ => [protocol_note(record.get(fields.protocol)?)?, ""],
            },
            request: None,
        };
        let system_buffer = record.get(fields.system_buffer)? != 0;
        // A buffered send is complete for the program once its data are in the buffer.
        let done = status == Status::Complete || system_buffer;
        let awaited = self.awaited(record, of, status, done)?;
        Ok(Operation {
            status,
            desired,
            tag,
            length,
            system_buffer,
            buffer: record.get(fields.buffer)?,
            message,
            awaited,
            details,
        })
    }

    /// Does the wait need this request, which is on the communicator `of`? `done`: the program may
    /// already take it as complete. Of the library's own requests only generalised ones are marked.
    /// The root's count of marked requests does not include these.
    fn awaited(
        &mut self,
        record: Record<'_>,
        of: u64,
        status: Status,
        done: bool,
    ) -> Result<Option<bool>> {
        let fields = &self.layout.request;
        let number = record.get(fields.wait)?;
        let own = self.internal.contains(&of);
        let marked = self.wait.map(|wait| wait.call != 0 && wait.number == number);
        let marked = marked.filter(|marked| *marked || !own);
        if marked == Some(true) && !own {
            self.marked += 1;
            self.done += i64::from(done);
        }
        let is_of_awaited = self.is_of_awaited(record.get(fields.whole)?, status);
        Ok(match self.optional(is_of_awaited)? {
            Some(true) => Some(true),
            _ => marked.map(|marked| marked && !done),
        })
    }

    /// Is a message one of a nonblocking operation, and has it to be complete before the wait goes
    /// on? `whole` is the address of the operation's request, or 0.
    fn is_of_awaited(&mut self, whole: u64, status: Status) -> Result<bool> {
        // An operation that is in a list itself, such as a partitioned one, is marked there.
        if whole == 0 || status == Status::Complete || self.seen.contains(&whole) {
            return Ok(false);
        }
        let Some(wait) = self.wait.filter(|wait| wait.call != 0) else { return Ok(false) };
        let fields = self.layout.request;
        let known = match self.wholes.get(&whole) {
            Some(known) => *known,
            None => {
                let here = |error: Error| error.within(layout::Request::NAME, whole);
                let bytes = read_record(self.memory, whole, fields.bytes()).map_err(here)?;
                let record = Record { bytes: &bytes, target: self.memory.target };
                let active = matches!(record.get(fields.state)?, state::PENDING | state::MATCHED);
                let awaited = active && record.get(fields.wait)? == wait.number;
                Whole { awaited, open: record.get(fields.open)?, found: 0 }
            }
        };
        insert(&mut self.wholes, whole, Whole { found: known.found + 1, ..known })?;
        Ok(known.awaited)
    }

    /// Reads the unexpected messages of a communicator.
    fn messages(&mut self, head: u64, of: usize) -> Result<()> {
        let fields = self.layout.message;
        self.walk(head, (layout::Message::NAME, fields.bytes(), fields.next), |pass, _, record| {
            let index = pass.communicator(record.get(fields.communicator)?, Some(of))?;
            let sender = pass.peer(index, record.get(fields.source)?, "source")?;
            let tag = pass.shown_tag(record.get(fields.communicator)?, record.get(fields.tag)?);
            let tag = narrow(tag, "tag")?;
            let length = size(record.get(fields.length)?, "length")?;
            let mode = match record.get(fields.mode)? {
                kind::SEND_STANDARD => notes::STANDARD,
                kind::SEND_BUFFERED => notes::BUFFERED,
                kind::SEND_SYNCHRONOUS => notes::SYNCHRONOUS,
                kind::SEND_READY => notes::READY,
                _ => return Err(impossible("mode")),
            };
            let protocol = protocol_note(record.get(fields.protocol)?)?;
            let operation = Operation::unexpected(
                Message { peer: sender, tag, length },
                record.get(fields.buffer)?,
                [mode, protocol],
            );
            push(&mut pass.snapshot.communicators[index].unexpected, operation)
        })
    }

    /// A rank of a communicator's peers with its rank in the world. A constant that stands for no
    /// process has no rank there.
    fn peer(&self, index: usize, local: i64, part: &'static str) -> Result<Peer> {
        match local {
            mpi::PROC_NULL => Ok(Peer { local: narrow(local, part)?, global: -1 }),
            _ => values::peer(self.snapshot, &self.snapshot.communicators[index], local, part),
        }
    }

    fn datatype(&mut self, address: u64) -> Result<Datatype> {
        if let Some(datatype) = self.datatypes.get(&address) {
            return Ok(*datatype);
        }
        let fields = self.layout.datatype;
        let on_datatype = |error: Error| error.within(layout::Datatype::NAME, address);
        let bytes = read_record(self.memory, address, fields.bytes()).map_err(on_datatype)?;
        let record = Record { bytes: &bytes, target: self.memory.target };
        let name = self.snapshot.names.add(record.get(fields.name).map_err(on_datatype)?)?;
        let datatype = Datatype { name, size: record.get(fields.size).map_err(on_datatype)? };
        insert(&mut self.datatypes, address, datatype)?;
        Ok(datatype)
    }

    fn call(&mut self, address: u64) -> Result<Name> {
        if let Some(name) = self.calls.get(&address) {
            return Ok(*name);
        }
        let mut text = [0; CALL_BYTES];
        self.memory
            .read_string(address, &mut text)
            .map_err(|error| error.within("the name of an MPI function", address))?;
        let name = self.snapshot.names.add(until_nul(&text))?;
        insert(&mut self.calls, address, name)?;
        Ok(name)
    }
}

/// The messages of two contexts together, by the peers' ranks.
fn sum(one: &[Traffic], other: &[Traffic]) -> Result<Vec<Traffic>> {
    let mut sum: Vec<Traffic> = Vec::new();
    let (mut one, mut other) = (one.iter().peekable(), other.iter().peekable());
    loop {
        let next = match (one.peek(), other.peek()) {
            (Some(first), Some(second)) if first.peer <= second.peer => one.next(),
            (Some(_), None) => one.next(),
            _ => other.next(),
        };
        let Some(next) = next else { return Ok(sum) };
        match sum.last_mut().filter(|last| last.peer == next.peer) {
            Some(last) => {
                last.sent = last.sent.saturating_add(next.sent);
                last.received = last.received.saturating_add(next.received);
            }
            None => push(&mut sum, *next)?,
        }
    }
}

/// What a list of requests is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Send,
    Receive,
    Probe,
}

/// A count or a number of bytes.
fn size(value: i64, part: &'static str) -> Result<i64> {
    if value >= 0 { Ok(value) } else { Err(impossible(part)) }
}

fn protocol_note(value: i64) -> Result<&'static str> {
    match value {
        protocol::NONE => Ok(""),
        protocol::EAGER => Ok(notes::EAGER),
        protocol::RENDEZVOUS => Ok(notes::RENDEZVOUS),
        protocol::SELF => Ok(notes::TO_ITSELF),
        _ => Err(impossible("protocol")),
    }
}
