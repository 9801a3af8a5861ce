/* Two processes without a launcher, each a job of its own, that are connected by a socket. */
#include "check.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int ends[2], status = 0, flag, mine, theirs = -1;
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    OK(MPI_Init(&argc, &argv));
    MPI_Comm inter;
    OK(MPI_Comm_join(ends[child == 0], &inter));
    OK(MPI_Comm_test_inter(inter, &flag));
    CHECK(flag);
    mine = child == 0 ? 11 : 22;
    OK(MPI_Sendrecv(&mine, 1, MPI_INT, 0, 0, &theirs, 1, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE));
    CHECK(theirs == 33 - mine);
    /* The socket is the program's again. */
    char byte = 'x';
    CHECK(write(ends[child == 0], &byte, 1) == 1 && read(ends[child == 0], &byte, 1) == 1);
    OK(MPI_Comm_disconnect(&inter));
    OK(MPI_Finalize());
    if (child == 0)
        _exit(0);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    puts("passed");
    return 0;
}
