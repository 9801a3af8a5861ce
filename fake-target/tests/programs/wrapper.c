/* A tool in the program: it defines MPI functions of its own and calls the real ones by their PMPI
 * names. Two processes. */
#include "check.h"

static int sends, sizes;

int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    sends++;
    return PMPI_Send(buf, count, datatype, dest, tag, comm);
}

int MPI_Type_size(MPI_Datatype datatype, int *size)
{
    sizes++;
    return PMPI_Type_size(datatype, size);
}

int main(int argc, char **argv)
{
    int rank, value = 5, size;
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    if (rank == 0)
        OK(MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD));
    else
        OK(MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Type_size(MPI_INT, &size));
    CHECK(size == 4 && sizes == 1 && sends == (rank == 0));
    PASS();
}
