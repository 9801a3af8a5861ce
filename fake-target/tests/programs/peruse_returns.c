/* PERUSE 2.0, section 5.2: every function with every return code that it names, and what it does to
 * its output parameters. 2 ranks. */
#include "peruse_test.h"

static int calls;

static int count(peruse_event_h handle, MPI_Aint id, peruse_comm_spec_t *spec, void *param)
{
    (void)handle, (void)id, (void)spec, (void)param;
    calls++;
    return MPI_SUCCESS;
}

static int count_ten(peruse_event_h handle, MPI_Aint id, peruse_comm_spec_t *spec, void *param)
{
    (void)handle, (void)id, (void)spec;
    calls += 10;
    CHECK(param == &calls);
    return MPI_SUCCESS;
}

static void message_to_oneself(MPI_Comm comm)
{
    int here;
    MPI_Request request;
    MPI_Comm_rank(comm, &here);
    MPI_Isend(NULL, 0, MPI_INT, here, 0, comm, &request);
    MPI_Recv(NULL, 0, MPI_INT, here, 0, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static peruse_event_h new_handle(MPI_Comm comm)
{
    peruse_event_h handle = 4711;
    CHECK_EQUAL(PERUSE_Event_comm_register(PERUSE_COMM_MSG_ARRIVED, comm, count, &calls, &handle),
                PERUSE_SUCCESS);
    CHECK(handle != PERUSE_EVENT_HANDLE_NULL);
    return handle;
}

/* Before PERUSE_Init, which "must be called before any other PERUSE function" (5.2.1). */
static void before_init(void)
{
    int n, *events;
    char **names, *name;
    void *pointer;
    peruse_event_h handle = PERUSE_EVENT_HANDLE_NULL;
    peruse_comm_callback_f *callback;
    CHECK_EQUAL(PERUSE_Query_supported_events(&n, &names, &events), PERUSE_ERR_INIT);
    CHECK_EQUAL(PERUSE_Query_event("PERUSE_COMM_REQ_NOTIFY", &n), PERUSE_ERR_INIT);
    CHECK_EQUAL(PERUSE_Query_event_name(1, &name), PERUSE_ERR_INIT);
    CHECK_EQUAL(PERUSE_Query_environment(&n, &names), PERUSE_ERR_INIT);
    CHECK_EQUAL(PERUSE_Query_queue_event_scope(&n), PERUSE_ERR_INIT);
    CHECK_EQUAL(PERUSE_Event_comm_register(1, MPI_COMM_WORLD, count, NULL, &handle),
                PERUSE_ERR_INIT);
    CHECK_EQUAL(PERUSE_Event_activate(handle), PERUSE_ERR_INIT);
    CHECK_EQUAL(PERUSE_Event_deactivate(handle), PERUSE_ERR_INIT);
    CHECK_EQUAL(PERUSE_Event_release(&handle), PERUSE_ERR_INIT);
    CHECK_EQUAL(PERUSE_Event_get(handle, &n), PERUSE_ERR_INIT);
    CHECK_EQUAL(PERUSE_Event_object_get(handle, &pointer), PERUSE_ERR_INIT);
    CHECK_EQUAL(PERUSE_Event_comm_callback_set(handle, count, NULL), PERUSE_ERR_INIT);
    CHECK_EQUAL(PERUSE_Event_comm_callback_get(handle, &callback, &pointer), PERUSE_ERR_INIT);
    CHECK_EQUAL(PERUSE_Event_propagate(handle, PERUSE_TRUE), PERUSE_ERR_INIT);
    CHECK_EQUAL(PERUSE_Lock(), PERUSE_ERR_INIT);
    CHECK_EQUAL(PERUSE_Unlock(), PERUSE_ERR_INIT);
}

/* 5.2.2: number, names and descriptors; the arrays stay valid and need no freeing. */
static void supported_events(void)
{
    int n = -1, again = -1, *events, *same;
    char **names, **same_names;
    CHECK_EQUAL(PERUSE_Query_supported_events(&n, &names, &events), PERUSE_SUCCESS);
    CHECK_EQUAL(n, 34);
    CHECK_EQUAL(PERUSE_Query_supported_events(&again, &same_names, &same), PERUSE_SUCCESS);
    CHECK(again == n && same_names == names && same == events);
    for (int i = 0; i < n; i++) {
        int event = -1;
        char *name = NULL;
        CHECK(events[i] != PERUSE_EVENT_INVALID);
        CHECK_EQUAL(PERUSE_Query_event(names[i], &event), PERUSE_SUCCESS);
        CHECK_EQUAL(event, events[i]);
        CHECK_EQUAL(PERUSE_Query_event_name(events[i], &name), PERUSE_SUCCESS);
        CHECK(strcmp(name, names[i]) == 0);
    }
    CHECK_EQUAL(PERUSE_Query_supported_events(NULL, &names, &events), PERUSE_ERR_PARAMETER);
}

/* 5.2.3 and 5.2.4: the names of the specification are those of the constants (2.4). */
static void names(void)
{
    static const struct {
        const char *name;
        int event;
    } all[] = {
#define NAMED(event) {#event, event}
        NAMED(PERUSE_COMM_REQ_ACTIVATE),
        NAMED(PERUSE_COMM_REQ_MATCH_UNEX),
        NAMED(PERUSE_COMM_REQ_INSERT_IN_POSTED_Q),
        NAMED(PERUSE_COMM_REQ_REMOVE_FROM_POSTED_Q),
        NAMED(PERUSE_COMM_REQ_XFER_BEGIN),
        NAMED(PERUSE_COMM_REQ_XFER_END),
        NAMED(PERUSE_COMM_REQ_COMPLETE),
        NAMED(PERUSE_COMM_REQ_NOTIFY),
        NAMED(PERUSE_COMM_MSG_ARRIVED),
        NAMED(PERUSE_COMM_MSG_INSERT_IN_UNEX_Q),
        NAMED(PERUSE_COMM_MSG_REMOVE_FROM_UNEX_Q),
        NAMED(PERUSE_COMM_MSG_MATCH_POSTED_REQ),
        NAMED(PERUSE_COMM_SEARCH_POSTED_Q_BEGIN),
        NAMED(PERUSE_COMM_SEARCH_POSTED_Q_END),
        NAMED(PERUSE_COMM_SEARCH_UNEX_QUEUE_BEGIN),
        NAMED(PERUSE_COMM_SEARCH_UNEX_Q_END),
    };
    CHECK_EQUAL(sizeof all / sizeof *all, EVENTS);
    for (int i = 0; i < EVENTS; i++) {
        int event = -1;
        char *name = NULL;
        CHECK_EQUAL(PERUSE_Query_event(all[i].name, &event), PERUSE_SUCCESS);
        CHECK_EQUAL(event, all[i].event);
        CHECK_EQUAL(PERUSE_Query_event_name(all[i].event, &name), PERUSE_SUCCESS);
        CHECK(strcmp(name, all[i].name) == 0);
    }
    /* Custom events (2.3) come after those of the specification. */
    static const char *const custom[] = {"PERUSE_COMM_N_SENDS", "PERUSE_COMM_N_RECVS",
                                         "PERUSE_COMM_T_BTWN_OPS", "PERUSE_WIN_REQ_ACTIVATE",
                                         "PERUSE_FILE_N_ACCESS_BYTES", "PERUSE_SPAWN_START"};
    for (int i = 0; i < (int)(sizeof custom / sizeof *custom); i++) {
        int event = -1;
        CHECK_EQUAL(PERUSE_Query_event(custom[i], &event), PERUSE_SUCCESS);
        CHECK(event >= PERUSE_FIRST_CUSTOM_EVENT);
    }
    static const char *const none[] = {"",
                                       "PERUSE_COMM_REQ",
                                       "peruse_comm_req_notify",
                                       "PERUSE_COMM_REQ_NOTIFY ",
                                       "PERUSE_FILE_N_TEMP_FILES",
                                       "PERUSE_WIN_T_XFER",
                                       "PERUSE_EVENT_INVALID"};
    for (int i = 0; i < (int)(sizeof none / sizeof *none); i++) {
        int event = 4711;
        CHECK_EQUAL(PERUSE_Query_event(none[i], &event), PERUSE_ERR_EVENT);
        CHECK_EQUAL(event, PERUSE_EVENT_INVALID);
    }
    int event;
    char *name;
    CHECK_EQUAL(PERUSE_Query_event(NULL, &event), PERUSE_ERR_PARAMETER);
    CHECK_EQUAL(PERUSE_Query_event("PERUSE_COMM_REQ_NOTIFY", NULL), PERUSE_ERR_PARAMETER);
    static const int no_events[] = {PERUSE_EVENT_INVALID, -1,        35, 4711,
                                    -2147483647 - 1,      2147483647};
    for (int i = 0; i < 6; i++)
        CHECK_EQUAL(PERUSE_Query_event_name(no_events[i], &name), PERUSE_ERR_EVENT);
    CHECK_EQUAL(PERUSE_Query_event_name(1, NULL), PERUSE_ERR_PARAMETER);
}

/* 5.2.5: NAME=VALUE of the variables that matter to the library, as they were in MPI_Init. */
static void environment(void)
{
    int n = -1, found = 0;
    char **variables, **again;
    CHECK_EQUAL(PERUSE_Query_environment(&n, &variables), PERUSE_SUCCESS);
    for (int i = 0; i < n; i++) {
        CHECK((strncmp(variables[i], "MQDRT_", 6) == 0 || strncmp(variables[i], "QMPI_", 5) == 0) &&
              strchr(variables[i], '='));
        found += strcmp(variables[i], "MQDRT_EAGER_LIMIT=5000") == 0;
        char expected[64];
        snprintf(expected, sizeof expected, "MQDRT_RANK=%d", rank);
        found += strcmp(variables[i], expected) == 0;
    }
    CHECK_EQUAL(found, 2);
    CHECK_EQUAL(PERUSE_Query_environment(&n, &again), PERUSE_SUCCESS);
    CHECK(again == variables);
    CHECK_EQUAL(PERUSE_Query_environment(NULL, &again), PERUSE_ERR_PARAMETER);
}

/* 5.2.7 */
static void registration(void)
{
    peruse_event_h handle = 4711;
    static const int no_events[] = {PERUSE_EVENT_INVALID, -1, 20, 4711};
    for (int i = 0; i < 4; i++) {
        CHECK_EQUAL(PERUSE_Event_comm_register(no_events[i], MPI_COMM_WORLD, count, NULL, &handle),
                    PERUSE_ERR_EVENT);
        CHECK_EQUAL(handle, PERUSE_EVENT_HANDLE_NULL);
    }
    MPI_Comm freed;
    MPI_Comm_dup(MPI_COMM_SELF, &freed);
    MPI_Comm handle_of_freed = freed;
    MPI_Comm_free(&freed);
    const MPI_Comm no_communicators[] = {MPI_COMM_NULL, handle_of_freed, (MPI_Comm)4711,
                                         (MPI_Comm)MPI_INT};
    for (int i = 0; i < 4; i++)
        CHECK_EQUAL(PERUSE_Event_comm_register(PERUSE_COMM_REQ_NOTIFY, no_communicators[i], count,
                                               NULL, &handle),
                    PERUSE_ERR_COMM);
    CHECK_EQUAL(
        PERUSE_Event_comm_register(PERUSE_COMM_REQ_NOTIFY, MPI_COMM_WORLD, NULL, NULL, &handle),
        PERUSE_ERR_PARAMETER);
    CHECK_EQUAL(
        PERUSE_Event_comm_register(PERUSE_COMM_REQ_NOTIFY, MPI_COMM_WORLD, count, NULL, NULL),
        PERUSE_ERR_PARAMETER);
    handle = new_handle(MPI_COMM_WORLD);
    CHECK_EQUAL(PERUSE_Event_release(&handle), PERUSE_SUCCESS);
}

/* Values that are not event handles: PERUSE_EVENT_HANDLE_NULL, a released one, garbage, handles of
 * MPI. */
static void no_handles(void)
{
    peruse_event_h released = new_handle(MPI_COMM_WORLD), copy = released;
    CHECK_EQUAL(PERUSE_Event_release(&released), PERUSE_SUCCESS);
    CHECK_EQUAL(released, PERUSE_EVENT_HANDLE_NULL);
    const peruse_event_h wrong[] = {PERUSE_EVENT_HANDLE_NULL, copy, 4711, -1,
                                    (peruse_event_h)MPI_COMM_WORLD};
    for (int i = 0; i < 5; i++) {
        peruse_event_h handle = wrong[i];
        int event;
        void *pointer;
        peruse_comm_callback_f *callback;
        CHECK_EQUAL(PERUSE_Event_activate(handle), PERUSE_ERR_EVENT_HANDLE);
        CHECK_EQUAL(PERUSE_Event_deactivate(handle), PERUSE_ERR_EVENT_HANDLE);
        CHECK_EQUAL(PERUSE_Event_release(&handle), PERUSE_ERR_EVENT_HANDLE);
        CHECK_EQUAL(PERUSE_Event_get(handle, &event), PERUSE_ERR_EVENT_HANDLE);
        CHECK_EQUAL(PERUSE_Event_object_get(handle, &pointer), PERUSE_ERR_EVENT_HANDLE);
        CHECK_EQUAL(PERUSE_Event_comm_callback_set(handle, count, NULL), PERUSE_ERR_EVENT_HANDLE);
        CHECK_EQUAL(PERUSE_Event_comm_callback_get(handle, &callback, &pointer),
                    PERUSE_ERR_EVENT_HANDLE);
        CHECK_EQUAL(PERUSE_Event_propagate(handle, PERUSE_TRUE), PERUSE_ERR_EVENT_HANDLE);
    }
    CHECK_EQUAL(PERUSE_Event_release(NULL), PERUSE_ERR_PARAMETER);
}

/* 5.1.1, 5.2.8, 5.2.9: the activation window. */
static void activation(void)
{
    peruse_event_h handle = new_handle(MPI_COMM_WORLD);
    calls = 0;
    message_to_oneself(MPI_COMM_WORLD);
    CHECK_EQUAL(calls, 0);                                        /* inactive after registration */
    CHECK_EQUAL(PERUSE_Event_deactivate(handle), PERUSE_SUCCESS); /* no effect */
    for (int i = 0; i < 2; i++)
        CHECK_EQUAL(PERUSE_Event_activate(handle), PERUSE_SUCCESS); /* once more: no effect */
    CHECK_EQUAL(calls, 0); /* nothing relevant has happened */
    message_to_oneself(MPI_COMM_WORLD);
    CHECK_EQUAL(calls, 1);
    message_to_oneself(MPI_COMM_SELF); /* another communicator */
    CHECK_EQUAL(calls, 1);
    for (int i = 0; i < 2; i++)
        CHECK_EQUAL(PERUSE_Event_deactivate(handle), PERUSE_SUCCESS);
    message_to_oneself(MPI_COMM_WORLD);
    CHECK_EQUAL(calls, 1);
    CHECK_EQUAL(PERUSE_Event_activate(handle), PERUSE_SUCCESS);
    message_to_oneself(MPI_COMM_WORLD);
    CHECK_EQUAL(calls, 2);
    /* 5.2.10: an active handle can be released; its callback is no longer called. */
    CHECK_EQUAL(PERUSE_Event_release(&handle), PERUSE_SUCCESS);
    message_to_oneself(MPI_COMM_WORLD);
    CHECK_EQUAL(calls, 2);
}

/* 5.1.1: several handles of one event and communicator are distinct; so are those of other
 * communicators. */
static void several_handles(void)
{
    peruse_event_h handles[4];
    for (int i = 0; i < 4; i++) {
        handles[i] = new_handle(i < 3 ? MPI_COMM_WORLD : MPI_COMM_SELF);
        for (int j = 0; j < i; j++)
            CHECK(handles[i] != handles[j]);
    }
    PERUSE_Event_comm_callback_set(handles[1], count_ten, &calls);
    calls = 0;
    PERUSE_Event_activate(handles[0]);
    message_to_oneself(MPI_COMM_WORLD);
    CHECK_EQUAL(calls, 1);
    PERUSE_Event_activate(handles[1]);
    PERUSE_Event_activate(handles[2]);
    message_to_oneself(MPI_COMM_WORLD);
    CHECK_EQUAL(calls, 1 + 12);
    PERUSE_Event_deactivate(handles[0]);
    message_to_oneself(MPI_COMM_WORLD);
    CHECK_EQUAL(calls, 1 + 12 + 11);
    PERUSE_Event_release(&handles[2]);
    message_to_oneself(MPI_COMM_WORLD);
    CHECK_EQUAL(calls, 1 + 12 + 11 + 10);
    PERUSE_Event_activate(handles[3]);
    message_to_oneself(MPI_COMM_SELF);
    CHECK_EQUAL(calls, 1 + 12 + 11 + 10 + 1);
    PERUSE_Event_release(&handles[0]);
    PERUSE_Event_release(&handles[1]);
    PERUSE_Event_release(&handles[3]);
}

/* 5.2.11 to 5.2.14 */
static void reading_and_setting(void)
{
    peruse_event_h handle = new_handle(MPI_COMM_SELF);
    int event = -1;
    void *object = NULL, *param = NULL;
    peruse_comm_callback_f *callback = NULL;
    CHECK_EQUAL(PERUSE_Event_get(handle, &event), PERUSE_SUCCESS);
    CHECK_EQUAL(event, PERUSE_COMM_MSG_ARRIVED);
    CHECK_EQUAL(PERUSE_Event_get(handle, NULL), PERUSE_ERR_PARAMETER);
    CHECK_EQUAL(PERUSE_Event_object_get(handle, &object), PERUSE_SUCCESS);
    CHECK((MPI_Comm)object == MPI_COMM_SELF);
    CHECK_EQUAL(PERUSE_Event_object_get(handle, NULL), PERUSE_ERR_PARAMETER);
    CHECK_EQUAL(PERUSE_Event_comm_callback_get(handle, &callback, &param), PERUSE_SUCCESS);
    CHECK(callback == count && param == &calls);
    CHECK_EQUAL(PERUSE_Event_comm_callback_get(handle, NULL, &param), PERUSE_ERR_PARAMETER);
    CHECK_EQUAL(PERUSE_Event_comm_callback_get(handle, &callback, NULL), PERUSE_ERR_PARAMETER);
    /* 5.1.2: "when a new callback is set, the old callback is lost" */
    CHECK_EQUAL(PERUSE_Event_comm_callback_set(handle, NULL, NULL), PERUSE_ERR_PARAMETER);
    CHECK_EQUAL(PERUSE_Event_comm_callback_set(handle, count_ten, &calls), PERUSE_SUCCESS);
    PERUSE_Event_comm_callback_get(handle, &callback, &param);
    CHECK(callback == count_ten && param == &calls);
    PERUSE_Event_activate(handle);
    calls = 0;
    message_to_oneself(MPI_COMM_SELF);
    CHECK_EQUAL(calls, 10);
    /* 5.2.13 to 5.2.15: an active handle cannot be changed. */
    CHECK_EQUAL(PERUSE_Event_comm_callback_set(handle, count, NULL), PERUSE_ERR_EVENT_HANDLE);
    CHECK_EQUAL(PERUSE_Event_comm_callback_get(handle, &callback, &param), PERUSE_ERR_EVENT_HANDLE);
    CHECK_EQUAL(PERUSE_Event_propagate(handle, PERUSE_TRUE), PERUSE_ERR_EVENT_HANDLE);
    CHECK_EQUAL(PERUSE_Event_get(handle, &event), PERUSE_SUCCESS);
    CHECK_EQUAL(PERUSE_Event_object_get(handle, &object), PERUSE_SUCCESS);
    message_to_oneself(MPI_COMM_SELF);
    CHECK_EQUAL(calls, 20);
    PERUSE_Event_deactivate(handle);
    CHECK_EQUAL(PERUSE_Event_propagate(handle, PERUSE_TRUE), PERUSE_SUCCESS);
    CHECK_EQUAL(PERUSE_Event_propagate(handle, PERUSE_FALSE), PERUSE_SUCCESS);
    CHECK_EQUAL(PERUSE_Event_propagate(handle, 2), PERUSE_ERR_PARAMETER);
    PERUSE_Event_release(&handle);
}

/* 5.6: once the communicator is freed, every function reports it; the handle does not delay the end
 * of the communicator. */
static void freed_communicator(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    peruse_event_h handles[2] = {new_handle(comm), new_handle(comm)};
    PERUSE_Event_activate(handles[1]);
    MPI_Comm_free(&comm);
    /* Its memory, and maybe its place, are another communicator's now. */
    MPI_Comm next;
    MPI_Comm_dup(MPI_COMM_SELF, &next);
    calls = 0;
    message_to_oneself(next);
    CHECK_EQUAL(calls, 0);
    for (int i = 0; i < 2; i++) {
        int event;
        void *pointer;
        peruse_comm_callback_f *callback;
        CHECK_EQUAL(PERUSE_Event_activate(handles[i]), PERUSE_ERR_MPI_OBJECT);
        CHECK_EQUAL(PERUSE_Event_deactivate(handles[i]), PERUSE_ERR_MPI_OBJECT);
        CHECK_EQUAL(PERUSE_Event_release(&handles[i]), PERUSE_ERR_MPI_OBJECT);
        CHECK_EQUAL(PERUSE_Event_get(handles[i], &event), PERUSE_ERR_MPI_OBJECT);
        CHECK_EQUAL(PERUSE_Event_object_get(handles[i], &pointer), PERUSE_ERR_MPI_OBJECT);
        CHECK_EQUAL(PERUSE_Event_comm_callback_set(handles[i], count, NULL), PERUSE_ERR_MPI_OBJECT);
        CHECK_EQUAL(PERUSE_Event_comm_callback_get(handles[i], &callback, &pointer),
                    PERUSE_ERR_MPI_OBJECT);
        CHECK_EQUAL(PERUSE_Event_propagate(handles[i], PERUSE_TRUE), PERUSE_ERR_MPI_OBJECT);
    }
    MPI_Comm_free(&next);
    /* A communicator that is freed with an operation in progress: the operation ends, its events no
     * longer reach the handle. */
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    peruse_event_h handle;
    PERUSE_Event_comm_register(PERUSE_COMM_REQ_COMPLETE, comm, count, NULL, &handle);
    PERUSE_Event_activate(handle);
    MPI_Request request;
    MPI_Irecv(NULL, 0, MPI_INT, rank, 0, comm, &request);
    MPI_Comm other = comm;
    MPI_Send(NULL, 0, MPI_INT, !rank, 1, other);
    MPI_Recv(NULL, 0, MPI_INT, !rank, 1, other, MPI_STATUS_IGNORE);
    CHECK_EQUAL(calls, 2);
    MPI_Cancel(&request);
    CHECK_EQUAL(calls, 3);
    MPI_Comm_free(&comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_EQUAL(calls, 3);
    CHECK_EQUAL(PERUSE_Event_activate(handle), PERUSE_ERR_MPI_OBJECT);
}

/* 5.1.2: callbacks "should be limited to read-only operations on PERUSE handles": they read, and
 * change nothing. */
static peruse_event_h another;

static int busy(peruse_event_h handle, MPI_Aint id, peruse_comm_spec_t *spec, void *param)
{
    (void)id, (void)spec, (void)param;
    int n, event, *events;
    char **list, *name;
    void *pointer;
    peruse_comm_callback_f *callback;
    peruse_event_h made = handle;
    CHECK_EQUAL(PERUSE_Event_get(handle, &event), PERUSE_SUCCESS);
    CHECK_EQUAL(PERUSE_Event_object_get(handle, &pointer), PERUSE_SUCCESS);
    CHECK((MPI_Comm)pointer == MPI_COMM_WORLD);
    CHECK_EQUAL(PERUSE_Event_comm_callback_get(another, &callback, &pointer), PERUSE_SUCCESS);
    CHECK_EQUAL(PERUSE_Query_event_name(event, &name), PERUSE_SUCCESS);
    CHECK_EQUAL(PERUSE_Query_event(name, &event), PERUSE_SUCCESS);
    CHECK_EQUAL(PERUSE_Query_supported_events(&n, &list, &events), PERUSE_SUCCESS);
    CHECK_EQUAL(PERUSE_Query_environment(&n, &list), PERUSE_SUCCESS);
    CHECK_EQUAL(PERUSE_Query_queue_event_scope(&n), PERUSE_SUCCESS);
    CHECK_EQUAL(PERUSE_Init(), PERUSE_SUCCESS);
    CHECK(MPI_Wtime() > 0 && MPI_Wtick() > 0 && PMPI_Wtime() > 0);
    CHECK_EQUAL(PERUSE_Event_comm_register(event, MPI_COMM_WORLD, busy, NULL, &made),
                PERUSE_ERR_GENERIC);
    CHECK_EQUAL(PERUSE_Event_activate(another), PERUSE_ERR_GENERIC);
    CHECK_EQUAL(PERUSE_Event_deactivate(handle), PERUSE_ERR_GENERIC);
    CHECK_EQUAL(PERUSE_Event_release(&handle), PERUSE_ERR_GENERIC);
    CHECK_EQUAL(PERUSE_Event_comm_callback_set(another, busy, NULL), PERUSE_ERR_GENERIC);
    CHECK_EQUAL(PERUSE_Event_propagate(another, PERUSE_TRUE), PERUSE_ERR_GENERIC);
    calls++;
    return MPI_SUCCESS;
}

static void in_callbacks(void)
{
    peruse_event_h handles[EVENTS];
    another = new_handle(MPI_COMM_WORLD);
    for (int i = 0; i < EVENTS; i++) {
        PERUSE_Event_comm_register(i + 1, MPI_COMM_WORLD, busy, NULL, &handles[i]);
        PERUSE_Event_activate(handles[i]);
    }
    calls = 0;
    message_to_oneself(MPI_COMM_WORLD);
    CHECK(calls >= 15);
    for (int i = 0; i < EVENTS; i++)
        PERUSE_Event_release(&handles[i]);
    PERUSE_Event_release(&another);
}

/* 5.2.16, 5.2.17: one thread. Other threads: peruse_lock.c. */
static void locking(void)
{
    CHECK_EQUAL(PERUSE_Unlock(), PERUSE_ERR_LOCK);
    CHECK_EQUAL(PERUSE_Lock(), PERUSE_SUCCESS);
    CHECK_EQUAL(PERUSE_Lock(), PERUSE_ERR_LOCK);
    CHECK(MPI_Wtime() > 0 && MPI_Wtick() > 0);
    CHECK_EQUAL(PERUSE_Unlock(), PERUSE_SUCCESS);
    CHECK_EQUAL(PERUSE_Unlock(), PERUSE_ERR_LOCK);
    BARRIER();
}

int main(void)
{
    /* 5.2.1: "must be called after MPI_Init and before MPI_Finalize" */
    CHECK_EQUAL(PERUSE_Init(), PERUSE_ERR_MPI_INIT);
    int event;
    CHECK_EQUAL(PERUSE_Query_queue_event_scope(&event), PERUSE_ERR_INIT);
    begin();
    before_init();
    /* 5.2.1, 5.4: further calls have no effect. */
    for (int i = 0; i < 3; i++)
        CHECK_EQUAL(PERUSE_Init(), PERUSE_SUCCESS);
    /* 5.2.6 */
    int scope = -1;
    CHECK_EQUAL(PERUSE_Query_queue_event_scope(&scope), PERUSE_SUCCESS);
    CHECK_EQUAL(scope, PERUSE_PER_COMM);
    CHECK_EQUAL(PERUSE_Query_queue_event_scope(NULL), PERUSE_ERR_PARAMETER);
    supported_events();
    names();
    environment();
    registration();
    no_handles();
    activation();
    several_handles();
    reading_and_setting();
    freed_communicator();
    in_callbacks();
    locking();
    peruse_event_h handle = new_handle(MPI_COMM_WORLD);
    MPI_Finalize();
    CHECK_EQUAL(PERUSE_Init(), PERUSE_ERR_MPI_INIT);
    CHECK_EQUAL(PERUSE_Event_activate(handle), PERUSE_ERR_MPI_INIT);
    CHECK_EQUAL(PERUSE_Event_release(&handle), PERUSE_ERR_MPI_INIT);
    CHECK_EQUAL(PERUSE_Query_queue_event_scope(&scope), PERUSE_ERR_MPI_INIT);
    if (rank == 0)
        puts("ok");
    return 0;
}
