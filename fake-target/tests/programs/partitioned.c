/* Partitioned communication: partitions ready in any order, divided differently by the two sides,
 * restarted, several at a time in the order of their making. Any number of processes. */
#include "check.h"

static int rank, size, next, previous;

static int datum(int from, int message, int round, int index)
{
    return ((from * 16 + message) * 16 + round) * 10000 + index;
}

/* Each side divides the same elements in its own number of partitions. */
static void divided(int send_partitions, int receive_partitions, int elements, int strided)
{
    int each = elements / send_partitions, own = elements / receive_partitions;
    int *out = malloc((elements + 1) * sizeof(int)), *in = malloc((2 * elements + 1) * sizeof(int));
    MPI_Datatype gaps;
    MPI_Request send, receive;
    MPI_Status status;
    OK(MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &gaps));
    OK(MPI_Type_commit(&gaps));
    OK(MPI_Psend_init(out, send_partitions, each, MPI_INT, next, 5, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &send));
    OK(MPI_Precv_init(in, receive_partitions, own, strided ? gaps : MPI_INT, previous, 5,
                      MPI_COMM_WORLD, MPI_INFO_NULL, &receive));
    for (int round = 0; round < 3; round++) {
        int step = strided ? 2 : 1, flag;
        for (int i = 0; i < 2 * elements; i++)
            in[i] = -1;
        OK(MPI_Start(&receive));
        OK(MPI_Start(&send));
        /* From the last to the first, one at a time: a partition arrives only when all of its
         * elements have been sent. */
        for (int p = send_partitions - 1; p >= 0; p--) {
            for (int i = p * each; i < (p + 1) * each; i++)
                out[i] = datum(rank, 0, round, i);
            if (round == 1)
                OK(MPI_Pready_range(p, p, send));
            else if (round == 2)
                OK(MPI_Pready_list(1, &p, send));
            else
                OK(MPI_Pready(p, send));
            OK(MPI_Barrier(MPI_COMM_WORLD));
            for (int q = 0; elements > 0 && q < receive_partitions; q++) {
                if (q * own < p * each) {
                    OK(MPI_Parrived(receive, q, &flag));
                    CHECK(!flag);
                    continue;
                }
                do
                    OK(MPI_Parrived(receive, q, &flag));
                while (!flag);
                for (int i = q * own; i < (q + 1) * own; i++)
                    CHECK(in[i * step] == datum(previous, 0, round, i));
            }
            OK(MPI_Barrier(MPI_COMM_WORLD));
        }
        OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
        OK(MPI_Wait(&receive, &status));
        int count;
        OK(MPI_Get_count(&status, MPI_INT, &count));
        CHECK(status.MPI_SOURCE == previous && status.MPI_TAG == 5 && count == elements);
        for (int i = 0; i < elements; i++) {
            CHECK(in[i * step] == datum(previous, 0, round, i));
            CHECK(!strided || in[i * step + 1] == -1);
        }
        OK(MPI_Parrived(receive, 0, &flag));
        CHECK(flag);
    }
    OK(MPI_Request_free(&send));
    OK(MPI_Request_free(&receive));
    OK(MPI_Type_free(&gaps));
    free(out), free(in);
}

/* Messages with the same tag match in the order in which they were described, not started; ordinary
 * messages with that tag are others. */
