/* Events (MPI 5.0, section 15.3.8): types, sources, registrations, callbacks and their safety
 * levels, dropped events. Two processes; rank 0 watches. */
#include "mpi_t.h"
#include <time.h>

static int rank;

/* 15.3.8.4: what the query functions say about event types and sources. */
static void types(void)
{
    int number, sources, index;
    static char names[64][128];
    OK(MPI_T_event_get_num(&number));
    OK(MPI_T_source_get_num(&sources));
    CHECK(number > 0 && number <= 64 && sources > 0);
    for (int i = 0; i < number; i++) {
        int length = sizeof names[i], desc_length = 0, verbosity = 0, elements = 0, bind = 0, items;
        MPI_Datatype datatypes[8];
        MPI_Aint offsets[8];
        MPI_T_enum enumeration;
        MPI_Info info = MPI_INFO_NULL;
        OK(MPI_T_event_get_info(i, names[i], &length, &verbosity, NULL, NULL, &elements,
                                &enumeration, &info, NULL, &desc_length, &bind));
        CHECK(length > 1 && desc_length > 1 && elements > 0 && elements <= 8);
        CHECK(bind == MPI_T_BIND_NO_OBJECT || bind == MPI_T_BIND_MPI_COMM);
        for (int j = 0; j < i; j++)
            CHECK(strcmp(names[i], names[j]) != 0);
        /* "If no such hints exist, a handle to a newly created info object is returned that
         * contains no key/value pair." */
        int keys = -1;
        CHECK(info != MPI_INFO_NULL);
        OK(MPI_Info_get_nkeys(info, &keys));
        CHECK(keys == 0);
        OK(MPI_Info_free(&info));
        /* The enumeration describes the elements. */
        OK(MPI_T_enum_get_info(enumeration, &items, NULL, NULL));
        CHECK(items == elements);
        /* "the number of datatype handles and displacements returned ... is truncated to the value
           of num_elements passed in by the user"; displacements in ascending order starting with
           zero. */
        for (int room = 0; room <= elements; room++) {
            int count = room;
            for (int j = 0; j < 8; j++)
                datatypes[j] = MPI_DATATYPE_NULL, offsets[j] = -1;
            OK(MPI_T_event_get_info(i, NULL, NULL, NULL, datatypes, offsets, &count, NULL, NULL,
                                    NULL, NULL, NULL));
            CHECK(count == elements);
            for (int j = 0; j < 8; j++)
                CHECK(j < room ? offsets[j] >= 0 && datatypes[j] != MPI_DATATYPE_NULL
                               : offsets[j] == -1);
            for (int j = 0; j < room; j++)
                CHECK(j == 0 ? offsets[j] == 0 : offsets[j] > offsets[j - 1]);
        }
        /* "If the user passes the NULL pointer for num_elements, the arguments ... are ignored." */
        offsets[0] = -1;
        OK(MPI_T_event_get_info(i, NULL, NULL, NULL, datatypes, offsets, NULL, NULL, NULL, NULL,
                                NULL, NULL));
        CHECK(offsets[0] == -1);
        OK(MPI_T_event_get_index(names[i], &index));
        CHECK(index == i);
    }
    CODE(MPI_T_ERR_INVALID_INDEX, MPI_T_event_get_info(number, NULL, NULL, NULL, NULL, NULL, NULL,
                                                       NULL, NULL, NULL, NULL, NULL));
    CODE(MPI_T_ERR_INVALID_INDEX, MPI_T_event_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                                       NULL, NULL, NULL, NULL));
    CODE(MPI_T_ERR_INVALID_NAME, MPI_T_event_get_index("no such event", &index));
    for (int i = 0; i < sources; i++) {
        int length = 0, desc_length = 0;
        MPI_T_source_order order;
        MPI_Count ticks, most, now = -1, later = -1;
        MPI_Info info;
        OK(MPI_T_source_get_info(i, NULL, &length, NULL, &desc_length, &order, &ticks, &most,
                                 &info));
        OK(MPI_Info_free(&info));
        CHECK(length > 1 && desc_length > 1 && ticks > 0 && most > 0);
        CHECK(order == MPI_T_SOURCE_ORDERED || order == MPI_T_SOURCE_UNORDERED);
        OK(MPI_T_source_get_timestamp(i, &now));
        OK(MPI_T_source_get_timestamp(i, &later));
        CHECK(now > 0 && later >= now && later <= most);
    }
    MPI_Count stamp;
    CODE(MPI_T_ERR_INVALID_INDEX,
         MPI_T_source_get_info(sources, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    CODE(MPI_T_ERR_INVALID_INDEX, MPI_T_source_get_timestamp(-1, &stamp));
}

/* What a callback has seen. */
struct seen {
    int calls, safety, source, tag, unexpected, freed;
    MPI_Count bytes, timestamp, dropped;
    MPI_T_event_registration registration;
    MPI_T_event_instance instance;
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    unsigned long value;
};

/* 15.3.8.6: reading and copying, timestamps, sources; the functions that must work inside every
 * callback. */
static void look(MPI_T_event_instance instance, MPI_T_event_registration registration,
                 MPI_T_cb_safety safety, void *data)
{
    struct seen *seen = data;
    /* The elements of message_matched, as the displacements say. */
    struct {
        int source, tag;
        MPI_Count bytes;
        int was_unexpected;
    } copy;
    MPI_Count timestamp = 0, bytes = -1, now = 0;
    int source = -1, element = -1;
    OK(MPI_T_event_copy(instance, &copy));
    OK(MPI_T_event_read(instance, 0, &element));
    CHECK(element == copy.source);
    OK(MPI_T_event_read(instance, 1, &element));
    CHECK(element == copy.tag);
    OK(MPI_T_event_read(instance, 2, &bytes));
    CHECK(bytes == copy.bytes);
    OK(MPI_T_event_read(instance, 3, &element));
    CHECK(element == copy.was_unexpected);
    CODE(MPI_T_ERR_INVALID_INDEX, MPI_T_event_read(instance, 4, &bytes));
    CODE(MPI_T_ERR_INVALID_INDEX, MPI_T_event_read(instance, -1, &bytes));
    CODE(MPI_T_ERR_INVALID, MPI_T_event_read(instance, 0, NULL));
    CODE(MPI_T_ERR_INVALID, MPI_T_event_copy(instance, NULL));
    CODE(MPI_T_ERR_INVALID_HANDLE,
         MPI_T_event_copy((MPI_T_event_instance)((char *)instance + 1), &copy));
    OK(MPI_T_event_get_source(instance, &source));
    OK(MPI_T_event_get_timestamp(instance, &timestamp));
    OK(MPI_T_source_get_timestamp(source, &now));
    /* Timestamps of one source increase, and lie in the past. */
    CHECK(timestamp >= seen->timestamp && timestamp <= now);
    if (seen->session != MPI_T_PVAR_SESSION_NULL) {
        unsigned long value;
        OK(MPI_T_pvar_stop(seen->session, seen->handle));
        OK(MPI_T_pvar_start(seen->session, seen->handle));
        OK(MPI_T_pvar_read(seen->session, seen->handle, &seen->value));
        OK(MPI_T_pvar_write(seen->session, seen->handle, &seen->value));
        OK(MPI_T_pvar_readreset(seen->session, seen->handle, &value));
        OK(MPI_T_pvar_reset(seen->session, seen->handle));
    }
    seen->calls++, seen->safety = safety, seen->registration = registration,
                   seen->instance = instance;
    seen->source = copy.source, seen->tag = copy.tag, seen->bytes = copy.bytes,
    seen->unexpected = copy.was_unexpected;
    seen->timestamp = timestamp;
}

/* A callback without restrictions may call MPI. */
static void look_and_send(MPI_T_event_instance instance, MPI_T_event_registration registration,
                          MPI_T_cb_safety safety, void *data)
{
    struct seen *seen = data;
    int more = seen->calls;
    look(instance, registration, safety, data);
    if (safety == MPI_T_CB_REQUIRE_NONE && more == 0) {
        char one = 1;
        OK(MPI_Send(&one, 1, MPI_CHAR, 0, 99, MPI_COMM_SELF));
        OK(MPI_Recv(&one, 1, MPI_CHAR, 0, 99, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    }
}

static void note_freed(MPI_T_event_registration registration, MPI_T_cb_safety safety, void *data)
{
    struct seen *seen = data;
    (void)safety;
    CHECK(registration == seen->registration);
    seen->freed++;
}

static void note_dropped(MPI_Count count, MPI_T_event_registration registration, int source,
                         MPI_T_cb_safety safety, void *data)
{
    struct seen *seen = data;
    CHECK(safety == MPI_T_CB_REQUIRE_NONE && source == 0 && registration == seen->registration);
    seen->dropped += count;
}

static void free_itself(MPI_T_event_instance instance, MPI_T_event_registration registration,
                        MPI_T_cb_safety safety, void *data)
{
    struct seen *seen = data;
    (void)instance, (void)safety;
    seen->calls++, seen->registration = registration;
    OK(MPI_T_event_handle_free(registration, data, note_freed));
    /* This callback still runs. */
    CHECK(seen->freed == 0);
}

/* A message of this many bytes to the process itself. */
static void message(MPI_Comm comm, int tag, int bytes)
{
    char data[100] = {0};
    OK(MPI_Send(data, bytes, MPI_CHAR, 0, tag, comm));
    OK(MPI_Recv(data, 100, MPI_CHAR, 0, tag, comm, MPI_STATUS_IGNORE));
}

static MPI_T_event_registration registration_for(const char *name, void *object)
{
    MPI_T_event_registration registration;
    OK(MPI_T_event_handle_alloc(event_index(name), object, MPI_INFO_NULL, &registration));
    return registration;
}

static void callbacks(void)
{
    struct seen low = {0}, high = {0}, other = {0};
    MPI_Comm self = MPI_COMM_SELF, comm;
    OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    MPI_T_event_registration one = registration_for("message_matched", &self);
    MPI_T_event_registration two = registration_for("message_matched", &comm);
    /* Without a callback nothing is raised. */
    message(self, 1, 10);
    OK(MPI_T_pvar_session_create(&low.session));
    low.handle = pvar(low.session, "late_receives", MPI_T_PVAR_CLASS_COUNTER, NULL);
    OK(MPI_T_pvar_start(low.session, low.handle));
    OK(MPI_T_event_register_callback(one, MPI_T_CB_REQUIRE_MPI_RESTRICTED, MPI_INFO_NULL, &low,
                                     look));
    message(self, 2, 20);
    CHECK(low.calls == 1 && low.safety == MPI_T_CB_REQUIRE_MPI_RESTRICTED &&
          low.registration == one);
    CHECK(low.source == 0 && low.tag == 2 && low.bytes == 20 && low.unexpected == 1 &&
          low.value == 1);
    /* Only events of the object that a registration is bound to. */
    OK(MPI_T_event_register_callback(two, MPI_T_CB_REQUIRE_MPI_RESTRICTED, MPI_INFO_NULL, &other,
                                     look));
    message(comm, 3, 30);
    CHECK(low.calls == 1 && other.calls == 1 && other.tag == 3 && other.registration == two);
    /* "the callback with the lowest safety level valid in the context": of the restricted one and a
       stricter one the restricted one, until it is removed; then the other, with the level that is
       required. */
    OK(MPI_T_event_register_callback(one, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, MPI_INFO_NULL, &high,
                                     look));
    message(self, 4, 40);
    CHECK(low.calls == 2 && high.calls == 0);
    OK(MPI_T_event_register_callback(one, MPI_T_CB_REQUIRE_MPI_RESTRICTED, MPI_INFO_NULL, NULL,
                                     NULL));
    message(self, 5, 50);
    CHECK(low.calls == 2 && high.calls == 1 && high.safety == MPI_T_CB_REQUIRE_MPI_RESTRICTED &&
          high.tag == 5);
    /* "Registering a callback function for a specific callback safety level overwrites any
     * previously-registered". */
    OK(MPI_T_event_register_callback(one, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, MPI_INFO_NULL, &low,
                                     look));
    message(self, 6, 60);
    CHECK(low.calls == 3 && high.calls == 1);
    /* "This handle is only valid inside the corresponding invocation". */
    MPI_Count value;
    int source;
    CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_event_read(low.instance, 0, &value));
    CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_event_copy(low.instance, &value));
    CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_event_get_timestamp(low.instance, &value));
    CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_event_get_source(low.instance, &source));
    /* The free function is called when nothing more will be raised. */
    OK(MPI_T_event_handle_free(one, &low, note_freed));
    CHECK(low.freed == 1);
    message(self, 7, 70);
    CHECK(low.calls == 3);
    CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_event_handle_free(one, NULL, NULL));
    OK(MPI_T_event_handle_free(two, NULL, NULL));
    /* "or even to deallocate the handle from within the callback invocation". */
    struct seen itself = {0};
    one = registration_for("message_matched", &self);
    OK(MPI_T_event_register_callback(one, MPI_T_CB_REQUIRE_MPI_RESTRICTED, MPI_INFO_NULL, &itself,
                                     free_itself));
    message(self, 8, 1);
    message(self, 9, 1);
    CHECK(itself.calls == 1 && itself.freed == 1);
    /* A communicator that ends takes its events with it; the registration stays until it is freed.
     */
    two = registration_for("message_matched", &comm);
    OK(MPI_T_event_register_callback(two, MPI_T_CB_REQUIRE_MPI_RESTRICTED, MPI_INFO_NULL, &other,
                                     look));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    message(comm, 10, 1);
    CHECK(other.calls == 1);
    OK(MPI_T_event_handle_free(two, NULL, NULL));
    OK(MPI_Comm_free(&comm));
    OK(MPI_T_pvar_session_free(&low.session));
}

