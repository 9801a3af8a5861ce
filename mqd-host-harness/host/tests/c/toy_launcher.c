/*
 * toy_launcher.c HOST PID [HOST PID]... - a launcher whose table holds these processes.
 * It prints "ready" and runs until its standard input ends.
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef TOY_ODD_TABLE
/* The order is unusual: only debug information gives it. */
typedef struct
{
  int   something;
  int   pid;
  char* executable_name;
  char* host_name;
  long  more;
} MPIR_PROCDESC;
#else
typedef struct
{
  char* host_name;
  char* executable_name;
  int   pid;
} MPIR_PROCDESC;
#endif

MPIR_PROCDESC* MPIR_proctable;
int            MPIR_proctable_size;

int main (int argc, char** argv)
{
  char byte;
  int  i;
  MPIR_proctable_size = (argc - 1) / 2;
  MPIR_proctable = calloc (MPIR_proctable_size + 1, sizeof *MPIR_proctable);
  for (i = 0; i < MPIR_proctable_size; ++i)
    {
      MPIR_proctable[i].host_name = argv[1 + 2 * i];
      MPIR_proctable[i].executable_name = "/toy/program";
      MPIR_proctable[i].pid = atoi (argv[2 + 2 * i]);
    }
#ifdef TOY_ENDLESS_TABLE
  /* A table of very many processes that are all on the host of the first. */
  MPIR_proctable_size = 1000000;
  MPIR_proctable = realloc (MPIR_proctable, MPIR_proctable_size * sizeof *MPIR_proctable);
  for (i = 1; i < MPIR_proctable_size; ++i)
    {
      MPIR_proctable[i] = MPIR_proctable[0];
      MPIR_proctable[i].pid += i;
    }
#endif
  puts ("ready");
  fflush (stdout);
  return read (0, &byte, 1) < 0;
}
