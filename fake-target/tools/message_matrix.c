/*
 * message_matrix.c - counts messages and bytes from each rank to each rank of MPI_COMM_WORLD; rank
 * 0 prints them in MPI_Finalize.
 *
 * A PMPI tool: link it with the program before the MPI library, or preload it.
 *
 *     mpicc -O2 -shared -fPIC message_matrix.c -o libmessage_matrix.so
 *     LD_PRELOAD=$PWD/libmessage_matrix.so mpiexec -n 4 ./program
 *
 * It counts what the program sends with point-to-point functions, in every mode. A send counts when
 * it is called, a persistent one each time it is started, even if it is cancelled later. It does
 * not count sends to MPI_PROC_NULL, calls that fail, partitioned communication, or messages that
 * collective functions send inside MPI.
 *
 * MESSAGE_MATRIX=csv prints lines of sender,receiver,messages,bytes, for all pairs with messages;
 * otherwise it prints two tables. MESSAGE_MATRIX_FILE=NAME writes to a file instead of standard
 * output.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct count {
    long long messages, bytes;
};

/* A persistent send that can be started. */
struct persistent {
    struct persistent *next;
    MPI_Request request;
    int receiver; /* rank in MPI_COMM_WORLD */
    long long bytes;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct count *row; /* of this process, by receiver */
static int ranks, size_of_row;
static struct persistent *persistents;
static MPI_Group world;

/* The row exists while MPI runs in the World Model. */
static void start(void)
{
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    row = calloc((size_t)ranks, sizeof *row);
    size_of_row = row ? ranks : 0;
    if (!row)
        fprintf(stderr, "message_matrix: no memory for %d ranks; nothing is counted\n", ranks);
}

/* The rank in MPI_COMM_WORLD of a destination; MPI_UNDEFINED if there is none. */
static int world_rank(int rank, MPI_Comm comm)
{
    MPI_Group group;
    int inter = 0, result = MPI_UNDEFINED;
    if (rank == MPI_PROC_NULL)
        return MPI_UNDEFINED;
    if (comm == MPI_COMM_WORLD)
        return rank;
    if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS)
        return MPI_UNDEFINED;
    if ((inter ? PMPI_Comm_remote_group : PMPI_Comm_group)(comm, &group) != MPI_SUCCESS)
        return MPI_UNDEFINED;
    PMPI_Group_translate_ranks(group, 1, &rank, world, &result);
    PMPI_Group_free(&group);
    return result;
}

static long long bytes_of(long long count, MPI_Datatype datatype)
{
    MPI_Count size = 0;
    PMPI_Type_size_c(datatype, &size);
    return size == MPI_UNDEFINED ? 0 : count * size;
}

static void add(int receiver, long long bytes)
{
    if (receiver < 0 || receiver >= size_of_row)
        return;
    pthread_mutex_lock(&lock);
    row[receiver].messages++;
    row[receiver].bytes += bytes;
    pthread_mutex_unlock(&lock);
}

/* If the call has failed, the program's error handler has already been called. */
static int sent(int code, long long count, MPI_Datatype datatype, int dest, MPI_Comm comm)
{
    if (code == MPI_SUCCESS)
        add(world_rank(dest, comm), bytes_of(count, datatype));
    return code;
}

static int prepared(int code, long long count, MPI_Datatype datatype, int dest, MPI_Comm comm,
                    const MPI_Request *request)
{
    struct persistent *new = code == MPI_SUCCESS ? malloc(sizeof *new) : NULL;
    if (!new)
        return code;
    new->request = *request;
    new->receiver = world_rank(dest, comm);
    new->bytes = bytes_of(count, datatype);
    pthread_mutex_lock(&lock);
    new->next = persistents;
    persistents = new;
    pthread_mutex_unlock(&lock);
    return code;
}

static struct persistent **find(MPI_Request request)
{
    struct persistent **place = &persistents;
    while (*place && (*place)->request != request)
        place = &(*place)->next;
    return place;
}

static void started(MPI_Request request)
{
    pthread_mutex_lock(&lock);
    const struct persistent *found = *find(request);
    int receiver = found ? found->receiver : MPI_UNDEFINED;
    long long bytes = found ? found->bytes : 0;
    pthread_mutex_unlock(&lock);
    add(receiver, bytes);
}

static void forget(MPI_Request request)
{
    pthread_mutex_lock(&lock);
    struct persistent **place = find(request), *found = *place;
    if (found)
        *place = found->next;
    pthread_mutex_unlock(&lock);
    free(found);
}

#define SEND(name, integer)                                                                    \
    int MPI_##name(const void *buf, integer count, MPI_Datatype datatype, int dest, int tag,   \
                   MPI_Comm comm)                                                              \
    {                                                                                          \
        return sent(PMPI_##name(buf, count, datatype, dest, tag, comm), count, datatype, dest, \
                    comm);                                                                     \
    }

#define NONBLOCKING_SEND(name, integer, then)                                                \
    int MPI_##name(const void *buf, integer count, MPI_Datatype datatype, int dest, int tag, \
                   MPI_Comm comm, MPI_Request *request)                                      \
    {                                                                                        \
        int code = PMPI_##name(buf, count, datatype, dest, tag, comm, request);              \
        return then;                                                                         \
    }

