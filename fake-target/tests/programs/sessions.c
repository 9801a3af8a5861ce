/* Sessions: before and without MPI_Init, several at once, after MPI_Finalize, and again. The first
 * argument says what. What a communicator carries is compared with what every rank can compute. */
#include "check.h"
#include <sched.h>

static int called;
static int last_code;

static void on_session(MPI_Session *session, int *code, ...)
{
    (void)session;
    called++;
    last_code = *code;
}

static void on_comm(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    called += 100;
    last_code = *code;
}

static MPI_Session open_session(void)
{
    MPI_Session session = MPI_SESSION_NULL;
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    CHECK(session != MPI_SESSION_NULL);
    return session;
}

static MPI_Comm make_comm(MPI_Session session, const char *pset, const char *tag)
{
    MPI_Group group;
    MPI_Comm comm;
    OK(MPI_Group_from_session_pset(session, pset, &group));
    OK(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    OK(MPI_Group_free(&group));
    return comm;
}

/* The sum of ranks, a ring, and a broadcast from each rank. */
static void use(MPI_Comm comm)
{
    int rank, size, sum, got;
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    /* Of the predefined attributes, communicators of sessions have only one. */
    int *attribute, flag;
    OK(MPI_Comm_get_attr(comm, MPI_TAG_UB, &attribute, &flag));
    CHECK(flag && *attribute >= 32767);
    OK(MPI_Comm_get_attr(comm, MPI_WTIME_IS_GLOBAL, &attribute, &flag));
    CHECK(!flag == (comm != MPI_COMM_WORLD));
    int value = rank + 1;
    OK(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK(sum == size * (size + 1) / 2);
    OK(MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 7, &got, 1, MPI_INT,
                    (rank + size - 1) % size, 7, comm, MPI_STATUS_IGNORE));
    CHECK(got == (rank + size - 1) % size);
    for (int root = 0; root < size; root++) {
        got = rank == root ? 1000 + root : -1;
        OK(MPI_Bcast(&got, 1, MPI_INT, root, comm));
        CHECK(got == 1000 + root);
    }
}

static void psets(MPI_Session session, int size)
{
    int count, length, flag, seen_world = 0, seen_self = 0;
    OK(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &count));
    CHECK(count >= 2);
    for (int n = 0; n < count; n++) {
        char name[MPI_MAX_PSET_NAME_LEN], cut[5], value[32];
        length = 0;
        OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, NULL));
        CHECK(length > 1);
        int needed = length;
        OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, name));
        CHECK(length == needed && (int)strlen(name) == length - 1);
        length = sizeof cut;
        OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, cut));
        CHECK(length == needed && strncmp(cut, name, 4) == 0 && cut[4] == 0);
        MPI_Info info;
        OK(MPI_Session_get_pset_info(session, name, &info));
        length = sizeof value;
        OK(MPI_Info_get_string(info, "mpi_size", &length, value, &flag));
        CHECK(flag);
        if (strcmp(name, "mpi://WORLD") == 0) {
            seen_world++;
            CHECK(atoi(value) == size);
        }
        if (strcmp(name, "mpi://SELF") == 0) {
            seen_self++;
            CHECK(atoi(value) == 1);
        }
        OK(MPI_Info_free(&info));
    }
    CHECK(seen_world == 1 && seen_self == 1);
    length = 0;
    FAILS(MPI_ERR_ARG, MPI_Session_get_nth_pset(session, MPI_INFO_NULL, count, &length, NULL));
    MPI_Info none;
    FAILS(MPI_ERR_ARG, MPI_Session_get_pset_info(session, "mpi://NOBODY", &none));
    MPI_Group group = MPI_GROUP_EMPTY;
    FAILS(MPI_ERR_ARG, MPI_Group_from_session_pset(session, "mpi://NOBODY", &group));
    CHECK(group == MPI_GROUP_NULL);
}

