//! The structures and constants of Open MPI.
//!
//! Structures begin with the one that they extend, so that a pointer to one is a pointer to the
//! other (the rule of OPAL's classes). So the offset of a field `super` needs no look-up.

#![allow(non_snake_case, reason = "fields are named as in C")]

use crate::error::{Code, Error, Result};
use crate::layout::{
    Chars, Inner, Int, Pointer, Record, Signed, Size, Structure, Unsigned, structures,
};
use crate::types::Types;

/// `MPI_MAX_OBJECT_NAME`.
pub(super) const NAME_BYTES: usize = 64;
/// Bytes of a component's name.
pub(super) const COMPONENT_NAME_BYTES: usize = 64;

structures! {
    /// The start of every object.
    Object = "opal_object_t" {
        obj_class: Pointer,
    }
    /// What an object is an instance of.
    Class = "opal_class_t" {
        cls_name: Pointer,
        cls_initialized: Int,
        cls_sizeof: Size,
    }
    /// An element of a list.
    ListItem = "opal_list_item_t" {
        opal_list_next: Pointer,
    }
    /// A ring of elements with a sentinel.
    List = "opal_list_t" {
        opal_list_sentinel: Inner,
        opal_list_length: Size,
    }
    /// What every component begins with.
    Component = "mca_base_component_t" {
        mca_component_name: Chars<COMPONENT_NAME_BYTES>,
    }
    /// An array of pointers.
    PointerArray = "opal_pointer_array_t" {
        size: Int,
        addr: Pointer,
    }
    /// The start of a slab of a free list; the elements follow.
    FreeListItem = "opal_free_list_item_t" {
    }
    /// Where requests come from.
    FreeList = "opal_free_list_t" {
        fl_max_to_alloc: Size,
        fl_num_allocated: Size,
        fl_num_per_alloc: Size,
        fl_frag_size: Size,
        fl_frag_alignment: Size,
        fl_frag_class: Pointer,
        fl_allocations: Inner,
    }
    /// A group. Its flags say which of the last fields is valid.
    Group = "ompi_group_t" {
        grp_proc_count: Int,
        grp_proc_pointers: Pointer,
        grp_flags: Unsigned<4>,
        grp_parent_group_ptr: Pointer,
        sparse_data: Inner,
    }
    /// A group of ranges of its parent's ranks.
    Sporadic = "ompi_group_sporadic_data_t" {
        grp_sporadic_list: Pointer,
        grp_sporadic_list_len: Int,
    }
    /// A range of ranks.
    Range = "ompi_group_sporadic_list_t" {
        rank_first: Int,
        length: Int,
    }
    /// A group of every n-th of its parent's ranks.
    Strided = "ompi_group_strided_data_t" {
        grp_strided_offset: Int,
        grp_strided_stride: Int,
    }
    /// A group of some of its parent's ranks, a bit for each.
    Bitmap = "ompi_group_bitmap_data_t" {
        grp_bitmap_array: Pointer,
        grp_bitmap_array_len: Int,
    }
    /// A process.
    Proc = "opal_proc_t" {
        proc_name: Inner,
    }
    /// A process's name: its job, and its rank there.
    ProcessName = "opal_process_name_t" {
        jobid: Unsigned<4>,
        vpid: Unsigned<4>,
    }
    /// The general part of a datatype.
    OpalDatatype = "opal_datatype_t" {
        size: Size,
    }
    /// A datatype.
    Datatype = "ompi_datatype_t" {
        name: Chars<NAME_BYTES>,
    }
    /// `MPI_Status`.
    MpiStatus = "ompi_status_public_t" {
        MPI_SOURCE: Int,
        MPI_TAG: Int,
        _cancelled: Int,
        _ucount: Size,
    }
    /// Any request.
    Request = "ompi_request_t" {
        req_type: Int,
        req_status: Inner,
        req_complete: Pointer,
        req_state: Int,
        req_persistent: Unsigned<1>,
        req_complete_cb_data: Pointer,
    }
    /// A request of a point-to-point operation.
    BaseRequest = "mca_pml_base_request_t" {
        req_ompi: Inner,
        req_pml_complete: Signed<4>,
        req_free_called: Signed<4>,
        req_type: Int,
        req_comm: Pointer,
        req_datatype: Pointer,
        req_addr: Pointer,
        req_count: Size,
        req_peer: Signed<4>,
        req_tag: Signed<4>,
        req_sequence: Unsigned<8>,
    }
    /// The general part of a send.
    BaseSend = "mca_pml_base_send_request_t" {
        req_base: Inner,
        req_addr: Pointer,
        req_bytes_packed: Size,
        req_send_mode: Int,
    }
    /// The general part of a receive.
    BaseReceive = "mca_pml_base_recv_request_t" {
        req_base: Inner,
        req_bytes_packed: Size,
    }
    /// A send of ob1.
    Send = "mca_pml_ob1_send_request_t" {
        req_send: Inner,
        req_recv: Pointer,
        req_state: Signed<4>,
    }
    /// A receive of ob1.
    Receive = "mca_pml_ob1_recv_request_t" {
        req_recv: Inner,
        req_match_received: Unsigned<1>,
    }
    /// What ob1 keeps of a communicator.
    PmlCommunicator = "mca_pml_ob1_comm_t" {
        recv_sequence: Unsigned<4>,
        wild_receives: Inner,
        procs: Pointer,
        num_procs: Size,
        last_probed: Size,
    }
    /// What ob1 keeps of a peer in a communicator.
    PmlPeer = "mca_pml_ob1_comm_proc_t" {
        expected_sequence: Unsigned<2>,
        send_sequence: Signed<4>,
        frags_cant_match: Pointer,
        specific_receives: Inner,
        unexpected_frags: Inner,
    }
    /// The start of every header on the wire.
    CommonHeader = "mca_pml_ob1_common_hdr_t" {
        hdr_type: Unsigned<1>,
    }
    /// The header of a message.
    MatchHeader = "mca_pml_ob1_match_hdr_t" {
        hdr_common: Inner,
        hdr_ctx: Unsigned<2>,
        hdr_src: Signed<4>,
        hdr_tag: Signed<4>,
        hdr_seq: Unsigned<2>,
    }
    /// The header of a message that is announced first.
    RendezvousHeader = "mca_pml_ob1_rendezvous_hdr_t" {
        hdr_msg_length: Unsigned<8>,
    }
    /// A piece of a message's data.
    Segment = "mca_btl_base_segment_t" {
        seg_addr: Pointer,
        seg_len: Unsigned<8>,
    }
    /// A message that nothing has received.
    Fragment = "mca_pml_ob1_recv_frag_t" {
        hdr: Inner,
        num_segments: Size,
        range: Pointer,
        segments: Inner,
    }
}

