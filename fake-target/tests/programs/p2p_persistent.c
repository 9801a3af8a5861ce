/* Persistent requests of all modes, started many times, with changing data. */
#include "p2p.h"

enum {
    ROUNDS = 20
};

typedef int describe(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

int main(void)
{
    begin();
    describe *modes[] = {MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init, MPI_Rsend_init};
    int lengths[] = {0, 50, 9000, 200000};
    unsigned char *out = malloc(200000), *in = malloc(200000);
    int space = 4 * (200000 + MPI_BSEND_OVERHEAD);
    void *buffer = malloc(space);
    MPI_Buffer_attach(buffer, space);
    for (int mode = 0; mode < 4; mode++) {
        for (int l = 0; l < 4; l++) {
            MPI_Request requests[2];
            MPI_Status statuses[2];
            MPI_Recv_init(in, 200000, MPI_BYTE, PREVIOUS, 7, MPI_COMM_WORLD, &requests[0]);
            modes[mode](out, lengths[l], MPI_BYTE, NEXT, 7, MPI_COMM_WORLD, &requests[1]);
            /* Inactive: waiting is over at once, with the empty status. */
            MPI_Wait(&requests[0], &statuses[0]);
            CHECK(requests[0] != MPI_REQUEST_NULL);
            CHECK_EQUAL(statuses[0].MPI_SOURCE, MPI_ANY_SOURCE);
            for (int round = 0; round < ROUNDS; round++) {
                fill(out, lengths[l], rank + round);
                MPI_Start(&requests[0]);
                MPI_Sendrecv(NULL, 0, MPI_BYTE, PREVIOUS, 8, NULL, 0, MPI_BYTE, NEXT, 8,
                             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Startall(1, &requests[1]);
                MPI_Waitall(2, requests, statuses);
                int count;
                MPI_Get_count(&statuses[0], MPI_BYTE, &count);
                CHECK_EQUAL(count, lengths[l]);
                CHECK_EQUAL(statuses[0].MPI_SOURCE, PREVIOUS);
                CHECK(is_filled(in, count, PREVIOUS + round));
                CHECK(requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL);
            }
            MPI_Request_free(&requests[0]);
            MPI_Request_free(&requests[1]);
            CHECK(requests[0] == MPI_REQUEST_NULL);
        }
    }
    MPI_Request nobody;
    MPI_Status status;
    MPI_Recv_init(in, 5, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &nobody);
    MPI_Start(&nobody);
    MPI_Wait(&nobody, &status);
    CHECK_EQUAL(status.MPI_SOURCE, MPI_PROC_NULL);
    MPI_Request_free(&nobody);
    MPI_Buffer_detach(&buffer, &space);
    free(buffer);
    free(out);
    free(in);
    return end();
}
