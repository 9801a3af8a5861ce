/* PERUSE 2.0, section 4.3.2: the order of events and their unique_ids (4.1, 4.3, 5.1.2) on every
 * path that a request and a message can take. 2 ranks.
 *
 * Letters stand for unique_ids in the order in which they come: the same letter is the same id,
 * another letter another one. Barriers put the two ranks in step; their own messages cause no
 * events (5.1.2). */
#include "peruse_test.h"

enum {
    LARGE = 300000,
    EAGER = 100
};
static char buffer[LARGE], other[LARGE];
static int gets; /* large messages are fetched by the receiver: the sender does not see the transfer
                    (3.2) */

#define POSTED "activate:a unex_begin:b unex_end:b insert_posted:a "
#define ARRIVES_EXPECTED "arrived:c posted_begin:d posted_end:d match_posted:c remove_posted:a "
#define ARRIVES_UNEXPECTED "arrived:a posted_begin:b posted_end:b insert_unex:a"
#define TRANSFER "xfer_begin:a xfer_end:a "

/* The receive comes first: posted, matched when the message arrives. */
static void posted(int bytes)
{
    MPI_Request request;
    if (rank == 0)
        MPI_Irecv(buffer, LARGE, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
    BARRIER();
    if (rank == 0) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        EXPECT_COURSE(1, POSTED ARRIVES_EXPECTED TRANSFER "complete:a notify:a");
    } else {
        MPI_Send(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
        EXPECT_COURSE(1, bytes > EAGER && gets ? "activate:a complete:a notify:a"
                                               : "activate:a " TRANSFER "complete:a notify:a");
    }
    BARRIER();
}

/* The message comes first: unexpected, matched when the receive is activated. */
static void unexpected(int bytes)
{
    MPI_Request request;
    if (rank == 1) {
        MPI_Isend(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
        EXPECT_COURSE(1, bytes > EAGER ? "activate:a" : "activate:a " TRANSFER "complete:a");
    }
    BARRIER();
    if (rank == 0) {
        EXPECT_COURSE(1, ARRIVES_UNEXPECTED);
        MPI_Recv(buffer, LARGE, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        EXPECT_COURSE(1, "activate:a unex_begin:b unex_end:b match_unex:a remove_unex:c " TRANSFER
                         "complete:a notify:a");
    } else {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        EXPECT_COURSE(1, bytes <= EAGER ? "notify:a"
                         : gets         ? "complete:a notify:a"
                                        : TRANSFER "complete:a notify:a");
    }
    BARRIER();
}

/* The id of a kept message is the same until it leaves the queue, that of a request until it is
 * notified; the two are different. */
static void ids_of_a_whole_course(void)
{
    if (rank == 1)
        MPI_Send(buffer, 4, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    BARRIER();
    if (rank == 0) {
        MPI_Recv(buffer, 4, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT_COURSE(1, "arrived:a posted_begin:b posted_end:b insert_unex:a activate:c "
                         "unex_begin:d unex_end:d match_unex:c remove_unex:a "
                         "xfer_begin:c xfer_end:c complete:c notify:c");
    }
    recorded = 0;
    BARRIER();
}

static void two_of_everything(void)
{
    MPI_Request requests[2];
    if (rank == 0)
        for (int i = 0; i < 2; i++)
            MPI_Irecv(buffer + i, 1, MPI_BYTE, 1, i, MPI_COMM_WORLD, &requests[i]);
    BARRIER();
    if (rank == 1)
        for (int tag = 1; tag >= 0; tag--)
            MPI_Send(buffer, 1, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
    BARRIER();
    if (rank == 0) {
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        EXPECT_COURSE(0,
                      "activate:a insert_posted:a activate:b insert_posted:b "
                      "arrived:c match_posted:c remove_posted:b xfer_begin:b xfer_end:b complete:b "
                      "arrived:d match_posted:d remove_posted:a xfer_begin:a xfer_end:a complete:a "
                      "notify:a notify:b");
    }
    recorded = 0;
    BARRIER();
}

/* 4.3.1: REMOVE_FROM_POSTED_Q "can be caused by MPI_Cancel()". */
static void cancelled_receive(void)
{
    MPI_Request request;
    if (rank == 0) {
        MPI_Irecv(buffer, 1, MPI_BYTE, 1, 77, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        EXPECT_COURSE(1, POSTED "remove_posted:a complete:a");
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        EXPECT_COURSE(1, "notify:a");
    }
    BARRIER();
}

/* A message that its sender cancels leaves the queue: each insertion has a removal. */
static void cancelled_send(void)
{
    MPI_Request request;
    if (rank == 1) {
        MPI_Issend(buffer, 1, MPI_BYTE, 0, 78, MPI_COMM_WORLD, &request);
        EXPECT_COURSE(1, "activate:a xfer_begin:a xfer_end:a");
    }
    BARRIER();
    if (rank == 0)
        EXPECT_COURSE(1, ARRIVES_UNEXPECTED);
    BARRIER();
    if (rank == 1) {
        MPI_Cancel(&request);
        int flag;
        MPI_Status status;
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &flag);
        CHECK(flag);
        EXPECT_COURSE(1, "complete:a notify:a");
    }
    BARRIER();
    if (rank == 0)
        EXPECT_COURSE(1, "remove_unex:a");
    BARRIER();
}

/* A synchronous send is complete when it is matched, long after its data have left. */
static void synchronous(void)
{
    MPI_Request request;
    if (rank == 1) {
        MPI_Issend(buffer, 4, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
        EXPECT_COURSE(1, "activate:a xfer_begin:a xfer_end:a");
    }
    BARRIER();
    if (rank == 1) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        EXPECT_COURSE(1, "complete:a notify:a");
    } else {
        MPI_Recv(buffer, 4, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    recorded = 0;
    BARRIER();
}

/* 4.4: a probe searches the unexpected queue and leaves it as it is; a matched probe takes the
 * message, its receive finds it without a search. */
static void probes(void)
{
    if (rank == 1)
        for (int i = 0; i < 2; i++)
            MPI_Send(buffer, 4, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    BARRIER();
    if (rank == 0) {
        MPI_Status status;
        MPI_Message message;
        int flag;
        recorded = 0;
        MPI_Iprobe(1, 99, MPI_COMM_WORLD, &flag, &status);
        CHECK(!flag && recorded % 2 == 0);
        recorded = 0;
        MPI_Probe(1, 1, MPI_COMM_WORLD, &status);
        EXPECT_COURSE(1, "unex_begin:a unex_end:a");
        MPI_Mprobe(1, 1, MPI_COMM_WORLD, &message, &status);
        EXPECT_COURSE(1, "unex_begin:a unex_end:a remove_unex:b");
        MPI_Mrecv(buffer, 4, MPI_BYTE, &message, &status);
        EXPECT_COURSE(1, "activate:a match_unex:a " TRANSFER "complete:a notify:a");
        MPI_Improbe(1, 1, MPI_COMM_WORLD, &flag, &message, &status);
        CHECK(flag);
        MPI_Request request;
        MPI_Imrecv(buffer, 4, MPI_BYTE, &message, &request);
        MPI_Wait(&request, &status);
        EXPECT_COURSE(1, "unex_begin:a unex_end:a remove_unex:b activate:c match_unex:c "
                         "xfer_begin:c xfer_end:c complete:c notify:c");
    }
    recorded = 0;
    BARRIER();
}

/* A process is its own partner: both requests and the message are here. */
static void with_oneself(int bytes)
{
    MPI_Request request;
    MPI_Irecv(other, LARGE, MPI_BYTE, rank, 5, MPI_COMM_WORLD, &request);
    course(1);
    MPI_Send(buffer, bytes, MPI_BYTE, rank, 5, MPI_COMM_WORLD);
    EXPECT_COURSE(1, bytes > EAGER ? "activate:a arrived:b posted_begin:c posted_end:c "
                                     "match_posted:b remove_posted:d xfer_begin:a xfer_begin:d "
                                     "xfer_end:d xfer_end:a complete:a complete:d notify:a"
                                   : "activate:a arrived:b posted_begin:c posted_end:c "
                                     "match_posted:b remove_posted:d xfer_begin:a xfer_begin:d "
                                     "xfer_end:d xfer_end:a complete:d complete:a notify:a");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_COURSE(1, "notify:a");

    MPI_Isend(buffer, bytes, MPI_BYTE, rank, 5, MPI_COMM_WORLD, &request);
    EXPECT_COURSE(1, bytes > EAGER
                         ? "activate:a arrived:b posted_begin:c posted_end:c insert_unex:b"
                         : "activate:a arrived:b posted_begin:c posted_end:c xfer_begin:a "
                           "xfer_end:a insert_unex:b complete:a");
    MPI_Recv(other, LARGE, MPI_BYTE, rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_COURSE(1, bytes > EAGER
                         ? "activate:a unex_begin:b unex_end:b match_unex:a remove_unex:c "
                           "xfer_begin:d xfer_begin:a xfer_end:a xfer_end:d "
                           "complete:d complete:a notify:a"
                         : "activate:a unex_begin:b unex_end:b match_unex:a remove_unex:c " TRANSFER
                           "complete:a notify:a");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_COURSE(1, "notify:a");
    BARRIER();
}

/* 4.3.1: ACTIVATE is generated by MPI_Start and MPI_Startall, so not by the calls that describe
 * persistent requests; each start is a course of its own. */
static void persistent(void)
{
    MPI_Request requests[2];
    MPI_Send_init(buffer, 4, MPI_BYTE, rank, 6, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(other, 4, MPI_BYTE, rank, 6, MPI_COMM_WORLD, &requests[1]);
    EXPECT_COURSE(1, "");
    for (int round = 0; round < 2; round++) {
        MPI_Start(&requests[1]);
        EXPECT_COURSE(0, "activate:a insert_posted:a");
        MPI_Start(&requests[0]);
        EXPECT_COURSE(0, "activate:a arrived:b match_posted:b remove_posted:c xfer_begin:a "
                         "xfer_begin:c xfer_end:c xfer_end:a complete:c complete:a");
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        EXPECT_COURSE(0, "notify:a notify:b");
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* inactive: nothing is completed */
        EXPECT_COURSE(0, "");
    }
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT_COURSE(0, "activate:a arrived:b xfer_begin:a xfer_end:a insert_unex:b complete:a "
                     "activate:c match_unex:c remove_unex:b xfer_begin:c xfer_end:c "
                     "complete:c notify:a notify:c");
    for (int i = 0; i < 2; i++)
        MPI_Request_free(&requests[i]);
    BARRIER();
}

/* A buffered send is complete for the program before its data leave, if they have to wait: here for
 * a receiver that is not there yet. */
static void buffered(void)
{
    static char space[2 * (LARGE + MPI_BSEND_OVERHEAD)];
    if (rank == 1) {
        MPI_Buffer_attach(space, sizeof space);
        MPI_Bsend(buffer, LARGE, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
        EXPECT_COURSE(1, "activate:a complete:a notify:a");
        MPI_Bsend(buffer, 4, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
        EXPECT_COURSE(1, "activate:a " TRANSFER "complete:a notify:a");
    }
    BARRIER();
    if (rank == 0)
        for (int i = 0; i < 2; i++)
            MPI_Recv(other, LARGE, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) {
        void *address;
        int bytes;
        MPI_Buffer_detach(&address, &bytes);
        EXPECT_COURSE(1, gets ? "" : "xfer_begin:a xfer_end:a");
    }
    recorded = 0;
    BARRIER();
    MPI_Request request;
    if (rank == 1) {
        MPI_Buffer_attach(space, sizeof space);
        MPI_Bsend_init(buffer, LARGE, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        EXPECT_COURSE(1, "activate:a complete:a");
        MPI_Aint id = records[0].id;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK_EQUAL(recorded, 1);
        CHECK(records[0].id == id); /* one request of the user: one id */
        EXPECT_COURSE(1, "notify:a");
        MPI_Request_free(&request);
    } else {
        MPI_Recv(other, LARGE, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    BARRIER();
    if (rank == 1) {
        void *address;
        int bytes;
        MPI_Buffer_detach(&address, &bytes);
    }
    recorded = 0;
    BARRIER();
}

/* A message longer than the buffer takes the same way. */
static void truncated(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Request request;
    for (int bytes = 8; bytes <= LARGE; bytes += LARGE - 8) {
        if (rank == 0)
            MPI_Irecv(buffer, 4, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
        BARRIER();
        if (rank == 1)
            MPI_Send(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
        if (rank == 0) {
            CHECK_EQUAL(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
            EXPECT_COURSE(1, POSTED ARRIVES_EXPECTED TRANSFER "complete:a notify:a");
        }
        recorded = 0;
        BARRIER();
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* Nothing is transferred to or from MPI_PROC_NULL. */
static void nobody(void)
{
    MPI_Request requests[3];
    MPI_Send(buffer, 1, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Recv(buffer, 1, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Isend(buffer, 1, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(buffer, 1, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Send_init(buffer, 1, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Start(&requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[2]);
    EXPECT_COURSE(1, "");
    BARRIER();
}

/* 4.3.1: NOTIFY is called in MPI_Wait, MPI_Test and their kin, once for a request; a request that
 * was freed never causes it. */
static void notifications(void)
{
    MPI_Request requests[9];
    int flag, index, indices[2], count;
    for (int i = 0; i < 9; i++)
        MPI_Irecv(other + i, 1, MPI_BYTE, rank, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    CHECK(!flag);
    for (int i = 0; i < 9; i++)
        MPI_Send(buffer, 1, MPI_BYTE, rank, i, MPI_COMM_WORLD);
    recorded = 0;
    MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
    CHECK(flag);
    EXPECT_COURSE(1, "");
    MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    CHECK(flag);
    EXPECT_COURSE(1, "notify:a");
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    EXPECT_COURSE(1, "notify:a");
    MPI_Waitany(2, requests + 2, &index, MPI_STATUS_IGNORE);
    EXPECT_COURSE(1, "notify:a");
    MPI_Testany(2, requests + 2, &index, &flag, MPI_STATUS_IGNORE);
    EXPECT_COURSE(1, "notify:a");
    MPI_Waitsome(2, requests + 4, &count, indices, MPI_STATUSES_IGNORE);
    EXPECT_COURSE(1, "notify:a notify:b");
    MPI_Testsome(1, requests + 6, &count, indices, MPI_STATUSES_IGNORE);
    EXPECT_COURSE(1, "notify:a");
    MPI_Testall(1, requests + 7, &flag, MPI_STATUSES_IGNORE);
    EXPECT_COURSE(1, "notify:a");
    MPI_Request_free(&requests[8]);
    EXPECT_COURSE(1, "");
    BARRIER();
}

/* A call that does two things has two requests, each with a course of its own. */
static void combined(void)
{
    MPI_Request request;
    MPI_Sendrecv(buffer, 4, MPI_BYTE, rank, 7, other, 4, MPI_BYTE, rank, 7, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    EXPECT_COURSE(0, "activate:a insert_posted:a activate:b arrived:c match_posted:c "
                     "remove_posted:a xfer_begin:b xfer_begin:a xfer_end:a xfer_end:b "
                     "complete:a complete:b notify:b notify:a");
    MPI_Isendrecv(buffer, 4, MPI_BYTE, rank, 7, other, 4, MPI_BYTE, rank, 7, MPI_COMM_WORLD,
                  &request);
    recorded = 0;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_COURSE(0, "notify:a notify:b");
    BARRIER();
}

/* 5.1.2: collective operations may cause events of point-to-point communication; here they do not.
 */
static void collectives(void)
{
    int sum;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(buffer, LARGE, MPI_BYTE, 0, MPI_COMM_WORLD);
    EXPECT_COURSE(1, "");
    BARRIER();
}

int main(void)
{
    begin();
    const char *single_copy = getenv("MQDRT_SINGLE_COPY");
    gets = !single_copy || strcmp(single_copy, "0") != 0;
    CHECK_EQUAL(PERUSE_Init(), PERUSE_SUCCESS);
    struct watch w = watch(MPI_COMM_WORLD, NULL);
    BARRIER();
    EXPECT_COURSE(1, "");
    for (int i = 0; i < 2; i++) {
        int bytes = i ? LARGE : 4;
        posted(bytes);
        unexpected(bytes);
        with_oneself(bytes);
    }
    posted(0);
    unexpected(0);
    ids_of_a_whole_course();
    two_of_everything();
    cancelled_receive();
    cancelled_send();
    synchronous();
    probes();
    persistent();
    buffered();
    truncated();
    nobody();
    notifications();
    combined();
    collectives();
    unwatch(&w);
    return end();
}
