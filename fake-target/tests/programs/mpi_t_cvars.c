/* Control variables: handles, values, the right to write (14.3.6). Run with the environment that
 * main.rs gives. */
#include "mpi_t.h"

static void handles(void)
{
    MPI_T_cvar_handle handle, other;
    int number, count = -1, value;
    OK(MPI_T_cvar_get_num(&number));
    CODE(MPI_T_ERR_INVALID_INDEX, MPI_T_cvar_handle_alloc(-1, NULL, &handle, &count));
    CODE(MPI_T_ERR_INVALID_INDEX, MPI_T_cvar_handle_alloc(number, NULL, &handle, &count));
    const int index = cvar_index("MQDRT_CVAR_EAGER_LIMIT");
    CODE(MPI_T_ERR_INVALID, MPI_T_cvar_handle_alloc(index, NULL, NULL, &count));
    CODE(MPI_T_ERR_INVALID, MPI_T_cvar_handle_alloc(index, NULL, &handle, NULL));
    /* "The argument obj_handle is ignored if ... MPI_T_BIND_NO_OBJECT" */
    OK(MPI_T_cvar_handle_alloc(index, (void *)1, &handle, &count));
    CHECK(count == 1);
    OK(MPI_T_cvar_handle_alloc(index, NULL, &other, &count));
    CHECK(handle != other);
    OK(MPI_T_cvar_read(handle, &value));
    CODE(MPI_T_ERR_INVALID, MPI_T_cvar_read(handle, NULL));
    CODE(MPI_T_ERR_INVALID, MPI_T_cvar_write(handle, NULL));
    /* "On a successful return, MPI sets the handle to MPI_T_CVAR_HANDLE_NULL." */
    MPI_T_cvar_handle copy = handle;
    OK(MPI_T_cvar_handle_free(&handle));
    CHECK(handle == MPI_T_CVAR_HANDLE_NULL);
    /* Table 14.6: MPI_T_ERR_INVALID_HANDLE, for freed handles, the null handle and garbage. */
    CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_cvar_read(copy, &value));
    CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_cvar_write(copy, &value));
    CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_cvar_handle_free(&copy));
    CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_cvar_handle_free(&handle));
    CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_cvar_read(MPI_T_CVAR_HANDLE_NULL, &value));
    CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_cvar_read((MPI_T_cvar_handle)&value, &value));
    CODE(MPI_T_ERR_INVALID, MPI_T_cvar_handle_free(NULL));
    OK(MPI_T_cvar_read(other, &value));
    OK(MPI_T_cvar_handle_free(&other));
}

/* MPI_T_ERR_OUT_OF_HANDLES, and that handles can be made again afterwards. */
static void out_of_handles(void)
{
    enum {
        MOST = 1 << 20
    };
    static MPI_T_cvar_handle all[MOST];
    int made = 0, count, code;
    const int index = cvar_index("MQDRT_CVAR_EAGER_LIMIT");
    while ((code = MPI_T_cvar_handle_alloc(index, NULL, &all[made], &count)) == MPI_SUCCESS &&
           made < MOST - 1)
        made++;
    CHECK(code == MPI_T_ERR_OUT_OF_HANDLES && made > 1000);
    for (int i = 0; i < made; i++)
        OK(MPI_T_cvar_handle_free(&all[i]));
    OK(MPI_T_cvar_handle_alloc(index, NULL, &all[0], &count));
    OK(MPI_T_cvar_handle_free(&all[0]));
}

