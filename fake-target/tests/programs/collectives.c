/* Collective operations with every root, in place, with derived datatypes and with an operation
 * that does not commute. */
#include "check.h"

static int rank, size;
static MPI_Comm comm;

static void append(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    /* Strings of ranks as numbers: left operand first. */
    for (int i = 0; i < *length; i++) {
        long long left = ((long long *)in)[i], right = ((long long *)inout)[i], shift = 1;
        while (shift <= right)
            shift *= 10;
        ((long long *)inout)[i] = left * shift + right;
    }
}

/* The numbers of the ranks first..last in a row: 1234 for 0..3. */
static long long row(int first, int last)
{
    long long number = 0;
    for (int i = first; i <= last; i++)
        number = number * 10 + i + 1;
    return number;
}

/* An element that does not begin at its address, without a gap between its parts. */
struct shifted {
    int unused, whole;
    double half;
};

static void add_shifted(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    /* The compiler takes both addresses as aligned. */
    CHECK((size_t)in % _Alignof(struct shifted) == 0);
    CHECK((size_t)inout % _Alignof(struct shifted) == 0);
    for (int i = 0; i < *length; i++) {
        ((struct shifted *)inout)[i].whole += ((struct shifted *)in)[i].whole;
        ((struct shifted *)inout)[i].half += ((struct shifted *)in)[i].half;
    }
}

