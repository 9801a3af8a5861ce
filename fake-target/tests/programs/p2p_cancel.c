/* Cancelling receives, and sends that nothing has matched. */
#include "p2p.h"

enum {
    WAIT,
    TEST,
    SOME,
    ASK,
    FREE,
    ENDINGS
};

/* Ends a request in one of these ways; returns whether it was cancelled. FREE does not say. */
static int cancelled_by(MPI_Request *request, int ending)
{
    MPI_Status status, asked;
    int flag = 0, index, number, was, said = 0;
    switch (ending) {
    case WAIT:
        MPI_Wait(request, &status);
        break;
    case TEST:
        while (!flag)
            MPI_Test(request, &flag, &status);
        break;
    case SOME:
        MPI_Waitsome(1, request, &number, &index, &status);
        CHECK(number == 1 && index == 0);
        break;
    case ASK:
        while (!flag)
            MPI_Request_get_status(*request, &flag, &asked);
        MPI_Test_cancelled(&asked, &said);
        MPI_Wait(request, &status);
        break;
    default:
        MPI_Request_free(request);
        return -1;
    }
    CHECK(*request == MPI_REQUEST_NULL);
    MPI_Test_cancelled(&status, &was);
    CHECK(ending != ASK || was == said);
    return was;
}

/* Section 3.8.4: either a buffered send is cancelled and nothing of it arrives, or it arrives. In
 * both cases its room in the buffer becomes free. */
static void buffered(void)
{
    static const int LENGTHS[] = {0, 10, 9000, 100000};
    static unsigned char data[100000], in[100000], buffer[100000 + MPI_BSEND_OVERHEAD];
    MPI_Request request;
    MPI_Message message;
    MPI_Status status;
    void *attached;
    int mine, theirs, flag, bytes;
    for (int i = 0; i < 4; i++)
        for (int ending = 0; ending < ENDINGS; ending++) {
            int length = LENGTHS[i];
            fill(data, length, rank + ending);
            MPI_Buffer_attach(buffer, sizeof buffer);
            MPI_Ibsend(data, length, MPI_BYTE, NEXT, 8, MPI_COMM_WORLD, &request);
            MPI_Cancel(&request);
            mine = cancelled_by(&request, ending);
            MPI_Sendrecv(&mine, 1, MPI_INT, NEXT, 9, &theirs, 1, MPI_INT, PREVIOUS, 9,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (ending == FREE) {
                /* The answer to the cancellation is on its way, or the message there. */
                MPI_Barrier(MPI_COMM_WORLD);
                MPI_Iprobe(PREVIOUS, 8, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
                theirs = !flag;
            }
            if (theirs)
                MPI_Iprobe(PREVIOUS, 8, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            else {
                memset(in, 0, sizeof in);
                MPI_Recv(in, length, MPI_BYTE, PREVIOUS, 8, MPI_COMM_WORLD, &status);
                CHECK(is_filled(in, length, PREVIOUS + ending));
            }
            CHECK(!theirs || !flag);
            MPI_Buffer_detach(&attached, &bytes);
            CHECK(attached == buffer && bytes == sizeof buffer);
            MPI_Barrier(MPI_COMM_WORLD);
        }

    /* Too late, since a probe has matched the message. The send ends before it is received. */
    for (int ending = 0; ending < ENDINGS; ending++) {
        fill(data, sizeof data, rank);
        MPI_Buffer_attach(buffer, sizeof buffer);
        MPI_Ibsend(data, sizeof data, MPI_BYTE, NEXT, 8, MPI_COMM_WORLD, &request);
        MPI_Mprobe(PREVIOUS, 8, MPI_COMM_WORLD, &message, &status);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Cancel(&request);
        CHECK(cancelled_by(&request, ending) <= 0);
        memset(in, 0, sizeof in);
        MPI_Mrecv(in, sizeof in, MPI_BYTE, &message, &status);
        CHECK(is_filled(in, sizeof in, PREVIOUS));
        MPI_Buffer_detach(&attached, &bytes);
    }
}

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
    buffered();
    return end();
}
