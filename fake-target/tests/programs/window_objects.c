/*
 * window_objects.c - attributes, keys, names, groups, hints and error handlers of windows; shared
 * memory; and errors.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#include "check.h"

static int rank, size;

static void attributes(MPI_Win win, int flavor, void *base, MPI_Aint size_, int unit) {
    void *value;
    int flag = 0;
    OK(MPI_Win_get_attr(win, MPI_WIN_BASE, &value, &flag));
    CHECK(flag && value == base);
    OK(MPI_Win_get_attr(win, MPI_WIN_SIZE, &value, &flag));
    CHECK(flag && *(MPI_Aint *)value == size_);
    OK(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &value, &flag));
    CHECK(flag && *(int *)value == unit);
    OK(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &value, &flag));
    CHECK(flag && *(int *)value == flavor);
    OK(MPI_Win_get_attr(win, MPI_WIN_MODEL, &value, &flag));
    CHECK(flag && *(int *)value == MPI_WIN_UNIFIED);
}

static void flavors(void) {
    MPI_Win win;
    long memory[10], *base;
    OK(MPI_Win_create(memory, sizeof memory, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    attributes(win, MPI_WIN_FLAVOR_CREATE, memory, sizeof memory, 8);
    OK(MPI_Win_free(&win));
    OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    attributes(win, MPI_WIN_FLAVOR_CREATE, NULL, 0, 1);
    OK(MPI_Win_free(&win));
    OK(MPI_Win_create_c(memory, 16, 4, MPI_INFO_NULL, MPI_COMM_SELF, &win));
    attributes(win, MPI_WIN_FLAVOR_CREATE, memory, 16, 4);
    OK(MPI_Win_free(&win));
    OK(MPI_Win_allocate(40 + rank, 2, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    attributes(win, MPI_WIN_FLAVOR_ALLOCATE, base, 40 + rank, 2);
    memset(base, 1, 40 + rank);
    OK(MPI_Win_free(&win));
    OK(MPI_Win_allocate_shared_c(40, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    attributes(win, MPI_WIN_FLAVOR_SHARED, base, 40, 4);
    OK(MPI_Win_free(&win));
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    attributes(win, MPI_WIN_FLAVOR_DYNAMIC, MPI_BOTTOM, 0, 1);
    OK(MPI_Win_free(&win));
}

static int deletions;

static int delete_(MPI_Win win, int key, void *value, void *extra) {
    (void)key;
    CHECK(win != MPI_WIN_NULL && extra == &deletions);
    deletions += *(int *)value;
    return MPI_SUCCESS;
}

static int refuse(MPI_Win win, int key, void *value, void *extra) {
    (void)win, (void)key, (void)value;
    return ++*(int *)extra == 1 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static void keys(void) {
    MPI_Win win;
    int key, other, flag, one = 1, ten = 10, refusals = 0;
    void *value;
    OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_, &key, &deletions));
    OK(MPI_Win_create_keyval(MPI_WIN_DUP_FN, MPI_WIN_NULL_DELETE_FN, &other, NULL));
    OK(MPI_Win_get_attr(win, key, &value, &flag));
    CHECK(!flag);
    OK(MPI_Win_set_attr(win, key, &one));
    OK(MPI_Win_set_attr(win, other, &refusals));
    OK(MPI_Win_get_attr(win, key, &value, &flag));
    CHECK(flag && value == &one);
    OK(MPI_Win_set_attr(win, key, &ten));
    CHECK(deletions == 1);
    OK(MPI_Win_delete_attr(win, key));
    CHECK(deletions == 11);
    OK(MPI_Win_get_attr(win, key, &value, &flag));
    CHECK(!flag);
    OK(MPI_Win_set_attr(win, key, &ten));
    OK(MPI_Win_free_keyval(&key));
    CHECK(key == MPI_KEYVAL_INVALID);
    OK(MPI_Win_free(&win));
    CHECK(deletions == 21);
    OK(MPI_Win_free_keyval(&other));

    /* A function that refuses keeps the window. */
    OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, refuse, &key, &refusals));
    OK(MPI_Win_set_attr(win, key, NULL));
    FAILS(MPI_ERR_OTHER, MPI_Win_free(&win));
    CHECK(win != MPI_WIN_NULL);
    FAILS(MPI_ERR_KEYVAL, MPI_Win_set_attr(win, MPI_WIN_SIZE, &one));
    FAILS(MPI_ERR_KEYVAL, MPI_Win_delete_attr(win, MPI_WIN_BASE));
    FAILS(MPI_ERR_KEYVAL, MPI_Win_set_attr(win, MPI_KEYVAL_INVALID, &one));
    OK(MPI_Win_free(&win));
    OK(MPI_Win_free_keyval(&key));
}

