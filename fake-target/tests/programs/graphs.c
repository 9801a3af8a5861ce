/* Graph topologies, and neighbourhood collective operations in every form on every topology,
 * compared with what the neighbours must have sent according to their lists. Any number of
 * processes. */
#include "check.h"

enum {
    MOST = 64
};

static int rank, size;

/* What a process knows of its neighbours. */
struct lists {
    int sources, destinations;
    int from[MOST], to[MOST];
    /* The number of the block that the source of each block sends here. */
    int block[MOST];
};

static int modulo(int a, int b)
{
    return (a % b + b) % b;
}

static int datum(int from, int block, int index, int round)
{
    return ((round * 100 + from) * 100 + block) * 100 + index;
}

/* One more element for each process and block: the elements that go from a process in a block. */
static int length(int from, int block)
{
    return (from + block) % 3 + 1;
}

enum form { BLOCKING, NONBLOCKING, PERSISTENT };

/* Does what was started or described, twice if it can be. */
static void finish(enum form form, MPI_Request *request)
{
    if (form == PERSISTENT) {
        OK(MPI_Start(request));
        OK(MPI_Wait(request, MPI_STATUS_IGNORE));
        OK(MPI_Start(request));
        OK(MPI_Wait(request, MPI_STATUS_IGNORE));
        OK(MPI_Request_free(request));
    } else if (form == NONBLOCKING) {
        OK(MPI_Wait(request, MPI_STATUS_IGNORE));
    }
}

