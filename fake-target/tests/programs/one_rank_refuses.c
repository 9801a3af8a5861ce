/*
 * Collective operations on data in which the arguments of one rank are wrong: blocking, nonblocking
 * and persistent ones, of short and long messages, within a group, between groups and between
 * neighbours. That rank gets an error. No other waits for ever, and what is left of the operation
 * does not disturb those that follow. The rank may also make the call again, with right arguments.
 */
#include "check.h"

#include <unistd.h>

enum { LONG = 60000, RANKS = 9 };
enum fault { COUNT, TYPE, OP, ROOT, FAULTS };

static int rank, size;
/* The arguments of this rank. */
static int count, root;
static MPI_Datatype type;
static MPI_Op op;
static MPI_Comm comm;
static int *from, *to;
static int counts[RANKS], displs[RANKS], offsets[RANKS];
static MPI_Aint addresses[RANKS];
static MPI_Datatype types[RANKS];
static MPI_Request request;

static int bcast(void) { return MPI_Bcast(to, count, type, root, comm); }
static int gather(void) { return MPI_Gather(from, count, type, to, count, type, root, comm); }
static int gatherv(void)
{
    return MPI_Gatherv(from, count, type, to, counts, displs, type, root, comm);
}
static int scatter(void) { return MPI_Scatter(from, count, type, to, count, type, root, comm); }
static int scatterv(void)
{
    return MPI_Scatterv(from, counts, displs, type, to, count, type, root, comm);
}
static int allgather(void) { return MPI_Allgather(from, count, type, to, count, type, comm); }
static int allgatherv(void)
{
    return MPI_Allgatherv(from, count, type, to, counts, displs, type, comm);
}
static int alltoall(void) { return MPI_Alltoall(from, count, type, to, count, type, comm); }
static int alltoallv(void)
{
    return MPI_Alltoallv(from, counts, displs, type, to, counts, displs, type, comm);
}
static int alltoallw(void)
{
    return MPI_Alltoallw(from, counts, offsets, types, to, counts, offsets, types, comm);
}
static int reduce(void) { return MPI_Reduce(from, to, count, type, op, root, comm); }
static int allreduce(void) { return MPI_Allreduce(from, to, count, type, op, comm); }
static int reduce_scatter(void) { return MPI_Reduce_scatter(from, to, counts, type, op, comm); }
static int reduce_scatter_block(void)
{
    return MPI_Reduce_scatter_block(from, to, count, type, op, comm);
}
static int scan(void) { return MPI_Scan(from, to, count, type, op, comm); }
static int exscan(void) { return MPI_Exscan(from, to, count, type, op, comm); }

