/* The PERUSE document's example 9.1.3: the time that rank 0 spends on searching its queues. 2 ranks
 * or more.
 *
 * What the example leaves open: the time stamps by unique_id. A search ends before the next one
 * begins, so one place is enough; the ids are compared. */
#include <peruse.h>
#include <stdio.h>

enum {
    MESSAGES = 100,
    INTS = 160,
    EVENTS = 4
};

static const int events[EVENTS] = {
    PERUSE_COMM_SEARCH_POSTED_Q_BEGIN, PERUSE_COMM_SEARCH_POSTED_Q_END,
    PERUSE_COMM_SEARCH_UNEX_QUEUE_BEGIN, PERUSE_COMM_SEARCH_UNEX_Q_END};

struct searches {
    int begun, ended;
    MPI_Aint id;
    double since, time;
};

static struct searches posted, unexpected;

static int begin(struct searches *searches, MPI_Aint id)
{
    searches->begun++;
    searches->id = id;
    searches->since = MPI_Wtime();
    return MPI_SUCCESS;
}

static int end(struct searches *searches, MPI_Aint id)
{
    searches->time += MPI_Wtime() - searches->since;
    searches->ended++;
    return searches->id == id ? MPI_SUCCESS : MPI_ERR_INTERN;
}

static int callback(peruse_event_h handle, MPI_Aint id, peruse_comm_spec_t *spec, void *param)
{
    int event;
    (void)spec, (void)param;
    PERUSE_Event_get(handle, &event);
    switch (event) {
    case PERUSE_COMM_SEARCH_POSTED_Q_BEGIN:
        return begin(&posted, id);
    case PERUSE_COMM_SEARCH_POSTED_Q_END:
        return end(&posted, id);
    case PERUSE_COMM_SEARCH_UNEX_QUEUE_BEGIN:
        return begin(&unexpected, id);
    case PERUSE_COMM_SEARCH_UNEX_Q_END:
        return end(&unexpected, id);
    default:
        return MPI_ERR_INTERN;
    }
}

int main(int argc, char **argv)
{
    static int message[INTS];
    int rank, code = PERUSE_SUCCESS;
    peruse_event_h handles[EVENTS];
    MPI_Request requests[MESSAGES];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (PERUSE_Init() != PERUSE_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < EVENTS && code == PERUSE_SUCCESS; i++)
        code = PERUSE_Event_comm_register(events[i], MPI_COMM_WORLD, callback, NULL, &handles[i]);
    if (code != PERUSE_SUCCESS) {
        fprintf(stderr, "the events cannot be registered: %d\n", code);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        for (int i = 0; i < EVENTS; i++)
            PERUSE_Event_activate(handles[i]);
        for (int i = 0; i < MESSAGES; i++)
            MPI_Irecv(message, INTS, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[i]);
        MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < EVENTS; i++)
            PERUSE_Event_deactivate(handles[i]);
        printf("searches of the posted queue: %d begun, %d ended, %f s\n", posted.begun,
               posted.ended, posted.time);
        printf("searches of the unexpected queue: %d begun, %d ended, %f s\n", unexpected.begun,
               unexpected.ended, unexpected.time);
    } else if (rank == 1) {
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < MESSAGES; i++)
            MPI_Send(message, INTS, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    for (int i = 0; i < EVENTS; i++)
        PERUSE_Event_release(&handles[i]);
    MPI_Finalize();
    return 0;
}
