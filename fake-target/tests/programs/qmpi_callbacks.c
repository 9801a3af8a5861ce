/*
 * Functions of the program as arguments, and calls of MPI from inside them, with the tracing tool
 * or none between: all of them arrive and run. One process.
 */
#include "check.h"

static int copies, deletes, sums, errors;

static int copy(MPI_Comm comm, int keyval, void *state, void *in, void *out, int *flag)
{
    int rank;
    (void)keyval, (void)state;
    OK(MPI_Comm_rank(comm, &rank));
    copies++;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void)comm, (void)keyval, (void)value, (void)state;
    deletes++;
    return MPI_SUCCESS;
}

static void sum(void *in, void *inout, int *length, MPI_Datatype *datatype)
{
    (void)in, (void)inout, (void)length, (void)datatype;
    sums++;
}

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    errors++;
}

int main(int argc, char **argv)
{
    int keyval, value = 1, result = 0;
    MPI_Comm dup;
    MPI_Op op;
    MPI_Errhandler errhandler;
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_create_keyval(copy, delete, &keyval, NULL));
    OK(MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, &value));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    CHECK(copies == 1);
    OK(MPI_Comm_free(&dup));
    CHECK(deletes == 1);
    OK(MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval));
    OK(MPI_Op_create(sum, 1, &op));
    OK(MPI_Reduce_local(&value, &result, 1, MPI_INT, op));
    CHECK(sums == 1);
    OK(MPI_Op_free(&op));
    OK(MPI_Comm_create_errhandler(handler, &errhandler));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, errhandler));
    FAILS(MPI_ERR_RANK, MPI_Send(&value, 1, MPI_INT, 4711, 0, MPI_COMM_WORLD));
    CHECK(errors == 1);
    OK(MPI_Errhandler_free(&errhandler));
    PASS();
}
