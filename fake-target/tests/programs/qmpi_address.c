/*
 * MPI_Get_calling_address gives every tool the return address in the program, whatever tools are
 * between (QMPI, section 15.2.2). Two instances of one tool in the program. One process,
 * QMPI_TOOLS=address:address. With an argument the calls go through a PMPI wrapper, which is then
 * the caller.
 */
#define _GNU_SOURCE
#include "check.h"
#include <dlfcn.h>

static const char *seen[3], *expected;
static int through_pmpi;

static void look(QMPI_Context context, int id)
{
    void *address = NULL, *again = NULL;
    Dl_info info;
    OK(MPI_Get_calling_address(context, &address));
    OK(QMPI_Get_calling_address(context, &again));
    CHECK(address && address == again);
    CHECK(dladdr(address, &info) && info.dli_sname);
    seen[id] = strdup(info.dli_sname);
    if (strcmp(seen[id], expected) != 0)
        fprintf(stderr, "tool %d: called from %s, not %s\n", id, seen[id], expected);
    CHECK(strcmp(seen[id], expected) == 0);
}

#define WRAP(name, NAME, parameters, arguments)                                       \
    static int tool_##name parameters                                                 \
    {                                                                                 \
        QMPI_##name##_t *next;                                                        \
        int next_id;                                                                  \
        look(context, id);                                                            \
        OK(MPI_Get_next_tool_function(id, NAME, (void (**)(void)) & next, &next_id)); \
        return next arguments;                                                        \
    }

WRAP(Init, MPI_INIT_T, (QMPI_Context context, int id, int *argc, char ***argv),
     (context, next_id, argc, argv))
WRAP(Barrier, MPI_BARRIER_T, (QMPI_Context context, int id, MPI_Comm comm),
     (context, next_id, comm))
WRAP(Type_size, MPI_TYPE_SIZE_T, (QMPI_Context context, int id, MPI_Datatype type, int *size),
     (context, next_id, type, size))
WRAP(Sendrecv, MPI_SENDRECV_T,
     (QMPI_Context context, int id, const void *a, int b, MPI_Datatype c, int d, int e, void *f,
      int g, MPI_Datatype h, int i, int j, MPI_Comm k, MPI_Status *l),
     (context, next_id, a, b, c, d, e, f, g, h, i, j, k, l))

/* A tool that calls another function on its way: by the next function, with the context of its own
 * call. */
static int tool_Comm_rank(QMPI_Context context, int id, MPI_Comm comm, int *rank)
{
    QMPI_Comm_rank_t *next;
    QMPI_Type_size_t *size;
    int next_id, size_id, bytes;
    look(context, id);
    OK(MPI_Get_next_tool_function(id, MPI_TYPE_SIZE_T, (void (**)(void))&size, &size_id));
    OK(size(context, size_id, MPI_INT, &bytes));
    OK(MPI_Get_next_tool_function(id, MPI_COMM_RANK_T, (void (**)(void))&next, &next_id));
    return next(context, next_id, comm, rank);
}

static void initialize(int id)
{
    OK(MPI_Register_tool_function(id, MPI_INIT_T, (void (*)(void))tool_Init));
    OK(MPI_Register_tool_function(id, MPI_BARRIER_T, (void (*)(void))tool_Barrier));
    OK(MPI_Register_tool_function(id, MPI_TYPE_SIZE_T, (void (*)(void))tool_Type_size));
    OK(MPI_Register_tool_function(id, MPI_SENDRECV_T, (void (*)(void))tool_Sendrecv));
    OK(MPI_Register_tool_function(id, MPI_COMM_RANK_T, (void (*)(void))tool_Comm_rank));
}

__attribute__((constructor)) static void register_tool(void)
{
    OK(MPI_Register_tool_name("address", initialize));
}

#define CALLER(name, call)                    \
    __attribute__((noinline)) void name(void) \
    {                                         \
        seen[1] = seen[2] = NULL;             \
        if (!through_pmpi)                    \
            expected = #name;                 \
        OK(call);                             \
        CHECK(seen[1] && seen[2]);            \
    }

static int rank, sent = 1, received;

#ifdef WRAPPER
/* A PMPI tool above: for the QMPI tools it is part of the program. */
__attribute__((noinline)) int MPI_Barrier(MPI_Comm comm)
{
    expected = "MPI_Barrier";
    through_pmpi = 1;
    int code = PMPI_Barrier(comm);
    through_pmpi = 0;
    return code;
}
#endif

CALLER(starts, MPI_Init(NULL, NULL))
CALLER(waits, MPI_Barrier(MPI_COMM_WORLD))
CALLER(waits_too, PMPI_Barrier(MPI_COMM_WORLD))
CALLER(asks, MPI_Comm_rank(MPI_COMM_WORLD, &rank))
CALLER(talks, MPI_Sendrecv(&sent, 1, MPI_INT, 0, 1, &received, 1, MPI_INT, 0, 1, MPI_COMM_WORLD,
                           MPI_STATUS_IGNORE))

int main(void)
{
    starts();
    waits();
    waits_too();
    asks();
    talks();
    CHECK(received == 1);
    PASS();
}
