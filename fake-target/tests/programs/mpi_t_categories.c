/* Categories (14.3.8). */
#include "mpi_t.h"

enum {
    MOST = 256
};

static int cvars[MOST], pvars[MOST], events[MOST], children[MOST];
static int number;

/* Whether a category contains another, by way of others or not. */
static int contains(int category, int wanted, int depth)
{
    int list[MOST], count;
    CHECK(depth <= number);
    OK(MPI_T_category_get_info(category, NULL, NULL, NULL, NULL, NULL, NULL, &count));
    OK(MPI_T_category_get_categories(category, MOST, list));
    for (int i = 0; i < count; i++)
        if (list[i] == wanted || contains(list[i], wanted, depth + 1))
            return 1;
    return 0;
}

/* A list of a category: cut to the length that is given, the rest of the array untouched, the same
 * in the beginning. */
static void list(int (*get)(int, int, int[]), int category, int count, int *found, int most)
{
    int whole[MOST], part[MOST];
    memset(whole, -1, sizeof whole);
    OK(get(category, MOST, whole));
    for (int i = 0; i < MOST; i++)
        CHECK(i < count ? whole[i] >= 0 && whole[i] < most : whole[i] == -1);
    for (int length = 0; length <= count; length++) {
        memset(part, -1, sizeof part);
        OK(get(category, length, part));
        for (int i = 0; i < MOST; i++)
            CHECK(i < length ? part[i] >= 0 : part[i] == -1);
    }
    for (int i = 0; i < count; i++)
        found[whole[i]]++;
    OK(get(category, 0, NULL));
    CODE(MPI_T_ERR_INVALID, get(category, -1, whole));
    if (count > 0)
        CODE(MPI_T_ERR_INVALID, get(category, 1, NULL));
    CODE(MPI_T_ERR_INVALID_INDEX, get(number, 1, part));
    CODE(MPI_T_ERR_INVALID_INDEX, get(-1, 1, part));
}

