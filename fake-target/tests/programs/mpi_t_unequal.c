/* A variable of the scope MPI_T_SCOPE_ALL_EQ (14.3.6) that is not equal everywhere: MPI_Init fails.
 */
#include "mpi_t.h"

int main(int argc, char **argv)
{
    int provided;
    const char *rank = getenv("MQDRT_RANK");
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    set_cvar_int("MQDRT_CVAR_RING_SIZE", rank && strcmp(rank, "0") == 0 ? 65536 : 32768);
    MPI_Init(&argc, &argv);
    /* Only the first of the two processes may get here. */
    OK(MPI_Barrier(MPI_COMM_WORLD));
    printf("came back\n");
    return 0;
}
