//! The structures and constants of MPICH.

#![allow(non_snake_case, reason = "fields are named as in C")]

use crate::error::Result;
use crate::layout::{
    Chars, Field, Inner, Int, Pointer, Record, Signed, Size, Unsigned, structures,
};
use crate::types::Types;

/// `MPI_MAX_OBJECT_NAME`.
const NAME_BYTES: usize = 128;

structures! {
    /// A pool that objects of one kind are taken from.
    PoolFields = "MPIR_Object_alloc_t" {
        initialized: Int,
        indirect: Pointer,
        indirect_size: Int,
        kind: Unsigned<4>,
        size: Int,
        direct: Pointer,
        direct_size: Int,
    }
    /// A communicator.
    CommunicatorFields = "MPIR_Comm" {
        remote_size: Int,
        rank: Int,
        local_size: Int,
        comm_kind: Int,
        name: Chars<NAME_BYTES>,
        context_id: Inner,
        recvcontext_id: Inner,
    }
    /// The members of a communicator until 4.3.
    Maps = "MPIR_Comm" {
        map = "dev.ch4.map": Inner,
        local_map = "dev.ch4.local_map": Inner,
    }
    /// The same since 5.0.
    Groups = "MPIR_Comm" {
        local_group: Pointer,
        remote_group: Pointer,
    }
    /// A group.
    GroupFields = "MPIR_Group" {
        size: Int,
        use_map = "pmap.use_map": Unsigned<1>,
        map = "pmap.u.map": Pointer,
        offset = "pmap.u.stride.offset": Signed<8>,
        stride = "pmap.u.stride.stride": Signed<8>,
    }
    /// The members of a communicator of the device ch3.
    Tables = "MPIR_Comm" {
        table = "dev.vcrt": Pointer,
        local_table = "dev.local_vcrt": Pointer,
        // Where they come from, while the communicator is being made.
        origin = "mapper_head": Pointer,
    }
    /// A table of connections, one to each member.
    ConnectionTable = "MPIDI_VCRT_t" {
        size: Int,
        connections = "vcr_table": Inner,
    }
    /// A connection to a process: its job, and its rank there.
    Connection = "MPIDI_VC_t" {
        job = "pg": Pointer,
        rank = "pg_rank": Int,
    }
    /// Which processes the ranks of a communicator are.
    RankMap = "MPIDI_rank_map_t" {
        mode: Int,
        avtid: Int,
        size: Int,
        offset = "reg.stride.offset": Int,
        stride = "reg.stride.stride": Int,
        block = "reg.stride.blocksize": Int,
        table = "irreg.lut.lpid": Pointer,
        mixed_table = "irreg.mlut.gpid": Pointer,
    }
    /// A request.
    RequestFields = "MPIR_Request" {
        kind: Int,
        cc: Int,
    }
    /// A request of the netmod ucx.
    UcxRequest = "MPIR_Request" {
        ucp_request = "dev.ch4.netmod.ucx.ucp_request": Pointer,
    }
    /// A receive of the netmod ucx whose data come to a buffer of MPICH first.
    PackedReceive = "MPIR_Request" {
        type_ = "dev.ch4.netmod.ucx.s.type": Int,
        packed = "dev.ch4.netmod.ucx.s.u.pack.pack_buf": Pointer,
        buffer = "dev.ch4.netmod.ucx.s.u.pack.user_buf": Pointer,
    }
    /// A request of the netmod ofi.
    OfiRequest = "MPIR_Request" {
        context = "dev.ch4.netmod.ofi.context": Inner,
    }
    /// The communicator of a request of the netmod ofi.
    OfiCommunicator = "MPIR_Request" {
        comm: Pointer,
    }
    /// What the netmod ofi has chosen for its provider.
    OfiSettings = "MPIDI_OFI_capabilities_t" {
        max_endpoints: Int,
        context_bits: Int,
        source_bits: Int,
        tag_bits: Int,
        major_version: Int,
        minor_version: Int,
        num_am_buffers: Int,
    }
    /// A request for a message of a process to itself.
    OwnRequest = "MPIR_Request" {
        buffer = "dev.ch4.self.buf": Pointer,
        count = "dev.ch4.self.count": Signed<8>,
        datatype = "dev.ch4.self.datatype": Unsigned<4>,
        tag = "dev.ch4.self.tag": Int,
        context_id = "dev.ch4.self.context_id": Int,
        comm: Pointer,
        next: Pointer,
    }
    /// A request of the device ch3.
    Ch3Request = "MPIR_Request" {
        comm: Pointer,
        received_source = "status.MPI_SOURCE": Int,
        received_tag = "status.MPI_TAG": Int,
        next: Pointer,
        tag = "dev.match.parts.tag": Signed<4>,
        rank = "dev.match.parts.rank": Signed<2>,
        context_id = "dev.match.parts.context_id": Unsigned<2>,
        buffer = "dev.user_buf": Pointer,
        count = "dev.user_count": Signed<8>,
        datatype = "dev.datatype": Unsigned<4>,
        data = "dev.tmpbuf": Pointer,
        length = "dev.recv_data_sz": Signed<8>,
        state = "dev.state": Unsigned<4>,
        partner = "dev.partner_request": Pointer,
    }
    /// A request of the device ch3 for a packet that is still to be sent.
    WaitingRequest = "MPIR_Request" {
        parts = "dev.iov": Inner,
        sent_parts = "dev.iov_offset": Size,
        packet = "dev.pending_pkt": Inner,
        connection = "ch.vc": Pointer,
    }
    /// The packet of a message whose data follow.
    Packet = "MPIDI_CH3_Pkt_send_t" {
        type_ = "type": Unsigned<4>,
        tag = "match.parts.tag": Signed<4>,
        rank = "match.parts.rank": Signed<2>,
        context_id = "match.parts.context_id": Unsigned<2>,
        length = "data_sz": Signed<8>,
    }
    /// The packet of a message whose data are in it. It begins like the other one.
    ShortPacket = "MPIDI_CH3_Pkt_eagershort_send_t" {
        length = "data_sz": Signed<8>,
    }
    /// The header of a message in the buffer that the program has attached for its sends.
    Buffered = "MPII_Bsend_data_t" {
        message = "msg.msgbuf": Pointer,
        count = "msg.count": Signed<8>,
        data = "alignpad": Inner,
    }
    /// A request of an active message, which is how messages go through shared memory.
    ActiveRequest = "MPIR_Request" {
        partner = "dev.anysrc_partner": Pointer,
        extension = "dev.ch4.am.req": Pointer,
        buffer = "dev.ch4.am.buffer": Pointer,
        count = "dev.ch4.am.count": Signed<8>,
        datatype = "dev.ch4.am.datatype": Unsigned<4>,
        context_id = "dev.ch4.am.u.recv.context_id": Unsigned<4>,
    }
    /// Where such a request has its envelope until 4.2.
    ReceiveEnvelope = "MPIR_Request" {
        source = "dev.ch4.am.u.recv.source": Int,
        tag = "dev.ch4.am.u.recv.tag": Int,
    }
    /// The same since 4.3.
    StatusEnvelope = "MPIR_Request" {
        source = "status.MPI_SOURCE": Int,
        tag = "status.MPI_TAG": Int,
        length = "status.count_lo": Unsigned<8>,
    }
    /// The fields that tell the request of an active message, and the request after it, since 4.0.
    TypedRequest = "MPIR_Request" {
        type_ = "dev.type": Int,
        next: Pointer,
    }
    /// The same in 3.4, where the separate structures of requests are on the lists.
    LocalRequest = "MPIR_Request" {
        is_local = "dev.is_local": Int,
    }
    /// A request of Intel MPI, for messages through shared memory. The part of the active message,
    /// which is separate in MPICH, is inside it.
    IntelRequest = "MPIR_Request" {
        partner = "dev.anysrc_partner": Pointer,
        extension = "dev.ch4.am.req": Pointer,
        buffer = "dev.ch4.am.buffer": Pointer,
        count = "dev.ch4.am.count": Signed<8>,
        datatype = "dev.ch4.am.datatype": Unsigned<4>,
        source = "dev.ch4.am.u.recv.source": Int,
        tag = "dev.ch4.am.u.recv.tag": Int,
        context_id = "dev.ch4.am.u.recv.context_id": Unsigned<4>,
        message = "dev.ch4.am.unexpected": Pointer,
        sender = "dev.ch4.am.peer_req": Pointer,
        previous = "dev.ch4.am.posted.prev": Pointer,
        next = "dev.ch4.am.posted.next": Pointer,
    }
    /// An element of Intel MPI's list of unexpected messages.
    IntelMessage = "MPIDIG_unexp_t" {
        request: Pointer,
        next: Pointer,
    }
    /// What became of such a request: the bits that MPICH has in the separate part. A receive that
    /// is matched stays on its list.
    IntelStatus = "MPIR_Request" {
        status = "dev.ch4.am.status": Unsigned<8>,
    }
    /// How Intel MPI keeps its rings of shared memory: one for each process of the machine, which
    /// the others write into.
    IntelRings = "impi_shm_t" {
        own_control = "control": Pointer,
        taken: Unsigned<8>,
        controls: Pointer,
        rank: Int,
        processes: Int,
    }
    /// What the processes share about a ring.
    IntelControl = "impi_shm_control_t" {
        filled: Unsigned<8>,
    }
    /// The separate structure of such a request.
    Extension = "MPIDIG_req_ext_t" {
        status: Unsigned<8>,
        match_ = "rreq.match_req": Pointer,
    }
    /// The request of the message's sender, since 4.1.
    SenderRequest = "MPIDIG_req_ext_t" {
        sender = "rreq.peer_req_ptr": Pointer,
    }
    /// The communicator of a request.
    OfCommunicator = "MPIR_Request" {
        comm: Pointer,
    }
    /// How much of a message is still to come and how much is there, in 4.1 and 4.2.
    ReceivedParts = "MPIDIG_req_ext_t" {
        missing = "recv_async.in_data_sz": Signed<8>,
        here = "recv_async.offset": Signed<8>,
    }
    /// The next one in 3.4.
    ListedExtension = "MPIDIG_req_ext_t" {
        next = "rreq.next": Pointer,
    }
    /// The addresses of the processes that this one may talk to.
    AddressTable = "MPIDI_av_table_t" {
        size: Int,
        table: Inner,
    }
    /// The way for messages within a machine: cells of shared memory, which a sender takes and the
    /// receiver gives back.
    Transport = "MPIDI_POSIX_eager_iqueue_transport_t" {
        cells = "num_cells": Int,
        cell_size = "size_of_cell": Int,
        terminals: Pointer,
        own_terminal = "my_terminal": Pointer,
        pool = "cell_pool": Pointer,
    }
    /// All cells of a transport.
    CellPool = "MPIDU_genqi_shmem_pool_s" {
        cell_size: Unsigned<8>,
        cells = "cells_per_free_queue": Unsigned<8>,
        processes = "num_proc": Unsigned<8>,
        rank: Int,
        base = "cell_header_base": Pointer,
        free_queues: Pointer,
    }
    /// How many queues of free cells a process has, since 4.3.
    FreeQueues = "MPIDU_genqi_shmem_pool_s" {
        number = "num_free_queue": Unsigned<8>,
    }
    /// A queue of cells.
    CellQueue = "MPIDU_genq_shmem_queue_u" {
        head = "q.head": Unsigned<8>,
        tail = "q.tail": Unsigned<8>,
    }
    /// What stands in front of a cell.
    CellHeader = "MPIDU_genqi_shmem_cell_header_s" {
        handle: Unsigned<8>,
        next = "u.nem_queue.next_m": Unsigned<8>,
    }
    /// What a process keeps of the shared memory of the channel nemesis.
    NemesisRegion = "MPID_nem_mem_region_t" {
        shared = "shm_ptr": Pointer,
        processes_here = "num_local": Int,
        processes = "num_procs": Int,
        rank_here = "local_rank": Int,
        processes_elsewhere = "ext_procs": Int,
        boxes = "mailboxes.out": Pointer,
        cells = "Elements": Pointer,
        free_queues = "FreeQ": Pointer,
        queues = "RecvQ": Pointer,
        own_free_queue = "my_freeQ": Pointer,
        own_queue = "my_recvQ": Pointer,
        rank: Int,
    }
    /// A queue of cells of the channel nemesis.
    NemesisQueue = "MPID_nem_queue_t" {
        head: Pointer,
        tail: Pointer,
        own_head = "my_head": Pointer,
    }
    /// A cell of the channel nemesis.
    NemesisCell = "MPID_nem_cell_t" {
        next: Pointer,
    }
    /// A box for one message.
    NemesisBox = "MPID_nem_fastbox_t" {
        full = "flag": Int,
    }
    /// The address of a process.
    Address = "MPIDI_av_entry_t" {
        endpoint = "netmod.ucx.dest": Pointer,
    }
}

