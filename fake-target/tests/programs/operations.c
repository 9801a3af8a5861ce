/* Reduction operations on every kind of datatype, by MPI_Reduce_local. One process. */
#include "check.h"
#include <complex.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __x86_64__
typedef __float128 quad;
#else
typedef long double quad;
#endif

/* Applies an operation to {a0, a1} and {b0, b1} and compares. */
#define APPLIES(ctype, type, op, a0, a1, b0, b1, r0, r1)             \
    do {                                                             \
        ctype in_[2] = {a0, a1}, inout_[2] = {b0, b1};               \
        OK(MPI_Reduce_local(in_, inout_, 2, type, op));              \
        CHECK(inout_[0] == (ctype)(r0) && inout_[1] == (ctype)(r1)); \
    } while (0)

#define ARITHMETIC(ctype, type)                         \
    APPLIES(ctype, type, MPI_SUM, 3, 4, 5, 6, 8, 10);   \
    APPLIES(ctype, type, MPI_PROD, 3, 4, 5, 6, 15, 24); \
    APPLIES(ctype, type, MPI_MIN, 3, 9, 5, 6, 3, 6);    \
    APPLIES(ctype, type, MPI_MAX, 3, 9, 5, 6, 5, 9)

#define LOGICAL(ctype, type)                          \
    APPLIES(ctype, type, MPI_LAND, 1, 0, 1, 1, 1, 0); \
    APPLIES(ctype, type, MPI_LOR, 0, 0, 0, 1, 0, 1);  \
    APPLIES(ctype, type, MPI_LXOR, 1, 0, 1, 1, 0, 1)

#define BITS(ctype, type)                               \
    APPLIES(ctype, type, MPI_BAND, 12, 7, 10, 3, 8, 3); \
    APPLIES(ctype, type, MPI_BOR, 12, 7, 10, 3, 14, 7); \
    APPLIES(ctype, type, MPI_BXOR, 12, 7, 10, 3, 6, 4)

#define INTEGER(ctype, type) \
    ARITHMETIC(ctype, type); \
    LOGICAL(ctype, type);    \
    BITS(ctype, type)

#define LOCATES(vtype, itype, type)                                                              \
    do {                                                                                         \
        struct {                                                                                 \
            vtype value;                                                                         \
            itype index;                                                                         \
        } in_[3] = {{3, 7}, {5, 1}, {4, 9}}, inout_[3] = {{2, 8}, {6, 2}, {4, 3}};               \
        OK(MPI_Reduce_local(in_, inout_, 3, type, MPI_MAXLOC));                                  \
        CHECK(inout_[0].value == 3 && inout_[0].index == 7 && inout_[1].value == 6 &&            \
              inout_[1].index == 2);                                                             \
        CHECK(inout_[2].value == 4 && inout_[2].index == 3); /* equal values: the lower index */ \
        OK(MPI_Reduce_local(in_, inout_, 3, type, MPI_MINLOC));                                  \
        CHECK(inout_[0].value == 3 && inout_[1].value == 5 && inout_[1].index == 1 &&            \
              inout_[2].index == 3);                                                             \
    } while (0)

/* The number of two bytes with the value of a float. */
static unsigned short halves(float value)
{
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    if (value == 0)
        return 0;
    unsigned sign = bits >> 16 & 0x8000, exponent = (bits >> 23 & 0xff) - 112;
    return (unsigned short)(sign | exponent << 10 | (bits >> 13 & 0x3ff));
}

