/*
 * peruse_test.h - what the tests of PERUSE share: a tool that records its callbacks, and the
 * expected sequence of events as text.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#ifndef PERUSE_TEST_H
#define PERUSE_TEST_H

#include "p2p.h"
#include <peruse.h>

/* The events of the specification, by their descriptors. */
enum {
    EVENTS = 16
};
static const char *const short_names[] = {
    "invalid",      "activate",     "match_unex", "insert_posted", "remove_posted", "xfer_begin",
    "xfer_end",     "complete",     "notify",     "arrived",       "insert_unex",   "remove_unex",
    "match_posted", "posted_begin", "posted_end", "unex_begin",    "unex_end"};

struct record {
    peruse_event_h handle;
    int event;
    MPI_Aint id;
    peruse_comm_spec_t spec;
    void *param;
};

enum {
    RECORDS = 1 << 16
};
static struct record records[RECORDS];
static int recorded;

/* The callback: records all of its arguments, and calls the functions that it may call. */
__attribute__((unused)) static int record(peruse_event_h handle, MPI_Aint id,
                                          peruse_comm_spec_t *spec, void *param)
{
    struct record *r = &records[recorded++ % RECORDS];
    *r = (struct record){handle, PERUSE_EVENT_INVALID, id, *spec, param};
    return PERUSE_Event_get(handle, &r->event) == PERUSE_SUCCESS ? MPI_SUCCESS : MPI_ERR_INTERN;
}

/* All events of a communicator. */
struct watch {
    peruse_event_h handles[EVENTS];
};

__attribute__((unused)) static struct watch watch(MPI_Comm comm, void *param)
{
    struct watch w;
    for (int i = 0; i < EVENTS; i++) {
        CHECK_EQUAL(PERUSE_Event_comm_register(i + 1, comm, record, param, &w.handles[i]),
                    PERUSE_SUCCESS);
        CHECK_EQUAL(PERUSE_Event_activate(w.handles[i]), PERUSE_SUCCESS);
    }
    return w;
}

__attribute__((unused)) static void unwatch(struct watch *w)
{
    for (int i = 0; i < EVENTS; i++)
        CHECK_EQUAL(PERUSE_Event_release(&w->handles[i]), PERUSE_SUCCESS);
}

/* The events recorded since the last time: each event with a letter for its unique_id, in the order
 * in which they come. Searches, which say little about order, are left out unless asked for.
 */
__attribute__((unused)) static const char *course(int searches)
{
    static char text[1 << 14];
    MPI_Aint ids[26];
    int letters = 0;
    text[0] = 0;
    for (int i = 0; i < recorded; i++) {
        int event = records[i].event, letter = 0;
        if (!searches && event >= PERUSE_COMM_SEARCH_POSTED_Q_BEGIN)
            continue;
        while (letter < letters && ids[letter] != records[i].id)
            letter++;
        if (letter == letters && letters < 26)
            ids[letters++] = records[i].id;
        sprintf(text + strlen(text), "%s%s:%c", text[0] ? " " : "", short_names[event],
                'a' + letter);
    }
    recorded = 0;
    return text;
}

#define EXPECT_COURSE(searches, expected)                                                          \
    do {                                                                                           \
        const char *course_ = course(searches);                                                    \
        if (strcmp(course_, (expected)) != 0) {                                                    \
            fprintf(stderr, "%s:%d: rank %d:\n  expected %s\n  got      %s\n", __FILE__, __LINE__, \
                    rank, (expected), course_);                                                    \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                          \
        }                                                                                          \
    } while (0)

#define BARRIER() MPI_Barrier(MPI_COMM_WORLD)

#endif
