/* Groups, and communicators made in every way from others. Five processes. */
#include "check.h"

static int rank, size;

/* The members are these ranks of MPI_COMM_WORLD, in this order; and it works. */
static void has(MPI_Comm comm, int n, const int *members)
{
    int own, count, sum = 0, expected = 0, ranks[8], worlds[8];
    MPI_Group group, world;
    OK(MPI_Comm_size(comm, &count));
    CHECK(count == n);
    OK(MPI_Comm_rank(comm, &own));
    CHECK(members[own] == rank);
    OK(MPI_Comm_group(comm, &group));
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    for (int i = 0; i < n; i++)
        ranks[i] = i;
    OK(MPI_Group_translate_ranks(group, n, ranks, world, worlds));
    for (int i = 0; i < n; i++) {
        CHECK(worlds[i] == members[i]);
        expected += members[i];
    }
    OK(MPI_Group_free(&group));
    OK(MPI_Group_free(&world));
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK(sum == expected);
    /* A message along the ranks, round the ring. */
    int from = -1;
    OK(MPI_Sendrecv(&rank, 1, MPI_INT, (own + 1) % n, 5, &from, 1, MPI_INT, (own + n - 1) % n, 5,
                    comm, MPI_STATUS_IGNORE));
    CHECK(from == members[(own + n - 1) % n]);
}

static void groups(void)
{
    MPI_Group world, a, b, c, empty;
    int n, result, ranks[5];
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_size(world, &n));
    CHECK(n == 5);
    OK(MPI_Group_rank(world, &n));
    CHECK(n == rank);
    OK(MPI_Group_incl(world, 3, (int[]){4, 0, 2}, &a));
    OK(MPI_Group_excl(world, 2, (int[]){0, 3}, &b)); /* 1 2 4 */
    OK(MPI_Group_rank(a, &n));
    CHECK(n == (rank == 4 ? 0 : rank == 0 ? 1 : rank == 2 ? 2 : MPI_UNDEFINED));
    OK(MPI_Group_translate_ranks(b, 4, (int[]){0, 1, 2, MPI_PROC_NULL}, a, ranks));
    CHECK(ranks[0] == MPI_UNDEFINED && ranks[1] == 2 && ranks[2] == 0 && ranks[3] == MPI_PROC_NULL);
    OK(MPI_Group_union(a, b, &c)); /* 4 0 2 1 */
    OK(MPI_Group_translate_ranks(c, 4, (int[]){0, 1, 2, 3}, world, ranks));
    CHECK(ranks[0] == 4 && ranks[1] == 0 && ranks[2] == 2 && ranks[3] == 1);
    OK(MPI_Group_free(&c));
    OK(MPI_Group_intersection(a, b, &c)); /* 4 2 */
    OK(MPI_Group_translate_ranks(c, 2, (int[]){0, 1}, world, ranks));
    CHECK(ranks[0] == 4 && ranks[1] == 2);
    OK(MPI_Group_free(&c));
    OK(MPI_Group_difference(a, b, &c)); /* 0 */
    OK(MPI_Group_size(c, &n));
    CHECK(n == 1);
    OK(MPI_Group_difference(c, a, &empty));
    CHECK(empty == MPI_GROUP_EMPTY);
    OK(MPI_Group_free(&c));
    OK(MPI_Group_range_incl(world, 2, (int[][3]){{4, 2, -2}, {0, 1, 1}}, &c)); /* 4 2 0 1 */
    OK(MPI_Group_translate_ranks(c, 4, (int[]){0, 1, 2, 3}, world, ranks));
    CHECK(ranks[0] == 4 && ranks[1] == 2 && ranks[2] == 0 && ranks[3] == 1);
    OK(MPI_Group_free(&c));
    OK(MPI_Group_range_incl(world, 1, (int[][3]){{0, 5, 2}}, &c)); /* 0 2 4 */
    OK(MPI_Group_size(c, &n));
    CHECK(n == 3);
    OK(MPI_Group_free(&c));
    FAILS(MPI_ERR_RANK, MPI_Group_range_incl(world, 1, (int[][3]){{0, 6, 2}}, &c));
    OK(MPI_Group_range_excl(world, 1, (int[][3]){{1, 4, 2}}, &c)); /* 0 2 4 */
    OK(MPI_Group_compare(a, c, &result));
    CHECK(result == MPI_SIMILAR);
    OK(MPI_Group_compare(a, a, &result));
    CHECK(result == MPI_IDENT);
    OK(MPI_Group_compare(a, b, &result));
    CHECK(result == MPI_UNEQUAL);
    FAILS(MPI_ERR_RANK, MPI_Group_incl(world, 1, (int[]){5}, &empty));
    FAILS(MPI_ERR_RANK, MPI_Group_incl(world, 2, (int[]){1, 1}, &empty));
    FAILS(MPI_ERR_ARG, MPI_Group_range_incl(world, 1, (int[][3]){{0, 1, 0}}, &empty));
    FAILS(MPI_ERR_GROUP, MPI_Group_size(MPI_GROUP_NULL, &n));
    CHECK(MPI_Group_fromint(MPI_Group_toint(c)) == c);
    OK(MPI_Group_free(&a));
    FAILS(MPI_ERR_GROUP, MPI_Group_size(a, &n));
    OK(MPI_Group_free(&b));
    OK(MPI_Group_free(&c));
    OK(MPI_Group_free(&world));
}

