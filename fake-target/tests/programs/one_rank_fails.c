/*
 * Collective functions with an argument that is wrong at one rank only. No rank waits for ever, all
 * get an error, and the communicator is as good as before.
 */
#include "check.h"

#include <unistd.h>

/* Whether this rank is the one with the wrong argument; the communicator; ranks. */
static int wrong, rank, size;
static MPI_Comm comm;
static MPI_Comm inter;
static char name[64];

static const MPI_Info no_info = (MPI_Info)0x7777;

static int comm_split(void)
{
    MPI_Comm made;
    return MPI_Comm_split(comm, wrong ? -5 : 0, 0, &made);
}

static int comm_split_between(void)
{
    MPI_Comm made;
    return MPI_Comm_split(inter, wrong ? -5 : 0, 0, &made);
}

static int comm_split_type(void)
{
    MPI_Comm made;
    return MPI_Comm_split_type(comm, wrong ? 999 : MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made);
}

static int comm_split_type_hints(void)
{
    MPI_Comm made;
    return MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, wrong ? no_info : MPI_INFO_NULL,
                               &made);
}

static int comm_create(void)
{
    MPI_Comm made;
    MPI_Group all;
    OK(MPI_Comm_group(comm, &all));
    int code = MPI_Comm_create(comm, wrong ? MPI_GROUP_NULL : all, &made);
    OK(MPI_Group_free(&all));
    return code;
}

/* `comm` has one process less than MPI_COMM_WORLD. */
static int comm_create_outside(void)
{
    MPI_Comm made;
    MPI_Group all, world;
    OK(MPI_Comm_group(comm, &all));
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    int code = MPI_Comm_create(comm, wrong ? world : all, &made);
    OK(MPI_Group_free(&all));
    OK(MPI_Group_free(&world));
    return code;
}

static int comm_create_between(void)
{
    MPI_Comm made;
    MPI_Group all;
    OK(MPI_Comm_group(inter, &all));
    int code = MPI_Comm_create(inter, wrong ? MPI_GROUP_NULL : all, &made);
    OK(MPI_Group_free(&all));
    return code;
}

static int comm_create_from_group(void)
{
    MPI_Comm made;
    MPI_Group all;
    OK(MPI_Comm_group(comm, &all));
    int code = MPI_Comm_create_from_group(all, "one_rank_fails", wrong ? no_info : MPI_INFO_NULL,
                                          MPI_ERRORS_RETURN, &made);
    OK(MPI_Group_free(&all));
    return code;
}

static int intercomm_create(void)
{
    MPI_Comm made, half;
    int low = rank < size / 2;
    OK(MPI_Comm_split(comm, low, 0, &half));
    int code = MPI_Intercomm_create(half, wrong ? 99 : 0, comm, low ? size / 2 : 0, 5, &made);
    OK(MPI_Comm_free(&half));
    return code;
}

static int intercomm_create_tag(void)
{
    MPI_Comm made, half;
    int low = rank < size / 2, leads = rank == 0 || rank == size / 2;
    OK(MPI_Comm_split(comm, low, 0, &half));
    /* A leader without a tag cannot talk to the other leader. Its rank is wrong instead. */
    int leader = wrong && leads ? -1 : 0, tag = wrong && !leads ? -2 : 5;
    int code = MPI_Intercomm_create(half, leader, comm, low ? size / 2 : 0, tag, &made);
    OK(MPI_Comm_free(&half));
    return code;
}

/* The leaders name each other wrongly: only they see it. */
static int intercomm_create_remote_leader(void)
{
    MPI_Comm made, half;
    OK(MPI_Comm_split(comm, rank < size / 2, 0, &half));
    int code = MPI_Intercomm_create(half, 0, comm, size, 5, &made);
    OK(MPI_Comm_free(&half));
    return code;
}

static int intercomm_create_from_groups(void)
{
    MPI_Comm made;
    MPI_Group all, own, other;
    int low = rank < size / 2;
    int ranges[2][3] = {{0, size / 2 - 1, 1}, {size / 2, size - 1, 1}};
    OK(MPI_Comm_group(comm, &all));
    OK(MPI_Group_range_incl(all, 1, &ranges[!low], &own));
    OK(MPI_Group_range_incl(all, 1, &ranges[low], &other));
    int code = MPI_Intercomm_create_from_groups(own, 0, other, 0, "one_rank_fails",
                                                wrong ? no_info : MPI_INFO_NULL,
                                                MPI_ERRORS_RETURN, &made);
    OK(MPI_Group_free(&all));
    OK(MPI_Group_free(&own));
    OK(MPI_Group_free(&other));
    return code;
}

