/* Bad arguments give the right error class, and messages that are too long give an error only to
 * their receiver. */
#include "p2p.h"

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

#define CHECK_CLASS(call, class) CHECK_EQUAL(class_of(call), class)

static MPI_Comm complained;

static void complain(MPI_Comm *comm, int *code, ...)
{
    (void)code;
    complained = *comm;
}

/* The errors of a start go to the handler of the request's communicator. */
static void starting(void)
{
    int value = 1;
    MPI_Comm comm;
    MPI_Errhandler handler;
    MPI_Request request;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(complain, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    MPI_Bsend_init(&value, 1, MPI_INT, NEXT, 0, comm, &request);
    complained = MPI_COMM_NULL;
    CHECK_CLASS(MPI_Start(&request), MPI_ERR_BUFFER);
    CHECK(complained == comm);
    complained = MPI_COMM_NULL;
    CHECK_CLASS(MPI_Startall(1, &request), MPI_ERR_BUFFER);
    CHECK(complained == comm);
    MPI_Request_free(&request);
    MPI_Comm_free(&comm);
}

int main(void)
{
    begin();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int value = 1, flag, index, count;
    MPI_Request request = MPI_REQUEST_NULL, garbage = (MPI_Request)0x123456789abcul, requests[3];
    MPI_Status status, statuses[3];
    MPI_Datatype uncommitted;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Type_contiguous(3, MPI_INT, &uncommitted);

    CHECK_CLASS(MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Send(&value, 1, MPI_INT, -7, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Send(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Send(&value, 1, MPI_INT, 0, -1, MPI_COMM_WORLD), MPI_ERR_TAG);
    CHECK_CLASS(MPI_Send(&value, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD), MPI_ERR_TAG);
    CHECK_CLASS(MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Send(&value, 1, uncommitted, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Send(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Send(&value, 1, MPI_INT, 0, 0, (MPI_Comm)0x987654321ul), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Recv(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD, &status), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Recv(&value, 1, MPI_INT, 0, -5, MPI_COMM_WORLD, &status), MPI_ERR_TAG);
    CHECK_CLASS(MPI_Irecv(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Iprobe(size + 1, 0, MPI_COMM_WORLD, &flag, &status), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Wait(&garbage, &status), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Test(&garbage, &flag, &status), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Waitall(1, &garbage, &status), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Waitany(-1, &garbage, &index, &status), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Waitsome(2, NULL, &count, &index, &status), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Start(&request), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Request_free(&request), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Cancel(&request), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Mrecv(&value, 1, MPI_INT, &message, &status), MPI_ERR_REQUEST);

    starting();

    /* A handle that has ended is not taken for a new request in the same place. */
    MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &request);
    MPI_Request old = request;
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &request);
    CHECK_CLASS(MPI_Wait(&old, &status), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Start(&request), MPI_ERR_REQUEST);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);

    /* Truncation, eager and large; the data that fit are there. */
    static unsigned char out[200000], in[200000];
    for (int bytes = 100; bytes <= 200000; bytes += 199900) {
        fill(out, bytes, rank);
        memset(in, 0xee, sizeof in);
        MPI_Isend(out, bytes, MPI_BYTE, NEXT, 2, MPI_COMM_WORLD, &request);
        CHECK_CLASS(MPI_Recv(in, 60, MPI_BYTE, PREVIOUS, 2, MPI_COMM_WORLD, &status),
                    MPI_ERR_TRUNCATE);
        CHECK_EQUAL(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK(is_filled(in, 60, PREVIOUS) && in[60] == 0xee);
        CHECK_EQUAL(status.MPI_TAG, 2);
    }

    /* A message that ends in the middle of an element has another datatype; a part of the elements
     * is no error. */
    MPI_Datatype pair;
    const int lengths[2] = {1, 1};
    const MPI_Aint places[2] = {0, 8};
    const MPI_Datatype kinds[2] = {MPI_INT, MPI_DOUBLE};
    MPI_Type_create_struct(2, lengths, places, kinds, &pair);
    MPI_Type_commit(&pair);
    for (int bytes = 0; bytes <= 28; bytes++) {
        int whole = bytes % 12 == 0 || bytes % 12 == 4;
        MPI_Isend(out, bytes, MPI_BYTE, NEXT, 7, MPI_COMM_WORLD, &request);
        CHECK_CLASS(MPI_Recv(in, 3, pair, PREVIOUS, 7, MPI_COMM_WORLD, &status),
                    whole ? MPI_SUCCESS : MPI_ERR_TYPE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Isend(out, bytes, MPI_CHAR, NEXT, 7, MPI_COMM_WORLD, &request);
        CHECK_CLASS(MPI_Recv(in, 9, MPI_INT, PREVIOUS, 7, MPI_COMM_WORLD, &status),
                    bytes % 4 == 0 ? MPI_SUCCESS : MPI_ERR_TYPE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&pair);

    /* Of several requests, each has its own error. */
    MPI_Irecv(in, 10, MPI_BYTE, PREVIOUS, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in + 50, 20, MPI_BYTE, PREVIOUS, 4, MPI_COMM_WORLD, &requests[1]);
    requests[2] = MPI_REQUEST_NULL;
    MPI_Send(out, 30, MPI_BYTE, NEXT, 3, MPI_COMM_WORLD);
    MPI_Send(out, 20, MPI_BYTE, NEXT, 4, MPI_COMM_WORLD);
    CHECK_CLASS(MPI_Waitall(3, requests, statuses), MPI_ERR_IN_STATUS);
    CHECK_CLASS(statuses[0].MPI_ERROR, MPI_ERR_TRUNCATE);
    CHECK_EQUAL(statuses[1].MPI_ERROR, MPI_SUCCESS);
    CHECK_EQUAL(statuses[2].MPI_ERROR, MPI_SUCCESS);
    MPI_Type_free(&uncommitted);
    return end();
}
