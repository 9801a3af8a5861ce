/* Datatypes: sizes, extents, packing, contents, names. One process. */
#include "check.h"
#include <complex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

static void has(MPI_Datatype type, MPI_Count size, MPI_Count lb, MPI_Count extent,
                MPI_Count true_lb, MPI_Count true_extent)
{
    int s;
    MPI_Count sc, a, b, c, d;
    MPI_Aint l, e, tl, te;
    OK(MPI_Type_size(type, &s));
    OK(MPI_Type_size_c(type, &sc));
    OK(MPI_Type_get_extent(type, &l, &e));
    OK(MPI_Type_get_extent_c(type, &a, &b));
    OK(MPI_Type_get_true_extent(type, &tl, &te));
    OK(MPI_Type_get_true_extent_x(type, &c, &d));
    CHECK(s == size && sc == size);
    CHECK(l == lb && e == extent && a == lb && b == extent);
    CHECK(tl == true_lb && te == true_extent && c == true_lb && d == true_extent);
}

static void predefined(void)
{
    struct {
        MPI_Datatype type;
        size_t size;
        const char *name;
    } basic[] = {
        {MPI_CHAR, 1, "MPI_CHAR"},
        {MPI_SIGNED_CHAR, 1, "MPI_SIGNED_CHAR"},
        {MPI_UNSIGNED_CHAR, 1, "MPI_UNSIGNED_CHAR"},
        {MPI_SHORT, sizeof(short), "MPI_SHORT"},
        {MPI_UNSIGNED_SHORT, sizeof(short), "MPI_UNSIGNED_SHORT"},
        {MPI_INT, sizeof(int), "MPI_INT"},
        {MPI_UNSIGNED, sizeof(int), "MPI_UNSIGNED"},
        {MPI_LONG, sizeof(long), "MPI_LONG"},
        {MPI_UNSIGNED_LONG, sizeof(long), "MPI_UNSIGNED_LONG"},
        {MPI_LONG_LONG, sizeof(long long), "MPI_LONG_LONG_INT"},
        {MPI_UNSIGNED_LONG_LONG, sizeof(long long), "MPI_UNSIGNED_LONG_LONG"},
        {MPI_FLOAT, sizeof(float), "MPI_FLOAT"},
        {MPI_DOUBLE, sizeof(double), "MPI_DOUBLE"},
        {MPI_LONG_DOUBLE, sizeof(long double), "MPI_LONG_DOUBLE"},
        {MPI_C_BOOL, sizeof(bool), "MPI_C_BOOL"},
        {MPI_WCHAR, sizeof(wchar_t), "MPI_WCHAR"},
        {MPI_BYTE, 1, "MPI_BYTE"},
        {MPI_PACKED, 1, "MPI_PACKED"},
        {MPI_INT8_T, 1, "MPI_INT8_T"},
        {MPI_INT16_T, 2, "MPI_INT16_T"},
        {MPI_INT32_T, 4, "MPI_INT32_T"},
        {MPI_INT64_T, 8, "MPI_INT64_T"},
        {MPI_UINT8_T, 1, "MPI_UINT8_T"},
        {MPI_UINT64_T, 8, "MPI_UINT64_T"},
        {MPI_AINT, sizeof(MPI_Aint), "MPI_AINT"},
        {MPI_COUNT, sizeof(MPI_Count), "MPI_COUNT"},
        {MPI_OFFSET, sizeof(MPI_Offset), "MPI_OFFSET"},
        {MPI_C_FLOAT_COMPLEX, sizeof(float complex), "MPI_C_COMPLEX"},
        {MPI_C_DOUBLE_COMPLEX, sizeof(double complex), "MPI_C_DOUBLE_COMPLEX"},
        {MPI_C_LONG_DOUBLE_COMPLEX, sizeof(long double complex), "MPI_C_LONG_DOUBLE_COMPLEX"},
        {MPI_INTEGER8, 8, "MPI_INTEGER8"},
    };
    for (size_t i = 0; i < sizeof basic / sizeof *basic; i++) {
        char name[MPI_MAX_OBJECT_NAME];
        int length;
        has(basic[i].type, basic[i].size, 0, basic[i].size, 0, basic[i].size);
        OK(MPI_Type_get_name(basic[i].type, name, &length));
        CHECK(strcmp(name, basic[i].name) == 0 && length == (int)strlen(name));
    }
    struct {
        double v;
        int i;
    } di;
    struct {
        short v;
        int i;
    } si;
    struct {
        long double v;
        int i;
    } ldi;
    has(MPI_DOUBLE_INT, sizeof(double) + sizeof(int), 0, sizeof di, 0,
        sizeof(double) + sizeof(int));
    has(MPI_SHORT_INT, sizeof(short) + sizeof(int), 0, sizeof si, 0, sizeof si);
    has(MPI_LONG_DOUBLE_INT, sizeof(long double) + sizeof(int), 0, sizeof ldi, 0,
        sizeof(long double) + sizeof(int));
    has(MPI_2INT, 2 * sizeof(int), 0, 2 * sizeof(int), 0, 2 * sizeof(int));
}

