/* p2p.h - what the test programs share. A program that finds nothing wrong prints "ok" from rank 0;
 * anything else ends the job with a message. */
#ifndef P2P_H
#define P2P_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

#define CHECK(condition)                                                                       \
    do {                                                                                       \
        if (!(condition)) {                                                                    \
            fprintf(stderr, "%s:%d: rank %d: not %s\n", __FILE__, __LINE__, rank, #condition); \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                      \
        }                                                                                      \
    } while (0)

#define CHECK_EQUAL(left, right)                                                               \
    do {                                                                                       \
        long long left_ = (long long)(left), right_ = (long long)(right);                      \
        if (left_ != right_) {                                                                 \
            fprintf(stderr, "%s:%d: rank %d: %s is %lld, not %s = %lld\n", __FILE__, __LINE__, \
                    rank, #left, left_, #right, right_);                                       \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                      \
        }                                                                                      \
    } while (0)

__attribute__((unused)) static void begin(void)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
}

__attribute__((unused)) static int end(void)
{
    MPI_Finalize();
    if (rank == 0)
        puts("ok");
    return 0;
}

/* Bytes that differ for every message. */
__attribute__((unused)) static void fill(unsigned char *data, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)(seed * 31u + i * 7u + i / 253u);
}

__attribute__((unused)) static int is_filled(const unsigned char *data, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++)
        if (data[i] != (unsigned char)(seed * 31u + i * 7u + i / 253u))
            return 0;
    return 1;
}

/* Sizes on both sides of the eager limit, of a ring's record and of a ring. */
static const int sizes[] = {0,    1,    8,    16,    17,    100,    4000,
                            8191, 8192, 8193, 20000, 65536, 300000, 3000000};
enum {
    SIZES = sizeof sizes / sizeof *sizes,
    LARGEST = 3000000
};

/* The ring of processes. */
#define NEXT ((rank + 1) % size)
#define PREVIOUS ((rank + size - 1) % size)

#endif
