/* MPI_Pcontrol returns at once to the user code, whatever its arguments (MPI 3.1, section 14.2.4),
 * also before MPI_Init and after MPI_Finalize. One process. */
#include "check.h"

static void control(void)
{
    static const int levels[] = {0, 1, 2, 3, -1, 1 << 30};
    for (int i = 0; i < 6; i++) {
        OK(MPI_Pcontrol(levels[i]));
        OK(MPI_Pcontrol(levels[i], "text", 1.5, &levels, 1L << 40));
        OK(PMPI_Pcontrol(levels[i], 2.5, levels));
    }
}

int main(int argc, char **argv)
{
    int rank = -1;
    control();
    OK(MPI_Init(&argc, &argv));
    control();
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    CHECK(rank == 0);
    OK(MPI_Finalize());
    control();
    printf("passed\n");
    return 0;
}
