/*
 * layer.c - a QMPI tool that prints the calls that pass through it. NAME is its name. Every
 * instance has storage of its own with what it has counted.
 *
 * It prints lines "NAME ID: what": initialized; calls of Comm_rank, with the number that this
 * instance has seen and the next tool's ID; finalize.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#include <qmpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct layer {
    int id, ranks, inits;
};

static void wrong(const char *what)
{
    fprintf(stderr, "layer " NAME ": %s\n", what);
    exit(1);
}

#define NEXT(function, FUNCTION)                                                        \
    MPI_##function##_t_next next;                                                       \
    int next_id = -1;                                                                   \
    if (MPI_Get_next_tool_function(id, FUNCTION, (void (**)(void)) & next, &next_id) != \
        MPI_SUCCESS)                                                                    \
        wrong(#function " has no next");

static struct layer *storage(MPI_Context context, int id)
{
    struct layer *layer = NULL;
    if (MPI_Get_tool_storage(context, id, &layer) != MPI_SUCCESS || !layer)
        wrong("no storage");
    if (layer->id != id)
        wrong("the storage of another instance");
    return layer;
}

typedef QMPI_Init_t *MPI_Init_t_next;
typedef QMPI_Init_thread_t *MPI_Init_thread_t_next;
typedef QMPI_Comm_rank_t *MPI_Comm_rank_t_next;
typedef QMPI_Wtime_t *MPI_Wtime_t_next;
typedef QMPI_Aint_add_t *MPI_Aint_add_t_next;
typedef QMPI_Pcontrol_t *MPI_Pcontrol_t_next;
typedef QMPI_Finalize_t *MPI_Finalize_t_next;

static int layer_init(MPI_Context context, int id, int *argc, char ***argv)
{
    NEXT(Init, MPI_INIT_T)
    storage(context, id)->inits++;
    return next(context, next_id, argc, argv);
}

static int layer_init_thread(MPI_Context context, int id, int *argc, char ***argv, int required,
                             int *provided)
{
    NEXT(Init_thread, MPI_INIT_THREAD_T)
    storage(context, id)->inits++;
    return next(context, next_id, argc, argv, required, provided);
}

static int layer_comm_rank(MPI_Context context, int id, MPI_Comm comm, int *rank)
{
    NEXT(Comm_rank, MPI_COMM_RANK_T)
    printf(NAME " %d: rank %d, next %d\n", id, ++storage(context, id)->ranks, next_id);
    return next(context, next_id, comm, rank);
}

/* It changes what it passes on, and what comes back. */
static double layer_wtime(MPI_Context context, int id)
{
    NEXT(Wtime, MPI_WTIME_T)
    return next(context, next_id) + 1e9;
}

static MPI_Aint layer_aint_add(MPI_Context context, int id, MPI_Aint base, MPI_Aint disp)
{
    NEXT(Aint_add, MPI_AINT_ADD_T)
    return next(context, next_id, base, disp + 1) * 10;
}

static int layer_pcontrol(MPI_Context context, int id, const int level, ...)
{
    NEXT(Pcontrol, MPI_PCONTROL_T)
    va_list list;
    va_start(list, level);
    int number = va_arg(list, int);
    double real = va_arg(list, double);
    const char *text = va_arg(list, const char *);
    long large = va_arg(list, long);
    double last = va_arg(list, double);
    long more[3];
    for (int i = 0; i < 3; i++)
        more[i] = va_arg(list, long);
    va_end(list);
    printf(NAME " %d: control %d %d %g %s %ld %g %ld %ld %ld\n", id, level, number, real, text,
           large, last, more[0], more[1], more[2]);
    return next(context, next_id, level, number, real, text, large, last, more[0], more[1],
                more[2]);
}

static int layer_finalize(MPI_Context context, int id)
{
    NEXT(Finalize, MPI_FINALIZE_T)
    struct layer *layer = storage(context, id);
    printf(NAME " %d: finalize after %d init and %d rank\n", id, layer->inits, layer->ranks);
    fflush(stdout);
    return next(context, next_id);
}

static void initialize(int id)
{
    static struct layer layers[10];
    static int instances;
    struct layer *layer = &layers[instances++];
    layer->id = id;
    printf(NAME " %d: initialized\n", id);
    if (MPI_Register_tool_storage(id, layer) != MPI_SUCCESS)
        wrong("cannot register storage");
#define REGISTER(FUNCTION, function)                                                       \
    if (MPI_Register_tool_function(id, FUNCTION, (void (*)(void))function) != MPI_SUCCESS) \
        wrong("cannot register " #FUNCTION);
    REGISTER(MPI_INIT_T, layer_init)
    REGISTER(MPI_INIT_THREAD_T, layer_init_thread)
    REGISTER(MPI_COMM_RANK_T, layer_comm_rank)
    REGISTER(MPI_WTIME_T, layer_wtime)
    REGISTER(MPI_AINT_ADD_T, layer_aint_add)
    REGISTER(MPI_PCONTROL_T, layer_pcontrol)
    REGISTER(MPI_FINALIZE_T, layer_finalize)
}

__attribute__((constructor)) static void register_tool(void)
{
    if (MPI_Register_tool_name(NAME, initialize) != MPI_SUCCESS)
        wrong("cannot register");
}
