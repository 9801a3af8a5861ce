/*
 * Sends in every way, keeping its own record, which it prints: "sent
 * SENDER,RECEIVER,MESSAGES,BYTES", ranks being those in MPI_COMM_WORLD. For message_matrix. Any
 * even number of processes.
 */
#include "check.h"

static int rank, size;
static long long *messages, *bytes;

static void record(int world, long long size_in_bytes)
{
    messages[world]++;
    bytes[world] += size_in_bytes;
}

int main(int argc, char **argv)
{
    enum {
        LENGTH = 100
    };
    static int in[LENGTH], out[LENGTH];
    static char attached[10000];
    MPI_Request requests[2];
    MPI_Comm turned, half, inter;
    int provided;
    OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    messages = calloc((size_t)size, sizeof *messages);
    bytes = calloc((size_t)size, sizeof *bytes);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;

    /* A blocking send and a receive, of each mode; requests wait on the other side. */
    OK(MPI_Buffer_attach(attached, sizeof attached));
#define BLOCKING(send, count)                                                    \
    OK(MPI_Irecv(in, LENGTH, MPI_INT, before, 1, MPI_COMM_WORLD, &requests[0])); \
    OK(MPI_Barrier(MPI_COMM_WORLD));                                             \
    OK(send(out, count, MPI_INT, next, 1, MPI_COMM_WORLD));                      \
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));                               \
    record(next, 4 * (count));
    BLOCKING(MPI_Send, 1)
    BLOCKING(MPI_Send_c, 2)
    BLOCKING(MPI_Bsend, 3)
    BLOCKING(MPI_Ssend, 4)
    BLOCKING(MPI_Rsend, 5)
    BLOCKING(MPI_Send, 0)
#define NONBLOCKING(send, count)                                                 \
    OK(MPI_Irecv(in, LENGTH, MPI_INT, before, 2, MPI_COMM_WORLD, &requests[0])); \
    OK(MPI_Barrier(MPI_COMM_WORLD));                                             \
    OK(send(out, count, MPI_INT, next, 2, MPI_COMM_WORLD, &requests[1]));        \
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));                           \
    record(next, 4 * (count));
    NONBLOCKING(MPI_Isend, 6)
    NONBLOCKING(MPI_Isend_c, 7)
    NONBLOCKING(MPI_Ibsend, 8)
    NONBLOCKING(MPI_Issend, 9)
    NONBLOCKING(MPI_Irsend, 10)

    /* Both ways at once, to the rank before. */
    OK(MPI_Sendrecv(out, 11, MPI_INT, before, 3, in, 11, MPI_INT, next, 3, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
    record(before, 44);
    OK(MPI_Sendrecv_replace(out, 12, MPI_INT, before, 3, next, 3, MPI_COMM_WORLD,
                            MPI_STATUS_IGNORE));
    record(before, 48);
    OK(MPI_Isendrecv(out, 13, MPI_INT, before, 3, in, 13, MPI_INT, next, 3, MPI_COMM_WORLD,
                     &requests[0]));
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    record(before, 52);

    /* A persistent send counts each time it is started, and not if it is never started. */
    MPI_Request send, other, receive;
    OK(MPI_Send_init(out, 20, MPI_INT, next, 4, MPI_COMM_WORLD, &send));
    OK(MPI_Ssend_init(out, 99, MPI_INT, next, 4, MPI_COMM_WORLD, &other));
    OK(MPI_Recv_init(in, 20, MPI_INT, before, 4, MPI_COMM_WORLD, &receive));
    for (int i = 0; i < 3; i++) {
        MPI_Request both[2] = {send, receive};
        if (i == 0) {
            OK(MPI_Start(&send));
            OK(MPI_Start(&receive));
        } else {
            OK(MPI_Startall(2, both));
        }
        OK(MPI_Waitall(2, both, MPI_STATUSES_IGNORE));
        record(next, 80);
    }
    OK(MPI_Request_free(&send));
    OK(MPI_Request_free(&other));
    OK(MPI_Request_free(&receive));

    /* Ranks of other communicators: turned round, and those of the other side. */
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned));
    int opposite = rank; /* in the turned order: rank size - 1 - rank of the world */
    OK(MPI_Sendrecv(out, 14, MPI_INT, opposite, 5, in, 14, MPI_INT, opposite, 5, turned,
                    MPI_STATUS_IGNORE));
    record(size - 1 - rank, 56);
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half));
    OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 6, &inter));
    OK(MPI_Sendrecv(out, 15, MPI_INT, rank / 2, 7, in, 15, MPI_INT, rank / 2, 7, inter,
                    MPI_STATUS_IGNORE));
    record(rank % 2 ? rank - 1 : rank + 1, 60);

    /* To nobody, and what collective operations do. */
    OK(MPI_Send(out, 50, MPI_INT, MPI_PROC_NULL, 8, MPI_COMM_WORLD));
    OK(MPI_Allreduce(out, in, 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    int length;
    void *buffer;
    OK(MPI_Buffer_detach(&buffer, &length));

    for (int i = 0; i < size; i++)
        if (messages[i])
            printf("sent %d,%d,%lld,%lld\n", rank, i, messages[i], bytes[i]);
    fflush(stdout);
    OK(MPI_Comm_free(&inter));
    OK(MPI_Comm_free(&half));
    OK(MPI_Comm_free(&turned));
    OK(MPI_Finalize());
    return 0;
}
