/* What debuggers see: the program looks at its own queues, at mqdrt_root, as the operations go
 * through their states. */
#include "p2p.h"
#include "queues.h"
#include <pthread.h>
#include <unistd.h>

static const mqdrt_communicator *world(void)
{
    for (const mqdrt_communicator *c = mqdrt_root.communicators; c; c = c->next)
        if (strcmp(c->name, "MPI_COMM_WORLD") == 0)
            return c;
    return NULL;
}

static int length(const mqdrt_request *list)
{
    int n = 0;
    for (; list; list = list->next)
        n++;
    return n;
}

static const mqdrt_request *last(const mqdrt_request *list)
{
    while (list && list->next)
        list = list->next;
    return list;
}

static void check_empty(void)
{
    for (const mqdrt_communicator *c = mqdrt_root.communicators; c; c = c->next) {
        CHECK(!c->posted_receives && !c->matched_receives);
        /* A neighbour may be at the next meeting already. */
        for (const mqdrt_message *m = c->unexpected_messages; m; m = m->next)
            CHECK(m->tag >= 900);
    }
    CHECK(!mqdrt_root.sends && !mqdrt_root.probes);
}

/* Lets messages that are on their way arrive. */
static void meet(void)
{
    MPI_Sendrecv(NULL, 0, MPI_BYTE, NEXT, 900, NULL, 0, MPI_BYTE, PREVIOUS, 900, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(NULL, 0, MPI_BYTE, PREVIOUS, 901, NULL, 0, MPI_BYTE, NEXT, 901, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void receives(void)
{
    MPI_Request requests[3];
    int data[3][4];
    MPI_Irecv(data[0], 4, MPI_INT, PREVIOUS, 10, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(data[1], 2, MPI_INT, MPI_ANY_SOURCE, 11, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(data[2], 4, MPI_INT, PREVIOUS, 12, MPI_COMM_WORLD, &requests[2]);
    const mqdrt_request *r = world()->posted_receives;
    CHECK_EQUAL(length(r), 3);
    CHECK_EQUAL(r->kind, MQDRT_RECEIVE);
    CHECK_EQUAL(r->state, MQDRT_PENDING);
    CHECK_EQUAL(r->peer, PREVIOUS);
    CHECK_EQUAL(r->tag, 10);
    CHECK(r->buffer == data[0] && r->communicator == world());
    CHECK_EQUAL(r->count, 4);
    CHECK_EQUAL(r->length, 16);
    CHECK(strcmp(r->datatype->name, "MPI_INT") == 0 && strcmp(r->call, "MPI_Irecv") == 0);
    CHECK_EQUAL(r->datatype->size, 4);
    CHECK_EQUAL(r->next->peer, -1);
    meet();
    int value[3] = {5, 6, 7};
    MPI_Send(value, 3, MPI_INT, NEXT, 12, MPI_COMM_WORLD);
    meet();
    CHECK_EQUAL(length(world()->posted_receives), 2);
    CHECK_EQUAL(world()->posted_receives->next->tag, 11);
    r = world()->matched_receives;
    CHECK_EQUAL(length(r), 1);
    CHECK_EQUAL(r->tag, 12);
    CHECK_EQUAL(r->state, MQDRT_COMPLETE);
    CHECK_EQUAL(r->actual_source, PREVIOUS);
    CHECK_EQUAL(r->actual_tag, 12);
    CHECK_EQUAL(r->actual_length, 12);
    CHECK_EQUAL(r->protocol, size == 1 ? MQDRT_SELF : MQDRT_EAGER);
    for (int i = 0; i < 2; i++)
        MPI_Cancel(&requests[i]);
    CHECK_EQUAL(length(world()->posted_receives), 0);
    CHECK_EQUAL(length(world()->matched_receives), 3);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    check_empty();
}

static void sends(void)
{
    static char small[100], large[200000], in[200000];
    MPI_Request requests[4];
    MPI_Isend(small, 100, MPI_CHAR, NEXT, 20, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(large, 200000, MPI_CHAR, NEXT, 21, MPI_COMM_WORLD, &requests[1]);
    MPI_Issend(small, 0, MPI_CHAR, NEXT, 22, MPI_COMM_WORLD, &requests[2]);
    MPI_Send_init(small, 1, MPI_CHAR, NEXT, 23, MPI_COMM_WORLD, &requests[3]);
    const mqdrt_request *s = mqdrt_root.sends;
    CHECK_EQUAL(length(s), 3); /* the inactive one is in no queue */
    CHECK_EQUAL(s->state, MQDRT_COMPLETE);
    CHECK_EQUAL(s->protocol, size == 1 ? MQDRT_SELF : MQDRT_EAGER);
    CHECK_EQUAL(s->next->state, MQDRT_PENDING);
    CHECK_EQUAL(s->next->protocol, size == 1 ? MQDRT_SELF : MQDRT_RENDEZVOUS);
    CHECK_EQUAL(s->next->kind, MQDRT_SEND_STANDARD);
    CHECK_EQUAL(s->next->peer, NEXT);
    CHECK_EQUAL(s->next->length, 200000);
    CHECK_EQUAL(s->next->next->kind, MQDRT_SEND_SYNCHRONOUS);
    CHECK_EQUAL(s->next->next->state, MQDRT_PENDING);
    CHECK(strcmp(s->next->next->call, "MPI_Issend") == 0);
    meet();
    const mqdrt_message *m = world()->unexpected_messages;
    CHECK_EQUAL(m->tag, 20);
    CHECK_EQUAL(m->source, PREVIOUS);
    CHECK(m->length == 100 && m->buffer && m->mode == MQDRT_SEND_STANDARD);
    CHECK_EQUAL(m->next->tag, 21);
    CHECK(m->next->length == 200000 && !m->next->buffer);
    CHECK_EQUAL(m->next->protocol, size == 1 ? MQDRT_SELF : MQDRT_RENDEZVOUS);
    CHECK_EQUAL(m->next->next->tag, 22);
    CHECK_EQUAL(m->next->next->mode, MQDRT_SEND_SYNCHRONOUS);
    for (m = m->next->next->next; m; m = m->next)
        CHECK(m->tag >= 900);
    for (int tag = 20; tag <= 22; tag++)
        MPI_Recv(in, sizeof in, MPI_CHAR, PREVIOUS, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    meet();
    for (s = mqdrt_root.sends; s; s = s->next)
        CHECK_EQUAL(s->state, MQDRT_COMPLETE);
    CHECK_EQUAL(length(mqdrt_root.sends), 3);
    MPI_Start(&requests[3]);
    CHECK_EQUAL(length(mqdrt_root.sends), 4);
    CHECK(strcmp(last(mqdrt_root.sends)->call, "MPI_Send_init") == 0);
    MPI_Recv(in, 1, MPI_CHAR, PREVIOUS, 23, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    check_empty();
    MPI_Request_free(&requests[3]);
}

static void buffered(void)
{
    static char large[100000], in[100000];
    int space = sizeof large + MPI_BSEND_OVERHEAD;
    char *buffer = malloc(space);
    MPI_Buffer_attach(buffer, space);
    MPI_Bsend(large, sizeof large, MPI_CHAR, NEXT, 30, MPI_COMM_WORLD);
    const mqdrt_request *s = mqdrt_root.sends;
    CHECK_EQUAL(length(s), 1);
    CHECK_EQUAL(s->kind, MQDRT_SEND_BUFFERED);
    CHECK_EQUAL(s->state, MQDRT_PENDING);
    CHECK_EQUAL(s->system_buffer, 1);
    CHECK((char *)s->buffer >= buffer && (char *)s->buffer + sizeof large <= buffer + space);
    CHECK(strcmp(s->call, "MPI_Bsend") == 0);
    MPI_Recv(in, sizeof in, MPI_CHAR, PREVIOUS, 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&buffer, &space);
    check_empty();
    free(buffer);
}

/* Blocking calls of another thread, while they wait. */
static void *blocked_receive(void *argument)
{
    int value;
    MPI_Recv(&value, 1, MPI_INT, rank, 40, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return argument;
}

static void *blocked_probe(void *argument)
{
    MPI_Status status;
    MPI_Probe(MPI_ANY_SOURCE, 41, MPI_COMM_WORLD, &status);
    return argument;
}

static void *blocked_send(void *argument)
{
    int value = 1;
    MPI_Ssend(&value, 1, MPI_INT, rank, 42, MPI_COMM_WORLD);
    return argument;
}

static void blocked(void)
{
    pthread_t threads[3];
    int value = 1;
    /* The compiler must look again each time. */
    const mqdrt_request *volatile const *receive = (void *)&world()->posted_receives;
    const mqdrt_request *volatile *probe = (void *)&mqdrt_root.probes, *volatile *send =
                                                                           (void *)&mqdrt_root
                                                                               .sends;
    pthread_create(&threads[0], NULL, blocked_receive, NULL);
    pthread_create(&threads[1], NULL, blocked_probe, NULL);
    pthread_create(&threads[2], NULL, blocked_send, NULL);
    while (!*receive || !*probe || !*send)
        usleep(1000);
    CHECK(strcmp((*receive)->call, "MPI_Recv") == 0 && (*receive)->tag == 40);
    CHECK(strcmp((*probe)->call, "MPI_Probe") == 0 && (*probe)->tag == 41 && !(*probe)->datatype);
    CHECK_EQUAL((*probe)->kind, MQDRT_PROBE);
    CHECK_EQUAL((*probe)->peer, -1);
    CHECK(strcmp((*send)->call, "MPI_Ssend") == 0 && (*send)->tag == 42);
    MPI_Send(&value, 1, MPI_INT, rank, 40, MPI_COMM_WORLD);
    MPI_Send(&value, 1, MPI_INT, rank, 41, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, rank, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    MPI_Recv(&value, 1, MPI_INT, rank, 41, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check_empty();
}

int main(void)
{
    int provided;
    CHECK_EQUAL(mqdrt_root.phase, MQDRT_NOT_INITIALIZED);
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK_EQUAL(mqdrt_root.layout_version, MQDRT_LAYOUT_VERSION);
    CHECK_EQUAL(mqdrt_root.phase, MQDRT_RUNNING);
    CHECK_EQUAL(mqdrt_root.world_rank, rank);
    CHECK_EQUAL(mqdrt_root.world_size, size);
    CHECK_EQUAL(world()->local_group->size, size);
    CHECK_EQUAL(world()->local_group->rank, rank);
    CHECK_EQUAL(world()->local_group->world_ranks[size - 1], size - 1);
    CHECK(!world()->remote_group);
    check_empty();
    receives();
    meet();
    sends();
    meet();
    buffered();
    meet();
    blocked();
    MPI_Finalize();
    CHECK_EQUAL(mqdrt_root.phase, MQDRT_FINALIZED);
    if (rank == 0)
        puts("ok");
    return 0;
}
