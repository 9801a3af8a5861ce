//! The structures and constants of libfabric's providers.

use crate::error::Result;
use crate::layout::{Inner, Pointer, Size, Unsigned, structures};
use crate::types::Types;

structures! {
    /// What every object of the library begins with.
    Object = "fid" {
        class = "fclass": Size,
        operations = "ops": Pointer,
    }
    /// Who implements a domain.
    Provider = "fi_provider" {
        name: Pointer,
    }
    /// The part of an endpoint that most providers have.
    OfDomain = "util_ep" {
        domain: Pointer,
    }
    /// An endpoint of the provider tcp.
    TcpEndpoint = "xnet_rdm" {
        domain = "util_ep.domain": Pointer,
        receiver = "srx": Pointer,
        connections = "conn_idx_map": Inner,
        to_itself = "rx_loopback": Pointer,
    }
    /// The receiving side of it.
    TcpReceiver = "xnet_srx" {
        domain: Pointer,
        from_any = "tag_queue": Inner,
        by_source = "src_tag_queues": Inner,
        endpoint = "rdm": Pointer,
    }
    /// A send, a receive or a message.
    TcpEntry = "xnet_xfer_entry" {
        user_buffer = "user_buf": Pointer,
        pieces = "iov_cnt": Size,
        first_piece = "iov": Inner,
        sequence = "tag_seq_no": Unsigned<8>,
        tag: Unsigned<8>,
        ignore: Unsigned<8>,
        source = "src_addr": Unsigned<8>,
        flags = "ctrl_flags": Unsigned<4>,
        context: Pointer,
        header = "hdr": Inner,
        data = "msg_data": Inner,
    }
    /// Messages of one sender.
    TcpSaved = "xnet_saved_msg" {
        link = "entry": Inner,
        queue: Inner,
    }
    /// The progress engine of a domain.
    TcpProgress = "xnet_domain" {
        unexpected = "progress.unexp_tag_list": Inner,
        saved = "progress.saved_tag_list": Inner,
    }
    /// A connection to a process.
    TcpConnection = "xnet_conn" {
        socket = "ep": Pointer,
        endpoint = "rdm": Pointer,
    }
    /// The socket of a connection.
    TcpSocket = "xnet_ep" {
        received_header = "cur_rx.hdr": Inner,
        receiving = "cur_rx.entry": Pointer,
        claimed = "cur_rx.claim_ctx": Pointer,
        sending = "cur_tx.entry": Pointer,
        unexpected = "unexp_entry": Inner,
        sends = "tx_queue": Inner,
        acknowledged = "need_ack_queue": Inner,
        background = "async_queue": Inner,
        announced = "rts_queue": Pointer,
        asked_for = "cts_queue": Pointer,
        peer: Pointer,
    }
    /// The other end of it.
    TcpPeer = "util_peer_addr" {
        address = "fi_addr": Unsigned<8>,
    }
    /// An endpoint of the provider sockets.
    SocketsEndpoint = "sock_ep" {
        attributes = "attr": Pointer,
    }
    SocketsAttributes = "sock_ep_attr" {
        receiver = "rx_ctx": Pointer,
        senders = "tx_array": Pointer,
        senders_number = "ep_attr.tx_ctx_cnt": Size,
    }
    /// The receiving side of it.
    SocketsReceiver = "sock_rx_ctx" {
        attributes = "ep_attr": Pointer,
        posted = "rx_entry_list": Inner,
        messages = "rx_buffered_list": Inner,
    }
    /// A receive or a message.
    SocketsEntry = "sock_rx_entry" {
        is_busy: Unsigned<1>,
        is_claimed: Unsigned<1>,
        is_tagged: Unsigned<1>,
        length = "total_len": Size,
        context: Pointer,
        source = "addr": Unsigned<8>,
        data: Unsigned<8>,
        tag: Unsigned<8>,
        ignore: Unsigned<8>,
        buffer = "iov": Pointer,
        link = "entry": Inner,
    }
    /// A sending side of it, with a ring of bytes for sends that its thread has not taken.
    SocketsSender = "sock_tx_ctx" {
        class = "fclass": Size,
        is_shared = "use_shared": Unsigned<4>,
        attributes = "ep_attr": Pointer,
        bytes_taken = "rb.rcnt": Size,
        bytes_put = "rb.wcnt": Size,
        sends = "pe_entry_list": Inner,
    }
    /// A send that the thread has taken.
    SocketsSend = "sock_pe_entry" {
        operation = "pe.tx.tx_op.op": Unsigned<1>,
        is_sent = "pe.tx.send_done": Unsigned<1>,
        length = "total_len": Unsigned<8>,
        flags: Unsigned<8>,
        context: Unsigned<8>,
        receiver = "addr": Unsigned<8>,
        tag: Unsigned<8>,
        kind = "type": Unsigned<1>,
        is_complete: Unsigned<1>,
        link = "ctx_entry": Inner,
    }
    /// An endpoint of the provider shm.
    ShmEndpoint = "smr_ep" {
        receiver = "srx": Pointer,
    }
    /// An endpoint of the provider efa.
    EfaEndpoint = "efa_rdm_ep" {
        receiver = "peer_srx_ep": Pointer,
    }
    /// An endpoint of the provider ofi_rxm since 2.0.
    RxmEndpoint = "rxm_ep" {
        receiver = "srx": Pointer,
    }
    /// The receiving side of these. The providers share its code. It also has receives and messages
    /// without a tag. All are objects of its pool.
    Receiver = "util_srx_ctx" {
        from_any = "tag_queue": Inner,
        by_source = "src_trecv_queues": Inner,
        by_source_size = "src_trecv_queues.item_size": Size,
        from_unknown = "unspec_unexp_tag_queue": Inner,
        senders = "unexp_peers": Inner,
        by_sender_size = "src_unexp_peers.item_size": Size,
        untagged_from_any = "msg_queue": Inner,
        untagged_by_source = "src_recv_queues": Inner,
        untagged_from_unknown = "unspec_unexp_msg_queue": Inner,
        pool = "rx_pool": Pointer,
    }
    /// A receive or a message.
    ReceiverEntry = "util_rx_entry" {
        peer = "peer_entry": Inner,
        sequence = "seq_no": Unsigned<8>,
        ignore: Unsigned<8>,
    }
    /// The part of it that the provider knows.
    PeerEntry = "fi_peer_rx_entry" {
        receiver = "srx": Pointer,
        source = "addr": Unsigned<8>,
        length = "msg_size": Size,
        tag: Unsigned<8>,
        data = "cq_data": Unsigned<8>,
        context: Pointer,
        pieces = "count": Size,
        iov: Pointer,
    }
    /// Messages of one sender.
    Sender = "util_unexp_peer" {
        link = "entry": Inner,
        queue = "tag_queue": Inner,
        untagged = "msg_queue": Inner,
    }
    /// Objects of one kind, in use and free.
    Pool = "ofi_bufpool" {
        free = "free_list": Inner,
        objects = "entry_cnt": Size,
    }
    /// The sending side of an endpoint of the provider ofi_rxm: how many more sends it may begin.
    RxmSender = "rxm_ep" {
        information = "rxm_info": Pointer,
        credits = "tx_credit": Size,
        deferred = "deferred_queue": Inner,
        pool = "tx_pool": Pointer,
    }
    /// What a send is kept in.
    RxmSendBuffer = "rxm_tx_buf" {
        state = "hdr.state": Unsigned<4>,
        context = "app_context": Pointer,
        packet = "pkt": Inner,
    }
    /// What is sent in front of a message.
    RxmPacket = "rxm_pkt" {
        kind = "ctrl_hdr.type": Unsigned<1>,
        part = "ctrl_hdr.seg_no": Unsigned<4>,
        number = "ctrl_hdr.msg_id": Unsigned<8>,
        operation = "hdr.op": Unsigned<1>,
        length = "hdr.size": Unsigned<8>,
        data = "hdr.data": Unsigned<8>,
        tag = "hdr.tag": Unsigned<8>,
    }
    /// What a message has come in.
    RxmReceived = "rxm_rx_buf" {
        packet = "pkt": Inner,
    }
    /// The provider's own object for a message.
    PeerContext = "fi_peer_rx_entry" {
        context = "peer_context": Pointer,
    }
    /// A pool whose objects have numbers.
    NumberedPool = "ofi_bufpool" {
        size = "entry_size": Size,
        regions = "region_table": Pointer,
        region_count = "region_cnt": Size,
        objects_of_region = "attr.chunk_cnt": Size,
    }
    /// A part of it.
    Region = "ofi_bufpool_region" {
        objects = "mem_region": Pointer,
        pool: Pointer,
    }
    /// What an endpoint was made from.
    Information = "fi_info" {
        sends = "tx_attr": Pointer,
        endpoint = "ep_attr": Pointer,
    }
    EndpointAttributes = "fi_ep_attr" {
        protocol: Unsigned<4>,
    }
    /// How many sends it may have begun.
    SendAttributes = "fi_tx_attr" {
        size: Size,
    }
    /// An endpoint of the provider ofi_rxm until 1.22.
    RxmOldEndpoint = "rxm_ep" {
        tagged = "trecv_queue": Inner,
    }
    RxmQueue = "rxm_recv_queue" {
        posted = "recv_list": Inner,
        messages = "unexp_msg_list": Inner,
        free = "fs": Pointer,
    }
    /// A receive.
    RxmEntry = "rxm_recv_entry" {
        link = "entry": Inner,
        buffer = "rxm_iov.iov": Pointer,
        source = "addr": Unsigned<8>,
        context: Pointer,
        tag: Unsigned<8>,
        ignore: Unsigned<8>,
        length = "total_len": Size,
    }
    /// A message, which is a part of the buffer that it has come in.
    RxmMessage = "rxm_unexp_msg" {
        link = "entry": Inner,
    }
    RxmBuffer = "rxm_rx_buf" {
        message = "unexp_msg": Inner,
    }
}

