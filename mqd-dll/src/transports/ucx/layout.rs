//! The structures and constants of UCX.

use crate::error::Result;
use crate::layout::{Chars, Inner, Pointer, Signed, Size, Unsigned, structures};
use crate::types::Types;

structures! {
    /// What the user of the library has asked for.
    Context = "ucp_context_t" {
        request_size = "config.request.size": Size,
    }
    /// A worker, which sends and receives messages. The structure is larger than what is read of
    /// it.
    WorkerFields = "ucp_worker_t" {
        context: Pointer,
        req_mp: Inner,
        wildcard = "tm.expected.wildcard.queue": Inner,
        hash = "tm.expected.hash": Pointer,
        unexpected = "tm.unexpected.all": Inner,
        offload = "tm.offload.iface": Pointer,
    }
    /// The size of endpoints as the worker allocates them. In 1.10 builds with and without
    /// assertions do not differ in anything else of a worker.
    EndpointSize = "ucp_worker_t" {
        size = "ep_alloc.elem_size": Size,
    }
    /// A connection to another worker.
    Endpoint = "ucp_ep_t" {
        worker: Pointer,
    }
    /// What sends and receives have in common.
    RequestFields = "ucp_request_t" {
        status: Signed<1>,
        flags: Unsigned<4>,
        id: Pointer,
    }
    /// A send.
    SendFields = "ucp_request_t" {
        endpoint = "send.ep": Pointer,
        protocol = "send.proto_config": Pointer,
        buffer = "send.buffer": Pointer,
        length = "send.length": Size,
        class = "send.state.dt_iter.dt_class": Unsigned<4>,
        iterator_length = "send.state.dt_iter.length": Size,
        iterator_buffer = "send.state.dt_iter.type.contig.buffer": Pointer,
        tag = "send.msg_proto.tag": Unsigned<8>,
    }
    /// The protocol that a send of 1.16 and later uses, and what it was chosen for.
    ProtocolConfig = "ucp_proto_config_t" {
        operation = "select_param": Unsigned<1>,
    }
    /// A receive.
    ReceiveFields = "ucp_request_t" {
        worker = "recv.worker": Pointer,
        queue = "recv.queue": Inner,
        tag = "recv.tag.tag": Unsigned<8>,
        mask = "recv.tag.tag_mask": Unsigned<8>,
        sequence = "recv.tag.sn": Unsigned<8>,
        sender_tag = "recv.tag.info.sender_tag": Unsigned<8>,
        received = "recv.tag.info.length": Size,
    }
    /// The data of a receive until 1.15.
    PlainData = "ucp_request_t" {
        buffer = "recv.buffer": Pointer,
        length = "recv.length": Size,
    }
    /// The data of a receive from 1.16 on.
    IteratorData = "ucp_request_t" {
        class = "recv.dt_iter.dt_class": Unsigned<4>,
        length = "recv.dt_iter.length": Size,
        buffer = "recv.dt_iter.type.contig.buffer": Pointer,
    }
    /// One of the queues that posted receives are spread over by their tags.
    RequestQueue = "ucp_request_queue_t" {
        queue: Inner,
    }
    /// A queue: its first element, and where the pointer to the next one goes.
    Queue = "ucs_queue_head_t" {
        head: Pointer,
        ptail: Pointer,
    }
    /// A ring of elements with a sentinel.
    Link = "ucs_list_link_t" {
        prev: Pointer,
        next: Pointer,
    }
    /// A message that nothing has received; the header and the data follow.
    Descriptor = "ucp_recv_desc_t" {
        tag_list: Inner,
        length: Unsigned<4>,
        payload_offset: Unsigned<4>,
        flags: Unsigned<2>,
    }
    /// The header of the first of several fragments.
    FirstHeader = "ucp_eager_first_hdr_t" {
        total_len: Unsigned<8>,
    }
    /// The header of a message that is announced first.
    RendezvousHeader = "ucp_rndv_rts_hdr_t" {
        size: Unsigned<8>,
    }
    /// A pool of objects of one size.
    Pool = "ucs_mpool_t" {
        data: Pointer,
    }
    /// The separate data of a pool.
    PoolData = "ucs_mpool_data_t" {
        elem_size: Unsigned<4>,
        alignment: Unsigned<4>,
        chunks: Pointer,
        name: Pointer,
    }
    /// A part of a pool.
    Chunk = "ucs_mpool_chunk_t" {
        next: Pointer,
        elems: Pointer,
        num_elems: Unsigned<4>,
    }
}

