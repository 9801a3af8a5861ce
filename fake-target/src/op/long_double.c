/*
 * long_double.c - the reductions of formats that Rust does not have: long double, and numbers of
 * 16 bytes in the IEEE format (MPI_REAL16, MPI_COMPLEX32). inout[i] = input[i] op inout[i].
 *
 * The buffers of a program need not be aligned, so elements are copied in and out.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#include <complex.h>
#include <stddef.h>
#include <string.h>

typedef struct {
    long double value;
    int index;
} located;

#ifdef __x86_64__
typedef __float128 quad;
#else
typedef long double quad;
#endif

typedef struct {
    quad real, imaginary;
} quad_complex;

#define KERNEL(name, type, result)                                                      \
    __attribute__((visibility("hidden"))) void name(size_t count, const char *input, char *inout) \
    {                                                                                   \
        for (size_t i = 0; i < count; i++) {                                            \
            type a, b;                                                                  \
            memcpy(&a, input + i * sizeof a, sizeof a);                                 \
            memcpy(&b, inout + i * sizeof b, sizeof b);                                 \
            b = (result);                                                               \
            memcpy(inout + i * sizeof b, &b, sizeof b);                                 \
        }                                                                               \
    }

KERNEL(mqdrt_long_double_sum, long double, a + b)
KERNEL(mqdrt_long_double_prod, long double, a * b)
KERNEL(mqdrt_long_double_min, long double, a < b ? a : b)
KERNEL(mqdrt_long_double_max, long double, a > b ? a : b)
KERNEL(mqdrt_long_complex_sum, long double _Complex, a + b)
KERNEL(mqdrt_long_complex_prod, long double _Complex, a * b)

KERNEL(mqdrt_quad_sum, quad, a + b)
KERNEL(mqdrt_quad_prod, quad, a * b)
KERNEL(mqdrt_quad_min, quad, a < b ? a : b)
KERNEL(mqdrt_quad_max, quad, a > b ? a : b)

static quad_complex sum(quad_complex a, quad_complex b)
{
    return (quad_complex){a.real + b.real, a.imaginary + b.imaginary};
}

static quad_complex product(quad_complex a, quad_complex b)
{
    return (quad_complex){a.real * b.real - a.imaginary * b.imaginary,
                          a.real * b.imaginary + a.imaginary * b.real};
}

KERNEL(mqdrt_quad_complex_sum, quad_complex, sum(a, b))
KERNEL(mqdrt_quad_complex_prod, quad_complex, product(a, b))

/* Of equal values the one with the lower index. */
static located lower(located a, located b)
{
    return a.index < b.index ? a : b;
}

KERNEL(mqdrt_long_double_minloc, located,
       a.value == b.value ? lower(a, b) : a.value < b.value ? a : b)
KERNEL(mqdrt_long_double_maxloc, located,
       a.value == b.value ? lower(a, b) : a.value > b.value ? a : b)
