/*
 * long_double.c - the reductions of long double, a type that Rust does not have:
 * inout[i] = input[i] op inout[i].
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

/* Of equal values the one with the lower index. */
static located lower(located a, located b)
{
    return a.index < b.index ? a : b;
}

KERNEL(mqdrt_long_double_minloc, located,
       a.value == b.value ? lower(a, b) : a.value < b.value ? a : b)
KERNEL(mqdrt_long_double_maxloc, located,
       a.value == b.value ? lower(a, b) : a.value > b.value ? a : b)
