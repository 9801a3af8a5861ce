/* MPI_THREAD_MULTIPLE: threads of one rank send, receive and wait at the same time, each on its own
 * tag. */
#include "p2p.h"
#include <pthread.h>

enum {
    THREADS = 4,
    ROUNDS = 300
};

static void *work(void *argument)
{
    int thread = (int)(long)argument;
    int bytes = thread % 2 ? 20000 : 200;
    unsigned char *out = malloc(bytes), *in = malloc(bytes);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request request;
        MPI_Status status;
        fill(out, bytes, rank + thread + round);
        MPI_Isend(out, bytes, MPI_BYTE, NEXT, thread, MPI_COMM_WORLD, &request);
        MPI_Recv(in, bytes, MPI_BYTE, PREVIOUS, thread, MPI_COMM_WORLD, &status);
        CHECK(is_filled(in, bytes, PREVIOUS + thread + round));
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    free(out);
    free(in);
    return NULL;
}

static void *wait_long(void *argument)
{
    /* Sleeps until another thread of the process sends to itself. */
    int value;
    MPI_Recv(&value, 1, MPI_INT, rank, 1000, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQUAL(value, 42);
    (void)argument;
    return NULL;
}

int main(void)
{
    int provided, flag;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK_EQUAL(provided, MPI_THREAD_MULTIPLE);
    MPI_Query_thread(&provided);
    CHECK_EQUAL(provided, MPI_THREAD_MULTIPLE);
    MPI_Is_thread_main(&flag);
    CHECK(flag);
    pthread_t sleeper, threads[THREADS];
    pthread_create(&sleeper, NULL, wait_long, NULL);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    int value = 42;
    MPI_Send(&value, 1, MPI_INT, rank, 1000, MPI_COMM_WORLD);
    pthread_join(sleeper, NULL);
    return end();
}
