# What both ways to try a release share. The first argument is the version.
version=$1
arch=$(uname -m)
debian=$(dpkg --print-architecture)

fail() { echo "FAILED: $*" >&2; exit 1; }

# A job that hangs: each rank waits for the next one.
cat >/tmp/ring.c <<'C'
#include <mpi.h>
static void exchange(int from)
{
    int data;
    MPI_Recv(&data, 1, MPI_INT, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    exchange((rank + 1) % size);
    return MPI_Finalize();
}
C
# Whether the answer says why that job hangs, and where.
is_right() {
    grep -q 'deadlocked: ranks 0-2' /tmp/answer || fail "$(cat /tmp/answer)"
    grep -q 'exchange (ring.c:5)' /tmp/answer || fail "no line in: $(cat /tmp/answer)"
}

# Everything that is not a folder, without what programs write while they run.
files() {
    find / -xdev \( -path /tmp -o -path /var -o -path /root/.cache -o -path /dev \) -prune \
        -o ! -type d -print | sort
}

# Removes the packages: they leave nothing.
purge() {
    dpkg --purge mqd libmqd mqd-mpi >/dev/null 2>&1 || fail "purging"
    files >/tmp/after
    cmp /tmp/before /tmp/after || fail "purging leaves $(comm -13 /tmp/before /tmp/after)"
}
