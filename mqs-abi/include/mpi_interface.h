/*
 * mpi_interface.h - the MPI Message Queue Dumping interface (MQD), version 1.0.
 *
 * For authors of debuggers, who load a debug DLL and fill in the callback tables, and for authors
 * of debug DLLs, who export the mqs_* functions.
 * Section numbers are those of "The MPI Message Queue Dumping Interface Version 1.0".
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#ifndef MPI_INTERFACE_H
#define MPI_INTERFACE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 5.2 Types for target independence. In practice both are a host long, on every platform in use. */
typedef unsigned long mqs_taddr_t; /* 5.2.2: wide enough for an address of the target */
typedef long          mqs_tword_t; /* 5.2.1: wide enough for a long of the target */

/* 5.2.3 Sizes in the target, in bytes.  There are exactly five: a debugger that writes more
 * overruns the DLLs of others. */
typedef struct mqs_target_type_sizes
{
  int short_size;
  int int_size;
  int long_size;
  int long_long_size;
  int pointer_size;
} mqs_target_type_sizes;

/* 5.3 Opaque types.  The debugger owns the first three, the DLL the last two. */
typedef struct mqs_image_        mqs_image;
typedef struct mqs_process_      mqs_process;
typedef struct mqs_type_         mqs_type;
typedef struct mqs_image_info_   mqs_image_info;
typedef struct mqs_process_info_ mqs_process_info;

/* 5.4.1 The language a name is looked up in. */
typedef enum
{
  mqs_lang_c     = 'c',
  mqs_lang_cplus = 'C',
  mqs_lang_f77   = 'f',
  mqs_lang_f90   = 'F'
} mqs_lang_code;

/* 5.4.2 The queues. */
typedef enum
{
  mqs_pending_sends,
  mqs_pending_receives,
  mqs_unexpected_messages
} mqs_op_class;

/* 5.4.3 */
enum
{
#if defined(FOR_MPI2)
  MQS_INTERFACE_COMPATIBILITY = 3
#else
  MQS_INTERFACE_COMPATIBILITY = 2
#endif
};

/* 5.4.4 The status of an operation. */
enum mqs_status
{
  mqs_st_pending,
  mqs_st_matched,
  mqs_st_complete
};

/* 5.4.5 Result codes.  Codes from mqs_first_user_code belong to whoever returned them.
 * The text of 5.10 also speaks of mqs_true and mqs_false.  In practice an iterator returns mqs_ok
 * for an element and mqs_end_of_list at the end. */
enum
{
  mqs_ok = 0,
  mqs_no_information,
  mqs_end_of_list,
  mqs_first_user_code = 100
};

/* 5.4.6 */
enum
{
  MQS_INVALID_PROCESS = -1
};

/* 5.5.1 A communicator. */
typedef struct
{
  mqs_taddr_t unique_id;
  mqs_tword_t local_rank;
  mqs_tword_t size;
  char        name[64];
} mqs_communicator;

/* 5.5.2 A pending operation, or an unexpected message.  Lengths are bytes. */
typedef struct
{
  /* Fields for all messages */
  int         status;               /* enum mqs_status */
  mqs_tword_t desired_local_rank;   /* rank in the communicator; -1: MPI_ANY_SOURCE */
  mqs_tword_t desired_global_rank;  /* rank in MPI_COMM_WORLD; -1: MPI_ANY_SOURCE or not known */
  int         tag_wild;             /* 1: MPI_ANY_TAG */
  mqs_tword_t desired_tag;          /* meaningful unless tag_wild */
  mqs_tword_t desired_length;
  int         system_buffer;        /* 1: the buffer belongs to the MPI library */
  mqs_taddr_t buffer;

  /* Fields valid if status >= matched or it is a send */
  mqs_tword_t actual_local_rank;
  mqs_tword_t actual_global_rank;
  mqs_tword_t actual_tag;
  mqs_tword_t actual_length;
  char        extra_text[5][64];    /* lines for people; an empty one ends them */
} mqs_pending_operation;

/* 5.6.1 - 5.6.9 Callbacks of the debugger that need no target. */
typedef void*             (*mqs_malloc_ft)           (size_t);
typedef void              (*mqs_free_ft)             (void*);
typedef void              (*mqs_dprints_ft)          (const char*);
typedef char*             (*mqs_errorstring_ft)      (int);
typedef void              (*mqs_put_image_info_ft)   (mqs_image*, mqs_image_info*);
typedef mqs_image_info*   (*mqs_get_image_info_ft)   (mqs_image*);
typedef void              (*mqs_put_process_info_ft) (mqs_process*, mqs_process_info*);
typedef mqs_process_info* (*mqs_get_process_info_ft) (mqs_process*);

