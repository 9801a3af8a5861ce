/* Spawned processes: they communicate, merge into one group, and disconnect. The program spawns
 * itself with "child" and the expected properties of MPI_COMM_WORLD there as arguments. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

enum { LARGE = 100000 };

/* What both sides do with the intercommunicator. */
static void talk(MPI_Comm inter, int child, int expected_remote) {
    int rank, size, remote, flag;
    OK(MPI_Comm_rank(inter, &rank));
    OK(MPI_Comm_size(inter, &size));
    OK(MPI_Comm_remote_size(inter, &remote));
    OK(MPI_Comm_test_inter(inter, &flag));
    CHECK(flag);
    CHECK(remote == expected_remote);

    /* Every process exchanges a number with every one of the other side. */
    for (int peer = 0; peer < remote; peer++) {
        int mine = 100 * rank + peer + 7 * child, theirs = -1;
        MPI_Status status;
        OK(MPI_Sendrecv(&mine, 1, MPI_INT, peer, 5, &theirs, 1, MPI_INT, peer, 5, inter, &status));
        CHECK(theirs == 100 * peer + rank + 7 * !child);
        CHECK(status.MPI_SOURCE == peer && status.MPI_TAG == 5);
    }

    /* A synchronous send, a probe, and a long message in either direction. */
    int *numbers = malloc(LARGE * sizeof *numbers);
    for (int way = 0; rank == 0 && way < 2; way++) {
        if (child == way) {
            for (int i = 0; i < LARGE; i++)
                numbers[i] = 3 * i + way;
            OK(MPI_Ssend(numbers, LARGE, MPI_INT, 0, way, inter));
        } else {
            MPI_Status status;
            int count;
            OK(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, inter, &status));
            OK(MPI_Get_count(&status, MPI_INT, &count));
            CHECK(count == LARGE && status.MPI_TAG == way);
            memset(numbers, 0, LARGE * sizeof *numbers);
            OK(MPI_Recv(numbers, LARGE, MPI_INT, 0, way, inter, MPI_STATUS_IGNORE));
            for (int i = 0; i < LARGE; i++)
                CHECK(numbers[i] == 3 * i + way);
        }
    }

    /* A broadcast from rank 0 of the parents to all children. */
    memset(numbers, 0, LARGE * sizeof *numbers);
    if (!child && rank == 0)
        for (int i = 0; i < LARGE; i++)
            numbers[i] = i ^ 5;
    OK(MPI_Bcast(numbers, LARGE, MPI_INT, child ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter));
    if (child)
        for (int i = 0; i < LARGE; i++)
            CHECK(numbers[i] == (i ^ 5));
    free(numbers);
}

