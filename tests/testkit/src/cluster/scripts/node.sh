# The first process of a node, in namespaces of its own. It collects processes without a parent.
# Arguments: the directory of the cluster; the number of the node; 1 for Slurm.
set -euo pipefail
directory=$1 number=$2 slurm=$3
layers=$directory/layers root=$directory/layers/node$2/root

# `read` opens the file in this process, so that it is this one's id on the host.
read -r host_pid _ <"$directory/host_proc/self/stat"
hostname "node$number"
mount --make-rprivate /
mount -t overlay "node$number" -o "lowerdir=$layers/image:/,upperdir=$layers/node$number/upper,workdir=$layers/node$number/work" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
devices "$root/dev"
mount -t devpts -o newinstance,ptmxmode=666,mode=620,gid=5 devpts "$root/dev/pts"
# Ranks of two nodes must not find each other's memory.
mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
mount -t tmpfs -o mode=1777 tmp "$root/tmp"
mount -t tmpfs -o mode=755 run "$root/run"
mkdir -p "$root/run/sshd" "$root/run/lock" "$root/cluster"
mount --bind "$directory/shared" "$root/cluster"
cp "$directory/hosts" "$root/etc/hosts"
echo "node$number" >"$root/etc/hostname"
: >"$root/etc/resolv.conf"
mkdir -p "$root/.host"
cd "$root"
pivot_root . .host
cd /

control=/.host$directory
until [ -e "$control/node$number.connected" ]; do sleep 0.01; done
/usr/sbin/sshd
if [ "$slurm" = 1 ]; then
    mkdir -p /run/munge /var/spool/slurmd /var/spool/slurmctld
    chown munge: /run/munge /var/log/munge /var/lib/munge /etc/munge /etc/munge/munge.key
    setpriv --reuid munge --regid munge --clear-groups /usr/sbin/munged
    if [ "$number" = 0 ]; then /usr/sbin/slurmctld; fi
    /usr/sbin/slurmd
fi
echo "$host_pid" >"$control/node$number.part"
mv "$control/node$number.part" "$control/node$number.pid"
umount -l /.host
rmdir /.host
exec 2>/dev/null
while :; do sleep 3600 & wait || :; done