static int intercomm_merge(void)
{
    MPI_Comm made;
    int low = rank < size / 2;
    return MPI_Intercomm_merge(inter, wrong ? !low : low, &made);
}

static int fails_to_copy(MPI_Comm old, int key, void *state, void *in, void *out, int *flag)
{
    (void)old, (void)key, (void)state, (void)in, (void)out, (void)flag;
    return MPI_ERR_OTHER;
}

static int deleted;
static int count_deleted(MPI_Comm old, int key, void *value, void *state)
{
    (void)old, (void)key, (void)value, (void)state;
    deleted++;
    return MPI_SUCCESS;
}

/* An attribute that one rank cannot copy, and one that all can. */
static int comm_dup_attribute(void)
{
    MPI_Comm made = comm;
    int good, bad;
    OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, count_deleted, &good, NULL));
    OK(MPI_Comm_create_keyval(fails_to_copy, count_deleted, &bad, NULL));
    OK(MPI_Comm_set_attr(comm, good, NULL));
    if (wrong)
        OK(MPI_Comm_set_attr(comm, bad, NULL));
    deleted = 0;
    int code = MPI_Comm_dup(comm, &made);
    CHECK(made == MPI_COMM_NULL);
    /* The copy, which nobody has got, had the good one. */
    CHECK(deleted == 1);
    OK(MPI_Comm_delete_attr(comm, good));
    if (wrong)
        OK(MPI_Comm_delete_attr(comm, bad));
    OK(MPI_Comm_free_keyval(&good));
    OK(MPI_Comm_free_keyval(&bad));
    return code;
}

static int comm_dup_with_info(void)
{
    MPI_Comm made;
    return MPI_Comm_dup_with_info(comm, wrong ? no_info : MPI_INFO_NULL, &made);
}

static int comm_dup_with_info_between(void)
{
    MPI_Comm made;
    return MPI_Comm_dup_with_info(inter, wrong ? no_info : MPI_INFO_NULL, &made);
}

/* The end of a nonblocking call: the rank that fails has no request. */
static int end_of(int code, MPI_Request *request)
{
    CHECK((code != MPI_SUCCESS) == wrong);
    return wrong ? code : MPI_Wait(request, MPI_STATUS_IGNORE);
}

static int comm_idup_with_info(void)
{
    MPI_Comm made;
    MPI_Request request;
    int code = MPI_Comm_idup_with_info(comm, wrong ? no_info : MPI_INFO_NULL, &made, &request);
    return end_of(code, &request);
}

static int comm_idup_with_info_between(void)
{
    MPI_Comm made;
    MPI_Request request;
    int code = MPI_Comm_idup_with_info(inter, wrong ? no_info : MPI_INFO_NULL, &made, &request);
    return end_of(code, &request);
}

static int cart_create(void)
{
    MPI_Comm made;
    int dims[1] = {wrong ? -1 : size}, periods[1] = {0};
    return MPI_Cart_create(comm, 1, dims, periods, 0, &made);
}

static int cart_create_large(void)
{
    MPI_Comm made;
    int dims[1] = {wrong ? 1000 : size}, periods[1] = {0};
    return MPI_Cart_create(comm, 1, dims, periods, 0, &made);
}

static int cart_sub(void)
{
    MPI_Comm cart, made;
    int dims[1] = {size}, periods[1] = {0}, remain[1] = {1};
    OK(MPI_Cart_create(comm, 1, dims, periods, 0, &cart));
    int code = MPI_Cart_sub(cart, wrong ? NULL : remain, &made);
    OK(MPI_Barrier(cart));
    OK(MPI_Comm_free(&cart));
    return code;
}

static int graph_create(void)
{
    MPI_Comm made;
    int ends[1] = {1}, edges[1] = {wrong ? 7 : 0};
    return MPI_Graph_create(comm, 1, ends, edges, 0, &made);
}

static int dist_graph_create(void)
{
    MPI_Comm made;
    int sources[1] = {rank}, degrees[1] = {1}, destinations[1] = {wrong ? size : 0};
    return MPI_Dist_graph_create(comm, 1, sources, degrees, destinations, degrees, MPI_INFO_NULL, 0,
                                 &made);
}

static int dist_graph_create_adjacent(void)
{
    MPI_Comm made;
    int next[1] = {(rank + 1) % size}, before[1] = {wrong ? -3 : (rank + size - 1) % size};
    int weights[1] = {1};
    return MPI_Dist_graph_create_adjacent(comm, 1, before, weights, 1, next, weights,
                                          MPI_INFO_NULL, 0, &made);
}

static int win_create(void)
{
    MPI_Win win;
    static int memory[4];
    return MPI_Win_create(memory, wrong ? -1 : 16, 4, MPI_INFO_NULL, comm, &win);
}

