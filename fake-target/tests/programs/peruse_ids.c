/* PERUSE 2.0, section 5.1.2: the scope of unique_ids, and 4.3.2: the course of every request and
 * message, in random traffic of short and long messages, posted and unexpected, blocking and not,
 * in one thread or (argument) in several. Any number of ranks.
 *
 * A machine of states follows each id. An id begins with REQ_ACTIVATE or MSG_ARRIVED when nothing
 * else has it, takes the steps of the diagram, and ends with REQ_NOTIFY, or MSG_REMOVE_FROM_UNEX_Q
 * or MSG_MATCH_POSTED_REQ. At the end nothing is left. */
#include "peruse_test.h"
#include <pthread.h>

enum {
    THREADS = 3,
    ROUNDS = 120,
    BATCH = 12,
    LONGEST = 40000,
    IDS = 1 << 16
};
enum state {
    FREE,
    ACTIVE,
    POSTED,
    MATCHED,
    MOVING,
    MOVED,
    COMPLETE,
    ARRIVED,
    KEPT,
    SEARCHING
};

static struct {
    MPI_Aint id;
    enum state state;
    int operation, end;
} ids[IDS];
static long ended[17], begun, live, posted_length, unexpected_length;

static int slot_of(MPI_Aint id)
{
    size_t i = ((size_t)id ^ (size_t)id >> 29 ^ (size_t)id >> 40) % IDS;
    while (ids[i].id != 0 && ids[i].id != id)
        i = (i + 1) % IDS;
    ids[i].id = id;
    return (int)i;
}

/* One step, which must begin in one of two states. */
static void step(int slot, enum state from, enum state or_from, enum state to)
{
    CHECK(ids[slot].state == from || ids[slot].state == or_from);
    ids[slot].state = to;
}

static int follow(peruse_event_h handle, MPI_Aint id, peruse_comm_spec_t *spec, void *param)
{
    int event, slot = slot_of(id);
    (void)param;
    CHECK_EQUAL(PERUSE_Event_get(handle, &event), PERUSE_SUCCESS);
    CHECK(id > 0);
    if (event >= PERUSE_COMM_REQ_MATCH_UNEX && event <= PERUSE_COMM_REQ_NOTIFY)
        CHECK_EQUAL(ids[slot].operation, spec->operation);
    switch (event) {
    case PERUSE_COMM_REQ_ACTIVATE:
        step(slot, FREE, FREE, ACTIVE);
        ids[slot].operation = spec->operation;
        begun++, live++;
        break;
    case PERUSE_COMM_REQ_INSERT_IN_POSTED_Q:
        step(slot, ACTIVE, ACTIVE, POSTED), posted_length++;
        break;
    case PERUSE_COMM_REQ_REMOVE_FROM_POSTED_Q:
        step(slot, POSTED, POSTED, MATCHED), posted_length--;
        break;
    case PERUSE_COMM_REQ_MATCH_UNEX:
        step(slot, ACTIVE, ACTIVE, MATCHED);
        break;
    case PERUSE_COMM_REQ_XFER_BEGIN:
        step(slot, spec->operation == PERUSE_SEND ? ACTIVE : MATCHED, MATCHED, MOVING);
        break;
    case PERUSE_COMM_REQ_XFER_END:
        step(slot, MOVING, MOVING, MOVED);
        break;
    /* A send whose data the receiver has fetched goes from its activation to its end. */
    case PERUSE_COMM_REQ_COMPLETE:
        step(slot, MOVED, spec->operation == PERUSE_SEND ? ACTIVE : MOVED, COMPLETE);
        break;
    case PERUSE_COMM_REQ_NOTIFY:
        step(slot, COMPLETE, COMPLETE, FREE), live--;
        break;
    case PERUSE_COMM_MSG_ARRIVED:
        step(slot, FREE, FREE, ARRIVED), live++;
        break;
    case PERUSE_COMM_MSG_INSERT_IN_UNEX_Q:
        step(slot, ARRIVED, ARRIVED, KEPT), unexpected_length++;
        break;
    case PERUSE_COMM_MSG_REMOVE_FROM_UNEX_Q:
        step(slot, KEPT, KEPT, FREE), live--, unexpected_length--;
        break;
    case PERUSE_COMM_MSG_MATCH_POSTED_REQ:
        step(slot, ARRIVED, ARRIVED, FREE), live--;
        break;
    case PERUSE_COMM_SEARCH_POSTED_Q_BEGIN:
    case PERUSE_COMM_SEARCH_UNEX_QUEUE_BEGIN:
        step(slot, FREE, FREE, SEARCHING), live++;
        ids[slot].end = event + 1; /* the event that ends this search */
        break;
    case PERUSE_COMM_SEARCH_POSTED_Q_END:
    case PERUSE_COMM_SEARCH_UNEX_Q_END:
        CHECK_EQUAL(ids[slot].end, event);
        step(slot, SEARCHING, SEARCHING, FREE), live--;
        break;
    default:
        return MPI_ERR_INTERN;
    }
    ended[event]++;
    if (live == 0 && begun > IDS / 8) { /* operations that are over are forgotten */
        memset(ids, 0, sizeof ids);
        begun = 0;
    }
    return MPI_SUCCESS;
}