/* The handler that was passed to MPI_Session_init is called for every error there. */
static void errors(void)
{
    MPI_Errhandler handler, of_comms;
    MPI_Session session;
    MPI_Info info;
    OK(MPI_Session_create_errhandler(on_session, &handler));
    OK(MPI_Comm_create_errhandler(on_comm, &of_comms));
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "thread_level", "MPI_THREAD_PLENTY"));
    called = 0;
    FAILS(MPI_ERR_INFO_VALUE, MPI_Session_init(info, handler, &session));
    CHECK(called == 1 && last_code == MPI_ERR_INFO_VALUE && session == MPI_SESSION_NULL);
    FAILS(MPI_ERR_INFO_VALUE, MPI_Session_init(info, MPI_ERRORS_RETURN, &session));
    CHECK(called == 1);
    /* A handler for communicators cannot be used for sessions. */
    FAILS(MPI_ERR_ERRHANDLER, MPI_Session_init(MPI_INFO_NULL, of_comms, &session));
    CHECK(called == 101);
    OK(MPI_Info_free(&info));

    called = 0;
    OK(MPI_Session_init(MPI_INFO_NULL, handler, &session));
    int length = 0;
    FAILS(MPI_ERR_ARG, MPI_Session_get_nth_pset(session, MPI_INFO_NULL, -1, &length, NULL));
    CHECK(called == 1 && last_code == MPI_ERR_ARG);
    OK(MPI_Session_call_errhandler(session, MPI_ERR_OTHER));
    CHECK(called == 2 && last_code == MPI_ERR_OTHER);
    MPI_Errhandler got;
    OK(MPI_Session_get_errhandler(session, &got));
    CHECK(got == handler);
    OK(MPI_Errhandler_free(&got));
    OK(MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN));
    FAILS(MPI_ERR_ARG, MPI_Session_get_nth_pset(session, MPI_INFO_NULL, -1, &length, NULL));
    CHECK(called == 2);
    OK(MPI_Errhandler_free(&handler));

    /* The handler for a new communicator is called if making it fails. */
    MPI_Group group;
    MPI_Comm comm;
    OK(MPI_Group_from_session_pset(session, "mpi://SELF", &group));
    static char tag[MPI_MAX_STRINGTAG_LEN + 2];
    memset(tag, 'x', sizeof tag - 1);
    called = 0;
    FAILS(MPI_ERR_ARG, MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, of_comms, &comm));
    CHECK(called == 100 && comm == MPI_COMM_NULL);
    OK(MPI_Comm_create_from_group(group, "errors", MPI_INFO_NULL, of_comms, &comm));
    FAILS(MPI_ERR_RANK, MPI_Send(NULL, 0, MPI_INT, 5, 0, comm));
    CHECK(called == 200);
    OK(MPI_Comm_free(&comm));
    OK(MPI_Group_free(&group));
    OK(MPI_Errhandler_free(&of_comms));
    OK(MPI_Session_finalize(&session));
    CHECK(session == MPI_SESSION_NULL);
}

/* Buffered sends: the session's buffer serves the communicators of the session. */
static void buffers(MPI_Session session, MPI_Comm comm)
{
    enum { BYTES = 1000, SIZE = BYTES + MPI_BSEND_OVERHEAD };
    int rank, size;
    char *memory = malloc(SIZE), out[BYTES], in[BYTES];
    void *address;
    int bytes;
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    FAILS(MPI_ERR_BUFFER, MPI_Bsend(out, BYTES, MPI_BYTE, rank, 3, comm));
    OK(MPI_Session_attach_buffer(session, memory, SIZE));
    FAILS(MPI_ERR_BUFFER, MPI_Session_attach_buffer(session, memory, SIZE));
    memset(out, 'a' + rank, BYTES);
    OK(MPI_Bsend(out, BYTES, MPI_BYTE, (rank + 1) % size, 3, comm));
    OK(MPI_Recv(in, BYTES, MPI_BYTE, (rank + size - 1) % size, 3, comm, MPI_STATUS_IGNORE));
    CHECK(in[0] == 'a' + (rank + size - 1) % size && in[BYTES - 1] == in[0]);
    OK(MPI_Session_flush_buffer(session));
    OK(MPI_Session_detach_buffer(session, &address, &bytes));
    CHECK(address == memory && bytes == SIZE);
    FAILS(MPI_ERR_BUFFER, MPI_Bsend(out, BYTES, MPI_BYTE, rank, 3, comm));
    free(memory);
}

/* A session ends when what is in its buffer has left: the memory is the program's again. */
static void last_messages(void)
{
    enum { BYTES = 300000, SIZE = BYTES + MPI_BSEND_OVERHEAD };
    int rank, size;
    MPI_Session session = open_session();
    MPI_Comm comm = make_comm(session, "mpi://WORLD", "last");
    char *memory = malloc(SIZE), *data = calloc(BYTES, 1);
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    if (rank == 0 && size > 1) {
        memset(data, 'a', BYTES);
        OK(MPI_Session_attach_buffer(session, memory, SIZE));
        OK(MPI_Bsend(data, BYTES, MPI_BYTE, 1, 3, comm));
        OK(MPI_Send(NULL, 0, MPI_BYTE, 1, 4, comm));
    } else if (rank == 1) {
        OK(MPI_Recv(NULL, 0, MPI_BYTE, 0, 4, comm, MPI_STATUS_IGNORE));
        /* Rank 0 could go on meanwhile. */
        for (int i = 0; i < 1000; i++)
            sched_yield();
        OK(MPI_Recv(data, BYTES, MPI_BYTE, 0, 3, comm, MPI_STATUS_IGNORE));
        CHECK(data[0] == 'a' && data[BYTES - 1] == 'a');
    }
    OK(MPI_Comm_free(&comm));
    OK(MPI_Session_finalize(&session));
    memset(memory, 'x', SIZE);
    free(memory), free(data);
}

