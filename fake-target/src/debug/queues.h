/*
 * queues.h - what a debugger sees of the runtime.
 *
 * Every object that the matching engine works on begins with one of these structures: they are the
 * queues themselves, not a copy for debuggers. The engine is written in Rust. queues.rs mirrors
 * this file, and a test compares the two. This C unit exists so that the DWARF has the types under
 * plain C names.
 *
 * The debug DLL knows the names of the fields and their C types from this file. The only types are
 * int, long long, pointers and arrays of char, so that a reader needs only mqs_field_offset and
 * mqs_get_type_sizes.
 *
 * Lists end with NULL. A communicator, group, datatype or request stays at its address for life.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#ifndef MQDRT_QUEUES_H
#define MQDRT_QUEUES_H

enum { MQDRT_LAYOUT_VERSION = 4 };

/* mqdrt_process.phase */
enum { MQDRT_NOT_INITIALIZED = 0, MQDRT_RUNNING = 1, MQDRT_FINALIZED = 2 };

/* mqdrt_request.kind */
enum {
    MQDRT_SEND_STANDARD = 1,
    MQDRT_SEND_BUFFERED = 2,
    MQDRT_SEND_SYNCHRONOUS = 3,
    MQDRT_SEND_READY = 4,
    MQDRT_RECEIVE = 5,
    MQDRT_MATCHED_RECEIVE = 6, /* the receive of a message that a probe has matched */
    MQDRT_PROBE = 7            /* a blocking probe that waits */
};

/* mqdrt_request.state */
enum {
    MQDRT_INACTIVE = 0, /* a persistent request between its uses; on no list */
    MQDRT_PENDING = 1,
    MQDRT_MATCHED = 2,
    MQDRT_COMPLETE = 3  /* finished; the program has not waited for it yet */
};

/* mqdrt_request.protocol and mqdrt_message.protocol */
enum {
    MQDRT_PROTOCOL_NONE = 0, /* not known yet: an unmatched receive */
    MQDRT_EAGER = 1,
    MQDRT_RENDEZVOUS = 2,
    MQDRT_SELF = 3           /* a message of the process to itself */
};

typedef struct mqdrt_datatype {
    char name[128]; /* MPI_MAX_OBJECT_NAME; zero-terminated */
    long long size; /* bytes of data in one element */
} mqdrt_datatype;

typedef struct mqdrt_group {
    int size;
    int rank;         /* of this process, or MPI_UNDEFINED */
    int *world_ranks; /* size entries: ranks in MPI_COMM_WORLD */
} mqdrt_group;

/* Entries of mqdrt_communicator.collectives: the operations that MPI_Barrier, MPI_Bcast, ... do,
 * by the numbers of mqs_get_comm_coll_state. Windows and files have
 * communicators of their own. */
enum { MQDRT_COLLECTIVES = 49 };

/* A collective operation on a communicator. */
typedef struct mqdrt_collective {
    long long calls; /* by this process; the one that it is in is among them */
    int active;      /* calls that it is in, or has started and that are not complete */
} mqdrt_collective;

/* The messages between this process and another one, or itself, on a communicator. */
typedef struct mqdrt_peer {
    long long sent;     /* to it. Counted before the other side can see the envelope. A completed
                         * partitioned operation counts as one of this process to itself */
    /* from it. Counted once the message is on a list of the communicator, matched or unexpected */
    long long received;
} mqdrt_peer;

struct mqdrt_request;
struct mqdrt_message;

typedef struct mqdrt_communicator {
    struct mqdrt_communicator *next; /* in the order of creation */
    /* the same in every process of the communicator. Of the runtime's own messages within this
     * process's group of an intercommunicator: that of the intercommunicator plus 1 << 30. 2: the
     * runtime's own messages between processes that need no communicator in common */
    int context_id;
    int freed;                       /* 1 after MPI_Comm_free, while operations are pending */
    mqdrt_group *local_group;
    mqdrt_group *remote_group;       /* of an intercommunicator, else NULL */
    char name[128];                  /* MPI_MAX_OBJECT_NAME; zero-terminated */
    /* not matched; in the order of the calls, which is the order of matching */
    struct mqdrt_request *posted_receives;
    /* matched or complete, not waited for yet; in the order they matched. Partitioned receives
     * from their start: they are pending until all partitions have come, and no message matches
     * them */
    struct mqdrt_request *matched_receives;
    /* arrived, matched by nothing; in the order of arrival */
    struct mqdrt_message *unexpected_messages;
    mqdrt_collective *collectives;   /* MQDRT_COLLECTIVES entries, or NULL: not counted */
    /* an entry for each process of the group that messages go to, or NULL */
    mqdrt_peer *peers;
} mqdrt_communicator;