/// The provider tcp.
#[derive(Clone, Copy)]
pub(super) struct Tcp {
    pub(super) endpoint: TcpEndpoint,
    pub(super) receiver: TcpReceiver,
    pub(super) entry: TcpEntry,
    pub(super) saved: TcpSaved,
    pub(super) progress: TcpProgress,
    pub(super) connection: TcpConnection,
    pub(super) socket: TcpSocket,
    pub(super) peer: TcpPeer,
}

impl Tcp {
    fn resolve(types: &impl Types) -> Result<Self> {
        Ok(Self {
            endpoint: TcpEndpoint::resolve(types)?,
            receiver: TcpReceiver::resolve(types)?,
            entry: TcpEntry::resolve(types)?,
            saved: TcpSaved::resolve(types)?,
            progress: TcpProgress::resolve(types)?,
            connection: TcpConnection::resolve(types)?,
            socket: TcpSocket::resolve(types)?,
            peer: TcpPeer::resolve(types)?,
        })
    }
}

/// The provider sockets.
#[derive(Clone, Copy)]
pub(super) struct Sockets {
    pub(super) endpoint: SocketsEndpoint,
    pub(super) attributes: SocketsAttributes,
    pub(super) receiver: SocketsReceiver,
    pub(super) entry: SocketsEntry,
    pub(super) sender: SocketsSender,
    pub(super) send: SocketsSend,
}

