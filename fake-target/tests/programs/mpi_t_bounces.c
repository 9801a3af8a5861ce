/*
 * Data of collective operations that travel through bounce buffers: they arrive whole, their sender
 * does not wait, a buffer is free again when all receivers have read it or have refused the call,
 * and without a free buffer the data take another way. From 3 ranks.
 */
#include "mpi_t.h"

#include <unistd.h>

enum { BUFFERS = 4, LARGEST = 128 << 10, ROOM = LARGEST + 4096 };

static int rank, size;
static MPI_T_pvar_session session;
static MPI_T_pvar_handle bounces;
static unsigned char own[ROOM], theirs[16 * ROOM];

/* What a rank sends as the byte at an index of a round. */
static unsigned char value(int of, int round, int index)
{
    return (unsigned char)(of * 31 + round * 7 + index % 253);
}

static void fill(int round, int bytes)
{
    for (int i = 0; i < bytes; i++)
        own[i] = value(rank, round, i);
}

static void compare(const unsigned char *data, int of, int round, int bytes)
{
    for (int i = 0; i < bytes; i++)
        CHECK(data[i] == value(of, round, i));
}

static unsigned long counted(void)
{
    return value_of(session, bounces);
}

/* Sizes at the borders, at addresses of any alignment. The buffers change between the calls. */
static void data_arrive(void)
{
    const int sizes[] = {8192, 8193, 32768, 32769, 65535, LARGEST, LARGEST + 1};
    for (int round = 0; round < 3 * 7; round++) {
        const int bytes = sizes[round % 7], root = round % size, shift = 17 * round;
        unsigned char *into = theirs + shift;
        fill(round, bytes);
        if (rank == root)
            memcpy(into, own, bytes);
        OK(MPI_Bcast(into, bytes, MPI_BYTE, root, MPI_COMM_WORLD));
        compare(into, root, round, bytes);
        OK(MPI_Gather(own, bytes, MPI_BYTE, theirs, bytes, MPI_BYTE, root, MPI_COMM_WORLD));
        for (int of = 0; rank == root && of < size; of++)
            compare(theirs + of * bytes, of, round, bytes);
        OK(MPI_Allgather(own, bytes, MPI_BYTE, theirs, bytes, MPI_BYTE, MPI_COMM_WORLD));
        for (int of = 0; of < size; of++)
            compare(theirs + of * bytes, of, round, bytes);
        MPI_Request request;
        OK(MPI_Ireduce(own, into, bytes, MPI_BYTE, MPI_BXOR, root, MPI_COMM_WORLD, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        for (int i = 0; rank == root && i < bytes; i++) {
            unsigned char expected = 0;
            for (int of = 0; of < size; of++)
                expected ^= value(of, round, i);
            CHECK(into[i] == expected);
        }
    }
}

/* Every second byte of a vector: the data are packed into the buffer. */
static void irregular_data_arrive(void)
{
    enum { COUNT = 30000 };
    MPI_Datatype second;
    OK(MPI_Type_vector(COUNT, 1, 2, MPI_BYTE, &second));
    OK(MPI_Type_commit(&second));
    fill(1, 2 * COUNT);
    OK(MPI_Bcast(own, 1, second, 0, MPI_COMM_WORLD));
    for (int i = 0; i < 2 * COUNT; i++)
        CHECK(own[i] == value(i % 2 ? rank : 0, 1, i));
    OK(MPI_Type_free(&second));
}

/* Rank 0 starts broadcasts while all others wait for a message that it sends later. */
static void the_sender_does_not_wait(void)
{
    int go = 1;
    MPI_Request request;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    const unsigned long before = counted();
    if (rank == 0) {
        for (int round = 0; round < BUFFERS; round++) {
            fill(round, LARGEST);
            OK(MPI_Bcast(own, LARGEST, MPI_BYTE, 0, MPI_COMM_WORLD));
        }
        CHECK(counted() == before + BUFFERS);
        /* All buffers are in use. */
        fill(BUFFERS, LARGEST);
        OK(MPI_Ibcast(own, LARGEST, MPI_BYTE, 0, MPI_COMM_WORLD, &request));
        CHECK(counted() == before + BUFFERS);
        for (int other = 1; other < size; other++)
            OK(MPI_Send(&go, 1, MPI_INT, other, 0, MPI_COMM_WORLD));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else {
        OK(MPI_Recv(&go, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int round = 0; round < BUFFERS; round++) {
            OK(MPI_Bcast(theirs, LARGEST, MPI_BYTE, 0, MPI_COMM_WORLD));
            compare(theirs, 0, round, LARGEST);
        }
        OK(MPI_Ibcast(theirs, LARGEST, MPI_BYTE, 0, MPI_COMM_WORLD, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        compare(theirs, 0, BUFFERS, LARGEST);
    }
}

/* What rank 0 sends in calls that all others refuse does not stay in its buffers. */
static void refused_data_are_dropped(void)
{
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    const unsigned long before = counted();
    for (int round = 0; round < 3 * BUFFERS; round++) {
        if (rank == 0)
            OK(MPI_Bcast(own, LARGEST, MPI_BYTE, 0, MPI_COMM_WORLD));
        else
            FAILS(MPI_ERR_COUNT, MPI_Bcast(own, -1, MPI_BYTE, 0, MPI_COMM_WORLD));
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    if (rank == 0)
        CHECK(counted() == before + 3 * BUFFERS);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
}

/* The sizes can be chosen. */
static void sizes_are_steered(void)
{
    MPI_T_cvar_handle sizes = cvar("MQDRT_CVAR_BOUNCE_SIZES");
    int usual[2], range[2] = {20000, 30000};
    OK(MPI_T_cvar_read(sizes, usual));
    for (int off = 0; off < 2; off++) {
        OK(MPI_T_cvar_write(sizes, range));
        OK(MPI_Barrier(MPI_COMM_WORLD));
        unsigned long before = counted();
        OK(MPI_Bcast(own, 19999, MPI_BYTE, 0, MPI_COMM_WORLD));
        CHECK(counted() == before);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_Bcast(own, 20000, MPI_BYTE, 0, MPI_COMM_WORLD));
        if (rank == 0)
            CHECK(counted() == before + !off);
        range[0] = range[1] = 0;
    }
    OK(MPI_T_cvar_write(sizes, usual));
    OK(MPI_T_cvar_handle_free(&sizes));
}

int main(int argc, char **argv)
{
    int provided;
    /* If no buffer were free, rank 0 would wait for ranks that wait for it. */
    alarm(100);
    OK(MPI_Init(&argc, &argv));
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    OK(MPI_T_pvar_session_create(&session));
    bounces = pvar(session, "bounces", MPI_T_PVAR_CLASS_COUNTER, NULL);
    OK(MPI_T_pvar_start(session, bounces));
    data_arrive();
    irregular_data_arrive();
    the_sender_does_not_wait();
    refused_data_are_dropped();
    sizes_are_steered();
    OK(MPI_T_pvar_session_free(&session));
    OK(MPI_T_finalize());
    PASS();
}
