/*
 * exceptions.cc - error handlers that leave by an exception of C++: it reaches the caller of the
 * function that failed, and MPI goes on to work.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#include "check.h"

static int given;

template <typename Handle> static void leave(Handle *, int *code, ...)
{
    throw *code;
}

static void leave_through_another(MPI_Comm *, int *, ...)
{
    /* The handler of this file throws; nobody between here and the caller catches it. */
    MPI_File none = MPI_FILE_NULL;
    MPI_File_close(&none);
}

/* The function throws an error of the class. */
template <typename Call> static void throws(int expected, Call call)
{
    int error_class = -1;
    given = MPI_SUCCESS;
    try {
        call();
    } catch (int code) {
        given = code;
    }
    OK(MPI_Error_class(given, &error_class));
    if (error_class != expected)
        fprintf(stderr, "class %d instead of %d\n", error_class, expected);
    CHECK(error_class == expected);
}

int main(int argc, char **argv)
{
    int rank, size, sum = 0, one = 1;
    MPI_Errhandler handler, other;
    MPI_Win win;
    MPI_File file;
    MPI_Session session;
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    OK(MPI_Comm_create_errhandler(leave<MPI_Comm>, &handler));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler));
    for (int i = 0; i < 3; i++)
        throws(MPI_ERR_COUNT, [] { MPI_Send(NULL, -1, MPI_INT, 0, 0, MPI_COMM_WORLD); });
    throws(MPI_ERR_ROOT, [&] { MPI_Bcast(&one, 1, MPI_INT, 77, MPI_COMM_WORLD); });
    throws(MPI_ERR_TAG, [] { MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_TAG); });
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK(sum == size);

    OK(MPI_File_create_errhandler(leave<MPI_File>, &other));
    OK(MPI_File_set_errhandler(MPI_FILE_NULL, other));
    throws(MPI_ERR_NO_SUCH_FILE, [&] {
        MPI_File_open(MPI_COMM_SELF, "no such file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    });
    throws(MPI_ERR_IO, [] { MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_IO); });
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Comm_create_errhandler(leave_through_another, &handler));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler));
    throws(MPI_ERR_FILE, [] { MPI_Send(NULL, -1, MPI_INT, 0, 0, MPI_COMM_WORLD); });
    OK(MPI_Errhandler_free(&other));

    OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_create_errhandler(leave<MPI_Win>, &other));
    OK(MPI_Win_set_errhandler(win, other));
    throws(MPI_ERR_RANK, [&] { MPI_Win_lock(MPI_LOCK_SHARED, size, 0, win); });
    throws(MPI_ERR_RMA_SYNC, [&] { MPI_Win_call_errhandler(win, MPI_ERR_RMA_SYNC); });
    OK(MPI_Errhandler_free(&other));
    OK(MPI_Win_free(&win));

    OK(MPI_Session_create_errhandler(leave<MPI_Session>, &other));
    OK(MPI_Session_init(MPI_INFO_NULL, other, &session));
    throws(MPI_ERR_OTHER, [&] { MPI_Session_call_errhandler(session, MPI_ERR_OTHER); });
    OK(MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN));
    OK(MPI_Session_finalize(&session));
    OK(MPI_Errhandler_free(&other));
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    PASS();
}
