/* Files: every way to read and write. The value of each record follows from its place alone, so the
 * file is checked byte by byte without MPI. */
#include "check.h"

static int rank, size;

/* What belongs at a place. */
static int value(int place)
{
    return place * 2654435761u ^ 0x5eed;
}

static void check_file(const char *name, int ints)
{
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        FILE *file = fopen(name, "rb");
        CHECK(file);
        for (int n = 0; n < ints; n++) {
            int found;
            CHECK(fread(&found, sizeof found, 1, file) == 1);
            CHECK(found == value(n));
        }
        CHECK(fgetc(file) == EOF);
        fclose(file);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void check_status(MPI_Status *status, int ints)
{
    int count;
    OK(MPI_Get_count(status, MPI_INT, &count));
    CHECK(count == ints);
    OK(MPI_Get_elements(status, MPI_INT, &count));
    CHECK(count == ints);
}

static MPI_File open_new(const char *name)
{
    MPI_File file;
    OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
    OK(MPI_File_set_size(file, 0));
    return file;
}

static void remove_file(MPI_File *file, const char *name)
{
    OK(MPI_File_close(file));
    if (rank == 0)
        OK(MPI_File_delete(name, MPI_INFO_NULL));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

enum { BLOCK = 50, BLOCKS = 6 };

/* The functions for contiguous blocks, one after the other in a table. */
enum { EXPLICIT, INDIVIDUAL };
enum { PLAIN, ALL, NONBLOCKING, NONBLOCKING_ALL, SPLIT, LARGE, WAYS };

static void write_block(MPI_File file, int pointer, int way, int place, const int *data)
{
    MPI_Status status;
    MPI_Request request;
    MPI_Offset at = (MPI_Offset)place * sizeof(int);
    if (pointer == INDIVIDUAL)
        OK(MPI_File_seek(file, at, MPI_SEEK_SET));
    switch (way) {
    case PLAIN:
        OK(pointer == EXPLICIT ? MPI_File_write_at(file, at, data, BLOCK, MPI_INT, &status)
                               : MPI_File_write(file, data, BLOCK, MPI_INT, &status));
        break;
    case ALL:
        OK(pointer == EXPLICIT ? MPI_File_write_at_all(file, at, data, BLOCK, MPI_INT, &status)
                               : MPI_File_write_all(file, data, BLOCK, MPI_INT, &status));
        break;
    case NONBLOCKING:
        OK(pointer == EXPLICIT ? MPI_File_iwrite_at(file, at, data, BLOCK, MPI_INT, &request)
                               : MPI_File_iwrite(file, data, BLOCK, MPI_INT, &request));
        OK(MPI_Wait(&request, &status));
        CHECK(request == MPI_REQUEST_NULL);
        break;
    case NONBLOCKING_ALL:
        OK(pointer == EXPLICIT ? MPI_File_iwrite_at_all(file, at, data, BLOCK, MPI_INT, &request)
                               : MPI_File_iwrite_all(file, data, BLOCK, MPI_INT, &request));
        OK(MPI_Waitall(1, &request, &status));
        break;
    case SPLIT:
        if (pointer == EXPLICIT) {
            OK(MPI_File_write_at_all_begin(file, at, data, BLOCK, MPI_INT));
            FAILS(MPI_ERR_OTHER, MPI_File_write_all_end(file, data, &status));
            FAILS(MPI_ERR_OTHER, MPI_File_write_all(file, data, BLOCK, MPI_INT, &status));
            OK(MPI_File_write_at_all_end(file, data, &status));
        } else {
            OK(MPI_File_write_all_begin(file, data, BLOCK, MPI_INT));
            OK(MPI_File_write_all_end(file, data, &status));
        }
        FAILS(MPI_ERR_OTHER, MPI_File_write_all_end(file, data, MPI_STATUS_IGNORE));
        break;
    default:
        OK(pointer == EXPLICIT ? MPI_File_write_at_c(file, at, data, BLOCK, MPI_INT, &status)
                               : MPI_File_write_c(file, data, BLOCK, MPI_INT, &status));
    }
    check_status(&status, BLOCK);
}

static void read_block(MPI_File file, int pointer, int way, int place, int *data, int expected)
{
    MPI_Status status;
    MPI_Request request;
    MPI_Offset at = (MPI_Offset)place * sizeof(int);
    if (pointer == INDIVIDUAL)
        OK(MPI_File_seek(file, at, MPI_SEEK_SET));
    switch (way) {
    case PLAIN:
        OK(pointer == EXPLICIT ? MPI_File_read_at(file, at, data, BLOCK, MPI_INT, &status)
                               : MPI_File_read(file, data, BLOCK, MPI_INT, &status));
        break;
    case ALL:
        OK(pointer == EXPLICIT ? MPI_File_read_at_all(file, at, data, BLOCK, MPI_INT, &status)
                               : MPI_File_read_all(file, data, BLOCK, MPI_INT, &status));
        break;
    case NONBLOCKING:
        OK(pointer == EXPLICIT ? MPI_File_iread_at(file, at, data, BLOCK, MPI_INT, &request)
                               : MPI_File_iread(file, data, BLOCK, MPI_INT, &request));
        OK(MPI_Wait(&request, &status));
        break;
    case NONBLOCKING_ALL:
        OK(pointer == EXPLICIT ? MPI_File_iread_at_all(file, at, data, BLOCK, MPI_INT, &request)
                               : MPI_File_iread_all(file, data, BLOCK, MPI_INT, &request));
        OK(MPI_Waitall(1, &request, &status));
        break;
    case SPLIT:
        if (pointer == EXPLICIT) {
            OK(MPI_File_read_at_all_begin(file, at, data, BLOCK, MPI_INT));
            OK(MPI_File_read_at_all_end(file, data, &status));
        } else {
            OK(MPI_File_read_all_begin(file, data, BLOCK, MPI_INT));
            OK(MPI_File_read_all_end(file, data, &status));
        }
        break;
    default:
        OK(pointer == EXPLICIT ? MPI_File_read_at_c(file, at, data, BLOCK, MPI_INT, &status)
                               : MPI_File_read_c(file, data, BLOCK, MPI_INT, &status));
    }
    check_status(&status, expected);
}

/* Blocks in turns: the n-th of a rank is the block n * size + rank of the file. */
static void contiguous(int pointer, int way)
{
    MPI_File file = open_new("contiguous");
    int data[BLOCK], ints = BLOCK * BLOCKS * size;
    for (int n = 0; n < BLOCKS; n++) {
        int place = (n * size + rank) * BLOCK;
        for (int i = 0; i < BLOCK; i++)
            data[i] = value(place + i);
        write_block(file, pointer, way, place, data);
    }
    check_file("contiguous", ints);
    for (int n = 0; n < BLOCKS; n++) {
        int place = (n * size + (rank + 1) % size) * BLOCK;
        memset(data, 0, sizeof data);
        read_block(file, pointer, way, place, data, BLOCK);
        for (int i = 0; i < BLOCK; i++)
            CHECK(data[i] == value(place + i));
    }
    /* Across the end of the file, and beyond it. */
    data[10] = -7;
    read_block(file, pointer, way, ints - 10, data, 10);
    for (int i = 0; i < 10; i++)
        CHECK(data[i] == value(ints - 10 + i));
    CHECK(data[10] == -7);
    read_block(file, pointer, way, ints + 100, data, 0);
    remove_file(&file, "contiguous");
}

/* The view of each rank has every size-th int; in memory they have gaps. */
static void strided(void)
{
    enum { COUNT = 3000 };
    MPI_File file = open_new("strided");
    MPI_Datatype filetype, resized, memory;
    MPI_Status status;
    MPI_Offset position;
    static int data[2 * COUNT];
    OK(MPI_Type_create_resized(MPI_INT, 0, size * sizeof(int), &filetype));
    OK(MPI_Type_contiguous(1, filetype, &resized));
    OK(MPI_Type_commit(&resized));
    OK(MPI_Type_vector(COUNT, 1, 2, MPI_INT, &memory));
    OK(MPI_Type_commit(&memory));
    OK(MPI_File_set_view(file, rank * sizeof(int), MPI_INT, resized, "native", MPI_INFO_NULL));
    for (int i = 0; i < COUNT; i++)
        data[2 * i] = value(i * size + rank), data[2 * i + 1] = -1;
    OK(MPI_File_write_all(file, data, 1, memory, &status));
    check_status(&status, COUNT);
    check_file("strided", COUNT * size);
    OK(MPI_File_get_position(file, &position));
    CHECK(position == COUNT);
    memset(data, 0, sizeof data);
    OK(MPI_File_read_at(file, 1000, data, 500, MPI_INT, &status));
    check_status(&status, 500);
    for (int i = 0; i < 500; i++)
        CHECK(data[i] == value((1000 + i) * size + rank));
    /* Past the end: what is there arrives, the rest of the memory stays. */
    for (int i = 0; i < 2 * COUNT; i++)
        data[i] = -2;
    OK(MPI_File_read_at_all(file, COUNT - 100, data, 1, memory, &status));
    check_status(&status, 100);
    for (int i = 0; i < COUNT; i++) {
        CHECK(data[2 * i] == (i < 100 ? value((COUNT - 100 + i) * size + rank) : -2));
        CHECK(2 * i + 1 == 2 * COUNT - 1 || data[2 * i + 1] == -2);
    }
    OK(MPI_Type_free(&filetype));
    OK(MPI_Type_free(&resized));
    OK(MPI_Type_free(&memory));
    remove_file(&file, "strided");
}

/* A matrix in columns of blocks, a subarray for each rank. */
static void matrix(void)
{
    enum { ROWS = 40, COLUMNS = 30 };
    MPI_File file = open_new("matrix");
    MPI_Datatype part;
    MPI_Status status;
    int all = COLUMNS * size, own[ROWS][COLUMNS];
    OK(MPI_Type_create_subarray(2, (int[]){ROWS, all}, (int[]){ROWS, COLUMNS},
                                (int[]){0, rank * COLUMNS}, MPI_ORDER_C, MPI_INT, &part));
    OK(MPI_Type_commit(&part));
    OK(MPI_File_set_view(file, 0, MPI_INT, part, "native", MPI_INFO_NULL));
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            own[r][c] = value(r * all + rank * COLUMNS + c);
    OK(MPI_File_write_all(file, own, ROWS * COLUMNS, MPI_INT, &status));
    check_status(&status, ROWS * COLUMNS);
    check_file("matrix", ROWS * all);
    memset(own, 0, sizeof own);
    OK(MPI_File_seek(file, 0, MPI_SEEK_SET));
    OK(MPI_File_read_all(file, own, ROWS * COLUMNS, MPI_INT, &status));
    check_status(&status, ROWS * COLUMNS);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            CHECK(own[r][c] == value(r * all + rank * COLUMNS + c));
    FAILS(MPI_ERR_IO, MPI_File_read(file, own, 3, MPI_CHAR, &status));
    OK(MPI_Type_free(&part));
    remove_file(&file, "matrix");
}

/* In the order of the ranks, each with a different number of ints. */
static void ordered(int split)
{
    MPI_File file = open_new("ordered");
    MPI_Status status;
    MPI_Offset position;
    int count = rank + 1, before = rank * (rank + 1) / 2, all = size * (size + 1) / 2, data[64];
    OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < count; i++)
            data[i] = value(round * all + before + i);
        if (split) {
            OK(MPI_File_write_ordered_begin(file, data, count, MPI_INT));
            OK(MPI_File_write_ordered_end(file, data, &status));
        } else {
            OK(MPI_File_write_ordered(file, data, count, MPI_INT, &status));
        }
        check_status(&status, count);
    }
    OK(MPI_File_get_position_shared(file, &position));
    CHECK(position == 3 * all);
    check_file("ordered", 3 * all);
    OK(MPI_File_seek_shared(file, all, MPI_SEEK_SET));
    for (int round = 1; round < 4; round++) {
        if (split) {
            OK(MPI_File_read_ordered_begin(file, data, count, MPI_INT));
            OK(MPI_File_read_ordered_end(file, data, &status));
        } else {
            OK(MPI_File_read_ordered(file, data, count, MPI_INT, &status));
        }
        check_status(&status, round < 3 ? count : 0);
        for (int i = 0; round < 3 && i < count; i++)
            CHECK(data[i] == value(round * all + before + i));
    }
    remove_file(&file, "ordered");
}

