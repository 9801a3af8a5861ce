/*
 * What an MPI library looks like on a stack: functions with two names, internal functions, and
 * callbacks of the program.
 */
#include <signal.h>
#include <unistd.h>

static volatile int calls;

__attribute__((noinline)) static int wait_for_ever(void)
{
    for (;;)
        pause();
    return ++calls;
}

/* The progress function. */
int library_progress(void)
{
    pause();
    return ++calls;
}

int PMPI_Recv(void)
{
    for (;;)
        library_progress();
}
int MPI_Recv(void) __attribute__((weak, alias("PMPI_Recv")));

int PMPI_Barrier(void)
{
    return wait_for_ever() + 2;
}
int MPI_Barrier(void) __attribute__((weak, alias("PMPI_Barrier")));

int PMPI_Comm_free(int (*callback)(void))
{
    return callback() + 3;
}
int MPI_Comm_free(int (*callback)(void)) __attribute__((weak, alias("PMPI_Comm_free")));

/* A signal arrives while it runs. */
int PMPI_Probe(void)
{
    raise(SIGUSR1);
    return ++calls;
}
int MPI_Probe(void) __attribute__((weak, alias("PMPI_Probe")));

/* What a thread of the library's own runs. */
void *library_thread(void *unused)
{
    wait_for_ever();
    return unused;
}
