/* Performance variables: sessions, handles, their isolation, and every call's errors (14.3.7). One
 * process that sends to itself. */
#include "mpi_t.h"

static MPI_T_pvar_session session;

/* Sends and receives this many messages to the process itself. */
static void messages(int count)
{
    char data = 'x';
    for (int i = 0; i < count; i++) {
        OK(MPI_Send(&data, 1, MPI_CHAR, 0, i, MPI_COMM_SELF));
        OK(MPI_Recv(&data, 1, MPI_CHAR, 0, i, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    }
}

static MPI_T_pvar_handle counter(MPI_T_pvar_session in)
{
    return pvar(in, "messages_sent", MPI_T_PVAR_CLASS_COUNTER, NULL);
}

/* "Any call executed in a session must not influence the results in any other session." Nor do two
 * handles of one session influence each other. */
static void isolation(void)
{
    MPI_T_pvar_session second;
    unsigned long value;
    messages(100);
    OK(MPI_T_pvar_session_create(&second));
    CHECK(second != session);
    MPI_T_pvar_handle a = counter(session), b = counter(session), c = counter(second);
    /* "The starting value for variables of this class is 0", whatever was counted before; "All
     * other variables are in a stopped state". */
    CHECK(value_of(session, a) == 0 && value_of(session, b) == 0 && value_of(second, c) == 0);
    messages(3);
    CHECK(value_of(session, a) == 0);
    OK(MPI_T_pvar_start(session, a));
    messages(5);
    OK(MPI_T_pvar_start(session, b));
    OK(MPI_T_pvar_start(second, c));
    messages(7);
    CHECK(value_of(session, a) == 12 && value_of(session, b) == 7 && value_of(second, c) == 7);
    OK(MPI_T_pvar_reset(session, a));
    CHECK(value_of(session, a) == 0 && value_of(session, b) == 7 && value_of(second, c) == 7);
    OK(MPI_T_pvar_stop(session, b));
    messages(2);
    CHECK(value_of(session, a) == 2 && value_of(session, b) == 7 && value_of(second, c) == 9);
    /* A stopped one goes on where it was. */
    OK(MPI_T_pvar_start(session, b));
    messages(1);
    CHECK(value_of(session, a) == 3 && value_of(session, b) == 8 && value_of(second, c) == 10);
    /* Starting a started variable or stopping a stopped one changes nothing. */
    OK(MPI_T_pvar_start(session, b));
    OK(MPI_T_pvar_stop(session, a));
    OK(MPI_T_pvar_stop(session, a));
    messages(1);
    CHECK(value_of(session, a) == 3 && value_of(session, b) == 9);
    value = 1000;
    OK(MPI_T_pvar_write(session, a, &value));
    OK(MPI_T_pvar_write(session, b, &value));
    messages(1);
    CHECK(value_of(session, a) == 1000 && value_of(session, b) == 1001 &&
          value_of(second, c) == 12);
    /* "This call atomically combines the functionality of MPI_T_PVAR_READ and MPI_T_PVAR_RESET". */
    OK(MPI_T_pvar_readreset(session, b, &value));
    CHECK(value == 1001 && value_of(session, b) == 0 && value_of(second, c) == 12);
    messages(1);
    CHECK(value_of(session, b) == 1);
    OK(MPI_T_pvar_readreset(session, a, &value));
    CHECK(value == 1000 && value_of(session, a) == 0);
    /* All handles of one session, and of no other. */
    OK(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES));
    messages(1);
    CHECK(value_of(session, b) == 1 && value_of(second, c) == 14);
    OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
    messages(1);
    CHECK(value_of(session, a) == 1 && value_of(session, b) == 2 && value_of(second, c) == 15);
    OK(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES));
    CHECK(value_of(session, a) == 0 && value_of(session, b) == 0 && value_of(second, c) == 15);
    OK(MPI_T_pvar_handle_free(session, &a));
    OK(MPI_T_pvar_handle_free(session, &b));

    /* "Calls ... can no longer be made within the context of a session after it is freed. On a
       successful return, MPI sets the session identifier to MPI_T_PVAR_SESSION_NULL." Its handles
       end with it. */
    MPI_T_pvar_session old = second;
    OK(MPI_T_pvar_session_free(&second));
    CHECK(second == MPI_T_PVAR_SESSION_NULL);
    CODE(MPI_T_ERR_INVALID_SESSION, MPI_T_pvar_read(old, c, &value));
    CODE(MPI_T_ERR_INVALID_SESSION, MPI_T_pvar_session_free(&old));
    CODE(MPI_T_ERR_INVALID_SESSION, MPI_T_pvar_start(old, MPI_T_PVAR_ALL_HANDLES));
    CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_read(session, c, &value));
}

