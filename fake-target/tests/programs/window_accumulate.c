/*
 * window_accumulate.c - every predefined operation on every kind of element it is defined for, by
 * accumulate, get_accumulate and fetch_and_op, compared with the same computed in C. Atomicity,
 * order, derived datatypes, compare-and-swap.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#include <complex.h>
#include <stdbool.h>
#include <stdint.h>

#include "check.h"

static int rank, size;
static MPI_Win win;
static unsigned char *base;

enum { COUNT = 5, BYTES = 4096 };

/* `before` of the target becomes `after`: by the three functions, in turn. */
static void check(MPI_Op op, MPI_Datatype type, const void *mine, const void *before,
                  const void *after, size_t bytes) {
    int next = (rank + 1) % size;
    unsigned char got[512];
    CHECK(bytes <= sizeof got && bytes % COUNT == 0);
    size_t each = bytes / COUNT;
    for (int how = 0; how < 3; how++) {
        memcpy(base, before, bytes);
        OK(MPI_Win_fence(0, win));
        memset(got, 0, sizeof got);
        if (how == 0 && op != MPI_NO_OP)
            OK(MPI_Accumulate(mine, COUNT, type, next, 0, COUNT, type, op, win));
        if (how == 1)
            OK(MPI_Get_accumulate(mine, COUNT, type, got, COUNT, type, next, 0, COUNT, type, op,
                                  win));
        for (int i = 0; how == 2 && i < COUNT; i++)
            OK(MPI_Fetch_and_op((char *)mine + i * each, got + i * each, type, next, i * each, op,
                                win));
        OK(MPI_Win_fence(0, win));
        CHECK(memcmp(base, after, bytes) == 0);
        if (how > 0) CHECK(memcmp(got, before, bytes) == 0);
    }
}

#define ARITHMETIC(C, TYPE)                                                               \
    do {                                                                                  \
        C a[COUNT] = {1, 2, 3, 40, 7}, b[COUNT] = {5, 2, 1, 3, 9}, r[COUNT];              \
        OPERATION(C, TYPE, MPI_SUM, a[i] + b[i]);                                         \
        OPERATION(C, TYPE, MPI_PROD, a[i] * b[i]);                                        \
    } while (0)
#define ORDERED(C, TYPE)                                                                  \
    do {                                                                                  \
        C a[COUNT] = {1, 2, 3, 40, 7}, b[COUNT] = {5, 2, 1, 3, 9}, r[COUNT];              \
        OPERATION(C, TYPE, MPI_MIN, a[i] < b[i] ? a[i] : b[i]);                           \
        OPERATION(C, TYPE, MPI_MAX, a[i] > b[i] ? a[i] : b[i]);                           \
    } while (0)
#define LOGICAL(C, TYPE)                                                                  \
    do {                                                                                  \
        C a[COUNT] = {1, 0, 1, 0, 1}, b[COUNT] = {1, 1, 0, 0, 1}, r[COUNT];               \
        OPERATION(C, TYPE, MPI_LAND, a[i] && b[i]);                                       \
        OPERATION(C, TYPE, MPI_LOR, a[i] || b[i]);                                        \
        OPERATION(C, TYPE, MPI_LXOR, !a[i] != !b[i]);                                     \
    } while (0)
#define BITWISE(C, TYPE)                                                                  \
    do {                                                                                  \
        C a[COUNT] = {1, 6, 3, 40, 7}, b[COUNT] = {5, 3, 1, 12, 9}, r[COUNT];             \
        OPERATION(C, TYPE, MPI_BAND, a[i] & b[i]);                                        \
        OPERATION(C, TYPE, MPI_BOR, a[i] | b[i]);                                         \
        OPERATION(C, TYPE, MPI_BXOR, a[i] ^ b[i]);                                        \
    } while (0)
#define COPYING(C, TYPE)                                                                  \
    do {                                                                                  \
        C a[COUNT], b[COUNT], r[COUNT];                                                   \
        memset(a, 3, sizeof a);                                                           \
        memset(b, 5, sizeof b);                                                           \
        OPERATION(C, TYPE, MPI_REPLACE, a[i]);                                            \
        OPERATION(C, TYPE, MPI_NO_OP, b[i]);                                              \
    } while (0)
