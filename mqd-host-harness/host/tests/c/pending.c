/*
 * pending.c - each rank has a receive that nothing matches. Each rank prints "ready PID".
 * The program ends when the standard input of rank 0 ends.
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main (int argc, char** argv)
{
  static double buffer[3];
  MPI_Request   receive;
  int           rank;
  char          byte;
  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Irecv (buffer, 3, MPI_DOUBLE, 1 - rank, 40 + rank, MPI_COMM_WORLD, &receive);
  printf ("ready %d\n", (int)getpid ());
  fflush (stdout);
  if (rank == 0)
    while (read (0, &byte, 1) > 0)
      ;
  MPI_Barrier (MPI_COMM_WORLD);
  MPI_Cancel (&receive);
  MPI_Wait (&receive, MPI_STATUS_IGNORE);
  return MPI_Finalize ();
}
