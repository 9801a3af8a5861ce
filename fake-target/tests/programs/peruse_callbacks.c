/* The PERUSE document's example 9.1.2: how long messages stay on the unexpected queue of rank 0. 2
 * ranks or more.
 *
 * What the example leaves open: the hash table by unique_id; that NULL buffers go with a count of
 * 0; and a division by a count that may be 0. The receives are posted after half of the messages
 * have been sent, so that there are unexpected ones. */
#include <peruse.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MESSAGES = 100,
    INTS = 160,
    BUCKETS = 64
};

struct measure {
    int stamps, inserted;
    double time, max;
};

struct stamp {
    MPI_Aint id;
    double time;
    struct stamp *next;
};

static struct stamp *table[BUCKETS];

/* The stamp of an id, made if there is none: the link that points to it. */
static struct stamp **stamp_of(MPI_Aint id)
{
    struct stamp **link = &table[(size_t)id % BUCKETS];
    while (*link && (*link)->id != id)
        link = &(*link)->next;
    if (!*link) {
        *link = calloc(1, sizeof **link);
        if (*link)
            (*link)->id = id;
    }
    return link;
}

static int callback(peruse_event_h handle, MPI_Aint id, peruse_comm_spec_t *spec, void *param)
{
    struct measure *measure = param;
    struct stamp **link = stamp_of(id), *stamp = *link;
    int event;
    (void)spec;
    if (!stamp || PERUSE_Event_get(handle, &event) != PERUSE_SUCCESS)
        return MPI_ERR_INTERN;
    switch (event) {
    case PERUSE_COMM_MSG_INSERT_IN_UNEX_Q:
        stamp->time = MPI_Wtime();
        measure->inserted++;
        return MPI_SUCCESS;
    case PERUSE_COMM_MSG_REMOVE_FROM_UNEX_Q: {
        double time = MPI_Wtime() - stamp->time;
        measure->time += time;
        if (time > measure->max)
            measure->max = time;
        measure->stamps++;
        *link = stamp->next; /* the id may be used again from now on */
        free(stamp);
        return MPI_SUCCESS;
    }
    default:
        return MPI_ERR_INTERN;
    }
}

int main(int argc, char **argv)
{
    static int message[INTS];
    int rank;
    MPI_Request requests[MESSAGES];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (PERUSE_Init() != PERUSE_SUCCESS) {
        fprintf(stderr, "PERUSE cannot be initialised\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (rank == 0) {
        struct measure unexpected = {0, 0, 0, 0};
        peruse_event_h handles[2];
        const int events[2] = {PERUSE_COMM_MSG_INSERT_IN_UNEX_Q,
                               PERUSE_COMM_MSG_REMOVE_FROM_UNEX_Q};
        for (int i = 0; i < 2; i++)
            if (PERUSE_Event_comm_register(events[i], MPI_COMM_WORLD, callback, &unexpected,
                                           &handles[i]) != PERUSE_SUCCESS ||
                PERUSE_Event_activate(handles[i]) != PERUSE_SUCCESS)
                MPI_Abort(MPI_COMM_WORLD, 1);
        MPI_Recv(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < MESSAGES; i++)
            MPI_Irecv(message, INTS, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[i]);
        MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 2; i++)
            PERUSE_Event_deactivate(handles[i]);
        printf("measurements: %d of %d\n", unexpected.stamps, unexpected.inserted);
        printf("average time in unexpected queue: %f s\n",
               unexpected.stamps ? unexpected.time / unexpected.stamps : 0.0);
        printf("maximum time in unexpected queue: %f s\n", unexpected.max);
        for (int i = 0; i < 2; i++)
            PERUSE_Event_release(&handles[i]);
    } else if (rank == 1) {
        for (int i = 0; i < MESSAGES; i++) {
            MPI_Send(message, INTS, MPI_INT, 0, 0, MPI_COMM_WORLD);
            if (i == MESSAGES / 2) {
                MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
                MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
        }
    }
    MPI_Finalize();
    return 0;
}
