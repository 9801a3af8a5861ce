//! The structures by name, and layouts for them.

use crate::support::contract::Kind;
use crate::support::machine::{Layout, Layouts, Machine};
use crate::support::random::Random;
use crate::support::tables::read_table;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Series {
    Four,
    Five,
}

#[derive(Clone, Copy, Debug)]
pub enum Type {
    /// A number of so many bytes.
    Bytes(usize),
    Int,
    Pointer,
    /// A structure inside.
    In(&'static str),
    /// The structure that this one extends, at its start.
    Super(&'static str),
    /// An array of this length, with elements as large as the largest of these.
    Union(&'static [&'static str], usize),
}

use Type::{Bytes, In, Int, Pointer, Super, Union};

pub type Fields = &'static [(&'static str, Type)];

/// The structures, each after those inside of it.
const STRUCTURES: &[(&str, Fields)] = &[
    ("opal_object_t", &[("obj_class", Pointer), ("obj_reference_count", Bytes(4))]),
    (
        "opal_class_t",
        &[
            ("cls_name", Pointer),
            ("cls_parent", Pointer),
            ("cls_initialized", Int),
            ("cls_sizeof", Pointer),
        ],
    ),
    (
        "opal_list_item_t",
        &[
            ("super", Super("opal_object_t")),
            ("opal_list_next", Pointer),
            ("opal_list_prev", Pointer),
        ],
    ),
    (
        "opal_list_t",
        &[
            ("super", Super("opal_object_t")),
            ("opal_list_sentinel", In("opal_list_item_t")),
            ("opal_list_length", Pointer),
        ],
    ),
    (
        "opal_pointer_array_t",
        &[("super", Super("opal_object_t")), ("size", Int), ("addr", Pointer)],
    ),
    ("opal_free_list_item_t", &[("super", Super("opal_list_item_t")), ("ptr", Pointer)]),
    (
        "opal_free_list_t",
        &[
            ("super", Super("opal_object_t")),
            ("fl_max_to_alloc", Pointer),
            ("fl_num_allocated", Pointer),
            ("fl_num_per_alloc", Pointer),
            ("fl_frag_size", Pointer),
            ("fl_frag_alignment", Pointer),
            ("fl_frag_class", Pointer),
            ("fl_allocations", In("opal_list_t")),
        ],
    ),
    ("ompi_wait_sync_t", &[("count", Bytes(4))]),
    ("mca_base_component_t", &[("mca_component_name", Bytes(64))]),
    (
        "ompi_group_sporadic_data_t",
        &[("grp_sporadic_list", Pointer), ("grp_sporadic_list_len", Int)],
    ),
    ("ompi_group_sporadic_list_t", &[("rank_first", Int), ("length", Int)]),
    ("ompi_group_strided_data_t", &[("grp_strided_offset", Int), ("grp_strided_stride", Int)]),
    ("ompi_group_bitmap_data_t", &[("grp_bitmap_array", Pointer), ("grp_bitmap_array_len", Int)]),
    (
        "ompi_group_t",
        &[
            ("super", Super("opal_object_t")),
            ("grp_proc_count", Int),
            ("grp_my_rank", Int),
            ("grp_proc_pointers", Pointer),
            ("grp_flags", Bytes(4)),
            ("grp_parent_group_ptr", Pointer),
            (
                "sparse_data",
                Union(
                    &[
                        "ompi_group_sporadic_data_t",
                        "ompi_group_strided_data_t",
                        "ompi_group_bitmap_data_t",
                    ],
                    1,
                ),
            ),
        ],
    ),
    ("opal_process_name_t", &[("jobid", Bytes(4)), ("vpid", Bytes(4))]),
    (
        "opal_proc_t",
        &[("super", Super("opal_list_item_t")), ("proc_name", In("opal_process_name_t"))],
    ),
    ("opal_datatype_t", &[("super", Super("opal_object_t")), ("size", Pointer)]),
    ("ompi_datatype_t", &[("super", Super("opal_datatype_t")), ("name", Bytes(64))]),
    (
        "ompi_status_public_t",
        &[
            ("MPI_SOURCE", Int),
            ("MPI_TAG", Int),
            ("MPI_ERROR", Int),
            ("_cancelled", Int),
            ("_ucount", Pointer),
        ],
    ),
    (
        "ompi_request_t",
        &[
            ("super", Super("opal_free_list_item_t")),
            ("req_type", Int),
            ("req_status", In("ompi_status_public_t")),
            ("req_complete", Pointer),
            ("req_state", Int),
            ("req_persistent", Bytes(1)),
            ("req_complete_cb_data", Pointer),
        ],
    ),
    (
        "ompi_coll_libnbc_request_t",
        &[("super", Super("ompi_request_t")), ("req_count", Bytes(4)), ("req_array", Pointer)],
    ),
    ("ompi_coll_libnbc_component_t", &[("active_requests", In("opal_list_t"))]),
    ("ompi_comm_request_t", &[("super", Super("ompi_request_t")), ("schedule", In("opal_list_t"))]),
    (
        "ompi_comm_request_item_t",
        &[("super", Super("opal_list_item_t")), ("subreqs", Bytes(16)), ("subreq_count", Bytes(4))],
    ),
    (
        "mca_pml_base_request_t",
        &[
            ("req_ompi", Super("ompi_request_t")),
            ("req_pml_complete", Bytes(4)),
            ("req_free_called", Bytes(4)),
            ("req_type", Int),
            ("req_comm", Pointer),
            ("req_datatype", Pointer),
            ("req_addr", Pointer),
            ("req_count", Pointer),
            ("req_peer", Bytes(4)),
            ("req_tag", Bytes(4)),
            ("req_sequence", Bytes(8)),
        ],
    ),
    (
        "mca_pml_base_send_request_t",
        &[
            ("req_base", Super("mca_pml_base_request_t")),
            ("req_addr", Pointer),
            ("req_bytes_packed", Pointer),
            ("req_send_mode", Int),
        ],
    ),
    (
        "mca_pml_base_recv_request_t",
        &[("req_base", Super("mca_pml_base_request_t")), ("req_bytes_packed", Pointer)],
    ),
    (
        "mca_pml_ob1_send_request_t",
        &[
            ("req_send", Super("mca_pml_base_send_request_t")),
            ("req_recv", Bytes(8)),
            ("req_state", Bytes(4)),
        ],
    ),
    (
        "mca_pml_ob1_recv_request_t",
        &[("req_recv", Super("mca_pml_base_recv_request_t")), ("req_match_received", Bytes(1))],
    ),
    (
        "mca_pml_ob1_comm_t",
        &[
            ("super", Super("opal_object_t")),
            ("recv_sequence", Bytes(4)),
            ("wild_receives", In("opal_list_t")),
            ("procs", Pointer),
            ("num_procs", Pointer),
            ("last_probed", Pointer),
        ],
    ),
    (
        "mca_pml_ob1_comm_proc_t",
        &[
            ("super", Super("opal_object_t")),
            ("expected_sequence", Bytes(2)),
            ("send_sequence", Bytes(4)),
            ("frags_cant_match", Pointer),
            ("specific_receives", In("opal_list_t")),
            ("unexpected_frags", In("opal_list_t")),
        ],
    ),
    ("mca_btl_base_segment_t", &[("seg_addr", Bytes(8)), ("seg_len", Bytes(8))]),
    ("mca_pml_ob1_common_hdr_t", &[("hdr_type", Bytes(1)), ("hdr_flags", Bytes(1))]),
    (
        "mca_pml_ob1_match_hdr_t",
        &[
            ("hdr_common", Super("mca_pml_ob1_common_hdr_t")),
            ("hdr_ctx", Bytes(2)),
            ("hdr_src", Bytes(4)),
            ("hdr_tag", Bytes(4)),
            ("hdr_seq", Bytes(2)),
        ],
    ),
    (
        "mca_pml_ob1_rendezvous_hdr_t",
        &[("hdr_match", Super("mca_pml_ob1_match_hdr_t")), ("hdr_msg_length", Bytes(8))],
    ),
    (
        "mca_pml_ob1_recv_frag_t",
        &[
            ("super", Super("opal_free_list_item_t")),
            ("hdr", Union(&["mca_pml_ob1_rendezvous_hdr_t"], 1)),
            ("num_segments", Pointer),
            ("range", Pointer),
            ("segments", Union(&["mca_btl_base_segment_t"], 16)),
        ],
    ),
];