/* 15.3.8.7: events for callbacks that cannot be called at once are kept; what does not fit is
 * dropped, and a handler is called. */
static void kept_and_dropped(void)
{
    struct seen seen = {0}, mixed = {0};
    MPI_Comm self = MPI_COMM_SELF;
    MPI_T_event_registration one = registration_for("message_matched", &self);
    MPI_T_event_registration two = registration_for("message_matched", &self);
    /* One callback without restrictions, which sends and receives itself: that is an event, too. */
    OK(MPI_T_event_register_callback(one, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, &seen,
                                     look_and_send));
    OK(MPI_T_event_register_callback(two, MPI_T_CB_REQUIRE_MPI_RESTRICTED, MPI_INFO_NULL, &mixed,
                                     look));
    message(self, 1, 1);
    CHECK(seen.calls == 2 && seen.safety == MPI_T_CB_REQUIRE_NONE && seen.tag == 99);
    /* The second registration has got both, in order. */
    CHECK(mixed.calls == 2 && mixed.tag == 99);
    /* No room: dropped. Without a handler nothing is called, and a handler that is set later is not
     * told about it. */
    set_cvar_int("MQDRT_CVAR_EVENT_QUEUE_LENGTH", 0);
    OK(MPI_T_event_handle_free(two, NULL, NULL));
    message(self, 2, 1);
    CHECK(seen.calls == 2 && seen.dropped == 0);
    seen.registration = one;
    OK(MPI_T_event_set_dropped_handler(one, note_dropped));
    message(self, 3, 1);
    message(self, 4, 1);
    CHECK(seen.calls == 2 && seen.dropped == 2);
    /* With the null pointer as handler nothing is counted. */
    OK(MPI_T_event_set_dropped_handler(one, NULL));
    message(self, 5, 1);
    OK(MPI_T_event_set_dropped_handler(one, note_dropped));
    set_cvar_int("MQDRT_CVAR_EVENT_QUEUE_LENGTH", 1024);
    message(self, 6, 1);
    CHECK(seen.calls == 3 && seen.tag == 6 && seen.dropped == 2);
    /* A callback of a higher level is called at once, whatever the length of the queue. */
    set_cvar_int("MQDRT_CVAR_EVENT_QUEUE_LENGTH", 0);
    OK(MPI_T_event_register_callback(one, MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_INFO_NULL, &seen,
                                     look));
    message(self, 7, 1);
    CHECK(seen.calls == 4 && seen.safety == MPI_T_CB_REQUIRE_MPI_RESTRICTED && seen.dropped == 2);
    OK(MPI_T_event_handle_free(one, NULL, NULL));
    set_cvar_int("MQDRT_CVAR_EVENT_QUEUE_LENGTH", 1024);
}