/* Batches of messages between neighbours in the ring of ranks, in a changing order and by changing
 * calls. */
static void *traffic(void *argument)
{
    int thread = (int)(long)argument;
    unsigned seed =
        7u * (unsigned)thread + 3u; /* the same on all ranks: they agree on what is sent */
    unsigned own = 31u * (unsigned)rank + (unsigned)thread;
    char *out = malloc(LONGEST), *in = malloc((size_t)BATCH * LONGEST);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request requests[2 * BATCH];
        int lengths[BATCH], first = rand_r(&own) % BATCH, count = 0;
        for (int i = 0; i < BATCH; i++)
            lengths[i] = rand_r(&seed) % 3 == 0 ? rand_r(&seed) % LONGEST : rand_r(&seed) % 64;
        int tag = thread * 100;
        /* Some receives before the sends, the others after. */
        for (int i = 0; i < first; i++)
            MPI_Irecv(in + (size_t)i * LONGEST, LONGEST, MPI_BYTE,
                      own % 2 ? PREVIOUS : MPI_ANY_SOURCE, tag + i, MPI_COMM_WORLD,
                      &requests[count++]);
        for (int i = 0; i < BATCH; i++) {
            if (i % 4 == 3)
                MPI_Issend(out, lengths[i], MPI_BYTE, NEXT, tag + i, MPI_COMM_WORLD,
                           &requests[count++]);
            else if (lengths[i] < 64 && i % 4 == 1)
                MPI_Send(out, lengths[i], MPI_BYTE, NEXT, tag + i, MPI_COMM_WORLD);
            else
                MPI_Isend(out, lengths[i], MPI_BYTE, NEXT, tag + i, MPI_COMM_WORLD,
                          &requests[count++]);
        }
        for (int i = first; i < BATCH; i++) {
            MPI_Message message;
            if (i % 3 == 0)
                MPI_Recv(in + (size_t)i * LONGEST, LONGEST, MPI_BYTE, PREVIOUS, tag + i,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            else if (i % 3 == 1)
                MPI_Irecv(in + (size_t)i * LONGEST, LONGEST, MPI_BYTE, MPI_ANY_SOURCE, tag + i,
                          MPI_COMM_WORLD, &requests[count++]);
            else {
                MPI_Mprobe(PREVIOUS, tag + i, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
                MPI_Mrecv(in + (size_t)i * LONGEST, LONGEST, MPI_BYTE, &message, MPI_STATUS_IGNORE);
            }
        }
        if (round % 2) {
            MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
        } else {
            int index;
            for (int i = 0; i < count; i++)
                MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE);
        }
    }
    free(out);
    free(in);
    return NULL;
}

int main(int argc, char **argv)
{
    int several = argc > 1, provided;
    peruse_event_h handles[EVENTS];
    MPI_Init_thread(&argc, &argv, several ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    PERUSE_Init();
    for (int i = 0; i < EVENTS; i++) {
        PERUSE_Event_comm_register(i + 1, MPI_COMM_WORLD, follow, NULL, &handles[i]);
        PERUSE_Event_activate(handles[i]);
    }
    BARRIER();
    int threads = several ? THREADS : 1;
    if (several) {
        pthread_t ids_of_threads[THREADS];
        for (long i = 0; i < THREADS; i++)
            pthread_create(&ids_of_threads[i], NULL, traffic, (void *)i);
        for (int i = 0; i < THREADS; i++)
            pthread_join(ids_of_threads[i], NULL);
    } else {
        traffic(NULL);
    }
    BARRIER();
    long requests = (long)threads * ROUNDS * 2 * BATCH, messages = requests / 2;
    CHECK_EQUAL(ended[PERUSE_COMM_REQ_ACTIVATE], requests);
    CHECK_EQUAL(ended[PERUSE_COMM_REQ_COMPLETE], requests);
    CHECK_EQUAL(ended[PERUSE_COMM_REQ_NOTIFY], requests);
    CHECK_EQUAL(ended[PERUSE_COMM_REQ_XFER_BEGIN], ended[PERUSE_COMM_REQ_XFER_END]);
    CHECK_EQUAL(ended[PERUSE_COMM_MSG_ARRIVED], messages);
    CHECK_EQUAL(ended[PERUSE_COMM_SEARCH_POSTED_Q_BEGIN], messages);
    CHECK_EQUAL(ended[PERUSE_COMM_REQ_MATCH_UNEX], ended[PERUSE_COMM_MSG_REMOVE_FROM_UNEX_Q]);
    CHECK_EQUAL(ended[PERUSE_COMM_REQ_REMOVE_FROM_POSTED_Q],
                ended[PERUSE_COMM_MSG_MATCH_POSTED_REQ]);
    CHECK(live == 0 && posted_length == 0 && unexpected_length == 0);
    for (int i = 0; i < EVENTS; i++)
        PERUSE_Event_release(&handles[i]);
    return end();
}
