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
