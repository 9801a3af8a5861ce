/*
 * peruse_profiler.c - a profiler that uses PERUSE: it measures the phases of point-to-point
 * communication and the lengths of queues.
 *
 * It prints the figures of section 9.2 of the PERUSE document when the program calls MPI_Finalize.
 * The program need not be changed:
 *
 *     mpiexec -n 4 -x LD_PRELOAD=/prefix/lib/libperuse_profiler.so ./program
 *     mpicc program.o -lperuse_profiler -o program
 *
 * PERUSE_PROFILER_OUTPUT=FILE writes to a file rather than to the standard error output;
 * PERUSE_PROFILER_RANKS=1 adds the figures of each rank.
 *
 * It follows every communicator: MPI_COMM_WORLD and MPI_COMM_SELF from MPI_Init on, others from the
 * function that makes them. Times are in seconds.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#include <peruse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The events. Those that this MPI does not have are left out, and the report names them. */
enum {
    ACTIVATE,
    MATCH_UNEX,
    POSTED_IN,
    POSTED_OUT,
    XFER_BEGIN,
    XFER_END,
    COMPLETE,
    NOTIFY,
    UNEX_IN,
    UNEX_OUT,
    EVENTS
};

static const char *const event_names[EVENTS] = {
    "PERUSE_COMM_REQ_ACTIVATE",           "PERUSE_COMM_REQ_MATCH_UNEX",
    "PERUSE_COMM_REQ_INSERT_IN_POSTED_Q", "PERUSE_COMM_REQ_REMOVE_FROM_POSTED_Q",
    "PERUSE_COMM_REQ_XFER_BEGIN",         "PERUSE_COMM_REQ_XFER_END",
    "PERUSE_COMM_REQ_COMPLETE",           "PERUSE_COMM_REQ_NOTIFY",
    "PERUSE_COMM_MSG_INSERT_IN_UNEX_Q",   "PERUSE_COMM_MSG_REMOVE_FROM_UNEX_Q",
};

static int descriptors[EVENTS];

/* The figures. */
enum {
    ACTIVATE_TO_MATCH,
    ACTIVATE_TO_XFER_BEGIN,
    XFER_BEGIN_TO_END,
    COMPLETE_TO_NOTIFY,
    ACTIVATE_TO_NOTIFY,
    IN_UNEX_Q,
    POSTED_Q_LEN,
    UNEX_Q_LEN,
    METRICS
};

static const char *const metric_names[METRICS] = {
    "T_REQ_ACTIVATE_TO_MATCH", "T_REQ_ACTIVATE_TO_XFER_BEGIN",
    "T_XFER_BEGIN_TO_END",     "T_COMPLETE_TO_NOTIFY",
    "T_ACTIVATE_TO_NOTIFY",    "T_IN_UNEX_Q",
    "N_POSTED_Q_LEN",          "N_UNEX_Q_LEN",
};

struct metric {
    double number, sum, max;
};

static struct metric metrics[METRICS];
static long posted_length, unexpected_length, records_lost;
static int enabled;

/* A communicator, its event handles, to be given back when it is freed, and what is on its queues.
 */
struct followed;
struct watch {
    struct followed *of;
    int event;
    peruse_event_h handle;
};
struct followed {
    MPI_Comm comm;
    struct watch watches[EVENTS];
    long posted, unexpected;
    struct followed *next;
};

static struct followed *all;

static void add(int metric, double value)
{
    struct metric *m = &metrics[metric];
    m->number++;
    m->sum += value;
    if (value > m->max)
        m->max = value;
}

/* Adds the time between two stamps. There is no first one if the operation began before the
 * profiler followed its communicator. */
static void add_time(int metric, double from, double to)
{
    if (from > 0)
        add(metric, to - from);
}

/* Stamps by unique_id: a request's from its activation to its notification, a message's on the
 * unexpected queue. */
struct stamps {
    MPI_Aint id;
    double activate, xfer_begin, complete, unexpected_in;
    struct stamps *next;
};

enum {
    BUCKETS = 4096
};
static struct stamps *table[BUCKETS], *unused;

static struct stamps **find(MPI_Aint id)
{
    struct stamps **link = &table[((size_t)id ^ (size_t)id >> 32) % BUCKETS];
    while (*link && (*link)->id != id)
        link = &(*link)->next;
    return link;
}

/* The stamps of an id, made if necessary; NULL if there is no memory. */
static struct stamps *find_or_make(MPI_Aint id)
{
    struct stamps **link = find(id), *stamps = *link;
    if (stamps)
        return stamps;
    stamps = unused;
    if (stamps)
        unused = stamps->next;
    else
        stamps = malloc(sizeof *stamps);
    if (stamps) {
        *stamps = (struct stamps){.id = id};
        *link = stamps;
    }
    return stamps;
}

