/* PERUSE 2.0, appendix E, 12.3 and 12.6: what callbacks are told of windows, compared with what the
 * program did. Any number of ranks. */
#include "peruse_test.h"

enum { ACTIVATE, XFER_BEGIN, XFER_END, COMPLETE, SYNC_BEGIN, SYNC_END, WINDOW_EVENTS };
static const char *const names[WINDOW_EVENTS] = {
    "PERUSE_WIN_REQ_ACTIVATE", "PERUSE_WIN_REQ_XFER_BEGIN", "PERUSE_WIN_REQ_XFER_END",
    "PERUSE_WIN_REQ_COMPLETE", "PERUSE_WIN_SYNC_BEGIN",     "PERUSE_WIN_SYNC_END"};
static int events[WINDOW_EVENTS];

static struct {
    int event;
    MPI_Aint id;
    peruse_win_spec_t spec;
    long value; /* what is at the target when the event comes, if that is this process */
} seen[64];
static int seen_now, looked_at;

static int note(peruse_event_h handle, MPI_Aint id, peruse_win_spec_t *spec, void *param)
{
    int event;
    PERUSE_Event_get(handle, &event);
    CHECK(param == seen && seen_now < 64);
    seen[seen_now].event = event;
    seen[seen_now].id = id;
    seen[seen_now].spec = *spec;
    if (spec->peer == rank && spec->t_buf != NULL)
        seen[seen_now].value = *(long *)spec->t_buf;
    spec->peer = 4711; /* it is a copy */
    seen_now++;
    return MPI_SUCCESS;
}

static int other(peruse_event_h handle, MPI_Aint id, peruse_win_spec_t *spec, void *param)
{
    (void)handle, (void)id, (void)spec, (void)param;
    return MPI_ERR_OTHER;
}

static MPI_Win win;
static long memory[16], *bases[64];

/* The next events are those of a synchronisation. */
static void synchronised(int operation, int peer)
{
    CHECK(seen_now >= looked_at + 2);
    for (int i = 0; i < 2; i++) {
        CHECK_EQUAL(seen[looked_at + i].event, events[SYNC_BEGIN + i]);
        CHECK_EQUAL(seen[looked_at + i].id, seen[looked_at].id);
        peruse_win_spec_t s = seen[looked_at + i].spec;
        CHECK(s.win == win && s.o_buf == NULL && s.t_buf == NULL && s.acc_op == MPI_OP_NULL);
        CHECK(s.operation == operation && s.peer == peer);
    }
    CHECK(seen[looked_at].id > 0);
    looked_at += 2;
}

/* The next events are those of an operation on longs, which the target had before and after it. */
static void operated(int operation, void *origin, int count, int peer, int disp, MPI_Op op,
                     long before, long after)
{
    CHECK(seen_now >= looked_at + 4);
    for (int i = 0; i < 4; i++) {
        CHECK_EQUAL(seen[looked_at + i].event, events[ACTIVATE + i]);
        CHECK_EQUAL(seen[looked_at + i].id, seen[looked_at].id);
        peruse_win_spec_t s = seen[looked_at + i].spec;
        CHECK(s.win == win && s.o_buf == origin && s.o_count == count);
        CHECK(s.t_buf == bases[peer] + disp && s.t_count == count && s.acc_op == op);
        CHECK(s.o_datatype == MPI_LONG && s.t_datatype == MPI_LONG);
        CHECK(s.operation == operation && s.peer == peer);
        if (peer == rank)
            CHECK_EQUAL(seen[looked_at + i].value, i <= XFER_BEGIN ? before : after);
    }
    CHECK(looked_at == 0 || seen[looked_at].id != seen[looked_at - 1].id);
    looked_at += 4;
}

/* There are no more. */
static void no_more(void)
{
    CHECK_EQUAL(seen_now, looked_at);
    seen_now = looked_at = 0;
}

static void fences(void)
{
    long value = 42, back = 0, more = 8;
    int next = (rank + 1) % size;
    MPI_Win_fence(0, win);
    synchronised(PERUSE_WIN_FENCE, MPI_UNDEFINED);
    MPI_Put(&value, 1, MPI_LONG, rank, 3, 1, MPI_LONG, win);
    operated(PERUSE_PUT, &value, 1, rank, 3, MPI_OP_NULL, 0, 42);
    MPI_Get(&back, 1, MPI_LONG, rank, 3, 1, MPI_LONG, win);
    operated(PERUSE_GET, &back, 1, rank, 3, MPI_OP_NULL, 42, 42);
    CHECK_EQUAL(back, 42);
    MPI_Accumulate(&more, 1, MPI_LONG, rank, 3, 1, MPI_LONG, MPI_SUM, win);
    operated(PERUSE_ACC, &more, 1, rank, 3, MPI_SUM, 42, 50);
    MPI_Put(memory, 2, MPI_LONG, next, 8, 2, MPI_LONG, win);
    operated(PERUSE_PUT, memory, 2, next, 8, MPI_OP_NULL, 0, 0);
    MPI_Put(&value, 1, MPI_LONG, MPI_PROC_NULL, 0, 1, MPI_LONG, win);
    no_more();
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    synchronised(PERUSE_WIN_FENCE, MPI_UNDEFINED);
    no_more();
}

