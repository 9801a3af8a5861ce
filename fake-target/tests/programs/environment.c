/* Info objects, error codes and handlers, attributes, versions, clocks, memory. One process. */
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

static void infos(void)
{
    MPI_Info info, copy;
    int flag, n, length;
    char value[MPI_MAX_INFO_VAL], key[MPI_MAX_INFO_KEY], lengthy[2000];
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "color", "blue"));
    OK(MPI_Info_set(info, "size", "large"));
    OK(MPI_Info_set(info, "color", "dark red"));
    OK(MPI_Info_get_nkeys(info, &n));
    CHECK(n == 2);
    OK(MPI_Info_get_nthkey(info, 1, key));
    CHECK(strcmp(key, "size") == 0);
    OK(MPI_Info_get(info, "color", 4, value, &flag));
    CHECK(flag && strcmp(value, "dark") == 0);
    OK(MPI_Info_get_valuelen(info, "color", &length, &flag));
    CHECK(flag && length == 8);
    length = 5;
    OK(MPI_Info_get_string(info, "color", &length, value, &flag));
    CHECK(flag && length == 9 && strcmp(value, "dark") == 0);
    length = 0;
    OK(MPI_Info_get_string(info, "color", &length, NULL, &flag));
    CHECK(flag && length == 9);
    OK(MPI_Info_dup(info, &copy));
    OK(MPI_Info_delete(info, "color"));
    OK(MPI_Info_get(info, "color", 10, value, &flag));
    CHECK(!flag);
    OK(MPI_Info_get(copy, "color", 10, value, &flag));
    CHECK(flag && strcmp(value, "dark red") == 0);
    FAILS(MPI_ERR_INFO_NOKEY, MPI_Info_delete(info, "color"));
    FAILS(MPI_ERR_ARG, MPI_Info_get_nthkey(info, 1, key));
    memset(lengthy, 'x', sizeof lengthy - 1);
    lengthy[sizeof lengthy - 1] = 0;
    FAILS(MPI_ERR_INFO_KEY, MPI_Info_set(info, lengthy, "v"));
    FAILS(MPI_ERR_INFO_VALUE, MPI_Info_set(info, "k", lengthy));
    FAILS(MPI_ERR_INFO, MPI_Info_set(MPI_INFO_NULL, "k", "v"));
    OK(MPI_Info_free(&info));
    CHECK(info == MPI_INFO_NULL);
    OK(MPI_Info_free(&copy));
    OK(MPI_Info_get(MPI_INFO_ENV, "arch", 100, value, &flag));
    CHECK(flag && value[0]);
}

/* Texts in an encoding other than UTF-8 stay as they are. */
static void other_encodings(void)
{
    static const char *latin = "gr\xf6\xdf" "e \xb0";
    char got[MPI_MAX_OBJECT_NAME], key[MPI_MAX_INFO_KEY];
    int length = sizeof got, flag;
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, latin, latin));
    OK(MPI_Info_get_string(info, latin, &length, got, &flag));
    CHECK(flag && !strcmp(got, latin) && length == (int)strlen(latin) + 1);
    OK(MPI_Info_get_nthkey(info, 0, key));
    CHECK(!strcmp(key, latin));
    OK(MPI_Info_free(&info));

    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Win win;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_set_name(comm, latin));
    OK(MPI_Comm_get_name(comm, got, &length));
    CHECK(!strcmp(got, latin) && length == (int)strlen(latin));
    OK(MPI_Type_contiguous(2, MPI_INT, &type));
    OK(MPI_Type_set_name(type, latin));
    OK(MPI_Type_get_name(type, got, &length));
    CHECK(!strcmp(got, latin) && length == (int)strlen(latin));
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &win));
    OK(MPI_Win_set_name(win, latin));
    OK(MPI_Win_get_name(win, got, &length));
    CHECK(!strcmp(got, latin) && length == (int)strlen(latin));
    OK(MPI_Win_free(&win));
    OK(MPI_Type_free(&type));
    OK(MPI_Comm_free(&comm));
}

/* Sessions, communicators, windows and files tell which kinds of memory they take. */
static void memory_kinds(void)
{
    MPI_Info infos[3];
    MPI_Win window;
    MPI_File file;
    char name[] = "/tmp/mpi-environment-XXXXXX", value[40];
    int flag, made = mkstemp(name);
    CHECK(made >= 0 && close(made) == 0);
    OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_SELF, &window));
    OK(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                     &file));
    OK(MPI_Comm_get_info(MPI_COMM_WORLD, &infos[0]));
    OK(MPI_Win_get_info(window, &infos[1]));
    OK(MPI_File_get_info(file, &infos[2]));
    for (int i = 0; i < 3; i++) {
        OK(MPI_Info_get(infos[i], "mpi_memory_alloc_kinds", sizeof value - 1, value, &flag));
        CHECK(flag && strcmp(value, "mpi,system") == 0);
        OK(MPI_Info_free(&infos[i]));
    }
    OK(MPI_File_close(&file));
    OK(MPI_Win_free(&window));
}

