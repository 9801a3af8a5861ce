/*
 * qmpi_trace.c - traces the calls of MPI functions: one line for each when it returns, with its
 * arguments, result and duration.
 *
 * A QMPI tool named "trace". Link it with the program, or preload it, and name it in QMPI_TOOLS.
 * Named several times, or among other tools, it shows what reaches each place of the stack:
 *
 *     mpicc -O2 -shared -fPIC qmpi_trace.c -o libqmpi_trace.so
 *     LD_PRELOAD=$PWD/libqmpi_trace.so QMPI_TOOLS=trace mpiexec -n 2 ./program
 *
 * A line: rank (? before MPI_Init), tool ID, seconds since MPI_Init was called, duration in
 * microseconds, the call, its result. Calls that other calls contain (from callbacks, and of tools)
 * are indented and come first. MPI_Abort, and a call that never returns, have no line of their own;
 * MPI_Abort writes out those before it. Lines go to standard error, or, with QMPI_TRACE=PREFIX, to
 * the file PREFIX.RANK of each rank (PREFIX.pid-N for a process that never has a rank).
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <qmpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* There are many wrappers, so common code must not be inlined into each. */
#define NOINLINE __attribute__((noinline))

/* Shared by all instances of the tool in the process. Threads write one line at a time. */
static struct {
    pthread_mutex_t lock;
    FILE *file;
    double start;
    int rank;
} trace = {.lock = PTHREAD_MUTEX_INITIALIZER, .rank = -1};

static __thread int depth;

/* An instance: the next tool's function for each MPI function. It is the tool's storage, found by
 * its ID. */
struct instance {
    struct {
        void (*function)(void);
        int id;
    } next[MPI_LAST_FUNC_T];
};

/* A line that is being composed. */
struct line {
    char text[1000];
    size_t length;
    int arguments;
};

static NOINLINE double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* What does not fit is cut. */
__attribute__((format(printf, 2, 3))) static NOINLINE void add(struct line *line,
                                                               const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length =
        vsnprintf(line->text + line->length, sizeof line->text - line->length, format, list);
    va_end(list);
    line->length += length > 0 ? (size_t)length : 0;
    if (line->length >= sizeof line->text)
        line->length = sizeof line->text - 1;
}

static NOINLINE void show_integer(struct line *line, long long value)
{
    add(line, "%lld", value);
}

static NOINLINE void show_double(struct line *line, double value)
{
    add(line, "%.9f", value);
}

static NOINLINE void show_text(struct line *line, const char *value)
{
    add(line, value ? "\"%.200s\"" : "%s", value ? value : "NULL");
}

/* Shows only the address: functions may write to the memory, and its length is not known here. */
static NOINLINE void show_pointer(struct line *line, const void *value)
{
    add(line, value ? "%p" : "NULL", value);
}

static NOINLINE void show_handle(struct line *line, const void *value)
{
    add(line, "0x%" PRIxPTR, (uintptr_t)value);
}

static NOINLINE void show_comm(struct line *line, MPI_Comm value)
{
    const char *name = value == MPI_COMM_WORLD  ? "MPI_COMM_WORLD"
                       : value == MPI_COMM_SELF ? "MPI_COMM_SELF"
                       : value == MPI_COMM_NULL ? "MPI_COMM_NULL"
                                                : NULL;
    if (name)
        add(line, "%s", name);
    else
        show_handle(line, value);
}

#define SHOW(line, value)            \
    _Generic((value),                \
        int: show_integer,           \
        unsigned: show_integer,      \
        long: show_integer,          \
        double: show_double,         \
        const char *: show_text,     \
        MPI_Comm: show_comm,         \
        MPI_Datatype: show_handle,   \
        MPI_Errhandler: show_handle, \
        MPI_File: show_handle,       \
        MPI_Group: show_handle,      \
        MPI_Info: show_handle,       \
        MPI_Message: show_handle,    \
        MPI_Op: show_handle,         \
        MPI_Request: show_handle,    \
        MPI_Session: show_handle,    \
        MPI_Win: show_handle,        \
        default: show_pointer)(line, value)

static NOINLINE void argument(struct line *line, const char *name)
{
    add(line, "%s%s=", line->arguments++ ? ", " : "", name);
}

/* The file for lines. It is opened when the rank is known; earlier lines wait until then. */
static FILE *output(int may_wait)
{
    static char *early;
    static size_t early_size;
    static FILE *memory;
    const char *prefix = getenv("QMPI_TRACE");
    if (trace.file)
        return trace.file;
    if (!prefix || !*prefix)
        return trace.file = stderr;
    if (trace.rank < 0 && may_wait) {
        if (!memory)
            memory = open_memstream(&early, &early_size);
        return memory ? memory : stderr;
    }
    char name[4096];
    if (trace.rank >= 0)
        snprintf(name, sizeof name, "%s.%d", prefix, trace.rank);
    else
        snprintf(name, sizeof name, "%s.pid-%ld", prefix, (long)getpid());
    trace.file = fopen(name, "w");
    if (!trace.file) {
        fprintf(stderr, "qmpi_trace: cannot write %s: %m. The trace goes to standard error.\n",
                name);
        trace.file = stderr;
    }
    if (memory) {
        fclose(memory);
        fwrite(early, 1, early_size, trace.file);
        free(early);
        memory = NULL;
    }
    return trace.file;
}