static void matched_in_order(void)
{
    enum {
        MANY = 4,
        LENGTH = 30000
    };
    MPI_Request requests[2 * MANY + 1];
    static int out[MANY][LENGTH], in[MANY][LENGTH];
    int ordinary = -1, sent = rank;
    OK(MPI_Irecv(&ordinary, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                 &requests[2 * MANY]));
    for (int m = 0; m < MANY; m++) {
        OK(MPI_Psend_init(out[m], 3, LENGTH / 3, MPI_INT, next, 7, MPI_COMM_WORLD, MPI_INFO_NULL,
                          &requests[m]));
        OK(MPI_Precv_init(in[m], 3, LENGTH / 3, MPI_INT, previous, 7, MPI_COMM_WORLD, MPI_INFO_NULL,
                          &requests[MANY + m]));
        for (int i = 0; i < LENGTH; i++)
            out[m][i] = datum(rank, m, 0, i % 1000);
    }
    for (int m = MANY - 1; m >= 0; m--) {
        OK(MPI_Start(&requests[m]));
        OK(MPI_Pready_range(0, 2, requests[m]));
    }
    for (int m = 0; m < MANY; m++)
        OK(MPI_Start(&requests[MANY + (m + rank) % MANY]));
    OK(MPI_Send(&sent, 1, MPI_INT, next, 7, MPI_COMM_WORLD));
    OK(MPI_Waitall(2 * MANY + 1, requests, MPI_STATUSES_IGNORE));
    CHECK(ordinary == previous);
    for (int m = 0; m < MANY; m++)
        for (int i = 0; i < LENGTH; i++)
            CHECK(in[m][i] == datum(previous, m, 0, i % 1000));
    for (int m = 0; m < 2 * MANY; m++)
        OK(MPI_Request_free(&requests[m]));
}

static void errors(void)
{
    int arrived = 0;
    OK(MPI_Parrived(MPI_REQUEST_NULL, 0, &arrived));
    CHECK(arrived);
    MPI_Request request, plain;
    int buffer[4] = {0}, flag;
    MPI_Status status;
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    FAILS(MPI_ERR_RANK, MPI_Precv_init(buffer, 1, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
                                       MPI_INFO_NULL, &request));
    FAILS(MPI_ERR_TAG, MPI_Precv_init(buffer, 1, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD,
                                      MPI_INFO_NULL, &request));
    FAILS(MPI_ERR_ARG,
          MPI_Psend_init(buffer, -1, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    /* With MPI_PROC_NULL: complete at once. */
    OK(MPI_Precv_init(buffer, 2, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &request));
    OK(MPI_Start(&request));
    OK(MPI_Parrived(request, 1, &flag));
    CHECK(flag);
    OK(MPI_Wait(&request, &status));
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
    FAILS(MPI_ERR_REQUEST, MPI_Pready(0, request));
    OK(MPI_Request_free(&request));
    OK(MPI_Psend_init(buffer, 2, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &request));
    FAILS(MPI_ERR_REQUEST, MPI_Pready(0, request));
    OK(MPI_Start(&request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Request_free(&request));
    OK(MPI_Send_init(buffer, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &plain));
    FAILS(MPI_ERR_REQUEST, MPI_Pready(0, plain));
    FAILS(MPI_ERR_REQUEST, MPI_Parrived(plain, 0, &flag));
    OK(MPI_Request_free(&plain));
    /* A partition that does not exist, and one that is already marked as ready. */
    OK(MPI_Psend_init(buffer, 2, 1, MPI_INT, next, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    OK(MPI_Precv_init(buffer + 2, 1, 2, MPI_INT, previous, 9, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &plain));
    OK(MPI_Start(&request));
    OK(MPI_Start(&plain));
    FAILS(MPI_ERR_ARG, MPI_Pready(2, request));
    OK(MPI_Pready(0, request));
    FAILS(MPI_ERR_ARG, MPI_Pready(0, request));
    FAILS(MPI_ERR_REQUEST, MPI_Cancel(&request));
    FAILS(MPI_ERR_REQUEST, MPI_Request_free(&plain));
    OK(MPI_Pready(1, request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&plain, MPI_STATUS_IGNORE));
    OK(MPI_Request_free(&request));
    OK(MPI_Request_free(&plain));
}

int main(int argc, char **argv)
{
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    next = (rank + 1) % size;
    previous = (rank + size - 1) % size;
    for (int strided = 0; strided < 2; strided++) {
        divided(1, 1, 12, strided);
        divided(4, 4, 12, strided);
        divided(4, 2, 12, strided);
        divided(2, 6, 12, strided);
        divided(3, 4, 12, strided);
        divided(3, 2, 60000, strided);
        divided(5, 5, 50000, strided);
        divided(2, 3, 0, strided);
    }
    matched_in_order();
    errors();
    PASS();
}