/* Table 14.6 for the functions of events. */
static void errors(void)
{
    int number;
    MPI_Comm self = MPI_COMM_SELF, null = MPI_COMM_NULL;
    MPI_T_event_registration registration, none = (MPI_T_event_registration)0;
    MPI_Info info, bad = (MPI_Info)4711;
    OK(MPI_T_event_get_num(&number));
    const int index = event_index("message_matched");
    CODE(MPI_T_ERR_INVALID_INDEX,
         MPI_T_event_handle_alloc(number, &self, MPI_INFO_NULL, &registration));
    CODE(MPI_T_ERR_INVALID_INDEX,
         MPI_T_event_handle_alloc(-1, &self, MPI_INFO_NULL, &registration));
    CODE(MPI_T_ERR_INVALID, MPI_T_event_handle_alloc(index, &self, MPI_INFO_NULL, NULL));
    CODE(MPI_T_ERR_INVALID, MPI_T_event_handle_alloc(index, NULL, MPI_INFO_NULL, &registration));
    CODE(MPI_T_ERR_INVALID, MPI_T_event_handle_alloc(index, &null, MPI_INFO_NULL, &registration));
    CODE(MPI_T_ERR_INVALID, MPI_T_event_handle_alloc(index, &self, bad, &registration));
    OK(MPI_T_event_handle_alloc(index, &self, MPI_INFO_NULL, &registration));
    OK(MPI_T_event_handle_set_info(registration, MPI_INFO_NULL));
    CODE(MPI_T_ERR_INVALID, MPI_T_event_handle_set_info(registration, bad));
    OK(MPI_T_event_handle_get_info(registration, &info));
    OK(MPI_Info_free(&info));
    CODE(MPI_T_ERR_INVALID, MPI_T_event_handle_get_info(registration, NULL));
    CODE(MPI_T_ERR_INVALID, MPI_T_event_register_callback(registration, (MPI_T_cb_safety)4711,
                                                          MPI_INFO_NULL, NULL, look));
    CODE(MPI_T_ERR_INVALID,
         MPI_T_event_callback_get_info(registration, MPI_T_CB_REQUIRE_NONE, &info));
    OK(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL,
                                     look));
    OK(MPI_T_event_callback_set_info(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL));
    OK(MPI_T_event_callback_get_info(registration, MPI_T_CB_REQUIRE_NONE, &info));
    OK(MPI_Info_free(&info));
    OK(MPI_T_event_handle_free(registration, NULL, NULL));
    MPI_T_event_registration wrong[] = {registration, none, (MPI_T_event_registration)&number};
    for (int i = 0; i < 3; i++) {
        CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_event_handle_set_info(wrong[i], MPI_INFO_NULL));
        CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_event_handle_get_info(wrong[i], &info));
        CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_event_handle_free(wrong[i], NULL, NULL));
        CODE(MPI_T_ERR_INVALID_HANDLE,
             MPI_T_event_register_callback(wrong[i], MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL,
                                           look));
        CODE(MPI_T_ERR_INVALID_HANDLE,
             MPI_T_event_callback_set_info(wrong[i], MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL));
        CODE(MPI_T_ERR_INVALID_HANDLE,
             MPI_T_event_callback_get_info(wrong[i], MPI_T_CB_REQUIRE_NONE, &info));
        CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_event_set_dropped_handler(wrong[i], note_dropped));
    }
}

