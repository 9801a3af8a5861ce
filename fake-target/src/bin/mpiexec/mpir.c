/*
 * mpir.c - the starter's side of the MPIR Process Acquisition Interface 1.0: the variables that a
 * debugger reads and writes in mpiexec, and the function it puts its breakpoint on. It is C so that
 * MPIR_PROCDESC has its type in the debug information; mpir.rs fills it.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#include <stddef.h>

typedef struct {
    char *host_name;
    char *executable_name; /* absolute */
    int pid;
} MPIR_PROCDESC;

/* One entry per rank, in the order of the ranks of MPI_COMM_WORLD. */
MPIR_PROCDESC *MPIR_proctable = NULL;
int MPIR_proctable_size = 0;

/* MPIR_NULL 0, MPIR_DEBUG_SPAWNED 1, MPIR_DEBUG_ABORTING 2 */
volatile int MPIR_debug_state = 0;
char *MPIR_abort_string = NULL;

/* Set by the debugger, before main runs, when it wants the ranks held. */
volatile int MPIR_being_debugged = 0;

/* Only their presence counts. It says that this process is the starter, and that every held rank,
 * attached or not, runs on when MPIR_Breakpoint returns. */
int MPIR_i_am_starter = 0;
int MPIR_partial_attach_ok = 0;

/* The debugger stops here to look at MPIR_debug_state. */
__attribute__((noinline)) void MPIR_Breakpoint(void)
{
    __asm__ volatile("" ::: "memory");
}