/* A forked process is no rank: it may exit. */
static void forked(void)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        exit(0);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static int handled_code;
static MPI_Comm handled_comm;

/* A handler may change the code that the call returns. */
static void forgiving(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    *code = *code == MPI_ERR_ROOT ? MPI_SUCCESS : MPI_ERR_INTERN;
}

static void handler(MPI_Comm *comm, int *code, ...)
{
    handled_comm = *comm;
    handled_code = *code;
}

static void errors(void)
{
    int class, code, length, flag, *last;
    char text[MPI_MAX_ERROR_STRING];
    OK(MPI_Error_string(MPI_ERR_TRUNCATE, text, &length));
    CHECK(length > 0 && length == (int)strlen(text));
    OK(MPI_Error_class(MPI_ERR_TRUNCATE, &class));
    CHECK(class == MPI_ERR_TRUNCATE);
    OK(MPI_Add_error_class(&class));
    CHECK(class > MPI_ERR_LASTCODE);
    OK(MPI_Add_error_code(class, &code));
    OK(MPI_Add_error_string(code, "out of paper"));
    OK(MPI_Error_string(code, text, &length));
    CHECK(strcmp(text, "out of paper") == 0);
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag));
    CHECK(flag && *last == code);
    int found;
    OK(MPI_Error_class(code, &found));
    CHECK(found == class);
    FAILS(MPI_ERR_ARG, MPI_Remove_error_class(class)); /* it still has a code */
    FAILS(MPI_ERR_ARG, MPI_Remove_error_code(code));   /* and the code a string */
    OK(MPI_Remove_error_string(code));
    OK(MPI_Remove_error_code(code));
    OK(MPI_Remove_error_class(class));
    FAILS(MPI_ERR_ARG, MPI_Error_class(code, &found));
    FAILS(MPI_ERR_ARG, MPI_Add_error_string(MPI_ERR_ARG, "mine"));

    MPI_Errhandler mine, found_handler;
    int rank;
    OK(MPI_Comm_create_errhandler(handler, &mine));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine));
    OK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &found_handler));
    CHECK(found_handler == mine);
    OK(MPI_Errhandler_free(&found_handler));
    OK(MPI_Errhandler_free(&mine)); /* stays attached */
    CHECK(mine == MPI_ERRHANDLER_NULL);
    FAILS(MPI_ERR_ROOT, MPI_Bcast(&rank, 1, MPI_INT, 77, MPI_COMM_WORLD));
    CHECK(handled_code == MPI_ERR_ROOT && handled_comm == MPI_COMM_WORLD);
    OK(MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER));
    CHECK(handled_code == MPI_ERR_OTHER);
    OK(MPI_Comm_create_errhandler(forgiving, &found_handler));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, found_handler));
    OK(MPI_Errhandler_free(&found_handler));
    OK(MPI_Bcast(&rank, 1, MPI_INT, 77, MPI_COMM_WORLD));
    FAILS(MPI_ERR_INTERN, MPI_Bcast(&rank, -1, MPI_INT, 0, MPI_COMM_WORLD));
    OK(MPI_Comm_create_errhandler(handler, &mine));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine));
    OK(MPI_Errhandler_free(&mine));
    /* A duplicate has the handler of its parent. */
    MPI_Comm copy;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    FAILS(MPI_ERR_ROOT, MPI_Bcast(&rank, 1, MPI_INT, 78, copy));
    CHECK(handled_comm == copy);
    OK(MPI_Comm_free(&copy));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    FAILS(MPI_ERR_ERRHANDLER, MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL));
    /* No communicator: the handler of MPI_COMM_SELF. */
    FAILS(MPI_ERR_COMM, MPI_Comm_rank(MPI_COMM_NULL, &rank));
    FAILS(MPI_ERR_COMM, MPI_Comm_rank((MPI_Comm)0x7fffdeadbeef, &rank));
}

static int deleted, copied;