/* `a` is the origin's, `b` is at the target. */
#define OPERATION(C, TYPE, OP, RESULT)                                                    \
    do {                                                                                  \
        memset(r, 0, sizeof r);                                                           \
        for (int i = 0; i < COUNT; i++) r[i] = (C)(RESULT);                               \
        check(OP, TYPE, a, b, r, sizeof r);                                               \
    } while (0)
#define INTEGER(C, TYPE)   \
    do {                   \
        ARITHMETIC(C, TYPE); \
        ORDERED(C, TYPE);  \
        LOGICAL(C, TYPE);  \
        BITWISE(C, TYPE);  \
        COPYING(C, TYPE);  \
    } while (0)
#define REAL(C, TYPE)      \
    do {                   \
        ARITHMETIC(C, TYPE); \
        ORDERED(C, TYPE);  \
        COPYING(C, TYPE);  \
    } while (0)

static void numbers(void) {
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
    INTEGER(int16_t, MPI_INT16_T);
    INTEGER(int32_t, MPI_INT32_T);
    INTEGER(int64_t, MPI_INT64_T);
    INTEGER(uint8_t, MPI_UINT8_T);
    INTEGER(uint16_t, MPI_UINT16_T);
    INTEGER(uint32_t, MPI_UINT32_T);
    INTEGER(uint64_t, MPI_UINT64_T);
    INTEGER(MPI_Aint, MPI_AINT);
    INTEGER(MPI_Offset, MPI_OFFSET);
    INTEGER(MPI_Count, MPI_COUNT);
    REAL(float, MPI_FLOAT);
    REAL(double, MPI_DOUBLE);
    ARITHMETIC(float complex, MPI_C_FLOAT_COMPLEX);
    ARITHMETIC(double complex, MPI_C_DOUBLE_COMPLEX);
    LOGICAL(bool, MPI_C_BOOL);
    BITWISE(unsigned char, MPI_BYTE);
    COPYING(unsigned char, MPI_BYTE);
    COPYING(char, MPI_CHAR);
    COPYING(wchar_t, MPI_WCHAR);
}

/* A value and where it was found. */
#define LOCATED(V, TYPE)                                                                   \
    do {                                                                                   \
        struct { V value; int index; } a[3], b[3], *w = (void *)base, got[3];              \
        int next = (rank + 1) % size;                                                      \
        for (int max = 0; max < 2; max++) {                                                \
            memset(a, 0, sizeof a);                                                        \
            memset(base, 0, sizeof b);                                                     \
            for (int i = 0; i < 3; i++) {                                                  \
                a[i].value = 5, a[i].index = 10 + i;                                       \
                w[i].value = b[i].value = 4 + i, w[i].index = b[i].index = 11;             \
            }                                                                              \
            OK(MPI_Win_fence(0, win));                                                     \
            OK(MPI_Get_accumulate(a, 3, TYPE, got, 3, TYPE, next, 0, 3, TYPE,              \
                                  max ? MPI_MAXLOC : MPI_MINLOC, win));                    \
            OK(MPI_Win_fence(0, win));                                                     \
            for (int i = 0; i < 3; i++) {                                                  \
                CHECK(got[i].value == b[i].value && got[i].index == 11);                   \
                V value = max ? (i == 2 ? 6 : 5) : (i == 0 ? 4 : 5);                       \
                int index = i == 1 ? 11 : (max ? i == 0 : i == 2) ? 10 + i : 11;           \
                CHECK(w[i].value == value && w[i].index == index);                         \
            }                                                                              \
        }                                                                                  \
    } while (0)

static void located(void) {
    LOCATED(float, MPI_FLOAT_INT);
    LOCATED(double, MPI_DOUBLE_INT);
    LOCATED(long, MPI_LONG_INT);
    LOCATED(int, MPI_2INT);
    LOCATED(short, MPI_SHORT_INT);
    LOCATED(long double, MPI_LONG_DOUBLE_INT);
}

static void long_doubles(void) {
    long double *w = (void *)base, mine[3] = {1.5L, 2.25L, -3}, got[3];
    int next = (rank + 1) % size;
    for (int i = 0; i < 3; i++) w[i] = i + 1;
    OK(MPI_Win_fence(0, win));
    OK(MPI_Get_accumulate(mine, 3, MPI_LONG_DOUBLE, got, 3, MPI_LONG_DOUBLE, next, 0, 3,
                          MPI_LONG_DOUBLE, MPI_PROD, win));
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i < 3; i++) CHECK(got[i] == i + 1 && w[i] == mine[i] * (i + 1));
    OK(MPI_Win_fence(0, win));
}

