/* Parents, children and grandchildren become one group, although grandchildren and parents have had
 * no contact before. Before that, many processes are spawned one after the other, and by all
 * parents at once. With the argument "fail", a child exits with an error while its parent waits for
 * it. */
#include "check.h"

static MPI_Comm spawn(const char *program, const char *role, int count, MPI_Comm comm) {
    char *arguments[] = {(char *)role, NULL};
    MPI_Comm inter;
    OK(MPI_Comm_spawn(program, arguments, count, MPI_INFO_NULL, 0, comm, &inter,
                      MPI_ERRCODES_IGNORE));
    return inter;
}

/* Messages between any two processes of the group, and a file with a shared pointer. */
static void together(MPI_Comm three, int high, int expected) {
    MPI_Comm all;
    OK(MPI_Intercomm_merge(three, high, &all));
    int rank, size, *ranks;
    OK(MPI_Comm_rank(all, &rank));
    OK(MPI_Comm_size(all, &size));
    CHECK(expected == 0 || size == expected);
    ranks = malloc(size * sizeof *ranks);
    for (int distance = 0; distance < size; distance++) {
        int to = (rank + distance) % size, from = (rank + size - distance) % size;
        OK(MPI_Sendrecv(&rank, 1, MPI_INT, to, distance, &ranks[from], 1, MPI_INT, from, distance,
                        all, MPI_STATUS_IGNORE));
        CHECK(ranks[from] == from);
    }
    char name[64] = "";
    if (rank == 0)
        snprintf(name, sizeof name, "chain.%ld", (long)MPI_Wtime());
    OK(MPI_Bcast(name, sizeof name, MPI_CHAR, 0, all));
    MPI_File file;
    OK(MPI_File_open(all, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                     MPI_INFO_NULL, &file));
    OK(MPI_File_write_shared(file, &rank, 1, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_Barrier(all));
    MPI_Offset end;
    OK(MPI_File_get_position_shared(file, &end));
    CHECK(end == (MPI_Offset)(size * sizeof rank));
    OK(MPI_File_read_at_all(file, 0, ranks, size, MPI_INT, MPI_STATUS_IGNORE));
    int sum = 0;
    for (int i = 0; i < size; i++)
        sum += ranks[i];
    CHECK(sum == size * (size - 1) / 2);
    OK(MPI_File_close(&file));
    free(ranks);
    OK(MPI_Comm_free(&all));
}

int main(int argc, char **argv) {
    OK(MPI_Init(&argc, &argv));
    const char *role = argc > 1 ? argv[1] : "";
    int rank, size, members;
    MPI_Comm parent, near, far, three;
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    OK(MPI_Comm_get_parent(&parent));
    if (!strcmp(role, "short")) {
        OK(MPI_Comm_disconnect(&parent));
    } else if (!strcmp(role, "tell")) {
        OK(MPI_Send(&rank, 1, MPI_INT, 0, 1, parent));
        OK(MPI_Comm_free(&parent));
    } else if (!strcmp(role, "fail")) {
        if (parent != MPI_COMM_NULL)
            exit(7);
        far = spawn(argv[0], "fail", 1, MPI_COMM_WORLD);
        OK(MPI_Recv(&rank, 1, MPI_INT, 0, 0, far, MPI_STATUS_IGNORE));
    } else if (!strcmp(role, "child")) {
        OK(MPI_Intercomm_merge(parent, 1, &near));
        MPI_Comm down = spawn(argv[0], "grandchild", 2, MPI_COMM_WORLD);
        OK(MPI_Intercomm_merge(down, 0, &far));
        OK(MPI_Comm_size(near, &members));
        OK(MPI_Intercomm_create(near, members - size, far, size, 77, &three));
        together(three, 0, members + 2);
    } else if (!strcmp(role, "grandchild")) {
        OK(MPI_Intercomm_merge(parent, 1, &far));
        OK(MPI_Intercomm_create(MPI_COMM_WORLD, 0, far, 0, 77, &three));
        together(three, 1, 0);
    } else {
        for (int i = 0; i < 10; i++) {
            far = spawn(argv[0], "short", 1, MPI_COMM_WORLD);
            OK(MPI_Comm_disconnect(&far));
        }
        far = spawn(argv[0], "tell", 2, MPI_COMM_SELF);
        for (int i = 0; i < 2; i++) {
            int told;
            MPI_Status status;
            OK(MPI_Recv(&told, 1, MPI_INT, MPI_ANY_SOURCE, 1, far, &status));
            CHECK(told == status.MPI_SOURCE);
        }
        OK(MPI_Comm_free(&far));
        far = spawn(argv[0], "child", 2, MPI_COMM_WORLD);
        OK(MPI_Intercomm_merge(far, 0, &near));
        OK(MPI_Intercomm_create(near, size, MPI_COMM_NULL, 0, 77, &three));
        together(three, 0, size + 4);
        PASS();
    }
    OK(MPI_Finalize());
    return 0;
}
