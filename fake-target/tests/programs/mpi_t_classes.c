/* The classes of performance variables (14.3.7): what each measures, its starting value, and that
 * it measures it. Two processes; rank 0 measures. */
#include "mpi_t.h"
#include <signal.h>
#include <unistd.h>

static MPI_T_pvar_session session;
static int rank;

enum {
    MESSAGES = 10,
    BYTES = 50
};

static double seconds(MPI_T_pvar_handle handle)
{
    double value = -1;
    OK(MPI_T_pvar_read(session, handle, &value));
    return value;
}

/* Rank 1 sends this many messages. When this returns in rank 0, all have arrived there: messages do
 * not overtake each other, and the last one is probed. */
static void arrive(MPI_Comm comm, int count)
{
    char data[BYTES] = {0};
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 1) {
        MPI_Request requests[2 * MESSAGES];
        CHECK(count <= 2 * MESSAGES);
        for (int i = 0; i < count; i++)
            OK(MPI_Isend(data, BYTES, MPI_CHAR, 0, i, comm, &requests[i]));
        OK(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE));
    } else {
        OK(MPI_Probe(1, count - 1, comm, MPI_STATUS_IGNORE));
    }
}

static void receive(MPI_Comm comm, int tag)
{
    char data[BYTES];
    if (rank == 0)
        OK(MPI_Recv(data, BYTES, MPI_CHAR, 1, tag, comm, MPI_STATUS_IGNORE));
}

/* LEVEL, HIGHWATERMARK and LOWWATERMARK of the queues, of the process and of a communicator, and
 * the counters of matching. */