typedef struct mqs_basic_callbacks
{
  mqs_malloc_ft           mqs_malloc_fp;
  mqs_free_ft             mqs_free_fp;
  mqs_dprints_ft          mqs_dprints_fp;
  mqs_errorstring_ft      mqs_errorstring_fp;
  mqs_put_image_info_ft   mqs_put_image_info_fp;
  mqs_get_image_info_ft   mqs_get_image_info_fp;
  mqs_put_process_info_ft mqs_put_process_info_fp;
  mqs_get_process_info_ft mqs_get_process_info_fp;
} mqs_basic_callbacks;

/* 5.6.10 - 5.6.16 Callbacks about an image.  The address pointer of the two look-ups may be NULL,
 * which asks only whether the name exists. */
typedef void      (*mqs_get_type_sizes_ft) (mqs_process*, mqs_target_type_sizes*);
typedef int       (*mqs_find_function_ft)  (mqs_image*, char*, mqs_lang_code, mqs_taddr_t*);
typedef int       (*mqs_find_symbol_ft)    (mqs_image*, char*, mqs_taddr_t*);
typedef mqs_type* (*mqs_find_type_ft)      (mqs_image*, char*, mqs_lang_code);
typedef int       (*mqs_field_offset_ft)   (mqs_type*, char*); /* bytes; -1: no such field */
typedef int       (*mqs_sizeof_ft)         (mqs_type*);        /* bytes */

typedef struct mqs_image_callbacks
{
  mqs_get_type_sizes_ft mqs_get_type_sizes_fp;
  mqs_find_function_ft  mqs_find_function_fp;
  mqs_find_symbol_ft    mqs_find_symbol_fp;
  mqs_find_type_ft      mqs_find_type_fp;
  mqs_field_offset_ft   mqs_field_offset_fp;
  mqs_sizeof_ft         mqs_sizeof_fp;
} mqs_image_callbacks;

/* 5.6.17 - 5.6.21 Callbacks about a process. */
typedef int        (*mqs_get_global_rank_ft) (mqs_process*);
typedef mqs_image* (*mqs_get_image_ft)       (mqs_process*);
typedef int        (*mqs_fetch_data_ft)      (mqs_process*, mqs_taddr_t, int, void*);
typedef void       (*mqs_target_to_host_ft)  (mqs_process*, const void*, void*, int);

typedef struct mqs_process_callbacks
{
  mqs_get_global_rank_ft mqs_get_global_rank_fp;
  mqs_get_image_ft       mqs_get_image_fp;
  mqs_fetch_data_ft      mqs_fetch_data_fp;
  mqs_target_to_host_ft  mqs_target_to_host_fp;
} mqs_process_callbacks;

/* 5.7 - 5.10 What a debug DLL exports. */
extern void  mqs_setup_basic_callbacks (const mqs_basic_callbacks*);
extern char* mqs_version_string (void);
extern int   mqs_version_compatibility (void);
extern int   mqs_dll_taddr_width (void);
extern char* mqs_dll_error_string (int);

extern int mqs_setup_image (mqs_image*, const mqs_image_callbacks*);
extern int mqs_image_has_queues (mqs_image*, char**);
extern int mqs_destroy_image_info (mqs_image_info*);

extern int mqs_setup_process (mqs_process*, const mqs_process_callbacks*);
extern int mqs_process_has_queues (mqs_process*, char**);
extern int mqs_destroy_process_info (mqs_process_info*);

extern int mqs_update_communicator_list (mqs_process*);
extern int mqs_setup_communicator_iterator (mqs_process*);
extern int mqs_get_communicator (mqs_process*, mqs_communicator*);
extern int mqs_get_comm_group (mqs_process*, int*);
extern int mqs_next_communicator (mqs_process*);
extern int mqs_setup_operation_iterator (mqs_process*, int);
extern int mqs_next_operation (mqs_process*, mqs_pending_operation*);

/* Extensions.  A DLL may export these functions; a debugger looks for each by its name and does
 * without those that are missing.  Their answers belong to the same moment as the queues:
 * mqs_update_communicator_list reads them. */