static NOINLINE void print(const struct line *line, int tool_id, double begin, double end)
{
    char rank[16] = "?";
    pthread_mutex_lock(&trace.lock);
    if (trace.rank >= 0)
        snprintf(rank, sizeof rank, "%d", trace.rank);
    fprintf(output(1), "%s %d %.6f %.3f %*s%s\n", rank, tool_id, begin - trace.start,
            (end - begin) * 1e6, 2 * depth, "", line->text);
    pthread_mutex_unlock(&trace.lock);
}

/* Called when the program ends: writes out what is in buffers. */
static NOINLINE void flush(void)
{
    pthread_mutex_lock(&trace.lock);
    fflush(output(0));
    pthread_mutex_unlock(&trace.lock);
}

/* The instance of this ID, whose table of next functions is filled when MPI is initialized. */
static NOINLINE struct instance *instance(QMPI_Context context, int tool_id)
{
    struct instance *self = NULL;
    MPI_Get_tool_storage(context, tool_id, &self);
    if (!self->next[0].function)
        for (int i = 0; i < MPI_LAST_FUNC_T; i++)
            MPI_Get_next_tool_function(tool_id, (enum MPI_Functions_enum)i, &self->next[i].function,
                                       &self->next[i].id);
    return self;
}

/* After MPI_Init the rank is known. */
static NOINLINE void learn_rank(QMPI_Context context, const struct instance *self)
{
    int rank;
    if (((QMPI_Comm_rank_t *)self->next[MPI_COMM_RANK_T].function)(
            context, self->next[MPI_COMM_RANK_T].id, MPI_COMM_WORLD, &rank) == MPI_SUCCESS)
        trace.rank = rank;
}

/* Names of variables here end with _, to differ from the parameters of the functions. */
#define BEFORE(NAME)                                           \
    const struct instance *self_ = instance(context, tool_id); \
    int next_tool_id = self_->next[MPI_##NAME##_T].id;         \
    struct line line_ = {.length = 0};                         \
    if (MPI_##NAME##_T == MPI_ABORT_T)                         \
        flush();                                               \
    depth++;                                                   \
    double begin_ = now();

#define AFTER(NAME)                                                          \
    double end_ = now();                                                     \
    depth--;                                                                 \
    if (MPI_##NAME##_T == MPI_INIT_T || MPI_##NAME##_T == MPI_INIT_THREAD_T) \
        learn_rank(context, self_);

#define ARGUMENT(name) (argument(&line_, #name), SHOW(&line_, name));
#define FUNCTION(result, name, NAME, parameters, pass_on, arguments)                      \
    static result trace_##name parameters                                                 \
    {                                                                                     \
        BEFORE(NAME)                                                                      \
        result value_ = ((QMPI_##name##_t *)self_->next[MPI_##NAME##_T].function)pass_on; \
        AFTER(NAME)                                                                       \
        add(&line_, "MPI_" #name "(");                                                    \
        arguments add(&line_, ") = ");                                                    \
        SHOW(&line_, value_);                                                             \
        print(&line_, tool_id, begin_, end_);                                             \
        if (MPI_##NAME##_T == MPI_FINALIZE_T)                                             \
            flush();                                                                      \
        return value_;                                                                    \
    }
#define VARIADIC_FUNCTION(result, name, NAME, parameters, pass_on, arguments)
#include <qmpi_functions.h>

/* Variable arguments: up to eight integers or pointers and eight floating point numbers, which are
 * passed separately. */
static int trace_Pcontrol(QMPI_Context context, int tool_id, const int level, ...)
{
    va_list list;
    long i[8];
    double d[8];
    va_start(list, level);
    for (int n = 0; n < 8; n++)
        i[n] = va_arg(list, long);
    va_end(list);
    va_start(list, level);
    for (int n = 0; n < 8; n++)
        d[n] = va_arg(list, double);
    va_end(list);
    BEFORE(PCONTROL)
    int value = ((QMPI_Pcontrol_t *)self_->next[MPI_PCONTROL_T].function)(
        context, next_tool_id, level, i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7], d[0], d[1],
        d[2], d[3], d[4], d[5], d[6], d[7]);
    AFTER(PCONTROL)
    add(&line_, "MPI_Pcontrol(level=%d, ...) = %d", level, value);
    print(&line_, tool_id, begin_, end_);
    return value;
}

static void initialize(int tool_id)
{
    struct instance *self = calloc(1, sizeof *self);
    if (!self) {
        fprintf(stderr, "qmpi_trace: no memory for tool %d; it traces nothing\n", tool_id);
        return;
    }
    MPI_Register_tool_storage(tool_id, self);
    if (trace.start == 0)
        trace.start = now();
#define FUNCTION(result, name, NAME, parameters, pass_on, arguments) \
    MPI_Register_tool_function(tool_id, MPI_##NAME##_T, (void (*)(void))trace_##name);
#define VARIADIC_FUNCTION FUNCTION
#define ARGUMENT(name)
#include <qmpi_functions.h>
}

__attribute__((constructor)) static void register_tool(void)
{
    MPI_Register_tool_name("trace", initialize);
}
