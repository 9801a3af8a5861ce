/*
 * Erroneous calls of many chapters, by two processes: handles that were freed, communicators of the
 * wrong kind, objects without what is asked for. Each gives the error class that MPI 5.0 names for
 * it, and nobody hangs: the next call works.
 */
#include "check.h"

#include <unistd.h>

static int count_query(void *state, MPI_Status *status)
{
    (void)state, (void)status;
    return MPI_SUCCESS;
}

static int count_free(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int count_cancel(void *state, int complete)
{
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

static void add(void *in, void *inout, int *length, MPI_Datatype *datatype)
{
    (void)datatype;
    for (int i = 0; i < *length; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

/* Handles whose objects are gone, and objects that cannot be freed. */
static void handles(int rank)
{
    int size, n = rank;
    MPI_Comm comm, copy, world = MPI_COMM_WORLD;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    copy = comm;
    OK(MPI_Comm_free(&comm));
    CHECK(comm == MPI_COMM_NULL);
    FAILS(MPI_ERR_COMM, MPI_Comm_free(&copy));
    FAILS(MPI_ERR_COMM, MPI_Barrier(copy));
    FAILS(MPI_ERR_COMM, MPI_Comm_free(&comm));
    FAILS(MPI_ERR_COMM, MPI_Comm_free(&world));
    FAILS(MPI_ERR_COMM, MPI_Comm_disconnect(&comm));

    MPI_Datatype type, other, predefined = MPI_INT;
    OK(MPI_Type_contiguous(3, MPI_INT, &type));
    other = type;
    OK(MPI_Type_free(&type));
    CHECK(type == MPI_DATATYPE_NULL);
    FAILS(MPI_ERR_TYPE, MPI_Type_free(&other));
    FAILS(MPI_ERR_TYPE, MPI_Type_commit(&other));
    FAILS(MPI_ERR_TYPE, MPI_Send(&n, 1, other, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
    FAILS(MPI_ERR_TYPE, MPI_Type_free(&predefined));
    FAILS(MPI_ERR_TYPE, MPI_Type_contiguous(2, MPI_DATATYPE_NULL, &type));
    FAILS(MPI_ERR_COUNT, MPI_Type_contiguous(-1, MPI_INT, &type));

    MPI_Group group, gone;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &group));
    gone = group;
    FAILS(MPI_ERR_RANK, MPI_Group_incl(group, 1, (int[]){2}, &gone));
    FAILS(MPI_ERR_RANK, MPI_Group_incl(group, 2, (int[]){1, 1}, &gone));
    gone = group;
    OK(MPI_Group_free(&group));
    FAILS(MPI_ERR_GROUP, MPI_Group_free(&gone));
    FAILS(MPI_ERR_GROUP, MPI_Group_size(group, &size));

    MPI_Info info, old;
    OK(MPI_Info_create(&info));
    FAILS(MPI_ERR_INFO_NOKEY, MPI_Info_delete(info, "absent"));
    FAILS(MPI_ERR_INFO_KEY, MPI_Info_set(info, "", "value"));
    old = info;
    OK(MPI_Info_free(&info));
    FAILS(MPI_ERR_INFO, MPI_Info_free(&old));
    FAILS(MPI_ERR_INFO, MPI_Info_set(old, "key", "value"));

    MPI_Op op, dead, sum = MPI_SUM;
    OK(MPI_Op_create(add, 1, &op));
    dead = op;
    OK(MPI_Op_free(&op));
    CHECK(op == MPI_OP_NULL);
    FAILS(MPI_ERR_OP, MPI_Op_free(&dead));
    FAILS(MPI_ERR_OP, MPI_Op_free(&sum));
    FAILS(MPI_ERR_OP, MPI_Reduce_local(&n, &size, 1, MPI_INT, dead));

    MPI_Request request, stale;
    OK(MPI_Recv_init(&n, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request));
    stale = request;
    OK(MPI_Request_free(&request));
    FAILS(MPI_ERR_REQUEST, MPI_Request_free(&stale));
    FAILS(MPI_ERR_REQUEST, MPI_Wait(&stale, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_REQUEST, MPI_Cancel(&request));
    FAILS(MPI_ERR_REQUEST, MPI_Request_free(&request));
    FAILS(MPI_ERR_REQUEST, MPI_Pready(0, MPI_REQUEST_NULL));
    OK(MPI_Grequest_start(count_query, count_free, count_cancel, NULL, &request));
    FAILS(MPI_ERR_REQUEST, MPI_Start(&request));
    stale = request;
    OK(MPI_Grequest_complete(request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_REQUEST, MPI_Grequest_complete(stale));

    char *memory, *twice;
    OK(MPI_Alloc_mem(64, MPI_INFO_NULL, &memory));
    twice = memory;
    OK(MPI_Free_mem(memory));
    FAILS(MPI_ERR_BASE, MPI_Free_mem(twice));
    FAILS(MPI_ERR_BASE, MPI_Free_mem(&n));
    FAILS(MPI_ERR_ARG, MPI_Alloc_mem(-1, MPI_INFO_NULL, &memory));
}

/* Communicators that do not have what a function needs. */
static void kinds(int rank)
{
    int n = rank, sum, flag, dims[2] = {2, 1}, periods[2] = {0, 0}, coords[2];
    MPI_Comm inter, cart, comm;
    MPI_Win win;
    MPI_File file;
    MPI_Group group;
    OK(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 3, &inter));
    OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
    FAILS(MPI_ERR_COMM, MPI_Scan(&n, &sum, 1, MPI_INT, MPI_SUM, inter));
    FAILS(MPI_ERR_COMM, MPI_Exscan(&n, &sum, 1, MPI_INT, MPI_SUM, inter));
    FAILS(MPI_ERR_COMM, MPI_Cart_create(inter, 1, dims, periods, 0, &comm));
    FAILS(MPI_ERR_COMM, MPI_Win_create(&n, 4, 1, MPI_INFO_NULL, inter, &win));
    FAILS(MPI_ERR_COMM, MPI_File_open(inter, "misuse", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    FAILS(MPI_ERR_COMM, MPI_Intercomm_merge(MPI_COMM_WORLD, 0, &comm));
    FAILS(MPI_ERR_COMM, MPI_Comm_remote_size(MPI_COMM_WORLD, &n));
    FAILS(MPI_ERR_COMM, MPI_Comm_remote_group(MPI_COMM_WORLD, &group));
    FAILS(MPI_ERR_ROOT, MPI_Bcast(&n, 1, MPI_INT, 1, inter));
    FAILS(MPI_ERR_ROOT, MPI_Bcast(&n, 1, MPI_INT, -5, inter));
    FAILS(MPI_ERR_BUFFER, MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT, MPI_SUM, inter));
    FAILS(MPI_ERR_RANK, MPI_Send(&n, 1, MPI_INT, 1, 0, inter));
    /* The communicator is as good as before. */
    sum = -1;
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter));
    CHECK(sum == 1 - rank);
    OK(MPI_Comm_free(&inter));

    FAILS(MPI_ERR_TOPOLOGY, MPI_Cart_coords(MPI_COMM_WORLD, 0, 2, coords));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Cartdim_get(MPI_COMM_WORLD, &n));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Graph_neighbors_count(MPI_COMM_WORLD, 0, &n));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Neighbor_allgather(&rank, 1, MPI_INT, coords, 1, MPI_INT,
                                                   MPI_COMM_WORLD));
    OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart));
    FAILS(MPI_ERR_RANK, MPI_Cart_coords(cart, 7, 2, coords));
    FAILS(MPI_ERR_ARG, MPI_Cart_rank(cart, (int[]){5, 0}, &n));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Graphdims_get(cart, &n, &flag));
    OK(MPI_Comm_free(&cart));
    dims[0] = 3;
    FAILS(MPI_ERR_DIMS, MPI_Dims_create(7, 1, dims));
}

