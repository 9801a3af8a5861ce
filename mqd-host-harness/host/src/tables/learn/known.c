/*
 * known.c - the program of `mqd layout learn`: its communicators, receives, sends and messages have
 * values of their own, and it keeps a list of them. mqd compares the list with the library's
 * objects.
 *
 *   mpiexec -n 3 ./known PATTERN DIRECTORY
 *
 * PATTERN is 1 or 2: other values, another order, other communicators. When everything is in its
 * place, each rank writes the file DIRECTORY/RANK with its host and process id, and waits.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RANKS = 3, MAX_COMMS = 8, MAX_OPERATIONS = 32, NAME_WORDS = 4, LIFE = 300 };
enum { INTRA, INTER, ALONE };
enum { RECEIVE, SEND, MESSAGE, RECEIVED, PERSISTENT, OWN_RECEIVE, OWN_SEND, OWN_MESSAGE };

/* A communicator. Handles are as the library gives them. */
struct comm {
    long long handle, kind, rank, size, remote_size;
    long long members[RANKS];    /* the other side's if there are two, as ranks in the world */
    char name[8 * NAME_WORDS];
};

/* An operation or a message: one that is here and that nobody has received. */
struct operation {
    long long kind, request, comm, peer, tag, count, datatype, bytes_each, buffer;
};

/* What mqd reads. */
struct {
    long long magic, version, ready, rank, comms, operations, tag_any, source_any;
    struct comm comm[MAX_COMMS];
    struct operation operation[MAX_OPERATIONS];
} mqd_learn_known;

static int rank, pattern;
static MPI_Comm comms[MAX_COMMS];
static MPI_Datatype triple;
static int copy, wild, backward, pair, sides, own, control;

static long long handle(const void *at, size_t bytes)
{
    unsigned int small;
    long long large;
    if (bytes == sizeof small) {
        memcpy(&small, at, sizeof small);
        return small;
    }
    memcpy(&large, at, sizeof large);
    return large;
}

/* Puts a communicator on the list. The result is its place there. */
static int known(MPI_Comm comm, int kind, const char *name)
{
    int place = (int)mqd_learn_known.comms, other, member;
    struct comm *fact = &mqd_learn_known.comm[place];
    MPI_Group world, members;
    comms[place] = comm;
    fact->kind = kind;
    fact->handle = handle(&comm, sizeof comm);
    snprintf(fact->name, sizeof fact->name, "%s %d of learn", name, pattern);
    MPI_Comm_set_name(comm, fact->name);
    MPI_Comm_rank(comm, &member);
    fact->rank = member;
    MPI_Comm_size(comm, &other);
    fact->size = fact->remote_size = other;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    if (kind == INTER) {
        MPI_Comm_remote_size(comm, &other);
        fact->remote_size = other;
        MPI_Comm_remote_group(comm, &members);
    } else {
        MPI_Comm_group(comm, &members);
    }
    for (member = 0; member < fact->remote_size; member++) {
        MPI_Group_translate_ranks(members, 1, &member, world, &other);
        fact->members[member] = other;
    }
    MPI_Group_free(&members);
    MPI_Group_free(&world);
    mqd_learn_known.comms++;
    return place;
}

static void copies(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    copy = known(comm, INTRA, "copy");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    wild = known(comm, INTRA, "wild");
}

static void splits(void)
{
    MPI_Comm comm;
    /* One rank is alone: 0, or 2. */
    int alone = pattern == 1 ? 0 : 2;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    backward = known(comm, INTRA, "backward");
    MPI_Comm_split(MPI_COMM_WORLD, rank == alone, rank, &comm);
    pair = known(comm, rank == alone ? ALONE : INTRA, "part");
    MPI_Intercomm_create(comm, 0, MPI_COMM_WORLD, rank == alone ? (alone + 1) % RANKS % 2 : alone,
                         100, &comm);
    sides = known(comm, INTER, "sides");
}

static void alone(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    own = known(comm, ALONE, "own");
}