static void locks(void)
{
    long one = 1, found = 0, expected = 51, new = 60;
    MPI_Request request;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    synchronised(PERUSE_WIN_LOCK, rank);
    /* Twice: the second one would go the short way. */
    MPI_Fetch_and_op(&one, &found, MPI_LONG, rank, 3, MPI_SUM, win);
    operated(PERUSE_ACC, &one, 1, rank, 3, MPI_SUM, 50, 51);
    CHECK_EQUAL(found, 50);
    MPI_Fetch_and_op(&one, &found, MPI_LONG, rank, 4, MPI_REPLACE, win);
    operated(PERUSE_ACC, &one, 1, rank, 4, MPI_REPLACE, 0, 1);
    MPI_Compare_and_swap(&new, &expected, &found, MPI_LONG, rank, 3, win);
    operated(PERUSE_ACC, &new, 1, rank, 3, MPI_OP_NULL, 51, 60);
    MPI_Win_flush(rank, win);
    synchronised(PERUSE_WIN_FLUSH, rank);
    MPI_Rput(&one, 1, MPI_LONG, rank, 3, 1, MPI_LONG, win, &request);
    operated(PERUSE_PUT, &one, 1, rank, 3, MPI_OP_NULL, 60, 1);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock(rank, win);
    synchronised(PERUSE_WIN_UNLOCK, rank);
    MPI_Win_lock_all(0, win);
    synchronised(PERUSE_WIN_LOCK, MPI_UNDEFINED);
    MPI_Get_accumulate(&one, 1, MPI_LONG, &found, 1, MPI_LONG, rank, 3, 1, MPI_LONG, MPI_SUM, win);
    operated(PERUSE_ACC, &one, 1, rank, 3, MPI_SUM, 1, 2);
    MPI_Win_flush_all(win);
    synchronised(PERUSE_WIN_FLUSH, MPI_UNDEFINED);
    MPI_Win_unlock_all(win);
    synchronised(PERUSE_WIN_UNLOCK, MPI_UNDEFINED);
    no_more();
}

static void groups(void)
{
    MPI_Group group;
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Win_post(group, 0, win);
    synchronised(PERUSE_WIN_POST, MPI_UNDEFINED);
    MPI_Win_start(group, 0, win);
    synchronised(PERUSE_WIN_START, MPI_UNDEFINED);
    MPI_Win_complete(win);
    synchronised(PERUSE_WIN_COMPLETE, MPI_UNDEFINED);
    MPI_Win_wait(win);
    synchronised(PERUSE_WIN_WAIT, MPI_UNDEFINED);
    no_more();
    MPI_Group_free(&group);
}

int main(void)
{
    peruse_event_h handles[WINDOW_EVENTS], handle;
    void *object, *param;
    peruse_win_callback_f *callback;
    peruse_comm_callback_f *wrong;
    begin();
    PERUSE_Init();
    long *base = memory;
    MPI_Allgather(&base, sizeof base, MPI_BYTE, bases, sizeof base, MPI_BYTE, MPI_COMM_WORLD);
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);

    for (int i = 0; i < WINDOW_EVENTS; i++) {
        CHECK_EQUAL(PERUSE_Query_event(names[i], &events[i]), PERUSE_SUCCESS);
        CHECK_EQUAL(PERUSE_Event_win_register(events[i], win, other, NULL, &handles[i]),
                    PERUSE_SUCCESS);
        CHECK_EQUAL(PERUSE_Event_win_callback_set(handles[i], note, seen), PERUSE_SUCCESS);
        CHECK_EQUAL(PERUSE_Event_win_callback_get(handles[i], &callback, &param), PERUSE_SUCCESS);
        CHECK(callback == note && param == seen);
        CHECK_EQUAL(PERUSE_Event_object_get(handles[i], &object), PERUSE_SUCCESS);
        CHECK(object == (void *)win);
        CHECK_EQUAL(PERUSE_Event_comm_callback_get(handles[i], &wrong, &param),
                    PERUSE_ERR_EVENT_HANDLE);
        CHECK_EQUAL(PERUSE_Event_activate(handles[i]), PERUSE_SUCCESS);
        CHECK_EQUAL(PERUSE_Event_win_callback_set(handles[i], note, seen),
                    PERUSE_ERR_EVENT_HANDLE);
    }
    CHECK_EQUAL(PERUSE_Event_win_register(events[0], MPI_WIN_NULL, note, NULL, &handle),
                PERUSE_ERR_WIN);
    CHECK_EQUAL(PERUSE_Event_win_register(events[0], win, NULL, NULL, &handle),
                PERUSE_ERR_PARAMETER);
    CHECK_EQUAL(
        PERUSE_Event_win_register(PERUSE_COMM_REQ_ACTIVATE, win, note, NULL, &handle),
        PERUSE_ERR_EVENT);
    CHECK_EQUAL(PERUSE_Event_comm_register(events[0], MPI_COMM_WORLD, record, NULL, &handle),
                PERUSE_ERR_EVENT);

    fences();
    locks();
    groups();

    /* Inactive handles hear nothing. */
    for (int i = 0; i < WINDOW_EVENTS; i++)
        CHECK_EQUAL(PERUSE_Event_deactivate(handles[i]), PERUSE_SUCCESS);
    MPI_Win_fence(0, win);
    MPI_Put(memory, 1, MPI_LONG, rank, 3, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
    no_more();

    /* A window that is freed ends its handles. */
    CHECK_EQUAL(PERUSE_Event_release(&handles[0]), PERUSE_SUCCESS);
    CHECK(handles[0] == PERUSE_EVENT_HANDLE_NULL);
    CHECK_EQUAL(PERUSE_Event_activate(handles[1]), PERUSE_SUCCESS);
    MPI_Win_free(&win);
    CHECK_EQUAL(PERUSE_Event_deactivate(handles[1]), PERUSE_ERR_MPI_OBJECT);
    CHECK_EQUAL(PERUSE_Event_win_callback_get(handles[1], &callback, &param),
                PERUSE_ERR_MPI_OBJECT);
    return end();
}
