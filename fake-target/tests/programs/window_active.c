/*
 * window_active.c - fences, and post, start, complete and wait, with put and get in every kind of
 * window. What must be in a window is computed anew by every rank.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#include "check.h"

static int rank, size;

enum { CREATE, ALLOCATE, SHARED, DYNAMIC, FLAVORS };

struct window {
    MPI_Win win;
    int *base;
    MPI_Aint *disps; /* of the memory of each rank */
    int flavor;
};

/* A window with `count` ints of each rank, displaced in ints (in bytes if dynamic). */
static struct window make(int flavor, int count) {
    struct window w = {.flavor = flavor};
    MPI_Aint bytes = count * sizeof(int), own = 0;
    w.disps = malloc((size_t)size * sizeof(MPI_Aint));
    switch (flavor) {
    case CREATE:
        w.base = malloc(bytes);
        OK(MPI_Win_create(w.base, bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &w.win));
        break;
    case ALLOCATE:
        OK(MPI_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &w.base, &w.win));
        break;
    case SHARED:
        OK(MPI_Win_allocate_shared(bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &w.base,
                                   &w.win));
        break;
    default:
        w.base = malloc(bytes);
        OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &w.win));
        OK(MPI_Win_attach(w.win, w.base, bytes));
        OK(MPI_Get_address(w.base, &own));
    }
    OK(MPI_Allgather(&own, 1, MPI_AINT, w.disps, 1, MPI_AINT, MPI_COMM_WORLD));
    return w;
}

/* The displacement of an int of a rank. */
static MPI_Aint at(const struct window *w, int of, int index) {
    return w->flavor == DYNAMIC ? MPI_Aint_add(w->disps[of], index * sizeof(int)) : index;
}

static void end(struct window *w) {
    if (w->flavor == DYNAMIC) OK(MPI_Win_detach(w->win, w->base));
    OK(MPI_Win_free(&w->win));
    CHECK(w->win == MPI_WIN_NULL);
    if (w->flavor == CREATE || w->flavor == DYNAMIC) free(w->base);
    free(w->disps);
}

/* Each rank puts into the windows of all ranks, and gets what they have. */
static void all_to_all(int flavor) {
    struct window w = make(flavor, 2 * size);
    for (int step = 0; step < 5; step++) {
        for (int i = 0; i < 2 * size; i++) w.base[i] = -1;
        OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, w.win));
        for (int to = 0; to < size; to++) {
            int pair[2] = {1000 * step + 10 * rank + to, rank};
            OK(MPI_Put(pair, 2, MPI_INT, to, at(&w, to, 2 * rank), 2, MPI_INT, w.win));
        }
        OK(MPI_Win_fence(0, w.win));
        for (int from = 0; from < size; from++) {
            CHECK(w.base[2 * from] == 1000 * step + 10 * from + rank);
            CHECK(w.base[2 * from + 1] == from);
        }
        int *seen = malloc(2 * (size_t)size * sizeof(int));
        for (int of = 0; of < size; of++) {
            OK(MPI_Get(seen, 2 * size, MPI_INT, of, at(&w, of, 0), 2 * size, MPI_INT, w.win));
            for (int from = 0; from < size; from++)
                CHECK(seen[2 * from] == 1000 * step + 10 * from + of);
        }
        free(seen);
        OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, w.win));
    }
    end(&w);
}

/* One dimension of a grid with a halo: 20 steps of averaging, against the whole grid computed by
 * every rank alone. */
static void halo_exchange(int flavor) {
    enum { OWN = 8, STEPS = 20 };
    struct window w = make(flavor, OWN + 2);
    int all = OWN * size, left = rank > 0 ? rank - 1 : MPI_PROC_NULL,
        right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    int *grid = calloc(all + 2, sizeof(int)), *next = calloc(all + 2, sizeof(int));
    for (int i = 1; i <= all; i++) grid[i] = (i * 7919) % 1000;
    w.base[0] = w.base[OWN + 1] = 0;
    for (int i = 1; i <= OWN; i++) w.base[i] = grid[rank * OWN + i];
    OK(MPI_Win_fence(0, w.win));
    for (int step = 0; step < STEPS; step++) {
        OK(MPI_Put(&w.base[1], 1, MPI_INT, left, left < 0 ? 0 : at(&w, left, OWN + 1), 1, MPI_INT,
                   w.win));
        OK(MPI_Put(&w.base[OWN], 1, MPI_INT, right, right < 0 ? 0 : at(&w, right, 0), 1, MPI_INT,
                   w.win));
        OK(MPI_Win_fence(0, w.win));
        int new[OWN + 2];
        for (int i = 1; i <= OWN; i++)
            new[i] = (w.base[i - 1] + 2 * w.base[i] + w.base[i + 1]) / 4;
        memcpy(&w.base[1], &new[1], OWN * sizeof(int));
        OK(MPI_Win_fence(0, w.win));
        for (int i = 1; i <= all; i++) next[i] = (grid[i - 1] + 2 * grid[i] + grid[i + 1]) / 4;
        memcpy(&grid[1], &next[1], all * sizeof(int));
    }
    for (int i = 1; i <= OWN; i++) CHECK(w.base[i] == grid[rank * OWN + i]);
    free(grid);
    free(next);
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, w.win));
    end(&w);
}

