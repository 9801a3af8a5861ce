/* The attached buffer: its accounting, its errors, and messages that outlive their call. */
#include "p2p.h"

int main(void)
{
    begin();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    enum {
        BYTES = 50000,
        MESSAGES = 4
    };
    static unsigned char data[BYTES], in[BYTES];
    MPI_Request request;

    CHECK_EQUAL(MPI_Bsend(data, 10, MPI_BYTE, NEXT, 1, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    int space = MESSAGES * (BYTES + MPI_BSEND_OVERHEAD), attached;
    void *buffer = malloc(space), *detached;
    MPI_Buffer_attach(buffer, space);
    CHECK_EQUAL(MPI_Buffer_attach(buffer, space), MPI_ERR_BUFFER);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < MESSAGES; i++) {
            fill(data, BYTES, rank + i);
            if (i % 2)
                MPI_Bsend(data, BYTES, MPI_BYTE, NEXT, i, MPI_COMM_WORLD);
            else {
                MPI_Ibsend(data, BYTES, MPI_BYTE, NEXT, i, MPI_COMM_WORLD, &request);
                MPI_Wait(&request,
                         MPI_STATUS_IGNORE); /* complete at once: the data are in the buffer */
                CHECK(request == MPI_REQUEST_NULL);
            }
            memset(data, 0, BYTES);
        }
        CHECK_EQUAL(MPI_Bsend(data, 1, MPI_BYTE, NEXT, 9, MPI_COMM_WORLD), MPI_ERR_BUFFER);
        for (int i = MESSAGES - 1; i >= 0; i--) {
            MPI_Recv(in, BYTES, MPI_BYTE, PREVIOUS, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK(is_filled(in, BYTES, PREVIOUS + i));
        }
        MPI_Buffer_flush();
    }

    /* A flush is about the messages that are in the buffer when it is called, not about later
       ones: the second message is not received before the flush is over. */
    for (int i = 0; i < 2; i++) {
        fill(data, BYTES, rank + i);
        MPI_Bsend(data, BYTES, MPI_BYTE, NEXT, i, MPI_COMM_WORLD);
        if (i == 0)
            MPI_Buffer_iflush(&request);
    }
    for (int i = 0; i < 2; i++) {
        MPI_Recv(in, BYTES, MPI_BYTE, PREVIOUS, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(is_filled(in, BYTES, PREVIOUS + i));
        if (i == 0)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Buffer_detach(&detached, &attached);
    CHECK(detached == buffer);
    CHECK_EQUAL(attached, space);
    free(buffer);

    MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
    for (int i = 0; i < MESSAGES; i++) {
        fill(data, BYTES, rank + i);
        MPI_Bsend(data, BYTES, MPI_BYTE, NEXT, i, MPI_COMM_WORLD);
    }
    for (int i = 0; i < MESSAGES; i++) {
        MPI_Recv(in, BYTES, MPI_BYTE, PREVIOUS, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(is_filled(in, BYTES, PREVIOUS + i));
    }
    MPI_Buffer_detach(&detached, &attached);
    CHECK(detached == MPI_BUFFER_AUTOMATIC);

    /* Finalize delivers what is still in the buffer. */
    buffer = malloc(space);
    MPI_Comm_attach_buffer(MPI_COMM_WORLD, buffer, space);
    fill(data, BYTES, rank);
    MPI_Bsend(data, BYTES, MPI_BYTE, NEXT, 11, MPI_COMM_WORLD);
    memset(data, 0, BYTES);
    if (rank % 2 == 0 || size == 1) {
        MPI_Recv(in, BYTES, MPI_BYTE, PREVIOUS, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(is_filled(in, BYTES, PREVIOUS));
    } else {
        MPI_Irecv(in, BYTES, MPI_BYTE, PREVIOUS, 11, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(is_filled(in, BYTES, PREVIOUS));
    }
    return end();
}