/// How a communicator names its members.
#[derive(Clone, Copy)]
pub(super) enum Members {
    Maps(Maps, RankMap),
    Groups(Groups, GroupFields),
    Connections(Tables, ConnectionTable, Connection),
}

impl Members {
    fn resolve(types: &impl Types) -> Result<Self> {
        if let Ok(maps) = Maps::resolve(types) {
            return Ok(Self::Maps(maps, RankMap::resolve(types)?));
        }
        if let Ok(tables) = Tables::resolve(types) {
            let (table, connection) =
                (ConnectionTable::resolve(types)?, Connection::resolve(types)?);
            return Ok(Self::Connections(tables, table, connection));
        }
        Ok(Self::Groups(Groups::resolve(types)?, GroupFields::resolve(types)?))
    }
}

/// How active messages are distinguished from others, and which one comes next.
#[derive(Clone, Copy)]
pub(super) enum Listing {
    Requests(TypedRequest),
    Extensions(LocalRequest, ListedExtension),
}

/// Where the envelope of a request is.
#[derive(Clone, Copy)]
pub(super) enum Envelope {
    /// Until 4.2. 3.4 does not keep the length of a message that is on its way.
    Receive(ReceiveEnvelope, Option<ReceivedParts>),
    Status(StatusEnvelope),
}