/// `UCP_MAX_LANES` of releases that have all lanes in the endpoint itself.
pub(super) const MAX_LANES: usize = 6;
/// Bytes of the name of a transport.
const TRANSPORT_NAME: usize = 10;

structures! {
    /// The interfaces of a worker.
    WorkerInterfaces = "ucp_worker_t" {
        interfaces = "ifaces": Pointer,
        number = "num_ifaces": Unsigned<4>,
    }
    /// An interface as the worker has it.
    Interface = "ucp_worker_iface" {
        interface = "iface": Pointer,
        resource = "rsc_index": Unsigned<1>,
    }
    /// The transports that there are.
    Resources = "ucp_context_t" {
        resources = "tl_rscs": Pointer,
    }
    /// A transport.
    Resource = "ucp_tl_resource_desc_t" {
        name = "tl_rsc.tl_name": Chars<TRANSPORT_NAME>,
    }
    /// The lanes of an endpoint.
    Lanes = "ucp_ep_t" {
        lanes = "uct_eps": Inner,
    }
    /// The pointer to the rest of an endpoint's lanes, since 1.14.
    More = "ucp_ep_t" {
        extension = "ext": Pointer,
    }
    /// That rest.
    Extension = "ucp_ep_ext_t" {
        lanes = "uct_eps": Pointer,
    }
    /// An interface with a queue in shared memory.
    SharedInterface = "uct_mm_iface_t" {
        control = "recv_fifo_ctl": Pointer,
        read_index: Unsigned<8>,
    }
    /// A lane to such a queue of another process.
    SharedEndpoint = "uct_mm_ep_t" {
        control = "fifo_ctl": Pointer,
    }
    /// The beginning of the queue.
    Control = "uct_mm_fifo_ctl_t" {
        head: Unsigned<8>,
        length = "signal_addrlen": Unsigned<4>,
        name = "signal_sockaddr": Inner,
        tail: Unsigned<8>,
        process = "pid": Signed<4>,
    }
}

/// The structures by which the queues in shared memory are found.
#[derive(Clone, Copy)]
pub(super) struct Fifos {
    pub(super) worker: WorkerInterfaces,
    pub(super) interface: Interface,
    pub(super) context: Resources,
    pub(super) resource: Resource,
    pub(super) endpoint: Lanes,
    pub(super) extension: Option<(More, Extension)>,
    pub(super) shared_interface: SharedInterface,
    pub(super) shared_endpoint: SharedEndpoint,
    pub(super) control: Control,
}

impl Fifos {
    fn resolve(types: &impl Types) -> Result<Self> {
        Ok(Self {
            worker: WorkerInterfaces::resolve(types)?,
            interface: Interface::resolve(types)?,
            context: Resources::resolve(types)?,
            resource: Resource::resolve(types)?,
            endpoint: Lanes::resolve(types)?,
            extension: More::resolve(types).ok().zip(Extension::resolve(types).ok()),
            shared_interface: SharedInterface::resolve(types)?,
            shared_endpoint: SharedEndpoint::resolve(types)?,
            control: Control::resolve(types)?,
        })
    }
}

/// Where the data of a receive are described.
#[derive(Clone, Copy)]
pub(super) enum ReceiveData {
    Plain(PlainData),
    Iterator(IteratorData),
}