/* Packs one element of ints at `from`, compares it with what is expected, unpacks it into a clean
 * copy, and compares the elements there. */
static void packs(MPI_Datatype type, int *from, int ints, const int *expected, int n)
{
    int packed[64] = {0}, size, position = 0, back[64];
    OK(MPI_Type_commit(&type));
    OK(MPI_Pack_size(1, type, MPI_COMM_SELF, &size));
    CHECK(size == n * (int)sizeof(int));
    OK(MPI_Pack(from, 1, type, packed, sizeof packed, &position, MPI_COMM_SELF));
    CHECK(position == n * (int)sizeof(int) && memcmp(packed, expected, position) == 0);
    memset(back, 0, sizeof back);
    position = 0;
    OK(MPI_Unpack(packed, size, &position, back + 20, 1, type, MPI_COMM_SELF));
    for (int i = 0; i < ints; i++) {
        int sent = 0;
        for (int j = 0; j < n; j++)
            sent |= from[i] == expected[j];
        CHECK(back[20 + i] == (sent ? from[i] : 0));
    }
}

static void derived(void)
{
    int data[40], blocks[3] = {2, 0, 1}, places[3] = {4, 1, 0};
    MPI_Datatype type, other;
    for (int i = 0; i < 40; i++)
        data[i] = 100 + i;

    OK(MPI_Type_contiguous(3, MPI_INT, &type));
    has(type, 12, 0, 12, 0, 12);
    packs(type, data, 10, (int[]){100, 101, 102}, 3);
    OK(MPI_Type_free(&type));
    CHECK(type == MPI_DATATYPE_NULL);

    OK(MPI_Type_vector(3, 2, 4, MPI_INT, &type));
    has(type, 24, 0, 40, 0, 40);
    packs(type, data, 12, (int[]){100, 101, 104, 105, 108, 109}, 6);
    /* A vector of vectors: the second starts where the extent of the first ends. */
    OK(MPI_Type_contiguous(2, type, &other));
    has(other, 48, 0, 80, 0, 80);
    packs(other, data, 20, (int[]){100, 101, 104, 105, 108, 109, 110, 111, 114, 115, 118, 119}, 12);
    OK(MPI_Type_free(&other));
    OK(MPI_Type_free(&type));

    OK(MPI_Type_create_hvector(2, 1, -8, MPI_INT, &type));
    has(type, 8, -8, 12, -8, 12);
    OK(MPI_Type_free(&type));

    OK(MPI_Type_indexed(3, blocks, places, MPI_INT, &type));
    has(type, 12, 0, 24, 0, 24);
    packs(type, data, 10, (int[]){104, 105, 100}, 3);
    OK(MPI_Type_free(&type));

    OK(MPI_Type_create_indexed_block(3, 1, (int[]){5, 2, 7}, MPI_INT, &type));
    has(type, 12, 8, 24, 8, 24);
    packs(type, data, 10, (int[]){105, 102, 107}, 3);
    OK(MPI_Type_free(&type));

    OK(MPI_Type_create_hindexed(2, (int[]){1, 2}, (MPI_Aint[]){8, 16}, MPI_INT, &type));
    has(type, 12, 8, 16, 8, 16);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_hindexed_block_c(2, 2, (MPI_Count[]){0, 8}, MPI_INT, &type));
    has(type, 16, 0, 16, 0, 16);
    OK(MPI_Type_free(&type));

    struct record {
        char c;
        double d;
        int i[3];
    } r[2];
    OK(MPI_Type_create_struct(3, (int[]){1, 1, 3},
                              (MPI_Aint[]){offsetof(struct record, c), offsetof(struct record, d),
                                           offsetof(struct record, i)},
                              (MPI_Datatype[]){MPI_CHAR, MPI_DOUBLE, MPI_INT}, &type));
    has(type, 1 + 8 + 12, 0, sizeof(struct record), 0, offsetof(struct record, i) + 12);
    char packed[64];
    int position = 0;
    memset(r, 0, sizeof r);
    r[0] = (struct record){'a', 1.5, {1, 2, 3}};
    r[1] = (struct record){'b', 2.5, {4, 5, 6}};
    OK(MPI_Type_commit(&type));
    OK(MPI_Pack(r, 2, type, packed, sizeof packed, &position, MPI_COMM_WORLD));
    CHECK(position == 42 && packed[0] == 'a' && packed[21] == 'b');
    struct record s[2];
    position = 0;
    OK(MPI_Unpack(packed, 42, &position, s, 2, type, MPI_COMM_WORLD));
    CHECK(s[1].c == 'b' && s[1].d == 2.5 && s[1].i[2] == 6 && s[0].i[0] == 1);
    OK(MPI_Type_free(&type));

    OK(MPI_Type_create_resized(MPI_INT, -4, 20, &type));
    has(type, 4, -4, 20, 0, 4);
    OK(MPI_Type_contiguous(2, type, &other));
    has(other, 8, -4, 40, 0, 24);
    packs(other, data, 10, (int[]){100, 105}, 2);
    OK(MPI_Type_free(&other));
    OK(MPI_Type_free(&type));

    OK(MPI_Type_create_subarray(2, (int[]){4, 5}, (int[]){2, 3}, (int[]){1, 2}, MPI_ORDER_C,
                                MPI_INT, &type));
    has(type, 24, 0, 80, 28, 32);
    packs(type, data, 20, (int[]){107, 108, 109, 112, 113, 114}, 6);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_subarray(2, (int[]){5, 4}, (int[]){3, 2}, (int[]){2, 1}, MPI_ORDER_FORTRAN,
                                MPI_INT, &type));
    packs(type, data, 20, (int[]){107, 108, 109, 112, 113, 114}, 6);
    OK(MPI_Type_free(&type));

    /* Nothing at all. */
    OK(MPI_Type_contiguous(0, MPI_DOUBLE, &type));
    has(type, 0, 0, 0, 0, 0);
    OK(MPI_Type_free(&type));

    /* More than an int can count. */
    int small;
    MPI_Count large;
    OK(MPI_Type_contiguous_c((MPI_Count)1 << 32, MPI_INT, &type));
    OK(MPI_Type_size(type, &small));
    OK(MPI_Type_size_c(type, &large));
    CHECK(small == MPI_UNDEFINED && large == (MPI_Count)1 << 34);
    int i, a, d, combiner;
    FAILS(MPI_ERR_TYPE, MPI_Type_get_envelope(type, &i, &a, &d, &combiner));
    OK(MPI_Type_free(&type));
}

