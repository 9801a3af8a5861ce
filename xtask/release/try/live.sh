#!/bin/sh
# Runs in a clean root as root, with a process namespace of its own, in a folder with the release:
# installs each form of it, asks it why a job of this system's Open MPI hangs, removes it again.
set -eu
export DEBIAN_FRONTEND=noninteractive OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
cd /release
. ./common.sh

mpicc -g -o /tmp/ring /tmp/ring.c
mpirun --oversubscribe -n 3 /tmp/ring >/dev/null 2>&1 &
launcher=$!

# COMMAND...: asks until the ranks have come to their receives.
asks() {
    tries=0
    while :; do
        code=0
        "$@" check --job "$launcher" >/tmp/answer 2>&1 || code=$?
        [ $code != 10 ] || break
        tries=$((tries + 1))
        [ $tries -lt 30 ] || { cat /tmp/answer >&2; fail "$* check: exit code $code"; }
        sleep 1
    done
    is_right
}

# PACKAGE COMMAND...: whether `mqd doctor` names the package, and mqd alone lists the job.
introduces() {
    package=$1
    shift
    "$@" doctor >/tmp/answer 2>&1 || true
    grep -q "installation.* $package" /tmp/answer || fail "not $package: $(cat /tmp/answer)"
    grep -q 'gdb .*GNU gdb .*its commands' /tmp/answer || fail "no gdb: $(cat /tmp/answer)"
    "$@" >/tmp/answer 2>&1 || fail "$* alone: $(cat /tmp/answer)"
    grep -q "ring: 3 ranks.* started by [a-z]* $launcher" /tmp/answer || fail "$(cat /tmp/answer)"
}

# Seconds since the machine started, in hundredths.
now() { cut -d ' ' -f 1 /proc/uptime; }

# The ranks come to their receives while an mqd that is not looked at asks them.
mkdir /tmp/first
tar -C /tmp/first -xf "mqd-$version-linux-$arch.tar.xz"
asks "/tmp/first/mqd-$version-linux-$arch/bin/mqd"

begin=$(now)
mkdir /tmp/tarball
tar -C /tmp/tarball -xf "mqd-$version-linux-$arch.tar.xz"
asks "/tmp/tarball/mqd-$version-linux-$arch/bin/mqd"
echo "tarball: $(echo "$begin $(now)" | awk '{ print $2 - $1 }') s from the file to the answer"
introduces "a prefix with mqd $version" "/tmp/tarball/mqd-$version-linux-$arch/bin/mqd"

echo "one file"
cp "/tmp/tarball/mqd-$version-linux-$arch/bin/mqd" /tmp/mqd
asks /tmp/mqd
introduces "one file" /tmp/mqd
mkdir /tmp/dll
/tmp/mqd install-dll /tmp/dll >/dev/null
[ -x /tmp/dll/libmqd.so ] || fail "no libmqd.so"

echo "module file"
mkdir -p "/opt/mqd/$version" /tmp/modules/mqd
tar -C "/opt/mqd/$version" --strip-components=1 -xf "mqd-$version-linux-$arch.tar.xz"
cp modulefile "/tmp/modules/mqd/$version"
cat >/tmp/module-mqd <<'SH'
#!/bin/sh
. /usr/share/modules/init/sh
module use /tmp/modules
module load mqd
exec mqd "$@"
SH
chmod +x /tmp/module-mqd
asks /tmp/module-mqd
introduces "a prefix with mqd $version, /opt/mqd/$version" /tmp/module-mqd
rm -r /opt/mqd

echo "wheel, without root"
mkdir /tmp/user
chown 1000:1000 /tmp/user
as_user="setpriv --reuid=1000 --regid=1000 --clear-groups env HOME=/tmp/user"
$as_user python3 -m venv /tmp/user/venv
$as_user /tmp/user/venv/bin/pip install --quiet --no-index --no-deps mqd-"$version"-*"$arch".whl
asks /tmp/user/venv/bin/mqd
introduces "the Python package mqd $version" /tmp/user/venv/bin/mqd

# PROGRAM [OPTION...]: whether gdb shows the receive of the program's newest process.
gdb_shows() {
    rank=$(pgrep -n "$1")
    shift
    gdb -q -batch "$@" -p "$rank" -ex "info mpi-queues" >/tmp/answer 2>&1 || true
    grep -q 'tag 5' /tmp/answer || fail "gdb: $(cat /tmp/answer)"
}

echo "gdb: $(gdb --version | head -1)"
gdb_shows ring -ex "source /tmp/user/venv/share/mqd/gdb/mqd.py"

echo "Debian packages"
files >/tmp/before
dpkg -i "mqd_${version}_$debian.deb" "libmqd_${version}_$debian.deb" >/dev/null
asks mqd
introduces "the Debian package mqd $version" mqd
[ -f /usr/share/man/man1/mqd-check.1 ] || fail "no manual page"
bash -c '. /usr/share/bash-completion/completions/mqd && complete -p mqd' >/dev/null ||
    fail "bash does not complete mqd"
# As docs/gdb.md has it for any MPI library.
library=/usr/share/gdb/auto-load$(readlink -f "$(ldd /tmp/ring | awk '/libmpi.so/ { print $3 }')")
mkdir -p "${library%/*}"
ln -s /usr/share/mqd/gdb/mqd.py "$library-gdb.py"
gdb_shows ring
rm "$library-gdb.py"
# The runtime needs the glibc of the machine that built it.
if dpkg -i "mqd-mpi_${version}_$debian.deb" >/tmp/answer 2>&1; then
    mpicc.mqd -g -o /tmp/companion /tmp/ring.c
    mpicxx.mqd --showme:command | grep -q '++' || fail "mpicxx.mqd is not for C++"
    mpiexec.mqd -n 3 /tmp/companion &
    launcher_of_openmpi=$launcher launcher=$!
    asks mqd
    gdb_shows companion
    kill "$launcher"
    wait "$launcher" || true
    launcher=$launcher_of_openmpi
    echo "the companion runtime too"
else
    grep -q 'mqd-mpi depends on libc6 (>= ' /tmp/answer || fail "$(cat /tmp/answer)"
    echo "the companion runtime needs a newer glibc"
fi
purge
kill "$launcher"
wait "$launcher" || true
echo "all of it works"
