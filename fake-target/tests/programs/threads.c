/* Threads make communicators and use them at the same time, each in a communicator of its own.
 * Three processes. */
#include "check.h"
#include <pthread.h>

enum {
    THREADS = 4,
    ROUNDS = 50
};

static MPI_Comm parents[THREADS];

static void *work(void *argument)
{
    int number = *(int *)argument, rank, size;
    MPI_Comm parent = parents[number], part, copy;
    OK(MPI_Comm_rank(parent, &rank));
    OK(MPI_Comm_size(parent, &size));
    for (int i = 0; i < ROUNDS; i++) {
        int color = (rank + i) % 2, expected = 0, sum,
            value = rank == i % size ? 1000 * number + i : -1;
        OK(MPI_Comm_split(parent, color, -rank, &part));
        OK(MPI_Comm_dup(parent, &copy));
        OK(MPI_Bcast(&value, 1, MPI_INT, i % size, copy));
        CHECK(value == 1000 * number + i);
        for (int r = 0; r < size; r++)
            expected += (r + i) % 2 == color ? 100 * number + r : 0;
        value = 100 * number + rank;
        OK(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, part));
        CHECK(sum == expected);
        OK(MPI_Comm_free(&part));
        OK(MPI_Comm_free(&copy));
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, numbers[THREADS];
    pthread_t threads[THREADS];
    OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
    CHECK(provided == MPI_THREAD_MULTIPLE);
    for (int i = 0; i < THREADS; i++)
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &parents[i]));
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        CHECK(pthread_create(&threads[i], NULL, work, &numbers[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        OK(MPI_Comm_free(&parents[i]));
    PASS();
}
