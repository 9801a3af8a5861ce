/* Reductions of operands that are short, long, and of lengths that no number of ranks divides: each
 * form, in place or not, with operations that commute or do not. The expected results are computed
 * from what every rank is known to contribute. */
#include "check.h"

static int rank, size;

enum { LONGEST = 70001 };

static long long own[LONGEST], result[LONGEST], expected[LONGEST];

/* What a rank contributes at an index. */
static long long value(int of, int index)
{
    return (long long)(of + 2) * 1000003 + (long long)index * 7919 % 1009;
}

/* Not commutative, but associative: the last operand that is odd wins, else the first one. */
static long long last_odd(long long left, long long right)
{
    return right & 1 ? right : left;
}

static void user_last_odd(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++)
        ((long long *)inout)[i] = last_odd(((long long *)in)[i], ((long long *)inout)[i]);
}

/* An operation and how to compute it. */
typedef struct {
    MPI_Op op;
    long long (*combine)(long long, long long);
} operation;

static long long sum(long long a, long long b)
{
    return a + b;
}

static long long largest(long long a, long long b)
{
    return a > b ? a : b;
}

static void fill(operation operation, int count)
{
    for (int i = 0; i < count; i++) {
        own[i] = value(rank, i);
        expected[i] = value(0, i);
        for (int other = 1; other < size; other++)
            expected[i] = operation.combine(expected[i], value(other, i));
        result[i] = -1;
    }
}

static void compare(int first, int count)
{
    for (int i = 0; i < count; i++)
        CHECK(result[i] == expected[first + i]);
}

static void finish(MPI_Request *request)
{
    OK(MPI_Wait(request, MPI_STATUS_IGNORE));
}

static void everywhere(operation operation, int count)
{
    MPI_Request request;
    const void *in_place = MPI_IN_PLACE;
    for (int form = 0; form < 4; form++) {
        fill(operation, count);
        const void *from = own;
        if (form & 1) {
            for (int i = 0; i < count; i++)
                result[i] = own[i];
            from = in_place;
        }
        if (form < 2) {
            OK(MPI_Allreduce(from, result, count, MPI_LONG_LONG, operation.op, MPI_COMM_WORLD));
        } else {
            OK(MPI_Iallreduce(from, result, count, MPI_LONG_LONG, operation.op, MPI_COMM_WORLD,
                              &request));
            finish(&request);
        }
        compare(0, count);
    }
}

static void at_a_root(operation operation, int count, int root)
{
    MPI_Request request;
    for (int form = 0; form < 4; form++) {
        fill(operation, count);
        const void *from = own;
        if (form & 1 && rank == root) {
            for (int i = 0; i < count; i++)
                result[i] = own[i];
            from = MPI_IN_PLACE;
        }
        if (form < 2) {
            OK(MPI_Reduce(from, result, count, MPI_LONG_LONG, operation.op, root, MPI_COMM_WORLD));
        } else {
            OK(MPI_Ireduce(from, result, count, MPI_LONG_LONG, operation.op, root, MPI_COMM_WORLD,
                           &request));
            finish(&request);
        }
        if (rank == root)
            compare(0, count);
        for (int i = 0; i < count; i++)
            CHECK(own[i] == value(rank, i));
    }
}

/* Parts of different lengths, some of them empty. */
static void in_parts(operation operation, int count)
{
    MPI_Request request;
    int counts[64], first = 0, before = 0, total = 0;
    for (int i = 0; i < size; i++) {
        counts[i] = i % 3 == 1 ? 0 : count / size + i;
        if (total + counts[i] > LONGEST)
            counts[i] = LONGEST - total;
        if (i == rank)
            before = total;
        total += counts[i];
    }
    first = before;
    for (int form = 0; form < 4; form++) {
        fill(operation, total);
        const void *from = own;
        if (form & 1) {
            for (int i = 0; i < total; i++)
                result[i] = own[i];
            from = MPI_IN_PLACE;
        }
        if (form < 2) {
            OK(MPI_Reduce_scatter(from, result, counts, MPI_LONG_LONG, operation.op,
                                  MPI_COMM_WORLD));
        } else {
            OK(MPI_Ireduce_scatter(from, result, counts, MPI_LONG_LONG, operation.op,
                                   MPI_COMM_WORLD, &request));
            finish(&request);
        }
        compare(first, counts[rank]);
    }
    fill(operation, count / size * size);
    OK(MPI_Reduce_scatter_block(own, result, count / size, MPI_LONG_LONG, operation.op,
                                MPI_COMM_WORLD));
    compare(count / size * rank, count / size);
}

/* Pairs that have gaps in memory. */
static void pairs(int count)
{
    typedef struct {
        double value;
        int place;
    } pair;
    pair *mine = calloc(count, sizeof *mine), *least = calloc(count, sizeof *least);
    for (int i = 0; i < count; i++)
        mine[i] = (pair){(rank + i) % size, rank};
    OK(MPI_Allreduce(mine, least, count, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD));
    for (int i = 0; i < count; i++)
        CHECK(least[i].value == 0 && least[i].place == (size - i % size) % size);
    free(mine);
    free(least);
}

/* A persistent reduction, started more than once. */
static void again(int count)
{
    MPI_Request request;
    operation sums = {MPI_SUM, sum};
    OK(MPI_Allreduce_init(own, result, count, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                          &request));
    for (int i = 0; i < 3; i++) {
        fill(sums, count);
        OK(MPI_Start(&request));
        finish(&request);
        compare(0, count);
    }
    OK(MPI_Request_free(&request));
}

int main(int argc, char **argv)
{
    static const int COUNTS[] = {0, 1, 7, 100, 2047, 2049, 16401, LONGEST};
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    MPI_Op last;
    OK(MPI_Op_create(user_last_odd, 0, &last));
    operation operations[] = {{MPI_SUM, sum}, {MPI_MAX, largest}, {last, last_odd}};
    for (int i = 0; i < 3; i++) {
        for (unsigned j = 0; j < sizeof COUNTS / sizeof *COUNTS; j++) {
            everywhere(operations[i], COUNTS[j]);
            at_a_root(operations[i], COUNTS[j], j % size);
            in_parts(operations[i], COUNTS[j]);
        }
    }
    pairs(5);
    pairs(20011);
    again(3);
    again(30011);
    OK(MPI_Op_free(&last));
    PASS();
}