static void reducing_shifted(void)
{
    const int lengths[2] = {1, 1};
    const MPI_Aint places[2] = {4, 8};
    const MPI_Datatype kinds[2] = {MPI_INT, MPI_DOUBLE};
    MPI_Datatype parts, type;
    MPI_Op op;
    OK(MPI_Type_create_struct(2, lengths, places, kinds, &parts));
    OK(MPI_Type_create_resized(parts, 0, sizeof(struct shifted), &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Op_create(add_shifted, 1, &op));
    for (int count = 1; count <= 40; count += 13) {
        struct shifted mine[40], result[40];
        for (int i = 0; i < count; i++)
            mine[i] = (struct shifted){-1, rank + i, rank / 2.0}, result[i].unused = -2;
        OK(MPI_Allreduce(mine, result, count, type, op, comm));
        for (int i = 0; i < count; i++) {
            CHECK(result[i].whole == size * (size - 1) / 2 + i * size && result[i].unused == -2);
            CHECK(result[i].half == size * (size - 1) / 4.0);
        }
        OK(MPI_Scan(mine, result, count, type, op, comm));
        CHECK(result[0].whole == rank * (rank + 1) / 2);
    }
    OK(MPI_Op_free(&op));
    OK(MPI_Type_free(&parts));
    OK(MPI_Type_free(&type));
}

static void broadcast(void)
{
    enum {
        LARGE = 300000
    };
    int *data = malloc(LARGE * sizeof(int));
    for (int root = 0; root < size; root++) {
        for (int n = 0; n <= LARGE; n = n ? n * 50 : 1) {
            if (n > LARGE)
                break;
            for (int i = 0; i < n; i++)
                data[i] = rank == root ? root + i : -1;
            OK(MPI_Bcast(data, n, MPI_INT, root, comm));
            for (int i = 0; i < n; i++)
                CHECK(data[i] == root + i);
        }
    }
    /* The root sends a column, the others receive a row. */
    int matrix[4][5];
    MPI_Datatype column;
    OK(MPI_Type_vector(4, 1, 5, MPI_INT, &column));
    OK(MPI_Type_commit(&column));
    for (int i = 0; i < 20; i++)
        matrix[i / 5][i % 5] = rank == 0 ? i : -1;
    OK(rank == 0 ? MPI_Bcast(&matrix[0][2], 1, column, 0, comm)
                 : MPI_Bcast_c(matrix, 4, MPI_INT, 0, comm));
    for (int i = 0; i < 4; i++)
        CHECK(rank == 0 ? matrix[i][2] == 5 * i + 2 : matrix[0][i] == 5 * i + 2);
    /* The other way round. */
    for (int i = 0; i < 20; i++)
        matrix[i / 5][i % 5] = rank == 0 ? i : -1;
    OK(rank == 0 ? MPI_Bcast(matrix, 4, MPI_INT, 0, comm)
                 : MPI_Bcast(&matrix[0][2], 1, column, 0, comm));
    for (int i = 0; i < 4; i++)
        CHECK(rank == 0 || (matrix[i][2] == i && matrix[i][1] == -1));
    OK(MPI_Type_free(&column));
    free(data);
}

static void gathering(void)
{
    int *all = malloc(3 * size * sizeof(int)), *counts = malloc(size * sizeof(int)),
        *places = malloc(size * sizeof(int));
    MPI_Count *large = malloc(size * sizeof(MPI_Count));
    MPI_Aint *offsets = malloc(size * sizeof(MPI_Aint));
    int mine[3], total = 0;
    for (int i = 0; i < size; i++) {
        counts[i] = i % 3;
        large[i] = counts[i];
        total += counts[i];
    }
    /* The blocks in reverse order. */
    for (int i = size - 1, at = 0; i >= 0; at += counts[i--])
        offsets[i] = places[i] = at;
    for (int root = 0; root < size; root++) {
        for (int i = 0; i < 3; i++)
            mine[i] = 10 * rank + i;
        memset(all, -1, 3 * size * sizeof(int));
        OK(MPI_Gather(mine, 3, MPI_INT, rank == root ? all : NULL, rank == root ? 3 : -1, MPI_INT,
                      root, comm));
        for (int i = 0; i < 3 * size; i++)
            CHECK(rank != root || all[i] == 10 * (i / 3) + i % 3);
        memset(all, -1, 3 * size * sizeof(int));
        if (rank == root)
            memcpy(all + 3 * rank, mine, sizeof mine);
        OK(MPI_Gather(rank == root ? MPI_IN_PLACE : mine, 3, MPI_INT, all, 3, MPI_INT, root, comm));
        for (int i = 0; i < 3 * size; i++)
            CHECK(rank != root || all[i] == 10 * (i / 3) + i % 3);

        memset(all, -1, 3 * size * sizeof(int));
        OK(MPI_Gatherv(mine, counts[rank], MPI_INT, all, counts, places, MPI_INT, root, comm));
        for (int i = 0; rank == root && i < size; i++)
            for (int j = 0; j < counts[i]; j++)
                CHECK(all[places[i] + j] == 10 * i + j);
        CHECK(all[total] == -1);

        /* And back. */
        memset(mine, -1, sizeof mine);
        OK(MPI_Scatterv(all, counts, places, MPI_INT, mine, counts[rank], MPI_INT, root, comm));
        for (int j = 0; j < 3; j++)
            CHECK(mine[j] == (j < counts[rank] ? 10 * rank + j : -1));
        for (int i = 0; i < 3 * size; i++)
            all[i] = 7 * i + root;
        OK(MPI_Scatter(rank == root ? all : NULL, 3, MPI_INT, rank == root ? MPI_IN_PLACE : mine, 3,
                       MPI_INT, root, comm));
        for (int j = 0; j < 3; j++)
            CHECK(rank == root || mine[j] == 7 * (3 * rank + j) + root);
    }
    for (int i = 0; i < 3; i++)
        mine[i] = 10 * rank + i;
    memset(all, -1, 3 * size * sizeof(int));
    OK(MPI_Allgather(mine, 3, MPI_INT, all, 3, MPI_INT, comm));
    for (int i = 0; i < 3 * size; i++)
        CHECK(all[i] == 10 * (i / 3) + i % 3);
    memset(all, -1, 3 * size * sizeof(int));
    memcpy(all + 3 * rank, mine, sizeof mine);
    OK(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 3, MPI_INT, comm));
    for (int i = 0; i < 3 * size; i++)
        CHECK(all[i] == 10 * (i / 3) + i % 3);
    memset(all, -1, 3 * size * sizeof(int));
    OK(MPI_Allgatherv_c(mine, large[rank], MPI_INT, all, large, offsets, MPI_INT, comm));
    for (int i = 0; i < size; i++)
        for (int j = 0; j < counts[i]; j++)
            CHECK(all[places[i] + j] == 10 * i + j);
    CHECK(all[total] == -1);
    free(all), free(counts), free(places), free(large), free(offsets);
}