/* The state of a collective operation on the current communicator, as padb asks for it.  Numbers:
 * 0 MPI_Barrier, 1 Bcast, 2 Allgather, 3 Allgatherv, 4 Allreduce, 5 Alltoall, 6 Alltoallv,
 * 7 Reduce_scatter, 8 Reduce, 9 Gather, 10 Gatherv, 11 Scan, 12 Scatter, 13 Scatterv (padb knows
 * these), 14 Alltoallw, 15 Exscan, 16 Reduce_scatter_block, 17 Neighbor_allgather,
 * 18 Neighbor_allgatherv, 19 Neighbor_alltoall, 20 Neighbor_alltoallv, 21 Neighbor_alltoallw,
 * 22 MPI_Win_create, 23 Win_allocate, 24 Win_allocate_shared, 25 Win_create_dynamic, 26 Win_free,
 * 27 Win_fence, 28 MPI_File_open, 29 File_close, 30 File_set_size, 31 File_preallocate,
 * 32 File_set_info, 33 File_set_view, 34 File_set_atomicity, 35 File_sync, 36 File_seek_shared,
 * 37 File_read_all, 38 File_read_at_all, 39 File_read_ordered, 40 File_write_all,
 * 41 File_write_at_all, 42 File_write_ordered, 43 to 48 the beginnings of these six.  Those of
 * windows and files are on the communicators that these have.
 * seq: how often this process has called it, including the current call; -1: not known.
 * active: 1 if the process is in such a call or has started a nonblocking one that is not complete,
 * else 0.
 * mqs_no_information: nothing is known about this operation. */
extern int mqs_get_comm_coll_state (mqs_process*, int coll, int *seq, int *active);

/* The MPI call that a process waits in. */
typedef struct
{
  mqs_tword_t needed;       /* how many of the operations that mqd_is_awaited reports have to
                               complete before the call returns; -1: not known, or something else
                               decides, such as a collective operation */
  char        function[64]; /* empty: the DLL does not know the name */
} mqd_call;

/* mqs_ok; mqs_end_of_list: the process waits in no call; mqs_no_information: not known, for example
 * because several threads may be in MPI. */
extern int mqd_get_call (mqs_process*, mqd_call*);

/* Hints for reading the call stacks of a process. */
typedef struct
{
  mqs_tword_t threads;      /* 1: one thread of the process may be in MPI at a time; 2: several may
                               (MPI_THREAD_MULTIPLE); -1: not known */
  char        progress[64]; /* the library's progress functions, separated by commas: a call that
                               only sends or receives is in one after it has started what it waits
                               for, and not before; one of the C library counts where the MPI
                               library itself has called it; "*" among them: a function that waits
                               for requests, sends or receives also waits where it is in a loop of
                               the MPI library that ends only if memory changes;
                               "FUNCTION^LIBRARY" among them: the function does not count while
                               code of a library whose file has a name that begins so runs in it;
                               "LIBRARY:FUNCTION" among them: such a function, a collective
                               operation, and one that makes a communicator also wait where a
                               library whose file has a name that begins so has called the
                               function, or one of several, "LIBRARY:ONE:TWO"; "?" before one of
                               these but "*": it only shows that the call looks for messages, and
                               what it waits for may be complete; "&" alone: no function tells
                               this, because the process has nonblocking collective operations that
                               no queue shows: such a function waits for one of these, or for what
                               is in the queues; empty: no function tells this */
} mqd_stack_hints;

/* For call stacks, where mqd_get_call does not know the function.  mqs_ok, or
 * mqs_no_information. */
extern int mqd_get_stack_hints (mqs_process*, mqd_stack_hints*);

/* The function that a call calls again and again while it waits for one thing; function: room for
 * 64 bytes.  A debugger that reads call stacks and machine code finds the word of memory on which
 * such a loop depends, and gives it to mqd_set_awaited_word.  It may be asked before
 * mqs_update_communicator_list.  mqs_no_information: there is none. */
extern int mqd_get_loop_function (mqs_process*, char *function);

/* Tells the DLL that the process is in such a loop, and that it leaves the loop only if the word at
 * this address changes.  It holds for the next mqs_update_communicator_list alone.  If the word is
 * that of an operation, mqd_get_call and mqd_is_awaited then tell for what the process waits:
 * needed counts what has to complete for the next step of the call. */
extern int mqd_set_awaited_word (mqs_process*, mqs_taddr_t address);

/* The function of the MPI library in whose frames the requests of blocking sends are; function:
 * room for 64 bytes.  The DLL looks for them on the stack of the first thread.  If several threads
 * may be in MPI, others may have some, too.  mqs_no_information: no such requests are on a
 * stack. */
extern int mqd_get_send_function (mqs_process*, char *function);

/* Tells the DLL that no thread but the first is in this function, by the call stacks of all
 * threads.  It holds for the next mqs_update_communicator_list alone. */
extern int mqd_set_no_other_senders (mqs_process*);

/* What the library does by itself while the process waits for something else, as for nonblocking
 * collective operations.  0: nothing; 1: each of its operations waits for a message, unless the
 * process was stopped inside the library's own work; 2: one of them may go on at once.
 * mqs_no_information: not known. */
extern int mqd_get_background (mqs_process*, int *state);