/* The numbers of two and of sixteen bytes that Fortran has. */
static void fortran_numbers(void)
{
#define HALVES(op, a, b, result) \
    APPLIES(unsigned short, MPI_REAL2, op, halves(a), halves(b), halves(b), halves(a), \
            halves(result), halves(result))
    HALVES(MPI_SUM, 1.5f, -3.25f, -1.75f);
    HALVES(MPI_PROD, 1.5f, -3.25f, -4.875f);
    HALVES(MPI_MIN, 1.5f, -3.25f, -3.25f);
    HALVES(MPI_MAX, 1.5f, -3.25f, 1.5f);
    /* (1 + 2i) + (4 + 5i), and (1 + 2i) * (4 + 5i) */
    unsigned short in[2] = {halves(1), halves(2)}, inout[2] = {halves(4), halves(5)};
    OK(MPI_Reduce_local(in, inout, 1, MPI_COMPLEX4, MPI_SUM));
    CHECK(inout[0] == halves(5) && inout[1] == halves(7));
    inout[0] = halves(4), inout[1] = halves(5);
    OK(MPI_Reduce_local(in, inout, 1, MPI_COMPLEX4, MPI_PROD));
    CHECK(inout[0] == halves(-6) && inout[1] == halves(13));

    ARITHMETIC(quad, MPI_REAL16);
    quad third = (quad)1 / 3, sum = third + 1, product = third * third;
    APPLIES(quad, MPI_REAL16, MPI_SUM, third, 0, 1, third, sum, third);
    APPLIES(quad, MPI_REAL16, MPI_PROD, third, 0, third, third, product, 0);
    quad from[2] = {1, 2}, to[2] = {4, 5};
    OK(MPI_Reduce_local(from, to, 1, MPI_COMPLEX32, MPI_SUM));
    CHECK(to[0] == 5 && to[1] == 7);
    to[0] = 4, to[1] = 5;
    OK(MPI_Reduce_local(from, to, 1, MPI_COMPLEX32, MPI_PROD));
    CHECK(to[0] == -6 && to[1] == 13);
    FAILS(MPI_ERR_OP, MPI_Reduce_local(from, to, 1, MPI_COMPLEX32, MPI_MAX));
    FAILS(MPI_ERR_OP, MPI_Reduce_local(from, to, 1, MPI_REAL16, MPI_BAND));
}

static int calls;

/* Does not commute; the result shows the order of the operands: 10 * left + right. */
static void append(void *in, void *inout, int *length, MPI_Datatype *type)
{
    CHECK(*type == MPI_LONG);
    calls++;
    for (int i = 0; i < *length; i++)
        ((long *)inout)[i] += 10 * ((long *)in)[i];
}

static void add_large(void *in, void *inout, MPI_Count *length, MPI_Datatype *type)
{
    (void)type;
    for (MPI_Count i = 0; i < *length; i++)
        ((int *)inout)[2 * i] += ((int *)in)[2 * i];
}

/* Many elements, so that the widest registers are used and some elements are left over, at
 * addresses that are not aligned. The results are those of C, bit for bit. */
#define MANY(type, datatype, op, expression)                                             \
    do {                                                                                 \
        for (size_t count = 60; count < 140; count += 13) {                              \
            char in_[160 * sizeof(type) + 1], inout_[sizeof in_];                        \
            type x_[160], y_[160];                                                       \
            for (size_t n = 0; n < count; n++) {                                         \
                int i = (int)n;                                                          \
                x_[i] = (type)(i * 37 % 101 - 50) / (type)(i % 3 + 1);                   \
                y_[i] = (type)(i * 53 % 97 - 48) / (type)(i % 5 + 1);                    \
            }                                                                            \
            memcpy(in_ + 1, x_, count * sizeof(type));                                   \
            memcpy(inout_ + 1, y_, count * sizeof(type));                                \
            OK(MPI_Reduce_local(in_ + 1, inout_ + 1, count, datatype, op));              \
            for (size_t n = 0; n < count; n++) {                                         \
                int i = (int)n;                                                          \
                type a = x_[i], b = y_[i], expected_ = (type)(expression), got_;         \
                memcpy(&got_, inout_ + 1 + i * sizeof(type), sizeof(type));              \
                CHECK(memcmp(&got_, &expected_, sizeof(type)) == 0);                     \
            }                                                                            \
        }                                                                                \
    } while (0)

#define MANY_NUMBERS(type, datatype)                  \
    do {                                              \
        MANY(type, datatype, MPI_SUM, a + b);         \
        MANY(type, datatype, MPI_PROD, a *b);         \
        MANY(type, datatype, MPI_MAX, a > b ? a : b); \
        MANY(type, datatype, MPI_MIN, a < b ? a : b); \
    } while (0)

#define MANY_INTEGERS(type, datatype)                   \
    do {                                                \
        MANY_NUMBERS(type, datatype);                   \
        MANY(type, datatype, MPI_BAND, a &b);           \
        MANY(type, datatype, MPI_BOR, a | b);           \
        MANY(type, datatype, MPI_BXOR, a ^ b);          \
        MANY(type, datatype, MPI_LAND, a && b);         \
        MANY(type, datatype, MPI_LOR, a || b);          \
        MANY(type, datatype, MPI_LXOR, !a != !b);       \
    } while (0)