#define MODES(mode)                                                                             \
    SEND(mode##end, int)                                                                        \
    SEND(mode##end_c, MPI_Count)                                                                \
    NONBLOCKING_SEND(mode##end_init, int, prepared(code, count, datatype, dest, comm, request)) \
    NONBLOCKING_SEND(mode##end_init_c, MPI_Count,                                               \
                     prepared(code, count, datatype, dest, comm, request))

MODES(S)
MODES(Bs)
MODES(Ss)
MODES(Rs)

#define NONBLOCKING(name)                                                \
    NONBLOCKING_SEND(name, int, sent(code, count, datatype, dest, comm)) \
    NONBLOCKING_SEND(name##_c, MPI_Count, sent(code, count, datatype, dest, comm))

NONBLOCKING(Isend)
NONBLOCKING(Ibsend)
NONBLOCKING(Issend)
NONBLOCKING(Irsend)

#define SENDRECV(name, integer, last, more)                                                      \
    int MPI_##name(const void *sendbuf, integer sendcount, MPI_Datatype sendtype, int dest,      \
                   int sendtag, void *recvbuf, integer recvcount, MPI_Datatype recvtype,         \
                   int source, int recvtag, MPI_Comm comm, last)                                 \
    {                                                                                            \
        return sent(PMPI_##name(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, \
                                recvtype, source, recvtag, comm, more),                          \
                    sendcount, sendtype, dest, comm);                                            \
    }

#define REPLACE(name, integer, last, more)                                                         \
    int MPI_##name(void *buf, integer count, MPI_Datatype datatype, int dest, int sendtag,         \
                   int source, int recvtag, MPI_Comm comm, last)                                   \
    {                                                                                              \
        return sent(PMPI_##name(buf, count, datatype, dest, sendtag, source, recvtag, comm, more), \
                    count, datatype, dest, comm);                                                  \
    }

SENDRECV(Sendrecv, int, MPI_Status *status, status)
SENDRECV(Sendrecv_c, MPI_Count, MPI_Status *status, status)
SENDRECV(Isendrecv, int, MPI_Request *request, request)
SENDRECV(Isendrecv_c, MPI_Count, MPI_Request *request, request)
REPLACE(Sendrecv_replace, int, MPI_Status *status, status)
REPLACE(Sendrecv_replace_c, MPI_Count, MPI_Status *status, status)
REPLACE(Isendrecv_replace, int, MPI_Request *request, request)
REPLACE(Isendrecv_replace_c, MPI_Count, MPI_Request *request, request)

int MPI_Start(MPI_Request *request)
{
    int code = PMPI_Start(request);
    if (code == MPI_SUCCESS)
        started(*request);
    return code;
}

int MPI_Startall(int count, MPI_Request array_of_requests[])
{
    int code = PMPI_Startall(count, array_of_requests);
    for (int i = 0; code == MPI_SUCCESS && i < count; i++)
        started(array_of_requests[i]);
    return code;
}

int MPI_Request_free(MPI_Request *request)
{
    MPI_Request freed = request ? *request : MPI_REQUEST_NULL;
    forget(freed);
    return PMPI_Request_free(request);
}

int MPI_Init(int *argc, char ***argv)
{
    int code = PMPI_Init(argc, argv);
    if (code == MPI_SUCCESS)
        start();
    return code;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int code = PMPI_Init_thread(argc, argv, required, provided);
    if (code == MPI_SUCCESS)
        start();
    return code;
}

static void print_table(FILE *file, const char *title, const struct count *all, int bytes)
{
    fprintf(file, "%s from the rank on the left to the rank above\n%10s", title, "");
    for (int receiver = 0; receiver < ranks; receiver++)
        fprintf(file, " %12d", receiver);
    fprintf(file, "\n");
    for (int sender = 0; sender < ranks; sender++) {
        fprintf(file, "%10d", sender);
        for (int receiver = 0; receiver < ranks; receiver++) {
            const struct count *count = &all[(size_t)sender * (size_t)ranks + (size_t)receiver];
            fprintf(file, " %12lld", bytes ? count->bytes : count->messages);
        }
        fprintf(file, "\n");
    }
}

static void print(const struct count *all)
{
    const char *format = getenv("MESSAGE_MATRIX"), *name = getenv("MESSAGE_MATRIX_FILE");
    FILE *file = name && *name ? fopen(name, "w") : stdout;
    if (!file) {
        fprintf(stderr, "message_matrix: cannot write %s: ", name);
        perror(NULL);
        file = stdout;
    }
    if (format && strcmp(format, "csv") == 0) {
        fprintf(file, "sender,receiver,messages,bytes\n");
        for (int i = 0; i < ranks * ranks; i++)
            if (all[i].messages)
                fprintf(file, "%d,%d,%lld,%lld\n", i / ranks, i % ranks, all[i].messages,
                        all[i].bytes);
    } else {
        print_table(file, "Messages", all, 0);
        print_table(file, "Bytes", all, 1);
    }
    if (file != stdout)
        fclose(file);
    else
        fflush(stdout);
}

int MPI_Finalize(void)
{
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct count *all = rank == 0 ? calloc((size_t)ranks * (size_t)ranks, sizeof *all) : NULL;
    int numbers = 2 * ranks, ready = row && (rank != 0 || all);
    /* All ranks take part, or none. */
    PMPI_Allreduce(MPI_IN_PLACE, &ready, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (ready) {
        PMPI_Gather(row, numbers, MPI_LONG_LONG, all, numbers, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
        if (rank == 0)
            print(all);
    } else if (rank == 0) {
        fprintf(stderr,
                "message_matrix: a rank had no memory for its counts; there is no matrix\n");
    }
    free(all);
    free(row);
    row = NULL;
    size_of_row = 0;
    while (persistents)
        forget(persistents->request);
    PMPI_Group_free(&world);
    return PMPI_Finalize();
}