/* Two intercommunicators at once, told apart by their tags. */
static void between_groups(MPI_Session session)
{
    MPI_Group world, near, far;
    MPI_Comm inter[2];
    int rank, size, remote;
    OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &world));
    OK(MPI_Group_rank(world, &rank));
    OK(MPI_Group_size(world, &size));
    if (size > 1) {
        int low[1][3] = {{0, size / 2 - 1, 1}}, high[1][3] = {{size / 2, size - 1, 1}};
        int lower = rank < size / 2;
        OK(MPI_Group_range_incl(world, 1, lower ? low : high, &near));
        OK(MPI_Group_range_incl(world, 1, lower ? high : low, &far));
        for (int n = 0; n < 2; n++)
            OK(MPI_Intercomm_create_from_groups(near, 0, far, 0, n ? "one" : "another",
                                                MPI_INFO_NULL, MPI_ERRORS_RETURN, &inter[n]));
        for (int n = 0; n < 2; n++) {
            OK(MPI_Comm_remote_size(inter[n], &remote));
            CHECK(remote == (lower ? size - size / 2 : size / 2));
            int sum, value = rank + n, expected = 0;
            OK(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, inter[n]));
            for (int r = 0; r < size; r++)
                expected += (r < size / 2) != lower ? r + n : 0;
            CHECK(sum == expected);
            OK(MPI_Comm_free(&inter[n]));
        }
        OK(MPI_Group_free(&near));
        OK(MPI_Group_free(&far));
    }
    OK(MPI_Group_free(&world));
}

static void thread_level(const char *asked)
{
    MPI_Session session;
    MPI_Info info;
    char value[64];
    int length = sizeof value, flag;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "thread_level", asked));
    OK(MPI_Session_init(info, MPI_ERRORS_RETURN, &session));
    OK(MPI_Info_free(&info));
    OK(MPI_Session_get_info(session, &info));
    OK(MPI_Info_get_string(info, "thread_level", &length, value, &flag));
    CHECK(flag && strcmp(value, asked) == 0);
    OK(MPI_Info_free(&info));
    OK(MPI_Session_finalize(&session));
}

static void world_model(int is, int was)
{
    int initialized, finalized;
    OK(MPI_Initialized(&initialized));
    OK(MPI_Finalized(&finalized));
    CHECK(initialized == is && finalized == was);
}

int main(int argc, char **argv)
{
    int size = argc > 1 ? atoi(argv[1]) : 1;
    errors();
    world_model(0, 0);
    MPI_Session first = open_session(), second = open_session();
    CHECK(first != second);
    CHECK(MPI_Session_fromint(MPI_Session_toint(first)) == first);
    psets(first, size);
    MPI_Comm one = make_comm(first, "mpi://WORLD", "one"),
             other = make_comm(second, "mpi://world", "other"),
             own = make_comm(second, "mpi://SELF", "own");
    use(one);
    use(other);
    use(own);
    MPI_Comm duplicate;
    OK(MPI_Comm_dup(one, &duplicate));
    use(duplicate);
    buffers(first, one);
    buffers(second, other);
    last_messages();
    between_groups(first);
    thread_level("MPI_THREAD_SINGLE");

    /* The World Model beside sessions: they can be used before, during and after it. */
    world_model(0, 0);
    OK(MPI_Init(NULL, NULL));
    world_model(1, 0);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    use(MPI_COMM_WORLD);
    use(one);
    OK(MPI_Comm_free(&duplicate));
    OK(MPI_Comm_free(&one));
    OK(MPI_Session_finalize(&first));
    use(MPI_COMM_WORLD);
    use(other);
    OK(MPI_Finalize());
    world_model(1, 1);
    use(other);
    OK(MPI_Comm_free(&other));
    OK(MPI_Comm_free(&own));
    OK(MPI_Session_finalize(&second));

    /* And again, from nothing. */
    for (int round = 0; round < 3; round++) {
        MPI_Session again = open_session();
        MPI_Comm comm = make_comm(again, "mpi://WORLD", "again");
        use(comm);
        OK(MPI_Comm_free(&comm));
        OK(MPI_Session_finalize(&again));
    }
    thread_level("MPI_THREAD_MULTIPLE");
    thread_level("MPI_THREAD_FUNNELED");
    printf("passed\n");
    return 0;
}