/* A ring: each rank is exposed to the one before it and accesses the one behind it. */
static void ring(int flavor) {
    struct window w = make(flavor, 4);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Group world, to, from;
    OK(MPI_Win_get_group(w.win, &world));
    OK(MPI_Group_incl(world, 1, &next, &to));
    OK(MPI_Group_incl(world, 1, &previous, &from));
    for (int step = 0; step < 50; step++) {
        int sent = step * 100 + rank, got = -1, flag = 0;
        w.base[0] = -1;
        w.base[1] = step + 7 * rank;
        OK(MPI_Win_post(from, step % 2 ? MPI_MODE_NOSTORE : 0, w.win));
        OK(MPI_Win_start(to, 0, w.win));
        OK(MPI_Put(&sent, 1, MPI_INT, next, at(&w, next, 0), 1, MPI_INT, w.win));
        OK(MPI_Get(&got, 1, MPI_INT, next, at(&w, next, 1), 1, MPI_INT, w.win));
        OK(MPI_Win_complete(w.win));
        CHECK(got == step + 7 * next);
        if (step % 3 == 0)
            while (!flag) OK(MPI_Win_test(w.win, &flag));
        else
            OK(MPI_Win_wait(w.win));
        CHECK(w.base[0] == step * 100 + previous);
    }
    /* An empty group: nothing to wait for. */
    OK(MPI_Win_post(MPI_GROUP_EMPTY, 0, w.win));
    OK(MPI_Win_start(MPI_GROUP_EMPTY, 0, w.win));
    OK(MPI_Win_complete(w.win));
    OK(MPI_Win_wait(w.win));
    OK(MPI_Group_free(&to));
    OK(MPI_Group_free(&from));
    OK(MPI_Group_free(&world));
    end(&w);
}

/* All ranks but the first put into the window of the first. */
static void many_to_one(int flavor) {
    struct window w = make(flavor, size);
    MPI_Group world, group;
    int first = 0;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    for (int step = 0; step < 10; step++) {
        if (rank == 0) {
            OK(MPI_Group_excl(world, 1, &first, &group));
            OK(MPI_Win_post(group, 0, w.win));
            OK(MPI_Win_wait(w.win));
            for (int from = 1; from < size; from++) CHECK(w.base[from] == 17 * from + step);
        } else {
            int value = 17 * rank + step;
            OK(MPI_Group_incl(world, 1, &first, &group));
            OK(MPI_Win_start(group, 0, w.win));
            OK(MPI_Put(&value, 1, MPI_INT, 0, at(&w, 0, rank), 1, MPI_INT, w.win));
            OK(MPI_Win_complete(w.win));
        }
        OK(MPI_Group_free(&group));
    }
    OK(MPI_Group_free(&world));
    end(&w);
}

