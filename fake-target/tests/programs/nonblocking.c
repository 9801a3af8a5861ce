/* Nonblocking collective operations: each alone, and many at a time, completed in any order, with
 * messages and blocking operations between them. */
#include "schedules.h"

static void alone(unsigned *shared)
{
    for (int number = 0; number < 6 * KINDS; number++) {
        struct operation *o = make(number % KINDS, number, shared);
        fill(o, 0);
        call(o, NONBLOCKING);
        MPI_Status status;
        OK(MPI_Wait(&o->request, &status));
        CHECK(o->request == MPI_REQUEST_NULL);
        int cancelled;
        OK(MPI_Test_cancelled(&status, &cancelled));
        CHECK(!cancelled);
        verify(o);
        drop(o);
    }
}

/* A message to the next process and one from the previous, with a tag that the runtime may use. */
static void message(int number)
{
    int from = (rank + size - 1) % size, to = (rank + 1) % size, got = -1;
    int sent = 1000 * number + rank;
    OK(MPI_Sendrecv(&sent, 1, MPI_INT, to, number % 20, &got, 1, MPI_INT, from, number % 20, comm,
                    MPI_STATUS_IGNORE));
    CHECK(got == 1000 * number + from);
}

static void overlapping(unsigned *shared)
{
    enum {
        MANY = 12
    };
    unsigned mine = 77 + rank;
    for (int turn = 0; turn < 25; turn++) {
        struct operation *all[MANY];
        MPI_Request requests[MANY];
        int late, early[2] = {turn, -1}, n = next(shared) % MANY + 1;
        MPI_Request receive;
        OK(MPI_Irecv(&late, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &receive));
        for (int i = 0; i < n; i++) {
            all[i] = make(next(shared) % KINDS, turn * MANY + i, shared);
            fill(all[i], 0);
            call(all[i], NONBLOCKING);
            requests[i] = all[i]->request;
            if (next(shared) % 4 == 0) {
                OK(MPI_Allreduce(&early[0], &early[1], 1, MPI_INT, MPI_MAX, comm));
                CHECK(early[1] == turn);
            }
        }
        OK(MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 5, comm));
        OK(MPI_Wait(&receive, MPI_STATUS_IGNORE));
        CHECK(late == (rank + size - 1) % size);
        message(turn);
        int left = n, index, flag, count, indices[MANY];
        while (left > 0) {
            switch (next(&mine) % 5) {
            case 0:
                OK(MPI_Waitany(n, requests, &index, MPI_STATUS_IGNORE));
                verify(all[index]);
                left--;
                break;
            case 1:
                OK(MPI_Testany(n, requests, &index, &flag, MPI_STATUS_IGNORE));
                if (flag) {
                    verify(all[index]);
                    left--;
                }
                break;
            case 2:
                OK(MPI_Testsome(n, requests, &count, indices, MPI_STATUSES_IGNORE));
                for (int i = 0; i < count; i++)
                    verify(all[indices[i]]);
                left -= count;
                break;
            case 3:
                index = next(&mine) % n;
                flag = 0;
                if (requests[index] != MPI_REQUEST_NULL) {
                    OK(MPI_Request_get_status(requests[index], &flag, MPI_STATUS_IGNORE));
                    if (flag)
                        verify(all[index]);
                }
                break;
            default:
                if (next(&mine) % 4 == 0) {
                    OK(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE));
                    for (int i = 0; i < n; i++)
                        verify(all[i]);
                    left = 0;
                }
            }
        }
        for (int i = 0; i < n; i++)
            drop(all[i]);
    }
}

/* The buffers of an operation may be used by others on another communicator at the same time, and
 * a communicator that is freed stays until its operations are over. */
static void freed(void)
{
    MPI_Comm other;
    MPI_Request requests[3];
    int value[3] = {-1, -1, -1}, one = 1, total = 0;
    OK(MPI_Comm_dup(comm, &other));
    for (int i = 0; i < 3; i++) {
        value[i] = rank == i % size ? 100 + i : -1;
        OK(MPI_Ibcast(&value[i], 1, MPI_INT, i % size, other, &requests[i]));
    }
    OK(MPI_Comm_free(&other));
    OK(MPI_Allreduce(&one, &total, 1, MPI_INT, MPI_SUM, comm));
    OK(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < 3; i++)
        CHECK(value[i] == 100 + i);
}

