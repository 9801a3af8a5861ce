#!/bin/sh
# Runs in a clean root of another machine, which qemu emulates, as root, with a process namespace
# of its own, in a folder with the release. qemu does not emulate ptrace: installs each form of the
# release, asks it about core files of a job of the companion runtime, removes it again.
set -eu
export DEBIAN_FRONTEND=noninteractive
cd /release
. ./common.sh

# PACKAGE COMMAND...: whether the command reads the core files, and names the package.
asks() {
    package=$1
    shift
    "$@" check --core /tmp/cores/*.core >/tmp/answer 2>&1 || true
    is_right
    "$@" doctor >/tmp/answer 2>&1 || true
    grep -q "installation.* $package" /tmp/answer || fail "not $package: $(cat /tmp/answer)"
    grep -q 'gdb .*GNU gdb .*its commands' /tmp/answer || fail "no gdb: $(cat /tmp/answer)"
}

# SECONDS: has qemu write core files of the ranks of the job, which has had that time. mpiexec would
# end the other ranks when the first one dies.
dump_cores() {
    rm -rf /tmp/cores
    mkdir /tmp/cores
    (cd /tmp/cores && ulimit -c unlimited && exec mpiexec.mqd -n 3 /tmp/ring) &
    launcher=$!
    sleep "$1"
    kill -STOP "$launcher"
    ranks=$(pgrep -P "$launcher")
    [ "$(echo "$ranks" | wc -l)" = 3 ] || fail "not three ranks: $ranks"
    kill -ABRT $ranks
    for rank in $ranks; do
        while ! grep -q '^State:.*Z' "/proc/$rank/status"; do sleep 1; done
    done
    kill -KILL "$launcher"
    wait "$launcher" || true
}

echo "Debian packages"
files >/tmp/before
dpkg -i "mqd_${version}_$debian.deb" "libmqd_${version}_$debian.deb" \
    "mqd-mpi_${version}_$debian.deb" >/dev/null
# gdb finds the libraries in qemu's core files only if the program is at its own address.
mpicc.mqd -g -no-pie -o /tmp/ring /tmp/ring.c
for time in 3 10 30; do
    dump_cores $time
    mqd check --core /tmp/cores/*.core >/tmp/answer 2>&1 || true
    ! grep -q 'deadlocked: ranks 0-2' /tmp/answer || break
done
asks "the Debian package mqd $version" mqd

echo "gdb: $(gdb --version | head -1)"
for core in /tmp/cores/*.core; do
    gdb -q -batch \
        -ex "source /usr/share/mqd/gdb/mqd.py" -ex "set mqd dll /usr/lib/libmqd.so" \
        -ex "info mpi-queues" /tmp/ring "$core" >/tmp/answer 2>&1 || true
    grep -q 'tag 5' /tmp/answer || fail "gdb: $(cat /tmp/answer)"
done

echo "tarball, and one file"
mkdir /tmp/tarball
tar -C /tmp/tarball -xf "mqd-$version-linux-$arch.tar.xz"
asks "a prefix with mqd $version" "/tmp/tarball/mqd-$version-linux-$arch/bin/mqd"
cp "/tmp/tarball/mqd-$version-linux-$arch/bin/mqd" /tmp/mqd
asks "one file" /tmp/mqd

echo "wheel"
python3 -m venv /tmp/venv
/tmp/venv/bin/pip install --quiet --no-index --no-deps mqd-"$version"-*"$arch".whl
asks "the Python package mqd $version" /tmp/venv/bin/mqd

purge
echo "all of it works"
