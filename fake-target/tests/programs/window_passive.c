/*
 * window_passive.c - locks, flushes and operations with requests: counters, a mutex made of
 * compare-and-swap, and a list in dynamic windows.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#include <stddef.h>

#include "check.h"

static int rank, size;

/* All ranks draw numbers from a counter of rank 0, which is passive: each number is drawn once. */
static void counter(int created) {
    enum { EACH = 500 };
    MPI_Win win;
    long *base, one = 1, *drawn = malloc(EACH * sizeof(long));
    if (created) {
        base = malloc(sizeof(long));
        OK(MPI_Win_create(base, sizeof(long), 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    } else {
        OK(MPI_Win_allocate(sizeof(long), 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    }
    *base = 0;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < EACH; i++) {
        if (i % 2) OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
        else OK(MPI_Win_lock_all(0, win));
        OK(MPI_Fetch_and_op(&one, &drawn[i], MPI_LONG, 0, 0, MPI_SUM, win));
        if (i % 2) OK(MPI_Win_unlock(0, win));
        else OK(MPI_Win_unlock_all(win));
        CHECK(i == 0 || drawn[i] > drawn[i - 1]);
    }
    long *all = malloc(EACH * size * sizeof(long));
    char *seen = calloc(EACH * size, 1);
    OK(MPI_Allgather(drawn, EACH, MPI_LONG, all, EACH, MPI_LONG, MPI_COMM_WORLD));
    for (int i = 0; i < EACH * size; i++) {
        CHECK(all[i] >= 0 && all[i] < EACH * size && !seen[all[i]]);
        seen[all[i]] = 1;
    }
    if (rank == 0) CHECK(*base == EACH * size);
    free(all);
    free(seen);
    free(drawn);
    OK(MPI_Win_free(&win));
    if (created) free(base);
}

/* Exclusive locks keep a read and a write together. */
static void exclusive(void) {
    enum { EACH = 200 };
    int *base;
    MPI_Win win;
    OK(MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
    base[0] = base[1] = 0;
    OK(MPI_Win_unlock(rank, win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < EACH; i++) {
        int target = (rank + i) % size, both[2];
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
        OK(MPI_Get(both, 2, MPI_INT, target, 0, 2, MPI_INT, win));
        OK(MPI_Win_flush(target, win));
        CHECK(both[0] == both[1]);
        both[0]++;
        OK(MPI_Put(&both[0], 1, MPI_INT, target, 0, 1, MPI_INT, win));
        OK(MPI_Put(&both[0], 1, MPI_INT, target, 1, 1, MPI_INT, win));
        OK(MPI_Win_unlock(target, win));
        /* A reader sees both or none of the writes. */
        OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win));
        OK(MPI_Get(both, 2, MPI_INT, target, 0, 2, MPI_INT, win));
        OK(MPI_Win_unlock(target, win));
        CHECK(both[0] == both[1]);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    int sum;
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
    OK(MPI_Allreduce(base, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    OK(MPI_Win_unlock(rank, win));
    CHECK(sum == EACH * size);
    OK(MPI_Win_free(&win));
}

/* A mutex of compare-and-swap around a number that is not changed atomically. */
static void mutex(int created) {
    enum { EACH = 100 };
    int memory[2] = {-1, 0}, *base = memory;
    MPI_Win win;
    if (created) {
        OK(MPI_Win_create(base, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    } else {
        OK(MPI_Win_allocate(sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
        memcpy(base, memory, sizeof memory);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < EACH; i++) {
        int free_ = -1, was = 0, value;
        while (1) {
            OK(MPI_Compare_and_swap(&rank, &free_, &was, MPI_INT, 0, 0, win));
            OK(MPI_Win_flush(0, win));
            if (was == -1) break;
            CHECK(was >= 0 && was < size && was != rank);
        }
        OK(MPI_Get(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, win));
        OK(MPI_Win_flush(0, win));
        value++;
        OK(MPI_Put(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, win));
        OK(MPI_Win_flush(0, win));
        OK(MPI_Compare_and_swap(&free_, &rank, &was, MPI_INT, 0, 0, win));
        OK(MPI_Win_flush(0, win));
        CHECK(was == rank);
    }
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) CHECK(base[0] == -1 && base[1] == EACH * size);
    OK(MPI_Win_free(&win));
}

/* A list whose elements are in the memory of all ranks: each rank appends at its end. */
static void list(void) {
    enum { EACH = 30 };
    typedef struct { MPI_Aint address; int owner; } pointer;
    typedef struct { int value; int pad; pointer next; } element;
    const pointer nil = {0, -1};
    MPI_Win win;
    MPI_Datatype kind;
    int lengths[2] = {1, 1};
    MPI_Aint offsets[2] = {offsetof(pointer, address), offsetof(pointer, owner)};
    MPI_Datatype types[2] = {MPI_AINT, MPI_INT};
    OK(MPI_Type_create_struct(2, lengths, offsets, types, &kind));
    OK(MPI_Type_commit(&kind));
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    element *made[EACH + 1] = {0};
    pointer head = nil;
    if (rank == 0) {
        made[EACH] = malloc(sizeof(element));
        *made[EACH] = (element){-1, 0, nil};
        OK(MPI_Win_attach(win, made[EACH], sizeof(element)));
        head.owner = 0;
        OK(MPI_Get_address(made[EACH], &head.address));
    }
    OK(MPI_Bcast(&head, 1, kind, 0, MPI_COMM_WORLD));
    for (int i = 0; i < EACH; i++) {
        made[i] = malloc(sizeof(element));
        *made[i] = (element){rank * EACH + i, 0, nil};
        OK(MPI_Win_attach(win, made[i], sizeof(element)));
        pointer mine = {0, rank}, tail = head;
        OK(MPI_Get_address(made[i], &mine.address));
        OK(MPI_Win_lock_all(0, win));
        for (int appended = 0; !appended;) {
            /* The compare-and-swap is on the owner of the next element; the address follows. */
            int none = -1, was;
            MPI_Aint place = tail.address + offsetof(element, next);
            OK(MPI_Compare_and_swap(&rank, &none, &was, MPI_INT, tail.owner,
                                    place + offsetof(pointer, owner), win));
            OK(MPI_Win_flush(tail.owner, win));
            MPI_Aint next = 0;
            if (was == -1) {
                OK(MPI_Accumulate(&mine.address, 1, MPI_AINT, tail.owner, place, 1, MPI_AINT,
                                  MPI_REPLACE, win));
                OK(MPI_Win_flush(tail.owner, win));
                appended = 1;
                continue;
            }
            while (next == 0) {
                OK(MPI_Fetch_and_op(NULL, &next, MPI_AINT, tail.owner, place, MPI_NO_OP, win));
                OK(MPI_Win_flush(tail.owner, win));
            }
            tail = (pointer){next, was};
        }
        OK(MPI_Win_unlock_all(win));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    /* Every value is there once, those of each rank in their order. */
    int count = 0, *last = malloc(size * sizeof(int));
    for (int i = 0; i < size; i++) last[i] = -1;
    OK(MPI_Win_lock_all(0, win));
    for (pointer at = head; at.owner >= 0; count++) {
        element copy;
        OK(MPI_Get(&copy, sizeof copy, MPI_BYTE, at.owner, at.address, sizeof copy, MPI_BYTE, win));
        OK(MPI_Win_flush(at.owner, win));
        if (count > 0) {
            int owner = copy.value / EACH;
            CHECK(owner == at.owner && copy.value % EACH == last[owner] + 1);
            last[owner]++;
        }
        at = copy.next;
    }
    OK(MPI_Win_unlock_all(win));
    CHECK(count == 1 + size * EACH);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i <= EACH; i++) {
        if (!made[i]) continue;
        OK(MPI_Win_detach(win, made[i]));
        free(made[i]);
    }
    free(last);
    OK(MPI_Type_free(&kind));
    OK(MPI_Win_free(&win));
}

/* Operations with requests, completed in all ways. */
static void requests(void) {
    enum { N = 100 };
    int *base, to = (rank + 1) % size;
    MPI_Win win;
    OK(MPI_Win_allocate(N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    for (int i = 0; i < N; i++) base[i] = 0;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
    int values[N], got[N], before[N];
    MPI_Request all[N], one;
    for (int i = 0; i < N; i++) {
        values[i] = 5 * i + rank;
        OK(MPI_Rput(&values[i], 1, MPI_INT, to, i, 1, MPI_INT, win, &all[i]));
        CHECK(all[i] != MPI_REQUEST_NULL);
    }
    OK(MPI_Waitall(N, all, MPI_STATUSES_IGNORE));
    for (int i = 0; i < N; i++) CHECK(all[i] == MPI_REQUEST_NULL);
    OK(MPI_Win_flush_all(win));
    OK(MPI_Rget(got, N, MPI_INT, to, 0, N, MPI_INT, win, &one));
    OK(MPI_Wait(&one, MPI_STATUS_IGNORE));
    CHECK(memcmp(got, values, sizeof got) == 0);
    OK(MPI_Raccumulate(values, N, MPI_INT, to, 0, N, MPI_INT, MPI_SUM, win, &one));
    int flag = 0;
    while (!flag) OK(MPI_Test(&one, &flag, MPI_STATUS_IGNORE));
    OK(MPI_Rget_accumulate(values, N, MPI_INT, before, N, MPI_INT, to, 0, N, MPI_INT, MPI_PROD,
                           win, &one));
    OK(MPI_Wait(&one, MPI_STATUS_IGNORE));
    OK(MPI_Win_flush_local_all(win));
    OK(MPI_Rget_c(got, N, MPI_INT, to, 0, N, MPI_INT, win, &one));
    OK(MPI_Wait(&one, MPI_STATUS_IGNORE));
    for (int i = 0; i < N; i++)
        CHECK(before[i] == 2 * values[i] && got[i] == 2 * values[i] * values[i]);
    OK(MPI_Rput(values, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win, &one));
    OK(MPI_Wait(&one, MPI_STATUS_IGNORE));
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
}

/* An operation that has passed all checks passes them again only as long as they hold. */
static void repeated(void) {
    int value = 7, got = 0, other = (rank + 1) % size, *memory;
    MPI_Win win, second;
    OK(MPI_Win_allocate(16, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    OK(MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &second));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_set_errhandler(second, MPI_ERRORS_RETURN));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Put(&value, 1, MPI_INT, other, 0, 1, MPI_INT, win));
    for (int turn = 0; turn < 2; turn++) {
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, win));
        for (int i = 0; i < 3; i++) {
            value = 10 * turn + i;
            OK(MPI_Put(&value, 1, MPI_INT, other, 3, 1, MPI_INT, win));
            OK(MPI_Win_flush(other, win));
            OK(MPI_Get(&got, 1, MPI_INT, other, 3, 1, MPI_INT, win));
            CHECK(got == value);
            OK(MPI_Fetch_and_op(&value, &got, MPI_INT, other, 3, MPI_SUM, win));
            OK(MPI_Accumulate(&value, 1, MPI_INT, other, 3, 1, MPI_INT, MPI_SUM, win));
            OK(MPI_Fetch_and_op(NULL, &got, MPI_INT, other, 3, MPI_NO_OP, win));
            CHECK(got == 3 * value);
            OK(MPI_Accumulate(&i, 1, MPI_INT, other, 3, 1, MPI_INT, MPI_REPLACE, win));
            FAILS(MPI_ERR_RMA_RANGE, MPI_Put(&value, 1, MPI_INT, other, 4, 1, MPI_INT, win));
            FAILS(MPI_ERR_RMA_RANGE, MPI_Get(&got, 2, MPI_INT, other, 3, 2, MPI_INT, win));
            FAILS(MPI_ERR_DISP, MPI_Put(&value, 1, MPI_INT, other, -1, 1, MPI_INT, win));
            FAILS(MPI_ERR_RANK, MPI_Put(&value, 1, MPI_INT, size, 0, 1, MPI_INT, win));
            FAILS(MPI_ERR_COUNT, MPI_Put(&value, -1, MPI_INT, other, 0, -1, MPI_INT, win));
            FAILS(MPI_ERR_BUFFER, MPI_Put(NULL, 1, MPI_INT, other, 0, 1, MPI_INT, win));
            FAILS(MPI_ERR_OP,
                  MPI_Accumulate(&value, 1, MPI_INT, other, 0, 1, MPI_INT, MPI_MINLOC, win));
            FAILS(MPI_ERR_RMA_SYNC, MPI_Put(&value, 1, MPI_INT, other, 0, 1, MPI_INT, second));
            if (size > 1)
                FAILS(MPI_ERR_RMA_SYNC, MPI_Put(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, win));
        }
        OK(MPI_Win_unlock(other, win));
        FAILS(MPI_ERR_RMA_SYNC, MPI_Put(&value, 1, MPI_INT, other, 3, 1, MPI_INT, win));
        FAILS(MPI_ERR_RMA_SYNC,
              MPI_Accumulate(&value, 1, MPI_INT, other, 3, 1, MPI_INT, MPI_SUM, win));
        FAILS(MPI_ERR_RMA_SYNC, MPI_Win_flush(other, win));
    }
    OK(MPI_Win_free(&second));
    MPI_Win gone = win;
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Put(&value, 1, MPI_INT, other, 0, 1, MPI_INT, win));
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    FAILS(MPI_ERR_WIN, MPI_Put(&value, 1, MPI_INT, other, 0, 1, MPI_INT, gone));
}

/* The target is in no call of MPI while another rank works on its memory. */
static void passive_target(void) {
    volatile int memory[2] = {0, 0};
    MPI_Win win;
    OK(MPI_Win_create((void *)memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    if (rank == 0 && size > 1) {
        while (memory[1] != size - 1)
            for (int i = 0; i < 1000; i++) __asm__ volatile("" ::: "memory");
        CHECK(memory[0] == size * (size - 1) / 2);
    } else if (rank > 0) {
        int one = 1;
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        OK(MPI_Accumulate(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
        OK(MPI_Accumulate(&one, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, win));
        OK(MPI_Win_unlock(0, win));
    }
    OK(MPI_Win_free(&win));
}

int main(int argc, char **argv) {
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    for (int created = 0; created < 2; created++) {
        counter(created);
        mutex(created);
    }
    exclusive();
    list();
    requests();
    passive_target();
    repeated();
    PASS();
}
