/* The convention for returning strings (14.3.3), and NULL for arguments that are not wanted (14.3.6
 * to 14.3.8). */
#include "mpi_t.h"

static const char NAME[] = "MQDRT_CVAR_EAGER_LIMIT";

int main(int argc, char **argv)
{
    int provided, length;
    char text[4096];
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    const int index = cvar_index(NAME), whole = (int)sizeof NAME;
#define INFO(name, length) \
    MPI_T_cvar_get_info(index, name, length, NULL, NULL, NULL, NULL, NULL, NULL, NULL)

    /* Enough room: the text, a terminator, and nothing behind it. */
    memset(text, 'x', sizeof text);
    length = (int)sizeof text;
    OK(INFO(text, &length));
    CHECK(strcmp(text, NAME) == 0 && text[whole] == 'x' && length == whole);
    /* Exactly enough. */
    memset(text, 'x', sizeof text);
    length = whole;
    OK(INFO(text, &length));
    CHECK(strcmp(text, NAME) == 0 && text[whole] == 'x' && length == whole);
    /* "On return, the function writes at most n-1 of the string's characters into the buffer,
       followed by a null terminator"; "the length of the string plus one ... is returned in the
       length argument." */
    for (int room = 1; room < whole; room++) {
        memset(text, 'x', sizeof text);
        length = room;
        OK(INFO(text, &length));
        CHECK((int)strlen(text) == room - 1 && strncmp(text, NAME, (size_t)room - 1) == 0 &&
              text[room] == 'x' && length == whole);
    }
    /* "If the user passes the null pointer as the buffer argument or passes 0 as the length
       argument, the function does not return the string and only returns the length of the string
       plus one in the length argument." */
    length = 3;
    OK(INFO(NULL, &length));
    CHECK(length == whole);
    memset(text, 'x', sizeof text);
    length = 0;
    OK(INFO(text, &length));
    CHECK(length == whole && text[0] == 'x');
    /* "If the user passes the null pointer as the length argument, the buffer argument is ignored
     * and nothing is returned." */
    OK(INFO(text, NULL));
    CHECK(text[0] == 'x');
    /* A negative length is no length. */
    length = -1;
    CODE(MPI_T_ERR_INVALID, INFO(text, &length));
    CHECK(text[0] == 'x' && length == -1);

    /* The same of the other functions: cut, and the whole length. */
    int other, value;
#define CUT(call)                                                                  \
    do {                                                                           \
        length = 0, memset(text, 'x', sizeof text);                                \
        OK(call);                                                                  \
        CHECK(text[0] == 'x' && length >= 2);                                      \
        int full = length;                                                         \
        length = 2;                                                                \
        OK(call);                                                                  \
        CHECK(text[0] != 'x' && text[1] == 0 && text[2] == 'x' && length == full); \
        length = (int)sizeof text;                                                 \
        OK(call);                                                                  \
        CHECK((int)strlen(text) + 1 == full && length == full);                    \
        length = -5;                                                               \
        CODE(MPI_T_ERR_INVALID, call);                                             \
    } while (0)
    MPI_T_enum enumeration;
    OK(MPI_T_cvar_get_info(cvar_index("MQDRT_CVAR_BARRIER_ALGORITHM"), NULL, NULL, NULL, NULL,
                           &enumeration, NULL, NULL, NULL, NULL));
    CUT(MPI_T_enum_get_info(enumeration, &other, text, &length));
    CUT(MPI_T_enum_get_item(enumeration, 0, &value, text, &length));
    CUT(MPI_T_cvar_get_info(index, NULL, NULL, NULL, NULL, NULL, text, &length, NULL, NULL));
    CUT(MPI_T_pvar_get_info(0, text, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                            NULL));
    CUT(MPI_T_pvar_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, text, &length, NULL, NULL, NULL,
                            NULL));
    CUT(MPI_T_category_get_info(0, text, &length, NULL, NULL, NULL, NULL, NULL));
    CUT(MPI_T_category_get_info(0, NULL, NULL, text, &length, NULL, NULL, NULL));
    CUT(MPI_T_source_get_info(0, text, &length, NULL, NULL, NULL, NULL, NULL, NULL));
    CUT(MPI_T_source_get_info(0, NULL, NULL, text, &length, NULL, NULL, NULL, NULL));
    CUT(MPI_T_event_get_info(0, text, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                             NULL));
    CUT(MPI_T_event_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, text, &length,
                             NULL));

    /* "If any OUT parameter ... is a NULL pointer, the implementation will ignore the parameter":
     * all at once, and one alone. */
    int verbosity = -1;
    OK(INFO(NULL, NULL));
    OK(MPI_T_cvar_get_info(index, NULL, NULL, &verbosity, NULL, NULL, NULL, NULL, NULL, NULL));
    CHECK(verbosity == MPI_T_VERBOSITY_USER_BASIC);
    OK(MPI_T_pvar_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                           NULL));
    OK(MPI_T_category_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    OK(MPI_T_enum_get_info(enumeration, NULL, NULL, NULL));
    OK(MPI_T_enum_get_item(enumeration, 0, NULL, NULL, NULL));
    OK(MPI_T_event_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    OK(MPI_T_source_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    /* An argument that is the only result must be there. */
    CODE(MPI_T_ERR_INVALID, MPI_T_cvar_get_num(NULL));
    CODE(MPI_T_ERR_INVALID, MPI_T_pvar_get_num(NULL));
    CODE(MPI_T_ERR_INVALID, MPI_T_category_get_num(NULL));
    CODE(MPI_T_ERR_INVALID, MPI_T_category_get_num_events(0, NULL));
    CODE(MPI_T_ERR_INVALID, MPI_T_category_changed(NULL));
    CODE(MPI_T_ERR_INVALID, MPI_T_event_get_num(NULL));
    CODE(MPI_T_ERR_INVALID, MPI_T_source_get_num(NULL));
    CODE(MPI_T_ERR_INVALID, MPI_T_source_get_timestamp(0, NULL));
    CODE(MPI_T_ERR_INVALID, MPI_T_cvar_get_index(NULL, &other));
    CODE(MPI_T_ERR_INVALID, MPI_T_cvar_get_index(NAME, NULL));
    CODE(MPI_T_ERR_INVALID, MPI_T_pvar_get_index(NULL, MPI_T_PVAR_CLASS_LEVEL, &other));
    CODE(MPI_T_ERR_INVALID, MPI_T_pvar_get_index("requests", MPI_T_PVAR_CLASS_LEVEL, NULL));
    CODE(MPI_T_ERR_INVALID, MPI_T_category_get_index(NULL, &other));
    CODE(MPI_T_ERR_INVALID, MPI_T_category_get_index("QUEUES", NULL));
    CODE(MPI_T_ERR_INVALID, MPI_T_event_get_index(NULL, &other));
    CODE(MPI_T_ERR_INVALID, MPI_T_event_get_index("send_started", NULL));
    OK(MPI_T_finalize());
    OK(MPI_Init(&argc, &argv));
    PASS();
}
