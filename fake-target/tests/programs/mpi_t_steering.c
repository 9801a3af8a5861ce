/* Control variables change what the runtime does (14.3.6): seen in performance variables, in
 * results, and in how operations are done. */
#include "mpi_t.h"
#include <time.h>

static MPI_T_pvar_session session;
static int rank, size;

static MPI_T_pvar_handle started(const char *name, int class)
{
    MPI_T_pvar_handle handle = pvar(session, name, class, NULL);
    OK(MPI_T_pvar_start(session, handle));
    return handle;
}

/* The messages that this process sends within the runtime during an operation. */
#define SENT_BY(call)                            \
    ({                                           \
        OK(MPI_Barrier(MPI_COMM_WORLD));         \
        OK(MPI_T_pvar_reset(session, internal)); \
        call;                                    \
        value_of(session, internal);             \
    })

static void algorithms(void)
{
    MPI_T_pvar_handle internal = started("internal_messages_sent", MPI_T_PVAR_CLASS_COUNTER);
    const unsigned long others = (unsigned long)size - 1;
    int data[64], sum, all[8 * 16];

    set_cvar_int("MQDRT_CVAR_BARRIER_ALGORITHM", 1);
    unsigned long sent = SENT_BY(OK(MPI_Barrier(MPI_COMM_WORLD)));
    CHECK(sent == (rank == 0 ? others : 1));
    set_cvar_int("MQDRT_CVAR_BARRIER_ALGORITHM", 0);
    int rounds = 0;
    for (int distance = 1; distance < size; distance *= 2)
        rounds++;
    sent = SENT_BY(OK(MPI_Barrier(MPI_COMM_WORLD)));
    CHECK(sent == (unsigned long)rounds);

    for (int algorithm = 0; algorithm < 3; algorithm++) {
        const int root = size / 2;
        const int number = (rank + size - root) % size;
        set_cvar_int("MQDRT_CVAR_BROADCAST_ALGORITHM", algorithm);
        for (int i = 0; i < 64; i++)
            data[i] = rank == root ? i * 3 : -1;
        sent = SENT_BY(OK(MPI_Bcast(data, 64, MPI_INT, root, MPI_COMM_WORLD)));
        for (int i = 0; i < 64; i++)
            CHECK(data[i] == i * 3);
        if (algorithm == 1)
            CHECK(sent == (number == 0 ? others : 0));
        if (algorithm == 2)
            CHECK(sent == (number + 1 < size ? 1 : 0));
        /* An operation that does not commute: the order of the ranks is kept by every algorithm. */
        set_cvar_int("MQDRT_CVAR_REDUCE_ALGORITHM", algorithm);
        sum = -1;
        int own = rank + 1;
        sent = SENT_BY(OK(MPI_Reduce(&own, &sum, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD)));
        if (rank == root)
            CHECK(sum == size * (size + 1) / 2);
        CHECK(sent == (number == 0 ? 0 : 1));
        OK(MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        CHECK(sum == size * (size + 1) / 2);
    }
    set_cvar_int("MQDRT_CVAR_BROADCAST_ALGORITHM", 0);
    set_cvar_int("MQDRT_CVAR_REDUCE_ALGORITHM", 0);

    for (int algorithm = 0; algorithm < 2; algorithm++) {
        set_cvar_int("MQDRT_CVAR_ALLGATHER_ALGORITHM", algorithm);
        int own = rank * 7;
        sent = SENT_BY(OK(MPI_Allgather(&own, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD)));
        CHECK(sent == others);
        for (int i = 0; i < size; i++)
            CHECK(all[i] == i * 7);
    }
    set_cvar_int("MQDRT_CVAR_ALLGATHER_ALGORITHM", 0);
    for (int window = 0; window <= 3; window++) {
        int out[16], in[16];
        set_cvar_int("MQDRT_CVAR_ALLTOALL_WINDOW", window);
        for (int i = 0; i < size; i++)
            out[i] = rank * 100 + i;
        OK(MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD));
        for (int i = 0; i < size; i++)
            CHECK(in[i] == i * 100 + rank);
    }
    OK(MPI_T_pvar_handle_free(session, &internal));
}