static void duplicates(void)
{
    MPI_Comm copy, second, null = MPI_COMM_NULL;
    int result, length, flag;
    char name[MPI_MAX_OBJECT_NAME];
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    OK(MPI_Comm_dup_with_info(copy, MPI_INFO_NULL, &second));
    has(copy, 5, (int[]){0, 1, 2, 3, 4});
    OK(MPI_Comm_compare(MPI_COMM_WORLD, copy, &result));
    CHECK(result == MPI_CONGRUENT);
    OK(MPI_Comm_compare(copy, copy, &result));
    CHECK(result == MPI_IDENT);
    OK(MPI_Comm_compare(copy, MPI_COMM_SELF, &result));
    CHECK(result == MPI_UNEQUAL);
    OK(MPI_Comm_get_name(MPI_COMM_WORLD, name, &length));
    CHECK(strcmp(name, "MPI_COMM_WORLD") == 0 && length == 14);
    OK(MPI_Comm_get_name(MPI_COMM_SELF, name, &length));
    CHECK(strcmp(name, "MPI_COMM_SELF") == 0);
    OK(MPI_Comm_get_name(copy, name, &length));
    CHECK(length == 0 && name[0] == 0);
    OK(MPI_Comm_set_name(copy, "Zweit-\xc3\x9c"));
    OK(MPI_Comm_get_name(copy, name, &length));
    CHECK(strcmp(name, "Zweit-\xc3\x9c") == 0 && length == 8);
    OK(MPI_Comm_get_name(MPI_COMM_NULL, name, &length));
    CHECK(strcmp(name, "MPI_COMM_NULL") == 0);
    OK(MPI_Comm_test_inter(copy, &flag));
    CHECK(!flag);
    /* Messages of one communicator are not those of another. */
    int a = 10 + rank, b = 20 + rank, first = -1, other = -1, next = (rank + 1) % 5,
        previous = (rank + 4) % 5;
    MPI_Request requests[2];
    OK(MPI_Isend(&a, 1, MPI_INT, next, 0, copy, &requests[0]));
    OK(MPI_Isend(&b, 1, MPI_INT, next, 0, second, &requests[1]));
    OK(MPI_Recv(&other, 1, MPI_INT, previous, 0, second, MPI_STATUS_IGNORE));
    OK(MPI_Recv(&first, 1, MPI_INT, previous, 0, copy, MPI_STATUS_IGNORE));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK(first == 10 + previous && other == 20 + previous);
    OK(MPI_Comm_free(&second));
    OK(MPI_Comm_free(&copy));
    CHECK(copy == MPI_COMM_NULL);
    FAILS(MPI_ERR_COMM, MPI_Comm_free(&copy));
    FAILS(MPI_ERR_COMM, MPI_Comm_dup(null, &copy));
    copy = MPI_COMM_WORLD;
    FAILS(MPI_ERR_COMM, MPI_Comm_free(&copy));
}