/// Active messages.
#[derive(Clone, Copy)]
pub(super) struct ActiveMessages {
    pub(super) request: ActiveRequest,
    pub(super) envelope: Envelope,
    pub(super) listing: Listing,
    pub(super) extension: Extension,
    /// What names a send on both sides. None: it is not known where that is.
    pub(super) names: Option<(OfCommunicator, SenderRequest)>,
}

impl ActiveMessages {
    fn resolve(types: &impl Types) -> Result<Self> {
        let envelope = match ReceiveEnvelope::resolve(types) {
            Ok(fields) => Envelope::Receive(fields, ReceivedParts::resolve(types).ok()),
            Err(_) => Envelope::Status(StatusEnvelope::resolve(types)?),
        };
        let listing = match TypedRequest::resolve(types) {
            Ok(fields) => Listing::Requests(fields),
            Err(_) => {
                let fields = LocalRequest::resolve(types)?;
                Listing::Extensions(fields, ListedExtension::resolve(types)?)
            }
        };
        let (request, extension) = (ActiveRequest::resolve(types)?, Extension::resolve(types)?);
        let names = OfCommunicator::resolve(types).ok().zip(SenderRequest::resolve(types).ok());
        Ok(Self { request, envelope, listing, extension, names })
    }

    /// Whether a request is of an active message.
    pub(super) fn is_active(&self, request: &Record<'_>) -> Result<bool> {
        match &self.listing {
            Listing::Requests(fields) => Ok(request.get(fields.type_)? == device::ACTIVE),
            Listing::Extensions(fields, _) => Ok(request.get(fields.is_local)? != 0),
        }
    }
}

