/* PERUSE 2.0, appendix E, 12.1: the messages that collective operations are made of, as custom
 * events. Any number of ranks. */
#include "peruse_test.h"

static int sends_event, receives_event, steps_event;
static long sends, receives, steps;
static MPI_Comm watched;

static int count(peruse_event_h handle, MPI_Aint id, peruse_comm_spec_t *spec, void *param)
{
    int event;
    (void)id, (void)param;
    PERUSE_Event_get(handle, &event);
    CHECK(spec->comm == watched && spec->datatype == MPI_BYTE && spec->peer >= 0 &&
          spec->peer < size && spec->peer != rank);
    sends += event == sends_event;
    receives += event == receives_event;
    steps += event == steps_event;
    if (event == sends_event)
        CHECK_EQUAL(spec->operation, PERUSE_SEND);
    if (event == receives_event)
        CHECK_EQUAL(spec->operation, PERUSE_RECV);
    return record(handle, id, spec, param);
}

/* The sums over all ranks of what this rank counted. */
static void sum(long *all_sends, long *all_receives)
{
    long own[2] = {sends, receives}, all[2] = {0, 0};
    CHECK_EQUAL(steps, sends + receives);
    /* One operation, one id; not more than one. */
    for (int i = 1; i < recorded; i++)
        CHECK(records[i].id == records[0].id);
    recorded = sends = receives = steps = 0;
    /* On another communicator than the one that is measured. */
    if (rank != 0) {
        MPI_Send(own, 2, MPI_LONG, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(all, 2, MPI_LONG, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        for (int i = 1; i < size; i++) {
            long others[2];
            MPI_Recv(others, 2, MPI_LONG, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int j = 0; j < 2; j++)
                own[j] += others[j];
        }
        memcpy(all, own, sizeof all);
        for (int i = 1; i < size; i++)
            MPI_Send(all, 2, MPI_LONG, i, 0, MPI_COMM_WORLD);
    }
    *all_sends = all[0], *all_receives = all[1];
}

int main(void)
{
    peruse_event_h handles[3];
    long all_sends, all_receives;
    int value = 1, result, in[64], out[64] = {0};
    begin();
    PERUSE_Init();
    MPI_Comm_dup(MPI_COMM_WORLD, &watched);
    CHECK_EQUAL(PERUSE_Query_event("PERUSE_COMM_N_SENDS", &sends_event), PERUSE_SUCCESS);
    CHECK_EQUAL(PERUSE_Query_event("PERUSE_COMM_N_RECVS", &receives_event), PERUSE_SUCCESS);
    CHECK_EQUAL(PERUSE_Query_event("PERUSE_COMM_T_BTWN_OPS", &steps_event), PERUSE_SUCCESS);
    const int events[] = {sends_event, receives_event, steps_event};
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(PERUSE_Event_comm_register(events[i], watched, count, NULL, &handles[i]),
                    PERUSE_SUCCESS);
        PERUSE_Event_activate(handles[i]);
    }

    /* To everybody from one: each of the others receives once, so as many messages are sent. */
    MPI_Bcast(&value, 1, MPI_INT, 0, watched);
    if (rank != 0)
        CHECK_EQUAL(receives, 1);
    if (rank == 0)
        CHECK_EQUAL(receives, 0);
    sum(&all_sends, &all_receives);
    CHECK(all_sends == size - 1 && all_receives == size - 1);

    /* From everybody to one. */
    MPI_Reduce(&value, &result, 1, MPI_INT, MPI_SUM, 0, watched);
    if (rank != 0)
        CHECK_EQUAL(sends, 1);
    sum(&all_sends, &all_receives);
    CHECK(all_sends == size - 1 && all_receives == size - 1);

    /* Everybody to everybody. */
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, watched);
    CHECK(sends == size - 1 && receives == size - 1);
    sum(&all_sends, &all_receives);
    CHECK(all_sends == (long)size * (size - 1));

    /* What is made of two parts is one operation. */
    MPI_Allreduce(&value, &result, 1, MPI_INT, MPI_SUM, watched);
    CHECK_EQUAL(result, size);
    if (recorded)
        CHECK(records[recorded - 1].id == records[0].id);
    sum(&all_sends, &all_receives);
    CHECK(all_sends == all_receives && all_sends >= 2 * (size - 1));

    /* Two operations have two ids. */
    if (size > 1) {
        MPI_Barrier(watched);
        CHECK(recorded > 0);
        MPI_Aint first = records[recorded - 1].id;
        int before = recorded;
        MPI_Barrier(watched);
        CHECK(recorded > before && records[before].id != first &&
              records[recorded - 1].id == records[before].id);
        recorded = sends = receives = steps = 0;
    }

    /* Point-to-point communication does not count, nor does another communicator. */
    if (size > 1)
        MPI_Sendrecv(&value, 1, MPI_INT, NEXT, 1, &result, 1, MPI_INT, PREVIOUS, 1, watched,
                     MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(sends == 0 && receives == 0 && steps == 0);
    for (int i = 0; i < 3; i++)
        PERUSE_Event_release(&handles[i]);
    return end();
}
