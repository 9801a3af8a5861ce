/* What the query functions say about variables and enumerations (14.3.1, 14.3.2, 14.3.5, 14.3.6,
 * 14.3.7). */
#include "mpi_t.h"

static int is_verbosity(int v)
{
    return v == MPI_T_VERBOSITY_USER_BASIC || v == MPI_T_VERBOSITY_USER_DETAIL ||
           v == MPI_T_VERBOSITY_USER_ALL || v == MPI_T_VERBOSITY_TUNER_BASIC ||
           v == MPI_T_VERBOSITY_TUNER_DETAIL || v == MPI_T_VERBOSITY_TUNER_ALL ||
           v == MPI_T_VERBOSITY_MPIDEV_BASIC || v == MPI_T_VERBOSITY_MPIDEV_DETAIL ||
           v == MPI_T_VERBOSITY_MPIDEV_ALL;
}

static int is_bind(int bind)
{
    return bind == MPI_T_BIND_NO_OBJECT || bind == MPI_T_BIND_MPI_COMM;
}

/* 14.3.5, table 14.4: the datatypes of the interface. */
static int is_datatype(MPI_Datatype t)
{
    return t == MPI_INT || t == MPI_UNSIGNED || t == MPI_UNSIGNED_LONG ||
           t == MPI_UNSIGNED_LONG_LONG || t == MPI_COUNT || t == MPI_CHAR || t == MPI_DOUBLE;
}

static int is_count(MPI_Datatype t)
{
    return t == MPI_UNSIGNED || t == MPI_UNSIGNED_LONG || t == MPI_UNSIGNED_LONG_LONG;
}

/* 14.3.5: at least one item, a name of at least length one, item names that are unique; an index
 * out of range is MPI_T_ERR_INVALID_INDEX, since MPI 4.0 deprecated MPI_T_ERR_INVALID_ITEM. */
static void enumeration(MPI_T_enum handle)
{
    char name[128], items[64][128];
    int number = 0, length = sizeof name, value;
    OK(MPI_T_enum_get_info(handle, &number, name, &length));
    CHECK(number > 0 && number <= 64 && length > 1);
    for (int i = 0; i < number; i++) {
        length = sizeof items[i];
        OK(MPI_T_enum_get_item(handle, i, &value, items[i], &length));
        CHECK(length > 1);
        for (int j = 0; j < i; j++)
            CHECK(strcmp(items[i], items[j]) != 0);
    }
    CODE(MPI_T_ERR_INVALID_INDEX, MPI_T_enum_get_item(handle, number, &value, name, &length));
    CODE(MPI_T_ERR_INVALID_INDEX, MPI_T_enum_get_item(handle, -1, &value, name, &length));
}