static MPI_Win failed;
static int failures, failed_code;

static void handler(MPI_Win *win, int *code, ...) {
    failed = *win;
    failed_code = *code;
    failures++;
}

static void comm_handler(MPI_Comm *comm, int *code, ...) {
    (void)comm, (void)code;
    CHECK(0);
}

static void error_handlers(void) {
    MPI_Win win, null = MPI_WIN_NULL;
    MPI_Errhandler made, of_comm, now;
    OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_get_errhandler(win, &now));
    CHECK(now == MPI_ERRORS_ARE_FATAL);
    OK(MPI_Win_create_errhandler(handler, &made));
    OK(MPI_Comm_create_errhandler(comm_handler, &of_comm));
    OK(MPI_Win_set_errhandler(win, made));
    OK(MPI_Win_get_errhandler(win, &now));
    CHECK(now == made);
    OK(MPI_Errhandler_free(&now));
    FAILS(MPI_ERR_ERRHANDLER, MPI_Win_set_errhandler(win, of_comm));
    CHECK(failures == 1 && failed == win);
    OK(MPI_Errhandler_free(&made));
    FAILS(MPI_ERR_RANK, MPI_Put(NULL, 0, MPI_INT, size, 0, 0, MPI_INT, win));
    CHECK(failures == 2 && failed == win && failed_code == MPI_ERR_RANK);
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_complete(win));
    CHECK(failures == 3);
    OK(MPI_Win_call_errhandler(win, MPI_ERR_OTHER));
    CHECK(failures == 4 && failed_code == MPI_ERR_OTHER);
    OK(MPI_Win_free(&win));

    /* A handle that is not a window: the handler of MPI_COMM_SELF is called. */
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    FAILS(MPI_ERR_WIN, MPI_Win_fence(0, MPI_WIN_NULL));
    FAILS(MPI_ERR_WIN, MPI_Win_free(&null));
    FAILS(MPI_ERR_WIN, MPI_Put(NULL, 0, MPI_INT, 0, 0, 0, MPI_INT, MPI_WIN_NULL));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
    OK(MPI_Errhandler_free(&of_comm));
}

static void names_groups_hints(void) {
    MPI_Win win;
    MPI_Group of_win, of_world;
    MPI_Info info;
    char name[MPI_MAX_OBJECT_NAME], text[64];
    int length = 64, flag, result;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "no_locks", "true"));
    OK(MPI_Info_set(info, "nobody_knows", "this"));
    OK(MPI_Win_create(NULL, 0, 1, info, MPI_COMM_WORLD, &win));
    OK(MPI_Win_get_name(win, name, &length));
    CHECK(length == 0 && name[0] == 0);
    OK(MPI_Win_set_name(win, "the window"));
    OK(MPI_Win_get_name(win, name, &length));
    CHECK(length == 10 && strcmp(name, "the window") == 0);
    OK(MPI_Win_get_group(win, &of_win));
    OK(MPI_Comm_group(MPI_COMM_WORLD, &of_world));
    OK(MPI_Group_compare(of_win, of_world, &result));
    CHECK(result == MPI_IDENT);
    OK(MPI_Group_free(&of_win));
    OK(MPI_Group_free(&of_world));
    OK(MPI_Info_set(info, "no_locks", "false"));
    OK(MPI_Info_set(info, "same_size", "true"));
    OK(MPI_Win_set_info(win, info));
    OK(MPI_Info_free(&info));
    OK(MPI_Win_get_info(win, &info));
    struct { const char *key, *value; } expected[] = {{"no_locks", "false"}, {"same_size", "true"},
        {"same_disp_unit", "false"}, {"accumulate_ops", "same_op_no_op"},
        {"accumulate_ordering", "rar,raw,war,waw"}};
    for (int i = 0; i < 5; i++) {
        length = sizeof text;
        OK(MPI_Info_get_string(info, expected[i].key, &length, text, &flag));
        CHECK(flag && strcmp(text, expected[i].value) == 0);
    }
    OK(MPI_Info_get_string(info, "nobody_knows", &length, text, &flag));
    CHECK(!flag);
    OK(MPI_Info_free(&info));
    CHECK(MPI_Win_fromint(MPI_Win_toint(win)) == win);
    CHECK(MPI_Win_fromint(MPI_Win_toint(MPI_WIN_NULL)) == MPI_WIN_NULL);
    OK(MPI_Win_free(&win));
}

