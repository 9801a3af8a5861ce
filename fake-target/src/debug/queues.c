/*
 * queues.c - puts the types of queues.h into the library's DWARF, under their plain C names.
 *
 * The engine makes the objects themselves. The table of pointers below uses every type, so that the
 * compiler describes all of them. queues.rs refers to the table, so that the linker keeps this unit
 * wherever the engine is.
 *
 * The root is also the engine's. Its strong definition there replaces the weak one here. The weak
 * one gives the symbol its type, so that `print mqdrt_root` needs no cast.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#include "queues.h"

mqdrt_process mqdrt_root __attribute__((weak));

struct mqdrt_types {
    mqdrt_process *process;
    mqdrt_communicator *communicator;
    mqdrt_group *group;
    mqdrt_datatype *datatype;
    mqdrt_request *request;
    mqdrt_message *message;
    mqdrt_collective *collective;
    mqdrt_peer *peer;
};

const struct mqdrt_types mqdrt_types = {&mqdrt_root, 0, 0, 0, 0, 0, 0, 0};