/* A line for people about what the queues were read from: a library, a device, a layout table.
 * text has room for 64 characters; number counts from 0.  It may be asked after
 * mqs_update_communicator_list.  mqs_end_of_list after the last line. */
extern int mqd_get_source (mqs_process*, int number, char *text);

/* A process by the names of its MPI library, which are the same in all jobs that know each other,
 * as by MPI_Comm_spawn. */
typedef struct
{
  mqs_taddr_t job;  /* the number of its job */
  mqs_tword_t rank; /* its rank in the job */
} mqd_process_name;

#define mqd_own_name    0 /* the process itself */
#define mqd_group_names 1 /* the group of the current communicator */
#define mqd_peer_names  2 /* the processes that the ranks of its operations stand for: the group, or
                             the remote group of an intercommunicator */

/* Names processes; writes at most `room`.  number: how many there are.  mqs_no_information: all are
 * of the process's own job, or it is not known.  A debugger that was told the names of a
 * communicator's peers can also ask for the traffic with processes of other jobs. */
extern int mqd_get_process_names (mqs_process*, int which, int room, mqd_process_name *names,
                                  int *number);

/* The remote group of the current communicator, if it is an intercommunicator: its ranks in
 * MPI_COMM_WORLD, in the order of the group, as mqs_get_comm_group gives those of the local group.
 * Writes at most `room`.  number: how many there are, and 0 for an intracommunicator.
 * mqs_no_information: it is not known. */
extern int mqd_get_remote_group (mqs_process*, int room, int *ranks, int *number);

/* The program's communicator that the current one is a part of, if the library has made the current
 * one for its own messages.  id: its unique_id.  mqs_no_information: the communicator is the
 * program's own, or that is not known. */
extern int mqd_get_parent (mqs_process*, mqs_taddr_t *id);

/* Whether that call waits for the operation that mqs_next_operation described last: 1 or 0.
 * mqs_no_information: not known. */
extern int mqd_is_awaited (mqs_process*, int *awaited);

/* An operation as mqd_next_operations describes it. */
typedef struct
{
  mqs_pending_operation operation; /* what mqs_next_operation says of it */
  int                   awaited;   /* what mqd_is_awaited says of it: 1 or 0; -1: not known */
} mqd_operation;

/* Describes the next operations of the queue, at most `room` of them (1 or more): what
 * mqs_next_operation and mqd_is_awaited would say call by call.  number: how many were written,
 * whatever the result is.  mqs_ok: one or more.  mqs_end_of_list or an error: none, so the
 * operations before an error are handed out before it.  mqd_is_awaited then speaks of the last
 * one. */
extern int mqd_next_operations (mqs_process*, int room, mqd_operation *operations, int *number);

/* The messages between this process and another one, or itself, on the current communicator. */
typedef struct
{
  mqs_tword_t local_rank; /* the peer: a rank in the communicator (intercommunicator: in the remote
                             group) */
  mqs_tword_t sent;       /* messages that this process sent to it and whose envelope has left */
  mqs_tword_t received;   /* messages from it whose envelope has arrived: matched or unexpected */
} mqd_traffic;          /* Negative numbers are marks, not counts: if what one has sent and the
                           other received have the same mark, no message is on its way.  If the
                           marks differ, it is not known. */

/* Goes to the start of the current communicator's traffic.  mqs_no_information: not known. */
extern int mqd_setup_traffic_iterator (mqs_process*);
/* The next peer with which there was any traffic: mqs_ok, or mqs_end_of_list. */
extern int mqd_next_traffic (mqs_process*, mqd_traffic*);

/* A queue in shared memory that messages of the process come or go by.  Its reader takes elements
 * out in their order, and both sides count them from the start of the queue. */
typedef struct
{
  mqs_taddr_t id;       /* the queue: all processes that use it have the same number for it; 0:
                           there is none, and no message has gone to that process */
  mqs_tword_t rank;     /* the process that takes elements out, a rank in MPI_COMM_WORLD; -1: this
                           process itself; -2: the process of the same host that takes elements
                           out of this queue; -3: this is no queue: parts of messages from or to
                           this process are on their way among id processes of this host; -1 with
                           an id of 0: the same among whatever processes */
  mqs_tword_t elements; /* of a queue of this process: how many it has taken out and handled; of
                           another one: how many all processes have put in */
} mqd_fifo;

/* Goes to the start of the queues in shared memory.  mqs_no_information: not known.  If a process
 * is named, all messages to it go by the queues that are listed for it. */
extern int mqd_setup_fifo_iterator (mqs_process*);
/* The next queue: mqs_ok, or mqs_end_of_list. */
extern int mqd_next_fifo (mqs_process*, mqd_fifo*);

#ifdef __cplusplus
}
#endif

#endif
