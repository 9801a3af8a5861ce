/* Initialization and finalization (14.3.4), error codes (14.3.9), and the interface before MPI_Init
 * and after MPI_Finalize (14.3). */
#include "mpi_t.h"

/* Every function says that the interface is not initialized. */
static void nothing_works(void)
{
    int i = 0;
    char text[8];
    MPI_T_cvar_handle cvar_handle = MPI_T_CVAR_HANDLE_NULL;
    MPI_T_pvar_handle pvar_handle = MPI_T_PVAR_HANDLE_NULL;
    MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
    MPI_T_event_registration registration = (MPI_T_event_registration)0;
    MPI_T_event_instance instance = (MPI_T_event_instance)0;
    MPI_Count count;
    MPI_Info info;
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_finalize());
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_enum_get_info(MPI_T_ENUM_NULL, &i, text, &i));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_enum_get_item(MPI_T_ENUM_NULL, 0, &i, text, &i));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_cvar_get_num(&i));
    CODE(MPI_T_ERR_NOT_INITIALIZED,
         MPI_T_cvar_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_cvar_get_index("MQDRT_CVAR_EAGER_LIMIT", &i));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_cvar_handle_alloc(0, NULL, &cvar_handle, &i));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_cvar_handle_free(&cvar_handle));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_cvar_read(cvar_handle, &i));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_cvar_write(cvar_handle, &i));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_pvar_get_num(&i));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_pvar_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                                        NULL, NULL, NULL, NULL, NULL));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_pvar_get_index("requests", MPI_T_PVAR_CLASS_LEVEL, &i));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_pvar_session_create(&session));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_pvar_session_free(&session));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_pvar_handle_alloc(session, 0, NULL, &pvar_handle, &i));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_pvar_handle_free(session, &pvar_handle));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_pvar_start(session, pvar_handle));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_pvar_read(session, pvar_handle, &count));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_pvar_write(session, pvar_handle, &count));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_pvar_reset(session, pvar_handle));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_pvar_readreset(session, pvar_handle, &count));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_category_get_num(&i));
    CODE(MPI_T_ERR_NOT_INITIALIZED,
         MPI_T_category_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_category_get_num_events(0, &i));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_category_get_index("QUEUES", &i));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_category_get_cvars(0, 1, &i));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_category_get_pvars(0, 1, &i));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_category_get_events(0, 1, &i));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_category_get_categories(0, 1, &i));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_category_changed(&i));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_source_get_num(&i));
    CODE(MPI_T_ERR_NOT_INITIALIZED,
         MPI_T_source_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_source_get_timestamp(0, &count));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_event_get_num(&i));
    CODE(MPI_T_ERR_NOT_INITIALIZED,
         MPI_T_event_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_event_get_index("send_started", &i));
    CODE(MPI_T_ERR_NOT_INITIALIZED,
         MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, &registration));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_event_handle_set_info(registration, MPI_INFO_NULL));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_event_handle_get_info(registration, &info));
    CODE(MPI_T_ERR_NOT_INITIALIZED,
         MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL,
                                       NULL));
    CODE(MPI_T_ERR_NOT_INITIALIZED,
         MPI_T_event_callback_set_info(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL));
    CODE(MPI_T_ERR_NOT_INITIALIZED,
         MPI_T_event_callback_get_info(registration, MPI_T_CB_REQUIRE_NONE, &info));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_event_set_dropped_handler(registration, NULL));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_event_handle_free(registration, NULL, NULL));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_event_read(instance, 0, &count));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_event_copy(instance, &count));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_event_get_timestamp(instance, &count));
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_event_get_source(instance, &i));
}

/* A variable of each kind can be used. */
static void everything_works(void)
{
    MPI_T_pvar_session session;
    CHECK(cvar_int("MQDRT_CVAR_EAGER_LIMIT") == 8192);
    OK(MPI_T_pvar_session_create(&session));
    MPI_T_pvar_handle handle = pvar(session, "messages_sent", MPI_T_PVAR_CLASS_COUNTER, NULL);
    OK(MPI_T_pvar_start(session, handle));
    CHECK(value_of(session, handle) == 0);
    OK(MPI_T_pvar_session_free(&session));
}

static int phase(void)
{
    MPI_T_pvar_session session;
    int value = -1;
    OK(MPI_T_pvar_session_create(&session));
    MPI_T_pvar_handle handle = pvar(session, "phase", MPI_T_PVAR_CLASS_STATE, NULL);
    OK(MPI_T_pvar_read(session, handle, &value));
    OK(MPI_T_pvar_session_free(&session));
    return value;
}

/* 14.3.9: error classes, unique, and 0 = MPI_SUCCESS < MPI_T_ERR_... <= MPI_ERR_LASTCODE; each has
 * a text of its own. */
