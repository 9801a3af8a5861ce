/* MPI_T_ERR_CVAR_SET_NOT_NOW (14.3.6): the algorithm of collective operations cannot change while a
 * thread is in one. */
#include "mpi_t.h"
#include <pthread.h>
#include <sched.h>

static void *barrier(void *argument)
{
    (void)argument;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, rank, value = 1, go = 0;
    OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
    OK(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    if (rank == 1) {
        /* Enters the barrier only when rank 0 has finished its checks. */
        OK(MPI_Recv(&go, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Barrier(MPI_COMM_WORLD));
    } else {
        MPI_T_pvar_session session;
        OK(MPI_T_pvar_session_create(&session));
        MPI_T_pvar_handle under_way =
            pvar(session, "collectives_under_way", MPI_T_PVAR_CLASS_LEVEL, NULL);
        MPI_T_cvar_handle algorithm = cvar("MQDRT_CVAR_BARRIER_ALGORITHM");
        OK(MPI_T_cvar_write(algorithm, &value));
        value = 0;
        OK(MPI_T_cvar_write(algorithm, &value));
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, barrier, NULL) == 0);
        while (value_of(session, under_way) == 0)
            sched_yield();
        value = 1;
        CODE(MPI_T_ERR_CVAR_SET_NOT_NOW, MPI_T_cvar_write(algorithm, &value));
        CHECK(cvar_int("MQDRT_CVAR_BARRIER_ALGORITHM") == 0);
        /* Other variables can be written meanwhile. */
        set_cvar_int("MQDRT_CVAR_PATIENCE", 2000);
        OK(MPI_Send(&go, 1, MPI_INT, 1, 0, MPI_COMM_WORLD));
        CHECK(pthread_join(thread, NULL) == 0);
        /* The write that failed before works now. */
        OK(MPI_T_cvar_write(algorithm, &value));
        value = 0;
        OK(MPI_T_cvar_write(algorithm, &value));
        OK(MPI_T_pvar_session_free(&session));
    }
    OK(MPI_T_finalize());
    PASS();
}
