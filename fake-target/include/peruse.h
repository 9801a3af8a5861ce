/*
 * peruse.h - PERUSE 2.0: tools are called back when something happens to the requests, messages and
 * queues of point-to-point communication.
 *
 * It has the types, constants and functions of appendices A and D of the specification, the few
 * names that only its text defines, and those of appendix E. docs/peruse.md describes what this MPI does where the text
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

/* What a callback is told about a call that works on a window (12.3.4). */
typedef struct _peruse_win_spec_t {
    MPI_Win win;
    void *o_buf; /* NULL in synchronisations, as the other elements are none */
    int o_count; /* MPI_UNDEFINED where an int cannot hold it */
    MPI_Datatype o_datatype;
    void *t_buf; /* the address in the target's process */
    int t_count;
    MPI_Datatype t_datatype;
    MPI_Op acc_op; /* MPI_OP_NULL where nothing is combined */
    int peer;      /* MPI_UNDEFINED where the call has no target */
    int operation;
} peruse_win_spec_t;

typedef int(peruse_win_callback_f)(peruse_event_h event_h, MPI_Aint unique_id,
                                   peruse_win_spec_t *spec, void *param);
typedef peruse_win_callback_f peruse_win_callback_t; /* as 12.3.1 spells it */

/* What a callback is told about a call that accesses a file (12.2.4). */
typedef struct _peruse_file_spec_t {
    MPI_File file;
    void *buf;
    int count; /* MPI_UNDEFINED where an int cannot hold it */
    MPI_Datatype datatype;
    MPI_Offset offset; /* in etypes; MPI_UNDEFINED while it is not known */
    int operation;
} peruse_file_spec_t;

typedef int(peruse_file_callback_f)(peruse_event_h event_h, MPI_Aint unique_id,
                                    peruse_file_spec_t *spec, void *param);
typedef peruse_file_callback_f peruse_file_callback_t;

/* A communicator (12.4). The id is the same in all its processes. */
typedef struct _peruse_comm_t {
    MPI_Comm comm;
    char *name;
    int unique_id;
} peruse_comm_t;

/* A process that was started (12.5). */
typedef struct _peruse_process_t {
    int PID;
    char *image_name; /* empty where the system does not tell it */
    char *node_name;
    int peruse_process_id;
} peruse_process_t;

/* What a callback is told about the start of processes (12.5). */
typedef struct _peruse_spawn_spec_t {
    peruse_comm_t *p_comm;
    char **argv;  /* NULL except at the root, and for several programs */
    int maxprocs; /* 0 before the start except at the root */
    MPI_Info info;
    int root;
    peruse_comm_t *p_intercomm; /* NULL before the start, or if it has failed */
    int **array_of_errcodes;
    peruse_process_t *list_of_processes; /* maxprocs of them; NULL where p_intercomm is */
} peruse_spawn_spec_t;

typedef int(peruse_spawn_callback_f)(peruse_event_h event_h, MPI_Aint unique_id,
                                     peruse_spawn_spec_t *spec, void *param);

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
    PERUSE_ERR_MPI_OBJECT,   /* the handle's communicator, window or file has been freed */
    PERUSE_ERR_LOCK,         /* the thread has the lock already, or has no lock to release */
    PERUSE_ERR_UNLOCK,       /* not returned: 5.2.17 has PERUSE_Unlock return PERUSE_ERR_LOCK */
    PERUSE_ERR_LOCK_NOT_GRANTABLE, /* the callback cannot have the lock */
    PERUSE_ERR_WIN,                /* not a window: of class MPI_ERR_WIN */
    PERUSE_ERR_FILE                /* not a file: of class MPI_ERR_FILE */
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

/* Operations: the field `operation` of specifications */
enum {
    PERUSE_SEND,
    PERUSE_RECV,
    PERUSE_PUT,
    PERUSE_GET,
    PERUSE_ACC,
    PERUSE_IO_READ,
    PERUSE_IO_WRITE,
    PERUSE_WIN_FENCE, /* synchronisations (12.6) */
    PERUSE_WIN_START,
    PERUSE_WIN_COMPLETE,
    PERUSE_WIN_POST,
    PERUSE_WIN_WAIT,
    PERUSE_WIN_LOCK,
    PERUSE_WIN_UNLOCK,
    PERUSE_WIN_FLUSH /* not in the document */
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

/* Windows: 12.3 */
int PERUSE_Event_win_register(int event, MPI_Win win, peruse_win_callback_f *callback_fn,
                              void *param, peruse_event_h *event_h);
int PERUSE_Event_win_callback_set(peruse_event_h event_h, peruse_win_callback_f *callback_fn,
                                  void *param);
int PERUSE_Event_win_callback_get(peruse_event_h event_h, peruse_win_callback_f **callback_fn,
                                  void **param);

/* Files: 12.2 and 12.7 */
int PERUSE_Event_file_register(int event, MPI_File file, peruse_file_callback_f *callback_fn,
                               void *param, peruse_event_h *event_h);
int PERUSE_Event_file_callback_set(peruse_event_h event_h, peruse_file_callback_f *callback_fn,
                                   void *param);
int PERUSE_Event_file_callback_get(peruse_event_h event_h, peruse_file_callback_f **callback_fn,
                                   void **param);
int PERUSE_Query_file_name(MPI_File file, char **file_name);

/* The start of processes: 12.5 */
int PERUSE_Event_spawn_register(int event, MPI_Comm comm, peruse_spawn_callback_f *callback_fn,
                                void *param, peruse_event_h *event_h);
int PERUSE_Event_spawn_callback_set(peruse_event_h event_h, peruse_spawn_callback_f *callback_fn,
                                    void *param);
int PERUSE_Event_spawn_callback_get(peruse_event_h event_h, peruse_spawn_callback_f **callback_fn,
                                    void **param);

#ifdef __cplusplus
}
#endif

#endif
