//! Sends and receives: the requests in the slabs of ob1's two free lists, and those on the lists of
//! posted receives.

use super::layout::{self, kind, mode, mpi, request};
use super::objects::{ListWalk, read_record};
use super::pass::{Keeps, Pass, Placed, impossible, narrow, size};
use crate::alloc::{insert, push, zeroed};
use crate::error::{Error, Result};
use crate::layout::{Record, Structure};
use crate::queues::{self, Datatype, Details, Elements, Message, Operation, Status};
use mqs_abi::notes;

/// Bytes of a slab that are read at a time.
const CHUNK: usize = 1024 * 1024;
/// The largest element, and its largest alignment.
const MAX_ELEMENT: u64 = 64 * 1024;
/// The most elements of a free list.
const MAX_ELEMENTS: u64 = 1 << 24;

/// A free list's numbers, checked.
struct Slabs {
    /// The number of elements of all slabs together, and of each slab. The first slab, and the last
    /// if there is a limit, may have other numbers.
    elements: u64,
    per_slab: u64,
    limited: bool,
    /// From one element to the next.
    stride: u64,
    alignment: u64,
    class: u64,
}

/// The fields that every request has, decoded.
struct Common {
    /// Is it complete for MPI, so that the program may ask for it?
    complete: bool,
    /// Does a function wait for it?
    awaited: bool,
    /// Is it complete for ob1?
    done: bool,
    cancelled: bool,
    persistent: bool,
    /// The program has given it up (MPI_Request_free, MPI_Bsend).
    freed: bool,
    kind: i64,
    communicator: usize,
    buffer: u64,
    count: i64,
    datatype: u64,
    peer: i64,
    tag: i64,
    sequence: u64,
    source: i64,
    source_tag: i64,
    /// Valid once the request is complete; the two above are valid once it has matched. Never valid
    /// for a send.
    received: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Send,
    Receive,
}

impl Pass<'_, '_> {
    pub(super) fn receive_requests(&mut self) -> Result<()> {
        let (list, size) = (self.library.receives, self.layout.receive.bytes());
        self.free_list(list, size, |pass, address, record| pass.receive(address, record, false))
    }

    pub(super) fn send_requests(&mut self) -> Result<()> {
        let (list, size) = (self.library.sends, self.layout.send.bytes());
        self.free_list(list, size, |pass, address, record| pass.send(address, record))
    }

