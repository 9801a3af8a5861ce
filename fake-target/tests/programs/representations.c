/* Distributed arrays against a serial division of the same array, datatypes of Fortran's kinds, and
 * the representation "external32" byte by byte. One process. */
#include "check.h"
#include <stddef.h>
#include <stdint.h>

enum {
    MOST = 4000
};

/* The process of a dimension that has an element. */
static int owner(int index, int length, int distribution, int argument, int processes)
{
    if (distribution == MPI_DISTRIBUTE_NONE)
        return 0;
    if (distribution == MPI_DISTRIBUTE_BLOCK)
        return index / (argument == MPI_DISTRIBUTE_DFLT_DARG ? (length + processes - 1) / processes
                                                             : argument);
    return index / (argument == MPI_DISTRIBUTE_DFLT_DARG ? 1 : argument) % processes;
}

static void distribute(int n, const int *lengths, const int *how, const int *arguments,
                       const int *grid, int order)
{
    static int array[MOST], packed[MOST];
    int processes = 1, elements = 1, seen = 0;
    for (int d = 0; d < n; d++) {
        processes *= grid[d];
        elements *= lengths[d];
    }
    for (int i = 0; i < elements; i++)
        array[i] = i;
    for (int rank = 0; rank < processes; rank++) {
        MPI_Datatype type;
        MPI_Aint lb, extent;
        int size, position = 0, expected = 0, place[3], rest = rank;
        for (int d = n - 1; d >= 0; d--) {
            place[d] = rest % grid[d];
            rest /= grid[d];
        }
        OK(MPI_Type_create_darray(processes, rank, n, lengths, how, arguments, grid, order, MPI_INT,
                                  &type));
        OK(MPI_Type_commit(&type));
        OK(MPI_Type_get_extent(type, &lb, &extent));
        CHECK(lb == 0 && extent == elements * (MPI_Aint)sizeof(int));
        OK(MPI_Type_size(type, &size));
        OK(MPI_Pack(array, 1, type, packed, sizeof packed, &position, MPI_COMM_SELF));
        CHECK(position == size);
        for (int i = 0; i < elements; i++) {
            int mine = 1, left = i;
            for (int k = 0; k < n; k++) {
                int d = order == MPI_ORDER_C ? n - 1 - k : k;
                mine &= owner(left % lengths[d], lengths[d], how[d], arguments[d], grid[d]) ==
                        place[d];
                left /= lengths[d];
            }
            if (mine)
                CHECK(packed[expected++] == i);
        }
        CHECK(expected * (int)sizeof(int) == size);
        seen += expected;
        int integers, addresses, types, combiner, values[4 + 4 * 3];
        MPI_Datatype inner;
        OK(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));
        CHECK(integers == 4 + 4 * n && !addresses && types == 1 && combiner == MPI_COMBINER_DARRAY);
        OK(MPI_Type_get_contents(type, integers, 0, 1, values, NULL, &inner));
        CHECK(values[0] == processes && values[1] == rank && values[2] == n && inner == MPI_INT);
        CHECK(!memcmp(values + 3, lengths, n * sizeof(int)) && values[3 + 4 * n] == order);
        OK(MPI_Type_free(&type));
    }
    CHECK(seen == elements);
}

static void distributed_arrays(void)
{
    const int none = MPI_DISTRIBUTE_NONE, block = MPI_DISTRIBUTE_BLOCK,
              cyclic = MPI_DISTRIBUTE_CYCLIC, any = MPI_DISTRIBUTE_DFLT_DARG;
    int hows[] = {none, block, block, cyclic, cyclic, cyclic};
    int arguments[] = {any, any, 9, any, 2, 5};
    for (int order = 0; order < 2; order++)
        for (int one = 0; one < 6; one++)
            for (int two = 0; two < 6; two++) {
                int lengths[] = {17, 8, 10}, how[] = {hows[one], hows[two], block};
                int with[] = {arguments[one], arguments[two], any};
                int grid[] = {one ? 2 : 1, two ? 3 : 1, 4};
                distribute(3, lengths, how, with, grid, order ? MPI_ORDER_C : MPI_ORDER_FORTRAN);
            }
    int length = 10, how = block, with = 2, grid = 4;
    MPI_Datatype type;
    FAILS(MPI_ERR_ARG, MPI_Type_create_darray(4, 0, 1, &length, &how, &with, &grid, MPI_ORDER_C,
                                              MPI_INT, &type));
    FAILS(MPI_ERR_ARG, MPI_Type_create_darray(5, 0, 1, &length, &cyclic, &with, &grid, MPI_ORDER_C,
                                              MPI_INT, &type));
}

