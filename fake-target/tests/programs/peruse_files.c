/* PERUSE 2.0, appendix E, 12.2 and 12.7: what callbacks are told of accesses to files, compared
 * with the calls and bytes that the system has counted (/proc/self/io). Any number of ranks. */
#include "peruse_test.h"

#include <unistd.h>

enum { ACCESS, BYTES, TIME, POINTER, FIRST, SECOND, SHIPPED, FILE_EVENTS };
static const char *const names[FILE_EVENTS] = {
    "PERUSE_FILE_N_DISK_ACCESSES_PER_IOREQ",  "PERUSE_FILE_N_ACCESS_BYTES",
    "PERUSE_FILE_T_IOREQ_ACCESS",             "PERUSE_FILE_T_GET_SHARED_POINTER",
    "PERUSE_FILE_T_FIRST_PHASE_IN_SPLIT_IO", "PERUSE_FILE_T_SECOND_PHASE_IN_SPLIT_IO",
    "PERUSE_FILE_N_SHIPPED_BYTES"};
static int events[FILE_EVENTS];

static MPI_File file;
static int numbers[FILE_EVENTS];
static long long bytes, shipped, last_offset;
static MPI_Aint id_of_access;
static int operation, elements;
static void *buffer;
static char order[256];

static int note(peruse_event_h handle, MPI_Aint id, peruse_file_spec_t *spec, void *param)
{
    int event, which = 0;
    (void)param;
    PERUSE_Event_get(handle, &event);
    while (events[which] != event)
        which++;
    numbers[which]++;
    CHECK(spec->file == file && id > 0 && spec->operation == operation);
    if (which < FIRST) {
        CHECK(id_of_access == 0 || id_of_access == id);
        id_of_access = id;
    }
    if (which == BYTES) {
        CHECK(spec->datatype == MPI_BYTE);
        bytes += spec->count;
    } else if (which == SHIPPED) {
        CHECK(spec->datatype == MPI_BYTE);
        shipped += spec->count;
    } else if (which != SECOND) {
        CHECK(spec->buf == buffer && spec->count == elements && spec->datatype == MPI_INT);
    }
    if (which <= TIME)
        last_offset = spec->offset;
    size_t length = strlen(order);
    if (which != ACCESS && length + 1 < sizeof order)
        order[length] = "-btpfsh"[which], order[length + 1] = 0;
    return MPI_SUCCESS;
}

struct counts {
    long long read_bytes, written_bytes, reads, writes;
    long long own_bytes; /* read from /proc/self/io itself; counted the next time */
};

static struct counts counted(void)
{
    struct counts c;
    char text[1024];
    FILE *io = fopen("/proc/self/io", "r");
    size_t length = io == NULL ? 0 : fread(text, 1, sizeof text - 1, io);
    text[length] = 0;
    CHECK_EQUAL(sscanf(text, "rchar: %lld wchar: %lld syscr: %lld syscw: %lld", &c.read_bytes,
                       &c.written_bytes, &c.reads, &c.writes),
                4);
    fclose(io);
    c.own_bytes = (long long)length;
    return c;
}

static struct counts before;
static long long own_reads; /* by reading /proc/self/io */

/* A call begins that accesses the file. */
static void begin_access(int how, void *memory, int count)
{
    memset(numbers, 0, sizeof numbers);
    bytes = shipped = id_of_access = 0;
    last_offset = -1;
    operation = how, buffer = memory, elements = count, order[0] = 0;
    before = counted();
}

