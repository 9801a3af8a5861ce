/* Reports on itself, then waits for a line, or dies with a core file. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "report.h"
#include "types.h"

struct twice {
    int value;
    char program_tail[9];
};

struct plain program_data = {'p', -2, 3, -4, 5, &program_data, -6.25, "program", 0};
const char program_constant[] = "read-only bytes of the program";
static tagless_t hidden_data = {11, {'h', 1, 1, 1, 1, 0, 0.5, "hidden", 0}, 22};
static struct twice program_twice = {5, "twice"};
static int program_zero;
long untouched[8192];
char *not_dumped;
volatile long counters[8];
volatile int arrived_signals;
struct anonymous program_anonymous = {1, {2}, 3};
struct bits program_bits = {1, 1, 1, 1, 1, 1};
union both program_both;
color_t program_color = GREEN;
matrix_t program_matrix = {{1, 2}, {3}};
handle_t program_handle = &program_color;
struct flexible *program_flexible;
qualified_t program_qualified = {'q', 1, 2, 3, 4, 0, 5, "q", 0};
opaque_t *program_opaque;
long double program_long_double = 1;
unsigned long long program_unsigned;
unsigned long program_unsigned_long;
unsigned short program_unsigned_short;
unsigned program_unsigned_int;
unsigned char program_unsigned_char;
signed char program_signed_char;
float program_float;
int (*program_function_pointer)(opaque_t *) = library_function;

__attribute__((noinline)) static int hidden_function(int x)
{
    struct local_only { long a; int b; } local = {x, x};
    return (int)local.a + local.b + program_zero;
}

static void *count(void *place)
{
    for (;;)
        ++*(volatile long *)place;
    return 0;
}

static void *nothing(void *unused)
{
    return unused;
}

/* Threads come and go. */
static void *churn(void *unused)
{
    for (;;) {
        pthread_t thread;
        if (pthread_create(&thread, 0, nothing, 0) == 0)
            pthread_join(thread, 0);
        ++counters[7];
    }
    return unused;
}

static void on_signal(int number)
{
    (void)number;
    __sync_fetch_and_add(&arrived_signals, 1);
}

static void report(void)
{
    SIZE("char", char);
    SIZE("short", short);
    SIZE("int", int);
    SIZE("long", long);
    SIZE("long int", long int);
    SIZE("long long int", long long int);
    SIZE("long long", long long);
    SIZE("unsigned", unsigned);
    SIZE("unsigned char", unsigned char);
    SIZE("signed char", signed char);
    SIZE("unsigned short", unsigned short);
    SIZE("unsigned long", unsigned long);
    SIZE("unsigned long long", unsigned long long);
    SIZE("long unsigned int", long unsigned int);
    SIZE("float", float);
    SIZE("double", double);
    SIZE("long double", long double);
    SIZE("handle_t", handle_t);
    SIZE("matrix_t", matrix_t);
    SIZE("color", enum color);
    SIZE("enum color", enum color);
    SIZE("color_t", color_t);

#define PLAIN(text, type)      \
    SIZE(text, type);          \
    OFFSET(text, type, a);     \
    OFFSET(text, type, b);     \
    OFFSET(text, type, c);     \
    OFFSET(text, type, d);     \
    OFFSET(text, type, e);     \
    OFFSET(text, type, f);     \
    OFFSET(text, type, g);     \
    OFFSET(text, type, name);  \
    OFFSET(text, type, next)
    SIZE("bulk", struct bulk);
    SIZE("bulk_13", struct bulk_13);
    OFFSET("bulk_13", struct bulk_13, text_13);
    bulk.b1 = 0;
    PLAIN("plain", struct plain);
    PLAIN("struct plain", struct plain);
    PLAIN("plain_t", plain_t);
    PLAIN("qualified_t", qualified_t);

    SIZE("tagless_t", tagless_t);
    OFFSET("tagless_t", tagless_t, first);
    OFFSET("tagless_t", tagless_t, inner);
    OFFSET("tagless_t", tagless_t, last);

    SIZE("anonymous", struct anonymous);
    OFFSET("anonymous", struct anonymous, kind);
    OFFSET("anonymous", struct anonymous, number);
    OFFSET("anonymous", struct anonymous, low);
    OFFSET("anonymous", struct anonymous, high);
    OFFSET("anonymous", struct anonymous, tail);

    SIZE("bits", struct bits);
    OFFSET("bits", struct bits, lead);
    OFFSET("bits", struct bits, after);
    BITS("bits", struct bits, one);
    BITS("bits", struct bits, two);
    BITS("bits", struct bits, three);
    BITS("bits", struct bits, wide);

    SIZE("both", union both);
    SIZE("union both", union both);
    OFFSET("both", union both, c);
    OFFSET("both", union both, number);
    OFFSET("both", union both, plain);

    SIZE("flexible", struct flexible);
    OFFSET("flexible", struct flexible, count);
    OFFSET("flexible", struct flexible, items);

    SIZE("program:twice", struct twice);
    OFFSET("program:twice", struct twice, value);
    OFFSET("program:twice", struct twice, program_tail);

    DATA(program_data);
    DATA(program_constant);
    DATA(program_matrix);
    DATA(hidden_data);
    FUNCTION(report);
    FUNCTION(hidden_function);
    library_report();
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "wait";
    pthread_t thread;
    int i;

    hidden_function(program_twice.value);
    not_dumped = mmap(0, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(not_dumped, 'n', 1 << 16);
    madvise(not_dumped, 1 << 16, MADV_DONTDUMP);
    program_zero = argc;
    report();
#ifdef PLUGIN
#ifdef NAMESPACE
    fflush(stdout);
    void *plugin = dlmopen(LM_ID_NEWLM, PLUGIN, RTLD_NOW);
#else
    void *plugin = dlopen(PLUGIN, RTLD_NOW);
#endif
    void (*plugin_report)(void);
    if (!plugin || !(plugin_report = (void (*)(void))dlsym(plugin, "plugin_report"))) {
        printf("%s\n", dlerror());
        return 1;
    }
    plugin_report();
#endif
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGRTMIN + 3, &action, 0);
    sigaction(SIGUSR1, &action, 0);
    if (!strcmp(mode, "threads") || !strcmp(mode, "leaderless")) {
        for (i = 0; i < 6; i++)
            pthread_create(&thread, 0, count, (void *)&counters[i]);
        pthread_create(&thread, 0, churn, 0);
    }
    printf("ready\n");
    fflush(stdout);
    if (!strcmp(mode, "abort"))
        abort();
    if (!strcmp(mode, "leaderless"))
        pthread_exit(0);
    for (;;) {
        char byte;
        ssize_t got = read(0, &byte, 1);
        counters[6]++;
        if (got == 0)
            break;
        if (got == 1) {
            printf("alive|%d\n", arrived_signals);
            fflush(stdout);
        }
    }
    return 7;
}
