/*
 * toy.h - a toy of an MPI library: the queues that the toy debug DLL reads.
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#ifndef TOY_H
#define TOY_H

/* The order of the members is unusual, so that only debug information gives their offsets. */
struct toy_operation
{
  char                  unused[3];
  int                   tag; /* -2: any tag */
  struct toy_operation* next;
  short                 queue; /* an mqs_op_class */
  int                   status;
  int                   peer; /* -1: any source */
  long long             length;
  int                   actual_tag;
};

struct toy_communicator
{
  int                      rank;
  struct toy_operation*    operations;
  int                      size;
  char                     name[80];
  struct toy_communicator* next;
};

#endif