static void kinds(void)
{
    MPI_Datatype type, same, outer;
    int size, integers, addresses, types, combiner, values[2];
    double left = 2.5, right = 4;
    OK(MPI_Type_create_f90_real(15, MPI_UNDEFINED, &type));
    OK(MPI_Type_create_f90_real(15, MPI_UNDEFINED, &same));
    CHECK(type == same);
    OK(MPI_Type_size(type, &size));
    CHECK(size == 8);
    OK(MPI_Reduce_local(&left, &right, 1, type, MPI_SUM));
    CHECK(right == 6.5);
    OK(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));
    CHECK(integers == 2 && !addresses && !types && combiner == MPI_COMBINER_F90_REAL);
    OK(MPI_Type_get_contents(type, 2, 0, 0, values, NULL, NULL));
    CHECK(values[0] == 15 && values[1] == MPI_UNDEFINED);
    /* Predefined: there is one handle. */
    OK(MPI_Type_contiguous(2, type, &outer));
    OK(MPI_Type_get_contents(outer, 1, 0, 1, values, NULL, &same));
    CHECK(type == same);
    OK(MPI_Type_free(&outer));
    FAILS(MPI_ERR_TYPE, MPI_Type_free(&type));
    OK(MPI_Type_create_f90_complex(MPI_UNDEFINED, 30, &type));
    OK(MPI_Type_size(type, &size));
    CHECK(size == 8);
    static const int ranges[][2] = {{2, 1}, {3, 2}, {9, 4}, {10, 8}, {18, 8}, {19, 16}};
    for (int i = 0; i < 6; i++) {
        OK(MPI_Type_create_f90_integer(ranges[i][0], &type));
        OK(MPI_Type_size(type, &size));
        CHECK(size == ranges[i][1]);
    }
    OK(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));
    CHECK(integers == 1 && combiner == MPI_COMBINER_F90_INTEGER);
    FAILS(MPI_ERR_ARG, MPI_Type_create_f90_integer(99, &type));
    FAILS(MPI_ERR_ARG, MPI_Type_create_f90_real(MPI_UNDEFINED, MPI_UNDEFINED, &type));
    FAILS(MPI_ERR_ARG, MPI_Type_create_f90_real(99, 4, &type));
}

#define PACKS(TYPE, type, ...)                                                                  \
    do {                                                                                        \
        static const unsigned char bytes[] = {__VA_ARGS__};                                     \
        unsigned char out[64];                                                                  \
        MPI_Aint size_, at = 1;                                                                 \
        TYPE back[4] = {0};                                                                     \
        int n = sizeof values / sizeof values[0];                                               \
        OK(MPI_Pack_external_size("external32", n, type, &size_));                              \
        CHECK(size_ == sizeof bytes);                                                           \
        OK(MPI_Pack_external("external32", values, n, type, out, sizeof out, &at));             \
        CHECK(at == 1 + size_ && !memcmp(out + 1, bytes, sizeof bytes));                        \
        at = 1;                                                                                 \
        OK(MPI_Unpack_external("external32", out, sizeof out, &at, back, n, type));             \
        CHECK(at == 1 + size_);                                                                 \
        for (int i = 0; i < n; i++)                                                             \
            CHECK(back[i] == values[i]);                                                        \
    } while (0)