/* Places of nothing give no extent, unless the program has set it. Beside data they count. */
static void empty(void)
{
    MPI_Datatype none, type, wide;
    int ones[2] = {1, 1};
    MPI_Aint places[2] = {0, 40};
    OK(MPI_Type_contiguous(0, MPI_INT, &none));
    OK(MPI_Type_create_hindexed(2, ones, places, none, &type));
    has(type, 0, 0, 0, 0, 0);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_hvector(3, 1, 16, none, &type));
    has(type, 0, 0, 0, 0, 0);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_struct(1, ones, places + 1, &none, &type));
    has(type, 0, 0, 0, 0, 0);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_struct(2, ones, places, (MPI_Datatype[]){MPI_INT, none}, &type));
    has(type, 4, 0, 40, 0, 4);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_resized(none, 0, 16, &wide));
    has(wide, 0, 0, 16, 0, 0);
    OK(MPI_Type_contiguous(3, wide, &type));
    has(type, 0, 0, 48, 0, 0);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_free(&wide));
    OK(MPI_Type_free(&none));
}

/* Sections 5.1.3 and 5.1.4: the bounds are 0 and the size of the whole array, wherever the old type
 * begins. */
static void arrays_of_shifted(void)
{
    MPI_Datatype type, other;
    OK(MPI_Type_create_resized(MPI_INT, -4, 12, &other));
    OK(MPI_Type_create_subarray(1, (int[]){3}, (int[]){2}, (int[]){1}, MPI_ORDER_C, other, &type));
    has(type, 8, 0, 36, 12, 16);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_darray(2, 1, 1, (int[]){6}, (int[]){MPI_DISTRIBUTE_BLOCK},
                              (int[]){MPI_DISTRIBUTE_DFLT_DARG}, (int[]){2}, MPI_ORDER_C, other,
                              &type));
    has(type, 12, 0, 72, 36, 28);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_darray(2, 1, 1, (int[]){6}, (int[]){MPI_DISTRIBUTE_CYCLIC},
                              (int[]){MPI_DISTRIBUTE_DFLT_DARG}, (int[]){2}, MPI_ORDER_C, other,
                              &type));
    has(type, 12, 0, 72, 12, 52);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_free(&other));
    OK(MPI_Type_indexed(1, (int[]){1}, (int[]){3}, MPI_INT, &other));
    OK(MPI_Type_create_subarray(1, (int[]){3}, (int[]){2}, (int[]){1}, MPI_ORDER_C, other, &type));
    has(type, 8, 0, 12, 16, 8);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_free(&other));
}