structures! {
    /// What a thread waits for until several requests, or one of several, are complete.
    WaitSync = "ompi_wait_sync_t" {
        count: Signed<4>,
    }
    /// The request of a nonblocking collective operation.
    CollectiveRequest = "ompi_coll_libnbc_request_t" {
        req_count: Signed<4>,
        req_array: Pointer,
    }
    /// The component that carries these operations on.
    CollectiveComponent = "ompi_coll_libnbc_component_t" {
        active_requests: Inner,
    }
    /// The request of a function that makes a communicator.
    CommunicatorRequest = "ompi_comm_request_t" {
        schedule: Inner,
    }
    /// A step of such a request.
    CommunicatorStep = "ompi_comm_request_item_t" {
        subreqs: Inner,
        subreq_count: Signed<4>,
    }
    /// A window.
    Window = "ompi_win_t" {
        w_osc_module: Pointer,
    }
    /// What osc/rdma keeps of a window.
    WindowModule = "ompi_osc_rdma_module_t" {
        win: Pointer,
        state: Pointer,
        comm: Pointer,
        all_sync: Inner,
        pw_group: Pointer,
        pending_posts: Inner,
        peer_array: Pointer,
    }
    /// An access epoch of osc/rdma.
    WindowSync = "ompi_osc_rdma_sync_t" {
        r#type = "type": Int,
        peer_list: Pointer,
        num_peers: Int,
        epoch_active: Unsigned<1>,
    }
    /// What other ranks of the machine see of a rank in a window.
    WindowState = "ompi_osc_rdma_state_t" {
        post_index: Unsigned<8>,
        post_peers: Inner,
        num_post_msgs: Unsigned<8>,
        num_complete_msgs: Unsigned<8>,
    }
    /// What osc/rdma keeps of another rank of a window.
    WindowPeer = "ompi_osc_rdma_peer_t" {
        state: Unsigned<8>,
        rank: Int,
        flags: Unsigned<4>,
    }
    /// A post that came before its start.
    PendingPost = "ompi_osc_rdma_pending_post_t" {
        rank: Int,
    }
    /// What both series have in a communicator.
    CommonCommunicator = "ompi_communicator_t" {
        c_my_rank: Int,
        c_flags: Unsigned<4>,
        c_assertions: Unsigned<4>,
        c_local_group: Pointer,
        c_remote_group: Pointer,
        c_local_comm: Pointer,
        c_pml_comm: Pointer,
    }
    /// Further fields of a communicator of 4.1.
    Communicator4 = "ompi_communicator_t" {
        c_contextid: Unsigned<4>,
        c_name: Chars<NAME_BYTES>,
    }
    /// Further fields of a communicator of 5.0. The context id has become a larger structure,
    /// `c_index` is what the context id was in 4.1, and the name is elsewhere.
    Communicator5 = "ompi_communicator_t" {
        c_contextid: Inner,
        c_index: Unsigned<4>,
        c_name: Pointer,
    }
}

