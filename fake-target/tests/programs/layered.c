/* A program that does not use tools itself, and prints what layer.c changes. One process; with an
 * argument it starts with MPI_Init_thread. */
#include "check.h"

int main(int argc, char **argv)
{
    int rank = -1, provided, flag;
    OK(MPI_Initialized(&flag));
    CHECK(!flag && MPI_Wtime() < 1e9);
    if (argc > 1)
        OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided));
    else
        OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    CHECK(rank == 0);
    OK(PMPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(QMPI_Comm_rank(NULL, 0, MPI_COMM_WORLD, &rank));
    CHECK(rank == 0);
    printf("wtime: %d e9\n", (int)(MPI_Wtime() / 1e9));
    CHECK(QMPI_Wtime(NULL, 0) < 1e9);
    printf("aint: %ld\n", (long)MPI_Aint_add(100, 5));
    CHECK(QMPI_Aint_add(NULL, 0, 100, 5) == 105);
    OK(MPI_Pcontrol(3, 42, 2.5, "text", 1L << 40, -0.125, 11L, 12L, 13L));
    OK(MPI_Finalize());
    printf("after: %d e9\n", (int)(MPI_Wtime() / 1e9));
    printf("passed\n");
    return 0;
}