static int deleted;

static int note_deletion(MPI_Datatype type, int key, void *value, void *state)
{
    (void)type, (void)key, (void)value, (void)state;
    deleted++;
    return MPI_SUCCESS;
}

/* The datatypes in the contents are others than those that were given: what is done to them has no
 * effect on these. */
static void inner_is_another(MPI_Datatype type)
{
    MPI_Datatype outer, inner;
    int key, count, length, flag, value = 7, *found;
    char name[MPI_MAX_OBJECT_NAME];
    OK(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, note_deletion, &key, NULL));
    OK(MPI_Type_set_attr(type, key, &value));
    OK(MPI_Type_set_name(type, "mine"));
    OK(MPI_Type_contiguous(3, type, &outer));
    OK(MPI_Type_get_contents(outer, 1, 0, 1, &count, NULL, &inner));
    CHECK(count == 3 && inner != type);
    OK(MPI_Type_set_name(inner, "other"));
    OK(MPI_Type_commit(&inner));
    OK(MPI_Type_free(&inner));
    OK(MPI_Type_free(&outer));
    OK(MPI_Type_get_name(type, name, &length));
    CHECK(!strcmp(name, "mine"));
    OK(MPI_Type_get_attr(type, key, &found, &flag));
    CHECK(flag && *found == 7 && deleted == 0);
    OK(MPI_Type_delete_attr(type, key));
    CHECK(deleted == 1);
    OK(MPI_Type_free_keyval(&key));
}

static void contents(void)
{
    MPI_Datatype vector, type, inner[2];
    int i, a, d, combiner, integers[8];
    MPI_Aint addresses[4];
    OK(MPI_Type_vector(3, 2, 4, MPI_INT, &vector));
    OK(MPI_Type_create_struct(2, (int[]){5, 6}, (MPI_Aint[]){0, 100},
                              (MPI_Datatype[]){MPI_DOUBLE, vector}, &type));
    OK(MPI_Type_free(&vector)); /* stays in use */
    OK(MPI_Type_get_envelope(type, &i, &a, &d, &combiner));
    CHECK(i == 3 && a == 2 && d == 2 && combiner == MPI_COMBINER_STRUCT);
    OK(MPI_Type_get_contents(type, 3, 2, 2, integers, addresses, inner));
    CHECK(integers[0] == 2 && integers[1] == 5 && integers[2] == 6 && addresses[1] == 100);
    CHECK(inner[0] == MPI_DOUBLE);
    OK(MPI_Type_get_envelope(inner[1], &i, &a, &d, &combiner));
    CHECK(i == 3 && a == 0 && d == 1 && combiner == MPI_COMBINER_VECTOR);
    OK(MPI_Type_free(&inner[1]));
    inner_is_another(type);
    FAILS(MPI_ERR_ARG, MPI_Type_get_contents(type, 2, 2, 2, integers, addresses, inner));
    FAILS(MPI_ERR_TYPE, MPI_Type_get_contents(MPI_INT, 1, 1, 1, integers, addresses, inner));
    OK(MPI_Type_get_envelope(MPI_INT, &i, &a, &d, &combiner));
    CHECK(combiner == MPI_COMBINER_NAMED);
    OK(MPI_Type_free(&type));
}