static void codes(void)
{
    static const int CODES[] = {
        MPI_T_ERR_CANNOT_INIT,
        MPI_T_ERR_NOT_ACCESSIBLE,
        MPI_T_ERR_NOT_INITIALIZED,
        MPI_T_ERR_NOT_SUPPORTED,
        MPI_T_ERR_MEMORY,
        MPI_T_ERR_INVALID,
        MPI_T_ERR_INVALID_INDEX,
        MPI_T_ERR_INVALID_ITEM,
        MPI_T_ERR_INVALID_SESSION,
        MPI_T_ERR_INVALID_HANDLE,
        MPI_T_ERR_INVALID_NAME,
        MPI_T_ERR_OUT_OF_HANDLES,
        MPI_T_ERR_OUT_OF_SESSIONS,
        MPI_T_ERR_CVAR_SET_NOT_NOW,
        MPI_T_ERR_CVAR_SET_NEVER,
        MPI_T_ERR_PVAR_NO_WRITE,
        MPI_T_ERR_PVAR_NO_STARTSTOP,
        MPI_T_ERR_PVAR_NO_ATOMIC,
    };
    enum {
        NUMBER = sizeof CODES / sizeof CODES[0]
    };
    char texts[NUMBER][MPI_MAX_ERROR_STRING];
    for (int i = 0; i < NUMBER; i++) {
        int class, length;
        OK(MPI_Error_class(CODES[i], &class));
        CHECK(class == CODES[i] && class > MPI_SUCCESS && class <= MPI_ERR_LASTCODE &&
              class > MPI_ERR_RMA_SHARED);
        OK(MPI_Error_string(CODES[i], texts[i], &length));
        for (int j = 0; j < i; j++)
            CHECK(CODES[i] != CODES[j] && strcmp(texts[i], texts[j]) != 0);
    }
}

/* 14.3.9: an error calls no error handler. */
static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    fprintf(stderr, "an error handler was called\n");
    exit(1);
}

int main(int argc, char **argv)
{
    int provided = -1;
    nothing_works();

    /* "The call returns in provided ... one of the four values listed"; required must be one, too.
     */
    CODE(MPI_T_ERR_INVALID, MPI_T_init_thread(4711, &provided));
    CODE(MPI_T_ERR_INVALID, MPI_T_init_thread(MPI_THREAD_SINGLE, NULL));
    nothing_works();
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    CHECK(provided == MPI_THREAD_MULTIPLE);
    everything_works();
    CHECK(phase() == 0);

    /* "Calling this routine when the interface is already initialized has no effect beyond
     * increasing the reference count." */
    OK(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided));
    OK(MPI_T_finalize());
    everything_works();
    /* "Further, additional calls to MPI_T_INIT_THREAD after one or more calls to MPI_T_FINALIZE are
     * permissible." */
    OK(MPI_T_init_thread(MPI_THREAD_SERIALIZED, &provided));
    OK(MPI_T_finalize());
    OK(MPI_T_finalize());
    /* "Calling it more times returns a corresponding error code." */
    CODE(MPI_T_ERR_NOT_INITIALIZED, MPI_T_finalize());
    nothing_works();

    /* "The interface can be reinitialized by subsequent calls": before MPI_Init, through it, and
     * after MPI_Finalize. */
    OK(MPI_T_init_thread(MPI_THREAD_FUNNELED, &provided));
    MPI_T_pvar_session session;
    OK(MPI_T_pvar_session_create(&session));
    MPI_T_pvar_handle early = pvar(session, "messages_sent", MPI_T_PVAR_CLASS_COUNTER, NULL);
    OK(MPI_T_pvar_start(session, early));
    OK(MPI_Init(&argc, &argv));
    MPI_Errhandler errhandler;
    OK(MPI_Comm_create_errhandler(handler, &errhandler));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, errhandler));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, errhandler));
    CODE(MPI_T_ERR_INVALID_INDEX,
         MPI_T_cvar_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    codes();
    everything_works();
    CHECK(phase() == 1);
    int data = 1;
    OK(MPI_Send(&data, 1, MPI_INT, 0, 0, MPI_COMM_SELF));
    OK(MPI_Recv(&data, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    CHECK(value_of(session, early) == 1);
    OK(MPI_Errhandler_free(&errhandler));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
    OK(MPI_Finalize());
    CHECK(phase() == 2);
    everything_works();
    CHECK(value_of(session, early) == 1);
    MPI_T_pvar_session old = session;
    OK(MPI_T_finalize());
    nothing_works();
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    /* The last MPI_T_finalize has ended sessions and handles. */
    unsigned long value;
    CODE(MPI_T_ERR_INVALID_SESSION, MPI_T_pvar_read(old, early, &value));
    OK(MPI_T_finalize());
    printf("passed\n");
    return 0;
}