/* f(x) = a x + b as pairs, composed: an operation whose result shows the order of its operands. */
static void compose(void *in, void *inout, int *length, MPI_Datatype *datatype)
{
    (void)datatype;
    for (int i = 0; i + 1 < *length; i += 2) {
        long *left = (long *)in + i, *right = (long *)inout + i;
        long a = left[0] * right[0], b = left[0] * right[1] + left[1];
        right[0] = a, right[1] = b;
    }
}

static void order_of_operands(void)
{
    MPI_Op op;
    OK(MPI_Op_create(compose, 0, &op));
    long own[2] = {rank + 2, rank + 1}, expected[2] = {1, 0}, result[2];
    for (int i = size - 1; i >= 0; i--) {
        long left[2] = {i + 2, i + 1};
        int two = 2;
        compose(left, expected, &two, NULL);
    }
    for (int algorithm = 0; algorithm < 3; algorithm++) {
        set_cvar_int("MQDRT_CVAR_REDUCE_ALGORITHM", algorithm);
        OK(MPI_Allreduce(own, result, 2, MPI_LONG, op, MPI_COMM_WORLD));
        CHECK(result[0] == expected[0] && result[1] == expected[1]);
    }
    set_cvar_int("MQDRT_CVAR_REDUCE_ALGORITHM", 0);
    OK(MPI_Op_free(&op));
}

