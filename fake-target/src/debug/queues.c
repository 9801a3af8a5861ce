/*
 * queues.c - gives the types of queues.h a home in the library's DWARF, under their plain C names.
 *
 * The objects themselves are made by the engine. The table of pointers below uses every type, so a
 * compiler describes them all; queues.rs refers to it, so a linker keeps this unit wherever the
 * engine is.
 *
 * The root too is the engine's: its definition there is strong and wins over the weak one here,
 * which gives the symbol its type, so that `print mqdrt_root` needs no cast.
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