static void splits(void)
{
    MPI_Comm comm, again;
    /* Even and odd ranks, in reverse order. */
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm));
    if (rank % 2)
        has(comm, 2, (int[]){3, 1});
    else
        has(comm, 3, (int[]){4, 2, 0});
    OK(MPI_Comm_split(comm, 0, 0, &again));
    if (rank % 2)
        has(again, 2, (int[]){3, 1});
    else
        has(again, 3, (int[]){4, 2, 0});
    OK(MPI_Comm_free(&again));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank == 2 ? MPI_UNDEFINED : 7, 0, &comm));
    CHECK((comm == MPI_COMM_NULL) == (rank == 2));
    if (rank != 2) {
        has(comm, 4, (int[]){0, 1, 3, 4});
        OK(MPI_Comm_free(&comm));
    }
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm));
    has(comm, 5, (int[]){0, 1, 2, 3, 4});
    OK(MPI_Comm_free(&comm));
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_hw_resource_type",
                    rank < 3 ? "mpi_shared_memory" : "nothing known"));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, -rank, info, &comm));
    CHECK((comm == MPI_COMM_NULL) == (rank >= 3));
    if (comm != MPI_COMM_NULL) {
        has(comm, 3, (int[]){2, 1, 0});
        OK(MPI_Comm_free(&comm));
    }
    OK(MPI_Info_set(info, "mpi_pset_name", "mpi://WORLD"));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, -rank, info, &comm));
    has(comm, 5, (int[]){4, 3, 2, 1, 0});
    OK(MPI_Comm_free(&comm));
    OK(MPI_Info_set(info, "mpi_pset_name", "mpi://self"));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info, &comm));
    has(comm, 1, &rank);
    OK(MPI_Comm_free(&comm));
    OK(MPI_Info_set(info, "mpi_pset_name", rank < 3 ? "mpi://WORLD" : "none of that name"));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info, &comm));
    CHECK((comm == MPI_COMM_NULL) == (rank >= 3));
    if (comm != MPI_COMM_NULL) {
        has(comm, 3, (int[]){0, 1, 2});
        OK(MPI_Comm_free(&comm));
    }
    OK(MPI_Info_free(&info));
    FAILS(MPI_ERR_ARG, MPI_Comm_split(MPI_COMM_WORLD, -5, 0, &comm));
    /* Made and freed many times: ids must not run out or mix. */
    for (int i = 0; i < 200; i++) {
        OK(MPI_Comm_split(MPI_COMM_WORLD, (rank + i) % 2, rank, &comm));
        int sum, expected = 0;
        OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
        for (int r = 0; r < 5; r++)
            expected += (r + i) % 2 == (rank + i) % 2 ? r : 0;
        CHECK(sum == expected);
        OK(MPI_Comm_free(&comm));
    }
}

static void created(void)
{
    MPI_Group world, group;
    MPI_Comm comm;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_incl(world, 3, (int[]){3, 0, 4}, &group));
    OK(MPI_Comm_create(MPI_COMM_WORLD, group, &comm));
    CHECK((comm == MPI_COMM_NULL) == (rank == 1 || rank == 2));
    if (comm != MPI_COMM_NULL) {
        has(comm, 3, (int[]){3, 0, 4});
        OK(MPI_Comm_free(&comm));
    }
    /* Only the members take part. */
    if (rank == 0 || rank >= 3) {
        OK(MPI_Comm_create_group(MPI_COMM_WORLD, group, 9, &comm));
        has(comm, 3, (int[]){3, 0, 4});
        OK(MPI_Comm_free(&comm));
    }
    OK(MPI_Group_free(&group));
    /* Two at once. */
    OK(rank < 2 ? MPI_Group_incl(world, 2, (int[]){1, 0}, &group)
                : MPI_Group_incl(world, 3, (int[]){2, 4, 3}, &group));
    OK(MPI_Comm_create(MPI_COMM_WORLD, group, &comm));
    if (rank < 2)
        has(comm, 2, (int[]){1, 0});
    else
        has(comm, 3, (int[]){2, 4, 3});
    MPI_Comm odd;
    FAILS(MPI_ERR_GROUP, MPI_Comm_create(comm, world, &odd));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Group_free(&group));
    OK(MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &comm));
    CHECK(comm == MPI_COMM_NULL);
    OK(MPI_Group_free(&world));
}

/* Requests that are not under way do not hold a communicator that is disconnected. */
static void disconnected(void)
{
    MPI_Comm comm;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Request idle[3], done[2];
    OK(MPI_Send_init(NULL, 0, MPI_INT, next, 0, comm, &idle[0]));
    OK(MPI_Recv_init(NULL, 0, MPI_INT, before, 0, comm, &idle[1]));
    OK(MPI_Barrier_init(comm, MPI_INFO_NULL, &idle[2]));
    OK(MPI_Isend(&rank, 1, MPI_INT, next, 1, comm, &done[0]));
    int got = -1;
    OK(MPI_Irecv(&got, 1, MPI_INT, before, 1, comm, &done[1]));
    OK(MPI_Comm_disconnect(&comm));
    CHECK(comm == MPI_COMM_NULL);
    CHECK(got == before);
    OK(MPI_Waitall(2, done, MPI_STATUSES_IGNORE));
    for (int i = 0; i < 3; i++)
        OK(MPI_Request_free(&idle[i]));
}

/* Errors that concern no communicator: until the program sets a handler of MPI_COMM_SELF, that of
   MPI_COMM_WORLD is called, as before MPI 4.0. */
static void no_communicator(void)
{
    MPI_Datatype type;
    FAILS(MPI_ERR_COUNT, MPI_Type_contiguous(-1, MPI_INT, &type));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
    FAILS(MPI_ERR_COUNT, MPI_Type_contiguous(-1, MPI_INT, &type));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
}

int main(int argc, char **argv)
{
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    no_communicator();
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    CHECK(size == 5);
    groups();
    duplicates();
    splits();
    created();
    disconnected();
    PASS();
}
