/* Waiting and testing: all, any, some; null and inactive requests; requests that are freed or only
 * looked at. */
#include "p2p.h"

enum {
    N = 40,
    ALL = -1
};

static int data[N], in[N];
static MPI_Request sends[N], receives[N];

static void start(void)
{
    for (int i = 0; i < N; i++) {
        data[i] = rank * 100 + i;
        in[i] = -1;
        MPI_Irecv(&in[i], 1, MPI_INT, PREVIOUS, i, MPI_COMM_WORLD, &receives[i]);
    }
    for (int i = N - 1; i >= 0; i--)
        MPI_Isend(&data[i], 1, MPI_INT, NEXT, i, MPI_COMM_WORLD, &sends[i]);
}

static void check_one(int i, MPI_Status *status)
{
    CHECK(receives[i] == MPI_REQUEST_NULL);
    CHECK_EQUAL(status->MPI_TAG, i);
    CHECK_EQUAL(status->MPI_SOURCE, PREVIOUS);
    CHECK_EQUAL(in[i], PREVIOUS * 100 + i);
}

static void check_empty(MPI_Status *status)
{
    int count, cancelled;
    MPI_Get_count(status, MPI_INT, &count);
    MPI_Test_cancelled(status, &cancelled);
    CHECK_EQUAL(status->MPI_SOURCE, MPI_ANY_SOURCE);
    CHECK_EQUAL(status->MPI_TAG, MPI_ANY_TAG);
    CHECK_EQUAL(count, 0);
    CHECK(!cancelled);
}

int main(void)
{
    begin();
    MPI_Status statuses[N], status;
    int flag, index, count, seen[N], indices[N];

    start();
    MPI_Waitall(N, receives, statuses);
    for (int i = 0; i < N; i++)
        check_one(i, &statuses[i]);
    MPI_Waitall(N, sends, MPI_STATUSES_IGNORE);

    start();
    do
        MPI_Testall(N, receives, &flag, statuses);
    while (!flag);
    for (int i = 0; i < N; i++)
        check_one(i, &statuses[i]);
    MPI_Waitall(N, sends, MPI_STATUSES_IGNORE);

    for (int test = 0; test < 2; test++) {
        start();
        memset(seen, 0, sizeof seen);
        for (int done = 0; done < N; done++) {
            if (test)
                do
                    MPI_Testany(N, receives, &index, &flag, &status);
                while (!flag);
            else
                MPI_Waitany(N, receives, &index, &status);
            CHECK(index >= 0 && index < N && !seen[index]++);
            check_one(index, &status);
        }
        MPI_Waitany(N, receives, &index, &status);
        CHECK_EQUAL(index, MPI_UNDEFINED);
        check_empty(&status);
        MPI_Testany(N, receives, &index, &flag, &status);
        CHECK(flag && index == MPI_UNDEFINED);
        MPI_Waitall(N, sends, MPI_STATUSES_IGNORE);
    }

    for (int test = 0; test < 2; test++) {
        start();
        memset(seen, 0, sizeof seen);
        for (int done = 0; done < N; done += count) {
            if (test)
                do
                    MPI_Testsome(N, receives, &count, indices, statuses);
                while (count == 0);
            else
                MPI_Waitsome(N, receives, &count, indices, statuses);
            CHECK(count > 0 && count <= N - done);
            for (int i = 0; i < count; i++) {
                CHECK(!seen[indices[i]]++);
                check_one(indices[i], &statuses[i]);
            }
        }
        MPI_Waitsome(N, receives, &count, indices, statuses);
        CHECK_EQUAL(count, MPI_UNDEFINED);
        MPI_Testsome(N, receives, &count, indices, statuses);
        CHECK_EQUAL(count, MPI_UNDEFINED);
        MPI_Waitall(N, sends, MPI_STATUSES_IGNORE);
    }

    /* Looking at a request leaves it there. */
    start();
    do
        MPI_Request_get_status(receives[3], &flag, &status);
    while (!flag);
    CHECK_EQUAL(status.MPI_TAG, 3);
    CHECK(receives[3] != MPI_REQUEST_NULL);
    do
        MPI_Request_get_status_all(N, receives, &flag, statuses);
    while (!flag);
    CHECK_EQUAL(statuses[5].MPI_TAG, 5);
    MPI_Request_get_status_any(N, receives, &index, &flag, &status);
    CHECK(flag && index == status.MPI_TAG);
    MPI_Request_get_status_some(N, receives, &count, indices, statuses);
    CHECK_EQUAL(count, N);
    MPI_Wait(&receives[3], &status);
    check_one(3, &status);
    MPI_Waitall(N, receives, MPI_STATUSES_IGNORE);

    /* Sends arrive although nothing waits for them. */
    MPI_Waitall(N, sends, MPI_STATUSES_IGNORE);
    static unsigned char large[100000], large_in[100000], kept[100000];
    fill(kept, sizeof kept, rank);
    MPI_Isend(kept, sizeof kept, MPI_BYTE, NEXT, 77, MPI_COMM_WORLD, &sends[0]);
    MPI_Request_free(&sends[0]);
    MPI_Recv(large_in, sizeof large_in, MPI_BYTE, PREVIOUS, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(is_filled(large_in, sizeof large_in, PREVIOUS));

    /* The null request, and MPI_PROC_NULL. */
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Wait(&request, &status);
    check_empty(&status);
    /* 3.7.3: the empty status has an error of its own, which replaces what was there. */
    status.MPI_ERROR = MPI_ERR_TRUNCATE;
    MPI_Request_get_status_any(1, &request, &index, &flag, &status);
    CHECK(flag && index == MPI_UNDEFINED);
    CHECK_EQUAL(status.MPI_ERROR, MPI_SUCCESS);
    MPI_Test(&request, &flag, &status);
    CHECK(flag);
    check_empty(&status);
    MPI_Irecv(in, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &request);
    MPI_Test(&request, &flag, &status);
    CHECK(flag && request == MPI_REQUEST_NULL);
    CHECK_EQUAL(status.MPI_SOURCE, MPI_PROC_NULL);
    CHECK_EQUAL(status.MPI_TAG, MPI_ANY_TAG);
    MPI_Isend(data, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Sendrecv(data, 1, MPI_INT, MPI_PROC_NULL, 1, in, 1, MPI_INT, MPI_PROC_NULL, 1,
                 MPI_COMM_WORLD, &status);
    CHECK_EQUAL(status.MPI_SOURCE, MPI_PROC_NULL);

    /* A combined send and receive under one request, also with one buffer. */
    for (int bytes = 10; bytes <= 100000; bytes *= 100) {
        fill(large, bytes, rank + 5);
        MPI_Isendrecv(large, bytes, MPI_BYTE, NEXT, 1, large_in, bytes, MPI_BYTE, PREVIOUS, 1,
                      MPI_COMM_WORLD, &request);
        MPI_Wait(&request, &status);
        MPI_Get_count(&status, MPI_BYTE, &count);
        CHECK_EQUAL(count, bytes);
        CHECK(is_filled(large_in, bytes, PREVIOUS + 5));
        MPI_Isendrecv_replace(large, bytes, MPI_BYTE, NEXT, 1, PREVIOUS, 1, MPI_COMM_WORLD,
                              &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(is_filled(large, bytes, PREVIOUS + 5));
        MPI_Sendrecv_replace(large, bytes, MPI_BYTE, PREVIOUS, 1, NEXT, 1, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        CHECK(is_filled(large, bytes, rank + 5));
    }
    return end();
}
