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

/* Whether it has begun. */
static volatile int begun;

int PMPI_Recv(void)
{
    begun = 1;
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

/* It waits in a loop around a function that is no progress function. The loop ends if memory
   changes, or if the function finds an error. */
int PMPI_Loop(void)
{
    while (calls == 0)
        if (pause() > 0)
            return 4;
    return ++calls;
}

/* Its loop ends as soon as the function returns. */
int PMPI_Loop_ends(void)
{
    do
        pause();
    while (calls != 0);
    return ++calls;
}

/* Its loop ends after some rounds. */
int PMPI_Loop_counts(void)
{
    for (int round = 0; round < 100; round++)
        pause();
    return ++calls;
}

/* A signal arrives while it runs. */
int PMPI_Probe(void)
{
    raise(SIGUSR1);
    return ++calls;
}
int MPI_Probe(void) __attribute__((weak, alias("PMPI_Probe")));

#if defined __x86_64__
/* As Intel's compiler makes it: the exported function only jumps to its code, which has no symbol
   in a stripped library. */
__attribute__((used)) static int code_of_mprobe(void) __asm__("code_of_mprobe");
static int code_of_mprobe(void)
{
    for (;;)
        library_progress();
}
__asm__(".globl PMPI_Mprobe\n"
        ".type PMPI_Mprobe, @function\n"
        "PMPI_Mprobe: jmp code_of_mprobe\n"
        ".size PMPI_Mprobe, . - PMPI_Mprobe\n");
#endif

/* What a thread of the library's own runs. */
void *library_thread(void *unused)
{
    wait_for_ever();
    return unused;
}
