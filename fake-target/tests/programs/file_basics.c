/* Files: opening, closing, deleting, sizes, modes, positions, views, error classes and handlers.
 * The contents of the file are checked without MPI. */
#include "check.h"
#include <sys/stat.h>
#include <unistd.h>

static int rank, size;

static void meet(void)
{
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static MPI_File open_new(MPI_Comm comm, const char *name, int amode)
{
    MPI_File file;
    OK(MPI_File_open(comm, name, MPI_MODE_CREATE | amode, MPI_INFO_NULL, &file));
    CHECK(file != MPI_FILE_NULL);
    return file;
}

static long bytes_of(const char *name)
{
    struct stat status;
    return stat(name, &status) == 0 ? (long)status.st_size : -1;
}

static void modes(void)
{
    MPI_File file;
    int amode;
    FAILS(MPI_ERR_NO_SUCH_FILE,
          MPI_File_open(MPI_COMM_WORLD, "none", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    CHECK(file == MPI_FILE_NULL);
    FAILS(MPI_ERR_NO_SUCH_FILE, MPI_File_delete("none", MPI_INFO_NULL));
    int wrong[] = {0, MPI_MODE_CREATE, MPI_MODE_RDONLY | MPI_MODE_WRONLY,
                   MPI_MODE_RDONLY | MPI_MODE_CREATE, MPI_MODE_RDONLY | MPI_MODE_EXCL,
                   MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL, MPI_MODE_RDWR | (1 << 20)};
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++)
        FAILS(MPI_ERR_AMODE,
              MPI_File_open(MPI_COMM_WORLD, "none", wrong[n], MPI_INFO_NULL, &file));
    CHECK(bytes_of("none") == -1);
    FAILS(MPI_ERR_BAD_FILE,
          MPI_File_open(MPI_COMM_WORLD, ".", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    if (size > 1)
        FAILS(MPI_ERR_NOT_SAME,
              MPI_File_open(MPI_COMM_WORLD, "none",
                            rank ? MPI_MODE_RDWR | MPI_MODE_CREATE
                                 : MPI_MODE_WRONLY | MPI_MODE_CREATE,
                            MPI_INFO_NULL, &file));
    meet();

    file = open_new(MPI_COMM_WORLD, "modes", MPI_MODE_RDWR | MPI_MODE_EXCL);
    OK(MPI_File_get_amode(file, &amode));
    CHECK(amode == (MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_EXCL));
    CHECK(MPI_File_fromint(MPI_File_toint(file)) == file);
    MPI_File closed = file;
    OK(MPI_File_close(&file));
    CHECK(file == MPI_FILE_NULL && bytes_of("modes") == 0);
    FAILS(MPI_ERR_FILE, MPI_File_get_amode(closed, &amode));
    FAILS(MPI_ERR_FILE, MPI_File_get_amode(MPI_FILE_NULL, &amode));
    FAILS(MPI_ERR_FILE_EXISTS,
          MPI_File_open(MPI_COMM_WORLD, "modes", MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR,
                        MPI_INFO_NULL, &file));

    char data[4] = "abc";
    OK(MPI_File_open(MPI_COMM_WORLD, "modes", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    FAILS(MPI_ERR_READ_ONLY, MPI_File_write(file, data, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_READ_ONLY, MPI_File_set_size(file, 5));
    FAILS(MPI_ERR_READ_ONLY, MPI_File_write_all(file, data, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&file));
    OK(MPI_File_open(MPI_COMM_WORLD, "modes", MPI_MODE_WRONLY, MPI_INFO_NULL, &file));
    FAILS(MPI_ERR_ACCESS, MPI_File_read(file, data, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&file));
    OK(MPI_File_open(MPI_COMM_WORLD, "modes", MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE,
                     MPI_INFO_NULL, &file));
    OK(MPI_File_close(&file));
    CHECK(bytes_of("modes") == -1);
    meet();
    /* The deletion fails because somebody else has deleted the file. It is closed nevertheless. */
    file = open_new(MPI_COMM_WORLD, "modes", MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
    meet();
    if (rank == 0)
        CHECK(unlink("modes") == 0);
    meet();
    FAILS(MPI_ERR_NO_SUCH_FILE, MPI_File_close(&file));
    CHECK(file == MPI_FILE_NULL);
}

static void sizes(void)
{
    MPI_File file = open_new(MPI_COMM_WORLD, "sizes", MPI_MODE_RDWR);
    MPI_Offset bytes, position;
    OK(MPI_File_set_size(file, 1000));
    OK(MPI_File_get_size(file, &bytes));
    CHECK(bytes == 1000 && bytes_of("sizes") == 1000);
    OK(MPI_File_preallocate(file, 500));
    CHECK(bytes_of("sizes") == 1000);
    OK(MPI_File_preallocate(file, 2000));
    CHECK(bytes_of("sizes") == 2000);
    FAILS(MPI_ERR_ARG, MPI_File_set_size(file, -1));
    if (size > 1)
        FAILS(MPI_ERR_NOT_SAME, MPI_File_set_size(file, 100 + rank));
    OK(MPI_File_set_size(file, 0));
    CHECK(bytes_of("sizes") == 0);
    OK(MPI_File_set_size(file, 24));
    OK(MPI_File_sync(file));
    OK(MPI_File_seek(file, -4, MPI_SEEK_END));
    OK(MPI_File_get_position(file, &position));
    CHECK(position == 20);
    OK(MPI_File_seek(file, -5, MPI_SEEK_CUR));
    OK(MPI_File_get_position(file, &position));
    CHECK(position == 15);
    FAILS(MPI_ERR_ARG, MPI_File_seek(file, -16, MPI_SEEK_CUR));
    FAILS(MPI_ERR_ARG, MPI_File_seek(file, 0, 17));
    OK(MPI_File_seek_shared(file, 6, MPI_SEEK_SET));
    OK(MPI_File_get_position_shared(file, &position));
    CHECK(position == 6);
    OK(MPI_File_seek_shared(file, -1, MPI_SEEK_END));
    OK(MPI_File_get_position_shared(file, &position));
    CHECK(position == 23);
    OK(MPI_File_close(&file));

    /* Appending begins at the end. */
    OK(MPI_File_open(MPI_COMM_WORLD, "sizes", MPI_MODE_RDWR | MPI_MODE_APPEND, MPI_INFO_NULL,
                     &file));
    OK(MPI_File_get_position(file, &position));
    CHECK(position == 24);
    OK(MPI_File_get_position_shared(file, &position));
    CHECK(position == 24);
    OK(MPI_File_close(&file));
    if (rank == 0)
        OK(MPI_File_delete("sizes", MPI_INFO_NULL));
    meet();
    CHECK(bytes_of("sizes") == -1);
}

static void properties(void)
{
    MPI_Comm reversed;
    MPI_Group group, expected;
    MPI_Info info;
    int result, flag;
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed));
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "file_perm", "600"));
    OK(MPI_Info_set(info, "no such hint", "1"));
    MPI_File file;
    OK(MPI_File_open(reversed, "properties", MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file));
    OK(MPI_Info_free(&info));
    struct stat status;
    CHECK(stat("properties", &status) == 0 && (status.st_mode & 0777) == 0600);
    OK(MPI_File_get_group(file, &group));
    OK(MPI_Comm_group(reversed, &expected));
    OK(MPI_Group_compare(group, expected, &result));
    CHECK(result == MPI_IDENT);
    OK(MPI_Group_free(&group));
    OK(MPI_Group_free(&expected));
    OK(MPI_Comm_free(&reversed));
    char value[16];
    int length = sizeof value;
    OK(MPI_File_set_info(file, MPI_INFO_NULL));
    OK(MPI_File_get_info(file, &info));
    OK(MPI_Info_get_string(info, "file_perm", &length, value, &flag));
    CHECK(flag && strcmp(value, "600") == 0);
    OK(MPI_Info_free(&info));
    OK(MPI_File_get_atomicity(file, &flag));
    CHECK(flag == 0);
    OK(MPI_File_set_atomicity(file, 5));
    OK(MPI_File_get_atomicity(file, &flag));
    CHECK(flag == 1);
    if (size > 1)
        FAILS(MPI_ERR_NOT_SAME, MPI_File_set_atomicity(file, rank == 0));
    MPI_Aint extent;
    OK(MPI_File_get_type_extent(file, MPI_DOUBLE, &extent));
    CHECK(extent == sizeof(double));
    OK(MPI_File_close(&file));
    if (rank == 0)
        CHECK(unlink("properties") == 0);
    meet();
}

/* A prefix that names a file system is not part of the name; any other is. */
static void prefixes(void)
{
    MPI_File file = open_new(MPI_COMM_WORLD, "ufs:prefixed", MPI_MODE_RDWR | MPI_MODE_EXCL);
    CHECK(bytes_of("prefixed") == 0 && bytes_of("ufs:prefixed") == -1);
    OK(MPI_File_close(&file));
    file = open_new(MPI_COMM_WORLD, "mine:prefixed", MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
    CHECK(bytes_of("mine:prefixed") == 0);
    OK(MPI_File_close(&file));
    meet();
    if (rank == 0)
        OK(MPI_File_delete("nfs:prefixed", MPI_INFO_NULL));
    meet();
    CHECK(bytes_of("prefixed") == -1);
}

/* A view of nothing: there is no place to write to, and nothing to read. */
static void view_of_nothing(void)
{
    MPI_File file = open_new(MPI_COMM_WORLD, "nothing", MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
    MPI_Datatype nothing;
    MPI_Status status;
    int value = 5, count;
    OK(MPI_File_write_at(file, 0, &value, 4, MPI_BYTE, &status));
    OK(MPI_Type_contiguous(0, MPI_INT, &nothing));
    OK(MPI_Type_commit(&nothing));
    OK(MPI_File_set_view(file, 0, MPI_INT, nothing, "native", MPI_INFO_NULL));
    FAILS(MPI_ERR_IO, MPI_File_write_at(file, 0, &value, 1, MPI_INT, &status));
    FAILS(MPI_ERR_IO, MPI_File_write_all(file, &value, 1, MPI_INT, &status));
    FAILS(MPI_ERR_IO, MPI_File_write_shared(file, &value, 1, MPI_INT, &status));
    OK(MPI_File_write(file, &value, 0, MPI_INT, &status));
    OK(MPI_File_read(file, &value, 1, MPI_INT, &status));
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK(count == 0 && value == 5 && bytes_of("nothing") == 4);
    OK(MPI_Type_free(&nothing));
    OK(MPI_File_close(&file));
    meet();
}

static void views(void)
{
    MPI_File file = open_new(MPI_COMM_WORLD, "views", MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
    MPI_Offset disp, at, position;
    MPI_Datatype etype, filetype, pairs, got;
    char name[MPI_MAX_DATAREP_STRING];
    OK(MPI_File_get_view(file, &disp, &etype, &filetype, name));
    CHECK(disp == 0 && etype == MPI_BYTE && filetype == MPI_BYTE && strcmp(name, "native") == 0);
    /* Two of five ints, beginning with the second. */
    OK(MPI_Type_create_indexed_block(1, 2, (int[]){1}, MPI_INT, &got));
    OK(MPI_Type_create_resized(got, 0, 20, &pairs));
    OK(MPI_Type_free(&got));
    FAILS(MPI_ERR_TYPE, MPI_File_set_view(file, 0, MPI_INT, pairs, "native", MPI_INFO_NULL));
    OK(MPI_Type_commit(&pairs));
    OK(MPI_File_seek(file, 3, MPI_SEEK_SET));
    OK(MPI_File_set_view(file, 100, MPI_INT, pairs, "internal", MPI_INFO_NULL));
    OK(MPI_File_get_position(file, &position));
    CHECK(position == 0);
    OK(MPI_File_get_view(file, &disp, &etype, &filetype, name));
    CHECK(disp == 100 && etype == MPI_INT && strcmp(name, "internal") == 0);
    MPI_Aint lb, extent;
    OK(MPI_Type_get_extent(filetype, &lb, &extent));
    CHECK(lb == 0 && extent == 20);
    OK(MPI_Type_free(&filetype));
    for (int n = 0; n < 7; n++) {
        OK(MPI_File_get_byte_offset(file, n, &at));
        CHECK(at == 100 + n / 2 * 20 + 4 + n % 2 * 4);
    }
    FAILS(MPI_ERR_ARG, MPI_File_get_byte_offset(file, -1, &at));
    /* The end in etypes: bytes 104..112, 124..132, ... are in the view. */
    int ends[][2] = {{0, 0}, {104, 0}, {105, 1}, {108, 1}, {109, 2}, {112, 2}, {124, 2}, {128, 3},
                     {1000, 90}};
    for (size_t n = 0; n < sizeof ends / sizeof *ends; n++) {
        OK(MPI_File_set_size(file, ends[n][0]));
        OK(MPI_File_seek(file, 0, MPI_SEEK_END));
        OK(MPI_File_get_position(file, &position));
        CHECK(position == ends[n][1]);
        meet();
    }
    MPI_Datatype backwards;
    OK(MPI_Type_create_hindexed(2, (int[]){1, 1}, (MPI_Aint[]){8, 0}, MPI_INT, &backwards));
    OK(MPI_Type_commit(&backwards));
    FAILS(MPI_ERR_IO, MPI_File_set_view(file, 0, MPI_INT, backwards, "native", MPI_INFO_NULL));
    OK(MPI_Type_free(&backwards));
    /* Elements that overlap, in a file that is open for writing. */
    OK(MPI_Type_create_hindexed(2, (int[]){3, 1}, (MPI_Aint[]){0, 4}, MPI_INT, &backwards));
    OK(MPI_Type_commit(&backwards));
    FAILS(MPI_ERR_IO, MPI_File_set_view(file, 0, MPI_INT, backwards, "native", MPI_INFO_NULL));
    OK(MPI_Type_free(&backwards));
    FAILS(MPI_ERR_IO, MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_INT, "native", MPI_INFO_NULL));
    FAILS(MPI_ERR_ARG, MPI_File_set_view(file, -5, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    FAILS(MPI_ERR_ARG, MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT,
                                         "native", MPI_INFO_NULL));
    FAILS(MPI_ERR_UNSUPPORTED_DATAREP,
          MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "roman", MPI_INFO_NULL));
    if (size > 1)
        FAILS(MPI_ERR_NOT_SAME,
              MPI_File_set_view(file, 0, rank ? MPI_INT : MPI_BYTE, rank ? MPI_INT : MPI_BYTE,
                                "native", MPI_INFO_NULL));
    /* A failed call has changed nothing. */
    OK(MPI_File_get_view(file, &disp, &etype, &filetype, name));
    CHECK(disp == 100 && etype == MPI_INT);
    OK(MPI_Type_free(&filetype));
    OK(MPI_Type_free(&pairs));
    OK(MPI_File_close(&file));
    CHECK(bytes_of("views") == -1);
    meet();
}

static int called, last_code;
static MPI_File last_file;

static void handler_function(MPI_File *file, int *code, ...)
{
    called++;
    last_code = *code;
    last_file = *file;
}

static void handlers(void)
{
    MPI_Errhandler handler, got;
    MPI_File file, other;
    OK(MPI_File_get_errhandler(MPI_FILE_NULL, &got));
    CHECK(got == MPI_ERRORS_RETURN);
    OK(MPI_File_create_errhandler(handler_function, &handler));
    OK(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
    FAILS(MPI_ERR_NO_SUCH_FILE,
          MPI_File_open(MPI_COMM_SELF, "none", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    CHECK(called == 1 && last_code == MPI_ERR_NO_SUCH_FILE && last_file == MPI_FILE_NULL);
    FAILS(MPI_ERR_NO_SUCH_FILE, MPI_File_delete("none", MPI_INFO_NULL));
    CHECK(called == 2);
    char name[32];
    snprintf(name, sizeof name, "handlers%d", rank);
    file = open_new(MPI_COMM_SELF, name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
    OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    OK(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR, MPI_INFO_NULL, &other));
    FAILS(MPI_ERR_ARG, MPI_File_seek(file, -1, MPI_SEEK_SET));
    CHECK(called == 3 && last_file == file && last_code == MPI_ERR_ARG);
    FAILS(MPI_ERR_ARG, MPI_File_seek(other, -1, MPI_SEEK_SET));
    CHECK(called == 3);
    OK(MPI_File_call_errhandler(file, MPI_ERR_IO));
    CHECK(called == 4 && last_code == MPI_ERR_IO);
    OK(MPI_File_set_errhandler(other, handler));
    OK(MPI_File_get_errhandler(other, &got));
    CHECK(got == handler);
    OK(MPI_Errhandler_free(&got));
    OK(MPI_Errhandler_free(&handler));
    FAILS(MPI_ERR_COUNT, MPI_File_read(other, NULL, -1, MPI_CHAR, MPI_STATUS_IGNORE));
    CHECK(called == 5 && last_file == other);
    OK(MPI_File_close(&other));
    /* The handler of a file hears also of what fails when the file is closed. */
    CHECK(unlink(name) == 0);
    FAILS(MPI_ERR_NO_SUCH_FILE, MPI_File_close(&file));
    CHECK(called == 6 && file == MPI_FILE_NULL);
}

int main(int argc, char **argv)
{
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    modes();
    sizes();
    properties();
    views();
    view_of_nothing();
    prefixes();
    handlers();
    PASS();
}
