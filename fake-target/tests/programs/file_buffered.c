/* Files: what processes write together in small pieces. Every byte of the file has the value that
 * its place asks for, whoever has written it, and no other byte is changed. */
#include "check.h"

static int rank, size;

/* What belongs at a place of the file. */
static unsigned char value(MPI_Offset at)
{
    return (unsigned char)(at * 2654435761u >> 7 ^ at >> 11);
}

/* Which process writes a place; -1: nobody. Blocks of `block` bytes go around, and every fifth is
 * left out. */
static int writer(MPI_Offset at, int block)
{
    MPI_Offset number = at / block;
    return number / size % 5 == 4 ? -1 : (int)(number % size);
}

static MPI_File create(const char *name, const char *buffering)
{
    MPI_File file;
    MPI_Info hints = MPI_INFO_NULL, used;
    char found[8];
    int is_there;
    if (buffering) {
        OK(MPI_Info_create(&hints));
        OK(MPI_Info_set(hints, "collective_buffering", buffering));
    }
    OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, &file));
    OK(MPI_File_get_info(file, &used));
    OK(MPI_Info_get(used, "collective_buffering", sizeof found - 1, found, &is_there));
    CHECK(is_there == (buffering != NULL) && (!is_there || strcmp(found, buffering) == 0));
    OK(MPI_Info_free(&used));
    if (buffering)
        OK(MPI_Info_free(&hints));
    return file;
}