    /// Gives every element of a free list to `each`: those in use and those not, slab by slab.
    pub(super) fn free_list(
        &mut self,
        address: u64,
        element: usize,
        mut each: impl FnMut(&mut Self, u64, Record<'_>) -> Result<()>,
    ) -> Result<()> {
        let here = |error: Error| error.within(layout::FreeList::NAME, address);
        let fields = self.layout.free_list;
        let bytes = read_record(self.memory, address, fields.bytes()).map_err(here)?;
        let record = Record { bytes: &bytes, target: self.memory.target };
        let slabs = Slabs::new(&fields, record, element).map_err(here)?;
        let allocations = record.inner(fields.fl_allocations).map_err(here)?;
        let allocations_at = fields.fl_allocations.address(address);
        let count = allocations.get(self.layout.list.opal_list_length).map_err(here)?;
        let mut walk = ListWalk::new(self.layout, allocations, allocations_at).map_err(here)?;
        let (mut number, mut left) = (0, slabs.elements);
        while let Some(slab) = walk.element().map_err(here)? {
            let here = |error: Error| error.within(layout::FreeListItem::NAME, slab);
            self.step(slab).map_err(here)?;
            let bytes =
                read_record(self.memory, slab, self.layout.list_item.bytes()).map_err(here)?;
            let record = Record { bytes: &bytes, target: self.memory.target };
            walk.advance(record.get(self.layout.list_item.opal_list_next).map_err(here)?);
            number += 1;
            let most = match number {
                1 => slabs.first(count).ok_or(here(impossible("fl_num_allocated")))?,
                _ => left.min(slabs.per_slab),
            };
            let start = slab.checked_add(self.layout.free_list_item.bytes() as u64);
            let start = start.and_then(|start| start.checked_next_multiple_of(slabs.alignment));
            let start = start.ok_or(here(impossible("opal_list_next")))?;
            left -= self.slab(start, most, &slabs, &mut each)?;
        }
        if left == 0 { Ok(()) } else { Err(here(impossible("fl_num_allocated"))) }
    }

    /// Reads up to `most` elements of a slab, as far as there are elements of the right class.
    /// Gives their number.
    fn slab(
        &mut self,
        start: u64,
        most: u64,
        slabs: &Slabs,
        each: &mut impl FnMut(&mut Self, u64, Record<'_>) -> Result<()>,
    ) -> Result<u64> {
        let stride = slabs.stride as usize;
        let per_chunk = (CHUNK / stride).max(1) as u64;
        let mut buffer = zeroed(per_chunk.min(most) as usize * stride)?;
        let mut done = 0;
        while done < most {
            let first = start.wrapping_add(done * slabs.stride);
            let wanted = (most - done).min(per_chunk) as usize;
            // An element may be smaller than the stride, and nothing needs to follow the last one.
            let bytes = &mut buffer[..wanted * stride];
            self.memory
                .read(first, bytes)
                .map_err(|error| error.within(layout::Request::NAME, first))?;
            for (index, bytes) in bytes.chunks_exact(stride).enumerate() {
                let address = first.wrapping_add((index * stride) as u64);
                let record = Record { bytes, target: self.memory.target };
                if record.get(self.layout.object.obj_class)? != slabs.class {
                    return Ok(done + index as u64);
                }
                let result = each(self, address, record)
                    .map_err(|error| error.within(layout::Request::NAME, address));
                self.keep(result)?;
            }
            done += wanted as u64;
        }
        Ok(done)
    }

    /// Reads the posted receives on a communicator's lists. Most of them are in slabs and known
    /// already.
    pub(super) fn posted_receives(&mut self, index: usize) -> Result<()> {
        let pml = self.found[index].pml;
        if pml == 0 {
            return Ok(());
        }
        let fields = self.layout.pml_communicator;
        let here = |error: Error| error.within(layout::PmlCommunicator::NAME, pml);
        let bytes = read_record(self.memory, pml, fields.bytes()).map_err(here)?;
        let record = Record { bytes: &bytes, target: self.memory.target };
        let wild = record.inner(fields.wild_receives).map_err(here)?;
        let wild =
            ListWalk::new(self.layout, wild, fields.wild_receives.address(pml)).map_err(here)?;
        let result = self.posted(wild, pml);
        self.keep(result)?;
        for peer in 0..self.found[index].peers.len() {
            let peer = &mut self.found[index].peers[peer];
            let (address, receives) = (peer.address, peer.receives.take());
            if let Some(receives) = receives {
                let result = self.posted(receives, address);
                self.keep(result)?;
            }
        }
        Ok(())
    }

    fn posted(&mut self, mut walk: ListWalk, list: u64) -> Result<()> {
        while let Some(address) =
            walk.element().map_err(|error| error.within(layout::List::NAME, list))?
        {
            let here = |error: Error| error.within(layout::Request::NAME, address);
            self.step(address).map_err(here)?;
            if let Some(next) = self.requests.get(&address) {
                walk.advance(*next);
                continue;
            }
            let bytes =
                read_record(self.memory, address, self.layout.receive.bytes()).map_err(here)?;
            let record = Record { bytes: &bytes, target: self.memory.target };
            walk.advance(record.get(self.layout.list_item.opal_list_next).map_err(here)?);
            let result = self.receive(address, record, true).map_err(here);
            self.keep(result)?;
        }
        Ok(())
    }

    fn receive(&mut self, address: u64, record: Record<'_>, posted: bool) -> Result<()> {
        let layout = self.layout;
        let base = record.inner(layout.receive.req_recv)?;
        let general = base.inner(layout.base_receive.req_base)?;
        if !posted {
            let request = general.inner(layout.base_request.req_ompi)?;
            if request.get(layout.request.req_state)? != request::ACTIVE {
                return Ok(());
            }
            insert(&mut self.requests, address, record.get(layout.list_item.opal_list_next)?)?;
        }
        let Some(common) = self.common(address, general, Role::Receive)? else { return Ok(()) };
        let matched = record.get(layout.receive.req_match_received)? != 0
            && common.source_tag != mpi::ANY_TAG;
        let status = match (common.complete, matched) {
            (true, _) => Status::Complete,
            (false, true) => Status::Matched,
            (false, false) => Status::Pending,
        };
        let is_probe = match common.kind {
            kind::RECEIVE => false,
            // A message that MPI_Mprobe has taken belongs to no receive until it is received.
            kind::PROBE | kind::MATCHING_PROBE if status == Status::Pending => true,
            _ => return Ok(()),
        };
        let datatype = if is_probe { None } else { self.elements(&common)? };
        let desired = match common.peer {
            mpi::ANY_SOURCE => queues::Peer::ANY,
            peer => self.peer(common.communicator, peer, "req_peer")?,
        };
        // A receive that has failed is complete without a message.
        let message = if !matched || common.cancelled {
            None
        } else {
            Some(Message {
                peer: self.peer(common.communicator, common.source, "MPI_SOURCE")?,
                tag: narrow(common.source_tag, "MPI_TAG")?,
                length: match status {
                    Status::Complete => size(common.received, "_ucount")?,
                    _ => size(base.get(layout.base_receive.req_bytes_packed)?, "req_bytes_packed")?,
                },
            })
        };
        let operation = Operation {
            status,
            desired,
            tag: (common.tag != mpi::ANY_TAG).then_some(common.tag as i32),
            length: length(datatype)?,
            system_buffer: false,
            buffer: if is_probe { 0 } else { common.buffer },
            message,
            awaited: Some(common.awaited),
            details: Details {
                call: None,
                elements: datatype,
                notes: [if is_probe { notes::PROBE } else { "" }, common.note()],
                request: None,
            },
        };
        // In the order of matching: receives that have matched did so before the others. Others are
        // in the order in which they were started.
        let found = &mut self.found[common.communicator];
        let age = (found.receive_sequence.wrapping_sub(common.sequence)) as u32;
        let place = (u64::from(status == Status::Pending), u64::from(u32::MAX - age));
        push(&mut found.receives, Placed { place, operation })
    }

    fn send(&mut self, address: u64, record: Record<'_>) -> Result<()> {
        let layout = self.layout;
        let base = record.inner(layout.send.req_send)?;
        let general = base.inner(layout.base_send.req_base)?;
        let request = general.inner(layout.base_request.req_ompi)?;
        if request.get(layout.request.req_state)? != request::ACTIVE {
            return Ok(());
        }
        let Some(common) = self.common(address, general, Role::Send)? else { return Ok(()) };
        if common.kind != kind::SEND {
            return Err(impossible("req_type"));
        }
        let mode = base.get(layout.base_send.req_send_mode)?;
        let mode_note = match mode {
            mode::STANDARD | mode::COMPLETE => notes::STANDARD,
            mode::BUFFERED => notes::BUFFERED,
            mode::SYNCHRONOUS => notes::SYNCHRONOUS,
            mode::READY => notes::READY,
            _ => return Err(impossible("req_send_mode")),
        };
        // The receiver's request is known once the receiver has answered. A persistent request that
        // is started again still has the previous one. Then only the state that is still awaited
        // tells: 0 means nothing.
        let stale = common.persistent && record.get(layout.send.req_state)? != 0;
        let acknowledged = record.get(layout.send.req_recv)? != 0 && !stale;
        // A buffered send is complete for MPI at once, but the operation goes on until the data
        // have left the buffer. The same holds for a request that the program has freed.
        let goes_on = (mode == mode::BUFFERED && !common.done) || common.freed;
        let status = if common.complete && !goes_on {
            Status::Complete
        } else if acknowledged {
            Status::Matched
        } else {
            Status::Pending
        };
        let datatype = self.elements(&common)?;
        let peer = self.peer(common.communicator, common.peer, "req_peer")?;
        let tag = narrow(common.tag, "req_tag")?;
        let length = size(base.get(layout.base_send.req_bytes_packed)?, "req_bytes_packed")?;
        let data = if mode == mode::BUFFERED {
            base.get(layout.base_send.req_addr)?
        } else {
            common.buffer
        };
        let operation = Operation {
            status,
            desired: peer,
            tag: Some(tag),
            length,
            // The data may have been copied from where the program had them.
            system_buffer: data != common.buffer,
            buffer: data,
            message: Some(Message { peer, tag, length }),
            awaited: Some(common.awaited),
            details: Details {
                call: None,
                elements: datatype,
                notes: [mode_note, common.note()],
                request: None,
            },
        };
        // Messages to one peer are ordered, messages to different peers are not. The sequence
        // number has 16 bits and wraps.
        let found = &mut self.found[common.communicator];
        // The peers are in the order of their ranks.
        let place = found.peers.binary_search_by_key(&(common.peer as u64), |peer| peer.rank);
        let latest = place.map_or(0, |place| found.peers[place].send_sequence);
        let age = latest.wrapping_sub(common.sequence) as u16;
        let place = (common.peer as u64, u64::from(u16::MAX - age));
        push(&mut found.sends, Placed { place, operation })
    }

    /// The fields that all requests have. None: the program has not made the request, or it is
    /// about to vanish.
    fn common(&mut self, address: u64, general: Record<'_>, role: Role) -> Result<Option<Common>> {
        let (layout, fields) = (self.layout, self.layout.base_request);
        let request = general.inner(fields.req_ompi)?;
        let status = request.inner(layout.request.req_status)?;
        if request.get(layout.request.req_type)? != request::PML {
            return Err(impossible("req_type"));
        }
        let communicator = general.get(fields.req_comm)?;
        let communicator = *self.by_address.get(&communicator).ok_or(impossible("req_comm"))?;
        let (tag, freed) =
            (general.get(fields.req_tag)?, general.get(fields.req_free_called)? != 0);
        // Collective operations and the like use negative tags. Of the negative tags, only that of
        // "any" may be the program's.
        let of_program = tag >= 0 || (tag == mpi::ANY_TAG && role == Role::Receive);
        let own = self.internal || of_program;
        let done = general.get(fields.req_pml_complete)? != 0;
        let completion = request.get(layout.request.req_complete)?;
        let shown = own && !self.found[communicator].hidden;
        let awaited = self.note_wait(completion, of_program, shown);
        let needed = self.needs.has(address);
        if tag < 0 && !done {
            self.found[communicator].note_collective(tag)?;
        }
        if !own || (freed && done) || self.found[communicator].hidden {
            return Ok(None);
        }
        self.needs.shown += i64::from(needed);
        Ok(Some(Common {
            complete: completion == request::COMPLETED,
            awaited: awaited || needed,
            done,
            cancelled: status.get(layout.status._cancelled)? != 0,
            persistent: request.get(layout.request.req_persistent)? != 0,
            freed,
            kind: general.get(fields.req_type)?,
            communicator,
            buffer: general.get(fields.req_addr)?,
            count: size(general.get(fields.req_count)?, "req_count")?,
            datatype: general.get(fields.req_datatype)?,
            peer: general.get(fields.req_peer)?,
            tag,
            sequence: general.get(fields.req_sequence)?,
            source: status.get(layout.status.MPI_SOURCE)?,
            source_tag: status.get(layout.status.MPI_TAG)?,
            received: status.get(layout.status._ucount)?,
        }))
    }

    /// Count and datatype; None if the datatype cannot be read, which is noted.
    fn elements(&mut self, common: &Common) -> Result<Option<Elements>> {
        let datatype = self.datatype(common.datatype);
        Ok(self.optional(datatype)?.map(|datatype| Elements { count: common.count, datatype }))
    }

    pub(super) fn datatype(&mut self, address: u64) -> Result<Datatype> {
        if let Some(datatype) = self.datatypes.get(&address) {
            return Ok(*datatype);
        }
        let fields = self.layout.datatype;
        let here = |error: Error| error.within(layout::Datatype::NAME, address);
        let bytes = read_record(self.memory, address, fields.bytes()).map_err(here)?;
        let record = Record { bytes: &bytes, target: self.memory.target };
        let name = self.snapshot.names.add(record.get(fields.name).map_err(here)?)?;
        let bytes = size(record.get(self.layout.opal_datatype.size).map_err(here)?, "size")
            .map_err(here)?;
        let datatype = Datatype { name, size: bytes };
        insert(&mut self.datatypes, address, datatype)?;
        Ok(datatype)
    }
}

impl Common {
    fn note(&self) -> &'static str {
        match (self.cancelled, self.freed, self.persistent) {
            (true, ..) => "cancelled",
            (_, true, _) => "the program has freed its request",
            (.., true) => "persistent request",
            _ => "",
        }
    }
}

/// Bytes of a receive's buffer.
fn length(elements: Option<Elements>) -> Result<i64> {
    let bytes =
        elements.map_or(Some(0), |elements| elements.count.checked_mul(elements.datatype.size));
    bytes.ok_or(impossible("req_count"))
}

impl Slabs {
    fn new(fields: &layout::FreeList, record: Record<'_>, element: usize) -> Result<Self> {
        let (size, alignment) =
            (record.get(fields.fl_frag_size)?, record.get(fields.fl_frag_alignment)?);
        if !(element as u64..=MAX_ELEMENT).contains(&size) {
            return Err(impossible("fl_frag_size"));
        }
        if !alignment.is_power_of_two() || alignment > MAX_ELEMENT {
            return Err(impossible("fl_frag_alignment"));
        }
        let (elements, most) =
            (record.get(fields.fl_num_allocated)?, record.get(fields.fl_max_to_alloc)?);
        if elements > MAX_ELEMENTS {
            return Err(impossible("fl_num_allocated"));
        }
        Ok(Self {
            elements,
            per_slab: record.get(fields.fl_num_per_alloc)?,
            limited: most != 0 && elements >= most,
            stride: size.next_multiple_of(alignment),
            alignment,
            class: record.get(fields.fl_frag_class)?,
        })
    }

    /// The most elements that the first of `count` slabs may have. It may have another size than
    /// the rest; so may the last, if the list must not grow beyond a limit.
    fn first(&self, count: u64) -> Option<u64> {
        if count <= 1 || self.limited {
            return Some(self.elements);
        }
        let without = |others: u64| {
            let first = self.elements.checked_sub(others.saturating_mul(self.per_slab))?;
            (first > 0).then_some(first)
        };
        // While the list grows, the elements of its last slab are not counted yet.
        without(count - 1).or_else(|| without(count - 2))
    }
}