/// The device ch3.
#[derive(Clone, Copy)]
pub(super) struct Ch3 {
    pub(super) request: Ch3Request,
    pub(super) waiting: WaitingRequest,
    pub(super) packet: Packet,
    pub(super) short_packet: ShortPacket,
}

impl Ch3 {
    fn resolve(types: &impl Types) -> Result<Self> {
        Ok(Self {
            request: Ch3Request::resolve(types)?,
            waiting: WaitingRequest::resolve(types)?,
            packet: Packet::resolve(types)?,
            short_packet: ShortPacket::resolve(types)?,
        })
    }
}

/// The cells of shared memory that messages within a machine go by.
#[derive(Clone, Copy)]
pub(super) struct Cells {
    pub(super) transport: Transport,
    pub(super) pool: CellPool,
    /// None: each process has one queue of free cells.
    pub(super) free_queues: Option<FreeQueues>,
    pub(super) queue: CellQueue,
    pub(super) header: CellHeader,
}

impl Cells {
    fn resolve(types: &impl Types) -> Result<Self> {
        Ok(Self {
            transport: Transport::resolve(types)?,
            pool: CellPool::resolve(types)?,
            free_queues: FreeQueues::resolve(types).ok(),
            queue: CellQueue::resolve(types)?,
            header: CellHeader::resolve(types)?,
        })
    }
}