/* A send, a receive or a waiting probe: on exactly one list from its start to its completion by
 * MPI_Wait and the like. */
typedef struct mqdrt_request {
    struct mqdrt_request *next;
    mqdrt_communicator *communicator;
    int kind;
    int state;
    /* destination or source as the call gave it: a rank, or MPI_ANY_SOURCE (-1) */
    int peer;
    int tag;                  /* as the call gave it: a tag, or MPI_ANY_TAG (-2) */
    void *buffer;
    long long count;
    mqdrt_datatype *datatype; /* NULL for a probe */
    long long length;         /* bytes of data in the buffer: count elements */
    int system_buffer;        /* 1: the data waits in the attached buffer (buffered sends) */
    int protocol;
    int actual_source;        /* of the message that matched; valid from MQDRT_MATCHED on */
    int actual_tag;
    long long actual_length;  /* bytes of the message, also where the buffer is shorter */
    const char *call;         /* the MPI function that made it */
    long long wait;           /* the last wait that waited for it: see mqdrt_process.wait */
    /* of a message of a nonblocking or persistent operation: the request of that operation, which
     * goes on once all its messages are complete; else NULL */
    struct mqdrt_request *whole;
    int open;                 /* of such an operation: its messages that are not complete */
} mqdrt_request;

/* A message that has arrived and that nothing has matched. */
typedef struct mqdrt_message {
    struct mqdrt_message *next;
    mqdrt_communicator *communicator;
    int source;        /* rank in the communicator (intercommunicator: in the remote group) */
    int tag;
    long long length;  /* bytes of the whole message */
    void *buffer;      /* its data here, or NULL while they are at the sender (rendezvous) */
    int protocol;
    int mode;          /* one of MQDRT_SEND_* */
} mqdrt_message;

/* The root, under the symbol mqdrt_root. */
typedef struct mqdrt_process {
    int layout_version; /* MQDRT_LAYOUT_VERSION */
    int phase;
    int world_rank;
    int world_size;
    mqdrt_communicator *communicators; /* those that the program has */
    /* active sends of all communicators, in the order of the calls */
    mqdrt_request *sends;
    mqdrt_request *probes;             /* waiting blocking probes of all threads */
    /* the MPI function that the process waits in; NULL: it waits in none. Not known with threads */
    const char *call;
    /* 1: several threads may be in MPI at once (MPI_THREAD_MULTIPLE) */
    int threads;
    /* how many requests the call awaited when its wait began: those whose `wait` is this one */
    int awaited;
    /* how many requests have to be complete for the call to return, besides `operations`. More
     * than `awaited`: some are in no list. -1: other things decide */
    int needed;
    /* how many nonblocking collective operations have to be complete, too. Those that are not, and
     * whose messages name them as `whole`, have `wait` */
    int operations;
    /* the number of the wait that `call`, `awaited` and `needed` belong to */
    long long wait;
    /* The runtime's own messages, such as those of collective operations: for each communicator
     * that the program has another one with the same context_id, for each intercommunicator a
     * third one, and the sends of these. Generalised requests are matched receives of that of
     * MPI_COMM_SELF, from this process, made by MPI_Grequest_start; those that the call awaits
     * have its `wait` and are not counted in `awaited`. */
    mqdrt_communicator *internal_communicators;
    mqdrt_request *internal_sends;
    /* how many nonblocking operations may be about to start messages, because those that they have
     * started are complete */
    int going_on;
} mqdrt_process;

extern mqdrt_process mqdrt_root;

#endif