impl Sockets {
    fn resolve(types: &impl Types) -> Result<Self> {
        Ok(Self {
            endpoint: SocketsEndpoint::resolve(types)?,
            attributes: SocketsAttributes::resolve(types)?,
            receiver: SocketsReceiver::resolve(types)?,
            entry: SocketsEntry::resolve(types)?,
            sender: SocketsSender::resolve(types)?,
            send: SocketsSend::resolve(types)?,
        })
    }
}

/// The receiving side that several providers share.
#[derive(Clone, Copy)]
pub(super) struct SharedReceiver {
    pub(super) receiver: Receiver,
    pub(super) entry: ReceiverEntry,
    pub(super) peer: PeerEntry,
    pub(super) sender: Sender,
    pub(super) pool: Pool,
}

impl SharedReceiver {
    fn resolve(types: &impl Types) -> Result<Self> {
        Ok(Self {
            receiver: Receiver::resolve(types)?,
            entry: ReceiverEntry::resolve(types)?,
            peer: PeerEntry::resolve(types)?,
            sender: Sender::resolve(types)?,
            pool: Pool::resolve(types)?,
        })
    }
}

/// The sending side of the provider ofi_rxm.
#[derive(Clone, Copy)]
pub(super) struct RxmSending {
    pub(super) sender: RxmSender,
    pub(super) information: Information,
    pub(super) endpoint: EndpointAttributes,
    pub(super) attributes: SendAttributes,
    pub(super) buffer: RxmSendBuffer,
    pub(super) packet: RxmPacket,
    pub(super) pool: NumberedPool,
    pub(super) region: Region,
}