/* A column of a matrix into a column, a block into scattered elements, and back. */
static void derived_datatypes(int flavor) {
    enum { N = 300 };
    struct window w = make(flavor, N * N);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Datatype column, blocks, structure;
    OK(MPI_Type_vector(N, 1, N, MPI_INT, &column));
    OK(MPI_Type_commit(&column));
    int lengths[3] = {2, 1, 3}, places[3] = {10, 0, 20};
    OK(MPI_Type_indexed(3, lengths, places, MPI_INT, &blocks));
    OK(MPI_Type_commit(&blocks));
    MPI_Aint offsets[2] = {4, 16};
    MPI_Datatype types[2] = {MPI_INT, MPI_SHORT};
    int ones[2] = {1, 2};
    OK(MPI_Type_create_struct(2, ones, offsets, types, &structure));
    OK(MPI_Type_commit(&structure));

    int *matrix = malloc(N * N * sizeof(int));
    for (int i = 0; i < N * N; i++) matrix[i] = 100000 * rank + i, w.base[i] = -i;
    OK(MPI_Win_fence(0, w.win));
    /* Column 3 of the matrix becomes column 5 of the window, a row becomes column 6. */
    OK(MPI_Put(&matrix[3], 1, column, next, at(&w, next, 5), 1, column, w.win));
    OK(MPI_Put(&matrix[N], N, MPI_INT, next, at(&w, next, 6), 1, column, w.win));
    OK(MPI_Win_fence(0, w.win));
    for (int row = 0; row < N; row++) {
        CHECK(w.base[row * N + 5] == 100000 * previous + row * N + 3);
        CHECK(w.base[row * N + 6] == 100000 * previous + N + row);
        CHECK(w.base[row * N + 7] == -(row * N + 7));
        w.base[row * N] = 31 * row + rank;
    }
    OK(MPI_Win_fence(0, w.win));
    /* Column 0 of the window becomes a row. */
    int *got = malloc(N * sizeof(int));
    OK(MPI_Get(got, N, MPI_INT, next, at(&w, next, 0), 1, column, w.win));
    for (int row = 0; row < N; row++) CHECK(got[row] == 31 * row + next);
    OK(MPI_Win_fence(0, w.win));

    /* Six ints in three blocks at places 10, 0 and 20. */
    int six[6];
    for (int i = 0; i < 6; i++) six[i] = 1000 * rank + i;
    for (int i = 0; i < 40; i++) w.base[i] = -1;
    OK(MPI_Win_fence(0, w.win));
    OK(MPI_Put(six, 6, MPI_INT, next, at(&w, next, 1), 1, blocks, w.win));
    OK(MPI_Win_fence(0, w.win));
    int expected[40];
    memset(expected, -1, sizeof expected);
    for (int i = 0; i < 6; i++) {
        int order[6] = {10, 11, 0, 20, 21, 22};
        expected[1 + order[i]] = 1000 * previous + i;
    }
    CHECK(memcmp(w.base, expected, sizeof expected) == 0);
    memset(six, 0, sizeof six);
    OK(MPI_Get(six, 6, MPI_INT, next, at(&w, next, 1), 1, blocks, w.win));
    for (int i = 0; i < 6; i++) CHECK(six[i] == 1000 * rank + i);
    OK(MPI_Win_fence(0, w.win));

    /* A structure with gaps. */
    struct {
        int gap, a, gaps[2];
        short b, c;
    } mine = {-9, rank + 5, {-9, -9}, rank, -rank}, *theirs;
    memset(w.base, 0, 40);
    OK(MPI_Win_fence(0, w.win));
    OK(MPI_Put(&mine, 1, structure, next, at(&w, next, 2), 1, structure, w.win));
    OK(MPI_Win_fence(0, w.win));
    theirs = (void *)&w.base[2];
    CHECK(theirs->gap == 0 && theirs->a == previous + 5 && theirs->gaps[0] == 0);
    CHECK(theirs->b == previous && theirs->c == -previous);
    OK(MPI_Win_fence(0, w.win));
    free(got);
    free(matrix);
    OK(MPI_Type_free(&column));
    OK(MPI_Type_free(&blocks));
    OK(MPI_Type_free(&structure));
    end(&w);
}

/* Nothing to do: no elements, or MPI_PROC_NULL. */
static void nothing(int flavor) {
    struct window w = make(flavor, 1);
    w.base[0] = 4711;
    OK(MPI_Win_fence(0, w.win));
    int value = 1;
    for (int to = 0; to < size; to++) {
        OK(MPI_Put(&value, 0, MPI_INT, to, at(&w, to, 0), 0, MPI_INT, w.win));
        OK(MPI_Get(NULL, 0, MPI_INT, to, at(&w, to, 0), 0, MPI_INT, w.win));
    }
    OK(MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, w.win));
    OK(MPI_Get(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, w.win));
    OK(MPI_Accumulate(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM, w.win));
    OK(MPI_Win_fence(0, w.win));
    CHECK(w.base[0] == 4711 && value == 1);
    end(&w);
}

/* Large transfers, and windows of different sizes and units. */
static void sizes_and_units(void) {
    enum { LARGE = 3000000 };
    char *base, *data = malloc(LARGE);
    MPI_Win win;
    MPI_Aint bytes = rank % 2 ? LARGE : 0;
    OK(MPI_Win_allocate(bytes, rank % 3 + 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i < LARGE; i++) data[i] = i * 31 + rank;
    int to = (rank + 1) % size;
    if (to % 2 == 1) {
        int unit = to % 3 + 1;
        OK(MPI_Put_c(data, LARGE - 600, MPI_BYTE, to, 600 / unit, LARGE - 600, MPI_BYTE, win));
    }
    OK(MPI_Win_fence(0, win));
    if (bytes) {
        int from = (rank + size - 1) % size;
        for (int i = 0; i < LARGE - 600; i++) CHECK(base[600 + i] == (char)(i * 31 + from));
    }
    OK(MPI_Win_free(&win));
    free(data);
}

int main(int argc, char **argv) {
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    for (int flavor = 0; flavor < FLAVORS; flavor++) {
        all_to_all(flavor);
        halo_exchange(flavor);
        ring(flavor);
        many_to_one(flavor);
        derived_datatypes(flavor);
        nothing(flavor);
    }
    sizes_and_units();
    PASS();
}
