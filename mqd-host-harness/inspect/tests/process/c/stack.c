/* Waits in the place that its argument names. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int MPI_Recv(void), MPI_Barrier(void), MPI_Probe(void), MPI_Send(void);
int PMPI_Mprobe(void);
int PMPI_Loop(void), PMPI_Loop_ends(void), PMPI_Loop_counts(void);
int MPI_Comm_free(int (*callback)(void));
void *library_thread(void *unused);

static volatile int calls;
volatile int arrived;

static int is(const char *mode, const char *name)
{
    return strcmp(mode, name) == 0;
}

static void *stay(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static void *receive(void *unused)
{
    calls = MPI_Recv();
    return unused;
}

static void on_signal(int number)
{
    calls = number;
    stay(0);
}

/* Code without unwind information. It jumps to itself. */
static void *bare_code(void *unused)
{
    static const unsigned char loop[] = {
#if defined __x86_64__
        0xeb, 0xfe
#elif defined __aarch64__
        0x00, 0x00, 0x00, 0x14
#endif
    };
    void *code = mmap(0, sizeof loop, PROT_READ | PROT_WRITE | PROT_EXEC,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(code, loop, sizeof loop);
    __builtin___clear_cache(code, (char *)code + sizeof loop);
    arrived = 1;
    ((void (*)(void))code)();
    return unused;
}

/* Runs a function of the library that is not an MPI function. */
static void *inside(void *unused)
{
    arrived = 1;
    calls = library_thread(unused) != 0;
    return unused;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    pthread_t thread;
    signal(SIGUSR1, on_signal);
    if (is(mode, "call"))
        calls = MPI_Recv();
    if (is(mode, "tool"))
        calls = MPI_Send();
    if (is(mode, "callback"))
        calls = MPI_Comm_free(MPI_Recv);
    if (is(mode, "handler"))
        calls = MPI_Probe();
    if (is(mode, "loop"))
        calls = PMPI_Loop();
    if (is(mode, "loop ends"))
        calls = PMPI_Loop_ends();
    if (is(mode, "loop counts"))
        calls = PMPI_Loop_counts();
#if defined __x86_64__
    if (is(mode, "jump"))
        calls = PMPI_Mprobe();
#endif
    pthread_create(&thread, 0,
                   is(mode, "inside") ? inside
                   : is(mode, "bare") ? bare_code
                   : is(mode, "none") ? stay
                                      : receive,
                   0);
    if (is(mode, "both"))
        calls = MPI_Barrier();
    stay(0);
    return calls;
}