/* Messages that do not fit. */
static void truncation(int rank)
{
    int data[4] = {1, 2, 3, 4}, got[4] = {0}, class;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    if (rank == 0) {
        for (int tag = 0; tag < 4; tag++)
            OK(MPI_Send(data, 4, MPI_INT, 1, tag, MPI_COMM_WORLD));
        OK(MPI_Send(data, 1, MPI_INT, 1, 4, MPI_COMM_WORLD));
        OK(MPI_Sendrecv(data, 4, MPI_INT, 1, 5, got, 4, MPI_INT, 1, 5, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE));
        OK(MPI_Send(data, 4, MPI_INT, 1, 6, MPI_COMM_WORLD));
    } else {
        FAILS(MPI_ERR_TRUNCATE,
              MPI_Recv(got, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(got[2] == 0 && got[3] == 0);
        OK(MPI_Irecv(got, 3, MPI_INT, 0, 1, MPI_COMM_WORLD, requests));
        FAILS(MPI_ERR_TRUNCATE, MPI_Wait(requests, MPI_STATUS_IGNORE));
        CHECK(requests[0] == MPI_REQUEST_NULL && got[3] == 0);
        FAILS(MPI_ERR_TRUNCATE,
              MPI_Recv(got, 3, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Irecv(got, 3, MPI_INT, 0, 3, MPI_COMM_WORLD, &requests[0]));
        OK(MPI_Irecv(got, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, &requests[1]));
        FAILS(MPI_ERR_IN_STATUS, MPI_Waitall(2, requests, statuses));
        OK(MPI_Error_class(statuses[0].MPI_ERROR, &class));
        CHECK(class == MPI_ERR_TRUNCATE && statuses[1].MPI_ERROR == MPI_SUCCESS);
        FAILS(MPI_ERR_TRUNCATE, MPI_Sendrecv(data, 4, MPI_INT, 0, 5, got, 1, MPI_INT, 0, 5,
                                             MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        MPI_Message message;
        OK(MPI_Mprobe(0, 6, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
        FAILS(MPI_ERR_TRUNCATE, MPI_Mrecv(got, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
        CHECK(message == MPI_MESSAGE_NULL);
        FAILS(MPI_ERR_REQUEST, MPI_Mrecv(got, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
    }
}

/* Files. `name` does not exist. */
static void files(int rank, const char *name)
{
    int n = rank;
    MPI_File file, copy;
    MPI_Offset offset;
    MPI_Datatype raw;
    MPI_Request request;
    FAILS(MPI_ERR_NO_SUCH_FILE,
          MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    FAILS(MPI_ERR_AMODE, MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY | MPI_MODE_WRONLY,
                                       MPI_INFO_NULL, &file));
    FAILS(MPI_ERR_AMODE, MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE, MPI_INFO_NULL,
                                       &file));
    FAILS(MPI_ERR_AMODE, MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY | MPI_MODE_CREATE,
                                       MPI_INFO_NULL, &file));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        FAILS(MPI_ERR_NO_SUCH_FILE, MPI_File_delete(name, MPI_INFO_NULL));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_File_open(MPI_COMM_WORLD, name,
                     MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                     &file));
    FAILS(MPI_ERR_ACCESS, MPI_File_read(file, &n, 1, MPI_INT, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_ARG, MPI_File_seek(file, -8, MPI_SEEK_SET));
    FAILS(MPI_ERR_ARG, MPI_File_seek(file, 0, 77));
    FAILS(MPI_ERR_ARG, MPI_File_write_at(file, -1, &n, 1, MPI_INT, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_COUNT, MPI_File_write(file, &n, -1, MPI_INT, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_TYPE, MPI_File_write(file, &n, 1, MPI_DATATYPE_NULL, MPI_STATUS_IGNORE));
    OK(MPI_Type_contiguous(2, MPI_INT, &raw));
    FAILS(MPI_ERR_TYPE, MPI_File_set_view(file, 0, raw, raw, "native", MPI_INFO_NULL));
    FAILS(MPI_ERR_TYPE, MPI_File_iwrite(file, &n, 1, raw, &request));
    OK(MPI_Type_free(&raw));
    FAILS(MPI_ERR_UNSUPPORTED_DATAREP,
          MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "no such", MPI_INFO_NULL));
    FAILS(MPI_ERR_ARG, MPI_File_set_size(file, -1));
    OK(MPI_File_write_all_begin(file, &n, 1, MPI_INT));
    FAILS(MPI_ERR_OTHER, MPI_File_write_all_begin(file, &n, 1, MPI_INT));
    OK(MPI_File_write_all_end(file, &n, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_OTHER, MPI_File_write_all_end(file, &n, MPI_STATUS_IGNORE));
    OK(MPI_File_get_position(file, &offset));
    copy = file;
    OK(MPI_File_close(&file));
    CHECK(file == MPI_FILE_NULL);
    FAILS(MPI_ERR_FILE, MPI_File_close(&copy));
    FAILS(MPI_ERR_FILE, MPI_File_write(copy, &n, 1, MPI_INT, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_FILE, MPI_File_get_size(MPI_FILE_NULL, &offset));
}

/* Attributes, names, error handlers. */
static void attributes(void)
{
    int key, old, code, length;
    void *value;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Errhandler handler, gone;
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL));
    FAILS(MPI_ERR_KEYVAL, MPI_Type_set_attr(MPI_INT, key, NULL));
    old = key;
    OK(MPI_Comm_free_keyval(&key));
    CHECK(key == MPI_KEYVAL_INVALID);
    FAILS(MPI_ERR_KEYVAL, MPI_Comm_set_attr(MPI_COMM_WORLD, key, NULL));
    FAILS(MPI_ERR_KEYVAL, MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &code));
    FAILS(MPI_ERR_KEYVAL, MPI_Comm_free_keyval(&key));
    old = MPI_TAG_UB;
    FAILS(MPI_ERR_KEYVAL, MPI_Comm_set_attr(MPI_COMM_WORLD, old, NULL));
    FAILS(MPI_ERR_KEYVAL, MPI_Comm_free_keyval(&old));
    OK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler));
    OK(MPI_Errhandler_free(&handler));
    CHECK(handler == MPI_ERRHANDLER_NULL);
    gone = handler;
    FAILS(MPI_ERR_ERRHANDLER, MPI_Errhandler_free(&gone));
    FAILS(MPI_ERR_ERRHANDLER, MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL));
    FAILS(MPI_ERR_ARG, MPI_Error_string(-7, text, &length));
    FAILS(MPI_ERR_ARG, MPI_Add_error_code(-7, &code));
    FAILS(MPI_ERR_SERVICE, MPI_Unpublish_name("none of this name", MPI_INFO_NULL, "port"));
    FAILS(MPI_ERR_NAME, MPI_Lookup_name("none of this name", MPI_INFO_NULL, text));
}

int main(int argc, char **argv)
{
    int rank;
    char name[32];
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    handles(rank);
    kinds(rank);
    truncation(rank);
    snprintf(name, sizeof name, "/tmp/misuse.%d", (int)getpid());
    OK(MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD));
    files(rank, name);
    attributes();
    PASS();
}