/* A message from each process to the next: which protocol it takes. */
static unsigned long sent_by_protocol(MPI_T_pvar_handle handle, size_t bytes)
{
    char *out = calloc(bytes + 1, 1), *in = calloc(bytes + 1, 1);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_T_pvar_reset(session, handle));
    memset(out, rank + 1, bytes);
    OK(MPI_Sendrecv(out, (int)bytes, MPI_CHAR, (rank + 1) % size, 0, in, (int)bytes, MPI_CHAR,
                    (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (size_t i = 0; i < bytes; i++)
        CHECK(in[i] == (rank + size - 1) % size + 1);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    free(out);
    free(in);
    return value_of(session, handle);
}

static void protocols(void)
{
    if (size == 1)
        return;
    MPI_T_pvar_handle eager = started("eager_sends", MPI_T_PVAR_CLASS_COUNTER);
    MPI_T_pvar_handle rendezvous = started("rendezvous_sends", MPI_T_PVAR_CLASS_COUNTER);
    MPI_T_pvar_handle copies = started("single_copies", MPI_T_PVAR_CLASS_COUNTER);
    MPI_T_pvar_handle records = started("records", MPI_T_PVAR_CLASS_COUNTER);
    MPI_T_pvar_handle pieces = started("pieces_helped", MPI_T_PVAR_CLASS_COUNTER);
    CHECK(sent_by_protocol(eager, 1000) == 1 && sent_by_protocol(rendezvous, 1001) == 1);
    set_cvar_int("MQDRT_CVAR_EAGER_LIMIT", 100);
    CHECK(sent_by_protocol(eager, 101) == 0 && sent_by_protocol(rendezvous, 101) == 1 &&
          sent_by_protocol(eager, 100) == 1);
    /* The system may not allow messages to be fetched at all, but the variable can always prevent
     * it. */
    const int allowed = sent_by_protocol(copies, 200000) == 1;
    set_cvar_int("MQDRT_CVAR_SINGLE_COPY_MINIMUM", 200001);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(sent_by_protocol(copies, 200000) == 0);
    if (allowed)
        CHECK(sent_by_protocol(copies, 200001) == 1);
    set_cvar_int("MQDRT_CVAR_SINGLE_COPY_MINIMUM", 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    set_cvar_int("MQDRT_CVAR_SINGLE_COPY", 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(sent_by_protocol(copies, 200000) == 0);
    /* The rings are of 8 KiB here (main): the pieces of a message of 200,000 bytes need more than
     * 90 records of at most a quarter of that. */
    CHECK(sent_by_protocol(records, 200000) > 90);
    set_cvar_int("MQDRT_CVAR_SINGLE_COPY", 1);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    /* Senders do not help with messages of these sizes. */
    MPI_T_cvar_handle sizes = cvar("MQDRT_CVAR_ASSIST_SIZES");
    int range[2] = {0, 0};
    OK(MPI_T_cvar_write(sizes, range));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < 10; i++)
        CHECK(sent_by_protocol(pieces, 1 << 20) == 0);
    range[1] = 2147483647;
    OK(MPI_T_cvar_write(sizes, range));
    set_cvar_int("MQDRT_CVAR_ASSIST_PIECE", 4096 + 512 * rank);
    for (int i = 0; i < 10; i++)
        sent_by_protocol(pieces, (1 << 20) + 77);
    OK(MPI_T_cvar_handle_free(&sizes));
    set_cvar_int("MQDRT_CVAR_EAGER_LIMIT", 1000);
    MPI_T_pvar_handle all[] = {eager, rendezvous, copies, records, pieces};
    for (int i = 0; i < 5; i++)
        OK(MPI_T_pvar_handle_free(session, &all[i]));
}

/* How a thread waits: without patience it sleeps at once, and with enough patience never. */
static void waiting(void)
{
    if (size == 1)
        return;
    MPI_T_pvar_handle sleeps = started("sleeps", MPI_T_PVAR_CLASS_COUNTER);
    MPI_T_pvar_handle yields = started("yields", MPI_T_PVAR_CLASS_COUNTER);
    MPI_T_pvar_handle asleep = started("sleeping_time", MPI_T_PVAR_CLASS_TIMER);
    struct timespec moment = {0, 300000000};
    int data = 0;
    set_cvar_int("MQDRT_CVAR_SPIN_TIME", 0);
    for (int patient = 0; patient < 2; patient++) {
        set_cvar_int("MQDRT_CVAR_PATIENCE", patient ? 10000000 : 0);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES));
        if (rank == 0) {
            /* The others wait for longer than any spinning. */
            nanosleep(&moment, NULL);
            for (int i = 1; i < size; i++)
                OK(MPI_Send(&data, 1, MPI_INT, i, 0, MPI_COMM_WORLD));
        } else {
            OK(MPI_Recv(&data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            double seconds;
            OK(MPI_T_pvar_read(session, asleep, &seconds));
            if (patient)
                CHECK(value_of(session, sleeps) == 0 && value_of(session, yields) > 0 &&
                      seconds == 0);
            else
                CHECK(value_of(session, sleeps) > 0 && seconds > 0 && seconds < 1000);
        }
    }
    MPI_T_pvar_handle all[] = {sleeps, yields, asleep};
    for (int i = 0; i < 3; i++)
        OK(MPI_T_pvar_handle_free(session, &all[i]));
}

int main(int argc, char **argv)
{
    int provided;
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    set_cvar_int("MQDRT_CVAR_RING_SIZE", 12000);
    /* Even on a busy machine, no processor counts as wanted by others: see waiting(). */
    set_cvar_int("MQDRT_CVAR_WANTED_TIME", 10000000);
    OK(MPI_T_pvar_session_create(&session));
    MPI_T_pvar_handle ring = pvar(session, "ring_size", MPI_T_PVAR_CLASS_SIZE, NULL);
    CHECK(value_of(session, ring) == 0);
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    /* Rounded down to a power of two; a fixed size from then on. */
    CHECK(value_of(session, ring) == 8192);
    OK(MPI_T_pvar_handle_free(session, &ring));
    set_cvar_int("MQDRT_CVAR_EAGER_LIMIT", 1048576);
    if (size > 1) {
        /* A record holds a quarter of the ring, its header included: larger messages are not eager,
         * whatever the limit. */
        MPI_T_pvar_handle eager = started("eager_sends", MPI_T_PVAR_CLASS_COUNTER);
        CHECK(sent_by_protocol(eager, 2000) == 1 && sent_by_protocol(eager, 2048) == 0);
        OK(MPI_T_pvar_handle_free(session, &eager));
    }
    set_cvar_int("MQDRT_CVAR_EAGER_LIMIT", 1000);
    algorithms();
    order_of_operands();
    protocols();
    OK(MPI_Barrier(MPI_COMM_WORLD));
    waiting();
    OK(MPI_T_pvar_session_free(&session));
    OK(MPI_T_finalize());
    PASS();
}