/// A communicator.
#[derive(Clone, Copy)]
pub(super) struct CommunicatorType {
    pub(super) common: CommonCommunicator,
    series: Series,
}

#[derive(Clone, Copy)]
enum Series {
    Four(Communicator4),
    Five(Communicator5),
}

/// A communicator's name: in the communicator, or at an address.
pub(super) enum CommunicatorName<'a> {
    Here(&'a [u8]),
    At(u64),
}

impl Structure for CommunicatorType {
    const NAME: &'static str = CommonCommunicator::NAME;

    fn bytes(&self) -> usize {
        self.common.bytes()
    }
}

impl CommunicatorType {
    fn resolve(types: &impl Types) -> Result<Self> {
        let series = match Communicator5::resolve(types) {
            Ok(fields) => Series::Five(fields),
            Err(_) => Series::Four(Communicator4::resolve(types)?),
        };
        Ok(Self { common: CommonCommunicator::resolve(types)?, series })
    }

    /// Its place in the array of communicators.
    pub(super) fn index(&self, record: Record<'_>) -> Result<u64> {
        match &self.series {
            Series::Four(fields) => record.get(fields.c_contextid),
            Series::Five(fields) => record.get(fields.c_index),
        }
    }

    /// Its number, which is the same in all processes. `place`: its place in the array.
    ///
    /// In 5.0, each process chooses the place of a communicator that was made of a group, as with
    /// `MPI_Comm_create_from_group`. All have the same context id then.
    pub(super) fn id(&self, record: Record<'_>, place: u64) -> Result<u64> {
        /// Odd, and without a pattern: a product has well mixed upper bits.
        const MIXER: u64 = 0x9e37_79b9_7f4a_7c15;
        /// Above all places, and what windows make of them.
        const EXTENDED: u64 = 1 << 40;
        const SAME_PLACE: u64 = communicator_flags::INTRINSIC | communicator_flags::GLOBAL_INDEX;
        let context = match &self.series {
            Series::Five(fields) if record.get(self.common.c_flags)? & SAME_PLACE == 0 => {
                record.get(fields.c_contextid)?
            }
            _ => return Ok(place),
        };
        let (base, within) = (context.get(..8), context.get(8..16));
        let (base, within) = base.zip(within).ok_or(Error::new(Code::WrongType))?;
        let [base, within] = [base, within].map(|half| record.target.unsigned(half));
        let mixed = (base.wrapping_mul(MIXER).rotate_left(23) ^ within).wrapping_mul(MIXER);
        Ok(EXTENDED | mixed >> 26)
    }

    /// Whether messages name the communicator by this place. In 5.0 they may name it by the place
    /// that it has in the sender.
    pub(super) fn is_named_by_index(&self) -> bool {
        matches!(self.series, Series::Four(_))
    }

