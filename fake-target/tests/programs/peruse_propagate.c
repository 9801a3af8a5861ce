/* PERUSE 2.0, sections 5.2.15 and 5.4: handles that propagate watch the duplicates of their
 * communicator too. 2 ranks. */
#include "peruse_test.h"

static void message(MPI_Comm comm)
{
    MPI_Sendrecv(NULL, 0, MPI_INT, !rank, 3, NULL, 0, MPI_INT, !rank, 3, comm, MPI_STATUS_IGNORE);
}

static int told_of(peruse_event_h handle, MPI_Comm comm)
{
    int n = 0;
    for (int i = 0; i < recorded; i++)
        n += records[i].handle == handle && records[i].spec.comm == comm;
    return n;
}

static peruse_event_h make(MPI_Comm comm, int mode)
{
    peruse_event_h handle;
    CHECK_EQUAL(PERUSE_Event_comm_register(PERUSE_COMM_REQ_COMPLETE, comm, record, NULL, &handle),
                PERUSE_SUCCESS);
    CHECK_EQUAL(PERUSE_Event_propagate(handle, mode), PERUSE_SUCCESS);
    return handle;
}

int main(void)
{
    begin();
    PERUSE_Init();
    MPI_Comm parent, child, grandchild, split;
    MPI_Comm_dup(MPI_COMM_WORLD, &parent);
    peruse_event_h plain, stays = make(parent, PERUSE_FALSE), goes = make(parent, PERUSE_TRUE),
                          later = make(parent, PERUSE_TRUE);
    /* The default mode is false. */
    PERUSE_Event_comm_register(PERUSE_COMM_REQ_COMPLETE, parent, record, NULL, &plain);
    PERUSE_Event_activate(plain);
    PERUSE_Event_activate(stays);
    PERUSE_Event_activate(goes);
    MPI_Comm_dup(parent, &child);
    MPI_Comm_dup_with_info(child, MPI_INFO_NULL, &grandchild);
    MPI_Comm_split(parent, 0, rank, &split); /* not a duplicate */
    recorded = 0;

    message(parent);
    CHECK(told_of(plain, parent) == 2 && told_of(stays, parent) == 2 &&
          told_of(goes, parent) == 2 && recorded == 6);
    recorded = 0;
    message(child);
    CHECK(told_of(goes, child) == 2 && recorded == 2);
    message(grandchild);
    CHECK(told_of(goes, grandchild) == 2 && recorded == 4);
    message(split);
    CHECK(recorded == 4);
    recorded = 0;

    /* The window is the handle's: it opens and closes everywhere (5.4: the event and its window
     * status are propagated). */
    PERUSE_Event_deactivate(goes);
    PERUSE_Event_activate(later);
    message(child);
    CHECK(told_of(later, child) == 2 && recorded == 2);
    message(parent);
    CHECK(told_of(goes, parent) == 0 && told_of(later, parent) == 2);
    PERUSE_Event_activate(goes);
    recorded = 0;

    /* What is registered or set after the duplication does not affect earlier duplicates. */
    peruse_event_h late = make(parent, PERUSE_TRUE);
    PERUSE_Event_activate(late);
    message(child);
    CHECK(told_of(late, child) == 0 && told_of(goes, child) == 2);
    /* A handle that no longer propagates: new duplicates are not watched, old ones still are. */
    PERUSE_Event_deactivate(goes);
    PERUSE_Event_propagate(goes, PERUSE_FALSE);
    PERUSE_Event_activate(goes);
    MPI_Comm second;
    MPI_Comm_dup(parent, &second);
    recorded = 0;
    message(second);
    CHECK(told_of(goes, second) == 0 && told_of(late, second) == 2);
    message(child);
    CHECK(told_of(goes, child) == 2);
    MPI_Comm_free(&second);

    /* The object of the handle is the communicator that it was registered with. */
    void *object;
    PERUSE_Event_object_get(goes, &object);
    CHECK((MPI_Comm)object == parent);

    /* 5.6: a duplicate's end is not the handle's; the end of its own communicator is, everywhere.
     */
    MPI_Comm_free(&grandchild);
    recorded = 0;
    message(child);
    CHECK(told_of(goes, child) == 2);
    /* Released: no more callbacks on any communicator. */
    PERUSE_Event_release(&later);
    recorded = 0;
    message(child);
    CHECK(told_of(goes, child) == 2 && recorded == 2);
    MPI_Comm_free(&parent);
    recorded = 0;
    message(child);
    CHECK_EQUAL(recorded, 0);
    CHECK_EQUAL(PERUSE_Event_release(&goes), PERUSE_ERR_MPI_OBJECT);
    MPI_Comm_free(&child);
    MPI_Comm_free(&split);

    /* Messages that come for a duplicate before this process has made it: rank 0's dup returns when
     * its part is done, and its message is sent. Rank 1 gets an event for each message once. */
    peruse_event_h arrivals[2];
    MPI_Comm_dup(MPI_COMM_WORLD, &parent);
    for (int i = 0; i < 2; i++) {
        PERUSE_Event_comm_register(i ? PERUSE_COMM_MSG_INSERT_IN_UNEX_Q : PERUSE_COMM_MSG_ARRIVED,
                                   parent, record, NULL, &arrivals[i]);
        PERUSE_Event_propagate(arrivals[i], PERUSE_TRUE);
        PERUSE_Event_activate(arrivals[i]);
    }
    recorded = 0;
    for (int round = 0; round < 200; round++) {
        MPI_Comm_dup(parent, &child);
        if (rank == 0)
            for (int i = 0; i < 3; i++)
                MPI_Send(&round, 1, MPI_INT, 1, i, child);
        MPI_Barrier(child);
        if (rank == 1) {
            CHECK_EQUAL(recorded, 6);
            for (int i = 0; i < 6; i++) {
                CHECK(records[i].spec.comm == child && records[i].spec.tag == i / 2);
                CHECK(records[i].event ==
                      (i % 2 ? PERUSE_COMM_MSG_INSERT_IN_UNEX_Q : PERUSE_COMM_MSG_ARRIVED));
                CHECK(records[i].id == records[i - i % 2].id);
            }
            for (int i = 0; i < 3; i++)
                MPI_Recv(&round, 1, MPI_INT, 0, i, child, MPI_STATUS_IGNORE);
        }
        recorded = 0;
        MPI_Comm_free(&child);
    }
    return end();
}