/// The shared memory of the channel nemesis.
#[derive(Clone, Copy)]
pub(super) struct Nemesis {
    pub(super) region: NemesisRegion,
    pub(super) queue: NemesisQueue,
    /// Of a cell: the next one in its queue.
    pub(super) next: Field<Pointer>,
    /// Of a box: whether it is full.
    pub(super) full: Field<Int>,
}

impl Nemesis {
    fn resolve(types: &impl Types) -> Result<Self> {
        Ok(Self {
            region: NemesisRegion::resolve(types)?,
            queue: NemesisQueue::resolve(types)?,
            next: NemesisCell::resolve(types)?.next,
            full: NemesisBox::resolve(types)?.full,
        })
    }
}

/// All structures of the library.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    pub(super) pool: PoolFields,
    pub(super) communicator: CommunicatorFields,
    pub(super) members: Members,
    pub(super) request: RequestFields,
    /// None: messages of a process to itself are handled like all others.
    pub(super) own_request: Option<OwnRequest>,
    /// The library has the device ch3.
    pub(super) ch3: Option<Ch3>,
    pub(super) buffered: Option<Buffered>,
    /// None: the library has no other way for messages than the network.
    pub(super) active: Option<ActiveMessages>,
    /// None: it is not known how messages within a machine go.
    pub(super) cells: Option<Cells>,
    /// The same of the channel nemesis.
    pub(super) nemesis: Option<Nemesis>,
    /// Where a datatype has its size. The size of the structure depends on the configuration.
    pub(super) datatype_size: Field<Size>,
    /// None: the library has no netmod ucx.
    pub(super) ucx: Option<(UcxRequest, AddressTable, Address)>,
    /// None: UCX takes the data of a receive to their places.
    pub(super) packed: Option<PackedReceive>,
    /// None: the library has no netmod ofi.
    pub(super) ofi: Option<OfiRequest>,
    /// None: it is not known where the requests of the netmod ofi have their communicators.
    pub(super) ofi_communicator: Option<OfiCommunicator>,
    /// None: it is not known where the netmod ofi keeps its settings.
    pub(super) ofi_settings: Option<OfiSettings>,
    /// The library is Intel MPI.
    pub(super) intel: Option<(IntelRequest, IntelMessage)>,
    /// None: it is not known where Intel MPI counts what is in its shared memory.
    pub(super) rings: Option<(IntelRings, IntelControl)>,
    /// None: it is not known which receives of Intel MPI are matched.
    pub(super) intel_status: Option<IntelStatus>,
}

