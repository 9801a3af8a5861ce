/* Groups that meet at a port, by a published name, and over a socket: within one job, and ("serve"
 * or "visit" and a name as arguments) between two. */
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A number from each process to all of the other side. */
static void talk(MPI_Comm inter, int side) {
    int rank, size, remote;
    OK(MPI_Comm_rank(inter, &rank));
    OK(MPI_Comm_size(inter, &size));
    OK(MPI_Comm_remote_size(inter, &remote));
    int mine = 10 * side + rank, *theirs = malloc(remote * sizeof *theirs);
    OK(MPI_Allgather(&mine, 1, MPI_INT, theirs, 1, MPI_INT, inter));
    for (int peer = 0; peer < remote; peer++)
        CHECK(theirs[peer] == 10 * !side + peer);
    free(theirs);
    if (rank == 0) {
        int token = side ? 0 : 42;
        if (side) {
            OK(MPI_Recv(&token, 1, MPI_INT, 0, 3, inter, MPI_STATUS_IGNORE));
            CHECK(token == 42);
        } else {
            OK(MPI_Ssend(&token, 1, MPI_INT, 0, 3, inter));
        }
    }
}

/* The job that accepts connections of the other one. */
static void serve(const char *name, int rank) {
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm inter, all;
    if (rank == 0) {
        OK(MPI_Open_port(MPI_INFO_NULL, port));
        OK(MPI_Publish_name(name, MPI_INFO_NULL, port));
    }
    for (int visit = 0; visit < 3; visit++) {
        OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter));
        talk(inter, 0);
        OK(MPI_Intercomm_merge(inter, 0, &all));
        OK(MPI_Barrier(all));
        OK(MPI_Comm_free(&all));
        OK(MPI_Comm_disconnect(&inter));
    }
    if (rank == 0) {
        OK(MPI_Unpublish_name(name, MPI_INFO_NULL, port));
        OK(MPI_Close_port(port));
    }
}

static void visit(const char *name, int rank) {
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm inter, all;
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    /* The other job may not have published its name yet. */
    while (rank == 0 && MPI_Lookup_name(name, MPI_INFO_NULL, port) != MPI_SUCCESS)
        ;
    for (int visit = 0; visit < 3; visit++) {
        OK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter));
        talk(inter, 1);
        OK(MPI_Intercomm_merge(inter, 1, &all));
        OK(MPI_Barrier(all));
        OK(MPI_Comm_free(&all));
        OK(MPI_Comm_disconnect(&inter));
    }
}

int main(int argc, char **argv) {
    OK(MPI_Init(&argc, &argv));
    int rank, size;
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    if (argc == 3) {
        (!strcmp(argv[1], "serve") ? serve : visit)(argv[2], rank);
        PASS();
    }
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    MPI_Comm inter;
    char port[MPI_MAX_PORT_NAME], found[MPI_MAX_PORT_NAME];

    /* Ports and names that do not exist. */
    FAILS(MPI_ERR_PORT, MPI_Comm_connect("no port", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter));
    FAILS(MPI_ERR_PORT, MPI_Comm_accept("no port", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter));
    FAILS(MPI_ERR_PORT, MPI_Close_port("no port"));
    FAILS(MPI_ERR_NAME, MPI_Lookup_name("mqd: nobody has this name", MPI_INFO_NULL, found));
    OK(MPI_Open_port(MPI_INFO_NULL, port));
    FAILS(MPI_ERR_SERVICE, MPI_Unpublish_name("mqd: nobody", MPI_INFO_NULL, port));
    char name[64];
    snprintf(name, sizeof name, "mqd test %ld of rank %d", (long)getpid(), rank);
    OK(MPI_Publish_name(name, MPI_INFO_NULL, port));
    FAILS(MPI_ERR_SERVICE, MPI_Publish_name(name, MPI_INFO_NULL, port));
    OK(MPI_Lookup_name(name, MPI_INFO_NULL, found));
    CHECK(!strcmp(port, found));
    OK(MPI_Unpublish_name(name, MPI_INFO_NULL, port));
    FAILS(MPI_ERR_NAME, MPI_Lookup_name(name, MPI_INFO_NULL, found));

    /* Two processes of one job, each as a group of its own. */
    if (size > 1 && rank < 2) {
        OK(rank == 0 ? MPI_Send(port, sizeof port, MPI_CHAR, 1, 0, MPI_COMM_WORLD)
                     : MPI_Recv(found, sizeof found, MPI_CHAR, 0, 0, MPI_COMM_WORLD,
                                MPI_STATUS_IGNORE));
        OK(rank == 0 ? MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter)
                     : MPI_Comm_connect(found, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
        talk(inter, rank);
        OK(MPI_Comm_disconnect(&inter));
    }
    /* Nobody accepts: the connection is given up after a while, and does not disturb a later
     * one. */
    MPI_Info soon;
    OK(MPI_Info_create(&soon));
    OK(MPI_Info_set(soon, "timeout", "0"));
    FAILS(MPI_ERR_PORT, MPI_Comm_connect(port, soon, 0, MPI_COMM_SELF, &inter));
    CHECK(inter == MPI_COMM_NULL);
    OK(MPI_Info_free(&soon));
    if (size > 1 && rank < 2) {
        OK(rank == 0 ? MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter)
                     : MPI_Comm_connect(found, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
        talk(inter, rank);
        OK(MPI_Comm_disconnect(&inter));
    }
    OK(MPI_Close_port(port));
    FAILS(MPI_ERR_PORT, MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
    PASS();
}