/* Both sides as one group, and communicators and windows made from it. */
static void merge(MPI_Comm inter, int child) {
    int rank, size, remote, all_rank, all_size, sum;
    OK(MPI_Comm_rank(inter, &rank));
    OK(MPI_Comm_size(inter, &size));
    OK(MPI_Comm_remote_size(inter, &remote));
    MPI_Comm all, twin, part;
    MPI_Request request;
    OK(MPI_Comm_idup(inter, &twin, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Barrier(twin));
    OK(MPI_Comm_free(&twin));
    OK(MPI_Intercomm_merge(inter, child, &all));
    OK(MPI_Comm_rank(all, &all_rank));
    OK(MPI_Comm_size(all, &all_size));
    CHECK(all_size == size + remote);
    CHECK(all_rank == (child ? remote + rank : rank));
    OK(MPI_Comm_dup(all, &twin));
    OK(MPI_Allreduce(&all_rank, &sum, 1, MPI_INT, MPI_SUM, twin));
    CHECK(sum == all_size * (all_size - 1) / 2);
    OK(MPI_Comm_split(all, all_rank % 2, -all_rank, &part));
    int part_size, one = 1;
    OK(MPI_Comm_size(part, &part_size));
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, part));
    CHECK(sum == part_size && part_size == (all_size + !(all_rank % 2)) / 2);

    /* The same processes in the reverse order: the first one is a child. */
    MPI_Group group, reverse;
    MPI_Comm reversed;
    int range[1][3] = {{all_size - 1, 0, -1}};
    OK(MPI_Comm_group(all, &group));
    OK(MPI_Group_range_incl(group, 1, range, &reverse));
    OK(MPI_Comm_create(all, reverse, &reversed));
    int reversed_rank;
    OK(MPI_Comm_size(reversed, &part_size));
    OK(MPI_Comm_rank(reversed, &reversed_rank));
    CHECK(part_size == all_size && reversed_rank == all_size - 1 - all_rank);
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, reversed));
    CHECK(sum == all_size);
    OK(MPI_Comm_free(&reversed));
    OK(MPI_Group_free(&reverse));
    OK(MPI_Group_free(&group));

    /* Memory of processes of several jobs. */
    MPI_Win window;
    int *memory, value = all_rank + 1;
    OK(MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, all, &memory, &window));
    *memory = 0;
    OK(MPI_Win_fence(0, window));
    int target = (all_rank + 1) % all_size;
    OK(MPI_Accumulate(&value, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, window));
    OK(MPI_Win_fence(0, window));
    CHECK(*memory == (all_rank + all_size - 1) % all_size + 1);
    OK(MPI_Win_free(&window));
    OK(MPI_Comm_free(&part));
    OK(MPI_Comm_free(&twin));
    OK(MPI_Comm_free(&all));
}

static int attribute(int key) {
    int *value, flag;
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag));
    CHECK(flag);
    return *value;
}

static void child(int argc, char **argv, MPI_Comm parent) {
    int size, length;
    char name[MPI_MAX_OBJECT_NAME];
    CHECK(argc == 6);
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    CHECK(size == atoi(argv[2]));
    CHECK(!strcmp(argv[4], "two words") && !strcmp(argv[5], ""));
    CHECK(attribute(MPI_APPNUM) == atoi(argv[3]));
    /* The parents are processes of the universe, too. */
    CHECK(attribute(MPI_UNIVERSE_SIZE) > size);
    OK(MPI_Comm_get_name(parent, name, &length));
    CHECK(!strcmp(name, "MPI_COMM_PARENT"));
    int parents;
    OK(MPI_Comm_remote_size(parent, &parents));
    talk(parent, 1, parents);
    merge(parent, 1);
    OK(MPI_Comm_disconnect(&parent));
    CHECK(parent == MPI_COMM_NULL);
    OK(MPI_Comm_get_parent(&parent));
    CHECK(parent == MPI_COMM_NULL);
    OK(MPI_Finalize());
    exit(0);
}

/* A process that has met a child, and one that has not, make an intercommunicator. */
static void exchange(MPI_Comm comm, int peer) {
    int mine = 1, theirs = 0;
    OK(MPI_Sendrecv(&mine, 1, MPI_INT, peer, 3, &theirs, 1, MPI_INT, peer, 3, comm,
                    MPI_STATUS_IGNORE));
    CHECK(theirs == 1);
}

static void met(MPI_Comm inter) {
    MPI_Comm all, wide;
    OK(MPI_Intercomm_merge(inter, 1, &all));
    OK(MPI_Intercomm_create(all, 0, MPI_COMM_NULL, 0, 8, &wide));
    exchange(wide, 0);
    OK(MPI_Comm_free(&wide));
    OK(MPI_Comm_free(&all));
    OK(MPI_Comm_disconnect(&inter));
}

