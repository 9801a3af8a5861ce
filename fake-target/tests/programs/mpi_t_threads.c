/* Several threads use the interface while others communicate: MPI_THREAD_MULTIPLE, which
 * MPI_T_init_thread always provides (14.3.4). */
#include "mpi_t.h"
#include <pthread.h>

enum {
    MESSAGES = 3000,
    THREADS = 3
};

static volatile int over;
static int other;

static void *communicate(void *argument)
{
    const int tag = *(int *)argument;
    char data[10] = {0};
    for (int i = 0; i < MESSAGES; i++)
        OK(MPI_Sendrecv(data, 10, MPI_CHAR, other, tag, data, 10, MPI_CHAR, other, tag,
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    return NULL;
}

/* Sessions and handles come and go; what a handle shows never falls while it runs. */
static void *watch(void *argument)
{
    (void)argument;
    MPI_Comm comm = MPI_COMM_WORLD;
    while (!over) {
        MPI_T_pvar_session session;
        unsigned long before = 0, values[2];
        double seconds;
        OK(MPI_T_pvar_session_create(&session));
        MPI_T_pvar_handle sent = pvar(session, "messages_sent", MPI_T_PVAR_CLASS_COUNTER, NULL);
        MPI_T_pvar_handle high = pvar(session, "requests", MPI_T_PVAR_CLASS_HIGHWATERMARK, NULL);
        MPI_T_pvar_handle level =
            pvar(session, "comm_posted_receives", MPI_T_PVAR_CLASS_LEVEL, &comm);
        MPI_T_pvar_handle time = pvar(session, "matching_time", MPI_T_PVAR_CLASS_TIMER, NULL);
        MPI_T_pvar_handle each;
        int count;
        OK(MPI_T_pvar_handle_alloc(session,
                                   pvar_index("comm_bytes_sent", MPI_T_PVAR_CLASS_AGGREGATE), &comm,
                                   &each, &count));
        OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
        for (int i = 0; i < 50; i++) {
            const unsigned long now = value_of(session, sent);
            CHECK(now >= before && now <= 2 * THREADS * MESSAGES);
            before = now;
            CHECK(value_of(session, high) <= 100 && value_of(session, level) <= THREADS);
            OK(MPI_T_pvar_read(session, time, &seconds));
            OK(MPI_T_pvar_read(session, each, values));
            CHECK(seconds >= 0);
        }
        OK(MPI_T_pvar_session_free(&session));
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, rank, tags[THREADS];
    pthread_t threads[THREADS], watchers[2];
    MPI_T_pvar_session session;
    OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
    CHECK(provided == MPI_THREAD_MULTIPLE);
    OK(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided));
    CHECK(provided == MPI_THREAD_MULTIPLE);
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    other = 1 - rank;
    OK(MPI_T_pvar_session_create(&session));
    MPI_T_pvar_handle sent = pvar(session, "messages_sent", MPI_T_PVAR_CLASS_COUNTER, NULL);
    MPI_T_pvar_handle received = pvar(session, "messages_received", MPI_T_PVAR_CLASS_COUNTER, NULL);
    MPI_T_pvar_handle waiting = pvar(session, "threads_waiting", MPI_T_PVAR_CLASS_LEVEL, NULL);
    OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&watchers[i], NULL, watch, NULL) == 0);
    for (int i = 0; i < THREADS; i++) {
        tags[i] = i;
        CHECK(pthread_create(&threads[i], NULL, communicate, &tags[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    over = 1;
    for (int i = 0; i < 2; i++)
        CHECK(pthread_join(watchers[i], NULL) == 0);
    /* No count is lost, whichever thread counts. */
    CHECK(value_of(session, sent) == THREADS * MESSAGES &&
          value_of(session, received) == THREADS * MESSAGES);
    CHECK(value_of(session, waiting) == 0);
    OK(MPI_T_pvar_session_free(&session));
    OK(MPI_T_finalize());
    PASS();
}
