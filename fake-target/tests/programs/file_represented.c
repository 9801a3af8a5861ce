/* Files: the representation external32, compared with bytes that are composed by hand, and a
 * representation that the program registers. */
#include "check.h"

static int rank, size;

/* Ints in the file are the complements of those in memory. */
static int extent(MPI_Datatype datatype, MPI_Aint *bytes, void *state)
{
    CHECK(state == &size && datatype == MPI_INT);
    *bytes = 4;
    return MPI_SUCCESS;
}

static int convert_in(void *user, MPI_Datatype datatype, int count, void *file, MPI_Offset position,
                      void *state)
{
    CHECK(state == &size && datatype == MPI_INT && position == 0);
    for (int i = 0; i < count; i++)
        ((int *)user)[i] = ~((int *)file)[i];
    return MPI_SUCCESS;
}

static int convert_out(void *user, MPI_Datatype datatype, int count, void *file,
                       MPI_Offset position, void *state)
{
    return convert_in(file, datatype, count, user, position, state);
}

static void look(const char *name, const unsigned char *expected, int bytes)
{
    OK(MPI_Barrier(MPI_COMM_WORLD));
    FILE *file = fopen(name, "rb");
    CHECK(file && fseek(file, (long)rank * bytes, SEEK_SET) == 0);
    for (int n = 0; n < bytes; n++)
        CHECK(fgetc(file) == expected[n]);
    fclose(file);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static MPI_File open_as(const char *name, const char *datarep, MPI_Datatype etype, MPI_Aint each)
{
    MPI_File file;
    OK(MPI_File_open(MPI_COMM_WORLD, name,
                     MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                     &file));
    OK(MPI_File_set_view(file, rank * each, etype, etype, datarep, MPI_INFO_NULL));
    return file;
}

/* A file whose view has etypes of MPI_LONG. All ranks write four longs at once and read them again.
 * In the file each has four bytes: that number `n` of rank `r` begins at `place(r, n)`. */
static void longs_lie_at(MPI_Datatype filetype, MPI_Aint extent, int (*place)(int r, int n))
{
    enum {
        EACH = 4
    };
    long data[EACH], back[EACH];
    MPI_Aint bytes;
    MPI_Offset at;
    MPI_File file = open_as("placed", "external32", MPI_BYTE, 0);
    OK(MPI_Type_commit(&filetype));
    OK(MPI_File_get_type_extent(file, filetype, &bytes));
    CHECK(bytes == extent);
    OK(MPI_File_set_view(file, 0, MPI_LONG, filetype, "external32", MPI_INFO_NULL));
    for (int way = 0; way < 2; way++) {
        for (int n = 0; n < EACH; n++) {
            data[n] = 1000 * (rank + way + 1) + n;
            back[n] = -1;
            OK(MPI_File_get_byte_offset(file, n, &at));
            CHECK(at == place(rank, n));
        }
        if (way == 0)
            OK(MPI_File_write_at(file, 0, data, EACH, MPI_LONG, MPI_STATUS_IGNORE));
        else
            OK(MPI_File_write_at_all(file, 0, data, EACH, MPI_LONG, MPI_STATUS_IGNORE));
        OK(MPI_Barrier(MPI_COMM_WORLD));
        FILE *raw = fopen("placed", "rb");
        for (int r = 0; r < size; r++)
            for (int n = 0; n < EACH; n++) {
                int value = 1000 * (r + way + 1) + n;
                CHECK(fseek(raw, place(r, n), SEEK_SET) == 0);
                CHECK(fgetc(raw) == 0 && fgetc(raw) == 0);
                CHECK(fgetc(raw) == value / 256 && fgetc(raw) == value % 256);
            }
        fclose(raw);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_File_read_at_all(file, 0, back, EACH, MPI_LONG, MPI_STATUS_IGNORE));
        CHECK(memcmp(back, data, sizeof data) == 0);
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    OK(MPI_Type_free(&filetype));
    OK(MPI_File_close(&file));
}

/* One long of each rank, then the next of each. */
static int in_turn(int r, int n)
{
    return 4 * (n * size + r);
}

/* Two longs of each rank, with one of nobody after each, then the next two of each. */
static int in_pairs(int r, int n)
{
    return 16 * (n / 2 * size + r) + 8 * (n % 2);
}

/* Four longs of each rank. */
static int in_a_row(int r, int n)
{
    return 4 * (4 * r + n);
}

/* Displacements in bytes are those in the file. Those in elements count elements as they are in the
 * file (section 14.5.1). */
static void placed(void)
{
    MPI_Datatype one, type;
    MPI_Aint place = 4 * rank;
    int length = 1, total = 4 * size;
    OK(MPI_Type_create_hindexed(1, &length, &place, MPI_LONG, &one));
    OK(MPI_Type_create_resized(one, 0, 4 * size, &type));
    longs_lie_at(type, 4 * size, in_turn);
    OK(MPI_Type_free(&one));

    OK(MPI_Type_create_struct(1, &length, &place, (MPI_Datatype[]){MPI_LONG}, &one));
    OK(MPI_Type_create_resized_c(one, 0, 4 * size, &type));
    longs_lie_at(type, 4 * size, in_turn);
    OK(MPI_Type_free(&one));

    OK(MPI_Type_create_darray(size, rank, 1, &total, (int[]){MPI_DISTRIBUTE_CYCLIC},
                              (int[]){MPI_DISTRIBUTE_DFLT_DARG}, &size, MPI_ORDER_C, MPI_LONG,
                              &type));
    longs_lie_at(type, 16 * size, in_turn);
    OK(MPI_Type_create_darray_c(size, rank, 1, (MPI_Count[]){total}, (int[]){MPI_DISTRIBUTE_BLOCK},
                                (int[]){MPI_DISTRIBUTE_DFLT_DARG}, &size, MPI_ORDER_C, MPI_LONG,
                                &type));
    longs_lie_at(type, 16 * size, in_a_row);

    OK(MPI_Type_create_subarray(1, &total, (int[]){4}, (int[]){4 * rank}, MPI_ORDER_C, MPI_LONG,
                                &type));
    longs_lie_at(type, 16 * size, in_a_row);
    OK(MPI_Type_create_subarray_c(1, (MPI_Count[]){total}, (MPI_Count[]){4},
                                  (MPI_Count[]){4 * rank}, MPI_ORDER_C, MPI_LONG, &type));
    longs_lie_at(type, 16 * size, in_a_row);

    MPI_Datatype pair, moved;
    place = 16 * rank;
    OK(MPI_Type_vector(2, 1, 2, MPI_LONG, &pair));
    OK(MPI_Type_create_hindexed_block_c(1, 1, (MPI_Count[]){place}, pair, &moved));
    OK(MPI_Type_dup(moved, &one));
    OK(MPI_Type_create_resized(one, 0, 16 * size, &type));
    longs_lie_at(type, 16 * size, in_pairs);
    OK(MPI_Type_free(&one));
    OK(MPI_Type_free(&moved));
    OK(MPI_Type_free(&pair));
    OK(MPI_Type_indexed(2, (int[]){1, 1}, (int[]){4 * rank, 4 * rank + 2}, MPI_LONG, &one));
    OK(MPI_Type_create_resized(one, 0, 16 * size, &type));
    longs_lie_at(type, 16 * size, in_pairs);
    OK(MPI_Type_free(&one));
    OK(MPI_Type_create_hvector(2, 1, 8, MPI_LONG, &pair));
    OK(MPI_Type_create_indexed_block(1, 1, (int[]){0}, pair, &moved));
    OK(MPI_Type_contiguous(1, moved, &one));
    OK(MPI_Type_free(&moved));
    OK(MPI_Type_create_hindexed(1, &length, &place, one, &moved));
    OK(MPI_Type_create_resized(moved, 0, 16 * size, &type));
    longs_lie_at(type, 16 * size, in_pairs);
    OK(MPI_Type_free(&moved));
    OK(MPI_Type_free(&one));
    OK(MPI_Type_free(&pair));
}

/* Gaps in memory are not in the file, and a read leaves them alone. */
static void gaps_in_memory(void)
{
    struct {
        int i;
        long l;
    } mixed = {5, -6};
    struct {
        long l;
        int i;
    } located = {7, -8};
    long row[4] = {1, 2, 3, 4};
    const unsigned char expected[24] = {0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 5, 255, 255, 255, 250,
                                        0, 0, 0, 7, 255, 255, 255, 248};
    MPI_Datatype every_second, structure;
    MPI_Status status;
    MPI_Aint bytes;
    int count;
    OK(MPI_Type_vector(2, 1, 2, MPI_LONG, &every_second));
    OK(MPI_Type_commit(&every_second));
    OK(MPI_Type_create_struct(2, (int[]){1, 1},
                              (MPI_Aint[]){0, (char *)&mixed.l - (char *)&mixed},
                              (MPI_Datatype[]){MPI_INT, MPI_LONG}, &structure));
    OK(MPI_Type_commit(&structure));
    MPI_File file = open_as("gaps", "external32", MPI_BYTE, sizeof expected);
    /* In external32 nothing is aligned (section 14.5.2). */
    OK(MPI_File_get_type_extent(file, MPI_LONG_INT, &bytes));
    CHECK(bytes == 8);
    OK(MPI_File_write(file, row, 1, every_second, &status));
    OK(MPI_Get_elements(&status, every_second, &count));
    CHECK(count == 2);
    OK(MPI_File_write(file, &mixed, 1, structure, &status));
    OK(MPI_File_write(file, &located, 1, MPI_LONG_INT, &status));
    look("gaps", expected, sizeof expected);
    for (int n = 0; n < 4; n++)
        row[n] = 99;
    mixed.l = located.l = mixed.i = located.i = 99;
    OK(MPI_File_read_at_all(file, 0, row, 1, every_second, &status));
    OK(MPI_Get_count(&status, every_second, &count));
    CHECK(count == 1 && row[0] == 1 && row[1] == 99 && row[2] == 3 && row[3] == 99);
    OK(MPI_File_read_at(file, 8, &mixed, 1, structure, &status));
    OK(MPI_File_read_at(file, 16, &located, 1, MPI_LONG_INT, &status));
    CHECK(mixed.i == 5 && mixed.l == -6 && located.l == 7 && located.i == -8);
    OK(MPI_Type_free(&structure));
    OK(MPI_Type_free(&every_second));
    OK(MPI_File_close(&file));
}

/* Ints that have eight bytes in the file: the value, and its complement. */
static int wide_extent(MPI_Datatype datatype, MPI_Aint *bytes, void *state)
{
    CHECK(state == &rank && datatype == MPI_INT);
    *bytes = 8;
    return MPI_SUCCESS;
}

static int from_wide(void *user, MPI_Datatype datatype, int count, void *file, MPI_Offset position,
                     void *state)
{
    CHECK(state == &rank && datatype == MPI_INT && position == 0);
    for (int i = 0; i < count; i++) {
        ((int *)user)[i] = ((int *)file)[2 * i];
        CHECK(((int *)file)[2 * i + 1] == ~((int *)file)[2 * i]);
    }
    return MPI_SUCCESS;
}

static int to_wide(void *user, MPI_Datatype datatype, int count, void *file, MPI_Offset position,
                   void *state)
{
    CHECK(state == &rank && datatype == MPI_INT && position == 0);
    for (int i = 0; i < count; i++) {
        ((int *)file)[2 * i] = ((int *)user)[i];
        ((int *)file)[2 * i + 1] = ~((int *)user)[i];
    }
    return MPI_SUCCESS;
}

/* The ranks' ints in turn, in a representation of the program. */
static void placed_by_the_program(void)
{
    MPI_Datatype part;
    MPI_Aint bytes;
    int total = 2 * size, data[2] = {rank, 100 + rank}, both[2];
    OK(MPI_Register_datarep("wide", from_wide, to_wide, wide_extent, &rank));
    OK(MPI_Type_create_darray(size, rank, 1, &total, (int[]){MPI_DISTRIBUTE_CYCLIC},
                              (int[]){MPI_DISTRIBUTE_DFLT_DARG}, &size, MPI_ORDER_C, MPI_INT,
                              &part));
    OK(MPI_Type_commit(&part));
    MPI_File file = open_as("wide", "wide", MPI_INT, 0);
    OK(MPI_File_get_type_extent(file, part, &bytes));
    CHECK(bytes == 16 * size);
    OK(MPI_File_set_view(file, 0, MPI_INT, part, "wide", MPI_INFO_NULL));
    OK(MPI_File_write_at_all(file, 0, data, 2, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    FILE *raw = fopen("wide", "rb");
    for (int n = 0; n < 2 * size; n++) {
        int value = n < size ? n : 100 + n - size;
        CHECK(fread(both, 4, 2, raw) == 2 && both[0] == value && both[1] == ~value);
    }
    CHECK(fgetc(raw) == EOF);
    fclose(raw);
    data[0] = data[1] = -1;
    OK(MPI_File_read_at_all(file, 0, data, 2, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(data[0] == rank && data[1] == 100 + rank);
    OK(MPI_Type_free(&part));
    OK(MPI_File_close(&file));
}

/* A read gives all elements that are in the file, however the memory is described (sections 14.4.2
 * and 14.5.2). The file ends within a basic element, too. */
static void short_read(void)
{
    enum {
        THERE = 26,
        WANTED = 38
    };
    MPI_File file;
    MPI_Status status;
    MPI_Datatype vector, spread;
    int ints[2 * WANTED], count;
    long longs[WANTED];
    OK(MPI_File_open(MPI_COMM_SELF, "short",
                     MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                     &file));
    OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
    for (int i = 0; i < WANTED; i++)
        ints[i] = i - 5;
    OK(MPI_File_write_at(file, 0, ints, THERE, MPI_INT, &status));
    OK(MPI_Type_vector(WANTED, 1, 1, MPI_INT, &vector));
    OK(MPI_Type_vector(WANTED / 2, 1, 2, MPI_INT, &spread));
    OK(MPI_Type_commit(&vector));
    OK(MPI_Type_commit(&spread));

    for (int way = 0; way < 4; way++) {
        for (int i = 0; i < 2 * WANTED; i++)
            ints[i] = 99;
        /* The last way has two items, the second of which is not whole. */
        int stride = way < 2 ? 1 : 2, items = way == 0 ? WANTED : way == 3 ? 2 : 1;
        int expected = way == 2 ? WANTED / 2 : THERE;
        OK(MPI_File_read_at(file, 0, ints, items,
                            way == 0 ? MPI_INT : way == 1 ? vector : spread, &status));
        OK(MPI_Get_elements(&status, MPI_INT, &count));
        CHECK(count == expected);
        for (int i = 0; i < expected; i++) {
            /* The second item begins where the first one ends, without a gap. */
            int place = i * stride - (way == 3 && i >= WANTED / 2);
            CHECK(ints[place] == i - 5);
        }
        CHECK(ints[way == 3 ? 2 * THERE - 1 : stride * expected] == 99);
    }
    /* In this representation a long has four bytes. Two bytes more are no element. */
    OK(MPI_File_set_size(file, 4 * THERE + 2));
    OK(MPI_File_set_view(file, 0, MPI_LONG, MPI_LONG, "external32", MPI_INFO_NULL));
    MPI_Datatype row;
    OK(MPI_Type_contiguous(WANTED, MPI_LONG, &row));
    OK(MPI_Type_commit(&row));
    for (int i = 0; i < WANTED; i++)
        longs[i] = 99;
    OK(MPI_File_read_at(file, 0, longs, 1, row, &status));
    OK(MPI_Get_elements(&status, MPI_LONG, &count));
    CHECK(count == THERE && longs[THERE] == 99);
    for (int i = 0; i < THERE; i++)
        CHECK(longs[i] == i - 5);
    OK(MPI_Get_count(&status, row, &count));
    CHECK(count == MPI_UNDEFINED);
    OK(MPI_File_read_at(file, THERE, longs, 1, row, &status));
    OK(MPI_Get_elements(&status, MPI_LONG, &count));
    CHECK(count == 0);
    OK(MPI_Type_free(&row));
    OK(MPI_Type_free(&spread));
    OK(MPI_Type_free(&vector));
    OK(MPI_File_close(&file));
}

int main(int argc, char **argv)
{
    MPI_Status status;
    MPI_Aint bytes;
    int count;
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));

    int ints[3] = {0x01020304, -2, rank};
    const unsigned char big[12] = {1, 2, 3, 4, 255, 255, 255, 254, 0, 0, 0, (unsigned char)rank};
    MPI_File file = open_as("external", "external32", MPI_INT, sizeof big);
    OK(MPI_File_write_all(file, ints, 3, MPI_INT, &status));
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK(count == 3);
    look("external", big, sizeof big);
    memset(ints, 0, sizeof ints);
    OK(MPI_File_read_at(file, 1, ints, 2, MPI_INT, &status));
    CHECK(ints[0] == -2 && ints[1] == rank);
    OK(MPI_File_close(&file));

    long longs[2] = {-3, 77};
    const unsigned char small[8] = {255, 255, 255, 253, 0, 0, 0, 77};
    file = open_as("longs", "external32", MPI_LONG, sizeof small);
    OK(MPI_File_get_type_extent(file, MPI_LONG, &bytes));
    CHECK(bytes == 4);
    OK(MPI_File_write_all(file, longs, 2, MPI_LONG, &status));
    look("longs", small, sizeof small);
    memset(longs, 0, sizeof longs);
    OK(MPI_File_read_at_all(file, 0, longs, 2, MPI_LONG, &status));
    CHECK(longs[0] == -3 && longs[1] == 77);
    OK(MPI_Get_count(&status, MPI_LONG, &count));
    CHECK(count == 2);
    OK(MPI_File_close(&file));

    placed();
    gaps_in_memory();
    placed_by_the_program();
    if (rank == 0)
        short_read();

    FAILS(MPI_ERR_DUP_DATAREP,
          MPI_Register_datarep("native", convert_in, convert_out, extent, NULL));
    OK(MPI_Register_datarep("complement", convert_in, convert_out, extent, &size));
    FAILS(MPI_ERR_DUP_DATAREP,
          MPI_Register_datarep("complement", convert_in, convert_out, extent, &size));
    int data[2] = {0, 0x7fffffff};
    const unsigned char inverted[8] = {255, 255, 255, 255, 0, 0, 0, 128};
    file = open_as("complement", "complement", MPI_INT, sizeof inverted);
    OK(MPI_File_write_all(file, data, 2, MPI_INT, &status));
    look("complement", inverted, sizeof inverted);
    data[0] = data[1] = 5;
    OK(MPI_File_read_at_all(file, 0, data, 2, MPI_INT, &status));
    CHECK(data[0] == 0 && data[1] == 0x7fffffff);
    OK(MPI_File_close(&file));
    PASS();
}