static void queues(void)
{
    MPI_Comm comm;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    const char *names[2] = {"unexpected_messages", "comm_unexpected_messages"};
    MPI_T_pvar_handle now[2], high[2], low[2];
    for (int i = 0; i < 2; i++) {
        now[i] = pvar(session, names[i], MPI_T_PVAR_CLASS_LEVEL, &comm);
        high[i] = pvar(session, names[i], MPI_T_PVAR_CLASS_HIGHWATERMARK, &comm);
        low[i] = pvar(session, names[i], MPI_T_PVAR_CLASS_LOWWATERMARK, &comm);
    }
    MPI_T_pvar_handle bytes = pvar(session, "unexpected_bytes", MPI_T_PVAR_CLASS_LEVEL, NULL);
    MPI_T_pvar_handle comm_bytes =
        pvar(session, "comm_unexpected_bytes", MPI_T_PVAR_CLASS_LEVEL, &comm);
    MPI_T_pvar_handle high_bytes =
        pvar(session, "comm_unexpected_bytes", MPI_T_PVAR_CLASS_HIGHWATERMARK, &comm);
    MPI_T_pvar_handle late = pvar(session, "late_receives", MPI_T_PVAR_CLASS_COUNTER, NULL);
    MPI_T_pvar_handle arrivals =
        pvar(session, "unexpected_arrivals", MPI_T_PVAR_CLASS_COUNTER, NULL);
    MPI_T_pvar_handle arrived =
        pvar(session, "unexpected_bytes_arrived", MPI_T_PVAR_CLASS_AGGREGATE, NULL);
    MPI_T_pvar_handle expected = pvar(session, "expected_messages", MPI_T_PVAR_CLASS_COUNTER, NULL);
    MPI_T_pvar_handle stopped =
        pvar(session, "comm_unexpected_messages", MPI_T_PVAR_CLASS_HIGHWATERMARK, &comm);
    OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
    OK(MPI_T_pvar_stop(session, stopped));
    arrive(comm, MESSAGES);
    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            CHECK(value_of(session, now[i]) == MESSAGES && value_of(session, high[i]) == MESSAGES &&
                  value_of(session, low[i]) == 0);
        CHECK(value_of(session, bytes) == MESSAGES * BYTES &&
              value_of(session, comm_bytes) == MESSAGES * BYTES);
        CHECK(value_of(session, high_bytes) == MESSAGES * BYTES);
        CHECK(value_of(session, arrivals) == MESSAGES &&
              value_of(session, arrived) == MESSAGES * BYTES);
        /* A stopped variable does not change; "their values are not updated until they have been
         * started". When it is started, it begins with the current level. */
        CHECK(value_of(session, stopped) == 0);
        OK(MPI_T_pvar_start(session, stopped));
        CHECK(value_of(session, stopped) == MESSAGES);
        /* A handle made now: "The starting value is the current utilization level of the resource
         * at the time that the starting value is set." */
        MPI_T_pvar_handle later = pvar(session, names[1], MPI_T_PVAR_CLASS_LOWWATERMARK, &comm);
        OK(MPI_T_pvar_start(session, later));
        CHECK(value_of(session, later) == MESSAGES);
        for (int tag = 0; tag < 4; tag++)
            receive(comm, tag);
        CHECK(value_of(session, later) == MESSAGES - 4 && value_of(session, low[1]) == 0);
        for (int i = 0; i < 2; i++)
            CHECK(value_of(session, now[i]) == MESSAGES - 4 &&
                  value_of(session, high[i]) == MESSAGES);
        CHECK(value_of(session, comm_bytes) == (MESSAGES - 4) * BYTES &&
              value_of(session, late) == 4);
        /* A reset sets the mark to the current level, only in this handle; readreset returns the
         * mark from before. */
        OK(MPI_T_pvar_reset(session, high[1]));
        CHECK(value_of(session, high[1]) == MESSAGES - 4 &&
              value_of(session, high[0]) == MESSAGES && value_of(session, stopped) == MESSAGES);
        unsigned long mark = 0;
        OK(MPI_T_pvar_readreset(session, high[0], &mark));
        CHECK(mark == MESSAGES && value_of(session, high[0]) == MESSAGES - 4);
        /* A mark that was written. */
        mark = 3;
        OK(MPI_T_pvar_write(session, high[0], &mark));
        CHECK(value_of(session, high[0]) == MESSAGES - 4);
        mark = 100;
        OK(MPI_T_pvar_write(session, high[0], &mark));
        CHECK(value_of(session, high[0]) == 100);
        for (int tag = 4; tag < MESSAGES; tag++)
            receive(comm, tag);
        CHECK(value_of(session, now[0]) == 0 && value_of(session, now[1]) == 0 &&
              value_of(session, bytes) == 0);
        CHECK(value_of(session, late) == MESSAGES && value_of(session, expected) == 0);
        OK(MPI_T_pvar_handle_free(session, &later));
    }
    /* Posted receives: another communicator's do not count for this one. */
    MPI_T_pvar_handle posted = pvar(session, "comm_posted_receives", MPI_T_PVAR_CLASS_LEVEL, &comm);
    MPI_T_pvar_handle all_posted = pvar(session, "posted_receives", MPI_T_PVAR_CLASS_LEVEL, NULL);
    MPI_T_pvar_handle high_posted =
        pvar(session, "posted_receives", MPI_T_PVAR_CLASS_HIGHWATERMARK, NULL);
    MPI_T_pvar_handle matched =
        pvar(session, "comm_matched_receives", MPI_T_PVAR_CLASS_LEVEL, &comm);
    MPI_T_pvar_handle requests = pvar(session, "requests", MPI_T_PVAR_CLASS_LEVEL, NULL);
    MPI_T_pvar_handle most_requests =
        pvar(session, "requests", MPI_T_PVAR_CLASS_HIGHWATERMARK, NULL);
    OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    const unsigned long before = value_of(session, requests);
    if (rank == 0) {
        char data[6][BYTES];
        MPI_Request six[6];
        for (int i = 0; i < 6; i++)
            OK(MPI_Irecv(data[i], BYTES, MPI_CHAR, 1, i, i < 4 ? comm : MPI_COMM_WORLD, &six[i]));
        CHECK(value_of(session, posted) == 4 && value_of(session, all_posted) == 6 &&
              value_of(session, high_posted) == 6);
        CHECK(value_of(session, matched) == 0 && value_of(session, requests) == before + 6);
        CHECK(value_of(session, most_requests) >= before + 6);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        /* The last message of each communicator is there, and so are all before it. */
        OK(MPI_Wait(&six[3], MPI_STATUS_IGNORE));
        CHECK(value_of(session, posted) == 0 && value_of(session, matched) == 3 &&
              value_of(session, expected) >= 4);
        OK(MPI_Waitall(6, six, MPI_STATUSES_IGNORE));
        CHECK(value_of(session, all_posted) == 0 && value_of(session, matched) == 0 &&
              value_of(session, expected) == 6);
        CHECK(value_of(session, high_posted) == 6 && value_of(session, requests) == before);
    } else {
        char data[BYTES] = {0};
        OK(MPI_Barrier(MPI_COMM_WORLD));
        for (int i = 0; i < 6; i++)
            OK(MPI_Send(data, BYTES, MPI_CHAR, 0, i, i < 4 ? comm : MPI_COMM_WORLD));
    }
    /* Pending sends: synchronous ones stay until their receive is posted. */
    MPI_T_pvar_handle pending = pvar(session, "pending_sends", MPI_T_PVAR_CLASS_LEVEL, NULL);
    char data[3][BYTES] = {{0}};
    MPI_Request three[3];
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        for (int i = 0; i < 3; i++)
            OK(MPI_Issend(data[i], BYTES, MPI_CHAR, 1, i, comm, &three[i]));
        CHECK(value_of(session, pending) == 3);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_Waitall(3, three, MPI_STATUSES_IGNORE));
        CHECK(value_of(session, pending) == 0);
    } else {
        OK(MPI_Barrier(MPI_COMM_WORLD));
        for (int i = 0; i < 3; i++)
            OK(MPI_Recv(data[i], BYTES, MPI_CHAR, 0, i, comm, MPI_STATUS_IGNORE));
    }
    OK(MPI_T_pvar_session_free(&session));
    OK(MPI_T_pvar_session_create(&session));
    OK(MPI_Comm_free(&comm));
}

