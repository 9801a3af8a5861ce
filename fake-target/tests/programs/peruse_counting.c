/* The PERUSE document's example 9.1.4: posted and unexpected receives for each peer. Any number of
 * ranks; rank 0 prints.
 *
 * What the example leaves open: the work that is measured; receives from MPI_ANY_SOURCE, which have
 * no peer to be counted for (here they have a row of their own); averages that are not cut to whole
 * numbers at each step; events that are not supported. MPI_Finalize is missing there. */
#include <peruse.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    EVENTS = 4
};

static const char *const names[EVENTS] = {
    "PERUSE_COMM_REQ_INSERT_IN_POSTED_Q", "PERUSE_COMM_REQ_REMOVE_FROM_POSTED_Q",
    "PERUSE_COMM_MSG_INSERT_IN_UNEX_Q", "PERUSE_COMM_MSG_REMOVE_FROM_UNEX_Q"};

struct queue {
    int entered, length, longest;
    double lengths; /* the sum over all entries of the length that each made */
};

struct peer {
    struct queue posted, unexpected;
};

static struct peer *peers; /* the last one: any source */
static int rank, size;

static void enter(struct queue *queue)
{
    queue->entered++;
    queue->length++;
    queue->lengths += queue->length;
    if (queue->length > queue->longest)
        queue->longest = queue->length;
}

static int callback(peruse_event_h handle, MPI_Aint id, peruse_comm_spec_t *spec, void *param)
{
    struct peer *peer = &peers[spec->peer == MPI_ANY_SOURCE ? size : spec->peer];
    int event;
    (void)id, (void)param;
    PERUSE_Event_get(handle, &event);
    switch (event) {
    case PERUSE_COMM_REQ_INSERT_IN_POSTED_Q:
        enter(&peer->posted);
        break;
    case PERUSE_COMM_REQ_REMOVE_FROM_POSTED_Q:
        peer->posted.length--;
        break;
    case PERUSE_COMM_MSG_INSERT_IN_UNEX_Q:
        enter(&peer->unexpected);
        break;
    case PERUSE_COMM_MSG_REMOVE_FROM_UNEX_Q:
        peer->unexpected.length--;
        break;
    default:
        return MPI_ERR_INTERN;
    }
    return MPI_SUCCESS;
}

/* Rank 0 posts three receives for every other rank and one for anybody before, and receives two
 * messages of each after they have come. */
static void work(void)
{
    int value = 0;
    if (rank == 0) {
        MPI_Request *requests = malloc((3 * size + 1) * sizeof *requests);
        int count = 0;
        for (int peer = 1; peer < size; peer++)
            for (int i = 0; i < 3; i++)
                MPI_Irecv(&value, 1, MPI_INT, peer, i, MPI_COMM_WORLD, &requests[count++]);
        if (size > 1)
            MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &requests[count++]);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int peer = 1; peer < size; peer++)
            for (int i = 3; i < 5; i++)
                MPI_Recv(&value, 1, MPI_INT, peer, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
        free(requests);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < 5; i++)
            MPI_Send(&value, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
        if (rank == 1)
            MPI_Send(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void print(const char *what, const struct queue *queue)
{
    printf("  %s: %d, longest %d, average %.2f, left %d\n", what, queue->entered, queue->longest,
           queue->entered ? queue->lengths / queue->entered : 0.0, queue->length);
}

int main(int argc, char **argv)
{
    peruse_event_h handles[EVENTS];
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (PERUSE_Init() != PERUSE_SUCCESS) {
        fprintf(stderr, "PERUSE cannot be initialised\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    peers = calloc(size + 1, sizeof *peers);
    for (int i = 0; i < EVENTS; i++) {
        int event;
        if (PERUSE_Query_event(names[i], &event) != PERUSE_SUCCESS) {
            fprintf(stderr, "the event %s is not supported\n", names[i]);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        PERUSE_Event_comm_register(event, MPI_COMM_WORLD, callback, NULL, &handles[i]);
        PERUSE_Event_activate(handles[i]);
    }
    work();
    for (int i = 0; i < EVENTS; i++) {
        PERUSE_Event_deactivate(handles[i]);
        PERUSE_Event_release(&handles[i]);
    }
    if (rank == 0)
        for (int i = 0; i <= size; i++) {
            if (i < size)
                printf("peer %d\n", i);
            else
                printf("any peer\n");
            print("unexpected messages", &peers[i].unexpected);
            print("posted receives", &peers[i].posted);
        }
    free(peers);
    MPI_Finalize();
    return 0;
}