/* How often each event type was raised, and its elements as numbers. */
struct log {
    int calls;
    MPI_Count last[4];
    int index;
};

static void record(MPI_T_event_instance instance, MPI_T_event_registration registration,
                   MPI_T_cb_safety safety, void *data)
{
    struct log *log = data;
    MPI_Datatype datatypes[4];
    int elements = 4;
    (void)registration, (void)safety;
    OK(MPI_T_event_get_info(log->index, NULL, NULL, NULL, datatypes, NULL, &elements, NULL, NULL,
                            NULL, NULL, NULL));
    for (int i = 0; i < elements; i++) {
        int small;
        if (datatypes[i] == MPI_INT) {
            OK(MPI_T_event_read(instance, i, &small));
            log->last[i] = small;
        } else {
            OK(MPI_T_event_read(instance, i, &log->last[i]));
        }
    }
    log->calls++;
}

static MPI_T_event_registration log_events(const char *name, MPI_Comm *object, struct log *log)
{
    memset(log, 0, sizeof *log);
    log->index = event_index(name);
    MPI_T_event_registration registration = registration_for(name, object);
    OK(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_MPI_RESTRICTED, MPI_INFO_NULL,
                                     log, record));
    return registration;
}

/* Every event type is raised where its description says, with these elements. */
static void each_type(void)
{
    MPI_Comm world = MPI_COMM_WORLD, comm;
    struct log posted, unexpected, matched, sent, completed, created, ended, slept, entered, left;
    MPI_T_event_registration all[] = {
        log_events("receive_posted", &world, &posted),
        log_events("unexpected_message", &world, &unexpected),
        log_events("message_matched", &world, &matched),
        log_events("send_started", &world, &sent),
        log_events("request_completed", &world, &completed),
        log_events("communicator_created", NULL, &created),
        log_events("communicator_ended", NULL, &ended),
        log_events("thread_slept", NULL, &slept),
        log_events("collective_entered", &world, &entered),
        log_events("collective_left", &world, &left),
    };
    char data[64] = {0};
    MPI_Request request;
    OK(MPI_Barrier(world));
    CHECK(entered.calls == 1 && entered.last[0] == 0 && left.calls == 1 && left.last[0] == 0 &&
          left.last[1] > 0);
    CHECK(posted.calls == 0 && unexpected.calls == 0 && matched.calls == 0 && sent.calls == 0 &&
          completed.calls == 0);
    if (rank == 0) {
        OK(MPI_Irecv(data, 64, MPI_CHAR, 1, MPI_ANY_TAG, world, &request));
        CHECK(posted.calls == 1 && posted.last[0] == 1 && posted.last[1] == MPI_ANY_TAG &&
              posted.last[2] == 64);
        OK(MPI_Barrier(world));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK(matched.calls == 1 && matched.last[0] == 1 && matched.last[1] == 5 &&
              matched.last[2] == 33 && matched.last[3] == 0);
        CHECK(completed.calls == 1 && completed.last[0] == 0 && completed.last[1] == 1 &&
              completed.last[2] == 5 && completed.last[3] == 33);
        CHECK(unexpected.calls == 0);
        OK(MPI_Barrier(world));
        OK(MPI_Probe(1, 6, world, MPI_STATUS_IGNORE));
        CHECK(unexpected.calls == 1 && unexpected.last[0] == 1 && unexpected.last[1] == 6 &&
              unexpected.last[2] == 44 && unexpected.last[3] == 1);
        OK(MPI_Recv(data, 64, MPI_CHAR, 1, 6, world, MPI_STATUS_IGNORE));
        CHECK(matched.calls == 2 && matched.last[1] == 6 && matched.last[3] == 1 &&
              posted.calls == 1 && completed.calls == 2);
        /* The other process waits; this one does so, too. Without patience it sleeps. */
        OK(MPI_Issend(data, 7, MPI_CHAR, 1, 8, world, &request));
        CHECK(sent.calls == 1 && sent.last[0] == 1 && sent.last[1] == 8 && sent.last[2] == 7 &&
              sent.last[3] == 1);
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK(completed.calls == 3 && completed.last[0] == 1 && completed.last[1] == 1 &&
              completed.last[2] == 8 && completed.last[3] == 7);
    } else {
        OK(MPI_Barrier(world));
        OK(MPI_Send(data, 33, MPI_CHAR, 0, 5, world));
        CHECK(sent.calls == 1 && sent.last[0] == 0 && sent.last[1] == 5 && sent.last[2] == 33 &&
              sent.last[3] == 1);
        OK(MPI_Barrier(world));
        OK(MPI_Send(data, 44, MPI_CHAR, 0, 6, world));
        OK(MPI_Recv(data, 64, MPI_CHAR, 0, 8, world, MPI_STATUS_IGNORE));
    }
    OK(MPI_Comm_dup(world, &comm));
    CHECK(created.calls == 1 && created.last[1] == 2 && ended.calls == 0);
    const MPI_Count id = created.last[0];
    OK(MPI_Comm_free(&comm));
    CHECK(ended.calls == 1 && ended.last[0] == id);
    int sum, own = 1;
    OK(MPI_Bcast(&own, 1, MPI_INT, 0, world));
    CHECK(entered.last[0] == 1 && left.last[0] == 1);
    OK(MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, world));
    CHECK(entered.last[0] == 2 && left.last[0] == 2);
    int pair[2];
    OK(MPI_Allgather(&own, 1, MPI_INT, pair, 1, MPI_INT, world));
    CHECK(entered.last[0] == 3 && left.last[0] == 3);
    OK(MPI_Alltoall(pair, 1, MPI_INT, data, 1, MPI_INT, world));
    CHECK(entered.last[0] == 4 && left.last[0] == 4 && entered.calls == left.calls);
    /* A wait without patience, for a message that comes late. */
    set_cvar_int("MQDRT_CVAR_PATIENCE", 0);
    set_cvar_int("MQDRT_CVAR_SPIN_TIME", 0);
    set_cvar_int("MQDRT_CVAR_SLEEP_TIME", 1);
    if (rank == 0) {
        OK(MPI_Irecv(data, 1, MPI_CHAR, 1, 9, world, &request));
        OK(MPI_Recv(data, 1, MPI_CHAR, 1, 10, world, MPI_STATUS_IGNORE));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else {
        /* Long after rank 0 has begun to sleep, which it does at once. */
        const struct timespec moment = {0, 50000000};
        nanosleep(&moment, NULL);
        OK(MPI_Send(data, 1, MPI_CHAR, 0, 9, world));
        OK(MPI_Send(data, 1, MPI_CHAR, 0, 10, world));
    }
    if (rank == 0)
        CHECK(slept.calls > 0 && slept.last[0] > 0);
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
        OK(MPI_T_event_handle_free(all[i], NULL, NULL));
}

int main(int argc, char **argv)
{
    int provided;
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    types();
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    types();
    errors();
    callbacks();
    kept_and_dropped();
    each_type();
    OK(MPI_T_finalize());
    PASS();
}