static void cvars(void)
{
    int number, index;
    static char names[256][128];
    OK(MPI_T_cvar_get_num(&number));
    CHECK(number >= 20 && number <= 256);
    for (int i = 0; i < number; i++) {
        int length = sizeof names[i], desc_length = 0, verbosity, bind, scope;
        MPI_Datatype datatype;
        MPI_T_enum handle = (MPI_T_enum)1;
        OK(MPI_T_cvar_get_info(i, names[i], &length, &verbosity, &datatype, &handle, NULL,
                               &desc_length, &bind, &scope));
        CHECK(length > 1 && length <= (int)sizeof names[i]);
        for (int j = 0; j < i; j++)
            CHECK(strcmp(names[i], names[j]) != 0);
        CHECK(is_verbosity(verbosity) && is_bind(bind) && is_datatype(datatype) && desc_length > 1);
        CHECK(scope >= MPI_T_SCOPE_CONSTANT && scope <= MPI_T_SCOPE_ALL_EQ);
        /* "Otherwise, enumtype is set to MPI_T_ENUM_NULL." */
        if (handle != MPI_T_ENUM_NULL) {
            CHECK(datatype == MPI_INT);
            enumeration(handle);
        }
        OK(MPI_T_cvar_get_index(names[i], &index));
        CHECK(index == i);
    }
    /* 14.3.6, table 14.6: MPI_T_ERR_INVALID_INDEX, MPI_T_ERR_INVALID_NAME. */
    CODE(MPI_T_ERR_INVALID_INDEX,
         MPI_T_cvar_get_info(number, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    CODE(MPI_T_ERR_INVALID_INDEX,
         MPI_T_cvar_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    CODE(MPI_T_ERR_INVALID_NAME, MPI_T_cvar_get_index("MQDRT_CVAR_EAGER_LIMI", &index));
    CODE(MPI_T_ERR_INVALID_NAME, MPI_T_cvar_get_index("", &index));
    CODE(MPI_T_ERR_INVALID_NAME, MPI_T_cvar_get_index("\xff\xfe", &index));
}

static void pvars(void)
{
    int number, index, classes[11] = {0};
    static char names[256][128];
    static int kinds[256];
    OK(MPI_T_pvar_get_num(&number));
    CHECK(number >= 40 && number <= 256);
    for (int i = 0; i < number; i++) {
        int length = sizeof names[i], desc_length = 0, verbosity, bind, readonly = -1,
            continuous = -1, atomic = -1;
        MPI_Datatype datatype;
        MPI_T_enum handle = (MPI_T_enum)1;
        OK(MPI_T_pvar_get_info(i, names[i], &length, &verbosity, &kinds[i], &datatype, &handle,
                               NULL, &desc_length, &bind, &readonly, &continuous, &atomic));
        CHECK(length > 1 && length <= (int)sizeof names[i]);
        /* 14.3.7: "The combination of the name and the class of the performance variable must be
         * unique". */
        for (int j = 0; j < i; j++)
            CHECK(strcmp(names[i], names[j]) != 0 || kinds[i] != kinds[j]);
        CHECK(is_verbosity(verbosity) && is_bind(bind) && desc_length > 1);
        /* The flags are zero or one. */
        CHECK((readonly | continuous | atomic) >> 1 == 0);
        CHECK(kinds[i] >= MPI_T_PVAR_CLASS_STATE && kinds[i] <= MPI_T_PVAR_CLASS_GENERIC);
        classes[kinds[i]]++;
        /* 14.3.7: the datatypes of the classes. */
        switch (kinds[i]) {
        case MPI_T_PVAR_CLASS_STATE:
            CHECK(datatype == MPI_INT && handle != MPI_T_ENUM_NULL);
            break;
        case MPI_T_PVAR_CLASS_PERCENTAGE:
            CHECK(datatype == MPI_DOUBLE);
            break;
        case MPI_T_PVAR_CLASS_COUNTER:
            CHECK(is_count(datatype));
            break;
        case MPI_T_PVAR_CLASS_GENERIC:
            CHECK(is_datatype(datatype));
            break;
        default:
            CHECK(is_count(datatype) || datatype == MPI_DOUBLE);
        }
        if (handle != MPI_T_ENUM_NULL) {
            CHECK(datatype == MPI_INT);
            enumeration(handle);
        }
        OK(MPI_T_pvar_get_index(names[i], kinds[i], &index));
        CHECK(index == i);
    }
    /* All ten classes. */
    for (int class = MPI_T_PVAR_CLASS_STATE; class <= MPI_T_PVAR_CLASS_GENERIC; class++)
        CHECK(classes[class] > 0);
    CODE(MPI_T_ERR_INVALID_INDEX, MPI_T_pvar_get_info(number, NULL, NULL, NULL, NULL, NULL, NULL,
                                                      NULL, NULL, NULL, NULL, NULL, NULL));
    CODE(MPI_T_ERR_INVALID_INDEX, MPI_T_pvar_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                                      NULL, NULL, NULL, NULL, NULL));
    CODE(MPI_T_ERR_INVALID_NAME,
         MPI_T_pvar_get_index("no such variable", MPI_T_PVAR_CLASS_LEVEL, &index));
    /* The name alone is not enough: the class belongs to it. */
    CODE(MPI_T_ERR_INVALID_NAME, MPI_T_pvar_get_index("requests", MPI_T_PVAR_CLASS_TIMER, &index));
    CODE(MPI_T_ERR_INVALID_NAME, MPI_T_pvar_get_index("requests", 4711, &index));
}

int main(int argc, char **argv)
{
    int provided;
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    /* 14.3.1: the values are monotonic in this order. */
    CHECK(MPI_T_VERBOSITY_USER_BASIC < MPI_T_VERBOSITY_USER_DETAIL &&
          MPI_T_VERBOSITY_USER_DETAIL < MPI_T_VERBOSITY_USER_ALL &&
          MPI_T_VERBOSITY_USER_ALL < MPI_T_VERBOSITY_TUNER_BASIC &&
          MPI_T_VERBOSITY_TUNER_BASIC < MPI_T_VERBOSITY_TUNER_DETAIL &&
          MPI_T_VERBOSITY_TUNER_DETAIL < MPI_T_VERBOSITY_TUNER_ALL &&
          MPI_T_VERBOSITY_TUNER_ALL < MPI_T_VERBOSITY_MPIDEV_BASIC &&
          MPI_T_VERBOSITY_MPIDEV_BASIC < MPI_T_VERBOSITY_MPIDEV_DETAIL &&
          MPI_T_VERBOSITY_MPIDEV_DETAIL < MPI_T_VERBOSITY_MPIDEV_ALL);
    cvars();
    pvars();
    /* 14.3.5: a wrong enumeration. */
    int number;
    CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_enum_get_info(MPI_T_ENUM_NULL, &number, NULL, NULL));
    CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_enum_get_info((MPI_T_enum)4711, &number, NULL, NULL));
    CODE(MPI_T_ERR_INVALID_HANDLE, MPI_T_enum_get_item(MPI_T_ENUM_NULL, 0, &number, NULL, NULL));
    /* The same answers while MPI runs (14.3.6: "subsequent calls ... must return the same
     * information"). */
    OK(MPI_Init(&argc, &argv));
    cvars();
    pvars();
    OK(MPI_T_finalize());
    PASS();
}