static void forget(MPI_Aint id)
{
    struct stamps **link = find(id), *stamps = *link;
    if (stamps) {
        *link = stamps->next;
        stamps->next = unused;
        unused = stamps;
    }
}

static void note(struct followed *of, int event, MPI_Aint id)
{
    static struct stamps
        none; /* for operations that began before the communicator was followed, or that the program
                 has finished */
    double now = PMPI_Wtime();
    struct stamps *stamps = event == ACTIVATE || event == UNEX_IN ? find_or_make(id) : *find(id);
    if (!stamps) {
        records_lost += event == ACTIVATE || event == UNEX_IN;
        none = (struct stamps){.id = id};
        stamps = &none;
    }
    switch (event) {
    case ACTIVATE:
        stamps->activate = now;
        break;
    case MATCH_UNEX:
        add_time(ACTIVATE_TO_MATCH, stamps->activate, now);
        break;
    case POSTED_IN:
        of->posted++;
        add(POSTED_Q_LEN, ++posted_length);
        break;
    case POSTED_OUT:
        /* The receive has been matched, or cancelled, which is rare. */
        add_time(ACTIVATE_TO_MATCH, stamps->activate, now);
        if (of->posted > 0)
            of->posted--, posted_length--;
        break;
    case XFER_BEGIN:
        stamps->xfer_begin = now;
        add_time(ACTIVATE_TO_XFER_BEGIN, stamps->activate, now);
        break;
    case XFER_END:
        add_time(XFER_BEGIN_TO_END, stamps->xfer_begin, now);
        break;
    case COMPLETE:
        stamps->complete = now;
        break;
    case NOTIFY:
        add_time(COMPLETE_TO_NOTIFY, stamps->complete, now);
        add_time(ACTIVATE_TO_NOTIFY, stamps->activate, now);
        forget(id);
        break;
    case UNEX_IN:
        stamps->unexpected_in = now;
        of->unexpected++;
        add(UNEX_Q_LEN, ++unexpected_length);
        break;
    case UNEX_OUT:
        add_time(IN_UNEX_Q, stamps->unexpected_in, now);
        if (of->unexpected > 0)
            of->unexpected--, unexpected_length--;
        forget(id);
        break;
    }
}

/* The callback. Its parameter identifies the event and the communicator. */
static int callback(peruse_event_h handle, MPI_Aint id, peruse_comm_spec_t *spec, void *param)
{
    struct watch *watch = param;
    (void)handle, (void)spec;
    if (PERUSE_Lock() != PERUSE_SUCCESS) {
        records_lost++;
        return MPI_SUCCESS;
    }
    note(watch->of, watch->event, id);
    PERUSE_Unlock();
    return MPI_SUCCESS;
}

static void follow(MPI_Comm comm)
{
    struct followed *followed;
    if (!enabled || comm == MPI_COMM_NULL || !(followed = calloc(1, sizeof *followed)))
        return;
    followed->comm = comm;
    for (int i = 0; i < EVENTS; i++) {
        struct watch *watch = &followed->watches[i];
        *watch = (struct watch){followed, i, PERUSE_EVENT_HANDLE_NULL};
        if (descriptors[i] != PERUSE_EVENT_INVALID &&
            PERUSE_Event_comm_register(descriptors[i], comm, callback, watch, &watch->handle) ==
                PERUSE_SUCCESS)
            PERUSE_Event_activate(watch->handle);
    }
    followed->next = all;
    all = followed;
}

static void leave(MPI_Comm comm)
{
    for (struct followed **link = &all; *link; link = &(*link)->next)
        if ((*link)->comm == comm) {
            struct followed *followed = *link;
            for (int i = 0; i < EVENTS; i++)
                if (followed->watches[i].handle != PERUSE_EVENT_HANDLE_NULL)
                    PERUSE_Event_release(&followed->watches[i].handle);
            /* The entries of its queues are removed with it. */
            posted_length -= followed->posted;
            unexpected_length -= followed->unexpected;
            *link = followed->next;
            free(followed);
            return;
        }
}

static void begin(void)
{
    int code = PERUSE_Init();
    if (code != PERUSE_SUCCESS) {
        fprintf(stderr,
                "peruse_profiler: PERUSE cannot be initialised (code %d); nothing is measured\n",
                code);
        return;
    }
    for (int i = 0; i < EVENTS; i++)
        if (PERUSE_Query_event(event_names[i], &descriptors[i]) != PERUSE_SUCCESS)
            fprintf(stderr, "peruse_profiler: this MPI does not support %s\n", event_names[i]);
    enabled = 1;
    follow(MPI_COMM_WORLD);
    follow(MPI_COMM_SELF);
}