static void errors(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int value = 0, values[2] = {0, 0}, same[8] = {0};
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    FAILS(MPI_ERR_ROOT, MPI_Ibcast(&value, 1, MPI_INT, size, comm, &request));
    FAILS(MPI_ERR_COUNT, MPI_Ibcast(&value, -1, MPI_INT, 0, comm, &request));
    FAILS(MPI_ERR_TYPE, MPI_Ibcast(&value, 1, MPI_DATATYPE_NULL, 0, comm, &request));
    FAILS(MPI_ERR_BUFFER, MPI_Ibcast(MPI_IN_PLACE, 1, MPI_INT, 0, comm, &request));
    /* The same memory for sending and receiving is an error: no process takes part. */
    MPI_Request none;
    FAILS(MPI_ERR_BUFFER, MPI_Iallgather(same + rank, 1, MPI_INT, same, 1, MPI_INT, comm, &none));
    FAILS(MPI_ERR_BUFFER, MPI_Ialltoall(same, 1, MPI_INT, same, 1, MPI_INT, comm, &none));
    FAILS(MPI_ERR_BUFFER, MPI_Iallreduce(same, same, 1, MPI_INT, MPI_SUM, comm, &none));
    FAILS(MPI_ERR_BUFFER, MPI_Ireduce_scatter_block(same, same, 1, MPI_INT, MPI_SUM, comm, &none));
    FAILS(MPI_ERR_BUFFER, MPI_Reduce_scatter_block(same, same, 1, MPI_INT, MPI_SUM, comm));
    FAILS(MPI_ERR_BUFFER, MPI_Exscan(same, same, 1, MPI_INT, MPI_SUM, comm));
    FAILS(MPI_ERR_BUFFER, MPI_Iexscan(same, same, 1, MPI_INT, MPI_SUM, comm, &none));
    if (rank == 0)
        FAILS(MPI_ERR_BUFFER, MPI_Gather(same, 1, MPI_INT, same, 1, MPI_INT, 0, comm));
    FAILS(MPI_ERR_OP, MPI_Iallreduce(&value, values, 1, MPI_INT, MPI_OP_NULL, comm, &request));
    FAILS(MPI_ERR_COMM, MPI_Ibarrier(MPI_COMM_NULL, &request));
    CHECK(request == MPI_REQUEST_NULL);
    /* Neither cancelled, nor freed before it is complete: the others enter after process 0. */
    if (rank > 0)
        OK(MPI_Recv(NULL, 0, MPI_INT, 0, 7, comm, MPI_STATUS_IGNORE));
    OK(MPI_Ibarrier(comm, &request));
    FAILS(MPI_ERR_REQUEST, MPI_Cancel(&request));
    if (rank == 0 && size > 1)
        FAILS(MPI_ERR_REQUEST, MPI_Request_free(&request));
    for (int i = 1; rank == 0 && i < size; i++)
        OK(MPI_Send(NULL, 0, MPI_INT, i, 7, comm));
    int complete = 0;
    while (!complete)
        OK(MPI_Request_get_status(request, &complete, MPI_STATUS_IGNORE));
    OK(MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL);
    /* The processes disagree about the length: no process waits for ever. */
    if (size > 1) {
        OK(MPI_Ibcast(values, rank == 0 ? 1 : 2, MPI_INT, 0, comm, &request));
        int code = MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(rank == 0 ? code == MPI_SUCCESS : rank > 1 || code != MPI_SUCCESS);
        OK(MPI_Ibcast(values, rank == 0 ? 2 : 1, MPI_INT, 0, comm, &request));
        if (rank == 1)
            FAILS(MPI_ERR_TRUNCATE, MPI_Wait(&request, MPI_STATUS_IGNORE));
        else
            MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    /* One process sends more than the others expect. The call returns in all of them, and later
     * operations work. */
    int *out = calloc(2 * size, sizeof(int)), *in = calloc(2 * size, sizeof(int)), all = 0;
    MPI_Alltoall(out, rank == 0 ? 2 : 1, MPI_INT, in, 1, MPI_INT, comm);
    OK(MPI_Allreduce(&rank, &all, 1, MPI_INT, MPI_SUM, comm));
    CHECK(all == size * (size - 1) / 2);
    free(out), free(in);
    enum {
        LONG = 50000
    };
    out = calloc(LONG + 1, sizeof(int)), in = calloc((size_t)LONG * size, sizeof(int));
    int mine = rank == 1 ? LONG + 1 : LONG;
    MPI_Gather(out, mine, MPI_INT, in, LONG, MPI_INT, 0, comm);
    MPI_Allgather(out, mine, MPI_INT, in, LONG, MPI_INT, comm);
    MPI_Bcast(out, mine, MPI_INT, 0, comm);
    OK(MPI_Allreduce(&rank, &all, 1, MPI_INT, MPI_SUM, comm));
    CHECK(all == size * (size - 1) / 2);
    free(out), free(in);
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL));
}

static MPI_Datatype pair;
static int same_handle;

static void add_pairs(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    int size;
    OK(MPI_Type_size(*datatype, &size));
    CHECK(size == 2 * (int)sizeof(int));
    same_handle = *datatype == pair;
    for (int i = 0; i < 2 * *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

/* A function of the program gets a valid datatype, also if the program has freed its own. */
static void freed_datatype(void)
{
    MPI_Op op;
    MPI_Request request;
    int in[2] = {rank, 1}, out[2];
    OK(MPI_Op_create(add_pairs, 1, &op));
    for (int turn = 0; turn < 4; turn++) {
        OK(MPI_Type_contiguous(2, MPI_INT, &pair));
        OK(MPI_Type_commit(&pair));
        MPI_Datatype mine = pair;
        same_handle = 1;
        out[0] = out[1] = -1;
        if (turn < 2)
            OK(MPI_Iallreduce(in, out, 1, pair, op, comm, &request));
        else
            OK(MPI_Allreduce_init(in, out, 1, pair, op, comm, MPI_INFO_NULL, &request));
        if (turn % 2)
            OK(MPI_Type_free(&mine));
        for (int start = 0; start < (turn < 2 ? 1 : 3); start++) {
            if (turn >= 2) {
                out[0] = out[1] = -1;
                OK(MPI_Start(&request));
            }
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            CHECK(out[0] == size * (size - 1) / 2 && out[1] == size);
        }
        if (turn >= 2)
            OK(MPI_Request_free(&request));
        if (turn % 2 == 0) {
            CHECK(same_handle);
            OK(MPI_Type_free(&mine));
        }
    }
    OK(MPI_Op_free(&op));
}

int main(int argc, char **argv)
{
    unsigned shared = 4711;
    OK(MPI_Init(&argc, &argv));
    begin(MPI_COMM_WORLD);
    alone(&shared);
    overlapping(&shared);
    freed();
    freed_datatype();
    errors();
    end();
    PASS();
}