/* An array of many dimensions, of which each has a block of two elements and a rest of one: the
 * pieces are too many to look at each. */
static void many_dimensions(void)
{
    enum { DIMENSIONS = 37 };
    MPI_Count lengths[DIMENSIONS], bytes, expected = sizeof(int);
    int distributions[DIMENSIONS], arguments[DIMENSIONS], grid[DIMENSIONS];
    MPI_Datatype spaced, type;
    for (int d = 0; d < DIMENSIONS; d++) {
        lengths[d] = 3;
        distributions[d] = MPI_DISTRIBUTE_CYCLIC;
        arguments[d] = 2;
        grid[d] = 1;
        expected *= 3;
    }
    OK(MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &spaced));
    OK(MPI_Type_create_darray_c(1, 0, DIMENSIONS, lengths, distributions, arguments, grid,
                                MPI_ORDER_C, spaced, &type));
    OK(MPI_Type_size_c(type, &bytes));
    CHECK(bytes == expected);
    MPI_Count low, extent;
    OK(MPI_Type_get_true_extent_c(type, &low, &extent));
    CHECK(low == 0 && extent == 2 * expected - (MPI_Count)sizeof(int));
    OK(MPI_Type_free(&type));
    OK(MPI_Type_free(&spaced));
}

/* The arguments of a large-count constructor are large counts, however small they are. */
static void large_contents(void)
{
    MPI_Datatype type, inner;
    MPI_Count i, a, l, d, bytes, counts[6];
    MPI_Aint addresses[1];
    int integers[3], combiner;
    OK(MPI_Type_create_hindexed_c(2, (MPI_Count[]){1, 2}, (MPI_Count[]){0, 8}, MPI_INT, &type));
    OK(MPI_Type_get_envelope_c(type, &i, &a, &l, &d, &combiner));
    CHECK(i == 0 && a == 0 && l == 5 && d == 1 && combiner == MPI_COMBINER_HINDEXED);
    OK(MPI_Type_get_contents_c(type, 0, 0, 5, 1, integers, addresses, counts, &inner));
    CHECK(counts[0] == 2 && counts[2] == 2 && counts[4] == 8 && inner == MPI_INT);
    FAILS(MPI_ERR_TYPE, MPI_Type_get_contents(type, 3, 1, 1, integers, addresses, &inner));
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_subarray_c(2, (MPI_Count[]){4, 5}, (MPI_Count[]){2, 3},
                                  (MPI_Count[]){1, 0}, MPI_ORDER_C, MPI_INT, &type));
    OK(MPI_Type_get_envelope_c(type, &i, &a, &l, &d, &combiner));
    CHECK(i == 2 && a == 0 && l == 6 && d == 1);
    OK(MPI_Type_get_contents_c(type, 2, 0, 6, 1, integers, addresses, counts, &inner));
    CHECK(integers[0] == 2 && integers[1] == MPI_ORDER_C && counts[0] == 4 && counts[3] == 3);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_darray_c(4, 1, 1, (MPI_Count[]){8}, (int[]){MPI_DISTRIBUTE_BLOCK},
                                (int[]){MPI_DISTRIBUTE_DFLT_DARG}, (int[]){4}, MPI_ORDER_C,
                                MPI_INT, &type));
    OK(MPI_Type_get_envelope_c(type, &i, &a, &l, &d, &combiner));
    CHECK(i == 7 && a == 0 && l == 1 && d == 1);
    OK(MPI_Type_free(&type));
    /* An array of almost the largest length. Each of four processes has a quarter. */
    OK(MPI_Type_create_darray_c(4, 0, 1, (MPI_Count[]){INT64_MAX - 3},
                                (int[]){MPI_DISTRIBUTE_BLOCK}, (int[]){MPI_DISTRIBUTE_DFLT_DARG},
                                (int[]){4}, MPI_ORDER_C, MPI_CHAR, &type));
    OK(MPI_Type_size_c(type, &bytes));
    CHECK(bytes == INT64_MAX / 4);
    OK(MPI_Type_free(&type));
    FAILS(MPI_ERR_ARG,
          MPI_Type_create_darray_c(4, 0, 1, (MPI_Count[]){INT64_MAX}, (int[]){MPI_DISTRIBUTE_BLOCK},
                                   (int[]){MPI_DISTRIBUTE_DFLT_DARG}, (int[]){4}, MPI_ORDER_C,
                                   MPI_INT, &type));
    FAILS(MPI_ERR_ARG,
          MPI_Type_create_darray_c(2, 1, 2, (MPI_Count[]){INT64_MAX / 2, 3},
                                   (int[]){MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE},
                                   (int[]){INT32_MAX, MPI_DISTRIBUTE_DFLT_DARG}, (int[]){2, 1},
                                   MPI_ORDER_C, MPI_CHAR, &type));
    /* Many dimensions, of which each has whole blocks and a rest. */
    many_dimensions();
    /* Extents that do not fit. */
    MPI_Count far[2] = {INT64_MAX / 2 + 8, INT64_MIN / 2 - 8};
    FAILS(MPI_ERR_ARG, MPI_Type_create_struct_c(2, (MPI_Count[]){1, 1}, far,
                                                (MPI_Datatype[]){MPI_INT, MPI_INT}, &type));
    FAILS(MPI_ERR_ARG, MPI_Type_create_hindexed_c(2, (MPI_Count[]){1, 1}, far, MPI_INT, &type));
    OK(MPI_Type_create_resized_c(MPI_INT, -4, 16, &type));
    OK(MPI_Type_get_contents_c(type, 0, 0, 2, 1, integers, addresses, counts, &inner));
    CHECK(counts[0] == -4 && counts[1] == 16);
    OK(MPI_Type_free(&type));
}