    pub(super) fn name<'a>(&self, record: Record<'a>) -> Result<CommunicatorName<'a>> {
        match &self.series {
            Series::Four(fields) => record.get(fields.c_name).map(CommunicatorName::Here),
            Series::Five(fields) => record.get(fields.c_name).map(CommunicatorName::At),
        }
    }
}

/// Requests that are made of others.
#[derive(Clone, Copy)]
pub(super) struct Composed {
    pub(super) collective: CollectiveRequest,
    pub(super) component: CollectiveComponent,
    pub(super) communicator: CommunicatorRequest,
    pub(super) step: CommunicatorStep,
}

impl Composed {
    fn resolve(types: &impl Types) -> Result<Self> {
        Ok(Self {
            collective: CollectiveRequest::resolve(types)?,
            component: CollectiveComponent::resolve(types)?,
            communicator: CommunicatorRequest::resolve(types)?,
            step: CommunicatorStep::resolve(types)?,
        })
    }
}

/// Windows of osc/rdma.
#[derive(Clone, Copy)]
pub(super) struct Windows {
    pub(super) window: Window,
    pub(super) module: WindowModule,
    pub(super) sync: WindowSync,
    pub(super) state: WindowState,
    pub(super) peer: WindowPeer,
    pub(super) post: PendingPost,
}

impl Windows {
    fn resolve(types: &impl Types) -> Result<Self> {
        Ok(Self {
            window: Window::resolve(types)?,
            module: WindowModule::resolve(types)?,
            sync: WindowSync::resolve(types)?,
            state: WindowState::resolve(types)?,
            peer: WindowPeer::resolve(types)?,
            post: PendingPost::resolve(types)?,
        })
    }
}

macro_rules! layout {
    ($($field:ident: $structure:ty,)*) => {
        /// All structures of the library.
        #[derive(Clone, Copy)]
        pub(super) struct Layout {
            $(pub(super) $field: $structure,)*
            /// Bytes of a match header on the wire.
            pub(super) match_header_bytes: u64,
            /// Tables that earlier releases of `mqd` have made do not have it. Then less is known.
            pub(super) wait_sync: Option<WaitSync>,
            /// The same holds for these.
            pub(super) composed: Option<Composed>,
            /// And for these.
            pub(super) windows: Option<Windows>,
            /// Where a process object has the endpoints of the components.
            pub(super) proc_endpoints: Option<u64>,
        }

        impl Layout {
            /// Looks the structures up.
            pub(super) fn resolve(types: &impl Types) -> Result<Self> {
                let match_header_bytes = MatchHeader::bytes_on_the_wire(types)?;
                let wait_sync = WaitSync::resolve(types).ok();
                // The structure's size depends on the configuration.
                let process = types.find(c"ompi_proc_t");
                let endpoints = process.and_then(|ty| types.offset(ty, c"proc_endpoints"));
                let proc_endpoints = endpoints.ok().map(|offset| offset as u64);
                Ok(Self {
                    $($field: <$structure>::resolve(types)?,)*
                    match_header_bytes,
                    wait_sync,
                    composed: Composed::resolve(types).ok(),
                    windows: Windows::resolve(types).ok(),
                    proc_endpoints,
                })
            }
        }
    };
}

layout! {
    pml_communicator: PmlCommunicator,
    pml_peer: PmlPeer,
    fragment: Fragment,
    common_header: CommonHeader,
    match_header: MatchHeader,
    rendezvous_header: RendezvousHeader,
    segment: Segment,
    send: Send,
    receive: Receive,
    base_send: BaseSend,
    base_receive: BaseReceive,
    base_request: BaseRequest,
    request: Request,
    status: MpiStatus,
    object: Object,
    component: Component,
    class: Class,
    list_item: ListItem,
    list: List,
    pointer_array: PointerArray,
    free_list_item: FreeListItem,
    free_list: FreeList,
    communicator: CommunicatorType,
    group: Group,
    sporadic: Sporadic,
    range: Range,
    strided: Strided,
    bitmap: Bitmap,
    proc: Proc,
    process_name: ProcessName,
    opal_datatype: OpalDatatype,
    datatype: Datatype,
}

