/*
 * schedules.h - collective operations with random arguments, started in every form, and compared
 * with a serial computation of the result.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#include "check.h"

/* Data are long longs, each at the beginning of `stride` ones. What is between them must stay
 * GAP. */
enum {
    GAP = -12345,
    KINDS = 17
};

enum kind {
    BARRIER, BCAST, GATHER, GATHERV, SCATTER, SCATTERV, ALLGATHER, ALLGATHERV, ALLTOALL,
    ALLTOALLV, ALLTOALLW, REDUCE, ALLREDUCE, REDUCE_SCATTER, REDUCE_SCATTER_BLOCK, SCAN, EXSCAN
};

enum form { NONBLOCKING, PERSISTENT };

struct operation {
    enum kind kind;
    int number, round, root, count, in_place, large;
    MPI_Request request;
    int send_stride, receive_stride, sent, received;
    long long *send, *receive;
    int *counts, *places, *bytes;
    MPI_Count *large_counts;
    MPI_Aint *large_places, *large_bytes;
    MPI_Datatype *types;
};

static int rank, size;
static MPI_Datatype strided[3];
static MPI_Op append;
static MPI_Comm comm;

/* The same numbers in all processes, or different ones: that depends on the state. */
static unsigned next(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Numbers as rows of digits, left operand first: does not commute. */
static void join(void *in, void *inout, int *length, MPI_Datatype *type)
{
    MPI_Aint lb, extent;
    MPI_Type_get_extent(*type, &lb, &extent);
    for (int i = 0; i < *length; i++) {
        long long *left = (long long *)((char *)in + i * extent),
                  *right = (long long *)((char *)inout + i * extent), shift = 1;
        while (shift <= *right)
            shift *= 10;
        *right += *left * shift;
    }
}

static void begin(MPI_Comm of)
{
    comm = of;
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    for (int stride = 1; stride <= 2; stride++) {
        OK(MPI_Type_create_resized(MPI_LONG_LONG, 0, stride * (MPI_Aint)sizeof(long long),
                                   &strided[stride]));
        OK(MPI_Type_commit(&strided[stride]));
    }
    OK(MPI_Op_create(join, 0, &append));
}

static void end(void)
{
    OK(MPI_Type_free(&strided[1]));
    OK(MPI_Type_free(&strided[2]));
    OK(MPI_Op_free(&append));
}

/* The element at an index of what a process sends; in reductions a digit. */
static long long datum(const struct operation *o, int from, int index)
{
    if (o->kind >= REDUCE)
        return (from + o->number + o->round + index) % 9 + 1;
    return ((o->number * 8LL + o->round) * 64 + from) * 1000000 + index;
}

static long long combined(const struct operation *o, int first, int last, int index)
{
    long long number = 0;
    for (int from = first; from <= last; from++)
        number = number * 10 + datum(o, from, index);
    return number;
}

/* Elements between two processes of the operations with counts of their own. */
static int between(const struct operation *o, int from, int to)
{
    if (o->kind == ALLTOALLV || o->kind == ALLTOALLW)
        return (from + to + o->number) % 3 * o->count;
    return (from + to) % 2 * 0 + (o->number + from * (o->kind != SCATTERV) +
                                  to * (o->kind == SCATTERV)) % 3 * o->count;
}

static int reduced(const struct operation *o, int of)
{
    return o->kind == REDUCE_SCATTER ? (of + o->number) % 3 * o->count : o->count;
}

static int sum(const struct operation *o, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += reduced(o, i);
    return total;
}

static long long *room(int elements)
{
    long long *memory = malloc((size_t)(elements + 1) * 2 * sizeof *memory);
    for (int i = 0; i < 2 * (elements + 1); i++)
        memory[i] = GAP;
    return memory;
}

/* Lists blocks, each with a gap of one element before it. */
static void list(struct operation *o, int stride, int from_here)
{
    int at = 0;
    for (int i = 0; i < size; i++) {
        int n = from_here ? between(o, rank, i) : between(o, i, rank);
        if (o->kind == SCATTERV)
            n = between(o, o->root, i);
        if (o->kind == GATHERV || o->kind == ALLGATHERV)
            n = between(o, i, 0);
        o->large_counts[i] = o->counts[i] = n;
        o->large_places[i] = o->places[i] = at + 1;
        o->large_bytes[i] = o->bytes[i] = (at + 1) * stride * (int)sizeof(long long);
        o->types[i] = strided[stride];
        at += n + 1;
    }
}

static int width(const struct operation *o)
{
    int most = 1;
    switch (o->kind) {
    case GATHER: case SCATTER: case ALLGATHER: case ALLTOALL: most = size * o->count; break;
    case GATHERV: case SCATTERV: case ALLGATHERV: case ALLTOALLV: case ALLTOALLW:
        most = size * (2 * o->count + 1); break;
    case REDUCE_SCATTER: case REDUCE_SCATTER_BLOCK: most = sum(o, size); break;
    default: most = o->count;
    }
    return most + 1;
}

/* An operation of a kind, with arguments by the random numbers that all processes share. */
static struct operation *make(enum kind kind, int number, unsigned *shared)
{
    static const int COUNTS[] = {0, 1, 3, 100, 1200, 9000};
    struct operation *o = calloc(1, sizeof *o);
    o->kind = kind;
    o->number = number;
    o->root = next(shared) % size;
    o->count = COUNTS[next(shared) % 6];
    o->in_place = next(shared) % 3 == 0;
    o->large = next(shared) % 2;
    o->send_stride = next(shared) % 2 + 1;
    o->receive_stride = kind >= REDUCE || o->in_place ? o->send_stride : (int)next(shared) % 2 + 1;
    o->send = room(width(o));
    o->receive = room(width(o));
    o->counts = calloc(size * 2, sizeof(int));
    o->places = calloc(size * 2, sizeof(int));
    o->bytes = calloc(size * 2, sizeof(int));
    o->large_counts = calloc(size * 2, sizeof(MPI_Count));
    o->large_places = calloc(size * 2, sizeof(MPI_Aint));
    o->large_bytes = calloc(size * 2, sizeof(MPI_Aint));
    o->types = calloc(size * 2, sizeof(MPI_Datatype));
    o->request = MPI_REQUEST_NULL;
    return o;
}

static void drop(struct operation *o)
{
    free(o->send), free(o->receive), free(o->counts), free(o->places), free(o->bytes);
    free(o->large_counts), free(o->large_places), free(o->large_bytes), free(o->types), free(o);
}

static void put(long long *to, int stride, int place, const struct operation *o, int first, int n)
{
    for (int i = 0; i < n; i++)
        to[(place + i) * stride] = datum(o, rank, first + i);
}

/* Fills the buffers of a round: what is sent, and in place what is replaced. */
static void fill(struct operation *o, int round)
{
    int n = 2 * (width(o) + 1), at = 0;
    o->round = round;
    for (int i = 0; i < n; i++)
        o->send[i] = o->receive[i] = GAP;
    long long *from = o->in_place ? o->receive : o->send;
    int stride = o->in_place ? o->receive_stride : o->send_stride;
    switch (o->kind) {
    case BARRIER: break;
    case BCAST: if (rank == o->root) put(o->receive, o->receive_stride, 0, o, 0, o->count); break;
    case GATHER:
        if (o->in_place && rank == o->root)
            put(o->receive, stride, rank * o->count, o, 0, o->count);
        else
            put(o->send, o->send_stride, 0, o, 0, o->count);
        break;
    case GATHERV: case ALLGATHERV:
        list(o, o->receive_stride, 0);
        if (o->in_place && (rank == o->root || o->kind == ALLGATHERV))
            put(o->receive, stride, o->places[rank], o, 0, o->counts[rank]);
        else
            put(o->send, o->send_stride, 0, o, 0, o->counts[rank]);
        break;
    case SCATTER: put(o->send, o->send_stride, 0, o, 0, size * o->count); break;
    case SCATTERV:
        list(o, o->send_stride, 0);
        for (int i = 0; i < size; at += o->counts[i++])
            put(o->send, o->send_stride, o->places[i], o, at, o->counts[i]);
        break;
    case ALLGATHER:
        put(from, stride, o->in_place ? rank * o->count : 0, o, 0, o->count);
        break;
    case ALLTOALL: put(from, stride, 0, o, 0, size * o->count); break;
    case ALLTOALLV: case ALLTOALLW:
        /* Blocks to receive are listed after blocks to send. */
        list(o, stride, 1);
        for (int i = 0; i < size; at += o->counts[i++])
            put(from, stride, o->places[i], o, at, o->counts[i]);
        memcpy(o->counts + size, o->counts, size * sizeof(int));
        memcpy(o->places + size, o->places, size * sizeof(int));
        memcpy(o->bytes + size, o->bytes, size * sizeof(int));
        memcpy(o->large_counts + size, o->large_counts, size * sizeof(MPI_Count));
        memcpy(o->large_places + size, o->large_places, size * sizeof(MPI_Aint));
        memcpy(o->large_bytes + size, o->large_bytes, size * sizeof(MPI_Aint));
        memcpy(o->types + size, o->types, size * sizeof(MPI_Datatype));
        list(o, o->receive_stride, 0);
        break;
    case REDUCE:
        if (o->in_place && rank == o->root)
            put(o->receive, stride, 0, o, 0, o->count);
        else
            put(o->send, o->send_stride, 0, o, 0, o->count);
        break;
    case REDUCE_SCATTER: case REDUCE_SCATTER_BLOCK:
        for (int i = 0; i < size; i++)
            o->large_counts[i] = o->counts[i] = reduced(o, i);
        put(from, stride, 0, o, 0, sum(o, size));
        break;
    case ALLREDUCE: case SCAN: case EXSCAN: put(from, stride, 0, o, 0, o->count); break;
    }
}

/* Starts an operation, or describes it. */
#define FORM(small, Small, ...)                                                                   \
    OK(form == NONBLOCKING                                                                        \
           ? (o->large ? MPI_I##small##_c(__VA_ARGS__, comm, &o->request)                         \
                       : MPI_I##small(__VA_ARGS__, comm, &o->request))                            \
           : (o->large ? MPI_##Small##_init_c(__VA_ARGS__, comm, MPI_INFO_NULL, &o->request)      \
                       : MPI_##Small##_init(__VA_ARGS__, comm, MPI_INFO_NULL, &o->request)));     \
    break
#define LISTED(small, Small, few, many)                                                           \
    OK(form == NONBLOCKING                                                                        \
           ? (o->large ? MPI_I##small##_c(many, comm, &o->request)                                \
                       : MPI_I##small(few, comm, &o->request))                                    \
           : (o->large ? MPI_##Small##_init_c(many, comm, MPI_INFO_NULL, &o->request)             \
                       : MPI_##Small##_init(few, comm, MPI_INFO_NULL, &o->request)));             \
    break
#define ARGUMENTS(...) __VA_ARGS__

static void call(struct operation *o, enum form form)
{
    MPI_Datatype s = strided[o->send_stride], r = strided[o->receive_stride];
    int at_root = rank == o->root, n = o->count;
    const void *send = o->in_place ? MPI_IN_PLACE : o->send;
    const void *send_of_root = o->in_place && at_root ? MPI_IN_PLACE : o->send;
    void *receive_of_root = o->in_place && at_root ? MPI_IN_PLACE : o->receive;
    switch (o->kind) {
    case BARRIER:
        OK(form == NONBLOCKING ? MPI_Ibarrier(comm, &o->request)
                               : MPI_Barrier_init(comm, MPI_INFO_NULL, &o->request));
        break;
    case BCAST: FORM(bcast, Bcast, o->receive, n, r, o->root);
    case GATHER: FORM(gather, Gather, send_of_root, n, s, o->receive, n, r, o->root);
    case GATHERV:
        LISTED(gatherv, Gatherv,
               ARGUMENTS(send_of_root, o->counts[rank], s, o->receive, o->counts, o->places, r,
                         o->root),
               ARGUMENTS(send_of_root, o->counts[rank], s, o->receive, o->large_counts,
                         o->large_places, r, o->root));
    case SCATTER: FORM(scatter, Scatter, o->send, n, s, receive_of_root, n, r, o->root);
    case SCATTERV:
        LISTED(scatterv, Scatterv,
               ARGUMENTS(o->send, o->counts, o->places, s, receive_of_root, o->counts[rank], r,
                         o->root),
               ARGUMENTS(o->send, o->large_counts, o->large_places, s, receive_of_root,
                         o->counts[rank], r, o->root));
    case ALLGATHER: FORM(allgather, Allgather, send, n, s, o->receive, n, r);
    case ALLGATHERV:
        LISTED(allgatherv, Allgatherv,
               ARGUMENTS(send, o->counts[rank], s, o->receive, o->counts, o->places, r),
               ARGUMENTS(send, o->counts[rank], s, o->receive, o->large_counts, o->large_places,
                         r));
    case ALLTOALL: FORM(alltoall, Alltoall, send, n, s, o->receive, n, r);
    case ALLTOALLV:
        LISTED(alltoallv, Alltoallv,
               ARGUMENTS(send, o->counts + size, o->places + size, s, o->receive, o->counts,
                         o->places, r),
               ARGUMENTS(send, o->large_counts + size, o->large_places + size, s, o->receive,
                         o->large_counts, o->large_places, r));
    case ALLTOALLW:
        LISTED(alltoallw, Alltoallw,
               ARGUMENTS(send, o->counts + size, o->bytes + size, o->types + size, o->receive,
                         o->counts, o->bytes, o->types),
               ARGUMENTS(send, o->large_counts + size, o->large_bytes + size, o->types + size,
                         o->receive, o->large_counts, o->large_bytes, o->types));
    case REDUCE: FORM(reduce, Reduce, send_of_root, o->receive, n, s, append, o->root);
    case ALLREDUCE: FORM(allreduce, Allreduce, send, o->receive, n, s, append);
    case REDUCE_SCATTER:
        LISTED(reduce_scatter, Reduce_scatter,
               ARGUMENTS(send, o->receive, o->counts, s, append),
               ARGUMENTS(send, o->receive, o->large_counts, s, append));
    case REDUCE_SCATTER_BLOCK:
        FORM(reduce_scatter_block, Reduce_scatter_block, send, o->receive, n, s, append);
    case SCAN: FORM(scan, Scan, send, o->receive, n, s, append);
    case EXSCAN: FORM(exscan, Exscan, send, o->receive, n, s, append);
    }
}

/* The elements at a place of the result are those of a process. */
static void has(const struct operation *o, int place, int from, int first, int n)
{
    for (int i = 0; i < n; i++)
        CHECK(o->receive[(place + i) * o->receive_stride] == datum(o, from, first + i));
}

/* The first elements of the result are combined ones. */
static void is_combined(const struct operation *o, int first, int last, int offset, int n)
{
    for (int i = 0; i < n; i++)
        CHECK(o->receive[i * o->receive_stride] == combined(o, first, last, offset + i));
}

/* Checks the result of an operation that is complete. */
static void verify(const struct operation *o)
{
    int at_root = rank == o->root;
    switch (o->kind) {
    case BARRIER: break;
    case BCAST: has(o, 0, o->root, 0, o->count); break;
    case GATHER: case ALLGATHER:
        for (int i = 0; (at_root || o->kind == ALLGATHER) && i < size; i++)
            has(o, i * o->count, i, 0, o->count);
        break;
    case GATHERV: case ALLGATHERV:
        for (int i = 0; (at_root || o->kind == ALLGATHERV) && i < size; i++) {
            has(o, o->places[i], i, 0, o->counts[i]);
            CHECK(o->receive[(o->places[i] - 1) * o->receive_stride] == GAP);
        }
        break;
    case SCATTER:
        if (!(o->in_place && at_root))
            has(o, 0, o->root, rank * o->count, o->count);
        break;
    case SCATTERV: {
        int at = 0;
        for (int i = 0; i < rank; i++)
            at += o->counts[i];
        if (!(o->in_place && at_root))
            has(o, 0, o->root, at, o->counts[rank]);
        break;
    }
    case ALLTOALL:
        for (int i = 0; i < size; i++)
            has(o, i * o->count, i, rank * o->count, o->count);
        break;
    case ALLTOALLV: case ALLTOALLW:
        for (int i = 0; i < size; i++) {
            int at = 0;
            for (int to = 0; to < rank; to++)
                at += between(o, i, to);
            has(o, o->places[i], i, at, o->counts[i]);
            CHECK(o->receive[(o->places[i] - 1) * o->receive_stride] == GAP);
        }
        break;
    case REDUCE: is_combined(o, 0, size - 1, 0, at_root ? o->count : 0); break;
    case ALLREDUCE: is_combined(o, 0, size - 1, 0, o->count); break;
    case REDUCE_SCATTER: case REDUCE_SCATTER_BLOCK:
        is_combined(o, 0, size - 1, sum(o, rank), reduced(o, rank));
        break;
    case SCAN: is_combined(o, 0, rank, 0, o->count); break;
    case EXSCAN: is_combined(o, 0, rank - 1, 0, rank ? o->count : 0); break;
    }
    for (int i = 0; o->receive_stride == 2 && i < width(o); i++)
        CHECK(o->receive[2 * i + 1] == GAP);
}
