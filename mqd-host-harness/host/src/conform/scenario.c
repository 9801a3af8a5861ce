/*
 * scenario.c - a job in a known state, for `mqd conform`: does a debug DLL show what is in its
 * message queues?
 *
 * Compile it with the mpicc of the MPI library, and run it with 3 ranks:
 *
 *   mpicc -g scenario.c -o scenario
 *   mpiexec -n 3 ./scenario
 *
 * Rank 0 prints "ready" when every operation is in its place. Then nothing changes any more. The
 * program is single-threaded and needs MPI 2.
 *
 * Public domain: use it as you like.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    MAGIC_AT, VERSION_AT, READY_AT, RANK_AT, SIZE_AT,
    /* The buffers of the operations, in the order in which they are below. */
    BUFFERS_AT
};

/* What mqd reads before it looks at the queues: who this is, and where its buffers are. */
long long mqd_conform_scenario[BUFFERS_AT + 16];

#define ANY MPI_ANY_SOURCE

enum { LARGE = 4 << 20 };

static MPI_Comm world, copy, reversed, pair, control;
static MPI_Request unused;

/* A buffer for an operation. Its address is told. */
static void *buffer(int place, int bytes)
{
    void *start = calloc(1, bytes ? bytes : 1);
    mqd_conform_scenario[BUFFERS_AT + place] = (long long)(size_t)start;
    return start;
}

static MPI_Comm split(int color, int key, char *name)
{
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, color, key, &comm);
    if (comm != MPI_COMM_NULL)
        MPI_Comm_set_name(comm, name);
    return comm;
}

static void receive(int place, int bytes, int source, int tag, MPI_Comm comm)
{
    MPI_Request request;
    MPI_Irecv(buffer(place, bytes), bytes, MPI_BYTE, source, tag, comm, &request);
}

static void send_synchronous(int place, int bytes, int to, int tag, MPI_Comm comm)
{
    MPI_Request request;
    MPI_Issend(buffer(place, bytes), bytes, MPI_BYTE, to, tag, comm, &request);
}

static void send(int bytes, int to, int tag, MPI_Comm comm)
{
    static char data[64];
    MPI_Send(data, bytes, MPI_BYTE, to, tag, comm);
}

/* Returns when the message has arrived. It stays where it is. */
static void has_arrived(int source, int tag, MPI_Comm comm)
{
    MPI_Probe(source, tag, comm, MPI_STATUS_IGNORE);
}

/* Returns when the operation is complete. It is not finished by MPI_Wait. */
static void is_complete(MPI_Request request)
{
    int flag = 0;
    while (!flag)
        MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
}

static void rank_0(void)
{
    MPI_Request complete;
    receive(0, 40, 1, 11, world);
    receive(1, 24, ANY, 12, world);
    receive(2, 100, 2, MPI_ANY_TAG, world);
    receive(3, 7, ANY, MPI_ANY_TAG, copy);
    receive(4, 16, 2, 15, copy);
    receive(5, 12, 0, 16, reversed);
    /* Not started: these are no operations. */
    MPI_Send_init(buffer(6, 72), 72, MPI_BYTE, 1, 61, world, &unused);
    MPI_Recv_init(buffer(7, 80), 80, MPI_BYTE, 1, 62, world, &unused);
    MPI_Barrier(control);
    send_synchronous(8, 48, 1, 41, world);
    send_synchronous(9, 56, 2, 42, copy);
    send_synchronous(10, 64, 1, 43, reversed);
    MPI_Issend(buffer(11, 8), 8, MPI_BYTE, 1, 51, copy, &complete);
    has_arrived(1, 31, reversed);
    has_arrived(1, 32, reversed);
    has_arrived(0, 33, reversed);
    has_arrived(0, 35, reversed);
    is_complete(complete);
    MPI_Barrier(control);
    /* Rank 1 is in MPI_Ssend then. */
    has_arrived(1, 34, reversed);
}

static void rank_1(void)
{
    MPI_Request complete;
    MPI_Irecv(buffer(0, 88), 88, MPI_BYTE, 0, 51, copy, &complete);
    receive(1, 44, 1, 17, pair);
    MPI_Barrier(control);
    send(36, 2, 31, reversed);
    send(0, 2, 32, reversed);
    has_arrived(0, 41, world);
    has_arrived(2, 43, reversed);
    has_arrived(1, 44, pair);
    is_complete(complete);
    MPI_Barrier(control);
    mqd_conform_scenario[READY_AT] = 1;
    /* It stays in here. */
    MPI_Ssend(buffer(2, 20), 20, MPI_BYTE, 2, 34, reversed);
}

static void rank_2(void)
{
    MPI_Request request;
    receive(0, 60, 0, 18, MPI_COMM_SELF);
    MPI_Barrier(control);
    send(28, 2, 33, reversed);
    MPI_Isend(buffer(1, LARGE), LARGE, MPI_BYTE, 2, 35, reversed, &request);
    send_synchronous(2, 52, 0, 44, pair);
    has_arrived(0, 42, copy);
    MPI_Barrier(control);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 3) {
        fprintf(stderr, "the scenario needs 3 ranks: mpiexec -n 3 %s\n", argv[0]);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    world = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_set_name(copy, "conform copy");
    MPI_Comm_dup(MPI_COMM_WORLD, &control);
    MPI_Comm_set_name(control, "conform control");
    reversed = split(0, -rank, "conform reversed");
    pair = split(rank > 0 ? 0 : MPI_UNDEFINED, rank, "conform pair");

    mqd_conform_scenario[MAGIC_AT] = 0x6d7164636f6e6631LL;
    mqd_conform_scenario[VERSION_AT] = 1;
    mqd_conform_scenario[RANK_AT] = rank;
    mqd_conform_scenario[SIZE_AT] = size;
    switch (rank) {
    case 0: rank_0(); break;
    case 1: rank_1(); break;
    default: rank_2();
    }
    mqd_conform_scenario[READY_AT] = 1;
    if (rank == 0) {
        printf("ready\n");
        fflush(stdout);
    }
    for (;;)
        pause();
}