/* It has caused these events, and as many accesses as the system has seen. */
static void end_access(const char *expected, long long offset)
{
    struct counts after = counted();
    long long reads = after.reads - before.reads - own_reads,
              read_bytes = after.read_bytes - before.read_bytes - before.own_bytes,
              writes = after.writes - before.writes,
              written_bytes = after.written_bytes - before.written_bytes;
    if (strcmp(order, expected) != 0)
        fprintf(stderr, "expected %s, got %s\n", expected, order);
    CHECK(strcmp(order, expected) == 0);
    CHECK_EQUAL(numbers[ACCESS], operation == PERUSE_IO_READ ? reads : writes);
    CHECK_EQUAL(bytes, operation == PERUSE_IO_READ ? read_bytes : written_bytes);
    CHECK(numbers[ACCESS] > 0);
    CHECK_EQUAL(last_offset, offset);
}

static void accesses(void)
{
    enum { COUNT = 32 };
    int data[COUNT], back[COUNT], small[2] = {rank, rank + 1};
    MPI_Datatype pieces;
    for (int i = 0; i < COUNT; i++)
        data[i] = 100 * rank + i;

    begin_access(PERUSE_IO_WRITE, data, COUNT);
    MPI_File_write_at(file, 4 * COUNT * rank, data, COUNT, MPI_INT, MPI_STATUS_IGNORE);
    end_access("ttb", 4 * COUNT * rank);
    CHECK_EQUAL(numbers[ACCESS], 1);
    CHECK_EQUAL(bytes, sizeof data);

    /* Past the end: the system is asked again, and has nothing. */
    BARRIER();
    begin_access(PERUSE_IO_READ, back, COUNT);
    MPI_File_read_at(file, 4 * COUNT * size - 8, back, COUNT, MPI_INT, MPI_STATUS_IGNORE);
    end_access("ttb", 4 * COUNT * size - 8);
    CHECK_EQUAL(bytes, 8);
    CHECK_EQUAL(numbers[ACCESS], 2);

    /* Pieces: each is written alone, but they are read together with their gaps. */
    MPI_Type_create_resized(MPI_INT, 0, 12, &pieces);
    MPI_Type_commit(&pieces);
    MPI_File_set_view(file, 4096 * rank, MPI_INT, pieces, "native", MPI_INFO_NULL);
    begin_access(PERUSE_IO_WRITE, data, COUNT);
    MPI_File_write_at_all(file, 0, data, COUNT, MPI_INT, MPI_STATUS_IGNORE);
    end_access("ttb", 0);
    CHECK_EQUAL(numbers[ACCESS], COUNT);
    CHECK_EQUAL(bytes, sizeof data);
    begin_access(PERUSE_IO_READ, back, COUNT);
    MPI_File_read(file, back, COUNT, MPI_INT, MPI_STATUS_IGNORE);
    end_access("ttb", 0);
    CHECK_EQUAL(numbers[ACCESS], 1);
    CHECK_EQUAL(bytes, 12 * COUNT - 8);
    CHECK(memcmp(data, back, sizeof data) == 0);

    /* Pieces between those of the others: rank 0 writes all. */
    MPI_Type_free(&pieces);
    MPI_Type_create_resized(MPI_INT, 0, 4 * size, &pieces);
    MPI_Type_commit(&pieces);
    MPI_File_set_view(file, 4 * rank, MPI_INT, pieces, "native", MPI_INFO_NULL);
    begin_access(PERUSE_IO_WRITE, data, COUNT);
    MPI_File_write_at_all(file, 0, data, COUNT, MPI_INT, MPI_STATUS_IGNORE);
    if (rank == 0) {
        end_access(size > 1 ? "thtb" : "ttb", 0);
        CHECK_EQUAL(numbers[ACCESS], 1);
        CHECK_EQUAL(bytes, size * (long long)sizeof data);
        CHECK_EQUAL(shipped, (size - 1) * (long long)sizeof data);
    } else {
        CHECK(strcmp(order, "h") == 0);
        CHECK_EQUAL(counted().writes - before.writes, 0);
        CHECK_EQUAL(shipped, sizeof data);
    }
    begin_access(PERUSE_IO_READ, back, COUNT);
    MPI_File_read_at(file, 0, back, COUNT, MPI_INT, MPI_STATUS_IGNORE);
    CHECK(memcmp(data, back, sizeof data) == 0);

    /* The shared file pointer, with and without an order of the ranks. */
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    begin_access(PERUSE_IO_WRITE, small, 2);
    MPI_File_write_ordered(file, small, 2, MPI_INT, MPI_STATUS_IGNORE);
    end_access("ppttb", 2 * rank);
    BARRIER();
    begin_access(PERUSE_IO_READ, back, 2);
    MPI_File_read_shared(file, back, 2, MPI_INT, MPI_STATUS_IGNORE);
    end_access("ppttb", last_offset);
    CHECK(last_offset >= 2 * size && last_offset <= 4 * size - 2);

    /* Split: the first phase does all. */
    begin_access(PERUSE_IO_WRITE, data, COUNT);
    MPI_File_write_at_all_begin(file, COUNT * rank, data, COUNT, MPI_INT);
    end_access("fttbf", COUNT * rank);
    begin_access(PERUSE_IO_WRITE, data, COUNT);
    MPI_File_write_at_all_end(file, data, MPI_STATUS_IGNORE);
    CHECK(strcmp(order, "ss") == 0);
    MPI_Type_free(&pieces);
}