static void external(void)
{
    {
        int values[] = {1, -2};
        PACKS(int, MPI_INT, 0, 0, 0, 1, 255, 255, 255, 254);
    }
    {
        long values[] = {0x01020304, -3};
        PACKS(long, MPI_LONG, 1, 2, 3, 4, 255, 255, 255, 253);
    }
    {
        unsigned long values[] = {0xfffffffdul};
        PACKS(unsigned long, MPI_UNSIGNED_LONG, 255, 255, 255, 253);
    }
    {
        wchar_t values[] = {L'A', 0xfffe};
        PACKS(wchar_t, MPI_WCHAR, 0, 65, 255, 254);
    }
    {
        double values[] = {1.0, -2.5};
        PACKS(double, MPI_DOUBLE, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0xc0, 0x04, 0, 0, 0, 0, 0, 0);
    }
    {
        long double values[] = {1.5L, -0.0625L};
        PACKS(long double, MPI_LONG_DOUBLE, 0x3f, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0xbf, 0xfb, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
    {
        long double values[] = {0.0L, 1.0L / 3};
        unsigned char out[32];
        MPI_Aint at = 0;
        long double back[2] = {7, 7};
        OK(MPI_Pack_external("external32", values, 2, MPI_LONG_DOUBLE, out, sizeof out, &at));
        at = 0;
        OK(MPI_Unpack_external("external32", out, sizeof out, &at, back, 2, MPI_LONG_DOUBLE));
        CHECK(back[0] == values[0] && back[1] == values[1]);
    }
    /* A structure with a gap, and a strided vector of it. */
    struct part {
        char c;
        short s;
        int64_t l;
    } parts[4] = {{'a', 1, 2}, {'b', 3, 4}, {'c', -5, -6}, {'d', 7, 8}}, back[4];
    MPI_Datatype part, every;
    int lengths[] = {1, 1, 1};
    MPI_Aint places[] = {0, offsetof(struct part, s), offsetof(struct part, l)}, at = 0, size;
    MPI_Datatype types[] = {MPI_CHAR, MPI_SHORT, MPI_INT64_T};
    OK(MPI_Type_create_struct(3, lengths, places, types, &part));
    OK(MPI_Type_vector(2, 1, 2, part, &every));
    OK(MPI_Type_commit(&every));
    OK(MPI_Pack_external_size("external32", 1, every, &size));
    CHECK(size == 22);
    static const unsigned char bytes[] = {'a', 0, 1, 0, 0, 0, 0, 0, 0, 0, 2,
                                          'c', 255, 251, 255, 255, 255, 255, 255, 255, 255, 250};
    unsigned char out[22];
    OK(MPI_Pack_external("external32", parts, 1, every, out, sizeof out, &at));
    CHECK(!memcmp(out, bytes, sizeof bytes));
    memset(back, 0, sizeof back);
    at = 0;
    OK(MPI_Unpack_external("external32", out, sizeof out, &at, back, 1, every));
    CHECK(back[0].c == 'a' && back[0].s == 1 && back[0].l == 2 && back[1].c == 0);
    CHECK(back[2].c == 'c' && back[2].s == -5 && back[2].l == -6 && back[3].l == 0);
    at = 1;
    FAILS(MPI_ERR_TRUNCATE,
          MPI_Pack_external("external32", parts, 1, every, out, sizeof out, &at));
    FAILS(MPI_ERR_ARG, MPI_Pack_external_size("internal", 1, every, &size));
    OK(MPI_Type_free(&part));
    OK(MPI_Type_free(&every));
}

static void fortran(void)
{
    MPI_Info info;
    int yes = 1, no = 0, set = -1, is_true = -7, is_false = -7;
    OK(MPI_Abi_get_fortran_info(&info));
    CHECK(info == MPI_INFO_NULL);
    OK(MPI_Abi_get_fortran_booleans(4, &is_true, &is_false, &set));
    CHECK(set == 0 && is_true == -7);
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_logical_size", "8"));
    FAILS(MPI_ERR_ABI, MPI_Abi_set_fortran_info(info));
    OK(MPI_Info_set(info, "mpi_logical_size", "4"));
    OK(MPI_Info_set(info, "mpi_real16_supported", "true"));
    OK(MPI_Abi_set_fortran_info(info));
    FAILS(MPI_ERR_ABI, MPI_Abi_set_fortran_info(info));
    OK(MPI_Info_free(&info));
    OK(MPI_Abi_get_fortran_info(&info));
    OK(MPI_Info_get_nkeys(info, &set));
    CHECK(set == 2);
    OK(MPI_Info_free(&info));
    OK(MPI_Abi_set_fortran_booleans(4, &yes, &no));
    FAILS(MPI_ERR_ABI, MPI_Abi_set_fortran_booleans(4, &yes, &no));
    OK(MPI_Abi_get_fortran_booleans(4, &is_true, &is_false, &set));
    CHECK(set == 1 && is_true == 1 && is_false == 0);
}

/* Invalid data, and objects that are freed twice. */
static void mistakes(void)
{
    int value = 0, position = 0, keyval, again;
    MPI_Status status;
    FAILS(MPI_ERR_BUFFER, MPI_Pack(MPI_IN_PLACE, 1, MPI_INT, &value, 4, &position, MPI_COMM_SELF));
    FAILS(MPI_ERR_BUFFER,
          MPI_Unpack(&value, 4, &position, MPI_IN_PLACE, 1, MPI_INT, MPI_COMM_SELF));
    FAILS(MPI_ERR_BUFFER, MPI_Sendrecv(MPI_IN_PLACE, 1, MPI_INT, 0, 0, &value, 1, MPI_INT, 0, 0,
                                       MPI_COMM_SELF, &status));
    FAILS(MPI_ERR_BUFFER, MPI_Sendrecv(&value, 1, MPI_INT, 0, 0, MPI_IN_PLACE, 1, MPI_INT, 0, 0,
                                       MPI_COMM_SELF, &status));
    FAILS(MPI_ERR_BUFFER, MPI_Send(MPI_IN_PLACE, 1, MPI_INT, 0, 0, MPI_COMM_SELF));
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL));
    again = keyval;
    OK(MPI_Comm_free_keyval(&keyval));
    OK(MPI_Comm_free_keyval(&again));
    CHECK(keyval == MPI_KEYVAL_INVALID && again == MPI_KEYVAL_INVALID);
    FAILS(MPI_ERR_KEYVAL, MPI_Comm_free_keyval(&again));
    /* The status of a request among several has an error code of its own. */
    MPI_Request request;
    int index, flag;
    OK(MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &request));
    status.MPI_ERROR = 4711;
    OK(MPI_Request_get_status_any(1, &request, &index, &flag, &status));
    CHECK(flag && index == 0 && status.MPI_ERROR == MPI_SUCCESS);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* Until all messages have left the buffer. */
static void flushed(void)
{
    enum {
        LONG = 200000
    };
    static char out[LONG], in[LONG];
    char *buffer = malloc(LONG + MPI_BSEND_OVERHEAD), *old;
    MPI_Request request;
    int flag, size;
    OK(MPI_Buffer_attach(buffer, LONG + MPI_BSEND_OVERHEAD));
    OK(MPI_Buffer_iflush(&request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    memset(out, 'x', LONG);
    OK(MPI_Bsend(out, LONG, MPI_CHAR, 0, 1, MPI_COMM_SELF));
    OK(MPI_Buffer_iflush(&request));
    OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    CHECK(!flag);
    OK(MPI_Recv(in, LONG, MPI_CHAR, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(!memcmp(in, out, LONG));
    OK(MPI_Buffer_detach(&old, &size));
    free(buffer);
}

int main(int argc, char **argv)
{
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    distributed_arrays();
    kinds();
    external();
    fortran();
    mistakes();
    flushed();
    PASS();
}
