/* Variables with an element for each rank of a communicator (14.3.2, 14.3.7): messages and bytes to
 * and from each, against the program's own record. */
#include "mpi_t.h"

enum {
    MOST = 8
};

static unsigned long sent[MOST], sent_bytes[MOST], received[MOST], received_bytes[MOST];

static MPI_T_pvar_handle per_rank(MPI_T_pvar_session session, const char *name, int class,
                                  MPI_Comm comm, int size)
{
    MPI_T_pvar_handle handle;
    int count;
    OK(MPI_T_pvar_handle_alloc(session, pvar_index(name, class), &comm, &handle, &count));
    CHECK(count == size);
    return handle;
}

static void same(MPI_T_pvar_session session, MPI_T_pvar_handle handle,
                 const unsigned long *expected, int size)
{
    unsigned long values[MOST + 1];
    values[size] = 4711;
    OK(MPI_T_pvar_read(session, handle, values));
    for (int i = 0; i < size; i++)
        CHECK(values[i] == expected[i]);
    CHECK(values[size] == 4711);
}

int main(int argc, char **argv)
{
    int provided, rank, size;
    char out[100] = {0}, in[100];
    MPI_Comm comm;
    MPI_T_pvar_session session;
    OK(MPI_Init(&argc, &argv));
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    /* Ranks in the reverse order: the elements are the communicator's, not those of MPI_COMM_WORLD.
     */
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &comm));
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_T_pvar_session_create(&session));
    MPI_T_pvar_handle handles[4] = {
        per_rank(session, "comm_messages_sent", MPI_T_PVAR_CLASS_COUNTER, comm, size),
        per_rank(session, "comm_bytes_sent", MPI_T_PVAR_CLASS_AGGREGATE, comm, size),
        per_rank(session, "comm_messages_received", MPI_T_PVAR_CLASS_COUNTER, comm, size),
        per_rank(session, "comm_bytes_received", MPI_T_PVAR_CLASS_AGGREGATE, comm, size),
    };
    MPI_T_pvar_handle of_world =
        per_rank(session, "comm_messages_sent", MPI_T_PVAR_CLASS_COUNTER, MPI_COMM_WORLD, size);
    MPI_T_pvar_handle total = pvar(session, "messages_sent", MPI_T_PVAR_CLASS_COUNTER, NULL);
    MPI_T_pvar_handle total_bytes =
        pvar(session, "bytes_received", MPI_T_PVAR_CLASS_AGGREGATE, NULL);
    OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
    unsigned long *expected[4] = {sent, sent_bytes, received, received_bytes};
    unsigned long all = 0, all_bytes = 0;
    /* From rank i to rank j: i + 2 j + 1 messages of 10 i + j bytes. */
    for (int from = 0; from < size; from++)
        for (int to = 0; to < size; to++)
            for (int i = 0; i < from + 2 * to + 1; i++) {
                const int bytes = 10 * from + to;
                MPI_Request request = MPI_REQUEST_NULL;
                if (rank == to)
                    OK(MPI_Irecv(in, 100, MPI_CHAR, from, i, comm, &request));
                if (rank == from) {
                    OK(MPI_Send(out, bytes, MPI_CHAR, to, i, comm));
                    sent[to]++, sent_bytes[to] += (unsigned long)bytes, all++;
                }
                OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
                if (rank == to)
                    received[from]++, received_bytes[from] += (unsigned long)bytes,
                        all_bytes += (unsigned long)bytes;
            }
    /* Messages of the runtime itself are not the program's. */
    OK(MPI_Barrier(comm));
    for (int i = 0; i < 4; i++)
        same(session, handles[i], expected[i], size);
    static const unsigned long none[MOST];
    same(session, of_world, none, size);
    CHECK(value_of(session, total) == all && value_of(session, total_bytes) == all_bytes);
    /* All elements are stopped, reset and written together. */
    OK(MPI_T_pvar_stop(session, handles[0]));
    OK(MPI_Sendrecv(out, 1, MPI_CHAR, rank, 0, in, 1, MPI_CHAR, rank, 0, comm, MPI_STATUS_IGNORE));
    same(session, handles[0], sent, size);
    OK(MPI_T_pvar_write(session, handles[2], sent_bytes));
    same(session, handles[2], sent_bytes, size);
    unsigned long values[MOST];
    sent_bytes[rank]++;
    OK(MPI_T_pvar_readreset(session, handles[1], values));
    CHECK(memcmp(values, sent_bytes, (size_t)size * sizeof *values) == 0);
    same(session, handles[1], none, size);
    OK(MPI_T_pvar_session_free(&session));
    OK(MPI_Comm_free(&comm));
    OK(MPI_T_finalize());
    PASS();
}
