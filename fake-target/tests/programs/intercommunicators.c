/* Intercommunicators: made, used, split, merged. Five processes: {0, 1} and {4, 3, 2}. */
#include "check.h"

static int rank, own, low;
static const int lows[] = {0, 1}, highs[] = {4, 3, 2};
static MPI_Comm half, inter;

static void made(void)
{
    int n, flag;
    MPI_Group group, world;
    OK(MPI_Comm_test_inter(inter, &flag));
    CHECK(flag);
    OK(MPI_Comm_size(inter, &n));
    CHECK(n == (low ? 2 : 3));
    OK(MPI_Comm_remote_size(inter, &n));
    CHECK(n == (low ? 3 : 2));
    OK(MPI_Comm_remote_group(inter, &group));
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    int ranks[3] = {0, 1, 2}, worlds[3];
    OK(MPI_Group_translate_ranks(group, n, ranks, world, worlds));
    for (int i = 0; i < n; i++)
        CHECK(worlds[i] == (low ? highs : lows)[i]);
    OK(MPI_Group_free(&group));
    OK(MPI_Group_free(&world));
    FAILS(MPI_ERR_COMM, MPI_Comm_remote_size(half, &n));
}

/* Everyone in one group sends to everyone in the other. */
static void messages(MPI_Comm comm)
{
    int n, me;
    MPI_Status status;
    MPI_Request requests[3];
    OK(MPI_Comm_remote_size(comm, &n));
    OK(MPI_Comm_rank(comm, &me));
    for (int i = 0; i < n; i++)
        OK(MPI_Isend(&rank, 1, MPI_INT, i, 3, comm, &requests[i]));
    for (int i = 0; i < n; i++) {
        int from;
        OK(MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 3, comm, &status));
        CHECK(from == (low ? highs : lows)[status.MPI_SOURCE] || n < (low ? 3 : 2));
    }
    OK(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE));
}

static void collectives(void)
{
    int remote = low ? 3 : 2, value = -1, values[3] = {-1, -1, -1}, sum;
    OK(MPI_Barrier(inter));
    /* From rank 1 of the lower group to the others. */
    value = rank == 1 ? 77 : -1;
    OK(MPI_Bcast(&value, 1, MPI_INT, low ? (own == 1 ? MPI_ROOT : MPI_PROC_NULL) : 1, inter));
    CHECK(value == (low ? (own == 1 ? 77 : -1) : 77));
    /* To rank 2 of the higher group, which is rank 2 of the world. */
    OK(MPI_Gather(&rank, 1, MPI_INT, values, 1, MPI_INT,
                  low ? 2 : (own == 2 ? MPI_ROOT : MPI_PROC_NULL), inter));
    if (rank == 2)
        CHECK(values[0] == 0 && values[1] == 1 && values[2] == -1);
    else
        CHECK(values[0] == -1);
    int counts[] = {1, 2, 1}, places[] = {0, 1, 3}, parcel[4] = {10, 20, 21, 30}, got[2] = {-1, -1};
    OK(MPI_Scatterv(parcel, counts, places, MPI_INT, got, low ? 0 : counts[own], MPI_INT,
                    low ? (own == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0, inter));
    CHECK(low ? got[0] == -1 : got[0] == 10 * (own + 1) && got[1] == (own == 1 ? 21 : -1));
    OK(MPI_Allgather(&rank, 1, MPI_INT, values, 1, MPI_INT, inter));
    for (int i = 0; i < remote; i++)
        CHECK(values[i] == (low ? highs : lows)[i]);
    int out[3] = {10 * rank, 10 * rank + 1, 10 * rank + 2};
    OK(MPI_Alltoall(out, 1, MPI_INT, values, 1, MPI_INT, inter));
    for (int i = 0; i < remote; i++)
        CHECK(values[i] == 10 * (low ? highs : lows)[i] + own);
    sum = -1;
    OK(MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, low ? (own == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0,
                  inter));
    CHECK(sum == (rank == 0 ? 9 : -1));
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter));
    CHECK(sum == (low ? 9 : 1));
    int vector[6] = {1, 2, 3, 4, 5, 6}, part[3];
    OK(MPI_Reduce_scatter_block(vector, part, low ? 3 : 2, MPI_INT, MPI_SUM, inter));
    for (int i = 0; i < (low ? 3 : 2); i++)
        CHECK(part[i] == (low ? 3 : 2) * ((low ? 3 : 2) * own + i + 1));
    FAILS(MPI_ERR_COMM, MPI_Scan(&rank, &sum, 1, MPI_INT, MPI_SUM, inter));
    FAILS(MPI_ERR_ROOT, MPI_Bcast(&value, 1, MPI_INT, remote, inter));
}