static void counting(void)
{
    MPI_Status status;
    MPI_Datatype type;
    int n;
    MPI_Count large;
    memset(&status, 0, sizeof status);
    OK(MPI_Type_create_struct(2, (int[]){1, 2}, (MPI_Aint[]){0, 8},
                              (MPI_Datatype[]){MPI_DOUBLE, MPI_INT}, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Status_set_elements(&status, type, 3 + 2));
    OK(MPI_Get_count(&status, MPI_BYTE, &n));
    CHECK(n == 16 + 12);
    OK(MPI_Get_elements(&status, type, &n));
    CHECK(n == 5);
    OK(MPI_Get_count(&status, type, &n));
    CHECK(n == MPI_UNDEFINED);
    OK(MPI_Status_set_elements_c(&status, MPI_INT, (MPI_Count)3 << 30));
    OK(MPI_Get_count(&status, MPI_INT, &n));
    OK(MPI_Get_count_c(&status, MPI_INT, &large));
    CHECK(n == MPI_UNDEFINED && large == (MPI_Count)3 << 30);
    OK(MPI_Status_set_elements(&status, MPI_DOUBLE_INT, 3));
    OK(MPI_Get_elements(&status, MPI_DOUBLE_INT, &n));
    CHECK(n == 3);
    OK(MPI_Get_count(&status, MPI_BYTE, &n));
    CHECK(n == 12 + 8);
    OK(MPI_Type_free(&type));
}

static void named(void)
{
    MPI_Datatype type, copy;
    char name[MPI_MAX_OBJECT_NAME], lengthy[3 * MPI_MAX_OBJECT_NAME];
    int length;
    OK(MPI_Type_contiguous(2, MPI_INT, &type));
    OK(MPI_Type_get_name(type, name, &length));
    CHECK(length == 0 && name[0] == 0);
    OK(MPI_Type_set_name(type, "pair of ints"));
    OK(MPI_Type_get_name(type, name, &length));
    CHECK(strcmp(name, "pair of ints") == 0 && length == 12);
    OK(MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length));
    CHECK(strcmp(name, "MPI_DATATYPE_NULL") == 0);
    OK(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &copy));
    CHECK(copy == MPI_REAL8);
    FAILS(MPI_ERR_ARG, MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, &copy));
    OK(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &copy));
    CHECK(copy == MPI_DOUBLE_INT);
    OK(MPI_Type_get_value_index(MPI_DOUBLE, MPI_LONG, &copy));
    CHECK(copy == MPI_DATATYPE_NULL);
    OK(MPI_Type_dup(type, &copy));
    OK(MPI_Type_get_name(copy, name, &length));
    CHECK(length == 0);
    /* Names are cut between characters: an euro sign has three bytes. */
    lengthy[0] = 0;
    for (int i = 0; i < MPI_MAX_OBJECT_NAME / 2; i++)
        strcat(lengthy, "\xe2\x82\xac");
    OK(MPI_Type_set_name(type, lengthy));
    OK(MPI_Type_get_name(type, name, &length));
    CHECK(length == 126 && strncmp(name, lengthy, 126) == 0);
    OK(MPI_Type_free(&copy));
    OK(MPI_Type_free(&type));
}

