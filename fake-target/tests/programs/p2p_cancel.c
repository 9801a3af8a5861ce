/* Cancelling receives, and sends that nothing has matched. */
#include "p2p.h"

int main(void)
{
    begin();
    static unsigned char data[100000], in[100000];
    MPI_Request request;
    MPI_Status status;
    int cancelled, flag;

    MPI_Irecv(in, 10, MPI_BYTE, PREVIOUS, 1, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(cancelled && request == MPI_REQUEST_NULL);

    /* The message goes to the receive that is left. */
    MPI_Request first, second;
    MPI_Irecv(in, 10, MPI_BYTE, PREVIOUS, 2, MPI_COMM_WORLD, &first);
    MPI_Irecv(in, 10, MPI_BYTE, PREVIOUS, 2, MPI_COMM_WORLD, &second);
    MPI_Cancel(&first);
    fill(data, 10, rank);
    MPI_Send(data, 10, MPI_BYTE, NEXT, 2, MPI_COMM_WORLD);
    MPI_Wait(&second, &status);
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(!cancelled && is_filled(in, 10, PREVIOUS));
    MPI_Wait(&first, &status);
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(cancelled);

    /* Too late for a receive that has its message. */
    MPI_Irecv(in, 10, MPI_BYTE, PREVIOUS, 3, MPI_COMM_WORLD, &request);
    MPI_Send(data, 10, MPI_BYTE, NEXT, 3, MPI_COMM_WORLD);
    do
        MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    while (!flag);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(!cancelled);

    /* Either a send is cancelled and its message never comes, or it arrives. */
    for (int way = 0; way < 2; way++) {
        if (way == 0)
            MPI_Issend(data, 10, MPI_BYTE, NEXT, 4, MPI_COMM_WORLD, &request);
        else
            MPI_Isend(data, sizeof data, MPI_BYTE, NEXT, 4, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &cancelled);
        CHECK(cancelled); /* no receive for this tag was posted before */
        int theirs;
        MPI_Sendrecv(&cancelled, 1, MPI_INT, NEXT, 5, &theirs, 1, MPI_INT, PREVIOUS, 5,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(theirs);
        MPI_Iprobe(PREVIOUS, 4, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        CHECK(!flag);
        MPI_Barrier(MPI_COMM_WORLD); /* the next message is not sent before */
    }

    /* A persistent receive that was cancelled can be started again. */
    MPI_Recv_init(in, 10, MPI_BYTE, PREVIOUS, 6, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(cancelled);
    MPI_Sendrecv(NULL, 0, MPI_BYTE, PREVIOUS, 7, NULL, 0, MPI_BYTE, NEXT, 7, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Start(&request);
    MPI_Send(data, 10, MPI_BYTE, NEXT, 6, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(!cancelled);
    MPI_Request_free(&request);
    return end();
}
