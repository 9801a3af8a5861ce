/* Files: nothing is lost if ranks write at the same time. Each record written with the shared file
 * pointer is there once; overlapping writes in atomic mode leave the data of one rank. */
#include "check.h"

enum { RECORDS = 400, INTS = 25 };

static int rank, size;

/* A record says who wrote it, its number, and a checksum. */
static void fill(int *record, int writer, int number)
{
    record[0] = writer;
    record[1] = number;
    record[INTS - 1] = writer ^ number;
    for (int i = 2; i < INTS - 1; i++)
        record[INTS - 1] += record[i] = writer * 1000003 + number * 101 + i;
}

static void check_records(const char *name)
{
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        FILE *file = fopen(name, "rb");
        char *seen = calloc(size, RECORDS);
        int record[INTS], expected[INTS];
        CHECK(file && seen);
        for (int n = 0; n < RECORDS * size; n++) {
            CHECK(fread(record, sizeof record, 1, file) == 1);
            CHECK(record[0] >= 0 && record[0] < size && record[1] >= 0 && record[1] < RECORDS);
            fill(expected, record[0], record[1]);
            CHECK(memcmp(record, expected, sizeof record) == 0);
            CHECK(!seen[record[0] * RECORDS + record[1]]++);
        }
        CHECK(fgetc(file) == EOF);
        fclose(file);
        free(seen);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void shared(int nonblocking)
{
    MPI_File file;
    MPI_Datatype record_type;
    MPI_Status status;
    MPI_Request request;
    int record[INTS], count;
    OK(MPI_File_open(MPI_COMM_WORLD, "shared",
                     MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                     &file));
    OK(MPI_Type_contiguous(INTS, MPI_INT, &record_type));
    OK(MPI_Type_commit(&record_type));
    OK(MPI_File_set_view(file, 0, record_type, record_type, "native", MPI_INFO_NULL));
    for (int n = 0; n < RECORDS; n++) {
        fill(record, rank, n);
        if (nonblocking) {
            OK(MPI_File_iwrite_shared(file, record, 1, record_type, &request));
            OK(MPI_Wait(&request, &status));
        } else {
            OK(MPI_File_write_shared(file, record, 1, record_type, &status));
        }
        OK(MPI_Get_count(&status, record_type, &count));
        CHECK(count == 1);
    }
    check_records("shared");
    /* All read all records together: each once. */
    OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    int sums[2] = {0, 0}, all[2];
    for (;;) {
        if (nonblocking) {
            OK(MPI_File_iread_shared(file, record, 1, record_type, &request));
            OK(MPI_Wait(&request, &status));
        } else {
            OK(MPI_File_read_shared(file, record, 1, record_type, &status));
        }
        OK(MPI_Get_count(&status, record_type, &count));
        if (count == 0)
            break;
        sums[0]++;
        sums[1] += record[0] * RECORDS + record[1];
    }
    OK(MPI_Allreduce(sums, all, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    int records = RECORDS * size;
    CHECK(all[0] == records && all[1] == records / 2 * (records - 1));
    OK(MPI_Type_free(&record_type));
    OK(MPI_File_close(&file));
}

/* All ranks write to the same place, in pieces that the system would mix, while all read it. */
static void atomic(void)
{
    enum { PIECES = 512, ROUNDS = 30 };
    MPI_File file;
    MPI_Datatype pieces;
    MPI_Status status;
    static int data[PIECES];
    OK(MPI_File_open(MPI_COMM_WORLD, "atomic",
                     MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                     &file));
    OK(MPI_Type_create_resized(MPI_INT, 0, 3 * sizeof(int), &pieces));
    OK(MPI_Type_commit(&pieces));
    OK(MPI_File_set_view(file, 0, MPI_INT, pieces, "native", MPI_INFO_NULL));
    OK(MPI_File_set_atomicity(file, 1));
    memset(data, 0, sizeof data);
    OK(MPI_File_write_at_all(file, 0, data, PIECES, MPI_INT, &status));
    for (int round = 1; round <= ROUNDS; round++) {
        for (int i = 0; i < PIECES; i++)
            data[i] = round * 100 + rank;
        OK(MPI_File_write_at(file, 0, data, PIECES, MPI_INT, &status));
        OK(MPI_File_read_at(file, 0, data, PIECES, MPI_INT, &status));
        for (int i = 1; i < PIECES; i++)
            CHECK(data[i] == data[0]);
        CHECK(data[0] % 100 < size && data[0] / 100 <= ROUNDS);
    }
    OK(MPI_Type_free(&pieces));
    OK(MPI_File_close(&file));
}

int main(int argc, char **argv)
{
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    shared(0);
    shared(1);
    atomic();
    PASS();
}
