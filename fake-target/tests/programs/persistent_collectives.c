/* Persistent collective operations: described once, started again and again, in any order. */
#include "schedules.h"

static void restarted(unsigned *shared)
{
    enum {
        MANY = KINDS
    };
    unsigned mine = 13 + rank;
    for (int turn = 0; turn < 6; turn++) {
        struct operation *all[MANY];
        MPI_Request requests[MANY];
        for (int i = 0; i < MANY; i++) {
            all[i] = make(i, turn * MANY + i, shared);
            fill(all[i], 0);
            call(all[i], PERSISTENT);
            requests[i] = all[i]->request;
        }
        int flag;
        OK(MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE));
        CHECK(flag && requests[0] == all[0]->request);
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < MANY; i++)
                fill(all[i], round);
            if (next(shared) % 2) {
                OK(MPI_Startall(MANY, requests));
            } else {
                /* In an order of this process's own. */
                int first = next(&mine) % MANY;
                for (int i = 0; i < MANY; i++)
                    OK(MPI_Start(&requests[(first + i) % MANY]));
            }
            int done = 0;
            while (next(&mine) % 3) {
                int index;
                OK(MPI_Waitany(MANY, requests, &index, MPI_STATUS_IGNORE));
                if (index == MPI_UNDEFINED)
                    break;
                verify(all[index]);
                CHECK(requests[index] == all[index]->request);
                done++;
            }
            CHECK(done <= MANY);
            OK(MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE));
            for (int i = 0; i < MANY; i++)
                verify(all[i]);
        }
        for (int i = 0; i < MANY; i++) {
            OK(MPI_Request_free(&requests[i]));
            CHECK(requests[i] == MPI_REQUEST_NULL);
            drop(all[i]);
        }
    }
}

static void errors(void)
{
    MPI_Request request;
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Barrier_init(comm, MPI_INFO_NULL, &request));
    FAILS(MPI_ERR_REQUEST, MPI_Cancel(&request));
    OK(MPI_Start(&request));
    FAILS(MPI_ERR_REQUEST, MPI_Start(&request));
    FAILS(MPI_ERR_REQUEST, MPI_Request_free(&request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(request != MPI_REQUEST_NULL);
    OK(MPI_Request_free(&request));
    FAILS(MPI_ERR_INFO, MPI_Barrier_init(comm, (MPI_Info)12345, &request));
}

int main(int argc, char **argv)
{
    unsigned shared = 815;
    OK(MPI_Init(&argc, &argv));
    begin(MPI_COMM_WORLD);
    restarted(&shared);
    errors();
    end();
    PASS();
}
