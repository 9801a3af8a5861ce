/* PERUSE 2.0, sections 5.1.2 and 5.2.17: what ends the job. The first argument says what to do; the
 * call never returns. 2 ranks. */
#include "peruse_test.h"

static const char *how;

static int callback(peruse_event_h handle, MPI_Aint id, peruse_comm_spec_t *spec, void *param)
{
    (void)handle, (void)id, (void)spec, (void)param;
    int flag, value = 0;
    MPI_Request request;
    if (strcmp(how, "fail") == 0)
        return 42;
    if (strcmp(how, "send") == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (strcmp(how, "probe") == 0)
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    if (strcmp(how, "rank") == 0)
        PMPI_Comm_rank(MPI_COMM_WORLD, &value);
    if (strcmp(how, "barrier") == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(how, "finalize") == 0)
        MPI_Finalize();
    if (strcmp(how, "request") == 0)
        request = MPI_Request_fromint(0x70000000), MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (strcmp(how, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 7);
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int provided, value = 0;
    how = argc > 1 ? argv[1] : "";
    MPI_Init_thread(&argc, &argv, argc > 2 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PERUSE_Init();
    if (rank == 0) {
        peruse_event_h handle;
        PERUSE_Event_comm_register(PERUSE_COMM_REQ_ACTIVATE, MPI_COMM_WORLD, callback, NULL,
                                   &handle);
        PERUSE_Event_activate(handle);
        printf("about to\n"); /* what was printed before is not lost */
        if (strcmp(how, "locked") == 0) {
            PERUSE_Lock();
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        }
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    printf("came back\n");
    return 0;
}
