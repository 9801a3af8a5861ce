/*
 * pmpi_example.c - example 14.1 of MPI 3.1, section 14.2.5, with a report at the end. It uses MPI
 * functions that it does not replace, by both names.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#include <mpi.h>
#include <stdio.h>

static int totalBytes = 0;
static double totalTime = 0.0;

int MPI_Send(const void *buffer, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    double tstart = MPI_Wtime();
    int extent;
    int result = PMPI_Send(buffer, count, datatype, dest, tag, comm);
    totalTime += MPI_Wtime() - tstart;
    MPI_Type_size(datatype, &extent);
    totalBytes += count * extent;
    return result;
}

int MPI_Finalize(void)
{
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("rank %d sent %d bytes in %s time\n", rank, totalBytes,
           totalTime >= 0 ? "some" : "negative");
    fflush(stdout);
    return PMPI_Finalize();
}