static void walk(void)
{
    static char names[MOST][128];
    int all_cvars, all_pvars, all_events, index;
    OK(MPI_T_category_get_num(&number));
    OK(MPI_T_cvar_get_num(&all_cvars));
    OK(MPI_T_pvar_get_num(&all_pvars));
    OK(MPI_T_event_get_num(&all_events));
    memset(cvars, 0, sizeof cvars), memset(pvars, 0, sizeof pvars);
    memset(events, 0, sizeof events), memset(children, 0, sizeof children);
    CHECK(number > 5 && number <= MOST);
    for (int i = 0; i < number; i++) {
        int length = sizeof names[i], desc_length = 0, num_cvars, num_pvars, num_categories,
            num_events;
        OK(MPI_T_category_get_info(i, names[i], &length, NULL, &desc_length, &num_cvars, &num_pvars,
                                   &num_categories));
        OK(MPI_T_category_get_num_events(i, &num_events));
        CHECK(length > 1 && desc_length > 1);
        for (int j = 0; j < i; j++)
            CHECK(strcmp(names[i], names[j]) != 0);
        OK(MPI_T_category_get_index(names[i], &index));
        CHECK(index == i);
        list(MPI_T_category_get_cvars, i, num_cvars, cvars, all_cvars);
        list(MPI_T_category_get_pvars, i, num_pvars, pvars, all_pvars);
        list(MPI_T_category_get_events, i, num_events, events, all_events);
        list(MPI_T_category_get_categories, i, num_categories, children, number);
        /* "Categories can never include themselves, either directly or transitively". */
        CHECK(!contains(i, i, 0));
    }
    /* Here everything belongs to one category, and a category to at most one. */
    for (int i = 0; i < all_cvars; i++)
        CHECK(cvars[i] == 1);
    for (int i = 0; i < all_pvars; i++)
        CHECK(pvars[i] == 1);
    for (int i = 0; i < all_events; i++)
        CHECK(events[i] == 1);
    for (int i = 0; i < number; i++)
        CHECK(children[i] <= 1);
    CODE(MPI_T_ERR_INVALID_INDEX,
         MPI_T_category_get_info(number, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    CODE(MPI_T_ERR_INVALID_INDEX,
         MPI_T_category_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    CODE(MPI_T_ERR_INVALID_INDEX, MPI_T_category_get_num_events(number, &index));
    CODE(MPI_T_ERR_INVALID_NAME, MPI_T_category_get_index("no such category", &index));
}

int main(int argc, char **argv)
{
    int provided, stamp, again, before, after, index, num_pvars, last_index;
    char *memory = malloc(10000), last[128];
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    walk();
    OK(MPI_T_category_changed(&stamp));
    walk();
    OK(MPI_Init(&argc, &argv));
    /* "If two subsequent calls to this routine return the same timestamp, it is guaranteed that the
     * category information has not changed". */
    OK(MPI_T_category_changed(&again));
    CHECK(stamp == again);
    /* A component adds its variables when it is used for the first time: buffered sends. Indices
     * stay, the stamp grows. */
    OK(MPI_T_category_get_index("BUFFERED", &index));
    OK(MPI_T_category_get_info(index, NULL, NULL, NULL, NULL, NULL, &num_pvars, NULL));
    CHECK(num_pvars == 0);
    OK(MPI_T_pvar_get_num(&before));
    int length = sizeof last, class;
    OK(MPI_T_pvar_get_info(before - 1, last, &length, NULL, &class, NULL, NULL, NULL, NULL, NULL,
                           NULL, NULL, NULL));
    CODE(MPI_T_ERR_INVALID_NAME,
         MPI_T_pvar_get_index("buffered_messages", MPI_T_PVAR_CLASS_LEVEL, &again));
    OK(MPI_Buffer_attach(memory, 10000));
    OK(MPI_T_category_changed(&again));
    CHECK(again > stamp);
    OK(MPI_T_pvar_get_num(&after));
    OK(MPI_T_category_get_info(index, NULL, NULL, NULL, NULL, NULL, &num_pvars, NULL));
    CHECK(after > before && num_pvars == after - before);
    OK(MPI_T_pvar_get_index(last, class, &last_index));
    CHECK(last_index == before - 1);
    walk();
    /* They measure: a buffered send above the eager limit to oneself waits in the buffer until its
     * receive. */
    MPI_T_pvar_session session;
    OK(MPI_T_pvar_session_create(&session));
    MPI_T_pvar_handle messages = pvar(session, "buffered_messages", MPI_T_PVAR_CLASS_LEVEL, NULL);
    MPI_T_pvar_handle bytes = pvar(session, "buffered_bytes", MPI_T_PVAR_CLASS_LEVEL, NULL);
    MPI_T_pvar_handle size = pvar(session, "attached_buffer_size", MPI_T_PVAR_CLASS_LEVEL, NULL);
    MPI_T_pvar_handle use = pvar(session, "attached_buffer_use", MPI_T_PVAR_CLASS_PERCENTAGE, NULL);
    double share = -1;
    char data[1000] = {1}, got[1000];
    set_cvar_int("MQDRT_CVAR_EAGER_LIMIT", 10);
    CHECK(value_of(session, messages) == 0 && value_of(session, bytes) == 0 &&
          value_of(session, size) == 10000);
    OK(MPI_Bsend(data, 1000, MPI_CHAR, 0, 0, MPI_COMM_SELF));
    OK(MPI_Bsend(data, 1000, MPI_CHAR, 0, 0, MPI_COMM_SELF));
    CHECK(value_of(session, messages) == 2 &&
          value_of(session, bytes) == 2 * (1000 + MPI_BSEND_OVERHEAD));
    OK(MPI_T_pvar_read(session, use, &share));
    CHECK(share > 0.2 && share < 0.5);
    OK(MPI_Recv(got, 1000, MPI_CHAR, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    CHECK(value_of(session, messages) == 1);
    OK(MPI_Recv(got, 1000, MPI_CHAR, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    CHECK(value_of(session, messages) == 0 && value_of(session, bytes) == 0);
    OK(MPI_Buffer_detach(&memory, &length));
    CHECK(value_of(session, size) == 0 && length == 10000);
    /* A second buffer adds nothing. */
    OK(MPI_T_category_changed(&stamp));
    OK(MPI_Buffer_attach(memory, 10000));
    OK(MPI_Buffer_detach(&memory, &length));
    OK(MPI_T_category_changed(&again));
    CHECK(stamp == again);
    free(memory);
    OK(MPI_T_pvar_session_free(&session));
    OK(MPI_T_finalize());
    PASS();
}