#define DO(name, ...)                                                                          \
    do {                                                                                       \
        if (form == BLOCKING)                                                                  \
            OK(MPI_Neighbor_##name(__VA_ARGS__, comm));                                        \
        else if (form == NONBLOCKING)                                                          \
            OK(MPI_Ineighbor_##name(__VA_ARGS__, comm, &request));                             \
        else                                                                                   \
            OK(MPI_Neighbor_##name##_init(__VA_ARGS__, comm, MPI_INFO_NULL, &request));        \
        finish(form, &request);                                                                \
    } while (0)

static void exchange(MPI_Comm comm, const struct lists *l, enum form form)
{
    static int out[MOST * 4], in[MOST * 5];
    static int scounts[MOST], splaces[MOST], rcounts[MOST], rplaces[MOST];
    static MPI_Aint sbytes[MOST], rbytes[MOST];
    static MPI_Datatype stypes[MOST], rtypes[MOST];
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Datatype pair;
    OK(MPI_Type_contiguous(2, MPI_INT, &pair));
    OK(MPI_Type_commit(&pair));

    memset(in, -1, sizeof in);
    out[0] = datum(rank, 0, 0, 1);
    out[1] = datum(rank, 0, 1, 1);
    DO(allgather, out, 1, pair, in, 2, MPI_INT);
    for (int i = 0; i < l->sources; i++)
        for (int j = 0; j < 2; j++)
            CHECK(in[2 * i + j] == (l->from[i] == MPI_PROC_NULL ? -1 : datum(l->from[i], 0, j, 1)));

    memset(in, -1, sizeof in);
    for (int i = 0; i < l->sources; i++) {
        rcounts[i] = l->from[i] == MPI_PROC_NULL ? 2 : length(l->from[i], 0);
        rplaces[i] = 5 * (l->sources - 1 - i);
    }
    for (int j = 0; j < 3; j++)
        out[j] = datum(rank, 0, j, 2);
    DO(allgatherv, out, length(rank, 0), MPI_INT, in, rcounts, rplaces, MPI_INT);
    for (int i = 0; i < l->sources; i++)
        for (int j = 0; j < 5; j++)
            CHECK(in[rplaces[i] + j] == (l->from[i] == MPI_PROC_NULL || j >= rcounts[i]
                                             ? -1 : datum(l->from[i], 0, j, 2)));

    memset(in, -1, sizeof in);
    for (int i = 0; i < l->destinations; i++)
        for (int j = 0; j < 2; j++)
            out[2 * i + j] = datum(rank, i, j, 3);
    DO(alltoall, out, 2, MPI_INT, in, 1, pair);
    for (int i = 0; i < l->sources; i++)
        for (int j = 0; j < 2; j++)
            CHECK(in[2 * i + j] ==
                  (l->from[i] == MPI_PROC_NULL ? -1 : datum(l->from[i], l->block[i], j, 3)));

    for (int w = 0; w < 2; w++) {
        memset(in, -1, sizeof in);
        for (int i = 0; i < l->destinations; i++) {
            scounts[i] = length(rank, i);
            splaces[i] = 4 * i;
            sbytes[i] = 4 * i * (MPI_Aint)sizeof(int);
            stypes[i] = MPI_INT;
            for (int j = 0; j < 4; j++)
                out[4 * i + j] = datum(rank, i, j, 4);
        }
        for (int i = 0; i < l->sources; i++) {
            rcounts[i] = l->from[i] == MPI_PROC_NULL ? 1 : length(l->from[i], l->block[i]);
            rplaces[i] = 5 * i;
            rbytes[i] = 5 * i * (MPI_Aint)sizeof(int);
            rtypes[i] = MPI_INT;
        }
        if (w)
            DO(alltoallw, out, scounts, sbytes, stypes, in, rcounts, rbytes, rtypes);
        else
            DO(alltoallv, out, scounts, splaces, MPI_INT, in, rcounts, rplaces, MPI_INT);
        for (int i = 0; i < l->sources; i++)
            for (int j = 0; j < 5; j++)
                CHECK(in[5 * i + j] == (l->from[i] == MPI_PROC_NULL || j >= rcounts[i]
                                            ? -1 : datum(l->from[i], l->block[i], j, 4)));
    }
    OK(MPI_Type_free(&pair));
}

static void all_forms(MPI_Comm comm, const struct lists *l)
{
    MPI_Comm copy;
    OK(MPI_Comm_dup(comm, &copy));
    for (enum form form = BLOCKING; form <= PERSISTENT; form++)
        exchange(copy, l, form);
    OK(MPI_Comm_free(&copy));
}

/* Grids, periodic or not; some sides have one or two processes. */
static void grids(void)
{
    for (int periods = 0; periods < 8; periods++) {
        int dims[3] = {0, 0, 1}, at[3];
        int period[3] = {periods & 1, periods >> 1 & 1, periods >> 2 & 1};
        struct lists l = {.sources = 6, .destinations = 6};
        MPI_Comm grid;
        OK(MPI_Dims_create(size, 3, dims));
        OK(MPI_Cart_create(MPI_COMM_WORLD, 3, dims, period, periods & 1, &grid));
        OK(MPI_Cart_coords(grid, rank, 3, at));
        for (int d = 0; d < 3; d++)
            for (int up = 0; up < 2; up++) {
                int there[3] = {at[0], at[1], at[2]}, number = 2 * d + up;
                there[d] += up ? 1 : -1;
                int outside = there[d] < 0 || there[d] >= dims[d];
                there[d] = modulo(there[d], dims[d]);
                int other = (there[0] * dims[1] + there[1]) * dims[2] + there[2];
                l.from[number] = outside && !period[d] ? MPI_PROC_NULL : other;
                /* What comes from above was sent downwards. */
                l.block[number] = 2 * d + !up;
            }
        all_forms(grid, &l);
        OK(MPI_Comm_free(&grid));
    }
}

/* The k-th block that one process sends to another is the k-th that the other gets from it. */
static void pair_up(struct lists *l, int n, const int (*edges)[2])
{
    l->sources = l->destinations = 0;
    for (int e = 0; e < n; e++) {
        if (edges[e][1] == rank) {
            int block = 0;
            for (int before = 0; before < e; before++)
                block += edges[before][0] == edges[e][0];
            l->from[l->sources] = edges[e][0];
            l->block[l->sources++] = block;
        }
        if (edges[e][0] == rank)
            l->to[l->destinations++] = edges[e][1];
    }
}

/* Random edges, some of them twice or to the process itself. */
static int draw(int (*edges)[2], int n, unsigned seed)
{
    for (int e = 0; e < n; e++)
        for (int side = 0; side < 2; side++) {
            seed = seed * 1664525u + 1013904223u;
            edges[e][side] = (seed >> 8) % size;
        }
    return n;
}

static void distributed(int weighted)
{
    int edges[24][2], n = draw(edges, size == 1 ? 3 : 24, 99 + weighted);
    int weights[24], in_weights[24], out_weights[24], in, out, status, has_weights;
    struct lists l;
    MPI_Comm graph;
    pair_up(&l, n, (const int(*)[2])edges);
    for (int e = 0, i = 0, o = 0; e < n; e++) {
        if (edges[e][1] == rank)
            in_weights[i++] = 7 * e;
        if (edges[e][0] == rank)
            out_weights[o++] = 7 * e;
        weights[e] = 7 * e;
    }
    int *none = MPI_WEIGHTS_EMPTY;
    OK(MPI_Dist_graph_create_adjacent(
        MPI_COMM_WORLD, l.sources, l.from,
        !weighted ? MPI_UNWEIGHTED : l.sources ? in_weights : none,
        l.destinations, l.to, !weighted ? MPI_UNWEIGHTED : l.destinations ? out_weights : none,
        MPI_INFO_NULL, 1, &graph));
    OK(MPI_Topo_test(graph, &status));
    CHECK(status == MPI_DIST_GRAPH);
    all_forms(graph, &l);
    int from[24], to[24], of_sources[24], of_destinations[24];
    memset(of_sources, -1, sizeof of_sources);
    OK(MPI_Dist_graph_neighbors_count(graph, &in, &out, &has_weights));
    CHECK(in == l.sources && out == l.destinations && has_weights == weighted);
    OK(MPI_Dist_graph_neighbors(graph, in, from, of_sources, out, to, of_destinations));
    CHECK(!memcmp(from, l.from, in * sizeof(int)) && !memcmp(to, l.to, out * sizeof(int)));
    if (weighted)
        CHECK(!memcmp(of_sources, in_weights, in * sizeof(int)) &&
              !memcmp(of_destinations, out_weights, out * sizeof(int)));
    else
        CHECK(of_sources[0] == -1);
    OK(MPI_Comm_free(&graph));

    /* Contributed by the processes in turn, a source at a time: the lists are in any order, but the
     * edges between two processes are as they were. */
    int mine[24], degrees[24], ends[24], with[24], count = 0;
    for (int e = rank; e < n; e += size) {
        mine[count] = edges[e][0];
        degrees[count] = 1;
        ends[count] = edges[e][1];
        with[count++] = weights[e];
    }
    OK(MPI_Dist_graph_create(MPI_COMM_WORLD, count, mine, degrees, ends,
                             !weighted ? MPI_UNWEIGHTED : count ? with : none, MPI_INFO_NULL, 0,
                             &graph));
    OK(MPI_Dist_graph_neighbors_count(graph, &in, &out, &has_weights));
    CHECK(in == l.sources && out == l.destinations && has_weights == weighted);
    OK(MPI_Dist_graph_neighbors(graph, in, from, of_sources, out, to, of_destinations));
    long sums[4] = {0, 0, 0, 0}, expected[4] = {0, 0, 0, 0};
    for (int i = 0; i < in; i++) {
        sums[0] += from[i], expected[0] += l.from[i];
        sums[1] += weighted ? of_sources[i] * (from[i] + 1L) : 0;
        expected[1] += weighted ? in_weights[i] * (l.from[i] + 1L) : 0;
    }
    for (int i = 0; i < out; i++) {
        sums[2] += to[i], expected[2] += l.to[i];
        sums[3] += weighted ? of_destinations[i] * (to[i] + 1L) : 0;
        expected[3] += weighted ? out_weights[i] * (l.to[i] + 1L) : 0;
    }
    CHECK(!memcmp(sums, expected, sizeof sums));
    OK(MPI_Comm_free(&graph));
}

/* A ring with chords as a graph that all processes know; the last process is not in it. */
static void known(void)
{
    int nodes = size > 1 ? size - 1 : 1, n = 0, status;
    int indices[MOST], edges[4 * MOST], got[4 * MOST];
    MPI_Comm graph;
    for (int node = 0; node < nodes; node++) {
        edges[n++] = modulo(node + 1, nodes);
        edges[n++] = modulo(node - 1, nodes);
        indices[node] = n;
    }
    OK(MPI_Graph_create(MPI_COMM_WORLD, nodes, indices, edges, 0, &graph));
    int where;
    OK(MPI_Graph_map(MPI_COMM_WORLD, nodes, indices, edges, &where));
    CHECK(where == (rank < nodes ? rank : MPI_UNDEFINED));
    FAILS(MPI_ERR_ARG, MPI_Graph_map(MPI_COMM_WORLD, size + 1, indices, edges, &where));
    if (rank >= nodes) {
        CHECK(graph == MPI_COMM_NULL);
        return;
    }
    OK(MPI_Topo_test(graph, &status));
    CHECK(status == MPI_GRAPH);
    int of_nodes, of_edges;
    OK(MPI_Graphdims_get(graph, &of_nodes, &of_edges));
    CHECK(of_nodes == nodes && of_edges == n);
    OK(MPI_Graph_get(graph, nodes, n, got, got + nodes));
    CHECK(!memcmp(got, indices, nodes * sizeof(int)));
    CHECK(!memcmp(got + nodes, edges, n * sizeof(int)));
    for (int node = 0; node < nodes; node++) {
        OK(MPI_Graph_neighbors_count(graph, node, &status));
        CHECK(status == 2);
        OK(MPI_Graph_neighbors(graph, node, 2, got));
        CHECK(got[0] == modulo(node + 1, nodes) && got[1] == modulo(node - 1, nodes));
    }
    FAILS(MPI_ERR_RANK, MPI_Graph_neighbors_count(graph, nodes, &status));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Cartdim_get(graph, &status));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Graphdims_get(MPI_COMM_WORLD, &status, &status));
    struct lists l = {.sources = 2, .destinations = 2};
    l.from[0] = edges[2 * rank];
    l.from[1] = edges[2 * rank + 1];
    /* Two processes, or one: the k-th block goes to the k-th place. */
    l.block[0] = nodes > 2 ? 1 : 0;
    l.block[1] = nodes > 2 ? 0 : 1;
    all_forms(graph, &l);
    OK(MPI_Comm_free(&graph));
}

int main(int argc, char **argv)
{
    int value = 0;
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    grids();
    distributed(0);
    distributed(1);
    known();
    FAILS(MPI_ERR_TOPOLOGY,
          MPI_Neighbor_allgather(&value, 1, MPI_INT, &value, 1, MPI_INT, MPI_COMM_WORLD));
    PASS();
}
