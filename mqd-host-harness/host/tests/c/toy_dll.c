/*
 * toy_dll.c - a debug DLL for the toy. It behaves well unless one of these is defined:
 *
 *   TOY_OLD               lacks mqs_get_comm_group and mqs_dll_taddr_width
 *   TOY_NO_NEXT           lacks mqs_next_operation
 *   TOY_COMPATIBILITY=n   speaks another version of the interface
 *   TOY_WIDTH=n           says its addresses have n bytes
 *   TOY_REFUSE=text       the image has no queues; text is a C string or NULL
 *   TOY_REFUSE_PROCESS    the process has none
 *   TOY_ENDLESS_OPERATIONS, TOY_ENDLESS_COMMUNICATORS
 *   TOY_ERROR_OPERATION   fails at the second operation
 *   TOY_ERROR_UPDATE      fails to update, but has communicators
 *   TOY_ERROR_COMMUNICATOR fails to go to the second communicator
 *   TOY_NO_UNEXPECTED     knows nothing about unexpected messages
 *   TOY_BAD_STATUS        an operation has an undefined status
 *   TOY_SIZE=n            says that communicators have n processes
 *   TOY_PROBE             tries the callbacks with what DLLs in use pass: NULL, 7 ints, wrong
 *                         objects
 *   TOY_LEAK              never frees what it allocates for an image
 *   TOY_WILD_POINTER      reads an address that is not mapped, and says why it failed
 *   TOY_CRASH, TOY_HANG, TOY_EXIT=code   does this instead of updating
 *   TOY_PRINT             prints, on both streams
 *   TOY_FORK              leaves a process behind that holds its files, and prints its id
 *   TOY_MARK=path         makes this file as soon as it is loaded
 *   TOY_END=code          what ends an iteration, instead of mqs_end_of_list
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi_interface.h"

#ifdef TOY_MARK
__attribute__ ((constructor)) static void leave_mark (void)
{
  FILE* mark = fopen (TOY_MARK, "w");
  if (mark)
    fclose (mark);
}
#endif

enum
{
  err_toy = mqs_first_user_code,
  err_no_types,
  err_probe,
  err_memory
};

#ifndef TOY_END
#define TOY_END mqs_end_of_list
#endif
#ifndef TOY_COMPATIBILITY
#define TOY_COMPATIBILITY MQS_INTERFACE_COMPATIBILITY
#endif

static const mqs_basic_callbacks* basic;

/* What went wrong with a probe. */
static char probe_error[128];

struct mqs_image_info_
{
  const mqs_image_callbacks* cb;
  int comm_rank, comm_operations, comm_size, comm_name, comm_next;
  int op_tag, op_next, op_queue, op_status, op_peer, op_length, op_actual_tag;
};

struct mqs_process_info_
{
  const mqs_process_callbacks* cb;
  struct mqs_image_info_*      image;
  mqs_target_type_sizes        sizes;
  mqs_taddr_t                  communicator, operation;
  int                          queue;
  int                          count;
};

void  mqs_setup_basic_callbacks (const mqs_basic_callbacks* cb) { basic = cb; }
char* mqs_version_string (void) { return "toy 1"; }
int   mqs_version_compatibility (void) { return TOY_COMPATIBILITY; }

#ifndef TOY_OLD
int mqs_dll_taddr_width (void)
{
#ifdef TOY_WIDTH
  return TOY_WIDTH;
#else
  return sizeof (mqs_taddr_t);
#endif
}
#endif

char* mqs_dll_error_string (int code)
{
  switch (code)
    {
    case err_toy: return "the toy is broken";
    case err_no_types: return "the toy has no types";
    case err_probe: return probe_error;
    case err_memory: return basic->mqs_errorstring_fp (mqs_no_information);
    default: return NULL;
    }
}