impl MatchHeader {
    /// The library sends the header without the padding at the end of its structure. Builds for
    /// heterogeneous jobs and debug builds make the padding explicit and send it.
    fn bytes_on_the_wire(types: &impl Types) -> Result<u64> {
        let ty = types.find(c"mca_pml_ob1_match_hdr_t")?;
        match types.offset(ty, c"hdr_padding") {
            Ok(_) => types.size(ty),
            Err(_) => types.offset(ty, c"hdr_seq").map(|offset| offset + size_of::<u16>()),
        }
        .map(|bytes| bytes as u64)
    }
}

/// Bits of `ompi_communicator_t.c_flags`.
pub(super) mod communicator_flags {
    pub(crate) const INTER: u64 = 0x1;
    pub(crate) const NAME_IS_SET: u64 = 0x2;
    pub(crate) const INTRINSIC: u64 = 0x4;
    pub(crate) const INVALID: u64 = 0x20;
    /// It has the same place in all processes (5.0).
    pub(crate) const GLOBAL_INDEX: u64 = 0x10000;
}

/// Bits of `ompi_communicator_t.c_assertions`, of which 4.1 clears only what it sets.
pub(super) mod communicator_assertions {
    pub(crate) const ALLOW_OVERTAKE: u64 = 0x8;
}

/// Bits of `ompi_group_t.grp_flags`.
pub(super) mod group_flags {
    pub(crate) const SPORADIC: u64 = 0x8;
    pub(crate) const STRIDED: u64 = 0x10;
    pub(crate) const BITMAP: u64 = 0x20;
}

/// Constants of osc/rdma.
pub(super) mod window {
    /// Of `ompi_osc_rdma_sync_t.type`: between start and complete.
    pub(crate) const START: i64 = 3;
    /// A bit of `ompi_osc_rdma_peer_t.flags`: its state is in memory of this machine.
    pub(crate) const LOCAL_STATE: u64 = 0x4;
    /// The places of `ompi_osc_rdma_state_t.post_peers`.
    pub(crate) const POST_PEERS: usize = 32;
}

/// Values of `ompi_mpi_state`.
pub(super) mod state {
    pub(crate) const INIT_STARTED: i64 = 1;
    pub(crate) const FINALIZE_COMPLETED: i64 = 5;
}

/// Values of `ompi_request_t`.
pub(super) mod request {
    /// Of `req_type`: point-to-point.
    pub(crate) const PML: i64 = 0;
    /// Of `req_state`: started, and not yet asked for by the program.
    pub(crate) const ACTIVE: i64 = 2;
    /// Of `req_complete`. Any other value is [`PENDING`], or the address of the object on which a
    /// thread waits.
    pub(crate) const COMPLETED: u64 = 1;
    /// Of `req_complete`.
    pub(crate) const PENDING: u64 = 0;
}

/// Values of `mca_pml_base_request_t.req_type`.
pub(super) mod kind {
    pub(crate) const SEND: i64 = 1;
    pub(crate) const RECEIVE: i64 = 2;
    pub(crate) const PROBE: i64 = 4;
    pub(crate) const MATCHING_PROBE: i64 = 6;
}

/// Values of `mca_pml_base_send_request_t.req_send_mode`.
pub(super) mod mode {
    pub(crate) const SYNCHRONOUS: i64 = 0;
    pub(crate) const COMPLETE: i64 = 1;
    pub(crate) const BUFFERED: i64 = 2;
    pub(crate) const READY: i64 = 3;
    pub(crate) const STANDARD: i64 = 4;
}

/// Values of `mca_pml_ob1_common_hdr_t.hdr_type`.
pub(super) mod header {
    pub(crate) const MATCH: u64 = 0x41;
    pub(crate) const RENDEZVOUS: u64 = 0x42;
    /// A rendezvous whose data the receiver fetches by itself.
    pub(crate) const RGET: u64 = 0x43;
}

/// Constants of Open MPI's `mpi.h`.
pub(super) mod mpi {
    pub(crate) const ANY_SOURCE: i64 = -1;
    pub(crate) const ANY_TAG: i64 = -1;
}