int main(void)
{
    peruse_event_h handles[FILE_EVENTS], handle;
    char path[128] = "", *told;
    int event;
    void *object, *param;
    peruse_file_callback_f *callback;
    begin();
    PERUSE_Init();
    if (rank == 0)
        snprintf(path, sizeof path, "/tmp/peruse_files-%d", (int)getpid());
    MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
    int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    CHECK_EQUAL(MPI_File_open(MPI_COMM_WORLD, path, mode, MPI_INFO_NULL, &file), MPI_SUCCESS);
    CHECK_EQUAL(PERUSE_Query_file_name(file, &told), PERUSE_SUCCESS);
    CHECK(strcmp(told, path) == 0);
    CHECK_EQUAL(PERUSE_Query_file_name(MPI_FILE_NULL, &told), PERUSE_ERR_FILE);

    struct counts first = counted(), second = counted();
    own_reads = second.reads - first.reads;
    CHECK_EQUAL(second.read_bytes - first.read_bytes, first.own_bytes);
    for (int i = 0; i < FILE_EVENTS; i++) {
        CHECK_EQUAL(PERUSE_Query_event(names[i], &events[i]), PERUSE_SUCCESS);
        CHECK_EQUAL(PERUSE_Event_file_register(events[i], file, note, NULL, &handles[i]),
                    PERUSE_SUCCESS);
        CHECK_EQUAL(PERUSE_Event_file_callback_set(handles[i], note, path), PERUSE_SUCCESS);
        CHECK_EQUAL(PERUSE_Event_file_callback_get(handles[i], &callback, &param),
                    PERUSE_SUCCESS);
        CHECK(callback == note && param == path);
        CHECK_EQUAL(PERUSE_Event_object_get(handles[i], &object), PERUSE_SUCCESS);
        CHECK(object == (void *)file);
        CHECK_EQUAL(PERUSE_Event_activate(handles[i]), PERUSE_SUCCESS);
    }
    CHECK_EQUAL(PERUSE_Event_file_register(events[0], MPI_FILE_NULL, note, NULL, &handle),
                PERUSE_ERR_FILE);
    CHECK_EQUAL(PERUSE_Event_file_register(PERUSE_COMM_MSG_ARRIVED, file, note, NULL, &handle),
                PERUSE_ERR_EVENT);
    /* There are no temporary files. */
    CHECK_EQUAL(PERUSE_Query_event("PERUSE_FILE_N_TEMP_FILES", &event), PERUSE_ERR_EVENT);

    accesses();
    MPI_File_close(&file);
    CHECK_EQUAL(PERUSE_Event_activate(handles[0]), PERUSE_ERR_MPI_OBJECT);
    return end();
}
