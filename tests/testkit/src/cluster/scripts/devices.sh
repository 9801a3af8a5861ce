# Mounts devices of its own at a directory: those of the host may be mounts, which a bind mount of
# /dev leaves behind, or have other modes.
devices() {
    local name major minor
    mount -t tmpfs -o mode=755,nosuid devices "$1"
    while read -r name major minor; do
        mknod -m 666 "$1/$name" c "$major" "$minor"
    done <<END
null 1 3
zero 1 5
full 1 7
random 1 8
urandom 1 9
tty 5 0
END
    ln -s pts/ptmx "$1/ptmx"
    ln -s /proc/self/fd "$1/fd"
    ln -s fd/0 "$1/stdin"
    ln -s fd/1 "$1/stdout"
    ln -s fd/2 "$1/stderr"
    mkdir "$1/pts" "$1/shm"
}