/* Table 14.6: each call with a wrong session, and with a wrong handle. */
static void errors(void)
{
    MPI_T_pvar_session other, none = MPI_T_PVAR_SESSION_NULL;
    OK(MPI_T_pvar_session_create(&other));
    MPI_T_pvar_handle foreign = counter(other), freed = counter(session), handle;
    MPI_T_pvar_handle gone = freed;
    OK(MPI_T_pvar_handle_free(session, &freed));
    CHECK(freed == MPI_T_PVAR_HANDLE_NULL);
    unsigned long value = 0;
    int number, count;
    OK(MPI_T_pvar_get_num(&number));
    /* "if the handle argument passed in is not associated with the session argument,
     * MPI_T_ERR_INVALID_HANDLE is returned." */
    MPI_T_pvar_handle wrong[] = {foreign, gone, MPI_T_PVAR_HANDLE_NULL, (MPI_T_pvar_handle)&value};
    for (int i = 0; i < 4; i++) {
        CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_start(session, wrong[i]));
        CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_stop(session, wrong[i]));
        CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_read(session, wrong[i], &value));
        CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_write(session, wrong[i], &value));
        CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_reset(session, wrong[i]));
        CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_readreset(session, wrong[i], &value));
        handle = wrong[i];
        CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_handle_free(session, &handle));
        CHECK(handle == wrong[i]);
    }
    /* "The constant MPI_T_PVAR_ALL_HANDLES cannot be used as an argument for the function" read,
     * write and readreset; nor can it be freed. */
    CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_read(session, MPI_T_PVAR_ALL_HANDLES, &value));
    CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_write(session, MPI_T_PVAR_ALL_HANDLES, &value));
    CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_readreset(session, MPI_T_PVAR_ALL_HANDLES, &value));
    handle = MPI_T_PVAR_ALL_HANDLES;
    CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_handle_free(session, &handle));
    MPI_T_pvar_session bad[] = {MPI_T_PVAR_SESSION_NULL, (MPI_T_pvar_session)&value};
    for (int i = 0; i < 2; i++) {
        CODE(MPI_T_ERR_INVALID_SESSION, MPI_T_pvar_start(bad[i], foreign));
        CODE(MPI_T_ERR_INVALID_SESSION, MPI_T_pvar_stop(bad[i], MPI_T_PVAR_ALL_HANDLES));
        CODE(MPI_T_ERR_INVALID_SESSION, MPI_T_pvar_read(bad[i], foreign, &value));
        CODE(MPI_T_ERR_INVALID_SESSION, MPI_T_pvar_write(bad[i], foreign, &value));
        CODE(MPI_T_ERR_INVALID_SESSION, MPI_T_pvar_reset(bad[i], MPI_T_PVAR_ALL_HANDLES));
        CODE(MPI_T_ERR_INVALID_SESSION, MPI_T_pvar_readreset(bad[i], foreign, &value));
        CODE(MPI_T_ERR_INVALID_SESSION, MPI_T_pvar_handle_free(bad[i], &foreign));
        CODE(MPI_T_ERR_INVALID_SESSION, MPI_T_pvar_handle_alloc(bad[i], 0, NULL, &handle, &count));
    }
    CODE(MPI_T_ERR_INVALID_SESSION, MPI_T_pvar_session_free(&none));
    CODE(MPI_T_ERR_INVALID, MPI_T_pvar_session_free(NULL));
    CODE(MPI_T_ERR_INVALID, MPI_T_pvar_session_create(NULL));
    CODE(MPI_T_ERR_INVALID_INDEX, MPI_T_pvar_handle_alloc(session, number, NULL, &handle, &count));
    CODE(MPI_T_ERR_INVALID_INDEX, MPI_T_pvar_handle_alloc(session, -1, NULL, &handle, &count));
    CODE(MPI_T_ERR_INVALID, MPI_T_pvar_handle_alloc(session, 0, NULL, NULL, &count));
    CODE(MPI_T_ERR_INVALID, MPI_T_pvar_handle_alloc(session, 0, NULL, &handle, NULL));
    CODE(MPI_T_ERR_INVALID, MPI_T_pvar_handle_free(session, NULL));
    CODE(MPI_T_ERR_INVALID, MPI_T_pvar_read(other, foreign, NULL));
    CODE(MPI_T_ERR_INVALID, MPI_T_pvar_write(other, foreign, NULL));
    CODE(MPI_T_ERR_INVALID, MPI_T_pvar_readreset(other, foreign, NULL));
    /* A variable bound to communicators takes one (14.3.2). */
    const int index = pvar_index("comm_posted_receives", MPI_T_PVAR_CLASS_LEVEL);
    MPI_Comm null = MPI_COMM_NULL;
    CODE(MPI_T_ERR_INVALID, MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count));
    CODE(MPI_T_ERR_INVALID, MPI_T_pvar_handle_alloc(session, index, &null, &handle, &count));
    OK(MPI_T_pvar_session_free(&other));
}