impl Layout {
    /// The kind of a request for a nonblocking collective operation, if all messages that it may
    /// wait for are in queues, except for sends through shared memory.
    pub(super) fn listed_collective(&self) -> Option<i64> {
        match (&self.active, &self.cells) {
            _ if self.intel.is_some() => None,
            (None, _) => Some(request::COLLECTIVE_OF_4_0),
            (Some(active), Some(_)) if matches!(active.envelope, Envelope::Status(_)) => {
                Some(request::COLLECTIVE)
            }
            _ => None,
        }
    }

    /// The kind of a request that is a message of `MPI_Mprobe`. No call waits for it: a receive of
    /// the message makes it a receive first (`MPID_Imrecv`).
    pub(super) fn taken_message(&self) -> i64 {
        match self.active {
            None if self.intel.is_none() => request::MESSAGE_OF_4_0,
            _ => request::MESSAGE,
        }
    }

    /// The context ids of messages from a communicator, and of messages that it receives. They
    /// stand next to each other, so their size is known: 16 bits, or 32.
    pub(super) fn contexts(&self, communicator: &Record<'_>) -> Result<(u64, u64)> {
        let CommunicatorFields { context_id, recvcontext_id, .. } = self.communicator;
        let size = recvcontext_id.address(0).wrapping_sub(context_id.address(0)) as usize;
        let of = |field: Field<Inner>| -> Result<u64> {
            let bytes = communicator.get(field)?.get(..size).unwrap_or_default();
            Ok(communicator.target.unsigned(bytes))
        };
        Ok((of(context_id)?, of(recvcontext_id)?))
    }

    /// Whether tags have bits which say that the sender has had an error, as until 4.2.
    pub(super) fn has_error_bits(&self) -> bool {
        self.active.is_none_or(|active| matches!(active.envelope, Envelope::Receive(..)))
    }

    /// Whether receives of the netmod ucx may have buffers of MPICH, as since 4.1.
    pub(super) fn unpacks_receives(&self) -> bool {
        let active = self.active.as_ref();
        active.is_some_and(|active| matches!(active.listing, Listing::Requests(..)))
    }

    /// Whether the leaders of groups that make an intercommunicator use the network's messages
    /// directly, as since 5.0.
    pub(super) fn has_messages_of_leaders(&self) -> bool {
        self.is_since_5_0()
    }

    /// Whether tags of answers to synchronous messages have the receiver's rank, as until 4.3.
    pub(super) fn is_receiver_in_answers(&self) -> bool {
        !self.is_since_5_0()
    }

    fn is_since_5_0(&self) -> bool {
        matches!(self.members, Members::Groups(..))
    }

    /// The number of bits of the program's tag in the network's tags.
    pub(super) fn tag_bits(&self) -> u32 {
        match self.members {
            Members::Maps(..) | Members::Connections(..) if self.has_error_bits() => 28,
            Members::Maps(..) | Members::Connections(..) => 30,
            Members::Groups(..) => 29,
        }
    }