static int win_allocate(void)
{
    MPI_Win win;
    int *base;
    return MPI_Win_allocate(16, wrong ? 0 : 4, MPI_INFO_NULL, comm, &base, &win);
}

static int win_allocate_shared(void)
{
    MPI_Win win;
    int *base;
    return MPI_Win_allocate_shared(wrong ? -4 : 16, 4, MPI_INFO_NULL, comm, &base, &win);
}

static int win_create_dynamic(void)
{
    MPI_Win win;
    return MPI_Win_create_dynamic(wrong ? no_info : MPI_INFO_NULL, comm, &win);
}

static MPI_Win plain_window(void)
{
    MPI_Win win;
    static int memory[4];
    OK(MPI_Win_create(memory, 16, 4, MPI_INFO_NULL, comm, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    return win;
}

static int win_fence(void)
{
    MPI_Win win = plain_window();
    int code = MPI_Win_fence(wrong ? 1 << 20 : 0, win);
    OK(MPI_Win_fence(0, win));
    OK(MPI_Win_free(&win));
    return code;
}

static int win_free(void)
{
    MPI_Win win = plain_window();
    if (wrong)
        OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
    int code = MPI_Win_free(&win);
    CHECK(win != MPI_WIN_NULL);
    if (wrong)
        OK(MPI_Win_unlock(rank, win));
    OK(MPI_Win_free(&win));
    return code;
}

static int file_open(void)
{
    MPI_File file;
    int mode = MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | (wrong ? 0 : MPI_MODE_RDWR);
    return MPI_File_open(comm, name, mode, MPI_INFO_NULL, &file);
}

static int file_open_hints(void)
{
    MPI_File file;
    int mode = MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_RDWR;
    return MPI_File_open(comm, name, mode, wrong ? no_info : MPI_INFO_NULL, &file);
}

static MPI_File plain_file(void)
{
    MPI_File file;
    int mode = MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_RDWR;
    OK(MPI_File_open(comm, name, mode, MPI_INFO_NULL, &file));
    return file;
}

static int file_set_view(void)
{
    MPI_File file = plain_file();
    int code = MPI_File_set_view(file, wrong ? -1 : 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    OK(MPI_File_close(&file));
    return code;
}

static int file_set_size(void)
{
    MPI_File file = plain_file();
    int code = MPI_File_set_size(file, wrong ? -1 : 0);
    OK(MPI_File_close(&file));
    return code;
}

static int file_preallocate(void)
{
    MPI_File file = plain_file();
    int code = MPI_File_preallocate(file, wrong ? -1 : 0);
    OK(MPI_File_close(&file));
    return code;
}

static int file_set_info(void)
{
    MPI_File file = plain_file();
    int code = MPI_File_set_info(file, wrong ? no_info : MPI_INFO_NULL);
    OK(MPI_File_close(&file));
    return code;
}

static int file_seek_shared(void)
{
    MPI_File file = plain_file();
    int code = MPI_File_seek_shared(file, wrong ? -1 : 0, MPI_SEEK_SET);
    OK(MPI_File_close(&file));
    return code;
}

/* Data that one rank cannot give are no error of the others: they are written. */
static int only_here(int code)
{
    CHECK((code != MPI_SUCCESS) == wrong);
    return MPI_ERR_OTHER;
}

static int file_write_all(void)
{
    MPI_File file = plain_file();
    int code = only_here(MPI_File_write_all(file, &rank, wrong ? -1 : 1, MPI_INT,
                                            MPI_STATUS_IGNORE));
    OK(MPI_File_close(&file));
    return code;
}

static int file_read_at_all(void)
{
    MPI_File file = plain_file();
    int n, code = only_here(MPI_File_read_at_all(file, wrong ? -1 : 0, &n, 1, MPI_INT,
                                                 MPI_STATUS_IGNORE));
    OK(MPI_File_close(&file));
    return code;
}

static int file_write_ordered(void)
{
    MPI_File file = plain_file();
    int code = only_here(MPI_File_write_ordered(file, &rank, 1, wrong ? MPI_DATATYPE_NULL : MPI_INT,
                                                MPI_STATUS_IGNORE));
    OK(MPI_File_close(&file));
    return code;
}

static int file_write_all_begin(void)
{
    MPI_File file = plain_file();
    only_here(MPI_File_write_all_begin(file, &rank, wrong ? -1 : 1, MPI_INT));
    if (!wrong)
        OK(MPI_File_write_all_end(file, &rank, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&file));
    return MPI_ERR_OTHER;
}

static int comm_spawn_root(void)
{
    MPI_Comm made;
    return MPI_Comm_spawn("/no such program", MPI_ARGV_NULL, 1, MPI_INFO_NULL, wrong ? -1 : 0,
                          comm, &made, MPI_ERRCODES_IGNORE);
}

/* Rank 0, the root, knows the number. */
static int comm_spawn_number(void)
{
    MPI_Comm made;
    return MPI_Comm_spawn("/no such program", MPI_ARGV_NULL, 0, MPI_INFO_NULL, 0, comm, &made,
                          MPI_ERRCODES_IGNORE);
}

static int comm_spawn_multiple_root(void)
{
    MPI_Comm made;
    char *commands[1] = {"/no such program"};
    int numbers[1] = {1};
    MPI_Info infos[1] = {MPI_INFO_NULL};
    return MPI_Comm_spawn_multiple(1, commands, MPI_ARGVS_NULL, numbers, infos, wrong ? size : 0,
                                   comm, &made, MPI_ERRCODES_IGNORE);
}

static int comm_connect(void)
{
    MPI_Comm made;
    return MPI_Comm_connect("no port", MPI_INFO_NULL, wrong ? -1 : 0, comm, &made);
}

static int comm_accept(void)
{
    MPI_Comm made;
    return MPI_Comm_accept("no port", MPI_INFO_NULL, wrong ? size : 0, comm, &made);
}

static int comm_accept_pointer(void)
{
    MPI_Comm made;
    return MPI_Comm_accept("no port", MPI_INFO_NULL, 0, comm, wrong ? NULL : &made);
}

static const struct {
    const char *name;
    int (*call)(void);
} cases[] = {
#define CASE(function) {#function, function}
    CASE(comm_split), CASE(comm_split_between), CASE(comm_split_type),
    CASE(comm_split_type_hints), CASE(comm_create), CASE(comm_create_outside),
    CASE(comm_create_between), CASE(comm_create_from_group), CASE(intercomm_create),
    CASE(intercomm_create_tag), CASE(intercomm_create_remote_leader),
    CASE(intercomm_create_from_groups), CASE(intercomm_merge),
    CASE(comm_dup_attribute), CASE(comm_dup_with_info), CASE(comm_dup_with_info_between),
    CASE(comm_idup_with_info), CASE(comm_idup_with_info_between), CASE(cart_create),
    CASE(cart_create_large), CASE(cart_sub), CASE(graph_create), CASE(dist_graph_create),
    CASE(dist_graph_create_adjacent), CASE(win_create), CASE(win_allocate),
    CASE(win_allocate_shared), CASE(win_create_dynamic), CASE(win_fence), CASE(win_free),
    CASE(file_open), CASE(file_open_hints), CASE(file_set_view), CASE(file_set_size),
    CASE(file_preallocate), CASE(file_set_info), CASE(file_seek_shared), CASE(file_write_all),
    CASE(file_read_at_all), CASE(file_write_ordered), CASE(file_write_all_begin),
    CASE(comm_spawn_root), CASE(comm_spawn_number), CASE(comm_spawn_multiple_root),
    CASE(comm_connect), CASE(comm_accept), CASE(comm_accept_pointer),
};

/* One case with the wrong argument at rank `where`. */
static void try(size_t which, int where)
{
    wrong = rank == where;
    int code = cases[which].call();
    if (code == MPI_SUCCESS) {
        fprintf(stderr, "%s, wrong at %d: no error at rank %d\n", cases[which].name, where, rank);
        exit(1);
    }
    int sum = -1;
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK(sum == size * (size - 1) / 2);
    OK(MPI_Barrier(inter));
}

int main(int argc, char **argv)
{
    int world_rank, world_size;
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &world_rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &world_size));
    snprintf(name, sizeof name, "/tmp/one_rank_fails.%d", (int)getpid());
    OK(MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD));
    /* The last rank of the job is in no communicator of the cases. */
    int outside = world_rank == world_size - 1;
    OK(MPI_Comm_split(MPI_COMM_WORLD, outside ? MPI_UNDEFINED : 0, 0, &comm));
    if (!outside) {
        MPI_Comm half;
        OK(MPI_Comm_rank(comm, &rank));
        OK(MPI_Comm_size(comm, &size));
        int low = rank < size / 2;
        OK(MPI_Comm_split(comm, low, 0, &half));
        OK(MPI_Intercomm_create(half, 0, comm, low ? size / 2 : 0, 3, &inter));
        OK(MPI_Comm_free(&half));
        for (size_t which = 0; which < sizeof cases / sizeof *cases; which++) {
            if (argc > 2 && strcmp(argv[2], cases[which].name) != 0)
                continue;
            for (int where = 0; where < size; where++)
                if (argc <= 3 || atoi(argv[3]) == where)
                    try(which, where);
        }
        OK(MPI_Comm_free(&inter));
        OK(MPI_Comm_free(&comm));
    }
    PASS();
}