/* The flags: a read-only variable cannot be written, a continuous one cannot be started, and one
 * that is not atomic has no readreset. */
static void flags(void)
{
    int number;
    OK(MPI_T_pvar_get_num(&number));
    for (int i = 0; i < number; i++) {
        int bind, readonly, continuous, atomic, count;
        MPI_Comm comm = MPI_COMM_WORLD;
        MPI_T_pvar_handle handle;
        /* As many values as a variable can have here, zero in every datatype. */
        double buffer[16] = {0};
        OK(MPI_T_pvar_get_info(i, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &bind, &readonly,
                               &continuous, &atomic));
        OK(MPI_T_pvar_handle_alloc(session, i, bind == MPI_T_BIND_NO_OBJECT ? NULL : &comm, &handle,
                                   &count));
        CHECK(count >= 1 && count <= 16);
        CODE(continuous ? MPI_T_ERR_PVAR_NO_STARTSTOP : MPI_SUCCESS,
             MPI_T_pvar_start(session, handle));
        OK(MPI_T_pvar_read(session, handle, buffer));
        CODE(readonly ? MPI_T_ERR_PVAR_NO_WRITE : MPI_SUCCESS,
             MPI_T_pvar_write(session, handle, buffer));
        CODE(readonly ? MPI_T_ERR_PVAR_NO_WRITE : MPI_SUCCESS, MPI_T_pvar_reset(session, handle));
        CODE(atomic ? MPI_SUCCESS : MPI_T_ERR_PVAR_NO_ATOMIC,
             MPI_T_pvar_readreset(session, handle, buffer));
        CODE(continuous ? MPI_T_ERR_PVAR_NO_STARTSTOP : MPI_SUCCESS,
             MPI_T_pvar_stop(session, handle));
        /* "even if there are no non-continuous variables to be started"; "Read-only variables are
         * ignored". */
        OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
        OK(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES));
        OK(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES));
        OK(MPI_T_pvar_handle_free(session, &handle));
        /* "even if there are no valid handles". */
        OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
        OK(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES));
    }
    /* A continuous sum: it starts from 0 with the handle, and can be reset. */
    MPI_T_pvar_handle searches = pvar(session, "queue_searches", MPI_T_PVAR_CLASS_COUNTER, NULL);
    CHECK(value_of(session, searches) == 0);
    messages(1);
    unsigned long value = value_of(session, searches);
    CHECK(value == 2);
    OK(MPI_T_pvar_reset(session, searches));
    CHECK(value_of(session, searches) == 0);
    OK(MPI_T_pvar_handle_free(session, &searches));
}

