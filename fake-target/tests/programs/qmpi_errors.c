/*
 * Wrong uses of QMPI (draft for MPI 4.1, section 15.2.2) by a tool in the program itself. One
 * process, with QMPI_TOOLS=first:second:first.
 */
#include "check.h"
#include <limits.h>

static int initialized;
static int ids[3];
static QMPI_Comm_size_t size_wrapper;

/* The same question in the draft's and in MPICH's spelling. */
#define BOTH(code, draft, mpich)  \
    do {                          \
        CHECK((draft) == (code)); \
        CHECK((mpich) == (code)); \
    } while (0)

static void function_arguments(int id)
{
    void (*code)(void) = (void (*)(void))size_wrapper, (*next)(void) = NULL;
    int next_id = 0;
    static const int wrong_ids[] = {0, -1, 4, INT_MAX, INT_MIN},
                     wrong_functions[] = {-1, MPI_LAST_FUNC_T, INT_MAX, INT_MIN};
    for (int i = 0; i < 5; i++) {
        int wrong = wrong_ids[i];
        void *storage = &initialized;
        BOTH(MPI_ERR_ARG, MPI_Register_tool_storage(wrong, NULL),
             QMPI_Register_tool_storage(wrong, NULL));
        BOTH(MPI_ERR_ARG, MPI_Register_tool_function(wrong, MPI_SEND_T, code),
             QMPI_Register_function(wrong, MPI_SEND_T, code));
        BOTH(MPI_ERR_ARG, MPI_Get_next_tool_function(wrong, MPI_SEND_T, &next, &next_id),
             QMPI_Get_function(wrong, MPI_SEND_T, &next, &next_id));
        BOTH(MPI_ERR_ARG, MPI_Get_tool_storage(NULL, wrong, &storage),
             QMPI_Get_tool_storage(NULL, wrong, &storage));
        CHECK(storage == &initialized && !next && next_id == 0);
    }
    for (int i = 0; i < 4; i++) {
        enum MPI_Functions_enum wrong = (enum MPI_Functions_enum)wrong_functions[i];
        BOTH(MPI_ERR_ARG, MPI_Register_tool_function(id, wrong, code),
             QMPI_Register_tool_function(id, (int)wrong, code));
        BOTH(MPI_ERR_ARG, MPI_Get_next_tool_function(id, wrong, &next, &next_id),
             QMPI_Get_next_tool_function(id, (int)wrong, &next, &next_id));
    }
    BOTH(MPI_ERR_ARG, MPI_Register_tool_function(id, MPI_SEND_T, NULL),
         QMPI_Register_function(id, MPI_SEND_T, NULL));
    BOTH(MPI_ERR_ARG, MPI_Get_next_tool_function(id, MPI_SEND_T, NULL, &next_id),
         QMPI_Get_function(id, MPI_SEND_T, NULL, &next_id));
    BOTH(MPI_ERR_ARG, MPI_Get_next_tool_function(id, MPI_SEND_T, &next, NULL),
         QMPI_Get_function(id, MPI_SEND_T, &next, NULL));
    BOTH(MPI_ERR_ARG, MPI_Get_tool_storage(NULL, id, NULL), QMPI_Get_tool_storage(NULL, id, NULL));
    CHECK(!next && next_id == 0);
}

static int size_wrapper(QMPI_Context context, int id, MPI_Comm comm, int *size)
{
    void (*next)(void);
    int next_id;
    void *address = NULL;
    BOTH(MPI_ERR_ARG, MPI_Get_calling_address(context, NULL),
         QMPI_Get_calling_address(context, NULL));
    BOTH(MPI_ERR_ARG, MPI_Get_calling_address(NULL, &address),
         QMPI_Get_calling_address(NULL, &address));
    CHECK(!address);
    function_arguments(id);
    /* "All registration must occur before MPI initialization is started"; functions are registered
     * in the initialization stage. */
    CHECK(MPI_Register_tool_function(id, MPI_SEND_T, (void (*)(void))size_wrapper) ==
          MPI_ERR_OTHER);
    OK(MPI_Get_next_tool_function(id, MPI_COMM_SIZE_T, &next, &next_id));
    CHECK(next_id == (id == 3 ? 0 : id + 1));
    return ((QMPI_Comm_size_t *)next)(context, next_id, comm, size);
}

static void initialize(int id)
{
    void (*next)(void) = NULL;
    void *storage = &initialized;
    int next_id = 0, last = initialized;
    ids[initialized++] = id;
    /* IDs differ, also those of one tool's instances. */
    for (int i = 0; i < last; i++)
        CHECK(ids[i] != id);
    function_arguments(id);
    OK(MPI_Get_tool_storage(NULL, id, &storage));
    CHECK(!storage);
    /* Later tools may still intercept the function. */
    CHECK(MPI_Get_next_tool_function(id, MPI_COMM_SIZE_T, &next, &next_id) == MPI_ERR_OTHER);
    CHECK(MPI_Register_tool_name("third", initialize) == MPI_ERR_OTHER);
    /* Another instance's stage has passed, or has not come. */
    CHECK(MPI_Register_tool_function(id % 3 + 1, MPI_COMM_SIZE_T, (void (*)(void))size_wrapper) ==
          MPI_ERR_OTHER);
    OK(MPI_Register_tool_function(id, MPI_COMM_SIZE_T, (void (*)(void))size_wrapper));
    OK(QMPI_Register_tool_storage(id, &ids[last]));
    OK(QMPI_Get_tool_storage(NULL, id, &storage));
    CHECK(storage == &ids[last]);
}

int main(int argc, char **argv)
{
    static char longest[QMPI_MAX_TOOL_NAME_LENGTH + 1];
    int size;
    BOTH(MPI_ERR_ARG, MPI_Register_tool_name(NULL, initialize),
         QMPI_Register_tool_name(NULL, initialize));
    BOTH(MPI_ERR_ARG, MPI_Register_tool_name("first", NULL),
         QMPI_Register_tool_name("first", NULL));
    BOTH(MPI_ERR_ARG, MPI_Register_tool_name("", initialize),
         QMPI_Register_tool_name("", initialize));
    BOTH(MPI_ERR_ARG, MPI_Register_tool_name("a:b", initialize),
         QMPI_Register_tool_name("a:b", initialize));
    memset(longest, 'n', QMPI_MAX_TOOL_NAME_LENGTH);
    BOTH(MPI_ERR_ARG, MPI_Register_tool_name(longest, initialize),
         QMPI_Register_tool_name(longest, initialize));
    longest[QMPI_MAX_TOOL_NAME_LENGTH - 1] = 0;
    OK(MPI_Register_tool_name(longest, initialize));
    /* "A single tool can call this procedure multiple times, but it must provide a unique tool_name
     * each time." */
    OK(MPI_Register_tool_name("first", initialize));
    BOTH(MPI_ERR_ARG, MPI_Register_tool_name("first", initialize),
         QMPI_Register_tool_name("first", initialize));
    OK(MPI_Register_tool_name("second", initialize));
    /* No tool has an ID yet. */
    CHECK(MPI_Register_tool_storage(1, NULL) == MPI_ERR_ARG);
    CHECK(initialized == 0);
    OK(MPI_Init(&argc, &argv));
    CHECK(initialized == 3);
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    CHECK(size == 1);
    BOTH(MPI_ERR_OTHER, MPI_Register_tool_name("fourth", initialize),
         QMPI_Register_tool_name("fourth", initialize));
    /* Storage may be given later. */
    OK(MPI_Register_tool_storage(2, NULL));
    PASS();
}