/* Files without random access have only the shared file pointer. */
static void sequential(void)
{
    MPI_File file;
    MPI_Offset position;
    int data = value(rank);
    OK(MPI_File_open(MPI_COMM_WORLD, "sequential",
                     MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL,
                     &file));
    FAILS(MPI_ERR_UNSUPPORTED_OPERATION,
          MPI_File_write(file, &data, 1, MPI_INT, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_UNSUPPORTED_OPERATION,
          MPI_File_write_at(file, 0, &data, 1, MPI_INT, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_seek(file, 0, MPI_SEEK_SET));
    OK(MPI_File_write_ordered(file, &data, 1, MPI_INT, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_ARG, MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    OK(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native",
                         MPI_INFO_NULL));
    /* Section 14.4.4 */
    FAILS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_get_position_shared(file, &position));
    FAILS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    data = value(size + rank);
    OK(MPI_File_write_ordered(file, &data, 1, MPI_INT, MPI_STATUS_IGNORE));
    check_file("sequential", 2 * size);
    remove_file(&file, "sequential");
}

/* Nonblocking accesses together with messages. */
static void mixed(void)
{
    MPI_File file = open_new("mixed");
    MPI_Request requests[4];
    MPI_Status statuses[4];
    int out[2] = {value(2 * rank), value(2 * rank + 1)}, sent = rank, got = -1;
    OK(MPI_Irecv(&got, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_File_iwrite_at(file, 8 * rank, &out[0], 1, MPI_INT, &requests[1]));
    OK(MPI_Isend(&sent, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD, &requests[2]));
    OK(MPI_File_iwrite_at(file, 8 * rank + 4, &out[1], 1, MPI_INT, &requests[3]));
    OK(MPI_Waitall(4, requests, statuses));
    CHECK(got == (rank + size - 1) % size);
    check_status(&statuses[1], 1);
    check_status(&statuses[3], 1);
    check_file("mixed", 2 * size);
    MPI_Request request;
    OK(MPI_File_iread_at(file, 8 * rank, out, 2, MPI_INT, &request));
    int flag = 0;
    while (!flag)
        OK(MPI_Test(&request, &flag, &statuses[0]));
    check_status(&statuses[0], 2);
    OK(MPI_File_iread_at(file, 8 * rank, out, 2, MPI_INT, &request));
    OK(MPI_Request_free(&request));
    remove_file(&file, "mixed");
}

/* Offsets at which no data have a place: an error, and the file pointer does not move. */
static void far_away(void)
{
    const MPI_Offset most = INT64_MAX;
    MPI_File file = open_new("far");
    MPI_Offset at;
    MPI_Datatype strided;
    int n = rank;
    FAILS(MPI_ERR_ARG, MPI_File_write_at(file, most - 2, &n, 1, MPI_INT, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_ARG, MPI_File_read_at(file, most - 2, &n, 1, MPI_INT, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_ARG, MPI_File_write_at_all(file, most, &n, 1, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_seek(file, most - 2, MPI_SEEK_SET));
    FAILS(MPI_ERR_ARG, MPI_File_read(file, &n, 1, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_get_position(file, &at));
    CHECK(at == most - 2);
    FAILS(MPI_ERR_ARG, MPI_File_seek(file, 3, MPI_SEEK_CUR));
    OK(MPI_File_set_view(file, most - 8, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    FAILS(MPI_ERR_ARG, MPI_File_write_at(file, 2, &n, 1, MPI_INT, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_ARG, MPI_File_get_byte_offset(file, 2, &at));
    OK(MPI_File_get_byte_offset(file, 1, &at));
    CHECK(at == most - 4);
    OK(MPI_Type_vector(2, 1, 2, MPI_INT, &strided));
    OK(MPI_Type_commit(&strided));
    FAILS(MPI_ERR_ARG, MPI_File_set_view(file, most - 8, MPI_INT, strided, "native",
                                         MPI_INFO_NULL));
    OK(MPI_File_set_view(file, 0, MPI_INT, strided, "native", MPI_INFO_NULL));
    FAILS(MPI_ERR_ARG, MPI_File_read_at(file, most / 5, &n, 1, MPI_INT, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_ARG, MPI_File_read_at(file, most / 3, &n, 1, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_seek_shared(file, most - size, MPI_SEEK_SET));
    FAILS(MPI_ERR_ARG, MPI_File_read_shared(file, &n, 1, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    FAILS(MPI_ERR_ARG, MPI_File_read_shared(file, &n, 1, MPI_INT, MPI_STATUS_IGNORE));
    FAILS(MPI_ERR_ARG, MPI_File_write_ordered(file, &n, 1, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_get_position_shared(file, &at));
    CHECK(at == most);
    OK(MPI_File_get_size(file, &at));
    CHECK(at == 0);
    OK(MPI_Type_free(&strided));
    remove_file(&file, "far");
}

int main(int argc, char **argv)
{
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    for (int pointer = EXPLICIT; pointer <= INDIVIDUAL; pointer++)
        for (int way = PLAIN; way < WAYS; way++)
            contiguous(pointer, way);
    strided();
    matrix();
    ordered(0);
    ordered(1);
    sequential();
    mixed();
    far_away();
    PASS();
}