static int ended(int code)
{
    return code != MPI_SUCCESS ? code : MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static int ibcast(void) { return ended(MPI_Ibcast(to, count, type, root, comm, &request)); }
static int igather(void)
{
    return ended(MPI_Igather(from, count, type, to, count, type, root, comm, &request));
}
static int iscatterv(void)
{
    return ended(MPI_Iscatterv(from, counts, displs, type, to, count, type, root, comm, &request));
}
static int iallgather(void)
{
    return ended(MPI_Iallgather(from, count, type, to, count, type, comm, &request));
}
static int ialltoallw(void)
{
    return ended(MPI_Ialltoallw(from, counts, offsets, types, to, counts, offsets, types, comm,
                                &request));
}
static int ireduce(void)
{
    return ended(MPI_Ireduce(from, to, count, type, op, root, comm, &request));
}
static int iallreduce(void)
{
    return ended(MPI_Iallreduce(from, to, count, type, op, comm, &request));
}
static int ireduce_scatter(void)
{
    return ended(MPI_Ireduce_scatter(from, to, counts, type, op, comm, &request));
}
static int iscan(void) { return ended(MPI_Iscan(from, to, count, type, op, comm, &request)); }

/* A persistent operation is started twice. */
static int started(int code)
{
    if (code != MPI_SUCCESS)
        return code;
    for (int time = 0; time < 2; time++) {
        OK(MPI_Start(&request));
        code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    OK(MPI_Request_free(&request));
    return code;
}

static int bcast_init(void)
{
    return started(MPI_Bcast_init(to, count, type, root, comm, MPI_INFO_NULL, &request));
}
static int allreduce_init(void)
{
    return started(MPI_Allreduce_init(from, to, count, type, op, comm, MPI_INFO_NULL, &request));
}
static int alltoall_init(void)
{
    return started(MPI_Alltoall_init(from, count, type, to, count, type, comm, MPI_INFO_NULL,
                                     &request));
}

static int neighbor_allgather(void)
{
    return MPI_Neighbor_allgather(from, count, type, to, count, type, comm);
}
static int neighbor_alltoallv(void)
{
    return MPI_Neighbor_alltoallv(from, counts, displs, type, to, counts, displs, type, comm);
}
static int neighbor_alltoallw(void)
{
    return MPI_Neighbor_alltoallw(from, counts, addresses, types, to, counts, addresses, types,
                                  comm);
}
static int ineighbor_alltoall(void)
{
    return ended(MPI_Ineighbor_alltoall(from, count, type, to, count, type, comm, &request));
}

/* Which arguments a function has; where it is defined. */
enum { DATA = 1 << COUNT | 1 << TYPE, REDUCES = DATA | 1 << OP, ROOTED = 1 << ROOT };
enum { WITHIN = 1, BETWEEN = 2, NEIGHBOURS = 4 };
static const struct operation {
    const char *name;
    int (*call)(void);
    int faults, places;
} operations[] = {
#define CASE(function, faults, places) {#function, function, faults, places}
    CASE(bcast, DATA | ROOTED, WITHIN | BETWEEN),
    CASE(gather, DATA | ROOTED, WITHIN | BETWEEN),
    CASE(gatherv, DATA | ROOTED, WITHIN | BETWEEN),
    CASE(scatter, DATA | ROOTED, WITHIN | BETWEEN),
    CASE(scatterv, DATA | ROOTED, WITHIN | BETWEEN),
    CASE(allgather, DATA, WITHIN | BETWEEN),
    CASE(allgatherv, DATA, WITHIN | BETWEEN),
    CASE(alltoall, DATA, WITHIN | BETWEEN),
    CASE(alltoallv, DATA, WITHIN | BETWEEN),
    CASE(alltoallw, DATA, WITHIN | BETWEEN),
    CASE(reduce, REDUCES | ROOTED, WITHIN | BETWEEN),
    CASE(allreduce, REDUCES, WITHIN | BETWEEN),
    CASE(reduce_scatter, REDUCES, WITHIN | BETWEEN),
    CASE(reduce_scatter_block, REDUCES, WITHIN | BETWEEN),
    CASE(scan, REDUCES, WITHIN),
    CASE(exscan, REDUCES, WITHIN),
    CASE(ibcast, DATA | ROOTED, WITHIN | BETWEEN),
    CASE(igather, DATA | ROOTED, WITHIN | BETWEEN),
    CASE(iscatterv, DATA | ROOTED, WITHIN | BETWEEN),
    CASE(iallgather, DATA, WITHIN | BETWEEN),
    CASE(ialltoallw, DATA, WITHIN | BETWEEN),
    CASE(ireduce, REDUCES | ROOTED, WITHIN | BETWEEN),
    CASE(iallreduce, REDUCES, WITHIN | BETWEEN),
    CASE(ireduce_scatter, REDUCES, WITHIN | BETWEEN),
    CASE(iscan, REDUCES, WITHIN),
    CASE(bcast_init, DATA | ROOTED, WITHIN | BETWEEN),
    CASE(allreduce_init, REDUCES, WITHIN | BETWEEN),
    CASE(alltoall_init, DATA, WITHIN | BETWEEN),
    CASE(neighbor_allgather, DATA, NEIGHBOURS),
    CASE(neighbor_alltoallv, DATA, NEIGHBOURS),
    CASE(neighbor_alltoallw, DATA, NEIGHBOURS),
    CASE(ineighbor_alltoall, DATA, NEIGHBOURS),
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* What is needed of every process after an operation. */
static void goes_on(int length)
{
    int sum = -1, remote;
    OK(MPI_Comm_test_inter(comm, &remote));
    int others = remote ? size - size / 2 : size, first = 0;
    if (remote) {
        /* The other group. */
        first = rank < size / 2 ? size / 2 : 0;
        others = rank < size / 2 ? size - size / 2 : size / 2;
    }
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK(sum == others * first + others * (others - 1) / 2);
    for (int i = 0; i < length; i++)
        from[i] = rank * 7 + i;
    OK(MPI_Allgather(from, length, MPI_INT, to, length, MPI_INT, comm));
    for (int other = 0; other < others; other++)
        for (int i = 0; i < length; i += 97)
            CHECK(to[other * length + i] == (first + other) * 7 + i);
}

/* What happens with a wrong call: the other ranks make the call, too; or they do not; or they do,
 * and the rank with the wrong argument makes it again; or all make two calls, and that rank makes
 * two wrong ones; or the next rank's call is wrong, too, and that of the others is not; or all but
 * the next rank have a wrong argument; or all have. */
enum course { TOGETHER, ALONE, AGAIN, TWICE, BOTH, BUT_ONE, ALL, COURSES };

static void set_arguments(const struct operation *operation, int length)
{
    int remote;
    OK(MPI_Comm_test_inter(comm, &remote));
    count = length, type = MPI_INT, op = MPI_SUM, root = size - 1;
    if (remote)
        root = rank == size - 1 ? MPI_ROOT : rank < size / 2 ? size - size / 2 - 1 : MPI_PROC_NULL;
    for (int i = 0; i < RANKS; i++) {
        counts[i] = count, types[i] = type;
        displs[i] = i * length, offsets[i] = addresses[i] = i * length * (int)sizeof(int);
    }
    /* Between groups both have to get as many elements. */
    if (remote && strstr(operation->name, "reduce_scatter")) {
        count = length / 12 * (rank < size / 2 ? size - size / 2 : size / 2);
        for (int i = 0; i < RANKS; i++)
            counts[i] = count;
    }
}

static void set_fault(enum fault fault)
{
    if (fault == COUNT)
        count = -1;
    if (fault == TYPE)
        type = MPI_DATATYPE_NULL;
    if (fault == OP)
        op = MPI_OP_NULL;
    if (fault == ROOT)
        root = 99;
    for (int i = 0; i < RANKS; i++)
        counts[i] = count < 0 ? count : counts[i], types[i] = type;
}

/* One operation with a wrong argument at rank `where`. Ranks come at different times. */
static void try(const struct operation *operation, enum fault fault, int where, int length,
                enum course course)
{
    int next = (where + 1) % size, code = MPI_SUCCESS, wrong = rank == where;
    if (course == BOTH)
        wrong = wrong || rank == next;
    if (course == BUT_ONE || course == ALL)
        wrong = course == ALL || rank != next;
    set_arguments(operation, length);
    /* A bystander's other arguments do not count. */
    int matters = fault == ROOT || root != MPI_PROC_NULL || !(operation->faults & ROOTED);
    if (wrong)
        set_fault(fault);
    if (where % 3 == 0 && rank == next)
        usleep(1000);
    if (where % 3 == 1 && wrong)
        usleep(1000);
    if (wrong && (matters || (course != ALONE && course != AGAIN))) {
        if (course == TWICE)
            operation->call();
        code = operation->call();
        if (matters && code == MPI_SUCCESS) {
            fprintf(stderr, "%s, fault %d: no error\n", operation->name, fault);
            exit(1);
        }
    }
    set_arguments(operation, length);
    if (course == AGAIN)
        OK(operation->call());
    else if (course != ALONE && !wrong)
        for (int call = course == TWICE; call >= 0; call--)
            operation->call();
    OK(MPI_Barrier(comm));
    goes_on(length);
}

static void try_all(int place, const char *only)
{
    for (int which = 0; which < OPERATIONS; which++)
        for (int fault = 0; fault < FAULTS; fault++) {
            const struct operation *operation = &operations[which];
            if (!(operation->places & place) || !(operation->faults & 1 << fault))
                continue;
            if (only && strcmp(only, operation->name) != 0)
                continue;
            for (int where = 0; where < size; where++)
                for (enum course course = 0; course < COURSES; course++) {
                    try(operation, fault, where, 12, course);
                    /* Many ranks would take long. */
                    if (size <= 5)
                        try(operation, fault, where, LONG, course);
                }
        }
}

int main(int argc, char **argv)
{
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    CHECK(size <= RANKS);
    const char *only = argc > 2 ? argv[2] : NULL;
    from = calloc((size_t)LONG * RANKS, sizeof *from);
    to = calloc((size_t)LONG * RANKS, sizeof *to);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    try_all(WITHIN, only);
    /* A freed communicator with a refused operation. */
    OK(MPI_Ibarrier(comm, &request));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));

    MPI_Comm half;
    int low = rank < size / 2;
    OK(MPI_Comm_split(MPI_COMM_WORLD, low, 0, &half));
    OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? size / 2 : 0, 3, &comm));
    OK(MPI_Comm_free(&half));
    try_all(BETWEEN, only);
    OK(MPI_Comm_free(&comm));

    int dims[1] = {size}, periods[1] = {1};
    OK(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &comm));
    try_all(NEIGHBOURS, only);
    OK(MPI_Comm_free(&comm));
    free(from);
    free(to);
    PASS();
}
