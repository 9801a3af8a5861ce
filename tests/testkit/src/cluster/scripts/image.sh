# Installs packages into an overlay over /, and packs what that changed. / itself stays as it is.
# Runs in a mount namespace of its own: its mounts end with it.
# Arguments: an empty directory; the archive to write; the packages.
set -euo pipefail
work=$1 archive=$2
shift 2

mount --make-rprivate /
# The upper layer has to be on another file system than the lower one.
mount -t tmpfs -o size=4G,mode=755 image "$work"
mkdir "$work/upper" "$work/work" "$work/root"
mount -t overlay image -o "lowerdir=/,upperdir=$work/upper,workdir=$work/work" "$work/root"
root=$work/root
devices "$root/dev"
mount -t proc proc "$root/proc"
mount -t tmpfs tmp "$root/tmp"

# No daemon starts because its package is installed.
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"
apt() { chroot "$root" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@"; }
apt install --yes --no-install-recommends "$@" >&2 ||
    { apt update >&2 && apt install --yes --no-install-recommends "$@" >&2; }
apt clean
# A locked password ("!") is refused by sshd without PAM, although the key is right.
chroot "$root" useradd --create-home --uid 2000 --shell /bin/bash --password '*' mpi

umask 077
tar --xattrs --xattrs-include='*' -C "$work/upper" -cf "$archive.part" .
mv "$archive.part" "$archive"
