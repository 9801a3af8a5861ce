/* PERUSE 2.0, sections 4.1 and 5.1.2: the specification that callbacks get has the arguments of the
 * user's call, for every function and protocol; that of a message has its envelope. 2 ranks. */
#include "peruse_test.h"

enum {
    ROOM = 300000
};
static int data[ROOM], more[ROOM];
static MPI_Comm comm;

/* All events of requests since the last time have this specification (send or receive). */
static void expect(int operation, void *buf, int count, MPI_Datatype datatype, int peer, int tag)
{
    int found = 0;
    for (int i = 0; i < recorded; i++) {
        const struct record *r = &records[i];
        int of_message =
            r->event >= PERUSE_COMM_MSG_ARRIVED && r->event <= PERUSE_COMM_SEARCH_POSTED_Q_END;
        CHECK(r->spec.comm == comm);
        CHECK(r->param == &comm);
        if (of_message || r->spec.operation != operation)
            continue;
        found++;
        CHECK(r->spec.buf == buf);
        CHECK_EQUAL(r->spec.count, count);
        CHECK(r->spec.datatype == datatype);
        CHECK_EQUAL(r->spec.peer, peer);
        CHECK_EQUAL(r->spec.tag, tag);
    }
    CHECK(found >= 1);
}

/* Messages: source, tag and bytes of the envelope. */
static void expect_message(int bytes, int source, int tag)
{
    int found = 0;
    for (int i = 0; i < recorded; i++) {
        const struct record *r = &records[i];
        if (r->event < PERUSE_COMM_MSG_ARRIVED || r->event > PERUSE_COMM_SEARCH_POSTED_Q_END)
            continue;
        found++;
        CHECK(r->spec.comm == comm && r->spec.datatype == MPI_BYTE);
        CHECK_EQUAL(r->spec.operation, PERUSE_RECV);
        CHECK_EQUAL(r->spec.count, bytes);
        CHECK_EQUAL(r->spec.peer, source);
        CHECK_EQUAL(r->spec.tag, tag);
    }
    CHECK(found >= 3);
}

#define STEP() (MPI_Barrier(MPI_COMM_WORLD), recorded = 0, MPI_Barrier(MPI_COMM_WORLD))

