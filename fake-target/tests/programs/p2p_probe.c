/* Probes: blocking and not, matched and not. */
#include "p2p.h"

int main(void)
{
    begin();
    unsigned char *out = malloc(LARGEST), *in = malloc(LARGEST);
    MPI_Status status;
    MPI_Request request, receive;
    MPI_Message message;
    int count, flag;

    MPI_Iprobe(MPI_ANY_SOURCE, 12345, MPI_COMM_WORLD, &flag, &status);
    CHECK(!flag);
    MPI_Improbe(MPI_ANY_SOURCE, 12345, MPI_COMM_WORLD, &flag, &message, &status);
    CHECK(!flag);
    for (int i = 0; i < SIZES; i++) {
        for (int way = 0; way < 4; way++) {
            int tag = 4 * i + way; /* a neighbour may be ahead */
            fill(out, sizes[i], rank + way);
            MPI_Isend(out, sizes[i], MPI_BYTE, NEXT, tag, MPI_COMM_WORLD, &request);
            switch (way) {
            case 0:
                MPI_Probe(PREVIOUS, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
                break;
            case 1:
                do
                    MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &flag, &status);
                while (!flag);
                break;
            case 2:
                MPI_Mprobe(PREVIOUS, tag, MPI_COMM_WORLD, &message, &status);
                break;
            case 3:
                do
                    MPI_Improbe(PREVIOUS, tag, MPI_COMM_WORLD, &flag, &message, &status);
                while (!flag);
                break;
            }
            MPI_Get_count(&status, MPI_BYTE, &count);
            CHECK_EQUAL(count, sizes[i]);
            CHECK_EQUAL(status.MPI_SOURCE, PREVIOUS);
            CHECK_EQUAL(status.MPI_TAG, tag);
            if (way >= 2) { /* no other receive gets it now */
                MPI_Iprobe(PREVIOUS, tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
                CHECK(!flag);
            }
            switch (way) {
            case 0:
            case 1:
                MPI_Recv(in, count, MPI_BYTE, PREVIOUS, tag, MPI_COMM_WORLD, &status);
                break;
            case 2:
                MPI_Mrecv(in, count, MPI_BYTE, &message, &status);
                break;
            case 3:
                MPI_Imrecv(in, count, MPI_BYTE, &message, &receive);
                MPI_Wait(&receive, &status);
                break;
            }
            if (way >= 2)
                CHECK(message == MPI_MESSAGE_NULL);
            CHECK_EQUAL(status.MPI_TAG, tag);
            CHECK(is_filled(in, sizes[i], PREVIOUS + way));
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &message, &status);
    CHECK(message == MPI_MESSAGE_NO_PROC);
    CHECK_EQUAL(status.MPI_SOURCE, MPI_PROC_NULL);
    MPI_Mrecv(in, 1, MPI_BYTE, &message, &status);
    CHECK(message == MPI_MESSAGE_NULL);
    CHECK_EQUAL(status.MPI_SOURCE, MPI_PROC_NULL);
    return end();
}