static void trading(void)
{
    int *out = malloc(2 * size * sizeof(int)), *in = malloc(2 * size * sizeof(int));
    int *counts = malloc(size * sizeof(int)), *places = malloc(size * sizeof(int)),
        *bytes = malloc(size * sizeof(int));
    MPI_Datatype *types = malloc(size * sizeof(MPI_Datatype));
    for (int i = 0; i < 2 * size; i++)
        out[i] = 1000 * rank + i;
    OK(MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, comm));
    for (int i = 0; i < 2 * size; i++)
        CHECK(in[i] == 1000 * (i / 2) + 2 * rank + i % 2);
    OK(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, out, 2, MPI_INT, comm));
    CHECK(memcmp(in, out, 2 * size * sizeof(int)) == 0);

    /* One int to ranks of the same parity, two to others; each block at its usual place. */
    for (int i = 0; i < size; i++) {
        counts[i] = (i + rank) % 2 + 1;
        places[i] = 2 * i;
        bytes[i] = 2 * i * sizeof(int);
        types[i] = MPI_INT;
    }
    for (int i = 0; i < 2 * size; i++) {
        out[i] = 1000 * rank + i;
        in[i] = -1;
    }
    OK(MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, comm));
    for (int i = 0; i < size; i++) {
        CHECK(in[2 * i] == 1000 * i + 2 * rank);
        CHECK(in[2 * i + 1] == (counts[i] == 2 ? 1000 * i + 2 * rank + 1 : -1));
    }
    memset(in, -1, 2 * size * sizeof(int));
    OK(MPI_Alltoallw(out, counts, bytes, types, in, counts, bytes, types, comm));
    for (int i = 0; i < size; i++)
        CHECK(in[2 * i] == 1000 * i + 2 * rank);
    free(out), free(in), free(counts), free(places), free(bytes), free(types);
}

