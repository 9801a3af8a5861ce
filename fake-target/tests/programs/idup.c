/* Nonblocking duplication of communicators: several at a time, between groups, with attributes and
 * a topology. Any number of processes. */
#include "check.h"

static int rank, size, copies;

static int copy(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)keyval, (void)extra;
    copies++;
    *(void **)out = (char *)in + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static int no_copy(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)keyval, (void)extra, (void)in, (void)out, (void)flag;
    return MPI_ERR_OTHER;
}

/* Section 7.7: if an attribute cannot be copied, the call fails. Its result is the null handle. */
static void refused_copies(void)
{
    int keyval;
    MPI_Comm comm, other = MPI_COMM_WORLD;
    MPI_Request request;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    OK(MPI_Comm_create_keyval(no_copy, MPI_COMM_NULL_DELETE_FN, &keyval, NULL));
    OK(MPI_Comm_set_attr(comm, keyval, NULL));
    CHECK(MPI_Comm_dup(comm, &other) != MPI_SUCCESS && other == MPI_COMM_NULL);
    other = MPI_COMM_WORLD;
    CHECK(MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, &other) != MPI_SUCCESS);
    CHECK(other == MPI_COMM_NULL);
    other = MPI_COMM_WORLD;
    CHECK(MPI_Comm_idup(comm, &other, &request) != MPI_SUCCESS && other == MPI_COMM_NULL);
    OK(MPI_Comm_free_keyval(&keyval));
    OK(MPI_Comm_free(&comm));
    FAILS(MPI_ERR_COMM, MPI_Comm_idup(MPI_COMM_NULL, &other, &request));
}

/* A reduction on it gives the right result. */
static void works(MPI_Comm comm, int number)
{
    int sum = -1, one = number;
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_MAX, comm));
    CHECK(sum == number);
}

int main(int argc, char **argv)
{
    enum {
        MANY = 8
    };
    MPI_Comm all[MANY], grid, other;
    MPI_Request requests[MANY];
    int keyval, flag, value = 10, result, dims = 0, periods = 1, sum, color;
    char *attribute;
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));

    /* Several at a time, with a reduction between them. */
    for (int i = 0; i < MANY; i++) {
        if (i == 3)
            OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        if (i % 2)
            OK(MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &all[i], &requests[i]));
        else
            OK(MPI_Comm_idup(MPI_COMM_WORLD, &all[i], &requests[i]));
    }
    OK(MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < MANY; i++) {
        OK(MPI_Comm_compare(MPI_COMM_WORLD, all[i], &result));
        CHECK(result == MPI_CONGRUENT);
    }
    for (int i = 0; i < MANY; i++)
        OK(MPI_Isend(&i, 1, MPI_INT, (rank + 1) % size, 1, all[i], &requests[i]));
    for (int i = MANY - 1; i >= 0; i--) {
        int got = -1;
        OK(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, all[i], MPI_STATUS_IGNORE));
        OK(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
        works(all[i], i);
        OK(MPI_Comm_free(&all[i]));
    }

    /* Attributes are copied when the call is made, and topologies too. */
    OK(MPI_Dims_create(size, 1, &dims));
    OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &dims, &periods, 0, &grid));
    OK(MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &keyval, NULL));
    OK(MPI_Comm_set_attr(grid, keyval, "abc"));
    OK(MPI_Comm_idup(grid, &other, &requests[0]));
    CHECK(copies == 1);
    OK(MPI_Comm_delete_attr(grid, keyval));
    OK(MPI_Comm_free(&grid));
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    OK(MPI_Comm_get_attr(other, keyval, &attribute, &flag));
    CHECK(flag && attribute[0] == 'b');
    OK(MPI_Cart_get(other, 1, &dims, &periods, &value));
    CHECK(dims == size && periods == 1 && value == rank);
    OK(MPI_Comm_free(&other));
    OK(MPI_Comm_free_keyval(&keyval));

    /* Between groups. */
    if (size > 1) {
        MPI_Comm half, inter;
        color = rank % 2;
        OK(MPI_Comm_split(MPI_COMM_WORLD, color, -rank, &half));
        /* The first of each half by its key: the last rank of that parity. */
        int last = (size - 1) % 2 == color ? size - 1 : size - 2;
        int others = (size - 1) % 2 == color ? size - 2 : size - 1;
        OK(MPI_Comm_rank(half, &value));
        CHECK(rank != last || value == 0);
        OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, others, 3, &inter));
        OK(MPI_Comm_idup(inter, &other, &requests[0]));
        OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
        OK(MPI_Comm_compare(inter, other, &result));
        CHECK(result == MPI_CONGRUENT);
        OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, other));
        int expected = 0;
        for (int i = !color; i < size; i += 2)
            expected += i;
        CHECK(sum == expected);
        OK(MPI_Comm_free(&other));
        OK(MPI_Comm_free(&inter));
        OK(MPI_Comm_free(&half));
    }
    refused_copies();
    PASS();
}