static int no_copy(MPI_Datatype type, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)type, (void)keyval, (void)extra, (void)in, (void)out, (void)flag;
    return MPI_ERR_OTHER;
}

/* If an attribute cannot be copied, there is no duplicate. */
static void refused_copy(void)
{
    MPI_Datatype type, copy = MPI_INT;
    int keyval;
    OK(MPI_Type_contiguous(2, MPI_INT, &type));
    OK(MPI_Type_create_keyval(no_copy, MPI_TYPE_NULL_DELETE_FN, &keyval, NULL));
    OK(MPI_Type_set_attr(type, keyval, NULL));
    CHECK(MPI_Type_dup(type, &copy) != MPI_SUCCESS && copy == MPI_DATATYPE_NULL);
    OK(MPI_Type_free_keyval(&keyval));
    OK(MPI_Type_free(&type));
}

static void refused(void)
{
    MPI_Datatype type = MPI_INT, stale;
    int x = 0, position = 0;
    char room[4];
    FAILS(MPI_ERR_TYPE, MPI_Type_free(&type));
    FAILS(MPI_ERR_TYPE, MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &type));
    FAILS(MPI_ERR_COUNT, MPI_Type_contiguous(-1, MPI_INT, &type));
    FAILS(MPI_ERR_COUNT, MPI_Type_vector(1, -1, 1, MPI_INT, &type));
    FAILS(MPI_ERR_ARG, MPI_Type_indexed(1, NULL, NULL, MPI_INT, &type));
    FAILS(MPI_ERR_ARG, MPI_Type_contiguous(1, MPI_INT, NULL));
    FAILS(MPI_ERR_TYPE, MPI_Type_size((MPI_Datatype)0x12345678, &x));
    FAILS(MPI_ERR_ARG, MPI_Type_create_subarray(1, (int[]){4}, (int[]){3}, (int[]){2}, MPI_ORDER_C,
                                                MPI_INT, &type));
    OK(MPI_Type_contiguous(2, MPI_INT, &type));
    FAILS(MPI_ERR_TYPE,
          MPI_Pack(room, 1, type, room, 4, &position, MPI_COMM_SELF)); /* not committed */
    OK(MPI_Type_commit(&type));
    FAILS(MPI_ERR_TRUNCATE, MPI_Pack(room, 1, type, room, 4, &position, MPI_COMM_SELF));
    CHECK(position == 0);
    stale = type;
    OK(MPI_Type_free(&type));
    FAILS(MPI_ERR_TYPE, MPI_Type_size(stale, &x));
    /* The slot is used again; the old handle stays invalid. */
    OK(MPI_Type_contiguous(3, MPI_INT, &type));
    CHECK(type != stale);
    FAILS(MPI_ERR_TYPE, MPI_Type_size(stale, &x));
    CHECK(MPI_Type_fromint(MPI_Type_toint(type)) == type &&
          MPI_Type_fromint(MPI_Type_toint(MPI_INT)) == MPI_INT);
    OK(MPI_Type_free(&type));
}

int main(int argc, char **argv)
{
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    predefined();
    derived();
    empty();
    arrays_of_shifted();
    contents();
    large_contents();
    counting();
    named();
    refused_copy();
    refused();
    PASS();
}
