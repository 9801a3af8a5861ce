/* Messages of one sender arrive in their order, whatever their size and whatever wildcards receive
 * them. */
#include "p2p.h"

enum {
    MESSAGES = 3000
};

static int bytes_of(int number)
{
    return number % 97 == 0 ? 20000 + number : number % 11 == 0 ? 5000 : number % 40;
}

int main(void)
{
    begin();
    static unsigned char data[MESSAGES + 20000];
    if (rank > 0 || size == 1) {
        MPI_Request *requests = malloc(MESSAGES * sizeof *requests);
        unsigned char **buffers = malloc(MESSAGES * sizeof *buffers);
        for (int i = 0; i < MESSAGES; i++) {
            buffers[i] = malloc(bytes_of(i) + 1);
            fill(buffers[i], bytes_of(i), rank + i);
            MPI_Isend(buffers[i], bytes_of(i), MPI_BYTE, 0, i % 3, MPI_COMM_WORLD, &requests[i]);
        }
        if (rank > 0)
            MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
        if (rank == 0) {
            for (int i = 0; i < MESSAGES; i++) {
                MPI_Recv(data, sizeof data, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
                CHECK(is_filled(data, bytes_of(i), rank + i));
            }
            MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
        }
    } else {
        int *next = calloc(size, sizeof *next);
        for (int i = 0; i < MESSAGES * (size - 1); i++) {
            MPI_Status status;
            int count;
            MPI_Recv(data, sizeof data, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                     &status);
            MPI_Get_count(&status, MPI_BYTE, &count);
            int number = next[status.MPI_SOURCE]++;
            CHECK_EQUAL(status.MPI_TAG, number % 3);
            CHECK_EQUAL(count, bytes_of(number));
            CHECK(is_filled(data, count, status.MPI_SOURCE + number));
        }
        for (int i = 1; i < size; i++)
            CHECK_EQUAL(next[i], MESSAGES);
    }
    return end();
}
