# The first process of a cluster: the parent of its nodes, and their switch. It has mount, network
# and PID namespaces of its own, so that everything ends with it.
# Arguments: the script of a node; a directory; the number of nodes; the image; 1 for Slurm.
set -euo pipefail
node_script=$1 directory=$2 nodes=$3 image=$4 slurm=$5
network=10.77.0

mount --make-rprivate /
# In this one, processes have the ids of the host.
mkdir "$directory/host_proc" "$directory/layers" "$directory/shared"
mount --bind /proc "$directory/host_proc"
mount -t proc proc /proc
mount -t tmpfs -o size=4G,mode=755 layers "$directory/layers"
layers=$directory/layers
mkdir "$layers/image"
tar --xattrs --xattrs-include='*' -C "$layers/image" -xf "$image"
chown 2000:2000 "$directory/shared"

# Keys of this cluster alone.
home=$layers/image/home/mpi
mkdir -p "$home/.ssh" "$layers/image/etc/ssh"
rm -f "$layers/image/etc/ssh/ssh_host_"*
ssh-keygen -q -t ed25519 -N '' -f "$home/.ssh/id_ed25519"
ssh-keygen -q -t ed25519 -N '' -f "$layers/image/etc/ssh/ssh_host_ed25519_key"
cp "$home/.ssh/id_ed25519.pub" "$home/.ssh/authorized_keys"
chmod 700 "$home/.ssh"
chmod 600 "$home/.ssh/id_ed25519"
chown -R 2000:2000 "$home"
cat >"$layers/image/etc/ssh/ssh_config" <<EOF
Host node* $network.*
  StrictHostKeyChecking no
  UserKnownHostsFile /dev/null
  LogLevel ERROR
EOF
cat >"$layers/image/etc/ssh/sshd_config" <<EOF
HostKey /etc/ssh/ssh_host_ed25519_key
PasswordAuthentication no
UsePAM no
UseDNS no
MaxStartups 200:30:400
EOF

{
    echo 127.0.0.1 localhost
    for ((i = 0; i < nodes; i++)); do echo "$network.$((10 + i)) node$i"; done
} >"$directory/hosts"

if [ "$slurm" = 1 ]; then
    mkdir -p "$layers/image/etc/slurm"
    cat >"$layers/image/etc/slurm/slurm.conf" <<EOF
ClusterName=test
SlurmctldHost=node0
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
ReturnToService=2
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd.pid
SlurmdSpoolDir=/var/spool/slurmd
StateSaveLocation=/var/spool/slurmctld
SlurmctldLogFile=/var/log/slurmctld.log
SlurmdLogFile=/var/log/slurmd.log
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
NodeName=node[0-$((nodes - 1))] CPUs=8 Boards=1 SocketsPerBoard=1 CoresPerSocket=8 ThreadsPerCore=1 RealMemory=2000 State=UNKNOWN
PartitionName=debug Nodes=ALL Default=YES MaxTime=INFINITE State=UP
EOF
    echo 'CgroupPlugin=cgroup/v1' >"$layers/image/etc/slurm/cgroup.conf"
fi

ip link add switch type bridge
ip link set switch up
for ((i = 0; i < nodes; i++)); do
    mkdir -p "$layers/node$i/upper" "$layers/node$i/work" "$layers/node$i/root"
    unshare --net --uts --ipc --pid --mount --fork --kill-child \
        bash -c "$node_script" node "$directory" "$i" "$slurm" </dev/null >"$directory/node$i.log" 2>&1 &
    parents[i]=$!
done
for ((i = 0; i < nodes; i++)); do
    until node=$(cat "/proc/${parents[i]}/task/${parents[i]}/children") && [ -n "$node" ]; do
        sleep 0.01
    done
    node=${node% }
    until [ "$(readlink "/proc/$node/ns/net")" != "$(readlink /proc/self/ns/net)" ]; do
        sleep 0.01
    done
    ip link add "port$i" type veth peer name eth0 netns "$node"
    ip link set "port$i" master switch up
    nsenter --target "$node" --net \
        bash -c "ip link set lo up; ip address add $network.$((10 + i))/24 dev eth0; ip link set eth0 up"
    touch "$directory/node$i.connected"
done
wait