static void reducing(void)
{
    int mine[3] = {rank, -rank, 1}, result[3], triangle = size * (size - 1) / 2;
    MPI_Op op;
    OK(MPI_Op_create(append, 0, &op));
    for (int root = 0; root < size; root++) {
        result[0] = result[1] = result[2] = -77;
        OK(MPI_Reduce(mine, rank == root ? result : NULL, 3, MPI_INT, MPI_SUM, root, comm));
        CHECK(result[0] == (rank == root ? triangle : -77));
        CHECK(result[1] == (rank == root ? -triangle : -77));
        CHECK(result[2] == (rank == root ? size : -77));
        memcpy(result, mine, sizeof mine);
        OK(MPI_Reduce(rank == root ? MPI_IN_PLACE : mine, result, 3, MPI_INT, MPI_MAX, root, comm));
        CHECK(rank != root || (result[0] == size - 1 && result[1] == 0 && result[2] == 1));
        long long digit = rank + 1, number = -1;
        OK(MPI_Reduce(&digit, &number, 1, MPI_LONG_LONG, op, root, comm));
        CHECK(number == (rank == root ? row(0, size - 1) : -1));
    }
    OK(MPI_Allreduce(mine, result, 3, MPI_INT, MPI_SUM, comm));
    CHECK(result[0] == triangle && result[1] == -triangle && result[2] == size);
    memcpy(result, mine, sizeof mine);
    OK(MPI_Allreduce_c(MPI_IN_PLACE, result, 3, MPI_INT, MPI_MIN, comm));
    CHECK(result[0] == 0 && result[1] == 1 - size && result[2] == 1);
    long long digit = rank + 1, number = -1;
    OK(MPI_Allreduce(&digit, &number, 1, MPI_LONG_LONG, op, comm));
    CHECK(number == row(0, size - 1));
    OK(MPI_Scan(&digit, &number, 1, MPI_LONG_LONG, op, comm));
    CHECK(number == row(0, rank));
    number = digit;
    OK(MPI_Scan(MPI_IN_PLACE, &number, 1, MPI_LONG_LONG, op, comm));
    CHECK(number == row(0, rank));
    number = -1;
    OK(MPI_Exscan(&digit, &number, 1, MPI_LONG_LONG, op, comm));
    CHECK(number == (rank ? row(0, rank - 1) : -1));
    /* A buffer that is not significant, or for no elements, may be missing. */
    MPI_Request request;
    long long *missing = rank ? &number : NULL;
    OK(MPI_Exscan(&digit, missing, 1, MPI_LONG_LONG, op, comm));
    OK(MPI_Iexscan(&digit, missing, 1, MPI_LONG_LONG, op, comm, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(number == (rank ? row(0, rank - 1) : -1));
    int *for_first = calloc((size_t)size, sizeof *for_first);
    for_first[0] = 1;
    missing = rank ? NULL : &number;
    OK(MPI_Reduce_scatter(&digit, missing, for_first, MPI_LONG_LONG, op, comm));
    CHECK(rank || number == row(0, size - 1));
    number = -1;
    OK(MPI_Ireduce_scatter(&digit, missing, for_first, MPI_LONG_LONG, op, comm, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(rank || number == row(0, size - 1));
    free(for_first);
    struct {
        double value;
        int where;
    } place = {rank == size / 2 ? 5.5 : 1.0, rank}, found;
    OK(MPI_Allreduce(&place, &found, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm));
    CHECK(found.value == 5.5 && found.where == size / 2);

    enum {
        LARGE = 100000
    };
    double *a = malloc(LARGE * sizeof(double)), *b = malloc(LARGE * sizeof(double));
    for (int i = 0; i < LARGE; i++)
        a[i] = i + rank;
    OK(MPI_Allreduce(a, b, LARGE, MPI_DOUBLE, MPI_SUM, comm));
    for (int i = 0; i < LARGE; i++)
        CHECK(b[i] == (double)i * size + triangle);
    free(a), free(b);

    /* Rank i gets i ints of the sum of the vectors. */
    int *counts = malloc(size * sizeof(int)), *vector = malloc((triangle + 1) * sizeof(int)),
        *part = malloc((triangle + 1) * sizeof(int));
    for (int i = 0; i < size; i++)
        counts[i] = i;
    for (int i = 0; i < triangle; i++)
        vector[i] = i + rank;
    OK(MPI_Reduce_scatter(vector, part, counts, MPI_INT, MPI_SUM, comm));
    for (int i = 0; i < rank; i++)
        CHECK(part[i] == (rank * (rank - 1) / 2 + i) * size + triangle);
    int *blocks = malloc(2 * size * sizeof(int));
    for (int i = 0; i < 2 * size; i++)
        blocks[i] = i * (rank + 1);
    OK(MPI_Reduce_scatter_block(MPI_IN_PLACE, blocks, 2, MPI_INT, MPI_SUM, comm));
    CHECK(blocks[0] == 2 * rank * (triangle + size) &&
          blocks[1] == (2 * rank + 1) * (triangle + size));
    free(counts), free(vector), free(part), free(blocks);
    OK(MPI_Op_free(&op));
}

int main(int argc, char **argv)
{
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    /* A receive from any source with any tag is posted all the time. It never gets what collective
     * operations send. */
    int untouched = -5;
    MPI_Request request;
    OK(MPI_Irecv(&untouched, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request));
    for (int i = 0; i < 20; i++)
        OK(MPI_Barrier(comm));
    broadcast();
    gathering();
    trading();
    reducing();
    reducing_shifted();
    OK(MPI_Barrier(comm));
    CHECK(untouched == -5);
    OK(MPI_Cancel(&request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Comm_free(&comm));
    PASS();
}
