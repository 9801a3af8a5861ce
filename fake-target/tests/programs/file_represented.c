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
