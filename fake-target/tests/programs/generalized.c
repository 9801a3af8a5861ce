/* Generalised requests: which callbacks MPI calls, and when. */
#include "check.h"

struct state {
    int queries, frees, cancels, complete_at_cancel, elements, cancelled, fails;
};

static int query(void *extra, MPI_Status *status)
{
    struct state *state = extra;
    state->queries++;
    status->MPI_SOURCE = 7;
    status->MPI_TAG = 11;
    OK(MPI_Status_set_elements(status, MPI_INT, state->elements));
    OK(MPI_Status_set_cancelled(status, state->cancelled));
    return state->fails ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int end(void *extra)
{
    ((struct state *)extra)->frees++;
    return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
    struct state *state = extra;
    state->cancels++;
    state->complete_at_cancel = complete;
    state->cancelled = !complete;
    return MPI_SUCCESS;
}

static MPI_Request make(struct state *state)
{
    MPI_Request request = MPI_REQUEST_NULL;
    memset(state, 0, sizeof *state);
    state->elements = 3;
    OK(MPI_Grequest_start(query, end, cancel, state, &request));
    CHECK(request != MPI_REQUEST_NULL);
    return request;
}

static void is(const MPI_Status *status, int elements, int cancelled)
{
    int count, flag;
    OK(MPI_Get_elements(status, MPI_INT, &count));
    OK(MPI_Test_cancelled(status, &flag));
    CHECK(status->MPI_SOURCE == 7 && status->MPI_TAG == 11);
    CHECK(count == elements && flag == cancelled);
}

int main(int argc, char **argv)
{
    struct state one, two;
    MPI_Request request, both[3];
    MPI_Status status, statuses[3];
    int flag, index, value = 5, got = 0;
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));

    request = make(&one);
    OK(MPI_Test(&request, &flag, &status));
    CHECK(!flag && one.queries == 0);
    OK(MPI_Grequest_complete(request));
    OK(MPI_Request_get_status(request, &flag, &status));
    CHECK(flag && one.queries == 1 && one.frees == 0);
    is(&status, 3, 0);
    OK(MPI_Wait(&request, &status));
    CHECK(request == MPI_REQUEST_NULL && one.queries == 2 && one.frees == 1);
    is(&status, 3, 0);

    /* Cancelled, then completed. */
    request = make(&one);
    OK(MPI_Cancel(&request));
    CHECK(one.cancels == 1 && one.complete_at_cancel == 0);
    OK(MPI_Grequest_complete(request));
    OK(MPI_Cancel(&request));
    CHECK(one.cancels == 2 && one.complete_at_cancel == 1);
    one.cancelled = 1;
    OK(MPI_Test(&request, &flag, &status));
    CHECK(flag && one.frees == 1);
    is(&status, 3, 1);

    /* Freed before and after it is complete. */
    request = both[0] = make(&one);
    OK(MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL && one.frees == 0);
    OK(MPI_Grequest_complete(both[0]));
    CHECK(one.frees == 1 && one.queries == 0);
    request = make(&one);
    OK(MPI_Grequest_complete(request));
    OK(MPI_Request_free(&request));
    CHECK(one.frees == 1 && one.queries == 0);

    /* Among messages. */
    both[0] = make(&one);
    OK(MPI_Irecv(&got, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &both[1]));
    both[2] = make(&two);
    OK(MPI_Send(&value, 1, MPI_INT, 0, 3, MPI_COMM_SELF));
    OK(MPI_Waitany(3, both, &index, &status));
    CHECK(index == 1 && got == 5);
    OK(MPI_Testall(3, both, &flag, statuses));
    CHECK(!flag);
    OK(MPI_Grequest_complete(both[2]));
    two.elements = 9;
    OK(MPI_Waitany(3, both, &index, &status));
    CHECK(index == 2 && two.frees == 1);
    is(&status, 9, 0);
    one.fails = 1;
    OK(MPI_Grequest_complete(both[0]));
    FAILS(MPI_ERR_IN_STATUS, MPI_Waitall(3, both, statuses));
    CHECK(statuses[0].MPI_ERROR == MPI_ERR_OTHER && statuses[1].MPI_ERROR == MPI_SUCCESS);
    CHECK(one.frees == 1 && both[0] == MPI_REQUEST_NULL);

    FAILS(MPI_ERR_REQUEST, MPI_Grequest_complete(MPI_REQUEST_NULL));
    OK(MPI_Irecv(&got, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &request));
    FAILS(MPI_ERR_REQUEST, MPI_Grequest_complete(request));
    OK(MPI_Cancel(&request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    PASS();
}