/* Each type: its datatype, its count, what can be written and what cannot. */
static void types(void)
{
    MPI_T_cvar_handle handle = cvar("MQDRT_CVAR_EAGER_LIMIT");
    int value = 100, bad[] = {-1, 1048577};
    OK(MPI_T_cvar_write(handle, &value));
    for (int i = 0; i < 2; i++)
        CODE(MPI_T_ERR_INVALID, MPI_T_cvar_write(handle, &bad[i]));
    CHECK(cvar_int("MQDRT_CVAR_EAGER_LIMIT") == 100);
    OK(MPI_T_cvar_handle_free(&handle));

    handle = cvar("MQDRT_CVAR_SINGLE_COPY");
    value = 2;
    CODE(MPI_T_ERR_INVALID, MPI_T_cvar_write(handle, &value));
    value = 0;
    OK(MPI_T_cvar_write(handle, &value));
    CHECK(cvar_int("MQDRT_CVAR_SINGLE_COPY") == 0);
    OK(MPI_T_cvar_handle_free(&handle));

    handle = cvar("MQDRT_CVAR_BARRIER_ALGORITHM");
    value = 3;
    CODE(MPI_T_ERR_INVALID, MPI_T_cvar_write(handle, &value));
    value = 1;
    OK(MPI_T_cvar_write(handle, &value));
    CHECK(cvar_int("MQDRT_CVAR_BARRIER_ALGORITHM") == 1);
    OK(MPI_T_cvar_handle_free(&handle));

    int count, index = cvar_index("MQDRT_CVAR_ASSIST_SIZES");
    int range[2] = {-1, -1};
    OK(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count));
    CHECK(count == 2);
    OK(MPI_T_cvar_read(handle, range));
    CHECK(range[0] == 32769 && range[1] == 2147483647);
    int reversed[2] = {10, 5}, negative[2] = {-1, 5}, good[2] = {5, 10};
    CODE(MPI_T_ERR_INVALID, MPI_T_cvar_write(handle, reversed));
    CODE(MPI_T_ERR_INVALID, MPI_T_cvar_write(handle, negative));
    OK(MPI_T_cvar_write(handle, good));
    OK(MPI_T_cvar_read(handle, range));
    CHECK(range[0] == 5 && range[1] == 10);
    OK(MPI_T_cvar_handle_free(&handle));

    handle = cvar("MQDRT_CVAR_RECORD_SHARE");
    MPI_Datatype datatype;
    OK(MPI_T_cvar_get_info(cvar_index("MQDRT_CVAR_RECORD_SHARE"), NULL, NULL, NULL, &datatype, NULL,
                           NULL, NULL, NULL, NULL));
    CHECK(datatype == MPI_DOUBLE);
    double share = 0.9;
    CODE(MPI_T_ERR_INVALID, MPI_T_cvar_write(handle, &share));
    share = 0.125;
    OK(MPI_T_cvar_write(handle, &share));
    share = 0;
    OK(MPI_T_cvar_read(handle, &share));
    CHECK(share == 0.125);
    OK(MPI_T_cvar_handle_free(&handle));

    /* 14.3.5: a text is a null-terminated array of MPI_CHAR, "the value of the count parameter ...
       must be large enough to include any valid value, including its terminating null character".
     */
    index = cvar_index("MQDRT_CVAR_PROCESSOR_NAME");
    OK(MPI_T_cvar_get_info(index, NULL, NULL, NULL, &datatype, NULL, NULL, NULL, NULL, NULL));
    OK(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count));
    CHECK(datatype == MPI_CHAR && count > 1);
    char *text = malloc((size_t)count + 1);
    memset(text, 'x', (size_t)count + 1);
    OK(MPI_T_cvar_read(handle, text));
    CHECK(strlen(text) == 0 && text[1] == 'x');
    memset(text, 'y', (size_t)count + 1);
    CODE(MPI_T_ERR_INVALID, MPI_T_cvar_write(handle, text));
    text[count - 1] = 0;
    OK(MPI_T_cvar_write(handle, text));
    memset(text, 'x', (size_t)count + 1);
    OK(MPI_T_cvar_read(handle, text));
    CHECK((int)strlen(text) == count - 1 && text[0] == 'y' && text[count] == 'x');
    OK(MPI_T_cvar_write(handle, "somewhere"));
    OK(MPI_T_cvar_handle_free(&handle));
    free(text);
}

/* A variable that MPI_Init has used: MPI_T_ERR_CVAR_SET_NEVER, as MPI starts once. */
static void never(void)
{
    MPI_T_cvar_handle handle = cvar("MQDRT_CVAR_RING_SIZE");
    int value = 8192;
    CODE(MPI_T_ERR_CVAR_SET_NEVER, MPI_T_cvar_write(handle, &value));
    CHECK(cvar_int("MQDRT_CVAR_RING_SIZE") == 16384);
    OK(MPI_T_cvar_handle_free(&handle));
}

