/* A program that calls MPI_Finalize in an exit handler which is older than MPI_Init. */
#include "check.h"

static void finish(void)
{
    int value = 1, sum, size;
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    OK(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK(sum == size);
    OK(MPI_Finalize());
    printf("passed\n");
}

int main(int argc, char **argv)
{
    CHECK(atexit(finish) == 0);
    OK(MPI_Init(&argc, &argv));
    exit(0);
}
