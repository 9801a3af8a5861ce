/*
 * peruse.h - PERUSE 2.0: tools are called back when something happens to the requests, messages and
 * queues of point-to-point communication.
 *
 * It has the types, constants and functions of appendices A and D of the specification, and the few
 * names that only its text defines. docs/peruse.md describes what this MPI does where the text
 * leaves a choice, and its additional events.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#ifndef PERUSE_H
#define PERUSE_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An event handle (5.1.1): opaque. */
typedef long peruse_event_h;
#define PERUSE_EVENT_HANDLE_NULL ((peruse_event_h)0)

/* What a callback is told about the operation: the arguments of the user's call (5.1.2). */
typedef struct _peruse_comm_spec_t {
    MPI_Comm comm;
    void *buf;
    int count; /* MPI_UNDEFINED where an int cannot hold it */
    MPI_Datatype datatype;
    int peer;
    int tag;
    int operation;
} peruse_comm_spec_t;

/* A callback (5.1.2) returns MPI_SUCCESS; anything else ends the job. */
typedef int(peruse_comm_callback_f)(peruse_event_h event_h, MPI_Aint unique_id,
                                    peruse_comm_spec_t *spec, void *param);
typedef peruse_comm_callback_f peruse_comm_callback_t; /* as 5.2.7 spells it */

/* Return codes */
enum {
    PERUSE_SUCCESS,
    PERUSE_ERR_INIT,         /* PERUSE_Init has not been called */
    PERUSE_ERR_GENERIC,      /* unspecified; also: a callback has tried to change a handle */
    PERUSE_ERR_MALLOC,       /* no memory */
    PERUSE_ERR_EVENT,        /* not an event */
    PERUSE_ERR_EVENT_HANDLE, /* not an event handle, or one in the wrong state */
    PERUSE_ERR_PARAMETER,    /* a wrong argument */
    PERUSE_ERR_MPI_INIT,     /* MPI is not running */
    PERUSE_ERR_COMM,         /* not a communicator: of class MPI_ERR_COMM */
    PERUSE_ERR_MPI_OBJECT,   /* the handle's communicator has been freed */
    PERUSE_ERR_LOCK,         /* the thread has the lock already, or has no lock to release */
    PERUSE_ERR_UNLOCK,       /* not returned: 5.2.17 has PERUSE_Unlock return PERUSE_ERR_LOCK */
    PERUSE_ERR_LOCK_NOT_GRANTABLE /* the callback cannot have the lock */
};
#define PERUSE_LOCK_NOT_GRANTABLE PERUSE_ERR_LOCK_NOT_GRANTABLE /* as 5.2.16 spells it */

/* Events */
enum {
    PERUSE_EVENT_INVALID,

    /* Point-to-point requests and messages (4.3) */
    PERUSE_COMM_REQ_ACTIVATE,
    PERUSE_COMM_REQ_MATCH_UNEX,
    PERUSE_COMM_REQ_INSERT_IN_POSTED_Q,
    PERUSE_COMM_REQ_REMOVE_FROM_POSTED_Q,
    PERUSE_COMM_REQ_XFER_BEGIN,
    PERUSE_COMM_REQ_XFER_END,
    PERUSE_COMM_REQ_COMPLETE,
    PERUSE_COMM_REQ_NOTIFY,
    PERUSE_COMM_MSG_ARRIVED,
    PERUSE_COMM_MSG_INSERT_IN_UNEX_Q,
    PERUSE_COMM_MSG_REMOVE_FROM_UNEX_Q,
    PERUSE_COMM_MSG_MATCH_POSTED_REQ,

    /* Searches in queues (4.4) */
    PERUSE_COMM_SEARCH_POSTED_Q_BEGIN,
    PERUSE_COMM_SEARCH_POSTED_Q_END,
    PERUSE_COMM_SEARCH_UNEX_QUEUE_BEGIN,
    PERUSE_COMM_SEARCH_UNEX_Q_END,

    /* The first event that is specific to this MPI; PERUSE_Query_event finds them by name */
    PERUSE_FIRST_CUSTOM_EVENT
};

/* Scopes of queues (5.2.6) */
enum {
    PERUSE_PER_COMM,
    PERUSE_PER_TAG,
    PERUSE_PER_SOURCE,
    PERUSE_GLOBAL,
    PERUSE_PER_PEER
};

/* Operations: peruse_comm_spec_t.operation */
enum {
    PERUSE_SEND,
    PERUSE_RECV,
    PERUSE_PUT,
    PERUSE_GET,
    PERUSE_ACC,
    PERUSE_IO_READ,
    PERUSE_IO_WRITE
};

/* Modes of PERUSE_Event_propagate (5.4) */
enum {
    PERUSE_FALSE,
    PERUSE_TRUE
};

/* The environment: 5.2.1 to 5.2.6, 5.2.16, 5.2.17 */
int PERUSE_Init(void);
int PERUSE_Query_supported_events(int *num_supported, char ***event_names, int **events);
int PERUSE_Query_event(const char *event_name, int *event);
int PERUSE_Query_event_name(int event, char **event_name);
int PERUSE_Query_environment(int *env_size, char ***env);
int PERUSE_Query_queue_event_scope(int *scope);
int PERUSE_Lock(void);
int PERUSE_Unlock(void);

/* Event handles: 5.2.7 to 5.2.15 */
int PERUSE_Event_comm_register(int event, MPI_Comm comm, peruse_comm_callback_f *callback_fn,
                               void *param, peruse_event_h *event_h);
int PERUSE_Event_activate(peruse_event_h event_h);
int PERUSE_Event_deactivate(peruse_event_h event_h);
int PERUSE_Event_release(peruse_event_h *event_h);
int PERUSE_Event_get(peruse_event_h event_h, int *event);
int PERUSE_Event_object_get(peruse_event_h event_h, void **mpi_object);
int PERUSE_Event_comm_callback_set(peruse_event_h event_h, peruse_comm_callback_f *callback_fn,
                                   void *param);
int PERUSE_Event_comm_callback_get(peruse_event_h event_h, peruse_comm_callback_f **callback_fn,
                                   void **param);
int PERUSE_Event_propagate(peruse_event_h event_h, int mode);

#ifdef __cplusplus
}
#endif

#endif