static int copy_int(MPI_Comm comm, int key, void *state, void *value, void *to, int *flag)
{
    (void)comm, (void)key;
    copied++;
    CHECK(state == &copied);
    *(void **)to = (char *)value + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete_int(MPI_Comm comm, int key, void *value, void *state)
{
    (void)comm, (void)key, (void)state;
    deleted += (int)(MPI_Aint)value;
    return MPI_SUCCESS;
}

static int delete_not(MPI_Comm comm, int key, void *value, void *state)
{
    (void)comm, (void)key, (void)state, (void)value;
    return MPI_ERR_OTHER;
}

static void attributes(void)
{
    int *value, flag, key, kept, none, stuck, rank = 0;
    void *found;
    MPI_Comm comm, copy;
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag));
    CHECK(flag && *value >= 32767);
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag));
    CHECK(flag && *value >= 1);
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &value, &flag));
    CHECK(flag && *value == 0);
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &flag));
    CHECK(flag && *value == 1);
    OK(MPI_Comm_create_keyval(copy_int, delete_int, &key, &copied));
    OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &kept, NULL));
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &none, NULL));
    OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    OK(MPI_Comm_get_attr(comm, key, &found, &flag));
    CHECK(!flag);
    OK(MPI_Comm_set_attr(comm, key, (void *)10));
    OK(MPI_Comm_set_attr(comm, kept, &rank));
    OK(MPI_Comm_set_attr(comm, none, &rank));
    OK(MPI_Comm_dup(comm, &copy));
    CHECK(copied == 1);
    OK(MPI_Comm_get_attr(copy, key, &found, &flag));
    CHECK(flag && found == (void *)11);
    OK(MPI_Comm_get_attr(copy, kept, &found, &flag));
    CHECK(flag && found == &rank);
    OK(MPI_Comm_get_attr(copy, none, &found, &flag));
    CHECK(!flag);
    OK(MPI_Comm_set_attr(copy, key, (void *)100));
    CHECK(deleted == 11);
    OK(MPI_Comm_free_keyval(&key));
    CHECK(key == MPI_KEYVAL_INVALID);
    OK(MPI_Comm_free(&copy));
    CHECK(deleted == 111);
    OK(MPI_Comm_delete_attr(comm, kept));
    FAILS(MPI_ERR_KEYVAL, MPI_Comm_delete_attr(comm, kept));
    FAILS(MPI_ERR_KEYVAL, MPI_Comm_set_attr(comm, 999999, &rank));
    FAILS(MPI_ERR_KEYVAL, MPI_Comm_set_attr(comm, MPI_TAG_UB, &rank));
    /* A delete function that refuses keeps the communicator. */
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_not, &stuck, NULL));
    OK(MPI_Comm_dup(MPI_COMM_SELF, &copy));
    OK(MPI_Comm_set_attr(copy, stuck, &rank));
    /* The error handler is that of the communicator. */
    OK(MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
    FAILS(MPI_ERR_OTHER, MPI_Comm_free(&copy));
    CHECK(copy != MPI_COMM_NULL);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_rank(copy, &rank));
    OK(MPI_Comm_free(&comm));
    CHECK(deleted == 121);
}

static int last_words[2], spoken;

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF, the last one first, while MPI still runs.
 */
static int say(MPI_Comm comm, int key, void *value, void *state)
{
    (void)key, (void)state;
    int finalized, size;
    OK(MPI_Finalized(&finalized));
    OK(MPI_Comm_size(comm, &size));
    CHECK(!finalized && size == 1 && spoken < 2);
    last_words[spoken++] = (int)(MPI_Aint)value;
    return MPI_SUCCESS;
}

static void prepare_the_end(void)
{
    int first, second;
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, say, &first, NULL));
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, say, &second, NULL));
    OK(MPI_Comm_set_attr(MPI_COMM_SELF, first, (void *)1));
    OK(MPI_Comm_set_attr(MPI_COMM_SELF, second, (void *)2));
}

