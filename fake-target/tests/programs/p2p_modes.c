/* Every mode, blocking and not, in every size, from each rank to the next one and, with one rank,
 * to itself. */
#include "p2p.h"

static unsigned char *out, *in;

typedef int blocking(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int nonblocking(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static void check_received(MPI_Status *status, int bytes, int source, int tag, unsigned seed)
{
    int count;
    MPI_Get_count(status, MPI_BYTE, &count);
    CHECK_EQUAL(count, bytes);
    CHECK_EQUAL(status->MPI_SOURCE, source);
    CHECK_EQUAL(status->MPI_TAG, tag);
    CHECK(is_filled(in, bytes, seed));
    CHECK_EQUAL(in[bytes], 0xee);
}

static void both(blocking *send, nonblocking *isend, int bytes, int tag)
{
    MPI_Request request;
    MPI_Status status;

    /* Receive posted first, then a blocking send. */
    fill(out, bytes, rank + tag);
    memset(in, 0xee, bytes + 1);
    MPI_Irecv(in, bytes, MPI_BYTE, PREVIOUS, tag, MPI_COMM_WORLD, &request);
    /* A ready send needs the receive to be there. */
    MPI_Sendrecv(NULL, 0, MPI_BYTE, PREVIOUS, 99, NULL, 0, MPI_BYTE, NEXT, 99, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    send(out, bytes, MPI_BYTE, NEXT, tag,
         MPI_COMM_WORLD); /* a synchronous send to itself has its receive */
    memset(out, 0, bytes);
    MPI_Wait(&request, &status);
    CHECK(request == MPI_REQUEST_NULL);
    check_received(&status, bytes, PREVIOUS, tag, PREVIOUS + tag);

    /* A nonblocking send first, then the receive (not for ready sends). */
    if (isend == MPI_Irsend)
        return;
    fill(out, bytes, rank + tag + 1);
    memset(in, 0xee, bytes + 1);
    isend(out, bytes, MPI_BYTE, NEXT, tag, MPI_COMM_WORLD, &request);
    MPI_Recv(in, bytes + 1, MPI_BYTE, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_received(&status, bytes, PREVIOUS, tag, PREVIOUS + tag + 1);
}

int main(void)
{
    begin();
    out = malloc(LARGEST + 1);
    in = malloc(LARGEST + 1);
    int space = 2 * (LARGEST + MPI_BSEND_OVERHEAD);
    void *buffer = malloc(space);
    MPI_Buffer_attach(buffer, space);
    for (int i = 0; i < SIZES; i++) {
        both(MPI_Send, MPI_Isend, sizes[i], 1);
        both(MPI_Ssend, MPI_Issend, sizes[i], 2);
        both(MPI_Rsend, MPI_Irsend, sizes[i], 3);
        both(MPI_Bsend, MPI_Ibsend, sizes[i], 4);
    }
    void *detached;
    int detached_size;
    MPI_Buffer_detach(&detached, &detached_size);
    CHECK(detached == buffer);
    CHECK_EQUAL(detached_size, space);
    free(buffer);
    free(out);
    free(in);
    return end();
}
