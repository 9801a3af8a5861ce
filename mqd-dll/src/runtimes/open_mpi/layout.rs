//! The structures and constants of Open MPI.
//!
//! Structures begin with what they extend, so that a pointer to the one is a pointer to the other (the rule of OPAL's classes).

use crate::error::Result;
use crate::layout::{Chars, Field, Inner, Int, Pointer, Signed, Size, Types, Unsigned, structures};

/// `MPI_MAX_OBJECT_NAME`.
pub(super) const NAME_BYTES: usize = 64;

structures! {
    /// The start of every object.
    Object = "opal_object_t" {
        obj_class: Pointer,
    }
    /// What an object is an instance of.
    Class = "opal_class_t" {
        cls_name: Pointer,
        cls_sizeof: Size,
    }
    /// An element of a list.
    ListItem = "opal_list_item_t" {
        opal_list_next: Pointer,
    }
    /// A ring of elements, with one in it that is none.
    List = "opal_list_t" {
        opal_list_sentinel: Inner,
        opal_list_length: Size,
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
    /// A group. Which of the last fields holds is in its flags.
    Group = "ompi_group_t" {
        grp_proc_count: Int,
        grp_my_rank: Int,
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
    /// A process's name: which job, and which rank there.
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
        super_: Inner,
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
        seg_addr: Unsigned<8>,
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