static void receive_anything(int messages)
{
    for (int i = 0; i < messages; i++)
        MPI_Recv(more, ROOM, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
}

typedef int blocking(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int starting(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

/* Data that wait in the attached buffer leave with events of their own: waits for these. */
static void settle(int mode)
{
    if (mode == 1)
        MPI_Buffer_flush();
    recorded = 0;
}

/* Every send, short and long; derived datatypes keep the handle that the call gave. */
static void sends(MPI_Datatype datatype)
{
    static blocking *const blockings[] = {MPI_Send, MPI_Bsend, MPI_Ssend, MPI_Rsend};
    static starting *const startings[] = {MPI_Isend, MPI_Ibsend, MPI_Issend, MPI_Irsend};
    static starting *const inits[] = {MPI_Send_init, MPI_Bsend_init, MPI_Ssend_init,
                                      MPI_Rsend_init};
    for (int count = 5; count <= 20000; count += 20000 - 5)
        for (int mode = 0; mode < 4; mode++) {
            int tag = 10 + mode;
            MPI_Request requests[2];
            STEP();
            if (rank == 0) {
                for (int i = 0; i < 3; i++)
                    MPI_Irecv(more, ROOM, MPI_INT, 1, tag, comm, &requests[0]),
                        MPI_Request_free(&requests[0]);
            }
            STEP(); /* ready sends: the receives are posted */
            if (rank == 1) {
                blockings[mode](data, count, datatype, 0, tag, comm);
                expect(PERUSE_SEND, data, count, datatype, 0, tag);
                settle(mode);
                startings[mode](data + 1, count, datatype, 0, tag, comm, &requests[0]);
                MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
                expect(PERUSE_SEND, data + 1, count, datatype, 0, tag);
                settle(mode);
                inits[mode](data + 2, count, datatype, 0, tag, comm, &requests[1]);
                CHECK_EQUAL(recorded, 0);
                MPI_Start(&requests[1]);
                MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
                expect(PERUSE_SEND, data + 2, count, datatype, 0, tag);
                MPI_Request_free(&requests[1]);
                settle(mode);
            }
            /* All messages have been received when one that came after them has. */
            MPI_Sendrecv(NULL, 0, MPI_INT, !rank, tag, NULL, 0, MPI_INT, !rank, tag, comm,
                         MPI_STATUS_IGNORE);
            STEP();
        }
}

/* Every receive; wildcards stay as in the call. */
static void receives(void)
{
    MPI_Request request;
    MPI_Message message;
    STEP();
    if (rank == 1) {
        for (int i = 0; i < 6; i++)
            MPI_Send(data, 3, MPI_INT, 0, 20, comm);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        expect_message(12, 1, 20);
        recorded = 0;
        MPI_Recv(more, 7, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
        expect(PERUSE_RECV, more, 7, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG);
        recorded = 0;
        MPI_Irecv(more, 7, MPI_FLOAT, 1, MPI_ANY_TAG, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect(PERUSE_RECV, more, 7, MPI_FLOAT, 1, MPI_ANY_TAG);
        recorded = 0;
        MPI_Recv_init(more + 1, 7, MPI_INT, MPI_ANY_SOURCE, 20, comm, &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect(PERUSE_RECV, more + 1, 7, MPI_INT, MPI_ANY_SOURCE, 20);
        MPI_Request_free(&request);
        /* A probe has no buffer. */
        recorded = 0;
        MPI_Probe(MPI_ANY_SOURCE, 20, comm, MPI_STATUS_IGNORE);
        expect(PERUSE_RECV, NULL, 0, MPI_DATATYPE_NULL, MPI_ANY_SOURCE, 20);
        /* The receive of a matched message has no source and tag in its call: those of the message.
         */
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &message, MPI_STATUS_IGNORE);
        recorded = 0;
        MPI_Mrecv(more, 9, MPI_INT, &message, MPI_STATUS_IGNORE);
        expect(PERUSE_RECV, more, 9, MPI_INT, 1, 20);
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &message, MPI_STATUS_IGNORE);
        recorded = 0;
        MPI_Imrecv(more + 2, 9, MPI_INT, &message, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect(PERUSE_RECV, more + 2, 9, MPI_INT, 1, 20);
        receive_anything(1);
    }
    STEP();
    /* Posted first: the specification is the receive's before and after the match; posted long and
     * short. */
    for (int count = 2; count <= 20000; count += 20000 - 2) {
        if (rank == 0)
            MPI_Irecv(more, ROOM, MPI_INT, MPI_ANY_SOURCE, 21, comm, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            expect(PERUSE_RECV, more, ROOM, MPI_INT, MPI_ANY_SOURCE, 21);
            expect_message(count * 4, 1, 21);
        } else {
            MPI_Send(data, count, MPI_INT, 0, 21, comm);
        }
        STEP();
    }
}

/* Calls that do two things: each half is as in the call, although the runtime sends from a copy of
 * its own. */
static void combined(void)
{
    MPI_Request request;
    int peer = !rank;
    for (int count = 6; count <= 20000; count += 20000 - 6) {
        STEP();
        MPI_Sendrecv(data, count, MPI_INT, peer, 30, more, ROOM, MPI_FLOAT, MPI_ANY_SOURCE, 30,
                     comm, MPI_STATUS_IGNORE);
        expect(PERUSE_SEND, data, count, MPI_INT, peer, 30);
        expect(PERUSE_RECV, more, ROOM, MPI_FLOAT, MPI_ANY_SOURCE, 30);
        STEP();
        MPI_Sendrecv_replace(data, count, MPI_INT, peer, 31, peer, MPI_ANY_TAG, comm,
                             MPI_STATUS_IGNORE);
        expect(PERUSE_SEND, data, count, MPI_INT, peer, 31);
        expect(PERUSE_RECV, data, count, MPI_INT, peer, MPI_ANY_TAG);
        STEP();
        MPI_Isendrecv(data, count, MPI_INT, peer, 32, more, ROOM, MPI_INT, peer, 32, comm,
                      &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect(PERUSE_SEND, data, count, MPI_INT, peer, 32);
        expect(PERUSE_RECV, more, ROOM, MPI_INT, peer, 32);
        STEP();
        MPI_Isendrecv_replace(data, count, MPI_INT, peer, 33, peer, 33, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect(PERUSE_SEND, data, count, MPI_INT, peer, 33);
        expect(PERUSE_RECV, data, count, MPI_INT, peer, 33);
    }
    STEP();
}

/* The example of 5.1.2, with the numbers of this job. */
static void example(void)
{
    int my_buf[100];
    peruse_event_h handle;
    MPI_Comm own = comm;
    CHECK_EQUAL(
        PERUSE_Event_comm_register(PERUSE_COMM_REQ_COMPLETE, MPI_COMM_WORLD, record, NULL, &handle),
        PERUSE_SUCCESS);
    PERUSE_Event_activate(handle);
    STEP();
    if (rank == 0) {
        MPI_Status status;
        MPI_Recv(my_buf, 100, MPI_INT, 1, 1001, MPI_COMM_WORLD, &status);
        CHECK_EQUAL(recorded, 1);
        const struct record *r = &records[0];
        CHECK(r->handle == handle && r->param == NULL);
        CHECK(r->spec.comm == MPI_COMM_WORLD && r->spec.buf == my_buf &&
              r->spec.datatype == MPI_INT);
        CHECK(r->spec.count == 100 && r->spec.peer == 1 && r->spec.tag == 1001 &&
              r->spec.operation == PERUSE_RECV);
    } else {
        MPI_Send(data, 100, MPI_INT, 0, 1001, MPI_COMM_WORLD);
    }
    PERUSE_Event_release(&handle);
    comm = own;
    STEP();
}

/* A count that an int cannot hold. */
static void large_count(void)
{
    MPI_Datatype empty;
    MPI_Request request;
    MPI_Type_contiguous(0, MPI_INT, &empty);
    MPI_Type_commit(&empty);
    STEP();
    MPI_Irecv_c(more, (MPI_Count)1 << 40, empty, rank, 40, comm, &request);
    MPI_Send_c(data, (MPI_Count)1 << 40, empty, rank, 40, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(PERUSE_SEND, data, MPI_UNDEFINED, empty, rank, 40);
    expect(PERUSE_RECV, more, MPI_UNDEFINED, empty, rank, 40);
    MPI_Type_free(&empty);
    STEP();
}

int main(void)
{
    static char space[1 << 21];
    begin();
    PERUSE_Init();
    MPI_Buffer_attach(space, sizeof space);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    struct watch w = watch(comm, &comm);
    MPI_Datatype twice, same;
    MPI_Type_contiguous(2, MPI_INT, &twice);
    MPI_Type_commit(&twice);
    MPI_Type_dup(twice, &same);
    sends(MPI_INT);
    sends(twice);
    sends(same);
    receives();
    combined();
    example();
    large_count();
    MPI_Type_free(&twice);
    MPI_Type_free(&same);
    unwatch(&w);
    MPI_Comm_free(&comm);
    void *address;
    int bytes;
    MPI_Buffer_detach(&address, &bytes);
    return end();
}
