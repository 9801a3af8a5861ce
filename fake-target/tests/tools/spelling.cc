/*
 * spelling.cc - a QMPI tool in C++ that uses MPICH's names: QMPI_Register_function,
 * QMPI_Get_function, enum QMPI_Functions_enum, QMPI_X_t.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

static_assert(QMPI_MAX_TOOL_NAME_LENGTH == 256, "as MPICH has it");

struct tool_struct {
    int my_tool_id;
};

static tool_struct instances[8];

static void ok(int code)
{
    if (code != MPI_SUCCESS)
        std::exit(1);
}

static int my_init(QMPI_Context context, int tool_id, int *argc, char ***argv)
{
    QMPI_Init_t *next_fn;
    int next_id;
    void *storage = nullptr, *address = nullptr;
    ok(QMPI_Get_tool_storage(context, tool_id, &storage));
    ok(QMPI_Get_calling_address(context, &address));
    bool same = static_cast<tool_struct *>(storage)->my_tool_id == tool_id && address;
    std::printf("spelling %d: %d functions, storage %s\n", tool_id, MPI_LAST_FUNC_T,
                same ? "ok" : "wrong");
    ok(QMPI_Get_function(tool_id, MPI_INIT_T, reinterpret_cast<void (**)()>(&next_fn), &next_id));
    return next_fn(context, next_id, argc, argv);
}

static int my_rank(QMPI_Context context, int tool_id, MPI_Comm comm, int *rank)
{
    QMPI_Comm_rank_t *next_fn;
    int next_id;
    enum QMPI_Functions_enum which = MPI_COMM_RANK_T;
    ok(QMPI_Get_function(tool_id, which, reinterpret_cast<void (**)()>(&next_fn), &next_id));
    std::printf("spelling %d: rank, next %d\n", tool_id, next_id);
    return next_fn(context, next_id, comm, rank);
}

static void initialize(int tool_id)
{
    instances[tool_id].my_tool_id = tool_id;
    ok(QMPI_Register_tool_storage(tool_id, &instances[tool_id]));
    ok(QMPI_Register_function(tool_id, MPI_INIT_T, reinterpret_cast<void (*)()>(my_init)));
    ok(QMPI_Register_function(tool_id, MPI_COMM_RANK_T, reinterpret_cast<void (*)()>(my_rank)));
}

__attribute__((constructor)) static void register_tool()
{
    ok(QMPI_Register_tool_name("spelling", initialize));
}
