/*
 * toy_process.c - a process with the toy's queues. It prints "ready", and counts until its
 * standard input ends.
 * TOY_DLL_ARRAY, TOY_DLL_POINTER: name a debug DLL as an array of characters, or as a pointer.
 * TOY_PML: the name of the component that matches messages, stored as Open MPI does.
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "toy.h"

#ifdef TOY_DLL_ARRAY
char MPIR_dll_name[4096] = TOY_DLL_ARRAY;
#endif
#ifdef TOY_DLL_POINTER
const char* MPIR_dll_name = TOY_DLL_POINTER;
#endif

#ifdef TOY_PML
struct
{
  int  version[3];
  char project[16];
  int  project_version[3];
  char type[32];
  int  type_version[3];
  char name[64];
} mca_pml_base_selected_component = {
  { 2, 1, 0 }, "mca", { 4, 1, 4 }, "pml", { 2, 0, 0 }, TOY_PML
};
#endif

static struct toy_operation unexpected = { "", 9, NULL, 2, 0, 1, 1, 9 };
static struct toy_operation done = { "", -2, &unexpected, 1, 2, -1, 800, 12 };
static struct toy_operation wild = { "", -2, &done, 1, 0, -1, 4, 0 };
static struct toy_operation receive = { "", 17, &wild, 1, 0, 2, 4000000000LL, 0 };
static struct toy_operation send = { "", 7, &receive, 0, 1, 1, 16, 7 };

static struct toy_communicator second = { 0, NULL, 1, "MPI_COMM_SELF", NULL };
static struct toy_communicator first = { 3, &send, 4, "MPI_COMM_WORLD", &second };

struct toy_communicator* toy_root = &first;

/* Something to look up as a function. */
int toy_function (void) { return toy_root == &first; }

volatile unsigned long toy_ticks;

static void* tick (void* unused)
{
  (void)unused;
  for (;;)
    {
      ++toy_ticks;
      usleep (1000);
    }
}

int main (void)
{
  pthread_t thread;
  char      byte;
  if (!toy_function () || pthread_create (&thread, NULL, tick, NULL) != 0)
    return 1;
  puts ("ready");
  fflush (stdout);
  while (read (0, &byte, 1) > 0)
    {
      /* Every byte asks whether the process still runs. */
      printf ("%lu\n", toy_ticks);
      fflush (stdout);
    }
  return 0;
}
