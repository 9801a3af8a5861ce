/*
 * mpi_t.h - what the programs that test the tool information interface have in common.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#include "check.h"

/* The call returns exactly this code: the interface returns error classes (14.3.9). */
#define CODE(code, call)                                                                        \
    do {                                                                                        \
        int code_ = (call);                                                                     \
        if (code_ != (code)) {                                                                  \
            fprintf(stderr, "%s:%d: %s returned %d instead of %s\n", __FILE__, __LINE__, #call, \
                    code_, #code);                                                              \
            exit(1);                                                                            \
        }                                                                                       \
    } while (0)

static inline int cvar_index(const char *name)
{
    int index = -1;
    OK(MPI_T_cvar_get_index(name, &index));
    return index;
}

/* The handle of a control variable that is not bound to an object. */
static inline MPI_T_cvar_handle cvar(const char *name)
{
    MPI_T_cvar_handle handle;
    int count;
    OK(MPI_T_cvar_handle_alloc(cvar_index(name), NULL, &handle, &count));
    return handle;
}

static inline int cvar_int(const char *name)
{
    MPI_T_cvar_handle handle = cvar(name);
    int value;
    OK(MPI_T_cvar_read(handle, &value));
    OK(MPI_T_cvar_handle_free(&handle));
    return value;
}

static inline void set_cvar_int(const char *name, int value)
{
    MPI_T_cvar_handle handle = cvar(name);
    OK(MPI_T_cvar_write(handle, &value));
    OK(MPI_T_cvar_handle_free(&handle));
}

static inline int pvar_index(const char *name, int class)
{
    int index = -1;
    OK(MPI_T_pvar_get_index(name, class, &index));
    return index;
}

/* A handle of a performance variable of one element; object: NULL or the address of a communicator.
 */
static inline MPI_T_pvar_handle pvar(MPI_T_pvar_session session, const char *name, int class,
                                     void *object)
{
    MPI_T_pvar_handle handle;
    int count = -1;
    OK(MPI_T_pvar_handle_alloc(session, pvar_index(name, class), object, &handle, &count));
    CHECK(count == 1);
    return handle;
}

static inline unsigned long value_of(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    unsigned long value = 4711;
    OK(MPI_T_pvar_read(session, handle, &value));
    return value;
}

static inline int event_index(const char *name)
{
    int index = -1;
    OK(MPI_T_event_get_index(name, &index));
    return index;
}
