/* PERUSE 2.0, appendix E, 12.5: what callbacks are told of processes that are started, compared
 * with what these say of themselves. The program starts itself. Any number of ranks. */
#include "peruse_test.h"

#include <unistd.h>

enum { CHILDREN = 2 };

struct self {
    int pid;
    char image[256], node[256];
};

static int start_event, end_event, starts, ends;
static MPI_Aint id_of_start;
static MPI_Comm children;
static struct self told[CHILDREN];
static int codes[CHILDREN], parents_id, children_id, process_ids[CHILDREN];
static char *child_arguments[] = {"child", NULL};

static int note(peruse_event_h handle, MPI_Aint id, peruse_spawn_spec_t *spec, void *param)
{
    int event, root = size - 1;
    PERUSE_Event_get(handle, &event);
    CHECK(param == codes && id > 0 && spec->root == root);
    CHECK(spec->p_comm->comm == MPI_COMM_WORLD);
    CHECK(strcmp(spec->p_comm->name, "MPI_COMM_WORLD") == 0);
    CHECK(*spec->array_of_errcodes == codes);
    CHECK(spec->argv == (rank == root ? child_arguments : NULL));
    parents_id = spec->p_comm->unique_id;
    if (event == start_event) {
        CHECK(spec->p_intercomm == NULL && spec->list_of_processes == NULL && ends == starts);
        CHECK_EQUAL(spec->maxprocs, rank == root ? CHILDREN : 0);
        starts++;
        id_of_start = id;
        return MPI_SUCCESS;
    }
    CHECK_EQUAL(event, end_event);
    ends++;
    CHECK(starts == ends && id == id_of_start);
    CHECK_EQUAL(spec->maxprocs, CHILDREN);
    if (spec->p_intercomm == NULL) {
        CHECK(spec->list_of_processes == NULL);
        return MPI_SUCCESS;
    }
    children = spec->p_intercomm->comm;
    children_id = spec->p_intercomm->unique_id;
    for (int i = 0; i < CHILDREN; i++) {
        peruse_process_t *process = &spec->list_of_processes[i];
        told[i].pid = process->PID;
        snprintf(told[i].image, sizeof told[i].image, "%s", process->image_name);
        snprintf(told[i].node, sizeof told[i].node, "%s", process->node_name);
        process_ids[i] = process->peruse_process_id;
    }
    return MPI_SUCCESS;
}

static int child(void)
{
    MPI_Comm parents;
    struct self self = {0};
    int parents_size;
    self.pid = getpid();
    CHECK(readlink("/proc/self/exe", self.image, sizeof self.image - 1) > 0);
    CHECK_EQUAL(gethostname(self.node, sizeof self.node), 0);
    MPI_Comm_get_parent(&parents);
    MPI_Comm_remote_size(parents, &parents_size);
    for (int i = 0; i < parents_size; i++)
        MPI_Send(&self, sizeof self, MPI_BYTE, i, 0, parents);
    /* The system knows the program of a process only as long as that is there. */
    for (int i = 0; i < parents_size; i++)
        MPI_Recv(NULL, 0, MPI_BYTE, i, 1, parents, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    peruse_event_h handles[2], handle;
    MPI_Comm inter;
    begin();
    if (argc > 1)
        return child();
    PERUSE_Init();
    CHECK_EQUAL(PERUSE_Query_event("PERUSE_SPAWN_START", &start_event), PERUSE_SUCCESS);
    CHECK_EQUAL(PERUSE_Query_event("PERUSE_SPAWN_END", &end_event), PERUSE_SUCCESS);
    for (int i = 0; i < 2; i++) {
        int event = i == 0 ? start_event : end_event;
        peruse_spawn_callback_f *callback;
        void *param;
        CHECK_EQUAL(PERUSE_Event_spawn_register(event, MPI_COMM_WORLD, note, NULL, &handles[i]),
                    PERUSE_SUCCESS);
        CHECK_EQUAL(PERUSE_Event_spawn_callback_set(handles[i], note, codes), PERUSE_SUCCESS);
        CHECK_EQUAL(PERUSE_Event_spawn_callback_get(handles[i], &callback, &param),
                    PERUSE_SUCCESS);
        CHECK(callback == note && param == codes);
        CHECK_EQUAL(PERUSE_Event_activate(handles[i]), PERUSE_SUCCESS);
        CHECK_EQUAL(PERUSE_Event_comm_register(event, MPI_COMM_WORLD, record, NULL, &handle),
                    PERUSE_ERR_EVENT);
    }

    MPI_Comm_spawn(argv[0], child_arguments, CHILDREN, MPI_INFO_NULL, size - 1, MPI_COMM_WORLD,
                   &inter, codes);
    CHECK(starts == 1 && ends == 1 && children == inter && parents_id != children_id);
    for (int i = 0; i < CHILDREN; i++) {
        struct self self;
        MPI_Recv(&self, sizeof self, MPI_BYTE, i, 0, inter, MPI_STATUS_IGNORE);
        MPI_Send(NULL, 0, MPI_BYTE, i, 1, inter);
        CHECK_EQUAL(told[i].pid, self.pid);
        CHECK(strcmp(told[i].image, self.image) == 0 && strcmp(told[i].node, self.node) == 0);
    }
    CHECK(process_ids[0] != process_ids[1]);
    int ids[2] = {parents_id, children_id}, others[2];
    MPI_Allreduce(ids, others, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(ids[0] == others[0] && ids[1] == others[1]);

    /* A start that fails has an end, too. */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    children = MPI_COMM_NULL;
    CHECK(MPI_Comm_spawn("/no/such/program", child_arguments, CHILDREN, MPI_INFO_NULL, size - 1,
                         MPI_COMM_WORLD, &inter, codes) != MPI_SUCCESS);
    CHECK(starts == 2 && ends == 2 && children == MPI_COMM_NULL);
    return end();
}
