/* Data that are not one block, on either side, eager and large, to others and to oneself. */
#include "p2p.h"

int main(void)
{
    begin();
    for (int n = 4; n <= 400000; n *= 10) {
        int *strided = malloc(2 * n * sizeof *strided), *dense = malloc(n * sizeof *dense);
        MPI_Datatype every_second;
        MPI_Type_vector(n, 1, 2, MPI_INT, &every_second);
        MPI_Type_commit(&every_second);
        for (int way = 0; way < 3;
             way++) { /* strided to dense, dense to strided, strided to strided */
            int *from = way == 1 ? dense : strided,
                *to = way == 0 ? dense : malloc(2 * n * sizeof *to);
            int from_step = way == 1 ? 1 : 2, to_step = way == 0 ? 1 : 2;
            for (int i = 0; i < n; i++)
                from[from_step * i] = rank * 1000003 + i;
            if (way == 0)
                to = malloc(n * sizeof *to);
            for (int i = 0; i < n * to_step; i++)
                to[i] = -1;
            MPI_Request request;
            MPI_Status status;
            int count;
            MPI_Isend(from, way == 1 ? n : 1, way == 1 ? MPI_INT : every_second, NEXT, 5,
                      MPI_COMM_WORLD, &request);
            MPI_Recv(to, way == 0 ? n : 1, way == 0 ? MPI_INT : every_second, PREVIOUS, 5,
                     MPI_COMM_WORLD, &status);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Get_count(&status, MPI_INT, &count);
            CHECK_EQUAL(count, n);
            for (int i = 0; i < n; i++) {
                CHECK_EQUAL(to[to_step * i], PREVIOUS * 1000003 + i);
                if (to_step == 2 && i < n - 1)
                    CHECK_EQUAL(to[2 * i + 1], -1);
            }
            free(to);
        }
        MPI_Type_free(&every_second);
        free(strided);
        free(dense);
    }
    return end();
}