/* COUNTER: searches and comparisons. Five messages wait, the last is received: five comparisons. */
static void matching(void)
{
    MPI_T_pvar_handle attempts = pvar(session, "match_attempts", MPI_T_PVAR_CLASS_COUNTER, NULL);
    MPI_T_pvar_handle searches = pvar(session, "queue_searches", MPI_T_PVAR_CLASS_COUNTER, NULL);
    MPI_T_pvar_handle mean = pvar(session, "mean_search_length", MPI_T_PVAR_CLASS_GENERIC, NULL);
    MPI_T_pvar_handle time = pvar(session, "matching_time", MPI_T_PVAR_CLASS_TIMER, NULL);
    arrive(MPI_COMM_WORLD, 5);
    if (rank == 0) {
        /* A receive from one sender is not compared with the messages of another one. */
        MPI_Request own;
        OK(MPI_Isend(NULL, 0, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &own));
        OK(MPI_T_pvar_reset(session, attempts));
        OK(MPI_Recv(NULL, 0, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(value_of(session, attempts) == 1);
        OK(MPI_Wait(&own, MPI_STATUS_IGNORE));
        OK(MPI_T_pvar_reset(session, attempts));
        OK(MPI_T_pvar_reset(session, searches));
        receive(MPI_COMM_WORLD, 4);
        CHECK(value_of(session, attempts) == 5 && value_of(session, searches) == 1);
        receive(MPI_COMM_WORLD, 0);
        CHECK(value_of(session, attempts) == 6 && value_of(session, searches) == 2);
        CHECK(seconds(mean) > 0);
        /* TIMER: nothing while it is stopped, something while it runs; units of MPI_Wtime. */
        CHECK(seconds(time) == 0);
        OK(MPI_T_pvar_start(session, time));
        const double begin = MPI_Wtime();
        for (int tag = 1; tag < 4; tag++)
            receive(MPI_COMM_WORLD, tag);
        const double end = MPI_Wtime(), spent = seconds(time);
        CHECK(spent > 0 && spent <= end - begin);
        OK(MPI_T_pvar_stop(session, time));
        CHECK(seconds(time) >= spent);
        const double stopped = seconds(time);
        int flag;
        OK(MPI_Iprobe(1, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        CHECK(seconds(time) == stopped);
        /* Written and reset in seconds; a negative time is refused. */
        double value = 1.5;
        OK(MPI_T_pvar_write(session, time, &value));
        CHECK(seconds(time) > 1.499 && seconds(time) < 1.501);
        value = -1;
        CODE(MPI_T_ERR_INVALID, MPI_T_pvar_write(session, time, &value));
        OK(MPI_T_pvar_readreset(session, time, &value));
        CHECK(value > 1.499 && value < 1.501 && seconds(time) == 0);
    }
    OK(MPI_T_pvar_handle_free(session, &attempts));
    OK(MPI_T_pvar_handle_free(session, &searches));
    OK(MPI_T_pvar_handle_free(session, &mean));
    OK(MPI_T_pvar_handle_free(session, &time));
}

/* Whether the system has stopped a process. */
static int is_stopped(int pid)
{
    char path[64], line[512], state = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    CHECK(file && fgets(line, sizeof line, file));
    fclose(file);
    sscanf(strrchr(line, ')') + 1, " %c", &state);
    return state == 'T';
}

/* STATE, SIZE, PERCENTAGE. */
static void others(void)
{
    int count, state = -1;
    MPI_T_pvar_handle handle = pvar(session, "activity", MPI_T_PVAR_CLASS_STATE, NULL);
    OK(MPI_T_pvar_read(session, handle, &state));
    CHECK(state == 0);
    OK(MPI_T_pvar_handle_free(session, &handle));
    handle = pvar(session, "job_size", MPI_T_PVAR_CLASS_SIZE, NULL);
    CHECK(value_of(session, handle) == 2);
    OK(MPI_T_pvar_handle_free(session, &handle));
    MPI_Comm self = MPI_COMM_SELF;
    handle = pvar(session, "comm_size", MPI_T_PVAR_CLASS_SIZE, &self);
    CHECK(value_of(session, handle) == 1);
    OK(MPI_T_pvar_handle_free(session, &handle));
    /* An element for each rank of the job. What rank 1 cannot take out of its ring, because it is
     * stopped, stays there. */
    OK(MPI_T_pvar_handle_alloc(session, pvar_index("ring_use", MPI_T_PVAR_CLASS_PERCENTAGE), NULL,
                               &handle, &count));
    CHECK(count == 2);
    double use[2] = {-1, -1};
    char data[1000] = {0};
    int pid = getpid();
    OK(MPI_Bcast(&pid, 1, MPI_INT, 1, MPI_COMM_WORLD));
    if (rank == 0) {
        CHECK(kill(pid, SIGSTOP) == 0);
        while (!is_stopped(pid))
            usleep(100);
        MPI_Request requests[10];
        double before[2];
        OK(MPI_T_pvar_read(session, handle, before));
        for (int i = 0; i < 10; i++)
            OK(MPI_Isend(data, 1000, MPI_CHAR, 1, i, MPI_COMM_WORLD, &requests[i]));
        OK(MPI_T_pvar_read(session, handle, use));
        CHECK(kill(pid, SIGCONT) == 0);
        CHECK(use[0] == 0 && use[1] > before[1] && use[1] <= 1);
        OK(MPI_Waitall(10, requests, MPI_STATUSES_IGNORE));
    } else {
        for (int i = 0; i < 10; i++)
            OK(MPI_Recv(data, 1000, MPI_CHAR, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    OK(MPI_T_pvar_handle_free(session, &handle));
}

int main(int argc, char **argv)
{
    int provided;
    OK(MPI_Init(&argc, &argv));
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    OK(MPI_T_pvar_session_create(&session));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    queues();
    OK(MPI_Barrier(MPI_COMM_WORLD));
    matching();
    OK(MPI_Barrier(MPI_COMM_WORLD));
    others();
    OK(MPI_T_pvar_session_free(&session));
    OK(MPI_T_finalize());
    PASS();
}
