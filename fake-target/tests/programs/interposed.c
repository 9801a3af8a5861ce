/*
 * The program defines every MPI function itself (interposed.inc, generated from the table: each
 * counts its calls and calls its PMPI twin). It sees only its own calls: the library calls no
 * function that can be intercepted. Two processes.
 */
#include "check.h"

static long calls;
#include "interposed.inc"

static long expected;

/* One call of MPI by the program. */
#define ONE(call)                                                                                 \
    do {                                                                                          \
        int code_ = (call);                                                                       \
        expected++;                                                                               \
        if (code_ != MPI_SUCCESS || calls != expected) {                                          \
            fprintf(stderr, "%s:%d: %s: code %d, %ld calls seen, %ld made\n", __FILE__, __LINE__, \
                    #call, code_, calls, expected);                                               \
            exit(1);                                                                              \
        }                                                                                         \
    } while (0)

static int copy(MPI_Comm comm, int keyval, void *state, void *in, void *out, int *flag)
{
    (void)comm, (void)keyval, (void)state;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static void sum(void *in, void *inout, int *length, MPI_Datatype *datatype)
{
    (void)datatype;
    for (int i = 0; i < *length; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static int handled;

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    handled++;
}

int main(int argc, char **argv)
{
    int rank, size, one = 1, in[4] = {1, 2, 3, 4}, out[8], keyval, flag, index, count;
    int dims[1] = {0}, periods[1] = {1}, left, right, counts[2] = {1, 1}, places[2] = {0, 1};
    char text[MPI_MAX_ERROR_STRING];
    MPI_Comm dup, half, ring, inter, intra;
    MPI_Group group, few;
    MPI_Datatype pair, vector;
    MPI_Op op;
    MPI_Info info;
    MPI_Errhandler errhandler;
    MPI_Request requests[2];
    MPI_Message message;
    MPI_Status status;
    ONE(MPI_Init(&argc, &argv));
    ONE(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    ONE(MPI_Comm_size(MPI_COMM_WORLD, &size));
    CHECK(size == 2);
    /* Attributes and copies of communicators: callbacks. */
    ONE(MPI_Comm_create_keyval(copy, NULL, &keyval, NULL));
    ONE(MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, &one));
    ONE(MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &one));
    ONE(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    ONE(MPI_Comm_split(dup, rank, 0, &half));
    ONE(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank, 5, &inter));
    ONE(MPI_Intercomm_merge(inter, rank, &intra));
    ONE(MPI_Barrier(inter));
    ONE(MPI_Allreduce(in, out, 4, MPI_INT, MPI_SUM, inter));
    ONE(MPI_Dims_create(2, 1, dims));
    ONE(MPI_Cart_create(dup, 1, dims, periods, 1, &ring));
    ONE(MPI_Cart_shift(ring, 0, 1, &left, &right));
    ONE(MPI_Comm_group(dup, &group));
    ONE(MPI_Group_incl(group, 1, &one, &few));
    /* Collective operations are made of messages; the messages are no calls. */
    ONE(MPI_Barrier(dup));
    ONE(MPI_Bcast(in, 4, MPI_INT, 0, dup));
    ONE(MPI_Reduce(in, out, 4, MPI_INT, MPI_SUM, 1, dup));
    ONE(MPI_Op_create(sum, 1, &op));
    ONE(MPI_Allreduce(in, out, 4, MPI_INT, op, dup));
    CHECK(out[3] == 8);
    ONE(MPI_Gather(in, 1, MPI_INT, out, 1, MPI_INT, 0, dup));
    ONE(MPI_Gatherv(in, 1, MPI_INT, out, counts, places, MPI_INT, 0, dup));
    ONE(MPI_Scatter(in, 1, MPI_INT, out, 1, MPI_INT, 0, dup));
    ONE(MPI_Allgather(in, 1, MPI_INT, out, 1, MPI_INT, dup));
    ONE(MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, dup));
    ONE(MPI_Scan(in, out, 1, MPI_INT, op, dup));
    ONE(MPI_Exscan(in, out, 1, MPI_INT, op, dup));
    ONE(MPI_Reduce_scatter_block(in, out, 1, MPI_INT, MPI_SUM, dup));
    /* Derived types, packing, and messages in every way. */
    ONE(MPI_Type_contiguous(2, MPI_INT, &pair));
    ONE(MPI_Type_vector(2, 1, 2, MPI_INT, &vector));
    ONE(MPI_Type_commit(&pair));
    ONE(MPI_Type_commit(&vector));
    ONE(MPI_Sendrecv(in, 1, pair, right, 1, out, 1, vector, left, 1, ring, &status));
    ONE(MPI_Get_count(&status, MPI_INT, &count));
    CHECK(count == 2);
    ONE(MPI_Irecv(out, 4, MPI_INT, 1 - rank, 2, dup, &requests[0]));
    ONE(MPI_Issend(in, 4, MPI_INT, 1 - rank, 2, dup, &requests[1]));
    ONE(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    ONE(MPI_Recv_init(out, 4, MPI_INT, 1 - rank, 3, dup, &requests[0]));
    ONE(MPI_Send_init(in, 4, MPI_INT, 1 - rank, 3, dup, &requests[1]));
    ONE(MPI_Startall(2, requests));
    ONE(MPI_Waitany(2, requests, &index, &status));
    ONE(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    ONE(MPI_Request_free(&requests[0]));
    ONE(MPI_Request_free(&requests[1]));
    if (rank == 0) {
        ONE(MPI_Send(in, 1, MPI_INT, 1, 4, dup));
    } else {
        ONE(MPI_Mprobe(0, 4, dup, &message, &status));
        ONE(MPI_Mrecv(out, 1, MPI_INT, &message, &status));
    }
    /* Information, and errors that call a handler. */
    ONE(MPI_Info_create(&info));
    ONE(MPI_Info_set(info, "key", "value"));
    ONE(MPI_Info_free(&info));
    ONE(MPI_Comm_create_errhandler(handler, &errhandler));
    ONE(MPI_Comm_set_errhandler(dup, errhandler));
    CHECK(MPI_Send(in, 1, MPI_INT, 99, 0, dup) == MPI_ERR_RANK && handled == 1 &&
          calls == ++expected);
    ONE(MPI_Error_string(MPI_ERR_RANK, text, &count));
    ONE(MPI_Errhandler_free(&errhandler));
    ONE(MPI_Op_free(&op));
    ONE(MPI_Type_free(&pair));
    ONE(MPI_Type_free(&vector));
    ONE(MPI_Group_free(&few));
    ONE(MPI_Group_free(&group));
    ONE(MPI_Comm_free(&ring));
    ONE(MPI_Comm_free(&intra));
    ONE(MPI_Comm_free(&inter));
    ONE(MPI_Comm_free(&half));
    ONE(MPI_Comm_free(&dup));
    ONE(MPI_Finalized(&flag));
    CHECK(!flag);
    /* It deletes the attributes of MPI_COMM_SELF. */
    ONE(MPI_Finalize());
    printf("passed\n");
    return 0;
}