/* The same, all at a time. */
static void nonblocking(void)
{
    int remote = low ? 3 : 2, value = rank == 1 ? 77 : -1, gathered[3] = {-1, -1, -1}, all[3];
    int counts[] = {1, 2, 1}, places[] = {0, 1, 3}, parcel[4] = {10, 20, 21, 30}, got[2] = {-1, -1};
    int out[3] = {10 * rank, 10 * rank + 1, 10 * rank + 2}, in[3], sum = -1, total = -1;
    int vector[6] = {1, 2, 3, 4, 5, 6}, part[3], parts[6], block = low ? 3 : 2;
    int blocks[] = {low ? 6 : 1, low ? 0 : 2, 3};
    MPI_Request requests[11];
    int root_0 = low ? (own == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0;
    OK(MPI_Ibarrier(inter, &requests[0]));
    OK(MPI_Ibcast(&value, 1, MPI_INT, low ? (own == 1 ? MPI_ROOT : MPI_PROC_NULL) : 1, inter,
                  &requests[1]));
    OK(MPI_Igather(&rank, 1, MPI_INT, gathered, 1, MPI_INT,
                   low ? 2 : (own == 2 ? MPI_ROOT : MPI_PROC_NULL), inter, &requests[2]));
    OK(MPI_Iscatterv(parcel, counts, places, MPI_INT, got, low ? 0 : counts[own], MPI_INT, root_0,
                     inter, &requests[3]));
    OK(MPI_Iallgather(&rank, 1, MPI_INT, all, 1, MPI_INT, inter, &requests[4]));
    OK(MPI_Ialltoall(out, 1, MPI_INT, in, 1, MPI_INT, inter, &requests[5]));
    OK(MPI_Ireduce(&rank, &sum, 1, MPI_INT, MPI_SUM, root_0, inter, &requests[6]));
    OK(MPI_Allreduce_init(&rank, &total, 1, MPI_INT, MPI_SUM, inter, MPI_INFO_NULL, &requests[7]));
    OK(MPI_Ireduce_scatter_block(vector, part, block, MPI_INT, MPI_SUM, inter, &requests[8]));
    OK(MPI_Ireduce_scatter(vector, parts, blocks, MPI_INT, MPI_MAX, inter, &requests[9]));
    OK(MPI_Barrier_init(inter, MPI_INFO_NULL, &requests[10]));
    FAILS(MPI_ERR_COMM, MPI_Iscan(&rank, &sum, 1, MPI_INT, MPI_SUM, inter, &requests[0]));
    OK(MPI_Start(&requests[low ? 7 : 10]));
    OK(MPI_Start(&requests[low ? 10 : 7]));
    OK(MPI_Waitall(11, requests, MPI_STATUSES_IGNORE));
    OK(MPI_Request_free(&requests[7]));
    OK(MPI_Request_free(&requests[10]));
    CHECK(value == (low ? (own == 1 ? 77 : -1) : 77));
    CHECK(rank == 2 ? gathered[0] == 0 && gathered[1] == 1 && gathered[2] == -1
                    : gathered[0] == -1);
    CHECK(low ? got[0] == -1 : got[0] == 10 * (own + 1) && got[1] == (own == 1 ? 21 : -1));
    for (int i = 0; i < remote; i++) {
        CHECK(all[i] == (low ? highs : lows)[i]);
        CHECK(in[i] == 10 * (low ? highs : lows)[i] + own);
    }
    CHECK(sum == (rank == 0 ? 9 : -1));
    CHECK(total == (low ? 9 : 1));
    for (int i = 0; i < block; i++)
        CHECK(part[i] == (low ? 3 : 2) * ((low ? 3 : 2) * own + i + 1));
    for (int i = 0, first = own == 2 ? 3 : own; i < blocks[own]; i++)
        CHECK(parts[i] == vector[first + i]);
}

static void descendants(void)
{
    MPI_Comm copy, part, merged;
    int n, result, order[5];
    OK(MPI_Comm_dup(inter, &copy));
    OK(MPI_Comm_compare(inter, copy, &result));
    CHECK(result == MPI_CONGRUENT);
    OK(MPI_Comm_compare(inter, half, &result));
    CHECK(result == MPI_UNEQUAL);
    messages(copy);
    OK(MPI_Comm_free(&copy));

    /* The color 0: rank 0 with 3 and 2; the color 1: rank 1 with 4. */
    int color = rank == 1 || rank == 4;
    OK(MPI_Comm_split(inter, color, 0, &part));
    OK(MPI_Comm_remote_size(part, &n));
    CHECK(n == (low ? (color ? 1 : 2) : 1));
    int sum = 0;
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, part));
    CHECK(sum == (rank == 0 ? 5 : rank == 1 ? 4 : rank == 4 ? 1 : 0));
    OK(MPI_Comm_free(&part));
    /* A color that only one side has. */
    OK(MPI_Comm_split(inter, low, 0, &part));
    CHECK(part == MPI_COMM_NULL);

    for (int high = 0; high < 2; high++) {
        OK(MPI_Intercomm_merge(inter, low ? high : !high, &merged));
        OK(MPI_Allgather(&rank, 1, MPI_INT, order, 1, MPI_INT, merged));
        int expected[2][5] = {{0, 1, 4, 3, 2}, {4, 3, 2, 0, 1}};
        CHECK(memcmp(order, expected[high], sizeof order) == 0);
        OK(MPI_Comm_free(&merged));
    }
    OK(MPI_Intercomm_merge(inter, 0, &merged)); /* no preference */
    OK(MPI_Comm_size(merged, &n));
    CHECK(n == 5);
    OK(MPI_Comm_free(&merged));
    FAILS(MPI_ERR_COMM, MPI_Intercomm_merge(half, 0, &merged));
    FAILS(MPI_ERR_COMM, MPI_Intercomm_create(inter, 0, MPI_COMM_WORLD, 0, 1, &merged));
    FAILS(MPI_ERR_RANK, MPI_Intercomm_create(half, 9, MPI_COMM_WORLD, 0, 1, &merged));
    FAILS(MPI_ERR_TAG, MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 0, -5, &merged));
    /* Arguments of the leader alone: the others of its group do not wait for ever. */
    int near;
    OK(MPI_Comm_rank(half, &near));
    FAILS(near ? MPI_ERR_OTHER : MPI_ERR_RANK,
          MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, near ? 0 : 99, 1, &merged));
}

int main(int argc, char **argv)
{
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    low = rank < 2;
    OK(MPI_Comm_split(MPI_COMM_WORLD, low, low ? rank : -rank, &half));
    OK(MPI_Comm_rank(half, &own));
    /* The leaders: rank 1 (own rank 1) and rank 3 (own rank 1). */
    OK(MPI_Intercomm_create(half, 1, MPI_COMM_WORLD, low ? 3 : 1, 12, &inter));
    made();
    messages(inter);
    collectives();
    nonblocking();
    descendants();
    OK(MPI_Comm_free(&inter));
    OK(MPI_Comm_free(&half));
    PASS();
}