static void print_metrics(FILE *out, const struct metric *list, const int *ranks)
{
    for (int i = 0; i < METRICS; i++) {
        const struct metric *m = &list[i];
        const char *format =
            i < POSTED_Q_LEN ? "%-28s %12.0f %14.9f %14.9f" : "%-28s %12.0f %14.2f %14.0f";
        fprintf(out, format, metric_names[i], m->number, m->number > 0 ? m->sum / m->number : 0.0,
                m->max);
        if (ranks)
            fprintf(out, " %8d", ranks[i]);
        fprintf(out, "\n");
    }
}

/* Rank 0 collects the figures of all ranks and prints. */
static void report(void)
{
    int rank, size;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    long lost = 0;
    struct metric *every = rank == 0 ? malloc(size * sizeof metrics) : NULL;
    PMPI_Gather(metrics, METRICS * 3, MPI_DOUBLE, every, METRICS * 3, MPI_DOUBLE, 0,
                MPI_COMM_WORLD);
    PMPI_Reduce(&records_lost, &lost, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank != 0)
        return;
    const char *name = getenv("PERUSE_PROFILER_OUTPUT");
    FILE *out = name ? fopen(name, "w") : stderr;
    if (!out) {
        fprintf(stderr, "peruse_profiler: cannot write %s; the figures follow here\n", name);
        out = stderr;
    }
    const char *each = getenv("PERUSE_PROFILER_RANKS");
    struct metric total[METRICS] = {{0, 0, 0}};
    int ranks[METRICS] = {0};
    for (int r = 0; r < size && every; r++)
        for (int i = 0; i < METRICS; i++) {
            const struct metric *m = &every[r * METRICS + i];
            total[i].number += m->number;
            total[i].sum += m->sum;
            if (m->max > total[i].max)
                total[i].max = m->max, ranks[i] = r;
        }
    fprintf(out, "PERUSE profile of %d ranks: times in seconds, lengths in entries\n", size);
    fprintf(out, "%-28s %12s %14s %14s %8s\n", "figure", "number", "average", "maximum", "at rank");
    print_metrics(out, total, ranks);
    for (int r = 0; r < size && every && each && strcmp(each, "0") != 0; r++) {
        fprintf(out, "rank %d\n", r);
        print_metrics(out, &every[r * METRICS], NULL);
    }
    if (lost > 0)
        fprintf(out, "%ld records were lost: the figures are too low by that\n", lost);
    if (out != stderr)
        fclose(out);
    free(every);
}

static void end(void)
{
    if (!enabled)
        return;
    while (all)
        leave(all->comm);
    enabled = 0;
    report();
    for (int i = 0; i < BUCKETS; i++)
        while (table[i])
            forget(table[i]->id);
    while (unused) {
        struct stamps *next = unused->next;
        free(unused);
        unused = next;
    }
}

int MPI_Init(int *argc, char ***argv)
{
    int code = PMPI_Init(argc, argv);
    if (code == MPI_SUCCESS)
        begin();
    return code;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int code = PMPI_Init_thread(argc, argv, required, provided);
    if (code == MPI_SUCCESS)
        begin();
    return code;
}

int MPI_Finalize(void)
{
    end();
    return PMPI_Finalize();
}

/* Releases the handles first: those of a freed communicator cannot be used (5.6). */
int MPI_Comm_free(MPI_Comm *comm)
{
    if (comm)
        leave(*comm);
    return PMPI_Comm_free(comm);
}

int MPI_Comm_disconnect(MPI_Comm *comm)
{
    if (comm)
        leave(*comm);
    return PMPI_Comm_disconnect(comm);
}

/* A function that makes a communicator. */
#define MAKES(name, parameters, arguments, made) \
    int MPI_##name parameters                    \
    {                                            \
        int code = PMPI_##name arguments;        \
        if (code == MPI_SUCCESS)                 \
            follow(*(made));                     \
        return code;                             \
    }

MAKES(Comm_dup, (MPI_Comm comm, MPI_Comm *newcomm), (comm, newcomm), newcomm)
MAKES(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm), (comm, info, newcomm),
      newcomm)
MAKES(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm), (comm, group, newcomm),
      newcomm)
MAKES(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm),
      (comm, group, tag, newcomm), newcomm)
MAKES(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *newcomm),
      (comm, color, key, newcomm), newcomm)
MAKES(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *newcomm),
      (comm, type, key, info, newcomm), newcomm)
MAKES(Cart_create,
      (MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder,
       MPI_Comm *newcomm),
      (comm, ndims, dims, periods, reorder, newcomm), newcomm)
MAKES(Cart_sub, (MPI_Comm comm, const int remain[], MPI_Comm *newcomm), (comm, remain, newcomm),
      newcomm)
MAKES(Intercomm_create,
      (MPI_Comm local, int leader, MPI_Comm peer, int remote, int tag, MPI_Comm *newcomm),
      (local, leader, peer, remote, tag, newcomm), newcomm)
MAKES(Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm *newcomm), (comm, high, newcomm), newcomm)