    /// Looks the structures up.
    pub(super) fn resolve(types: &impl Types) -> Result<Self> {
        let datatype = types.find(c"MPIR_Datatype")?;
        Ok(Self {
            pool: PoolFields::resolve(types)?,
            communicator: CommunicatorFields::resolve(types)?,
            members: Members::resolve(types)?,
            request: RequestFields::resolve(types)?,
            own_request: OwnRequest::resolve(types).ok(),
            ch3: Ch3::resolve(types).ok(),
            // Not all releases have this structure. Without it, less is known.
            buffered: Buffered::resolve(types).ok(),
            active: ActiveMessages::resolve(types).ok(),
            cells: Cells::resolve(types).ok(),
            nemesis: Nemesis::resolve(types).ok(),
            datatype_size: Field::at(types.offset(datatype, c"size")?),
            ucx: UcxRequest::resolve(types)
                .ok()
                .zip(AddressTable::resolve(types).ok().zip(Address::resolve(types).ok()))
                .map(|(request, (table, address))| (request, table, address)),
            packed: PackedReceive::resolve(types).ok(),
            ofi: OfiRequest::resolve(types).ok(),
            ofi_communicator: OfiCommunicator::resolve(types).ok(),
            ofi_settings: OfiSettings::resolve(types).ok(),
            intel: IntelRequest::resolve(types).ok().zip(IntelMessage::resolve(types).ok()),
            // Elsewhere, the table has it from another release.
            intel_status: IntelStatus::resolve(types).ok().filter(|fields| {
                const DISTANCE: u64 = 160;
                let sender = IntelRequest::resolve(types).map(|fields| fields.sender.address(0));
                sender.is_ok_and(|sender| fields.status.address(0) == sender + DISTANCE)
            }),
            rings: IntelRings::resolve(types).ok().zip(IntelControl::resolve(types).ok()),
        })
    }
}

/// Handles: two bits say where the object is, four bits of what kind it is, the others which one.
pub(super) mod handle {
    pub(crate) const BUILTIN: u64 = 1 << 30;
    pub(crate) const DIRECT: u64 = 2 << 30;
    pub(crate) const INDIRECT: u64 = 3 << 30;
    pub(crate) const WHERE: u64 = 3 << 30;
    pub(crate) const KIND_SHIFT: u32 = 26;
    pub(crate) const KIND: u64 = 0xf;
    /// Of an indirect object: the block that it is in; the lower bits are its place there.
    pub(crate) const BLOCK_SHIFT: u32 = 12;
    pub(crate) const BLOCK: u64 = 0x3fff;
    pub(crate) const INDEX: u64 = 0xfff;
    /// Of a predefined datatype: the bits that hold its size.
    pub(crate) const SIZE_SHIFT: u32 = 8;
    pub(crate) const SIZE: u64 = 0xff;

    /// The bits of a request that name its pool, until 4.2.
    pub(crate) const fn of_pool(number: u64) -> u64 {
        number << 20
    }

    /// The same since 4.3. The first pool has none of them.
    pub(crate) const fn of_pool_since_4_3(number: u64) -> u64 {
        if number == 0 { 0 } else { 1 << 25 | number << 19 }
    }
}

/// Values of `dev.ch4.netmod.ucx.s.type` of a receive.
pub(super) mod packing {
    pub(crate) const UNPACKED_LATER: i64 = 1;
}

/// Kinds of objects.
pub(super) mod kind {
    pub(crate) const COMMUNICATOR: u64 = 1;
    pub(crate) const DATATYPE: u64 = 3;
    pub(crate) const REQUEST: u64 = 11;
}

/// Values of `MPIR_Comm.comm_kind`.
pub(super) mod communicator {
    pub(crate) const INTRA: i64 = 0;
    pub(crate) const INTER: i64 = 1;
}

/// Bits of a context id.
pub(super) mod context {
    /// The library's own messages.
    pub(crate) const COLLECTIVE: u64 = 1;
    /// A communicator of the library itself: a part of another one, or the local group of an
    /// intercommunicator.
    pub(crate) const INTERNAL: u64 = 0b1110;
}