#ifdef TOY_PROBE
#define CHECK(condition)                                                             \
  do                                                                                 \
    if (!(condition))                                                                \
      {                                                                              \
        snprintf (probe_error, sizeof probe_error, "line %d: %s", __LINE__, #condition); \
        return err_probe;                                                            \
      }                                                                              \
  while (0)

static int probe_image (mqs_image* image, const mqs_image_callbacks* cb)
{
  mqs_taddr_t  address = 5;
  mqs_image*   other = (mqs_image*)&address;
  mqs_type*    type = cb->mqs_find_type_fp (image, "struct toy_operation", mqs_lang_c);
  CHECK (cb->mqs_find_symbol_fp (image, "toy_root", NULL) == mqs_ok);
  CHECK (cb->mqs_find_symbol_fp (image, "toy_nothing", NULL) == mqs_no_information);
  CHECK (cb->mqs_find_symbol_fp (image, "toy_nothing", &address) == mqs_no_information);
  CHECK (address == 5);
  CHECK (cb->mqs_find_symbol_fp (image, NULL, &address) == mqs_no_information && address == 5);
  CHECK (cb->mqs_find_symbol_fp (NULL, "toy_root", &address) == mqs_no_information && address == 5);
  CHECK (cb->mqs_find_symbol_fp (other, "toy_root", &address) == mqs_no_information);
  CHECK (address == 5);
  CHECK (cb->mqs_find_function_fp (image, "toy_function", mqs_lang_c, NULL) == mqs_ok);
  CHECK (cb->mqs_find_function_fp (image, "toy_function", mqs_lang_c, &address) == mqs_ok);
  CHECK (address > 4096);
  CHECK (type != NULL);
  CHECK (cb->mqs_find_type_fp (image, "struct toy_operation", mqs_lang_c) == type);
  CHECK (cb->mqs_find_type_fp (image, "toy_nothing", mqs_lang_c) == NULL);
  CHECK (cb->mqs_find_type_fp (image, NULL, mqs_lang_c) == NULL);
  CHECK (cb->mqs_find_type_fp (NULL, "struct toy_operation", mqs_lang_c) == NULL);
  CHECK (cb->mqs_field_offset_fp (type, "tag") == 4);
  CHECK (cb->mqs_field_offset_fp (type, "nothing") == -1);
  CHECK (strcmp (basic->mqs_errorstring_fp (mqs_no_information),
                 "the type has no field nothing") == 0);
  CHECK (cb->mqs_field_offset_fp (type, NULL) == -1);
  CHECK (cb->mqs_field_offset_fp (NULL, "tag") == -1);
  CHECK (cb->mqs_field_offset_fp ((mqs_type*)&address, "tag") == -1);
  CHECK (cb->mqs_sizeof_fp (type) == 48);
  CHECK (cb->mqs_sizeof_fp (NULL) < 0);
  CHECK (basic->mqs_get_image_info_fp (NULL) == NULL);
  CHECK (basic->mqs_get_image_info_fp (other) == NULL);
  CHECK (basic->mqs_get_process_info_fp (NULL) == NULL);
  CHECK (basic->mqs_errorstring_fp (mqs_ok) != NULL && basic->mqs_errorstring_fp (12345) != NULL);
  basic->mqs_put_image_info_fp (other, (mqs_image_info*)&address);
  basic->mqs_put_process_info_fp (NULL, (mqs_process_info*)&address);
  basic->mqs_dprints_fp (NULL);
  basic->mqs_dprints_fp ("probing\n");
  basic->mqs_free_fp (NULL);
  return mqs_ok;
}

static int probe_process (mqs_process* process, const mqs_process_callbacks* cb,
                          const mqs_image_callbacks* image_cb)
{
  /* Open MPI's header has two more sizes: the host must not write them. */
  union
  {
    mqs_target_type_sizes sizes;
    int                   ints[7];
  } u;
  unsigned char bytes[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, out[8] = { 0 };
  mqs_image*    image = cb->mqs_get_image_fp (process);
  mqs_taddr_t   root;
  int           i;
  for (i = 0; i < 7; ++i)
    u.ints[i] = 0x5a5a5a5a;
  image_cb->mqs_get_type_sizes_fp (process, &u.sizes);
  CHECK (u.sizes.short_size == 2 && u.sizes.int_size == 4 && u.sizes.long_long_size == 8);
  CHECK (u.sizes.long_size == sizeof (long) && u.sizes.pointer_size == sizeof (void*));
  CHECK (u.ints[5] == 0x5a5a5a5a && u.ints[6] == 0x5a5a5a5a);
  image_cb->mqs_get_type_sizes_fp (process, NULL);
  image_cb->mqs_get_type_sizes_fp (NULL, &u.sizes);
  CHECK (image != NULL && basic->mqs_get_image_info_fp (image) != NULL);
  CHECK (cb->mqs_get_image_fp (NULL) == NULL);
  CHECK (cb->mqs_get_global_rank_fp (NULL) == MQS_INVALID_PROCESS);
  CHECK (cb->mqs_get_global_rank_fp (process) == MQS_INVALID_PROCESS);
  CHECK (image_cb->mqs_find_symbol_fp (image, "toy_root", &root) == mqs_ok);
  CHECK (cb->mqs_fetch_data_fp (process, root, 8, out) == mqs_ok);
  CHECK (cb->mqs_fetch_data_fp (process, root, 0, NULL) == mqs_ok);
  CHECK (cb->mqs_fetch_data_fp (process, root, 8, NULL) == mqs_no_information);
  CHECK (cb->mqs_fetch_data_fp (process, root, -1, out) == mqs_no_information);
  CHECK (cb->mqs_fetch_data_fp (process, 16, 8, out) == mqs_no_information);
  CHECK (strstr (basic->mqs_errorstring_fp (mqs_no_information), "0x10") != NULL);
  CHECK (cb->mqs_fetch_data_fp (NULL, root, 8, out) == mqs_no_information);
  cb->mqs_target_to_host_fp (process, bytes, out, 8);
  CHECK (memcmp (bytes, out, 8) == 0);
  cb->mqs_target_to_host_fp (process, bytes, bytes, 8);
  CHECK (memcmp (bytes, out, 8) == 0);
  cb->mqs_target_to_host_fp (process, NULL, out, 8);
  cb->mqs_target_to_host_fp (process, bytes, NULL, 8);
  cb->mqs_target_to_host_fp (process, bytes, out, -8);
  CHECK (memcmp (bytes, out, 8) == 0);
  return mqs_ok;
}
#endif

int mqs_setup_image (mqs_image* image, const mqs_image_callbacks* cb)
{
  struct mqs_image_info_* info = basic->mqs_malloc_fp (sizeof *info);
  if (info == NULL)
    return err_toy;
  memset (info, 0, sizeof *info);
  info->cb = cb;
  basic->mqs_put_image_info_fp (image, info);
  return mqs_ok;
}

int mqs_image_has_queues (mqs_image* image, char** message)
{
  struct mqs_image_info_*    info = basic->mqs_get_image_info_fp (image);
  const mqs_image_callbacks* cb = info->cb;
  mqs_type* comm = cb->mqs_find_type_fp (image, "struct toy_communicator", mqs_lang_c);
  mqs_type* op = cb->mqs_find_type_fp (image, "struct toy_operation", mqs_lang_c);
#ifdef TOY_REFUSE
  *message = TOY_REFUSE;
  return err_toy;
#endif
#ifdef TOY_PROBE
  {
    int code = probe_image (image, cb);
    if (code != mqs_ok)
      return code;
  }
#endif
  if (comm == NULL || op == NULL)
    return err_no_types;
  /* Also on success, as 5.8.2 allows. */
  *message = "fine: %s";
  info->comm_rank = cb->mqs_field_offset_fp (comm, "rank");
  info->comm_operations = cb->mqs_field_offset_fp (comm, "operations");
  info->comm_size = cb->mqs_field_offset_fp (comm, "size");
  info->comm_name = cb->mqs_field_offset_fp (comm, "name");
  info->comm_next = cb->mqs_field_offset_fp (comm, "next");
  info->op_tag = cb->mqs_field_offset_fp (op, "tag");
  info->op_next = cb->mqs_field_offset_fp (op, "next");
  info->op_queue = cb->mqs_field_offset_fp (op, "queue");
  info->op_status = cb->mqs_field_offset_fp (op, "status");
  info->op_peer = cb->mqs_field_offset_fp (op, "peer");
  info->op_length = cb->mqs_field_offset_fp (op, "length");
  info->op_actual_tag = cb->mqs_field_offset_fp (op, "actual_tag");
  return mqs_ok;
}

int mqs_destroy_image_info (mqs_image_info* info)
{
#ifndef TOY_LEAK
  basic->mqs_free_fp (info);
#else
  (void)info;
#endif
  return mqs_ok;
}

int mqs_setup_process (mqs_process* process, const mqs_process_callbacks* cb)
{
  struct mqs_process_info_* info = basic->mqs_malloc_fp (sizeof *info);
  if (info == NULL)
    return err_toy;
  memset (info, 0, sizeof *info);
  info->cb = cb;
  info->image = basic->mqs_get_image_info_fp (cb->mqs_get_image_fp (process));
  info->image->cb->mqs_get_type_sizes_fp (process, &info->sizes);
  basic->mqs_put_process_info_fp (process, info);
  return mqs_ok;
}

int mqs_process_has_queues (mqs_process* process, char** message)
{
  struct mqs_process_info_* info = basic->mqs_get_process_info_fp (process);
#ifdef TOY_REFUSE_PROCESS
  *message = "switched off in %s";
  return err_toy;
#endif
#ifdef TOY_PROBE
  return probe_process (process, info->cb, info->image->cb);
#endif
  (void)info;
  *message = NULL;
  return mqs_ok;
}

int mqs_destroy_process_info (mqs_process_info* info)
{
  basic->mqs_free_fp (info);
  return mqs_ok;
}

static long long number (mqs_process* process, mqs_taddr_t address, int size)
{
  struct mqs_process_info_* info = basic->mqs_get_process_info_fp (process);
  char                      raw[8];
  short                     s = 0;
  int                       i = 0;
  long long                 l = 0;
  if (info->cb->mqs_fetch_data_fp (process, address, size, raw) != mqs_ok)
    return -99;
  info->cb->mqs_target_to_host_fp (process, raw,
                                   size == 2   ? (void*)&s
                                   : size == 4 ? (void*)&i
                                               : (void*)&l,
                                   size);
  return size == 2 ? s : size == 4 ? i : l;
}

int mqs_update_communicator_list (mqs_process* process)
{
#ifdef TOY_PRINT
  int i;
  for (i = 0; i < 10000; ++i)
    printf ("{ \"printed\": %d }\n", i);
  fflush (stdout);
  fprintf (stderr, "and complained\n");
#endif
#ifdef TOY_FORK
  {
    char text[32];
    int  child = fork ();
    if (child == 0)
      {
        sleep (600);
        _exit (0);
      }
    /* Not by mqs_dprints: a crash must not lose it. */
    snprintf (text, sizeof text, "left behind: %d.\n", child);
    write (1, text, strlen (text));
  }
#endif
#ifdef TOY_CRASH
  *(volatile int*)16 = 1;
#endif
#ifdef TOY_HANG
  for (;;)
    number (process, 64, 8);
#endif
#ifdef TOY_EXIT
  exit (TOY_EXIT);
#endif
#ifdef TOY_ERROR_UPDATE
  return err_toy;
#endif
#ifdef TOY_WILD_POINTER
  number (process, 64, 8);
  return err_memory;
#endif
  (void)process;
  return mqs_ok;
}

int mqs_setup_communicator_iterator (mqs_process* process)
{
  struct mqs_process_info_* info = basic->mqs_get_process_info_fp (process);
  mqs_image*                image = info->cb->mqs_get_image_fp (process);
  mqs_taddr_t               root;
  if (info->image->cb->mqs_find_symbol_fp (image, "toy_root", &root) != mqs_ok)
    return err_toy;
  info->communicator = number (process, root, info->sizes.pointer_size);
  return info->communicator != 0 ? mqs_ok : TOY_END;
}

int mqs_get_communicator (mqs_process* process, mqs_communicator* comm)
{
  struct mqs_process_info_*     info = basic->mqs_get_process_info_fp (process);
  const struct mqs_image_info_* at = info->image;
  mqs_taddr_t                   here = info->communicator;
  if (here == 0)
    return err_toy;
  comm->unique_id = here;
  comm->local_rank = number (process, here + at->comm_rank, info->sizes.int_size);
#ifdef TOY_SIZE
  comm->size = TOY_SIZE;
#else
  comm->size = number (process, here + at->comm_size, info->sizes.int_size);
#endif
  info->cb->mqs_fetch_data_fp (process, here + at->comm_name, sizeof comm->name, comm->name);
  return mqs_ok;
}

#ifndef TOY_OLD
int mqs_get_comm_group (mqs_process* process, int* ranks)
{
  struct mqs_process_info_* info = basic->mqs_get_process_info_fp (process);
  int size = number (process, info->communicator + info->image->comm_size, info->sizes.int_size);
  int i;
  for (i = 0; i < size; ++i)
    ranks[i] = size == 1 ? 3 : i;
  return mqs_ok;
}
#endif

int mqs_next_communicator (mqs_process* process)
{
  struct mqs_process_info_* info = basic->mqs_get_process_info_fp (process);
#ifdef TOY_ENDLESS_COMMUNICATORS
  (void)info;
  return mqs_ok;
#endif
#ifdef TOY_ERROR_COMMUNICATOR
  return err_toy;
#endif
  info->communicator =
    number (process, info->communicator + info->image->comm_next, info->sizes.pointer_size);
  return info->communicator != 0 ? mqs_ok : TOY_END;
}

int mqs_setup_operation_iterator (mqs_process* process, int queue)
{
  struct mqs_process_info_* info = basic->mqs_get_process_info_fp (process);
#ifdef TOY_NO_UNEXPECTED
  if (queue == mqs_unexpected_messages)
    return mqs_no_information;
#endif
  info->queue = queue;
  info->count = 0;
  info->operation =
    number (process, info->communicator + info->image->comm_operations, info->sizes.pointer_size);
  return mqs_ok;
}

#ifndef TOY_NO_NEXT
int mqs_next_operation (mqs_process* process, mqs_pending_operation* op)
{
  struct mqs_process_info_*     info = basic->mqs_get_process_info_fp (process);
  const struct mqs_image_info_* at = info->image;
  mqs_taddr_t                   here;
#ifdef TOY_ERROR_OPERATION
  if (++info->count == 2)
    return err_toy;
#endif
  while (info->operation != 0 && number (process, info->operation + at->op_queue, 2) != info->queue)
    info->operation = number (process, info->operation + at->op_next, info->sizes.pointer_size);
  if (info->operation == 0)
    return TOY_END;
  here = info->operation;
#ifndef TOY_ENDLESS_OPERATIONS
  info->operation = number (process, here + at->op_next, info->sizes.pointer_size);
#endif
  op->status = number (process, here + at->op_status, 4);
#ifdef TOY_BAD_STATUS
  op->status = 9;
#endif
  op->desired_local_rank = op->desired_global_rank = number (process, here + at->op_peer, 4);
  op->desired_tag = number (process, here + at->op_tag, 4);
  op->tag_wild = op->desired_tag == -2;
  op->desired_length = number (process, here + at->op_length, 8);
  op->system_buffer = info->queue == mqs_unexpected_messages;
  op->buffer = here;
  op->actual_local_rank = op->desired_local_rank == -1 ? 2 : op->desired_local_rank;
  op->actual_tag = number (process, here + at->op_actual_tag, 4);
  op->actual_length = op->desired_length / 2;
  /* actual_global_rank is left as it was: this DLL does not know it. */
  strcpy (op->extra_text[0], "toy");
  op->extra_text[1][0] = 0;
  memset (op->extra_text[2], 'x', sizeof op->extra_text[2]); /* no terminating zero */
  return mqs_ok;
}
#endif