/* Rank 0 looks at all of the file, and removes it. */
static void check(const char *name, MPI_Offset end, int block, MPI_Offset displacement)
{
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        FILE *stream = fopen(name, "rb");
        CHECK(stream);
        for (MPI_Offset at = 0; at < end; at++) {
            int there = at < displacement ? -1 : writer(at - displacement, block);
            int found = fgetc(stream);
            CHECK(found == (there < 0 ? 0 : value(at)));
        }
        CHECK(fgetc(stream) == EOF);
        fclose(stream);
        CHECK(remove(name) == 0);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* How often this process has asked the system to write. */
static long writes(void)
{
    FILE *stream = fopen("/proc/self/io", "r");
    char line[100];
    long number = -1;
    CHECK(stream);
    while (fgets(line, sizeof line, stream))
        sscanf(line, "syscw: %ld", &number);
    fclose(stream);
    CHECK(number >= 0);
    return number;
}

/* All write `rounds` times four blocks of five, at once or one round after the other. If they are
 * collected, the system is asked rarely. */
static void blocks(int block, int rounds, int at_once, const char *buffering, int collected)
{
    const MPI_Offset displacement = 3;
    const char *name = "buffered";
    MPI_File file = create(name, buffering);
    MPI_Datatype four, tile;
    MPI_Status status;
    int count, bytes = 4 * block * rounds;
    unsigned char *data = malloc(bytes);
    CHECK(data);
    for (int i = 0; i < bytes; i++) {
        MPI_Offset number = (i / block / 4 * 5 + i / block % 4) * (MPI_Offset)size + rank;
        data[i] = value(displacement + number * block + i % block);
    }
    OK(MPI_Type_vector(4, block, size * block, MPI_BYTE, &four));
    OK(MPI_Type_create_resized(four, 0, (MPI_Aint)5 * size * block, &tile));
    OK(MPI_Type_commit(&tile));
    OK(MPI_File_set_view(file, displacement + (MPI_Offset)rank * block, MPI_BYTE, tile, "native",
                         MPI_INFO_NULL));
    long before = writes(), asked;
    for (int round = 0; round < (at_once ? 1 : rounds); round++) {
        int now = at_once ? bytes : 4 * block;
        OK(MPI_File_write_all(file, data + (size_t)round * now, now, MPI_BYTE, &status));
        OK(MPI_Get_count(&status, MPI_BYTE, &count));
        CHECK(count == now);
    }
    asked = writes() - before;
    OK(MPI_Allreduce(MPI_IN_PLACE, &asked, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
    long pieces = 4L * rounds * size;
    if (size > 1)
        CHECK(collected ? asked <= pieces / 2 : asked >= pieces);
    /* A process finds at once what it has written. */
    unsigned char *back = calloc(bytes, 1);
    OK(MPI_File_read_at(file, 0, back, bytes, MPI_BYTE, &status));
    CHECK(memcmp(back, data, bytes) == 0);
    OK(MPI_File_close(&file));
    MPI_Offset last = (MPI_Offset)(rounds * 5 - 1) * size * block;
    check(name, displacement + last, block, displacement);
    free(data);
    free(back);
    OK(MPI_Type_free(&tile));
    OK(MPI_Type_free(&four));
}

/* Ranks write different amounts; some nothing. In memory there are gaps, too. */
static void uneven(void)
{
    const char *name = "uneven";
    MPI_File file = create(name, NULL);
    MPI_Datatype spread;
    MPI_Status status;
    int words = rank % 2 ? 0 : 1000 * (rank + 1), count;
    int *data = calloc(2 * words + 1, sizeof *data);
    for (int i = 0; i < words; i++)
        data[2 * i] = rank << 20 | i;
    OK(MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &spread));
    OK(MPI_Type_commit(&spread));
    OK(MPI_File_write_at_all(file, (MPI_Offset)rank * 100000, data, words, spread, &status));
    OK(MPI_Get_count(&status, spread, &count));
    CHECK(count == words);
    OK(MPI_File_seek(file, 0, MPI_SEEK_SET));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int other = 0; other < size; other += 2) {
        int *back = calloc(1000 * (other + 1), sizeof *back);
        OK(MPI_File_read_at(file, (MPI_Offset)other * 100000, back, 1000 * (other + 1), MPI_INT,
                            &status));
        for (int i = 0; i < 1000 * (other + 1); i++)
            CHECK(back[i] == (other << 20 | i));
        free(back);
    }
    OK(MPI_File_close(&file));
    if (rank == 0)
        CHECK(remove(name) == 0);
    free(data);
    OK(MPI_Type_free(&spread));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* An error of one process is its own: the others write. */
static void error_of_one(void)
{
    const char *name = "erroneous";
    MPI_File file = create(name, NULL);
    int word = 1000 + rank;
    MPI_Offset at = rank == size - 1 ? -1 : rank * 4;
    int code = MPI_File_write_at_all(file, at, &word, 1, MPI_INT, MPI_STATUS_IGNORE), class;
    OK(MPI_Error_class(code, &class));
    CHECK(class == (at < 0 ? MPI_ERR_ARG : MPI_SUCCESS));
    if (at >= 0) {
        word = 0;
        OK(MPI_File_read_at(file, at, &word, 1, MPI_INT, MPI_STATUS_IGNORE));
        CHECK(word == 1000 + rank);
    }
    OK(MPI_File_close(&file));
    if (rank == 0)
        CHECK(remove(name) == 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* If the system refuses what one process writes for all, all are told. */
static void full(void)
{
    MPI_File file;
    MPI_Datatype tile;
    char data[64] = {0};
    OK(MPI_File_open(MPI_COMM_WORLD, "/dev/full", MPI_MODE_WRONLY, MPI_INFO_NULL, &file));
    OK(MPI_Type_create_resized(MPI_BYTE, 0, size, &tile));
    OK(MPI_Type_commit(&tile));
    OK(MPI_File_set_view(file, rank, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    FAILS(MPI_ERR_NO_SPACE,
          MPI_File_write_all(file, data, sizeof data, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&file));
    OK(MPI_Type_free(&tile));
}

int main(int argc, char **argv)
{
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    blocks(1, 50, 1, NULL, 1);
    blocks(7, 100, 0, "true", 1);
    blocks(7, 100, 1, "false", 0);
    blocks(100, 3000, 1, NULL, 1);
    /* More than a round of each process. */
    blocks(300, 8000, 1, NULL, 1);
    blocks(5000, 10, 1, NULL, 0);
    uneven();
    error_of_one();
    full();
    PASS();
}
