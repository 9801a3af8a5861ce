# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The interface of debug DLLs: mpi_interface.h in ctypes. Section numbers are those of MQD 1.0."""

import ctypes
from ctypes import c_char, c_char_p, c_int, c_long, c_ulong

# 5.4.3: a DLL that was compiled with FOR_MPI2 calls version 2 by the number 3.
COMPATIBLE = (2, 3)

# 5.4.5
MQS_OK, MQS_NO_INFORMATION, MQS_END_OF_LIST = 0, 1, 2

# 5.4.6
MQS_INVALID_PROCESS = -1

# 5.4.2: the queues by their numbers. These are their names here and in commands.
QUEUES = ("sends", "receives", "unexpected")

# 5.5
TEXT_BYTES, TEXT_LINES = 64, 5


class mqs_target_type_sizes(ctypes.Structure):
    """5.2.3: exactly five sizes, since some DLLs reserve room for no more."""

    _fields_ = [
        (name, c_int)
        for name in ("short_size", "int_size", "long_size", "long_long_size", "pointer_size")
    ]


class mqs_communicator(ctypes.Structure):
    """5.5.1: a communicator."""

    _fields_ = [
        ("unique_id", c_ulong),
        ("local_rank", c_long),
        ("size", c_long),
        ("name", c_char * TEXT_BYTES),
    ]


class mqs_pending_operation(ctypes.Structure):
    """5.5.2: an operation."""

    _fields_ = [
        ("status", c_int),
        ("desired_local_rank", c_long),
        ("desired_global_rank", c_long),
        ("tag_wild", c_int),
        ("desired_tag", c_long),
        ("desired_length", c_long),
        ("system_buffer", c_int),
        ("buffer", c_ulong),
        ("actual_local_rank", c_long),
        ("actual_global_rank", c_long),
        ("actual_tag", c_long),
        ("actual_length", c_long),
        ("extra_text", c_char * (TEXT_BYTES * TEXT_LINES)),
    ]


class mqd_operation(ctypes.Structure):
    """Extension: an operation, and whether the process waits for it. 1: yes, 0: no, -1: unknown."""

    _fields_ = [("operation", mqs_pending_operation), ("awaited", c_int)]


class mqd_call(ctypes.Structure):
    """Extension: the MPI call that a process is in."""

    _fields_ = [("needed", c_long), ("function", c_char * TEXT_BYTES)]


class mqd_stack_hints(ctypes.Structure):
    """Extension: what helps to understand the call stacks of a process."""

    _fields_ = [("threads", c_long), ("progress", c_char * TEXT_BYTES)]


class mqd_traffic(ctypes.Structure):
    """Extension: the number of messages between a process and another one."""

    _fields_ = [("local_rank", c_long), ("sent", c_long), ("received", c_long)]


class mqd_fifo(ctypes.Structure):
    """Extension: a queue in shared memory that carries messages to or from the process."""

    _fields_ = [("id", c_ulong), ("rank", c_long), ("elements", c_long)]


# A DLL fills this in. What it leaves alone is an unknown rank or an empty text.
BLANK_OPERATION = mqd_operation(
    mqs_pending_operation(
        desired_local_rank=MQS_INVALID_PROCESS,
        desired_global_rank=MQS_INVALID_PROCESS,
        actual_local_rank=MQS_INVALID_PROCESS,
        actual_global_rank=MQS_INVALID_PROCESS,
    )
)

# Extension: the collective operations by the numbers of mqs_get_comm_coll_state.
COLLECTIVES = (
    "MPI_Barrier",
    "MPI_Bcast",
    "MPI_Allgather",
    "MPI_Allgatherv",
    "MPI_Allreduce",
    "MPI_Alltoall",
    "MPI_Alltoallv",
    "MPI_Reduce_scatter",
    "MPI_Reduce",
    "MPI_Gather",
    "MPI_Gatherv",
    "MPI_Scan",
    "MPI_Scatter",
    "MPI_Scatterv",
    "MPI_Alltoallw",
    "MPI_Exscan",
    "MPI_Reduce_scatter_block",
    "MPI_Neighbor_allgather",
    "MPI_Neighbor_allgatherv",
    "MPI_Neighbor_alltoall",
    "MPI_Neighbor_alltoallv",
    "MPI_Neighbor_alltoallw",
    "MPI_Win_create",
    "MPI_Win_allocate",
    "MPI_Win_allocate_shared",
    "MPI_Win_create_dynamic",
    "MPI_Win_free",
    "MPI_Win_fence",
    "MPI_File_open",
    "MPI_File_close",
    "MPI_File_set_size",
    "MPI_File_preallocate",
    "MPI_File_set_info",
    "MPI_File_set_view",
    "MPI_File_set_atomicity",
    "MPI_File_sync",
    "MPI_File_seek_shared",
    "MPI_File_read_all",
    "MPI_File_read_at_all",
    "MPI_File_read_ordered",
    "MPI_File_write_all",
    "MPI_File_write_at_all",
    "MPI_File_write_ordered",
    "MPI_File_read_all_begin",
    "MPI_File_read_at_all_begin",
    "MPI_File_read_ordered_begin",
    "MPI_File_write_all_begin",
    "MPI_File_write_at_all_begin",
    "MPI_File_write_ordered_begin",
)

# 5.7 to 5.10: the functions that a debug DLL exports, with the types of their results.
REQUIRED = {
    "mqs_setup_basic_callbacks": None,
    "mqs_version_string": c_char_p,
    "mqs_version_compatibility": c_int,
    "mqs_dll_error_string": c_char_p,
    "mqs_setup_image": c_int,
    "mqs_image_has_queues": c_int,
    "mqs_destroy_image_info": c_int,
    "mqs_setup_process": c_int,
    "mqs_process_has_queues": c_int,
    "mqs_destroy_process_info": c_int,
    "mqs_update_communicator_list": c_int,
    "mqs_setup_communicator_iterator": c_int,
    "mqs_get_communicator": c_int,
    "mqs_next_communicator": c_int,
    "mqs_setup_operation_iterator": c_int,
    "mqs_next_operation": c_int,
}

# A DLL may lack these. Their results are of type int.
OPTIONAL = (
    "mqs_dll_taddr_width",
    "mqs_get_comm_group",
    "mqs_get_comm_coll_state",
    "mqd_get_call",
    "mqd_get_stack_hints",
    "mqd_get_loop_function",
    "mqd_set_awaited_word",
    "mqd_get_send_function",
    "mqd_set_no_other_senders",
    "mqd_get_background",
    "mqd_get_source",
    "mqd_get_remote_group",
    "mqd_get_parent",
    "mqd_is_awaited",
    "mqd_next_operations",
    "mqd_setup_traffic_iterator",
    "mqd_next_traffic",
    "mqd_setup_fifo_iterator",
    "mqd_next_fifo",
)