/* A stencil by loads and stores in the memory of all ranks, which lies in one piece. */
static void shared_memory(void) {
    enum { OWN = 100, STEPS = 30 };
    MPI_Win win;
    double *own, *all, *base;
    MPI_Aint bytes;
    int unit, n = OWN * size;
    OK(MPI_Win_allocate_shared(OWN * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                               &own, &win));
    OK(MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &all));
    CHECK(bytes == OWN * sizeof(double) && unit == sizeof(double) && own == all + rank * OWN);
    for (int of = 0; of < size; of++) {
        OK(MPI_Win_shared_query(win, of, &bytes, &unit, &base));
        CHECK(base == all + of * OWN && bytes == OWN * sizeof(double));
    }
    double *grid = malloc(n * sizeof(double)), *next = malloc(n * sizeof(double)), new[OWN];
    for (int i = 0; i < n; i++) grid[i] = i * i % 97;
    OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
    for (int i = 0; i < OWN; i++) own[i] = (rank * OWN + i) * (rank * OWN + i) % 97;
    for (int step = 0; step < STEPS; step++) {
        OK(MPI_Win_sync(win));
        OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_Win_sync(win));
        for (int i = 0; i < OWN; i++) {
            int at = rank * OWN + i;
            new[i] = (all[at > 0 ? at - 1 : at] + all[at] + all[at + 1 < n ? at + 1 : at]) / 3;
        }
        OK(MPI_Win_sync(win));
        OK(MPI_Barrier(MPI_COMM_WORLD));
        memcpy(own, new, sizeof new);
        for (int i = 0; i < n; i++)
            next[i] = (grid[i > 0 ? i - 1 : i] + grid[i] + grid[i + 1 < n ? i + 1 : i]) / 3;
        memcpy(grid, next, n * sizeof(double));
    }
    OK(MPI_Win_sync(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(memcmp(all, grid, n * sizeof(double)) == 0);
    OK(MPI_Win_unlock_all(win));
    free(grid);
    free(next);
    OK(MPI_Win_free(&win));

    /* Parts on pages of their own; ranks without memory. */
    MPI_Info info;
    char *part;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "alloc_shared_noncontig", "true"));
    OK(MPI_Win_allocate_shared(rank == 0 ? 0 : 10 + rank, 1, info, MPI_COMM_WORLD, &part, &win));
    OK(MPI_Info_free(&info));
    OK(MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &base));
    CHECK(bytes == (size > 1 ? 11 : 0) && (size > 1) == (base != NULL));
    OK(MPI_Win_shared_query(win, 0, &bytes, &unit, &base));
    CHECK(bytes == 0 && base == NULL);
    if (rank > 0) memset(part, rank, 10 + rank);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int of = 1; of < size; of++) {
        char *theirs;
        OK(MPI_Win_shared_query(win, of, &bytes, &unit, &theirs));
        CHECK(bytes == 10 + of && theirs[0] == of && theirs[bytes - 1] == of);
    }
    OK(MPI_Win_free(&win));

    /* Memory of MPI_Win_allocate is shared too, that of MPI_Win_create only with itself. */
    OK(MPI_Win_allocate(8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &win));
    *own = rank;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_shared_query(win, (rank + 1) % size, &bytes, &unit, &base));
    CHECK(bytes == 8 && unit == 8 && *base == (rank + 1) % size);
    OK(MPI_Win_free(&win));
    double mine;
    OK(MPI_Win_create(&mine, 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_shared_query(win, rank, &bytes, &unit, &base));
    CHECK(bytes == 8 && base == &mine);
    OK(MPI_Win_shared_query(win, (rank + 1) % size, &bytes, &unit, &base));
    CHECK(size == 1 || (bytes == 0 && base == NULL));
    OK(MPI_Win_free(&win));
}