const COMMUNICATOR_4: Fields = &[
    ("super", Super("opal_object_t")),
    ("c_name", Bytes(64)),
    ("c_contextid", Bytes(4)),
    ("c_my_rank", Int),
    ("c_flags", Bytes(4)),
    ("c_assertions", Bytes(4)),
    ("c_local_group", Pointer),
    ("c_remote_group", Pointer),
    ("c_local_comm", Pointer),
    ("c_pml_comm", Pointer),
];

const COMMUNICATOR_5: Fields = &[
    ("super", Super("opal_object_t")),
    ("c_name", Pointer),
    ("c_contextid", Bytes(16)),
    ("c_index", Bytes(4)),
    ("c_my_rank", Int),
    ("c_flags", Bytes(4)),
    ("c_assertions", Bytes(4)),
    ("c_local_group", Pointer),
    ("c_remote_group", Pointer),
    ("c_local_comm", Pointer),
    ("c_pml_comm", Pointer),
];

fn structures(series: Series) -> impl Iterator<Item = (&'static str, Fields)> {
    let communicator = match series {
        Series::Four => COMMUNICATOR_4,
        Series::Five => COMMUNICATOR_5,
    };
    STRUCTURES.iter().copied().chain([("ompi_communicator_t", communicator)])
}

fn size(machine: &Machine, layouts: &Layouts, ty: Type) -> usize {
    match ty {
        Bytes(size) => size,
        Int => machine.int,
        Pointer => machine.pointer,
        In(name) | Super(name) => layouts[name].size,
        Union(names, count) => {
            count * names.iter().map(|name| layouts[*name].size).max().expect("there are some")
        }
    }
}

/// Layouts that cannot be guessed: fields in another order, with gaps between them. The structure
/// that another one extends stays at its start.
pub fn invented(machine: &Machine, series: Series, seed: u64) -> Layouts {
    let mut random = Random::new(seed);
    let mut layouts = Layouts::new();
    for (name, fields) in structures(series) {
        let mut fields = fields.to_vec();
        random.shuffle(&mut fields);
        fields.sort_by_key(|(_, ty)| !matches!(ty, Super(_)));
        let mut layout = Layout::default();
        for (field, ty) in fields {
            let size = size(machine, &layouts, ty);
            let gap = if matches!(ty, Super(_)) { 0 } else { random.below(40) };
            let offset = (layout.size + gap).next_multiple_of(8);
            layout.offsets.insert(field.to_owned(), (offset, Kind::Chars(size)));
            layout.size = offset + size;
        }
        layout.size = layout.size.next_multiple_of(8);
        layouts.insert(name.to_owned(), layout);
    }
    layouts
}

/// The layouts of the shipped table for Open MPI.
pub fn of_table(series: Series) -> Layouts {
    read_table(match series {
        Series::Four => include_str!("../../../../../mqd-layout/tables/openmpi-4.1.layout"),
        Series::Five => include_str!("../../../../../mqd-layout/tables/openmpi-5.0.layout"),
    })
}