impl RxmSending {
    fn resolve(types: &impl Types) -> Result<Self> {
        Ok(Self {
            sender: RxmSender::resolve(types)?,
            information: Information::resolve(types)?,
            endpoint: EndpointAttributes::resolve(types)?,
            attributes: SendAttributes::resolve(types)?,
            buffer: RxmSendBuffer::resolve(types)?,
            packet: RxmPacket::resolve(types)?,
            pool: NumberedPool::resolve(types)?,
            region: Region::resolve(types)?,
        })
    }
}

/// The provider ofi_rxm since 2.0, besides the receiving side that several providers share.
#[derive(Clone, Copy)]
pub(super) struct Rxm {
    pub(super) endpoint: RxmEndpoint,
    pub(super) context: PeerContext,
    pub(super) received: RxmReceived,
    pub(super) sending: RxmSending,
}

impl Rxm {
    fn resolve(types: &impl Types) -> Result<Self> {
        Ok(Self {
            endpoint: RxmEndpoint::resolve(types)?,
            context: PeerContext::resolve(types)?,
            received: RxmReceived::resolve(types)?,
            sending: RxmSending::resolve(types)?,
        })
    }
}

/// The provider ofi_rxm until 1.22, with queues of its own.
#[derive(Clone, Copy)]
pub(super) struct RxmOld {
    pub(super) endpoint: RxmOldEndpoint,
    pub(super) queue: RxmQueue,
    pub(super) entry: RxmEntry,
    pub(super) message: RxmMessage,
    pub(super) buffer: RxmBuffer,
    pub(super) received: RxmReceived,
    pub(super) sending: RxmSending,
}

impl RxmOld {
    fn resolve(types: &impl Types) -> Result<Self> {
        Ok(Self {
            endpoint: RxmOldEndpoint::resolve(types)?,
            queue: RxmQueue::resolve(types)?,
            entry: RxmEntry::resolve(types)?,
            message: RxmMessage::resolve(types)?,
            buffer: RxmBuffer::resolve(types)?,
            received: RxmReceived::resolve(types)?,
            sending: RxmSending::resolve(types)?,
        })
    }
}

/// All structures of the library.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    pub(super) object: Object,
    pub(super) provider: Provider,
    /// Where an endpoint names its domain.
    pub(super) domain: Option<OfDomain>,
    pub(super) tcp: Option<Tcp>,
    pub(super) sockets: Option<Sockets>,
    pub(super) shared: Option<SharedReceiver>,
    pub(super) shm: Option<ShmEndpoint>,
    pub(super) efa: Option<EfaEndpoint>,
    pub(super) rxm: Option<Rxm>,
    pub(super) rxm_old: Option<RxmOld>,
}