static void many(void)
{
    MANY_INTEGERS(int8_t, MPI_INT8_T);
    MANY_INTEGERS(int16_t, MPI_INT16_T);
    MANY_INTEGERS(int32_t, MPI_INT32_T);
    MANY_INTEGERS(uint64_t, MPI_UINT64_T);
    MANY_NUMBERS(float, MPI_FLOAT);
    MANY_NUMBERS(double, MPI_DOUBLE);
}

int main(int argc, char **argv)
{
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    INTEGER(signed char, MPI_CHAR);
    INTEGER(signed char, MPI_SIGNED_CHAR);
    INTEGER(unsigned char, MPI_UNSIGNED_CHAR);
    INTEGER(short, MPI_SHORT);
    INTEGER(unsigned short, MPI_UNSIGNED_SHORT);
    INTEGER(int, MPI_INT);
    INTEGER(unsigned, MPI_UNSIGNED);
    INTEGER(long, MPI_LONG);
    INTEGER(unsigned long, MPI_UNSIGNED_LONG);
    INTEGER(long long, MPI_LONG_LONG);
    INTEGER(unsigned long long, MPI_UNSIGNED_LONG_LONG);
    INTEGER(int8_t, MPI_INT8_T);
    INTEGER(uint16_t, MPI_UINT16_T);
    INTEGER(int32_t, MPI_INT32_T);
    INTEGER(uint64_t, MPI_UINT64_T);
    INTEGER(MPI_Aint, MPI_AINT);
    INTEGER(MPI_Count, MPI_COUNT);
    INTEGER(MPI_Offset, MPI_OFFSET);
    INTEGER(MPI_Fint, MPI_INTEGER);
    INTEGER(__int128, MPI_INTEGER16);
    ARITHMETIC(float, MPI_FLOAT);
    ARITHMETIC(double, MPI_DOUBLE);
    ARITHMETIC(long double, MPI_LONG_DOUBLE);
    ARITHMETIC(double, MPI_DOUBLE_PRECISION);
    LOGICAL(bool, MPI_C_BOOL);
    LOGICAL(int, MPI_LOGICAL);
    BITS(unsigned char, MPI_BYTE);
    APPLIES(unsigned, MPI_UNSIGNED, MPI_MAX, UINT_MAX, 0, 1, 2, UINT_MAX, 2);
    APPLIES(int, MPI_INT, MPI_MIN, -5, 3, 1, -7, -5, -7);
    APPLIES(int, MPI_INT, MPI_SUM, INT_MAX, 1, 1, 1, INT_MIN, 2);
    APPLIES(int, MPI_INT, MPI_LAND, 256, -1, 512, 1, 1, 1);
    APPLIES(float complex, MPI_C_FLOAT_COMPLEX, MPI_SUM, 1 + 2 * I, 3, 4 + 5 * I, I, 5 + 7 * I,
            3 + I);
    APPLIES(double complex, MPI_C_DOUBLE_COMPLEX, MPI_PROD, 1 + 2 * I, 3, 4 + 5 * I, I, -6 + 13 * I,
            3 * I);
    APPLIES(long double complex, MPI_C_LONG_DOUBLE_COMPLEX, MPI_PROD, 1 + 2 * I, 3, 4 + 5 * I, I,
            -6 + 13 * I, 3 * I);
    LOGICAL(__int128, MPI_LOGICAL16);
    fortran_numbers();
    LOCATES(float, int, MPI_FLOAT_INT);
    LOCATES(double, int, MPI_DOUBLE_INT);
    LOCATES(long, int, MPI_LONG_INT);
    LOCATES(int, int, MPI_2INT);
    LOCATES(short, int, MPI_SHORT_INT);
    LOCATES(long double, int, MPI_LONG_DOUBLE_INT);
    LOCATES(float, float, MPI_2REAL);

    /* The program's own. */
    MPI_Op op;
    MPI_Datatype sparse, pair;
    int commutes;
    OK(MPI_Op_create(append, 0, &op));
    APPLIES(long, MPI_LONG, op, 1, 2, 3, 4, 13, 24);
    CHECK(calls == 1);
    OK(MPI_Op_commutative(op, &commutes));
    CHECK(!commutes);
    CHECK(MPI_Op_fromint(MPI_Op_toint(op)) == op);
    OK(MPI_Op_free(&op));
    CHECK(op == MPI_OP_NULL);
    OK(MPI_Op_create_c(add_large, 1, &op));
    OK(MPI_Type_create_resized(MPI_INT, 0, 8, &sparse));
    OK(MPI_Type_commit(&sparse));
    APPLIES(int, sparse, op, 1, 2, 3, 4, 4, 4 + 0 * 2);
    OK(MPI_Op_free(&op));
    OK(MPI_Op_commutative(MPI_SUM, &commutes));
    CHECK(commutes);
    OK(MPI_Op_commutative(MPI_REPLACE, &commutes));
    CHECK(!commutes);
    OK(MPI_Op_commutative(MPI_NO_OP, &commutes));
    CHECK(!commutes);

    /* Combinations that are not defined. */
    int a[4] = {0}, b[4] = {0};
    FAILS(MPI_ERR_OP, MPI_Reduce_local(a, b, 1, MPI_WCHAR, MPI_SUM));
    FAILS(MPI_ERR_BUFFER, MPI_Reduce_local(MPI_IN_PLACE, b, 1, MPI_INT, MPI_SUM));
    FAILS(MPI_ERR_BUFFER, MPI_Reduce_local(b, b, 1, MPI_INT, MPI_SUM));
    FAILS(MPI_ERR_BUFFER, MPI_Reduce_local(a, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM));
    FAILS(MPI_ERR_OP, MPI_Reduce_local(a, b, 1, MPI_FLOAT, MPI_BAND));
    FAILS(MPI_ERR_OP, MPI_Reduce_local(a, b, 1, MPI_BYTE, MPI_SUM));
    FAILS(MPI_ERR_OP, MPI_Reduce_local(a, b, 1, MPI_INT, MPI_MAXLOC));
    FAILS(MPI_ERR_OP, MPI_Reduce_local(a, b, 1, MPI_2INT, MPI_SUM));
    FAILS(MPI_ERR_OP, MPI_Reduce_local(a, b, 1, MPI_INT, MPI_OP_NULL));
    FAILS(MPI_ERR_OP, MPI_Reduce_local(a, b, 1, MPI_INT, MPI_REPLACE));
    FAILS(MPI_ERR_OP, MPI_Reduce_local(a, b, 1, MPI_INT, op));
    FAILS(MPI_ERR_OP, MPI_Reduce_local(a, b, 1, sparse, MPI_SUM));
    FAILS(MPI_ERR_COUNT, MPI_Reduce_local(a, b, -1, MPI_INT, MPI_SUM));
    FAILS(MPI_ERR_TYPE, MPI_Reduce_local(a, b, 1, MPI_DATATYPE_NULL, MPI_SUM));
    op = MPI_SUM;
    FAILS(MPI_ERR_OP, MPI_Op_free(&op));
    FAILS(MPI_ERR_ARG, MPI_Op_create(NULL, 1, &op));
    OK(MPI_Type_contiguous(2, MPI_INT, &pair));
    OK(MPI_Type_commit(&pair));
    a[0] = a[1] = a[2] = a[3] = 5;
    /* Nothing but ints, without gaps, but not predefined. */
    FAILS(MPI_ERR_OP, MPI_Reduce_local(a, b, 2, pair, MPI_SUM));
    CHECK(b[0] == 0 && b[3] == 0);
    MPI_Datatype same;
    OK(MPI_Type_dup(MPI_INT, &same));
    FAILS(MPI_ERR_OP, MPI_Reduce_local(a, b, 2, same, MPI_SUM));
    OK(MPI_Type_free(&same));
    /* Those of Fortran's kinds are predefined. */
    OK(MPI_Type_create_f90_integer(9, &same));
    OK(MPI_Reduce_local(a, b, 4, same, MPI_SUM));
    CHECK(b[0] == 5 && b[3] == 5);
    many();
    OK(MPI_Type_free(&pair));
    OK(MPI_Type_free(&sparse));
    PASS();
}
