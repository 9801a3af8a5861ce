/* The default error handler ends the job: this process by the argument, the others because the job
 * ends. */
#include "check.h"

int main(int argc, char **argv)
{
    int rank, n;
    const char *how = argc > 1 ? argv[1] : "";
    if (strcmp(how, "early") == 0)
        return MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    if (strcmp(how, "late") == 0) {
        OK(MPI_Finalize());
        return MPI_Barrier(MPI_COMM_WORLD);
    }
    if (strcmp(how, "return") == 0) {
        /* Only this communicator returns; MPI_COMM_SELF still ends the job. */
        OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
        FAILS(MPI_ERR_ROOT, MPI_Bcast(&n, 1, MPI_INT, 99, MPI_COMM_WORLD));
        MPI_Bcast(&n, 1, MPI_INT, 99, MPI_COMM_SELF);
    }
    if (strcmp(how, "group") == 0) {
        MPI_Group group, none;
        OK(MPI_Comm_group(MPI_COMM_WORLD, &group));
        MPI_Group_incl(group, 1, (int[]){7}, &none);
    }
    if (rank == 0)
        MPI_Send(&n, 1, MPI_INT, 4711, 0, MPI_COMM_WORLD);
    /* This call never returns. */
    MPI_Recv(&n, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("came back\n");
    return 0;
}
