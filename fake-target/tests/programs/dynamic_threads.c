/* Several threads spawn processes at the same time. The program spawns itself with "child". */
#include "check.h"

#include <pthread.h>

enum { THREADS = 3, TIMES = 4 };

static const char *program;

static void *spawn(void *comm)
{
    for (int i = 0; i < TIMES; i++) {
        MPI_Comm inter;
        char *arguments[] = {"child", NULL};
        int mine = 10 * i, theirs = -1;
        OK(MPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 0, *(MPI_Comm *)comm, &inter,
                          MPI_ERRCODES_IGNORE));
        OK(MPI_Sendrecv(&mine, 1, MPI_INT, 0, 1, &theirs, 1, MPI_INT, 0, 1, inter,
                        MPI_STATUS_IGNORE));
        CHECK(theirs == mine + 1);
        OK(MPI_Comm_disconnect(&inter));
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Comm parent, comms[THREADS];
    OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
    CHECK(provided == MPI_THREAD_MULTIPLE);
    OK(MPI_Comm_get_parent(&parent));
    if (parent != MPI_COMM_NULL) {
        int got;
        OK(MPI_Recv(&got, 1, MPI_INT, 0, 1, parent, MPI_STATUS_IGNORE));
        got++;
        OK(MPI_Send(&got, 1, MPI_INT, 0, 1, parent));
        OK(MPI_Comm_disconnect(&parent));
        OK(MPI_Finalize());
        return 0;
    }
    program = argv[0];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        OK(MPI_Comm_dup(MPI_COMM_SELF, &comms[i]));
        CHECK(pthread_create(&threads[i], NULL, spawn, &comms[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        OK(MPI_Comm_free(&comms[i]));
    }
    PASS();
}
