/* Cartesian topologies. Six processes. */
#include "check.h"

int main(int argc, char **argv)
{
    MPI_Comm grid, row, column, copy, point;
    int rank, n, source, dest, dims[3] = {2, 3}, periods[2] = {0, 1}, coords[2], status;
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid));
    OK(MPI_Topo_test(grid, &status));
    CHECK(status == MPI_CART);
    OK(MPI_Topo_test(MPI_COMM_WORLD, &status));
    CHECK(status == MPI_UNDEFINED);
    OK(MPI_Cartdim_get(grid, &n));
    CHECK(n == 2);
    int d[2], p[2];
    OK(MPI_Cart_get(grid, 2, d, p, coords));
    CHECK(d[0] == 2 && d[1] == 3 && p[0] == 0 && p[1] == 1 && coords[0] == rank / 3 &&
          coords[1] == rank % 3);
    for (int r = 0; r < 6; r++) {
        int back;
        OK(MPI_Cart_coords(grid, r, 2, coords));
        CHECK(coords[0] == r / 3 && coords[1] == r % 3);
        OK(MPI_Cart_rank(grid, coords, &back));
        CHECK(back == r);
    }
    OK(MPI_Cart_rank(grid, (int[]){1, -1}, &n));
    CHECK(n == 5);
    FAILS(MPI_ERR_ARG, MPI_Cart_rank(grid, (int[]){2, 0}, &n));
    OK(MPI_Cart_shift(grid, 0, 1, &source, &dest));
    CHECK(source == (rank < 3 ? MPI_PROC_NULL : rank - 3) &&
          dest == (rank < 3 ? rank + 3 : MPI_PROC_NULL));
    OK(MPI_Cart_shift(grid, 1, 1, &source, &dest));
    CHECK(source == rank / 3 * 3 + (rank + 2) % 3 && dest == rank / 3 * 3 + (rank + 1) % 3);
    int from = -1;
    OK(MPI_Sendrecv(&rank, 1, MPI_INT, dest, 0, &from, 1, MPI_INT, source, 0, grid,
                    MPI_STATUS_IGNORE));
    CHECK(from == source);

    OK(MPI_Cart_sub(grid, (int[]){0, 1}, &row));
    OK(MPI_Comm_size(row, &n));
    CHECK(n == 3);
    OK(MPI_Cart_get(row, 1, d, p, coords));
    CHECK(d[0] == 3 && p[0] == 1 && coords[0] == rank % 3);
    OK(MPI_Cart_sub(grid, (int[]){1, 0}, &column));
    int sum;
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, column));
    CHECK(sum == 2 * (rank % 3) + 3);
    OK(MPI_Cart_sub(grid, (int[]){0, 0}, &point));
    OK(MPI_Cartdim_get(point, &n));
    CHECK(n == 0);
    OK(MPI_Comm_size(point, &n));
    CHECK(n == 1);
    OK(MPI_Comm_dup(row, &copy));
    OK(MPI_Cartdim_get(copy, &n));
    CHECK(n == 1);

    /* Fewer places than processes. */
    MPI_Comm small;
    OK(MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){2, 2}, periods, 1, &small));
    CHECK((small == MPI_COMM_NULL) == (rank >= 4));
    OK(MPI_Cart_map(MPI_COMM_WORLD, 2, (int[]){2, 2}, periods, &n));
    CHECK(n == (rank < 4 ? rank : MPI_UNDEFINED));
    /* No places. */
    OK(MPI_Cart_map(MPI_COMM_WORLD, 2, (int[]){2, 0}, periods, &n));
    CHECK(n == MPI_UNDEFINED);
    FAILS(MPI_ERR_DIMS, MPI_Cart_map(MPI_COMM_WORLD, 2, (int[]){-2, 0}, periods, &n));
    FAILS(MPI_ERR_DIMS, MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){2, 4}, periods, 0, &copy));
    FAILS(MPI_ERR_DIMS, MPI_Cart_create(MPI_COMM_WORLD, -1, dims, periods, 0, &copy));
    FAILS(MPI_ERR_TOPOLOGY, MPI_Cartdim_get(MPI_COMM_WORLD, &n));
    FAILS(MPI_ERR_ARG, MPI_Cart_shift(grid, 2, 1, &source, &dest));
    FAILS(MPI_ERR_RANK, MPI_Cart_coords(grid, 6, 2, coords));

    int a[3] = {0, 0, 0}, b[2] = {0, 3}, c[1] = {0}, e[2] = {0, 4}, f[2] = {0, 0};
    OK(MPI_Dims_create(12, 3, a));
    CHECK(a[0] == 3 && a[1] == 2 && a[2] == 2);
    OK(MPI_Dims_create(6, 2, b));
    CHECK(b[0] == 2 && b[1] == 3);
    OK(MPI_Dims_create(7, 1, c));
    CHECK(c[0] == 7);
    OK(MPI_Dims_create(36, 2, f));
    CHECK(f[0] == 6 && f[1] == 6);
    FAILS(MPI_ERR_DIMS, MPI_Dims_create(6, 2, e));
    PASS();
}