impl Layout {
    /// Looks the structures up.
    pub(super) fn resolve(types: &impl Types) -> Result<Self> {
        Ok(Self {
            object: Object::resolve(types)?,
            provider: Provider::resolve(types)?,
            domain: OfDomain::resolve(types).ok(),
            tcp: Tcp::resolve(types).ok(),
            sockets: Sockets::resolve(types).ok(),
            shared: SharedReceiver::resolve(types).ok(),
            shm: ShmEndpoint::resolve(types).ok(),
            efa: EfaEndpoint::resolve(types).ok(),
            rxm: Rxm::resolve(types).ok(),
            rxm_old: RxmOld::resolve(types).ok(),
        })
    }
}

/// Values of `fid.class`.
pub(super) mod class {
    pub(crate) const DOMAIN: u64 = 2;
    pub(crate) const ENDPOINT: u64 = 3;
    pub(crate) const RECEIVER: u64 = 5;
    pub(crate) const SHARED_RECEIVER: u64 = 6;
    pub(crate) const SENDER: u64 = 7;
}

/// Constants of the provider sockets.
pub(super) mod sockets {
    /// `sock_op.op`: a send with a tag.
    pub(crate) const TAGGED_SEND: u64 = 1;
    /// `sock_pe_entry.type`: it sends.
    pub(crate) const SENDS: u64 = 1;
    /// `sock_pe_entry.flags`: data are sent beside the tag.
    pub(crate) const HAS_DATA: u64 = 1 << 17;
    /// The bytes in front of a message: its header, and its tag.
    pub(crate) const HEADER_BYTES: u64 = 24 + 8;
    /// The bytes of the data beside the tag.
    pub(crate) const DATA_BYTES: u64 = 8;
}

/// Constants of the provider ofi_rxm.
pub(super) mod rxm {
    use std::ops::RangeInclusive;

    /// `ofi_ctrl_hdr.type`: a part of a message. Each part has the length of the whole message.
    pub(crate) const PART: u64 = 1;
    /// `ofi_ctrl_hdr.type`: the message is announced, and the sender keeps the data.
    pub(crate) const ANNOUNCED: u64 = 2;
    /// `ofi_op_hdr.op`: a message with a tag.
    pub(crate) const TAGGED: u64 = 1;
    /// `fi_ep_attr.protocol`: another provider has the queues (`FI_OFI_RXM_ENABLE_PASSTHRU`).
    pub(crate) const PASSES_THROUGH: u64 = 22;
    /// `rxm_buf.state`: the announcement is sent, and the message is not received.
    pub(crate) const WAITS: RangeInclusive<u64> = 7..=9;
}

/// Bits of `xnet_xfer_entry.ctrl_flags`.
pub(super) mod tcp_flags {
    pub(crate) const INTERNAL: u64 = 1 << 3;
    /// The message has no receive.
    pub(crate) const SAVED: u64 = 1 << 8;
}

/// What the provider tcp sends in front of a message.
pub(super) mod tcp_header {
    /// The offsets of its first fields, and the sizes of those that are not one byte.
    pub(crate) const OPERATION: usize = 1;
    pub(crate) const FLAGS: usize = 2;
    pub(crate) const BYTES: usize = 6;
    pub(crate) const SIZE: usize = 8;
    /// The offset of the other fields.
    pub(crate) const REST: usize = 16;
    /// The number of bytes that are read.
    pub(crate) const ALL: usize = 40;
    /// A flag: the data that are sent beside the tag come first.
    pub(crate) const HAS_DATA: u64 = 1;
    pub(crate) const TAGGED: u64 = 1;
    pub(crate) const ANNOUNCED: u64 = 5;
    /// The data of a message that was announced.
    pub(crate) const DATA: u64 = 7;
}