static void rest(void)
{
    int a, b, length, flag;
    char text[MPI_MAX_LIBRARY_VERSION_STRING], name[MPI_MAX_PROCESSOR_NAME];
    void *memory;
    double before = MPI_Wtime();
    OK(MPI_Get_version(&a, &b));
    CHECK(a == 5 && b == 0);
    OK(MPI_Abi_get_version(&a, &b));
    CHECK(a == MPI_ABI_VERSION && b == MPI_ABI_SUBVERSION);
    OK(MPI_Get_library_version(text, &length));
    CHECK(length == (int)strlen(text) && length > 0);
    OK(MPI_Get_processor_name(name, &length));
    CHECK(length == (int)strlen(name) && length > 0);
    OK(MPI_Alloc_mem(1000, MPI_INFO_NULL, &memory));
    memset(memory, 1, 1000);
    OK(MPI_Free_mem(memory));
    FAILS(MPI_ERR_ARG, MPI_Alloc_mem(-1, MPI_INFO_NULL, &memory));
    MPI_Info info;
    OK(MPI_Info_create(&info));
    for (size_t alignment = 1; alignment <= 1 << 20; alignment *= 2) {
        char number[32];
        snprintf(number, sizeof number, "%zu", alignment);
        OK(MPI_Info_set(info, "mpi_minimum_memory_alignment", number));
        OK(MPI_Alloc_mem(3, info, &memory));
        CHECK((size_t)memory % alignment == 0 && (size_t)memory % 16 == 0);
        OK(MPI_Free_mem(memory));
    }
    OK(MPI_Info_set(info, "mpi_minimum_memory_alignment", "24"));
    FAILS(MPI_ERR_INFO_VALUE, MPI_Alloc_mem(3, info, &memory));
    OK(MPI_Info_free(&info));
    MPI_Aint first, second;
    OK(MPI_Get_address(text, &first));
    OK(MPI_Get_address(text + 5, &second));
    CHECK(MPI_Aint_diff(second, first) == 5 && MPI_Aint_add(first, 5) == second);
    OK(MPI_Initialized(&flag));
    CHECK(flag);
    OK(MPI_Finalized(&flag));
    CHECK(!flag);
    OK(MPI_Pcontrol(1, "any", 2.0));
    CHECK(MPI_Wtick() > 0 && MPI_Wtime() >= before);
    CHECK(MPI_Comm_fromint(MPI_Comm_toint(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
    CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_SELF)) == MPI_COMM_SELF);
    MPI_Comm copy;
    OK(MPI_Comm_dup(MPI_COMM_SELF, &copy));
    CHECK(MPI_Comm_fromint(MPI_Comm_toint(copy)) == copy);
    OK(MPI_Comm_free(&copy));
}

/* Names that the ABI does not have, and programs use. */
static void names_of_programs(void)
{
    MPI_Fint (*to_integer)(MPI_Comm) = PMPI_Comm_c2f;
    MPI_Comm (*from_integer)(MPI_Fint) = MPI_Comm_f2c;
    CHECK(from_integer(to_integer(MPI_COMM_SELF)) == MPI_COMM_SELF);
    CHECK(MPI_Type_c2f(MPI_INT) == MPI_Type_toint(MPI_INT));
    MPI_Comm_errhandler_fn *function = handler;
    MPI_Errhandler errhandler;
    OK(MPI_Comm_create_errhandler(function, &errhandler));
    OK(MPI_Errhandler_free(&errhandler));

    int data[3] = {0}, received[3], count;
    MPI_Status status, again = {0};
    MPI_F08_status f08;
    MPI_Fint fortran[MPI_F_STATUS_SIZE];
    OK(MPI_Sendrecv(data, 3, MPI_INT, 0, 77, received, 3, MPI_INT, 0, 77, MPI_COMM_SELF,
                    &status));
    OK(MPI_Status_c2f(&status, fortran));
    CHECK(fortran[MPI_F_SOURCE] == 0 && fortran[MPI_F_TAG] == 77);
    OK(MPI_Status_f2f08(fortran, &f08));
    OK(PMPI_Status_f082c(&f08, &again));
    CHECK(again.MPI_TAG == 77 && memcmp(&again, &status, sizeof status) == 0);
    OK(MPI_Get_count(&again, MPI_INT, &count));
    CHECK(count == 3);
    memset(fortran, 0, sizeof fortran);
    OK(MPI_Status_c2f08(&status, &f08));
    OK(MPI_Status_f082f(&f08, fortran));
    OK(MPI_Status_f2c(fortran, &again));
    CHECK(memcmp(&again, &status, sizeof status) == 0);
    CHECK(MPI_Status_f2c(MPI_F_STATUS_IGNORE, &again) == MPI_ERR_ARG);

    MPI_Datatype moved;
    MPI_Aint lb, ub, extent;
    OK(MPI_Type_create_resized(MPI_INT, -4, 24, &moved));
    OK(MPI_Type_lb(moved, &lb));
    OK(MPI_Type_ub(moved, &ub));
    OK(MPI_Type_extent(moved, &extent));
    CHECK(lb == -4 && ub == 20 && extent == 24);
    OK(MPI_Type_free(&moved));
}

int main(int argc, char **argv)
{
    int flag, class;
    MPI_Info info;
    /* What may be called before MPI_Init. */
    OK(MPI_Initialized(&flag));
    CHECK(!flag);
    OK(MPI_Info_create(&info));
    OK(MPI_Info_free(&info));
    OK(MPI_Error_class(MPI_ERR_ARG, &class));
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    infos();
    other_encodings();
    memory_kinds();
    forked();
    errors();
    attributes();
    rest();
    names_of_programs();
    prepare_the_end();
    OK(MPI_Finalize());
    CHECK(spoken == 2 && last_words[0] == 2 && last_words[1] == 1);
    OK(MPI_Finalized(&flag));
    CHECK(flag);
    OK(MPI_Initialized(&flag));
    CHECK(flag);
    printf("passed\n");
    return 0;
}
