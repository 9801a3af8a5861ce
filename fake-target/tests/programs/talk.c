/* Rank 0 sends 3 ints and 2 chars to rank 1. It does not use tools. Two processes. */
#include "check.h"

int main(int argc, char **argv)
{
    int rank, numbers[3] = {1, 2, 3};
    char letters[2] = "ab";
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    if (rank == 0) {
        OK(MPI_Send(numbers, 3, MPI_INT, 1, 0, MPI_COMM_WORLD));
        OK(MPI_Send(letters, 2, MPI_CHAR, 1, 1, MPI_COMM_WORLD));
    } else {
        OK(MPI_Recv(numbers, 3, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Recv(letters, 2, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    PASS();
}