static struct operation *fact(int kind, int comm, int peer, int tag, int count, MPI_Datatype type,
                              void *buffer, const MPI_Request *request)
{
    struct operation *fact = &mqd_learn_known.operation[mqd_learn_known.operations++];
    int bytes;
    MPI_Type_size(type, &bytes);
    fact->kind = kind;
    fact->request = request ? handle(request, sizeof *request) : 0;
    fact->comm = comm;
    fact->peer = peer;
    fact->tag = tag;
    fact->count = count;
    fact->datatype = handle(&type, sizeof type);
    fact->bytes_each = bytes;
    fact->buffer = (long long)(size_t)buffer;
    return fact;
}

/* Each number is used once in a process, and by no other process. */
static int number(int place)
{
    return 3000 * pattern + 700 * rank + 13 * place + 5;
}

static void receive(int kind, int comm, int peer, int tag, MPI_Datatype type, int place)
{
    int count = number(place) + 10007, bytes;
    MPI_Request request;
    MPI_Type_size(type, &bytes);
    void *buffer = malloc((size_t)count * (size_t)bytes);
    MPI_Irecv(buffer, count, type, peer, tag, comms[comm], &request);
    fact(kind, comm, peer, tag, count, type, buffer, &request);
}

/* The five receives, two more of this process alone, and one on two sides. */
static void receives(void)
{
    int before = (rank + 2) % RANKS, after = (rank + 1) % RANKS, step;
    for (step = 0; step < 8; step++) {
        switch (pattern == 1 ? step : 7 - step) {
        case 0: receive(RECEIVE, copy, before, number(20), pattern == 1 ? MPI_INT : triple, 0);
            break;
        case 1: receive(RECEIVE, wild, MPI_ANY_SOURCE, number(21), MPI_CHAR, 1); break;
        case 2: receive(RECEIVE, wild, after, MPI_ANY_TAG, MPI_DOUBLE, 2); break;
        case 3: receive(RECEIVE, wild, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_INT, 3); break;
        case 4: receive(RECEIVE, backward, rank, number(22), MPI_SHORT, 4); break;
        case 5: receive(RECEIVE, sides, 0, number(23), MPI_DOUBLE, 5); break;
        case 6: receive(OWN_RECEIVE, own, 0, number(24), MPI_CHAR, 6); break;
        default: receive(OWN_RECEIVE, own, 0, number(25), MPI_SHORT, 7);
        }
    }
}

/* A rank of the world in a communicator of all ranks. */
static int member(int comm, int world)
{
    return comm == backward ? RANKS - 1 - world : world;
}

/* Each rank sends to the one after it what nobody waits for, and learns what has come to it. */
static void sends(void)
{
    static const int LONG = 300000;
    static char eager[64];
    int before = (rank + 2) % RANKS, after = (rank + 1) % RANKS, step, mine = rank;
    MPI_Request request;
    for (step = 0; step < 3; step++) {
        int what = pattern == 1 ? step : 2 - step;
        int comm = what == 1 ? backward : copy;
        int count = what == 0 ? LONG + number(30) : what == 1 ? 17 + pattern + rank : 40 + rank;
        void *buffer = calloc((size_t)count, sizeof(int));
        int to = member(comm, after), tag = number(31 + what);
        if (what == 2) {
            MPI_Send(eager, count, MPI_CHAR, to, tag, comms[comm]);
        } else {
            MPI_Issend(buffer, count, MPI_INT, to, tag, comms[comm], &request);
            fact(SEND, comm, to, tag, count, MPI_INT, buffer, &request);
        }
        /* What the rank before this one has sent. */
        rank = before;
        tag = number(31 + what);
        count = what == 0 ? LONG + number(30) : what == 1 ? 17 + pattern + rank : 40 + rank;
        rank = mine;
        MPI_Probe(member(comm, before), tag, comms[comm], MPI_STATUS_IGNORE);
        fact(MESSAGE, comm, member(comm, before), tag, what == 2 ? count : count * 4, MPI_BYTE,
             NULL, NULL);
    }
}