/// All structures of the library.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    pub(super) context: Context,
    pub(super) worker: WorkerFields,
    pub(super) endpoint: Endpoint,
    pub(super) endpoint_size: Option<EndpointSize>,
    pub(super) request: RequestFields,
    pub(super) send: SendFields,
    pub(super) protocol: ProtocolConfig,
    pub(super) receive: ReceiveFields,
    pub(super) data: ReceiveData,
    pub(super) request_queue: RequestQueue,
    pub(super) queue: Queue,
    pub(super) link: Link,
    pub(super) descriptor: Descriptor,
    pub(super) first_header: FirstHeader,
    pub(super) rendezvous_header: RendezvousHeader,
    pub(super) pool: Pool,
    pub(super) pool_data: PoolData,
    pub(super) chunk: Chunk,
    /// None: the table is the user's and does not have them.
    pub(super) fifos: Option<Fifos>,
}

impl Layout {
    /// Looks the structures up.
    pub(super) fn resolve(types: &impl Types) -> Result<Self> {
        let data = match PlainData::resolve(types) {
            Ok(fields) => ReceiveData::Plain(fields),
            Err(_) => ReceiveData::Iterator(IteratorData::resolve(types)?),
        };
        Ok(Self {
            context: Context::resolve(types)?,
            worker: WorkerFields::resolve(types)?,
            endpoint: Endpoint::resolve(types)?,
            endpoint_size: EndpointSize::resolve(types).ok(),
            request: RequestFields::resolve(types)?,
            send: SendFields::resolve(types)?,
            protocol: ProtocolConfig::resolve(types)?,
            receive: ReceiveFields::resolve(types)?,
            data,
            request_queue: RequestQueue::resolve(types)?,
            queue: Queue::resolve(types)?,
            link: Link::resolve(types)?,
            descriptor: Descriptor::resolve(types)?,
            first_header: FirstHeader::resolve(types)?,
            rendezvous_header: RendezvousHeader::resolve(types)?,
            pool: Pool::resolve(types)?,
            pool_data: PoolData::resolve(types)?,
            chunk: Chunk::resolve(types)?,
            fifos: Fifos::resolve(types).ok(),
        })
    }
}

/// Bits of `ucp_request_t.flags`.
pub(super) mod request_flags {
    pub(crate) const COMPLETED: u64 = 1 << 0;
    /// The user has released the request.
    pub(crate) const RELEASED: u64 = 1 << 1;
    /// The send uses the protocols of 1.16 and later.
    pub(crate) const PROTOCOLS: u64 = 1 << 2;
    /// A function is called when the request completes.
    pub(crate) const CALLBACK: u64 = 1 << 6;
    pub(crate) const SYNCHRONOUS: u64 = 1 << 8;
    pub(crate) const SEND_TAG: u64 = 1 << 14;
    pub(crate) const RECEIVE_TAG: u64 = 1 << 17;
}

/// Values of `ucp_request_t.status`.
pub(super) mod status {
    /// No error so far.
    pub(crate) const OK: i64 = 0;
    pub(crate) const CANCELLED: i64 = -16;
}

/// Bits of `ucp_recv_desc_t.flags`.
pub(super) mod message_flags {
    pub(crate) const EAGER: u64 = 1 << 1;
    /// The message is in one fragment.
    pub(crate) const EAGER_ONLY: u64 = 1 << 2;
    /// The sender waits for an answer, which it gets when a receive takes the message.
    pub(crate) const EAGER_SYNCHRONOUS: u64 = 1 << 3;
    pub(crate) const RENDEZVOUS: u64 = 1 << 6;
}

/// Values of `dt_class`.
pub(super) mod class {
    pub(crate) const CONTIGUOUS: u64 = 0;
    /// Described by functions of the user. The start of the data is at the same place.
    pub(crate) const GENERIC: u64 = 7;
}

/// Operations that protocols are chosen for.
pub(super) mod operation {
    /// The bits of `select_param` that have the operation.
    pub(crate) const MASK: u64 = 0x1f;
    pub(crate) const TAG_SEND: u64 = 0;
    pub(crate) const TAG_SEND_SYNCHRONOUS: u64 = 1;
}
