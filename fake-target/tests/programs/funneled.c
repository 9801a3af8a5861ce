/* A session of another thread beside the World Model at the level MPI_THREAD_FUNNELED. */
#include "check.h"
#include <pthread.h>

enum {
    ROUNDS = 300
};

static int done;

static MPI_Session open_session(void)
{
    MPI_Session session;
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE"));
    OK(MPI_Session_init(info, MPI_ERRORS_RETURN, &session));
    OK(MPI_Info_free(&info));
    return session;
}

/* Opens a session while the main thread communicates, and sums up in its communicator. */
static void *work(void *argument)
{
    (void)argument;
    int flag, rank, size, sum;
    OK(MPI_Is_thread_main(&flag));
    CHECK(!flag);
    MPI_Session session = open_session();
    MPI_Group group;
    MPI_Comm comm;
    OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &group));
    OK(MPI_Comm_create_from_group(group, "work", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    OK(MPI_Group_free(&group));
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    for (int i = 0; i < ROUNDS; i++) {
        int value = rank + i;
        OK(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm));
        CHECK(sum == size * (size - 1) / 2 + size * i);
    }
    OK(MPI_Comm_free(&comm));
    OK(MPI_Session_finalize(&session));
    __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, flag, rank, size, got, all = 0;
    pthread_t thread;
    OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided));
    CHECK(provided == MPI_THREAD_FUNNELED);
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    OK(MPI_Is_thread_main(&flag));
    CHECK(flag);
    CHECK(pthread_create(&thread, NULL, work, NULL) == 0);
    /* Until the threads of all ranks have ended. */
    while (!all) {
        int own = __atomic_load_n(&done, __ATOMIC_ACQUIRE);
        OK(MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 7, &got, 1, MPI_INT,
                        (rank + size - 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(got == (rank + size - 1) % size);
        OK(MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD));
    }
    CHECK(pthread_join(thread, NULL) == 0);
    PASS();
}