/* Receives that are complete, and that MPI_Wait has not ended. */
static void completed(void)
{
    int before = (rank + 2) % RANKS, after = (rank + 1) % RANKS, step, mine = rank;
    static char data[256];
    for (step = 0; step < 2; step++) {
        int comm = step ? backward : copy, to = member(comm, after), from = member(comm, before);
        int bytes = 30 + 7 * step + pattern, complete = 0, tag;
        MPI_Request request;
        rank = before;
        tag = number(40 + step);
        rank = mine;
        MPI_Irecv(malloc(sizeof data), sizeof data, MPI_CHAR, from, tag, comms[comm], &request);
        MPI_Barrier(comms[control]);
        MPI_Send(data, bytes, MPI_CHAR, to, number(40 + step), comms[comm]);
        while (!complete)
            MPI_Request_get_status(request, &complete, MPI_STATUS_IGNORE);
        fact(RECEIVED, comm, from, tag, bytes, MPI_CHAR, NULL, &request);
    }
}

/* Operations that are not started. */
static void persistent(void)
{
    static char data[64];
    MPI_Request request;
    MPI_Send_init(data, 50, MPI_CHAR, 0, 51, comms[copy], &request);
    fact(PERSISTENT, copy, 0, 51, 50, MPI_CHAR, data, &request);
    MPI_Recv_init(data, 52, MPI_CHAR, 0, 53, comms[copy], &request);
    fact(PERSISTENT, copy, 0, 53, 52, MPI_CHAR, data, &request);
}

/* Messages of the process to itself. */
static void own_sends(void)
{
    int step;
    for (step = 0; step < 2; step++) {
        int count = number(50 + step) + 20011, tag = number(52 + step);
        void *buffer = malloc((size_t)count * sizeof(int));
        MPI_Request request;
        MPI_Isend(buffer, count, MPI_INT, 0, tag, comms[own], &request);
        fact(OWN_SEND, own, 0, tag, count, MPI_INT, buffer, &request);
        MPI_Probe(0, tag, comms[own], MPI_STATUS_IGNORE);
        fact(OWN_MESSAGE, own, 0, tag, count * 4, MPI_BYTE, NULL, NULL);
    }
}

static void tell(const char *directory)
{
    char path[4096], part[4096], host[256] = "";
    FILE *file;
    snprintf(path, sizeof path, "%s/%d", directory, rank);
    snprintf(part, sizeof part, "%s/%d.part", directory, rank);
    gethostname(host, sizeof host - 1);
    file = fopen(part, "w");
    if (!file) {
        perror(part);
        MPI_Abort(MPI_COMM_WORLD, 2);
        return;
    }
    fprintf(file, "%ld %s\n", (long)getpid(), host);
    fclose(file);
    rename(part, path);
}

int main(int argc, char **argv)
{
    int size;
    MPI_Comm comm;
    /* Should mqd be gone, the program ends by itself. */
    alarm(LIFE);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != RANKS || argc != 3) {
        fprintf(stderr, "this needs %d ranks, and there are %d\n", RANKS, size);
        MPI_Abort(MPI_COMM_WORLD, 2);
        return 2;
    }
    pattern = atoi(argv[1]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    control = known(comm, INTRA, "control");
    if (pattern == 1) {
        copies();
        splits();
        alone();
    } else {
        alone();
        splits();
        copies();
    }
    MPI_Type_contiguous(3, MPI_INT, &triple);
    MPI_Type_commit(&triple);
    completed();
    receives();
    MPI_Barrier(comms[control]);
    persistent();
    sends();
    own_sends();
    MPI_Barrier(comms[control]);
    mqd_learn_known.magic = 0x6d71646c6561726eLL;
    mqd_learn_known.version = 1;
    mqd_learn_known.rank = rank;
    mqd_learn_known.tag_any = MPI_ANY_TAG;
    mqd_learn_known.source_any = MPI_ANY_SOURCE;
    mqd_learn_known.ready = 1;
    tell(argv[2]);
    for (;;)
        pause();
}
