/* The PERUSE document's example 9.1.1: the environment, the events and the scope of the queues, by
 * queries only. Any number of ranks; rank 0 prints.
 *
 * What the example leaves open: it looks at no return code, knows two of the scopes, and does not
 * print in the order of the ranks. */
#include <peruse.h>
#include <stdio.h>

static const char *const wanted[] = {
    "PERUSE_COMM_REQ_ACTIVATE",
    "PERUSE_COMM_REQ_MATCH_UNEX",
    "PERUSE_COMM_REQ_INSERT_IN_POSTED_Q",
    "PERUSE_COMM_REQ_REMOVE_FROM_POSTED_Q",
    "PERUSE_COMM_REQ_XFER_BEGIN",
    "PERUSE_COMM_REQ_XFER_END",
    "PERUSE_COMM_REQ_COMPLETE",
    "PERUSE_COMM_REQ_NOTIFY",
    "PERUSE_COMM_MSG_ARRIVED",
    "PERUSE_COMM_MSG_INSERT_IN_UNEX_Q",
    "PERUSE_COMM_MSG_REMOVE_FROM_UNEX_Q",
    "PERUSE_COMM_MSG_MATCH_POSTED_REQ",
    "PERUSE_COMM_NO_SUCH_EVENT",
};

static const char *scope_name(int scope)
{
    switch (scope) {
    case PERUSE_PER_COMM:
        return "PER_COMM";
    case PERUSE_PER_TAG:
        return "PER_TAG";
    case PERUSE_PER_SOURCE:
        return "PER_SOURCE";
    case PERUSE_PER_PEER:
        return "PER_PEER";
    case PERUSE_GLOBAL:
        return "GLOBAL";
    default:
        return "unknown";
    }
}

int main(int argc, char **argv)
{
    int rank, count, scope, *events;
    char **variables, **names;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (PERUSE_Init() != PERUSE_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank == 0) {
        if (PERUSE_Query_environment(&count, &variables) != PERUSE_SUCCESS)
            MPI_Abort(MPI_COMM_WORLD, 1);
        printf("environment variables: %d\n", count);
        for (int i = 0; i < count; i++)
            printf("  %s\n", variables[i]);
        if (PERUSE_Query_supported_events(&count, &names, &events) != PERUSE_SUCCESS)
            MPI_Abort(MPI_COMM_WORLD, 1);
        printf("supported events: %d\n", count);
        for (int i = 0; i < count; i++)
            printf("  %s=%d\n", names[i], events[i]);
        if (PERUSE_Query_queue_event_scope(&scope) != PERUSE_SUCCESS)
            MPI_Abort(MPI_COMM_WORLD, 1);
        printf("scope of queue events: %s\n", scope_name(scope));
        for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++) {
            int event, code = PERUSE_Query_event(wanted[i], &event);
            printf("event %s, id %d: %s\n", wanted[i], event,
                   code == PERUSE_SUCCESS ? "supported" : "not supported");
        }
    }
    MPI_Finalize();
    return 0;
}