/// Values of `MPIDI_rank_map_t.mode`.
pub(super) mod mode {
    pub(crate) const DIRECT: i64 = 0;
    pub(crate) const DIRECT_INTRA: i64 = 1;
    pub(crate) const OFFSET: i64 = 2;
    pub(crate) const OFFSET_INTRA: i64 = 3;
    pub(crate) const STRIDE: i64 = 4;
    pub(crate) const STRIDE_INTRA: i64 = 5;
    pub(crate) const STRIDE_BLOCK: i64 = 6;
    pub(crate) const STRIDE_BLOCK_INTRA: i64 = 7;
    pub(crate) const LUT: i64 = 8;
    pub(crate) const LUT_INTRA: i64 = 9;
    pub(crate) const MLUT: i64 = 10;
}

/// Values of `MPIR_Request.kind`.
pub(super) mod request {
    pub(crate) const SEND: i64 = 1;
    pub(crate) const RECEIVE: i64 = 2;
    pub(crate) const PERSISTENT_RECEIVE: i64 = 4;
    /// A nonblocking collective operation, in 4.0.
    pub(crate) const COLLECTIVE_OF_4_0: i64 = 10;
    /// The same since 4.1, where the other number is that of generalized requests.
    pub(crate) const COLLECTIVE: i64 = 11;
    /// A message of `MPI_Mprobe` that was not received yet, in 4.0.
    pub(crate) const MESSAGE_OF_4_0: i64 = 11;
    /// The same since 4.1, and in Intel MPI.
    pub(crate) const MESSAGE: i64 = 12;
}

/// Values of `MPIR_Request.dev.type`.
pub(super) mod device {
    pub(crate) const ACTIVE: i64 = 1;
}

/// Bits of `MPIR_Request.dev.state` of the device ch3.
pub(super) mod ch3 {
    /// How the message goes. Set when there is one.
    pub(crate) const WAY: u64 = 3;
    /// The data travel with the envelope.
    pub(crate) const EAGER: u64 = 1;
    /// The sender keeps the data until a receive has matched.
    pub(crate) const RENDEZVOUS: u64 = 2;
    /// A message of the process to itself.
    pub(crate) const TO_ITSELF: u64 = 3;
    /// The sender of such an eager message waits for an answer.
    pub(crate) const SYNCHRONOUS: u64 = 1 << 3;
    /// How a send was started.
    pub(crate) const MODE_SHIFT: u32 = 4;
    pub(crate) const MODE: u64 = 0x3f;
    pub(crate) const READY: u64 = 2;
    pub(crate) const SYNCHRONOUS_SEND: u64 = 3;
}

/// Values of `MPIDI_CH3_Pkt_send_t.type`.
pub(super) mod packet {
    pub(crate) const EAGER: u64 = 0;
    pub(crate) const EAGER_SHORT: u64 = 1;
    pub(crate) const READY: u64 = 4;
}

/// Bits of `MPIDIG_req_ext_t.status`.
pub(super) mod active {
    /// The sender waits for an answer, which it gets when a receive takes the message.
    pub(crate) const SYNCHRONOUS: u64 = 1 << 1;
    /// A message that nothing has received.
    pub(crate) const UNEXPECTED: u64 = 1 << 2;
    /// A probe has taken it.
    pub(crate) const PROBED: u64 = 1 << 3;
    pub(crate) const CLAIMED: u64 = 1 << 4;
    /// A receive has taken it.
    pub(crate) const MATCHED: u64 = 1 << 6;
    /// The sender has announced the message and keeps the data.
    pub(crate) const RENDEZVOUS: u64 = 1 << 7;
    /// The message is there, or on its way.
    pub(crate) const IN_PROGRESS: u64 = 1 << 8;
}

/// Constants of MPICH's `mpi.h`.
pub(super) mod mpi {
    pub(crate) const ANY_SOURCE: i64 = -2;
    pub(crate) const ANY_TAG: i64 = -1;
}
