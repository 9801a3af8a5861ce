/* Bad arguments give the right error class and never a crash. Two processes. */
#include "check.h"

int main(int argc, char **argv)
{
    int rank, n, data[4] = {0}, counts[2] = {1, 1}, negative[2] = {-1, -1};
    MPI_Request request;
    MPI_Status status;
    MPI_Datatype raw;
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Type_contiguous(2, MPI_INT, &raw));

    /* Handles. */
    FAILS(MPI_ERR_COMM, MPI_Comm_size(MPI_COMM_NULL, &n));
    FAILS(MPI_ERR_COMM, MPI_Comm_size((MPI_Comm)1, &n));
    FAILS(MPI_ERR_COMM, MPI_Comm_size((MPI_Comm)&n, &n));
    FAILS(MPI_ERR_COMM, MPI_Barrier((MPI_Comm)MPI_INT));
    FAILS(MPI_ERR_TYPE, MPI_Type_size((MPI_Datatype)MPI_COMM_WORLD, &n));
    FAILS(MPI_ERR_GROUP, MPI_Group_size((MPI_Group)-1, &n));
    FAILS(MPI_ERR_INFO, MPI_Info_get_nkeys((MPI_Info)&n, &n));
    FAILS(MPI_ERR_OP, MPI_Op_commutative((MPI_Op)MPI_INT, &n));
    FAILS(MPI_ERR_ARG, MPI_Comm_size(MPI_COMM_WORLD, NULL));
    FAILS(MPI_ERR_ARG, MPI_Comm_dup(MPI_COMM_WORLD, NULL));
    FAILS(MPI_ERR_ARG, MPI_Comm_set_name(MPI_COMM_WORLD, NULL));
    FAILS(MPI_ERR_ARG, MPI_Comm_get_name(MPI_COMM_WORLD, NULL, &n));
    FAILS(MPI_ERR_ARG, MPI_Get_count(NULL, MPI_INT, &n));
    FAILS(MPI_ERR_ARG, MPI_Get_library_version(NULL, &n));

    /* Point-to-point. */
    FAILS(MPI_ERR_RANK, MPI_Send(data, 1, MPI_INT, 2, 0, MPI_COMM_WORLD));
    FAILS(MPI_ERR_RANK, MPI_Send(data, 1, MPI_INT, -7, 0, MPI_COMM_WORLD));
    FAILS(MPI_ERR_RANK, MPI_Send(data, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD));
    FAILS(MPI_ERR_TAG, MPI_Send(data, 1, MPI_INT, 0, -3, MPI_COMM_WORLD));
    FAILS(MPI_ERR_TAG, MPI_Send(data, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD));
    FAILS(MPI_ERR_COUNT, MPI_Isend(data, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request));
    FAILS(MPI_ERR_TYPE, MPI_Isend(data, 1, raw, 0, 0, MPI_COMM_WORLD, &request));
    FAILS(MPI_ERR_TYPE, MPI_Irecv(data, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD, &request));
    OK(MPI_Sendrecv(NULL, 0, MPI_DATATYPE_NULL, 0, 9, NULL, 0, MPI_DATATYPE_NULL, 0, 9,
                    MPI_COMM_SELF, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_RANK, MPI_Irecv(data, 1, MPI_INT, 5, 0, MPI_COMM_WORLD, &request));
    FAILS(MPI_ERR_TAG, MPI_Recv(data, 1, MPI_INT, 0, -9, MPI_COMM_WORLD, &status));
    FAILS(MPI_ERR_COMM, MPI_Recv(data, 1, MPI_INT, 0, 0, MPI_COMM_NULL, &status));
    FAILS(MPI_ERR_ARG, MPI_Irecv(data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, NULL));
    request = (MPI_Request)&n;
    FAILS(MPI_ERR_REQUEST, MPI_Wait(&request, &status));
    request = MPI_REQUEST_NULL;
    FAILS(MPI_ERR_REQUEST, MPI_Start(&request));
    OK(MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));

    /* Collective: found before anything is sent, by all processes. */
    FAILS(MPI_ERR_ROOT, MPI_Bcast(data, 1, MPI_INT, 2, MPI_COMM_WORLD));
    FAILS(MPI_ERR_ROOT, MPI_Reduce(data, &n, 1, MPI_INT, MPI_SUM, MPI_ROOT, MPI_COMM_WORLD));
    FAILS(MPI_ERR_COUNT, MPI_Bcast(data, -1, MPI_INT, 0, MPI_COMM_WORLD));
    FAILS(MPI_ERR_TYPE, MPI_Bcast(data, 1, raw, 0, MPI_COMM_WORLD));
    FAILS(MPI_ERR_BUFFER, MPI_Bcast(NULL, 1, MPI_INT, 0, MPI_COMM_WORLD));
    FAILS(MPI_ERR_BUFFER, MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, MPI_COMM_WORLD));
    FAILS(MPI_ERR_BUFFER, MPI_Allreduce(data, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    FAILS(MPI_ERR_OP, MPI_Allreduce(data, &n, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD));
    FAILS(MPI_ERR_OP, MPI_Allreduce(data, &n, 1, MPI_DOUBLE, MPI_BOR, MPI_COMM_WORLD));
    FAILS(MPI_ERR_COUNT, MPI_Alltoallv(data, negative, counts, MPI_INT, data + 2, counts, counts,
                                       MPI_INT, MPI_COMM_WORLD));
    FAILS(MPI_ERR_ARG, MPI_Alltoallv(data, NULL, counts, MPI_INT, data + 2, counts, counts, MPI_INT,
                                     MPI_COMM_WORLD));
    FAILS(MPI_ERR_COUNT, MPI_Allgather(data, 1, MPI_INT, data, -1, MPI_INT, MPI_COMM_WORLD));
    FAILS(MPI_ERR_COUNT, MPI_Bcast_c(data, (MPI_Count)1 << 62, MPI_LONG_LONG, 0, MPI_COMM_WORLD));

    /* The processes disagree about the length. */
    if (rank == 0) {
        OK(MPI_Bcast(data, 2, MPI_INT, 0, MPI_COMM_WORLD));
        OK(MPI_Bcast(data, 1, MPI_INT, 0, MPI_COMM_WORLD));
    } else {
        FAILS(MPI_ERR_TRUNCATE, MPI_Bcast(data, 1, MPI_INT, 0, MPI_COMM_WORLD));
        FAILS(MPI_ERR_NOT_SAME, MPI_Bcast(data, 2, MPI_INT, 0, MPI_COMM_WORLD));
    }
    OK(MPI_Type_free(&raw));
    PASS();
}