/* Wrong calls give an error and have no other effect. */
static void refused(void) {
    int memory[4] = {1, 2, 3, 4}, value = 9, flag;
    MPI_Win win;
    MPI_Request request;
    MPI_Group world;
    void *base;
    MPI_Aint bytes;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    /* One rank's arguments are wrong: the call fails in all ranks, and none hangs. */
    int wrong = size - 1;
    FAILS(MPI_ERR_SIZE, MPI_Win_create(memory, rank == wrong ? -1 : 16, 4, MPI_INFO_NULL,
                                       MPI_COMM_WORLD, &win));
    FAILS(MPI_ERR_DISP, MPI_Win_create(memory, 16, rank == wrong ? 0 : 1, MPI_INFO_NULL,
                                       MPI_COMM_WORLD, &win));
    FAILS(MPI_ERR_SIZE, MPI_Win_allocate(rank == wrong ? -1 : 16, 4, MPI_INFO_NULL,
                                         MPI_COMM_WORLD, &base, &win));
    FAILS(MPI_ERR_BASE, MPI_Win_create(rank == wrong ? NULL : memory, 16, 1, MPI_INFO_NULL,
                                       MPI_COMM_WORLD, &win));
    FAILS(MPI_ERR_NO_MEM, MPI_Win_allocate((MPI_Aint)1 << 60, 4, MPI_INFO_NULL, MPI_COMM_WORLD,
                                           &base, &win));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));

    OK(MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    /* No epoch. */
    FAILS(MPI_ERR_RMA_SYNC, MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_unlock(0, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_unlock_all(win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_flush(0, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_flush_all(win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_complete(win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_wait(win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_test(win, &flag));
    /* The epoch of a lock. */
    FAILS(MPI_ERR_LOCKTYPE, MPI_Win_lock(0, 0, 0, win));
    FAILS(MPI_ERR_RANK, MPI_Win_lock(MPI_LOCK_SHARED, -77, 0, win));
    FAILS(MPI_ERR_ASSERT, MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOPUT, win));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_lock_all(0, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_fence(0, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_start(world, 0, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_free(&win));
    if (size > 1)
        FAILS(MPI_ERR_RMA_SYNC,
              MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win));
    FAILS(MPI_ERR_RMA_RANGE, MPI_Put(&value, 1, MPI_INT, rank, 4, 1, MPI_INT, win));
    FAILS(MPI_ERR_RMA_RANGE, MPI_Get(&value, 5, MPI_INT, rank, 0, 5, MPI_INT, win));
    FAILS(MPI_ERR_DISP, MPI_Put(&value, 1, MPI_INT, rank, -1, 1, MPI_INT, win));
    FAILS(MPI_ERR_COUNT, MPI_Put(&value, -1, MPI_INT, rank, 0, 1, MPI_INT, win));
    FAILS(MPI_ERR_COUNT, MPI_Put(&value, 1, MPI_INT, rank, 0, -1, MPI_INT, win));
    FAILS(MPI_ERR_TYPE, MPI_Put(&value, 1, MPI_DATATYPE_NULL, rank, 0, 1, MPI_INT, win));
    FAILS(MPI_ERR_TYPE, MPI_Put(&value, 1, MPI_INT, rank, 0, 1, MPI_DATATYPE_NULL, win));
    FAILS(MPI_ERR_BUFFER, MPI_Put(NULL, 1, MPI_INT, rank, 0, 1, MPI_INT, win));
    FAILS(MPI_ERR_TRUNCATE, MPI_Get(&value, 1, MPI_INT, rank, 0, 2, MPI_INT, win));
    OK(MPI_Win_unlock(rank, win));
    /* The epoch of a fence. */
    FAILS(MPI_ERR_ASSERT, MPI_Win_fence(MPI_MODE_NOCHECK, win));
    OK(MPI_Win_fence(0, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Rput(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &request));
    OK(MPI_Get(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
    /* The epochs of a group. */
    OK(MPI_Win_post(world, 0, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_post(world, 0, win));
    OK(MPI_Win_start(world, 0, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_start(world, 0, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_free(&win));
    OK(MPI_Win_complete(win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_free(&win));
    OK(MPI_Win_wait(win));
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    /* Attached memory. */
    FAILS(MPI_ERR_RMA_FLAVOR, MPI_Win_attach(win, memory, 4));
    CHECK(memory[0] == 1 && memory[1] == 2 && memory[2] == 3 && memory[3] == 4);
    OK(MPI_Win_free(&win));
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_attach(win, memory, 8));
    FAILS(MPI_ERR_RMA_ATTACH, MPI_Win_attach(win, (char *)memory + 4, 8));
    /* Pieces without bytes overlap with nothing. */
    OK(MPI_Win_attach(win, memory + 1, 0));
    OK(MPI_Win_attach(win, memory + 1, 0));
    FAILS(MPI_ERR_RMA_ATTACH, MPI_Win_attach(win, (char *)memory + 6, 8));
    FAILS(MPI_ERR_RMA_ATTACH, MPI_Win_detach(win, memory + 2));
    FAILS(MPI_ERR_RMA_FLAVOR, MPI_Win_shared_query(win, 0, &bytes, &flag, &base));
    MPI_Aint places[16], place;
    OK(MPI_Get_address(memory, &place));
    OK(MPI_Allgather(&place, 1, MPI_AINT, places, 1, MPI_AINT, MPI_COMM_WORLD));
    int to = (rank + 1) % size;
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Get(&value, 1, MPI_INT, to, places[to] + 4, 1, MPI_INT, win));
    CHECK(value == 2);
    FAILS(MPI_ERR_RMA_RANGE, MPI_Get(&value, 1, MPI_INT, to, places[to] + 8, 1, MPI_INT, win));
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_detach(win, memory + 1));
    OK(MPI_Win_detach(win, memory + 1));
    FAILS(MPI_ERR_RMA_ATTACH, MPI_Win_detach(win, memory + 1));
    OK(MPI_Win_detach(win, memory));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock_all(0, win));
    FAILS(MPI_ERR_RMA_RANGE, MPI_Get(&value, 1, MPI_INT, to, places[to], 1, MPI_INT, win));
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
    OK(MPI_Group_free(&world));
}

/* One operation on elements in several pieces of attached memory, with a gap between them. */
static void several_pieces(void) {
    enum { SECOND = 200 };
    static int memory[SECOND + 100];
    int lengths[2] = {2, 1}, data[3] = {10, 20, 30}, back[3] = {0}, old[3];
    MPI_Aint places[16], place, near[2] = {4, 4 * SECOND}, far[2];
    MPI_Datatype relative, absolute, vector, beside;
    MPI_Win win;
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_attach(win, memory, 40));
    OK(MPI_Win_attach(win, memory + SECOND, 40));
    OK(MPI_Get_address(memory, &place));
    OK(MPI_Allgather(&place, 1, MPI_AINT, places, 1, MPI_AINT, MPI_COMM_WORLD));
    int to = (rank + 1) % size;
    for (int n = 0; n < 2; n++) far[n] = places[to] + near[n];
    OK(MPI_Type_create_hindexed(2, lengths, near, MPI_INT, &relative));
    OK(MPI_Type_create_hindexed(2, lengths, far, MPI_INT, &absolute));
    OK(MPI_Type_create_hvector(2, 1, 4 * SECOND, MPI_INT, &vector));
    OK(MPI_Type_create_hvector(3, 1, 2 * SECOND, MPI_INT, &beside));
    OK(MPI_Type_commit(&relative));
    OK(MPI_Type_commit(&absolute));
    OK(MPI_Type_commit(&vector));
    OK(MPI_Type_commit(&beside));
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Put(data, 3, MPI_INT, to, places[to], 1, relative, win));
    OK(MPI_Accumulate(data, 3, MPI_INT, to, 0, 1, absolute, MPI_SUM, win));
    OK(MPI_Win_flush(to, win));
    OK(MPI_Get_accumulate(data, 3, MPI_INT, old, 3, MPI_INT, to, places[to], 1, relative, MPI_SUM,
                          win));
    OK(MPI_Get(back, 3, MPI_INT, to, (MPI_Aint)MPI_BOTTOM, 1, absolute, win));
    OK(MPI_Win_flush(to, win));
    for (int n = 0; n < 3; n++) CHECK(old[n] == 2 * data[n] && back[n] == 3 * data[n]);
    /* The tenth element is the last of a piece. */
    OK(MPI_Put(data, 2, MPI_INT, to, places[to] + 36, 1, vector, win));
    FAILS(MPI_ERR_RMA_RANGE, MPI_Put(data, 2, MPI_INT, to, places[to] + 40, 1, vector, win));
    FAILS(MPI_ERR_RMA_RANGE, MPI_Put(data, 2, MPI_INT, to, places[to] - 4, 1, vector, win));
    FAILS(MPI_ERR_RMA_RANGE, MPI_Put(data, 3, MPI_INT, to, places[to], 1, beside, win));
    /* More elements than any memory has, of which only the first is attached. */
    FAILS(MPI_ERR_RMA_RANGE,
          MPI_Put_c(data, 1, MPI_INT, to, places[to], (MPI_Count)1 << 40, relative, win));
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int n = 0; n < SECOND + 100; n++) {
        int expected = n == 1 ? 30 : n == 2 ? 60 : n == SECOND ? 90 : 0;
        if (n == 9 || n == SECOND + 9) expected = n == 9 ? 10 : 20;
        CHECK(memory[n] == expected);
    }
    OK(MPI_Type_free(&relative));
    OK(MPI_Type_free(&absolute));
    OK(MPI_Type_free(&vector));
    OK(MPI_Type_free(&beside));
    OK(MPI_Win_free(&win));
}

/* Windows outlive their communicator, and several are used at a time. */
static void many(void) {
    enum { MANY = 20 };
    MPI_Win wins[MANY];
    MPI_Comm comm;
    int *bases[MANY];
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm));
    int r, n;
    OK(MPI_Comm_rank(comm, &r));
    OK(MPI_Comm_size(comm, &n));
    for (int i = 0; i < MANY; i++)
        OK(MPI_Win_allocate(4, 4, MPI_INFO_NULL, comm, &bases[i], &wins[i]));
    OK(MPI_Comm_free(&comm));
    for (int i = 0; i < MANY; i++) OK(MPI_Win_fence(0, wins[i]));
    for (int i = 0; i < MANY; i++) {
        int value = 100 * i + rank;
        OK(MPI_Put(&value, 1, MPI_INT, (r + 1) % n, 0, 1, MPI_INT, wins[i]));
    }
    for (int i = MANY - 1; i >= 0; i--) OK(MPI_Win_fence(0, wins[i]));
    /* Ranks are in the order of their negative keys: the one before has a higher world rank. */
    int before = r > 0 ? rank + 2 : rank % 2;
    for (int i = 0; i < MANY; i++) CHECK(*bases[i] == 100 * i + before);
    for (int i = 0; i < MANY; i++) OK(MPI_Win_free(&wins[i]));
}

int main(int argc, char **argv) {
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    flavors();
    keys();
    error_handlers();
    names_groups_hints();
    shared_memory();
    refused();
    several_pieces();
    many();
    PASS();
}
