/* A program for the profiler (PERUSE document, 9.2), without any knowledge of it: on each of three
 * communicators 6 messages whose receives are posted before they come, and 10 that come before. 2
 * ranks. */
#include "p2p.h"

static void exchange(MPI_Comm comm)
{
    int values[16], value = 1;
    MPI_Request requests[6];
    if (rank == 0)
        for (int i = 0; i < 6; i++)
            MPI_Irecv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, i, comm, &requests[i]);
    MPI_Barrier(comm);
    if (rank == 1)
        for (int i = 0; i < 16; i++)
            MPI_Send(&value, 1, MPI_INT, 0, i, comm);
    MPI_Barrier(comm);
    if (rank == 0) {
        MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
        for (int i = 6; i < 16; i++)
            MPI_Recv(&values[i], 1, MPI_INT, 1, i, comm, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(comm);
}

int main(void)
{
    MPI_Comm copy, part;
    begin();
    exchange(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    exchange(copy);
    MPI_Comm_split(copy, 0, rank, &part);
    MPI_Comm_free(&copy);
    exchange(part);
    MPI_Comm_free(&part);
    return end();
}