/* All ranks add to the same elements; the sum is known. */
static void all_add(void) {
    enum { TIMES = 300 };
    long *w = (void *)base, ones[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    memset(base, 0, 8 * sizeof(long));
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i < TIMES; i++)
        for (int to = 0; to < size; to++)
            OK(MPI_Accumulate(ones, 8, MPI_LONG, to, 0, 8, MPI_LONG, MPI_SUM, win));
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i < 8; i++) CHECK(w[i] == (long)(i + 1) * TIMES * size);
    OK(MPI_Win_fence(0, win));
    /* Operations of one origin on one place happen in their order. */
    int *v = (void *)base, three = 3, ten = 10, got, next = (rank + 1) % size;
    *v = 1;
    OK(MPI_Win_fence(0, win));
    OK(MPI_Accumulate(&three, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_SUM, win));
    OK(MPI_Accumulate(&ten, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_PROD, win));
    OK(MPI_Fetch_and_op(&three, &got, MPI_INT, next, 0, MPI_REPLACE, win));
    OK(MPI_Win_fence(0, win));
    CHECK(got == 40 && *v == 3);
    OK(MPI_Win_fence(0, win));
}

/* Every second element of the target, from a row, and into a column of the result. */
static void derived_datatypes(void) {
    enum { N = 50 };
    int *w = (void *)base, row[N], column[3 * N], next = (rank + 1) % size;
    MPI_Datatype second, third, pairs;
    OK(MPI_Type_vector(N, 1, 2, MPI_INT, &second));
    OK(MPI_Type_vector(N, 1, 3, MPI_INT, &third));
    OK(MPI_Type_vector(2, 1, 2, MPI_DOUBLE_INT, &pairs));
    OK(MPI_Type_commit(&second));
    OK(MPI_Type_commit(&third));
    OK(MPI_Type_commit(&pairs));
    for (int i = 0; i < 2 * N; i++) w[i] = i;
    for (int i = 0; i < N; i++) row[i] = 100 * rank + i;
    memset(column, -1, sizeof column);
    OK(MPI_Win_fence(0, win));
    OK(MPI_Accumulate(row, N, MPI_INT, next, 4, 1, second, MPI_SUM, win));
    OK(MPI_Win_fence(0, win));
    int previous = (rank + size - 1) % size;
    for (int i = 0; i < N - 1; i++)
        CHECK(w[2 * i] == 2 * i && w[2 * i + 1] == 2 * i + 1 + 100 * previous + i);
    OK(MPI_Win_fence(0, win));
    OK(MPI_Get_accumulate(row, N, MPI_INT, column, 1, third, next, 0, 1, second, MPI_MAX, win));
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i < N; i++)
        CHECK(column[3 * i] == 2 * i && (i == N - 1 || column[3 * i + 1] == -1));
    for (int i = 0; i < N; i++) {
        int theirs = 100 * previous + i;
        CHECK(w[2 * i] == (theirs > 2 * i ? theirs : 2 * i));
    }
    OK(MPI_Win_fence(0, win));
    struct { double value; int index; } *p = (void *)base, two[2];
    memset(two, 0, sizeof two);
    memset(base, 0, 4 * sizeof *p);
    for (int i = 0; i < 2; i++) two[i].value = i, two[i].index = rank;
    for (int i = 0; i < 4; i++) p[i].value = 0.5, p[i].index = 1000 + i;
    OK(MPI_Win_fence(0, win));
    OK(MPI_Accumulate(two, 2, MPI_DOUBLE_INT, next, 0, 1, pairs, MPI_MAXLOC, win));
    OK(MPI_Win_fence(0, win));
    CHECK(p[0].value == 0.5 && p[0].index == 1000 && p[1].value == 0.5 && p[1].index == 1001);
    CHECK(p[2].value == 1 && p[2].index == previous && p[3].index == 1003);
    OK(MPI_Win_fence(0, win));
    OK(MPI_Type_free(&second));
    OK(MPI_Type_free(&third));
    OK(MPI_Type_free(&pairs));
}

