/* Holds the address of every function under its three names: the library has all of them and
 * nothing they need is missing. One process. */
#include "check.h"

typedef void (*function)(void);
#define FUNCTION(name) (function)(MPI_##name), (function)(PMPI_##name), (function)(QMPI_##name),
static const function functions[] = {
#include "all_functions.inc"
};

int main(int argc, char **argv)
{
    OK(MPI_Init(&argc, &argv));
    CHECK(sizeof functions / sizeof *functions == 3 * 664);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        CHECK(functions[i] != 0);
    PASS();
}
