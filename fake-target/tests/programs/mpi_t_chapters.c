/* Performance variables of windows, files, partitioned communication and dynamic processes
 * (14.3.7): what they count, against what the program does. The program starts itself. Any number
 * of ranks. */
#include "mpi_t.h"

#include <unistd.h>

static MPI_T_pvar_session session;

/* A variable of the process, with its value before and after. */
struct counted {
    const char *name;
    int class;
    unsigned long more;
};

/* Calls `work`, which must make the variables larger by these numbers. */
static void counts(void (*work)(void), const struct counted *expected, int n)
{
    MPI_T_pvar_handle handles[8];
    unsigned long before[8];
    for (int i = 0; i < n; i++) {
        handles[i] = pvar(session, expected[i].name, expected[i].class, NULL);
        OK(MPI_T_pvar_start(session, handles[i]));
        before[i] = value_of(session, handles[i]);
    }
    work();
    for (int i = 0; i < n; i++) {
        unsigned long more = value_of(session, handles[i]) - before[i];
        if (more != expected[i].more)
            fprintf(stderr, "%s: %lu more, not %lu\n", expected[i].name, more, expected[i].more);
        CHECK(more == expected[i].more);
        OK(MPI_T_pvar_handle_free(session, &handles[i]));
    }
}

static void windows(void)
{
    int rank, *memory, data[3] = {0}, found;
    MPI_Win win;
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Win_allocate(40, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
    for (int i = 0; i < 5; i++)
        OK(MPI_Put(data, 3, MPI_INT, rank, 0, 3, MPI_INT, win));
    OK(MPI_Get(data, 2, MPI_INT, rank, 0, 2, MPI_INT, win));
    OK(MPI_Fetch_and_op(data, &found, MPI_INT, rank, 1, MPI_SUM, win));
    OK(MPI_Put(data, 3, MPI_INT, MPI_PROC_NULL, 0, 3, MPI_INT, win));
    OK(MPI_Win_unlock(rank, win));
    OK(MPI_Win_free(&win));
}

static void files(void)
{
    char data[100] = {0}, path[64];
    MPI_File file;
    snprintf(path, sizeof path, "/tmp/mpi_t_chapters-%d", (int)getpid());
    OK(MPI_File_open(MPI_COMM_SELF, path,
                     MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                     &file));
    OK(MPI_File_write(file, data, 100, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_write_at(file, 0, data, 50, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at(file, 90, data, 100, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&file));
}

static void partitions(void)
{
    enum { PARTITIONS = 6 };
    int rank, out[PARTITIONS] = {0}, in[PARTITIONS], list[2] = {5, 0};
    MPI_Request requests[2];
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Psend_init(out, PARTITIONS, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &requests[0]));
    OK(MPI_Precv_init(in, PARTITIONS, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &requests[1]));
    OK(MPI_Startall(2, requests));
    OK(MPI_Pready(1, requests[0]));
    OK(MPI_Pready_range(2, 4, requests[0]));
    OK(MPI_Pready_list(2, list, requests[0]));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    OK(MPI_Request_free(&requests[0]));
    OK(MPI_Request_free(&requests[1]));
}

static char *program;

static void processes(void)
{
    char *arguments[] = {"child", NULL};
    MPI_Comm children;
    OK(MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                      MPI_ERRCODES_IGNORE));
    OK(MPI_Comm_disconnect(&children));
}

#define COUNTS(work, ...)                                                             \
    do {                                                                              \
        const struct counted all_[] = {__VA_ARGS__};                                  \
        counts(work, all_, sizeof all_ / sizeof *all_);                               \
    } while (0)

int main(int argc, char **argv)
{
    int provided, rank;
    OK(MPI_Init(&argc, &argv));
    if (argc > 1) {
        MPI_Comm parents;
        OK(MPI_Comm_get_parent(&parents));
        OK(MPI_Comm_disconnect(&parents));
        OK(MPI_Finalize());
        return 0;
    }
    program = argv[0];
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    OK(MPI_T_pvar_session_create(&session));
    const int count = MPI_T_PVAR_CLASS_COUNTER, sum = MPI_T_PVAR_CLASS_AGGREGATE;
    COUNTS(windows, {"puts", count, 5}, {"put_bytes", sum, 60}, {"gets", count, 1},
           {"get_bytes", sum, 8}, {"accumulates", count, 1}, {"accumulate_bytes", sum, 4});
    COUNTS(files, {"file_writes", count, 2}, {"file_bytes_written", sum, 150},
           {"file_reads", count, 1}, {"file_bytes_read", sum, 10});
    COUNTS(partitions, {"partitions_ready", count, 6});
    /* The root alone starts processes; all of them meet the children. */
    COUNTS(processes, {"processes_spawned", count, rank == 0 ? 2 : 0}, {"groups_met", count, 1});
    OK(MPI_T_pvar_session_free(&session));
    OK(MPI_T_finalize());
    PASS();
}