/* Variables bound to communicators (14.3.2), and the example 14.5 of the text. */
static int get_value_int_comm(int index, MPI_Comm comm, int *val)
{
    int err, count;
    MPI_T_cvar_handle handle;
    err = MPI_T_cvar_handle_alloc(index, &comm, &handle, &count);
    if (err != MPI_SUCCESS)
        return err;
    err = MPI_T_cvar_read(handle, val);
    if (err != MPI_SUCCESS)
        return err;
    err = MPI_T_cvar_handle_free(&handle);
    return err;
}

static void bound(void)
{
    const int index = cvar_index("MQDRT_CVAR_COMM_EAGER_LIMIT");
    int bind, value, count;
    MPI_Comm one, two, none = MPI_COMM_NULL;
    MPI_T_cvar_handle handle;
    OK(MPI_T_cvar_get_info(index, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &bind, NULL));
    CHECK(bind == MPI_T_BIND_MPI_COMM);
    OK(MPI_Comm_dup(MPI_COMM_SELF, &one));
    OK(MPI_Comm_dup(MPI_COMM_SELF, &two));
    CODE(MPI_T_ERR_INVALID, MPI_T_cvar_handle_alloc(index, NULL, &handle, &count));
    CODE(MPI_T_ERR_INVALID, MPI_T_cvar_handle_alloc(index, &none, &handle, &count));
    OK(MPI_T_cvar_handle_alloc(index, &one, &handle, &count));
    OK(MPI_T_cvar_read(handle, &value));
    CHECK(count == 1 && value == -1);
    value = 17;
    OK(MPI_T_cvar_write(handle, &value));
    OK(get_value_int_comm(index, one, &value));
    CHECK(value == 17);
    OK(get_value_int_comm(index, two, &value));
    CHECK(value == -1);
    /* It steers: 18 bytes are above the limit of this communicator only. Their data wait at the
     * sender until a receive comes. */
    MPI_T_pvar_session session;
    OK(MPI_T_pvar_session_create(&session));
    MPI_T_pvar_handle immediate = pvar(session, "immediate_sends", MPI_T_PVAR_CLASS_COUNTER, NULL);
    OK(MPI_T_pvar_start(session, immediate));
    char data[18] = "seventeen letters", got[18];
    MPI_Request request;
    OK(MPI_Send(data, 18, MPI_CHAR, 0, 0, two));
    CHECK(value_of(session, immediate) == 1);
    OK(MPI_Recv(got, 18, MPI_CHAR, 0, 0, two, MPI_STATUS_IGNORE));
    OK(MPI_Irecv(got, 18, MPI_CHAR, 0, 0, one, &request));
    OK(MPI_Send(data, 18, MPI_CHAR, 0, 0, one));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(value_of(session, immediate) == 1 && strcmp(data, got) == 0);
    OK(MPI_T_pvar_session_free(&session));
    /* When the communicator has been freed, the handle can only be freed. */
    OK(MPI_Comm_free(&one));
    CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_cvar_read(handle, &value));
    CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_cvar_write(handle, &value));
    OK(MPI_T_cvar_handle_free(&handle));
    OK(MPI_Comm_free(&two));
}

int main(int argc, char **argv)
{
    int provided;
    char host[MPI_MAX_PROCESSOR_NAME];
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    /* "control variables should be available before MPI_INIT if their value cannot be changed
     * after" it: from the environment, in its precedence. */
    CHECK(cvar_int("MQDRT_CVAR_EAGER_LIMIT") == 3000);
    CHECK(cvar_int("MQDRT_CVAR_SPIN_LOOKS") == 22);
    CHECK(cvar_int("MQDRT_CVAR_SHARED_LOOKS") == 33);
    CHECK(cvar_int("MQDRT_CVAR_CROWDED") == 2);
    handles();
    out_of_handles();
    types();
    set_cvar_int("MQDRT_CVAR_RING_SIZE", 16384);
    OK(MPI_Init(&argc, &argv));
    /* What was written before MPI_Init holds. */
    CHECK(cvar_int("MQDRT_CVAR_EAGER_LIMIT") == 100);
    never();
    bound();
    int length;
    OK(MPI_Get_processor_name(host, &length));
    CHECK(strcmp(host, "somewhere") == 0 && length == 9);
    OK(MPI_T_finalize());
    PASS();
}