/* MPI_T_ERR_OUT_OF_SESSIONS and MPI_T_ERR_OUT_OF_HANDLES. */
static void limits(void)
{
    enum {
        MOST = 1 << 20
    };
    static MPI_T_pvar_session sessions[MOST];
    int made = 0, code, count;
    while ((code = MPI_T_pvar_session_create(&sessions[made])) == MPI_SUCCESS && made < MOST - 1)
        made++;
    CHECK(code == MPI_T_ERR_OUT_OF_SESSIONS && made > 1000);
    while (made > 0)
        OK(MPI_T_pvar_session_free(&sessions[--made]));
    OK(MPI_T_pvar_session_create(&sessions[0]));
    MPI_T_pvar_handle handle;
    const int index = pvar_index("requests", MPI_T_PVAR_CLASS_LEVEL);
    for (made = 0; made < MOST; made++)
        if ((code = MPI_T_pvar_handle_alloc(sessions[0], index, NULL, &handle, &count)) !=
            MPI_SUCCESS)
            break;
    CHECK(code == MPI_T_ERR_OUT_OF_HANDLES && made > 1000);
    OK(MPI_T_pvar_session_free(&sessions[0]));
    handle = counter(session);
    OK(MPI_T_pvar_handle_free(session, &handle));
}

/* A handle whose communicator is gone. */
static void orphans(void)
{
    MPI_Comm comm;
    unsigned long value;
    OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    MPI_T_pvar_handle level = pvar(session, "comm_posted_receives", MPI_T_PVAR_CLASS_LEVEL, &comm);
    MPI_T_pvar_handle mark =
        pvar(session, "comm_posted_receives", MPI_T_PVAR_CLASS_HIGHWATERMARK, &comm);
    MPI_T_pvar_handle sent = pvar(session, "comm_messages_sent", MPI_T_PVAR_CLASS_COUNTER, &comm);
    OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
    CHECK(value_of(session, level) == 0 && value_of(session, mark) == 0 &&
          value_of(session, sent) == 0);
    OK(MPI_Comm_free(&comm));
    CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_read(session, level, &value));
    CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_read(session, mark, &value));
    CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_readreset(session, sent, &value));
    CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_reset(session, sent));
    /* "the routine returns MPI_SUCCESS if all variables are started successfully ..., otherwise
     * MPI_T_ERR_PVAR_NO_STARTSTOP". */
    CODE(MPI_T_ERR_PVAR_NO_STARTSTOP, MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
    CODE(MPI_T_ERR_PVAR_NO_WRITE, MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES));
    /* Another communicator in the same memory does not belong to the handles. */
    OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_read(session, level, &value));
    OK(MPI_Comm_free(&comm));
    OK(MPI_T_pvar_handle_free(session, &level));
    OK(MPI_T_pvar_handle_free(session, &mark));
    OK(MPI_T_pvar_handle_free(session, &sent));
}

int main(int argc, char **argv)
{
    int provided;
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    OK(MPI_Init(&argc, &argv));
    OK(MPI_T_pvar_session_create(&session));
    isolation();
    errors();
    flags();
    orphans();
    limits();
    OK(MPI_T_pvar_session_free(&session));
    OK(MPI_T_finalize());
    PASS();
}
