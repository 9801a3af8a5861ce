/*
 * check.h - what the test programs have in common: CHECK ends the job with a message, PASS reports
 * that a process has ended.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                              \
    do {                                                                              \
        if (!(condition)) {                                                           \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

/* The call succeeds. */
#define OK(call) CHECK((call) == MPI_SUCCESS)

/* The call fails with an error of the class. */
#define FAILS(class, call)                                                                \
    do {                                                                                  \
        int code_ = (call), class_ = -1;                                                  \
        MPI_Error_class(code_, &class_);                                                  \
        if (class_ != (class)) {                                                          \
            fprintf(stderr, "%s:%d: %s returned %d (class %d) instead of %s\n", __FILE__, \
                    __LINE__, #call, code_, class_, #class);                              \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

#define PASS()              \
    do {                    \
        OK(MPI_Finalize()); \
        printf("passed\n"); \
        return 0;           \
    } while (0)
