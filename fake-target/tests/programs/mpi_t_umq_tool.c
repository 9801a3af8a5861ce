/*
 * The tool of example 14.6: it finds receives that come while the queue of unexpected messages is
 * long. The example's variable is a level of int, which the text's own rules for the class do not
 * allow; here it is an unsigned long, with the name that this library gives it.
 */
#include "mpi_t.h"

static MPI_T_pvar_session session;
static MPI_T_pvar_handle handle;
static int long_queues;

#define THRESHOLD 5

int MPI_Init(int *argc, char ***argv)
{
    int err, num, index = -1, count, threadsup;
    MPI_Comm comm = MPI_COMM_WORLD;
    err = PMPI_Init(argc, argv);
    if (err != MPI_SUCCESS)
        return err;
    OK(PMPI_T_init_thread(MPI_THREAD_SINGLE, &threadsup));
    OK(PMPI_T_pvar_get_num(&num));
    for (int i = 0; i < num && index < 0; i++) {
        /* One character more than the name. */
        char name[26];
        int namelen = sizeof name, verbosity, class, bind, readonly, continuous, atomic;
        MPI_Datatype datatype;
        MPI_T_enum enumtype;
        OK(PMPI_T_pvar_get_info(i, name, &namelen, &verbosity, &class, &datatype, &enumtype, NULL,
                                NULL, &bind, &readonly, &continuous, &atomic));
        if (strcmp(name, "comm_unexpected_messages") == 0 && class == MPI_T_PVAR_CLASS_LEVEL) {
            CHECK(datatype == MPI_UNSIGNED_LONG && bind == MPI_T_BIND_MPI_COMM && continuous == 1);
            index = i;
        }
    }
    CHECK(index >= 0);
    OK(PMPI_T_pvar_session_create(&session));
    OK(PMPI_T_pvar_handle_alloc(session, index, &comm, &handle, &count));
    CHECK(count == 1);
    return MPI_SUCCESS;
}

int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    if (comm == MPI_COMM_WORLD) {
        unsigned long value;
        if (PMPI_T_pvar_read(session, handle, &value) == MPI_SUCCESS && value > THRESHOLD)
            long_queues++;
    }
    return PMPI_Recv(buf, count, datatype, source, tag, comm, status);
}

int MPI_Finalize(void)
{
    OK(PMPI_T_pvar_handle_free(session, &handle));
    OK(PMPI_T_pvar_session_free(&session));
    OK(PMPI_T_finalize());
    return PMPI_Finalize();
}

int main(int argc, char **argv)
{
    int rank, data = 0;
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    if (rank == 1) {
        for (int tag = 0; tag < 10; tag++)
            OK(MPI_Send(&data, 1, MPI_INT, 0, tag, MPI_COMM_WORLD));
    } else {
        OK(MPI_Probe(1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int tag = 0; tag < 10; tag++)
            OK(MPI_Recv(&data, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        /* At queues of 10, 9, 8, 7 and 6. */
        CHECK(long_queues == 5);
    }
    PASS();
}
