/*
 * queues.c - gives the types of queues.h a home in the library's DWARF, under their plain C names.
 *
 * The objects themselves are made by the engine. The table of pointers below uses every type, so a compiler describes them all; queues.rs
 * refers to it, so a linker keeps this unit wherever the engine is.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#include "queues.h"

struct mqdrt_types {
    mqdrt_process *process;
    mqdrt_communicator *communicator;
    mqdrt_group *group;
    mqdrt_datatype *datatype;
    mqdrt_request *request;
    mqdrt_message *message;
};

const struct mqdrt_types mqdrt_types = {&mqdrt_root, 0, 0, 0, 0, 0};