static void meet_one(const char *program) {
    int rank, size;
    MPI_Comm inter, all, wide;
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    if (size < 2 || rank > 1)
        return;
    if (rank == 0) {
        OK(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1, 8, &wide));
        exchange(wide, 1);
    } else {
        char *arguments[] = {"met", NULL};
        OK(MPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter,
                          MPI_ERRCODES_IGNORE));
        OK(MPI_Intercomm_merge(inter, 0, &all));
        OK(MPI_Intercomm_create(all, 0, MPI_COMM_WORLD, 0, 8, &wide));
        OK(MPI_Comm_free(&all));
        OK(MPI_Comm_disconnect(&inter));
    }
    OK(MPI_Comm_free(&wide));
}

int main(int argc, char **argv) {
    OK(MPI_Init(&argc, &argv));
    MPI_Comm parent, inter;
    OK(MPI_Comm_get_parent(&parent));
    if (argc == 2 && !strcmp(argv[1], "met")) {
        met(parent);
        OK(MPI_Finalize());
        return 0;
    }
    if (parent != MPI_COMM_NULL)
        child(argc, argv, parent);
    int rank, size;
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));

    /* The arguments before the root's rank matter only at the root. */
    int root = size - 1, codes[3] = {-1, -1, -1};
    char *arguments[] = {"child", "2", "0", "two words", "", NULL};
    OK(MPI_Comm_spawn(rank == root ? argv[0] : NULL, rank == root ? arguments : NULL,
                      rank == root ? 2 : -5, MPI_INFO_NULL, root, MPI_COMM_WORLD, &inter, codes));
    CHECK(codes[0] == MPI_SUCCESS && codes[1] == MPI_SUCCESS && codes[2] == -1);
    talk(inter, 0, 2);
    merge(inter, 0);
    OK(MPI_Comm_disconnect(&inter));
    CHECK(inter == MPI_COMM_NULL);

    /* Two programs form one MPI_COMM_WORLD. */
    char *commands[] = {argv[0], argv[0]};
    char *first[] = {"child", "3", "0", "two words", "", NULL};
    char *second[] = {"child", "3", "1", "two words", "", NULL};
    char **lists[] = {first, second};
    int numbers[] = {1, 2};
    MPI_Info hints[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    OK(MPI_Comm_spawn_multiple(2, commands, lists, numbers, hints, 0, MPI_COMM_WORLD, &inter,
                               MPI_ERRCODES_IGNORE));
    talk(inter, 0, 3);
    merge(inter, 0);
    OK(MPI_Comm_disconnect(&inter));

    /* A program that does not exist: all processes get the error, and go on. */
    codes[0] = codes[1] = MPI_SUCCESS;
    FAILS(MPI_ERR_SPAWN, MPI_Comm_spawn("./there is no such program", MPI_ARGV_NULL, 2,
                                        MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, codes));
    CHECK(codes[0] == MPI_ERR_SPAWN && codes[1] == MPI_ERR_SPAWN);
    CHECK(inter == MPI_COMM_NULL);
    FAILS(MPI_ERR_ARG, MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 0, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                                      &inter, MPI_ERRCODES_IGNORE));
    FAILS(MPI_ERR_ROOT, MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, size,
                                       MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE));
    /* One that ends without MPI_Init. */
    FAILS(MPI_ERR_SPAWN, MPI_Comm_spawn("/bin/true", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0,
                                        MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE));
    /* A working directory that does not exist, and another machine. */
    MPI_Info hint;
    OK(MPI_Info_create(&hint));
    OK(MPI_Info_set(hint, "wdir", "/there/is/none"));
    FAILS(MPI_ERR_SPAWN, MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, hint, 0, MPI_COMM_WORLD, &inter,
                                        MPI_ERRCODES_IGNORE));
    OK(MPI_Info_delete(hint, "wdir"));
    OK(MPI_Info_set(hint, "host", "another.example"));
    FAILS(MPI_ERR_SPAWN, MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, hint, 0, MPI_COMM_WORLD, &inter,
                                        MPI_ERRCODES_IGNORE));
    OK(MPI_Info_free(&hint));
    meet_one(argv[0]);
    PASS();
}