#define SWAP(C, TYPE)                                                                     \
    do {                                                                                  \
        C *w = (void *)base, new = 7, same = 3, other = 4, was = 0;                       \
        int next = (rank + 1) % size;                                                     \
        *w = 3;                                                                           \
        OK(MPI_Win_fence(0, win));                                                        \
        OK(MPI_Compare_and_swap(&new, &other, &was, TYPE, next, 0, win));                 \
        CHECK(was == 3);                                                                  \
        OK(MPI_Compare_and_swap(&new, &same, &was, TYPE, next, 0, win));                  \
        CHECK(was == 3);                                                                  \
        OK(MPI_Compare_and_swap(&other, &same, &was, TYPE, next, 0, win));                \
        CHECK(was == 7);                                                                  \
        OK(MPI_Win_fence(0, win));                                                        \
        CHECK(*w == 7);                                                                   \
        OK(MPI_Win_fence(0, win));                                                        \
    } while (0)

static void swaps(void) {
    SWAP(signed char, MPI_SIGNED_CHAR);
    SWAP(unsigned char, MPI_BYTE);
    SWAP(short, MPI_SHORT);
    SWAP(int, MPI_INT);
    SWAP(unsigned long, MPI_UNSIGNED_LONG);
    SWAP(int64_t, MPI_INT64_T);
    SWAP(MPI_Aint, MPI_AINT);
    SWAP(MPI_Count, MPI_COUNT);
}

static void twice(void *in, void *inout, int *length, MPI_Datatype *type) {
    (void)in, (void)inout, (void)length, (void)type;
}

static void errors(void) {
    int value = 1, got;
    double real = 1, real_got, real_new = 2;
    MPI_Op user;
    OK(MPI_Op_create(twice, 1, &user));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_fence(0, win));
    FAILS(MPI_ERR_OP, MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, user, win));
    FAILS(MPI_ERR_OP, MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, win));
    FAILS(MPI_ERR_OP, MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_OP_NULL, win));
    FAILS(MPI_ERR_OP, MPI_Accumulate(&real, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, MPI_BAND, win));
    FAILS(MPI_ERR_TYPE, MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_FLOAT, MPI_SUM, win));
    FAILS(MPI_ERR_TYPE, MPI_Compare_and_swap(&real_new, &real, &real_got, MPI_DOUBLE, 0, 0, win));
    FAILS(MPI_ERR_RANK, MPI_Fetch_and_op(&value, &got, MPI_INT, size, 0, MPI_SUM, win));
    FAILS(MPI_ERR_RMA_RANGE, MPI_Fetch_and_op(&value, &got, MPI_INT, 0, BYTES - 3, MPI_SUM, win));
    MPI_Datatype two;
    OK(MPI_Type_contiguous(2, MPI_INT, &two));
    OK(MPI_Type_commit(&two));
    FAILS(MPI_ERR_TYPE, MPI_Fetch_and_op(&value, &got, two, 0, 0, MPI_SUM, win));
    OK(MPI_Type_free(&two));
    OK(MPI_Op_free(&user));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_ARE_FATAL));
}

/* Datatypes of Fortran's kinds are predefined, so single elements can be of them. */
static void kinds(void) {
    MPI_Datatype integer, real;
    OK(MPI_Type_create_f90_integer(18, &integer));
    OK(MPI_Type_create_f90_real(15, MPI_UNDEFINED, &real));
    long long one = 1, expected = 0, got = -1;
    double half = 0.5, before = -1;
    memset(base, 0, 16);
    OK(MPI_Win_fence(0, win));
    if (rank == 0) {
        OK(MPI_Fetch_and_op(&half, &before, real, 0, 8, MPI_SUM, win));
        OK(MPI_Compare_and_swap(&one, &expected, &got, integer, 0, 0, win));
    }
    OK(MPI_Win_fence(0, win));
    if (rank == 0) {
        memcpy(&one, base, 8), memcpy(&half, (char *)base + 8, 8);
        CHECK(got == 0 && before == 0 && one == 1 && half == 0.5);
    }
    OK(MPI_Win_fence(0, win));
}

int main(int argc, char **argv) {
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    for (int created = 0; created < 2; created++) {
        if (created) {
            base = aligned_alloc(64, BYTES);
            OK(MPI_Win_create(base, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        } else {
            OK(MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
        }
        OK(MPI_Win_fence(0, win));
        numbers();
        located();
        long_doubles();
        all_add();
        derived_datatypes();
        swaps();
        kinds();
        errors();
        OK(MPI_Win_fence(0, win));
        OK(MPI_Win_free(&win));
        if (created) free(base);
    }
    PASS();
}
